//! The hands: a palm that divides into four fingers, with a thumb out of its side.

use super::palette;
use super::profile::{ProfileTable, smoothstep};
use super::sheet::GarmentSheet;
use super::skeleton::{FINGERS, FigureBones, FigureRest, HAND};
use super::weights::{Gates, rigid};
use glam::Vec3;
use std::f32::consts::FRAC_PI_4;

/// Eight edges over the back, eight over the palm, two at either side.
const PALM_EDGES: usize = 20;
/// The column in the middle of the little finger's side, and of the thumb's side.
const PINKY_SIDE: usize = 9;
const THUMB_SIDE: usize = 19;
const FINGER_EDGES: usize = 8;
/// The rows of the palm between which the thumb branches off.
const THUMB_ROWS: (usize, usize) = (3, 5);

/// Along the hand: half width towards the thumb and the little finger, thickness to the back and the palm.
const PALM: ProfileTable<4> = ProfileTable(&[
    (-0.040, [0.024, 0.024, 0.017, 0.017]),
    (0.000, [0.026, 0.026, 0.016, 0.017]),
    (0.025, [0.033, 0.033, 0.015, 0.020]),
    (0.055, [0.039, 0.039, 0.0145, 0.019]),
    (0.085, [0.042, 0.041, 0.0135, 0.0150]),
    (0.110, [0.0425, 0.0415, 0.0120, 0.0125]),
]);

/// Where the palm ends, from the little finger's side to the thumb's: just beyond the knuckles.
const PALM_END: ProfileTable<1> = ProfileTable(&[
    (-0.043, [0.080]),
    (-0.031, [0.091]),
    (-0.011, [0.101]),
    (0.010, [0.105]),
    (0.031, [0.100]),
    (0.043, [0.090]),
]);

/// The position of each row along the hand, 1 at its end.
const ROWS: [f32; 9] = [-0.42, -0.20, 0.0, 0.17, 0.34, 0.51, 0.68, 0.85, 1.0];

/// Radius at the knuckle, at the next joints and at the tip.
const FINGER_RADII: [[f32; 4]; 5] = [
    [0.0150, 0.0125, 0.0112, 0.0088],
    [0.0106, 0.0096, 0.0088, 0.0072],
    [0.0110, 0.0099, 0.0090, 0.0074],
    [0.0105, 0.0094, 0.0086, 0.0070],
    [0.0094, 0.0083, 0.0076, 0.0062],
];

/// The positions of a finger's rings: phalanx, and fraction along it.
const RINGS: [(usize, f32); 11] = [
    (0, 0.44),
    (0, 0.66),
    (0, 0.88),
    (1, 0.0),
    (1, 0.16),
    (1, 0.5),
    (1, 0.84),
    (2, 0.0),
    (2, 0.22),
    (2, 0.60),
    (2, 0.88),
];
/// The thumb's first bone lies in the ball of the palm up to here.
const THUMB_START: f32 = 0.30;

/// The weight of the hand in a finger's first ring.
const ROOT_HAND_WEIGHT: f32 = 0.18;

/// The left hand as a mesh part.
pub(super) fn hand(bones: &FigureBones, gates: &Gates) -> GarmentSheet {
    let mut sheet = GarmentSheet::default();
    let frame = bones.rest(HAND);
    let rows: Vec<Vec<usize>> =
        ROWS.iter().map(|&f| sheet.row((0..PALM_EDGES).map(|i| frame.to_model(palm_point(f, i))))).collect();
    join_palm(&mut sheet, &rows);
    let last = &rows[rows.len() - 1];
    let webs = web_points(&mut sheet, frame, last);
    sheet.weigh_from(0, |p| gates.hand(p));
    let palm_points = sheet.points.len();
    for finger in 1..5 {
        let ring = finger_ring(last, &webs, finger - 1);
        add_finger(&mut sheet, bones, &ring, finger);
    }
    add_finger(&mut sheet, bones, &thumb_ring(&rows), 0);
    sheet.close_start(&rows[0], frame.to_model(Vec3::new(0.0, -0.045, 0.0)), true, palette::SKIN);
    let heel = sheet.points.len() - 1;
    sheet.weights[heel] = gates.hand(sheet.points[heel]);
    smooth(&mut sheet, &rows, palm_points);
    sheet
}

