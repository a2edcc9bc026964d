//! From a character and an evaluated frame to a scene.
//!
//! A [`Stage`] is made once for a character and a choice of options; it prepares everything that does not
//! change from frame to frame. [`Stage::scene`] then puts a deformed [`Frame`] before a camera.

mod bones;
mod looks;
mod parts;
mod textures;

use std::sync::Arc;

use sinew::{Aabb, Character, Frame, JointId, Method};

use crate::camera::{Camera, Lens, Orbit};
use crate::color::Color;
use crate::geometry::GeometryError;
use crate::glam::{Vec2, Vec3};
use crate::glyph::{AxesStyle, BoneStyle, axes_layer, bone_layers, normals_layer};
use crate::ground::Ground;
use crate::layer::{Depth, Layer, Stroke};
use crate::light::Lights;
use crate::palette::Ramp;
use crate::scene::Scene;
use crate::theme::Theme;
use bones::BonePlan;
use parts::Part;

pub use textures::Textures;

/// What the skin shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SkinLook {
    /// The file's materials, textures and vertex colours.
    #[default]
    Material,
    /// One neutral colour, whatever the file says.
    Clay,
    /// The weight of one joint as a heat map.
    Heat(JointId),
    /// Triangles that one joint moves in that joint's colour, blended ones dark.
    Influences,
    /// Every vertex in the mix of its joints' colours.
    JointColors,
    /// Normals as colours.
    Normals,
    /// Any number a vertex through a colour scale.
    Field(Field),
    /// No skin at all.
    Hidden,
}

/// A number a vertex of each instance, for difference maps and the like.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// One list an instance, one value a vertex.
    pub values: Vec<Arc<[f32]>>,
    /// The value at the lower end of the scale.
    pub low: f32,
    /// The value at the upper end of the scale.
    pub high: f32,
    /// The colours.
    pub ramp: Ramp,
}

/// How bones are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneLook {
    /// Not at all.
    #[default]
    Hidden,
    /// One pale colour.
    Plain,
    /// Each in its joint's colour, as in [`SkinLook::Influences`].
    ByJoint,
}

/// What to show of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct StageOptions {
    /// What the skin shows.
    pub skin: SkinLook,
    /// How opaque the skin is, 0 to 1.
    pub skin_opacity: f32,
    /// Triangle edges over the skin.
    pub wire: bool,
    /// Lines of equal value on heat maps and fields.
    pub contours: bool,
    /// Lines along vertex normals.
    pub normals: bool,
    /// How bones are drawn.
    pub bones: BoneLook,
    /// Axes at every joint.
    pub axes: bool,
    /// A joint whose bone is highlighted.
    pub selected: Option<JointId>,
    /// Grid and shadow.
    pub ground: bool,
    /// Light or dark.
    pub theme: Theme,
}

impl Default for StageOptions {
    fn default() -> Self {
        Self {
            skin: SkinLook::Material,
            skin_opacity: 1.0,
            wire: false,
            contours: true,
            normals: false,
            bones: BoneLook::Hidden,
            axes: false,
            selected: None,
            ground: true,
            theme: Theme::Light,
        }
    }
}

/// A character made ready to be shown.
#[derive(Clone, Debug)]
pub struct Stage {
    options: StageOptions,
    parts: Vec<Part>,
    bones: Vec<BonePlan>,
    /// The box that the ground, the grid's spacing and the size of glyphs follow; the rest pose at first.
    /// Set it to the box around a whole animation, or around several characters, to keep them still.
    pub subject: Aabb,
}

impl Stage {
    /// Prepares a character.
    pub fn new(character: &Character, textures: &Textures, options: StageOptions) -> Self {
        let subject = rest_bounds(character);
        let parts = parts::all(character, textures, &options);
        let bones = bones::plan(character, subject.size().max_element());
        Self { options, parts, bones, subject }
    }

    /// The options it was made with.
    pub fn options(&self) -> &StageOptions {
        &self.options
    }

    /// Which instance of the character layer `layer` of [`Stage::layers`] shows, and the number of its first
    /// vertex in that instance's mesh; `None` for bones, axes and lines.
    pub fn source_of(&self, layer: usize) -> Option<(usize, u32)> {
        self.parts.get(layer).map(|part| (part.instance, part.vertices.start))
    }

