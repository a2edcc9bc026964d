//! The template of joints, and which way the body faces.

use super::{AutorigError, AutorigReport, BodyKind, four_legged, layers::Layers, solid::Solid, upright};
use crate::weights::WeldedSurface;
use sinew::{
    HumanBone, Mesh, MeshParts,
    glam::{DVec3, Quat, Vec3},
};

/// A joint of the template.
#[derive(Clone, Debug)]
pub(super) struct TemplateJoint {
    /// The name of the joint: that of the bone, if it is one of a humanoid.
    pub(super) name: String,
    pub(super) bone: Option<HumanBone>,
    /// The index of the joint above it, which comes earlier.
    pub(super) parent: Option<usize>,
    /// The position: in unit-box space while it is fitted, in model space afterwards.
    pub(super) place: DVec3,
}

/// The joints of a body, parents first.
#[derive(Clone, Debug, Default)]
pub(super) struct FittedBody {
    pub(super) joints: Vec<TemplateJoint>,
    pub(super) guessed: Vec<HumanBone>,
}

impl FittedBody {
    /// Adds the joint of a bone below the joint of the nearest bone above it that is there.
    pub(super) fn add(&mut self, bone: HumanBone, place: DVec3) {
        let mut above = bone.parent();
        let mut parent = None;
        while let (Some(bone), None) = (above, parent) {
            parent = self.joints.iter().position(|joint| joint.bone == Some(bone));
            above = bone.parent();
        }
        self.joints.push(TemplateJoint { name: bone.name().into(), bone: Some(bone), parent, place });
    }

    /// Adds a joint that humans do not have.
    pub(super) fn add_other(&mut self, name: String, parent: usize, place: DVec3) {
        self.joints.push(TemplateJoint { name, bone: None, parent: Some(parent), place });
    }

    pub(super) fn find(&self, bone: HumanBone) -> Option<usize> {
        self.joints.iter().position(|joint| joint.bone == Some(bone))
    }
}

/// A solid with its layers and its plane of symmetry.
pub(super) struct Body {
    pub(super) solid: Solid,
    pub(super) layers: Layers,
    /// The x of the plane between left and right.
    pub(super) middle: f64,
}

impl Body {
    fn of(surface: &WeldedSurface) -> Self {
        let solid = Solid::new(surface);
        let layers = Layers::of(&solid);
        let middle = best_plane(&solid, 0).1;
        Self { solid, layers, middle }
    }

    pub(super) fn height(&self) -> f64 {
        self.solid.high.y - self.solid.low.y
    }

    /// The height above the ground that is a fraction of that of the body.
    pub(super) fn at_height(&self, fraction: f64) -> f64 {
        self.solid.low.y + fraction * self.height()
    }
}

/// Fits a body to meshes in model space, y up.
pub(super) fn fit(
    meshes: &[Mesh],
    kind: BodyKind,
) -> Result<(Vec<TemplateJoint>, AutorigReport), AutorigError> {
    let mut quarter_turns = 0;
    let mut body = turned_body(meshes, quarter_turns)?;
    if best_plane(&body.0.solid, 2).0 > best_plane(&body.0.solid, 0).0 + MORE_SYMMETRIC {
        quarter_turns = 1;
        body = turned_body(meshes, quarter_turns)?;
    }
    let kind = match kind {
        BodyKind::Auto if four_legged::stands_on_four(&body.0) => BodyKind::FourLegged,
        BodyKind::Auto => BodyKind::Upright,
        given => given,
    };
    let (forwardness, clear) = match kind {
        BodyKind::FourLegged => (four_legged::forwardness(&body.0), 0.6),
        BodyKind::Auto | BodyKind::Upright => (upright::forwardness(&body.0), 0.05),
    };
    // Files should look to +z; only clear signs tell that one does not. A body that is turned sideways has no such rule.
    if forwardness < if quarter_turns == 0 { -clear } else { 0.0 } {
        quarter_turns += 2;
        body = turned_body(meshes, quarter_turns)?;
    }
    let (body, surface) = body;
    let fitted = match kind {
        BodyKind::FourLegged => four_legged::fit(&body),
        BodyKind::Auto | BodyKind::Upright => upright::fit(&body),
    };
    let back = turn(-quarter_turns);
    let place = |joint: TemplateJoint| {
        let turned = surface.mesh_from_unit(joint.place).as_vec3();
        TemplateJoint { place: (back * turned).as_dvec3(), ..joint }
    };
    let height = body.height() / surface.scale;
    let report = AutorigReport { kind, height, guessed: fitted.guessed };
    Ok((fitted.joints.into_iter().map(place).collect(), report))
}

/// How much more symmetric a body must be front to back than left to right to be turned.
const MORE_SYMMETRIC: f64 = 0.04;

fn turn(quarters: i32) -> Quat {
    Quat::from_rotation_y(std::f32::consts::FRAC_PI_2 * quarters as f32)
}

fn turned_body(meshes: &[Mesh], quarter_turns: i32) -> Result<(Body, WeldedSurface), AutorigError> {
    let turn = turn(quarter_turns);
    let turned = |mesh: &Mesh| {
        let positions = mesh.positions().iter().map(|&p| turn * p).collect();
        Mesh::new(MeshParts {
            positions,
            indices: mesh.indices().to_vec(),
            primitives: mesh.primitives().to_vec(),
            ..MeshParts::default()
        })
    };
    let meshes: Vec<Mesh> = meshes.iter().map(turned).collect::<Result<_, _>>()?;
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let surface = WeldedSurface::of_meshes(&meshes);
    let positions = meshes.iter().flat_map(|mesh| mesh.positions());
    let (low, high) = positions.fold((Vec3::MAX, Vec3::MIN), |(l, h), &p| (l.min(p), h.max(p)));
    let extent = (high - low).as_dvec3();
    if surface.triangles.is_empty() || !extent.is_finite() {
        return Err(AutorigError::NoSurface);
    }
    let width = extent.x.max(extent.z);
    if extent.y <= width * MIN_EXTENT || width <= extent.y * MIN_EXTENT {
        return Err(AutorigError::Flat { height: extent.y, width });
    }
    Ok((Body::of(&surface), surface))
}

/// A body is at least this high relative to its width, and this wide relative to its height.
const MIN_EXTENT: f64 = 0.02;

/// The symmetry about the best plane across `axis`, and where it is.
fn best_plane(solid: &Solid, axis: usize) -> (f64, f64) {
    const PLACES: i32 = 12;
    let (low, high) = (solid.low[axis], solid.high[axis]);
    let (center, reach) = ((low + high) * 0.5, (high - low) * 0.12);
    let plane = |n: i32| center + reach * f64::from(n) / f64::from(PLACES);
    // Of equally symmetric planes the one nearest to the center.
    let mut order: Vec<i32> = (-PLACES..=PLACES).collect();
    order.sort_by_key(|n| n.abs());
    let planes = order.into_iter().map(|n| (solid.symmetry(axis, plane(n)), plane(n)));
    planes.fold((-1.0, center), |best, next| if next.0 > best.0 + 1e-3 { next } else { best })
}
