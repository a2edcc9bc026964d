//! Feet and hands of the target that touch the ground.

use super::{
    align::AlignedBody,
    contact::faded,
    report::{ContactPart, ContactReport, GroundFigures},
    skin_points::SkinPoints,
    slide::SlideMeter,
    working_target::WorkingTarget,
};
use sinew::{
    BodySide, JointId, LocalPose, ModelPose, Transform,
    constrain::{TwoBone, TwoBoneParts},
    glam::{Quat, Vec3},
};
use std::ops::Range;

/// The cosine of the smallest bend at rest (5°) that defines the hinge axis.
const STRAIGHT: f32 = 0.996;
/// A bend the wrong way up to this angle is the noise of captures, in degrees.
const STRAIGHT_DEGREES: f32 = 5.0;

/// The ground and the size of the character on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroundPlane {
    pub(super) up: Vec3,
    pub(super) height: f32,
    pub(super) body_height: f32,
    pub(super) fade_secs: f32,
}

/// One foot or hand of the target with its contacts.
#[derive(Debug)]
pub(super) struct ContactLimb {
    part: ContactPart,
    side: BodySide,
    pub(super) limb: TwoBone,
    pub(super) joints: [JointId; 3],
    /// The length of both bones.
    pub(super) length: f32,
    /// The vertices of the foot or hand; points of the skeleton if it has none.
    surface: SkinPoints,
    has_vertices: bool,
    /// The axis about which a positive rotation bends the limb, in the space of its first joint; `None` if unknown.
    hinge: Option<Vec3>,
    contacts: Vec<Range<usize>>,
}

impl ContactLimb {
    /// The limb of one side; `None` if the target does not have it or IK cannot use its joints.
    pub(super) fn new(
        target: &WorkingTarget<'_>,
        part: ContactPart,
        side: BodySide,
        ground: f32,
        contacts: Vec<Range<usize>>,
    ) -> Option<Self> {
        let body = target.aligned();
        let limbs = body.anatomy.side(side);
        let (joints, point) = match part {
            ContactPart::Foot => (limbs.leg(), body.toe_point(side)),
            ContactPart::Hand => (limbs.arm(), body.hand_point(side)),
        };
        let joints = joints?;
        let point = point.filter(|&p| body.skeleton.is_within(p, joints[2])).unwrap_or(joints[2]);
        let hinge = hinge(&body, part, joints);
        let mid_turn = Transform::from_affine(&body.rest.joint(joints[1])).0.rotation;
        let ik_hinge = hinge.filter(|_| is_straight(&body, joints)).map(|axis| mid_turn.conjugate() * axis);
        let parts = TwoBoneParts { hinge: ik_hinge, ..TwoBoneParts::new(joints[0], joints[1], joints[2]) };
        let limb = TwoBone::new(body.skeleton, parts).ok()?;
        let first_turn = Transform::from_affine(&body.rest.joint(joints[0])).0.rotation;
        let surface = surface(target, joints[2]);
        let has_vertices = surface.is_some();
        let surface = surface.unwrap_or_else(|| match part {
            ContactPart::Foot => skeleton_sole(&body, joints[2], point, ground),
            ContactPart::Hand => skeleton_palm(&body, joints[2], point),
        });
        let hinge = hinge.map(|axis| first_turn.conjugate() * axis);
        let [a, b, c] = joints.map(|j| body.at(j));
        let length = a.distance(b) + b.distance(c);
        Some(Self { part, side, limb, joints, length, surface, has_vertices, hinge, contacts })
    }

    pub(super) fn end(&self) -> JointId {
        self.joints[2]
    }

    pub(super) fn report(&self, times_secs: &[f32]) -> ContactReport {
        let vertices = if self.has_vertices { self.surface.len() } else { 0 };
        ContactReport::new(self.part, self.side, vertices, &self.contacts, times_secs)
    }

