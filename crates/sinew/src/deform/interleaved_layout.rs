//! Deformed vertices in the caller's interleaved vertex buffer.

use super::Surface;
use thiserror::Error;

/// Where the attributes of a vertex lie in an interleaved vertex buffer.
///
/// Positions and normals are three `f32`, tangents four, in the byte order of the machine. Bytes between the attributes, such
/// as texture coordinates, are not written.
///
/// ```
/// use sinew::deform::InterleavedLayout;
///
/// // position (12 bytes), normal (12), texture coordinate (8, not written)
/// let layout = InterleavedLayout::new(32, 0)?.with_normals(12)?;
/// let figure = sinew_samples::figure();
/// let mesh = &figure.meshes()[0];
/// let mut buffer = vec![0_u8; layout.stride_bytes() * mesh.vertex_count()];
/// layout.write((&**mesh).into(), &mut buffer)?;
/// # Ok::<(), sinew::deform::InterleavedError>(())
/// ```
#[doc(alias = "vertex buffer layout")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InterleavedLayout {
    stride_bytes: usize,
    positions: usize,
    normals: Option<usize>,
    tangents: Option<usize>,
}

/// Why vertices cannot be written into an interleaved buffer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterleavedError {
    /// An attribute does not lie within a vertex.
    #[error("{attribute} at byte {offset} need {bytes} bytes, a vertex has {stride_bytes}")]
    OutsideVertex {
        /// The attribute, such as `normals`.
        attribute: &'static str,
        /// Its offset in bytes.
        offset: usize,
        /// Its size in bytes.
        bytes: usize,
        /// The size of a vertex in bytes.
        stride_bytes: usize,
    },
    /// Two attributes use the same bytes.
    #[error("{attribute} at byte {offset} overlap {other} at byte {other_offset}")]
    Overlap {
        /// The attribute that was added.
        attribute: &'static str,
        /// Its offset in bytes.
        offset: usize,
        /// The attribute that was there.
        other: &'static str,
        /// The offset of that one in bytes.
        other_offset: usize,
    },
    /// The buffer has another size than the vertices need.
    #[error("the buffer has {bytes} bytes, {vertices} vertices of {stride_bytes} bytes need {wanted}")]
    WrongSize {
        /// The size of the buffer in bytes.
        bytes: usize,
        /// The number of vertices.
        vertices: usize,
        /// The size of a vertex in bytes.
        stride_bytes: usize,
        /// The size that the buffer must have in bytes.
        wanted: usize,
    },
    /// The layout has an attribute that the vertices do not have.
    #[error("the layout has {attribute}, of which there are {count} for {vertices} vertices")]
    MissingStream {
        /// The attribute, such as `normals`.
        attribute: &'static str,
        /// How many there are.
        count: usize,
        /// The number of vertices.
        vertices: usize,
    },
}

const VECTOR_BYTES: usize = 12;
const TANGENT_BYTES: usize = 16;

impl InterleavedLayout {
    /// Vertices of `stride_bytes` bytes with their positions at the byte `positions`.
    ///
    /// # Errors
    /// If a position does not lie within a vertex.
    pub fn new(stride_bytes: usize, positions: usize) -> Result<Self, InterleavedError> {
        let layout = Self { stride_bytes, positions, normals: None, tangents: None };
        layout.check("positions", positions, VECTOR_BYTES, &[])?;
        Ok(layout)
    }

    /// The same with normals at the byte `offset`.
    ///
    /// # Errors
    /// If a normal does not lie within a vertex, or overlaps another attribute.
    pub fn with_normals(self, offset: usize) -> Result<Self, InterleavedError> {
        let others = [self.position_span(), self.tangent_span()];
        self.check("normals", offset, VECTOR_BYTES, &others)?;
        Ok(Self { normals: Some(offset), ..self })
    }

    /// The same with tangents, handedness included, at the byte `offset`.
    ///
    /// # Errors
    /// If a tangent does not lie within a vertex, or overlaps another attribute.
    pub fn with_tangents(self, offset: usize) -> Result<Self, InterleavedError> {
        let normals = self.normals.map(|at| AttributeSpan { name: "normals", at, bytes: VECTOR_BYTES });
        self.check("tangents", offset, TANGENT_BYTES, &[self.position_span(), normals])?;
        Ok(Self { tangents: Some(offset), ..self })
    }

    fn position_span(&self) -> Option<AttributeSpan> {
        Some(AttributeSpan { name: "positions", at: self.positions, bytes: VECTOR_BYTES })
    }

    fn tangent_span(&self) -> Option<AttributeSpan> {
        self.tangents.map(|at| AttributeSpan { name: "tangents", at, bytes: TANGENT_BYTES })
    }

