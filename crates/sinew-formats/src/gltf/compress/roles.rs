//! What each accessor holds, from the elements that use it.

use super::spaces::PositionSpaces;
use crate::gltf::{
    accessor::MESHOPT_EXTENSIONS,
    json::{AnimationSampler, Primitive, Root},
    patch::References,
    read::DRACO_EXTENSION,
};
use std::collections::HashMap;

/// What the elements of an accessor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Vertex positions in the space of some meshes.
    Positions {
        space: usize,
    },
    /// Displacements of vertices by a morph target, in such a space.
    MorphPositions {
        space: usize,
    },
    Normals,
    Tangents,
    /// Displacements of normals or tangents.
    MorphDirections,
    TexCoords,
    Colors,
    Joints,
    /// One set of weights; the sets of a primitive are a group.
    Weights {
        group: usize,
    },
    /// Vertex attributes whose values stay.
    OtherAttributes,
    /// Vertex indices, of triangle lists or of other topologies.
    Indices {
        are_triangles: bool,
    },
    Rotations,
    /// The keys of translations and scales.
    Vectors,
    MorphWeights,
    /// Key times and keys whose values stay.
    Keys,
    InverseBinds {
        space: usize,
    },
    /// Data that stays where it is: it is compressed already, has several meanings, or nobody uses it.
    Untouched,
}

impl Role {
    /// True for data by vertex, whose elements are aligned to four bytes.
    pub(super) fn is_by_vertex(self) -> bool {
        match self {
            Self::Positions { .. }
            | Self::MorphPositions { .. }
            | Self::Normals
            | Self::Tangents
            | Self::MorphDirections
            | Self::TexCoords
            | Self::Colors
            | Self::Joints
            | Self::Weights { .. }
            | Self::OtherAttributes => true,
            Self::Indices { .. }
            | Self::Rotations
            | Self::Vectors
            | Self::MorphWeights
            | Self::Keys
            | Self::InverseBinds { .. }
            | Self::Untouched => false,
        }
    }

    /// The word for it in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Positions { .. } => "positions",
            Self::MorphPositions { .. } | Self::MorphDirections => "morphs",
            Self::Normals => "normals",
            Self::Tangents => "tangents",
            Self::TexCoords => "uvs",
            Self::Colors => "colors",
            Self::Joints | Self::Weights { .. } => "influences",
            Self::OtherAttributes => "attributes",
            Self::Indices { .. } => "indices",
            Self::Rotations | Self::Vectors | Self::MorphWeights | Self::Keys => "keys",
            Self::InverseBinds { .. } => "inverse-binds",
            Self::Untouched => "untouched",
        }
    }

    /// The role of an accessor that is used in two ways.
    fn merged(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Indices { .. }, Self::Indices { .. }) => Self::Indices { are_triangles: false },
            _ => Self::Untouched,
        }
    }
}

/// The roles of all accessors.
pub(super) struct AccessorRoles {
    roles: Vec<Option<Role>>,
    /// How many elements use each accessor in a way that has a role.
    uses: Vec<usize>,
    /// The accessors of the sets of weights of a primitive.
    groups: Vec<Vec<usize>>,
    group_of: HashMap<Vec<usize>, usize>,
}

impl AccessorRoles {
    pub(super) fn of(root: &Root, spaces: &PositionSpaces) -> Self {
        let mut out = Self {
            roles: vec![None; root.accessors.len()],
            uses: vec![0; root.accessors.len()],
            groups: Vec::new(),
            group_of: HashMap::new(),
        };
        for (mesh, primitive) in root
            .meshes
            .iter()
            .enumerate()
            .flat_map(|(index, mesh)| mesh.primitives.iter().map(move |p| (index, p)))
        {
            out.add_primitive(primitive, spaces.of_mesh(mesh));
        }
        for (index, skin) in root.skins.iter().enumerate() {
            out.add(skin.inverse_bind_matrices, Role::InverseBinds { space: spaces.of_skin(index) });
        }
        for animation in &root.animations {
            for (index, sampler) in animation.samplers.iter().enumerate() {
                let paths =
                    animation.channels.iter().filter(|c| c.sampler == index).map(|c| c.target.path.as_str());
                out.add_sampler(sampler, paths);
            }
        }
        out.keep_compressed(root);
        out.keep_other_uses(root);
        out
    }

