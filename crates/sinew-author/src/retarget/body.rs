//! A character as a body at rest.

use super::{align::AlignedBody, anatomy::Anatomy, rest::model_rest, stance::Stance};
use sinew::{Character, JointId, ModelPose, Skeleton, glam::Vec3};

/// A character with its anatomy, in its rest pose.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) character: &'a Character,
    pub(super) anatomy: Anatomy,
    pub(super) rest: ModelPose,
    pub(super) stance: Stance,
}

impl<'a> Body<'a> {
    pub(super) fn new(character: &'a Character) -> Self {
        Self::with_rest(character, model_rest(character.skeleton()))
    }

    /// A body with another rest pose than the skeleton's.
    pub(super) fn with_rest(character: &'a Character, rest: ModelPose) -> Self {
        let anatomy = Anatomy::of_character(character);
        let stance = Stance::new(character.skeleton(), &anatomy, &rest);
        Self { character, anatomy, rest, stance }
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        self.character.skeleton()
    }

    pub(super) fn at(&self, joint: JointId) -> Vec3 {
        self.rest.joint(joint).translation.into()
    }

    pub(super) fn aligned(&self) -> AlignedBody<'_> {
        AlignedBody {
            skeleton: self.skeleton(),
            anatomy: &self.anatomy,
            rest: &self.rest,
            stance: &self.stance,
        }
    }
}
