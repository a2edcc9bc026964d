//! Converts blend shapes to morph targets: one for each shape of a channel, its in-between shapes included.

use super::{FbxReader, vector};
use crate::{ReadError, names::shortened};
use sinew::{MorphTarget, MorphTargets, glam::Vec3};

/// The channels of a mesh, in order.
pub(super) fn channels(mesh: &ufbx::Mesh) -> impl Iterator<Item = &ufbx::BlendChannel> {
    mesh.blend_deformers.as_ref().iter().flat_map(|deformer| deformer.channels.as_ref()).map(|c| &**c)
}

/// The number of morph targets of a channel. A channel without a shape has an empty one.
pub(super) fn target_count(channel: &ufbx::BlendChannel) -> usize {
    channel.keyframes.len().max(1)
}

/// Writes the weights of a channel's targets at `weight`: linear between the full weights of its shapes, from zero weight
/// and no shape on, and past the last shape in the same direction.
pub(super) fn target_weights(channel: &ufbx::BlendChannel, weight: f64, out: &mut Vec<f64>) {
    let first = out.len();
    out.resize(first + target_count(channel), 0.0);
    let full = |index: usize| channel.keyframes.get(index).map(|key| key.target_weight);
    let Some((from, to)) = surrounding(channel, weight) else {
        out[first] = if channel.keyframes.is_empty() { weight } else { 0.0 };
        return;
    };
    let weight_of = |index: Option<usize>| index.and_then(full).unwrap_or(0.0);
    let length = weight_of(to) - weight_of(from);
    if length == 0.0 {
        return;
    }
    let fraction = (weight - weight_of(from)) / length;
    for (index, value) in [(from, 1.0 - fraction), (to, fraction)] {
        if let Some(index) = index {
            out[first + index] = value;
        }
    }
}

/// The shapes between which a weight lies, `None` for no shape; nothing if there is no shape on either side.
fn surrounding(channel: &ufbx::BlendChannel, weight: f64) -> Option<(Option<usize>, Option<usize>)> {
    let keys: &[ufbx::BlendKeyframe] = &channel.keyframes;
    let positive = keys.partition_point(|key| key.target_weight < 0.0);
    // From zero outward on the side of the weight; a side without shapes goes on the line of the other.
    let outward: Vec<usize> = match (weight > 0.0 && positive < keys.len()) || positive == 0 {
        true => (positive..keys.len()).collect(),
        false => (0..positive).rev().collect(),
    };
    let reach = |index: usize| keys[index].target_weight.abs();
    let is_other_side = outward.first().is_some_and(|&k| keys[k].target_weight * weight < 0.0);
    let at = outward.iter().position(|&k| is_other_side || reach(k) > weight.abs());
    let at = at.unwrap_or(outward.len().checked_sub(1)?);
    Some((at.checked_sub(1).map(|k| outward[k]), Some(outward[at])))
}

/// The weights at which the targets of a channel change their course.
pub(super) fn bends(channel: &ufbx::BlendChannel) -> Vec<f64> {
    match channel.keyframes.len() {
        0 | 1 => Vec::new(),
        _ => channel.keyframes.iter().map(|key| key.target_weight).chain([0.0]).collect(),
    }
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
    /// The targets of all channels, with their default weights.
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
            let name = super::name_of(&channel.element);
            match channel.keyframes.as_ref() {
                [] => targets.push(MorphTarget { name, ..MorphTarget::default() }),
                [between @ .., last] => {
                    for key in between {
                        let name = format!("{name}.{}", shape_name(key));
                        targets.push(self.target(place, name, &key.shape, &vertices)?);
                    }
                    targets.push(self.target(place, name, &last.shape, &vertices)?);
                }
            }
            target_weights(channel, channel.weight, &mut weights);
        }
        let weights = weights.into_iter().map(|w| if w.is_finite() { w as f32 } else { 0.0 }).collect();
        MorphTargets::new(point_of_vertex.len(), targets, weights).map_err(|e| ReadError::invalid(place, e))
    }

    fn target(
        &self,
        place: &str,
        name: String,
        shape: &ufbx::BlendShape,
        vertices: &VerticesOfPoint,
    ) -> Result<MorphTarget, ReadError> {
        let moved = shape.offset_vertices.iter().map(|&point| vertices.of(point as usize));
        let count: usize = moved.clone().map(<[u32]>::len).sum();
        let has_normals = !shape.normal_offsets.is_empty();
        self.budget.charge(place, count + shape.num_offsets, 3 * size_of::<(u32, Vec3, Vec3)>())?;
        let at = |list: &[ufbx::Vec3], k: usize| list.get(k).map_or(Vec3::ZERO, |&v| vector(v));
        let mut offsets: Vec<(u32, Vec3, Vec3)> = Vec::with_capacity(count);
        for (k, vertices) in moved.enumerate() {
            let weight = shape.offset_weights.get(k).map_or(1.0, |&w| w as f32);
            let (position, normal) = (at(&shape.position_offsets, k), at(&shape.normal_offsets, k));
            offsets.extend(vertices.iter().map(|&vertex| (vertex, position * weight, normal * weight)));
        }
        offsets.sort_by_key(|offset| offset.0);
        // The offsets of a point that a shape lists twice add up.
        offsets.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                (kept.1, kept.2) = (kept.1 + next.1, kept.2 + next.2);
            }
            is_same
        });
        Ok(MorphTarget {
            name,
            vertices: offsets.iter().map(|o| o.0).collect(),
            positions: offsets.iter().map(|o| o.1).collect(),
            normals: if has_normals { offsets.iter().map(|o| o.2).collect() } else { Vec::new() },
            tangents: Vec::new(),
        })
    }
}

/// The name of an in-between shape, or its full weight in percent if it has none.
fn shape_name(key: &ufbx::BlendKeyframe) -> String {
    match shortened(&key.shape.element.name) {
        "" => format!("{:.0}", key.target_weight * 100.0),
        name => name.to_owned(),
    }
}
