//! What is decomposed: the points of a mesh at rest and in every frame.

use super::{DecomposeError, MeshSequence};
use sinew::glam::{DAffine3, DVec3, Vec3};
use std::collections::HashMap;

/// The distinct points of a sequence, in units of about its size and relative to its center, so that sums lose no digits.
pub(super) struct Trajectories {
    pub(super) rest: Vec<DVec3>,
    /// For each point x, y, z in each frame.
    pub(super) moved: Vec<f64>,
    /// The sum of the squares of each point's coordinates in all frames.
    pub(super) squares: Vec<f64>,
    pub(super) frames: usize,
    /// The point of each vertex.
    pub(super) of_vertex: Vec<u32>,
    neighbor_starts: Vec<u32>,
    neighbors: Vec<u32>,
    center: DVec3,
    unit_meters: f64,
}

impl Trajectories {
    /// Vertices that are in one place at rest and in every frame are one point.
    pub(super) fn new(sequence: &MeshSequence) -> Result<Self, DecomposeError> {
        let (center, unit_meters) = frame_of(&sequence.rest);
        let (of_vertex, first_vertex) = weld(sequence);
        let place = |p: Vec3| (p.as_dvec3() - center) / unit_meters;
        let rest: Vec<DVec3> = first_vertex.iter().map(|&v| place(sequence.rest[v])).collect();
        let mut moved = Vec::new();
        moved.try_reserve_exact(rest.len() * sequence.frames.len() * 3)?;
        for &vertex in &first_vertex {
            moved.extend(sequence.frames.iter().flat_map(|frame| place(frame[vertex]).to_array()));
        }
        let squares =
            moved.chunks(sequence.frames.len() * 3).map(|m| m.iter().map(|x| x * x).sum()).collect();
        let (neighbor_starts, neighbors) = neighbors(&sequence.triangles, &of_vertex, rest.len());
        let frames = sequence.frames.len();
        Ok(Self { rest, moved, squares, frames, of_vertex, neighbor_starts, neighbors, center, unit_meters })
    }

    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    /// The points that share an edge with `point`.
    pub(super) fn neighbors(&self, point: usize) -> &[u32] {
        let [from, to] = [point, point + 1].map(|p| self.neighbor_starts[p] as usize);
        &self.neighbors[from..to]
    }

    /// The place of `point` at rest, with a one for translations.
    pub(super) fn rest4(&self, point: usize) -> [f64; 4] {
        let DVec3 { x, y, z } = self.rest[point];
        [x, y, z, 1.0]
    }

    /// The coordinates of `point` in all frames.
    pub(super) fn moved_of(&self, point: usize) -> &[f64] {
        &self.moved[point * self.frames * 3..][..self.frames * 3]
    }

    pub(super) fn place(&self, point: usize, frame: usize) -> DVec3 {
        DVec3::from_slice(&self.moved_of(point)[frame * 3..])
    }

    /// A motion of the working units in meters.
    pub(super) fn in_meters(&self, motion: &DAffine3) -> DAffine3 {
        let rotated = motion.matrix3 * self.center;
        DAffine3 {
            matrix3: motion.matrix3,
            translation: self.center - rotated + motion.translation * self.unit_meters,
        }
    }
}

/// The middle of the box around `points`, and half its diagonal.
fn frame_of(points: &[Vec3]) -> (DVec3, f64) {
    let low = points.iter().fold(Vec3::INFINITY, |a, &b| a.min(b)).as_dvec3();
    let high = points.iter().fold(Vec3::NEG_INFINITY, |a, &b| a.max(b)).as_dvec3();
    let half = (high - low).length() / 2.0;
    ((low + high) / 2.0, if half > 0.0 { half } else { 1.0 })
}

/// The point of each vertex, and the first vertex of each point.
fn weld(sequence: &MeshSequence) -> (Vec<u32>, Vec<usize>) {
    let mut points: HashMap<[u32; 3], Vec<u32>> = HashMap::new();
    let mut first_vertex: Vec<usize> = Vec::new();
    let is_same = |a: usize, b: usize| sequence.frames.iter().all(|frame| frame[a] == frame[b]);
    let of_vertex = (0..sequence.rest.len())
        .map(|vertex| {
            let key = (sequence.rest[vertex] + Vec3::ZERO).to_array().map(f32::to_bits);
            let here = points.entry(key).or_default();
            let known = here.iter().copied().find(|&p| is_same(first_vertex[p as usize], vertex));
            known.unwrap_or_else(|| {
                let point = first_vertex.len() as u32;
                here.push(point);
                first_vertex.push(vertex);
                point
            })
        })
        .collect();
    (of_vertex, first_vertex)
}

/// The sorted neighbors of each point, as ranges into one list.
fn neighbors(triangles: &[[u32; 3]], of_vertex: &[u32], points: usize) -> (Vec<u32>, Vec<u32>) {
    let edges = triangles.iter().flat_map(|triangle| {
        let [a, b, c] = triangle.map(|v| of_vertex[v as usize]);
        [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)]
    });
    let mut edges: Vec<(u32, u32)> = edges.filter(|(a, b)| a != b).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut starts = vec![0_u32; points + 1];
    edges.iter().for_each(|&(from, _)| starts[from as usize + 1] += 1);
    for point in 0..points {
        starts[point + 1] += starts[point];
    }
    (starts, edges.into_iter().map(|(_, to)| to).collect())
}
