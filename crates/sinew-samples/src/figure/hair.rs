//! Short hair: a cap that stands off the skull, swept up at the front.

use super::head::{CENTER, direction, distance, ray};
use super::palette;
use super::profile::{ProfileTable, smoothstep};
use super::sheet::GarmentSheet;
use super::skeleton::HEAD;
use super::weights::rigid;
use glam::Vec3;

const COLUMNS: usize = 22;
const ROWS: usize = 15;

/// The height of the hairline in degrees above the head's center, by degrees from the front.
const HAIRLINE: ProfileTable<1> = ProfileTable(&[
    (0.0, [43.0]),
    (20.0, [45.0]),
    (38.0, [43.0]),
    (50.0, [36.0]),
    (60.0, [24.0]),
    (68.0, [4.0]),
    (76.0, [-9.0]),
    (83.0, [-6.0]),
    (90.0, [12.0]),
    (106.0, [14.0]),
    (116.0, [-4.0]),
    (126.0, [-26.0]),
    (150.0, [-40.0]),
    (180.0, [-43.0]),
]);

/// The left half of the hair.
pub(super) fn hair() -> GarmentSheet {
    let mut sheet = GarmentSheet::default();
    let column_azimuth = |c: usize| 180.0 * c as f32 / COLUMNS as f32;
    let crown_rise = 86.0;
    let mut previous: Vec<usize> = Vec::new();
    for row in 1..=ROWS {
        let down = row as f32 / ROWS as f32;
        let points = (0..=COLUMNS).map(|c| {
            let azimuth = column_azimuth(c);
            let line = HAIRLINE.at(azimuth)[0];
            let rise = crown_rise + (line - crown_rise) * down.powf(0.9);
            let out = direction(azimuth, rise);
            ray(CENTER, out, &distance) + lift(out, azimuth, down)
        });
        let points: Vec<Vec3> = points.collect();
        let points = sheet.row(points);
        if row > 1 {
            sheet.join(&previous, &points, false, palette::HAIR);
        } else {
            let top = ray(CENTER, Vec3::Y, &distance) + Vec3::Y * 0.025;
            sheet.close_start(&points, top, false, palette::HAIR);
        }
        previous = points;
    }
    close_under(&mut sheet, &previous);
    sheet.weigh_from(0, |_| rigid(HEAD));
    sheet
}

/// The distance of the hair from the skin, in meters.
fn lift(out: Vec3, azimuth: f32, down: f32) -> Vec3 {
    let front = smoothstep(75.0, 15.0, azimuth);
    let edge = smoothstep(1.06, 0.72, down);
    let top = smoothstep(0.95, 0.25, down);
    let body = 0.004 + 0.011 * edge + 0.009 * top;
    // A swept-up front, highest a little above the hairline.
    let quiff = front * smoothstep(0.25, 0.70, down) * smoothstep(1.10, 0.80, down);
    let strands = 0.0022 * edge * (azimuth.to_radians() * 13.0 + down * 5.0).cos();
    out * (body + 0.010 * quiff + strands) + Vec3::new(0.0, 0.012, 0.006) * quiff
}

/// Folds the rim in under the skin and closes the cap inside the head.
fn close_under(sheet: &mut GarmentSheet, rim: &[usize]) {
    let mut previous = rim.to_vec();
    let inside = CENTER + Vec3::new(0.0, 0.03, -0.01);
    for fraction in [0.90, 0.5] {
        let row: Vec<Vec3> = rim.iter().map(|&p| inside.lerp(sheet.points[p], fraction)).collect();
        let row: Vec<Vec3> = row
            .iter()
            .zip(rim)
            .map(|(p, &r)| if sheet.points[r].x == 0.0 { p.with_x(0.0) } else { *p })
            .collect();
        let row = sheet.row(row);
        sheet.join(&previous, &row, false, palette::HAIR);
        previous = row;
    }
    sheet.close_end(&previous, inside, false, palette::HAIR);
}
