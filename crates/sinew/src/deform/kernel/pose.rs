//! What moves the joints, in the caller's form and in the kernels'.

use super::{blend::stride, linear::MATRIX, tame::Tameness};
use crate::{
    deform::{
        DeformError,
        blocks::{Lanes, PackedSkin},
    },
    palette::Palette,
};
use glam::{Affine3A, Mat4, Vec3A, Vec4};
use std::ops::Range;

/// A method with the palette it blends.
#[derive(Clone, Copy, Debug)]
pub enum Pose<'a> {
    /// Every vertex follows its strongest joint alone.
    Stitch(&'a Palette),
    /// Matrices are blended by weight.
    Linear(&'a Palette),
}

/// Which kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recipe {
    Stitch,
    Linear,
}

impl Recipe {
    /// How many [`Lanes`] a joint takes.
    const fn stride(self) -> usize {
        match self {
            Self::Stitch | Self::Linear => stride(MATRIX),
        }
    }
}

impl Pose<'_> {
    pub(super) fn check(&self, skin: &PackedSkin) -> Result<(), DeformError> {
        let matrices = match self {
            Self::Stitch(palette) | Self::Linear(palette) => palette.matrices().len(),
        };
        let needed = skin.slot_count();
        if needed > matrices { Err(DeformError::PaletteTooSmall { needed, matrices }) } else { Ok(()) }
    }

    fn recipe(&self) -> Recipe {
        match self {
            Self::Stitch(_) => Recipe::Stitch,
            Self::Linear(_) => Recipe::Linear,
        }
    }

    /// Appends the numbers of the first `slots` joints.
    fn write(&self, slots: usize, out: &mut Vec<Lanes>, tame: &mut Vec<Tameness>) {
        match self {
            Self::Stitch(palette) | Self::Linear(palette) => {
                let matrices = &palette.matrices()[..slots];
                out.reserve(slots);
                tame.reserve(slots);
                for matrix in matrices {
                    let rows = rows(matrix);
                    tame.push(Tameness::of(&rows));
                    out.push(Lanes(rows.to_cols_array()));
                }
            }
        }
    }
}

/// The rows of a matrix, and a fourth of zeros.
#[inline]
fn rows(m: &Affine3A) -> Mat4 {
    let column = |v: Vec3A| Vec4::from((v, 0.0));
    let (linear, translation) = (&m.matrix3, column(m.translation));
    Mat4::from_cols(column(linear.x_axis), column(linear.y_axis), column(linear.z_axis), translation).transpose()
}

/// Memory for the joints' numbers, kept by the caller so that no call allocates: it grows when a call needs more than any
/// before, and never shrinks.
#[derive(Clone, Debug, Default)]
pub struct PoseScratch {
    joints: Vec<Lanes>,
    tame: Vec<Tameness>,
    poses: Vec<(Recipe, Range<usize>, Range<usize>)>,
}

impl PoseScratch {
    /// PoseScratch that batches of `poses` poses of `skin` fit into without growing.
    pub fn for_batch(skin: &PackedSkin, poses: usize) -> Self {
        let lanes = skin.slot_count() * poses * 2;
        Self {
            joints: Vec::with_capacity(lanes),
            tame: Vec::with_capacity(skin.slot_count() * poses),
            poses: Vec::with_capacity(poses),
        }
    }

    /// Takes in `poses`, replacing those of the call before.
    pub(super) fn prepare(&mut self, poses: &[Pose<'_>], slots: usize) {
        self.joints.clear();
        self.tame.clear();
        self.poses.clear();
        for pose in poses {
            let (recipe, from, tame_from) = (pose.recipe(), self.joints.len(), self.tame.len());
            pose.write(slots, &mut self.joints, &mut self.tame);
            debug_assert_eq!(self.joints.len(), from + slots * recipe.stride());
            self.poses.push((recipe, from..self.joints.len(), tame_from..self.tame.len()));
        }
    }

    /// The `nth` pose taken in.
    pub(super) fn pose(&self, nth: usize) -> Prepared<'_> {
        let (recipe, joints, tame) = &self.poses[nth];
        Prepared { recipe: *recipe, joints: &self.joints[joints.clone()], tame: &self.tame[tame.clone()] }
    }
}

/// A pose in the form that kernels read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared<'a> {
    pub(super) recipe: Recipe,
    pub(super) joints: &'a [Lanes],
    pub(super) tame: &'a [Tameness],
}
