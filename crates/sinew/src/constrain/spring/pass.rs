//! One pass over the joints that swing: Verlet integration, collisions and the rotations that follow.
//!
//! Most bones take [`super::bone`], eight at a time; [`swing`] is for those with a limit and for those that need care.

use super::{
    JointFromWorld, NodeParent, SpringPair, SpringStep, Springs,
    collide::{ColliderSpace, WorldShape, largest_scale},
    lanes::{BoneSpan, swing_bones},
    limit::PlacedLimit,
    real::Real,
    state::{CenterSpace, NodeMatrix, PairState, SpringState, SpringTiming, precise},
};
use crate::{
    constrain::rotation::{arc, parent_from_model},
    pose::ModelPose,
    simd::{Level, dispatch},
    transform::Transform,
};
use fearless_simd::f32x8;
use glam::{Affine3A, DAffine3, DVec3, Mat3A, Quat, Vec3, Vec3A};

/// The length of a fixed step. Stiffness, drag and gravity of `VRMC_springBone` are per frame; files are made for 60 Hz.
const STEP_SECS: f64 = 1.0 / 60.0;
/// A step is taken early by this fraction, and a part of a step below it is not shown: at 60 Hz one pass per frame is enough.
const SLACK: f64 = 1e-3;
/// The most steps of one call. A longer pause is cut short.
const MAX_STEPS: f64 = 12.0;

/// What happens in one pass.
#[derive(Clone, Copy)]
pub(super) struct Pass {
    /// The time over which forces act, in seconds.
    pub(super) dt_secs: f32,
    /// The part of the step that is taken.
    pub(super) fraction: f32,
    /// True if the result is the new state, false if it is only shown.
    pub(super) is_kept: bool,
}

/// Advances `state` by a step, with the local transforms of the pose in `joints`.
pub(super) fn step(
    level: Level,
    springs: &Springs,
    step: &SpringStep,
    model: &ModelPose,
    state: &mut SpringState,
    joints: &[Transform],
) {
    let dt_secs = if step.dt_secs.is_finite() { step.dt_secs.max(0.0) } else { 0.0 };
    state.world_from_model = step.world_from_model.to_affine();
    state.anchors.read(&springs.anchors, model, &state.world_from_model);
    for (pair, of) in springs.pairs.iter().zip(&mut state.pairs) {
        of.tail = pair.tail.in_joint(joints);
    }
    if state.is_fresh {
        start(springs, state, joints);
    }
    match state.options.timing {
        SpringTiming::Fixed => fixed_steps(level, springs, f64::from(dt_secs), state, joints),
        SpringTiming::EachCall => {
            let is_kept = dt_secs > 0.0;
            state.anchors.place_at_end();
            let fraction = if is_kept { 1.0 } else { 0.0 };
            run(level, springs, Pass { dt_secs, fraction, is_kept }, state, joints);
        }
    }
}

/// Puts every bone at rest, without velocity, below the joints of the latest pose.
fn start(springs: &Springs, state: &mut SpringState, joints: &[Transform]) {
    state.is_fresh = false;
    state.remainder_secs = 0.0;
    state.anchors.stop();
    place_spaces(springs, state);
    for (at, node) in springs.nodes.iter().enumerate() {
        let local = &joints[node.joint.index()];
        let frame = frame_of(springs, at, state, joints);
        let rotation = node.pair.map_or(local.rotation, |pair| springs.pairs[pair as usize].rest);
        place_node(springs, at, &frame, rotation, local.scale, state);
        if let Some(pair) = node.pair.map(|pair| pair as usize) {
            let NodeMatrix { place, linear, .. } = state.nodes[at];
            let tail = place + (linear * Vec3A::from(state.pairs[pair].tail)).as_dvec3();
            let tail = in_center(springs.pairs[pair].center, &state.centers, tail);
            let PairState { current, previous, rotation: kept, .. } = &mut state.pairs[pair];
            (*current, *previous, *kept) = (tail, tail, rotation);
            state.shown[pair] = rotation;
        }
    }
}

/// As many fixed steps as fit, then a part of the next one for show.
fn fixed_steps(level: Level, springs: &Springs, dt_secs: f64, state: &mut SpringState, joints: &[Transform]) {
    let total = state.remainder_secs + dt_secs;
    let count = (total / STEP_SECS + SLACK).floor().max(0.0);
    state.remainder_secs = total - count * STEP_SECS;
    let count = count.min(MAX_STEPS) as u32;
    let whole = Pass { dt_secs: STEP_SECS as f32, fraction: 1.0, is_kept: true };
    let mut is_prepared = false;
    for left in (0..count).rev() {
        let late_secs = state.remainder_secs + f64::from(left) * STEP_SECS;
        if late_secs <= SLACK * STEP_SECS {
            state.anchors.place_at_end();
        } else {
            if !std::mem::replace(&mut is_prepared, true) {
                state.anchors.prepare();
            }
            state.anchors.place_at((1.0 - late_secs / dt_secs).clamp(0.0, 1.0) as f32);
        }
        run(level, springs, whole, state, joints);
    }
    let fraction = (state.remainder_secs / STEP_SECS).clamp(0.0, 1.0);
    if count == 0 || fraction > SLACK {
        state.anchors.place_at_end();
        run(level, springs, Pass { fraction: fraction as f32, is_kept: false, ..whole }, state, joints);
    }
}

