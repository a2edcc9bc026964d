//! Expands strips, fans and loops to lists.

use sinew::Topology;

/// The primitive modes of glTF.
const POINTS: u32 = 0;
const LINES: u32 = 1;
const LINE_LOOP: u32 = 2;
const LINE_STRIP: u32 = 3;
pub(super) const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

/// An index list and its topology.
#[derive(Debug, PartialEq)]
pub(super) struct IndexList {
    pub(super) topology: Topology,
    pub(super) indices: Vec<u32>,
    /// True when the list was expanded from a strip, a fan or a loop.
    pub(super) expanded: bool,
    /// The number of indices at the end that did not make a complete shape.
    pub(super) left_over: usize,
}

/// Expands indices to a list; `None` for an invalid mode.
pub(super) fn expand(mode: u32, indices: Vec<u32>) -> Option<IndexList> {
    let (topology, indices, expanded) = match mode {
        POINTS => (Topology::Points, indices, false),
        LINES => (Topology::Lines, indices, false),
        LINE_STRIP => (Topology::Lines, segments(&indices, false), true),
        LINE_LOOP => (Topology::Lines, segments(&indices, true), true),
        TRIANGLES => (Topology::Triangles, indices, false),
        TRIANGLE_STRIP => (Topology::Triangles, strip(&indices), true),
        TRIANGLE_FAN => (Topology::Triangles, fan(&indices), true),
        _ => return None,
    };
    let left_over = indices.len() % topology.indices_per_shape();
    let mut indices = indices;
    indices.truncate(indices.len() - left_over);
    Some(IndexList { topology, indices, expanded, left_over })
}

fn segments(indices: &[u32], closed: bool) -> Vec<u32> {
    let back = match indices {
        [first, .., last] if closed => vec![*last, *first],
        _ => vec![],
    };
    indices.windows(2).flatten().copied().chain(back).collect()
}

fn strip(indices: &[u32]) -> Vec<u32> {
    // Every other triangle is rewound, so that all have the same winding.
    let turn = |(k, t): (usize, &[u32])| if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
    indices.windows(3).enumerate().flat_map(turn).collect()
}

fn fan(indices: &[u32]) -> Vec<u32> {
    let Some((hub, rim)) = indices.split_first() else { return vec![] };
    rim.windows(2).flat_map(|edge| [*hub, edge[0], edge[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_fans_and_loops_expand_to_lists() {
        let list = |mode, n: u32| expand(mode, (0..n).collect()).unwrap().indices;
        assert_eq!(list(TRIANGLE_STRIP, 5), [0, 1, 2, 2, 1, 3, 2, 3, 4]);
        assert_eq!(list(TRIANGLE_FAN, 4), [0, 1, 2, 0, 2, 3]);
        assert_eq!(list(LINE_STRIP, 3), [0, 1, 1, 2]);
        assert_eq!(list(LINE_LOOP, 3), [0, 1, 1, 2, 2, 0]);
        for mode in 0..=6 {
            assert!(list(mode, 0).is_empty());
            list(mode, 1);
        }
        assert_eq!(expand(7, vec![]), None);
    }

    #[test]
    fn indices_of_an_incomplete_triangle_are_dropped_and_counted() {
        let list = expand(TRIANGLES, vec![0, 1, 2, 3]).unwrap();
        assert_eq!((list.indices, list.left_over), (vec![0, 1, 2], 1));
    }
}
