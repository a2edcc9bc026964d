//! The legend of a map, in the corner of the viewport.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, vec2};
use sinew_view::legend::Legend;

const WIDTH: f32 = 180.0;
const CELLS: usize = 48;

/// Draws a scale at the lower left corner of `rect`.
pub(super) fn draw(ui: &egui::Ui, rect: Rect, legend: &Legend) {
    let Legend::Scale { ramp, low, high, label } = legend else { return };
    let painter = ui.painter().with_clip_rect(rect);
    let bar = Rect::from_min_size(rect.left_bottom() + vec2(14.0, -44.0), vec2(WIDTH, 10.0));
    let background = Rect::from_min_max(bar.min - vec2(8.0, 20.0), bar.max + vec2(8.0, 20.0));
    painter.rect_filled(background, 6.0, ui.visuals().panel_fill.gamma_multiply(0.85));
    for cell in 0..CELLS {
        let t = (cell as f32 + 0.5) / CELLS as f32;
        let [r, g, b, _] = ramp.color(t).to_srgb8();
        let left = bar.left() + WIDTH * cell as f32 / CELLS as f32;
        let one =
            Rect::from_min_size(Pos2::new(left, bar.top()), vec2(WIDTH / CELLS as f32 + 0.5, bar.height()));
        painter.rect_filled(one.intersect(bar), 0.0, Color32::from_rgb(r, g, b));
    }
    painter.rect_stroke(
        bar,
        0.0,
        Stroke::new(1.0, ui.visuals().weak_text_color()),
        egui::StrokeKind::Outside,
    );
    let (font, color) = (FontId::proportional(12.0), ui.visuals().text_color());
    painter.text(bar.left_top() - vec2(0.0, 4.0), Align2::LEFT_BOTTOM, label, font.clone(), color);
    painter.text(bar.left_bottom() + vec2(0.0, 3.0), Align2::LEFT_TOP, number(*low), font.clone(), color);
    painter.text(bar.right_bottom() + vec2(0.0, 3.0), Align2::RIGHT_TOP, number(*high), font, color);
}

/// The value with up to three decimals.
fn number(value: f32) -> String {
    let digits = if value == value.round() {
        0
    } else if value.abs() < 1.0 {
        3
    } else {
        2
    };
    format!("{value:.digits$}")
}
