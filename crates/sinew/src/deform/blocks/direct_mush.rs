//! Direct delta mush data in block order.

use super::{
    lanes::Lanes,
    moments::{MomentLists, MomentRows},
    surface::scatter,
};
use crate::asset::precomputed::DirectMushData;
use glam::{DVec3, Vec3};

/// The moments of a mesh for the kernel of direct delta mush.
#[derive(Clone, Debug)]
pub(crate) struct PackedDirectMush {
    /// Rows of weight, first and second moments, as many as the data's detail stores.
    pub(crate) rows: MomentRows,
    pub(crate) pivots: Vec<[Lanes; 3]>,
    /// The sum of the first moments of each vertex: zero but for rounding.
    pub(crate) first_sums: Vec<[Lanes; 3]>,
}

impl PackedDirectMush {
    /// The data of the vertices in `vertex_of_lane`.
    pub(super) fn new(data: &DirectMushData, vertex_of_lane: &[u32]) -> Self {
        let parts = data.parts();
        let lists = MomentLists {
            first: &parts.first,
            slots: &parts.slots,
            numbers: &parts.numbers,
            stride: parts.detail.numbers(),
        };
        let blocks = vertex_of_lane.len() / super::WIDTH;
        let mut pivots = vec![[Lanes::default(); 3]; blocks];
        let mut first_sums = pivots.clone();
        scatter(&mut pivots, vertex_of_lane, |v| parts.pivots[v].to_array());
        scatter(&mut first_sums, vertex_of_lane, |v| first_sum(data, v).to_array());
        let rows = MomentRows::new(&lists, vertex_of_lane, |vertex| vertex as usize);
        Self { rows, pivots, first_sums }
    }
}

fn first_sum(data: &DirectMushData, vertex: usize) -> Vec3 {
    data.of(vertex).map(|moments| moments.first.as_dvec3()).sum::<DVec3>().as_vec3()
}
