//! Weights made from nothing but a mesh and its bones.
//!
//! Any mesh will do: open, in parts, with duplicated, flipped or flat triangles, with bones outside it. Every vertex gets
//! weights; what had to be guessed is counted in the report.

mod biharmonic;
mod contact;
mod finish;
mod geodesic;
mod heat;
mod seen;
mod shares;
mod sources;
pub(in crate::weights) mod system;
mod voxels;

use super::{BoneSet, surface::WeldedSurface};
use crate::{AuthorError, Progress, progress::tell};
use shares::SolvedWeights;
use sinew::{Mesh, Weights};
use sources::Sources;
use std::{fmt, str::FromStr};
use thiserror::Error;
use voxels::Voxels;

/// How weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AutoMethod {
    /// Heat that spreads along the skin from the bones that it sees. The nearest to what artists paint on a closed body;
    /// loose parts take it over where they touch.
    Heat,
    /// The length of the way through the body to each bone. Needs no solver; the least smooth.
    VoxelGeodesic,
    /// The smoothest functions of the body's volume that are one on their bone and zero on the others. Nearly as good on a closed
    /// body and better where it has loose parts; takes longest.
    #[default]
    Biharmonic,
}

impl AutoMethod {
    /// Every method.
    pub const ALL: [Self; 3] = [Self::Heat, Self::VoxelGeodesic, Self::Biharmonic];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Heat => "heat",
            Self::VoxelGeodesic => "voxel",
            Self::Biharmonic => "biharmonic",
        }
    }
}

impl fmt::Display for AutoMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no method has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no method is called {name:?}; there are heat, voxel and biharmonic")]
pub struct UnknownAutoMethod {
    /// What was asked for.
    pub name: String,
}

impl FromStr for AutoMethod {
    type Err = UnknownAutoMethod;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownAutoMethod { name: name.into() };
        Self::ALL.into_iter().find(|m| m.name() == name).ok_or_else(unknown)
    }
}

/// How weights are found and finished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoOptions {
    /// How they are found.
    pub method: AutoMethod,
    /// The most influences of a vertex, at least 1.
    pub influences: usize,
    /// The power that weights are raised to before they are scaled to sum to one, 0.1 to 10: above 1 joints blend over
    /// a shorter stretch. On a human body 1.5 comes nearer to an artist's weights than 1 with every method.
    pub sharpness: f64,
    /// The share of a bone before the next joint that gives no weight, 0 to 0.9: around a joint the skin belongs to the child
    /// rather than to the parent, as artists paint it.
    pub gap: f64,
    /// How often weights are averaged with those of neighbouring points, at most 1000.
    pub smooth: u32,
    /// Cells along the diagonal of the mesh's box, 8 to 1000, where a method fills the body with cells. Bulky bodies get
    /// fewer: a ball would take minutes instead of seconds.
    pub resolution: u32,
}

impl Default for AutoOptions {
    fn default() -> Self {
        Self {
            method: AutoMethod::default(),
            influences: 4,
            sharpness: 1.5,
            gap: 0.2,
            smooth: 1,
            resolution: 120,
        }
    }
}

/// What was found, guessed and left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AutoReport {
    /// How the weights were found.
    pub method: AutoMethod,
    /// Points, that is vertices without their copies.
    pub points: usize,
    /// Connected parts of the mesh.
    pub parts: usize,
    /// Bones that were used.
    pub bones: usize,
    /// Joints without a child, whose bones' tails are guesses.
    pub guessed_tails: usize,
    /// Slots that got no bone because theirs lie mostly outside the mesh.
    pub outside: Vec<u16>,
    /// Slots without weight in any vertex.
    pub unused: Vec<u16>,
    /// Connected parts that no bone reaches: their points follow the nearest bone.
    pub parts_without_source: usize,
    /// Points for which the method had no answer: they follow the nearest bone.
    pub by_nearest: usize,
    /// Cells or corners of cells that the method worked on.
    pub cells: usize,
    /// The most influences of a vertex.
    pub max_influences: usize,
    /// The share of weight, on average over points, that the limit of influences cut away.
    pub mean_dropped: f64,
    /// The largest such share of a point.
    pub most_dropped: f64,
}

/// Automatic weights and how they came about.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoWeights {
    /// The weights: one entry a vertex, copies of one point alike.
    pub weights: Weights,
    /// What was found, guessed and left out.
    pub report: AutoReport,
}

/// Finds which of `bones` move each vertex of `mesh`.
///
/// ```
/// use sinew_author::{uninterrupted, weights::{Bones, auto::{AutoOptions, auto_weights}}};
///
/// let figure = sinew_samples::figure();
/// let body = &figure.instances()[0];
/// let bones = Bones::of_skin(figure.skeleton(), figure.skin_of(body).unwrap());
/// let made = auto_weights(figure.mesh_of(body), &bones, &AutoOptions::default(), &mut uninterrupted)?;
/// assert_eq!(made.weights.vertex_count(), figure.mesh_of(body).vertex_count());
/// assert!(made.weights.max_influences() <= 4);
/// # Ok::<(), sinew_author::AuthorError>(())
/// ```
///
/// # Errors
/// Where an option is out of range, the skin has no joints, or `progress` says to stop. No mesh is refused.
pub fn auto_weights(
    mesh: &Mesh,
    bones: &BoneSet,
    options: &AutoOptions,
    progress: Progress<'_>,
) -> Result<AutoWeights, AuthorError> {
    check(bones, options)?;
    tell(progress, 0, 1)?;
    let surface = WeldedSurface::new(mesh);
    let voxels = Voxels::within_budget(&surface, resolution(options));
    let sources = Sources::new(&surface, bones, &voxels, options.gap);
    let mut report = AutoReport {
        method: options.method,
        points: surface.len(),
        parts: surface.components().1,
        bones: sources.bones.len(),
        guessed_tails: bones.guessed_tails(),
        outside: sources.outside.clone(),
        ..AutoReport::default()
    };
    let mut share = |done: f32| progress(0.05 + 0.85 * done);
    let found = match options.method {
        AutoMethod::Heat => heat::heat(&surface, &sources, &mut share)?,
        AutoMethod::VoxelGeodesic => geodesic::geodesic(&surface, &sources, &voxels, &mut share)?,
        AutoMethod::Biharmonic => biharmonic::biharmonic(&surface, &sources, &voxels, &mut share)?,
    };
    let SolvedWeights { shares, parts_without_source, cells } = found;
    (report.parts_without_source, report.cells) = (parts_without_source, cells);
    let shares = finish::finish(&surface, &sources, shares, options, &mut report);
    tell(progress, 95, 100)?;
    let weights = finish::to_weights(&surface, &sources, bones.slot_count(), &shares)?;
    report.max_influences = weights.max_influences();
    report.unused = finish::unused_slots(&weights, bones.slot_count());
    tell(progress, 1, 1)?;
    Ok(AutoWeights { weights, report })
}

/// Heat only asks whether bones lie inside; coarse cells tell.
fn resolution(options: &AutoOptions) -> u32 {
    if options.method == AutoMethod::Heat { options.resolution.min(64) } else { options.resolution }
}

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
