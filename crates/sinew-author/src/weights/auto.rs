//! Automatic weights from a mesh and its bones.
//!
//! Any mesh works: open, in parts, with duplicate, flipped or degenerate triangles, with bones outside it. Every vertex gets
//! weights; the report counts what had to be guessed.
//!
//! - [`AutoMethod::Heat`] is bone heat: Ilya Baran and Jovan Popović, 2007, "Automatic Rigging and Animation of 3D Characters".
//! - [`AutoMethod::VoxelGeodesic`] is geodesic voxel binding: Olivier Dionne and Martin de Lasa, 2013, "Geodesic Voxel Binding
//!   for Production Character Meshes".
//! - [`AutoMethod::Biharmonic`] follows Alec Jacobson, Ilya Baran, Jovan Popović and Olga Sorkine, 2011, "Bounded Biharmonic
//!   Weights for Real-Time Deformation", on a lattice of cells and with clamped instead of constrained bounds.

mod biharmonic;
mod body;
mod bone_radius;
mod contact;
mod demands;
mod finish;
mod geodesic;
mod groups;
mod heat;
mod heat_sources;
mod quality;
mod solved_weights;
pub(in crate::weights) mod system;
mod visibility;
mod voxels;

use super::BoneSet;
use crate::{AuthorError, Progress, progress::tell};
use body::BodyJoints;
use groups::touching_groups;
pub use quality::WeightQuality;
use sinew::{Mesh, Weights};
use std::{fmt, str::FromStr};
use thiserror::Error;
pub(crate) use {bone_radius::InnerDistance, voxels::Voxels};

/// The algorithm that computes the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AutoMethod {
    /// The best of the other methods and their mixtures for each body, by qualities that are measured on the result.
    #[default]
    Auto,
    /// Bone heat: heat diffuses over the skin from the bones that are visible from it. On a closed body it is the closest to what
    /// artists paint; loose parts take the weights of the surface that they touch.
    Heat,
    /// Geodesic voxel: the distance to each bone through the inside of the body. It needs no solver and is the least smooth.
    VoxelGeodesic,
    /// Biharmonic: the smoothest functions in the volume of the body that are one on their bone and zero on the others. It is
    /// nearly as good as heat on a closed body, better with loose parts, and takes longest.
    Biharmonic,
    /// The mean of heat and biharmonic weights. Their errors differ, so the mean is often nearer to an artist's weights than both.
    Mixed,
}

impl AutoMethod {
    /// All methods, in order of preference.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Heat, Self::VoxelGeodesic, Self::Biharmonic, Self::Mixed];

    /// The name that [`FromStr`] accepts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Heat => "heat",
            Self::VoxelGeodesic => "voxel",
            Self::Biharmonic => "biharmonic",
            Self::Mixed => "mixed",
        }
    }
}

impl fmt::Display for AutoMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is not the name of a method.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown method {name:?}: must be auto, heat, voxel, biharmonic or mixed")]
pub struct UnknownAutoMethod {
    /// The name that was given.
    pub name: String,
}

impl FromStr for AutoMethod {
    type Err = UnknownAutoMethod;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownAutoMethod { name: name.into() };
        Self::ALL.into_iter().find(|m| m.name() == name).ok_or_else(unknown)
    }
}

/// How weights are computed and post-processed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoOptions {
    /// The algorithm to use.
    pub method: AutoMethod,
    /// The maximum number of influences per vertex, at least 1.
    pub influences: usize,
    /// The power to which weights are raised before they are normalized, 0.1 to 10. Above 1, joints blend over a shorter distance.
    /// On most characters 2 is closer to an artist's weights than 1 with every method.
    pub sharpness: f64,
    /// The fraction at the end of a bone that gives no weight, 0 to 0.9. Around a joint the skin then belongs to the child rather
    /// than to the parent, as artists paint it.
    pub gap: f64,
    /// The number of rounds in which weights are averaged with those of neighboring points, at most 1000.
    pub smooth: u32,
    /// The number of cells along the diagonal of the mesh's bounding box, 8 to 1000, for methods that fill the body with cells.
    /// Bulky bodies get fewer, because a ball would take minutes instead of seconds.
    pub resolution: u32,
}

impl Default for AutoOptions {
    fn default() -> Self {
        Self {
            method: AutoMethod::default(),
            influences: 4,
            sharpness: 2.0,
            gap: 0.2,
            smooth: 1,
            resolution: 120,
        }
    }
}

/// A solution that was measured, to choose the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoCandidate {
    /// The algorithm that computed it.
    pub method: AutoMethod,
    /// The qualities that were measured on it.
    pub quality: WeightQuality,
}

/// What was computed, guessed and left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AutoReport {
    /// The algorithm that computed the weights; for [`AutoMethod::Auto`] the one that was chosen.
    pub method: AutoMethod,
    /// The solutions between which [`AutoMethod::Auto`] chose.
    pub candidates: Vec<AutoCandidate>,
    /// The number of points, vertices without their copies, of the meshes that were solved together.
    pub points: usize,
    /// The number of connected parts of these meshes.
    pub parts: usize,
    /// The number of bones that were used.
    pub bones: usize,
    /// The number of joints without a child, whose bone tails are guesses.
    pub guessed_tails: usize,
    /// Slots without a bone because their bones lie mostly outside the mesh.
    pub outside: Vec<u16>,
    /// Slots that have no weight in any vertex.
    pub unused: Vec<u16>,
    /// Slots at the ends of limbs that the first attempt left without weight, so that there was a second one.
    pub demanded: Vec<u16>,
    /// The number of connected parts that no bone reaches. Their points follow the nearest bone.
    pub parts_without_source: usize,
    /// The number of points for which the method had no result. They follow the nearest bone.
    pub by_nearest: usize,
    /// The number of cells or cell corners that the method used.
    pub cells: usize,
    /// The largest number of influences of a vertex.
    pub max_influences: usize,
    /// The fraction of weight that the influence limit removed, averaged over points.
    pub mean_dropped: f64,
    /// The largest fraction of weight that the influence limit removed from a point.
    pub max_dropped: f64,
}

