//! Builds the scene of a character and an evaluated frame.
//!
//! A [`Stage`] is made once for a character and its options; it prepares everything that does not
//! change from frame to frame. [`Stage::scene`] combines it with a deformed [`Frame`] and a camera.

mod bones;
mod options;
mod parts;
mod skin_paint;
mod textures;

use sinew::{Aabb, Character, Frame, JointId, Method, bounds::BoneBoxes};

use crate::camera::{Camera, CameraLens, Orbit};
use crate::color::Color;
use crate::geometry::GeometryError;
use crate::glam::{Affine3A, Vec2, Vec3};
use crate::glyph::{
    AxesStyle, BoneStyle, BoxGlyph, axes_layer, bone_layers, box_layer, highlight_layers, normals_layer,
};
use crate::ground::GroundGrid;
use crate::layer::{Depth, LineStroke, SceneLayer};
use crate::light::Lights;
use crate::palette::joint_color;
use crate::scene::Scene;
use crate::theme::Theme;
use bones::BonePlan;
use parts::StagePart;

pub use options::{BoneLook, Field, SkinLook, StageOptions};
pub use textures::StageTextures;

/// A character prepared for display.
#[derive(Clone, Debug)]
pub struct Stage {
    options: StageOptions,
    parts: Vec<StagePart>,
    bones: Vec<BonePlan>,
    /// The vertices and boxes of each visible skinned instance by bone; empty unless they are drawn.
    boxes: Vec<BoneBoxes>,
    /// The box in model space that sets the ground's height, the grid's spacing and the size of glyphs. An empty box,
    /// the initial value, uses the bounds of each frame. Set it to the bounds of a whole animation, or of several
    /// characters, so that they stay still from picture to picture.
    pub subject: Aabb,
}

impl Stage {
    /// Prepares a character for display.
    pub fn new(character: &Character, textures: &StageTextures, options: StageOptions) -> Self {
        let parts = parts::all(character, textures, &options);
        let bones = bones::plan(character, rest_bounds(character).size().max_element());
        let boxes = if options.bone_boxes { bone_boxes(character) } else { Vec::new() };
        Self { options, parts, bones, boxes, subject: Aabb::EMPTY }
    }

    /// The options in use.
    pub fn options(&self) -> &StageOptions {
        &self.options
    }

    /// Changes the options. Triangles, texture coordinates and bones are kept, so this is much cheaper than a new stage.
    ///
    /// `character` must be the one that the stage was made for, or differ from it in weights only.
    pub fn set_options(&mut self, character: &Character, textures: &StageTextures, options: StageOptions) {
        let is_hidden = |options: &StageOptions| options.skin == SkinLook::Hidden;
        let must_rebuild = is_hidden(&options) || is_hidden(&self.options);
        self.boxes = if options.bone_boxes { bone_boxes(character) } else { Vec::new() };
        self.options = options;
        if must_rebuild {
            self.parts = parts::all(character, textures, &self.options);
        } else {
            self.parts.iter_mut().for_each(|part| part.repaint(character, textures, &self.options));
        }
    }

    /// The mesh instance that layer `layer` of [`Stage::layers`] shows, and the index of its first vertex in that
    /// instance's mesh; `None` for bones, axes and lines.
    pub fn source_of(&self, layer: usize) -> Option<(usize, u32)> {
        self.parts.get(layer).map(|part| (part.instance, part.vertices.start))
    }

    /// The layers of the character at `frame`, which must be deformed: skin first, then lines and bones.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] if `frame` belongs to another character.
    pub fn layers(&self, frame: &Frame) -> Result<Vec<SceneLayer>, GeometryError> {
        let size = size_of(self.subject_at(frame));
        let skins =
            self.parts.iter().map(|part| part.layer(frame, &self.options)).collect::<Result<Vec<_>, _>>()?;
        let mut layers = Vec::with_capacity(skins.len() * 2 + 3);
        if self.options.normals {
            layers.extend(skins.iter().map(|skin| normals_layer(skin.geometry(), size * 0.010).into()));
        }
        layers.splice(0..0, skins.into_iter().map(SceneLayer::from));
        if self.options.bones != BoneLook::Hidden {
            let style = BoneStyle { max_thickness: size * 0.03, ..BoneStyle::default() };
            let bones = bones::pose(&self.bones, frame.model(), &self.options);
            let (selected, others): (Vec<_>, Vec<_>) =
                bones.into_iter().partition(|bone| Some(bone.id) == self.selected_id());
            layers.extend(bone_layers(&others, &style).map(SceneLayer::from));
            if !selected.is_empty() {
                layers.extend(highlight_layers(&selected, &style).map(SceneLayer::from));
            }
        }
        if self.options.axes {
            let joints = bones::axes(&self.bones, frame.model(), size);
            let depth = Depth::XRay { hidden_opacity: 1.0 };
            layers.push(axes_layer(&joints, &AxesStyle { width_px: 2.0, depth }).into());
        }
        if self.options.bounds {
            let visible = frame.character().visible_instances();
            let streams = visible.filter_map(|i| frame.deformed().get(i));
            let of = |points: &[Vec3]| BoxGlyph::upright(Aabb::of_points(points), Color::hex(0xe0a53c));
            let boxes: Vec<BoxGlyph> = streams.map(|s| of(&s.positions)).collect();
            layers.push(box_layer(&boxes, Depth::Tested).into());
        }
        if self.options.bone_boxes {
            let boxes: Vec<BoxGlyph> =
                self.boxes.iter().flat_map(|boxes| self.box_glyphs(boxes, frame)).collect();
            layers.push(box_layer(&boxes, Depth::XRay { hidden_opacity: 0.8 }).into());
        }
        Ok(layers)
    }

