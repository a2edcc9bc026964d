//! Converts a character's clip to a [`Bvh`].

use super::{Bvh, BvhAxis, BvhChannel, BvhJoint, euler};
use crate::WriteError;
use sinew::{
    Character, Clip, ClipKind, JointId, LocalPose, ScaleInheritance, Skeleton, Transform, Wrap,
    glam::{DAffine3, DMat3, DQuat, DVec3},
    sample_clip,
};

/// The number of values that any motion may have. A clip can have any duration with two keys, so beyond this the motion
/// is bounded in proportion to the keys.
const MAX_VALUES: usize = 1 << 23;

/// The number of values that a motion may have for each key of its clip beyond [`MAX_VALUES`].
const MAX_VALUES_PER_KEY: usize = 64;

/// Options for writing a clip as a motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BvhExport {
    /// The order of rotation channels: three different axes.
    pub order: [BvhAxis; 3],
    /// Frames per second. `None` takes the rate of the clip's keys if they are evenly spaced, otherwise 30.
    pub frames_per_sec: Option<f64>,
    /// The root of the joints to write; `None` for the whole skeleton.
    pub root: Option<JointId>,
    /// The factor for all lengths: 100 writes centimeters.
    pub scale: f64,
    /// The maximum number of values, frames times channels. `None` allows 8 million, and 64 for each key of the clip.
    pub max_values: Option<usize>,
}

impl Default for BvhExport {
    fn default() -> Self {
        let order = [BvhAxis::Z, BvhAxis::X, BvhAxis::Y];
        Self { order, frames_per_sec: None, root: None, scale: 1.0, max_values: None }
    }
}

impl BvhExport {
    /// These options with another value of [`BvhExport::order`].
    #[must_use]
    pub fn with_order(self, order: [BvhAxis; 3]) -> Self {
        Self { order, ..self }
    }

    /// These options with another value of [`BvhExport::frames_per_sec`].
    #[must_use]
    pub fn with_frames_per_sec(self, frames_per_sec: f64) -> Self {
        Self { frames_per_sec: Some(frames_per_sec), ..self }
    }

    /// These options with another value of [`BvhExport::root`].
    #[must_use]
    pub fn with_root(self, root: JointId) -> Self {
        Self { root: Some(root), ..self }
    }

    /// These options with another value of [`BvhExport::scale`].
    #[must_use]
    pub fn with_scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// These options with another value of [`BvhExport::max_values`].
    #[must_use]
    pub fn with_max_values(self, max_values: usize) -> Self {
        Self { max_values: Some(max_values), ..self }
    }

    /// The maximum number of values for `clip`.
    fn max_values_of(&self, clip: &Clip) -> usize {
        let in_proportion = || {
            let keys = clip.channels().iter().map(sinew::Channel::key_count).fold(0, usize::saturating_add);
            keys.saturating_mul(MAX_VALUES_PER_KEY).saturating_add(MAX_VALUES)
        };
        self.max_values.unwrap_or_else(in_proportion)
    }
}

