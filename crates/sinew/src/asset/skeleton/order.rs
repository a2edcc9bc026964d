//! The order in which joints are brought to model space.

use super::JointId;

/// A joint and the one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) joint: u16,
    pub(crate) parent: u16,
}

/// Joints that are worked out together, in this order.
pub(crate) type Group = [Link; 4];

/// The joints of a skeleton by their depth, in groups.
///
/// A file lists a chain joint by joint, and each waits for the one before it. By depth, neighbours in the list mostly do
/// not wait for each other: a third less time on a human skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Order {
    roots: Vec<u16>,
    /// Every joint with a parent. The last group is filled up by repeating the last joint, which changes nothing.
    groups: Vec<Group>,
}

impl Order {
    /// Of joints whose parents stand before them.
    pub(super) fn of(parents: &[Option<JointId>]) -> Self {
        let mut depths: Vec<u16> = Vec::with_capacity(parents.len());
        for parent in parents {
            let above = parent.and_then(|p| depths.get(p.index()).copied());
            depths.push(above.map_or(0, |depth| depth + 1));
        }
        // Closed, since a skeleton may have as many joints as there are numbers.
        let numbered = || (0..=u16::MAX).zip(parents);
        let roots = numbered().filter(|(_, p)| p.is_none()).map(|(joint, _)| joint).collect();
        let links = numbered().filter_map(|(joint, parent)| Some(Link { joint, parent: (*parent)?.0 }));
        let mut links: Vec<Link> = links.collect();
        links.sort_by_key(|link| depths[usize::from(link.joint)]);
        let groups = links.chunks(4).map(|some| std::array::from_fn(|i| some[i.min(some.len() - 1)]));
        Self { groups: groups.collect(), roots }
    }

    pub(crate) fn roots(&self) -> &[u16] {
        &self.roots
    }

    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Every joint with a parent, after its parent; the last one may come several times.
    pub(crate) fn links(&self) -> impl Iterator<Item = Link> + '_ {
        self.groups.iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_joints_as_there_are_numbers_can_be_ordered() {
        let chain: Vec<_> = (0..u16::MAX).map(|j| j.checked_sub(1).map(JointId)).collect();
        let order = Order::of(&chain);
        assert_eq!(order.roots(), [0]);
        assert_eq!(order.links().last().map(|l| (l.joint, l.parent)), Some((u16::MAX - 1, u16::MAX - 2)));
    }
}
