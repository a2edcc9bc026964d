//! Markers made from a capture of joint rotations, with noise, drop-outs and swapped labels, and the angles to find again.

use sinew::{
    Character, Clip, JointId, LocalPose, MarkerCapture, ModelPose, Skeleton, Wrap,
    glam::{Quat, Vec3},
    sample_clip,
};
use sinew_author::markers::{
    JointRotationError, MarkerAttachment, MarkerAttachments, MarkerFaults, RotationError,
    joint_rotation_errors, rotation_error,
};
use sinew_formats::bvh::{Bvh, BvhOptions};
use std::{f32::consts::TAU, fs, path::Path};

/// The height of every subject, in meters.
const HEIGHT_METERS: f32 = 1.75;
/// Bones shorter than this carry no markers: fingers and toes.
const SHORTEST_BONE_METERS: f32 = 0.08;

/// 2 mm of noise, all markers seen and labeled.
pub(crate) fn noise(seed: u64) -> MarkerFaults {
    MarkerFaults { seed, noise_meters: 0.002, missing: 0.0, swapped: 0.0 }
}

/// 2 mm of noise, a twentieth of all samples missing, and labels swapped in a tenth of all frames.
pub(crate) fn everything(seed: u64) -> MarkerFaults {
    MarkerFaults { missing: 0.05, swapped: 0.1, ..noise(seed) }
}

/// A capture of markers and the motion that it was made from.
pub(crate) struct Trial {
    pub(crate) character: Character,
    pub(crate) capture: MarkerCapture,
    /// Where the markers are.
    pub(crate) attachments: MarkerAttachments,
    /// The pose of every frame of the capture.
    pub(crate) truth: Vec<LocalPose>,
    /// Frames at the start in the rest pose.
    pub(crate) rest_frames: usize,
}

/// Reads a motion, scaled to a person; every `stride`th frame, at most `max_frames`, after `rest_frames` in the rest pose.
pub(crate) fn trial(
    path: &Path,
    stride: usize,
    max_frames: usize,
    rest_frames: usize,
    faults: MarkerFaults,
) -> Trial {
    let bvh = Bvh::parse(&fs::read(path).unwrap()).unwrap();
    let plain = bvh.to_character("subject", &BvhOptions::default().with_end_sites(true)).unwrap();
    let scale = HEIGHT_METERS / height(&plain);
    let options = BvhOptions::default().with_end_sites(true).with_scale(scale);
    let character = bvh.to_character("subject", &options).unwrap();
    let rate_hz = (1.0 / bvh.frame_secs() / stride as f64) as f32;
    let clip = character.clips()[0].clone();
    let mut truth = poses(&character, &clip, bvh.frame_secs() as f32, stride, max_frames);
    let mut stand = character.rest_pose();
    let root = character.skeleton().roots().next().unwrap().index();
    stand.joints[root].translation = truth[0].joints[root].translation;
    truth.splice(0..0, vec![stand; rest_frames]);
    let mut random = Random(faults.seed);
    let attachments = markers(character.skeleton(), &mut random);
    let capture = faults.apply(&record(&character, &attachments, &truth, rate_hz)).unwrap();
    Trial { character, capture, attachments, truth, rest_frames }
}

/// The extent of the rest pose.
fn height(character: &Character) -> f32 {
    let mut model = ModelPose::new(character.skeleton());
    model.update(character.skeleton(), &character.rest_pose());
    let points = model.joints().iter().map(|m| Vec3::from(m.translation));
    let low = points.clone().reduce(Vec3::min).unwrap();
    (points.reduce(Vec3::max).unwrap() - low).max_element()
}

/// Poses from the second frame on: the first of many captures is the rest pose.
fn poses(character: &Character, clip: &Clip, secs: f32, stride: usize, max_frames: usize) -> Vec<LocalPose> {
    let count = (clip.duration_secs() / secs).round() as usize;
    let times: Vec<f32> =
        (1..=count).step_by(stride).take(max_frames).map(|frame| frame as f32 * secs).collect();
    sampled(character, clip, &times)
}

/// Two to four markers around every bone that is long enough.
fn markers(skeleton: &Skeleton, random: &mut Random) -> MarkerAttachments {
    let mut list = Vec::new();
    for joint in skeleton.joints() {
        let Some(bone) = bone(skeleton, joint) else { continue };
        let count = match bone.length() {
            short if short < 0.1 => 2,
            middle if middle < 0.3 => 3,
            _ => 4,
        };
        let radius = (0.35 * bone.length()).clamp(0.07, 0.12);
        let side = bone.normalize().any_orthonormal_vector();
        let first = random.unit() * TAU;
        for number in 0..count {
            let angle = first + TAU * (number as f32 + 0.4 * random.unit()) / count as f32;
            let around = Quat::from_axis_angle(bone.normalize(), angle) * side;
            let along = 0.15 + 0.75 * random.unit();
            let offset = bone * along + around * radius * (0.8 + 0.4 * random.unit());
            list.push(MarkerAttachment { label: format!("{}_{number}", joint.0), joint, offset });
        }
    }
    MarkerAttachments::new(skeleton, list).unwrap()
}

