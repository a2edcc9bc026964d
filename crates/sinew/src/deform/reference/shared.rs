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

/// The different influences of a mesh, each once, and which of them every vertex has.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedBlends {
    blend_of_vertex: Vec<u32>,
    vertex_of_blend: Vec<u32>,
}

impl SharedBlends {
    /// Finds the vertices of `weights` that have the same joints with the same weights to the bit.
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

    /// How many matrices are blended.
    pub fn len(&self) -> usize {
        self.vertex_of_blend.len()
    }

    /// True for weights of no vertex.
    pub fn is_empty(&self) -> bool {
        self.vertex_of_blend.is_empty()
    }

    /// The blend of each vertex.
    pub fn of_vertex(&self) -> &[u32] {
        &self.blend_of_vertex
    }
}

/// Linear blend skinning through shared matrices: the same result as [`linear`](super::linear()), to the bit.
///
/// `matrices` is scratch; it is resized to one matrix a blend.
///
/// # Errors
/// Where stream lengths differ, the palette is too small, or `blends` was made from other weights.
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
