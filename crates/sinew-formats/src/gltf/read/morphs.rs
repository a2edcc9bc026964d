//! Joins the morph targets of a mesh from its primitives.

use super::{GltfReader, attributes::vec3, primitives::RawPrimitive};
use crate::{
    ReadError,
    gltf::json::{self, extras::TARGET_NAMES},
    names,
    report::FindingCode,
};
use sinew::glam::Vec3;
use sinew::{MorphTarget, MorphTargets};
use std::collections::BTreeSet;

impl GltfReader<'_> {
    /// The targets of a mesh; `sources` are the JSON primitives that `primitives` were read from.
    pub(super) fn morphs(
        &mut self,
        place: &str,
        mesh: &json::Mesh,
        primitives: &[RawPrimitive],
        sources: &[&json::Primitive],
    ) -> Result<MorphTargets, ReadError> {
        let count = sources.iter().map(|p| p.targets.len()).max().unwrap_or(0);
        for (primitive, source) in primitives.iter().zip(sources) {
            if source.targets.len() != count {
                let detail = format!("{} of {count} morph targets are present", source.targets.len());
                self.report.add(FindingCode::MorphsFilled, &primitive.place, detail);
            }
        }
        self.note_morph_attributes(primitives, sources);
        let names = self.target_names(place, mesh, count);
        let mut targets = Vec::with_capacity(count);
        for (index, name) in names.into_iter().enumerate() {
            targets.push(self.target(index, name, primitives, sources)?);
        }
        let mut weights = mesh.weights.clone();
        if !weights.is_empty() && weights.len() != count {
            let detail = format!("{} weights for {count} targets", weights.len());
            self.report.add(FindingCode::MorphListLength, format!("{place}.weights"), detail);
            weights.resize(count, 0.0);
        }
        let vertices = primitives.iter().map(|p| p.vertex_count).sum();
        MorphTargets::new(vertices, targets, weights).map_err(|e| ReadError::invalid(place, e))
    }

    /// Reports what morph targets change beside positions, normals and tangents.
    fn note_morph_attributes(&mut self, primitives: &[RawPrimitive], sources: &[&json::Primitive]) {
        for (primitive, source) in primitives.iter().zip(sources) {
            let names = source.targets.iter().flat_map(|target| target.keys());
            let read = ["POSITION", "NORMAL", "TANGENT"];
            let ignored: BTreeSet<&str> =
                names.map(String::as_str).filter(|name| !read.contains(name)).collect();
            for name in ignored {
                let place = format!("{}.targets", primitive.place);
                self.report.add(FindingCode::AttributeIgnored, place, format!("{name} of morph targets"));
            }
        }
    }

    fn target_names(&mut self, place: &str, mesh: &json::Mesh, count: usize) -> Vec<String> {
        let listed = mesh.extras.as_ref().and_then(|e| e.get(TARGET_NAMES)).and_then(|n| n.as_array());
        let listed = listed.map_or(&[][..], Vec::as_slice);
        if !listed.is_empty() && listed.len() != count {
            let detail = format!("{} names for {count} targets", listed.len());
            self.report.add(FindingCode::MorphListLength, format!("{place}.extras.{TARGET_NAMES}"), detail);
        }
        let name = |k: usize| {
            let mut name = listed.get(k).and_then(|n| n.as_str()).unwrap_or_default().to_owned();
            names::shorten(&mut name);
            name
        };
        (0..count).map(name).collect()
    }

    fn target(
        &mut self,
        index: usize,
        name: String,
        primitives: &[RawPrimitive],
        sources: &[&json::Primitive],
    ) -> Result<MorphTarget, ReadError> {
        let mut out = MorphTarget { name, ..MorphTarget::default() };
        let any = |attribute: &str| {
            sources.iter().any(|s| s.targets.get(index).is_some_and(|t| t.contains_key(attribute)))
        };
        let (has_normals, has_tangents) = (any("NORMAL"), any("TANGENT"));
        for (primitive, source) in primitives.iter().zip(sources) {
            let place = format!("{}.targets[{index}]", primitive.place);
            let first = primitive.first_vertex as u32;
            self.buffers.budget.charge_step(&place)?;
            let part = MorphTarget::from_dense(
                "",
                &self.deltas(&place, source, index, "POSITION", primitive.vertex_count)?,
                &self.deltas(&place, source, index, "NORMAL", primitive.vertex_count)?,
                &self.deltas(&place, source, index, "TANGENT", primitive.vertex_count)?,
            );
            let moved = part.vertices.len();
            out.vertices.extend(part.vertices.iter().map(|v| v + first));
            out.positions.extend(part.positions);
            let extend = |out: &mut Vec<Vec3>, part: Vec<Vec3>, wanted: bool| {
                let filled = if part.is_empty() { vec![Vec3::ZERO; moved] } else { part };
                out.extend(filled.into_iter().filter(|_| wanted));
            };
            extend(&mut out.normals, part.normals, has_normals);
            extend(&mut out.tangents, part.tangents, has_tangents);
        }
        Ok(out)
    }

    /// One delta per vertex. Missing positions are zero, missing normals and tangents empty.
    fn deltas(
        &mut self,
        place: &str,
        source: &json::Primitive,
        index: usize,
        attribute: &str,
        vertex_count: usize,
    ) -> Result<Vec<Vec3>, ReadError> {
        let Some(&accessor) = source.targets.get(index).and_then(|t| t.get(attribute)) else {
            let wanted = if attribute == "POSITION" { vertex_count } else { 0 };
            self.buffers.budget.charge(place, wanted, size_of::<Vec3>())?;
            return Ok(vec![Vec3::ZERO; wanted]);
        };
        let place = format!("{place}.{attribute}");
        let elements = self.buffers.elements(&place, accessor, &mut self.report)?;
        if elements.count != vertex_count {
            let what = format!("{} entries for {vertex_count} vertices", elements.count);
            return Err(ReadError::invalid(place, what));
        }
        vec3(&elements, &place)
    }
}
