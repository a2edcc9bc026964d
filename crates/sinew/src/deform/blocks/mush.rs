//! Delta mush data in block order.

use super::{
    WIDTH,
    lanes::Lanes,
    moments::{MomentLists, MomentRows},
    smoothed::{SMOOTHED, SmoothedMoments},
    surface::scatter,
};
use crate::{
    asset::{precomputed::DeltaMushData, weights::Weights},
    deform::methods::delta_mush::frame,
};
use glam::Vec3;

/// The smoothed moments of a mesh for the kernel of delta mush.
#[derive(Clone, Debug)]
pub(crate) struct PackedMush {
    /// Rows of [`SMOOTHED`] numbers.
    pub(crate) rows: MomentRows,
    /// The smoothed rest position of each vertex.
    pub(crate) pivots: Vec<[Lanes; 3]>,
    /// The two tangents of the smoothed rest surface.
    pub(crate) rest_tangents: Vec<[Lanes; 6]>,
    /// The first two axes of the frame of these tangents, or zeros if they have none.
    pub(crate) rest_axes: Vec<[Lanes; 6]>,
    /// The joint whose rotation replaces that of a surface that has collapsed.
    pub(crate) fallback: Vec<[u16; WIDTH]>,
}

impl PackedMush {
    /// The data of the vertices in `vertex_of_lane`; `None` if its iterations are cheaper than its moments.
    pub(super) fn new(data: &DeltaMushData, weights: &Weights, vertex_of_lane: &[u32]) -> Option<Self> {
        let moments = SmoothedMoments::new(data, weights)?;
        let lists = MomentLists {
            first: &moments.first,
            slots: &moments.slots,
            numbers: &moments.numbers,
            stride: SMOOTHED,
        };
        let parts = data.parts();
        let point_of = |vertex: usize| parts.point_of_vertex[vertex] as usize;
        let blocks = vertex_of_lane.len() / WIDTH;
        let mut pivots = vec![[Lanes::default(); 3]; blocks];
        let mut rest_tangents = vec![[Lanes::default(); 6]; blocks];
        let mut rest_axes = rest_tangents.clone();
        scatter(&mut pivots, vertex_of_lane, |v| parts.smoothed[point_of(v)].to_array());
        scatter(&mut rest_tangents, vertex_of_lane, |v| six(parts.rest_tangents[point_of(v)]));
        scatter(&mut rest_axes, vertex_of_lane, |v| six(axes(parts.rest_tangents[point_of(v)])));
        let strongest =
            |vertex: u32| weights.of(parts.vertex_of_point[point_of(vertex as usize)] as usize).0[0];
        let fallback = vertex_of_lane.as_chunks().0.iter().map(|lanes| lanes.map(strongest)).collect();
        let rows = MomentRows::new(&lists, vertex_of_lane, |vertex| point_of(vertex as usize));
        Some(Self { rows, pivots, rest_tangents, rest_axes, fallback })
    }
}

fn six([a, b]: [Vec3; 2]) -> [f32; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

fn axes(tangents: [Vec3; 2]) -> [Vec3; 2] {
    let frame = frame(tangents.map(Vec3::as_dvec3));
    frame.map_or([Vec3::ZERO; 2], |frame| [frame.x_axis.as_vec3(), frame.y_axis.as_vec3()])
}
