//! The only way to change a [`Document`](crate::document::Document).
//!
//! A command is plain data that can be recorded and replayed. [`Command::apply`] edits a document and returns the
//! [pieces](crate::document::DocumentPiece) that it replaced: exchanging them undoes the command, exchanging them again
//! redoes it.
//!
//! ```
//! use sinew_studio::{command::Command, document::{Document, DocumentSource}};
//!
//! let source = DocumentSource::Builtin("arm".into());
//! let mut document = Document::new(source.clone(), source.open()?);
//! let before = document.clone();
//! let turn = Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.6, 0.8] };
//! for piece in &mut turn.apply(&mut document)? {
//!     piece.exchange(&mut document)?;
//! }
//! assert_eq!(document, before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod clips;
mod document;
mod error;
mod graph;
mod helper_joints;
mod info;
mod keys;
mod limit;
mod meta_joint;
mod play;
mod pose;
mod precompute;
mod reach;
mod rig;
mod select;
mod table;
mod validate;
mod weights;

pub use clips::ClipEdit;
pub use error::CommandError;
pub use helper_joints::{HelperEdit, MuscleData};
pub use info::{CommandInfo, Touches};
pub use pose::PoseData;
pub use select::{SelectBy, SelectMode};
pub use weights::{BrushKind, BrushStroke, CopiedWeights, WeightOp, WeightsData};
pub(crate) use weights::{EditedMesh, MeshReach, by_mesh};

use crate::document::{AtEnd, DocumentSource, JointLimit, Mix, PlaybackRate};
use serde::{Deserialize, Serialize};

