//! Normals and tangents that belong to the deformed surface.
//!
//! Methods rotate normals by the blend of the joints, which leaves out that the blend changes from vertex to vertex: near a
//! bent joint such normals are some 10 to 30 degrees off the surface that they shade. M. Tarini, D. Panozzo, O.
//! Sorkine-Hornung 2014, "Accurate and efficient lighting for skinned models", correct them by derivatives of the weights;
//! here the surface itself is asked, which is right for every method, for morph targets and for muscles.

use super::{SurfaceMut, methods::vertex::unit_or_zero};
use crate::asset::mesh::{RingFrame, VertexRings};
use glam::Vec3;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// Where the normals and tangents of a deformed mesh come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NormalSource {
    /// The method transforms them as it transforms the vertex.
    #[default]
    Joints,
    /// They are computed again from the deformed triangles around each vertex, with the angle that they have to these at rest.
    Surface,
}

impl NormalSource {
    /// All sources, in order of declaration.
    pub const ALL: [Self; 2] = [Self::Joints, Self::Surface];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Joints => "joints",
            Self::Surface => "surface",
        }
    }
}

impl fmt::Display for NormalSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a name that is not the name of a source of normals.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("unknown source of normals {0:?}; the sources are joints and surface")]
pub struct UnknownNormalSource(pub String);

impl FromStr for NormalSource {
    type Err = UnknownNormalSource;

    fn from_str(name: &str) -> Result<Self, UnknownNormalSource> {
        let found = Self::ALL.into_iter().find(|source| source.name() == name);
        found.ok_or_else(|| UnknownNormalSource(name.into()))
    }
}

/// Replaces the normals and tangents in `out` by those of the surface at its positions. Empty streams stay empty.
///
/// A normal keeps the angle to its triangles that it has at rest, so a mesh at rest is unchanged. Tangents follow the edges
/// of the surface and are perpendicular to the normal. Where the triangles around a vertex have no area, its normal and
/// tangent stay. If the pose `mirrors` some joints, normals keep to the side on which they are.
///
/// # Panics
/// If `out` has fewer vertices than the mesh of `rings`.
pub fn write_surface_normals(rings: &VertexRings, mirrors: bool, out: SurfaceMut<'_>) {
    let SurfaceMut { positions, normals, tangents } = out;
    for (vertex, normal) in normals.iter_mut().enumerate() {
        let Some(mut on_ring) = OnRing::of(rings, positions, vertex) else { continue };
        if mirrors && on_ring.normal().dot(*normal) < 0.0 {
            on_ring.side = -1.0;
        }
        let Some(found) = on_ring.normal().try_normalize() else { continue };
        *normal = found;
        if let Some(tangent) = tangents.get_mut(vertex) {
            let along = on_ring.tangent(positions);
            let flat = along - found * along.dot(found);
            if let Some(direction) = flat.try_normalize() {
                *tangent = direction.extend(tangent.w);
            }
        }
    }
}

/// A vertex with the deformed triangles around it.
struct OnRing<'a> {
    frame: &'a RingFrame,
    center: Vec3,
    first_edge: Vec3,
    /// The unit normal of the triangles by the order of their corners.
    up: Vec3,
    /// −1 where joints mirror the triangles, so that the order of their corners has changed sides.
    side: f32,
}

impl<'a> OnRing<'a> {
    /// `None` if the triangles have no area.
    fn of(rings: &'a VertexRings, positions: &[Vec3], vertex: usize) -> Option<Self> {
        let up = unit_or_zero(rings.surface_normal(positions, vertex));
        if up == Vec3::ZERO {
            return None;
        }
        let (first, center) = (rings.first_entry(vertex)?, positions[vertex]);
        let frame = &rings.frames()[vertex];
        Some(Self { frame, center, first_edge: positions[first] - center, up, side: 1.0 })
    }

    fn flat(&self, edge: Vec3) -> Vec3 {
        edge - self.up * edge.dot(self.up)
    }

    fn normal(&self) -> Vec3 {
        let [up, along, across] = self.frame.normal;
        let edge = unit_or_zero(self.flat(self.first_edge));
        self.up * (up * self.side) + edge * along + self.up.cross(edge) * across
    }

    fn tangent(&self, positions: &[Vec3]) -> Vec3 {
        let second_edge = positions[self.frame.second as usize] - self.center;
        let [first, second, up] = self.frame.tangent;
        self.flat(self.first_edge) * first + self.flat(second_edge) * second + self.up * (up * self.side)
    }
}
