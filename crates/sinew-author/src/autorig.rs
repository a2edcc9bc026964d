//! A skeleton and weights for a static mesh of a standing body.
//!
//! [`rig_body`] takes a person in T- or A-pose or a four-legged animal, y up, and fits a template of the bones of VRM to the solid
//! that the mesh encloses: legs are where its horizontal layers are apart, arms are the centered paths from the hands to the
//! trunk, and the neck is the thinnest layer above the shoulders. The curve skeletons are shortest paths that prefer the middle
//! of the body, after Masayuki Sato, Ingmar Bitter, Michael Bender, Arie Kaufman and Masato Nakajima, 2000, "TEASAR:
//! Tree-structure Extraction Algorithm for Accurate and Robust Skeletons".
//!
//! ```
//! use sinew_author::{autorig::{AutorigOptions, rig_body}, uninterrupted};
//!
//! let figure = sinew_samples::figure();
//! let rigged = rig_body(&figure, &AutorigOptions::default(), &mut uninterrupted)?;
//! assert!(rigged.character.humanoid().is_some());
//! assert!(rigged.character.meshes()[0].weights().is_some());
//! # Ok::<(), sinew_author::autorig::AutorigError>(())
//! ```

mod bind;
mod four_legged;
mod layers;
mod limb;
mod solid;
mod template;
mod upright;

use crate::{AuthorError, Progress, weights::auto::AutoOptions};
use sinew::{
    Character, CharacterError, DeformError, HumanBone, HumanoidError, MeshError, SkeletonError, SkinError,
};
use thiserror::Error;

/// The kind of body that a template is fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Four legs if four parts touch the ground, otherwise two.
    #[default]
    Auto,
    /// A standing person, or an animal on two legs.
    Upright,
    /// An animal on four legs.
    FourLegged,
}

/// How a body is rigged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AutorigOptions {
    /// The kind of body.
    pub kind: BodyKind,
    /// How weights are computed.
    pub weights: AutoOptions,
}

/// A character with a new skeleton.
#[derive(Clone, Debug)]
pub struct Autorigged {
    /// The character, in the pose and place of the mesh.
    pub character: Character,
    /// The kind and size of the body, and what was guessed.
    pub report: AutorigReport,
}

/// What was found in a body, and what was guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AutorigReport {
    /// The kind of body that was fitted.
    pub kind: BodyKind,
    /// The height of the body, in meters.
    pub height: f64,
    /// Bones whose place is a proportion of the body, because its shape does not show it.
    pub guessed: Vec<HumanBone>,
}

/// Why a body could not be rigged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AutorigError {
    /// There is no surface to fit a skeleton to.
    #[error("there is no visible mesh with triangles")]
    NoSurface,
    /// The visible meshes do not have a height.
    #[error("the body must have a height and a width, got {height} by {width} meters")]
    Flat {
        /// The extent along y.
        height: f64,
        /// The larger extent along x or z.
        width: f64,
    },
    /// The character cannot be posed.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// A mesh cannot be rebuilt.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The joints do not form a skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The skeleton does not form a skin.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The joints do not form a humanoid.
    #[error(transparent)]
    Humanoid(#[from] HumanoidError),
    /// The parts do not form a character.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// Weights cannot be computed.
    #[error(transparent)]
    Author(#[from] AuthorError),
}

/// Gives the visible meshes of `character`, in their rest pose, a skeleton and weights. A skin that they have is ignored, and so
/// are clips, because they move another skeleton.
///
/// # Errors
/// If there is no mesh with a height and a width, a weight option is out of range, or `progress` stops the work.
pub fn rig_body(
    character: &Character,
    options: &AutorigOptions,
    progress: Progress<'_>,
) -> Result<Autorigged, AutorigError> {
    let placed = bind::PlacedMeshes::of(character)?;
    let (joints, report) = template::fit(&placed.meshes, options.kind)?;
    let character = placed.bound(character, &joints, &options.weights, progress)?;
    Ok(Autorigged { character, report })
}