    /// What an accessor holds.
    pub(super) fn role(&self, accessor: usize) -> Role {
        self.roles.get(accessor).copied().flatten().unwrap_or(Role::Untouched)
    }

    /// The accessors of a group of weights, in the order of the sets.
    pub(super) fn group(&self, group: usize) -> &[usize] {
        &self.groups[group]
    }

    fn add(&mut self, accessor: Option<usize>, role: Role) {
        if let Some(known) = accessor.and_then(|accessor| self.roles.get_mut(accessor)) {
            *known = Some(known.map_or(role, |known| known.merged(role)));
        }
        if let Some(uses) = accessor.and_then(|accessor| self.uses.get_mut(accessor)) {
            *uses += 1;
        }
    }

    fn add_primitive(&mut self, primitive: &Primitive, space: usize) {
        let is_draco = primitive.extensions.contains_key(DRACO_EXTENSION);
        let group = self.weights_group(primitive);
        for (name, &accessor) in &primitive.attributes {
            let role = match name.split_once('_').map_or(name.as_str(), |(stem, _)| stem) {
                _ if is_draco => Role::Untouched,
                "POSITION" => Role::Positions { space },
                "NORMAL" => Role::Normals,
                "TANGENT" => Role::Tangents,
                "TEXCOORD" => Role::TexCoords,
                "COLOR" => Role::Colors,
                "JOINTS" => Role::Joints,
                "WEIGHTS" => Role::Weights { group },
                _ => Role::OtherAttributes,
            };
            self.add(Some(accessor), role);
        }
        for (name, &accessor) in primitive.targets.iter().flatten() {
            let role = match name.as_str() {
                "POSITION" => Role::MorphPositions { space },
                "NORMAL" | "TANGENT" => Role::MorphDirections,
                _ => Role::OtherAttributes,
            };
            self.add(Some(accessor), role);
        }
        // Polygons are the triangles with one first corner, which the codec for triangles may turn.
        let has_polygons = primitive.extensions.contains_key("FB_ngon_encoding");
        let are_triangles = primitive.mode.is_none_or(|mode| mode == TRIANGLES) && !has_polygons;
        let role = if is_draco { Role::Untouched } else { Role::Indices { are_triangles } };
        self.add(primitive.indices, role);
    }

    /// The group of the primitive's sets of weights.
    fn weights_group(&mut self, primitive: &Primitive) -> usize {
        let sets = (0..).map_while(|set| primitive.attributes.get(&format!("WEIGHTS_{set}")).copied());
        let sets: Vec<usize> = sets.collect();
        let next = self.groups.len();
        let group = *self.group_of.entry(sets.clone()).or_insert(next);
        if group == next {
            self.groups.push(sets);
        }
        group
    }

    fn add_sampler<'a>(&mut self, sampler: &AnimationSampler, paths: impl Iterator<Item = &'a str>) {
        self.add(Some(sampler.input), Role::Keys);
        let is_cubic = sampler.interpolation.as_deref() == Some("CUBICSPLINE");
        let role = |path: &str| match path {
            "rotation" if !is_cubic => Role::Rotations,
            "weights" if !is_cubic => Role::MorphWeights,
            "translation" | "scale" => Role::Vectors,
            _ => Role::Keys,
        };
        let merged = paths.map(role).reduce(|one, other| if one == other { one } else { Role::Keys });
        self.add(Some(sampler.output), merged.unwrap_or(Role::Keys));
    }

    /// Leaves data as it is that extensions and application data use too.
    fn keep_other_uses(&mut self, root: &Root) {
        let all = References::of(root).accessors;
        for ((role, uses), all) in self.roles.iter_mut().zip(&self.uses).zip(all) {
            if *uses != all {
                *role = Some(Role::Untouched);
            }
        }
    }

    /// Leaves data that is compressed, and accessors without data, as they are.
    fn keep_compressed(&mut self, root: &Root) {
        for (role, accessor) in self.roles.iter_mut().zip(&root.accessors) {
            let view = accessor.buffer_view.and_then(|view| root.buffer_views.get(view));
            let is_compressed = view.is_some_and(|view| {
                MESHOPT_EXTENSIONS.iter().any(|name| view.extensions.contains_key(*name))
            });
            let has_data = accessor.buffer_view.is_some() || accessor.sparse.is_some();
            if is_compressed || !has_data {
                *role = Some(Role::Untouched);
            }
        }
    }
}

/// The mode of triangle lists.
const TRIANGLES: u32 = 4;
