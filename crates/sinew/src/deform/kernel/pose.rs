//! Palettes in the memory layout that kernels read.

use super::{
    cor::{COR, COR_STRETCH},
    dual_quat::{DUAL_QUAT, DUAL_QUAT_STRETCH},
    linear::MATRIX,
    meeting::MEETING,
    similarity::{SimilarityTransform, mark_pairs},
    slerp::{SLERP, SLERP_STRETCH},
    stage::stride,
};
use crate::{
    deform::{
        DeformError, Method,
        blocks::{Lanes, PackedSkin, WIDTH},
        methods::PosePalettes,
    },
    palette::{ContactBonePose, ContactPalette, DualQuatPalette, Palette},
    simd::{Level, dispatch},
};
use fearless_simd::{Simd, SimdBase, f32x4};
use glam::{Affine3A, Mat4, Vec3A, Vec4};
use std::ops::Range;

/// A method with the palettes that its kernel blends.
#[derive(Clone, Copy, Debug)]
pub enum SkinningPalette<'a> {
    /// Rigid skinning: every vertex follows its strongest joint alone.
    Rigid(&'a Palette),
    /// Linear blend skinning: matrices are blended by weight.
    Linear(&'a Palette),
    /// Quaternion blend: rotations are interpolated about the point where the joints of a vertex meet.
    Slerp(&'a Palette, &'a DualQuatPalette),
    /// Dual quaternion skinning: rigid motions are blended as dual quaternions, the stretches before them as matrices.
    DualQuat(&'a DualQuatPalette),
    /// Centers of rotation: rotations are blended as quaternions, about the centers that the mesh was packed with.
    Cor(&'a Palette, &'a DualQuatPalette),
    /// Contact skinning: dual quaternions, then the corrections of the contact data that the mesh was packed with.
    Contact(&'a Palette, &'a DualQuatPalette),
    /// Delta mush: linear blend skinning, smoothed, by the data that the mesh was packed with.
    DeltaMush(&'a Palette, &'a DualQuatPalette),
    /// Direct delta mush, by the data that the mesh was packed with.
    Ddm(&'a Palette, &'a DualQuatPalette),
}

/// The kernel that runs for a method in a given pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recipe {
    Rigid,
    Linear,
    Slerp,
    StretchedSlerp,
    DualQuat,
    StretchedDualQuat,
    Cor,
    StretchedCor,
    Contact,
    StretchedContact,
    DeltaMush,
    StretchedDeltaMush,
    Ddm,
    StretchedDdm,
}

/// The largest number of [`Lanes`] per joint.
const MAX_STRIDE: usize = Recipe::StretchedSlerp.stride();

impl Recipe {
    /// The number of [`Lanes`] per joint.
    const fn stride(self) -> usize {
        stride(match self {
            Self::Rigid | Self::Linear => MATRIX,
            Self::Slerp => SLERP,
            Self::StretchedSlerp => SLERP_STRETCH,
            Self::DualQuat | Self::Contact => DUAL_QUAT,
            Self::StretchedDualQuat | Self::StretchedContact => DUAL_QUAT_STRETCH,
            Self::Cor | Self::DeltaMush | Self::Ddm => COR,
            Self::StretchedCor | Self::StretchedDeltaMush | Self::StretchedDdm => COR_STRETCH,
        })
    }
}

impl<'a> SkinningPalette<'a> {
    /// The palettes that the kernel of `method` blends, or `None` if it has no kernel.
    pub fn for_method(method: Method, palette: &'a Palette, dual_quats: &'a DualQuatPalette) -> Option<Self> {
        let pose = PosePalettes { matrices: palette, dual_quats: Some(dual_quats) };
        method.kernel()?(pose).ok()
    }
}

impl SkinningPalette<'_> {
    pub(super) fn check(&self, skin: &PackedSkin) -> Result<(), DeformError> {
        let matrices = match self {
            Self::Rigid(palette) | Self::Linear(palette) => palette.matrices().len(),
            Self::DualQuat(palette) => palette.rigid().len(),
            Self::Slerp(palette, dual_quats)
            | Self::Cor(palette, dual_quats)
            | Self::Contact(palette, dual_quats)
            | Self::DeltaMush(palette, dual_quats)
            | Self::Ddm(palette, dual_quats) => palette.matrices().len().min(dual_quats.rigid().len()),
        };
        let missing = match self {
            Self::Cor(..) => (!skin.has_centers()).then_some(Method::Cor),
            Self::Contact(..) => (!skin.has_contacts()).then_some(Method::Contact),
            Self::DeltaMush(..) => skin.mush().is_none().then_some(Method::DeltaMush),
            Self::Ddm(..) => skin.direct_mush().is_none().then_some(Method::Ddm),
            Self::Rigid(_) | Self::Linear(_) | Self::Slerp(..) | Self::DualQuat(_) => None,
        };
        if let Some(method) = missing {
            let what = method.needs_precomputed().unwrap_or_default();
            return Err(DeformError::MissingPrecomputed { method, what });
        }
        let needed = self.slots_of(skin);
        if needed > matrices { Err(DeformError::PaletteTooSmall { needed, matrices }) } else { Ok(()) }
    }

    /// The number of joints that the kernel may read.
    fn slots_of(&self, skin: &PackedSkin) -> usize {
        match self {
            Self::Ddm(..) => skin.slot_count().max(skin.direct_mush_slots()),
            Self::Contact(..) => skin.slot_count().max(skin.contact_slots()),
            _ => skin.slot_count(),
        }
    }

    fn recipe(&self) -> Recipe {
        match self {
            Self::Rigid(_) => Recipe::Rigid,
            Self::Linear(_) => Recipe::Linear,
            Self::Slerp(_, palette) if palette.has_stretch() => Recipe::StretchedSlerp,
            Self::Slerp(..) => Recipe::Slerp,
            Self::DualQuat(palette) if palette.has_stretch() => Recipe::StretchedDualQuat,
            Self::DualQuat(_) => Recipe::DualQuat,
            Self::Contact(_, palette) if palette.has_stretch() => Recipe::StretchedContact,
            Self::Contact(..) => Recipe::Contact,
            Self::Cor(_, palette) if palette.has_stretch() => Recipe::StretchedCor,
            Self::Cor(..) => Recipe::Cor,
            Self::DeltaMush(_, palette) if palette.has_stretch() => Recipe::StretchedDeltaMush,
            Self::DeltaMush(..) => Recipe::DeltaMush,
            Self::Ddm(_, palette) if palette.has_stretch() => Recipe::StretchedDdm,
            Self::Ddm(..) => Recipe::Ddm,
        }
    }

    /// True if the kernel blends rotations with the signs that they have.
    fn is_followed(&self) -> bool {
        match self {
            Self::Slerp(_, palette)
            | Self::DualQuat(palette)
            | Self::Cor(_, palette)
            | Self::Contact(_, palette) => palette.is_followed(),
            Self::Rigid(_) | Self::Linear(_) | Self::DeltaMush(..) | Self::Ddm(..) => false,
        }
    }

    /// Appends the palette entries of the first `slots` joints.
    fn write(
        &self,
        level: Level,
        slots: usize,
        out: &mut Vec<Lanes>,
        similarities: &mut Vec<SimilarityTransform>,
    ) {
        out.reserve(slots * self.recipe().stride());
        match self {
            Self::Rigid(palette) | Self::Linear(palette) => {
                write_matrices(level, &palette.matrices()[..slots], out, similarities);
            }
            Self::DualQuat(palette) | Self::Contact(_, palette) => {
                for (rigid, stretch) in palette.rigid()[..slots].iter().zip(palette.stretch()) {
                    let quats = (Vec4::from(rigid.real), Vec4::from(rigid.dual));
                    if palette.has_stretch() {
                        let [x, y, z, _] = columns(&rows(stretch, Vec4::ZERO));
                        out.push(Lanes(Mat4::from_cols(quats.0, quats.1, x, y).to_cols_array()));
                        out.push(Lanes(
                            Mat4::from_cols(z, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO).to_cols_array(),
                        ));
                    } else {
                        out.push(Lanes(
                            Mat4::from_cols(quats.0, quats.1, Vec4::ZERO, Vec4::ZERO).to_cols_array(),
                        ));
                    }
                }
            }
            Self::Slerp(palette, dual_quats) => {
                self.write_rotations(level, palette, dual_quats, slots, out, similarities);
                let stride = self.recipe().stride();
                let from = out.len() - slots * stride;
                let at = if dual_quats.has_stretch() { SLERP_STRETCH } else { SLERP } - MEETING;
                let joints = dual_quats.pivots().iter().zip(dual_quats.depths());
                for (joint, (pivot, &depth)) in out[from..].chunks_exact_mut(stride).zip(joints) {
                    for (n, number) in [pivot.x, pivot.y, pivot.z, f32::from(depth)].into_iter().enumerate() {
                        joint[(at + n) / WIDTH].0[(at + n) % WIDTH] = number;
                    }
                }
            }
            Self::Cor(palette, dual_quats)
            | Self::DeltaMush(palette, dual_quats)
            | Self::Ddm(palette, dual_quats) => {
                self.write_rotations(level, palette, dual_quats, slots, out, similarities);
            }
        }
    }

    /// Appends the matrix, the rotation and, where joints stretch, the linear part of the stretch of each joint.
    fn write_rotations(
        &self,
        level: Level,
        palette: &Palette,
        dual_quats: &DualQuatPalette,
        slots: usize,
        out: &mut Vec<Lanes>,
        similarities: &mut Vec<SimilarityTransform>,
    ) {
        let stride = self.recipe().stride();
        let from = out.len();
        write_matrices(level, &palette.matrices()[..slots], out, similarities);
        out.resize(from + slots * stride, Lanes::default());
        let joints = dual_quats.rigid().iter().zip(dual_quats.stretch());
        // In reverse order, because the densely stored matrices are spread out in place.
        for (slot, (rigid, stretch)) in joints.enumerate().take(slots).rev() {
            let mut lanes = out[from + slot];
            lanes.0[MATRIX..].copy_from_slice(&rigid.real.to_array());
            out[from + slot * stride] = lanes;
            if dual_quats.has_stretch() {
                out[from + slot * stride + 1] = linear_rows(stretch);
            }
        }
    }
}

