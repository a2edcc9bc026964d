//! Light, dark or see-through surroundings, the same for scenes, sheets and plots.

use crate::color::Color;
use crate::scene::Background;

/// Light or dark surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// A light wall or page.
    #[default]
    Light,
    /// A dark wall or page.
    Dark,
    /// No wall and no page: what lies behind shows through, light or dark.
    Clear,
}

/// The colours of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageColors {
    /// The page itself.
    pub page: Color,
    /// Text.
    pub ink: Color,
    /// Notes and tick labels.
    pub muted: Color,
    /// Rules and axes.
    pub rule: Color,
}

impl Theme {
    /// The wall behind a scene.
    pub fn background(self) -> Background {
        match self {
            Self::Light => Background::light(),
            Self::Dark => Background::dark(),
            Self::Clear => Background::Transparent,
        }
    }

    /// The colours of sheets and plots. Those of [`Theme::Clear`] can be read on white and on black.
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
