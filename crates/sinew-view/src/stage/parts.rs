//! One layer for each primitive of each visible instance.

use std::ops::Range;
use std::sync::Arc;

use sinew::{AlphaMode, Character, Frame, Material, Primitive, Topology, bounds::BoneBoxes};

use super::skin_paint::paint;
use super::{SkinLook, StageOptions, StageTextures, wire};
use crate::geometry::{Geometry, GeometryError, same_length};
use crate::glam::Vec2;
use crate::layer::{MeshLayer, Shading};
use crate::paint::Paint;

/// The parts of a layer that do not depend on the pose.
#[derive(Clone, Debug)]
pub(super) struct StagePart {
    pub(super) instance: usize,
    /// Index of the primitive in its mesh.
    primitive: usize,
    pub(super) vertices: Range<u32>,
    /// Number of vertices of the whole mesh.
    mesh_vertices: usize,
    name: String,
    triangles: Arc<[[u32; 3]]>,
    /// The triangles by the bone that their first corner follows most.
    face_groups: Arc<[Vec<u32>]>,
    uvs: Option<Arc<[Vec2]>>,
    paint: Paint,
    gloss: f32,
    opacity: f32,
}

/// A primitive of the mesh of an instance.
#[derive(Clone, Copy)]
struct PrimitiveIndex {
    instance: usize,
    primitive: usize,
}

pub(super) fn all(character: &Character, textures: &StageTextures, options: &StageOptions) -> Vec<StagePart> {
    if options.skin == SkinLook::Hidden {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for index in character.visible_instances() {
        let instance = &character.instances()[index];
        let mesh = character.mesh_of(instance);
        let boxes = character.skin_of(instance).and_then(|skin| BoneBoxes::new(mesh, skin).ok());
        for (number, primitive) in mesh.primitives().iter().enumerate() {
            if primitive.topology == Topology::Triangles {
                parts.push(StagePart::new(
                    character,
                    PrimitiveIndex { instance: index, primitive: number },
                    boxes.as_ref(),
                    textures,
                    options,
                ));
            }
        }
    }
    parts
}

impl StagePart {
    fn new(
        character: &Character,
        PrimitiveIndex { instance, primitive: number }: PrimitiveIndex,
        boxes: Option<&BoneBoxes>,
        textures: &StageTextures,
        options: &StageOptions,
    ) -> Self {
        let mesh = character.mesh_of(&character.instances()[instance]);
        let primitive = &mesh.primitives()[number];
        let first = primitive.vertices.start;
        let triangles: Arc<[[u32; 3]]> = mesh
            .primitive_indices(primitive)
            .chunks_exact(3)
            .map(|corner| [corner[0] - first, corner[1] - first, corner[2] - first])
            .collect();
        let material = material_of(character, primitive);
        let uv_set = material
            .and_then(|material| material.base_color_texture)
            .and_then(|texture| mesh.uv_sets().get(usize::from(texture.uv_set)));
        let range = primitive.vertices.start as usize..primitive.vertices.end as usize;
        Self {
            instance,
            primitive: number,
            vertices: primitive.vertices.clone(),
            mesh_vertices: mesh.vertex_count(),
            name: mesh.name().to_owned(),
            paint: paint(character, instance, primitive, &triangles, textures, options),
            face_groups: face_groups(boxes, first, &triangles),
            triangles,
            uvs: uv_set.and_then(|uvs| uvs.get(range)).map(Arc::from),
            gloss: gloss(material, options),
            opacity: opacity(material, options),
        }
    }

    /// Applies the look of `options`; `character` may differ from the part's own in weights only.
    pub(super) fn repaint(
        &mut self,
        character: &Character,
        textures: &StageTextures,
        options: &StageOptions,
    ) {
        let mesh = character.mesh_of(&character.instances()[self.instance]);
        let primitive = &mesh.primitives()[self.primitive];
        let material = material_of(character, primitive);
        self.paint = paint(character, self.instance, primitive, &self.triangles, textures, options);
        (self.gloss, self.opacity) = (gloss(material, options), opacity(material, options));
    }

    pub(super) fn layer(&self, frame: &Frame, options: &StageOptions) -> Result<MeshLayer, GeometryError> {
        let want = self.mesh_vertices;
        let got = frame.deformed().get(self.instance).map_or(0, |streams| streams.positions.len());
        same_length("deformed positions", got, want)?;
        let streams = &frame.deformed()[self.instance];
        let range = self.vertices.start as usize..self.vertices.end as usize;
        let mut geometry = Geometry::new(&streams.positions[range.clone()], Arc::clone(&self.triangles))?;
        if let Some(normals) = streams.normals.get(range) {
            geometry = geometry.with_normals(normals)?;
        }
        if let Some(uvs) = &self.uvs {
            geometry = geometry.with_uvs(Arc::clone(uvs))?;
        }
        let mut layer = MeshLayer::new(geometry, self.paint.clone())?;
        layer.name.clone_from(&self.name);
        layer.face_groups = Some(Arc::clone(&self.face_groups));
        layer.gloss = self.gloss;
        layer.opacity = self.opacity;
        layer.wire = options.wire.then(|| wire(options.theme));
        if options.skin == SkinLook::Normals {
            layer.shading = Shading::Normals;
        }
        Ok(layer)
    }
}

/// The triangles of a primitive with vertices from `first` on, by bone; one group for a mesh without a skin.
fn face_groups(boxes: Option<&BoneBoxes>, first: u32, triangles: &[[u32; 3]]) -> Arc<[Vec<u32>]> {
    let Some(boxes) = boxes else { return [(0..triangles.len() as u32).collect()].into() };
    let mut groups = vec![Vec::new(); boxes.bones().len()];
    for (face, corners) in (0_u32..).zip(triangles) {
        groups[usize::from(boxes.strongest_slot(corners[0] + first))].push(face);
    }
    groups.retain(|group| !group.is_empty());
    groups.into()
}

fn material_of<'a>(character: &'a Character, primitive: &Primitive) -> Option<&'a Material> {
    primitive.material.and_then(|index| character.materials().get(usize::from(index)))
}

fn gloss(material: Option<&Material>, options: &StageOptions) -> f32 {
    match (&options.skin, material) {
        (SkinLook::Material, Some(material)) => 0.15 + 0.7 * (1.0 - material.roughness.clamp(0.0, 1.0)),
        (SkinLook::Material | SkinLook::Clay, _) => 0.3,
        (
            SkinLook::Heat(_)
            | SkinLook::Weights(_)
            | SkinLook::Influences
            | SkinLook::JointColors
            | SkinLook::Normals
            | SkinLook::Field(_)
            | SkinLook::Hidden,
            _,
        ) => 0.15,
    }
}

fn opacity(material: Option<&Material>, options: &StageOptions) -> f32 {
    let own = match (&options.skin, material) {
        (SkinLook::Material, Some(material)) if material.alpha == AlphaMode::Blend => {
            material.base_color.w.clamp(0.0, 1.0)
        }
        _ => 1.0,
    };
    own * options.skin_opacity.clamp(0.0, 1.0)
}
