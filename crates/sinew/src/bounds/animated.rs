//! A conservative bounding box of a deformed mesh, computed without deforming it.

use super::{
    Aabb, BoundsRule,
    blend::{BlendSet, Reaches, Turning},
    collect::{
        DirectParts, MuscleSet, contact_reach, direct_parts, linear_parts, meeting_points, muscle_sets,
        mush_parts, reach_of, solid_parts, turning_parts, vertex_boxes,
    },
    part::{BoundsPart, PosedBox, stretch_of},
};
use crate::{
    asset::{mesh::Mesh, skin::Skin},
    deform::{CONTACT_REACH, Method},
    palette::{DualQuatPalette, MusclePalette, Palette},
};
use glam::Affine3A;
use thiserror::Error;

/// Boxes that follow the joints of a skin and together contain its mesh in any pose, for any method.
///
/// Built once; a pose then costs a few hundred multiplications, independent of the vertex count.
///
/// # Why the box contains every vertex
/// - **Rigid and linear blend skinning**: each slot has the box around the vertices that it influences. A vertex moves
///   to `Σ w K v`, a mean of points `K v` that each lie in a box transformed by its joint. The box around all those boxes
///   is convex and contains the mean.
/// - **Quaternion blend, centers of rotation**: `v' = R S (v − c) + Σ w K c` about a center `c` that linear blend skinning moves. A
///   rotation preserves length, so `v'` lies within `|S| |v − c|` of a mean of points `K c`. Each slot has the box around
///   the centers of its vertices and the largest `|v − c|`; `|S|` is at most the largest stretch of the palette. A
///   vertex with one joint moves to `K v` whatever the center.
/// - **Delta mush, direct delta mush**: the same, with the smoothed vertex as the center: smoothing takes means of
///   points that linear blend skinning has moved, and the restored offsets keep their length.
/// - **Dual quaternion skinning**: vertices with several joints differ from linear blend skinning by at most a margin that
///   depends on the pose; `bounds/blend.rs` has the proof. Given the dual quaternions, the same holds for quaternion blend
///   and centers of rotation. Both boxes are valid, and so is their intersection.
/// - **Contact skinning** moves a vertex at most [a fixed multiple](crate::deform::CONTACT_REACH) of its distance from its
///   bone away from dual quaternion skinning. In a pose that distance grows at most by the largest stretch.
/// - **A blend of two methods** lies between their results: take the union.
/// - **Morph targets** move a vertex before skinning; its box covers every weight in the given ranges. **Muscles** displace
///   it by at most the distance that their own motion moves any vertex they influence.
///
/// Rounding is covered by a margin of 1e-5 of the largest coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimatedBounds {
    slot_count: usize,
    morph_ranges: Vec<[f32; 2]>,
    linear: Vec<BoundsPart>,
    slerp: Vec<BoundsPart>,
    cor: Option<Vec<BoundsPart>>,
    /// How far contact skinning moves a vertex from dual quaternion skinning, in meters before any stretch.
    contact_reach: Option<f32>,
    delta_mush: Option<Vec<BoundsPart>>,
    ddm: Option<DirectParts>,
    /// Vertices with one influence, for dual quaternions.
    solid: Vec<BoundsPart>,
    blends: Vec<BlendSet>,
    muscles: Vec<MuscleSet>,
}

/// Why a bounding box cannot be computed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BoundsError {
    /// No joint moves the mesh.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The name of the mesh without weights.
        mesh: String,
    },
    /// Each morph target needs one range, from a smaller to a larger weight.
    #[error("{count} morph ranges for {targets} targets, or one that is not finite or falls")]
    BadMorphRanges {
        /// The number of ranges given.
        count: usize,
        /// The number of morph targets of the mesh.
        targets: usize,
    },
    /// A morph weight is outside the range that the box was built for.
    #[error("morph weight {weight} in slot {slot} is outside {range:?}")]
    MorphOutOfRange {
        /// The morph slot of the pose.
        slot: usize,
        /// The morph weight of the pose.
        weight: f32,
        /// The range that the box was built for.
        range: [f32; 2],
    },
    /// A palette belongs to another skin.
    #[error("the mesh uses {needed} joint slots, a palette has {slots}")]
    PaletteTooSmall {
        /// The number of slots that the mesh uses.
        needed: usize,
        /// The number of slots in the palette.
        slots: usize,
    },
    /// The method's box needs a palette that was not given.
    #[error("{method} needs a {palette} palette")]
    MissingPalette {
        /// The requested deformation method.
        method: Method,
        /// The name of the missing palette.
        palette: &'static str,
    },
    /// The mesh had no precomputed data for the method when the boxes were built.
    #[error("{method} needs {what}, which the mesh does not have")]
    MissingPrecomputed {
        /// The requested deformation method.
        method: Method,
        /// The name of the missing data.
        what: &'static str,
    },
}

