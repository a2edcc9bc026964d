//! Clips of one skeleton on another one, joint by joint name.

use super::{
    clip::{Clip, HomeSkeleton},
    compact::CompactClip,
    skeleton::{JointId, Skeleton},
};

/// Which joints of one skeleton are those of another with the same names, made once for any number of clips.
///
/// It copies clips between skeletons with equal rests: a clip of another file, an outfit with more joints. Transforms stay as
/// they are; `sinew-author` retargets between bodies that differ.
///
/// ```
/// use sinew::ClipBinding;
///
/// let (walker, character) = (sinew_samples::figure(), sinew_samples::figure());
/// let binding = ClipBinding::by_name(walker.skeleton(), character.skeleton());
/// assert_eq!(binding.missing().count(), 0);
/// let bound = binding.bind(walker.find_clip("walk").unwrap());
/// assert!(bound.skipped_joints.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClipBinding {
    /// The joint of the target for each joint of the source.
    joints: Vec<Option<JointId>>,
    names: Vec<String>,
    target: Skeleton,
    translations: BoundTranslations,
}

/// Which translations a [`ClipBinding`] takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoundTranslations {
    /// All of them: the body takes on the proportions of the clip.
    #[default]
    All,
    /// Only those of joints without a parent in the target and of their children, such as hips: the body keeps its own bone
    /// lengths.
    Roots,
}

/// A clip that was bound, and what was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundClip<C> {
    /// The clip with the joint numbers of the target.
    pub clip: C,
    /// The joints that the clip animates and the target does not have, by name, each once.
    pub skipped_joints: Vec<String>,
    /// True if the clip animates morph weights, which are left out: their slots are those of other meshes.
    pub skips_morphs: bool,
}

impl ClipBinding {
    /// The joints of `source` that have a namesake in `target`. Of several joints with one name, the first counts.
    pub fn by_name(source: &Skeleton, target: &Skeleton) -> Self {
        let namesake =
            |joint| Some(source.name(joint)).filter(|name| !name.is_empty()).and_then(|n| target.find(n));
        let mut joints: Vec<Option<JointId>> = source.joints().map(namesake).collect();
        // Two joints must not write the same one.
        for index in 0..joints.len() {
            if joints[index].is_some() && joints[..index].contains(&joints[index]) {
                joints[index] = None;
            }
        }
        Self {
            joints,
            names: source.joints().map(|joint| source.name(joint).to_owned()).collect(),
            target: target.clone(),
            translations: BoundTranslations::default(),
        }
    }

    /// The same with other translations.
    #[must_use]
    pub fn with_translations(self, translations: BoundTranslations) -> Self {
        Self { translations, ..self }
    }

    /// The joint of the target for a joint of the source.
    pub fn target_of(&self, joint: JointId) -> Option<JointId> {
        self.joints.get(joint.index()).copied().flatten()
    }