    /// How firmly the limb stays where it is while the body sinks, from 0 to 1: feet always, hands only around contacts.
    pub(super) fn hold(&self, times_secs: &[f32], frame: usize, fade_secs: f32) -> f32 {
        match self.part {
            ContactPart::Foot => 1.0,
            ContactPart::Hand => faded(times_secs, &self.contacts, frame, fade_secs, |_, _| Vec3::X).x,
        }
    }

    /// The offset of the end in each frame that pins the limb in contacts and keeps it above the ground.
    pub(super) fn corrections(
        &self,
        track: &LimbTrack,
        times_secs: &[f32],
        ground: &GroundPlane,
    ) -> Vec<Vec3> {
        let up = ground.up;
        let pins = self.pins(track);
        // The lowest vertex stands on the ground, however the foot is tilted.
        let inside = |_: usize, frame: usize| pins[frame] + up * (ground.height - track.lowest[frame]);
        let correction = |frame: usize| {
            let by = faded(times_secs, &self.contacts, frame, ground.fade_secs, inside);
            let low = track.lowest[frame] + by.dot(up);
            by + up * (ground.height - low).max(0.0)
        };
        (0..times_secs.len()).map(correction).collect()
    }

    /// The offset over the ground in each frame that keeps the touching vertices in place. A foot rolls: other vertices touch
    /// the ground from frame to frame, so the steps of those that do are added up.
    fn pins(&self, track: &LimbTrack) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; track.steps.len()];
        for contact in &self.contacts {
            let mut sum = Vec3::ZERO;
            for frame in contact.clone() {
                sum -= track.steps[frame];
                out[frame] = sum;
            }
            // The contact stays around the place where the motion has it.
            let mean = out[contact.clone()].iter().sum::<Vec3>() / contact.len().max(1) as f32;
            out[contact.clone()].iter_mut().for_each(|offset| *offset -= mean);
        }
        out
    }

    /// The height of the lowest vertex.
    pub(super) fn lowest(&self, model: &ModelPose, up: Vec3) -> f32 {
        self.surface.lowest(model, up).unwrap_or(f32::INFINITY)
    }

    /// True if the limb touches the ground in a frame.
    pub(super) fn touches(&self, frame: usize) -> bool {
        self.contacts.iter().any(|c| c.contains(&frame))
    }

    /// Follows the limb through `poses` and measures its vertices.
    pub(super) fn measure(
        &self,
        target: &WorkingTarget<'_>,
        poses: &[LocalPose],
        times_secs: &[f32],
        ground: &GroundPlane,
    ) -> LimbTrack {
        let mut out = LimbTrack { steps: vec![Vec3::ZERO; poses.len()], ..LimbTrack::default() };
        let mut model = ModelPose::new(&target.skeleton);
        let mut meter = SlideMeter::new(self.surface.len(), ground.up, ground.body_height);
        let mut places = Vec::with_capacity(self.surface.len());
        let mut contact = self.contacts.iter().peekable();
        for (frame, pose) in poses.iter().enumerate() {
            model.update(&target.skeleton, pose);
            places.clear();
            places.extend(self.surface.places(&model));
            let lowest = places.iter().map(|p| p.dot(ground.up)).fold(f32::INFINITY, f32::min);
            out.push(self, &model, lowest);
            let above = lowest - ground.height;
            out.figures.penetration_meters = out.figures.penetration_meters.max(-above);
            while contact.next_if(|c| c.end <= frame).is_some() {}
            match contact.peek().filter(|c| c.contains(&frame)) {
                Some(c) => {
                    if c.start == frame {
                        meter.lift();
                    }
                    let secs = frame.checked_sub(1).map_or(0.0, |f| times_secs[frame] - times_secs[f]);
                    out.steps[frame] = meter.push(&places, secs);
                    out.figures.hover_meters = out.figures.hover_meters.max(above);
                }
                None => meter.lift(),
            }
            out.note_bend(self, &model, &places);
        }
        out.figures.slide = meter.finish();
        out
    }

    /// The bend of the limb, negative for the wrong way, in radians.
    fn bend(&self, model: &ModelPose) -> Option<f32> {
        let [a, b, c] = self.joints.map(|j| Vec3::from(model.joint(j).translation));
        let turn: Quat = Transform::from_affine(&model.joint(self.joints[0])).0.rotation;
        let (upper, lower) = ((b - a).try_normalize()?, (c - b).try_normalize()?);
        Some(upper.cross(lower).dot(turn * self.hinge?).atan2(upper.dot(lower)))
    }
}

