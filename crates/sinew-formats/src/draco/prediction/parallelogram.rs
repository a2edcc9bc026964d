//! Values guessed as the fourth corner of a parallelogram over a neighbouring triangle.

use super::MeshContext;
use crate::draco::DracoError;
use crate::draco::bytes::Bytes;
use crate::draco::corners::{next, previous};
use crate::draco::integers::Correction;
use crate::draco::rans::AnsBits;

/// The most triangles that guess one value.
const MAX_GUESSES: usize = 4;

/// Guesses entry `entry` across the edge that `corner` faces, if all three values there are known.
fn guess(context: &MeshContext<'_>, entry: usize, corner: u32, known: &[i32], guessed: &mut [i32]) -> bool {
    let Some(opposite) = context.surface.opposite(corner) else {
        return false;
    };
    let corners = [next(opposite), previous(opposite), opposite];
    let entries = corners.map(|corner| context.entry(corner));
    if entries.iter().any(|&other| other >= entry) {
        return false;
    }
    let components = guessed.len();
    let [a, b, across] = entries.map(|entry| &known[entry * components..][..components]);
    for (i, guessed) in guessed.iter_mut().enumerate() {
        *guessed = a[i].wrapping_add(b[i]).wrapping_sub(across[i]);
    }
    true
}

/// Restores each value from one parallelogram, or from the value before it where there is none.
pub(super) fn restore(
    context: &MeshContext<'_>,
    correction: &Correction,
    components: usize,
    values: &mut [i32],
) -> Result<(), DracoError> {
    let mut guessed = vec![0; components];
    for (entry, &corner) in context.sequence.corners.iter().enumerate() {
        let (known, rest) = values.split_at_mut(entry * components);
        if entry > 0 && !guess(context, entry, corner, known, &mut guessed) {
            guessed.copy_from_slice(&known[known.len() - components..]);
        }
        correction.apply(&guessed, &mut rest[..components]);
    }
    Ok(())
}

/// Which of the parallelograms of a value lie across a crease and are left out.
///
/// There is one sequence of bits for each number of parallelograms that a value can have.
pub(super) struct Creases<'a> {
    bits: [Option<(AnsBits<'a>, u32)>; MAX_GUESSES],
}

impl<'a> Creases<'a> {
    pub(super) fn read(bytes: &mut Bytes<'a>) -> Result<Self, DracoError> {
        let mut bits = [None, None, None, None];
        for slot in &mut bits {
            let count = bytes.varint_u32()?;
            if count > 0 {
                *slot = Some((AnsBits::read(bytes)?, count));
            }
        }
        Ok(Self { bits })
    }

    /// Whether the next of `guesses` parallelograms is left out.
    fn next(&mut self, guesses: usize, entry: usize) -> Result<bool, DracoError> {
        if let Some((bits, left @ 1..)) = &mut self.bits[guesses - 1] {
            *left -= 1;
            return Ok(bits.next_bit());
        }
        Err(DracoError::Malformed { what: "the crease flags run out", index: entry })
    }
}

/// Restores each value from the mean of up to four parallelograms around its vertex.
pub(super) fn restore_multi(
    context: &MeshContext<'_>,
    correction: &Correction,
    (components, creases): (usize, &mut Creases<'_>),
    values: &mut [i32],
) -> Result<(), DracoError> {
    let mut guesses = [const { Vec::new() }; MAX_GUESSES];
    for guess in &mut guesses {
        guess.resize(components, 0);
    }
    let mut mean = vec![0i32; components];
    for (entry, &corner) in context.sequence.corners.iter().enumerate() {
        let (known, rest) = values.split_at_mut(entry * components);
        let count = guess_all(context, entry, corner, known, &mut guesses);
        let mut used = 0;
        mean.fill(0);
        for guess in &guesses[..count] {
            if !creases.next(count, entry)? {
                used += 1;
                for (sum, &guess) in mean.iter_mut().zip(guess) {
                    *sum = sum.wrapping_add(guess);
                }
            }
        }
        if used > 0 {
            for sum in &mut mean {
                *sum /= used;
            }
        } else if entry > 0 {
            mean.copy_from_slice(&known[known.len() - components..]);
        }
        correction.apply(&mean, &mut rest[..components]);
    }
    Ok(())
}

/// Fills `guesses` around the vertex at `start`, to the left first, and says how many there are.
fn guess_all(
    context: &MeshContext<'_>,
    entry: usize,
    start: u32,
    known: &[i32],
    guesses: &mut [Vec<i32>; MAX_GUESSES],
) -> usize {
    let mut count = 0;
    let mut to_the_left = true;
    let mut at = Some(start);
    while let Some(corner) = at {
        if guess(context, entry, corner, known, &mut guesses[count]) {
            count += 1;
            if count == MAX_GUESSES {
                break;
            }
        }
        at = if to_the_left {
            context.surface.swing_left(corner)
        } else {
            context.surface.swing_right(corner)
        };
        if at == Some(start) {
            break;
        }
        if at.is_none() && to_the_left {
            to_the_left = false;
            at = context.surface.swing_right(start);
        }
    }
    count
}
