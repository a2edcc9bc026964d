//! Normals guessed from the triangles around their vertex.

use super::{MeshContext, PositionsOnMesh, difference};
use crate::draco::DracoError;
use crate::draco::bytes::Bytes;
use crate::draco::corners::{next, previous};
use crate::draco::octahedron::Octahedron;
use crate::draco::rans::AnsBits;

/// Above this sum of its coordinates a normal is scaled down.
const MAX_SUM: u64 = 1 << 29;

/// Reads which guesses point the wrong way and restores all normals.
pub(super) fn restore(
    bytes: &mut Bytes<'_>,
    context: &MeshContext<'_>,
    octahedron: Octahedron,
    values: &mut [i32],
) -> Result<(), DracoError> {
    let mut flips = AnsBits::read(bytes)?;
    let positions = context.positions()?;
    for (value, &corner) in values.chunks_exact_mut(2).zip(&context.sequence.corners) {
        let normal = area_normal(context, &positions, corner);
        let guessed = octahedron.coordinates(normal, flips.next_bit());
        let restored = octahedron.apply(guessed, [value[0], value[1]]);
        value.copy_from_slice(&restored);
    }
    Ok(())
}

/// The sum of the cross products of the triangles around the vertex at `start`.
fn area_normal(context: &MeshContext<'_>, positions: &PositionsOnMesh<'_>, start: u32) -> [i64; 3] {
    let center = positions.at(start);
    let mut normal = [0i64; 3];
    let mut add = |corner: u32| {
        let a = difference(positions.at(next(corner)), center);
        let b = difference(positions.at(previous(corner)), center);
        for (sum, part) in normal.iter_mut().zip(cross(a, b)) {
            *sum = sum.wrapping_add(part);
        }
    };
    add(start);
    let mut at = context.surface.swing_left(start);
    while let Some(corner) = at.filter(|&corner| corner != start) {
        add(corner);
        at = context.surface.swing_left(corner);
    }
    if at.is_none() {
        let mut at = context.surface.swing_right(start);
        while let Some(corner) = at {
            add(corner);
            at = context.surface.swing_right(corner);
        }
    }
    let sum = normal.iter().fold(0u64, |sum, part| sum.saturating_add(part.unsigned_abs()));
    if sum > MAX_SUM {
        let by = (sum / MAX_SUM).cast_signed();
        normal = normal.map(|part| part / by);
    }
    normal
}

/// Wrapping arithmetic: only positions that no encoder writes leave 64 bits.
fn cross(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    let part = |i: usize, j: usize| a[i].wrapping_mul(b[j]).wrapping_sub(a[j].wrapping_mul(b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}
