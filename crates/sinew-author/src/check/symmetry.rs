//! Weights that differ from side to side of a symmetric mesh.

use super::{Finding, FindingCode, bound::BoundMesh, counted::vertices_do};
use crate::weights::ops::{MirrorAxis, MirrorOptions, MirrorSide, VertexMirrorMap};

/// So many of the points must have a partner for the mesh to count as symmetric.
const MOST_UNMATCHED: f64 = 0.02;
/// Partners whose shares differ by less in all are alike.
const LEAST_DIFFERENCE: f32 = 0.02;
/// Where more of the mesh differs, it is not weighted to be alike.
const MOST_DIFFERENT: f64 = 0.6;

pub(super) fn findings(bound: &BoundMesh<'_>, out: &mut Vec<Finding>) {
    let Some(found) = Asymmetry::of(bound) else { return };
    let message = format!(
        "{} from their partner on the other side, by up to {:.2} in all",
        vertices_do(found.vertices.len(), "differ"),
        found.worst
    );
    out.push(
        Finding::new(FindingCode::AsymmetricWeights, bound.place(found.vertices), message)
            .with("difference", f64::from(found.worst)),
    );
}

/// How to mirror a mesh whose sides differ, and where they do.
pub(super) struct Asymmetry {
    pub(super) options: MirrorOptions,
    pub(super) map: VertexMirrorMap,
    pub(super) vertices: Vec<u32>,
    worst: f32,
}

impl Asymmetry {
    /// `None` where the mesh or its joints have no sides, or the sides are alike.
    pub(super) fn of(bound: &BoundMesh<'_>) -> Option<Self> {
        let tolerance = bound.diagonal() * 1e-4;
        let options =
            MirrorOptions { axis: MirrorAxis::X, middle: 0.0, from: MirrorSide::Positive, tolerance };
        let map = VertexMirrorMap::new(bound.mesh, bound.skeleton(), bound.skin, &options);
        let count = map.point_count();
        let is_symmetric = (map.unmatched() as f64) <= MOST_UNMATCHED * count as f64;
        let slots = 0..bound.skin.joints().len() as u16;
        let has_pairs = slots.clone().any(|slot| map.slot(slot) != slot);
        if count == 0 || !is_symmetric || !has_pairs || !map.unpaired().is_empty() {
            return None;
        }
        let first = bound.mesh.points().first_vertex();
        let (mut found, mut worst) = (Vec::new(), 0.0_f32);
        for point in 0..count {
            let Some(partner) = map.partner(point) else { continue };
            let (here, there) = (first[point] as usize, first[partner] as usize);
            let difference = difference(bound, &map, here, there);
            if difference > LEAST_DIFFERENCE {
                found.push(here as u32);
                worst = worst.max(difference);
            }
        }
        let is_meant = found.len() as f64 > MOST_DIFFERENT * count as f64;
        (!found.is_empty() && !is_meant).then_some(Self { options, map, vertices: found, worst })
    }
}

/// How much the shares of `here` differ from the mirrored ones of `there`, in all.
fn difference(bound: &BoundMesh<'_>, map: &VertexMirrorMap, here: usize, there: usize) -> f32 {
    let other = |slot: u16| {
        let same = bound.weights.influences(there).filter(|i| map.slot(i.slot) == slot);
        same.map(|i| i.weight).sum::<f32>()
    };
    let own: f32 = bound.weights.influences(here).map(|i| (i.weight - other(i.slot)).abs()).sum();
    let missing = bound.weights.influences(there);
    let missing: f32 =
        missing.filter(|i| bound.weights.weight_of(here, map.slot(i.slot)) == 0.0).map(|i| i.weight).sum();
    own + missing
}
