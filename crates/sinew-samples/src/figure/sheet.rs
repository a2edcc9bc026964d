//! One closed piece of the surface under construction: the left half; its mirror image is added later.
//!
//! Points whose x is exactly 0 lie on the middle plane and are shared by both halves.

use super::skeleton::HALF;
use glam::Vec3;

/// A linear RGB color with components from 0 to 1.
pub(super) type SheetColor = [f32; 3];

/// One weight for each joint of the middle and the left side.
pub(super) type SheetRow = [f32; HALF];

/// A quad, or a triangle whose last two corners are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct SheetFace {
    pub(super) corners: [usize; 4],
    pub(super) color: SheetColor,
}

impl SheetFace {
    /// The corners without a repetition.
    pub(super) fn loop_of(&self) -> &[usize] {
        if self.corners[2] == self.corners[3] { &self.corners[..3] } else { &self.corners }
    }
}

/// Points and faces of the left half of a piece.
#[derive(Clone, Debug, Default)]
pub(super) struct GarmentSheet {
    pub(super) points: Vec<Vec3>,
    pub(super) weights: Vec<SheetRow>,
    pub(super) faces: Vec<SheetFace>,
}

impl GarmentSheet {
    pub(super) fn add(&mut self, point: Vec3) -> usize {
        self.points.push(point);
        self.weights.push([0.0; HALF]);
        self.points.len() - 1
    }

    /// Adds a row of points.
    pub(super) fn row(&mut self, points: impl IntoIterator<Item = Vec3>) -> Vec<usize> {
        points.into_iter().map(|p| self.add(p)).collect()
    }

    pub(super) fn quad(&mut self, corners: [usize; 4], color: SheetColor) {
        self.faces.push(SheetFace { corners, color });
    }

    pub(super) fn triangle(&mut self, [a, b, c]: [usize; 3], color: SheetColor) {
        self.faces.push(SheetFace { corners: [a, b, c, c], color });
    }

    /// Joins two rows of equal length by quads; a closed row's last point joins its first.
    pub(super) fn join(&mut self, a: &[usize], b: &[usize], closed: bool, color: SheetColor) {
        self.join_striped(a, b, closed, |_| color);
    }

    /// Joins two rows by quads whose color depends on the column.
    pub(super) fn join_striped(
        &mut self,
        a: &[usize],
        b: &[usize],
        closed: bool,
        color: impl Fn(usize) -> SheetColor,
    ) {
        let edges = if closed { a.len() } else { a.len() - 1 };
        for i in 0..edges {
            let j = (i + 1) % a.len();
            self.quad([a[i], a[j], b[j], b[i]], color(i));
        }
    }

    /// Closes the end of a run of joined rows with a fan around `middle`.
    pub(super) fn close_end(&mut self, row: &[usize], middle: Vec3, closed: bool, color: SheetColor) {
        let middle = self.add(middle);
        let edges = if closed { row.len() } else { row.len() - 1 };
        for i in 0..edges {
            self.triangle([row[i], row[(i + 1) % row.len()], middle], color);
        }
    }

    /// Closes the start of a run of joined rows with a fan around `middle`.
    pub(super) fn close_start(&mut self, row: &[usize], middle: Vec3, closed: bool, color: SheetColor) {
        let reversed: Vec<usize> = row.iter().rev().copied().collect();
        self.close_end(&reversed, middle, closed, color);
    }

    /// The middle of some points.
    pub(super) fn middle_of(&self, points: &[usize]) -> Vec3 {
        points.iter().map(|&p| self.points[p]).sum::<Vec3>() / points.len() as f32
    }

