//! Strips, fans and loops as plain lists.

use sinew::Topology;

/// glTF's seven ways to draw.
const POINTS: u32 = 0;
const LINES: u32 = 1;
const LINE_LOOP: u32 = 2;
const LINE_STRIP: u32 = 3;
pub(super) const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

/// Indices as a list, and what makes a shape of them.
#[derive(Debug, PartialEq)]
pub(super) struct IndexList {
    pub(super) topology: Topology,
    pub(super) indices: Vec<u32>,
    /// True where the list was another kind before.
    pub(super) expanded: bool,
    /// How many indices at the end made no whole shape.
    pub(super) left_over: usize,
}

/// Writes a list out; `None` for a mode that glTF does not have.
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
    // Every other triangle is turned round so that all face the same way.
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
    fn strips_fans_and_loops_become_lists() {
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
    fn indices_that_make_no_whole_triangle_are_cut_and_counted() {
        let list = expand(TRIANGLES, vec![0, 1, 2, 3]).unwrap();
        assert_eq!((list.indices, list.left_over), (vec![0, 1, 2], 1));
    }
}
