//! Neck and head: blended ellipsoids, sampled by rays from inside.

use super::palette;
use super::profile::{smooth_min, smoothstep};
use super::sheet::GarmentSheet;
use super::weights::Gates;
use glam::Vec3;

/// The origin of the rays to the head's surface, in model space.
pub(super) const CENTER: Vec3 = Vec3::new(0.0, 1.615, 0.012);

/// Degrees from the front's middle to the back's, closest together on the face.
const COLUMNS: [f32; 17] =
    [0.0, 4.5, 9.0, 14.0, 20.0, 26.5, 34.0, 42.0, 51.0, 62.0, 75.0, 90.0, 106.0, 123.0, 141.0, 160.0, 180.0];

/// The start of each row's rays (height, depth) and their elevation in degrees, from the neck up.
const NECK_ROWS: [(f32, f32, f32); 6] = [
    (1.430, -0.018, 0.0),
    (1.455, -0.018, 0.0),
    (1.478, -0.016, 0.0),
    (1.498, -0.012, -5.0),
    (1.524, -0.004, -20.0),
    (1.556, 0.003, -41.0),
];
const HEAD_ROWS: [f32; 22] = [
    -62.0, -54.0, -47.0, -41.0, -36.0, -31.5, -27.0, -22.5, -18.0, -13.5, -9.0, -4.5, 0.0, 4.5, 9.0, 14.0,
    20.0, 28.0, 38.0, 50.0, 63.0, 77.0,
];

/// Neck and head without hair, eyes and ears.
pub(super) fn head(gates: &Gates) -> GarmentSheet {
    let mut sheet = GarmentSheet::default();
    let starts = NECK_ROWS.into_iter().chain(HEAD_ROWS.map(|rise| (CENTER.y, CENTER.z, rise)));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (y, z, rise) in starts {
        let from = Vec3::new(0.0, y, z);
        // Towards the nape rows are flatter; otherwise they would cross on the neck.
        let flatten =
            |column: f32| if rise < 0.0 { 1.0 - 0.38 * smoothstep(50.0, 150.0, column) } else { 1.0 };
        let out = |&column: &f32| ray(from, direction(column, rise * flatten(column)), &distance);
        let row = sheet.row(COLUMNS.iter().map(out));
        if let Some(previous) = rows.last() {
            sheet.join(previous, &row, false, palette::SKIN);
        }
        rows.push(row);
    }
    sheet.close_start(&rows[0], Vec3::new(0.0, 1.43, -0.018), false, palette::SKIN);
    let crown = ray(CENTER, Vec3::Y, &distance);
    sheet.close_end(&rows[rows.len() - 1], crown, false, palette::SKIN);
    sheet.weigh_from(0, |p| gates.neck(p));
    sheet
}

/// The direction `azimuth` degrees from the front towards the left and `rise` degrees up.
pub(super) fn direction(azimuth: f32, rise: f32) -> Vec3 {
    let (a, r) = (azimuth.to_radians(), rise.to_radians());
    // The ends of the half circle must lie exactly on the middle plane.
    let x = if azimuth == 0.0 || azimuth == 180.0 { 0.0 } else { a.sin() * r.cos() };
    Vec3::new(x, r.sin(), a.cos() * r.cos())
}

/// The outermost intersection of a ray from inside with the surface.
pub(super) fn ray(from: Vec3, direction: Vec3, distance: &impl Fn(Vec3) -> f32) -> Vec3 {
    let mut t = 0.2;
    for _ in 0..40 {
        let d = distance(from + direction * t);
        t -= d * 0.85;
        if d < 1e-5 {
            break;
        }
    }
    from + direction * t
}

/// The approximate signed distance from head and neck in meters, negative inside.
pub(super) fn distance(p: Vec3) -> f32 {
    // The head is symmetric.
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    let v = Vec3::new;
    let skull = ellipsoid(p, v(0.0, 1.657, 0.002), v(0.0755, 0.086, 0.094));
    let face = ellipsoid(p, v(0.0, 1.592, 0.042), v(0.060, 0.080, 0.064));
    let mut d = smooth_min(skull, face, 0.045);
    let jaw = capsule(p, v(0.046, 1.570, 0.012), v(0.012, 1.530, 0.078), 0.0190, 0.0165);
    d = smooth_min(d, jaw, 0.035);
    let chin = ellipsoid(p, v(0.0, 1.5265, 0.086), v(0.020, 0.0155, 0.0165));
    d = smooth_min(d, chin, 0.022);
    let cheek = ellipsoid(p, v(0.036, 1.588, 0.076), v(0.020, 0.020, 0.018));
    d = smooth_min(d, cheek, 0.03);
    let brow = capsule(p, v(0.008, 1.647, 0.095), v(0.046, 1.647, 0.074), 0.010, 0.009);
    d = smooth_min(d, brow, 0.028);
    let socket = ellipsoid(p, v(0.031, 1.622, 0.112), v(0.020, 0.015, 0.016));
    d = -smooth_min(-d, socket, 0.018);
    let bridge = capsule(p, v(0.0, 1.634, 0.101), v(0.0, 1.5965, 0.1185), 0.0062, 0.0098);
    d = smooth_min(d, bridge, 0.014);
    let wing = ellipsoid(p, v(0.0085, 1.5935, 0.1115), v(0.0075, 0.0068, 0.0085));
    d = smooth_min(d, wing, 0.008);
    let lips = ellipsoid(p, v(0.0, 1.5565, 0.0985), v(0.021, 0.0105, 0.0085));
    d = smooth_min(d, lips, 0.012);
    let neck = capsule(p, v(0.0, 1.40, -0.020), v(0.0, 1.56, -0.004), 0.057, 0.049);
    smooth_min(d, neck, 0.025)
}

fn ellipsoid(p: Vec3, middle: Vec3, radii: Vec3) -> f32 {
    let q = p - middle;
    let scaled = (q / radii).length();
    let slope = (q / (radii * radii)).length();
    if slope < 1e-6 { -radii.min_element() } else { scaled * (scaled - 1.0) / slope }
}

/// The signed distance from a rod with two end radii.
fn capsule(p: Vec3, a: Vec3, b: Vec3, radius_a: f32, radius_b: f32) -> f32 {
    let along = b - a;
    let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(a + along * t) - (radius_a + (radius_b - radius_a) * t)
}
