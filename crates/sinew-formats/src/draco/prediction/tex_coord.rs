//! Texture coordinates guessed from the shape that their triangle has in space.

use super::{MeshContext, PositionsOnMesh, difference};
use crate::draco::DracoError;
use crate::draco::budget::DracoBudget;
use crate::draco::bytes::Bytes;
use crate::draco::corners::{next, previous};
use crate::draco::integers::Correction;
use crate::draco::rans::AnsBits;

/// On which side of its edge each guessed tip lies, the first one last.
pub(super) fn read_turns(
    bytes: &mut Bytes<'_>,
    entries: usize,
    budget: &mut DracoBudget,
) -> Result<Vec<bool>, DracoError> {
    let count = bytes.u32()? as usize;
    if count > entries {
        return Err(DracoError::Count {
            what: "number of texture orientations",
            value: count as u64,
            limit: entries as u64,
        });
    }
    let mut bits = AnsBits::read(bytes)?;
    let mut turns = budget.room(count)?;
    let mut last = true;
    for _ in 0..count {
        // A zero bit is a change.
        last ^= !bits.next_bit();
        turns.push(last);
    }
    Ok(turns)
}

/// Restores all texture coordinates.
pub(super) fn restore(
    context: &MeshContext<'_>,
    correction: &Correction,
    mut turns: Vec<bool>,
    values: &mut [i32],
) -> Result<(), DracoError> {
    let positions = context.positions()?;
    for (entry, &corner) in context.sequence.corners.iter().enumerate() {
        let (known, rest) = values.split_at_mut(entry * 2);
        let uv = |entry: usize| [known[entry * 2], known[entry * 2 + 1]];
        let (a, b) = (context.entry(next(corner)), context.entry(previous(corner)));
        let guessed = if a < entry && b < entry {
            let edge = TexCoordEdge { a: uv(a).map(i64::from), b: uv(b).map(i64::from) };
            match edge.guess(&positions, corner, &mut turns, entry)? {
                Some(tip) => tip,
                None => uv(a),
            }
        } else if a < entry {
            uv(a)
        } else if entry > 0 {
            uv(entry - 1)
        } else {
            [0, 0]
        };
        correction.apply(&guessed, &mut rest[..2]);
    }
    Ok(())
}

/// The texture coordinates at the two known corners of a triangle.
struct TexCoordEdge {
    a: [i64; 2],
    b: [i64; 2],
}

impl TexCoordEdge {
    /// The tip of the triangle, or `None` where its edge has no length in space.
    ///
    /// Wrapping arithmetic: only positions that no encoder writes leave 64 bits.
    fn guess(
        &self,
        positions: &PositionsOnMesh<'_>,
        tip: u32,
        turns: &mut Vec<bool>,
        entry: usize,
    ) -> Result<Option<[i32; 2]>, DracoError> {
        if self.a == self.b {
            return Ok(Some(self.b.map(|coordinate| coordinate as i32)));
        }
        let a = positions.at(next(tip));
        let along = difference(positions.at(previous(tip)), a);
        let to_tip = difference(positions.at(tip), a);
        let squared = dot(along, along);
        if squared == 0 {
            return Ok(None);
        }
        let turn = turns
            .pop()
            .ok_or(DracoError::Malformed { what: "the texture orientations run out", index: entry })?;
        let shadow = dot(to_tip, along);
        let foot = along.map(|part| part.wrapping_mul(shadow).wrapping_div(squared));
        let height = [
            to_tip[0].wrapping_sub(foot[0]),
            to_tip[1].wrapping_sub(foot[1]),
            to_tip[2].wrapping_sub(foot[2]),
        ];
        let area = dot(height, height).wrapping_mul(squared).cast_unsigned().isqrt();
        let area = area.cast_signed();
        let edge = [self.b[0] - self.a[0], self.b[1] - self.a[1]];
        let across = [edge[1].wrapping_mul(area), (-edge[0]).wrapping_mul(area)];
        let mut guessed = [0; 2];
        for i in 0..2 {
            let base = self.a[i].wrapping_mul(squared).wrapping_add(edge[i].wrapping_mul(shadow));
            let sum = if turn { base.wrapping_add(across[i]) } else { base.wrapping_sub(across[i]) };
            guessed[i] = sum.wrapping_div(squared) as i32;
        }
        Ok(Some(guessed))
    }
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    let product = |i: usize| a[i].wrapping_mul(b[i]);
    product(0).wrapping_add(product(1)).wrapping_add(product(2))
}
