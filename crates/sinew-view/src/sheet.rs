//! Contact sheets: pictures in rows and columns with titles, captions and a legend.

use thiserror::Error;

use crate::canvas::round_corners;
use crate::color::Color;
use crate::glam::Vec2;
use crate::legend::Legend;
use crate::picture::Picture;
use crate::raster::MAX_SIDE;
use crate::text::{TextAlign, TextStyle, draw_text, fitted};
use crate::theme::{PageColors, Theme};

/// A picture with its caption and note.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Picture of the cell.
    pub picture: Picture,
    /// Caption below the picture; may be empty.
    pub caption: String,
    /// Smaller note below the caption; may be empty.
    pub note: String,
}

impl Cell {
    /// A captioned picture without a note.
    pub fn new(picture: Picture, caption: impl Into<String>) -> Self {
        Self { picture, caption: caption.into(), note: String::new() }
    }

    /// The same cell with a note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// Captioned pictures in rows and columns.
#[derive(Clone, Debug, Default)]
pub struct ContactSheet {
    /// Title above the sheet; may be empty.
    pub title: String,
    /// Smaller line below the title; may be empty.
    pub subtitle: String,
    /// Number of columns; 0 makes the sheet about square.
    pub columns: usize,
    /// Titles above the columns; may be empty.
    pub column_titles: Vec<String>,
    /// Titles above the rows; may be empty.
    pub row_titles: Vec<String>,
    /// Cells of the sheet, row by row.
    pub cells: Vec<Cell>,
    /// Legend at the bottom, if any.
    pub legend: Option<Legend>,
    /// Light, dark or transparent page.
    pub theme: Theme,
}

/// Why a sheet could not be composed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SheetError {
    /// A side of the sheet exceeds [`MAX_SIDE`].
    #[error("each side of the sheet must be at most {MAX_SIDE} pixels, got {width} x {height}")]
    TooLarge {
        /// Width of the sheet in pixels.
        width: u32,
        /// Height of the sheet in pixels.
        height: u32,
    },
}

/// Sizes in pixels, computed from the cells.
struct SheetLayout {
    columns: usize,
    cell: Vec2,
    caption: f32,
    note: f32,
    text: f32,
    margin: f32,
    gap: f32,
    header: f32,
    row_title: f32,
    page: Vec2,
}

