//! Writes meshes, every primitive with its own streams.

use super::{Writer, extras, layout::draws, named};
use crate::{
    WriteError,
    gltf::json::{
        self,
        extras::{BLEND, CENTER, SINEW, TARGET_NAMES},
    },
};
use serde_json::Value;
use sinew::glam::{Vec2, Vec3, Vec4};
use sinew::{ExtrasOwner, Mesh, Primitive, Topology, WeightSum, Weights};
use std::{collections::BTreeMap, ops::Range};

/// The maximum deviation of a direction's length from one, slightly below what the validator allows for normals.
const UNIT_TOLERANCE: f32 = 5e-3;

impl Writer<'_> {
    pub(in crate::gltf) fn meshes(&mut self) -> Result<Vec<json::Mesh>, WriteError> {
        let mut out = Vec::with_capacity(self.character.meshes().len());
        for (index, mesh) in self.character.meshes().iter().enumerate() {
            if self.layout.mesh(index).is_some() {
                out.push(self.mesh(index, mesh)?);
            }
        }
        Ok(out)
    }

    pub(in crate::gltf) fn mesh(&mut self, index: usize, mesh: &Mesh) -> Result<json::Mesh, WriteError> {
        let mut primitives = Vec::with_capacity(mesh.primitives().len());
        for (number, primitive) in mesh.primitives().iter().enumerate().filter(|(_, p)| draws(p)) {
            let mut out = self.primitive(mesh, primitive);
            out.extras = self.extras.take(ExtrasOwner::Primitive(index, number));
            primitives.push(out);
        }
        let extras = self.all_mesh_extras(index, mesh)?;
        let rest = mesh.morphs().rest_weights();
        let weights = if rest.iter().any(|&w| w != 0.0) { rest.to_vec() } else { Vec::new() };
        Ok(json::Mesh { name: named(mesh.name()), primitives, weights, extras })
    }

    /// The application data of a mesh, the names of its morph targets and Sinew's own data.
    pub(in crate::gltf) fn all_mesh_extras(
        &mut self,
        index: usize,
        mesh: &Mesh,
    ) -> Result<Option<Value>, WriteError> {
        let names: Vec<&str> = mesh.morphs().targets().iter().map(|t| t.name.as_str()).collect();
        let owner = ExtrasOwner::Mesh(index);
        let extras = match names.iter().any(|n| !n.is_empty()) {
            true => self.extras.take_with(owner, TARGET_NAMES, Value::from(names))?,
            false => self.extras.take(owner),
        };
        match self.mesh_extras(mesh)? {
            Some(own) => extras::put(extras, owner, SINEW, own),
            None => Ok(extras),
        }
    }

    pub(in crate::gltf) fn primitive(&mut self, mesh: &Mesh, primitive: &Primitive) -> json::Primitive {
        let range = primitive.vertices.start as usize..primitive.vertices.end as usize;
        let mut attributes = BTreeMap::new();
        for stream in Stream::ALL {
            self.stream(mesh, range.clone(), stream, &mut attributes);
        }
        let has = |name: &str| attributes.contains_key(name);
        let targets = self.targets(mesh.morphs(), &primitive.vertices, has("NORMAL"), has("TANGENT"));
        json::Primitive {
            attributes,
            indices: self.primitive_indices(mesh, primitive),
            material: primitive.material.map(usize::from),
            mode: mode(primitive.topology),
            targets,
            ..json::Primitive::default()
        }
    }

    /// Adds the attributes of one stream of the vertices in `range`.
    pub(in crate::gltf) fn stream(
        &mut self,
        mesh: &Mesh,
        range: Range<usize>,
        stream: Stream,
        out: &mut BTreeMap<String, usize>,
    ) {
        match stream {
            Stream::Positions => {
                self.put(out, "POSITION", &rows(&mesh.positions()[range]), true);
            }
            Stream::Normals => {
                let normals = mesh.normals().get(range).filter(|n| has_direction(n.iter().copied()));
                if let Some(normals) = normals {
                    self.put(out, "NORMAL", &unit_normals(normals), false);
                }
            }
            Stream::Tangents => {
                let tangents = mesh.tangents().get(range);
                let tangents = tangents.filter(|t| has_direction(t.iter().map(|t| t.truncate())));
                if let Some(tangents) = tangents {
                    self.put(out, "TANGENT", &unit_tangents(tangents), false);
                }
            }
            Stream::Uvs => self.uv_sets(mesh, &range, out),
            Stream::Colors => {
                if let Some(colors) = mesh.colors().get(range) {
                    let clamped: Vec<Vec4> = colors.iter().map(|c| c.clamp(Vec4::ZERO, Vec4::ONE)).collect();
                    self.put(out, "COLOR_0", &rows(&clamped), false);
                }
            }
            Stream::Influences => {
                if let Some(weights) = mesh.weights() {
                    self.influences(weights, range, out);
                }
            }
            Stream::Precomputed => self.precomputed_attributes(mesh, range, out),
        }
    }

    /// Adds an attribute of floats.
    pub(in crate::gltf) fn put<const N: usize>(
        &mut self,
        out: &mut BTreeMap<String, usize>,
        name: &str,
        rows: &[[f32; N]],
        bounded: bool,
    ) {
        self.data.replace(self.replaceable.get(name).copied());
        out.insert(name.to_owned(), self.data.attribute(rows, bounded));
    }

    /// Sets of texture coordinates are numbered without gaps: an empty set before the last is written as zeros.
    fn uv_sets(&mut self, mesh: &Mesh, range: &Range<usize>, out: &mut BTreeMap<String, usize>) {
        let set_count = mesh.uv_sets().iter().rposition(|s| !s.is_empty()).map_or(0, |last| last + 1);
        for (set, uvs) in mesh.uv_sets().iter().take(set_count).enumerate() {
            let uvs = uvs.get(range.clone()).map_or_else(|| vec![Vec2::ZERO; range.len()], <[_]>::to_vec);
            self.put(out, &format!("TEXCOORD_{set}"), &rows(&uvs), false);
        }
    }

    /// `None` if the indices only count up: such a primitive draws its vertices in order.
    pub(in crate::gltf) fn primitive_indices(&mut self, mesh: &Mesh, primitive: &Primitive) -> Option<usize> {
        let indices = mesh.primitive_indices(primitive);
        if indices.iter().copied().eq(primitive.vertices.clone()) {
            return None;
        }
        let Range { start, end } = primitive.vertices;
        Some(self.data.indices(indices, start, (end - start) as usize))
    }

    /// As many sets of four as the vertex with the most influences needs. Quantized weights are written as integers.
    pub(in crate::gltf) fn influences(
        &mut self,
        weights: &Weights,
        range: Range<usize>,
        out: &mut BTreeMap<String, usize>,
    ) {
        let max_influences = range.clone().map(|v| weights.of(v).0.len()).max().unwrap_or(0);
        let narrow = weights.slot_count() <= 256;
        let steps = steps_of_one(weights, range.clone());
        for set in 0..max_influences.div_ceil(4) {
            let mut slots = vec![[0_u16; 4]; range.len()];
            let mut values = vec![[0.0_f32; 4]; range.len()];
            for (row, vertex) in range.clone().enumerate() {
                for (k, influence) in weights.influences(vertex).skip(set * 4).take(4).enumerate() {
                    slots[row][k] = influence.slot;
                    values[row][k] = influence.weight;
                }
            }
            let (joints_name, weights_name) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
            self.data.replace(self.replaceable.get(&joints_name).copied());
            out.insert(joints_name, self.data.slots(&slots, narrow));
            self.data.replace(self.replaceable.get(&weights_name).copied());
            let values = match steps {
                Some(steps) => {
                    let whole = values.iter().map(|row| row.map(|weight| whole_steps(weight, steps).0));
                    self.data.normalized(&whole.collect::<Vec<_>>(), steps == BYTE_STEPS)
                }
                None => self.data.attribute(&values, false),
            };
            out.insert(weights_name, values);
        }
    }
}

