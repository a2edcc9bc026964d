//! The view options: how the skin, the skeleton and overlays are drawn.

use sinew::Method;
use sinew_view::theme::Theme;

/// How the skin is colored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::app) enum ViewportLook {
    #[default]
    Material,
    Clay,
    Heat,
    Influences,
    Counts,
    JointColors,
    Volume,
    Stretch,
    CandyWrap,
    Difference,
    Normals,
    Hidden,
}

impl ViewportLook {
    pub(in crate::app) const ALL: [Self; 12] = [
        Self::Material,
        Self::Clay,
        Self::Heat,
        Self::Influences,
        Self::Counts,
        Self::JointColors,
        Self::Volume,
        Self::Stretch,
        Self::CandyWrap,
        Self::Difference,
        Self::Normals,
        Self::Hidden,
    ];

    pub(in crate::app) const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Clay => "clay",
            Self::Heat => "heat of joint",
            Self::Influences => "influences",
            Self::Counts => "influence count",
            Self::JointColors => "joint colors",
            Self::Volume => "volume",
            Self::Stretch => "stretch",
            Self::CandyWrap => "candy-wrap",
            Self::Difference => "difference",
            Self::Normals => "normals",
            Self::Hidden => "no skin",
        }
    }

    pub(in crate::app) const fn hint(self) -> &'static str {
        match self {
            Self::Material => "Materials and textures of the file",
            Self::Clay => "One neutral color",
            Self::Heat => "The weight of the selected joint",
            Self::Influences => "Triangles of one joint in its color, blended ones dark",
            Self::Counts => "The number of influences per vertex",
            Self::JointColors => "The colors of the joints, blended by weight",
            Self::Volume => "Blue where the skin is thinner than at rest, red where it bulges",
            Self::Stretch => "Blue where edges are shorter than at rest, red where they are longer",
            Self::CandyWrap => "Where a twist collapses the skin",
            Self::Difference => "Difference map: distance to the vertices of the other half",
            Self::Normals => "Normals as colors",
            Self::Hidden => "Bones only",
        }
    }

    /// True for maps of the deformed surface, which change with every pose.
    pub(in crate::app) const fn follows_pose(self) -> bool {
        matches!(self, Self::Volume | Self::Stretch | Self::CandyWrap | Self::Difference)
    }
}

/// What the second half of the viewport shows in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum Compared {
    /// The same character by another method.
    Method(Method),
    /// The weights as opened, by the same method.
    OpenedWeights,
    /// The same character with its helpers off.
    WithoutHelpers,
}

impl Compared {
    pub(in crate::app) const fn name(self) -> &'static str {
        match self {
            Self::Method(method) => method.name(),
            Self::OpenedWeights => "opened weights",
            Self::WithoutHelpers => "without helpers",
        }
    }
}

/// The device that deforms the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::app) enum DeformDevice {
    #[default]
    Cpu,
    Gpu,
}

/// The view options of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) struct LookOptions {
    pub(in crate::app) look: ViewportLook,
    pub(in crate::app) opacity: f32,
    pub(in crate::app) wire: bool,
    pub(in crate::app) bones: bool,
    pub(in crate::app) axes: bool,
    pub(in crate::app) normals: bool,
    pub(in crate::app) ground: bool,
    pub(in crate::app) bounds: bool,
    pub(in crate::app) bone_boxes: bool,
    /// The camera follows a character that moves through the world.
    pub(in crate::app) follow: bool,
    pub(in crate::app) theme: Theme,
    /// The comparison in the second half of the viewport.
    pub(in crate::app) compared: Option<Compared>,
    pub(in crate::app) device: DeformDevice,
}

impl Default for LookOptions {
    fn default() -> Self {
        Self {
            look: ViewportLook::Material,
            opacity: 1.0,
            wire: false,
            bones: true,
            axes: false,
            normals: false,
            ground: true,
            bounds: false,
            bone_boxes: false,
            follow: true,
            theme: Theme::Dark,
            compared: None,
            device: DeformDevice::Cpu,
        }
    }
}
