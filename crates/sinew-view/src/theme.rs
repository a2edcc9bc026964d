//! Light, dark and transparent themes for scenes, sheets and plots.

use crate::color::Color;
use crate::scene::Background;

/// The background of scenes and pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// A light background with dark text.
    #[default]
    Light,
    /// A dark background with light text.
    Dark,
    /// A transparent background with text that is readable on light and dark pages.
    Clear,
}

/// The colors of sheets and plots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageColors {
    /// Background of the page.
    pub page: Color,
    /// Titles and captions on the page.
    pub ink: Color,
    /// Notes and tick labels on the page.
    pub muted: Color,
    /// Lines and axes on the page.
    pub rule: Color,
}

impl Theme {
    /// The background of a scene.
    pub fn background(self) -> Background {
        match self {
            Self::Light => Background::light(),
            Self::Dark => Background::dark(),
            Self::Clear => Background::Transparent,
        }
    }

    /// The colors of sheets and plots. Those of [`Theme::Clear`] can be read on white and on black.
    pub fn page(self) -> PageColors {
        let of = |page: Color, ink, muted, rule| PageColors {
            page,
            ink: Color::hex(ink),
            muted: Color::hex(muted),
            rule: Color::hex(rule),
        };
        match self {
            Self::Light => of(Color::hex(0xffffff), 0x1d2129, 0x667080, 0xd9dde3),
            Self::Dark => of(Color::hex(0x14171c), 0xeceff4, 0x97a1b0, 0x343a45),
            Self::Clear => of(Color::TRANSPARENT, 0x7d8694, 0x7d8694, 0x8c94a1),
        }
    }
}
