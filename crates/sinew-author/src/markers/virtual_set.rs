//! Markers made from a character, to try out a set or to test a pipeline.

use super::{MarkerAttachment, MarkerAttachments, MarkerSolveError, surface::RestSurface};
use sinew::{
    Character, Clip, JointId, MarkerCapture, ModelPose, Wrap, glam::Vec3, sample_clip,
    transform::inverse_affine,
};

/// Up to `per_joint` markers on the skin of every joint whose part of the skin is at least `min_size_meters` large, far from
/// each other and from the joint.
///
/// Labels are the name of the joint and a number, so [`guess_attachments`](super::guess_attachments) finds the joints again.
///
/// # Errors
/// If two joints have the same name.
pub fn skin_markers(
    character: &Character,
    per_joint: usize,
    min_size_meters: f32,
) -> Result<MarkerAttachments, MarkerSolveError> {
    let skeleton = character.skeleton();
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &character.rest_pose());
    let surface = RestSurface::new(character);
    let mut list = Vec::new();
    for joint in skeleton.joints() {
        let Some(joint_from_model) = inverse_affine(&model.joint(joint)) else { continue };
        let own: Vec<Vec3> = surface.vertices_of(joint).collect();
        let size = own.iter().copied().reduce(Vec3::max).zip(own.iter().copied().reduce(Vec3::min));
        if size.is_none_or(|(high, low)| (high - low).max_element() < min_size_meters) {
            continue;
        }
        let places = spread(&own, model.joint(joint).translation.into(), per_joint);
        list.extend(places.into_iter().enumerate().map(|(number, place)| MarkerAttachment {
            label: format!("{}_{}", skeleton.name(joint), number + 1),
            joint,
            offset: joint_from_model.transform_point3(place),
        }));
    }
    MarkerAttachments::new(skeleton, list)
}

/// Points that are far from each other and from `center`: each is the furthest from all before.
fn spread(points: &[Vec3], center: Vec3, count: usize) -> Vec<Vec3> {
    let mut chosen = vec![center];
    for _ in 0..count.min(points.len()) {
        let distance = |p: &Vec3| chosen.iter().map(|c| c.distance_squared(*p)).fold(f32::INFINITY, f32::min);
        let furthest = points.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)));
        chosen.extend(furthest.copied());
    }
    chosen.split_off(1)
}

/// The markers of `attachments` on `character` while it plays `clip`, at `rate_hz` frames per second, with Y up.
///
/// # Errors
/// If there are no attachments, or the rate is not positive.
pub fn record_markers(
    character: &Character,
    clip: &Clip,
    attachments: &MarkerAttachments,
    rate_hz: f32,
) -> Result<MarkerCapture, MarkerSolveError> {
    super::options::positive("rate_hz", rate_hz)?;
    let skeleton = character.skeleton();
    let frames = (f64::from(clip.duration_secs()) * f64::from(rate_hz)).round() as usize + 1;
    if frames > super::MAX_FRAMES {
        return Err(MarkerSolveError::FrameCount { frames });
    }
    let (mut pose, mut model) = (character.rest_pose(), ModelPose::new(skeleton));
    let mut positions = Vec::with_capacity(frames * attachments.list().len());
    for frame in 0..frames {
        sample_clip(clip, (frame as f64 / f64::from(rate_hz)) as f32, Wrap::Clamp, &mut pose);
        model.update(skeleton, &pose);
        let place = |one: &MarkerAttachment| Some(model.joint(one.joint).transform_point3(one.offset));
        positions.extend(attachments.list().iter().map(place));
    }
    let labels = attachments.list().iter().map(|one| one.label.clone()).collect();
    MarkerCapture::new(labels, rate_hz, positions).map_err(|_| MarkerSolveError::NothingAttached)
}

impl RestSurface {
    /// The vertices that `joint` moves most, in model space in the rest pose.
    fn vertices_of(&self, joint: JointId) -> impl Iterator<Item = Vec3> + '_ {
        self.vertices.iter().filter(move |(_, owner)| *owner == joint).map(|(position, _)| *position)
    }
}
