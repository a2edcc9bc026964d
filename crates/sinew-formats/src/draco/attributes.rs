//! The attribute section: what each attribute is, in which order its values come, and the values themselves.

use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::corners::{CornerSurface, NONE};
use super::indices::DracoIndices;
use super::integers::{self, Portable};
use super::prediction::{MeshContext, PredictedPositions};
use super::seams::{CutMesh, SeamedSurface};
use super::sequence::{self, Sequence};
use super::values;
use super::{DracoAttribute, DracoError, DracoType};

/// The connectivity that the attributes lie on.
#[derive(Debug)]
pub(super) enum Connectivity {
    /// Values come point by point.
    Sequential(DracoIndices),
    /// Values come in the order of a walk over the surface.
    Edgebreaker(CutMesh),
}

impl Connectivity {
    pub(super) fn point_count(&self) -> usize {
        match self {
            Self::Sequential(list) => list.point_count,
            Self::Edgebreaker(mesh) => mesh.point_count,
        }
    }

    /// Three point indices for each triangle.
    pub(super) fn into_indices(self) -> Vec<u32> {
        match self {
            Self::Sequential(list) => list.indices,
            Self::Edgebreaker(mesh) => mesh.into_points(),
        }
    }
}

/// How the values of an attribute are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// As they are.
    Generic,
    /// As integers.
    Integer,
    /// As floats on an even grid.
    Quantized,
    /// As directions on an unfolded octahedron.
    Normals,
}

/// What the stream says of one attribute.
#[derive(Debug)]
pub(super) struct Descriptor {
    is_position: bool,
    pub(super) data_type: DracoType,
    pub(super) components: u8,
    normalized: bool,
    unique_id: u32,
    pub(super) coding: Coding,
}

/// Attributes that share one order of values.
#[derive(Debug)]
struct AttributeGroup {
    /// The set of seams, `None` for the positions' own connectivity.
    seams: Option<usize>,
    by_degree: bool,
    attributes: Vec<Descriptor>,
}

/// Reads all attributes and gives every point its values.
pub(super) fn read(
    bytes: &mut Bytes<'_>,
    topology: &Connectivity,
    budget: &mut DracoBudget,
) -> Result<Vec<DracoAttribute>, DracoError> {
    let groups = read_groups(bytes, topology, budget)?;
    let mut positions = None;
    let mut attributes = Vec::new();
    for group in groups {
        match topology {
            Connectivity::Sequential(list) => {
                let decoded = read_group(bytes, &group, None, list.point_count, budget)?;
                for (descriptor, values) in group.attributes.iter().zip(decoded) {
                    attributes.push(attribute(descriptor, values));
                }
            }
            Connectivity::Edgebreaker(mesh) => {
                read_on_mesh(bytes, &group, mesh, &mut positions, &mut attributes, budget)?;
            }
        }
    }
    Ok(attributes)
}

fn attribute(descriptor: &Descriptor, bytes: Vec<u8>) -> DracoAttribute {
    DracoAttribute {
        unique_id: descriptor.unique_id,
        components: descriptor.components,
        data_type: descriptor.data_type,
        normalized: descriptor.normalized,
        bytes,
    }
}

fn read_groups(
    bytes: &mut Bytes<'_>,
    topology: &Connectivity,
    budget: &mut DracoBudget,
) -> Result<Vec<AttributeGroup>, DracoError> {
    let count = bytes.u8()?;
    let mut groups = Vec::new();
    for _ in 0..count {
        let (seams, by_degree) = match topology {
            Connectivity::Sequential(_) => (None, false),
            Connectivity::Edgebreaker(mesh) => read_order(bytes, mesh.seams.len())?,
        };
        groups.push(AttributeGroup { seams, by_degree, attributes: Vec::new() });
    }
    for group in &mut groups {
        group.attributes = read_descriptors(bytes, budget)?;
    }
    Ok(groups)
}

/// On which connectivity a group lies and in which order its values come.
fn read_order(bytes: &mut Bytes<'_>, seam_sets: usize) -> Result<(Option<usize>, bool), DracoError> {
    let data_id = bytes.i8()?;
    let per_corner = match bytes.u8()? {
        0 => false,
        1 => true,
        other => return Err(unsupported("attribute element type", other.into())),
    };
    let by_degree = match bytes.u8()? {
        0 => false,
        1 => true,
        other => return Err(unsupported("attribute order", other.into())),
    };
    let set = usize::try_from(data_id).ok();
    if let Some(set) = set
        && set >= seam_sets
    {
        return Err(DracoError::Count {
            what: "attribute connectivity",
            value: set as u64,
            limit: seam_sets as u64,
        });
    }
    // Values for each vertex lie on the positions' connectivity, whatever seams were stored for them.
    match (per_corner, set) {
        (false, _) => Ok((None, by_degree)),
        (true, Some(set)) if !by_degree => Ok((Some(set), false)),
        _ => Err(unsupported("attribute connectivity", data_id.into())),
    }
}

