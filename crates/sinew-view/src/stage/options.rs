use std::sync::Arc;

use sinew::JointId;

use crate::palette::Ramp;
use crate::theme::Theme;

/// How the skin is colored.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SkinLook {
    /// The file's materials, textures and vertex colors.
    #[default]
    Material,
    /// One neutral color instead of the file's materials.
    Clay,
    /// The weight of one joint as a heat map.
    Heat(JointId),
    /// The weights of several joints, each in its color: the darker, the less.
    Weights(Arc<[JointId]>),
    /// Triangles that a single joint moves in that joint's color, blended ones dark.
    Influences,
    /// Every vertex in the mean of its joints' colors, by weight.
    JointColors,
    /// Normals as colors: X red, Y green, Z blue.
    Normals,
    /// A scalar per vertex, mapped to a color ramp.
    Field(Field),
    /// The skin is not drawn.
    Hidden,
}

impl SkinLook {
    /// Whether colors stand for values, so that lighting must not change them much.
    pub(super) fn shows_data(&self) -> bool {
        match self {
            Self::Heat(_) | Self::Weights(_) | Self::Influences | Self::JointColors | Self::Field(_) => true,
            Self::Material | Self::Clay | Self::Normals | Self::Hidden => false,
        }
    }
}

/// A scalar per vertex of each mesh instance, for difference maps and other measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// One list per mesh instance, one value per vertex.
    pub values: Vec<Arc<[f32]>>,
    /// Value at the lower end of the ramp.
    pub low: f32,
    /// Value at the upper end of the ramp.
    pub high: f32,
    /// Color ramp from `low` to `high`.
    pub ramp: Ramp,
}

/// How the bones are colored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneLook {
    /// Bones are not drawn.
    #[default]
    Hidden,
    /// One pale color for all bones.
    Plain,
    /// Each bone in its joint's color, as in [`SkinLook::Influences`].
    ByJoint,
}

/// What a stage shows of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct StageOptions {
    /// How the skin is colored.
    pub skin: SkinLook,
    /// Opacity of the skin from 0 to 1.
    pub skin_opacity: f32,
    /// Whether triangle edges are drawn over the skin.
    pub wire: bool,
    /// Whether heat maps and fields have lines of equal value.
    pub contours: bool,
    /// Whether vertex normals are drawn as lines.
    pub normals: bool,
    /// How the bones are colored.
    pub bones: BoneLook,
    /// Whether the axes of every joint are drawn.
    pub axes: bool,
    /// Whether the bounds of each visible mesh instance are drawn.
    pub bounds: bool,
    /// Whether the box of each bone is drawn: around the vertices that follow its joint most, turning with the joint.
    pub bone_boxes: bool,
    /// The joint whose bone is highlighted.
    pub selected: Option<JointId>,
    /// Whether grid and ground shadow are drawn.
    pub ground: bool,
    /// Background of the scene.
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
            bone_boxes: false,
            selected: None,
            ground: true,
            theme: Theme::Light,
        }
    }
}