    /// The scene of the character at `frame`, with ground and lights that suit the skin look.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] if `frame` belongs to another character.
    pub fn scene(&self, frame: &Frame, camera: Camera) -> Result<Scene, GeometryError> {
        Ok(Scene {
            camera,
            lights: if self.options.skin.shows_data() { Lights::even() } else { Lights::studio() },
            background: self.options.theme.background(),
            ground: self.options.ground.then(|| self.ground(self.subject_at(frame))),
            layers: self.layers(frame)?,
        })
    }

    /// A camera that looks from `orbit` and frames everything that is visible at `frame`.
    pub fn camera(&self, frame: &Frame, orbit: Orbit, lens: CameraLens) -> Camera {
        Camera::framing(self.points(frame), orbit, lens)
    }

    /// Every point that must be in the picture at `frame`, in model space: visible vertices and bone ends.
    ///
    /// For an animation, chain the points of all its frames into [`Camera::framing`].
    pub fn points(&self, frame: &Frame) -> Vec<Vec3> {
        let mut points = Vec::new();
        if self.options.skin != SkinLook::Hidden {
            for instance in frame.character().visible_instances() {
                points.extend(frame.deformed().get(instance).iter().flat_map(|streams| &streams.positions));
            }
        }
        if self.options.bones != BoneLook::Hidden || points.is_empty() {
            let bones = bones::pose(&self.bones, frame.model(), &self.options);
            points.extend(bones.iter().flat_map(|bone| [bone.head, bone.tail]));
        }
        points
    }

    fn selected_id(&self) -> Option<u32> {
        self.options.selected.map(|joint| u32::from(joint.0))
    }

    /// The boxes of an instance in their joints' colors; with a selected joint, only its own.
    fn box_glyphs(&self, boxes: &BoneBoxes, frame: &Frame) -> Vec<BoxGlyph> {
        let glyph = |(joint, world_from_box, bounds): (JointId, Affine3A, Aabb)| {
            let is_shown = self.options.selected.is_none_or(|selected| selected == joint);
            is_shown.then(|| BoxGlyph { bounds, world_from_box, color: joint_color(joint.index()) })
        };
        boxes.posed(frame.model()).filter_map(glyph).collect()
    }

    fn subject_at(&self, frame: &Frame) -> Aabb {
        let boxes = [self.subject, frame.bounds()];
        boxes.into_iter().find(|one| !one.is_empty()).unwrap_or_else(|| joint_bounds(frame))
    }

    fn ground(&self, subject: Aabb) -> GroundGrid {
        let (size, low) = (size_of(subject), subject.min.y);
        // Most characters stand on zero, even if a pose lifts or lowers them a little.
        let height = if low.is_finite() && !(-0.06 * size..0.35 * size).contains(&low) { low } else { 0.0 };
        let center = if subject.is_empty() { Vec3::ZERO } else { subject.center() };
        let mut ground = GroundGrid::under(Vec2::new(center.x, center.z), height, size);
        if let (Theme::Dark, Some(grid)) = (self.options.theme, &mut ground.grid) {
            grid.color = Color::hex(0x8b95a8).with_alpha(0.34);
        }
        if let (Theme::Dark, Some(shadow)) = (self.options.theme, &mut ground.shadow) {
            shadow.color.a = 0.62;
        }
        ground
    }
}

/// The stroke of wireframes over the skin.
fn wire(theme: Theme) -> LineStroke {
    let strength = if theme == Theme::Dark { 0.62 } else { 0.55 };
    LineStroke { width_px: 1.0, color: Color::linear(0.012, 0.016, 0.03).with_alpha(strength) }
}

/// The longest side of a box, or one meter if the box is empty.
fn size_of(subject: Aabb) -> f32 {
    let size = subject.size().max_element();
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

fn bone_boxes(character: &Character) -> Vec<BoneBoxes> {
    let visible = character.visible_instances().map(|index| &character.instances()[index]);
    let boxes = visible.filter_map(|instance| {
        let skin = character.skin_of(instance)?;
        BoneBoxes::new(character.mesh_of(instance), skin).ok()
    });
    boxes.collect()
}

fn rest_bounds(character: &Character) -> Aabb {
    let mut frame = Frame::new(character);
    match frame.deform(Method::Linear) {
        Ok(_) if !frame.bounds().is_empty() => frame.bounds(),
        _ => joint_bounds(&frame),
    }
}

fn joint_bounds(frame: &Frame) -> Aabb {
    let joints: Vec<Vec3> = frame.model().joints().iter().map(|joint| joint.translation.into()).collect();
    Aabb::of_points(&joints)
}

#[cfg(test)]
mod tests;