fn palm_point(fraction: f32, i: usize) -> Vec3 {
    // Across the hand from the thumb's side (+1) to the little finger's, over the back and again over the palm.
    let (across, side) = match i {
        0..=8 => (1.0 - i as f32 / 4.0, -1.0),
        PINKY_SIDE => (-1.0, 0.0),
        10..=18 => (-1.0 + (i - 10) as f32 / 4.0, 1.0),
        _ => (1.0, 0.0),
    };
    let nominal = fraction.max(0.0) * 0.10 + fraction.min(0.0) * 0.09;
    let [to_thumb, to_pinky, back, palm] = PALM.at(nominal);
    let width = if across > 0.0 { to_thumb } else { to_pinky };
    let end = PALM_END.at(across * width)[0];
    let y = if fraction > 0.0 { fraction * end } else { fraction * 0.09 };
    let rounding = 1.0 - 0.42 * across.abs().powi(4);
    let corner = 1.0 - 0.05 * across.abs().powi(4);
    let thickness = if side < 0.0 { back } else { palm };
    let bulge = if side == 0.0 { 1.02 } else { corner };
    // The back of the hand arches.
    let arch = -0.004 * (1.0 - across * across) * smoothstep(-0.2, 0.6, fraction);
    Vec3::new(side * thickness * rounding + arch, y, across * width * bulge)
}

fn join_palm(sheet: &mut GarmentSheet, rows: &[Vec<usize>]) {
    for (row, pair) in rows.windows(2).enumerate() {
        for i in 0..PALM_EDGES {
            let thumb_hole = (THUMB_ROWS.0..THUMB_ROWS.1).contains(&row) && (i == 18 || i == THUMB_SIDE);
            if !thumb_hole {
                let j = (i + 1) % PALM_EDGES;
                sheet.quad([pair[0][i], pair[0][j], pair[1][j], pair[1][i]], palette::SKIN);
            }
        }
    }
}

/// A point between each pair of neighboring fingers.
fn web_points(sheet: &mut GarmentSheet, frame: FigureRest, last: &[usize]) -> Vec<usize> {
    let between = |finger: usize| {
        let (back, palm) = (last[2 * finger + 2], last[16 - 2 * finger]);
        (sheet.points[back] + sheet.points[palm]) * 0.5 + frame.rotation * Vec3::new(0.0, 0.005, 0.0)
    };
    let points: Vec<Vec3> = (0..3).map(between).collect();
    sheet.row(points)
}

/// Adds weight of the finger to the points at its root: the largest on the knuckle, the smallest in the webs between
/// fingers.
fn soften_root(sheet: &mut GarmentSheet, root: &[usize], finger: usize) {
    for (i, &point) in root.iter().enumerate() {
        let weight = match (finger, i) {
            (0, _) => 0.35,
            (_, 1) => 0.45,
            (_, 5) => 0.30,
            _ => 0.20,
        };
        sheet.weights[point][HAND] -= weight;
        sheet.weights[point][FINGERS + 3 * finger] += weight;
    }
}

/// The eight points at a finger's root, from the back on the thumb's side over to the palm.
fn finger_ring(last: &[usize], webs: &[usize], finger: usize) -> Vec<usize> {
    let before = if finger == 0 { last[THUMB_SIDE] } else { webs[finger - 1] };
    let after = if finger == 3 { last[PINKY_SIDE] } else { webs[finger] };
    let back = 2 * finger;
    vec![
        last[back],
        last[back + 1],
        last[back + 2],
        after,
        last[16 - back],
        last[17 - back],
        last[18 - back],
        before,
    ]
}

/// The hole in the side of the palm, in the same order as a finger's root seen along the thumb.
fn thumb_ring(rows: &[Vec<usize>]) -> Vec<usize> {
    let (first, middle, end) = (&rows[THUMB_ROWS.0], &rows[THUMB_ROWS.0 + 1], &rows[THUMB_ROWS.1]);
    vec![first[18], first[19], first[0], middle[0], end[0], end[19], end[18], middle[18]]
}

