//! Rotations: the target of a joint makes up for what its decoded ancestors did wrong.

use super::{ClipEncoder, EncodedTrack, step::largest_step};
use crate::compress::{
    blocks::{TrackSegment, coefficients, padded},
    chart::RotationChart,
    source::{FramedTracks, LocalTransform},
};
use sinew::{
    ClipKind, JointId,
    asset::compressed::{BLOCK_FRAMES, RotationTrack},
    glam::{DAffine3, DMat3, DQuat, DVec3},
};

/// A point that moves rigidly with a joint.
#[derive(Clone, Copy, Debug)]
struct RigidPoint {
    /// Its place in the space of the joint.
    offset: DVec3,
    /// The largest error, relative to the bound.
    allowed: f64,
    /// Its weight in the least squares.
    weight: f64,
}

impl ClipEncoder<'_> {
    /// The points that follow a joint rigidly: its shell, its children, and all of the children that never move.
    fn points(&self, joint: JointId) -> Vec<RigidPoint> {
        let allowed = self.child_allowance(joint);
        let mut points = shell(DAffine3::IDENTITY, self.bounds.shells[joint.index()]);
        let mut left = vec![(joint, DAffine3::IDENTITY)];
        while let Some((parent, joint_from_parent)) = left.pop() {
            for child in self.skeleton.children(parent) {
                let framed: FramedTracks = self.source.framed[child.index()];
                if framed.translation {
                    continue;
                }
                let local = &self.source.locals[child.index()][0];
                let here = joint_from_parent * local.affine();
                let is_still = !framed.any() && !self.is_keyed(child);
                let allowed = if is_still { 1.0 } else { allowed };
                points.push(RigidPoint { offset: here.translation, allowed, weight: 1.0 });
                if is_still {
                    points.extend(shell(here, self.bounds.shells[child.index()]));
                    left.push((child, here));
                }
            }
        }
        points
    }

    /// True if a joint turns by keys of its own, which cannot make up for anything.
    fn is_keyed(&self, joint: JointId) -> bool {
        self.source.keyed.iter().any(|c| c.joint() == Some(joint) && c.key_count() > 1)
    }

    /// Encodes the rotations of a joint, and puts those that the bytes stand for into `locals`.
    pub(super) fn rotation(&mut self, joint: JointId, locals: &mut [LocalTransform]) {
        let index = joint.index();
        let points = self.points(joint);
        let before =
            if self.kind == ClipKind::Additive { self.rest(joint).rotation } else { DQuat::IDENTITY };
        let parents: Vec<(DAffine3, DQuat)> = (0..locals.len()).map(|f| self.parent_got(joint, f)).collect();
        let wanted = &self.wanted[index];
        let targets: Vec<DQuat> = (0..locals.len())
            .map(|f| {
                let (parent, turn) = parents[f];
                let off = parent.transform_point3(locals[f].translation) - wanted[f].translation;
                let correction = correction(&points, &wanted[f], off);
                let target = turn.inverse() * correction * self.wanted_turns[index][f];
                (before.inverse() * target).normalize()
            })
            .collect();
        let chart = RotationChart::of(&targets);
        let bound = self.bounds.meters;
        // The largest error of a point, relative to what it is allowed.
        let error = |f: usize, rotation: DQuat| {
            let local = LocalTransform { rotation: before * rotation, ..locals[f] };
            let got = parents[f].0 * local.affine();
            let of_point = |point: &RigidPoint| {
                let off = got.transform_point3(point.offset) - wanted[f].transform_point3(point.offset);
                off.length_squared() / point.allowed.powi(2)
            };
            points.iter().map(of_point).fold(0.0, f64::max).sqrt() / bound
        };
        let mut segments = Vec::new();
        let mut decoded = Vec::with_capacity(targets.len());
        for first in (0..targets.len()).step_by(self.bounds.segment_frames()) {
            let frames = first..(first + self.bounds.segment_frames()).min(targets.len());
            let numbers = chart_numbers(&chart, &targets[frames.clone()]);
            let numbers = [0, 1, 2].map(|n| coefficients(&numbers[n]));
            let rotations = |segment: &TrackSegment| {
                let values = segment.frames(1.0);
                frames.clone().map(move |f| {
                    let at = f - first;
                    (f, chart.rotation(DVec3::new(values[0][at], values[1][at], values[2][at])))
                })
            };
            // Where not even the exact rotations are within the bound, little may be added to their error.
            let exact = frames.clone().map(|f| error(f, targets[f])).fold(0.0, f64::max);
            let limit = (exact + 0.03).max(1.0);
            let fits =
                |segment: &TrackSegment| rotations(segment).all(|(f, rotation)| error(f, rotation) <= limit);
            let segment = largest_step(&numbers, 1.0, fits);
            decoded.extend(rotations(&segment).map(|(_, rotation)| rotation));
            segments.push(segment);
        }
        locals.iter_mut().zip(decoded).for_each(|(local, rotation)| local.rotation = before * rotation);
        let [mean, axes] = chart.packed;
        let track = RotationTrack { joint, mean, axes };
        self.rotations.push(EncodedTrack { track, segments });
    }

    /// How much of the bound the positions of a joint's children may use: more, the further down they are.
    fn child_allowance(&self, joint: JointId) -> f64 {
        let depth = self.skeleton.depth(joint) as f64;
        0.7 + 0.05 * depth / (depth + self.height(joint) as f64).max(1.0)
    }

    /// The number of joints on the longest way down from `joint`.
    fn height(&self, joint: JointId) -> usize {
        let mut highest = 0;
        let mut left = vec![(joint, 0)];
        while let Some((joint, height)) = left.pop() {
            highest = highest.max(height);
            left.extend(self.skeleton.children(joint).map(|child| (child, height + 1)));
        }
        highest
    }
}

