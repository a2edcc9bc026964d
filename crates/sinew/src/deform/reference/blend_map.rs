//! A blend of two methods on one mesh.

use crate::{
    asset::precomputed::BlendMap,
    deform::{
        methods::vertex::DeformedVertex,
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
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&a, &out)?;
    check_lengths(&b, &out)?;
    check_count("normals of the second method", b.normals.len(), a.normals.len())?;
    check_count("tangents of the second method", b.tangents.len(), a.tangents.len())?;
    check_count("blend map", map.weights().len(), a.positions.len())?;
    for (vertex, &weight) in map.weights().iter().enumerate() {
        let blended = DeformedVertex::of(&a, vertex).blended(DeformedVertex::of(&b, vertex), weight);
        blended.write(vertex, &mut out);
    }
    Ok(())
}