    /// Everything of the character at `frame`, which must be deformed: skin first, then lines and bones.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] when `frame` belongs to another character.
    pub fn layers(&self, character: &Character, frame: &Frame) -> Result<Vec<Layer>, GeometryError> {
        let size = self.size();
        let skins = self
            .parts
            .iter()
            .map(|part| part.layer(character, frame, &self.options))
            .collect::<Result<Vec<_>, _>>()?;
        let mut layers = Vec::with_capacity(skins.len() * 2 + 3);
        if self.options.normals {
            layers.extend(skins.iter().map(|skin| normals_layer(skin.geometry(), size * 0.010).into()));
        }
        layers.splice(0..0, skins.into_iter().map(Layer::from));
        if self.options.bones != BoneLook::Hidden {
            let style = BoneStyle { most_thickness: size * 0.03, ..BoneStyle::default() };
            let bones = bones::pose(&self.bones, frame.model(), &self.options);
            layers.extend(bone_layers(&bones, &style).map(Layer::from));
        }
        if self.options.axes {
            let joints = bones::axes(&self.bones, frame.model(), size);
            let depth = Depth::XRay { hidden_opacity: 1.0 };
            layers.push(axes_layer(&joints, &AxesStyle { width_px: 2.0, depth }).into());
        }
        Ok(layers)
    }

    /// The character at `frame` before `camera`, on the ground, in light that suits what is shown.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] when `frame` belongs to another character.
    pub fn scene(
        &self,
        character: &Character,
        frame: &Frame,
        camera: Camera,
    ) -> Result<Scene, GeometryError> {
        let data = matches!(
            self.options.skin,
            SkinLook::Heat(_) | SkinLook::Influences | SkinLook::JointColors | SkinLook::Field(_)
        );
        Ok(Scene {
            camera,
            lights: if data { Lights::even() } else { Lights::studio() },
            background: self.options.theme.background(),
            ground: self.options.ground.then(|| self.ground()),
            layers: self.layers(character, frame)?,
        })
    }

    /// A camera that frames everything of `frame` that is shown, seen from `orbit`.
    pub fn camera(&self, character: &Character, frame: &Frame, orbit: Orbit, lens: Lens) -> Camera {
        Camera::framing(self.points(character, frame), orbit, lens)
    }

    /// Every point that must be in the picture at `frame`: visible vertices and bone ends.
    ///
    /// For an animation, chain the points of all its frames into [`Camera::framing`].
    pub fn points(&self, character: &Character, frame: &Frame) -> Vec<Vec3> {
        let mut points = Vec::new();
        if self.options.skin != SkinLook::Hidden {
            for instance in character.visible_instances() {
                points.extend(frame.deformed().get(instance).iter().flat_map(|streams| &streams.positions));
            }
        }
        if self.options.bones != BoneLook::Hidden || points.is_empty() {
            let bones = bones::pose(&self.bones, frame.model(), &self.options);
            points.extend(bones.iter().flat_map(|bone| [bone.head, bone.tail]));
        }
        points
    }

    fn size(&self) -> f32 {
        let size = self.subject.size().max_element();
        if size.is_finite() && size > 0.0 { size } else { 1.0 }
    }

    fn ground(&self) -> Ground {
        let (size, low) = (self.size(), self.subject.min.y);
        // Most characters stand on zero, even when a pose lifts or sinks them a little.
        let height = if low.is_finite() && !(-0.06 * size..0.35 * size).contains(&low) { low } else { 0.0 };
        let center = if self.subject.is_empty() { Vec3::ZERO } else { self.subject.center() };
        let mut ground = Ground::under(Vec2::new(center.x, center.z), height, size);
        if let (Theme::Dark, Some(grid)) = (self.options.theme, &mut ground.grid) {
            grid.color = Color::hex(0x8b95a8).with_alpha(0.34);
        }
        if let (Theme::Dark, Some(shadow)) = (self.options.theme, &mut ground.shadow) {
            shadow.color.a = 0.62;
        }
        ground
    }
}

/// The wire that goes over skins.
fn wire(theme: Theme) -> Stroke {
    let strength = if theme == Theme::Dark { 0.62 } else { 0.55 };
    Stroke { width_px: 1.0, color: Color::linear(0.012, 0.016, 0.03).with_alpha(strength) }
}

fn rest_bounds(character: &Character) -> Aabb {
    let mut frame = Frame::new(character);
    let skin = match frame.deform(character, Method::Linear) {
        Ok(()) => frame.bounds(character),
        Err(_) => Aabb::EMPTY,
    };
    if skin.is_empty() {
        let joints: Vec<Vec3> = frame.model().joints().iter().map(|joint| joint.translation.into()).collect();
        return Aabb::of_points(&joints);
    }
    skin
}
