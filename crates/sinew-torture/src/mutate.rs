//! Breaks inputs: every kind of input by edits that fit its structure, and by edits of bytes.

mod binary;
pub(crate) mod json;
mod text;

use crate::random::Random;

/// The structure of an input, which decides how it is mutated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A binary glTF container: header, JSON, buffer.
    Glb,
    /// One JSON value with nothing around it.
    Json,
    /// A JSON text, a zero byte, and a buffer.
    JsonAndBuffer,
    /// One JSON value per line.
    JsonLines,
    /// Lines of words and numbers.
    Text,
    /// Fields of numbers, most at multiples of four bytes.
    Binary,
}

/// Inputs do not grow beyond this, so that cases stay fast.
pub const MAX_BYTES: usize = 256 << 10;

/// `seed` with a few changes; `other` is another input of the same format, for pieces to copy.
#[must_use]
pub fn mutated(seed: &[u8], other: &[u8], shape: Shape, random: &mut Random) -> Vec<u8> {
    let mut out = seed.to_vec();
    // Most mutants have one fault: with several, the first hides the others.
    let steps = random.pick(&[1, 1, 1, 2, 4]).unwrap_or(1);
    for _ in 0..steps {
        out = step(&out, other, shape, random);
    }
    out.truncate(MAX_BYTES);
    out
}

fn step(input: &[u8], other: &[u8], shape: Shape, random: &mut Random) -> Vec<u8> {
    // Every shape is also a row of bytes, though most edits of those are found at once.
    if random.one_in(12) {
        return binary::changed(input, other, random);
    }
    match shape {
        Shape::Glb => json::changed_glb(input, random),
        Shape::Json => json::changed_text(input, random),
        Shape::JsonAndBuffer => json::changed_halves(input, random),
        Shape::JsonLines => json::changed_lines(input, random),
        Shape::Text => text::changed(input, other, random),
        Shape::Binary => binary::changed(input, other, random),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::FORMATS;

    #[test]
    fn the_same_numbers_give_the_same_mutant_and_others_another() {
        for format in FORMATS {
            let seed = (format.seeds)().remove(0);
            let mutant = |number| mutated(&seed, &seed, format.shape, &mut Random::of_case(1, number));
            assert_eq!(mutant(5), mutant(5), "{}", format.name);
            assert!((0..20).any(|number| mutant(number) != mutant(5)), "{}", format.name);
            assert!((0..200).all(|number| mutant(number).len() <= MAX_BYTES), "{}", format.name);
        }
    }
}
