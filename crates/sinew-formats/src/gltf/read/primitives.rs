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

pub(super) const DRACO_EXTENSION: &str = "KHR_draco_mesh_compression";

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
    fn draco(
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
            let component_type =
                component_of(attribute.data_type).filter(|&c| component_size(c).is_some()).ok_or_else(
                    || ReadError::invalid(&place, format!("{name} has a component type that glTF lacks")),
                )?;
            out.insert(
                name,
                Elements {
                    component_type,
                    normalized: accessor.map_or(attribute.normalized, |a| a.normalized),
                    width: usize::from(attribute.components),
                    count: mesh.vertex_count,
                    bytes: attribute.bytes.clone(),
                },
            );
        }
        Ok((out, mesh.indices))
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
