//! What a person chooses to see.

use sinew::Method;
use sinew_view::theme::Theme;

/// What the skin shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ViewportLook {
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
    pub(super) const ALL: [Self; 12] = [
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

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Clay => "clay",
            Self::Heat => "heat of joint",
            Self::Influences => "influences",
            Self::Counts => "influence count",
            Self::JointColors => "joint colours",
            Self::Volume => "volume",
            Self::Stretch => "stretch",
            Self::CandyWrap => "candy-wrap",
            Self::Difference => "difference",
            Self::Normals => "normals",
            Self::Hidden => "no skin",
        }
    }

    pub(super) const fn hint(self) -> &'static str {
        match self {
            Self::Material => "Colours and textures of the file",
            Self::Clay => "One neutral colour",
            Self::Heat => "The weight of the selected joint",
            Self::Influences => "Triangles of one joint in its colour, blended ones dark",
            Self::Counts => "How many joints move a vertex",
            Self::JointColors => "Every vertex in the mix of its joints' colours",
            Self::Volume => "Blue where the skin has sunk towards its bone, red where it bulges",
            Self::Stretch => "Blue where edges are shorter than at rest, red where they are longer",
            Self::CandyWrap => "Where a twist makes the skin collapse",
            Self::Difference => "How far vertices are from those of the other view",
            Self::Normals => "Normals as colours",
            Self::Hidden => "Bones alone",
        }
    }

    /// True for maps of the deformed surface: they change with every pose.
    pub(super) const fn follows_pose(self) -> bool {
        matches!(self, Self::Volume | Self::Stretch | Self::CandyWrap | Self::Difference)
    }
}

/// What a second view beside the first shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// The same character by another method.
    Method(Method),
    /// The weights that the file came with, by the same method.
    OpenedWeights,
    /// The same character with its helpers off.
    WithoutHelpers,
}

impl Compared {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Method(method) => method.name(),
            Self::OpenedWeights => "weights as opened",
            Self::WithoutHelpers => "without helpers",
        }
    }
}

/// Who deforms the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DeformDevice {
    #[default]
    Processor,
    Card,
}

/// Everything that decides how the scene looks beside the document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LookOptions {
    pub(super) look: ViewportLook,
    pub(super) opacity: f32,
    pub(super) wire: bool,
    pub(super) bones: bool,
    pub(super) axes: bool,
    pub(super) normals: bool,
    pub(super) ground: bool,
    pub(super) bounds: bool,
    /// The camera goes along with a character that a clip carries away.
    pub(super) follow: bool,
    pub(super) theme: Theme,
    /// A second view beside the first.
    pub(super) compared: Option<Compared>,
    pub(super) worker: DeformDevice,
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
            follow: true,
            theme: Theme::Dark,
            compared: None,
            worker: DeformDevice::Processor,
        }
    }
}
