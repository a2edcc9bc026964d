//! Who descends from whom, so that questions about a hierarchy do not walk it.

use super::JointId;

/// Children, depths and descendants of every joint.
///
/// Files can chain every joint to the one before it: walking up from each of 65,536 joints takes two billion steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    /// The children of joint j are `children[first_child[j]..first_child[j + 1]]`, in order.
    first_child: Vec<u32>,
    children: Vec<JointId>,
    depths: Vec<u32>,
    /// The place of each joint in a walk that visits all descendants of a joint right after it.
    places: Vec<u32>,
    /// The number of descendants of each joint, itself included.
    sizes: Vec<u32>,
}

impl Family {
    /// The family of joints whose parents come before them.
    pub(super) fn of(parents: &[Option<JointId>]) -> Self {
        let mut first_child = vec![0_u32; parents.len() + 1];
        for parent in parents.iter().flatten() {
            first_child[parent.index() + 1] += 1;
        }
        for joint in 0..parents.len() {
            first_child[joint + 1] += first_child[joint];
        }
        let mut next = first_child.clone();
        let mut children = vec![JointId(0); parents.iter().flatten().count()];
        let (mut depths, mut sizes) = (vec![0; parents.len()], vec![1_u32; parents.len()]);
        for (joint, parent) in (0..=u16::MAX).zip(parents) {
            let Some(parent) = parent else { continue };
            children[next[parent.index()] as usize] = JointId(joint);
            next[parent.index()] += 1;
            depths[usize::from(joint)] = depths[parent.index()] + 1;
        }
        for (joint, parent) in parents.iter().enumerate().rev() {
            if let Some(parent) = parent {
                sizes[parent.index()] += sizes[joint];
            }
        }
        let places = places(parents, &sizes);
        Self { first_child, children, depths, places, sizes }
    }

    pub(super) fn children(&self, joint: usize) -> &[JointId] {
        &self.children[self.first_child[joint] as usize..self.first_child[joint + 1] as usize]
    }

    pub(super) fn depth(&self, joint: usize) -> usize {
        self.depths[joint] as usize
    }

    /// True if `ancestor` is `joint` or one of its ancestors.
    pub(super) fn is_within(&self, joint: usize, ancestor: usize) -> bool {
        let first = self.places[ancestor];
        (first..first + self.sizes[ancestor]).contains(&self.places[joint])
    }
}

fn places(parents: &[Option<JointId>], sizes: &[u32]) -> Vec<u32> {
    let mut places = vec![0; parents.len()];
    // Where the next child of each joint goes, and the next root.
    let mut next = vec![0_u32; parents.len()];
    let mut next_root = 0;
    for (joint, parent) in parents.iter().enumerate() {
        let place = match parent {
            Some(parent) => &mut next[parent.index()],
            None => &mut next_root,
        };
        places[joint] = *place;
        *place += sizes[joint];
        next[joint] = places[joint] + 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_of_any_hierarchy_is_that_of_its_parents() {
        // Two trees whose joints are interleaved.
        let parents = [None, None, Some(0), Some(1), Some(0), Some(2), Some(1), Some(5), Some(2), None];
        let parents = parents.map(|parent| parent.map(JointId));
        let family = Family::of(&parents);
        let ancestors = |joint: usize| {
            std::iter::successors(Some(joint), |&j: &usize| parents[j].map(JointId::index))
                .collect::<Vec<_>>()
        };
        for joint in 0..parents.len() {
            let children = (0..parents.len()).filter(|&c| parents[c].map(JointId::index) == Some(joint));
            assert!(family.children(joint).iter().map(|c| c.index()).eq(children), "{joint}");
            assert_eq!(family.depth(joint), ancestors(joint).len() - 1);
            for other in 0..parents.len() {
                assert_eq!(family.is_within(joint, other), ancestors(joint).contains(&other));
            }
        }
    }
}
