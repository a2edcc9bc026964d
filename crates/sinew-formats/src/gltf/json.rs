//! The subset of glTF's JSON schema that Sinew reads and writes.
//!
//! Everything that a malformed file might lack is optional here. Required data is checked where it is used, so that the
//! error names the element.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(crate) type Extensions = Map<String, Value>;

/// One struct per glTF object. Fields in brackets are required; the others are optional and not written when they have
/// their default.
macro_rules! schema {
    ($($(#[$meta:meta])* $name:ident [$($must:ident: $must_type:ty),*] {
        $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            $(pub(crate) $must: $must_type,)*
            $(
                $(#[$field_meta])*
                #[serde(default, skip_serializing_if = "is_default")]
                pub(crate) $field: $type,
            )*
        }
    )*};
}

schema! {
    /// The root object of a document.
    Root [] {
        asset: Asset,
        extensions_used: Vec<String>,
        extensions_required: Vec<String>,
        scene: Option<usize>,
        scenes: Vec<Scene>,
        nodes: Vec<Node>,
        meshes: Vec<Mesh>,
        skins: Vec<Skin>,
        animations: Vec<Animation>,
        materials: Vec<Material>,
        textures: Vec<Texture>,
        samplers: Vec<Sampler>,
        images: Vec<Image>,
        accessors: Vec<Accessor>,
        buffer_views: Vec<BufferView>,
        buffers: Vec<Buffer>,
        cameras: Vec<Value>,
        extensions: Extensions,
        extras: Option<Value>,
    }

    Asset [] {
        version: String,
        min_version: Option<String>,
        generator: Option<String>,
        copyright: Option<String>,
        extras: Option<Value>,
    }

    Scene [] {
        name: Option<String>,
        nodes: Vec<usize>,
        extras: Option<Value>,
    }

    Node [] {
        name: Option<String>,
        children: Vec<usize>,
        matrix: Option<[f32; 16]>,
        translation: Option<[f32; 3]>,
        rotation: Option<[f32; 4]>,
        scale: Option<[f32; 3]>,
        mesh: Option<usize>,
        skin: Option<usize>,
        weights: Vec<f32>,
        camera: Option<usize>,
        extensions: Extensions,
        extras: Option<Value>,
    }

    Mesh [] {
        name: Option<String>,
        primitives: Vec<Primitive>,
        weights: Vec<f32>,
        extras: Option<Value>,
    }

    Primitive [] {
        attributes: BTreeMap<String, usize>,
        indices: Option<usize>,
        material: Option<usize>,
        mode: Option<u32>,
        targets: Vec<BTreeMap<String, usize>>,
        extensions: Extensions,
        extras: Option<Value>,
    }

    Skin [] {
        name: Option<String>,
        joints: Vec<usize>,
        inverse_bind_matrices: Option<usize>,
        skeleton: Option<usize>,
        extras: Option<Value>,
    }

    Animation [] {
        name: Option<String>,
        channels: Vec<Channel>,
        samplers: Vec<AnimationSampler>,
        extras: Option<Value>,
    }

    Channel [sampler: usize, target: Target] {
    }

    Target [path: String] {
        node: Option<usize>,
    }

    AnimationSampler [input: usize, output: usize] {
        interpolation: Option<String>,
    }

    Material [] {
        name: Option<String>,
        pbr_metallic_roughness: Option<Pbr>,
        normal_texture: Option<TextureInfo>,
        occlusion_texture: Option<TextureInfo>,
        emissive_texture: Option<TextureInfo>,
        emissive_factor: Option<[f32; 3]>,
        alpha_mode: Option<String>,
        alpha_cutoff: Option<f32>,
        double_sided: bool,
        extensions: Extensions,
        extras: Option<Value>,
    }

    Pbr [] {
        base_color_factor: Option<[f32; 4]>,
        base_color_texture: Option<TextureInfo>,
        metallic_factor: Option<f32>,
        roughness_factor: Option<f32>,
        metallic_roughness_texture: Option<TextureInfo>,
    }

    TextureInfo [index: usize] {
        tex_coord: usize,
        scale: Option<f32>,
        strength: Option<f32>,
        extensions: Extensions,
    }

    Texture [] {
        source: Option<usize>,
        sampler: Option<usize>,
        extensions: Extensions,
    }

    Sampler [] {
        mag_filter: Option<u32>,
        min_filter: Option<u32>,
        wrap_s: Option<u32>,
        wrap_t: Option<u32>,
    }

    Image [] {
        name: Option<String>,
        uri: Option<String>,
        mime_type: Option<String>,
        buffer_view: Option<usize>,
        extras: Option<Value>,
    }

    Accessor [count: usize, component_type: u32] {
        buffer_view: Option<usize>,
        byte_offset: usize,
        normalized: bool,
        #[serde(rename = "type")]
        kind: String,
        min: Option<Vec<f32>>,
        max: Option<Vec<f32>>,
        sparse: Option<Sparse>,
    }

    Sparse [count: usize, indices: SparseIndices, values: SparseValues] {
    }

    SparseIndices [buffer_view: usize, component_type: u32] {
        byte_offset: usize,
    }

    SparseValues [buffer_view: usize] {
        byte_offset: usize,
    }

    BufferView [buffer: usize, byte_length: usize] {
        byte_offset: usize,
        byte_stride: Option<usize>,
        target: Option<u32>,
        extensions: Extensions,
    }

    Buffer [byte_length: usize] {
        uri: Option<String>,
        extensions: Extensions,
    }
}

/// SamplerKeys that Sinew reads and writes in `extras`.
pub(crate) mod extras {
    /// The names of a mesh's morph targets, as most exporters store them.
    pub(crate) const TARGET_NAMES: &str = "targetNames";
    /// The object with Sinew's data.
    pub(crate) const SINEW: &str = "sinew";
    /// A vertex attribute: centers of rotation.
    pub(crate) const CENTER: &str = "_SINEW_CENTER";
    /// A vertex attribute: the blend factor between two methods.
    pub(crate) const BLEND: &str = "_SINEW_BLEND";
}

/// Sinew's data in a mesh's `extras`. Lists are accessors; an empty list has none.
pub(crate) mod precomputed {
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    pub(crate) struct MeshExtras {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) mush: Option<MushExtras>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) direct_mush: Option<DirectMushExtras>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) contact: Option<ContactExtras>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) free_weights: Option<FreeWeightsExtras>,
    }

    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    pub(crate) struct MushExtras {
        pub(crate) iterations: u32,
        pub(crate) step: f32,
        pub(crate) point_of_vertex: Option<usize>,
        pub(crate) vertex_of_point: Option<usize>,
        pub(crate) first: Option<usize>,
        pub(crate) neighbors: Option<usize>,
        #[serde(rename = "edgeShares")]
        pub(crate) edge_weights: Option<usize>,
        pub(crate) rest_tangents: Option<usize>,
        pub(crate) rest: Option<usize>,
        pub(crate) smoothed: Option<usize>,
    }

    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    pub(crate) struct DirectMushExtras {
        pub(crate) detail: String,
        pub(crate) pivots: Option<usize>,
        pub(crate) first: Option<usize>,
        pub(crate) slots: Option<usize>,
        pub(crate) numbers: Option<usize>,
    }

    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    pub(crate) struct ContactExtras {
        pub(crate) heads: Option<usize>,
        pub(crate) tails: Option<usize>,
        pub(crate) neighbors: Option<usize>,
        pub(crate) gates: Option<usize>,
        pub(crate) vertices: Option<usize>,
    }

    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    pub(crate) struct FreeWeightsExtras {
        pub(crate) first: Option<usize>,
        pub(crate) slots: Option<usize>,
        pub(crate) weights: Option<usize>,
    }
}

/// The numbers of component types.
pub(crate) mod component {
    pub(crate) const I8: u32 = 5120;
    pub(crate) const U8: u32 = 5121;
    pub(crate) const I16: u32 = 5122;
    pub(crate) const U16: u32 = 5123;
    pub(crate) const U32: u32 = 5125;
    pub(crate) const F32: u32 = 5126;
}

/// The numbers of wrap modes and filters.
pub(crate) mod sampler {
    pub(crate) const NEAREST: u32 = 9728;
    pub(crate) const LINEAR: u32 = 9729;
    pub(crate) const LINEAR_MIPMAP_LINEAR: u32 = 9987;
    pub(crate) const CLAMP_TO_EDGE: u32 = 33071;
    pub(crate) const MIRRORED_REPEAT: u32 = 33648;
    pub(crate) const REPEAT: u32 = 10497;
}