impl ContactSheet {
    /// Composes the sheet. Pictures keep their size; smaller ones are centered in their cells.
    ///
    /// # Errors
    /// [`SheetError::TooLarge`] if a side would exceed [`MAX_SIDE`].
    pub fn compose(&self) -> Result<Picture, SheetError> {
        let layout = self.layout();
        let (width, height) = (layout.page.x.ceil() as u32, layout.page.y.ceil() as u32);
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(SheetError::TooLarge { width, height });
        }
        let colors = self.theme.page();
        let mut page = Picture::filled(width, height, colors.page);
        self.draw_header(&mut page, &layout, &colors);
        for index in 0..self.cells.len() {
            self.draw_cell(&mut page, &layout, &colors, index);
        }
        if let Some(legend) = &self.legend {
            let y = layout.page.y - layout.margin - legend.height(layout.text) + layout.gap * 0.3;
            let width = layout.page.x - 2.0 * layout.margin;
            legend.draw(&mut page, Vec2::new(layout.margin, y), width, layout.text, &colors);
        }
        Ok(page)
    }

    fn layout(&self) -> SheetLayout {
        let cell = self.cells.iter().fold(Vec2::ONE, |size, cell| {
            size.max(Vec2::new(cell.picture.width() as f32, cell.picture.height() as f32))
        });
        let count = self.cells.len().max(1);
        let square = (count as f32 * cell.y / cell.x).sqrt().round() as usize;
        let columns = if self.columns == 0 { square } else { self.columns }.clamp(1, count);
        let rows = count.div_ceil(columns);
        let text = (cell.x * 0.045).clamp(13.0, 26.0);
        let any = |words: fn(&Cell) -> &str| self.cells.iter().any(|cell| !words(cell).is_empty());
        let line = |wanted: bool, height: f32| if wanted { height } else { 0.0 };
        let caption = line(any(|cell| &cell.caption), text * 1.45);
        let note = line(any(|cell| &cell.note), text * 1.2);
        let margin = text * 1.5;
        let gap = text * 0.9;
        let header = line(!self.title.is_empty(), text * 2.3)
            + line(!self.subtitle.is_empty(), text * 1.6)
            + line(!self.column_titles.is_empty(), text * 1.6)
            + line(!self.title.is_empty() || !self.subtitle.is_empty(), text * 0.5);
        let row_title = line(!self.row_titles.is_empty(), text * 1.7);
        let footer = self.legend.as_ref().map_or(0.0, |legend| legend.height(text) + gap * 0.5);
        let (across, down) = (columns as f32, rows as f32);
        let page = Vec2::new(
            2.0 * margin + across * cell.x + (across - 1.0) * gap,
            2.0 * margin
                + header
                + down * (row_title + cell.y + caption + note)
                + (down - 1.0) * gap
                + footer,
        );
        SheetLayout { columns, cell, caption, note, text, margin, gap, header, row_title, page }
    }

    fn draw_header(&self, page: &mut Picture, layout: &SheetLayout, colors: &PageColors) {
        let (text, mut y) = (layout.text, layout.margin * 0.85);
        let width = layout.page.x - 2.0 * layout.margin;
        let lines = [(&self.title, 1.75, 2.3, colors.ink), (&self.subtitle, 1.05, 1.6, colors.muted)];
        for (words, size, step, color) in lines {
            if !words.is_empty() {
                let style = TextStyle::new(text * size, color);
                draw_text(page, &fitted(words, width, &style), layout.margin, y, &style);
                y += text * step;
            }
        }
        let style = TextStyle::new(text * 1.05, colors.ink).aligned(TextAlign::Center);
        let y = layout.margin + layout.header - text * 1.5;
        for (column, words) in self.column_titles.iter().take(layout.columns).enumerate() {
            let middle = layout.margin + (column as f32 + 0.5) * layout.cell.x + column as f32 * layout.gap;
            draw_text(page, &fitted(words, layout.cell.x, &style), middle, y, &style);
        }
    }

    fn draw_cell(&self, page: &mut Picture, layout: &SheetLayout, colors: &PageColors, index: usize) {
        let cell = &self.cells[index];
        let (column, row) = ((index % layout.columns) as f32, (index / layout.columns) as f32);
        let pitch = layout.row_title + layout.cell.y + layout.caption + layout.note + layout.gap;
        let x = layout.margin + column * (layout.cell.x + layout.gap);
        let mut y = layout.margin + layout.header + row * pitch;
        if let (true, Some(words)) =
            (index.is_multiple_of(layout.columns), self.row_titles.get(index / layout.columns))
        {
            draw_text(page, words, x, y, &TextStyle::new(layout.text * 1.05, colors.ink));
        }
        y += layout.row_title;
        let mut picture = cell.picture.clone();
        round_corners(&mut picture, layout.text * 0.45);
        let size = Vec2::new(picture.width() as f32, picture.height() as f32);
        let corner = Vec2::new(x, y) + (layout.cell - size) * 0.5;
        page.place(&picture, corner.x.round() as i32, corner.y.round() as i32);
        y += layout.cell.y + layout.text * 0.3;
        self.draw_words(page, layout, &cell.caption, Vec2::new(x, y), 1.0, colors.ink);
        y += layout.caption - layout.text * 0.1;
        self.draw_words(page, layout, &cell.note, Vec2::new(x, y), 0.85, colors.muted);
    }

    fn draw_words(
        &self,
        page: &mut Picture,
        layout: &SheetLayout,
        words: &str,
        place: Vec2,
        size: f32,
        color: Color,
    ) {
        let style = TextStyle::new(layout.text * size, color).aligned(TextAlign::Center);
        let middle = place.x + layout.cell.x * 0.5;
        draw_text(page, &fitted(words, layout.cell.x, &style), middle, place.y, &style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(count: usize, columns: usize) -> ContactSheet {
        let picture = Picture::filled(100, 80, Color::hex(0xcc3322));
        ContactSheet {
            title: "Title".to_owned(),
            columns,
            cells: vec![Cell::new(picture, "caption").with_note("note"); count],
            ..ContactSheet::default()
        }
    }

    #[test]
    fn every_picture_is_on_the_sheet() {
        let page = sheet(5, 3).compose().unwrap();
        let red = page.pixels().iter().filter(|pixel| **pixel == [0xcc, 0x33, 0x22, 255]).count();
        // Rounded corners remove a few pixels of each.
        assert!((5 * 7900..=5 * 8000).contains(&red), "{red}");
        assert!(page.width() > 320 && page.width() < 400);
    }

    #[test]
    fn an_empty_sheet_is_a_small_page() {
        let page = ContactSheet::default().compose().unwrap();
        assert!(page.width() > 0 && page.height() > 0);
    }

    #[test]
    fn too_many_pictures_are_rejected_before_memory_is_allocated() {
        assert!(matches!(sheet(400, 400).compose(), Err(SheetError::TooLarge { .. })));
    }
}
