//! Bones side by side: what is packed ahead of time, and how a step reads and writes the state.
//!
//! Bones whose nodes have the same rank, colliders and center space are evaluated eight at a time. One bone alone takes the
//! same arithmetic in the same order, so every SIMD level gives the same bits.

use super::{
    SpringNode, SpringPair, Springs,
    bone::{Bone, BoneInput, StepNumbers},
    pass::{NodeFrame, Pass, frame_of, in_center, place_colliders},
    real::{Real, WIDTH},
    state::{NodeMatrix, SpringState},
};
use crate::transform::Transform;
use glam::{DVec3, Mat3A, Quat, Vec3, Vec3A};
use std::ops::Range;

/// One number of each of eight bones.
type Lanes = [f32; WIDTH];

/// Nodes that are evaluated together, because none depends on another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpringGroup {
    pub(super) nodes: Range<u32>,
    /// The numbers of their bones; `None` for nodes that are evaluated one by one.
    pub(super) lanes: Option<Box<BoneLanes>>,
}

/// The numbers of up to eight bones that do not change. Lanes without a bone repeat the last one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoneLanes {
    /// The first pair; the others follow it.
    first_pair: u32,
    center: Option<u32>,
    /// The colliders, as a range of `Springs::tested`.
    colliders: Range<u32>,
    rest: [Lanes; 4],
    axis: [Lanes; 3],
    gravity: [Lanes; 3],
    stiffness: Lanes,
    radius: Lanes,
}

impl BoneLanes {
    fn new(first_pair: u32, pairs: &[SpringPair]) -> Self {
        let of = |lane: usize| &pairs[lane.min(pairs.len() - 1)];
        let each = |number: &dyn Fn(&SpringPair) -> f32| std::array::from_fn(|lane| number(of(lane)));
        Self {
            first_pair,
            center: pairs[0].center,
            colliders: pairs[0].colliders.clone(),
            rest: std::array::from_fn(|at| each(&|pair| pair.rest.to_array()[at])),
            axis: std::array::from_fn(|at| each(&|pair| pair.axis[at])),
            gravity: std::array::from_fn(|at| each(&|pair| pair.gravity[at])),
            stiffness: each(&|pair| pair.stiffness),
            radius: each(&|pair| pair.radius),
        }
    }
}

impl SpringGroup {
    /// A group of nodes, which do not depend on each other: all of them swing alike, or none does.
    pub(super) fn new(nodes: &[SpringNode], pairs: &[SpringPair], first: u32) -> Self {
        let count = nodes.len() as u32;
        let swings = nodes[0].pair.filter(|&pair| pairs[pair as usize].limit.is_none());
        let lanes = swings.map(|pair| {
            let bones = &pairs[pair as usize..(pair + count) as usize];
            Box::new(BoneLanes::new(pair, bones))
        });
        Self { nodes: first..first + count, lanes }
    }
}

/// The bones of a group, or one of them.
#[derive(Clone, Copy)]
pub(super) struct BoneSpan {
    pub(super) first: usize,
    pub(super) count: usize,
}

/// Some bones of a group, with what they are evaluated from.
struct LaneReader<'a> {
    springs: &'a Springs,
    bones: &'a BoneLanes,
    /// The index of the first node of the bones.
    node: usize,
    span: BoneSpan,
}

/// Moves bones of a group. Returns false without a change if one of them must be evaluated alone and with care.
#[inline(always)]
pub(super) fn swing_bones<R: Real>(
    token: R::Token,
    springs: &Springs,
    group: (&Range<u32>, &BoneLanes),
    span: BoneSpan,
    pass: &Pass,
    state: &mut SpringState,
    joints: &[Transform],
) -> bool {
    let reader = LaneReader { springs, bones: group.1, node: group.0.start as usize + span.first, span };
    let mut frames = [NodeFrame::ORIGIN; WIDTH];
    for lane in 0..R::LANES {
        frames[lane] = frame_of(springs, reader.node + lane.min(span.count - 1), state, joints);
    }
    let input = reader.input::<R>(token, &frames, pass, state, joints);
    let numbers = StepNumbers {
        one: R::splat(token, 1.0),
        secs: R::splat(token, pass.dt_secs * pass.fraction),
        scales_radii: state.options.scales_radii,
    };
    let mut bone = Bone::new(token, numbers, &input);
    for &collider in
        &springs.tested[reader.bones.colliders.start as usize..reader.bones.colliders.end as usize]
    {
        let shape = &state.shapes[collider as usize];
        let mut place = [[0.0; WIDTH]; 3];
        for lane in 0..R::LANES {
            set(&mut place, lane, (shape.place - frames[lane].place).as_vec3());
        }
        bone.collide(shape, load(token, &place, 0));
    }
    let Some(output) = bone.finish(&input) else { return false };
    let (mut tail, mut rotation) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 4]);
    let (mut linear, mut unscaled) = ([[[0.0; WIDTH]; 3]; 3], [[[0.0; WIDTH]; 3]; 3]);
    store(&output.tail, &mut tail);
    store(&output.rotation, &mut rotation);
    for column in 0..3 {
        store(&output.linear[column], &mut linear[column]);
        store(&output.unscaled[column], &mut unscaled[column]);
    }
    for lane in 0..span.count {
        let [a, b, c, d] = rotation.map(|lanes| lanes[lane]);
        let matrix = NodeMatrix {
            place: frames[lane].place,
            linear: matrix_of(&linear, lane),
            unscaled: matrix_of(&unscaled, lane),
        };
        reader.write(
            lane,
            tail.map(|lanes| lanes[lane]).into(),
            Quat::from_xyzw(a, b, c, d),
            &matrix,
            pass,
            state,
        );
    }
    true
}

