//! Rings, arrows and arms around the selected joint, and the drag that holds one of them.

mod drag;
mod draw;
#[cfg(test)]
mod tests;

pub(super) use drag::Handles;

use super::lens::ViewportCamera;
use crate::{command::Command, document::Document};
use draw::draw;
use sinew::{
    JointId, ModelPose, Transform,
    glam::{Affine3A, Mat3, Quat, Vec2, Vec3},
    transform::inverse_affine,
};
use sinew_view::gizmo::{Gizmo, GizmoShape, Handle, snapped, unwound};

/// How far handles reach, as a share of half the view's height.
const SHARE: f32 = 0.3;
/// How near to a handle the pointer takes hold of it, in points.
const NEAR_POINTS: f32 = 9.0;
/// What a turn snaps to.
pub(super) const SNAP_DEGREES: f32 = 15.0;

/// What a drag in the view does to the selected joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum GizmoMode {
    #[default]
    Rotate,
    Move,
    Scale,
    Reach,
}

impl GizmoMode {
    pub(super) const ALL: [Self; 4] = [Self::Rotate, Self::Move, Self::Scale, Self::Reach];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Rotate => "Rotate",
            Self::Move => "Move",
            Self::Scale => "Scale",
            Self::Reach => "Reach (IK)",
        }
    }

    pub(super) const fn hint(self) -> &'static str {
        match self {
            Self::Rotate => "Drag a ring to turn the joint; Ctrl snaps to 15°",
            Self::Move => "Drag an arrow to move the joint",
            Self::Scale => "Drag an arm to scale the joint",
            Self::Reach => "Drag the joint; those above it turn so that it follows (I)",
        }
    }
}

/// Whose axes the handles have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Space {
    #[default]
    Local,
    Parent,
    World,
}

impl Space {
    pub(super) const ALL: [Self; 3] = [Self::Local, Self::Parent, Self::World];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Parent => "parent",
            Self::World => "world",
        }
    }
}

/// What a person chooses about the handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HandleOptions {
    pub(super) mode: GizmoMode,
    pub(super) space: Space,
    /// How many joints turn when one reaches.
    pub(super) chain: usize,
}

impl Default for HandleOptions {
    fn default() -> Self {
        Self { mode: GizmoMode::Rotate, space: Space::Local, chain: 2 }
    }
}

/// A handle that is being dragged.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldGizmo {
    options: HandleOptions,
    joint: JointId,
    handle: Handle,
    gizmo: Gizmo,
    start: Transform,
    start_place: Vec2,
    model_from_parent: Affine3A,
    /// How far it was turned last, to count whole turns.
    radians: f32,
    /// What is written beside the pointer: degrees, metres or a factor.
    amount: f32,
    /// True once a command was sent: there is something to take back.
    pub(super) has_moved: bool,
}

/// The handles of the selected joint, as they stand.
pub(super) fn gizmo(
    options: HandleOptions,
    (document, model): (&Document, &ModelPose),
    lens: &ViewportCamera,
) -> Option<(JointId, Gizmo)> {
    let joint = document.selection().joint?;
    if joint.index() >= document.pose().joints.len() {
        return None;
    }
    let parent = document.character().skeleton().parent(joint);
    let axes = match (options.mode, options.space) {
        // A joint is scaled along its own axes, whatever is chosen.
        (GizmoMode::Scale, _) | (_, Space::Local) => axes_of(&model.joint(joint)),
        (_, Space::Parent) => parent.map_or(Mat3::IDENTITY, |parent| axes_of(&model.joint(parent))),
        (_, Space::World) => Mat3::IDENTITY,
    };
    let shape = match options.mode {
        GizmoMode::Rotate => GizmoShape::Rings,
        GizmoMode::Move | GizmoMode::Reach => GizmoShape::Arrows,
        GizmoMode::Scale => GizmoShape::Arms,
    };
    let origin = model.joint(joint).translation.into();
    Some((joint, Gizmo::new(shape, origin, axes, &lens.camera, SHARE)))
}

/// The handle under the pointer.
pub(super) fn handle_at(
    mode: GizmoMode,
    gizmo: &Gizmo,
    lens: &ViewportCamera,
    at: egui::Pos2,
) -> Option<Handle> {
    let within = NEAR_POINTS / (lens.rect.height() * 0.5).max(1.0);
    if mode == GizmoMode::Reach {
        let middle = lens.place(gizmo.origin)?;
        return (middle.distance(at) <= 2.0 * NEAR_POINTS).then_some(Handle::View);
    }
    gizmo.handle_at(&lens.seen(), lens.spot(at), within)
}

