//! Reads the attributes of one primitive, from accessors or from compressed data.

use super::{GltfReader, topology};
use crate::{
    ReadError, draco,
    gltf::{
        accessor::{Elements, component_size},
        json::{self, component},
    },
    report::FindingCode,
};
use serde::Deserialize;
use sinew::Topology;
use std::collections::BTreeMap;

pub(in crate::gltf) const DRACO_EXTENSION: &str = "KHR_draco_mesh_compression";

/// Attributes by name, all of the same count, and indices into them.
#[derive(Debug)]
pub(super) struct RawPrimitive {
    pub(super) place: String,
    /// The number of vertices in the mesh's earlier primitives.
    pub(super) first_vertex: usize,
    pub(super) vertex_count: usize,
    pub(super) attributes: BTreeMap<String, Elements>,
    pub(super) topology: Topology,
    pub(super) indices: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DracoCompression {
    buffer_view: usize,
    attributes: BTreeMap<String, u32>,
}

impl GltfReader<'_> {
    /// Reads attributes and indices of a primitive whose first vertex in the mesh is `first_vertex`; `None` if it has no
    /// positions.
    pub(super) fn raw_primitive(
        &mut self,
        place: String,
        primitive: &json::Primitive,
        first_vertex: usize,
    ) -> Result<Option<RawPrimitive>, ReadError> {
        self.note_extensions(&place, &primitive.extensions);
        let mut attributes = BTreeMap::new();
        let mut indices = None;
        if let Some(compression) = primitive.extensions.get(DRACO_EXTENSION) {
            let (decoded, decoded_indices) = self.draco(&place, primitive, compression)?;
            attributes = decoded;
            indices = Some(decoded_indices);
        }
        for (name, &accessor) in &primitive.attributes {
            if !attributes.contains_key(name) {
                let place = format!("{place}.attributes.{name}");
                let elements = self.buffers.elements(&place, accessor, &mut self.report)?;
                attributes.insert(name.clone(), elements);
            }
        }
        let Some(vertex_count) = attributes.get("POSITION").map(|e| e.count).filter(|&n| n > 0) else {
            self.report.add(
                FindingCode::PrimitiveEmpty,
                place,
                "without positions, the primitive was dropped",
            );
            return Ok(None);
        };
        if let Some((name, other)) = attributes.iter().find(|(_, e)| e.count != vertex_count) {
            let what = format!("{} entries for {vertex_count} positions", other.count);
            return Err(ReadError::invalid(format!("{place}.attributes.{name}"), what));
        }
        let indices = match (indices, primitive.indices) {
            (Some(indices), _) => indices,
            (None, Some(accessor)) => self.indices(&place, accessor)?,
            (None, None) => {
                self.buffers.budget.charge(&place, vertex_count, 4)?;
                (0..vertex_count as u32).collect()
            }
        };
        let mode = primitive.mode.unwrap_or(topology::TRIANGLES);
        self.buffers.budget.charge(&place, indices.len(), 12)?;
        let Some(list) = topology::expand(mode, indices) else {
            return Err(ReadError::invalid(format!("{place}.mode"), format!("mode {mode} is unsupported")));
        };
        if list.expanded {
            self.report.add(
                FindingCode::TopologyExpanded,
                &place,
                format!("mode {mode} was expanded to a list"),
            );
        }
        if list.left_over > 0 {
            self.report.add(FindingCode::IndicesLeftOver, &place, format!("{} dropped", list.left_over));
        }
        let (topology, indices) = (list.topology, list.indices);
        Ok(Some(RawPrimitive { place, first_vertex, vertex_count, attributes, topology, indices }))
    }

    fn indices(&mut self, place: &str, accessor: usize) -> Result<Vec<u32>, ReadError> {
        let place = format!("{place}.indices");
        let elements = self.buffers.elements(&place, accessor, &mut self.report)?;
        elements.expect_width(&place, 1)?;
        let integers = elements.integers();
        integers.ok_or_else(|| ReadError::invalid(place, "indices must be unsigned integers"))
    }

    /// The attributes and indices in a Draco stream.
    pub(super) fn draco(
        &mut self,
        place: &str,
        primitive: &json::Primitive,
        compression: &serde_json::Value,
    ) -> Result<(BTreeMap<String, Elements>, Vec<u32>), ReadError> {
        let place = format!("{place}.extensions.{DRACO_EXTENSION}");
        let compression: DracoCompression = Deserialize::deserialize(compression)
            .map_err(|e: serde_json::Error| ReadError::invalid(&place, e))?;
        let data = self.buffers.view_bytes(&place, compression.buffer_view)?;
        let mesh =
            draco::decode(&data, self.buffers.budget.left()).map_err(|e| ReadError::invalid(&place, e))?;
        // Attributes that the primitive does not name were unpacked too.
        self.buffers.budget.charge(&place, mesh.indices.len(), size_of::<u32>())?;
        for attribute in &mesh.attributes {
            self.buffers.budget.charge(&place, attribute.bytes.len(), 1)?;
        }
        let mut out = BTreeMap::new();
        for (name, id) in compression.attributes {
            let Some(attribute) = mesh.attributes.iter().find(|a| a.unique_id == id) else {
                return Err(ReadError::invalid(
                    &place,
                    format!("{name} is attribute {id}, which does not exist"),
                ));
            };
            self.buffers.budget.charge(&place, attribute.bytes.len(), 1)?;
            // The accessor says whether integers are normalized; the stream's own flag is often unset.
            let accessor =
                primitive.attributes.get(&name).map(|&a| self.buffers.accessor(&place, a)).transpose()?;
            let lacking =
                || ReadError::invalid(&place, format!("{name} has a component type that glTF lacks"));
            let declared = accessor.map(|a| a.component_type);
            let (component_type, bytes) = stored_as(attribute, declared).ok_or_else(lacking)?;
            out.insert(
                name,
                Elements {
                    component_type,
                    normalized: accessor.map_or(attribute.normalized, |a| a.normalized),
                    width: usize::from(attribute.components),
                    count: mesh.vertex_count,
                    bytes: bytes.into(),
                },
            );
        }
        Ok((out, mesh.indices))
    }
}