/// The vertex data that is edited together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gltf) enum Stream {
    Positions,
    Normals,
    Tangents,
    Uvs,
    Colors,
    /// Joints and weights, in as many sets as needed.
    Influences,
    /// Centers of rotation and blend factors.
    Precomputed,
}

impl Stream {
    pub(in crate::gltf) const ALL: [Self; 7] = [
        Self::Positions,
        Self::Normals,
        Self::Tangents,
        Self::Uvs,
        Self::Colors,
        Self::Influences,
        Self::Precomputed,
    ];

    /// True for the names of this stream's attributes.
    pub(in crate::gltf) fn has(self, attribute: &str) -> bool {
        match self {
            Self::Positions => attribute == "POSITION",
            Self::Normals => attribute == "NORMAL",
            Self::Tangents => attribute == "TANGENT",
            Self::Uvs => attribute.starts_with("TEXCOORD_"),
            Self::Colors => attribute == "COLOR_0",
            Self::Influences => attribute.starts_with("JOINTS_") || attribute.starts_with("WEIGHTS_"),
            Self::Precomputed => [CENTER, BLEND].contains(&attribute),
        }
    }
}

/// The integers that stand for one, in 8 and in 16 bits.
const BYTE_STEPS: u16 = u8::MAX as u16;
const SHORT_STEPS: u16 = u16::MAX;

