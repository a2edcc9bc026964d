//! Linear blend skinning with one blended matrix for all vertices with the same influences.

use crate::{
    asset::weights::Weights,
    deform::{
        methods::{linear::blend, vertex::transform_vertex},
        streams::{DeformError, Surface, SurfaceMut, check_lengths, check_palette},
    },
    palette::Palette,
};
use glam::Affine3A;
use std::collections::HashMap;

/// The distinct sets of influences of a mesh, and the set of each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedBlends {
    blend_of_vertex: Vec<u32>,
    vertex_of_blend: Vec<u32>,
}

impl SharedBlends {
    /// Finds the vertices of `weights` that have the same joints with bit-identical weights.
    pub fn new(weights: &Weights) -> Self {
        let mut seen: HashMap<(&[u16], Vec<u32>), u32> = HashMap::new();
        let mut out = Self { blend_of_vertex: Vec::new(), vertex_of_blend: Vec::new() };
        for vertex in 0..weights.vertex_count() {
            let (slots, slot_weights) = weights.of(vertex);
            let bits = slot_weights.iter().map(|s| s.to_bits()).collect();
            let blend = *seen.entry((slots, bits)).or_insert_with(|| {
                out.vertex_of_blend.push(vertex as u32);
                out.vertex_of_blend.len() as u32 - 1
            });
            out.blend_of_vertex.push(blend);
        }
        out
    }

    /// The number of blended matrices.
    pub fn len(&self) -> usize {
        self.vertex_of_blend.len()
    }

    /// True if the weights have no vertices.
    pub fn is_empty(&self) -> bool {
        self.vertex_of_blend.is_empty()
    }

    /// The index of the blended matrix of each vertex.
    pub fn of_vertex(&self) -> &[u32] {
        &self.blend_of_vertex
    }
}

/// Linear blend skinning through shared matrices; bit-identical to [`linear`](super::linear()).
///
/// `matrices` is scratch; it is resized to one matrix per blend.
///
/// # Errors
/// If stream lengths differ, the palette is too small, or `blends` was made from other weights.
pub fn shared(
    surface: Surface<'_>,
    weights: &Weights,
    blends: &SharedBlends,
    palette: &Palette,
    matrices: &mut Vec<Affine3A>,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_palette(&surface, weights, palette.matrices().len())?;
    let (count, wanted) = (blends.blend_of_vertex.len(), surface.positions.len());
    if count != wanted {
        return Err(DeformError::WrongCount { stream: "shared blends", count, wanted });
    }
    matrices.clear();
    matrices.extend(blends.vertex_of_blend.iter().map(|&vertex| {
        let (slots, slot_weights) = weights.of(vertex as usize);
        blend(slots, slot_weights, palette.matrices())
    }));
    for (vertex, &blend) in blends.blend_of_vertex.iter().enumerate() {
        transform_vertex(vertex, &surface, &matrices[blend as usize], &mut out);
    }
    Ok(())
}