/// Evaluates every node with the anchors where they are now.
fn run(level: Level, springs: &Springs, pass: Pass, state: &mut SpringState, joints: &[Transform]) {
    place_spaces(springs, state);
    if level.is_fallback() {
        run_groups::<f32>((), springs, &pass, state, joints);
    } else {
        dispatch!(level, simd => run_groups::<f32x8<_>>(simd, springs, &pass, state, joints));
    }
}

#[inline(always)]
fn run_groups<R: Real>(
    token: R::Token,
    springs: &Springs,
    pass: &Pass,
    state: &mut SpringState,
    joints: &[Transform],
) {
    for group in &springs.groups {
        let Some(bones) = &group.lanes else {
            group.nodes.clone().for_each(|at| run_node(springs, at as usize, pass, state, joints));
            continue;
        };
        let (group, count) = ((&group.nodes, &**bones), group.nodes.len());
        if R::LANES > 1 && count > 1 {
            let all = BoneSpan { first: 0, count };
            if swing_bones::<R>(token, springs, group, all, pass, state, joints) {
                continue;
            }
        }
        for first in 0..count {
            let one = BoneSpan { first, count: 1 };
            if !swing_bones::<f32>((), springs, group, one, pass, state, joints) {
                run_node(springs, group.0.start as usize + first, pass, state, joints);
            }
        }
    }
}

/// Evaluates one node with care for flattened joints, limits and bones that turn all the way round.
#[inline(never)]
fn run_node(springs: &Springs, at: usize, pass: &Pass, state: &mut SpringState, joints: &[Transform]) {
    let node = &springs.nodes[at];
    let local = &joints[node.joint.index()];
    let frame = frame_of(springs, at, state, joints);
    let rotation = match node.pair {
        Some(pair) => swing(springs, pair as usize, pass, &frame, local.scale, state),
        None => local.rotation,
    };
    place_node(springs, at, &frame, rotation, local.scale, state);
}

/// Puts the colliders and center spaces that come from the pose where their anchors are.
fn place_spaces(springs: &Springs, state: &mut SpringState) {
    let scales_radii = state.options.scales_radii;
    for (collider, shape) in springs.colliders.iter().zip(&mut state.shapes) {
        if let ColliderSpace::Anchor(anchor) = collider.space {
            let Affine3A { matrix3, translation } = &state.anchors.now[anchor as usize];
            *shape = WorldShape::new(&collider.shape, matrix3, translation.as_dvec3(), scales_radii);
        }
    }
    for &center in &springs.centers {
        let world_from_center = precise(&state.anchors.now[center as usize]);
        let inverse = world_from_center.inverse();
        // A flattened center has no inverse: its chains are at its origin until it has a size again.
        let center_from_world = if inverse.is_finite() { inverse } else { DAffine3::ZERO };
        state.centers[center as usize] = CenterSpace { world_from_center, center_from_world };
    }
}

/// The matrix of a node without its own rotation and scale.
#[derive(Clone, Copy)]
pub(super) struct NodeFrame {
    pub(super) place: DVec3,
    pub(super) linear: Mat3A,
}

#[inline(always)]
pub(super) fn frame_of(springs: &Springs, at: usize, state: &SpringState, joints: &[Transform]) -> NodeFrame {
    let node = &springs.nodes[at];
    match node.from {
        NodeParent::Anchor(anchor) => {
            let Affine3A { matrix3, translation } = state.anchors.now[anchor as usize];
            NodeFrame { place: translation.as_dvec3(), linear: matrix3 }
        }
        NodeParent::Node(parent) => {
            let NodeMatrix { place, linear, unscaled } = state.nodes[parent as usize];
            let offset = linear * Vec3A::from(joints[node.joint.index()].translation);
            NodeFrame {
                place: place + offset.as_dvec3(),
                linear: if node.is_compensated { unscaled } else { linear },
            }
        }
    }
}

fn place_node(
    springs: &Springs,
    at: usize,
    frame: &NodeFrame,
    rotation: Quat,
    scale: Vec3,
    state: &mut SpringState,
) {
    let unscaled = frame.linear * Mat3A::from_quat(rotation);
    let linear = scaled(&unscaled, scale);
    state.nodes[at] = NodeMatrix { place: frame.place, linear, unscaled };
    place_colliders(springs, at, &linear, frame.place, state);
}

/// Puts the colliders that a node carries where its matrix is.
#[inline(always)]
pub(super) fn place_colliders(
    springs: &Springs,
    at: usize,
    linear: &Mat3A,
    place: DVec3,
    state: &mut SpringState,
) {
    for &collider in &springs.nodes[at].colliders {
        let shape = &springs.colliders[collider as usize].shape;
        state.shapes[collider as usize] = WorldShape::new(shape, linear, place, state.options.scales_radii);
    }
}