/// Automatic weights with their report.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoWeights {
    /// The weights, one entry per vertex. Copies of a point have equal weights.
    pub weights: Weights,
    /// What was computed, guessed and left out.
    pub report: AutoReport,
}

/// Computes weights for `mesh` from `bones`. Muscle weights that the mesh has stay; use [`BoneSet::of_character`], which gives
/// muscles no skin to carry.
///
/// ```
/// use sinew_author::{uninterrupted, weights::{BoneSet, auto::{AutoOptions, auto_weights}}};
///
/// let figure = sinew_samples::figure();
/// let body = &figure.instances()[0];
/// let bones = BoneSet::of_character(&figure, body.skin.unwrap());
/// let made = auto_weights(figure.mesh_of(body), &bones, &AutoOptions::default(), &mut uninterrupted)?;
/// assert_eq!(made.weights.vertex_count(), figure.mesh_of(body).vertex_count());
/// assert!(made.weights.max_influences() <= 4);
/// # Ok::<(), sinew_author::AuthorError>(())
/// ```
///
/// # Errors
/// If an option is out of range, the skin has no joints, more than 4,096 joints have a bone in the body and the method is
/// neither [`AutoMethod::Auto`] nor [`AutoMethod::VoxelGeodesic`], or `progress` stops the work. No mesh is refused.
pub fn auto_weights(
    mesh: &Mesh,
    bones: &BoneSet,
    options: &AutoOptions,
    progress: Progress<'_>,
) -> Result<AutoWeights, AuthorError> {
    Ok(auto_weights_together(&[mesh], bones, options, progress)?.remove(0))
}

/// Computes weights for meshes that share a skin, in the order of `meshes`. Those that touch are solved together, as one body;
/// the others apart.
///
/// # Errors
/// As [`auto_weights`].
pub fn auto_weights_together(
    meshes: &[&Mesh],
    bones: &BoneSet,
    options: &AutoOptions,
    progress: Progress<'_>,
) -> Result<Vec<AutoWeights>, AuthorError> {
    check(bones, options)?;
    tell(progress, 0, 1)?;
    let groups = touching_groups(meshes);
    let total: usize = meshes.iter().map(|mesh| mesh.vertex_count()).sum();
    let mut made: Vec<Option<AutoWeights>> = vec![None; meshes.len()];
    let mut done = 0;
    for group in &groups {
        let count: usize = group.iter().map(|&mesh| meshes[mesh].vertex_count()).sum();
        let [start, part] = [done, count].map(|n| n as f32 / total.max(1) as f32);
        let joints = BodyJoints { bones, demanded: &[] };
        let mut fraction = |done: f32| progress(start + part * done);
        solve_group(meshes, group, joints, options, &mut fraction)?
            .into_iter()
            .for_each(|(mesh, solved)| made[mesh] = Some(solved));
        done += count;
    }
    let mut made: Vec<AutoWeights> = made.into_iter().flatten().collect();
    for (group, demanded) in demands::unmet(meshes, &groups, bones, &made) {
        let joints = BodyJoints { bones, demanded: &demanded };
        for (mesh, mut solved) in
            solve_group(meshes, &groups[group], joints, options, &mut |_| progress(1.0))?
        {
            solved.report.demanded.clone_from(&demanded);
            made[mesh] = solved;
        }
    }
    tell(progress, 1, 1)?;
    Ok(made)
}

/// The weights of the meshes of a group, with their indices. Groups that are smaller than the whole get fewer cells.
fn solve_group(
    meshes: &[&Mesh],
    group: &[usize],
    joints: BodyJoints<'_>,
    options: &AutoOptions,
    progress: Progress<'_>,
) -> Result<Vec<(usize, AutoWeights)>, AuthorError> {
    let members: Vec<&Mesh> = group.iter().map(|&mesh| meshes[mesh]).collect();
    let part = groups::diagonal(&members) / groups::diagonal(meshes).max(f64::MIN_POSITIVE);
    let resolution = (f64::from(options.resolution) * part.clamp(0.0, 1.0)).round() as u32;
    let options = AutoOptions {
        resolution: resolution.clamp(options.resolution.min(MIN_PART_CELLS), options.resolution),
        ..*options
    };
    Ok(group.iter().copied().zip(body::solve(&members, joints, &options, progress)?).collect())
}

/// A group of meshes gets at least this many cells along its diagonal, however small it is.
const MIN_PART_CELLS: u32 = 40;

fn check(bones: &BoneSet, options: &AutoOptions) -> Result<(), AuthorError> {
    let bad = |option, value, wanted| Err(AuthorError::BadOption { option, value, wanted });
    if bones.slot_count() == 0 {
        return bad("joints", 0.0, "at least one");
    }
    if options.influences == 0 {
        return bad("influences", 0.0, "at least one");
    }
    if !(0.1..=10.0).contains(&options.sharpness) {
        return bad("sharpness", options.sharpness, "from 0.1 to 10");
    }
    if !(0.0..=0.9).contains(&options.gap) {
        return bad("gap", options.gap, "from 0 to 0.9");
    }
    if options.smooth > 1000 {
        return bad("smooth", f64::from(options.smooth), "at most 1000");
    }
    if !(8..=1000).contains(&options.resolution) {
        return bad("resolution", f64::from(options.resolution), "from 8 to 1000");
    }
    Ok(())
}
