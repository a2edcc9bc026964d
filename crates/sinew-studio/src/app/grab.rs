//! G, R and S: a joint that follows the pointer until a click.

use super::{handles::SNAP_DEGREES, lens::ViewportCamera};
use crate::command::Command;
use sinew::{
    JointId, ModelPose, Skeleton, Transform,
    glam::{Affine3A, Quat, Vec3},
    transform::inverse_affine,
};
use sinew_view::gizmo::snapped;

/// What follows the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GrabKind {
    Move,
    Rotate,
    Scale,
}

/// A joint that is being moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grab {
    pub(super) kind: GrabKind,
    pub(super) joint: JointId,
    /// Its own gesture, so that it is one step of the history.
    pub(super) gesture: u64,
    /// One of the joint's own axes, where the movement is bound to it.
    pub(super) axis: Option<Vec3>,
    start: Transform,
    start_at: egui::Pos2,
    model_from_parent: Affine3A,
    origin: Vec3,
    /// True once a command was sent: there is something to take back.
    pub(super) has_moved: bool,
}

impl Grab {
    pub(super) fn new(
        kind: GrabKind,
        gesture: u64,
        joint: JointId,
        (skeleton, model, start): (&Skeleton, &ModelPose, Transform),
        start_at: egui::Pos2,
    ) -> Self {
        let parent = skeleton.parent(joint);
        let model_from_parent = parent.map_or(Affine3A::IDENTITY, |parent| model.joint(parent));
        let origin = model.joint(joint).translation.into();
        Self {
            kind,
            joint,
            gesture,
            axis: None,
            start,
            start_at,
            model_from_parent,
            origin,
            has_moved: false,
        }
    }

    /// The command that brings the joint to where the pointer at `at` wants it; `snaps` rounds a turn.
    pub(super) fn command(&self, lens: &ViewportCamera, at: egui::Pos2, snaps: bool) -> Option<Command> {
        let center = lens.place(self.origin)?;
        let joint = self.joint.0;
        Some(match self.kind {
            GrabKind::Move => Command::Translate { joint, translation: self.moved(lens, at)?.to_array() },
            GrabKind::Rotate => {
                Command::Rotate { joint, rotation: self.turned(lens, (center, at), snaps).to_array() }
            }
            GrabKind::Scale => {
                let ratio = (at - center).length() / (self.start_at - center).length().max(1.0);
                let factors = self.axis.map_or(Vec3::splat(ratio), |axis| Vec3::ONE + axis * (ratio - 1.0));
                Command::Scale { joint, scale: (self.start.scale * factors).to_array() }
            }
        })
    }

    /// About the line of sight, or about the joint's own axis.
    fn turned(&self, lens: &ViewportCamera, (center, at): (egui::Pos2, egui::Pos2), snaps: bool) -> Quat {
        let (from, to) = (self.start_at - center, at - center);
        // The window's y points down: what looks counter-clockwise has a falling angle.
        let angle = from.angle() - to.angle();
        let angle = if snaps { snapped(angle, SNAP_DEGREES.to_radians()) } else { angle };
        match self.axis {
            Some(axis) => (self.start.rotation * Quat::from_axis_angle(axis, angle)).normalize(),
            None => {
                let sight = lens.camera.axes().z_axis;
                let parent_from_model = inverse_affine(&self.model_from_parent).unwrap_or(Affine3A::IDENTITY);
                let axis = parent_from_model.transform_vector3(sight).normalize_or(Vec3::Z);
                (Quat::from_axis_angle(axis, angle) * self.start.rotation).normalize()
            }
        }
    }

    /// In the plane that faces the camera, or along the joint's own axis.
    fn moved(&self, lens: &ViewportCamera, at: egui::Pos2) -> Option<Vec3> {
        let facing = lens.camera.axes().z_axis;
        let meet = |at: egui::Pos2| {
            let ray = lens.ray(at);
            let along = (self.origin - ray.origin).dot(facing) / ray.direction.dot(facing);
            along.is_finite().then(|| ray.origin + ray.direction * along)
        };
        let shift = meet(at)? - meet(self.start_at)?;
        let mut shift = inverse_affine(&self.model_from_parent)?.transform_vector3(shift);
        if let Some(axis) = self.axis {
            let axis = self.start.rotation * axis;
            shift = axis * shift.dot(axis);
        }
        Some(self.start.translation + shift)
    }
}
