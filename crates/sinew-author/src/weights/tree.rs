//! A bounding volume hierarchy over triangles, for ray and nearest-point queries.

use sinew::glam::DVec3;
use std::collections::BinaryHeap;

/// A bounding volume hierarchy over triangles.
pub(crate) struct TriangleTree {
    nodes: Vec<TreeNode>,
    /// The corners of the triangles, in the order of the leaves.
    corners: Vec<[DVec3; 3]>,
    /// The index of the triangle at each entry of `corners`.
    numbers: Vec<u32>,
}

struct TreeNode {
    low: DVec3,
    high: DVec3,
    /// The first triangle of a leaf, or the index of an inner node's second child; its first child follows the node itself.
    start: u32,
    /// The number of triangles of a leaf; 0 for an inner node.
    count: u32,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestPoint {
    pub(crate) triangle: u32,
    /// Barycentric coordinates in the triangle; they sum to one.
    pub(crate) barycentric: [f64; 3],
    pub(crate) distance: f64,
}

const LEAF: usize = 4;

impl TriangleTree {
    pub(crate) fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let corners: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|p| positions[p as usize])).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let centers: Vec<DVec3> = corners.iter().map(|[a, b, c]| (a + b + c) / 3.0).collect();
        let mut nodes = Vec::new();
        build(&mut nodes, &corners, &centers, &mut order);
        Self { nodes, corners: order.iter().map(|&t| corners[t as usize]).collect(), numbers: order }
    }

    /// A tree over segments, which are triangles without area, by their ends.
    pub(crate) fn of_segments(segments: &[[DVec3; 2]]) -> Self {
        let of = |n: u32| [2 * n, 2 * n + 1, 2 * n + 1];
        Self::new(segments.as_flattened(), &(0..segments.len() as u32).map(of).collect::<Vec<_>>())
    }

    /// A tree over points, which are triangles without sides.
    pub(crate) fn of_points(points: &[DVec3]) -> Self {
        Self::new(points, &(0..points.len() as u32).map(|n| [n; 3]).collect::<Vec<_>>())
    }

    /// True if a triangle intersects the segment from `from` to `to`, with a fraction `margin` excluded at both ends.
    pub(crate) fn blocks(&self, from: DVec3, to: DVec3, margin: f64) -> bool {
        self.crosses(from, to, margin, |_| true)
    }

    /// True if a triangle for which `accept` is true intersects the segment from `from` to `to`.
    pub(crate) fn meets(&self, from: DVec3, to: DVec3, accept: impl Fn(u32) -> bool) -> bool {
        self.crosses(from, to, 0.0, accept)
    }

    fn crosses(&self, from: DVec3, to: DVec3, margin: f64, accept: impl Fn(u32) -> bool) -> bool {
        if self.nodes.is_empty() {
            return false;
        }
        let way = to - from;
        let inverse = way.recip();
        let mut stack = [0_u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth] as usize;
            let node = &self.nodes[at];
            if !node.is_on_segment(from, inverse, margin, 1.0 - margin) {
                continue;
            }
            if node.count == 0 {
                stack[depth] = at as u32 + 1;
                stack[depth + 1] = node.start;
                depth += 2;
                continue;
            }
            let mut leaf = node.start as usize..(node.start + node.count) as usize;
            let is_between = |s: f64| s > margin && s < 1.0 - margin;
            let hit = |t: usize| {
                crossing(from, way, &self.corners[t]).is_some_and(is_between) && accept(self.numbers[t])
            };
            if leaf.any(hit) {
                return true;
            }
        }
        false
    }

    /// The nearest point of any triangle for which `accept` is true, within `limit`.
    pub(crate) fn nearest(
        &self,
        place: DVec3,
        limit: f64,
        mut accept: impl FnMut(u32) -> bool,
    ) -> Option<NearestPoint> {
        let mut best: Option<NearestPoint> = None;
        let mut reach = limit;
        let mut stack = vec![0_u32];
        while let Some(at) = stack.pop() {
            let Some(node) = self.nodes.get(at as usize) else { continue };
            if node.distance(place) > reach {
                continue;
            }
            if node.count == 0 {
                stack.extend(self.children_far_first(at, node, place));
                continue;
            }
            for at in node.start as usize..(node.start + node.count) as usize {
                let barycentric = nearest_in_triangle(place, &self.corners[at]);
                let [a, b, c] = self.corners[at];
                let distance = (a * barycentric[0] + b * barycentric[1] + c * barycentric[2]).distance(place);
                let better = distance < reach || (best.is_none() && distance <= reach);
                if better && accept(self.numbers[at]) {
                    reach = distance;
                    best = Some(NearestPoint { triangle: self.numbers[at], barycentric, distance });
                }
            }
        }
        best
    }
}

