//! Counts who uses accessors and views of a document.

use super::primitives::DRACO;
use crate::gltf::{
    accessor::{MESHOPT_EXTENSIONS, component_size, width_of},
    json::{Root, extras::SINEW},
    write::data::OverwritableForm,
};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ops::Range,
};

/// The number of uses of every accessor and view.
#[derive(Clone, Debug)]
pub(in crate::gltf) struct References {
    pub(in crate::gltf) accessors: Vec<usize>,
    pub(in crate::gltf) views: Vec<usize>,
    /// True if an unsupported extension may use any of them.
    pub(super) has_unknown: bool,
}

impl References {
    pub(in crate::gltf) fn of(root: &Root) -> Self {
        let has_unknown = Self::unknown_extension(root).is_some();
        let (accessors, views) = (vec![0; root.accessors.len()], vec![0; root.buffer_views.len()]);
        let mut out = Self { accessors, views, has_unknown };
        out.count_meshes(root);
        for skin in &root.skins {
            out.accessor(skin.inverse_bind_matrices);
        }
        for sampler in root.animations.iter().flat_map(|animation| &animation.samplers) {
            out.accessor(Some(sampler.input));
            out.accessor(Some(sampler.output));
        }
        for node in &root.nodes {
            let instancing = node.extensions.get(INSTANCING).and_then(|e| e.get("attributes"));
            out.all_accessors(instancing);
        }
        for accessor in &root.accessors {
            out.view(accessor.buffer_view);
            if let Some(sparse) = &accessor.sparse {
                out.view(Some(sparse.indices.buffer_view));
                out.view(Some(sparse.values.buffer_view));
            }
        }
        for image in &root.images {
            out.view(image.buffer_view);
        }
        out
    }

    /// An unsupported extension that the document declares and that may use accessors or views, if there is one.
    fn unknown_extension(root: &Root) -> Option<&str> {
        root.extensions_used.iter().map(String::as_str).find(|name| !names_no_data(name))
    }

    /// These with the extensions that the document has, declared or not.
    pub(super) fn with_names(self, names: &BTreeSet<String>) -> Self {
        let has_unknown = self.has_unknown || Self::unknown_of(names).is_some();
        Self { has_unknown, ..self }
    }

    /// The first of these extensions that may use accessors or views.
    pub(in crate::gltf) fn unknown_of(names: &BTreeSet<String>) -> Option<&String> {
        names.iter().find(|name| !names_no_data(name))
    }

    fn count_meshes(&mut self, root: &Root) {
        for mesh in &root.meshes {
            for primitive in &mesh.primitives {
                let morphs = primitive.targets.iter().flat_map(|target| target.values());
                let all = primitive.attributes.values().chain(morphs).chain(&primitive.indices);
                all.for_each(|&accessor| self.accessor(Some(accessor)));
                let draco = primitive.extensions.get(DRACO).and_then(|e| e.get("bufferView"));
                self.view(draco.and_then(index));
            }
            let own = mesh.extras.as_ref().and_then(|extras| extras.get(SINEW)).and_then(Value::as_object);
            own.into_iter().flat_map(|own| own.values()).for_each(|table| self.all_accessors(Some(table)));
        }
    }

    /// Counts every whole number of an object as an accessor: Sinew's tables have counts too, which does no harm.
    fn all_accessors(&mut self, object: Option<&Value>) {
        let values = object.and_then(Value::as_object).into_iter().flat_map(|object| object.values());
        values.for_each(|value| self.accessor(index(value)));
    }

    fn accessor(&mut self, accessor: Option<usize>) {
        if let Some(count) = accessor.and_then(|accessor| self.accessors.get_mut(accessor)) {
            *count += 1;
        }
    }

    fn view(&mut self, view: Option<usize>) {
        if let Some(count) = view.and_then(|view| self.views.get_mut(view)) {
            *count += 1;
        }
    }

    /// Accessors without data and without users, which earlier edits left.
    pub(super) fn free_accessors(&self, root: &Root) -> Vec<usize> {
        let is_free = |index: &usize| {
            let accessor = &root.accessors[*index];
            let is_stub = accessor.buffer_view.is_none() && accessor.sparse.is_none() && accessor.count == 1;
            is_stub && self.accessors[*index] == 0 && !self.has_unknown
        };
        (0..root.accessors.len()).filter(is_free).collect()
    }

    /// Views of a few bytes without users, which earlier edits left.
    pub(super) fn free_views(&self, root: &Root) -> Vec<usize> {
        let is_free = |index: &usize| {
            let view = &root.buffer_views[*index];
            let is_stub = view.byte_length <= 4 && view.byte_offset == 0 && view.extensions.is_empty();
            is_stub && self.views[*index] == 0 && !self.has_unknown
        };
        (0..root.buffer_views.len()).filter(is_free).collect()
    }

