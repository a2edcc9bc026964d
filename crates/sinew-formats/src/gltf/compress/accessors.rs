//! Stores accessors in their new forms.

use super::{
    Compression, Grade,
    forms::{FormRules, StoredForm, weight_sets},
    roles::{AccessorRoles, Role},
    spaces::{Dequantization, PositionSpaces},
    views::{BlockUse, Blocks, remove_unused, require},
};
use crate::{
    WriteError,
    gltf::{
        accessor::{Elements, GltfBuffers, component_size},
        json::{Accessor, Root, Sparse, SparseIndices, SparseValues, component},
        patch::{PatchedDocument, References},
        write::unrepresentable,
    },
    meshopt::Filter,
    report::ImportReport,
};
use std::collections::{BTreeMap, HashMap};

/// Where elements are stored, in a form that accessors of the same elements share.
#[derive(Clone, Debug)]
struct StoredPlace {
    form: StoredForm,
    block: usize,
    byte_offset: usize,
}

/// The elements of an accessor by their place in the document, and their meaning.
type ElementsKey = (usize, usize, usize, u32, String, Role);

/// The accessors of a document on their way to other forms.
pub(super) struct AccessorStore<'a> {
    root: &'a Root,
    buffers: &'a GltfBuffers<'a>,
    rules: FormRules,
    blocks: Blocks,
    places: HashMap<ElementsKey, StoredPlace>,
    /// The sets of weights that were quantized with the other sets of their primitive.
    weights: HashMap<usize, Vec<[u16; 4]>>,
    /// The number of accessors whose values changed, by role.
    pub(super) changed: BTreeMap<&'static str, usize>,
    needs_quantization: bool,
}

impl<'a> AccessorStore<'a> {
    pub(super) fn new(root: &'a Root, buffers: &'a GltfBuffers<'a>, rules: FormRules) -> Self {
        Self {
            root,
            buffers,
            rules,
            blocks: Blocks::default(),
            places: HashMap::new(),
            weights: HashMap::new(),
            changed: BTreeMap::new(),
            needs_quantization: false,
        }
    }

