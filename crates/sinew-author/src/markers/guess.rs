//! Attachments guessed from labels and from a frame in the rest pose.

use super::{
    MarkerAttachment, MarkerAttachments, MarkerSolveError, names::LabelReader, surface::RestSurface,
};
use sinew::constrain::HelperJoint;
use sinew::{
    Character, JointId, MarkerCapture, ModelPose, Skeleton,
    glam::{DVec2, DVec3, Quat, Vec3},
    transform::inverse_affine,
};

/// How an attachment was guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GuessedBy {
    /// The label names the joint.
    Label,
    /// The joint is the nearest one in the rest pose.
    Distance,
}

/// An attachment that was guessed from one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachmentGuess {
    /// The label of the marker.
    pub label: String,
    /// The name of the joint.
    pub joint: String,
    /// How it was guessed.
    pub by: GuessedBy,
    /// The distance from the marker to the nearest bone of the joint, in millimeters.
    pub distance_mm: f32,
}

/// Attaches every marker that is seen in `frame`, in which the subject stands in the rest pose of `character`, anywhere and
/// turned in any direction.
///
/// Labels that begin with the name of a joint, and those of common marker sets, name their joint. Other markers go to the joint
/// whose surface or bone is nearest. `capture` has Y up and the size of the character. An unlabeled standing body looks the
/// same from the front and from behind, so captures without names may come out turned: look at the result.
///
/// # Errors
/// If fewer than three markers are seen in the frame, or there is no such frame.
pub fn guess_attachments(
    character: &Character,
    capture: &MarkerCapture,
    frame: usize,
) -> Result<(MarkerAttachments, Vec<AttachmentGuess>), MarkerSolveError> {
    if frame >= capture.frame_count() {
        return Err(MarkerSolveError::TooFewSeen { frame, seen: 0 });
    }
    let skeleton = character.skeleton();
    let (reader, bones) = (LabelReader::new(skeleton), RestBones::new(character));
    // A helper joint follows from others, so it has no bone to carry a marker.
    let named = |label: &str| reader.joint(label).filter(|&joint| bones.has(joint));
    let seen: Vec<SeenMarker<'_>> = capture
        .labels()
        .iter()
        .zip(capture.frame(frame))
        .filter_map(|(label, position)| {
            Some(SeenMarker { label, place: position.as_ref()?.as_dvec3(), joint: named(label) })
        })
        .collect();
    if seen.len() < 3 {
        return Err(MarkerSolveError::TooFewSeen { frame, seen: seen.len() });
    }
    let placement = Placement::of(&seen, &bones);
    let surface = RestSurface::new(character);
    let (mut list, mut guesses) = (Vec::new(), Vec::new());
    for marker in &seen {
        let place = placement.apply(marker.place);
        let by = if marker.joint.is_some() { GuessedBy::Label } else { GuessedBy::Distance };
        let near = || surface.nearest_joint(place.as_vec3()).unwrap_or(bones.nearest(place, None).joint);
        let joint = marker.joint.unwrap_or_else(near);
        let Some(inverse) = inverse_affine(&bones.model.joint(joint)) else { continue };
        let distance = bones.nearest(place, Some(joint)).point.distance(place);
        guesses.push(AttachmentGuess {
            label: marker.label.to_owned(),
            joint: skeleton.name(joint).to_owned(),
            by,
            distance_mm: (distance * 1000.0) as f32,
        });
        let offset = inverse.transform_point3(place.as_vec3());
        list.push(MarkerAttachment { label: marker.label.to_owned(), joint, offset });
    }
    Ok((MarkerAttachments::new(skeleton, list)?, guesses))
}

/// The size of the subject relative to `character`: the ratio of the heights of the markers in `frame`, in which the subject
/// stands in the rest pose, and of the joints; 1 if they have none. A first guess for
/// [`calibrate_markers`](super::calibrate_markers).
#[must_use]
pub fn guess_scale(character: &Character, capture: &MarkerCapture, frame: usize) -> f32 {
    let extent = |heights: &mut dyn Iterator<Item = f32>| {
        let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
        high - low
    };
    let mut model = ModelPose::new(character.skeleton());
    model.update(character.skeleton(), &character.rest_pose());
    let joints = extent(&mut model.joints().iter().map(|m| m.translation.y));
    let seen = capture.frames().nth(frame).unwrap_or_default();
    let markers = extent(&mut seen.iter().flatten().map(|p| p.y));
    let ratio = markers / joints;
    if ratio.is_finite() && ratio > 0.0 && joints > 0.0 { ratio } else { 1.0 }
}

/// A marker of the frame in the rest pose.
struct SeenMarker<'a> {
    label: &'a str,
    place: DVec3,
    /// The joint that the label names.
    joint: Option<JointId>,
}

/// The bones of the rest pose, in model space.
struct RestBones {
    model: ModelPose,
    bones: Vec<(JointId, DVec3, DVec3)>,
}

