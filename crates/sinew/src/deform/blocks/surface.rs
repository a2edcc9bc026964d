//! The vertex streams of a surface in block order.

use super::{
    WIDTH,
    lanes::Lanes,
    normal_slopes::{self, DominantNormalAxis},
    runs::BlockRuns,
};
use crate::deform::{Surface, kernel::KernelOutput};
use glam::{Vec3, Vec4};

/// Vertex streams in the order of a [`PackedSkin`](super::PackedSkin)'s blocks, component by component.
///
/// A skin holds the surface of its mesh. A caller with morphed shapes keeps one of these for each instance and fills it
/// with [`PackedSkin::pack_surface`](super::PackedSkin::pack_surface).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedSurface {
    pub(crate) positions: Vec<[Lanes; 3]>,
    pub(crate) normals: Vec<[Lanes; 3]>,
    pub(crate) tangents: Vec<[Lanes; 4]>,
    /// The same normals as slopes, for blocks with a dominant axis.
    pub(crate) slopes: Vec<[Lanes; 3]>,
    pub(crate) dominant_axes: Vec<DominantNormalAxis>,
    /// Pairs of a vertex and the copy of it whose position it takes after deformation; see [`copies`](super::copies).
    pub(super) seams: Vec<[u32; 2]>,
    /// True if some normal or tangent is zero. It must stay zero, so kernels have to check.
    pub(crate) has_missing_directions: bool,
}

impl PackedSurface {
    /// Memory for `blocks` blocks of the streams that `surface` has.
    pub(super) fn with_room_for(surface: &Surface<'_>, blocks: usize) -> Self {
        let count = |is_empty: bool| if is_empty { 0 } else { blocks };
        Self {
            positions: vec![[Lanes::default(); 3]; blocks],
            normals: vec![[Lanes::default(); 3]; count(surface.normals.is_empty())],
            tangents: vec![[Lanes::default(); 4]; count(surface.tangents.is_empty())],
            slopes: vec![[Lanes::default(); 3]; count(surface.normals.is_empty())],
            dominant_axes: vec![DominantNormalAxis::default(); count(surface.normals.is_empty())],
            seams: Vec::new(),
            has_missing_directions: false,
        }
    }

    /// True if every stream of this surface has the same capacity as that of `other`.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let sizes = |s: &Self| (s.positions.len(), s.normals.len(), s.tangents.len());
        sizes(self) == sizes(other)
    }

    /// Fills the blocks: lane `i` takes vertex `vertex_of_lane[i]`. Of `seams`, the pairs that this surface does not tear
    /// are kept.
    pub(super) fn fill(&mut self, surface: &Surface<'_>, runs: &BlockRuns, seams: &[[u32; 2]]) {
        let vertex_of_lane = &runs.vertex_of_lane[..];
        self.keep_seams(surface.positions, seams);
        scatter(&mut self.positions, vertex_of_lane, |v| surface.positions[v].to_array());
        let mut missing = false;
        let mut unit = |v: Vec3| {
            let unit = unit_or_zero(v);
            missing |= unit == Vec3::ZERO;
            unit
        };
        // Only the direction matters, so unit vectors are stored: a rotation then needs no normalization.
        scatter(&mut self.normals, vertex_of_lane, |v| unit(surface.normals[v]).to_array());
        scatter(&mut self.tangents, vertex_of_lane, |v| {
            let tangent: Vec4 = surface.tangents[v];
            unit(tangent.truncate()).extend(tangent.w).to_array()
        });
        self.has_missing_directions = missing;
        normal_slopes::fill(&self.normals, &runs.normal_axes, &mut self.dominant_axes, &mut self.slopes);
    }

    /// Keeps the pairs of `seams` that these positions do not tear.
    pub(super) fn keep_seams(&mut self, positions: &[Vec3], seams: &[[u32; 2]]) {
        let position = |vertex: u32| positions[vertex as usize];
        self.seams.clear();
        self.seams.extend(seams.iter().filter(|[vertex, copy]| position(*vertex) == position(*copy)));
    }

    /// Gives every copy of a vertex that its block computes in another way the position of that vertex, so that seams stay
    /// closed to the last bit. `out` is a complete output in the order of the skin.
    ///
    /// [`PackedSkin::deform`](super::PackedSkin::deform) does this itself; call it when the jobs of
    /// [`PackedSkin::split`](super::PackedSkin::split) are done. In packed order there is nothing to do.
    ///
    /// # Panics
    /// If `out` has fewer vertices than the mesh.
    pub fn join_seams(&self, out: &mut KernelOutput<'_>) {
        match out {
            KernelOutput::Interleaved(out) => {
                for &[vertex, copy] in &self.seams {
                    out.positions[vertex as usize] = out.positions[copy as usize];
                }
            }
            KernelOutput::Separate(out) => {
                for component in &mut out.positions {
                    for &[vertex, copy] in &self.seams {
                        component[vertex as usize] = component[copy as usize];
                    }
                }
            }
        }
    }

    /// The number of copies that [`PackedSurface::join_seams`] moves.
    pub(super) fn seam_count(&self) -> usize {
        self.seams.len()
    }

    /// True if the surface has normals.
    pub fn has_normals(&self) -> bool {
        !self.normals.is_empty()
    }

    /// True if the surface has tangents.
    pub fn has_tangents(&self) -> bool {
        !self.tangents.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.positions)
            + size_of_val(&*self.normals)
            + size_of_val(&*self.tangents)
            + size_of_val(&*self.slopes)
            + size_of_val(&*self.dominant_axes)
            + size_of_val(&*self.seams)
    }
}

/// Writes `N` components of each lane's vertex.
pub(super) fn scatter<const N: usize>(
    blocks: &mut [[Lanes; N]],
    vertex_of_lane: &[u32],
    mut numbers: impl FnMut(usize) -> [f32; N],
) {
    for (block, vertices) in blocks.iter_mut().zip(vertex_of_lane.chunks_exact(WIDTH)) {
        for (lane, &vertex) in vertices.iter().enumerate() {
            for (stream, number) in block.iter_mut().zip(numbers(vertex as usize)) {
                stream.0[lane] = number;
            }
        }
    }
}

/// `v` normalized, or zero if it has no direction.
fn unit_or_zero(v: Vec3) -> Vec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (v / largest).normalize() } else { Vec3::ZERO }
}
