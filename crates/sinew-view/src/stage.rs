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

use crate::camera::{Camera, CameraLens, Orbit};
use crate::color::Color;
use crate::geometry::GeometryError;
use crate::glam::{Vec2, Vec3};
use crate::glyph::{AxesStyle, BoneStyle, axes_layer, bone_layers, box_layer, normals_layer};
use crate::ground::GroundGrid;
use crate::layer::{Depth, LineStroke, SceneLayer};
use crate::light::Lights;
use crate::palette::Ramp;
use crate::scene::Scene;
use crate::theme::Theme;
use bones::BonePlan;
use parts::StagePart;

pub use textures::StageTextures;

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
    /// The box around each visible instance.
    pub bounds: bool,
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
            bounds: false,
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
    parts: Vec<StagePart>,
    bones: Vec<BonePlan>,
    /// The box that the ground, the grid's spacing and the size of glyphs follow; an empty box, as at first,
    /// takes the box around each frame. Set it to the box around a whole animation, or around several
    /// characters, so that they stay still from picture to picture.
    pub subject: Aabb,
}

impl Stage {
    /// Prepares a character.
    pub fn new(character: &Character, textures: &StageTextures, options: StageOptions) -> Self {
        let parts = parts::all(character, textures, &options);
        let bones = bones::plan(character, rest_bounds(character).size().max_element());
        Self { options, parts, bones, subject: Aabb::EMPTY }
    }

    /// The options it was made with.
    pub fn options(&self) -> &StageOptions {
        &self.options
    }

    /// Takes other options. Triangles, texture coordinates and bones stay, so it costs much less than a new stage.
    ///
    /// `character` must be the one that the stage was made for, or one that differs from it in weights only.
    pub fn set_options(&mut self, character: &Character, textures: &StageTextures, options: StageOptions) {
        let is_hidden = |options: &StageOptions| options.skin == SkinLook::Hidden;
        let must_rebuild = is_hidden(&options) || is_hidden(&self.options);
        self.options = options;
        if must_rebuild {
            self.parts = parts::all(character, textures, &self.options);
        } else {
            self.parts.iter_mut().for_each(|part| part.repaint(character, textures, &self.options));
        }
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
    pub fn layers(&self, character: &Character, frame: &Frame) -> Result<Vec<SceneLayer>, GeometryError> {
        let size = size_of(self.subject_at(frame));
        let skins = self
            .parts
            .iter()
            .map(|part| part.layer(character, frame, &self.options))
            .collect::<Result<Vec<_>, _>>()?;
        let mut layers = Vec::with_capacity(skins.len() * 2 + 3);
        if self.options.normals {
            layers.extend(skins.iter().map(|skin| normals_layer(skin.geometry(), size * 0.010).into()));
        }
        layers.splice(0..0, skins.into_iter().map(SceneLayer::from));
        if self.options.bones != BoneLook::Hidden {
            let style = BoneStyle { most_thickness: size * 0.03, ..BoneStyle::default() };
            let bones = bones::pose(&self.bones, frame.model(), &self.options);
            layers.extend(bone_layers(&bones, &style).map(SceneLayer::from));
        }
        if self.options.axes {
            let joints = bones::axes(&self.bones, frame.model(), size);
            let depth = Depth::XRay { hidden_opacity: 1.0 };
            layers.push(axes_layer(&joints, &AxesStyle { width_px: 2.0, depth }).into());
        }
        if self.options.bounds {
            let streams = character.visible_instances().filter_map(|i| frame.deformed().get(i));
            let boxes: Vec<Aabb> = streams.map(|s| Aabb::of_points(&s.positions)).collect();
            layers.push(box_layer(&boxes, Color::hex(0xe0a53c)).into());
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
            ground: self.options.ground.then(|| self.ground(self.subject_at(frame))),
            layers: self.layers(character, frame)?,
        })
    }

