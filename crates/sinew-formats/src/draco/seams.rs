//! Seams: edges at which an attribute jumps, and the points into which they cut the vertices.

use super::DracoError;
use super::budget::DracoBudget;
use super::corners::{CornerSurface, CornerTable, NONE, next, previous};
use super::edgebreaker::Walked;
use super::rans::AnsBits;

/// A surface whose vertices have been cut into points.
#[derive(Debug)]
pub(super) struct CutMesh {
    pub(super) table: CornerTable,
    /// The seams of each set of attribute connectivity.
    pub(super) seams: Vec<Seams>,
    /// The point at each corner; without seams it is the vertex.
    pub(super) points: Option<Vec<u32>>,
    pub(super) point_count: usize,
}

impl CutMesh {
    /// The point at `corner`.
    pub(super) fn point(&self, corner: u32) -> u32 {
        match &self.points {
            Some(points) => points[corner as usize],
            None => self.table.vertex(corner),
        }
    }

    /// The point of every corner.
    pub(super) fn into_points(self) -> Vec<u32> {
        self.points.unwrap_or_else(|| self.table.into_vertices())
    }
}

/// The seams of one set of attributes, and the vertices that they split.
#[derive(Debug)]
pub(super) struct Seams {
    /// Whether the edge that a corner faces is a seam or a border.
    is_seam: Vec<bool>,
    /// Whether a vertex of the positions touches a seam or a border.
    touches_seam: Vec<bool>,
    /// The attribute's own vertex at each corner.
    vertices: Vec<u32>,
    /// The leftmost corner of each of those vertices.
    first_corners: Vec<u32>,
}

/// The surface as an attribute with seams sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeamedSurface<'a> {
    pub(super) table: &'a CornerTable,
    pub(super) seams: &'a Seams,
}

impl CornerSurface for SeamedSurface<'_> {
    fn opposite(&self, corner: u32) -> Option<u32> {
        if self.seams.is_seam[corner as usize] {
            return None;
        }
        self.table.opposite(corner)
    }

    fn vertex(&self, corner: u32) -> u32 {
        self.seams.vertices[corner as usize]
    }

    fn vertex_count(&self) -> usize {
        self.seams.first_corners.len()
    }

    fn is_on_border(&self, vertex: u32) -> bool {
        let corner = self.seams.first_corners[vertex as usize];
        self.seams.touches_seam[self.table.vertex(corner) as usize]
    }
}

/// Reads which edges are seams and cuts the surface there.
pub(super) fn cut(walked: Walked<'_>, budget: &mut DracoBudget) -> Result<CutMesh, DracoError> {
    let Walked { table, mut seam_bits } = walked;
    if seam_bits.is_empty() {
        let point_count = table.vertex_count();
        return Ok(CutMesh { table, seams: Vec::new(), points: None, point_count });
    }
    let mut seams = Vec::new();
    for bits in &mut seam_bits {
        seams.push(Seams::read(&table, bits, budget)?);
    }
    let (points, point_count) = number_points(&table, &seams, budget)?;
    Ok(CutMesh { table, seams, points: Some(points), point_count })
}

impl Seams {
    fn read(
        table: &CornerTable,
        bits: &mut AnsBits<'_>,
        budget: &mut DracoBudget,
    ) -> Result<Self, DracoError> {
        let mut seams = Self {
            is_seam: budget.filled(table.corner_count(), false)?,
            touches_seam: budget.filled(table.vertex_count(), false)?,
            vertices: budget.filled(table.corner_count(), NONE)?,
            first_corners: budget.room(table.corner_count())?,
        };
        for corner in 0..table.corner_count() as u32 {
            match table.opposite(corner) {
                None => seams.mark(table, corner),
                // The edge was already read from the face on its other side.
                Some(opposite) if opposite / 3 < corner / 3 => {}
                Some(opposite) => {
                    if bits.next_bit() {
                        seams.mark(table, corner);
                        seams.mark(table, opposite);
                    }
                }
            }
        }
        for vertex in 0..table.vertex_count() as u32 {
            if let Some(corner) = table.first_corner(vertex) {
                seams.split_vertex(table, vertex, corner)?;
            }
        }
        Ok(seams)
    }

    fn mark(&mut self, table: &CornerTable, corner: u32) {
        self.is_seam[corner as usize] = true;
        self.touches_seam[table.vertex(next(corner)) as usize] = true;
        self.touches_seam[table.vertex(previous(corner)) as usize] = true;
    }

    /// Gives each part of the fan around `vertex` its own vertex.
    fn split_vertex(&mut self, table: &CornerTable, vertex: u32, corner: u32) -> Result<(), DracoError> {
        let mut first = corner;
        if self.touches_seam[vertex as usize] {
            let surface = SeamedSurface { table, seams: self };
            while let Some(left) = surface.swing_left(first) {
                if left == corner {
                    return Err(DracoError::Malformed {
                        what: "a seam goes through a vertex but not through its fan",
                        index: vertex as usize,
                    });
                }
                first = left;
            }
        }
        self.start_vertex(first);
        let mut at = table.swing_right(first);
        while let Some(corner) = at.filter(|&corner| corner != first) {
            if self.is_seam[next(corner) as usize] {
                self.start_vertex(corner);
            } else {
                self.vertices[corner as usize] = self.first_corners.len() as u32 - 1;
            }
            at = table.swing_right(corner);
        }
        Ok(())
    }

    fn start_vertex(&mut self, corner: u32) {
        self.vertices[corner as usize] = self.first_corners.len() as u32;
        self.first_corners.push(corner);
    }
}

/// Numbers the points: corners of one vertex share a point unless a seam of any attribute is between them.
fn number_points(
    table: &CornerTable,
    seams: &[Seams],
    budget: &mut DracoBudget,
) -> Result<(Vec<u32>, usize), DracoError> {
    let mut points = budget.filled(table.corner_count(), NONE)?;
    let mut count = 0u32;
    for vertex in 0..table.vertex_count() as u32 {
        let Some(corner) = table.first_corner(vertex) else {
            continue;
        };
        let first =
            if table.is_on_border(vertex) { corner } else { first_behind_seam(table, seams, vertex, corner) };
        points[first as usize] = count;
        count += 1;
        let mut before = first;
        let mut at = table.swing_right(first);
        while let Some(corner) = at.filter(|&corner| corner != first) {
            let jumps = |seams: &Seams| seams.vertices[corner as usize] != seams.vertices[before as usize];
            count += u32::from(seams.iter().any(jumps));
            points[corner as usize] = count - 1;
            before = corner;
            at = table.swing_right(corner);
        }
    }
    Ok((points, count as usize))
}

/// The first corner of a closed fan, going right from `corner`, that lies behind a seam; `corner` if there is none.
fn first_behind_seam(table: &CornerTable, seams: &[Seams], vertex: u32, corner: u32) -> u32 {
    for seams in seams {
        if !seams.touches_seam[vertex as usize] {
            continue;
        }
        let own = seams.vertices[corner as usize];
        let mut at = table.swing_right(corner);
        while let Some(behind) = at.filter(|&behind| behind != corner) {
            if seams.vertices[behind as usize] != own {
                return behind;
            }
            at = table.swing_right(behind);
        }
    }
    corner
}
