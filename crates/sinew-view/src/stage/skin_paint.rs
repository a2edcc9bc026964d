//! The paint of a primitive for each skin look.

use std::sync::Arc;

use sinew::{AlphaMode, Character, JointId, Material, Mesh, MeshInstance, Primitive, TextureWrap};

use super::{Field, SkinLook, StageOptions, StageTextures};
use crate::color::Color;
use crate::glam::{Vec3, Vec4};
use crate::paint::{Contours, Paint, ScalarPaint, TexturePaint};
use crate::palette::{Ramp, blended_color, joint_color};
use crate::texture::{SamplerWrap, TextureSampler};

/// Above this weight a single joint counts as moving the vertex alone.
const ALONE: f32 = 0.999;

pub(super) fn paint(
    character: &Character,
    instance: usize,
    primitive: &Primitive,
    triangles: &[[u32; 3]],
    textures: &StageTextures,
    options: &StageOptions,
) -> Paint {
    let joints = ShownJoints::new(character, instance);
    let vertices = primitive.vertices.start as usize..primitive.vertices.end as usize;
    match &options.skin {
        SkinLook::Material => material_paint(character, joints.mesh, primitive, textures),
        SkinLook::Clay | SkinLook::Normals | SkinLook::Hidden => Paint::Solid(clay()),
        SkinLook::Heat(joint) => {
            let values = vertices.map(|vertex| joints.weight(vertex, *joint)).collect();
            scalar(values, 0.0, 1.0, Ramp::Heat, options)
        }
        SkinLook::Weights(shown) => {
            Paint::Vertices(vertices.map(|vertex| joints.color_of(vertex, shown)).collect())
        }
        SkinLook::Influences => {
            let alone: Vec<_> = vertices.map(|vertex| joints.alone(vertex)).collect();
            Paint::Faces(triangles.iter().map(|face| face_color(face.map(|v| alone[v as usize]))).collect())
        }
        SkinLook::JointColors => Paint::Vertices(vertices.map(|vertex| joints.mixed_color(vertex)).collect()),
        SkinLook::Field(Field { values, low, high, ramp }) => {
            let values = values.get(instance);
            let at =
                |vertex: usize| values.and_then(|values| values.get(vertex)).copied().unwrap_or(f32::NAN);
            scalar(vertices.map(at).collect(), *low, *high, *ramp, options)
        }
    }
}

fn scalar(values: Arc<[f32]>, low: f32, high: f32, ramp: Ramp, options: &StageOptions) -> Paint {
    let contours = options.contours.then(Contours::default);
    Paint::Scalar(ScalarPaint { values, low, high, ramp, contours })
}

fn face_color(corners: [Option<JointId>; 3]) -> Color {
    match corners {
        [Some(a), Some(b), Some(c)] if a == b && b == c => joint_color(a.index()),
        _ => blended_color(),
    }
}

/// A warm gray that shows form well on light and dark backgrounds.
fn clay() -> Color {
    Color::hex(0xbfae9c)
}

/// The joints that move the vertices of an instance.
struct ShownJoints<'a> {
    character: &'a Character,
    instance: &'a MeshInstance,
    mesh: &'a Mesh,
}

impl<'a> ShownJoints<'a> {
    fn new(character: &'a Character, instance: usize) -> Self {
        let instance = &character.instances()[instance];
        Self { character, instance, mesh: character.mesh_of(instance) }
    }

    /// Joint and weight of every influence; a mesh without a skin follows its own joint.
    fn influences(&self, vertex: usize) -> Vec<(JointId, f32)> {
        match (self.character.skin_of(self.instance), self.mesh.weights()) {
            (Some(skin), Some(weights)) => weights
                .influences(vertex)
                .filter_map(|one| Some((*skin.joints().get(usize::from(one.slot))?, one.weight)))
                .collect(),
            _ => vec![(self.instance.joint, 1.0)],
        }
    }

