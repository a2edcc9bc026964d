//! The sweater: trunk and sleeves in one piece, with ribbed hem, cuffs and collar.

use super::palette;
use super::profile::{LimbProfile, ProfileTable, Trunk, project, smooth_min, smoothstep};
use super::sheet::{GarmentSheet, SheetColor};
use super::skeleton::{CLAVICLE, FOREARM, FigureBones, HAND, SPINE_UPPER, UPPER_ARM, mirrored};
use super::weights::Gates;
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// The number of edges from the middle of the front to the middle of the back.
const COLUMNS: usize = 12;
/// The columns between which the sleeve branches off the trunk.
const HOLE: (usize, usize) = (4, 8);
/// Beyond this x in meters there is only sleeve. The cuff's folds are added after collar and hem and are found by it.
const FAR_OUT: f32 = 0.3;
const SLEEVE_EDGES: usize = 16;

const TRUNK: Trunk = Trunk {
    squareness: 2.35,
    outline: ProfileTable(&[
        (0.885, [0.162, 0.121, 0.126]),
        (0.928, [0.168, 0.126, 0.132]),
        (0.975, [0.163, 0.122, 0.122]),
        (1.030, [0.156, 0.116, 0.107]),
        (1.090, [0.149, 0.114, 0.098]),
        (1.160, [0.153, 0.118, 0.101]),
        (1.230, [0.164, 0.125, 0.110]),
        (1.290, [0.171, 0.127, 0.119]),
        (1.345, [0.174, 0.117, 0.122]),
        (1.390, [0.166, 0.100, 0.115]),
        (1.418, [0.143, 0.085, 0.102]),
        (1.438, [0.112, 0.070, 0.087]),
        (1.453, [0.086, 0.060, 0.076]),
        (1.468, [0.071, 0.053, 0.070]),
        (1.500, [0.066, 0.050, 0.067]),
    ]),
};

/// Radii of the sleeve in meters: front, back, below, above.
const SLEEVE: ProfileTable<4> = ProfileTable(&[
    (-0.06, [0.048, 0.048, 0.050, 0.036]),
    (0.00, [0.056, 0.058, 0.062, 0.044]),
    (0.06, [0.057, 0.058, 0.060, 0.050]),
    (0.13, [0.052, 0.053, 0.054, 0.052]),
    (0.21, [0.047, 0.048, 0.048, 0.047]),
    (0.28, [0.044, 0.046, 0.045, 0.045]),
    (0.35, [0.044, 0.045, 0.046, 0.045]),
    (0.43, [0.040, 0.040, 0.042, 0.041]),
    (0.468, [0.041, 0.041, 0.042, 0.042]),
    (0.480, [0.035, 0.035, 0.036, 0.036]),
    (0.515, [0.0335, 0.0335, 0.034, 0.034]),
]);

/// Heights of the rows below the armpit, from the hem up.
const LOWER_ROWS: [f32; 15] =
    [0.886, 0.896, 0.914, 0.930, 0.934, 0.955, 0.985, 1.018, 1.052, 1.086, 1.120, 1.154, 1.188, 1.220, 1.250];
/// Heights of the rows beside the sleeve's hole, above the armpit's.
const HOLE_ROWS: [f32; 4] = [1.290, 1.335, 1.380, 1.418];
/// Heights of the rows from the shoulder's top to the collar.
const COLLAR_ROWS: [f32; 4] = [1.438, 1.450, 1.459, 1.463];

/// The body of the sweater with its left sleeve.
pub(super) fn sweater(bones: &FigureBones, gates: &Gates) -> GarmentSheet {
    let line = [UPPER_ARM, FOREARM, HAND].map(|j| bones.position(j)).to_vec();
    let arm = LimbProfile::new(line, Vec3::Z, SLEEVE);
    let distance = |p: Vec3| {
        // The right arm affects the left half only for points that are about to cross the middle plane.
        let arms = if p.x > 0.02 { arm.distance(p) } else { arm.distance(mirrored(p)).min(arm.distance(p)) };
        smooth_min(TRUNK.distance(p), arms, 0.05)
    };
    let mut sheet = GarmentSheet::default();
    let rows = trunk_points(&mut sheet);
    let armpit = LOWER_ROWS.len() - 1;
    let border = armhole(&rows, armpit);
    join_trunk(&mut sheet, &rows, armpit);
    let rings = sleeve_points(&mut sheet, &arm, &border);
    join_sleeve(&mut sheet, &rings);

    let sleeve_first = rings[1][0];
    let mut softness = vec![0.0; sheet.points.len()];
    for (row, points) in rows.iter().enumerate() {
        let near = smoothstep(armpit as f32 - 4.0, armpit as f32, row as f32);
        let below_collar = if row + 2 < rows.len() { 1.0 } else { 0.0 };
        points.iter().flatten().for_each(|&p| softness[p] = 0.5 * near * below_collar);
    }
    rings[..5].iter().flatten().for_each(|&p| softness[p] = 0.5);
    sheet.relax(&softness, 18, |p| project(p, 1, &distance));
    sheet.relax(&softness, 1, |p| project(p, 4, &distance));
    // The last passes leave the profile and smooth the transition from shoulder to sleeve.
    let mut seam = vec![0.0; sheet.points.len()];
    rows[armpit + 1..rows.len() - 3].iter().flatten().flatten().for_each(|&p| seam[p] = 0.3);
    rings[..5].iter().flatten().for_each(|&p| seam[p] = 0.5);
    sheet.relax(&seam, 5, |p| p);
    collar(&mut sheet, &rows[rows.len() - 1]);
    hem(&mut sheet, &rows[0]);
    cuff(&mut sheet, &rings[rings.len() - 1], &arm);
    weigh(&mut sheet, &rows, &rings, sleeve_first, gates);
    sheet
}

