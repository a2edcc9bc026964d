//! Contact data in block order.

use super::{Lanes, WIDTH};
use crate::asset::{
    mesh::Mesh,
    precomputed::{ContactData, ContactVertex},
};
use std::sync::Arc;

/// The contact data of a mesh for each block.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactBlocks {
    /// The bones; `None` if the mesh has no contact data.
    pub(crate) data: Option<Arc<ContactData>>,
    /// Block b has the entries from `first[b]` to `first[b + 1]`.
    pub(crate) first: Vec<u32>,
    pub(crate) entries: Vec<ContactEntry>,
}

/// The vertices of one block that lie on one bone. The mask of the others is zero.
#[derive(Clone, Debug)]
pub(crate) struct ContactEntry {
    pub(crate) bone: u16,
    pub(crate) mask: Lanes,
    pub(crate) radius: Lanes,
    pub(crate) beyond: [Lanes; 2],
}

impl ContactBlocks {
    pub(super) fn of(mesh: &Mesh, vertex_of_lane: &[u32]) -> Self {
        let Some(data) = &mesh.precomputed().contact else { return Self::default() };
        let mut out = Self { data: Some(Arc::clone(data)), first: vec![0], entries: Vec::new() };
        for block in vertex_of_lane.chunks(WIDTH) {
            let start = out.entries.len();
            for (lane, &vertex) in block.iter().enumerate() {
                let vertex = data.parts().vertices[vertex as usize];
                if vertex.mask > 0 {
                    out.add(start, lane, vertex);
                }
            }
            out.first.push(out.entries.len() as u32);
        }
        out
    }

    /// Adds `vertex` to the entry of its bone, among those from `start` on.
    fn add(&mut self, start: usize, lane: usize, vertex: ContactVertex) {
        let found = self.entries[start..].iter().position(|entry| entry.bone == vertex.bone);
        let at = found.map_or(self.entries.len(), |at| start + at);
        if at == self.entries.len() {
            self.entries.push(ContactEntry {
                bone: vertex.bone,
                mask: Lanes::default(),
                radius: Lanes::default(),
                beyond: [Lanes::default(); 2],
            });
        }
        let entry = &mut self.entries[at];
        entry.mask.0[lane] = ContactVertex::number(vertex.mask);
        entry.radius.0[lane] = ContactVertex::number(vertex.radius);
        for (lanes, beyond) in entry.beyond.iter_mut().zip(vertex.beyond) {
            lanes.0[lane] = ContactVertex::number(beyond);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.first) + size_of_val(&*self.entries)
    }
}
