//! The matrices of all bones in all frames, and their products with trajectories.
//!
//! With weights that sum to one, everything that the error of a vertex depends on follows from two products of matrices: of the
//! bones with the trajectories, and of the bones with each other. So no step but these visits every frame for every bone.

use super::trajectories::Trajectories;
use faer::{Accum, Mat, MatMut, MatRef, Par, linalg::matmul::matmul};
use sinew::glam::{DAffine3, DMat3, DVec3};

/// Rigid motions of bones: what takes a vertex from rest to each frame.
#[derive(Clone)]
pub(super) struct BoneMotion {
    pub(super) bones: usize,
    frames: usize,
    /// Four columns a bone, each with x, y, z in each frame.
    columns: Vec<f64>,
}

impl BoneMotion {
    pub(super) fn at_rest(bones: usize, frames: usize) -> Self {
        let mut motion = Self { bones: 0, frames, columns: Vec::new() };
        (0..bones).for_each(|_| motion.push(&vec![DAffine3::IDENTITY; frames]));
        motion
    }

    /// Adds a bone that moves as `motion` says, frame by frame.
    pub(super) fn push(&mut self, motion: &[DAffine3]) {
        self.bones += 1;
        self.columns.resize(self.bones * 12 * self.frames, 0.0);
        motion.iter().enumerate().for_each(|(frame, motion)| self.set(self.bones - 1, frame, motion));
    }

    pub(super) fn get(&self, bone: usize, frame: usize) -> DAffine3 {
        let column = |k: usize| DVec3::from_slice(&self.columns[self.index(bone, k, frame)..]);
        DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
    }

    pub(super) fn set(&mut self, bone: usize, frame: usize, motion: &DAffine3) {
        let DAffine3 { matrix3: m, translation } = *motion;
        for (k, column) in [m.x_axis, m.y_axis, m.z_axis, translation].into_iter().enumerate() {
            let at = self.index(bone, k, frame);
            column.write_to_slice(&mut self.columns[at..at + 3]);
        }
    }

    fn index(&self, bone: usize, column: usize, frame: usize) -> usize {
        ((bone * 4 + column) * self.frames + frame) * 3
    }

    fn matrix(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.columns, self.frames * 3, self.bones * 4)
    }

    /// The products of the bones with each other.
    pub(super) fn pairs(&self) -> BonePairs {
        let mut products = Mat::zeros(self.bones * 4, self.bones * 4);
        matmul(&mut products, Accum::Replace, self.matrix().transpose(), self.matrix(), 1.0, Par::Seq);
        BonePairs { products }
    }

    /// The products of the bones with the trajectories of `points`.
    pub(super) fn errors<'a>(
        &self,
        pairs: &'a BonePairs,
        trajectories: &'a Trajectories,
        points: std::ops::Range<usize>,
    ) -> PointErrors<'a> {
        let rows = self.frames * 3;
        let moved = &trajectories.moved[points.start * rows..points.end * rows];
        let moved = MatRef::from_column_major_slice(moved, rows, points.len());
        let mut crossed = vec![0.0; self.bones * 4 * points.len()];
        let into = MatMut::from_column_major_slice_mut(&mut crossed, self.bones * 4, points.len());
        matmul(into, Accum::Replace, self.matrix().transpose(), moved, 1.0, Par::Seq);
        PointErrors { pairs, trajectories, first_point: points.start, crossed, bones: self.bones }
    }
}

/// For each pair of bones `Σ Aᵀ B` over the frames.
pub(super) struct BonePairs {
    products: Mat<f64>,
}

/// The squared errors of some points, summed over the frames.
pub(super) struct PointErrors<'a> {
    pairs: &'a BonePairs,
    trajectories: &'a Trajectories,
    first_point: usize,
    /// For each point and bone the sum over the frames of the bone's matrix times the place.
    crossed: Vec<f64>,
    bones: usize,
}

impl PointErrors<'_> {
    /// `Σ (A p − m)·(B p − m)` for the place p of `point` at rest and m in the frames.
    pub(super) fn product(&self, point: usize, a: usize, b: usize) -> f64 {
        let p = self.trajectories.rest4(point);
        let column =
            |k: usize| (0..4).map(|i| p[i] * self.pairs.products[(a * 4 + i, b * 4 + k)]).sum::<f64>();
        let both: f64 = (0..4).map(|k| column(k) * p[k]).sum();
        both - self.crossed(point, a) - self.crossed(point, b) + self.trajectories.squares[point]
    }

    /// The squared error of `point` if it follows one bone.
    pub(super) fn rigid(&self, point: usize, bone: usize) -> f64 {
        self.product(point, bone, bone).max(0.0)
    }

    /// The bone that `point` follows best.
    pub(super) fn best(&self, point: usize) -> usize {
        let errors = (0..self.bones).map(|bone| (bone, self.rigid(point, bone)));
        errors.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |best| best.0)
    }

    fn crossed(&self, point: usize, bone: usize) -> f64 {
        let crossed = &self.crossed[((point - self.first_point) * self.bones + bone) * 4..][..4];
        crossed.iter().zip(self.trajectories.rest4(point)).map(|(a, b)| a * b).sum()
    }

    /// The smallest squared error of `point` on one bone other than `bone`.
    pub(super) fn second_best(&self, point: usize, bone: usize) -> f64 {
        let others = (0..self.bones).filter(|&other| other != bone);
        others.map(|other| self.rigid(point, other)).fold(f64::INFINITY, f64::min)
    }
}