/// The nearest number of quantization steps, and the difference to it as a weight.
fn whole_steps(weight: f32, steps: u16) -> (u16, f64) {
    let exact = f64::from(weight) * f64::from(steps);
    let whole = exact.round();
    // Between 0 and `steps`, as weights are between 0 and 1.
    (whole as u16, (exact - whole).abs() / f64::from(steps))
}

/// The number of quantization steps in one, if every weight is a multiple of a step and every vertex sums to one exactly.
/// `None` for all other weights, and if no vertex has several influences, which is inconclusive.
fn steps_of_one(weights: &Weights, range: Range<usize>) -> Option<u16> {
    if weights.sum_kind() == WeightSum::Muscle || range.clone().all(|v| weights.of(v).0.len() < 2) {
        return None;
    }
    // Weights are on a grid of 2^-24; the largest takes the rounding error.
    const SLACK: f64 = 4.0 / Weights::GRID_STEPS as f64;
    let fits = |vertex: usize, steps: u16| {
        let values = weights.of(vertex).1.iter().map(|weight| whole_steps(*weight, steps));
        let (mut sum, mut is_near) = (0_u32, true);
        for (whole, off) in values {
            (sum, is_near) = (sum + u32::from(whole), is_near && off <= SLACK);
        }
        is_near && sum == u32::from(steps)
    };
    [BYTE_STEPS, SHORT_STEPS].into_iter().find(|steps| range.clone().all(|vertex| fits(vertex, *steps)))
}

/// glTF's number for a topology; triangles need none.
fn mode(topology: Topology) -> Option<u32> {
    match topology {
        Topology::Points => Some(0),
        Topology::Lines => Some(1),
        Topology::Triangles => None,
    }
}

pub(in crate::gltf) fn rows<V: Copy + Into<[f32; N]>, const N: usize>(vectors: &[V]) -> Vec<[f32; N]> {
    vectors.iter().map(|&v| v.into()).collect()
}

/// True for a stream of zeros, which fills a gap in a mesh whose other primitives have the stream. Readers fill it again.
fn has_direction(mut vectors: impl Iterator<Item = Vec3>) -> bool {
    vectors.any(|v| v != Vec3::ZERO)
}

fn unit_normals(normals: &[Vec3]) -> Vec<[f32; 3]> {
    normals.iter().map(|&n| unit(n, Vec3::Y).to_array()).collect()
}

fn unit_tangents(tangents: &[Vec4]) -> Vec<[f32; 4]> {
    let written = |t: &Vec4| unit(t.truncate(), Vec3::X).extend(if t.w < 0.0 { -1.0 } else { 1.0 });
    tangents.iter().map(|t| written(t).to_array()).collect()
}

/// `v` if its length is one within the tolerance, otherwise its direction, or `fallback` for a zero vector.
fn unit(v: Vec3, fallback: Vec3) -> Vec3 {
    if (v.length() - 1.0).abs() <= UNIT_TOLERANCE {
        v
    } else {
        v.as_dvec3().normalize_or(fallback.as_dvec3()).as_vec3()
    }
}
