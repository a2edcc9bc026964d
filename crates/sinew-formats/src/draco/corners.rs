//! Triangle connectivity by corners: corner `3 f + i` is the `i`-th corner of face `f`.

use super::DracoError;

/// Marks a corner without an opposite, or a vertex without a corner.
pub(super) const NONE: u32 = u32::MAX;

/// The corner after `corner` in its face.
pub(super) fn next(corner: u32) -> u32 {
    if corner % 3 == 2 { corner - 2 } else { corner + 1 }
}

/// The corner before `corner` in its face.
pub(super) fn previous(corner: u32) -> u32 {
    if corner.is_multiple_of(3) { corner + 2 } else { corner - 1 }
}

/// A surface of triangles on which one can walk from corner to corner.
pub(super) trait CornerSurface {
    /// The corner across the edge that `corner` faces, unless that edge is a border.
    fn opposite(&self, corner: u32) -> Option<u32>;

    /// The vertex at `corner`.
    fn vertex(&self, corner: u32) -> u32;

    /// The number of vertices, those without any corner included.
    fn vertex_count(&self) -> usize;

    /// Whether the fan around `vertex` is not closed.
    fn is_on_border(&self, vertex: u32) -> bool;

    /// The next corner counter-clockwise around the same vertex.
    fn swing_left(&self, corner: u32) -> Option<u32> {
        self.opposite(next(corner)).map(next)
    }

    /// The next corner clockwise around the same vertex.
    fn swing_right(&self, corner: u32) -> Option<u32> {
        self.opposite(previous(corner)).map(previous)
    }

    /// The corner across the edge to the right when `corner` is seen as the tip.
    fn right(&self, corner: u32) -> Option<u32> {
        self.opposite(next(corner))
    }

    /// The corner across the edge to the left when `corner` is seen as the tip.
    fn left(&self, corner: u32) -> Option<u32> {
        self.opposite(previous(corner))
    }
}

/// The connectivity of the positions.
///
/// Every corner has a vertex below `vertex_count`, opposites come in pairs, and the corners of a vertex form one fan.
#[derive(Debug)]
pub(super) struct CornerTable {
    opposites: Vec<u32>,
    vertices: Vec<u32>,
    first_corners: Vec<u32>,
}

impl CornerTable {
    /// Checks the parts of a table and turns each vertex's first corner into the leftmost of its fan.
    ///
    /// `opposites` must be symmetric and name corners that exist; everything else is checked here.
    pub(super) fn new(
        opposites: Vec<u32>,
        vertices: Vec<u32>,
        first_corners: Vec<u32>,
    ) -> Result<Self, DracoError> {
        let mut table = Self { opposites, vertices, first_corners };
        let mut in_fans = 0;
        for vertex in 0..table.first_corners.len() {
            in_fans += table.settle_fan(vertex)?;
        }
        if in_fans != table.vertices.len() {
            return Err(DracoError::Malformed { what: "some corners belong to no fan", index: in_fans });
        }
        Ok(table)
    }

    /// Makes the first corner of `vertex` the leftmost of its fan, and counts the fan's corners.
    fn settle_fan(&mut self, vertex: usize) -> Result<usize, DracoError> {
        let start = self.first_corners[vertex];
        if start == NONE {
            return Ok(0);
        }
        let check = |table: &Self, corner: u32| {
            if table.vertices[corner as usize] as usize == vertex {
                Ok(())
            } else {
                Err(DracoError::Malformed { what: "the fan of a vertex holds another vertex", index: vertex })
            }
        };
        check(self, start)?;
        let mut size = 1;
        let mut leftmost = start;
        let mut at = self.swing_left(start);
        while let Some(corner) = at {
            if corner == start {
                return Ok(size);
            }
            check(self, corner)?;
            size += 1;
            leftmost = corner;
            at = self.swing_left(corner);
        }
        let mut at = self.swing_right(start);
        while let Some(corner) = at {
            check(self, corner)?;
            size += 1;
            at = self.swing_right(corner);
        }
        self.first_corners[vertex] = leftmost;
        Ok(size)
    }

    /// The number of corners, three for each face.
    pub(super) fn corner_count(&self) -> usize {
        self.vertices.len()
    }

    /// The first corner of the fan around `vertex`: the leftmost if the fan is open.
    pub(super) fn first_corner(&self, vertex: u32) -> Option<u32> {
        Some(self.first_corners[vertex as usize]).filter(|&corner| corner != NONE)
    }

    /// The vertex of every corner.
    pub(super) fn into_vertices(self) -> Vec<u32> {
        self.vertices
    }
}

impl CornerSurface for CornerTable {
    fn opposite(&self, corner: u32) -> Option<u32> {
        Some(self.opposites[corner as usize]).filter(|&opposite| opposite != NONE)
    }

    fn vertex(&self, corner: u32) -> u32 {
        self.vertices[corner as usize]
    }

    fn vertex_count(&self) -> usize {
        self.first_corners.len()
    }

    fn is_on_border(&self, vertex: u32) -> bool {
        self.first_corner(vertex).is_none_or(|corner| self.swing_left(corner).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles over the edge from vertex 1 to vertex 2.
    fn two_triangles() -> (Vec<u32>, Vec<u32>) {
        let mut opposites = vec![NONE; 6];
        opposites[0] = 5;
        opposites[5] = 0;
        (opposites, vec![0, 1, 2, 2, 1, 3])
    }

    #[test]
    fn starts_open_fans_at_their_leftmost_corner() {
        let (opposites, vertices) = two_triangles();
        let table = CornerTable::new(opposites, vertices, vec![0, 4, 2, 5]).unwrap();
        let first = table.first_corner(1).unwrap();
        assert_eq!(table.swing_left(first), None);
        assert!(table.swing_right(first).is_some());
    }

    #[test]
    fn refuses_a_fan_that_mixes_vertices_or_misses_corners() {
        let (opposites, mut vertices) = two_triangles();
        assert!(CornerTable::new(opposites.clone(), vertices.clone(), vec![0, 1, 2]).is_err());
        vertices[4] = 3;
        assert!(CornerTable::new(opposites, vertices, vec![0, 1, 2, 5]).is_err());
    }
}
