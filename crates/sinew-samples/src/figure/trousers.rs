//! The trousers: a seat that divides into two legs with knitted cuffs.

use super::palette;
use super::profile::{LimbProfile, ProfileTable, Trunk, project, smooth_min, smoothstep};
use super::sheet::{GarmentSheet, SheetColor};
use super::skeleton::{FOOT, FigureBones, SHIN, THIGH, mirrored};
use super::sweater::on_middle;
use super::weights::Gates;
use glam::Vec3;
use std::f32::consts::{PI, TAU};

const COLUMNS: usize = 12;
/// Points under the crotch, between front and back.
const CROTCH: usize = 3;
const LEG_EDGES: usize = COLUMNS + CROTCH + 1;

const SEAT: Trunk = Trunk {
    squareness: 2.3,
    outline: ProfileTable(&[
        (0.76, [0.140, 0.070, 0.082]),
        (0.80, [0.150, 0.086, 0.102]),
        (0.85, [0.152, 0.092, 0.114]),
        (0.89, [0.148, 0.093, 0.112]),
        (0.93, [0.142, 0.094, 0.104]),
        (1.00, [0.138, 0.098, 0.092]),
    ]),
};

/// Radii in meters: front, back, inner, outer, from the hip joint down.
const LEG: ProfileTable<4> = ProfileTable(&[
    (-0.02, [0.072, 0.084, 0.078, 0.056]),
    (0.06, [0.078, 0.092, 0.082, 0.063]),
    (0.12, [0.083, 0.091, 0.081, 0.067]),
    (0.20, [0.079, 0.082, 0.074, 0.070]),
    (0.30, [0.071, 0.070, 0.063, 0.066]),
    (0.38, [0.062, 0.060, 0.055, 0.057]),
    (0.43, [0.058, 0.055, 0.052, 0.052]),
    (0.48, [0.054, 0.060, 0.053, 0.054]),
    (0.55, [0.050, 0.069, 0.056, 0.059]),
    (0.63, [0.046, 0.064, 0.052, 0.053]),
    (0.71, [0.043, 0.051, 0.045, 0.046]),
    (0.755, [0.046, 0.050, 0.047, 0.048]),
    (0.770, [0.038, 0.041, 0.039, 0.040]),
    (0.815, [0.036, 0.040, 0.038, 0.039]),
]);

const SEAT_ROWS: [f32; 8] = [0.985, 0.955, 0.930, 0.905, 0.880, 0.855, 0.832, 0.812];

/// The seat and the left leg.
pub(super) fn trousers(bones: &FigureBones, gates: &Gates) -> GarmentSheet {
    let line = [THIGH, SHIN, FOOT].map(|j| bones.position(j)).to_vec();
    let leg = LimbProfile::new(line, Vec3::Z, LEG);
    let distance = |p: Vec3| {
        // Further out the right leg does not affect the blend.
        let left = leg.distance(p);
        let legs = if p.x > 0.06 { left } else { smooth_min(left, leg.distance(mirrored(p)), 0.03) };
        smooth_min(-smooth_min(-SEAT.distance(p), p.y - 0.80, 0.08), legs, 0.035)
    };
    let mut sheet = GarmentSheet::default();
    let rows: Vec<Vec<usize>> = SEAT_ROWS
        .iter()
        .map(|&y| {
            let point = |c: usize| on_middle(c, SEAT.ring_point(y, PI * c as f32 / COLUMNS as f32));
            sheet.row((0..=COLUMNS).map(point))
        })
        .collect();
    for pair in rows.windows(2) {
        sheet.join_striped(&pair[0], &pair[1], false, stripe);
    }
    sheet.close_start(&rows[0], Vec3::new(0.0, 0.985, 0.0), false, palette::DENIM);
    let rings = leg_points(&mut sheet, &leg, &rows[rows.len() - 1]);
    for (ring, pair) in rings.windows(2).enumerate() {
        let cuff = ring >= 29;
        sheet.join_striped(&pair[0], &pair[1], true, |c| if cuff { palette::DENIM_DARK } else { stripe(c) });
    }
    let mut softness = vec![0.0; sheet.points.len()];
    for (row, points) in rows.iter().enumerate().skip(2) {
        points.iter().for_each(|&p| softness[p] = 0.5 * smoothstep(1.0, 4.0, row as f32));
    }
    for (ring, points) in rings.iter().enumerate().take(8) {
        points.iter().for_each(|&p| softness[p] = 0.5 * smoothstep(8.0, 3.0, ring as f32).max(0.1));
    }
    sheet.relax(&softness, 18, |p| project(p, 1, &distance));
    sheet.relax(&softness, 1, |p| project(p, 4, &distance));
    cuff(&mut sheet, &rings[rings.len() - 1], &leg);
    sheet.weigh_from(0, |p| gates.leg(p));
    let softness: Vec<f32> = sheet.points.iter().map(|p| 0.4 * smoothstep(0.70, 0.78, p.y)).collect();
    sheet.spread_weights(&softness, 4);
    sheet
}