/// Appends the rows of `matrices`, each padded with four zeros, and their similarity transforms.
fn write_matrices(
    level: Level,
    matrices: &[Affine3A],
    out: &mut Vec<Lanes>,
    similarities: &mut Vec<SimilarityTransform>,
) {
    let (from, similarities_from) = (out.len(), similarities.len());
    out.resize(from + matrices.len(), Lanes::default());
    similarities.resize(similarities_from + matrices.len(), SimilarityTransform::default());
    let (out, similarities) = (&mut out[from..], &mut similarities[similarities_from..]);
    dispatch!(level, simd => write_rows(simd, bytemuck::cast_slice(matrices), out, similarities));
}

/// Transposes matrices that are stored as columns of four floats.
///
/// Four joints at a time: with their columns side by side, the column lengths need no operation across lanes. That takes
/// 10 cycles per joint instead of 18.
#[inline(always)]
fn write_rows<S: Simd>(
    simd: S,
    matrices: &[[f32; 16]],
    out: &mut [Lanes],
    similarities: &mut [SimilarityTransform],
) {
    let count = matrices.len();
    let (out, similarities) = (&mut out[..count], &mut similarities[..count]);
    let mut nth = 0;
    while nth < count {
        // The last group of four is padded by repeating the last joint.
        let four = [nth, (nth + 1).min(count - 1), (nth + 2).min(count - 1), (nth + 3).min(count - 1)];
        let mut columns = [[f32x4::splat(simd, 0.0); 4]; 3];
        for at in 0..4 {
            let column = |from: usize| f32x4::from_slice(simd, &matrices[four[at]][from..from + 4]);
            let (x, y, z) = (column(0), column(4), column(8));
            (columns[0][at], columns[1][at], columns[2][at]) = (x, y, z);
            let rows = first_rows([x, y, z, column(12)]);
            for (row, numbers) in rows.into_iter().enumerate() {
                numbers.store_slice(&mut out[four[at]].0[row * 4..row * 4 + 4]);
            }
        }
        let found = SimilarityTransform::of_four(
            simd,
            [first_rows(columns[0]), first_rows(columns[1]), first_rows(columns[2])],
        );
        for at in 0..4 {
            similarities[four[at]] = found[at];
        }
        nth += 4;
    }
}

