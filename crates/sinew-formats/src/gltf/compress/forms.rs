//! The form in which each kind of data is stored.

use super::{Compression, Grade, roles::Role, spaces::Dequantization};
use crate::{
    gltf::{accessor::Elements, json::component},
    meshopt::{Filter, exponential_of, octahedral_of, quaternion_of},
};
use sinew::glam::Vec3;

/// Elements as they are stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredForm {
    pub(super) component_type: u32,
    pub(super) normalized: bool,
    /// The bytes of an element with its padding.
    pub(super) stride: usize,
    /// The elements; with a filter, what the filter reads.
    pub(super) bytes: Vec<u8>,
    pub(super) filter: Filter,
    /// The least and the largest component, for positions.
    pub(super) bounds: Option<(Vec<f32>, Vec<f32>)>,
    /// True if only `KHR_mesh_quantization` allows this form.
    pub(super) needs_extension: bool,
    /// True if values changed.
    pub(super) is_lossy: bool,
}

impl StoredForm {
    /// Normalized integers with no more to say.
    pub(super) fn integers(component_type: u32, stride: usize, bytes: Vec<u8>) -> Self {
        Self {
            component_type,
            normalized: true,
            stride,
            bytes,
            filter: Filter::None,
            bounds: None,
            needs_extension: false,
            is_lossy: true,
        }
    }

    /// The elements as they are, aligned if they belong to vertices.
    pub(super) fn exact(elements: &Elements, is_by_vertex: bool) -> Self {
        let size = elements.bytes.len().checked_div(elements.count).unwrap_or(0).max(1);
        let stride = if is_by_vertex { size.next_multiple_of(4) } else { size };
        let form = Self::integers(elements.component_type, stride, padded(&elements.bytes, size, stride));
        Self { normalized: elements.normalized, is_lossy: false, ..form }
    }
}

/// How precisely and with what values are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormRules {
    pub(super) compression: Compression,
    pub(super) grade: Grade,
}

impl FormRules {
    /// The form of elements with that role; `None` if their values must stay. `transform` is that of their space.
    pub(super) fn form(
        self,
        role: Role,
        elements: &Elements,
        transform: Option<Dequantization>,
    ) -> Option<StoredForm> {
        match role {
            Role::Joints => narrow_joints(elements),
            Role::Indices { .. } => Some(narrow_indices(elements)),
            Role::OtherAttributes | Role::Keys | Role::Untouched | Role::Weights { .. } => None,
            _ if self.grade == Grade::Lossless || elements.component_type != component::F32 => None,
            Role::Positions { .. } => Some(positions(elements, transform?, true)),
            Role::MorphPositions { .. } => Some(positions(elements, transform?, false)),
            Role::InverseBinds { .. } => Some(inverse_binds(elements, transform?)),
            Role::Normals => self.directions(elements, 3),
            Role::Tangents => self.directions(elements, 4),
            Role::MorphDirections => {
                fractions(elements, -1.0).map(|form| StoredForm { needs_extension: true, ..form })
            }
            Role::TexCoords | Role::Colors => fractions(elements, 0.0),
            Role::Rotations if self.grade != Grade::ExactClips => self.rotations(elements),
            Role::Vectors | Role::MorphWeights if self.grade != Grade::ExactClips => {
                self.vectors(role, elements)
            }
            Role::Rotations | Role::Vectors | Role::MorphWeights => None,
        }
    }