/// The nearest point of a bone.
struct NearBone {
    joint: JointId,
    point: DVec3,
}

impl RestBones {
    fn new(character: &Character) -> Self {
        let skeleton: &Skeleton = character.skeleton();
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &character.rest_pose());
        let driven: Vec<JointId> = character.helpers().iter().flat_map(HelperJoint::moved).collect();
        let at = |j: JointId| Vec3::from(model.joint(j).translation).as_dvec3();
        let mut bones = Vec::new();
        for joint in skeleton.joints().filter(|j| !driven.contains(j)) {
            let tails: Vec<JointId> = skeleton.children(joint).filter(|c| !driven.contains(c)).collect();
            bones.extend(tails.iter().map(|&tail| (joint, at(joint), at(tail))));
            if tails.is_empty() {
                // A joint at the end of a limb continues it by a third.
                let way = skeleton.parent(joint).map_or(DVec3::ZERO, |parent| at(joint) - at(parent));
                bones.push((joint, at(joint), at(joint) + way / 3.0));
            }
        }
        Self { model, bones }
    }

    /// The nearest point of all bones, or of the bones of `joint`.
    fn nearest(&self, place: DVec3, joint: Option<JointId>) -> NearBone {
        let mut best = NearBone { joint: JointId(0), point: DVec3::INFINITY };
        for &(owner, head, tail) in self.bones.iter().filter(|bone| joint.is_none_or(|j| j == bone.0)) {
            let way = tail - head;
            let along = (place - head).dot(way) / way.length_squared().max(1e-12);
            let point = head + way * along.clamp(0.0, 1.0);
            if point.distance_squared(place) < best.point.distance_squared(place) {
                best = NearBone { joint: owner, point };
            }
        }
        best
    }

    fn has(&self, joint: JointId) -> bool {
        self.bones.iter().any(|bone| bone.0 == joint)
    }

    fn center(&self) -> DVec3 {
        self.bones.iter().map(|bone| bone.1).sum::<DVec3>() / self.bones.len().max(1) as f64
    }
}

/// Where a frame stands: a turn about the vertical, then a move, into the space of the character.
#[derive(Clone, Copy)]
struct Placement {
    turn: f64,
    shift: DVec3,
}

impl Placement {
    fn apply(&self, place: DVec3) -> DVec3 {
        Quat::from_rotation_y(self.turn as f32).as_dquat() * place + self.shift
    }

    /// The placement with the smallest mean distance of markers from bones, over starts in all directions.
    fn of(seen: &[SeenMarker<'_>], bones: &RestBones) -> Self {
        const STARTS: u8 = 24;
        let middle = seen.iter().map(|m| m.place).sum::<DVec3>() / seen.len() as f64;
        let start = |k: u8| {
            let turn = f64::from(k) / f64::from(STARTS) * std::f64::consts::TAU;
            let turned = Self { turn, shift: DVec3::ZERO }.apply(middle);
            Self { turn, shift: bones.center() - turned }.refined(seen, bones)
        };
        let placed = (0..STARTS).map(start).map(|placement| (placement.distance(seen, bones), placement));
        placed
            .reduce(|best, other| if other.0 < best.0 { other } else { best })
            .map_or(Self { turn: 0.0, shift: DVec3::ZERO }, |(_, placement)| placement)
    }

    fn distance(&self, seen: &[SeenMarker<'_>], bones: &RestBones) -> f64 {
        let distance = |m: &SeenMarker<'_>| {
            let place = self.apply(m.place);
            bones.nearest(place, m.joint).point.distance(place)
        };
        seen.iter().map(distance).sum()
    }

    /// Iterated closest points: each marker is drawn to the nearest point of its bone.
    fn refined(mut self, seen: &[SeenMarker<'_>], bones: &RestBones) -> Self {
        for _ in 0..12 {
            let pairs: Vec<(DVec3, DVec3)> = seen
                .iter()
                .map(|m| {
                    let place = self.apply(m.place);
                    (place, bones.nearest(place, m.joint).point)
                })
                .collect();
            let count = pairs.len() as f64;
            let from = pairs.iter().map(|p| p.0).sum::<DVec3>() / count;
            let to = pairs.iter().map(|p| p.1).sum::<DVec3>() / count;
            let level = |v: DVec3| DVec2::new(v.x, -v.z);
            let (mut cosine, mut sine) = (0.0, 0.0);
            for (a, b) in pairs {
                let (a, b) = (level(a - from), level(b - to));
                cosine += a.dot(b);
                sine += a.perp_dot(b);
            }
            let more = sine.atan2(cosine);
            let turned = Self { turn: more, shift: DVec3::ZERO };
            self = Self { turn: self.turn + more, shift: turned.apply(self.shift - from) + to };
        }
        self
    }
}
