//! From portable integers to the final bytes of an attribute.

use super::attributes::{Coding, Descriptor};
use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::integers::Portable;
use super::octahedron::Octahedron;
use super::{DracoError, DracoType};

/// What turns the integers of an attribute into its values.
#[derive(Debug)]
pub(super) enum AttributeTransform {
    /// Nothing: they are the values.
    Identity,
    /// An even grid.
    Grid {
        /// The smallest value of each component.
        origin: Vec<f32>,
        /// The distance of two neighbours.
        step: f32,
    },
    /// Directions on the octahedron.
    Octahedron(Octahedron),
}

/// Reads what the coding of an attribute needs.
pub(super) fn read_transform(
    bytes: &mut Bytes<'_>,
    descriptor: &Descriptor,
) -> Result<AttributeTransform, DracoError> {
    match descriptor.coding {
        Coding::Generic | Coding::Integer => Ok(AttributeTransform::Identity),
        Coding::Quantized => read_grid(bytes, descriptor.components),
        Coding::Normals => {
            let bits = bytes.u8()?;
            Octahedron::with_bits(bits.into()).map(AttributeTransform::Octahedron)
        }
    }
}

fn read_grid(bytes: &mut Bytes<'_>, components: u8) -> Result<AttributeTransform, DracoError> {
    let mut origin = Vec::with_capacity(components.into());
    for _ in 0..components {
        origin.push(bytes.f32()?);
    }
    let range = bytes.f32()?;
    let bits = bytes.u8()?;
    if !(1..=30).contains(&bits) {
        return Err(DracoError::Count { what: "number of quantisation bits", value: bits.into(), limit: 30 });
    }
    if !range.is_finite() || !origin.iter().all(|value| value.is_finite()) {
        return Err(DracoError::Malformed {
            what: "the range of a quantised attribute is not finite",
            index: 0,
        });
    }
    let steps = (1u32 << bits) - 1;
    Ok(AttributeTransform::Grid { origin, step: range / steps as f32 })
}

/// The bytes of all entries of one attribute.
pub(super) fn finish(
    descriptor: &Descriptor,
    portable: &Portable<'_>,
    transform: &AttributeTransform,
    budget: &mut DracoBudget,
) -> Result<Vec<u8>, DracoError> {
    let integers = match portable {
        Portable::Raw(raw) => {
            budget.charge(raw.len(), 1)?;
            return Ok(raw.to_vec());
        }
        Portable::Integers(integers) => integers,
    };
    match transform {
        AttributeTransform::Identity => narrow(descriptor.data_type, integers, budget),
        AttributeTransform::Grid { origin, step } => {
            require_floats(descriptor)?;
            let mut bytes = budget.room(integers.len().saturating_mul(4))?;
            for value in integers.chunks_exact(origin.len()) {
                for (&integer, &origin) in value.iter().zip(origin) {
                    let value = integer as f32 * step + origin;
                    bytes.extend_from_slice(&value.to_le_bytes());
                }
            }
            Ok(bytes)
        }
        AttributeTransform::Octahedron(octahedron) => {
            require_floats(descriptor)?;
            if descriptor.components != 3 {
                return Err(DracoError::Unsupported {
                    what: "number of components of a normal",
                    value: descriptor.components.into(),
                });
            }
            let mut bytes = budget.room(integers.len().saturating_mul(6))?;
            for place in integers.chunks_exact(2) {
                for value in octahedron.unit_vector([place[0], place[1]]) {
                    bytes.extend_from_slice(&value.to_le_bytes());
                }
            }
            Ok(bytes)
        }
    }
}

fn require_floats(descriptor: &Descriptor) -> Result<(), DracoError> {
    if descriptor.data_type == DracoType::F32 {
        return Ok(());
    }
    Err(DracoError::Malformed { what: "a quantised attribute is not of single-precision floats", index: 0 })
}

/// The integers cut to the width of their type, as the encoder widened them.
fn narrow(data_type: DracoType, integers: &[i32], budget: &mut DracoBudget) -> Result<Vec<u8>, DracoError> {
    let width = match data_type {
        DracoType::I8 | DracoType::U8 => 1,
        DracoType::I16 | DracoType::U16 => 2,
        DracoType::I32 | DracoType::U32 => 4,
        _ => {
            return Err(DracoError::Malformed { what: "an integer attribute is of another type", index: 0 });
        }
    };
    let mut bytes = budget.room(integers.len().saturating_mul(width))?;
    for integer in integers {
        bytes.extend_from_slice(&integer.to_le_bytes()[..width]);
    }
    Ok(bytes)
}