impl LaneReader<'_> {
    #[inline(always)]
    fn pair(&self, lane: usize) -> usize {
        self.bones.first_pair as usize + self.span.first + lane.min(self.span.count - 1)
    }

    /// Gathers what the bones start from.
    #[inline(always)]
    fn input<R: Real>(
        &self,
        token: R::Token,
        frames: &[NodeFrame; WIDTH],
        pass: &Pass,
        state: &SpringState,
        joints: &[Transform],
    ) -> BoneInput<R> {
        let (mut linear, mut scale) = ([[[0.0; WIDTH]; 3]; 3], [[0.0; WIDTH]; 3]);
        let (mut rotation, mut tail, mut inert) = ([[0.0; WIDTH]; 4], [[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3]);
        for lane in 0..R::LANES {
            let NodeFrame { place, linear: matrix } = &frames[lane];
            set(&mut linear[0], lane, matrix.x_axis.into());
            set(&mut linear[1], lane, matrix.y_axis.into());
            set(&mut linear[2], lane, matrix.z_axis.into());
            let at = self.pair(lane);
            let (pair, old) = (&self.springs.pairs[at], &state.pairs[at]);
            set(&mut scale, lane, joints[pair.joint.index()].scale);
            set(&mut tail, lane, old.tail);
            let numbers = old.rotation.to_array();
            for (lanes, number) in rotation.iter_mut().zip(numbers) {
                lanes[lane] = number;
            }
            let moved = (old.current - old.previous) * f64::from(pair.inertia * pass.fraction);
            let ahead = match self.bones.center {
                Some(center) => {
                    state.centers[center as usize].world_from_center.transform_point3(old.current + moved)
                }
                None => old.current + moved,
            };
            set(&mut inert, lane, (ahead - *place).as_vec3());
        }
        let first = if R::LANES == 1 { self.span.first } else { 0 };
        BoneInput {
            linear: [load(token, &linear[0], 0), load(token, &linear[1], 0), load(token, &linear[2], 0)],
            scale: load(token, &scale, 0),
            rest: load(token, &self.bones.rest, first),
            axis: load(token, &self.bones.axis, first),
            rotation: load(token, &rotation, 0),
            tail: load(token, &tail, 0),
            radius: R::load(token, &self.bones.radius[first..]),
            stiffness: R::load(token, &self.bones.stiffness[first..]),
            gravity: load(token, &self.bones.gravity, first),
            inert: load(token, &inert, 0),
        }
    }

    #[inline(always)]
    fn write(
        &self,
        lane: usize,
        tail: Vec3,
        rotation: Quat,
        matrix: &NodeMatrix,
        pass: &Pass,
        state: &mut SpringState,
    ) {
        let (node, at) = (self.node + lane, self.pair(lane));
        if pass.is_kept {
            let current = in_center(self.bones.center, &state.centers, matrix.place + tail.as_dvec3());
            let pair = &mut state.pairs[at];
            pair.previous = pair.current;
            (pair.current, pair.rotation) = (current, rotation);
        }
        state.shown[at] = rotation;
        state.nodes[node] = *matrix;
        place_colliders(self.springs, node, &matrix.linear, matrix.place, state);
    }
}

#[inline(always)]
fn set(lanes: &mut [Lanes; 3], lane: usize, v: Vec3) {
    for (lanes, number) in lanes.iter_mut().zip(v.to_array()) {
        lanes[lane] = number;
    }
}

#[inline(always)]
fn load<R: Real, const N: usize>(token: R::Token, lanes: &[Lanes; N], first: usize) -> [R; N] {
    std::array::from_fn(|at| R::load(token, &lanes[at][first..]))
}

#[inline(always)]
fn store<R: Real, const N: usize>(numbers: &[R; N], lanes: &mut [Lanes; N]) {
    for (number, lanes) in numbers.iter().zip(lanes) {
        number.store(lanes);
    }
}

#[inline(always)]
fn matrix_of(columns: &[[Lanes; 3]; 3], lane: usize) -> Mat3A {
    let column = |at: usize| Vec3A::from(columns[at].map(|lanes| lanes[lane]));
    Mat3A::from_cols(column(0), column(1), column(2))
}

impl NodeFrame {
    const ORIGIN: Self = Self { place: DVec3::ZERO, linear: Mat3A::IDENTITY };
}