/// The points of every row; none inside the sleeve's hole.
fn trunk_points(sheet: &mut GarmentSheet) -> Vec<Vec<Option<usize>>> {
    let heights = LOWER_ROWS.iter().chain(&HOLE_ROWS).chain(&COLLAR_ROWS);
    let hole = LOWER_ROWS.len()..LOWER_ROWS.len() + HOLE_ROWS.len() - 1;
    let mut rows = Vec::new();
    for (row, &y) in heights.enumerate() {
        let point = |column: usize| {
            let inside = hole.contains(&row) && column > HOLE.0 && column < HOLE.1;
            (!inside).then(|| {
                let p = TRUNK.ring_point(y, PI * column as f32 / COLUMNS as f32);
                // The neckline is lower in front than at the nape.
                let slope = -0.30 * p.z * smoothstep(1.425, 1.463, y);
                on_middle(column, p + Vec3::Y * slope)
            })
        };
        rows.push((0..=COLUMNS).map(point).collect::<Vec<_>>());
    }
    rows.into_iter().map(|row| row.into_iter().map(|p| p.map(|p| sheet.add(p))).collect()).collect()
}

/// Snaps the first and last column to the middle plane.
pub(super) fn on_middle(column: usize, p: Vec3) -> Vec3 {
    if column == 0 || column == COLUMNS { Vec3::new(0.0, p.y, p.z) } else { p }
}

/// The hole's edge: along the armpit to the back, up, over the shoulder to the front, down.
fn armhole(rows: &[Vec<Option<usize>>], armpit: usize) -> Vec<usize> {
    let top = armpit + HOLE_ROWS.len();
    let under = (HOLE.0..HOLE.1).map(|c| (armpit, c));
    let back = (armpit..top).map(|r| (r, HOLE.1));
    let over = (HOLE.0 + 1..=HOLE.1).rev().map(|c| (top, c));
    let front = (armpit + 1..=top).rev().map(|r| (r, HOLE.0));
    under.chain(back).chain(over).chain(front).filter_map(|(r, c)| rows[r][c]).collect()
}

fn join_trunk(sheet: &mut GarmentSheet, rows: &[Vec<Option<usize>>], armpit: usize) {
    for (row, pair) in rows.windows(2).enumerate() {
        let color = trunk_color(row);
        let beside_hole = row >= armpit && row < armpit + HOLE_ROWS.len();
        for column in 0..COLUMNS {
            if beside_hole && column >= HOLE.0 && column < HOLE.1 {
                continue;
            }
            let corners = [pair[0][column], pair[0][column + 1], pair[1][column + 1], pair[1][column]];
            if let [Some(a), Some(b), Some(c), Some(d)] = corners {
                sheet.quad([a, b, c, d], color);
            }
        }
    }
}

fn trunk_color(row: usize) -> SheetColor {
    match row {
        0..4 => palette::RIB,
        11..13 => palette::CREAM,
        21.. => palette::RIB,
        _ => palette::KNIT,
    }
}

/// The sleeve's rings, the armhole first.
fn sleeve_points(sheet: &mut GarmentSheet, arm: &LimbProfile, border: &[usize]) -> Vec<Vec<usize>> {
    let mut rings = vec![border.to_vec()];
    let stations = [
        0.030, 0.058, 0.085, 0.110, 0.132, 0.154, 0.176, 0.198, 0.218, 0.236, 0.252, 0.266, 0.278, 0.290,
        0.304, 0.320, 0.338, 0.358, 0.380, 0.402, 0.424, 0.446, 0.464, 0.474, 0.480, 0.495, 0.512,
    ];
    for (ring, &s) in stations.iter().enumerate() {
        let ring_points: Vec<Vec3> = (0..SLEEVE_EDGES)
            .map(|i| {
                let on_arm = arm.ring_point(s, sleeve_angle(i));
                // The first rings blend from the shape of the hole.
                let blend = smoothstep(-0.5, 3.5, ring as f32);
                sheet.points[border[i]].lerp(on_arm, blend)
            })
            .collect();
        rings.push(sheet.row(ring_points));
    }
    rings
}