fn add_finger(sheet: &mut GarmentSheet, bones: &FigureBones, root: &[usize], finger: usize) {
    let joints: [usize; 3] = std::array::from_fn(|k| FINGERS + finger * 3 + k);
    let rests = joints.map(|j| bones.rest(j));
    let lengths = rests.map(|r| r.position.distance(r.tail));
    let angles = ring_angles(sheet, root, rests[0]);
    soften_root(sheet, root, finger);
    let mut previous = root.to_vec();
    for (ring, (phalanx, mut fraction)) in RINGS.into_iter().enumerate() {
        if finger == 0 && phalanx == 0 {
            fraction = THUMB_START + (1.0 - THUMB_START) * fraction;
        }
        let points = ring_points(&rests, &FINGER_RADII[finger], &angles, phalanx, fraction);
        let row = sheet.row(points);
        for &p in &row {
            sheet.weights[p] = finger_weights(joints, lengths, phalanx, fraction);
            if ring == 0 {
                sheet.weights[p][joints[0]] -= ROOT_HAND_WEIGHT;
                sheet.weights[p][HAND] += ROOT_HAND_WEIGHT;
            }
        }
        sheet.join(&previous, &row, true, palette::SKIN);
        previous = row;
    }
    let last = rests[2];
    sheet.close_end(&previous, last.tail + (last.tail - last.position) * 0.02, true, palette::SKIN);
    let tip = sheet.points.len() - 1;
    sheet.weights[tip] = rigid(joints[2]);
}

/// One ring around a finger, `fraction` of the way along a phalanx.
fn ring_points(
    rests: &[FigureRest; 3],
    radii: &[f32; 4],
    angles: &[f32],
    phalanx: usize,
    fraction: f32,
) -> Vec<Vec3> {
    let rest = rests[phalanx];
    let tip = smoothstep(0.55, 1.05, fraction) * if phalanx == 2 { 0.42 } else { 0.0 };
    let radius = (radii[phalanx] + (radii[phalanx + 1] - radii[phalanx]) * fraction) * (1.0 - tip);
    let middle = rest.position.lerp(rest.tail, fraction);
    // Rings at a joint lie in the plane that bisects the two phalanges.
    let on_joint = fraction == 0.0 && phalanx > 0;
    let turned = if on_joint { rests[phalanx - 1].rotation.slerp(rest.rotation, 0.5) } else { rest.rotation };
    angles.iter().map(|a| middle + turned * Vec3::new(a.sin(), 0.0, a.cos()) * radius).collect()
}

/// Angles of the ring's points about the finger, evenly spread and turned to lie nearest to the root's points.
fn ring_angles(sheet: &GarmentSheet, root: &[usize], rest: FigureRest) -> Vec<f32> {
    let middle = sheet.middle_of(root);
    let angle = |p: usize| {
        let local = rest.rotation.inverse() * (sheet.points[p] - middle);
        local.x.atan2(local.z)
    };
    let winding: f32 = (0..FINGER_EDGES)
        .map(|i| {
            let step = angle(root[(i + 1) % FINGER_EDGES]) - angle(root[i]);
            step.sin()
        })
        .sum();
    let step = winding.signum() * FRAC_PI_4;
    let (sin, cos) = root.iter().enumerate().fold((0.0, 0.0), |sum, (i, &p)| {
        let off = angle(p) - step * i as f32;
        (sum.0 + off.sin(), sum.1 + off.cos())
    });
    let start = f32::atan2(sin, cos);
    (0..FINGER_EDGES).map(|i| start + step * i as f32).collect()
}

/// Each phalanx shares a short band with its neighbors.
fn finger_weights(
    joints: [usize; 3],
    lengths: [f32; 3],
    phalanx: usize,
    fraction: f32,
) -> super::sheet::SheetRow {
    let mut row = rigid(joints[phalanx]);
    let from_start = fraction * lengths[phalanx];
    let to_end = (1.0 - fraction) * lengths[phalanx];
    let band = 0.009;
    if phalanx > 0 {
        let before = 1.0 - smoothstep(-band, band, from_start);
        row[joints[phalanx]] -= before;
        row[joints[phalanx - 1]] += before;
    }
    if phalanx < 2 {
        let after = smoothstep(-band, band, -to_end);
        row[joints[phalanx]] -= after;
        row[joints[phalanx + 1]] += after;
    }
    row
}

/// Rounds off the webs and the thumb's root.
fn smooth(sheet: &mut GarmentSheet, rows: &[Vec<usize>], palm_points: usize) {
    let mut softness = vec![0.0; sheet.points.len()];
    for row in &rows[1..] {
        row.iter().for_each(|&p| softness[p] = 0.25);
    }
    rows[rows.len() - 1].iter().for_each(|&p| softness[p] = 0.4);
    for finger in 0..5 {
        let first = palm_points + finger * (FINGER_EDGES * RINGS.len() + 1);
        let rings = if finger == 4 { 2 } else { 1 };
        (first..first + FINGER_EDGES * rings).for_each(|p| softness[p] = 0.3);
    }
    let thumb = &thumb_ring(rows);
    thumb.iter().for_each(|&p| softness[p] = 0.5);
    sheet.relax(&softness, 4, |p| p);
}
