//! The only way to change a [`Document`].
//!
//! A command is plain data that can be written to a file and done again. [`Command::apply`] changes a document and returns
//! the [`DocumentPiece`]s that it replaced: exchanged again they undo it, exchanged once more they redo it.
//!
//! ```
//! use sinew_studio::{command::Command, document::{Document, Source}};
//!
//! let source = Source::Builtin("arm".into());
//! let mut document = Document::new(source.clone(), source.open()?);
//! let before = document.clone();
//! let turn = Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.6, 0.8] };
//! for piece in &mut turn.apply(&mut document)? {
//!     piece.exchange(&mut document)?;
//! }
//! assert_eq!(document, before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod error;
mod graph;
mod helper_joints;
mod keys;
mod limit;
mod play;
mod pose;
mod prepare;
mod reach;
mod rig;
mod select;
mod weights;

pub use error::CommandError;
pub use helper_joints::{HelperEdit, MuscleData};
pub use pose::PoseData;
pub use select::{How, SelectBy};
pub(crate) use weights::EditedMesh;
pub use weights::{BrushKind, BrushStroke, CopiedWeights, WeightOp, WeightsData};

use crate::document::{AtEnd, Document, DocumentPiece, DocumentSource, JointLimit, Mix, PlaybackRate};
use serde::{Deserialize, Serialize};
use sinew::Method;
use sinew_author::helper_joints::RollOptions;

