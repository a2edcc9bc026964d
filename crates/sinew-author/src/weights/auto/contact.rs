//! Contacts through which heat flows from one part of a mesh to another: eyes in a head, a shirt on a chest.

use super::visibility::Visibility;
use crate::weights::{surface::WeldedSurface, tree::TriangleTree};

/// Parts that are closer than this touch, in unit-box lengths: some four centimeters on a person.
const TOUCH: f64 = 0.02;
/// The minimum distance, so that the conductance of a contact stays bounded.
const CLOSEST: f64 = 1e-2;

/// Edges between parts that touch, and the bodies that such parts form together.
pub(super) struct Contact {
    /// Pairs of points of different parts, with their conductance per unit of area.
    pub(super) edges: Vec<(u32, u32, f64)>,
    /// The body of each point.
    pub(super) body: Vec<u32>,
    /// The number of bodies.
    pub(super) bodies: usize,
}

impl Contact {
    /// Connects every point from which no bone is visible to the nearest point of a larger part within reach.
    ///
    /// Points from which a bone is visible follow it, whatever they touch, like the plates of a robot.
    pub(super) fn new(surface: &WeldedSurface, tree: &TriangleTree, visibility: &Visibility) -> Self {
        let (part, parts) = surface.components();
        if parts <= 1 {
            return Self { edges: Vec::new(), body: part, bodies: parts };
        }
        let mut sizes = vec![0_usize; parts];
        part.iter().for_each(|&p| sizes[p as usize] += 1);
        let rank = |p: u32| (sizes[p as usize], std::cmp::Reverse(p));
        let mut joined: Vec<u32> = (0..parts as u32).collect();
        let mut edges = Vec::new();
        let unlit = (0..surface.len()).filter(|&point| visibility.fractions[point].is_empty());
        for point in unlit {
            let own = part[point];
            let corners = |triangle: u32| surface.triangles[triangle as usize];
            let near = tree
                .nearest(surface.positions[point], TOUCH, |t| rank(part[corners(t)[0] as usize]) > rank(own));
            let Some(near) = near else { continue };
            let strength = near.distance.max(CLOSEST).powi(-2);
            for (to, fraction) in corners(near.triangle).into_iter().zip(near.barycentric) {
                if fraction > 0.0 {
                    edges.push((point as u32, to, strength * fraction));
                }
            }
            // Parts are joined only to larger ones, so there are no cycles.
            joined[own as usize] = part[corners(near.triangle)[0] as usize];
        }
        // From the largest part down, the part that each is joined to already has a body.
        let mut order: Vec<u32> = (0..parts as u32).collect();
        order.sort_by_key(|&p| std::cmp::Reverse(rank(p)));
        let mut tops = joined.clone();
        for p in order {
            tops[p as usize] = tops[joined[p as usize] as usize];
        }
        Self { edges, body: part.iter().map(|&p| tops[p as usize]).collect(), bodies: parts }
    }
}
