//! A blend of two methods on one mesh.

use crate::{
    asset::precomputed::BlendMap,
    deform::{
        methods::vertex::unit_or_zero,
        streams::{DeformError, Surface, SurfaceMut, check_count, check_lengths},
    },
};

/// Blends the results of two methods on one surface, vertex by vertex: `a` where the map is 0, `b` where it is 1.
///
/// Directions are normalized; handedness is that of the method with the larger weight.
///
/// # Errors
/// If stream lengths differ or `map` is of another mesh.
pub fn blend_methods(
    a: Surface<'_>,
    b: Surface<'_>,
    map: &BlendMap,
    out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&a, &out)?;
    check_lengths(&b, &out)?;
    check_count("normals of the second method", b.normals.len(), a.normals.len())?;
    check_count("tangents of the second method", b.tangents.len(), a.tangents.len())?;
    check_count("blend map", map.weights().len(), a.positions.len())?;
    for (vertex, &weight) in map.weights().iter().enumerate() {
        out.positions[vertex] = a.positions[vertex].lerp(b.positions[vertex], weight);
        if !a.normals.is_empty() {
            out.normals[vertex] = unit_or_zero(a.normals[vertex].lerp(b.normals[vertex], weight));
        }
        if !a.tangents.is_empty() {
            let (first, second) = (a.tangents[vertex], b.tangents[vertex]);
            let handedness = if weight < 0.5 { first.w } else { second.w };
            let direction = unit_or_zero(first.truncate().lerp(second.truncate(), weight));
            out.tangents[vertex] = direction.extend(handedness);
        }
    }
    Ok(())
}