/// One change of a document. Joints are numbers in the skeleton, instances numbers in the character.
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
        /// What becomes of those that are selected already.
        how: How,
    },
    /// Selects vertices by what they are, on every instance that has a skin.
    SelectBy {
        /// Which.
        by: SelectBy,
        /// What becomes of those that are selected already; growing, shrinking and the like replace them.
        #[serde(default)]
        how: How,
    },
    /// Selects no vertex any more.
    ClearVertices,
    /// Locks or unlocks the weights of a joint.
    Lock {
        /// The joint.
        joint: u16,
        /// Whether its weights stay from now on.
        is_locked: bool,
    },
    /// Deforms by another method, by its name.
    SetMethod(String),
    /// Makes what a method needs beforehand, by the method's name; takes seconds for large meshes.
    Prepare(String),
    /// Turns a joint: its rotation relative to its parent, a quaternion xyzw that is brought to unit length.
    Rotate {
        /// The joint.
        joint: u16,
        /// The quaternion.
        rotation: [f32; 4],
    },
    /// Moves a joint: its translation relative to its parent in metres.
    Translate {
        /// The joint.
        joint: u16,
        /// Metres.
        translation: [f32; 3],
    },
    /// Scales a joint along its axes.
    Scale {
        /// The joint.
        joint: u16,
        /// Factors.
        scale: [f32; 3],
    },
    /// Brings a joint to a point by turning joints above it, within their limits where these are kept.
    Reach {
        /// The joint.
        joint: u16,
        /// Where it goes, in metres of model space.
        target: [f32; 3],
        /// How many joints above it turn; two are a limb, which bends as it did.
        chain: usize,
    },
    /// Says how far a joint may turn; without a limit it turns freely.
    SetLimit {
        /// The joint.
        joint: u16,
        /// Degrees about its axes.
        limit: Option<JointLimit>,
    },
    /// Says whether limits are kept.
    KeepLimits(bool),
    /// Puts a joint at rest.
    ResetJoint(u16),
    /// Puts everything at rest.
    ResetPose,
    /// Takes a whole pose over.
    PastePose(PoseData),
    /// Shows the pose in a mirror: what the left side did, the right side does.
    MirrorPose,
    /// Chooses a clip and takes its pose at its start; without one the pose stays.
    ChooseClip(Option<usize>),
    /// Goes to a moment of the clip and takes its pose there.
    Scrub {
        /// Seconds from the clip's start.
        time_secs: f32,
    },
    /// Says what happens at the clip's end.
    SetEnd(AtEnd),
    /// Sets how fast clips play.
    SetSpeed(f32),
    /// Plays only a part of the clip, in seconds from its start; all of it without one.
    SetRange(Option<[f32; 2]>),
    /// Sets how often poses are worked out while a clip plays.
    SetRate(PlaybackRate),
    /// Mixes another clip into the chosen one, or none any more.
    SetMix(Option<Mix>),
    /// Makes the mix of two clips a clip of its own and chooses it.
    BakeMix {
        /// Keys a second.
        fps: f32,
    },
    /// Reads a blend graph, which plays in place of a clip from now on.
    OpenGraph {
        /// What its file is called.
        name: String,
        /// What stands in it.
        text: String,
    },
    /// Clips play again in place of the graph.
    CloseGraph,
    /// Sets a parameter of the graph; on and off are 1 and 0.
    SetParameter {
        /// The parameter.
        name: String,
        /// Its value.
        value: f32,
    },
    /// Keys the pose into the chosen clip at its moment, or into a new clip where none is chosen.
    KeyPose,
    /// Gives vertices a weight of a joint; their other joints share the rest as before.
    SetWeight {
        /// The instance.
        instance: usize,
        /// The vertices.
        vertices: Vec<u32>,
        /// The joint.
        joint: u16,
        /// Its weight, 0 to 1.
        weight: f32,
    },
    /// Changes the weights of the selected vertices of an instance, or of all where none is selected.
    Weights {
        /// The instance.
        instance: usize,
        /// How.
        op: WeightOp,
    },
    /// Paints weights.
    Paint(BrushStroke),
    /// Gives the selected vertices of an instance weights that were copied.
    PasteWeights {
        /// The instance.
        instance: usize,
        /// What was copied.
        copied: CopiedWeights,
        /// Gives all the mean, in place of each its own in order.
        is_mean: bool,
    },
    /// Takes weights of a whole mesh over that took long to work out, such as automatic ones: doing it again takes no time.
    TakeWeights {
        /// The instance.
        instance: usize,
        /// What the history calls it.
        name: String,
        /// The weights.
        weights: WeightsData,
    },
    /// Puts a twist joint into the bone of a joint and spreads the weights over both.
    SplitJoint {
        /// The instance whose skin gets the joint.
        instance: usize,
        /// The joint.
        joint: u16,
    },
    /// Puts roll joints into the bone between two joints, spreads the weights over them and lets each take its part of the twist.
    AddRolls {
        /// The joint at the bone's start.
        joint: u16,
        /// The joint at its end.
        child: u16,
        /// How many.
        count: usize,
        /// True where the bone's own joint twists, as in a shoulder, and not the one at its end.
        #[serde(default)]
        at_start: bool,
        /// The most influences that a vertex may have afterwards, 0 for any number.
        #[serde(default)]
        most: usize,
    },
    /// Puts a muscle on a bone that swells as a joint bends.
    AddMuscle {
        /// The joint whose bone it lies on.
        bone: u16,
        /// The joint whose bend swells it.
        source: u16,
        /// Where and how much.
        #[serde(default)]
        muscle: MuscleData,
    },
    /// Changes a helper.
    EditHelper {
        /// The helper's place.
        helper: usize,
        /// How.
        edit: HelperEdit,
    },
    /// Takes a helper away, with the joints that only it needed.
    RemoveHelper(usize),
    /// Makes the pose the bind pose of the skin of an instance.
    BakeBind {
        /// The instance.
        instance: usize,
    },
    /// Mends what the doctor finds.
    Mend {
        /// The code of the faults, or all that can be mended.
        code: Option<String>,
        /// What the character is for, as the command line has it.
        target: Option<String>,
    },
}

