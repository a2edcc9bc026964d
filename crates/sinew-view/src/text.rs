//! Lines of text on pictures.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont};

use crate::color::Color;
use crate::picture::Picture;

/// The typeface of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FontFace {
    /// Proportional sans-serif, for titles and captions.
    #[default]
    Sans,
    /// Monospaced, for numbers in columns.
    Mono,
}

/// How a line of text is aligned to its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextAlign {
    /// The line starts at the position.
    #[default]
    Left,
    /// The line is centered on the position.
    Center,
    /// The line ends at the position.
    Right,
}

/// Size, color, typeface and alignment of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Height from the lowest descender to the highest ascender, in pixels.
    pub size_px: f32,
    /// Color of the text.
    pub color: Color,
    /// Typeface of the text.
    pub face: FontFace,
    /// Alignment to the given position.
    pub align: TextAlign,
}

impl TextStyle {
    /// Left-aligned sans-serif text of a height in pixels.
    pub fn new(size_px: f32, color: Color) -> Self {
        Self { size_px: size_px.clamp(1.0, 400.0), color, face: FontFace::Sans, align: TextAlign::Left }
    }

    /// The same style with another alignment.
    #[must_use]
    pub fn aligned(self, align: TextAlign) -> Self {
        Self { align, ..self }
    }

    /// The same style in another face.
    #[must_use]
    pub fn in_face(self, face: FontFace) -> Self {
        Self { face, ..self }
    }

    fn font(&self) -> FontRef<'static> {
        let bytes = match self.face {
            FontFace::Sans => epaint_default_fonts::UBUNTU_LIGHT,
            FontFace::Mono => epaint_default_fonts::HACK_REGULAR,
        };
        FontRef::try_from_slice(bytes).expect("the built-in fonts are valid")
    }
}

/// Width of a line of text in pixels.
pub fn text_width(text: &str, style: &TextStyle) -> f32 {
    set(text, style).1
}

/// Draws one line with its upper edge at `y` and its start, middle or end at `x`, in pixels.
///
/// Characters that the face lacks show its placeholder; line breaks are drawn as blanks.
pub fn draw_text(picture: &mut Picture, text: &str, x: f32, y: f32, style: &TextStyle) {
    let font = style.font();
    let ascent = font.as_scaled(PxScale::from(style.size_px)).ascent();
    let (glyphs, width) = set(text, style);
    let start = match style.align {
        TextAlign::Left => x,
        TextAlign::Center => x - width * 0.5,
        TextAlign::Right => x - width,
    };
    let color = style.color.to_srgb8();
    for mut glyph in glyphs {
        glyph.position.x += start;
        glyph.position.y = (y + ascent).round();
        let Some(outlined) = font.outline_glyph(glyph) else { continue };
        let corner = outlined.px_bounds().min;
        outlined.draw(|column, row, coverage| {
            let place = |base: f32, step: u32| base as i32 + i32::try_from(step).unwrap_or(i32::MAX);
            // The sans face is a light one: a touch more ink keeps small captions readable.
            let ink = coverage + (1.0 - coverage) * coverage * 0.45;
            picture.blend(place(corner.x, column), place(corner.y, row), color, ink);
        });
    }
}

/// The glyphs of a line from x = 0, and its width.
fn set(text: &str, style: &TextStyle) -> (Vec<Glyph>, f32) {
    let font = style.font();
    let scaled = font.as_scaled(PxScale::from(style.size_px));
    let mut glyphs = Vec::new();
    let mut pen = 0.0;
    let mut last = None;
    for character in text.chars() {
        let character = if character.is_control() { ' ' } else { character };
        let id = scaled.glyph_id(character);
        if let Some(last) = last {
            pen += scaled.kern(last, id);
        }
        glyphs.push(id.with_scale_and_position(PxScale::from(style.size_px), ab_glyph::point(pen, 0.0)));
        pen += scaled.h_advance(id);
        last = Some(id);
    }
    (glyphs, pen)
}

/// The longest beginning of `text` that fits `width` pixels, with an ellipsis where something was cut.
pub fn fitted(text: &str, width: f32, style: &TextStyle) -> String {
    if text_width(text, style) <= width {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while kept.pop().is_some() {
        let shorter = format!("{}…", kept.trim_end());
        if text_width(&shorter, style) <= width {
            return shorter;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_leaves_ink_where_it_is_aligned() {
        let style = TextStyle::new(20.0, Color::BLACK);
        for (align, x) in [(TextAlign::Left, 0.0), (TextAlign::Center, 50.0), (TextAlign::Right, 100.0)] {
            let mut page = Picture::filled(100, 30, Color::WHITE);
            draw_text(&mut page, "Sinew", x, 4.0, &style.aligned(align));
            let inked: Vec<usize> = (0..page.pixels().len()).filter(|&i| page.pixels()[i][0] < 128).collect();
            let columns = inked.iter().map(|i| i % 100);
            let (low, high) = (columns.clone().min().unwrap(), columns.max().unwrap());
            let width = text_width("Sinew", &style) as usize;
            assert!(inked.len() > 50 && high - low <= width);
            match align {
                TextAlign::Left => assert!(low < 5),
                TextAlign::Center => assert!(low > 20 && high < 80),
                TextAlign::Right => assert!(high > 94),
            }
        }
    }

    #[test]
    fn long_text_is_cut_with_an_ellipsis_and_fits() {
        let style = TextStyle::new(16.0, Color::BLACK);
        let short = fitted("an unreasonably long joint name", 80.0, &style);
        assert!(short.ends_with('…') && text_width(&short, &style) <= 80.0);
        assert_eq!(fitted("ok", 80.0, &style), "ok");
        assert_eq!(fitted("wide", 1.0, &style), "");
    }
}