    /// A camera that frames everything of `frame` that is shown, seen from `orbit`.
    pub fn camera(&self, character: &Character, frame: &Frame, orbit: Orbit, lens: CameraLens) -> Camera {
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

    fn subject_at(&self, frame: &Frame) -> Aabb {
        let boxes = [self.subject, frame.bounds()];
        boxes.into_iter().find(|one| !one.is_empty()).unwrap_or_else(|| joint_bounds(frame))
    }

    fn ground(&self, subject: Aabb) -> GroundGrid {
        let (size, low) = (size_of(subject), subject.min.y);
        // Most characters stand on zero, even when a pose lifts or sinks them a little.
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

/// The wire that goes over skins.
fn wire(theme: Theme) -> LineStroke {
    let strength = if theme == Theme::Dark { 0.62 } else { 0.55 };
    LineStroke { width_px: 1.0, color: Color::linear(0.012, 0.016, 0.03).with_alpha(strength) }
}

/// The longest side of a box, or one metre where that says nothing.
fn size_of(subject: Aabb) -> f32 {
    let size = subject.size().max_element();
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
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
mod tests {
    use super::*;
    use crate::layer::MeshLayer;
    use crate::paint::Paint;
    use crate::palette::{blended_color, joint_color};

    fn layers(character: &Character, options: StageOptions) -> Vec<SceneLayer> {
        let mut frame = Frame::new(character);
        frame.deform(Method::Linear).unwrap();
        Stage::new(character, &StageTextures::none(), options).layers(character, &frame).unwrap()
    }

    fn skin(layers: &[SceneLayer]) -> &MeshLayer {
        match &layers[0] {
            SceneLayer::Mesh(mesh) => mesh,
            SceneLayer::Lines(_) => panic!("the first layer is the skin"),
        }
    }

    #[test]
    fn a_heat_map_holds_the_weights_of_its_joint() {
        let arm = sinew_samples::arm();
        let lower = arm.skeleton().find("lower").unwrap();
        let layers = layers(&arm, StageOptions { skin: SkinLook::Heat(lower), ..StageOptions::default() });
        let Paint::Scalar(scalar) = skin(&layers).paint() else { panic!("no scalar paint") };
        let positions = skin(&layers).geometry().positions();
        for (position, &weight) in positions.iter().zip(scalar.values.iter()) {
            // The elbow is at x = 0; far from it one bone moves the skin alone.
            if position.x.abs() > 0.1 {
                assert_eq!(weight, if position.x > 0.0 { 1.0 } else { 0.0 }, "{position}");
            }
        }
        assert!(scalar.values.iter().any(|&weight| weight > 0.4 && weight < 0.6));
    }

    #[test]
    fn another_look_is_what_a_new_stage_of_that_look_shows() {
        let figure = sinew_samples::figure();
        let mut frame = Frame::new(&figure);
        frame.deform(Method::Linear).unwrap();
        let joint = figure.skeleton().find("spine").unwrap_or(JointId(3));
        let mut stage = Stage::new(&figure, &StageTextures::none(), StageOptions::default());
        for look in [SkinLook::Heat(joint), SkinLook::Hidden, SkinLook::Clay, SkinLook::Influences] {
            let options = StageOptions { skin: look.clone(), ..StageOptions::default() };
            stage.set_options(&figure, &StageTextures::none(), options);
            let got = stage.layers(&figure, &frame).unwrap();
            let want = layers(&figure, StageOptions { skin: look, ..StageOptions::default() });
            assert_eq!(got.len(), want.len());
            for (got, want) in got.iter().zip(&want) {
                let (SceneLayer::Mesh(got), SceneLayer::Mesh(want)) = (got, want) else {
                    panic!("only skins")
                };
                assert_eq!(format!("{:?}", got.paint()), format!("{:?}", want.paint()));
                assert_eq!((got.gloss, got.opacity), (want.gloss, want.opacity));
            }
        }
    }

    #[test]
    fn an_influence_map_is_dark_only_where_joints_share() {
        let colors = |character: &Character| {
            let options = StageOptions { skin: SkinLook::Influences, ..StageOptions::default() };
            match skin(&layers(character, options)).paint() {
                Paint::Faces(colors) => colors.to_vec(),
                _ => panic!("no face paint"),
            }
        };
        let (blended, stitched) = (colors(&sinew_samples::arm()), colors(&sinew_samples::rigid_arm()));
        let dark = |colors: &[Color]| colors.iter().filter(|color| **color == blended_color()).count();
        // Only one row of triangles joins the two halves of the stitched arm.
        assert!(dark(&blended) > 2 * dark(&stitched) && dark(&stitched) > 0);
        let upper = sinew_samples::arm().skeleton().find("upper").unwrap();
        assert!(blended.contains(&joint_color(upper.index())));
    }

    #[test]
    fn an_arm_has_two_bones_and_the_selected_one_stands_out() {
        let arm = sinew_samples::arm();
        let lower = arm.skeleton().find("lower").unwrap();
        let options =
            StageOptions { bones: BoneLook::Plain, selected: Some(lower), ..StageOptions::default() };
        let layers = layers(&arm, options);
        let Some(SceneLayer::Mesh(bones)) =
            layers.iter().find(|layer| matches!(layer, SceneLayer::Mesh(mesh) if mesh.name == "bones"))
        else {
            panic!("no bones")
        };
        assert_eq!(bones.geometry().triangles().len(), 16);
        let Paint::Faces(colors) = bones.paint() else { panic!("no face paint") };
        for (face, color) in colors.iter().enumerate() {
            let selected = bones.face_id(face) == Some(u32::from(lower.0));
            assert_eq!(*color == Color::hex(0xff9a2b), selected);
        }
    }

    #[test]
    fn a_frame_of_another_character_is_refused() {
        let (arm, tube) = (sinew_samples::arm(), sinew_samples::tube());
        let stage = Stage::new(&arm, &StageTextures::none(), StageOptions::default());
        let refused = stage.layers(&arm, &Frame::new(&tube));
        assert!(matches!(refused, Err(GeometryError::LengthMismatch { .. })));
    }

    #[test]
    fn a_skeleton_without_a_skin_is_framed_by_its_bones() {
        let figure = sinew_samples::figure();
        let options =
            StageOptions { skin: SkinLook::Hidden, bones: BoneLook::Plain, ..StageOptions::default() };
        let stage = Stage::new(&figure, &StageTextures::none(), options);
        let points = stage.points(&figure, &Frame::new(&figure));
        let tallest = points.iter().map(|point| point.y).fold(0.0, f32::max);
        assert!(points.len() > 30 && tallest > 1.2 && tallest < 2.2, "{tallest}");
    }
}
