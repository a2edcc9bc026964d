//! Converts blend shapes to morph targets.

use super::{FbxReader, vector};
use crate::{ReadError, report::FindingCode};
use sinew::{MorphTarget, MorphTargets, glam::Vec3};

/// The channels that become morph targets, in order.
pub(super) fn channels(mesh: &ufbx::Mesh) -> impl Iterator<Item = &ufbx::BlendChannel> {
    mesh.blend_deformers.as_ref().iter().flat_map(|deformer| deformer.channels.as_ref()).map(|c| &**c)
}

/// The vertices of each point.
struct VerticesOfPoint {
    /// Point p owns `first[p]..first[p + 1]`.
    first: Vec<usize>,
    vertices: Vec<u32>,
}

impl VerticesOfPoint {
    fn new(points: usize, point_of_vertex: &[u32]) -> Self {
        let mut first = vec![0; points + 1];
        for &point in point_of_vertex {
            first[point as usize + 1] += 1;
        }
        for point in 0..points {
            first[point + 1] += first[point];
        }
        let mut next = first.clone();
        let mut vertices = vec![0; point_of_vertex.len()];
        for (vertex, &point) in point_of_vertex.iter().enumerate() {
            vertices[next[point as usize]] = vertex as u32;
            next[point as usize] += 1;
        }
        Self { first, vertices }
    }

    fn of(&self, point: usize) -> &[u32] {
        match (self.first.get(point), self.first.get(point + 1)) {
            (Some(&start), Some(&end)) => &self.vertices[start..end],
            _ => &[],
        }
    }
}

impl FbxReader<'_> {
    /// One target for each blend channel, with its default weight.
    pub(super) fn morphs(
        &mut self,
        place: &str,
        mesh: &ufbx::Mesh,
        point_of_vertex: &[u32],
    ) -> Result<MorphTargets, ReadError> {
        if mesh.blend_deformers.is_empty() {
            return Ok(MorphTargets::default());
        }
        let points = point_of_vertex.iter().max().map_or(0, |&p| p as usize + 1).max(mesh.num_vertices);
        let vertices = VerticesOfPoint::new(points, point_of_vertex);
        let (mut targets, mut weights) = (Vec::new(), Vec::new());
        for channel in channels(mesh) {
            if channel.keyframes.len() > 1 {
                let detail = format!(
                    "shape {:?} has in-between targets, only the last is kept",
                    &*channel.element.name
                );
                self.report.add(FindingCode::MorphListLength, place, detail);
            }
            targets.push(self.target(place, channel, &vertices)?);
            let weight = channel.weight as f32;
            weights.push(if weight.is_finite() { weight } else { 0.0 });
        }
        MorphTargets::new(point_of_vertex.len(), targets, weights).map_err(|e| ReadError::invalid(place, e))
    }

    fn target(
        &self,
        place: &str,
        channel: &ufbx::BlendChannel,
        vertices: &VerticesOfPoint,
    ) -> Result<MorphTarget, ReadError> {
        let name = channel.element.name.to_string();
        let Some(shape) = &channel.target_shape else {
            return Ok(MorphTarget { name, ..MorphTarget::default() });
        };
        let moved = shape.offset_vertices.iter().map(|&point| vertices.of(point as usize));
        let count: usize = moved.clone().map(<[u32]>::len).sum();
        let has_normals = !shape.normal_offsets.is_empty();
        self.budget.charge(place, count + shape.num_offsets, 3 * size_of::<(u32, Vec3, Vec3)>())?;
        let at = |list: &[ufbx::Vec3], k: usize| list.get(k).map_or(Vec3::ZERO, |&v| vector(v));
        let mut offsets: Vec<(u32, Vec3, Vec3)> = Vec::with_capacity(count);
        for (k, vertices) in moved.enumerate() {
            let (position, normal) = (at(&shape.position_offsets, k), at(&shape.normal_offsets, k));
            offsets.extend(vertices.iter().map(|&vertex| (vertex, position, normal)));
        }
        offsets.sort_by_key(|offset| offset.0);
        // A point that a shape lists twice keeps its first offset.
        offsets.dedup_by_key(|offset| offset.0);
        Ok(MorphTarget {
            name,
            vertices: offsets.iter().map(|o| o.0).collect(),
            positions: offsets.iter().map(|o| o.1).collect(),
            normals: if has_normals { offsets.iter().map(|o| o.2).collect() } else { Vec::new() },
            tangents: Vec::new(),
        })
    }
}
