//! The order in which model-space matrices are computed.

use super::JointId;

/// A joint and its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointLink {
    pub(crate) joint: u16,
    pub(crate) parent: u16,
}

/// Joints that are computed together, in order.
pub(crate) type JointGroup = [JointLink; 8];

/// The joints of a skeleton by depth, in groups.
///
/// A file lists a chain joint by joint, and each depends on the one before it. Sorted by depth, neighbors are mostly
/// independent: a third less time on a human skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct UpdateOrder {
    roots: Vec<u16>,
    apart: Vec<u16>,
    groups: Vec<JointGroup>,
    tail: Vec<JointLink>,
}

/// The three steps that compute model-space matrices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UpdateSteps<'a> {
    /// First, the local matrices of these joints are stored; for roots that is the result.
    pub(crate) apart: &'a [u16],
    /// Then these joints are computed from their local transform and their parent. A repeated joint changes nothing.
    pub(crate) groups: &'a [JointGroup],
    /// Last, these joints, too few for a group, are multiplied by their parents.
    pub(crate) tail: &'a [JointLink],
}

impl UpdateOrder {
    /// The order for joints whose parents come before them.
    pub(super) fn of(parents: &[Option<JointId>]) -> Self {
        let mut depths: Vec<u16> = Vec::with_capacity(parents.len());
        for parent in parents {
            let above = parent.and_then(|p| depths.get(p.index()).copied());
            depths.push(above.map_or(0, |depth| depth + 1));
        }
        // Inclusive, since a skeleton may use every index.
        let numbered = || (0..=u16::MAX).zip(parents);
        let roots: Vec<u16> = numbered().filter(|(_, p)| p.is_none()).map(|(joint, _)| joint).collect();
        let links = numbered().filter_map(|(joint, parent)| Some(JointLink { joint, parent: (*parent)?.0 }));
        let mut links: Vec<JointLink> = links.collect();
        links.sort_by_key(|link| depths[usize::from(link.joint)]);
        // Five or more are faster as a group that is filled up with the last joint.
        let last = links.last().copied();
        if links.len() % 8 > 4 {
            links.extend(last.into_iter().cycle().take(8 - links.len() % 8));
        }
        let (groups, tail) = links.as_chunks();
        let apart = roots.iter().copied().chain(tail.iter().map(|link| link.joint));
        Self { apart: apart.collect(), groups: groups.to_vec(), tail: tail.to_vec(), roots }
    }

    pub(crate) fn roots(&self) -> &[u16] {
        &self.roots
    }

    pub(crate) fn steps(&self) -> UpdateSteps<'_> {
        UpdateSteps { apart: &self.apart, groups: &self.groups, tail: &self.tail }
    }

    /// Every joint with a parent, after its parent. The last one may be repeated.
    pub(crate) fn links(&self) -> impl Iterator<Item = JointLink> + '_ {
        self.groups.iter().flatten().chain(&self.tail).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_skeleton_can_be_ordered() {
        let chain: Vec<_> = (0..u16::MAX).map(|j| j.checked_sub(1).map(JointId)).collect();
        let order = UpdateOrder::of(&chain);
        assert_eq!(order.roots(), [0]);
        assert_eq!(order.links().last().map(|l| (l.joint, l.parent)), Some((u16::MAX - 1, u16::MAX - 2)));
    }
}