impl HeldGizmo {
    pub(super) fn new(
        options: HandleOptions,
        (joint, gizmo, handle): (JointId, Gizmo, Handle),
        (document, model): (&Document, &ModelPose),
        start_place: Vec2,
    ) -> Option<Self> {
        let parent = document.character().skeleton().parent(joint);
        let model_from_parent = parent.map_or(Affine3A::IDENTITY, |parent| model.joint(parent));
        let start = *document.pose().joints.get(joint.index())?;
        let amount = if options.mode == GizmoMode::Scale { 1.0 } else { 0.0 };
        Some(Self {
            options,
            joint,
            handle,
            gizmo,
            start,
            start_place,
            model_from_parent,
            radians: 0.0,
            amount,
            has_moved: false,
        })
    }

    /// The command that brings the joint to where the pointer at `at` wants it; `snaps` rounds a turn.
    pub(super) fn command(&mut self, lens: &ViewportCamera, at: egui::Pos2, snaps: bool) -> Option<Command> {
        let (seen, from, to) = (lens.seen(), self.start_place, lens.spot(at));
        let (joint, handle) = (self.joint.0, self.handle);
        Some(match self.options.mode {
            GizmoMode::Rotate => {
                let turned = self.gizmo.turn_radians(handle, &seen, from, to)?;
                self.radians = unwound(turned, self.radians);
                let radians =
                    if snaps { snapped(self.radians, SNAP_DEGREES.to_radians()) } else { self.radians };
                self.amount = radians.to_degrees();
                Command::Rotate { joint, rotation: self.turned(lens, radians).to_array() }
            }
            GizmoMode::Move => {
                let shift = self.gizmo.shift(handle, &seen, from, to)?;
                self.amount = shift.length();
                let shift = inverse_affine(&self.model_from_parent)?.transform_vector3(shift);
                Command::Translate { joint, translation: (self.start.translation + shift).to_array() }
            }
            GizmoMode::Scale => {
                let factor = self.gizmo.factor(handle, &seen, from, to)?;
                self.amount = factor;
                let mut scale = self.start.scale;
                match handle.axis() {
                    Some(axis) => scale[axis] *= factor,
                    None => scale *= factor,
                }
                Command::Scale { joint, scale: scale.to_array() }
            }
            GizmoMode::Reach => {
                let shift = self.gizmo.shift(Handle::View, &seen, from, to)?;
                self.amount = shift.length();
                let target = (self.gizmo.origin + shift).to_array();
                Command::Reach { joint, target, chain: self.options.chain }
            }
        })
    }

    /// The joint's rotation after a turn about the handle's axis, counter-clockwise in the view of who looks against it.
    fn turned(&self, lens: &ViewportCamera, radians: f32) -> Quat {
        // In a space that is mirrored a turn looks the other way round.
        let sense = |mirrors: bool| if mirrors { -radians } else { radians };
        let above = self.model_from_parent.matrix3.determinant() < 0.0;
        let turned = match (self.handle.axis(), self.options.space) {
            (Some(axis), Space::Local) => {
                // A negative scale turns the axis round that is drawn.
                let axis = Vec3::AXES[axis] * self.start.scale[axis].signum();
                self.start.rotation * Quat::from_axis_angle(axis, sense(above))
            }
            (Some(axis), Space::Parent) => {
                Quat::from_axis_angle(Vec3::AXES[axis], sense(above)) * self.start.rotation
            }
            _ => {
                let axis = self.gizmo.axis(self.handle, &lens.camera);
                let parent_from_model = inverse_affine(&self.model_from_parent).unwrap_or(Affine3A::IDENTITY);
                let axis = parent_from_model.transform_vector3(axis).normalize_or(Vec3::Z);
                Quat::from_axis_angle(axis, sense(above)) * self.start.rotation
            }
        };
        turned.normalize()
    }
}

/// The directions of a space's axes; those that are scaled to nothing point along the world's.
fn axes_of(model_from_joint: &Affine3A) -> Mat3 {
    let columns = Mat3::from(model_from_joint.matrix3);
    let axis = |k: usize| columns.col(k).normalize_or(Vec3::AXES[k]);
    Mat3::from_cols(axis(0), axis(1), axis(2))
}