    /// Stores every accessor whose meaning is known.
    pub(super) fn add_all(
        &mut self,
        roles: &AccessorRoles,
        spaces: &PositionSpaces,
        out: &mut PatchedDocument,
    ) -> Result<(), WriteError> {
        for index in 0..self.root.accessors.len() {
            let role = roles.role(index);
            if role == Role::Untouched {
                continue;
            }
            let transform = match role {
                Role::Positions { space } | Role::MorphPositions { space } | Role::InverseBinds { space } => {
                    spaces.all()[space].transform
                }
                _ => None,
            };
            self.add(index, role, transform, roles, out)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        index: usize,
        role: Role,
        transform: Option<Dequantization>,
        roles: &AccessorRoles,
        out: &mut PatchedDocument,
    ) -> Result<(), WriteError> {
        let accessor = &self.root.accessors[index];
        let key = (
            accessor.buffer_view.unwrap_or(usize::MAX),
            accessor.byte_offset,
            accessor.count,
            accessor.component_type,
            accessor.kind.clone(),
            role,
        );
        let known = self.places.get(&key).filter(|_| accessor.sparse.is_none()).cloned();
        let place = match known {
            Some(place) => place,
            None => {
                let elements = self.elements(index)?;
                let form = match role {
                    Role::Weights { group } => self.weights_form(index, roles.group(group)),
                    _ => self.rules.form(role, &elements, transform),
                };
                let stays = form.is_none() && accessor.sparse.is_some();
                if stays || is_odd(accessor) {
                    return Ok(());
                }
                let form = form.unwrap_or_else(|| StoredForm::exact(&elements, role.is_by_vertex()));
                if self.put_sparse(index, &form, out) {
                    self.count(role, &form);
                    return Ok(());
                }
                let (block, byte_offset) =
                    self.blocks.add(block_use(role), form.stride, form.filter, &form.bytes);
                let place =
                    StoredPlace { form: StoredForm { bytes: Vec::new(), ..form }, block, byte_offset };
                if accessor.sparse.is_none() {
                    self.places.insert(key, place.clone());
                }
                place
            }
        };
        self.count(role, &place.form);
        self.edit(index, &place, out);
        Ok(())
    }

    fn elements(&self, index: usize) -> Result<Elements, WriteError> {
        let found = self.buffers.elements("accessors", index, &mut ImportReport::default());
        found.map_err(|error| unrepresentable(format!("accessors[{index}]"), error.to_string()))
    }

    fn count(&mut self, role: Role, form: &StoredForm) {
        if form.is_lossy {
            *self.changed.entry(role.name()).or_default() += 1;
        }
        self.needs_quantization |= form.needs_extension;
    }

    /// The form of one set of weights; `None` if a set of the primitive is not of floats.
    fn weights_form(&mut self, index: usize, group: &[usize]) -> Option<StoredForm> {
        let max = match self.rules.grade {
            Grade::Compact => 255,
            Grade::Fine | Grade::ExactClips => 65535,
            Grade::Lossless => return None,
        };
        if !self.weights.contains_key(&index) {
            let sets = group.iter().map(|&set| {
                let is_plain = self.root.accessors[set].component_type == component::F32;
                self.elements(set).ok().filter(|_| is_plain)?.vectors::<4>("WEIGHTS").ok()
            });
            let sets = sets.collect::<Option<Vec<_>>>()?;
            let is_same_count = sets.iter().all(|set| set.len() == sets[0].len());
            if !is_same_count {
                return None;
            }
            self.weights.extend(group.iter().copied().zip(weight_sets(&sets, max)));
        }
        let rows = self.weights.get(&index)?.iter().flatten();
        Some(match max {
            255 => StoredForm::integers(component::U8, 4, rows.map(|&w| w as u8).collect()),
            _ => StoredForm::integers(component::U16, 8, rows.flat_map(|w| w.to_le_bytes()).collect()),
        })
    }

    /// Stores displacements that were sparse as sparse ones again, where nothing compresses zeros.
    fn put_sparse(&mut self, index: usize, form: &StoredForm, out: &mut PatchedDocument) -> bool {
        let accessor = &self.root.accessors[index];
        let is_sparse = accessor.sparse.is_some() && accessor.buffer_view.is_none();
        let Some(size) = component_size(form.component_type).map(|size| size * 3) else { return false };
        if !is_sparse || self.rules.compression != Compression::Quantize || accessor.kind != "VEC3" {
            return false;
        }
        let rows = form.bytes.chunks_exact(form.stride).enumerate();
        let moved: Vec<(usize, &[u8])> = rows
            .filter(|(_, row)| row.iter().any(|&byte| byte != 0))
            .map(|(k, row)| (k, &row[..size]))
            .collect();
        if moved.is_empty() || moved.len() * (size + 4) >= form.bytes.len() {
            return false;
        }
        let places: Vec<u8> = moved.iter().flat_map(|(k, _)| (*k as u32).to_le_bytes()).collect();
        let values: Vec<u8> = moved.iter().flat_map(|(_, row)| row.iter().copied()).collect();
        let (places, place_offset) = self.blocks.add(BlockUse::Sparse, 4, Filter::None, &places);
        let (values, value_offset) = self.blocks.add(BlockUse::Sparse, size, Filter::None, &values);
        let first = self.root.buffer_views.len();
        let sparse = Sparse {
            count: moved.len(),
            indices: SparseIndices {
                buffer_view: first + places,
                component_type: component::U32,
                byte_offset: place_offset,
            },
            values: SparseValues { buffer_view: first + values, byte_offset: value_offset },
        };
        self.set_form(index, form, out);
        out.document.edit("accessors", index, |raw| raw.set("sparse", &sparse));
        true
    }

    fn edit(&self, index: usize, place: &StoredPlace, out: &mut PatchedDocument) {
        let view = self.root.buffer_views.len() + place.block;
        self.set_form(index, &place.form, out);
        out.document.edit("accessors", index, |raw| {
            raw.set("bufferView", &view);
            raw.set_or_remove("byteOffset", Some(&place.byte_offset).filter(|offset| **offset > 0));
            raw.remove("sparse");
        });
    }

    /// Changes what an accessor says of its components.
    fn set_form(&self, index: usize, form: &StoredForm, out: &mut PatchedDocument) {
        let accessor = &self.root.accessors[index];
        let is_normalized = form.normalized.then_some(&true);
        let bounds = form.bounds.as_ref();
        out.document.edit("accessors", index, |raw| {
            if form.component_type != accessor.component_type {
                raw.set("componentType", &form.component_type);
            }
            if form.normalized != accessor.normalized {
                raw.set_or_remove("normalized", is_normalized);
            }
            if let Some((min, max)) = bounds {
                raw.set("min", min);
                raw.set("max", max);
            } else if form.is_lossy {
                // Bounds that glTF does not require are left out, since the old ones are wrong now.
                raw.remove("min");
                raw.remove("max");
            }
        });
    }

    /// Adds an accessor of matrices and returns its index.
    pub(super) fn add_matrices(&mut self, matrices: &[[f32; 16]], out: &mut PatchedDocument) -> usize {
        let bytes: Vec<u8> = matrices.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let (block, byte_offset) = self.blocks.add(BlockUse::Plain, 64, Filter::None, &bytes);
        let accessor = Accessor {
            count: matrices.len(),
            component_type: component::F32,
            kind: "MAT4".into(),
            buffer_view: Some(self.root.buffer_views.len() + block),
            byte_offset,
            ..Accessor::default()
        };
        out.document.push("accessors", &accessor)
    }

    /// Writes the views and removes those without users.
    pub(super) fn finish(
        self,
        out: &mut PatchedDocument,
    ) -> Result<BTreeMap<&'static str, usize>, WriteError> {
        let before = References::of(self.root);
        if self.needs_quantization {
            require(&mut out.document, "KHR_mesh_quantization");
        }
        self.blocks.write(out, self.rules.compression)?;
        remove_unused(out, &before)?;
        Ok(self.changed)
    }
}

/// True for matrices of small components, whose columns are padded.
fn is_odd(accessor: &Accessor) -> bool {
    accessor.kind.starts_with("MAT") && component_size(accessor.component_type) != Some(4)
}

fn block_use(role: Role) -> BlockUse {
    match role {
        Role::Indices { are_triangles: true } => BlockUse::Triangles,
        Role::Indices { are_triangles: false } => BlockUse::OtherIndices,
        role if role.is_by_vertex() => BlockUse::Vertices,
        _ => BlockUse::Plain,
    }
}
