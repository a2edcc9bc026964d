//! The only way to change a [`Document`].
//!
//! A command is plain data that can be recorded and replayed. [`Command::apply`] edits a document and returns the
//! [`DocumentPiece`]s that it replaced: exchanging them undoes the command, exchanging them again redoes it.
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

mod error;
mod graph;
mod helper_joints;
mod info;
mod keys;
mod limit;
mod play;
mod pose;
mod precompute;
mod reach;
mod rig;
mod select;
mod validate;
mod weights;

pub use error::CommandError;
pub use helper_joints::{HelperEdit, MuscleData};
pub use info::{CommandInfo, Touches};
pub use pose::PoseData;
pub use select::{SelectBy, SelectMode};
pub(crate) use weights::EditedMesh;
pub use weights::{BrushKind, BrushStroke, CopiedWeights, WeightOp, WeightsData};

use crate::document::{AtEnd, Document, DocumentPiece, DocumentSource, JointLimit, Mix, PlaybackRate};
use helper_joints::BoneJoints;
use serde::{Deserialize, Serialize};
use sinew::{JointId, Method};
use sinew_author::helper_joints::RollOptions;

/// An edit of a document. Joints are indices in the skeleton, instances are indices in the character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Opens another character.
    Open(DocumentSource),
    /// Selects one joint, or none.
    SelectJoint(Option<u16>),
    /// Selects vertices of an instance.
    SelectVertices {
        /// The instance.
        instance: usize,
        /// The vertices.
        vertices: Vec<u32>,
        /// How they combine with the current selection.
        #[serde(alias = "how")]
        mode: SelectMode,
    },
    /// Selects vertices by a rule, on every instance with a skin.
    SelectBy {
        /// The rule.
        by: SelectBy,
        /// How they combine with the current selection; rules that start from the selection replace it.
        #[serde(default, alias = "how")]
        mode: SelectMode,
    },
    /// Deselects all vertices.
    ClearVertices,
    /// Locks or unlocks the weights of a joint.
    Lock {
        /// The joint.
        joint: u16,
        /// True to lock.
        is_locked: bool,
    },
    /// Sets the deformation method by name.
    SetMethod(String),
    /// Precomputes the data of a deformation method, by the method's name.
    #[serde(rename = "prepare")]
    Precompute(String),
    /// Sets a joint's rotation relative to its parent.
    Rotate {
        /// The joint.
        joint: u16,
        /// The quaternion xyzw, normalized by the command.
        rotation: [f32; 4],
    },
    /// Sets a joint's translation relative to its parent.
    Translate {
        /// The joint.
        joint: u16,
        /// The translation in meters.
        translation: [f32; 3],
    },
    /// Sets a joint's scale along its own axes.
    Scale {
        /// The joint.
        joint: u16,
        /// The factor per axis.
        scale: [f32; 3],
    },
    /// Moves a joint to a point by inverse kinematics, within enforced limits.
    Reach {
        /// The joint.
        joint: u16,
        /// The target in model space, in meters.
        target: [f32; 3],
        /// The number of ancestors that rotate; two use the two-bone solver.
        chain: usize,
    },
    /// Sets or removes the limit of a joint.
    SetLimit {
        /// The joint.
        joint: u16,
        /// Ranges about the joint's axes in degrees.
        limit: Option<JointLimit>,
    },
    /// Says whether joint limits are enforced.
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
        /// Keys per second.
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
    /// Sets a parameter of the graph; booleans are 1 and 0.
    SetParameter {
        /// The name of the parameter.
        name: String,
        /// The new value.
        value: f32,
    },
    /// Keys the pose into the chosen clip at the playhead, or into a new clip if none is chosen.
    KeyPose,
    /// Sets the weight of a joint in vertices; the other influences are scaled to the rest.
    SetWeight {
        /// The instance.
        instance: usize,
        /// The vertices.
        vertices: Vec<u32>,
        /// The joint.
        joint: u16,
        /// The weight, 0 to 1.
        weight: f32,
    },
    /// Runs an operation on the weights of the selected vertices of an instance, or of all if none is selected.
    Weights {
        /// The instance.
        instance: usize,
        /// The operation.
        op: WeightOp,
    },
    /// Paints weights.
    Paint(BrushStroke),
    /// Applies copied weights to the selected vertices of an instance.
    PasteWeights {
        /// The instance.
        instance: usize,
        /// The copied weights.
        copied: CopiedWeights,
        /// True to give every vertex the mean of the copied weights; otherwise they are applied in order.
        is_mean: bool,
    },
    /// Replaces the weights of a mesh by the result of a background job, so that replay does not compute it again.
    #[serde(rename = "take-weights")]
    ReplaceWeights {
        /// The instance.
        instance: usize,
        /// The label in the history.
        name: String,
        /// The weights.
        weights: WeightsData,
    },
    /// Inserts a twist joint into the bone of a joint and distributes the weights over both.
    SplitJoint {
        /// The instance whose skin gets the joint.
        instance: usize,
        /// The joint.
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
    /// Edits a helper.
    EditHelper {
        /// The helper's index.
        helper: usize,
        /// The edit.
        edit: HelperEdit,
    },
    /// Removes a helper and the joints that only it uses.
    RemoveHelper(usize),
    /// Makes the pose the bind pose of the skin of an instance.
    BakeBind {
        /// The instance.
        instance: usize,
    },
    /// Fixes findings of the skin doctor.
    #[serde(rename = "mend")]
    Fix {
        /// The code of the findings, or everything that can be fixed.
        code: Option<String>,
        /// The check target, as the command line spells it.
        target: Option<String>,
    },
}