impl Bvh {
    /// `clip` on the skeleton of `character`, frame by frame.
    ///
    /// With all channels at zero the joints are at their rest positions in the character. BVH has no rest rotations, so they
    /// go into the offsets. In every frame every joint is where the clip puts it. Roots have position channels, and so do
    /// joints whose distance to their parent changes by translation or by scale, which BVH lacks; they replace the offset.
    /// Angles are continuous, beyond 180° if needed. A joint without children gets an End Site at half of its own offset.
    ///
    /// # Errors
    /// When the clip is additive or of another character, an option is invalid, or the motion has too many values.
    pub fn from_clip(character: &Character, clip: &Clip, options: &BvhExport) -> Result<Self, WriteError> {
        let fail =
            |what: String| WriteError::Unrepresentable { place: format!("clip {:?}", clip.name()), what };
        let rest = character.rest_pose();
        if clip.joint_count() > rest.joints.len() || clip.morph_slot_count() > rest.morphs.len() {
            return Err(fail("it moves joints or shapes that the character has not".into()));
        }
        if clip.kind() == ClipKind::Additive {
            return Err(fail("it is additive: it says what to add to a pose, not where joints are".into()));
        }
        let [first, second, third] = options.order;
        if first == second || second == third || first == third {
            return Err(fail(format!("the order must be three different axes, got {:?}", options.order)));
        }
        let tree = JointTree::new(character.skeleton(), options.root).map_err(fail)?;
        let max_values = options.max_values_of(clip);
        let max_frames = max_values / (3 * tree.joints.len()).max(1);
        let timing = FrameTimes::new(clip, options.frames_per_sec, max_frames).map_err(fail)?;
        let sampler =
            ClipSampler { skeleton: character.skeleton(), clip, tree, timing, rest, scale: options.scale };
        let has_positions = sampler.joints_that_shift();
        let joints = sampler.joints(&has_positions, options.order);
        let width: usize = joints.iter().map(|j| j.channels.len()).sum();
        let frames = sampler.timing.times_secs.len();
        if frames.checked_mul(width).is_none_or(|n| n > max_values) {
            return Err(fail(too_many_frames(frames as f64, max_values / width.max(1))));
        }
        let values = sampler.values(&has_positions, options.order);
        Self::new(joints, sampler.timing.step_secs, values).map_err(|e| fail(e.to_string()))
    }
}

/// The times of the frames, in seconds.
struct FrameTimes {
    step_secs: f64,
    times_secs: Vec<f32>,
}

/// The message for a motion that is too long.
fn too_many_frames(frames: f64, max_frames: usize) -> String {
    format!(
        "there must be at most {max_frames} frames for its joints and keys, got {frames}: lower the rate with --fps, or \
         trim the clip"
    )
}

impl FrameTimes {
    fn new(clip: &Clip, frames_per_sec: Option<f64>, max_frames: usize) -> Result<Self, String> {
        if let (None, Some(keys)) = (frames_per_sec, evenly_spaced(clip)) {
            let (last, steps) = (keys.last().copied().unwrap_or(0.0), keys.len() - 1);
            if keys.len() > max_frames {
                return Err(too_many_frames(keys.len() as f64, max_frames));
            }
            // Times are in single precision, so further digits would be noise.
            let step_secs = seven_digits(f64::from(last) / steps as f64);
            return Ok(Self { step_secs, times_secs: keys.to_vec() });
        }
        let step_secs = 1.0 / frames_per_sec.unwrap_or(30.0);
        if !step_secs.is_finite() || step_secs <= 0.0 {
            return Err(format!(
                "frames per second must be positive and finite, got {}",
                frames_per_sec.unwrap_or(0.0)
            ));
        }
        let steps = (f64::from(clip.duration_secs()) / step_secs).round();
        if steps >= max_frames as f64 {
            return Err(too_many_frames(steps, max_frames));
        }
        let times_secs = (0..=steps as usize).map(|frame| (frame as f64 * step_secs) as f32).collect();
        Ok(Self { step_secs, times_secs })
    }
}

/// The key times of the channel with the most keys, if they are evenly spaced from 0 to the end of the clip.
fn evenly_spaced(clip: &Clip) -> Option<&[f32]> {
    let times = clip.channels().iter().max_by_key(|c| c.key_count())?.times_secs();
    let (&last, steps) = (times.last()?, times.len().checked_sub(1).filter(|&n| n > 0)?);
    let step = f64::from(last) / steps as f64;
    let is_even = |(k, &time): (usize, &f32)| (f64::from(time) - k as f64 * step).abs() < step * 0.01;
    let is_whole = last >= clip.duration_secs() && step > 0.0;
    (is_whole && times.iter().enumerate().all(is_even)).then_some(times)
}

/// The joints that are written, parents before children, with their rest pose.
struct JointTree {
    joints: Vec<JointId>,
    /// The index in `joints` of each parent.
    parents: Vec<Option<usize>>,
    /// The rest pose in model space.
    rest: Vec<PlacedJoint>,
}

