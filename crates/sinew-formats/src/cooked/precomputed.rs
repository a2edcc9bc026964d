//! Precomputed data of skinning methods in a cooked file.

use sinew::{
    BlendMap, CentersOfRotation, ContactBone, ContactData, ContactParts, ContactVertex, DeltaMushData,
    DirectMushData, DirectMushParts, MushDetail, MushParts, Precomputed, PrecomputedError,
    bytes::{ByteReader, ByteWriter, BytesError},
    glam::{Vec2, Vec3},
};
use std::sync::Arc;
use thiserror::Error;

/// Why a section does not hold precomputed data.
#[derive(Debug, Error)]
pub(super) enum PrecomputedSectionError {
    #[error(transparent)]
    Bytes(#[from] BytesError),
    #[error(transparent)]
    Data(#[from] PrecomputedError),
}

pub(super) fn write(precomputed: &Precomputed, out: &mut ByteWriter) {
    let Precomputed { centers, mush, direct_mush, blend_map, contact } = precomputed;
    optional(centers.as_deref(), out, |centers, out| out.list(centers.positions()));
    optional(mush.as_deref(), out, |mush, out| write_mush(mush.parts(), out));
    optional(direct_mush.as_deref(), out, |mush, out| write_direct(mush.parts(), out));
    optional(blend_map.as_deref(), out, |map, out| out.list(map.weights()));
    // Older versions end before it, and read files without it.
    if contact.is_some() {
        optional(contact.as_deref(), out, |contact, out| write_contact(contact.parts(), out));
    }
}

pub(super) fn read(from: &mut ByteReader<'_>) -> Result<Precomputed, PrecomputedSectionError> {
    let mut out = Precomputed::NONE;
    if from.flag("centers of rotation")? {
        out.centers = Some(Arc::new(CentersOfRotation::new(from.list()?)?));
    }
    if from.flag("delta mush")? {
        out.mush = Some(Arc::new(DeltaMushData::new(read_mush(from)?)?));
    }
    if from.flag("direct delta mush")? {
        out.direct_mush = Some(Arc::new(DirectMushData::new(read_direct(from)?)?));
    }
    if from.flag("blend map")? {
        out.blend_map = Some(Arc::new(BlendMap::new(from.list()?)?));
    }
    if from.left() > 0 && from.flag("contact data")? {
        out.contact = Some(Arc::new(ContactData::new(read_contact(from)?)?));
    }
    Ok(out)
}

/// A flag, and the data if there is some.
fn optional<T>(data: Option<&T>, out: &mut ByteWriter, write: impl FnOnce(&T, &mut ByteWriter)) {
    out.u8(data.is_some().into());
    if let Some(data) = data {
        write(data, out);
    }
}

fn write_mush(parts: &MushParts, out: &mut ByteWriter) {
    out.u32(parts.iterations);
    out.f32(parts.step);
    out.list(&parts.point_of_vertex);
    out.list(&parts.vertex_of_point);
    out.list(&parts.first);
    out.list(&parts.neighbors);
    out.list(&parts.edge_weights);
    out.list(&parts.rest_tangents);
    out.list(&parts.rest);
    out.list(&parts.smoothed);
}

fn read_mush(from: &mut ByteReader<'_>) -> Result<MushParts, BytesError> {
    Ok(MushParts {
        iterations: from.u32()?,
        step: from.f32()?,
        point_of_vertex: from.list()?,
        vertex_of_point: from.list()?,
        first: from.list()?,
        neighbors: from.list()?,
        edge_weights: from.list()?,
        rest_tangents: from.list()?,
        rest: from.list()?,
        smoothed: from.list()?,
    })
}

fn write_direct(parts: &DirectMushParts, out: &mut ByteWriter) {
    out.u8(MushDetail::ALL.iter().position(|detail| *detail == parts.detail).unwrap_or(0) as u8);
    out.list(&parts.pivots);
    out.list(&parts.first);
    out.list(&parts.slots);
    out.list(&parts.numbers);
}

fn read_direct(from: &mut ByteReader<'_>) -> Result<DirectMushParts, BytesError> {
    Ok(DirectMushParts {
        detail: MushDetail::ALL[from.choice("detail", MushDetail::ALL.len())?],
        pivots: from.list()?,
        first: from.list()?,
        slots: from.list()?,
        numbers: from.list()?,
    })
}

fn write_contact(parts: &ContactParts, out: &mut ByteWriter) {
    out.list(&parts.bones.iter().map(|bone| bone.head).collect::<Vec<_>>());
    out.list(&parts.bones.iter().map(|bone| bone.tail).collect::<Vec<_>>());
    out.list(&parts.bones.iter().map(|bone| [bone.before, bone.after]).collect::<Vec<_>>());
    out.list(&parts.bones.iter().map(|bone| Vec2::from(bone.gates)).collect::<Vec<_>>());
    let vertices = parts.vertices.iter();
    let numbers = vertices.flat_map(|v| [v.bone, v.mask, v.radius, v.beyond[0], v.beyond[1]]);
    out.list(&numbers.collect::<Vec<_>>());
}

fn read_contact(from: &mut ByteReader<'_>) -> Result<ContactParts, PrecomputedSectionError> {
    let (heads, tails): (Vec<Vec3>, Vec<Vec3>) = (from.list()?, from.list()?);
    let (neighbors, gates): (Vec<[u16; 2]>, Vec<Vec2>) = (from.list()?, from.list()?);
    let numbers: Vec<u16> = from.list()?;
    let (numbers, odd) = numbers.as_chunks::<5>();
    let wanted = heads.len();
    let counts = [("tails", tails.len()), ("neighbors", neighbors.len()), ("gates", gates.len())];
    for (what, count) in counts.into_iter().chain([("numbers", wanted + odd.len())]) {
        if count != wanted {
            return Err(PrecomputedError::WrongCount { what, count, wanted }.into());
        }
    }
    let bone = |slot: usize| ContactBone {
        head: heads[slot],
        tail: tails[slot],
        before: neighbors[slot][0],
        after: neighbors[slot][1],
        gates: gates[slot].to_array(),
    };
    let vertex =
        |&[bone, mask, radius, b, a]: &[u16; 5]| ContactVertex { bone, mask, radius, beyond: [b, a] };
    Ok(ContactParts {
        bones: (0..wanted).map(bone).collect(),
        vertices: numbers.iter().map(vertex).collect(),
    })
}
