//! Which joint heats which point: the nearest that it sees through the body.

use super::{contact::Contact, sources::Sources};
use crate::{
    AuthorError, Progress,
    progress::tell,
    weights::{SkinBone, surface::WeldedSurface, tree::TriangleTree},
};
use sinew::glam::DVec3;

/// The sources of heat at every point.
pub(super) struct Visibility {
    /// The columns that heat each point, with shares that sum to one; empty where heat only flows in.
    pub(super) shares: Vec<Vec<(u32, f64)>>,
    /// One over the squared distance to them, 0 where there are none.
    pub(super) strength: Vec<f64>,
    /// Bodies none of whose points sees a bone: each point takes the nearest.
    pub(super) parts_without_source: usize,
}

/// No point is nearer to a bone than this, in diagonals of the box: strengths stay finite.
const NEAREST: f64 = 1e-4;
/// No point is further than this: strengths stay above zero.
const FURTHEST: f64 = 10.0;
/// Bones this much further than the nearest heat as well.
const TIE: f64 = 1.0001;
/// Bones this many times as far as the nearest are not looked at: heat from neighbours is better than from there.
const LOOK: f64 = 4.0;

impl Visibility {
    pub(super) fn new(
        surface: &WeldedSurface,
        tree: &TriangleTree,
        sources: &Sources,
        progress: Progress<'_>,
    ) -> Result<Self, AuthorError> {
        let points = surface.len();
        let mut out =
            Self { shares: vec![Vec::new(); points], strength: vec![0.0; points], parts_without_source: 0 };
        let mut ranked = Vec::new();
        for point in 0..points {
            if point % 1024 == 0 {
                tell(progress, point, points)?;
            }
            rank(surface, sources, point, &mut ranked);
            out.look(surface, tree, point, &ranked);
        }
        Ok(out)
    }

    /// Takes the nearest bones that nothing hides.
    fn look(&mut self, surface: &WeldedSurface, tree: &TriangleTree, point: usize, ranked: &[Ranked]) {
        let here = surface.positions[point];
        // Starting a little inside, a ray does not hit the triangles around its own point.
        let start = here - surface.normals[point] * 1e-4;
        let sees = |r: &&Ranked| r.is_behind && !tree.blocks(start, r.nearest, 1e-3);
        let Some(first) = ranked.iter().find(sees) else { return };
        let reach = first.distance * TIE;
        let near = ranked.iter().filter(|r| r.distance >= first.distance && r.distance <= reach);
        let columns: Vec<u32> = near.map(|r| r.column).collect();
        self.take(point, &columns, first.distance);
    }

    /// The points that each column heats, with its share in them.
    pub(super) fn by_column(&self, columns: usize) -> Vec<Vec<(u32, f64)>> {
        let mut out = vec![Vec::new(); columns];
        for (point, shares) in self.shares.iter().enumerate() {
            shares.iter().for_each(|&(column, share)| out[column as usize].push((point as u32, share)));
        }
        out
    }

    fn take(&mut self, point: usize, columns: &[u32], distance: f64) {
        let mut distinct = columns.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let share = 1.0 / distinct.len().max(1) as f64;
        self.shares[point] = distinct.into_iter().map(|c| (c, share)).collect();
        self.strength[point] = distance.clamp(NEAREST, FURTHEST).powi(-2);
    }

    /// Gives every body without a source the nearest bone of each of its points.
    pub(super) fn fill_bodies(&mut self, surface: &WeldedSurface, contact: &Contact, sources: &Sources) {
        let body = &contact.body;
        let (mut has_source, mut is_there) = (vec![false; contact.bodies], vec![false; contact.bodies]);
        for (point, shares) in self.shares.iter().enumerate() {
            is_there[body[point] as usize] = true;
            has_source[body[point] as usize] |= !shares.is_empty();
        }
        self.parts_without_source =
            is_there.iter().zip(&has_source).filter(|(is, has)| **is && !**has).count();
        let mut ranked = Vec::new();
        for point in 0..surface.len() {
            if !has_source[body[point] as usize] {
                rank(surface, sources, point, &mut ranked);
                if let Some(first) = ranked.first() {
                    self.take(point, &[first.column], first.distance);
                }
            }
        }
    }
}

/// A bone as a point sees it.
struct Ranked {
    column: u32,
    /// Longer than it is where the skin does not face away from the bone.
    distance: f64,
    nearest: DVec3,
    /// False where the bone lies outside, in front of the skin.
    is_behind: bool,
}

/// The bones that `point` may look at, by their distance from it; the nearest always is among them.
fn rank(surface: &WeldedSurface, sources: &Sources, point: usize, ranked: &mut Vec<Ranked>) {
    let (here, normal) = (surface.positions[point], surface.normals[point]);
    ranked.clear();
    ranked.extend(sources.bones.iter().map(|bone| {
        let nearest = SkinBone::nearest(bone.head, bone.tail, here);
        let way = here - nearest;
        let length = way.length();
        let cosine = if length > 0.0 { way.dot(normal) / length } else { 1.0 };
        let is_behind = normal == DVec3::ZERO || cosine > 0.0;
        let facing = if normal == DVec3::ZERO { 1.0 } else { 0.5 * (cosine + 1.0) };
        Ranked { column: bone.column, distance: length / facing.max(1e-3), nearest, is_behind }
    }));
    let least = ranked.iter().map(|r| r.distance).fold(f64::INFINITY, f64::min);
    ranked.retain(|r| r.distance <= least.max(NEAREST) * LOOK);
    ranked.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.column.cmp(&b.column)));
}
