//! The integers that stand for an attribute's values: decoded, then corrected by a prediction.

use super::DracoError;
use super::attributes::{Coding, Descriptor};
use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::octahedron::Octahedron;
use super::prediction::{self, MeshContext, Scheme};
use super::symbols;
use super::wrap::WrapTransform;

/// The values of an attribute before their final format.
#[derive(Debug)]
pub(super) enum Portable<'a> {
    /// Stored as they are.
    Raw(&'a [u8]),
    /// Integers, all components of one entry together.
    Integers(Vec<i32>),
}

/// How a prediction and a correction make a value.
#[derive(Debug)]
pub(super) enum Correction {
    /// Numbers that wrap around in their range.
    Wrap(WrapTransform),
    /// Directions on the octahedron.
    Octahedron(Octahedron),
}

impl Correction {
    /// Reads the transform that the coding asks for, once its number is known.
    pub(super) fn read(bytes: &mut Bytes<'_>, kind: i8) -> Result<Self, DracoError> {
        if kind == OCTAHEDRON {
            Octahedron::read(bytes).map(Self::Octahedron)
        } else {
            WrapTransform::read(bytes).map(Self::Wrap)
        }
    }

    /// Turns the corrections in `values` into values.
    pub(super) fn apply(&self, predicted: &[i32], values: &mut [i32]) {
        match self {
            Self::Wrap(wrap) => wrap.apply(predicted, values),
            Self::Octahedron(octahedron) => {
                if let (&[s, t], [out_s, out_t]) = (predicted, values) {
                    [*out_s, *out_t] = octahedron.apply([s, t], [*out_s, *out_t]);
                }
            }
        }
    }
}

const WRAP: i8 = 1;
const OCTAHEDRON: i8 = 3;

/// Reads the values of one attribute.
pub(super) fn read<'a>(
    bytes: &mut Bytes<'a>,
    descriptor: &Descriptor,
    entries: usize,
    context: Option<&MeshContext<'_>>,
    budget: &mut DracoBudget,
) -> Result<Portable<'a>, DracoError> {
    if descriptor.coding == Coding::Generic {
        let stride = descriptor.data_type.size() * usize::from(descriptor.components);
        return bytes.take(entries.saturating_mul(stride)).map(Portable::Raw);
    }
    let (components, expected) = match descriptor.coding {
        Coding::Normals => (2, OCTAHEDRON),
        _ => (usize::from(descriptor.components), WRAP),
    };
    let scheme = Scheme::from_number(bytes.i8()?)?;
    let transform = if scheme == Scheme::None { expected } else { bytes.i8()? };
    if transform != expected {
        return Err(DracoError::Unsupported { what: "prediction transform", value: transform.into() });
    }
    let symbols = read_symbols(bytes, entries, components, budget)?;
    // Corrections on the octahedron are counted around it, so only they have no sign.
    let unsigned = scheme != Scheme::None && transform == OCTAHEDRON;
    let mut values = budget.room(symbols.len())?;
    values.extend(symbols.into_iter().map(
        |symbol| {
            if unsigned { symbol.cast_signed() } else { signed(symbol) }
        },
    ));
    if scheme != Scheme::None {
        let stage = prediction::PredictionStage { components, transform, context };
        prediction::restore(bytes, scheme, &stage, &mut values, budget)?;
    }
    Ok(Portable::Integers(values))
}

/// A number with its sign in the lowest bit.
fn signed(symbol: u32) -> i32 {
    let magnitude = (symbol >> 1).cast_signed();
    if symbol & 1 == 0 { magnitude } else { !magnitude }
}

fn read_symbols(
    bytes: &mut Bytes<'_>,
    entries: usize,
    components: usize,
    budget: &mut DracoBudget,
) -> Result<Vec<u32>, DracoError> {
    let compressed = bytes.u8()? != 0;
    let count = entries.saturating_mul(components);
    if compressed {
        return symbols::read(bytes, count, components, budget);
    }
    let width = usize::from(bytes.u8()?);
    if !(1..=4).contains(&width) {
        return Err(DracoError::Count {
            what: "width of an uncompressed integer",
            value: width as u64,
            limit: 4,
        });
    }
    let block = bytes.take(count.saturating_mul(width))?;
    let mut values = budget.room(count)?;
    for packed in block.chunks_exact(width) {
        let mut word = [0; 4];
        for (to, &from) in word.iter_mut().zip(packed) {
            *to = from;
        }
        values.push(u32::from_le_bytes(word));
    }
    Ok(values)
}