/// The motion of a limb over time.
#[derive(Debug, Default)]
pub(super) struct LimbTrack {
    pub(super) ends: Vec<Vec3>,
    /// How far the touching vertices move over the ground from the frame before, in contacts.
    steps: Vec<Vec3>,
    /// The height of the lowest vertex in each frame.
    pub(super) lowest: Vec<f32>,
    pub(super) figures: GroundFigures,
    pub(super) overbend_degrees: f32,
    pub(super) overbend_meters: f32,
}

impl LimbTrack {
    fn push(&mut self, limb: &ContactLimb, model: &ModelPose, lowest: f32) {
        self.ends.push(model.joint(limb.end()).translation.into());
        self.lowest.push(lowest);
    }

    fn note_bend(&mut self, limb: &ContactLimb, model: &ModelPose, places: &[Vec3]) {
        let Some(bend) = limb.bend(model).filter(|bend| bend.to_degrees() < -STRAIGHT_DEGREES) else {
            return;
        };
        let middle = Vec3::from(model.joint(limb.joints[1]).translation);
        let far = places.iter().map(|p| p.distance(middle)).fold(0.0, f32::max);
        self.overbend_degrees = self.overbend_degrees.max(-bend.to_degrees());
        self.overbend_meters = self.overbend_meters.max(2.0 * (-bend / 2.0).sin() * far);
    }
}

/// The vertices that mainly follow the end of a limb; `None` if there are none.
fn surface(target: &WorkingTarget<'_>, end: JointId) -> Option<SkinPoints> {
    Some(target.vertices_below(&[end])).filter(|points| !points.is_empty())
}

/// Two points on the ground below heel and toes at rest, for a skeleton without a mesh.
fn skeleton_sole(body: &AlignedBody<'_>, end: JointId, point: JointId, ground: f32) -> SkinPoints {
    let up = body.stance.up;
    let (ankle, toe) = (body.at(end), body.at(point));
    let lowest = ankle.dot(up).min(toe.dot(up));
    let on_ground = |p: Vec3| p + up * (ground.min(lowest) - p.dot(up));
    let heel = ankle - (toe - ankle) * 0.25;
    let end_from_model = body.rest.joint(end).inverse();
    SkinPoints::fixed(end, [heel, toe].map(|p| end_from_model.transform_point3(on_ground(p))))
}

/// The wrist and the finger that a hand points to, for a skeleton without a mesh.
fn skeleton_palm(body: &AlignedBody<'_>, end: JointId, point: JointId) -> SkinPoints {
    let end_from_model = body.rest.joint(end).inverse();
    SkinPoints::fixed(end, [end, point].map(|j| end_from_model.transform_point3(body.at(j))))
}

fn is_straight(body: &AlignedBody<'_>, joints: [JointId; 3]) -> bool {
    let [a, b, c] = joints.map(|j| body.at(j));
    (b - a).normalize_or_zero().dot((c - b).normalize_or_zero()) > STRAIGHT
}

/// The axis about which the limb bends, in model space at rest; `None` for an arm that is straight.
fn hinge(body: &AlignedBody<'_>, part: ContactPart, joints: [JointId; 3]) -> Option<Vec3> {
    let [a, b, c] = joints.map(|j| body.at(j));
    // The legs of a bird bend the other way than those of a human, at rest too.
    let at_rest = (b - a).cross(c - b).try_normalize().filter(|_| !is_straight(body, joints));
    match part {
        // A positive rotation about the body's left axis moves the shin backwards.
        ContactPart::Foot => at_rest.or(Some(body.stance.left)),
        ContactPart::Hand => at_rest,
    }
}