/// The component type and the values of an attribute. Encoders may store integers in another type than the accessor
/// declares, for instance joints as signed ones: they are converted to the declared type.
fn stored_as(attribute: &draco::DracoAttribute, declared: Option<u32>) -> Option<(u32, Vec<u8>)> {
    let own = component_of(attribute.data_type).filter(|&c| component_size(c).is_some());
    if own.is_some() && (declared.is_none() || own == declared) {
        return Some((own?, attribute.bytes.clone()));
    }
    let integers = integers_of(attribute);
    match (declared, integers) {
        (Some(declared), Some(integers)) => Some((declared, integer_bytes(&integers, declared)?)),
        _ => Some((own?, attribute.bytes.clone())),
    }
}

/// The values of an attribute of whole numbers; `None` for floats.
fn integers_of(attribute: &draco::DracoAttribute) -> Option<Vec<i64>> {
    use draco::DataType;
    fn all<const N: usize>(bytes: &[u8], value: fn([u8; N]) -> i64) -> Option<Vec<i64>> {
        Some(bytes.as_chunks::<N>().0.iter().map(|&b| value(b)).collect())
    }
    let bytes = &attribute.bytes;
    match attribute.data_type {
        DataType::Int8 => all::<1>(bytes, |b| i8::from_le_bytes(b).into()),
        DataType::Uint8 | DataType::Bool => all::<1>(bytes, |b| b[0].into()),
        DataType::Int16 => all::<2>(bytes, |b| i16::from_le_bytes(b).into()),
        DataType::Uint16 => all::<2>(bytes, |b| u16::from_le_bytes(b).into()),
        DataType::Int32 => all::<4>(bytes, |b| i32::from_le_bytes(b).into()),
        DataType::Uint32 => all::<4>(bytes, |b| u32::from_le_bytes(b).into()),
        DataType::Int64 => all::<8>(bytes, i64::from_le_bytes),
        DataType::Invalid | DataType::Uint64 | DataType::Float32 | DataType::Float64 => None,
    }
}

/// Whole numbers in a component type of glTF; `None` if one does not fit or the type is not of whole numbers.
fn integer_bytes(integers: &[i64], component_type: u32) -> Option<Vec<u8>> {
    fn all<T: TryFrom<i64>, const N: usize>(integers: &[i64], bytes: fn(T) -> [u8; N]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(integers.len() * N);
        for &integer in integers {
            out.extend_from_slice(&bytes(T::try_from(integer).ok()?));
        }
        Some(out)
    }
    match component_type {
        component::I8 => all(integers, i8::to_le_bytes),
        component::U8 => all(integers, u8::to_le_bytes),
        component::I16 => all(integers, i16::to_le_bytes),
        component::U16 => all(integers, u16::to_le_bytes),
        component::U32 => all(integers, u32::to_le_bytes),
        _ => None,
    }
}

fn component_of(data_type: draco::DataType) -> Option<u32> {
    use draco::DataType;
    Some(match data_type {
        DataType::Int8 => component::I8,
        DataType::Uint8 => component::U8,
        DataType::Int16 => component::I16,
        DataType::Uint16 => component::U16,
        DataType::Uint32 => component::U32,
        DataType::Float32 => component::F32,
        DataType::Invalid
        | DataType::Int32
        | DataType::Int64
        | DataType::Uint64
        | DataType::Float64
        | DataType::Bool => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(data_type: draco::DataType, bytes: &[u8]) -> draco::DracoAttribute {
        draco::DracoAttribute {
            unique_id: 0,
            components: 4,
            data_type,
            normalized: false,
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn integers_of_a_stream_become_those_that_the_accessor_declares() {
        let signed = attribute(draco::DataType::Int8, &[0, 1, 2, 3]);
        let wide = |values: [u16; 4]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(stored_as(&signed, Some(component::U16)), Some((component::U16, wide([0, 1, 2, 3]))));
        let wider = attribute(draco::DataType::Int32, &[7, 0, 0, 0]);
        assert_eq!(stored_as(&wider, Some(component::U8)), Some((component::U8, vec![7])));
        let same = attribute(draco::DataType::Uint8, &[9, 8, 7, 6]);
        assert_eq!(stored_as(&same, Some(component::U8)), Some((component::U8, vec![9, 8, 7, 6])));
        assert_eq!(stored_as(&same, None), Some((component::U8, vec![9, 8, 7, 6])));
    }

    #[test]
    fn integers_that_do_not_fit_the_accessor_are_refused() {
        let negative = attribute(draco::DataType::Int8, &[0xFF]);
        assert_eq!(stored_as(&negative, Some(component::U16)), None);
        let floats = attribute(draco::DataType::Float32, &[0, 0, 0x80, 0x3F]);
        assert_eq!(stored_as(&floats, Some(component::U16)).map(|stored| stored.0), Some(component::F32));
    }
}
