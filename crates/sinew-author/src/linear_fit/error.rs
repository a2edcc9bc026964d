//! Errors of fitting to linear blend skinning.

use crate::{AuthorError, helper_joints::HelperJointError, weights::rig::RigError};
use sinew::{
    CharacterError, ClipError, CurveError, DeformError, MeshError, SkeletonError, SkinError, WeightsError,
};
use thiserror::Error;

/// Why a character cannot be fitted.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LinearFitError {
    /// No mesh is skinned.
    #[error("no mesh of the character is skinned")]
    NoSkin,
    /// Muscle weights displace vertices before they are skinned, which no other engine does.
    #[error("mesh {mesh:?} has muscle weights, which other engines do not show; remove the muscles first")]
    Muscles {
        /// The name of the mesh.
        mesh: String,
    },
    /// There are no poses to fit.
    #[error("there are no poses to fit: the character has no clips, and no range of motion is asked for")]
    NoPoses,
    /// An option is out of range, or the caller stopped the work.
    #[error(transparent)]
    Author(#[from] AuthorError),
    /// A mesh cannot be fitted for one skin alone.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The method could not deform the character.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// A joint could not be added.
    #[error(transparent)]
    HelperJoint(#[from] HelperJointError),
    /// The joints do not form a skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The joints do not form a skin.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The weights are not valid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The weights do not fit the mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The keys do not form a curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The keys do not form a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The parts do not form a character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}
