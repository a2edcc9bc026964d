//! Finds the joints of an edited skeleton in the original one.

use sinew::{JointId, Skeleton};
use std::collections::HashMap;

/// The joints that two skeletons have in common.
pub(super) struct JointMatch {
    old_of_new: Vec<Option<JointId>>,
    is_kept: Vec<bool>,
}

impl JointMatch {
    /// Joints are the same if they have the same name below the same joint. Of those that are left, joints with a unique
    /// name were moved to another parent, and joints at the same index below the same joint were renamed.
    pub(super) fn new(old: &Skeleton, new: &Skeleton) -> Self {
        let mut out = Self { old_of_new: vec![None; new.len()], is_kept: vec![false; old.len()] };
        out.match_below(old, new);
        out.match_moved(old, new);
        out.match_below(old, new);
        out.match_renamed(old, new);
        out.match_below(old, new);
        out
    }

    /// The same joint in the original skeleton.
    pub(super) fn old_of(&self, new: JointId) -> Option<JointId> {
        self.old_of_new[new.index()]
    }

    /// The joints of the original skeleton that are gone.
    pub(super) fn removed(&self) -> impl Iterator<Item = JointId> + '_ {
        let joints = self.is_kept.iter().enumerate().filter(|(_, is_kept)| !**is_kept);
        joints.filter_map(|(index, _)| u16::try_from(index).ok().map(JointId))
    }

    fn set(&mut self, new: JointId, old: JointId) {
        self.old_of_new[new.index()] = Some(old);
        self.is_kept[old.index()] = true;
    }

    /// The parent in the original skeleton, if it is known: `Some(None)` for a root.
    fn old_parent(&self, new: &Skeleton, joint: JointId) -> Option<Option<JointId>> {
        match new.parent(joint) {
            None => Some(None),
            Some(parent) => self.old_of(parent).map(Some),
        }
    }

    fn match_below(&mut self, old: &Skeleton, new: &Skeleton) {
        // In reverse order, so that the first of several is taken from the end of its list.
        let mut candidates: HashMap<(Option<JointId>, &str), Vec<JointId>> = HashMap::new();
        for joint in old.joints().rev().filter(|joint| !self.is_kept[joint.index()]) {
            candidates.entry((old.parent(joint), old.name(joint))).or_default().push(joint);
        }
        for joint in new.joints() {
            if self.old_of(joint).is_some() {
                continue;
            }
            let Some(parent) = self.old_parent(new, joint) else { continue };
            let found = candidates.get_mut(&(parent, new.name(joint))).and_then(Vec::pop);
            if let Some(found) = found {
                self.set(joint, found);
            }
        }
    }

    fn match_moved(&mut self, old: &Skeleton, new: &Skeleton) {
        let (olds, news) = (old.joints_by_name(), new.joints_by_name());
        for joint in new.joints() {
            let name = new.name(joint);
            let (Some(Some(found)), Some(Some(_))) = (olds.get(name), news.get(name)) else { continue };
            if self.old_of(joint).is_none() && !self.is_kept[found.index()] {
                self.set(joint, *found);
            }
        }
    }

    fn match_renamed(&mut self, old: &Skeleton, new: &Skeleton) {
        for joint in new.joints().filter(|joint| joint.index() < old.len()) {
            let is_free = self.old_of(joint).is_none() && !self.is_kept[joint.index()];
            if is_free && self.old_parent(new, joint) == Some(old.parent(joint)) {
                self.set(joint, joint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform};

    fn skeleton(joints: &[(&str, Option<u16>)]) -> Skeleton {
        let joint = |(name, parent): &(&str, Option<u16>)| Joint {
            name: (*name).into(),
            parent: parent.map(JointId),
            rest: Transform::IDENTITY,
        };
        Skeleton::new(joints.iter().map(joint)).unwrap()
    }

    fn matched(old: &Skeleton, new: &Skeleton) -> (Vec<Option<u16>>, Vec<u16>) {
        let found = JointMatch::new(old, new);
        let old_of = new.joints().map(|joint| found.old_of(joint).map(|old| old.0)).collect();
        (old_of, found.removed().map(|joint| joint.0).collect())
    }

    const ARM: [(&str, Option<u16>); 4] =
        [("hip", None), ("arm", Some(0)), ("hand", Some(1)), ("hand", Some(1))];

    #[test]
    fn a_joint_that_is_added_or_removed_moves_no_other() {
        let old = skeleton(&ARM);
        let new = skeleton(&[
            ("hip", None),
            ("roll", Some(0)),
            ("arm", Some(0)),
            ("hand", Some(2)),
            ("hand", Some(2)),
        ]);
        assert_eq!(matched(&old, &new), (vec![Some(0), None, Some(1), Some(2), Some(3)], vec![]));
        let back: Vec<Option<u16>> = vec![Some(0), Some(2), Some(3), Some(4)];
        assert_eq!(matched(&new, &old), (back, vec![1]));
    }

    #[test]
    fn joints_that_are_renamed_or_moved_are_found_with_what_is_below_them() {
        let old = skeleton(&ARM);
        let renamed = skeleton(&[("pelvis", None), ("arm", Some(0)), ("hand", Some(1)), ("hand", Some(1))]);
        assert_eq!(matched(&old, &renamed).0, [0, 1, 2, 3].map(Some));
        let moved = skeleton(&[
            ("hip", None),
            ("spine", Some(0)),
            ("arm", Some(1)),
            ("hand", Some(2)),
            ("hand", Some(2)),
        ]);
        assert_eq!(matched(&old, &moved).0, [Some(0), None, Some(1), Some(2), Some(3)]);
    }
}
