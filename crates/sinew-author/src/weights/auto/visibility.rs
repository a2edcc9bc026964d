//! Visibility: the nearest bones that are visible from each point through the body.

use super::{contact::Contact, heat_sources::HeatSources};
use crate::{
    AuthorError, Progress,
    progress::tell,
    weights::{SkinBone, surface::WeldedSurface, tree::TriangleTree},
};
use sinew::glam::DVec3;

/// The heat sources of each point.
pub(super) struct Visibility {
    /// The columns that heat each point, with fractions that sum to one; empty if heat only flows in from neighbors.
    pub(super) fractions: Vec<Vec<(u32, f64)>>,
    /// One over the squared distance to the sources, 0 if there are none.
    pub(super) strength: Vec<f64>,
    /// The number of bodies from which no bone is visible. Each of their points takes the nearest bone.
    pub(super) parts_without_source: usize,
}

/// The minimum distance of a bone in unit-box lengths, so that strengths stay finite.
const NEAREST: f64 = 1e-4;
/// The maximum distance of a bone in unit-box lengths, so that strengths stay above zero.
const FURTHEST: f64 = 10.0;
/// Bones within this factor of the nearest distance heat as well.
const TIE: f64 = 1.0001;
/// Bones beyond this factor of the nearest distance are ignored, because heat from neighbors is better.
const LOOK: f64 = 4.0;

impl Visibility {
    pub(super) fn new(
        surface: &WeldedSurface,
        tree: &TriangleTree,
        sources: &HeatSources,
        progress: Progress<'_>,
    ) -> Result<Self, AuthorError> {
        let points = surface.len();
        let mut out = Self {
            fractions: vec![Vec::new(); points],
            strength: vec![0.0; points],
            parts_without_source: 0,
        };
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

    /// Assigns the nearest visible bones.
    fn look(&mut self, surface: &WeldedSurface, tree: &TriangleTree, point: usize, ranked: &[VisibleBone]) {
        let here = surface.positions[point];
        // A ray that starts slightly inside does not hit the triangles around its own point.
        let start = here - surface.normals[point] * 1e-4;
        let sees = |r: &&VisibleBone| r.is_behind && !tree.blocks(start, r.nearest, 1e-3);
        let Some(first) = ranked.iter().find(sees) else { return };
        let reach = first.distance * TIE;
        let near = ranked.iter().filter(|r| r.distance >= first.distance && r.distance <= reach);
        let columns: Vec<u32> = near.map(|r| r.column).collect();
        self.take(point, &columns, first.distance);
    }

    /// The points that each column heats, with its fraction in them.
    pub(super) fn by_column(&self, columns: usize) -> Vec<Vec<(u32, f64)>> {
        let mut out = vec![Vec::new(); columns];
        for (point, fractions) in self.fractions.iter().enumerate() {
            fractions
                .iter()
                .for_each(|&(column, fraction)| out[column as usize].push((point as u32, fraction)));
        }
        out
    }

    fn take(&mut self, point: usize, columns: &[u32], distance: f64) {
        let mut distinct = columns.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let fraction = 1.0 / distinct.len().max(1) as f64;
        self.fractions[point] = distinct.into_iter().map(|c| (c, fraction)).collect();
        self.strength[point] = distance.clamp(NEAREST, FURTHEST).powi(-2);
    }

    /// Assigns the nearest bone to each point of a body without a source.
    pub(super) fn fill_bodies(&mut self, surface: &WeldedSurface, contact: &Contact, sources: &HeatSources) {
        let body = &contact.body;
        let (mut has_source, mut is_there) = (vec![false; contact.bodies], vec![false; contact.bodies]);
        for (point, fractions) in self.fractions.iter().enumerate() {
            is_there[body[point] as usize] = true;
            has_source[body[point] as usize] |= !fractions.is_empty();
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

/// A bone as seen from a point.
struct VisibleBone {
    column: u32,
    /// The distance, increased if the skin does not face away from the bone.
    distance: f64,
    nearest: DVec3,
    /// False if the bone lies outside, in front of the skin.
    is_behind: bool,
}

/// The candidate bones of `point` by distance, of those that are near.
fn rank(surface: &WeldedSurface, sources: &HeatSources, point: usize, ranked: &mut Vec<VisibleBone>) {
    let (here, normal) = (surface.positions[point], surface.normals[point]);
    ranked.clear();
    ranked.extend(sources.near(here).map(|bone| {
        let nearest = SkinBone::nearest(bone.head, bone.tail, here);
        let way = here - nearest;
        let length = way.length();
        let cosine = if length > 0.0 { way.dot(normal) / length } else { 1.0 };
        let is_behind = normal == DVec3::ZERO || cosine > 0.0;
        let facing = if normal == DVec3::ZERO { 1.0 } else { 0.5 * (cosine + 1.0) };
        VisibleBone { column: bone.column, distance: length / facing.max(1e-3), nearest, is_behind }
    }));
    let nearest = ranked.iter().map(|r| r.distance).fold(f64::INFINITY, f64::min);
    ranked.retain(|r| r.distance <= nearest.max(NEAREST) * LOOK);
    ranked.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.column.cmp(&b.column)));
}
