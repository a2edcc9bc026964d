//! Meshes and weights in a cooked file.

use sinew::{
    InfluenceLists, Mesh, MeshParts, MorphTarget, MorphTargets, Primitive, Topology, Weights,
    bytes::{ByteReader, ByteWriter, BytesError},
    glam::Vec2,
};
use std::sync::Arc;

/// Stands for "none" where an index is expected.
const NONE: u32 = u32::MAX;
const TOPOLOGIES: [Topology; 3] = [Topology::Triangles, Topology::Lines, Topology::Points];
/// The least size of a primitive, of a list and of a morph target, in bytes.
const PRIMITIVE_BYTES: usize = 13;
const LIST_BYTES: usize = 8;
const MORPH_BYTES: usize = 5 * LIST_BYTES;

pub(super) fn write(mesh: &Mesh, weights: Option<usize>, out: &mut ByteWriter) {
    out.text(mesh.name());
    out.u32(weights.map_or(NONE, |weights| weights as u32));
    out.list(mesh.positions());
    out.list(mesh.normals());
    out.list(mesh.tangents());
    out.list(mesh.colors());
    out.count(mesh.uv_sets().len());
    mesh.uv_sets().iter().for_each(|set| out.list::<Vec2>(set));
    out.list(mesh.indices());
    out.count(mesh.primitives().len());
    for primitive in mesh.primitives() {
        out.u32(primitive.vertices.end);
        out.u32(primitive.indices.end);
        out.u8(match primitive.topology {
            Topology::Triangles => 0,
            Topology::Lines => 1,
            Topology::Points => 2,
        });
        out.u32(primitive.material.map_or(NONE, u32::from));
    }
    write_morphs(mesh.morphs(), out);
}

/// The parts of a mesh without its precomputed data.
pub(super) fn read(from: &mut ByteReader<'_>, weights: &[Arc<Weights>]) -> Result<MeshParts, String> {
    let shown = |error: BytesError| error.to_string();
    let (name, own_weights) = (from.text().map_err(shown)?.to_owned(), from.u32().map_err(shown)?);
    let weights = match own_weights {
        NONE => None,
        index => {
            let found = weights.get(index as usize).cloned();
            Some(found.ok_or_else(|| format!("weights {index} do not exist, there are {}", weights.len()))?)
        }
    };
    let mut parts = MeshParts { name, weights, ..MeshParts::default() };
    read_streams(from, &mut parts).map_err(shown)?;
    parts.morphs = read_morphs(from, parts.positions.len())?;
    Ok(parts)
}

fn read_streams(from: &mut ByteReader<'_>, parts: &mut MeshParts) -> Result<(), BytesError> {
    (parts.positions, parts.normals) = (from.list()?, from.list()?);
    (parts.tangents, parts.colors) = (from.list()?, from.list()?);
    parts.uv_sets = (0..from.count_of(LIST_BYTES)?).map(|_| from.list()).collect::<Result<_, _>>()?;
    parts.indices = from.list()?;
    let (mut vertex, mut index) = (0, 0);
    for _ in 0..from.count_of(PRIMITIVE_BYTES)? {
        let (vertices, indices) = (vertex..from.u32()?, index..from.u32()?);
        let topology = TOPOLOGIES[from.choice("topology", TOPOLOGIES.len())?];
        let (at, number) = (from.at(), from.u32()?);
        let material = match number {
            NONE => None,
            number => {
                let bad = |_| BytesError::BadValue { at, what: "material", value: number.into() };
                Some(u16::try_from(number).map_err(bad)?)
            }
        };
        (vertex, index) = (vertices.end, indices.end);
        parts.primitives.push(Primitive { vertices, indices, topology, material });
    }
    Ok(())
}

fn write_morphs(morphs: &MorphTargets, out: &mut ByteWriter) {
    out.list(morphs.rest_weights());
    out.count(morphs.len());
    for target in morphs.targets() {
        out.text(&target.name);
        out.list(&target.vertices);
        out.list(&target.positions);
        out.list(&target.normals);
        out.list(&target.tangents);
    }
}

fn read_morphs(from: &mut ByteReader<'_>, vertex_count: usize) -> Result<MorphTargets, String> {
    let mut lists = || {
        let rest_weights = from.list()?;
        let count = from.count_of(MORPH_BYTES)?;
        let target = |_| {
            Ok(MorphTarget {
                name: from.text()?.to_owned(),
                vertices: from.list()?,
                positions: from.list()?,
                normals: from.list()?,
                tangents: from.list()?,
            })
        };
        let targets = (0..count).map(target).collect::<Result<Vec<_>, _>>()?;
        Ok((targets, rest_weights))
    };
    let (targets, rest_weights) = lists().map_err(|e: BytesError| e.to_string())?;
    MorphTargets::new(vertex_count, targets, rest_weights).map_err(|e| e.to_string())
}

pub(super) fn write_weights(weights: &Weights, out: &mut ByteWriter) {
    out.count(weights.slot_count());
    let lists = [Some(weights.lists()), weights.muscle_lists()];
    for lists in lists {
        out.u8(lists.is_some().into());
        if let Some(lists) = lists {
            out.list(lists.first);
            out.list(lists.slots);
            out.list(lists.weights);
        }
    }
}

pub(super) fn read_weights(from: &mut ByteReader<'_>) -> Result<Arc<Weights>, String> {
    let mut lists = || {
        let slot_count = from.count()?;
        let mut some = || {
            Ok(match from.flag("influences")? {
                true => {
                    Some(InfluenceLists { first: from.list()?, slots: from.list()?, weights: from.list()? })
                }
                false => None,
            })
        };
        Ok((slot_count, some()?.unwrap_or_default(), some()?))
    };
    let (slot_count, carrying, muscles) = lists().map_err(|e: BytesError| e.to_string())?;
    Weights::from_lists(slot_count, carrying, muscles).map(Arc::new).map_err(|e| e.to_string())
}
