//! Writes precomputed data of a mesh: one value per vertex as a vertex attribute, everything else as lists in `extras`.

use super::{Writer, layout::draws, mesh::rows, unrepresentable};
use crate::{
    WriteError,
    gltf::json::{
        extras::{BLEND, CENTER},
        precomputed::{ContactExtras, DirectMushExtras, FreeWeightsExtras, MeshExtras, MushExtras},
    },
};
use serde_json::Value;
use sinew::glam::Vec3;
use sinew::{ContactBone, ContactParts, DirectMushParts, Mesh, MushParts, WeightSum, Weights};
use std::{collections::BTreeMap, ops::Range};

impl Writer<'_> {
    /// Adds the attributes of one primitive's vertices.
    pub(in crate::gltf) fn precomputed_attributes(
        &mut self,
        mesh: &Mesh,
        range: Range<usize>,
        out: &mut BTreeMap<String, usize>,
    ) {
        let precomputed = mesh.precomputed();
        if let Some(centers) = &precomputed.centers {
            let centers = rows(&centers.positions()[range.clone()]);
            self.put(out, CENTER, &centers, false);
        }
        if let Some(map) = &precomputed.blend_map {
            let values: Vec<[f32; 1]> = map.weights()[range].iter().map(|&s| [s]).collect();
            self.put(out, BLEND, &values, false);
        }
    }

    /// The data for the mesh's `extras`, if there is any and every vertex is written.
    pub(in crate::gltf) fn mesh_extras(&mut self, mesh: &Mesh) -> Result<Option<Value>, WriteError> {
        if !mesh.primitives().iter().all(draws) {
            return Ok(None);
        }
        let precomputed = mesh.precomputed();
        let free = mesh.weights().filter(|w| w.sum_kind() == WeightSum::Muscle);
        let own = MeshExtras {
            mush: precomputed.mush.as_ref().map(|m| self.mush(m.parts())),
            direct_mush: precomputed.direct_mush.as_ref().map(|d| self.direct_mush(d.parts())),
            contact: precomputed.contact.as_ref().map(|c| self.contact(c.parts())),
            free_weights: free.map(|w| self.free_weights(w)),
        };
        if own == MeshExtras::default() {
            return Ok(None);
        }
        let place = || format!("mesh {:?}", mesh.name());
        serde_json::to_value(own).map(Some).map_err(|e| unrepresentable(place(), e.to_string()))
    }

    fn mush(&mut self, parts: &MushParts) -> MushExtras {
        let wide = |data: &mut Self, list: &[u32]| data.data.integers(list.iter().copied(), false);
        let tangents: Vec<[f32; 3]> = parts.rest_tangents.iter().flatten().map(Vec3::to_array).collect();
        MushExtras {
            iterations: parts.iterations,
            step: parts.step,
            point_of_vertex: wide(self, &parts.point_of_vertex),
            vertex_of_point: wide(self, &parts.vertex_of_point),
            first: wide(self, &parts.first),
            neighbors: wide(self, &parts.neighbors),
            edge_weights: self.data.table(&rows(&parts.edge_weights)),
            rest_tangents: self.data.table(&tangents),
            rest: self.data.table(&rows(&parts.rest)),
            smoothed: self.data.table(&rows(&parts.smoothed)),
        }
    }

    fn direct_mush(&mut self, parts: &DirectMushParts) -> DirectMushExtras {
        let numbers: Vec<[f32; 1]> = parts.numbers.iter().map(|&n| [n]).collect();
        DirectMushExtras {
            detail: parts.detail.name().into(),
            pivots: self.data.table(&rows(&parts.pivots)),
            first: self.data.integers(parts.first.iter().copied(), false),
            slots: self.data.integers(parts.slots.iter().map(|&s| s.into()), true),
            numbers: self.data.table(&numbers),
        }
    }

    fn contact(&mut self, parts: &ContactParts) -> ContactExtras {
        let ends = |end: fn(&ContactBone) -> Vec3| -> Vec<Vec3> { parts.bones.iter().map(end).collect() };
        let neighbors = parts.bones.iter().flat_map(|b| [b.before, b.after]).map(u32::from);
        let gates: Vec<[f32; 2]> = parts.bones.iter().map(|b| b.gates).collect();
        let vertices =
            parts.vertices.iter().flat_map(|v| [v.bone, v.mask, v.radius, v.beyond[0], v.beyond[1]]);
        ContactExtras {
            heads: self.data.table(&rows(&ends(|b| b.head))),
            tails: self.data.table(&rows(&ends(|b| b.tail))),
            neighbors: self.data.integers(neighbors, true),
            gates: self.data.table(&gates),
            vertices: self.data.integers(vertices.map(u32::from), true),
        }
    }

    fn free_weights(&mut self, weights: &Weights) -> FreeWeightsExtras {
        let (mut first, mut slots, mut values) = (vec![0], Vec::new(), Vec::new());
        for vertex in 0..weights.vertex_count() {
            let (own_slots, own_weights) = weights.muscle_of(vertex);
            slots.extend_from_slice(own_slots);
            values.extend(own_weights.iter().map(|&s| [s]));
            first.push(slots.len() as u32);
        }
        FreeWeightsExtras {
            first: self.data.integers(first.into_iter(), false),
            slots: self.data.integers(slots.iter().map(|&s| s.into()), true),
            weights: self.data.table(&values),
        }
    }
}
