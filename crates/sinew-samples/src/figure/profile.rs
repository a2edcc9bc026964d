//! Cross-sections along a line: the shapes of limbs and trunk.

use glam::{Vec2, Vec3};

/// Values at ascending stations, interpolated by a smooth curve that never overshoots.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProfileTable<const N: usize>(pub(super) &'static [(f32, [f32; N])]);

impl<const N: usize> ProfileTable<N> {
    /// The values at `s`, clamped to the ends.
    pub(super) fn at(&self, s: f32) -> [f32; N] {
        let rows = self.0;
        let next = rows.partition_point(|row| row.0 <= s);
        if next == 0 {
            return rows[0].1;
        }
        if next == rows.len() {
            return rows[next - 1].1;
        }
        let (a, b) = (next - 1, next);
        let width = rows[b].0 - rows[a].0;
        let t = (s - rows[a].0) / width;
        std::array::from_fn(|k| {
            let (m0, m1) = (self.slope(a, k) * width, self.slope(b, k) * width);
            let (p0, p1) = (rows[a].1[k], rows[b].1[k]);
            let (t2, t3) = (t * t, t * t * t);
            p0 * (2.0 * t3 - 3.0 * t2 + 1.0)
                + m0 * (t3 - 2.0 * t2 + t)
                + p1 * (3.0 * t2 - 2.0 * t3)
                + m1 * (t3 - t2)
        })
    }

    /// The slope at a station: zero at turning points, so that bulges stay where the table puts them.
    fn slope(&self, row: usize, k: usize) -> f32 {
        let rows = self.0;
        let secant = |i: usize| (rows[i + 1].1[k] - rows[i].1[k]) / (rows[i + 1].0 - rows[i].0);
        if row == 0 {
            return secant(0);
        }
        if row + 1 == rows.len() {
            return secant(row - 1);
        }
        let (before, after) = (secant(row - 1), secant(row));
        if before * after <= 0.0 { 0.0 } else { 2.0 * before * after / (before + after) }
    }
}

/// Zero below `low`, one above `high`, smooth between.
pub(super) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A limb: rings of varying radii along a line that bends at joints.
///
/// Radii are given to the front, the back, and along ±(direction × front): inwards and outwards for a hanging leg,
/// towards the palm and away from it for an arm.
pub(super) struct LimbProfile {
    line: Vec<Vec3>,
    front: Vec3,
    radii: ProfileTable<4>,
}

impl LimbProfile {
    pub(super) fn new(line: Vec<Vec3>, front: Vec3, radii: ProfileTable<4>) -> Self {
        Self { line, front, radii }
    }

    /// The center and direction of the line at `s` meters from its start; it continues straight beyond the ends.
    pub(super) fn along(&self, s: f32) -> (Vec3, Vec3) {
        let mut passed = 0.0;
        let mut middle = self.line[0];
        let mut direction = Vec3::ZERO;
        let segments = self.line.len() - 1;
        for i in 0..segments {
            let to = self.line[i + 1] - self.line[i];
            let length = to.length();
            let unit = to / length;
            let inside_low = if i == 0 { s } else { s.max(passed) };
            let inside = if i + 1 == segments { inside_low } else { inside_low.min(passed + length) };
            if i == 0 || s > passed {
                middle = self.line[i] + unit * (inside - passed);
            }
            // Rings tilt gradually into a bend, so that they never cross.
            let weight = if i == 0 { 1.0 } else { smoothstep(-0.06, 0.06, s - passed) };
            direction = direction.lerp(unit, weight);
            passed += length;
        }
        (middle, direction.normalize())
    }