/// An edit of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Opens another character in place of the open one.
    Open(DocumentSource),
    /// Selects one joint, or none.
    SelectJoint(Option<u16>),
    /// Selects vertices of an instance.
    SelectVertices {
        /// The index of the instance in the character.
        instance: usize,
        /// The indices of the vertices in the mesh of the instance.
        vertices: Vec<u32>,
        /// How they combine with the current selection.
        #[serde(alias = "how")]
        mode: SelectMode,
    },
    /// Selects vertices by a rule, on every instance with a skin.
    SelectBy {
        /// The rule that finds the vertices.
        by: SelectBy,
        /// How they combine with the current selection; rules that start from the selection replace it.
        #[serde(default, alias = "how")]
        mode: SelectMode,
    },
    /// Deselects all vertices of every instance.
    ClearVertices,
    /// Locks or unlocks the weights of a joint.
    Lock {
        /// The index of the joint in the skeleton.
        joint: u16,
        /// True to lock the weights, false to unlock them.
        is_locked: bool,
    },
    /// Sets the deformation method by name.
    SetMethod(String),
    /// Precomputes the data of a deformation method, by the method's name.
    #[serde(rename = "prepare")]
    Precompute(String),
    /// Sets a joint's rotation relative to its parent.
    Rotate {
        /// The index of the joint in the skeleton.
        joint: u16,
        /// The rotation as a quaternion xyzw; it need not be normalized.
        rotation: [f32; 4],
    },
    /// Sets a joint's translation relative to its parent.
    Translate {
        /// The index of the joint in the skeleton.
        joint: u16,
        /// The translation in meters.
        translation: [f32; 3],
    },
    /// Sets a joint's scale along its own axes.
    Scale {
        /// The index of the joint in the skeleton.
        joint: u16,
        /// The factor per axis.
        scale: [f32; 3],
    },
    /// Sets the weight of a morph target of a mesh instance.
    SetMorph {
        /// The slot of the morph weight in a pose.
        slot: usize,
        /// The new weight, 0 to leave the mesh and 1 for the whole target; others are allowed.
        weight: f32,
    },
    /// Moves a joint to a point by inverse kinematics, within enforced limits.
    Reach {
        /// The index of the joint in the skeleton.
        joint: u16,
        /// The target in model space, in meters.
        target: [f32; 3],
        /// The number of ancestors that rotate; two use the two-bone solver.
        chain: usize,
    },
    /// Rotates the joints of a meta-joint by angles about its axes, within enforced limits.
    SetAngles {
        /// The name of the meta-joint.
        meta_joint: String,
        /// One angle per axis in degrees from rest, the outermost axis first.
        degrees: Vec<f32>,
    },
    /// Sets or removes the limit of a joint.
    SetLimit {
        /// The index of the joint in the skeleton.
        joint: u16,
        /// Ranges about the joint's axes in degrees.
        limit: Option<JointLimit>,
    },
    /// Turns the enforcement of joint limits on or off.
    #[serde(rename = "keep-limits")]
    EnforceLimits(bool),
    /// Returns a joint to its rest pose.
    ResetJoint(u16),
    /// Returns every joint to its rest pose.
    ResetPose,
    /// Replaces the whole pose.
    PastePose(PoseData),
    /// Swaps the pose of the left and the right side.
    MirrorPose,
    /// Chooses a clip and takes its first pose; without a clip the pose is kept.
    ChooseClip(Option<usize>),
    /// Goes to a time of the clip and takes its pose there.
    Scrub {
        /// Seconds from the start of the clip.
        time_secs: f32,
    },
    /// Sets what happens at the end of the clip.
    SetEnd(AtEnd),
    /// Sets the playback speed.
    SetSpeed(f32),
    /// Sets the played range in seconds from the start of the clip, or the whole clip.
    SetRange(Option<[f32; 2]>),
    /// Sets how often poses are evaluated during playback.
    SetRate(PlaybackRate),
    /// Blends another clip into the chosen one, or none.
    SetMix(Option<Mix>),
    /// Bakes the blend of two clips to a new clip and chooses it.
    BakeMix {
        /// Keys per second of the new clip.
        fps: f32,
    },
    /// Opens a blend graph, which plays in place of a clip.
    OpenGraph {
        /// The name of the graph file.
        name: String,
        /// The content of the file.
        text: String,
    },
    /// Closes the blend graph.
    CloseGraph,
    /// Sets a parameter of the graph.
    SetParameter {
        /// The name of the parameter.
        name: String,
        /// The new value; 1 and 0 for booleans.
        value: f32,
    },
    /// Keys the pose into the chosen clip at the playhead, or into a new clip of two seconds if none is chosen.
    KeyPose,
    /// Keys the rotations of a meta-joint's joints as [`Command::KeyPose`] keys the whole pose.
    KeyMetaJoint(
        /// The name of the meta-joint.
        String,
    ),
    /// Adds a clip without keys and chooses it.
    NewClip {
        /// The name of the clip; no other clip has it.
        name: String,
        /// How long the clip lasts, in seconds.
        duration_secs: f32,
    },
    /// Edits the chosen clip.
    EditClip(ClipEdit),
    /// Sets the weight of a joint in vertices; the other influences are scaled to the rest.
    SetWeight {
        /// The index of the instance in the character.
        instance: usize,
        /// The indices of the vertices in the mesh of the instance.
        vertices: Vec<u32>,
        /// The index of the joint in the skeleton.
        joint: u16,
        /// The weight, 0 to 1.
        weight: f32,
    },
    /// Runs an operation on the weights of the selected vertices of instances, or of all vertices of an instance without
    /// selected ones.
    Weights {
        /// The indices of the instances in the character.
        #[serde(alias = "instance", deserialize_with = "one_or_many")]
        instances: Vec<usize>,
        /// The operation and its parameters.
        op: WeightOp,
    },
    /// Paints weights of one joint with a brush.
    Paint(BrushStroke),
    /// Applies copied weights to the selected vertices of instances.
    PasteWeights {
        /// The indices of the instances in the character.
        #[serde(alias = "instance", deserialize_with = "one_or_many")]
        instances: Vec<usize>,
        /// The copied weights, one list of influences per vertex.
        copied: CopiedWeights,
        /// True to give every vertex the mean of the copied weights; otherwise they are applied in order.
        is_mean: bool,
    },
    /// Replaces the weights of a mesh by the result of a background job, so that replay does not compute it again.
    #[serde(rename = "take-weights")]
    ReplaceWeights {
        /// The index of the instance in the character.
        instance: usize,
        /// The label in the history.
        name: String,
        /// The weights of every vertex of the mesh.
        weights: WeightsData,
        /// Further instances with their weights.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        more: Vec<(usize, WeightsData)>,
    },
    /// Sets whether a joint is compensated for its parent's own scale.
    CompensateScale {
        /// The index of the joint in the skeleton.
        joint: u16,
        /// False if it inherits all scale.
        is_compensated: bool,
    },
    /// Inserts a twist joint into the bone of a joint and distributes the weights over both.
    SplitJoint {
        /// The instance whose skin gets the joint.
        instance: usize,
        /// The index of the joint in the skeleton.
        joint: u16,
    },
    /// Inserts roll joints into the bone between two joints and distributes its weights and twist over them.
    AddRolls {
        /// The joint at the start of the bone.
        joint: u16,
        /// The joint at its end.
        child: u16,
        /// The number of roll joints.
        count: usize,
        /// True if the joint at the start twists, as in a shoulder, and not the one at the end.
        #[serde(default)]
        at_start: bool,
        /// The maximum number of influences of a vertex afterwards, 0 for no limit.
        #[serde(default, alias = "most")]
        max_influences: usize,
    },
    /// Adds a muscle to a bone that bulges as a joint bends.
    AddMuscle {
        /// The joint at the start of the bone.
        bone: u16,
        /// The joint whose bend drives the muscle.
        source: u16,
        /// Position, size and strength.
        #[serde(default)]
        muscle: MuscleData,
    },
    /// Edits one setting of a helper.
    EditHelper {
        /// The index of the helper in the character.
        helper: usize,
        /// The setting and its new value.
        edit: HelperEdit,
    },
    /// Removes a helper and the joints that only it uses.
    RemoveHelper(usize),
    /// Makes the pose the bind pose of the skin of an instance.
    BakeBind {
        /// The index of the instance in the character.
        instance: usize,
    },
    /// Fixes findings of the skin doctor.
    #[serde(alias = "mend")]
    Fix {
        /// The code of the findings, or everything that can be fixed.
        code: Option<String>,
        /// The check target, as the command line spells it.
        target: Option<String>,
    },
}

/// A list of indices, or one index as older journals have it.
fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<usize>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Indices {
        One(usize),
        Many(Vec<usize>),
    }
    Ok(match Indices::deserialize(from)? {
        Indices::One(index) => vec![index],
        Indices::Many(indices) => indices,
    })
}
