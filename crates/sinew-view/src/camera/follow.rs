use sinew::{Channel, Character, Clip, JointId, ModelPose};

use crate::glam::Vec3;

/// Follows the joint that carries a character over the ground, so that a camera can keep up with it.
///
/// That joint is the first one, nearest to the root, whose translation a clip animates: the root, or the hips where
/// the root stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraFollow {
    joint: JointId,
    rest: Vec3,
}

impl CameraFollow {
    /// Follows the joint that any of `clips` moves; `None` if no clip animates a translation.
    pub fn of_clips<'a>(character: &Character, clips: impl IntoIterator<Item = &'a Clip>) -> Option<Self> {
        clips.into_iter().filter_map(moving_joint).min().map(|joint| Self::of_joint(character, joint))
    }

    /// Follows one joint.
    ///
    /// # Panics
    /// If `joint` is not a joint of `character`.
    pub fn of_joint(character: &Character, joint: JointId) -> Self {
        let mut model = ModelPose::new(character.skeleton());
        model.update(character.skeleton(), &character.rest_pose());
        Self { joint, rest: model.joint(joint).translation.into() }
    }

    /// The joint that is followed.
    pub fn joint(&self) -> JointId {
        self.joint
    }

    /// How far the joint is from its rest position along the ground, in meters of model space; Y is zero.
    pub fn travel(&self, model: &ModelPose) -> Vec3 {
        (Vec3::from(model.joint(self.joint).translation) - self.rest).with_y(0.0)
    }
}

fn moving_joint(clip: &Clip) -> Option<JointId> {
    let translations = clip.channels().iter().filter(|c| matches!(c, Channel::Translation { .. }));
    translations.filter_map(Channel::joint).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Wrap, sample_clip};

    fn travel_at(clip: &str, time_secs: f32) -> Vec3 {
        let figure = sinew_samples::figure();
        let clip = figure.find_clip(clip).unwrap();
        let mut pose = figure.rest_pose();
        sample_clip(clip, time_secs, Wrap::Clamp, &mut pose);
        let mut model = ModelPose::new(figure.skeleton());
        model.update(figure.skeleton(), &pose);
        CameraFollow::of_clips(&figure, [&**clip]).unwrap().travel(&model)
    }

    #[test]
    fn a_runner_travels_over_the_ground() {
        let (early, late) = (travel_at("run", 0.1), travel_at("run", 0.6));
        assert!(late.length() > early.length() + 0.5, "{early} {late}");
        assert_eq!(late.y, 0.0);
    }

    #[test]
    fn a_character_at_rest_has_not_traveled() {
        let figure = sinew_samples::figure();
        let mut model = ModelPose::new(figure.skeleton());
        model.update(figure.skeleton(), &figure.rest_pose());
        for joint in figure.skeleton().joints() {
            assert_eq!(CameraFollow::of_joint(&figure, joint).travel(&model), Vec3::ZERO);
        }
    }

    #[test]
    fn clips_that_only_rotate_joints_are_not_followed() {
        let arm = sinew_samples::arm();
        assert_eq!(CameraFollow::of_clips(&arm, arm.clips().iter().map(|clip| &**clip)), None);
        assert_eq!(CameraFollow::of_clips(&arm, []), None);
    }
}