    /// The vertex attributes and inverse binds that have one user and whose bytes no other accessor, view or image has.
    pub(super) fn overwritable(
        &self,
        root: &Root,
        buffers: &[Option<crate::shared_bytes::SharedBytes>],
    ) -> HashMap<usize, OverwritableForm> {
        let is_alone = views_alone(root);
        let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let attributes = primitives.flat_map(|primitive| primitive.attributes.values().copied());
        let binds = root.skins.iter().filter_map(|skin| skin.inverse_bind_matrices);
        let candidates: HashSet<usize> = attributes.chain(binds).collect();
        let mut of_view: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, accessor) in root.accessors.iter().enumerate() {
            if let Some(view) = accessor.buffer_view {
                of_view.entry(view).or_default().push(index);
            }
        }
        let mut out = HashMap::new();
        for (&view, accessors) in &of_view {
            let plain = root.buffer_views.get(view).filter(|v| v.extensions.is_empty());
            let has_bytes = plain.is_some_and(|v| buffers.get(v.buffer).is_some_and(Option::is_some));
            // More users than accessors are images or sparse values.
            if !has_bytes || !is_alone[view] || self.views[view] != accessors.len() || self.has_unknown {
                continue;
            }
            for &index in accessors {
                let accessor = &root.accessors[index];
                let is_disjoint = || accessors.iter().all(|&o| o == index || are_disjoint(root, index, o));
                // Keys are never overwritten, and a view may hold thousands of them.
                let is_candidate = candidates.contains(&index) && self.accessors[index] == 1;
                if is_candidate && accessor.sparse.is_none() && is_disjoint() {
                    let form = OverwritableForm {
                        component_type: accessor.component_type,
                        normalized: accessor.normalized,
                        kind: accessor.kind.clone(),
                        count: accessor.count,
                    };
                    out.insert(index, form);
                }
            }
        }
        out
    }
}

const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// True for extensions that name neither accessors nor views, or only where [`References`] looks for them.
fn names_no_data(extension: &str) -> bool {
    let prefixes = [
        "KHR_materials_",
        "KHR_texture_",
        "EXT_texture_",
        "MSFT_texture_",
        "EXT_lights_",
        "VRM",
        "KHR_animation_",
        "KHR_lights_",
        "KHR_node_",
    ];
    let names = [
        DRACO,
        INSTANCING,
        MESHOPT_EXTENSIONS[0],
        MESHOPT_EXTENSIONS[1],
        "KHR_mesh_quantization",
        "FB_ngon_encoding",
        "KHR_xmp_json_ld",
        "MSFT_lod",
    ];
    prefixes.iter().any(|prefix| extension.starts_with(prefix)) || names.contains(&extension)
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}

/// For each view, true if no other view of its buffer has any of its bytes.
fn views_alone(root: &Root) -> Vec<bool> {
    let mut order: Vec<usize> = (0..root.buffer_views.len()).collect();
    order.sort_by_key(|&v| (root.buffer_views[v].buffer, root.buffer_views[v].byte_offset));
    let mut is_alone = vec![true; order.len()];
    // The view that reaches farthest so far.
    let mut farthest: Option<(usize, usize)> = None;
    for &index in &order {
        let view = &root.buffer_views[index];
        let end = view.byte_offset.saturating_add(view.byte_length);
        if let Some((other, reach)) = farthest.filter(|f| root.buffer_views[f.0].buffer == view.buffer) {
            if view.byte_offset < reach {
                (is_alone[index], is_alone[other]) = (false, false);
            }
            farthest = Some(if end > reach { (index, end) } else { (other, reach) });
        } else {
            farthest = Some((index, end));
        }
    }
    is_alone
}

/// True if two accessors of the same view have no byte in common.
fn are_disjoint(root: &Root, a: usize, b: usize) -> bool {
    let span = |index: usize| -> Option<(Range<usize>, Range<usize>, usize)> {
        let accessor = &root.accessors[index];
        let size = component_size(accessor.component_type)? * width_of(&accessor.kind)?;
        let stride = root.buffer_views[accessor.buffer_view?].byte_stride.unwrap_or(size);
        let first = accessor.byte_offset;
        let end =
            first.checked_add(accessor.count.checked_sub(1)?.checked_mul(stride)?)?.checked_add(size)?;
        let row = first % stride.max(1);
        Some((first..end, row..row + size, stride))
    };
    let (Some(a), Some(b)) = (span(a), span(b)) else { return false };
    let disjoint = |x: &Range<usize>, y: &Range<usize>| x.end <= y.start || y.end <= x.start;
    disjoint(&a.0, &b.0) || (a.2 == b.2 && a.1.end <= a.2 && b.1.end <= b.2 && disjoint(&a.1, &b.1))
}