    fn check(
        &self,
        attribute: &'static str,
        offset: usize,
        bytes: usize,
        others: &[Option<AttributeSpan>],
    ) -> Result<(), InterleavedError> {
        let stride_bytes = self.stride_bytes;
        let Some(end) = offset.checked_add(bytes).filter(|end| *end <= stride_bytes) else {
            return Err(InterleavedError::OutsideVertex { attribute, offset, bytes, stride_bytes });
        };
        let mut others = others.iter().flatten();
        match others.find(|other| offset < other.at + other.bytes && other.at < end) {
            Some(other) => {
                let (other, other_offset) = (other.name, other.at);
                Err(InterleavedError::Overlap { attribute, offset, other, other_offset })
            }
            None => Ok(()),
        }
    }

    /// The size of a vertex in bytes.
    pub fn stride_bytes(&self) -> usize {
        self.stride_bytes
    }

    /// Writes the attributes of `vertices` that this layout has into `buffer`. Other bytes do not change.
    ///
    /// # Errors
    /// If the buffer has another size than the vertices need, or the vertices lack an attribute of the layout.
    pub fn write(&self, vertices: Surface<'_>, buffer: &mut [u8]) -> Result<(), InterleavedError> {
        let (count, stride_bytes) = (vertices.positions.len(), self.stride_bytes);
        let wanted = count.saturating_mul(stride_bytes);
        if buffer.len() != wanted {
            let bytes = buffer.len();
            return Err(InterleavedError::WrongSize { bytes, vertices: count, stride_bytes, wanted });
        }
        let streams = [
            ("normals", self.normals, vertices.normals.len()),
            ("tangents", self.tangents, vertices.tangents.len()),
        ];
        if let Some(&(attribute, _, has)) = streams.iter().find(|(_, at, has)| at.is_some() && *has != count)
        {
            return Err(InterleavedError::MissingStream { attribute, count: has, vertices: count });
        }
        self.scatter(vertices.positions, self.positions, buffer);
        self.normals.iter().for_each(|at| self.scatter(vertices.normals, *at, buffer));
        self.tangents.iter().for_each(|at| self.scatter(vertices.tangents, *at, buffer));
        Ok(())
    }

    fn scatter<T: bytemuck::Pod>(&self, values: &[T], at: usize, buffer: &mut [u8]) {
        for (value, vertex) in values.iter().zip(buffer.chunks_exact_mut(self.stride_bytes)) {
            vertex[at..at + size_of::<T>()].copy_from_slice(bytemuck::bytes_of(value));
        }
    }
}

/// The bytes of an attribute in a vertex.
#[derive(Clone, Copy)]
struct AttributeSpan {
    name: &'static str,
    at: usize,
    bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Vec3, Vec4};

    #[test]
    fn attributes_land_at_their_offsets_and_other_bytes_stay() {
        let positions = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)];
        let (normals, tangents) = ([Vec3::Y, Vec3::Z], [Vec4::X, Vec4::W]);
        let surface = Surface { positions: &positions, normals: &normals, tangents: &tangents };
        // tangent at 2, position at 20, normal at 33: no offset needs to be aligned
        let layout =
            InterleavedLayout::new(48, 20).unwrap().with_tangents(2).unwrap().with_normals(33).unwrap();
        let mut buffer = vec![0xab_u8; 96];
        layout.write(surface, &mut buffer).unwrap();
        for (vertex, bytes) in buffer.chunks(48).enumerate() {
            let floats = |at: usize, count: usize| -> Vec<f32> {
                let some = bytes[at..at + 4 * count].chunks(4);
                some.map(|four| f32::from_ne_bytes(four.try_into().unwrap())).collect()
            };
            assert_eq!(floats(20, 3), positions[vertex].to_array());
            assert_eq!(floats(33, 3), normals[vertex].to_array());
            assert_eq!(floats(2, 4), tangents[vertex].to_array());
            let untouched = [0..2, 18..20, 32..33, 45..48];
            assert!(untouched.into_iter().all(|span| bytes[span].iter().all(|byte| *byte == 0xab)));
        }
    }

    #[test]
    fn refuses_what_does_not_fit_with_the_numbers() {
        let outside = InterleavedLayout::new(12, 1).unwrap_err();
        assert_eq!(outside.to_string(), "positions at byte 1 need 12 bytes, a vertex has 12");
        assert!(InterleavedLayout::new(64, usize::MAX).is_err());
        let layout = InterleavedLayout::new(32, 0).unwrap();
        let overlap = layout.with_normals(8).unwrap_err();
        assert_eq!(overlap.to_string(), "normals at byte 8 overlap positions at byte 0");
        let tangents = layout.with_normals(12).unwrap().with_tangents(16).unwrap_err();
        assert_eq!(tangents.to_string(), "tangents at byte 16 overlap normals at byte 12");
        let surface = Surface { positions: &[Vec3::ONE], normals: &[], tangents: &[] };
        let size = layout.write(surface, &mut [0; 31]).unwrap_err();
        assert_eq!(size.to_string(), "the buffer has 31 bytes, 1 vertices of 32 bytes need 32");
        let missing = layout.with_normals(12).unwrap().write(surface, &mut [0; 32]).unwrap_err();
        assert_eq!(missing, InterleavedError::MissingStream { attribute: "normals", count: 0, vertices: 1 });
    }
}