/// A stripe runs down the side.
fn stripe(column: usize) -> SheetColor {
    if column == 5 || column == 6 { palette::DENIM_LIGHT } else { palette::DENIM }
}

/// The leg's rings; the first is the seat's last row, closed under the crotch.
fn leg_points(sheet: &mut GarmentSheet, leg: &LimbProfile, seat: &[usize]) -> Vec<Vec<usize>> {
    let (front, back) = (sheet.points[seat[0]], sheet.points[seat[COLUMNS]]);
    let under = (1..=CROTCH).map(|i| {
        let t = i as f32 / (CROTCH + 1) as f32;
        let sag = 4.0 * t * (1.0 - t) * 0.01;
        let p = back.lerp(front, t);
        Vec3::new(0.0, p.y - sag, p.z)
    });
    let mut first = seat.to_vec();
    let under: Vec<Vec3> = under.collect();
    first.extend(sheet.row(under));
    let mut rings = vec![first.clone()];
    let stations = [
        0.115, 0.138, 0.162, 0.186, 0.210, 0.234, 0.258, 0.282, 0.304, 0.325, 0.345, 0.364, 0.382, 0.398,
        0.413, 0.428, 0.444, 0.462, 0.482, 0.504, 0.528, 0.554, 0.582, 0.610, 0.638, 0.668, 0.698, 0.726,
        0.750, 0.766, 0.772, 0.786, 0.802,
    ];
    for (ring, &s) in stations.iter().enumerate() {
        let blend = smoothstep(-1.5, 3.0, ring as f32);
        let points: Vec<Vec3> = (0..LEG_EDGES)
            .map(|i| {
                let from = sheet.points[first[i]] - Vec3::Y * (s - 0.09);
                from.lerp(leg.ring_point(s, leg_angle(i)), blend)
            })
            .map(|p| Vec3::new(p.x.max(0.004), p.y, p.z))
            .collect();
        rings.push(sheet.row(points));
    }
    rings
}

/// From the front's middle outwards to the back, then back inside the leg.
///
/// The leg's ring turns towards the inside first, so angles run backwards.
fn leg_angle(i: usize) -> f32 {
    // The seat's twelve edges spread over a little less than three quarters of the leg.
    let outer = TAU * 0.70;
    let start = TAU * 0.10;
    if i <= COLUMNS {
        start - outer * i as f32 / COLUMNS as f32
    } else {
        start - outer - (TAU - outer) * (i - COLUMNS) as f32 / (CROTCH + 1) as f32
    }
}

fn cuff(sheet: &mut GarmentSheet, last: &[usize], leg: &LimbProfile) {
    let (middle, _) = leg.along(0.79);
    let inner: Vec<Vec3> = last.iter().map(|&p| middle.lerp(sheet.points[p], 0.8)).collect();
    let inner = sheet.row(inner);
    sheet.join(last, &inner, true, palette::DENIM_DARK);
    sheet.close_end(&inner, middle, true, palette::DENIM_DARK);
}