/// The first three rows of the matrix with these columns.
#[inline(always)]
fn first_rows<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 3] {
    let ((ac, ac_high), (bd, bd_high)) = (a.interleave(c), b.interleave(d));
    let ((first, second), (third, _)) = (ac.interleave(bd), ac_high.interleave(bd_high));
    [first, second, third]
}

/// The nine elements of a matrix's linear part, row by row.
fn linear_rows(m: &Affine3A) -> Lanes {
    let rows = m.matrix3.transpose().to_cols_array();
    let mut out = Lanes::default();
    out.0[..rows.len()].copy_from_slice(&rows);
    out
}

fn columns(m: &Mat4) -> [Vec4; 4] {
    [m.x_axis, m.y_axis, m.z_axis, m.w_axis]
}

/// The rows of a matrix, followed by a fourth row.
#[inline]
fn rows(m: &Affine3A, fourth: Vec4) -> Mat4 {
    let column = |v: Vec3A| Vec4::from((v, 0.0));
    let (linear, translation) = (&m.matrix3, column(m.translation));
    let columns =
        Mat4::from_cols(column(linear.x_axis), column(linear.y_axis), column(linear.z_axis), translation);
    let mut rows = columns.transpose();
    rows.w_axis = fourth;
    rows
}

/// Memory for palettes in the layout that kernels read. The caller keeps it, so that calls do not allocate: it grows when a
/// call needs more than any call before, and never shrinks.
#[derive(Clone, Debug, Default)]
pub struct PoseScratch {
    joints: Vec<Lanes>,
    similarities: Vec<SimilarityTransform>,
    unchecked_pairs: Vec<bool>,
    poses: Vec<PaletteSlot>,
    /// The posed bones of each pose, for contact skinning.
    contacts: Vec<ContactPalette>,
}