/// The margin for rounding, relative to the largest coordinate.
const ROUNDING: f32 = 1e-5;

impl AnimatedBounds {
    /// The boxes of `mesh` on `skin`, for morph weights from 0 to 1 extended to the rest weights.
    ///
    /// # Errors
    /// If the mesh has no weights.
    pub fn new(mesh: &Mesh, skin: &Skin) -> Result<Self, BoundsError> {
        let rest = mesh.morphs().rest_weights();
        let ranges: Vec<_> = rest.iter().map(|w| [w.min(0.0), w.max(1.0)]).collect();
        Self::with_morph_ranges(mesh, skin, &ranges)
    }

    /// The boxes of `mesh` on `skin`, for morph weights within `ranges`, one per target.
    ///
    /// # Errors
    /// If the mesh has no weights, or there is not one ascending range per target.
    pub fn with_morph_ranges(mesh: &Mesh, skin: &Skin, ranges: &[[f32; 2]]) -> Result<Self, BoundsError> {
        let Some(weights) = mesh.weights() else {
            return Err(BoundsError::NoWeights { mesh: mesh.name().into() });
        };
        let (count, targets) = (ranges.len(), mesh.morphs().len());
        let is_good = |[low, high]: &[f32; 2]| low.is_finite() && high.is_finite() && low <= high;
        if count != targets || !ranges.iter().all(is_good) {
            return Err(BoundsError::BadMorphRanges { count, targets });
        }
        let vertices = vertex_boxes(mesh, ranges);
        let precomputed = mesh.precomputed();
        let ddm = precomputed.direct_mush.as_ref().map(|mush| direct_parts(mush, &vertices));
        let meeting = meeting_points(skin);
        let centers = precomputed.centers.as_ref();
        let centers = centers.map(|c| move |v: usize, _: &[u16]| Aabb::of_points([&c.positions()[v]]));
        let blended = vertices.iter().enumerate().map(|(v, bounds)| {
            let slots = weights.of(v).0;
            let reach = |centers: Aabb| reach_of(bounds, &centers);
            let cor = centers.as_ref().map_or(0.0, |c| reach(c(v, slots)));
            (slots, (*bounds, Reaches { slerp: reach(meeting(v, slots)), cor }))
        });
        Ok(Self {
            slot_count: weights
                .slot_count()
                .max(precomputed.direct_mush.as_ref().map_or(0, |m| m.slot_count()))
                .max(precomputed.contact.as_ref().map_or(0, |c| c.slot_count())),
            morph_ranges: ranges.to_vec(),
            linear: linear_parts(weights, &vertices),
            slerp: turning_parts(weights, &vertices, &meeting),
            cor: centers.as_ref().map(|c| turning_parts(weights, &vertices, c)),
            contact_reach: precomputed.contact.as_ref().map(|data| contact_reach(data, &vertices)),
            delta_mush: precomputed.mush.as_ref().map(|mush| mush_parts(mush, weights, &vertices)),
            ddm,
            solid: solid_parts(weights, &vertices),
            blends: BlendSet::collect(blended.filter(|(slots, _)| slots.len() > 1)),
            muscles: muscle_sets(weights, &vertices),
        })
    }

    /// The range of morph weights that the boxes cover, by target.
    pub fn morph_ranges(&self) -> &[[f32; 2]] {
        &self.morph_ranges
    }

    /// A box that contains the mesh in the pose of `palette` for rigid or linear blend skinning, in model space; empty for a
    /// mesh without vertices.
    ///
    /// Ignores muscles: see [`AnimatedBounds::of_method`].
    ///
    /// # Errors
    /// If the palette belongs to another skin.
    pub fn of_pose(&self, palette: &Palette) -> Result<Aabb, BoundsError> {
        self.check(palette.matrices().len())?;
        Ok(rounded(self.union(&self.linear, palette, 0.0), 0.0))
    }

