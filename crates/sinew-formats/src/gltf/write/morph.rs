//! Writes morph targets, as sparse accessors if few vertices move.

use super::{Writer, mesh::rows};
use sinew::MorphTargets;
use sinew::glam::Vec3;
use std::{collections::BTreeMap, ops::Range};

impl Writer<'_> {
    /// The targets of one primitive. Normals and tangents are written only if the primitive has them, as glTF requires: a
    /// delta needs a base.
    pub(in crate::gltf) fn targets(
        &mut self,
        morphs: &MorphTargets,
        vertices: &Range<u32>,
        normals: bool,
        tangents: bool,
    ) -> Vec<BTreeMap<String, usize>> {
        let mut out = Vec::with_capacity(morphs.len());
        for target in morphs.targets() {
            let first = target.vertices.partition_point(|&v| v < vertices.start);
            let end = target.vertices.partition_point(|&v| v < vertices.end);
            let moved = &target.vertices[first..end];
            let streams = [
                ("POSITION", &target.positions, true),
                ("NORMAL", &target.normals, normals && !target.normals.is_empty()),
                ("TANGENT", &target.tangents, tangents && !target.tangents.is_empty()),
            ];
            let mut attributes = BTreeMap::new();
            for (name, values, _) in streams.into_iter().filter(|s| s.2) {
                let part = values.get(first..end).unwrap_or_default();
                let bounded = name == "POSITION";
                attributes.insert(name.to_owned(), self.difference(vertices, moved, part, bounded));
            }
            out.push(attributes);
        }
        out
    }

    /// One stream of a target in one primitive: `values` at the vertices `moved`, zero elsewhere.
    fn difference(&mut self, vertices: &Range<u32>, moved: &[u32], values: &[Vec3], bounded: bool) -> usize {
        let count = (vertices.end - vertices.start) as usize;
        let changed = moved.iter().zip(values).filter(|(_, v)| **v != Vec3::ZERO);
        let changed: Vec<(u32, [f32; 3])> =
            changed.map(|(vertex, value)| (vertex - vertices.start, value.to_array())).collect();
        // A sparse row is longer by a third or more, and slower to read: it must at least halve the size.
        if changed.len() * 3 <= count {
            return self.data.sparse(count, &changed, bounded);
        }
        let mut dense = vec![Vec3::ZERO; count];
        for (vertex, value) in &changed {
            dense[*vertex as usize] = Vec3::from_array(*value);
        }
        self.data.attribute(&rows(&dense), bounded)
    }
}