impl TriangleTree {
    /// The `count` triangles nearest to `place`, or all if there are fewer, in the order of their numbers. Of triangles at the
    /// same distance any may be left out.
    pub(crate) fn nearest_many(&self, place: DVec3, count: usize) -> Vec<u32> {
        // The farthest is on top. Distances are not negative, so their bits sort in the same order.
        let mut near: BinaryHeap<(u64, u32)> = BinaryHeap::with_capacity(count + 1);
        let reach = |near: &BinaryHeap<(u64, u32)>| match near.peek() {
            Some(&(bits, _)) if near.len() >= count => f64::from_bits(bits),
            _ => f64::INFINITY,
        };
        let mut stack = vec![0_u32];
        while let Some(at) = stack.pop() {
            let Some(node) = self.nodes.get(at as usize) else { continue };
            if node.distance(place) >= reach(&near) {
                continue;
            }
            if node.count == 0 {
                stack.extend(self.children_far_first(at, node, place));
                continue;
            }
            for at in node.start as usize..(node.start + node.count) as usize {
                let (barycentric, [a, b, c]) =
                    (nearest_in_triangle(place, &self.corners[at]), self.corners[at]);
                let distance = (a * barycentric[0] + b * barycentric[1] + c * barycentric[2]).distance(place);
                if distance < reach(&near) {
                    near.push((distance.to_bits(), self.numbers[at]));
                }
                if near.len() > count {
                    near.pop();
                }
            }
        }
        let mut numbers: Vec<u32> = near.into_iter().map(|(_, number)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The children of an inner node, the nearer one last.
    fn children_far_first(&self, at: u32, node: &TreeNode, place: DVec3) -> [u32; 2] {
        let (one, other) = (at + 1, node.start);
        let nearer = |n: u32| self.nodes[n as usize].distance(place);
        if nearer(one) <= nearer(other) { [other, one] } else { [one, other] }
    }
}

impl TreeNode {
    fn is_on_segment(&self, from: DVec3, inverse: DVec3, start: f64, end: f64) -> bool {
        let (one, other) = ((self.low - from) * inverse, (self.high - from) * inverse);
        let (enter, leave) = (one.min(other), one.max(other));
        // A segment along a face of the box gives NaN there; min and max then keep the other number.
        let enter = enter.x.max(enter.y).max(enter.z).max(start);
        let leave = leave.x.min(leave.y).min(leave.z).min(end);
        enter <= leave
    }

    fn distance(&self, place: DVec3) -> f64 {
        place.distance(place.clamp(self.low, self.high))
    }
}

/// Recursively splits the triangles at the median of the longest side.
fn build(nodes: &mut Vec<TreeNode>, corners: &[[DVec3; 3]], centers: &[DVec3], order: &mut [u32]) {
    let mut work = vec![(0, order.len(), None::<usize>)];
    while let Some((start, end, second_child_of)) = work.pop() {
        if let Some(parent) = second_child_of {
            nodes[parent].start = nodes.len() as u32;
        }
        let some = &mut order[start..end];
        let Some(&first) = some.first() else { continue };
        let first = corners[first as usize][0];
        let grown = some.iter().flat_map(|&t| corners[t as usize]);
        let (low, high) = grown.fold((first, first), |(l, h), p| (l.min(p), h.max(p)));
        if some.len() <= LEAF {
            nodes.push(TreeNode { low, high, start: start as u32, count: some.len() as u32 });
            continue;
        }
        let size = high - low;
        let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let half = some.len() / 2;
        some.select_nth_unstable_by(half, |&a, &b| {
            centers[a as usize][axis].total_cmp(&centers[b as usize][axis]).then(a.cmp(&b))
        });
        let this = nodes.len();
        nodes.push(TreeNode { low, high, start: 0, count: 0 });
        // The last entry is built next, right after its parent.
        work.push((start + half, end, Some(this)));
        work.push((start, start + half, None));
    }
}

/// The fraction along `way` at which the segment intersects the triangle.
fn crossing(from: DVec3, way: DVec3, &[a, b, c]: &[DVec3; 3]) -> Option<f64> {
    let (u, v) = (b - a, c - a);
    let normal = way.cross(v);
    let volume = u.dot(normal);
    if volume == 0.0 {
        return None;
    }
    let offset = from - a;
    let first = offset.dot(normal) / volume;
    let across = offset.cross(u);
    let second = way.dot(across) / volume;
    // The small margin closes cracks between adjacent triangles.
    let inside = first >= -1e-9 && second >= -1e-9 && first + second <= 1.0 + 1e-9;
    inside.then(|| v.dot(across) / volume).filter(|s| s.is_finite())
}

/// The barycentric coordinates of the point of the triangle that is nearest to `place`.
pub(crate) fn nearest_in_triangle(place: DVec3, &[a, b, c]: &[DVec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, place - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let (aa, bb, cross) = (ab.length_squared(), ac.length_squared(), ab.dot(ac));
    let determinant = aa * bb - cross * cross;
    if determinant > 0.0 {
        let second = (bb * d1 - cross * d2) / determinant;
        let third = (aa * d2 - cross * d1) / determinant;
        if second >= 0.0 && third >= 0.0 && second + third <= 1.0 {
            return [1.0 - second - third, second, third];
        }
    }
    let along = |from: DVec3, to: DVec3| {
        let edge = to - from;
        let length = edge.length_squared();
        let fraction = if length > 0.0 { ((place - from).dot(edge) / length).clamp(0.0, 1.0) } else { 0.0 };
        (from.lerp(to, fraction).distance_squared(place), fraction)
    };
    let (on_ab, on_bc, on_ca) = (along(a, b), along(b, c), along(c, a));
    if on_ab.0 <= on_bc.0 && on_ab.0 <= on_ca.0 {
        [1.0 - on_ab.1, on_ab.1, 0.0]
    } else if on_bc.0 <= on_ca.0 {
        [0.0, 1.0 - on_bc.1, on_bc.1]
    } else {
        [on_ca.1, 0.0, 1.0 - on_ca.1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scattered triangles, the same in every run.
    fn scattered() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64
        };
        let positions: Vec<DVec3> = (0..300).map(|_| DVec3::new(number(), number(), number())).collect();
        let triangles = (0..100).map(|t| [t * 3, t * 3 + 1, t * 3 + 2]).collect();
        (positions, triangles)
    }

    #[test]
    fn the_tree_finds_the_same_as_a_linear_search() {
        let (positions, triangles) = scattered();
        let tree = TriangleTree::new(&positions, &triangles);
        let corners = |t: &[u32; 3]| t.map(|p| positions[p as usize]);
        let (mut hits, mut misses) = (0, 0);
        for pair in positions.windows(2) {
            let (from, to) = (pair[0] * 1.5 - 0.25, pair[1] * 1.5 - 0.25);
            let hit =
                |t: &[u32; 3]| crossing(from, to - from, &corners(t)).is_some_and(|s| s > 0.1 && s < 0.9);
            let want = triangles.iter().any(hit);
            assert_eq!(tree.blocks(from, to, 0.1), want);
            *(if want { &mut hits } else { &mut misses }) += 1;
            let far = |t: &[u32; 3]| {
                let [a, b, c] = corners(t);
                let s = nearest_in_triangle(from, &[a, b, c]);
                (a * s[0] + b * s[1] + c * s[2]).distance(from)
            };
            let nearest = tree.nearest(from, f64::INFINITY, |_| true).unwrap();
            let min_distance = triangles.iter().map(far).fold(f64::INFINITY, f64::min);
            assert!((far(&triangles[nearest.triangle as usize]) - min_distance).abs() < 1e-12);
            let other = tree.nearest(from, f64::INFINITY, |t| t != nearest.triangle).unwrap();
            assert_ne!(other.triangle, nearest.triangle);
            assert!(tree.nearest(from, min_distance * 0.99, |_| true).is_none());
        }
        assert!(hits > 20 && misses > 20, "{hits} hits, {misses} misses");
    }

    #[test]
    fn the_nearest_point_of_a_triangle_is_nearer_than_any_other() {
        let (positions, triangles) = scattered();
        for (t, &place) in triangles.iter().zip(&positions[150..]) {
            let [a, b, c] = t.map(|p| positions[p as usize]);
            let at = |s: [f64; 3]| (a * s[0] + b * s[1] + c * s[2]).distance(place);
            let barycentric = nearest_in_triangle(place, &[a, b, c]);
            assert!(
                (barycentric.iter().sum::<f64>() - 1.0).abs() < 1e-12
                    && barycentric.iter().all(|s| *s >= 0.0)
            );
            for n in 0..=20 {
                for m in 0..=20 - n {
                    let (second, third) = (f64::from(n) / 20.0, f64::from(m) / 20.0);
                    assert!(at(barycentric) <= at([1.0 - second - third, second, third]) + 1e-12);
                }
            }
        }
    }

    #[test]
    fn the_nearest_triangles_are_those_of_a_sorted_list() {
        let (positions, triangles) = scattered();
        let tree = TriangleTree::new(&positions, &triangles);
        let far = |place: DVec3, t: u32| {
            let [a, b, c] = triangles[t as usize].map(|p| positions[p as usize]);
            let s = nearest_in_triangle(place, &[a, b, c]);
            (a * s[0] + b * s[1] + c * s[2]).distance(place)
        };
        for &place in &positions[..40] {
            let mut sorted: Vec<u32> = (0..100).collect();
            sorted.sort_by(|&a, &b| far(place, a).total_cmp(&far(place, b)));
            let mut want = sorted[..7].to_vec();
            want.sort_unstable();
            assert_eq!(tree.nearest_many(place, 7), want);
        }
        assert_eq!(tree.nearest_many(DVec3::ZERO, 1000).len(), 100);
        assert_eq!(TriangleTree::new(&[], &[]).nearest_many(DVec3::ZERO, 7), []);
    }

    #[test]
    fn an_empty_tree_blocks_nothing() {
        let tree = TriangleTree::new(&[], &[]);
        assert!(!tree.blocks(DVec3::ZERO, DVec3::X, 0.0));
        assert!(tree.nearest(DVec3::ZERO, 1.0, |_| true).is_none());
    }
}