    /// The names of the joints of the source that the target does not have.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.names
            .iter()
            .zip(&self.joints)
            .filter(|(_, joint)| joint.is_none())
            .map(|(name, _)| name.as_str())
    }

    /// `clip`, which animates the source, for the target.
    ///
    /// # Panics
    /// If the clip animates joints that the source does not have.
    #[track_caller]
    pub fn bind(&self, clip: &Clip) -> BoundClip<Clip> {
        self.check(clip.name(), clip.joint_count());
        let joints = clip.channels().iter().filter_map(super::clip::Channel::joint);
        let (skipped_joints, skips_morphs) = (self.skipped(joints), clip.morph_slot_count() > 0);
        let bound = clip.with_joints(|joint| self.target_of(joint), false, HomeSkeleton::default());
        let bound = bound.without_translations(|joint| self.drops_translation(joint));
        let home = HomeSkeleton::of(&self.target, bound.joint_count());
        let clip = bound.with_joints(Some, true, home);
        BoundClip { clip, skipped_joints, skips_morphs }
    }

    /// [`ClipBinding::bind`] for a compact clip; the numbers of its tracks stay the same to the bit.
    ///
    /// # Panics
    /// As [`ClipBinding::bind`].
    #[track_caller]
    pub fn bind_compact(&self, clip: &CompactClip) -> BoundClip<CompactClip> {
        self.check(clip.name(), clip.joint_count());
        let (skipped_joints, skips_morphs) =
            (self.skipped(clip.animated_joints()), clip.morph_slot_count() > 0);
        let bound = clip.with_joints(|joint| self.target_of(joint), false, HomeSkeleton::default());
        let bound = bound.without_translations(|joint| self.drops_translation(joint));
        let home = HomeSkeleton::of(&self.target, bound.joint_count());
        let clip = bound.with_joints(Some, true, home);
        BoundClip { clip, skipped_joints, skips_morphs }
    }

    #[track_caller]
    fn check(&self, clip: &str, joints: usize) {
        let source = self.joints.len();
        assert!(
            joints <= source,
            "clip {clip:?} animates {joints} joints, the source of the binding has {source}"
        );
    }

    /// The names of those of `animated` that the target does not have.
    fn skipped(&self, animated: impl Iterator<Item = JointId>) -> Vec<String> {
        let mut is_skipped = vec![false; self.joints.len()];
        for joint in animated.filter(|joint| self.target_of(*joint).is_none()) {
            is_skipped[joint.index()] = true;
        }
        let names = self.names.iter().zip(is_skipped).filter(|(_, is_skipped)| *is_skipped);
        names.map(|(name, _)| name.clone()).collect()
    }

    fn drops_translation(&self, joint: JointId) -> bool {
        match self.translations {
            BoundTranslations::All => false,
            BoundTranslations::Roots => {
                self.target.parent(joint).is_some_and(|parent| self.target.parent(parent).is_some())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompactOptions, Joint, Transform, Wrap, sample_clip, sample_compact, sinew_samples};

    /// The figure's joints in another order of siblings, with one joint in front and without the left hand's.
    fn other_skeleton(figure: &Skeleton) -> Skeleton {
        let lost = figure.find("hand.L").unwrap();
        let kept: Vec<JointId> = figure.joints().filter(|j| !figure.is_within(*j, lost)).collect();
        let place = |joint: JointId| JointId(1 + kept.iter().position(|k| *k == joint).unwrap() as u16);
        let stand = Joint { name: "stand".into(), parent: None, rest: Transform::IDENTITY };
        let joint = |joint: &JointId| Joint {
            name: figure.name(*joint).into(),
            parent: Some(figure.parent(*joint).map_or(JointId(0), place)),
            rest: figure.rest(*joint),
        };
        Skeleton::new([stand].into_iter().chain(kept.iter().map(joint))).unwrap()
    }

    #[test]
    fn a_bound_clip_moves_the_namesakes_and_reports_the_others() {
        let figure = sinew_samples::figure();
        let (skeleton, target) = (figure.skeleton(), other_skeleton(figure.skeleton()));
        let binding = ClipBinding::by_name(skeleton, &target);
        assert!(binding.missing().any(|name| name == "hand.L"));
        let walk = figure.find_clip("walk").unwrap();
        let bound = binding.bind(walk);
        assert!(bound.skipped_joints.contains(&"hand.L".to_owned()));
        assert_eq!(bound.clip.duration_secs(), walk.duration_secs());
        let (compact, _) = CompactClip::new(walk, skeleton, &CompactOptions::default()).unwrap();
        let bound_compact = binding.bind_compact(&compact);
        assert_eq!(bound_compact.skipped_joints, bound.skipped_joints);
        for time in [0.0, 0.21, 0.9] {
            let (mut want, mut got) = (figure.rest_pose(), target.rest_pose());
            sample_clip(walk, time, Wrap::Clamp, &mut want);
            sample_clip(&bound.clip, time, Wrap::Clamp, &mut got);
            let (mut want_compact, mut got_compact) = (figure.rest_pose(), target.rest_pose());
            sample_compact(&compact, time, &mut Default::default(), &mut want_compact);
            sample_compact(&bound_compact.clip, time, &mut Default::default(), &mut got_compact);
            for joint in skeleton.joints() {
                let Some(to) = binding.target_of(joint) else { continue };
                assert_eq!(got.joints[to.index()], want.joints[joint.index()], "{}", skeleton.name(joint));
                assert_eq!(got_compact.joints[to.index()], want_compact.joints[joint.index()]);
            }
            assert_eq!(got.joints[0], Transform::IDENTITY);
        }
    }

    #[test]
    fn only_the_roots_keep_their_translations_if_asked() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let binding = ClipBinding::by_name(skeleton, skeleton).with_translations(BoundTranslations::Roots);
        let walk = figure.find_clip("walk").unwrap();
        let (compact, _) = CompactClip::new(walk, skeleton, &CompactOptions::default()).unwrap();
        let (clip, compact) = (binding.bind(walk).clip, binding.bind_compact(&compact).clip);
        let (mut one, mut two) = (figure.rest_pose(), figure.rest_pose());
        sample_clip(&clip, 0.3, Wrap::Clamp, &mut one);
        sample_compact(&compact, 0.3, &mut Default::default(), &mut two);
        for joint in skeleton.joints().filter(|j| skeleton.depth(*j) > 1) {
            let rest = skeleton.rest(joint).translation;
            assert_eq!(one.joints[joint.index()].translation, rest);
            assert_eq!(two.joints[joint.index()].translation, rest);
        }
    }

    #[test]
    #[should_panic(expected = "the source of the binding has 1")]
    fn a_clip_of_another_source_panics_with_both_numbers() {
        let figure = sinew_samples::figure();
        let one =
            Skeleton::new([Joint { name: "a".into(), parent: None, rest: Transform::IDENTITY }]).unwrap();
        ClipBinding::by_name(&one, figure.skeleton()).bind(figure.find_clip("walk").unwrap());
    }
}