/// The longest way to a child, or past children at the joint itself.
fn bone(skeleton: &Skeleton, joint: JointId) -> Option<Vec3> {
    let longest = furthest_end(skeleton, joint);
    (longest.length() >= SHORTEST_BONE_METERS).then_some(longest)
}

fn furthest_end(skeleton: &Skeleton, joint: JointId) -> Vec3 {
    let end = |child| match skeleton.rest(child).translation {
        here if here.length() < 1e-4 => furthest_end(skeleton, child),
        there => there,
    };
    skeleton
        .children(joint)
        .map(end)
        .fold(Vec3::ZERO, |best, end| if end.length() > best.length() { end } else { best })
}

/// Where the markers are in every pose, without faults.
fn record(
    character: &Character,
    attachments: &MarkerAttachments,
    truth: &[LocalPose],
    rate_hz: f32,
) -> MarkerCapture {
    let mut model = ModelPose::new(character.skeleton());
    let mut positions = Vec::new();
    for pose in truth {
        model.update(character.skeleton(), pose);
        let place = |one: &MarkerAttachment| Some(model.joint(one.joint).transform_point3(one.offset));
        positions.extend(attachments.list().iter().map(place));
    }
    let labels = attachments.list().iter().map(|one| one.label.clone()).collect();
    MarkerCapture::new(labels, rate_hz, positions).unwrap()
}

/// The error of the angles of a solved clip, without the stand at the start.
pub(crate) fn angle_error(trial: &Trial, clip: &Clip) -> RotationError {
    let solved = solved_motion(trial, clip);
    let truth = &trial.truth[motion(trial)];
    rotation_error(trial.character.skeleton(), &trial.attachments, truth, &solved)
}

/// The same, joint by joint and frame by frame.
pub(crate) fn joint_errors(trial: &Trial, clip: &Clip) -> Vec<JointRotationError> {
    let solved = solved_motion(trial, clip);
    let truth = &trial.truth[motion(trial)];
    joint_rotation_errors(trial.character.skeleton(), &trial.attachments, truth, &solved)
}

/// The RMS distance between where markers are on the solved character and where they were before noise, in millimeters.
pub(crate) fn position_error_mm(trial: &Trial, clip: &Clip) -> f64 {
    let skeleton = trial.character.skeleton();
    let (mut known, mut found) = (ModelPose::new(skeleton), ModelPose::new(skeleton));
    let (mut squares, mut count) = (0.0, 0_u32);
    for (truth, solved) in trial.truth[motion(trial)].iter().zip(solved_motion(trial, clip)) {
        known.update(skeleton, truth);
        found.update(skeleton, &solved);
        for one in trial.attachments.list() {
            let place = |model: &ModelPose| model.joint(one.joint).transform_point3(one.offset);
            squares += f64::from(place(&known).distance_squared(place(&found)));
            count += 1;
        }
    }
    1000.0 * (squares / f64::from(count)).sqrt()
}

/// The frames of the motion: the jump from the stand into it does not belong to it.
fn motion(trial: &Trial) -> std::ops::Range<usize> {
    trial.rest_frames + 12 * usize::from(trial.rest_frames > 0)..trial.truth.len()
}

fn solved_motion(trial: &Trial, clip: &Clip) -> Vec<LocalPose> {
    let times: Vec<f32> = motion(trial).map(|frame| trial.capture.time_secs(frame)).collect();
    sampled(&trial.character, clip, &times)
}

/// The poses of a clip at some times.
pub(crate) fn sampled(character: &Character, clip: &Clip, times_secs: &[f32]) -> Vec<LocalPose> {
    let pose = |&time: &f32| {
        let mut pose = character.rest_pose();
        sample_clip(clip, time, Wrap::Clamp, &mut pose);
        pose
    };
    times_secs.iter().map(pose).collect()
}

/// The same attachments, each `meters` away in some direction.
pub(crate) fn shaken(trial: &Trial, meters: f32, seed: u64) -> MarkerAttachments {
    let mut random = Random(seed);
    let list = trial.attachments.list().iter().map(|one| {
        let way = Vec3::new(random.gauss(), random.gauss(), random.gauss()).normalize() * meters;
        MarkerAttachment { offset: one.offset + way, ..one.clone() }
    });
    MarkerAttachments::new(trial.character.skeleton(), list).unwrap()
}

/// The SplitMix64 sequence of a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// A normal deviate, by Box and Muller.
    fn gauss(&mut self) -> f32 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (TAU * self.unit()).cos()
    }
}