/// The position and rotation of a joint in model space. Scale affects positions only.
#[derive(Clone, Copy)]
struct PlacedJoint {
    position: DVec3,
    rotation: DQuat,
}

impl JointTree {
    fn new(skeleton: &Skeleton, root: Option<JointId>) -> Result<Self, String> {
        if root.is_some_and(|r| r.index() >= skeleton.len()) {
            return Err(format!("the root joint {root:?} does not exist"));
        }
        let mut children: Vec<Vec<JointId>> = vec![Vec::new(); skeleton.len()];
        for joint in skeleton.joints() {
            if let Some(parent) = skeleton.parent(joint) {
                children[parent.index()].push(joint);
            }
        }
        let is_root = |joint: &JointId| skeleton.parent(*joint).is_none();
        let roots = root.map_or_else(|| skeleton.joints().filter(is_root).collect(), |root| vec![root]);
        let (mut joints, mut parents) = (Vec::new(), Vec::new());
        let mut waiting: Vec<(JointId, Option<usize>)> = roots.into_iter().rev().map(|r| (r, None)).collect();
        while let Some((joint, parent)) = waiting.pop() {
            let place = joints.len();
            joints.push(joint);
            parents.push(parent);
            waiting.extend(children[joint.index()].iter().rev().map(|&child| (child, Some(place))));
        }
        let mut placed = ModelPoseF64::new(skeleton);
        placed.update(skeleton.rest_transforms());
        let rest = joints.iter().map(|&j| placed.joint(j)).collect();
        Ok(Self { joints, parents, rest })
    }
}

/// A pose in model space, in double precision.
struct ModelPoseF64<'a> {
    skeleton: &'a Skeleton,
    model_from_joint: Vec<DAffine3>,
    /// The linear parts without the joints' own scale.
    unscaled: Vec<DMat3>,
    rotations: Vec<DQuat>,
}

impl<'a> ModelPoseF64<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let count = skeleton.len();
        Self {
            skeleton,
            model_from_joint: vec![DAffine3::IDENTITY; count],
            unscaled: vec![DMat3::IDENTITY; count],
            rotations: vec![DQuat::IDENTITY; count],
        }
    }

    fn update(&mut self, locals: &[Transform]) {
        for (joint, local) in self.skeleton.joints().zip(locals) {
            let rotation = local.rotation.as_dquat().normalize();
            let parent = self.skeleton.parent(joint).map(JointId::index);
            let model_from_parent = parent.map_or(DAffine3::IDENTITY, |p| self.model_from_joint[p]);
            let turned = parent.map_or(DQuat::IDENTITY, |p| self.rotations[p]);
            let frame = match (self.skeleton.scale_inheritance(joint), parent) {
                (ScaleInheritance::Compensated, Some(parent)) => self.unscaled[parent],
                (ScaleInheritance::Compensated, None) | (ScaleInheritance::Full, _) => {
                    model_from_parent.matrix3
                }
            };
            let index = joint.index();
            self.unscaled[index] = frame * DMat3::from_quat(rotation);
            self.model_from_joint[index] = DAffine3::from_mat3_translation(
                self.unscaled[index] * DMat3::from_diagonal(local.scale.as_dvec3()),
                model_from_parent.transform_point3(local.translation.as_dvec3()),
            );
            self.rotations[index] = turned * rotation;
        }
    }

    fn joint(&self, joint: JointId) -> PlacedJoint {
        let position = self.model_from_joint[joint.index()].translation;
        PlacedJoint { position, rotation: self.rotations[joint.index()] }
    }
}

/// Samples the frames of a clip.
struct ClipSampler<'a> {
    skeleton: &'a Skeleton,
    clip: &'a Clip,
    tree: JointTree,
    timing: FrameTimes,
    rest: LocalPose,
    scale: f64,
}