    /// The weight of a joint in a vertex; for a muscle, its muscle weight.
    fn weight(&self, vertex: usize, joint: JointId) -> f32 {
        let (Some(skin), Some(weights)) = (self.character.skin_of(self.instance), self.mesh.weights()) else {
            return f32::from(u8::from(self.instance.joint == joint));
        };
        // Returns an iterator, not a list: a brush stroke evaluates every vertex with every stamp.
        let is_joint = |slot: u16| skin.joints().get(usize::from(slot)) == Some(&joint);
        let influences = weights.influences(vertex).chain(weights.muscle_influences(vertex));
        influences.filter(|one| is_joint(one.slot)).map(|one| one.weight).sum()
    }

    fn alone(&self, vertex: usize) -> Option<JointId> {
        self.influences(vertex).into_iter().find(|one| one.1 >= ALONE).map(|one| one.0)
    }

    /// The colors of the `shown` joints, each as strong as its weight, on black.
    fn color_of(&self, vertex: usize, shown: &[JointId]) -> Color {
        let parts = shown.iter().enumerate();
        let color = |(nth, joint): (usize, &JointId)| joint_color(nth).rgb() * self.weight(vertex, *joint);
        Color::from_rgb(parts.map(color).sum())
    }

    fn mixed_color(&self, vertex: usize) -> Color {
        let mixed: Vec3 =
            self.influences(vertex).iter().map(|one| joint_color(one.0.index()).rgb() * one.1).sum();
        Color::from_rgb(mixed)
    }
}

fn material_paint(
    character: &Character,
    mesh: &Mesh,
    primitive: &Primitive,
    textures: &StageTextures,
) -> Paint {
    let material = primitive.material.and_then(|index| character.materials().get(usize::from(index)));
    let range = primitive.vertices.start as usize..primitive.vertices.end as usize;
    let vertex_colors = mesh.colors().get(range);
    let tint = material.map_or(Vec4::ONE, |material| material.base_color);
    let tint_color = color(tint);
    if let Some(paint) = material.and_then(|material| texture_paint(material, mesh, textures)) {
        let vertices = vertex_colors.map(|colors| colors.iter().map(|&one| color(one)).collect());
        return Paint::Texture(TexturePaint { tint: tint_color, vertices, ..paint });
    }
    match vertex_colors {
        Some(colors) => Paint::Vertices(colors.iter().map(|&one| color(one * tint)).collect()),
        // A material without any color would be pure white.
        None if tint.truncate().min_element() > 0.99 => Paint::Solid(clay()),
        None => Paint::Solid(tint_color),
    }
}

fn texture_paint(material: &Material, mesh: &Mesh, textures: &StageTextures) -> Option<TexturePaint> {
    let used = material.base_color_texture?;
    mesh.uv_sets().get(usize::from(used.uv_set))?;
    let wrap = |wrap: TextureWrap| match wrap {
        TextureWrap::Repeat => SamplerWrap::Repeat,
        TextureWrap::ClampToEdge => SamplerWrap::Clamp,
        TextureWrap::MirroredRepeat => SamplerWrap::Mirror,
    };
    let alpha_cutoff = match material.alpha {
        AlphaMode::Opaque => None,
        AlphaMode::Mask { cutoff } => Some(cutoff),
        // Partial alpha in a texture becomes a hard edge: most such textures are leaves, lashes and hair.
        AlphaMode::Blend => Some(0.5),
    };
    Some(TexturePaint {
        texture: textures.get(used.image)?,
        sampler: TextureSampler {
            wrap_u: wrap(used.wrap[0]),
            wrap_v: wrap(used.wrap[1]),
            nearest: used.nearest,
        },
        tint: Color::WHITE,
        vertices: None,
        alpha_cutoff,
    })
}

fn color(rgba: Vec4) -> Color {
    Color::from_rgb(rgba.truncate()).with_alpha(rgba.w)
}
