//! Joins the vertex streams of a mesh from its primitives.

use super::{GltfReader, primitives::RawPrimitive};
use crate::{
    ReadError,
    gltf::{
        accessor::Elements,
        json::extras::{BLEND, CENTER},
    },
    report::FindingCode,
};
use sinew::Topology;
use sinew::glam::{Vec2, Vec3, Vec4};

/// The streams of a mesh; empty if no primitive has them.
#[derive(Debug, Default)]
pub(super) struct VertexStreams {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec4>,
    pub(super) uv_sets: Vec<Vec<Vec2>>,
    pub(super) colors: Vec<Vec4>,
}

impl GltfReader<'_> {
    pub(super) fn vertex_streams(&mut self, primitives: &[RawPrimitive]) -> Result<VertexStreams, ReadError> {
        let mut out = VertexStreams {
            positions: self.stream(primitives, "POSITION", vec3, |p| vec![Vec3::ZERO; p.vertex_count])?,
            ..VertexStreams::default()
        };
        let positions = &out.positions;
        let normals = |p: &RawPrimitive| smooth_normals(p, positions);
        out.normals = self.stream(primitives, "NORMAL", vec3, normals)?;
        out.tangents = self
            .stream(primitives, "TANGENT", vec4, |p| vec![Vec4::new(0.0, 0.0, 0.0, 1.0); p.vertex_count])?;
        out.colors = self.stream(primitives, "COLOR_0", color, |p| vec![Vec4::ONE; p.vertex_count])?;
        loop {
            let name = format!("TEXCOORD_{}", out.uv_sets.len());
            let set = self.stream(primitives, &name, vec2, |p| vec![Vec2::ZERO; p.vertex_count])?;
            if set.is_empty() {
                break;
            }
            out.uv_sets.push(set);
        }
        self.report_unread(primitives, out.uv_sets.len());
        Ok(out)
    }

    /// One attribute of all primitives in order. It is empty if none has it, and filled with defaults if only some have it.
    pub(super) fn stream<T>(
        &mut self,
        primitives: &[RawPrimitive],
        name: &str,
        convert: impl Fn(&Elements, &str) -> Result<Vec<T>, ReadError>,
        fill: impl Fn(&RawPrimitive) -> Vec<T>,
    ) -> Result<Vec<T>, ReadError> {
        let mut out = Vec::new();
        if !primitives.iter().any(|p| p.attributes.contains_key(name)) {
            return Ok(out);
        }
        for primitive in primitives {
            if let Some(elements) = primitive.attributes.get(name) {
                let place = format!("{}.attributes.{name}", primitive.place);
                let converted = convert(elements, &place)?;
                // Most meshes have one primitive, whose stream is taken as it is.
                match out.is_empty() {
                    true => out = converted,
                    false => out.extend(converted),
                }
            } else {
                let detail = format!("{name} is missing here but not in other primitives");
                self.buffers.budget.charge_step(&primitive.place)?;
                self.buffers.budget.charge(&primitive.place, primitive.vertex_count, size_of::<T>())?;
                self.report.add(FindingCode::AttributeFilled, &primitive.place, detail);
                out.extend(fill(primitive));
            }
        }
        Ok(out)
    }

    fn report_unread(&mut self, primitives: &[RawPrimitive], uv_sets: usize) {
        let is_read = |name: &str| {
            let uv = name.strip_prefix("TEXCOORD_").and_then(|n| n.parse().ok());
            ["POSITION", "NORMAL", "TANGENT", "COLOR_0", CENTER, BLEND].contains(&name)
                || name.starts_with("JOINTS_")
                || name.starts_with("WEIGHTS_")
                || uv.is_some_and(|n: usize| n < uv_sets)
        };
        for primitive in primitives {
            for name in primitive.attributes.keys().filter(|n| !is_read(n)) {
                self.report.add(
                    FindingCode::AttributeIgnored,
                    &primitive.place,
                    format!("{name} was ignored"),
                );
            }
        }
    }
}

fn vec2(elements: &Elements, place: &str) -> Result<Vec<Vec2>, ReadError> {
    Ok(elements.vectors::<2>(place)?.into_iter().map(Vec2::from).collect())
}

pub(super) fn vec3(elements: &Elements, place: &str) -> Result<Vec<Vec3>, ReadError> {
    Ok(elements.vectors::<3>(place)?.into_iter().map(Vec3::from).collect())
}

fn vec4(elements: &Elements, place: &str) -> Result<Vec<Vec4>, ReadError> {
    Ok(elements.vectors::<4>(place)?.into_iter().map(Vec4::from).collect())
}

fn color(elements: &Elements, place: &str) -> Result<Vec<Vec4>, ReadError> {
    match elements.width {
        3 => Ok(vec3(elements, place)?.into_iter().map(|c| c.extend(1.0)).collect()),
        _ => vec4(elements, place),
    }
}

/// The area-weighted vertex normals of one primitive.
fn smooth_normals(primitive: &RawPrimitive, positions: &[Vec3]) -> Vec<Vec3> {
    let first = primitive.first_vertex;
    let positions = &positions[first..first + primitive.vertex_count];
    let mut sums = vec![Vec3::ZERO; positions.len()];
    if primitive.topology == Topology::Triangles {
        for triangle in primitive.indices.as_chunks::<3>().0 {
            let corners = triangle.map(|i| positions.get(i as usize));
            let [Some(a), Some(b), Some(c)] = corners else { continue };
            let face = (*b - *a).cross(*c - *a);
            triangle.iter().for_each(|&i| sums[i as usize] += face);
        }
    }
    sums.into_iter().map(Vec3::normalize_or_zero).collect()
}