    /// Normals or tangents, if all have unit length.
    fn directions(self, elements: &Elements, width: usize) -> Option<StoredForm> {
        /// Bits of the octahedral form where 16 are stored.
        const FINE_BITS: u32 = 12;
        let floats = elements.floats();
        let unit = |row: &[f32]| (row[..3].iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 0.02;
        if elements.width != width || !floats.chunks_exact(width).all(unit) {
            return None;
        }
        let is_narrow = self.grade == Grade::Compact;
        let lanes = floats.chunks_exact(width).flat_map(|row| {
            let last = row.get(3).copied().unwrap_or(0.0).clamp(-1.0, 1.0);
            let max = if is_narrow { 127.0 } else { 32767.0 };
            let lane = |value: f32| (value.clamp(-1.0, 1.0) * max).round() as i16;
            let bits = if is_narrow { 8 } else { FINE_BITS };
            let [x, y, z] = match self.compression {
                Compression::Quantize => [lane(row[0]), lane(row[1]), lane(row[2])],
                Compression::Meshopt => octahedral_of([row[0], row[1], row[2]], bits),
            };
            [x, y, z, lane(last)]
        });
        let form = match is_narrow {
            true => {
                StoredForm::integers(component::I8, 4, lanes.map(|l| (l as i8).cast_unsigned()).collect())
            }
            false => StoredForm::integers(component::I16, 8, lanes.flat_map(i16::to_le_bytes).collect()),
        };
        let filter = match self.compression {
            Compression::Quantize => Filter::None,
            Compression::Meshopt => Filter::Octahedral,
        };
        Some(StoredForm { filter, needs_extension: true, ..form })
    }

    /// Unit quaternions in 16 bits, of which a filter restores all from fewer.
    fn rotations(self, elements: &Elements) -> Option<StoredForm> {
        let rows = elements.vectors::<4>("rotation").ok()?;
        let is_unit = |row: &[f32; 4]| (row.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3;
        if !rows.iter().all(is_unit) {
            return None;
        }
        let bits = if self.grade == Grade::Compact { 12 } else { 16 };
        let lanes = rows.iter().flat_map(|row| match self.compression {
            Compression::Quantize => row.map(|x| (x.clamp(-1.0, 1.0) * 32767.0).round() as i16),
            Compression::Meshopt => quaternion_of(*row, bits),
        });
        let form = StoredForm::integers(component::I16, 8, lanes.flat_map(i16::to_le_bytes).collect());
        let filter = match self.compression {
            Compression::Quantize => Filter::None,
            Compression::Meshopt => Filter::Quaternion,
        };
        Some(StoredForm { filter, ..form })
    }

    /// Floats as multiples of a power of two; without a filter, weights as fractions.
    fn vectors(self, role: Role, elements: &Elements) -> Option<StoredForm> {
        let floats = elements.floats();
        match self.compression {
            Compression::Quantize if role == Role::MorphWeights => fractions(elements, 0.0),
            Compression::Quantize => None,
            Compression::Meshopt => {
                let bits = if self.grade == Grade::Compact { 16 } else { 22 };
                let largest = floats.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
                if !floats.iter().all(|x| x.is_finite()) {
                    return None;
                }
                // Zeros alone have no exponent of their own.
                let exponent = if largest > 0.0 { largest.log2().floor() as i32 + 1 - bits } else { 0 };
                let words =
                    floats.iter().flat_map(|&x| exponential_of(x, exponent.clamp(-100, 100)).to_le_bytes());
                let form = StoredForm::integers(component::F32, elements.width * 4, words.collect());
                Some(StoredForm { normalized: false, filter: Filter::Exponential, ..form })
            }
        }
    }
}

/// Positions or displacements as 16-bit fractions of their space.
fn positions(elements: &Elements, space: Dequantization, are_absolute: bool) -> StoredForm {
    let center = if are_absolute { space.center } else { Vec3::ZERO };
    let rows = elements.vectors::<3>("POSITION").unwrap_or_default();
    let lanes: Vec<[i16; 3]> = rows
        .iter()
        .map(|&row| {
            (((Vec3::from(row) - center) / space.scale).clamp(-Vec3::ONE, Vec3::ONE) * 32767.0).to_array()
        })
        .map(|row| row.map(|x| x.round() as i16))
        .collect();
    let bound = |pick: fn(i16, i16) -> i16| -> Vec<f32> {
        let all = lanes.iter().copied().reduce(|a, b| std::array::from_fn(|k| pick(a[k], b[k])));
        all.unwrap_or_default().map(f32::from).to_vec()
    };
    let bounds = Some((bound(i16::min), bound(i16::max)));
    let bytes = lanes.iter().flat_map(|&[x, y, z]| [x, y, z, 0]).flat_map(i16::to_le_bytes).collect();
    StoredForm { bounds, needs_extension: true, ..StoredForm::integers(component::I16, 8, bytes) }
}

/// Inverse binds that first undo the quantization.
fn inverse_binds(elements: &Elements, space: Dequantization) -> StoredForm {
    let floats = elements.floats();
    let matrices = floats.as_chunks::<16>().0.iter().map(|matrix| space.before(*matrix));
    let bytes = matrices.flatten().flat_map(f32::to_le_bytes).collect();
    StoredForm { normalized: false, ..StoredForm::integers(component::F32, 64, bytes) }
}

impl Dequantization {
    /// The matrix, by columns, with this transform before it.
    pub(super) fn before(&self, matrix: [f32; 16]) -> [f32; 16] {
        let center = self.center.to_array();
        std::array::from_fn(|k| match k / 4 {
            3 => matrix[k] + (0..3).map(|column| matrix[column * 4 + k % 4] * center[column]).sum::<f32>(),
            _ => matrix[k] * self.scale,
        })
    }
}

/// Numbers from `min` (0 or -1) to 1 as 16-bit fractions; `None` if one is beyond.
fn fractions(elements: &Elements, min: f32) -> Option<StoredForm> {
    let floats = elements.floats();
    if !floats.iter().all(|x| (min..=1.0).contains(x)) {
        return None;
    }
    let size = elements.width * 2;
    let stride = if elements.width == 1 { size } else { size.next_multiple_of(4) };
    let (component_type, max) = if min < 0.0 { (component::I16, 32767.0) } else { (component::U16, 65535.0) };
    let words = floats.iter().flat_map(|x| ((x * max).round() as i32 as u16).to_le_bytes());
    let words: Vec<u8> = words.collect();
    Some(StoredForm::integers(component_type, stride, padded(&words, size, stride)))
}

/// Skin slots as bytes, if all are below 256.
fn narrow_joints(elements: &Elements) -> Option<StoredForm> {
    let slots = elements.integers().filter(|slots| slots.iter().all(|&slot| slot < 256))?;
    let bytes = slots.iter().map(|&slot| slot as u8).collect();
    let form = StoredForm::integers(component::U8, elements.width.next_multiple_of(4), bytes);
    (elements.width == 4).then_some(StoredForm { normalized: false, is_lossy: false, ..form })
}

/// Indices in 16 bits, if all are below the number for primitive restart.
fn narrow_indices(elements: &Elements) -> StoredForm {
    let indices = elements.integers().unwrap_or_default();
    let is_narrow = indices.iter().all(|&index| index < u32::from(u16::MAX));
    let (component_type, stride) = if is_narrow { (component::U16, 2) } else { (component::U32, 4) };
    let bytes = match is_narrow {
        true => indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect(),
        false => indices.iter().flat_map(|index| index.to_le_bytes()).collect(),
    };
    StoredForm { normalized: false, is_lossy: false, ..StoredForm::integers(component_type, stride, bytes) }
}

/// Elements of `size` bytes with zeros up to `stride`.
fn padded(bytes: &[u8], size: usize, stride: usize) -> Vec<u8> {
    if size == stride {
        return bytes.to_vec();
    }
    let mut out = Vec::with_capacity(bytes.len() / size.max(1) * stride);
    for element in bytes.chunks_exact(size.max(1)) {
        out.extend_from_slice(element);
        out.resize(out.len() + stride - size, 0);
    }
    out
}

/// The sets of weights of a primitive as integers of which one is `max`. The sum of each vertex is kept to the unit, and
/// exact if it was one. Weights that are not zero stay so, because validators complain of joints without weight.
pub(super) fn weight_sets(sets: &[Vec<[f32; 4]>], max: u32) -> Vec<Vec<[u16; 4]>> {
    let count = sets.iter().map(Vec::len).min().unwrap_or(0);
    let mut out = vec![vec![[0_u16; 4]; count]; sets.len()];
    let mut row: Vec<f64> = vec![0.0; sets.len() * 4];
    for vertex in 0..count {
        for (place, value) in row.iter_mut().enumerate() {
            *value = f64::from(sets[place / 4][vertex][place % 4].max(0.0));
        }
        for (place, value) in rounded_weights(&mut row, f64::from(max)).into_iter().enumerate() {
            out[place / 4][vertex][place % 4] = value as u16;
        }
    }
    out
}

/// The weights of one vertex in units of `1 / max`.
fn rounded_weights(weights: &mut [f64], max: f64) -> Vec<i64> {
    let sum: f64 = weights.iter().sum();
    let is_whole = (sum - 1.0).abs() < 1e-3;
    let target = if is_whole { max } else { (sum * max).round().min(max) };
    let scale = if sum > 0.0 { target / sum } else { 0.0 };
    weights.iter_mut().for_each(|weight| *weight *= scale);
    let round = |weight: &f64| (weight.floor() as i64).max(i64::from(*weight > 0.0));
    let mut out: Vec<i64> = weights.iter().map(round).collect();
    let mut left = target as i64 - out.iter().sum::<i64>();
    // What is left goes to those that lost most; what is too much is taken from the largest.
    while left != 0 && target > 0.0 {
        let owed = |place: &usize| {
            if weights[*place] > 0.0 { weights[*place] - out[*place] as f64 } else { f64::MIN }
        };
        let place = match left > 0 {
            true => (0..out.len()).max_by(|a, b| owed(a).total_cmp(&owed(b))),
            false => (0..out.len()).max_by_key(|place| out[*place]),
        };
        let Some(place) = place else { break };
        out[place] += left.signum();
        left -= left.signum();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantized_weights_keep_their_sum_and_none_becomes_zero() {
        let sets =
            [vec![[0.4, 0.3, 0.2999, 0.0], [1.0, 0.0, 0.0, 0.0]], vec![[0.0001, 0.0, 0.0, 0.0], [0.0; 4]]];
        let rows = weight_sets(&sets, 255);
        let sum = |vertex: usize| -> u16 { rows.iter().flat_map(|set| set[vertex]).sum() };
        assert_eq!((sum(0), sum(1)), (255, 255));
        assert_eq!((rows[1][0][0], rows[0][0][3]), (1, 0));
        assert_eq!(rows[0][1], [255, 0, 0, 0]);
        // A file whose weights sum to a half keeps that.
        let half = weight_sets(&[vec![[0.25, 0.25, 0.0, 0.0], [0.0; 4]]], 65535);
        assert_eq!(half[0], [[16384, 16384, 0, 0], [0; 4]]);
        // Many tiny weights take their units from the largest.
        let tiny = weight_sets(&[vec![[0.9999, 0.0001, 0.0, 0.0]], vec![[1e-6; 4]]], 255);
        assert_eq!((tiny[0][0], tiny[1][0]), ([250, 1, 0, 0], [1; 4]));
    }
}