const OPEN: CommandInfo = CommandInfo::new("open", "Open", "Open another character", Touches::Document);
const SET_METHOD: CommandInfo =
    CommandInfo::new("set-method", "Deform by", "Choose the deformation method", Touches::Settings);

impl Command {
    /// The row of the command table: label, tooltip, journal key and flags.
    pub const fn info(&self) -> &'static CommandInfo {
        match self {
            Self::Open(_) => &OPEN,
            Self::SelectJoint(_) => &select::JOINT,
            Self::SelectVertices { .. } => &select::VERTICES,
            Self::SelectBy { by, .. } => by.info(),
            Self::ClearVertices => &select::CLEAR,
            Self::Lock { is_locked: true, .. } => &select::LOCK,
            Self::Lock { is_locked: false, .. } => &select::UNLOCK,
            Self::SetMethod(_) => &SET_METHOD,
            Self::Precompute(_) => &precompute::PRECOMPUTE,
            Self::Rotate { .. } => &pose::ROTATE,
            Self::Translate { .. } => &pose::TRANSLATE,
            Self::Scale { .. } => &pose::SCALE,
            Self::Reach { .. } => &reach::REACH,
            Self::SetLimit { limit: Some(_), .. } => &limit::SET,
            Self::SetLimit { limit: None, .. } => &limit::FREE,
            Self::EnforceLimits(true) => &limit::ENFORCE,
            Self::EnforceLimits(false) => &limit::IGNORE,
            Self::ResetJoint(_) => &pose::RESET_JOINT,
            Self::ResetPose => &pose::RESET,
            Self::PastePose(_) => &pose::PASTE,
            Self::MirrorPose => &pose::MIRROR,
            Self::ChooseClip(Some(_)) => &play::CHOOSE_CLIP,
            Self::ChooseClip(None) => &play::NO_CLIP,
            Self::Scrub { .. } => &play::SCRUB,
            Self::SetEnd(_) => &play::SET_END,
            Self::SetSpeed(_) => &play::SET_SPEED,
            Self::SetRange(_) => &play::SET_RANGE,
            Self::SetRate(_) => &play::SET_RATE,
            Self::SetMix(_) => &play::SET_MIX,
            Self::BakeMix { .. } => &play::BAKE_MIX,
            Self::OpenGraph { .. } => &graph::OPEN,
            Self::CloseGraph => &graph::CLOSE,
            Self::SetParameter { .. } => &graph::SET,
            Self::KeyPose => &keys::KEY_POSE,
            Self::SetWeight { .. } => &weights::SET,
            Self::Weights { op, .. } => op.info(),
            Self::Paint(_) => &weights::PAINT,
            Self::PasteWeights { .. } => &weights::PASTE,
            Self::ReplaceWeights { .. } => &weights::REPLACE,
            Self::SplitJoint { .. } => &rig::SPLIT,
            Self::AddRolls { .. } => &helper_joints::ADD_ROLLS,
            Self::AddMuscle { .. } => &helper_joints::ADD_MUSCLE,
            Self::EditHelper { edit, .. } => edit.info(),
            Self::RemoveHelper(_) => &helper_joints::REMOVE,
            Self::BakeBind { .. } => &rig::BAKE_BIND,
            Self::Fix { code: Some(_), .. } => &rig::FIX,
            Self::Fix { code: None, .. } => &rig::FIX_ALL,
        }
    }

    /// The label in the history: that of the row, with the parameter that tells commands of one kind apart.
    pub fn name(&self) -> String {
        let label = self.info().label;
        match self {
            Self::Open(source) => format!("{label} {source}"),
            Self::SetMethod(name) | Self::Precompute(name) => format!("{label} {name}"),
            Self::OpenGraph { name, .. } | Self::SetParameter { name, .. } => format!("{label} {name}"),
            Self::Fix { code: Some(code), .. } => format!("{label} {code}"),
            Self::ReplaceWeights { name, .. } => name.clone(),
            _ => label.into(),
        }
    }

    /// Edits `document` and returns the replaced pieces.
    ///
    /// # Errors
    /// If the command refers to something that does not exist or a value is out of range; the document is unchanged then.
    pub fn apply(&self, document: &mut Document) -> Result<Vec<DocumentPiece>, CommandError> {
        match self {
            Self::Open(source) => open(document, source),
            Self::SelectJoint(joint) => select::joint(document, *joint),
            Self::SelectVertices { instance, vertices, mode } => {
                select::vertices(document, *instance, vertices, *mode)
            }
            Self::SelectBy { by, mode } => select::by(document, *by, *mode),
            Self::ClearVertices => Ok(select::clear(document)),
            Self::Lock { joint, is_locked } => select::lock(document, *joint, *is_locked),
            Self::SetMethod(name) => set_method(document, name),
            Self::Precompute(method) => precompute::precompute(document, method),
            Self::Rotate { joint, rotation } => pose::rotate(document, *joint, *rotation),
            Self::Translate { joint, translation } => pose::translate(document, *joint, *translation),
            Self::Scale { joint, scale } => pose::scale(document, *joint, *scale),
            Self::Reach { joint, target, chain } => reach::reach(document, *joint, *target, *chain),
            Self::SetLimit { joint, limit } => limit::set(document, *joint, *limit),
            Self::EnforceLimits(are_enforced) => Ok(limit::enforce(document, *are_enforced)),
            Self::ResetJoint(joint) => pose::reset_joint(document, *joint),
            Self::ResetPose => Ok(pose::reset(document)),
            Self::PastePose(data) => pose::paste(document, data),
            Self::MirrorPose => pose::mirror(document),
            Self::ChooseClip(clip) => play::choose_clip(document, *clip),
            Self::Scrub { time_secs } => play::scrub(document, *time_secs),
            Self::SetEnd(end) => Ok(play::edit(document, |playhead| playhead.end = *end)),
            Self::SetSpeed(speed) => play::set_speed(document, *speed),
            Self::SetRange(range_secs) => play::set_range(document, *range_secs),
            Self::SetRate(rate) => play::set_rate(document, *rate),
            Self::SetMix(mix) => play::set_mix(document, *mix),
            Self::BakeMix { fps } => play::bake_mix(document, *fps),
            Self::OpenGraph { name, text } => graph::open(document, name, text),
            Self::CloseGraph => Ok(graph::close(document)),
            Self::SetParameter { name, value } => graph::set(document, name, *value),
            Self::KeyPose => keys::key_pose(document),
            Self::SetWeight { instance, vertices, joint, weight } => {
                weights::set(document, *instance, vertices, *joint, *weight)
            }
            Self::Weights { instance, op } => weights::operate(document, *instance, op),
            Self::Paint(stroke) => weights::paint(document, stroke),
            Self::PasteWeights { instance, copied, is_mean } => {
                weights::paste(document, *instance, copied, *is_mean)
            }
            Self::ReplaceWeights { instance, weights, .. } => {
                weights::replace_all(document, *instance, weights)
            }
            Self::SplitJoint { instance, joint } => rig::split(document, *instance, *joint),
            Self::AddRolls { joint, child, count, at_start, max_influences } => {
                let end = helper_joints::twist_end(*at_start);
                let options = RollOptions { count: *count, end, max_influences: *max_influences };
                let bone = BoneJoints { start: JointId(*joint), end: JointId(*child) };
                helper_joints::rolls(document, bone, &options)
            }
            Self::AddMuscle { bone, source, muscle } => {
                let bone = BoneJoints { start: JointId(*bone), end: JointId(*source) };
                helper_joints::muscle(document, bone, *muscle)
            }
            Self::EditHelper { helper, edit } => helper_joints::edit(document, *helper, *edit),
            Self::RemoveHelper(helper) => helper_joints::remove(document, *helper),
            Self::BakeBind { instance } => rig::bake_bind(document, *instance),
            Self::Fix { code, target } => rig::fix(document, code.as_deref(), target.as_deref()),
        }
    }
}

fn open(document: &mut Document, source: &DocumentSource) -> Result<Vec<DocumentPiece>, CommandError> {
    let opened = source.open()?;
    let next = Document::new(source.clone(), opened);
    Ok(vec![DocumentPiece::Document(Box::new(std::mem::replace(document, next)))])
}

fn set_method(document: &mut Document, name: &str) -> Result<Vec<DocumentPiece>, CommandError> {
    let method: Method = name.parse()?;
    let before = DocumentPiece::Method(document.method());
    document.set_method(method);
    Ok(vec![before])
}
