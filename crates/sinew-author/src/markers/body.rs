//! The joints that markers move.

use super::{MarkerAttachments, MarkerSolveError};
use sinew::{
    Character, JointId, MarkerCapture, Skeleton,
    constrain::{HelperJoint, Limit},
    glam::Vec3,
};
use std::collections::BTreeMap;

/// The joints between the markers and the joint that carries all of them, and the markers on them.
#[derive(Debug)]
pub(super) struct MarkerBody<'a> {
    pub(super) character: &'a Character,
    /// Parents before children; the first carries the others and moves freely.
    pub(super) joints: Vec<BodyJoint>,
    pub(super) markers: Vec<BodyMarker>,
}

#[derive(Debug)]
pub(super) struct BodyJoint {
    pub(super) joint: JointId,
    /// The indices in [`MarkerBody::joints`] from the first one down to this one.
    pub(super) path: Vec<usize>,
    pub(super) limit: Option<Limit>,
    /// True for a helper joint, which follows from others.
    pub(super) is_driven: bool,
    pub(super) has_marker: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BodyMarker {
    /// The index of the marker in the capture.
    pub(super) column: usize,
    /// The index in the list of attachments.
    pub(super) attachment: usize,
    /// The index in [`MarkerBody::joints`].
    pub(super) joint: usize,
    /// The position in joint space, in meters.
    pub(super) offset: Vec3,
}

impl<'a> MarkerBody<'a> {
    pub(super) fn new(
        character: &'a Character,
        capture: &MarkerCapture,
        attachments: &MarkerAttachments,
        limits: &BTreeMap<JointId, Limit>,
    ) -> Result<Self, MarkerSolveError> {
        let skeleton = character.skeleton();
        check_joints(skeleton, attachments)?;
        let columns: BTreeMap<&str, usize> =
            capture.labels().iter().enumerate().map(|(column, label)| (label.as_str(), column)).collect();
        let used: Vec<(usize, usize)> = attachments
            .list()
            .iter()
            .enumerate()
            .filter_map(|(index, one)| Some((index, *columns.get(one.label.as_str())?)))
            .collect();
        let carrying: Vec<JointId> = used.iter().map(|&(index, _)| attachments.list()[index].joint).collect();
        let root = common_root(skeleton, &carrying)?;
        let mut body = Self { character, joints: vec![], markers: vec![] };
        let index_of = body.add_joints(root, &carrying, limits);
        body.markers.extend(used.iter().filter_map(|&(attachment, column)| {
            let one = &attachments.list()[attachment];
            let joint = *index_of.get(&one.joint)?;
            Some(BodyMarker { column, attachment, joint, offset: one.offset })
        }));
        Ok(body)
    }

    /// Adds the joints from `root` to those that carry markers; returns the index of each.
    fn add_joints(
        &mut self,
        root: JointId,
        carrying: &[JointId],
        limits: &BTreeMap<JointId, Limit>,
    ) -> BTreeMap<JointId, usize> {
        let skeleton = self.character.skeleton();
        let mut is_moved = vec![false; skeleton.len()];
        for &joint in carrying {
            for above in skeleton.ancestors(joint) {
                is_moved[above.index()] = true;
                if above == root {
                    break;
                }
            }
        }
        let enabled = self.character.helpers().iter().filter(|helper| helper.is_enabled);
        let constrained = self.character.node_constraints().iter().map(|constraint| constraint.joint);
        let driven: Vec<JointId> = enabled.flat_map(HelperJoint::moved).chain(constrained).collect();
        let mut index_of: BTreeMap<JointId, usize> = BTreeMap::new();
        for joint in skeleton.joints().filter(|j| is_moved[j.index()]) {
            let index = self.joints.len();
            let parent = skeleton.parent(joint).filter(|_| joint != root).and_then(|p| index_of.get(&p));
            let mut path = parent.map_or_else(Vec::new, |&p| self.joints[p].path.clone());
            path.push(index);
            index_of.insert(joint, index);
            self.joints.push(BodyJoint {
                joint,
                path,
                limit: limits.get(&joint).copied(),
                is_driven: driven.contains(&joint),
                has_marker: carrying.contains(&joint),
            });
        }
        index_of
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        self.character.skeleton()
    }

    /// The joint that carries all others.
    pub(super) fn root(&self) -> JointId {
        self.joints[0].joint
    }

    /// The body joints directly below the body joint `index`.
    pub(super) fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let is_child = move |path: &[usize]| path.len() >= 2 && path[path.len() - 2] == index;
        (0..self.joints.len()).filter(move |&other| is_child(&self.joints[other].path))
    }

    /// True if the body joint `lower` is `upper` or below it.
    pub(super) fn is_within(&self, lower: usize, upper: usize) -> bool {
        self.joints[lower].path.contains(&upper)
    }
}

fn check_joints(skeleton: &Skeleton, attachments: &MarkerAttachments) -> Result<(), MarkerSolveError> {
    match attachments.list().iter().find(|one| one.joint.index() >= skeleton.len()) {
        Some(one) => Err(MarkerSolveError::WrongSkeleton {
            label: one.label.clone(),
            joint: one.joint.index(),
            joints: skeleton.len(),
        }),
        None => Ok(()),
    }
}

/// The lowest joint that is above all of `joints`, or one of them.
fn common_root(skeleton: &Skeleton, joints: &[JointId]) -> Result<JointId, MarkerSolveError> {
    let (&first, rest) = joints.split_first().ok_or(MarkerSolveError::NothingAttached)?;
    let mut root = first;
    for &joint in rest {
        let above = skeleton.ancestors(root).find(|&above| skeleton.is_within(joint, above));
        root = above.ok_or_else(|| MarkerSolveError::NoCommonRoot {
            joints: [root, joint].map(|j| skeleton.name(j).to_owned()),
        })?;
    }
    Ok(root)
}
