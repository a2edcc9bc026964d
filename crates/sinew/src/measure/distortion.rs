//! Change of edges, area and normals relative to the rest shape.

use crate::asset::mesh::WeldedPoints;
use glam::{DVec3, Vec3};
use std::collections::HashSet;

/// The edge lengths and areas of a surface at rest.
#[derive(Clone, Debug)]
pub struct RestShape {
    triangles: Vec<[u32; 3]>,
    areas: Vec<f64>,
    edges: Vec<[u32; 2]>,
    lengths: Vec<f64>,
}

/// The difference between a deformed surface and its rest shape, over the whole surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distortion {
    /// The smallest ratio of an edge's length to its rest length: 1 is unchanged.
    pub min_stretch: f64,
    /// The largest ratio of an edge's length to its rest length.
    pub max_stretch: f64,
    /// The root mean square of the relative change of edge lengths, weighted by rest length.
    pub rms_stretch: f64,
    /// The ratio of the surface area to its rest area.
    pub area: f64,
    /// The greatest angle between a vertex normal and the normal of the deformed triangles around it, in radians; 0 if
    /// there are no normals.
    pub normal_radians: f64,
}

fn length(positions: &[Vec3], [a, b]: [u32; 2]) -> f64 {
    positions[a as usize].as_dvec3().distance(positions[b as usize].as_dvec3())
}

/// A vector along the normal whose length is twice the triangle's area.
fn twice_area(positions: &[Vec3], triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|v| positions[v as usize].as_dvec3());
    (b - a).cross(c - a)
}

impl RestShape {
    /// Measures a surface at rest. Every edge counts once, even if several triangles share it.
    ///
    /// # Panics
    /// If a triangle index is out of range.
    pub fn new(
        positions: &[Vec3],
        points: &WeldedPoints,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Self {
        let triangles: Vec<[u32; 3]> = triangles.into_iter().collect();
        let mut seen = HashSet::new();
        let mut edges = Vec::new();
        for &[a, b, c] in &triangles {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let ends = [from, to].map(|v| points.of_vertex()[v as usize]);
                if ends[0] != ends[1] && seen.insert([ends[0].min(ends[1]), ends[0].max(ends[1])]) {
                    edges.push([from, to]);
                }
            }
        }
        Self {
            areas: triangles.iter().map(|&t| twice_area(positions, t).length() / 2.0).collect(),
            lengths: edges.iter().map(|&e| length(positions, e)).collect(),
            triangles,
            edges,
        }
    }

    /// Measures the deformed surface; `normals` may be empty.
    ///
    /// # Panics
    /// If there are fewer positions than at rest.
    pub fn distortion(&self, positions: &[Vec3], normals: &[Vec3]) -> Distortion {
        let mut out = Distortion {
            min_stretch: 1.0,
            max_stretch: 1.0,
            rms_stretch: 0.0,
            area: 1.0,
            normal_radians: self.normal_deviation(positions, normals),
        };
        let (mut squares, mut total) = (0.0, 0.0);
        for (&edge, &rest) in self.edges.iter().zip(&self.lengths).filter(|(_, rest)| **rest > 0.0) {
            let stretch = length(positions, edge) / rest;
            out.min_stretch = out.min_stretch.min(stretch);
            out.max_stretch = out.max_stretch.max(stretch);
            squares += (stretch - 1.0).powi(2) * rest;
            total += rest;
        }
        if total > 0.0 {
            out.rms_stretch = (squares / total).sqrt();
        }
        let rest_area: f64 = self.areas.iter().sum();
        let area: f64 = self.triangles.iter().map(|&t| twice_area(positions, t).length() / 2.0).sum();
        if rest_area > 0.0 {
            out.area = area / rest_area;
        }
        out
    }

    /// For each vertex, the length ratio of its edge that differs most from 1. Copies of one point may differ.
    ///
    /// # Panics
    /// If there are fewer positions than at rest.
    pub fn vertex_stretch(&self, positions: &[Vec3]) -> Vec<f32> {
        let mut out = vec![1.0_f32; positions.len()];
        for (&edge, &rest) in self.edges.iter().zip(&self.lengths).filter(|(_, rest)| **rest > 0.0) {
            let stretch = (length(positions, edge) / rest) as f32;
            for vertex in edge {
                let kept = &mut out[vertex as usize];
                if (stretch - 1.0).abs() > (*kept - 1.0).abs() {
                    *kept = stretch;
                }
            }
        }
        out
    }

    /// The largest angle between vertex normals and the triangles around them, ignoring triangles that have lost nearly all
    /// of their area and therefore have no reliable normal.
    fn normal_deviation(&self, positions: &[Vec3], normals: &[Vec3]) -> f64 {
        if normals.is_empty() {
            return 0.0;
        }
        let mut around = vec![DVec3::ZERO; positions.len()];
        for (&triangle, &rest) in self.triangles.iter().zip(&self.areas) {
            let face = twice_area(positions, triangle);
            if face.length() / 2.0 > rest * 0.05 {
                triangle.iter().for_each(|&v| around[v as usize] += face);
            }
        }
        let angles = around.iter().zip(normals).filter_map(|(face, normal)| {
            let (face, normal) = (face.try_normalize()?, normal.as_dvec3().try_normalize()?);
            Some(face.dot(normal).clamp(-1.0, 1.0).acos())
        });
        angles.fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    const HALVES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

    fn shape() -> RestShape {
        RestShape::new(&SQUARE, &WeldedPoints::by_position(&SQUARE), HALVES)
    }

    #[test]
    fn an_unchanged_surface_is_not_distorted() {
        let d = shape().distortion(&SQUARE, &[Vec3::Z; 4]);
        assert_eq!((d.min_stretch, d.max_stretch, d.rms_stretch, d.area), (1.0, 1.0, 0.0, 1.0));
        assert!(d.normal_radians < 1e-6);
        assert_eq!(shape().vertex_stretch(&SQUARE), [1.0; 4]);
    }

    #[test]
    fn stretching_one_way_shows_in_edges_and_area() {
        let wide = SQUARE.map(|p| p * Vec3::new(2.0, 1.0, 1.0));
        let d = shape().distortion(&wide, &[]);
        assert!((d.max_stretch - 2.0).abs() < 1e-9 && (d.min_stretch - 1.0).abs() < 1e-9);
        assert!((d.area - 2.0).abs() < 1e-9);
        assert_eq!(shape().vertex_stretch(&wide), [2.0; 4]);
    }

    #[test]
    fn a_normal_that_leans_is_found() {
        let leaning = Vec3::new(0.0, 0.5_f32.sin(), 0.5_f32.cos());
        let d = shape().distortion(&SQUARE, &[Vec3::Z, leaning, Vec3::Z, Vec3::Z]);
        assert!((d.normal_radians - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_flattened_triangle_and_a_zero_normal_have_no_direction() {
        let d = shape().distortion(&[Vec3::ZERO; 4], &[Vec3::ZERO; 4]);
        assert_eq!((d.area, d.normal_radians, d.min_stretch), (0.0, 0.0, 0.0));
    }
}