    /// The point of the surface at `s`, `angle` radians from the front towards direction × front.
    pub(super) fn ring_point(&self, s: f32, angle: f32) -> Vec3 {
        let (middle, direction) = self.along(s);
        let u = (self.front - direction * direction.dot(self.front)).normalize();
        let v = direction.cross(u);
        let (sin, cos) = angle.sin_cos();
        let [front, back, inner, outer] = self.radii.at(s);
        let ru = if cos > 0.0 { front } else { back };
        let rv = if sin > 0.0 { inner } else { outer };
        let radius = 1.0 / Vec2::new(cos / ru, sin / rv).length();
        middle + (u * cos + v * sin) * radius
    }

    /// The approximate signed distance from the surface in meters, negative inside.
    pub(super) fn distance(&self, p: Vec3) -> f32 {
        let mut best = (f32::INFINITY, Vec3::ZERO, Vec3::Y, 0.0);
        let mut passed = 0.0;
        for pair in self.line.windows(2) {
            let to = pair[1] - pair[0];
            let length = to.length();
            let unit = to / length;
            let along = (p - pair[0]).dot(unit).clamp(0.0, length);
            let from_axis = p - (pair[0] + unit * along);
            if from_axis.length_squared() < best.0 {
                best = (from_axis.length_squared(), from_axis, unit, passed + along);
            }
            passed += length;
        }
        let (_, from_axis, direction, s) = best;
        let u = (self.front - direction * direction.dot(self.front)).normalize();
        let (a, b) = (from_axis.dot(u), from_axis.dot(direction.cross(u)));
        let [front, back, inner, outer] = self.radii.at(s);
        let ru = if a > 0.0 { front } else { back };
        let rv = if b > 0.0 { inner } else { outer };
        let scaled = Vec3::new(a / ru, b / rv, from_axis.dot(direction) / ru.min(rv)).length();
        if scaled < 1e-4 { -ru.min(rv) } else { (scaled - 1.0) * from_axis.length() / scaled }
    }
}

/// The trunk: rounded-box outlines stacked up the y axis.
pub(super) struct Trunk {
    /// Half width, depth to the front and to the back, at heights.
    pub(super) outline: ProfileTable<3>,
    /// 2 is an ellipse, more is boxier.
    pub(super) squareness: f32,
}

impl Trunk {
    /// The point of the surface at height `y`, `angle` radians from the front towards the left side.
    pub(super) fn ring_point(&self, y: f32, angle: f32) -> Vec3 {
        let [width, front, back] = self.outline.at(y);
        let (sin, cos) = angle.sin_cos();
        let depth = if cos > 0.0 { front } else { back };
        let n = self.squareness;
        let scale = ((sin / width).abs().powf(n) + (cos / depth).abs().powf(n)).powf(-1.0 / n);
        Vec3::new(sin * scale, y, cos * scale)
    }

    /// The approximate signed distance from the surface in meters, negative inside.
    pub(super) fn distance(&self, p: Vec3) -> f32 {
        let [width, front, back] = self.outline.at(p.y);
        let depth = if p.z > 0.0 { front } else { back };
        let n = self.squareness;
        let scaled = ((p.x / width).abs().powf(n) + (p.z / depth).abs().powf(n)).powf(1.0 / n);
        let reach = Vec2::new(p.x, p.z).length();
        if scaled < 1e-4 { -width.min(depth) } else { (scaled - 1.0) * reach / scaled }
    }
}

/// The smooth minimum of two distances, blended if they are within `k` of each other.
pub(super) fn smooth_min(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

/// Moves `p` towards the zero of `distance` along its gradient.
pub(super) fn project(p: Vec3, steps: usize, distance: &impl Fn(Vec3) -> f32) -> Vec3 {
    const STEP: f32 = 5e-4;
    let mut p = p;
    for _ in 0..steps {
        let here = distance(p);
        let slope = |axis: Vec3| (distance(p + axis * STEP) - here) / STEP;
        let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
        let squared = gradient.length_squared().max(0.05);
        p -= (gradient * (here / squared)).clamp_length_max(0.03);
        if here.abs() < 1e-5 {
            break;
        }
    }
    p
}