/// The ranges of a pose in [`PoseScratch`].
#[derive(Clone, Debug)]
struct PaletteSlot {
    recipe: Recipe,
    followed: bool,
    joints: Range<usize>,
    similarities: Range<usize>,
    unchecked_pairs: Range<usize>,
}

impl PoseScratch {
    /// Memory that holds a batch of `poses` poses of `skin` without growing.
    pub fn for_batch(skin: &PackedSkin, poses: usize) -> Self {
        let slots = skin.slot_count().max(skin.direct_mush_slots()).max(skin.contact_slots());
        let lanes = slots * poses * MAX_STRIDE;
        Self {
            joints: Vec::with_capacity(lanes),
            similarities: Vec::with_capacity(slots * poses),
            unchecked_pairs: Vec::with_capacity(skin.runs.pairs.len() * poses),
            poses: Vec::with_capacity(poses),
            contacts: match &skin.contacts.data {
                Some(data) => (0..poses).map(|_| ContactPalette::with_room_for(data)).collect(),
                None => Vec::new(),
            },
        }
    }

    /// Copies `poses` of `skin` into the kernel layout, replacing those of the previous call.
    pub(super) fn prepare(&mut self, level: Level, poses: &[SkinningPalette<'_>], skin: &PackedSkin) {
        self.joints.clear();
        self.similarities.clear();
        self.unchecked_pairs.clear();
        self.poses.clear();
        for (nth, pose) in poses.iter().enumerate() {
            if let (SkinningPalette::Contact(palette, dual_quats), Some(data)) = (pose, &skin.contacts.data) {
                if self.contacts.len() <= nth {
                    self.contacts.resize_with(nth + 1, ContactPalette::default);
                }
                self.contacts[nth].update(data, palette, dual_quats);
            }
            let slots = pose.slots_of(skin);
            let (from, similarities_from, pairs_from) =
                (self.joints.len(), self.similarities.len(), self.unchecked_pairs.len());
            let recipe = pose.recipe();
            pose.write(level, slots, &mut self.joints, &mut self.similarities);
            debug_assert_eq!(self.joints.len(), from + slots * recipe.stride());
            if matches!(recipe, Recipe::Rigid | Recipe::Linear) {
                self.mark_pairs(level, from, similarities_from, &skin.runs.pairs);
            }
            self.poses.push(PaletteSlot {
                recipe,
                followed: pose.is_followed(),
                joints: from..self.joints.len(),
                similarities: similarities_from..self.similarities.len(),
                unchecked_pairs: pairs_from..self.unchecked_pairs.len(),
            });
        }
    }

    fn mark_pairs(&mut self, level: Level, from: usize, similarities_from: usize, pairs: &[[u16; 2]]) {
        let pairs_from = self.unchecked_pairs.len();
        self.unchecked_pairs.resize(pairs_from + pairs.len(), false);
        let (joints, similarities) = (&self.joints[from..], &self.similarities[similarities_from..]);
        let out = &mut self.unchecked_pairs[pairs_from..];
        dispatch!(level, simd => mark_pairs(simd, joints, similarities, pairs, out));
    }

    /// The `nth` pose of the last [`PoseScratch::prepare`].
    pub(super) fn pose(&self, nth: usize) -> Prepared<'_> {
        let place = &self.poses[nth];
        Prepared {
            recipe: place.recipe,
            followed: place.followed,
            contact_bones: match place.recipe {
                Recipe::Contact | Recipe::StretchedContact => {
                    self.contacts.get(nth).map_or(&[], ContactPalette::bones)
                }
                _ => &[],
            },
            joints: &self.joints[place.joints.clone()],
            similarities: &self.similarities[place.similarities.clone()],
            unchecked_pairs: &self.unchecked_pairs[place.unchecked_pairs.clone()],
        }
    }
}

/// A pose in the memory layout that kernels read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared<'a> {
    pub(super) recipe: Recipe,
    /// True if the signs of rotations are followed in time.
    pub(super) followed: bool,
    pub(super) contact_bones: &'a [ContactBonePose],
    pub(super) joints: &'a [Lanes],
    pub(super) similarities: &'a [SimilarityTransform],
    pub(super) unchecked_pairs: &'a [bool],
}
