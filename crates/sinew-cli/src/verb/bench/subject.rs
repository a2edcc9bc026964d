//! A skinned mesh in a pose, with the inputs of every kernel.

use super::baseline::{BoneLists, FourInfluences};
use sinew::deform::blocks::{BlockLayout, PackedSkin, VertexOrder};
use sinew::glam::{Mat4, Vec3};
use sinew::{
    Character, CharacterParts, Clip, DualQuatPalette, Frame, Influence, Mesh, MeshParts, Precomputed,
    Primitive, Skin, Streams, Topology, Weights, Wrap,
};
use std::{path::Path, sync::Arc};

/// A skinned mesh in a pose.
pub(super) struct BenchSubject {
    pub(super) label: String,
    pub(super) character: Character,
    pub(super) mesh: Arc<Mesh>,
    pub(super) skin: Arc<Skin>,
    pub(super) clip: Option<Arc<Clip>>,
    pub(super) frame: Frame,
    pub(super) dual_quats: DualQuatPalette,
    pub(super) bones: Vec<Mat4>,
    pub(super) four: FourInfluences,
    pub(super) lists: BoneLists,
    pub(super) packed: PackedSkin,
    pub(super) in_file_order: PackedSkin,
    /// Packed by strongest joint, for rigid skinning, in packed and in file order.
    pub(super) rigid: [PackedSkin; 2],
    /// Packed in blocks of single vertices, if that is compared.
    pub(super) single: Option<PackedSkin>,
    /// True for meshes that are measured for their size: only by the fast methods.
    pub(super) large: bool,
}

/// The last component of a path or of `builtin:NAME`, without its ending.
pub(super) fn label(name: &str) -> String {
    let name = name.strip_prefix("builtin:").unwrap_or(name);
    Path::new(name).file_stem().map_or_else(|| name.to_owned(), |s| s.to_string_lossy().into_owned())
}

impl BenchSubject {
    /// All meshes of the skin with the most vertices, joined, in the middle of the first clip.
    pub(super) fn new(label: &str, character: &Character) -> Option<Self> {
        let meshes_of = |skin: usize| -> Vec<Arc<Mesh>> {
            let of_skin = character.instances().iter().filter(|i| i.skin == Some(skin));
            of_skin.map(|i| character.meshes()[i.mesh].clone()).collect()
        };
        let size = |skin: &usize| meshes_of(*skin).iter().map(|m| m.vertex_count()).sum::<usize>();
        let skin_index = (0..character.skins().len()).max_by_key(size)?;
        let mesh = match &meshes_of(skin_index)[..] {
            [] => return None,
            [one] => one.clone(),
            several => Arc::new(joined(several)?),
        };
        let skin = character.skins()[skin_index].clone();
        let clip = character.clips().first().cloned();
        let mut frame = Frame::new(character);
        if let Some(clip) = &clip {
            frame.sample(clip, clip.duration_secs() * 0.4, Wrap::Clamp);
        }
        frame.update();
        let palette = &frame.palettes()[skin_index];
        let mut dual_quats = DualQuatPalette::new(&skin);
        dual_quats.update(&skin, palette);
        let weights = mesh.weights()?;
        Some(Self {
            label: label.into(),
            bones: palette.matrices().iter().map(|m| Mat4::from(*m)).collect(),
            four: FourInfluences::new(weights),
            lists: BoneLists::new(weights),
            packed: PackedSkin::new(&mesh, VertexOrder::Packed).ok()?,
            in_file_order: PackedSkin::new(&mesh, VertexOrder::File).ok()?,
            rigid: [
                PackedSkin::for_rigid(&mesh, VertexOrder::Packed).ok()?,
                PackedSkin::for_rigid(&mesh, VertexOrder::File).ok()?,
            ],
            character: character.clone(),
            mesh,
            skin,
            clip,
            frame,
            dual_quats,
            single: None,
            large: false,
        })
    }

    /// As [`Self::new`], with the mesh repeated until it has `vertices`.
    pub(super) fn tiled(label: &str, character: &Character, vertices: usize) -> Option<Self> {
        let mut parts: CharacterParts = character.parts().clone();
        let mesh = Arc::new(tile(parts.meshes.first()?, vertices)?);
        parts.meshes[0] = mesh;
        let mut subject = Self::new(label, &Character::new(parts).ok()?)?;
        subject.large = true;
        Some(subject)
    }

