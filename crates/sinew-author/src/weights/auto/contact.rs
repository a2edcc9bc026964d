//! Where heat goes over from one part of a mesh to another: eyes in a head, a shirt on a chest.

use super::seen::Visibility;
use crate::weights::{surface::WeldedSurface, tree::TriangleTree};

/// Parts nearer than this touch, in diagonals of the box: some four centimetres of a person.
const TOUCH: f64 = 0.02;
/// No closer than this: what touches conducts well, and not without limit.
const CLOSEST: f64 = 1e-2;

/// Edges between parts that touch, and which parts are one body because of them.
pub(super) struct Contact {
    /// Pairs of points of different parts with how well heat goes over, for an area of one.
    pub(super) edges: Vec<(u32, u32, f64)>,
    /// The body that every point belongs to.
    pub(super) body: Vec<u32>,
    /// How many bodies there are.
    pub(super) bodies: usize,
}

impl Contact {
    /// Ties every point that sees no bone to the nearest place of a larger part, where there is one in reach.
    ///
    /// Points that see a bone follow it, whatever they touch: so do the plates of a robot.
    pub(super) fn new(surface: &WeldedSurface, tree: &TriangleTree, seen: &Visibility) -> Self {
        let (part, parts) = surface.components();
        if parts <= 1 {
            return Self { edges: Vec::new(), body: part, bodies: parts };
        }
        let mut sizes = vec![0_usize; parts];
        part.iter().for_each(|&p| sizes[p as usize] += 1);
        let rank = |p: u32| (sizes[p as usize], std::cmp::Reverse(p));
        let mut joined: Vec<u32> = (0..parts as u32).collect();
        let mut edges = Vec::new();
        let unlit = (0..surface.len()).filter(|&point| seen.shares[point].is_empty());
        for point in unlit {
            let own = part[point];
            let corners = |triangle: u32| surface.triangles[triangle as usize];
            let near = tree
                .nearest(surface.positions[point], TOUCH, |t| rank(part[corners(t)[0] as usize]) > rank(own));
            let Some(near) = near else { continue };
            let strength = near.distance.max(CLOSEST).powi(-2);
            for (to, share) in corners(near.triangle).into_iter().zip(near.shares) {
                if share > 0.0 {
                    edges.push((point as u32, to, strength * share));
                }
            }
            // Only larger parts are joined to, so no circle comes about.
            joined[own as usize] = part[corners(near.triangle)[0] as usize];
        }
        // From the largest down, the part that one is joined to already knows its body.
        let mut order: Vec<u32> = (0..parts as u32).collect();
        order.sort_by_key(|&p| std::cmp::Reverse(rank(p)));
        let mut tops = joined.clone();
        for p in order {
            tops[p as usize] = tops[joined[p as usize] as usize];
        }
        Self { edges, body: part.iter().map(|&p| tops[p as usize]).collect(), bodies: parts }
    }
}
