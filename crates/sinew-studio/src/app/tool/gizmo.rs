//! The gizmo of the selected joint: rings, arrows or arms that a drag moves.

mod controller;
mod draw;
#[cfg(test)]
mod tests;

pub(super) use controller::GizmoController;

use crate::{app::viewport::camera::ViewportCamera, command::Command, document::Document};
use draw::draw;
use sinew::{
    JointId, ModelPose, Transform,
    glam::{Affine3A, Mat3, Quat, Vec2, Vec3},
    transform::inverse_affine,
};
use sinew_view::gizmo::{Gizmo, GizmoShape, Handle, snapped, unwound};

/// The size of the gizmo as a fraction of half the viewport's height.
const SIZE: f32 = 0.3;
/// The distance within which the pointer picks a handle, in points.
const NEAR_POINTS: f32 = 9.0;
/// The step of a snapped rotation.
pub(super) const SNAP_DEGREES: f32 = 15.0;

/// The transform that a drag of the gizmo applies to the selected joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum GizmoMode {
    #[default]
    Rotate,
    Move,
    Scale,
    Reach,
}

impl GizmoMode {
    const ALL: [Self; 4] = [Self::Rotate, Self::Move, Self::Scale, Self::Reach];

    const fn name(self) -> &'static str {
        match self {
            Self::Rotate => "Rotate",
            Self::Move => "Move",
            Self::Scale => "Scale",
            Self::Reach => "Reach (IK)",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Rotate => "Drag a ring to rotate the joint; Ctrl snaps to 15°",
            Self::Move => "Drag an arrow to move the joint",
            Self::Scale => "Drag an arm to scale the joint",
            Self::Reach => "Drag the joint; its ancestors rotate so that it follows (I)",
        }
    }
}

/// The space whose axes the gizmo shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Space {
    #[default]
    Local,
    Parent,
    World,
}

impl Space {
    const ALL: [Self; 3] = [Self::Local, Self::Parent, Self::World];

    const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Parent => "parent",
            Self::World => "world",
        }
    }
}

/// The options of the gizmo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GizmoOptions {
    mode: GizmoMode,
    space: Space,
    /// The number of ancestors that IK rotates.
    chain: usize,
}

impl Default for GizmoOptions {
    fn default() -> Self {
        Self { mode: GizmoMode::Rotate, space: Space::Local, chain: 2 }
    }
}

/// The drag of one handle.
#[derive(Clone, Copy, Debug)]
struct GizmoDrag {
    options: GizmoOptions,
    joint: JointId,
    handle: Handle,
    gizmo: Gizmo,
    start: Transform,
    /// The pointer at the start, in normalized device coordinates.
    start_ndc: Vec2,
    model_from_parent: Affine3A,
    /// The space that the joint's rotation is relative to.
    turn_frame: Affine3A,
    /// The last rotation angle, to count full turns.
    radians: f32,
    /// The number shown at the pointer: degrees, meters or a factor.
    amount: f32,
    /// True once a command was sent, so that canceling has to undo it.
    has_moved: bool,
}

/// The document and its pose in model space.
#[derive(Clone, Copy)]
struct PosedDocument<'a> {
    document: &'a Document,
    model: &'a ModelPose,
}

/// The gizmo of a joint.
#[derive(Clone, Copy)]
struct JointGizmo {
    joint: JointId,
    gizmo: Gizmo,
}

/// The gizmo of the selected joint.
fn gizmo_of_selection(
    options: GizmoOptions,
    PosedDocument { document, model }: PosedDocument<'_>,
    view: &ViewportCamera,
) -> Option<JointGizmo> {
    let joint = document.selection().joint?;
    if joint.index() >= document.pose().joints.len() {
        return None;
    }
    let skeleton = document.character().skeleton();
    let parent = skeleton.parent(joint);
    let axes = match (options.mode, options.space) {
        // A joint always scales along its own axes.
        (GizmoMode::Scale, _) | (_, Space::Local) => axes_of(&model.joint(joint)),
        (GizmoMode::Rotate, Space::Parent) => axes_of(&model.turn_frame(skeleton, joint)),
        (_, Space::Parent) => parent.map_or(Mat3::IDENTITY, |parent| axes_of(&model.joint(parent))),
        (_, Space::World) => Mat3::IDENTITY,
    };
    let shape = match options.mode {
        GizmoMode::Rotate => GizmoShape::Rings,
        GizmoMode::Move | GizmoMode::Reach => GizmoShape::Arrows,
        GizmoMode::Scale => GizmoShape::Arms,
    };
    let origin = model.joint(joint).translation.into();
    Some(JointGizmo { joint, gizmo: Gizmo::new(shape, origin, axes, &view.camera, SIZE) })
}

