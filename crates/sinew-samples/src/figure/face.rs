//! The details of the face: eyes, brows, mouth, ears.

use super::head::{distance, ray};
use super::palette;
use super::sheet::{GarmentSheet, SheetColor};
use super::skeleton::HEAD;
use super::weights::rigid;
use glam::{Mat3, Vec3};
use std::f32::consts::{FRAC_PI_2, TAU};

/// Every small piece of the left half.
pub(super) fn features() -> Vec<GarmentSheet> {
    let mut sheets = vec![eye(), glint(), brow(), mouth(), ear()];
    for sheet in &mut sheets {
        sheet.weigh_from(0, |_| rigid(HEAD));
    }
    sheets
}

/// The point of the face's surface at (x, y), seen from the front.
fn on_face(x: f32, y: f32) -> Vec3 {
    ray(Vec3::new(x, y, 0.0), Vec3::Z, &distance)
}

/// A lens: `rings` outlines from the front's middle to the back's, `edges` points each.
fn lens(
    middle: Vec3,
    axes: Mat3,
    edges: usize,
    rings: usize,
    color: impl Fn(usize) -> SheetColor,
) -> GarmentSheet {
    let mut sheet = GarmentSheet::default();
    let mut previous: Vec<usize> = Vec::new();
    for ring in 1..rings {
        let polar = 2.0 * FRAC_PI_2 * ring as f32 / rings as f32;
        let point = |i: usize| {
            let (sin, cos) = (TAU * i as f32 / edges as f32).sin_cos();
            middle + axes * Vec3::new(cos * polar.sin(), sin * polar.sin(), polar.cos())
        };
        let row = sheet.row((0..edges).map(point));
        if ring == 1 {
            sheet.close_start(&row, middle + axes.z_axis, true, color(0));
        } else {
            sheet.join(&previous, &row, true, color(ring - 1));
        }
        previous = row;
    }
    sheet.close_end(&previous, middle - axes.z_axis, true, color(rings - 1));
    sheet
}

/// Two axes tangent to the face at (x, y) and one pointing outward, scaled by `radii`.
fn face_axes(x: f32, y: f32, radii: Vec3) -> (Vec3, Mat3) {
    let reach = 0.012;
    let at = (on_face(x - reach, y) + on_face(x + reach, y) + on_face(x, y - reach) + on_face(x, y + reach))
        * 0.25;
    let right = (on_face(x + reach, y) - on_face(x - reach, y)).normalize();
    let up = (on_face(x, y + reach) - on_face(x, y - reach)).normalize();
    let out = right.cross(up).normalize();
    let up = out.cross(right);
    (at, Mat3::from_cols(right * radii.x, up * radii.y, out * radii.z))
}

const EYE: (f32, f32) = (0.0315, 1.6205);

fn eye() -> GarmentSheet {
    let (at, axes) = face_axes(EYE.0, EYE.1, Vec3::new(0.0106, 0.0148, 0.0052));
    lens(at, axes, 16, 7, |_| palette::EYE)
}

fn glint() -> GarmentSheet {
    let (at, axes) = face_axes(EYE.0, EYE.1, Vec3::new(0.0031, 0.0037, 0.0012));
    let out = axes.z_axis.normalize();
    let place = at + out * 0.0040 + axes.x_axis * 0.9 + axes.y_axis * 1.4;
    lens(place, axes, 8, 4, |_| palette::GLINT)
}

/// A rod along points, thinner towards its ends.
fn rod(points: &[(Vec3, f32)], edges: usize, color: SheetColor) -> GarmentSheet {
    let mut sheet = GarmentSheet::default();
    let count = points.len();
    let mut previous: Vec<usize> = Vec::new();
    for (i, &(middle, radius)) in points.iter().enumerate() {
        let along = (points[(i + 1).min(count - 1)].0 - points[i.saturating_sub(1)].0).normalize();
        // A rod that starts on the middle plane starts perpendicular to it.
        let along = if middle.x == 0.0 { Vec3::X } else { along };
        let out = (Vec3::Z - along * along.z).normalize();
        let up = out.cross(along);
        let point = |k: usize| {
            let (sin, cos) = (TAU * k as f32 / edges as f32).sin_cos();
            let p = middle + (up * cos + out * sin * 0.8) * radius;
            if middle.x == 0.0 { p.with_x(0.0) } else { p }
        };
        let row = sheet.row((0..edges).map(point));
        if i > 0 {
            sheet.join(&previous, &row, true, color);
        } else if middle.x != 0.0 {
            sheet.close_start(&row, middle - along * radius * 0.6, true, color);
        }
        if i + 1 == count {
            sheet.close_end(&row, middle + along * radius * 0.6, true, color);
        }
        previous = row;
    }
    sheet
}

fn brow() -> GarmentSheet {
    let line = [(0.0155, 1.6500), (0.0215, 1.6530), (0.0290, 1.6545), (0.0370, 1.6530), (0.0450, 1.6480)];
    let radii = [0.0026, 0.0036, 0.0038, 0.0034, 0.0020];
    let points: Vec<(Vec3, f32)> =
        line.iter().zip(radii).map(|(&(x, y), radius)| (on_face(x, y), radius)).collect();
    rod(&points, 8, palette::HAIR)
}

fn mouth() -> GarmentSheet {
    let line = [(0.0, 1.5555), (0.0070, 1.5556), (0.0135, 1.5566), (0.0190, 1.5584), (0.0230, 1.5606)];
    let radii = [0.0022, 0.0022, 0.0020, 0.0017, 0.0012];
    let points: Vec<(Vec3, f32)> =
        line.iter().zip(radii).map(|(&(x, y), radius)| (on_face(x, y), radius)).collect();
    rod(&points, 8, palette::LIP)
}

fn ear() -> GarmentSheet {
    let middle = Vec3::new(0.0765, 1.603, -0.010);
    let out = Vec3::new(0.88, 0.05, 0.35).normalize();
    let up = Vec3::new(0.10, 1.0, -0.16);
    let up = (up - out * out.dot(up)).normalize();
    let back = up.cross(out);
    let mut sheet =
        lens(middle, Mat3::from_cols(back * 0.0175, up * 0.030, out * 0.0085), 14, 8, |_| palette::SKIN);
    for p in &mut sheet.points {
        let local = *p - middle;
        let (u, v, w) = (local.dot(back) / 0.0175, local.dot(up) / 0.030, local.dot(out));
        // The lobe is narrower than the top, and the shell hollow.
        let narrow = back * (-(0.22) * (-v).max(0.0) * u * 0.0175);
        let hollow = if w > 0.0 { (1.0 - (u * u + v * v).min(1.0)).powi(2) * -0.0125 } else { 0.0 };
        *p += narrow + out * hollow;
    }
    sheet
}