fn read_descriptors(bytes: &mut Bytes<'_>, budget: &mut DracoBudget) -> Result<Vec<Descriptor>, DracoError> {
    let count = bytes.varint_u32()? as usize;
    // Each attribute takes at least six bytes.
    let limit = bytes.remaining() / 6;
    if count > limit {
        return Err(DracoError::Count { what: "attribute count", value: count as u64, limit: limit as u64 });
    }
    // Beside its values an attribute keeps a handful of small structures.
    budget.charge(count, 256)?;
    let mut descriptors = Vec::with_capacity(count);
    for _ in 0..count {
        descriptors.push(read_descriptor(bytes)?);
    }
    for descriptor in &mut descriptors {
        descriptor.coding = match bytes.u8()? {
            0 => Coding::Generic,
            1 => Coding::Integer,
            2 => Coding::Quantized,
            3 => Coding::Normals,
            other => return Err(unsupported("attribute coding", other.into())),
        };
    }
    Ok(descriptors)
}

fn read_descriptor(bytes: &mut Bytes<'_>) -> Result<Descriptor, DracoError> {
    let is_position = bytes.u8()? == 0;
    let data_type = match bytes.u8()? {
        1 => DracoType::I8,
        2 => DracoType::U8,
        3 => DracoType::I16,
        4 => DracoType::U16,
        5 => DracoType::I32,
        6 => DracoType::U32,
        7 => DracoType::I64,
        8 => DracoType::U64,
        9 => DracoType::F32,
        10 => DracoType::F64,
        11 => DracoType::Bool,
        other => return Err(unsupported("component type", other.into())),
    };
    let components = bytes.u8()?;
    if components == 0 {
        return Err(unsupported("component count", 0));
    }
    let normalized = bytes.u8()? != 0;
    Ok(Descriptor {
        is_position,
        data_type,
        components,
        normalized,
        unique_id: bytes.varint_u32()?,
        coding: Coding::Generic,
    })
}

/// Reads the attributes of one group in the order of their walk and hands their values out to the points.
fn read_on_mesh(
    bytes: &mut Bytes<'_>,
    group: &AttributeGroup,
    mesh: &CutMesh,
    positions: &mut Option<PredictedPositions>,
    attributes: &mut Vec<DracoAttribute>,
    budget: &mut DracoBudget,
) -> Result<(), DracoError> {
    let seamed;
    let surface: &dyn CornerSurface = match group.seams.and_then(|set| mesh.seams.get(set)) {
        Some(seams) => {
            seamed = SeamedSurface { table: &mesh.table, seams };
            &seamed
        }
        None => &mesh.table,
    };
    let faces = mesh.table.corner_count() / 3;
    let sequence = if group.by_degree {
        sequence::by_prediction_degree(surface, faces, budget)?
    } else {
        sequence::depth_first(surface, faces, budget)?
    };
    let entries_of_points = entries_of_points(mesh, surface, &sequence, budget)?;
    let entries = sequence.corners.len();
    let mut context =
        MeshContext { mesh, surface, sequence: &sequence, entries_of_points: &entries_of_points, positions };
    let decoded = read_group(bytes, group, Some(&mut context), entries, budget)?;
    for (descriptor, values) in group.attributes.iter().zip(decoded) {
        let stride = descriptor.data_type.size() * usize::from(descriptor.components);
        let mut of_points = budget.room(entries_of_points.len().saturating_mul(stride))?;
        for &entry in &entries_of_points {
            let start = entry as usize * stride;
            of_points.extend_from_slice(&values[start..start + stride]);
        }
        attributes.push(attribute(descriptor, of_points));
    }
    Ok(())
}

/// The entry that holds the value of each point.
fn entries_of_points(
    mesh: &CutMesh,
    surface: &dyn CornerSurface,
    sequence: &Sequence,
    budget: &mut DracoBudget,
) -> Result<Vec<u32>, DracoError> {
    let mut entries = budget.filled(mesh.point_count, NONE)?;
    for corner in 0..mesh.table.corner_count() as u32 {
        let entry = sequence.entries[surface.vertex(corner) as usize];
        entries[mesh.point(corner) as usize] = entry;
    }
    match entries.iter().position(|&entry| entry == NONE) {
        Some(index) => Err(DracoError::Malformed { what: "a point belongs to no triangle", index }),
        None => Ok(entries),
    }
}

/// Reads the values of one group, `entries` for each attribute, in their final format.
fn read_group(
    bytes: &mut Bytes<'_>,
    group: &AttributeGroup,
    mut context: Option<&mut MeshContext<'_>>,
    entries: usize,
    budget: &mut DracoBudget,
) -> Result<Vec<Vec<u8>>, DracoError> {
    let mut portables = Vec::new();
    for descriptor in &group.attributes {
        let portable = integers::read(bytes, descriptor, entries, context.as_deref(), budget)?;
        if let Some(context) = context.as_deref_mut()
            && descriptor.is_position
            && let Portable::Integers(values) = &portable
        {
            context.keep_positions(values, descriptor.components, budget)?;
        }
        portables.push(portable);
    }
    let mut transforms = Vec::new();
    for descriptor in &group.attributes {
        transforms.push(values::read_transform(bytes, descriptor)?);
    }
    let mut decoded = Vec::new();
    for ((descriptor, portable), transform) in group.attributes.iter().zip(portables).zip(transforms) {
        decoded.push(values::finish(descriptor, &portable, &transform, budget)?);
    }
    Ok(decoded)
}

fn unsupported(what: &'static str, value: i64) -> DracoError {
    DracoError::Unsupported { what, value }
}