/// The handle under the pointer.
fn handle_at(mode: GizmoMode, gizmo: &Gizmo, view: &ViewportCamera, at: egui::Pos2) -> Option<Handle> {
    let within = NEAR_POINTS / (view.rect.height() * 0.5).max(1.0);
    if mode == GizmoMode::Reach {
        let center = view.project(gizmo.origin)?;
        return (center.distance(at) <= 2.0 * NEAR_POINTS).then_some(Handle::View);
    }
    gizmo.handle_at(&view.projection(), view.ndc(at), within)
}

impl GizmoDrag {
    fn new(
        options: GizmoOptions,
        JointGizmo { joint, gizmo }: JointGizmo,
        handle: Handle,
        PosedDocument { document, model }: PosedDocument<'_>,
        start_ndc: Vec2,
    ) -> Option<Self> {
        let skeleton = document.character().skeleton();
        let parent = skeleton.parent(joint);
        let model_from_parent = parent.map_or(Affine3A::IDENTITY, |parent| model.joint(parent));
        let start = *document.pose().joints.get(joint.index())?;
        let amount = if options.mode == GizmoMode::Scale { 1.0 } else { 0.0 };
        Some(Self {
            options,
            joint,
            handle,
            gizmo,
            start,
            start_ndc,
            model_from_parent,
            turn_frame: model.turn_frame(skeleton, joint),
            radians: 0.0,
            amount,
            has_moved: false,
        })
    }

    /// The command that moves the joint with the pointer at `at`; `snaps` rounds a rotation.
    fn command(&mut self, view: &ViewportCamera, at: egui::Pos2, snaps: bool) -> Option<Command> {
        let (projection, from, to) = (view.projection(), self.start_ndc, view.ndc(at));
        let (joint, handle) = (self.joint.0, self.handle);
        Some(match self.options.mode {
            GizmoMode::Rotate => {
                let turn = self.gizmo.turn_radians(handle, &projection, from, to)?;
                self.radians = unwound(turn, self.radians);
                let radians =
                    if snaps { snapped(self.radians, SNAP_DEGREES.to_radians()) } else { self.radians };
                self.amount = radians.to_degrees();
                Command::Rotate { joint, rotation: self.rotated(view, radians).to_array() }
            }
            GizmoMode::Move => {
                let shift = self.gizmo.shift(handle, &projection, from, to)?;
                self.amount = shift.length();
                let shift = inverse_affine(&self.model_from_parent)?.transform_vector3(shift);
                Command::Translate { joint, translation: (self.start.translation + shift).to_array() }
            }
            GizmoMode::Scale => {
                let factor = self.gizmo.factor(handle, &projection, from, to)?;
                self.amount = factor;
                let mut scale = self.start.scale;
                match handle.axis() {
                    Some(axis) => scale[axis] *= factor,
                    None => scale *= factor,
                }
                Command::Scale { joint, scale: scale.to_array() }
            }
            GizmoMode::Reach => {
                let shift = self.gizmo.shift(Handle::View, &projection, from, to)?;
                self.amount = shift.length();
                let target = (self.gizmo.origin + shift).to_array();
                Command::Reach { joint, target, chain: self.options.chain }
            }
        })
    }

    /// The joint's local rotation after a turn about the handle's axis, counterclockwise seen against the axis.
    fn rotated(&self, view: &ViewportCamera, radians: f32) -> Quat {
        // In a mirrored space a rotation looks reversed.
        let is_mirrored = self.turn_frame.matrix3.determinant() < 0.0;
        let radians = if is_mirrored { -radians } else { radians };
        let rotated = match (self.handle.axis(), self.options.space) {
            (Some(axis), Space::Local) => {
                // A negative scale reverses the drawn axis.
                let axis = Vec3::AXES[axis] * self.start.scale[axis].signum();
                self.start.rotation * Quat::from_axis_angle(axis, radians)
            }
            (Some(axis), Space::Parent) => {
                Quat::from_axis_angle(Vec3::AXES[axis], radians) * self.start.rotation
            }
            (None, _) | (Some(_), Space::World) => {
                let axis = self.gizmo.axis(self.handle, &view.camera);
                let parent_from_model = inverse_affine(&self.turn_frame).unwrap_or(Affine3A::IDENTITY);
                let axis = parent_from_model.transform_vector3(axis).normalize_or(Vec3::Z);
                Quat::from_axis_angle(axis, radians) * self.start.rotation
            }
        };
        rotated.normalize()
    }
}

/// The axes of a space as unit vectors; an axis of zero scale points along the world's.
fn axes_of(model_from_joint: &Affine3A) -> Mat3 {
    let columns = Mat3::from(model_from_joint.matrix3);
    let axis = |k: usize| columns.col(k).normalize_or(Vec3::AXES[k]);
    Mat3::from_cols(axis(0), axis(1), axis(2))
}
