//! The order in which joints that swing are evaluated: ancestors first, then what carries the colliders.

use crate::asset::skeleton::{JointId, Skeleton};

/// For each joint, the nearest joint at or above it that swings.
pub(super) fn nearest_swinging(skeleton: &Skeleton, swings: &[bool]) -> Vec<Option<JointId>> {
    let mut nearest: Vec<Option<JointId>> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let above = skeleton.parent(joint).and_then(|parent| nearest[parent.index()]);
        nearest.push(if swings[joint.index()] { Some(joint) } else { above });
    }
    nearest
}

/// Orders `joints` so that each comes after the joints that it `needs` and after its `parent`, as far as they are in the
/// list. Needs that go in circles are ignored, parents never are.
pub(super) fn ordered(
    joints: &[JointId],
    joint_count: usize,
    parent: impl Fn(JointId) -> Option<JointId>,
    needs: impl Fn(JointId, &mut Vec<JointId>),
) -> Vec<JointId> {
    let (mut seen, mut done) = (vec![false; joint_count], vec![false; joint_count]);
    let (mut wanted, mut stack, mut below) = (Vec::with_capacity(joints.len()), Vec::new(), Vec::new());
    for &first in joints {
        stack.push(first);
        while let Some(&joint) = stack.last() {
            if seen[joint.index()] {
                stack.pop();
                if !std::mem::replace(&mut done[joint.index()], true) {
                    wanted.push(joint);
                }
                continue;
            }
            seen[joint.index()] = true;
            below.clear();
            below.extend(parent(joint));
            needs(joint, &mut below);
            stack.extend(below.iter().rev().filter(|need| !seen[need.index()]));
        }
    }
    parents_first(&wanted, joint_count, parent)
}

/// The same joints in the same order, except that a parent that comes later moves before its first child.
fn parents_first(
    joints: &[JointId],
    joint_count: usize,
    parent: impl Fn(JointId) -> Option<JointId>,
) -> Vec<JointId> {
    let mut placed = vec![false; joint_count];
    let (mut out, mut up) = (Vec::with_capacity(joints.len()), Vec::new());
    for &joint in joints {
        let mut next = Some(joint);
        while let Some(one) = next.filter(|one| !placed[one.index()]) {
            placed[one.index()] = true;
            up.push(one);
            next = parent(one);
        }
        out.extend(up.drain(..).rev());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(needs: &[(u16, u16)]) -> Vec<u16> {
        // 0 - 1 - 2 and 3 - 4 are chains.
        let parents = [None, Some(0), Some(1), None, Some(3)];
        let joints: Vec<JointId> = (0..5).map(JointId).collect();
        let needs = |joint: JointId, out: &mut Vec<JointId>| {
            out.extend(needs.iter().filter(|(of, _)| *of == joint.0).map(|(_, need)| JointId(*need)));
        };
        let parent = |joint: JointId| parents[joint.index()].map(JointId);
        ordered(&joints, 5, parent, needs).into_iter().map(|joint| joint.0).collect()
    }

    #[test]
    fn what_is_needed_comes_first_and_circles_keep_parents_first() {
        assert_eq!(order(&[]), [0, 1, 2, 3, 4]);
        assert_eq!(order(&[(1, 4)]), [0, 3, 4, 1, 2]);
        for circle in [&[(0, 2)][..], &[(0, 4), (3, 2)], &[(2, 4), (4, 2)], &[(0, 0)]] {
            let order = order(circle);
            let at = |joint: u16| order.iter().position(|&j| j == joint).unwrap();
            assert!(order.len() == 5 && at(0) < at(1) && at(1) < at(2) && at(3) < at(4), "{order:?}");
        }
    }
}