    /// A box that contains the mesh in a pose deformed by `method`, in model space; empty for a mesh without vertices.
    ///
    /// Dual quaternions are needed for that method and make the boxes of [`Method::Slerp`] and [`Method::Cor`] smaller.
    ///
    /// # Errors
    /// If a palette that the method or the mesh's muscles need is missing or belongs to another skin, or the mesh had no
    /// precomputed data for the method.
    pub fn of_method(
        &self,
        method: Method,
        palette: &Palette,
        dual_quats: Option<&DualQuatPalette>,
        muscles: Option<&MusclePalette>,
    ) -> Result<Aabb, BoundsError> {
        self.check(palette.matrices().len())?;
        let swell = self.swell(method, muscles)?;
        let what = method.needs_precomputed().unwrap_or_default();
        let missing = BoundsError::MissingPrecomputed { method, what };
        let of_parts = |parts: &[BoundsPart]| self.union(parts, palette, swell);
        let with_blends =
            |blends: &mut dyn Iterator<Item = PosedBox>| blends.fold(of_parts(&self.solid), PosedBox::union);
        let dual_quats = match dual_quats {
            Some(given) => self.check(given.rigid().len()).map(|()| Some(given))?,
            None => None,
        };
        let turning = dual_quats.map(|dual_quats| {
            let stretch = self.stretch(palette);
            Turning { palette, dual_quats, stretch, swell }
        });
        let (bounds, excess) = match method.bounds_rule() {
            BoundsRule::Linear => (of_parts(&self.linear), 0.0),
            BoundsRule::TurnAboutJoints => {
                let parts = of_parts(&self.slerp);
                let blends = |pose| with_blends(&mut self.blends.iter().map(|blend| blend.by_slerp(pose)));
                (turning.map_or(parts, |pose| parts.intersection(blends(pose))), 0.0)
            }
            BoundsRule::TurnAboutCenters => {
                let parts = of_parts(self.cor.as_ref().ok_or(missing)?);
                let blends = |pose| with_blends(&mut self.blends.iter().map(|blend| blend.by_cor(pose)));
                (turning.map_or(parts, |pose| parts.intersection(blends(pose))), 0.0)
            }
            BoundsRule::Smoothed => (of_parts(self.delta_mush.as_ref().ok_or(missing)?), 0.0),
            BoundsRule::SmoothedMoments => {
                let direct = self.ddm.as_ref().ok_or(missing)?;
                (of_parts(&direct.parts), direct.excess)
            }
            BoundsRule::Contact => {
                let reach = self.contact_reach.ok_or(missing)?;
                let bounds = self.by_dual_quats(method, palette, dual_quats, swell)?;
                (bounds.grown((reach + CONTACT_REACH * swell) * self.stretch(palette)), 0.0)
            }
            BoundsRule::DualQuats => (self.by_dual_quats(method, palette, dual_quats, swell)?, 0.0),
        };
        Ok(rounded(bounds, excess))
    }

    /// The box of dual quaternion skinning.
    fn by_dual_quats(
        &self,
        method: Method,
        palette: &Palette,
        dual_quats: Option<&DualQuatPalette>,
        swell: f32,
    ) -> Result<PosedBox, BoundsError> {
        let missing = BoundsError::MissingPalette { method, palette: "dual-quaternion" };
        let dual_quats = dual_quats.ok_or(missing)?;
        let blends = self.blends.iter().map(|blend| blend.by_dual_quats(palette, dual_quats, swell));
        Ok(blends.fold(self.union(&self.solid, palette, swell), PosedBox::union))
    }

    fn check(&self, slots: usize) -> Result<(), BoundsError> {
        let needed = self.slot_count;
        if needed <= slots { Ok(()) } else { Err(BoundsError::PaletteTooSmall { needed, slots }) }
    }

    /// The box around parts that follow their joints.
    fn union(&self, parts: &[BoundsPart], palette: &Palette, swell: f32) -> PosedBox {
        let matrices = palette.matrices();
        // The stretch matters only to parts that reach beyond their box.
        let has_reach = swell > 0.0 || parts.iter().any(|p| p.reach > 0.0);
        let stretch = if has_reach { self.stretch(palette) } else { 0.0 };
        let boxes = parts.iter().map(|part| {
            part.carried.posed(&matrices[usize::from(part.slot)], (part.reach + swell) * stretch)
        });
        boxes.fold(PosedBox::EMPTY, PosedBox::union)
    }

    /// The maximum factor by which any matrix that moves the mesh lengthens a vector.
    fn stretch(&self, palette: &Palette) -> f32 {
        let used = palette.matrices()[..self.slot_count].iter();
        used.fold(0.0, |most, matrix| most.max(stretch_of(&matrix.matrix3)))
    }

    /// The maximum displacement of any vertex by muscles, in mesh space.
    fn swell(&self, method: Method, muscles: Option<&MusclePalette>) -> Result<f32, BoundsError> {
        if self.muscles.is_empty() {
            return Ok(0.0);
        }
        let motions =
            muscles.ok_or(BoundsError::MissingPalette { method, palette: "muscle" })?.mesh_from_mesh();
        self.check(motions.len())?;
        let one = |(part, weight): &(BoundsPart, f32)| {
            part.carried.parted_by(&motions[usize::from(part.slot)], &Affine3A::IDENTITY) * weight
        };
        let sums = self.muscles.iter().map(|set| set.iter().map(one).sum::<f32>());
        Ok(sums.fold(0.0, f32::max))
    }
}

/// `bounds` with a margin for rounding and for weights whose sum differs from one by `excess`.
pub(super) fn rounded(bounds: PosedBox, excess: f32) -> Aabb {
    let bounds = bounds.finish();
    if bounds.is_empty() {
        return Aabb::EMPTY;
    }
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    bounds.grown(largest * (ROUNDING + excess))
}