    /// As [`Self::new`], with random joint assignment: the worst case for blocks.
    pub(super) fn random(character: &Character) -> Option<Self> {
        let mut parts: CharacterParts = character.parts().clone();
        let mesh = parts.meshes.first()?;
        let slots = mesh.weights()?.slot_count();
        let mut random = Random::default();
        let mut influence =
            || Influence { slot: random.slot(slots), weight: 0.1 + (random.next() % 100) as f32 };
        let vertices: Vec<[Influence; 4]> =
            (0..mesh.vertex_count()).map(|_| std::array::from_fn(|_| influence())).collect();
        let (weights, _) = Weights::new(slots, vertices).ok()?;
        let mesh = MeshParts { weights: Some(Arc::new(weights)), ..mesh.parts().clone() };
        let mesh = MeshParts { precomputed: Precomputed::NONE, ..mesh };
        parts.meshes[0] = Arc::new(Mesh::new(mesh).ok()?);
        let mut subject = Self::new("random", &Character::new(parts).ok()?)?;
        subject.single =
            PackedSkin::with_layout(&subject.mesh, VertexOrder::Packed, BlockLayout::Single).ok();
        subject.large = true;
        Some(subject)
    }

    pub(super) fn palette(&self) -> &sinew::Palette {
        let index = self.character.skins().iter().position(|s| Arc::ptr_eq(s, &self.skin)).unwrap_or(0);
        &self.frame.palettes()[index]
    }

    /// Buffers for the output of `packed`, with the requested streams.
    pub(super) fn buffers(&self, packed: &PackedSkin, normals: bool, tangents: bool) -> Streams {
        let count = packed.output_count();
        Streams {
            positions: vec![Vec3::ZERO; count],
            normals: vec![Vec3::ZERO; if normals { count } else { 0 }],
            tangents: vec![sinew::glam::Vec4::ZERO; if tangents { count } else { 0 }],
        }
    }
}

/// A small deterministic generator (linear congruential, Numerical Recipes' constants).
pub(super) struct Random(u32);

impl Default for Random {
    fn default() -> Self {
        Self(0x9e37_79b9)
    }
}

impl Random {
    pub(super) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    /// A random joint slot below `slots`.
    pub(super) fn slot(&mut self, slots: usize) -> u16 {
        (self.next() as usize % slots) as u16
    }
}

/// The mesh repeated to `vertices` vertices, with its weights and centers of rotation.
pub(super) fn tile(mesh: &Mesh, vertices: usize) -> Option<Mesh> {
    let copies = vertices.div_ceil(mesh.vertex_count().max(1));
    vertices_of(&vec![mesh; copies], vertices)
}

/// The vertices of several meshes as one mesh.
fn joined(meshes: &[Arc<Mesh>]) -> Option<Mesh> {
    let meshes: Vec<&Mesh> = meshes.iter().map(|m| &**m).collect();
    vertices_of(&meshes, usize::MAX)
}

/// The first `max` vertices of `meshes`, with the streams that all of them have.
fn vertices_of(meshes: &[&Mesh], max: usize) -> Option<Mesh> {
    let weights: Vec<&Weights> = meshes.iter().map(|m| m.weights().map(|w| &**w)).collect::<Option<_>>()?;
    let slots = weights.iter().map(|w| w.slot_count()).max()?;
    let influences = weights.iter().flat_map(|w| (0..w.vertex_count()).map(|v| w.influences(v)));
    let (weights, _) = Weights::new(slots, influences.take(max)).ok()?;
    let has_normals = meshes.iter().all(|m| !m.normals().is_empty());
    let normals = meshes.iter().filter(|_| has_normals).flat_map(|m| m.normals()).copied();
    let centers: Option<Vec<_>> = meshes.iter().map(|m| m.precomputed().centers.as_ref()).collect();
    let centers = centers.and_then(|all| {
        let positions = all.iter().flat_map(|c| c.positions()).copied().take(max).collect();
        sinew::CentersOfRotation::new(positions).ok().map(Arc::new)
    });
    let positions: Vec<Vec3> = meshes.iter().flat_map(|m| m.positions()).copied().take(max).collect();
    Mesh::new(MeshParts {
        name: meshes.first()?.name().into(),
        primitives: vec![Primitive {
            vertices: 0..positions.len() as u32,
            indices: 0..0,
            topology: Topology::Triangles,
            material: None,
        }],
        positions,
        normals: normals.take(max).collect(),
        weights: Some(Arc::new(weights)),
        precomputed: Precomputed { centers, ..Precomputed::default() },
        ..MeshParts::default()
    })
    .ok()
}
