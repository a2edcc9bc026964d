//! The surface, subdivided into pieces with nearly constant weights.

use super::CorOptions;
use crate::topology::WeldedTopology;
use sinew::glam::DVec3;

/// Pieces of triangles with their position, area and weights.
pub(super) struct SurfaceSamples {
    /// The area times the centroid, and the area, of each piece.
    pub(super) moments: Vec<(DVec3, f64)>,
    /// Piece `s` has the influences `first[s]..first[s + 1]`, by slot.
    first: Vec<u32>,
    slots: Vec<u16>,
    weights: Vec<f32>,
    is_capped: bool,
}

/// A piece of a triangle that may be subdivided: three corners, each with a weight for every slot of the triangle.
#[derive(Clone)]
struct SurfaceSample {
    corners: [DVec3; 3],
    weights: [Vec<f32>; 3],
    cuts: u32,
}

/// The maximum depth of subdivision. Each cut halves the weight distance of an edge, which is at most √2.
const MAX_CUTS: u32 = 24;

impl SurfaceSamples {
    /// Subdivides every triangle with more than one joint until its weights are nearly constant.
    ///
    /// A triangle with a single joint is similar to nothing and is left out.
    pub(super) fn refine(topology: &WeldedTopology<'_>, options: &CorOptions) -> Self {
        let mut out =
            Self { moments: vec![], first: vec![0], slots: vec![], weights: vec![], is_capped: false };
        let mut stack = Vec::new();
        for triangle in &topology.triangles {
            let (slots, piece) = piece_of(topology, *triangle);
            if slots.len() < 2 {
                continue;
            }
            stack.push(piece);
            while let Some(piece) = stack.pop() {
                let (edge, distance) = piece.widest_edge();
                let must_cut = distance > options.refine_to && piece.cuts < MAX_CUTS;
                let has_room = out.len() + stack.len() + 2 <= options.max_samples;
                out.is_capped |= must_cut && !has_room;
                if must_cut && has_room {
                    stack.extend(piece.cut(edge));
                } else {
                    out.push(&slots, &piece);
                }
            }
        }
        out
    }

    fn push(&mut self, slots: &[u16], piece: &SurfaceSample) {
        let [a, b, c] = piece.corners;
        let area = (b - a).cross(c - a).length() * 0.5;
        let before = self.slots.len();
        for (i, &slot) in slots.iter().enumerate() {
            let fraction = (piece.weights[0][i] + piece.weights[1][i] + piece.weights[2][i]) / 3.0;
            if fraction > 0.0 {
                self.slots.push(slot);
                self.weights.push(fraction);
            }
        }
        if self.slots.len() - before < 2 || area == 0.0 {
            self.slots.truncate(before);
            self.weights.truncate(before);
            return;
        }
        self.first.push(self.slots.len() as u32);
        self.moments.push(((a + b + c) / 3.0 * area, area));
    }

    pub(super) fn len(&self) -> usize {
        self.moments.len()
    }

    pub(super) fn is_capped(&self) -> bool {
        self.is_capped
    }

    /// The slots of a piece in ascending order, and their weights.
    pub(super) fn of(&self, sample: usize) -> (&[u16], &[f32]) {
        let range = self.first[sample] as usize..self.first[sample + 1] as usize;
        (&self.slots[range.clone()], &self.weights[range])
    }
}

/// A triangle with the slots of all its corners.
fn piece_of(topology: &WeldedTopology<'_>, triangle: [u32; 3]) -> (Vec<u16>, SurfaceSample) {
    let mut slots: Vec<u16> =
        triangle.iter().flat_map(|&p| topology.weights_of(p as usize).0.to_vec()).collect();
    slots.sort_unstable();
    slots.dedup();
    let weights = triangle.map(|p| {
        let (own, weights) = topology.weights_of(p as usize);
        let fraction = |slot: &u16| own.iter().position(|s| s == slot).map_or(0.0, |at| weights[at]);
        slots.iter().map(fraction).collect()
    });
    let corners = triangle.map(|p| topology.positions[p as usize]);
    (slots, SurfaceSample { corners, weights, cuts: 0 })
}

impl SurfaceSample {
    /// The edge along which weights differ most, and the difference.
    fn widest_edge(&self) -> (usize, f32) {
        let distance = |edge: usize| {
            let (a, b) = (&self.weights[edge], &self.weights[(edge + 1) % 3]);
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
        };
        let wider = |best: (usize, f32), edge: usize| {
            let d = distance(edge);
            if d > best.1 { (edge, d) } else { best }
        };
        [1, 2].into_iter().fold((0, distance(0)), wider)
    }

    /// The two halves on either side of the midpoint of an edge.
    fn cut(self, edge: usize) -> [Self; 2] {
        let (from, to) = (edge, (edge + 1) % 3);
        let middle = self.corners[from].midpoint(self.corners[to]);
        let weights: Vec<f32> =
            self.weights[from].iter().zip(&self.weights[to]).map(|(a, b)| (a + b) * 0.5).collect();
        let mut halves = [self.clone(), self];
        for (half, corner) in halves.iter_mut().zip([to, from]) {
            half.corners[corner] = middle;
            half.weights[corner].clone_from(&weights);
            half.cuts += 1;
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subdivision_keeps_the_area_and_narrows_the_weights() {
        let tube = sinew_samples::tube();
        let topology = WeldedTopology::new(&tube.meshes()[0]).unwrap();
        let total = |refine_to: f32| {
            let options = CorOptions { refine_to, ..CorOptions::default() };
            let samples = SurfaceSamples::refine(&topology, &options);
            assert!(!samples.is_capped());
            (samples.len(), samples.moments.iter().map(|m| m.1).sum::<f64>())
        };
        let (coarse, coarse_area) = total(10.0);
        let (fine, fine_area) = total(0.02);
        assert!(fine > 2 * coarse, "{fine} pieces instead of {coarse}");
        assert!((fine_area / coarse_area - 1.0).abs() < 1e-3, "{fine_area} instead of {coarse_area}");
    }

    #[test]
    fn the_number_of_pieces_is_bounded_and_the_bound_is_reported() {
        let tube = sinew_samples::tube();
        let topology = WeldedTopology::new(&tube.meshes()[0]).unwrap();
        let options = CorOptions { refine_to: 1e-4, max_samples: 10_000, ..CorOptions::default() };
        let samples = SurfaceSamples::refine(&topology, &options);
        assert!(samples.is_capped());
        assert!(samples.len() <= 10_000 + topology.triangles.len(), "{}", samples.len());
    }
}
