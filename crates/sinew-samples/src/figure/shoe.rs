//! The shoes: outlines stacked from the sole up to a padded collar.

use super::palette;
use super::profile::{ProfileTable, smoothstep};
use super::sheet::{GarmentSheet, SheetColor};
use super::weights::Gates;
use glam::Vec3;
use std::f32::consts::TAU;

const EDGES: usize = 24;

/// The center line and the half widths inwards and outwards, from heel to toe, in meters.
const OUTLINE: ProfileTable<3> = ProfileTable(&[
    (-0.090, [0.096, 0.030, 0.030]),
    (-0.050, [0.097, 0.035, 0.034]),
    (0.000, [0.099, 0.036, 0.037]),
    (0.060, [0.104, 0.040, 0.042]),
    (0.105, [0.107, 0.045, 0.044]),
    (0.150, [0.107, 0.043, 0.040]),
    (0.200, [0.105, 0.037, 0.033]),
]);

/// One outline: height, heel and toe in meters, and a width factor.
const ROWS: [ShoeRow; 15] = [
    row(0.000, -0.080, 0.186, 0.90),
    row(0.005, -0.086, 0.194, 1.00),
    row(0.022, -0.088, 0.197, 1.02),
    row(0.029, -0.087, 0.195, 1.00),
    row(0.031, -0.083, 0.188, 0.95),
    row(0.044, -0.084, 0.184, 0.96),
    row(0.056, -0.083, 0.170, 0.93),
    row(0.067, -0.081, 0.145, 0.92),
    row(0.078, -0.079, 0.112, 0.97),
    row(0.089, -0.078, 0.080, 1.08),
    row(0.100, -0.078, 0.054, 1.18),
    row(0.111, -0.079, 0.040, 1.24),
    row(0.117, -0.075, 0.034, 1.19),
    row(0.114, -0.068, 0.026, 1.08),
    row(0.090, -0.064, 0.020, 1.00),
];

/// One outline of the shoe, in meters.
struct ShoeRow {
    y: f32,
    heel: f32,
    toe: f32,
    /// Factor on the width.
    factor: f32,
}

const fn row(y: f32, heel: f32, toe: f32, factor: f32) -> ShoeRow {
    ShoeRow { y, heel, toe, factor }
}

/// The left shoe as a mesh part.
pub(super) fn shoe(gates: &Gates) -> GarmentSheet {
    let mut sheet = GarmentSheet::default();
    let rows: Vec<Vec<usize>> =
        ROWS.iter().map(|row| sheet.row((0..EDGES).map(|i| outline_point(row, i)))).collect();
    close_sole(&mut sheet, &rows[0]);
    for (row, pair) in rows.windows(2).enumerate() {
        sheet.join_striped(&pair[0], &pair[1], true, |column| color(row, column));
    }
    let last = &rows[rows.len() - 1];
    let middle = sheet.middle_of(last);
    sheet.close_end(last, middle, true, palette::SHOE_DARK);
    sheet.weigh_from(0, |p| gates.shoe(p));
    sheet
}

fn outline_point(row: &ShoeRow, i: usize) -> Vec3 {
    let &ShoeRow { y, heel, toe, factor } = row;
    let (sin, cos) = (TAU * i as f32 / EDGES as f32).sin_cos();
    // A rounder heel and toe than an ellipse's.
    let z = (heel + toe) * 0.5 + (toe - heel) * 0.5 * cos.signum() * cos.abs().powf(0.85);
    let [middle, inner, outer] = OUTLINE.at(z);
    let half = if sin < 0.0 { inner } else { outer };
    let x = middle + factor * half * sin.signum() * sin.abs().powf(0.78);
    // The toe springs up a little, the instep's rows rise towards the front.
    let spring = 0.007 * smoothstep(0.13, 0.20, z);
    let instep = if y > 0.05 { 0.10 * z.clamp(-0.03, 0.04) } else { 0.0 };
    Vec3::new(x, y + spring + instep, z)
}

/// Quads across the sole, from the outer edge to the inner.
fn close_sole(sheet: &mut GarmentSheet, row: &[usize]) {
    let half = EDGES / 2;
    let inner = |i: usize| row[(EDGES - i) % EDGES];
    for i in 0..half {
        let corners = [row[i + 1], row[i], inner(i), inner(i + 1)];
        match i {
            0 => sheet.triangle([row[1], row[0], inner(1)], palette::SOLE),
            _ if i + 1 == half => sheet.triangle([row[half], row[i], inner(i)], palette::SOLE),
            _ => sheet.quad(corners, palette::SOLE),
        }
    }
}

fn color(row: usize, column: usize) -> SheetColor {
    let laces = matches!(column, 0 | 1 | 22 | 23);
    let heel_tab = matches!(column, 10..=13);
    match row {
        0..4 => palette::SOLE,
        7 | 9 if laces => palette::CREAM,
        8..11 if heel_tab => palette::CREAM,
        11.. => palette::SHOE_DARK,
        _ => palette::SHOE,
    }
}