#[inline(always)]
fn scaled(matrix: &Mat3A, scale: Vec3) -> Mat3A {
    Mat3A::from_cols(matrix.x_axis * scale.x, matrix.y_axis * scale.y, matrix.z_axis * scale.z)
}

#[inline(always)]
pub(super) fn in_center(center: Option<u32>, centers: &[CenterSpace], point: DVec3) -> DVec3 {
    center.map_or(point, |center| centers[center as usize].center_from_world.transform_point3(point))
}

/// Moves the end of a bone, and returns the local rotation of its joint.
fn swing(
    springs: &Springs,
    at: usize,
    pass: &Pass,
    frame: &NodeFrame,
    scale: Vec3,
    state: &mut SpringState,
) -> Quat {
    let (pair, old) = (&springs.pairs[at], state.pairs[at]);
    let Some(bone) = Bone::new(pair, &old, frame, scale, state.options.scales_radii) else {
        // Flattened: nothing can be measured. It goes on from rest once it has a size again.
        let tail = in_center(pair.center, &state.centers, frame.place);
        state.pairs[at] = PairState { current: tail, previous: tail, rotation: pair.rest, ..old };
        state.shown[at] = pair.rest;
        return pair.rest;
    };
    let inert = old.current + (old.current - old.previous) * f64::from(pair.inertia * pass.fraction);
    let inert = match pair.center {
        Some(center) => state.centers[center as usize].world_from_center.transform_point3(inert),
        None => inert,
    };
    let forces = bone.axis * pair.stiffness + pair.gravity;
    let mut tail = bone.at_length((inert - frame.place).as_vec3() + forces * (pass.dt_secs * pass.fraction));
    for &collider in &springs.tested[pair.colliders.start as usize..pair.colliders.end as usize] {
        if let Some(pushed) = state.shapes[collider as usize].push(frame.place, tail, bone.radius) {
            tail = bone.at_length(pushed);
        }
    }
    let rotation = bone.rotation(tail).filter(|rotation| rotation.is_finite());
    let (tail, rotation) = rotation.map_or((bone.axis * bone.length, pair.rest), |rotation| (tail, rotation));
    if pass.is_kept {
        let current = in_center(pair.center, &state.centers, frame.place + tail.as_dvec3());
        state.pairs[at] = PairState { current, previous: old.current, rotation, ..old };
    }
    state.shown[at] = rotation;
    rotation
}

/// A bone before it swings, in world space relative to its head.
struct Bone<'a> {
    pair: &'a SpringPair,
    /// The direction at rest, of unit length.
    axis: Vec3,
    length: f32,
    radius: f32,
    world_from_rest: Mat3A,
    rest_from_world: JointFromWorld,
}

impl<'a> Bone<'a> {
    /// `None` if the joint is flattened or its bone has no length.
    fn new(
        pair: &'a SpringPair,
        old: &PairState,
        frame: &NodeFrame,
        scale: Vec3,
        scales_radii: bool,
    ) -> Option<Self> {
        let world_from_rest = scaled(&(frame.linear * Mat3A::from_quat(pair.rest)), scale);
        let rest = Affine3A { matrix3: world_from_rest, translation: Vec3A::ZERO };
        let rest_from_world = parent_from_model(&rest)?;
        let axis = Vec3::from(world_from_rest * Vec3A::from(pair.axis)).try_normalize()?;
        // Below an uneven scale the length depends on the rotation.
        let turned = Vec3A::from(old.rotation * (old.tail * scale));
        let length = (frame.linear * turned).length();
        let radius = if scales_radii { pair.radius * largest_scale(&world_from_rest) } else { pair.radius };
        let is_good = length > 0.0 && length.is_finite();
        is_good.then_some(Self { pair, axis, length, radius, world_from_rest, rest_from_world })
    }

    /// The point at the length of the bone in the direction of `point`, within the limit.
    #[inline]
    fn at_length(&self, point: Vec3) -> Vec3 {
        let tail = point.normalize_or(self.axis) * self.length;
        match &self.pair.limit {
            Some(limit) => self.limited(limit, tail),
            None => tail,
        }
    }

    #[cold]
    fn limited(&self, limit: &PlacedLimit, tail: Vec3) -> Vec3 {
        let clamped = self.rest_from_world.vector(tail).try_normalize().and_then(|d| limit.clamp(d));
        let world = clamped.map(|d| Vec3::from(self.world_from_rest * Vec3A::from(d)));
        world.map_or(tail, |d| d.normalize_or(self.axis) * self.length)
    }

    /// The local rotation that points the bone at `tail`.
    #[inline]
    fn rotation(&self, tail: Vec3) -> Option<Quat> {
        let to = self.rest_from_world.vector(tail).try_normalize()?;
        Some((self.pair.rest * arc(self.pair.axis, to)).normalize())
    }
}