    /// The points that share an edge with each point; across the middle plane a neighbor counts twice, for its
    /// mirror image.
    fn neighbors(&self) -> Vec<Vec<(usize, f32)>> {
        let mut out: Vec<Vec<(usize, f32)>> = vec![Vec::new(); self.points.len()];
        for face in &self.faces {
            let corners = face.loop_of();
            for (i, &a) in corners.iter().enumerate() {
                let b = corners[(i + 1) % corners.len()];
                for (from, to) in [(a, b), (b, a)] {
                    let twice = self.points[from].x == 0.0 && self.points[to].x != 0.0;
                    if !out[from].iter().any(|n| n.0 == to) {
                        out[from].push((to, if twice { 2.0 } else { 1.0 }));
                    }
                }
            }
        }
        out
    }

    /// Repeatedly moves points towards the mean of their neighbors by their entry of `softness` (0 keeps them) and projects
    /// each back onto the surface with `place`.
    pub(super) fn relax(&mut self, softness: &[f32], rounds: usize, place: impl Fn(Vec3) -> Vec3) {
        let neighbors = self.neighbors();
        for _ in 0..rounds {
            let before = self.points.clone();
            for (point, &soft) in softness.iter().enumerate().filter(|s| *s.1 > 0.0) {
                let total: f32 = neighbors[point].iter().map(|n| n.1).sum();
                let sum: Vec3 = neighbors[point].iter().map(|&(n, w)| before[n] * w).sum();
                let mut moved = place(before[point].lerp(sum / total, soft));
                if before[point].x == 0.0 {
                    moved.x = 0.0;
                }
                self.points[point] = moved;
            }
        }
    }

    /// Smooths weights over the surface: each round moves a point's weights towards its neighbors' mean by `softness`.
    pub(super) fn spread_weights(&mut self, softness: &[f32], rounds: usize) {
        let neighbors = self.neighbors();
        for _ in 0..rounds {
            let before = self.weights.clone();
            for (point, &soft) in softness.iter().enumerate().filter(|s| *s.1 > 0.0) {
                let total: f32 = neighbors[point].iter().map(|n| n.1).sum();
                for (joint, weight) in self.weights[point].iter_mut().enumerate() {
                    let sum: f32 = neighbors[point].iter().map(|&(n, w)| before[n][joint] * w).sum();
                    *weight += (sum / total - *weight) * soft;
                }
            }
        }
    }

    /// Sets the weights of every point from `first` on to `rule` of its position.
    pub(super) fn weigh_from(&mut self, first: usize, rule: impl Fn(Vec3) -> SheetRow) {
        for point in first..self.points.len() {
            self.weights[point] = rule(self.points[point]);
        }
    }

    /// Unit normals: the faces around a point, weighted by their angle there.
    pub(super) fn normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.points.len()];
        for face in &self.faces {
            let corners = face.loop_of();
            let count = corners.len();
            for (i, &corner) in corners.iter().enumerate() {
                let here = self.points[corner];
                let next = self.points[corners[(i + 1) % count]] - here;
                let previous = self.points[corners[(i + count - 1) % count]] - here;
                let across = next.cross(previous).normalize_or_zero();
                normals[corner] += across * next.angle_between(previous);
            }
        }
        for (normal, point) in normals.iter_mut().zip(&self.points) {
            if point.x == 0.0 {
                normal.x = 0.0;
            }
            *normal = normal.normalize_or(Vec3::Y);
        }
        normals
    }

    /// Six times the enclosed volume of this half; negative if faces point inwards.
    pub(super) fn volume6(&self) -> f32 {
        let mut sum = 0.0;
        for face in &self.faces {
            let corners = face.loop_of();
            for i in 1..corners.len() - 1 {
                let [a, b, c] = [0, i, i + 1].map(|k| self.points[corners[k]]);
                sum += a.dot(b.cross(c));
            }
        }
        sum
    }

    /// Flips every face if the faces point inwards.
    pub(super) fn face_outwards(&mut self) {
        if self.volume6() < 0.0 {
            for face in &mut self.faces {
                let [a, b, c, d] = face.corners;
                face.corners = if c == d { [a, c, b, b] } else { [a, d, c, b] };
            }
        }
    }
}