impl ClipSampler<'_> {
    /// Calls `take` with the index of each joint and its position and rotation relative to the parent, for a hierarchy whose
    /// rest pose has no rotations.
    fn for_each(&self, mut take: impl FnMut(usize, DVec3, DQuat)) {
        let JointTree { joints, parents, rest } = &self.tree;
        let mut pose = self.rest.clone();
        let mut model = ModelPoseF64::new(self.skeleton);
        // The rotation of each joint from its rest pose, in model space.
        let mut turned = vec![DQuat::IDENTITY; joints.len()];
        for &time_secs in &self.timing.times_secs {
            pose.copy_from(&self.rest);
            sample_clip(self.clip, time_secs, Wrap::Clamp, &mut pose);
            model.update(&pose.joints);
            for (place, &joint) in joints.iter().enumerate() {
                let now = model.joint(joint);
                turned[place] = now.rotation * rest[place].rotation.inverse();
                let (origin, above) = match parents[place] {
                    Some(parent) => (model.joint(joints[parent]).position, turned[parent]),
                    None => (DVec3::ZERO, DQuat::IDENTITY),
                };
                let back = above.inverse();
                take(place, back * (now.position - origin) * self.scale, back * turned[place]);
            }
        }
    }

    fn offset(&self, place: usize) -> DVec3 {
        let origin = self.tree.parents[place].map_or(DVec3::ZERO, |parent| self.tree.rest[parent].position);
        rounded((self.tree.rest[place].position - origin) * self.scale)
    }

    /// For each joint, whether it needs position channels: roots do, and joints whose position in the parent changes.
    fn joints_that_shift(&self) -> Vec<bool> {
        let offsets: Vec<DVec3> = (0..self.tree.joints.len()).map(|place| self.offset(place)).collect();
        // Rounding to single precision moves the joints of a tall skeleton about this far.
        let size = offsets.iter().fold(0.0_f64, |size, offset| size.max(offset.length()));
        let mut out: Vec<bool> = self.tree.parents.iter().map(Option::is_none).collect();
        self.for_each(|place, position, _| out[place] |= position.distance(offsets[place]) > size * 2e-6);
        out
    }

    fn joints(&self, has_positions: &[bool], order: [BvhAxis; 3]) -> Vec<BvhJoint> {
        let mut is_leaf = vec![true; self.tree.joints.len()];
        for &parent in self.tree.parents.iter().flatten() {
            is_leaf[parent] = false;
        }
        let joint = |(place, &joint): (usize, &JointId)| {
            let positions =
                BvhAxis::ALL.map(BvhChannel::Position).into_iter().filter(|_| has_positions[place]);
            let offset = self.offset(place);
            let ends_at = if self.tree.parents[place].is_some() { offset * 0.5 } else { DVec3::ZERO };
            BvhJoint {
                name: plain_name(self.skeleton.name(joint)),
                parent: self.tree.parents[place],
                offset,
                channels: positions.chain(order.map(BvhChannel::Rotation)).collect(),
                end_sites: is_leaf[place].then_some(rounded(ends_at)).into_iter().collect(),
            }
        };
        self.tree.joints.iter().enumerate().map(joint).collect()
    }

    fn values(&self, has_positions: &[bool], order: [BvhAxis; 3]) -> Vec<f64> {
        let mut out = Vec::new();
        let mut previous = vec![[0.0; 3]; has_positions.len()];
        self.for_each(|place, position, rotation| {
            if has_positions[place] {
                out.extend(rounded(position).to_array());
            }
            previous[place] = euler::angles(rotation, order, previous[place]);
            // A millionth of a degree is below the single-precision error of a rotation.
            out.extend(previous[place].map(|angle| (angle.to_degrees() * 1e6).round() / 1e6));
        });
        out
    }
}

fn rounded(v: DVec3) -> DVec3 {
    DVec3::new(seven_digits(v.x), seven_digits(v.y), seven_digits(v.z))
}

/// The number rounded to seven digits, the precision of `f32`.
fn seven_digits(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}

/// A name that is valid in a file.
fn plain_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c == '{' || c.is_control() { '_' } else { c }).collect();
    plain.trim().to_owned()
}
