//! Reads the precomputed data of a mesh. Nothing is repaired: data that does not fit its mesh is an error.

use super::{GltfReader, attributes::vec3, primitives::RawPrimitive};
use crate::{
    ReadError,
    gltf::{
        accessor::Elements,
        json::{
            self, component,
            extras::{BLEND, CENTER, SINEW},
            precomputed::{self, MeshExtras},
        },
    },
};
use serde::Deserialize;
use sinew::{
    BlendMap, CentersOfRotation, ContactBone, ContactData, ContactParts, ContactVertex, DeltaMushData,
    DirectMushData, DirectMushParts, Influence, MushDetail, MushParts, Precomputed, Weights,
    glam::{Vec2, Vec3},
};
use std::{fmt::Display, sync::Arc};

/// Wraps the error of a constructor with its `place`.
fn refused<E: Display>(place: &str) -> impl Fn(E) -> ReadError {
    move |error| ReadError::invalid(place, error)
}

impl GltfReader<'_> {
    /// Sinew's data in a mesh's `extras`.
    pub(super) fn mesh_extras(&self, place: &str, mesh: &json::Mesh) -> Result<MeshExtras, ReadError> {
        let own = mesh.extras.as_ref().and_then(|e| e.get(SINEW));
        let Some(own) = own else { return Ok(MeshExtras::default()) };
        let parsed: Result<MeshExtras, serde_json::Error> = Deserialize::deserialize(own);
        parsed.map_err(refused(&format!("{place}.extras.{SINEW}")))
    }

    /// The precomputed data of all primitives together.
    pub(super) fn precomputed(
        &mut self,
        place: &str,
        own: &MeshExtras,
        primitives: &[RawPrimitive],
        slot_count: usize,
    ) -> Result<Precomputed, ReadError> {
        let vertices = primitives.iter().map(|p| p.vertex_count).sum();
        Ok(Precomputed {
            centers: self.centers(place, primitives)?.map(Arc::new),
            mush: own.mush.as_ref().map(|m| self.mush(place, m, vertices)).transpose()?.map(Arc::new),
            direct_mush: match &own.direct_mush {
                Some(direct) => Some(Arc::new(self.direct_mush(place, direct, vertices, slot_count)?)),
                None => None,
            },
            blend_map: self.blend_map(place, primitives)?.map(Arc::new),
            contact: match &own.contact {
                Some(contact) => Some(Arc::new(self.contact(place, contact, vertices, slot_count)?)),
                None => None,
            },
        })
    }

    /// The centers of rotation. A primitive without them gets its positions, which stand for vertices without a center.
    fn centers(
        &mut self,
        place: &str,
        primitives: &[RawPrimitive],
    ) -> Result<Option<CentersOfRotation>, ReadError> {
        let mut filled = Vec::new();
        for primitive in primitives.iter().filter(|p| !p.attributes.contains_key(CENTER)) {
            let place = format!("{}.attributes.POSITION", primitive.place);
            filled.push((primitive.first_vertex, vec3(&primitive.attributes["POSITION"], &place)?));
        }
        let own = |p: &RawPrimitive| {
            let found = filled.iter().find(|(first, _)| *first == p.first_vertex);
            found.map(|(_, positions)| positions.clone()).unwrap_or_default()
        };
        let centers = self.stream(primitives, CENTER, vec3, own)?;
        let make = |c: Vec<Vec3>| CentersOfRotation::new(c).map_err(refused(&format!("{place}, {CENTER}")));
        (!centers.is_empty()).then(|| make(centers)).transpose()
    }

    fn blend_map(&mut self, place: &str, primitives: &[RawPrimitive]) -> Result<Option<BlendMap>, ReadError> {
        let scalars = |e: &Elements, place: &str| {
            Ok(e.vectors::<1>(place)?.into_iter().map(|[factor]| factor).collect())
        };
        let factors = self.stream(primitives, BLEND, scalars, |p| vec![0.0; p.vertex_count])?;
        let make = |s: Vec<f32>| BlendMap::new(s).map_err(refused(&format!("{place}, {BLEND}")));
        (!factors.is_empty()).then(|| make(factors)).transpose()
    }

    fn mush(
        &mut self,
        place: &str,
        own: &precomputed::MushExtras,
        vertices: usize,
    ) -> Result<DeltaMushData, ReadError> {
        let place = format!("{place}.extras.{SINEW}.mush");
        let tangents = self.vectors::<3>(&place, own.rest_tangents)?;
        if !tangents.len().is_multiple_of(2) {
            return Err(ReadError::invalid(place, "tangents must come in pairs"));
        }
        let pairs = tangents.as_chunks::<2>().0.iter();
        let to_vectors = |rows: Vec<[f32; 3]>| rows.into_iter().map(Vec3::from).collect::<Vec<_>>();
        let parts = MushParts {
            iterations: own.iterations,
            step: own.step,
            point_of_vertex: self.integers(&place, own.point_of_vertex)?,
            vertex_of_point: self.integers(&place, own.vertex_of_point)?,
            first: self.integers(&place, own.first)?,
            neighbors: self.integers(&place, own.neighbors)?,
            edge_weights: self.vectors::<2>(&place, own.edge_weights)?.into_iter().map(Vec2::from).collect(),
            rest_tangents: pairs.map(|pair| pair.map(Vec3::from)).collect(),
            rest: to_vectors(self.vectors(&place, own.rest)?),
            smoothed: to_vectors(self.vectors(&place, own.smoothed)?),
        };
        let mush = DeltaMushData::new(parts).map_err(refused(&place))?;
        expect_vertices(&place, mush.vertex_count(), vertices)?;
        Ok(mush)
    }

    fn direct_mush(
        &mut self,
        place: &str,
        own: &precomputed::DirectMushExtras,
        vertices: usize,
        slot_count: usize,
    ) -> Result<DirectMushData, ReadError> {
        let place = format!("{place}.extras.{SINEW}.directMush");
        let unknown = || ReadError::invalid(&place, format!("detail {:?} is unsupported", own.detail));
        let detail = MushDetail::ALL.into_iter().find(|d| d.name() == own.detail).ok_or_else(unknown)?;
        let parts = DirectMushParts {
            detail,
            pivots: self.vectors::<3>(&place, own.pivots)?.into_iter().map(Vec3::from).collect(),
            first: self.integers(&place, own.first)?,
            slots: self.slots(&place, own.slots)?,
            numbers: self.vectors::<1>(&place, own.numbers)?.into_iter().map(|[n]| n).collect(),
        };
        let direct = DirectMushData::new(parts).map_err(refused(&place))?;
        expect_vertices(&place, direct.vertex_count(), vertices)?;
        if direct.slot_count() > slot_count {
            let what = format!("names joint {}, the skin has {slot_count}", direct.slot_count() - 1);
            return Err(ReadError::invalid(place, what));
        }
        Ok(direct)
    }

    fn contact(
        &mut self,
        place: &str,
        own: &precomputed::ContactExtras,
        vertices: usize,
        slot_count: usize,
    ) -> Result<ContactData, ReadError> {
        let place = format!("{place}.extras.{SINEW}.contact");
        let heads = self.vectors::<3>(&place, own.heads)?;
        let tails = self.vectors::<3>(&place, own.tails)?;
        let neighbors = self.slots(&place, own.neighbors)?;
        let gates = self.vectors::<2>(&place, own.gates)?;
        let numbers = self.slots(&place, own.vertices)?;
        let (neighbors, odd) = neighbors.as_chunks::<2>();
        let (numbers, rest) = numbers.as_chunks::<5>();
        let counts = [tails.len(), neighbors.len(), gates.len()];
        if !odd.is_empty() || !rest.is_empty() || counts.iter().any(|count| *count != heads.len()) {
            return Err(ReadError::invalid(place, "the lists of its bones do not match"));
        }
        let bone = |slot: usize| {
            let [before, after] = neighbors[slot];
            let (head, tail) = (Vec3::from(heads[slot]), Vec3::from(tails[slot]));
            ContactBone { head, tail, before, after, gates: gates[slot] }
        };
        let vertex = |&[bone, mask, radius, before, after]: &[u16; 5]| ContactVertex {
            bone,
            mask,
            radius,
            beyond: [before, after],
        };
        let parts = ContactParts {
            bones: (0..heads.len()).map(bone).collect(),
            vertices: numbers.iter().map(vertex).collect(),
        };
        let contact = ContactData::new(parts).map_err(refused(&place))?;
        expect_vertices(&place, contact.vertex_count(), vertices)?;
        if contact.slot_count() > slot_count {
            let what = format!("has {} bones, the skin has {slot_count} joints", contact.slot_count());
            return Err(ReadError::invalid(place, what));
        }
        Ok(contact)
    }

    /// `weights` with the muscle influences, which do not count toward the sum of one.
    pub(super) fn free_weights(
        &mut self,
        place: &str,
        own: &MeshExtras,
        weights: Option<Arc<Weights>>,
        slot_count: usize,
    ) -> Result<Option<Arc<Weights>>, ReadError> {
        let (Some(own), Some(weights)) = (&own.free_weights, &weights) else { return Ok(weights) };
        let place = format!("{place}.extras.{SINEW}.freeWeights");
        let first = self.integers(&place, own.first)?;
        let slots = self.slots(&place, own.slots)?;
        let values: Vec<[f32; 1]> = self.vectors(&place, own.weights)?;
        expect_vertices(&place, first.len().saturating_sub(1), weights.vertex_count())?;
        let in_order = first.first() == Some(&0) && first.is_sorted();
        let is_whole =
            first.last().is_some_and(|&end| end as usize == slots.len()) && slots.len() == values.len();
        if !in_order || !is_whole {
            return Err(ReadError::invalid(place, "ranges, slots and weights do not match"));
        }
        let vertices = first.windows(2).map(|range| {
            let range = range[0] as usize..range[1] as usize;
            let pairs = slots[range.clone()].iter().zip(&values[range]);
            pairs.map(|(&slot, &[weight])| Influence { slot, weight })
        });
        let free =
            Weights::clone(weights).with_muscle_weights(slot_count, vertices).map_err(refused(&place))?;
        Ok(Some(Arc::new(free)))
    }

    /// The list in an accessor of Sinew's data; empty without an accessor.
    fn vectors<const N: usize>(
        &mut self,
        place: &str,
        accessor: Option<usize>,
    ) -> Result<Vec<[f32; N]>, ReadError> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        let elements = self.buffers.elements(place, accessor, &mut self.report)?;
        if elements.component_type != component::F32 {
            return Err(ReadError::invalid(place, format!("accessor {accessor} must hold floats")));
        }
        elements.vectors(place)
    }

    fn integers(&mut self, place: &str, accessor: Option<usize>) -> Result<Vec<u32>, ReadError> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        let elements = self.buffers.elements(place, accessor, &mut self.report)?;
        elements.expect_width(place, 1)?;
        let wrong = || ReadError::invalid(place, format!("accessor {accessor} must hold unsigned integers"));
        elements.integers().ok_or_else(wrong)
    }

    fn slots(&mut self, place: &str, accessor: Option<usize>) -> Result<Vec<u16>, ReadError> {
        let integers = self.integers(place, accessor)?;
        let slot =
            |n: u32| u16::try_from(n).map_err(|_| ReadError::invalid(place, format!("names joint {n}")));
        integers.into_iter().map(slot).collect()
    }
}

fn expect_vertices(place: &str, count: usize, vertices: usize) -> Result<(), ReadError> {
    if count == vertices {
        return Ok(());
    }
    Err(ReadError::invalid(place, format!("must have {vertices} vertices as the mesh, got {count}")))
}