/// Six points around a joint at `joint_from_here`.
fn shell(joint_from_here: DAffine3, radius: f64) -> Vec<RigidPoint> {
    let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let point = |axis: DVec3| RigidPoint {
        offset: joint_from_here.transform_point3(axis * radius),
        allowed: 1.0,
        weight: 0.25,
    };
    axes.map(point).to_vec()
}

/// The rotation in model space that brings `points` closest to where they belong, if their joint is `off` its place.
///
/// Minimizes Σ w |off + ω × r|² over small rotations ω.
fn correction(points: &[RigidPoint], model_from_joint: &DAffine3, off: DVec3) -> DQuat {
    let mut matrix = DMat3::ZERO;
    let mut side = DVec3::ZERO;
    for point in points {
        let r = model_from_joint.transform_vector3(point.offset);
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        matrix += (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer) * point.weight;
        side -= r.cross(off) * point.weight;
    }
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let matrix = matrix + DMat3::from_diagonal(DVec3::splat(1e-9 * trace + 1e-18));
    let turn = matrix.inverse() * side;
    if !(turn.is_finite() && turn.length() < 0.2) {
        return DQuat::IDENTITY;
    }
    // The sum of squares may shrink while one point gets further away than it was: then only a part of the turn is made.
    let worst = |part: f64| {
        let turn = turn * part;
        let of_point = |point: &RigidPoint| {
            let r = model_from_joint.transform_vector3(point.offset);
            (off + turn.cross(r)).length_squared() / point.allowed.powi(2)
        };
        points.iter().map(of_point).fold(0.0, f64::max)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..8 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if worst(a) < worst(b) { high = b } else { low = a }
    }
    DQuat::from_scaled_axis(turn * (low + high) * 0.5)
}

/// The largest size of a number of a block whose rotations follow each other across the far side of the chart.
const FAR: f64 = 4.0;

/// The numbers of rotations; each block is on the side where they change least.
fn chart_numbers(chart: &RotationChart, rotations: &[DQuat]) -> [Vec<f64>; 3] {
    let mut out: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(rotations.len() + BLOCK_FRAMES));
    for block in rotations.chunks(BLOCK_FRAMES) {
        let near: Vec<DQuat> = block.iter().map(|rotation| chart.relative(*rotation)).collect();
        let from = |first: DQuat| -> Vec<DVec3> {
            let mut before = first;
            let next = near.iter().map(|rotation| {
                before = if rotation.dot(before) < 0.0 { -*rotation } else { *rotation };
                chart.numbers(before)
            });
            next.collect()
        };
        let each = near.iter().map(|rotation| chart.numbers(*rotation)).collect();
        let change = |numbers: &Vec<DVec3>| -> f64 {
            let is_far = numbers.iter().any(|m| m.length_squared() > FAR * FAR);
            let sum: f64 = numbers.windows(2).map(|pair| pair[0].distance_squared(pair[1])).sum();
            if is_far { f64::INFINITY } else { sum }
        };
        let sides = [each, from(near[0]), from(-near[0])];
        let best = sides.into_iter().min_by(|a, b| change(a).total_cmp(&change(b))).unwrap_or_default();
        for (n, numbers) in out.iter_mut().enumerate() {
            numbers.extend(best.iter().map(|m| m[n]));
        }
    }
    out.map(padded)
}