impl Command {
    /// What the history calls it.
    pub fn name(&self) -> String {
        match self {
            Self::Open(source) => format!("Open {source}"),
            Self::SelectJoint(_) => "Select joint".into(),
            Self::SelectVertices { .. } => "Select vertices".into(),
            Self::SelectBy { by, .. } => by.name().into(),
            Self::ClearVertices => "Select no vertices".into(),
            Self::Lock { is_locked, .. } => if *is_locked { "Lock joint" } else { "Unlock joint" }.into(),
            Self::SetMethod(method) => format!("Deform by {method}"),
            Self::Prepare(method) => format!("Prepare for {method}"),
            Self::Rotate { .. } => "Rotate".into(),
            Self::Translate { .. } => "Move".into(),
            Self::Scale { .. } => "Scale".into(),
            Self::Reach { .. } => "Reach".into(),
            Self::SetLimit { limit, .. } => if limit.is_some() { "Limit joint" } else { "Free joint" }.into(),
            Self::KeepLimits(is_kept) => if *is_kept { "Keep limits" } else { "Ignore limits" }.into(),
            Self::ResetJoint(_) => "Reset joint".into(),
            Self::ResetPose => "Reset pose".into(),
            Self::PastePose(_) => "Paste pose".into(),
            Self::MirrorPose => "Mirror pose".into(),
            Self::ChooseClip(_) => "Choose clip".into(),
            Self::Scrub { .. } => "Go to time".into(),
            Self::SetEnd(_) => "Set clip's end".into(),
            Self::SetSpeed(_) => "Set speed".into(),
            Self::SetRange(_) => "Set loop range".into(),
            Self::SetRate(_) => "Set update rate".into(),
            Self::SetMix(_) => "Mix clips".into(),
            Self::BakeMix { .. } => "Bake mix".into(),
            Self::OpenGraph { name, .. } => format!("Open {name}"),
            Self::CloseGraph => "Close graph".into(),
            Self::SetParameter { name, .. } => format!("Set {name}"),
            Self::KeyPose => "Key pose".into(),
            Self::SetWeight { .. } => "Set weight".into(),
            Self::Weights { op, .. } => op.name().into(),
            Self::Paint(_) => "Paint weights".into(),
            Self::PasteWeights { .. } => "Paste weights".into(),
            Self::TakeWeights { name, .. } => name.clone(),
            Self::SplitJoint { .. } => "Split joint".into(),
            Self::AddRolls { .. } => "Add roll joints".into(),
            Self::AddMuscle { .. } => "Add muscle".into(),
            Self::EditHelper { edit: HelperEdit::On(true), .. } => "Helper on".into(),
            Self::EditHelper { edit: HelperEdit::On(false), .. } => "Helper off".into(),
            Self::EditHelper { .. } => "Change helper".into(),
            Self::RemoveHelper(_) => "Remove helper".into(),
            Self::BakeBind { .. } => "Bake bind pose".into(),
            Self::Mend { code: Some(code), .. } => format!("Mend {code}"),
            Self::Mend { code: None, .. } => "Mend all".into(),
        }
    }

    /// True for operations whose effect on the skin is worth measuring.
    pub const fn is_measured(&self) -> bool {
        matches!(
            self,
            Self::Weights { .. }
                | Self::PasteWeights { .. }
                | Self::TakeWeights { .. }
                | Self::SplitJoint { .. }
                | Self::AddRolls { .. }
                | Self::BakeBind { .. }
                | Self::Mend { .. }
        )
    }

    /// Changes `document` and returns what was replaced.
    ///
    /// # Errors
    /// Where the command names what is not there or a value is not allowed; the document is as it was then.
    pub fn apply(&self, document: &mut Document) -> Result<Vec<DocumentPiece>, CommandError> {
        match self {
            Self::Open(source) => open(document, source),
            Self::SelectJoint(joint) => select::joint(document, *joint),
            Self::SelectVertices { instance, vertices, how } => {
                select::vertices(document, *instance, vertices, *how)
            }
            Self::SelectBy { by, how } => select::by(document, *by, *how),
            Self::ClearVertices => Ok(select::clear(document)),
            Self::Lock { joint, is_locked } => select::lock(document, *joint, *is_locked),
            Self::SetMethod(name) => set_method(document, name),
            Self::Prepare(method) => prepare::prepare(document, method),
            Self::Rotate { joint, rotation } => pose::rotate(document, *joint, *rotation),
            Self::Translate { joint, translation } => pose::translate(document, *joint, *translation),
            Self::Scale { joint, scale } => pose::scale(document, *joint, *scale),
            Self::Reach { joint, target, chain } => reach::reach(document, *joint, *target, *chain),
            Self::SetLimit { joint, limit } => limit::set(document, *joint, *limit),
            Self::KeepLimits(are_kept) => Ok(limit::keep(document, *are_kept)),
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
            Self::TakeWeights { instance, weights, .. } => weights::take(document, *instance, weights),
            Self::SplitJoint { instance, joint } => rig::split(document, *instance, *joint),
            Self::AddRolls { joint, child, count, at_start, most } => {
                let options = RollOptions {
                    count: *count,
                    end: helper_joints::twist_end(*at_start),
                    max_influences: *most,
                };
                helper_joints::rolls(document, (*joint, *child), &options)
            }
            Self::AddMuscle { bone, source, muscle } => {
                helper_joints::muscle(document, (*bone, *source), *muscle)
            }
            Self::EditHelper { helper, edit } => helper_joints::edit(document, *helper, *edit),
            Self::RemoveHelper(helper) => helper_joints::remove(document, *helper),
            Self::BakeBind { instance } => rig::bake_bind(document, *instance),
            Self::Mend { code, target } => rig::mend(document, code.as_deref(), target.as_deref()),
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