/// The armhole begins at the armpit's front corner and goes on under the arm to the back.
fn sleeve_angle(i: usize) -> f32 {
    TAU * (i as f32 + 2.0) / SLEEVE_EDGES as f32
}

fn join_sleeve(sheet: &mut GarmentSheet, rings: &[Vec<usize>]) {
    for (ring, pair) in rings.windows(2).enumerate() {
        let color = match ring {
            6 | 7 => palette::CREAM,
            25.. => palette::RIB,
            _ => palette::KNIT,
        };
        sheet.join(&pair[0], &pair[1], true, color);
    }
}

/// Folds the collar inwards and closes it below.
fn collar(sheet: &mut GarmentSheet, top: &[Option<usize>]) {
    let top: Vec<usize> = top.iter().flatten().copied().collect();
    let mut previous = top.clone();
    for (rise, shrink) in [(0.010, 1.00), (0.014, 0.97), (0.011, 0.92), (-0.03, 0.88)] {
        let row: Vec<Vec3> = top
            .iter()
            .map(|&p| {
                let p = sheet.points[p];
                Vec3::new(p.x * shrink, p.y + rise, (p.z + 0.008) * shrink - 0.008)
            })
            .collect();
        let row = sheet.row(row);
        sheet.join(&previous, &row, false, palette::RIB);
        previous = row;
    }
    let middle = Vec3::new(0.0, 1.44, -0.008);
    sheet.close_end(&previous, middle, false, palette::RIB);
}

/// Folds the hem inwards and closes it.
fn hem(sheet: &mut GarmentSheet, bottom: &[Option<usize>]) {
    let bottom: Vec<usize> = bottom.iter().flatten().copied().collect();
    let mut next = bottom.clone();
    for (rise, shrink) in [(-0.004, 0.975), (0.000, 0.94), (0.02, 0.90)] {
        let row: Vec<Vec3> = bottom
            .iter()
            .map(|&p| sheet.points[p] * Vec3::new(shrink, 1.0, shrink) + Vec3::Y * rise)
            .collect();
        let row = sheet.row(row);
        sheet.join(&row, &next, false, palette::RIB);
        next = row;
    }
    sheet.close_start(&next, Vec3::new(0.0, 0.93, 0.0), false, palette::RIB);
}

fn cuff(sheet: &mut GarmentSheet, last: &[usize], arm: &LimbProfile) {
    let mut previous = last.to_vec();
    for (s, shrink) in [(0.516, 0.95), (0.513, 0.88), (0.49, 0.82)] {
        let (middle, _) = arm.along(s);
        let row: Vec<Vec3> =
            (0..SLEEVE_EDGES).map(|i| middle.lerp(arm.ring_point(s, sleeve_angle(i)), shrink)).collect();
        let row = sheet.row(row);
        sheet.join(&previous, &row, true, palette::RIB);
        previous = row;
    }
    let middle = sheet.middle_of(&previous);
    sheet.close_end(&previous, middle, true, palette::RIB);
}

fn weigh(
    sheet: &mut GarmentSheet,
    rows: &[Vec<Option<usize>>],
    rings: &[Vec<usize>],
    sleeve_first: usize,
    gates: &Gates,
) {
    let sleeve_last = rings[rings.len() - 1][SLEEVE_EDGES - 1];
    for point in 0..sheet.points.len() {
        let p = sheet.points[point];
        let on_sleeve = (sleeve_first..=sleeve_last).contains(&point) || p.x > FAR_OUT;
        sheet.weights[point] = if on_sleeve { gates.arm(p) } else { gates.trunk(p) };
        if !on_sleeve {
            // The shoulder's top rides on the clavicle.
            let out = smoothstep(0.045, 0.125, p.x) * smoothstep(1.30, 1.39, p.y);
            let moved = sheet.weights[point][SPINE_UPPER] * out;
            sheet.weights[point][SPINE_UPPER] -= moved;
            sheet.weights[point][CLAVICLE] += moved;
        }
    }
    let mut softness = vec![0.0; sheet.points.len()];
    let armpit = LOWER_ROWS.len() - 1;
    for points in &rows[armpit - 3..rows.len() - 1] {
        points.iter().flatten().for_each(|&p| softness[p] = 0.5);
    }
    rings[..6].iter().flatten().for_each(|&p| softness[p] = 0.5);
    sheet.spread_weights(&softness, 14);
}
