//! A second implementation of the rotating methods in double precision. It shares no code and as few formulas as possible
//! with the library: polar decomposition by Newton's iteration over inverses, dual quaternions as eight numbers with
//! explicit products, slerp as a power, directions by the inverted and transposed matrix.

use sinew::{
    ContactData, DeltaMushData, Influence, MushDetail, Weights,
    deform::reference::BoneSegment,
    glam::{Affine3A, DMat3, DQuat, DVec3, DVec4, Mat3, Vec2, Vec3},
};

/// A skinning matrix in double precision.
#[derive(Clone, Copy)]
pub(crate) struct OracleMatrix {
    pub(crate) linear: DMat3,
    pub(crate) translation: DVec3,
}

impl OracleMatrix {
    pub(crate) fn new(affine: &Affine3A) -> Self {
        let linear = Mat3::from(affine.matrix3).as_dmat3();
        Self { linear, translation: Vec3::from(affine.translation).as_dvec3() }
    }

    fn point(&self, p: DVec3) -> DVec3 {
        self.linear * p + self.translation
    }
}

/// Joints in a pose: matrices, bind positions, and their decomposition.
pub(crate) struct OracleJoints {
    pub(crate) matrices: Vec<OracleMatrix>,
    pivots: Vec<DVec3>,
    rotations: Vec<DQuat>,
    stretches: Vec<DMat3>,
    /// The scale common to all joints, negative if they mirror.
    common: f64,
}

impl OracleJoints {
    pub(crate) fn new(affines: &[Affine3A], pivots: &[Vec3]) -> Self {
        let matrices: Vec<OracleMatrix> = affines.iter().map(OracleMatrix::new).collect();
        let apart: Vec<(DQuat, DMat3)> = matrices.iter().map(|m| apart(m.linear)).collect();
        let mut scales: Vec<f64> = matrices.iter().map(|m| m.linear.determinant().cbrt()).collect();
        scales.sort_by(f64::total_cmp);
        Self {
            matrices,
            pivots: pivots.iter().map(|p| p.as_dvec3()).collect(),
            rotations: apart.iter().map(|a| a.0).collect(),
            stretches: apart.iter().map(|a| a.1).collect(),
            common: scales[scales.len() / 2],
        }
    }
}

/// A rotation and a symmetric stretch, by Newton's iteration on the matrix and its inverse transpose.
fn apart(linear: DMat3) -> (DQuat, DMat3) {
    let sign = linear.determinant().signum();
    let mut turn = linear * sign;
    for _ in 0..60 {
        turn = (turn + turn.inverse().transpose()) * 0.5;
    }
    (DQuat::from_mat3(&turn).normalize(), turn.transpose() * linear)
}

/// A deformed vertex: its position, and the linear map of its directions.
pub(crate) struct OracleOutput {
    pub(crate) position: DVec3,
    pub(crate) linear: DMat3,
    /// The amplification of rounding errors: the inverse of the length of the blended quaternion.
    pub(crate) growth: f64,
}

fn influences(weights: &Weights, vertex: usize) -> Vec<(usize, f64)> {
    weights
        .influences(vertex)
        .map(|Influence { slot, weight }| (usize::from(slot), f64::from(weight)))
        .collect()
}

fn hemisphere(q: DQuat, pivot: DQuat) -> f64 {
    if q.dot(pivot) < 0.0 { -1.0 } else { 1.0 }
}

/// The smallest `|q · strongest|` of the joints of a vertex. Near zero, rounding decides the hemisphere and so the sign.
pub(crate) fn min_hemisphere_cosine(joints: &OracleJoints, weights: &Weights, vertex: usize) -> f64 {
    let parts = influences(weights, vertex);
    let pivot = joints.rotations[parts[0].0];
    parts.iter().map(|p| joints.rotations[p.0].dot(pivot).abs()).fold(1.0, f64::min)
}

fn sum_of_rotations(joints: &OracleJoints, parts: &[(usize, f64)]) -> (DQuat, f64) {
    let pivot = joints.rotations[parts[0].0];
    let sum: DVec4 = parts
        .iter()
        .map(|&(j, w)| DVec4::from(joints.rotations[j]) * w * hemisphere(joints.rotations[j], pivot))
        .sum();
    (DQuat::from_vec4(sum / sum.length()), 1.0 / sum.length())
}

fn stretch(joints: &OracleJoints, parts: &[(usize, f64)]) -> DMat3 {
    parts.iter().fold(DMat3::ZERO, |sum, &(j, w)| sum + joints.stretches[j] * w)
}

fn linear_blend(joints: &OracleJoints, parts: &[(usize, f64)], point: DVec3) -> DVec3 {
    parts.iter().map(|&(j, w)| joints.matrices[j].point(point) * w).sum()
}

fn about(
    joints: &OracleJoints,
    parts: &[(usize, f64)],
    turn: (DQuat, f64),
    center: DVec3,
    vertex: DVec3,
) -> OracleOutput {
    let linear = DMat3::from_quat(turn.0) * stretch(joints, parts);
    OracleOutput {
        position: linear * (vertex - center) + linear_blend(joints, parts, center),
        linear,
        growth: turn.1,
    }
}

pub(crate) fn cor(
    joints: &OracleJoints,
    weights: &Weights,
    vertex: usize,
    center: Vec3,
    rest: Vec3,
) -> OracleOutput {
    let parts = influences(weights, vertex);
    let turn = sum_of_rotations(joints, &parts);
    about(joints, &parts, turn, center.as_dvec3(), rest.as_dvec3())
}

pub(crate) fn slerp(joints: &OracleJoints, weights: &Weights, vertex: usize, rest: Vec3) -> OracleOutput {
    let parts = influences(weights, vertex);
    let turn = match parts[..] {
        [(a, _), (b, weight)] => {
            // The step from one rotation to the other, raised to a power.
            let (from, to) = (joints.rotations[a], joints.rotations[b]);
            let step = from.inverse() * (to * hemisphere(to, from));
            let (axis, angle) = step.to_axis_angle();
            (from * DQuat::from_axis_angle(axis, angle * weight), 1.0)
        }
        _ => sum_of_rotations(joints, &parts),
    };
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for &(a, x) in &parts {
        for &(b, y) in &parts {
            if a < b {
                sum += joints.pivots[b] * x * y;
                total += x * y;
            }
        }
    }
    let pivot = if total > 0.0 { sum / total } else { DVec3::ZERO };
    about(joints, &parts, turn, pivot, rest.as_dvec3())
}

/// Quaternions as four numbers x, y, z, w, multiplied by the table.
fn times(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn conjugate([x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [-x, -y, -z, w]
}

pub(crate) fn dual_quat(joints: &OracleJoints, weights: &Weights, vertex: usize, rest: Vec3) -> OracleOutput {
    let parts = influences(weights, vertex);
    let rest = rest.as_dvec3();
    let pivot = joints.rotations[parts[0].0];
    let (mut real, mut dual, mut stretched) = ([0.0; 4], [0.0; 4], DVec3::ZERO);
    for &(j, w) in &parts {
        let q = joints.rotations[j];
        let bound = joints.pivots[j];
        // The bind position is moved by the common scale, then by the rigid motion to its image under the matrix.
        let scaled = bound * joints.common;
        stretched += (joints.stretches[j] * (rest - bound) + scaled) * w;
        let t = joints.matrices[j].point(bound) - q * scaled;
        let moved = times([t.x * 0.5, t.y * 0.5, t.z * 0.5, 0.0], q.to_array());
        let s = w * hemisphere(q, pivot);
        (0..4).for_each(|i| real[i] += s * q.to_array()[i]);
        (0..4).for_each(|i| dual[i] += s * moved[i]);
    }
    let norm = real.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (real, dual) = (real.map(|x| x / norm), dual.map(|x| x / norm));
    // q̂ v q̂*: the sandwich with the dual part of the point.
    let turned = times(times(real, [stretched.x, stretched.y, stretched.z, 0.0]), conjugate(real));
    let shift = times(dual, conjugate(real));
    let position =
        DVec3::new(turned[0] + 2.0 * shift[0], turned[1] + 2.0 * shift[1], turned[2] + 2.0 * shift[2]);
    let linear = DMat3::from_quat(DQuat::from_array(real)) * stretch(joints, &parts);
    OracleOutput { position, linear, growth: 1.0 / norm }
}

/// One end of a bone in contact skinning: the plane's normal and a point on it, those at rest, strength, bend and half twist.
struct OracleEnd {
    is_tail: bool,
    normal: DVec3,
    point: DVec3,
    rest_normal: DVec3,
    rest_point: DVec3,
    strength: f64,
    bend: f64,
    half_twist: f64,
}

fn ramp(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    3.0 * t.powi(2) - 2.0 * t.powi(3)
}

/// The angle by which `b` is twisted against `a` about `axis`, halved.
fn half_twist(a: DQuat, b: DQuat, axis: DVec3) -> f64 {
    let step = b * a.inverse();
    let sine = step.x * axis.x + step.y * axis.y + step.z * axis.z;
    // Of the two quaternions of a rotation, the one that twists less than half a turn.
    (sine * step.w.signum()).atan2(step.w.abs())
}

/// False where rounding decides what contact skinning does: a bone without length, or one that lies on its neighbor.
pub(crate) fn is_settled(joints: &OracleJoints, data: &ContactData, vertex: usize) -> bool {
    let slot = usize::from(data.parts().vertices[vertex].bone);
    let bone = data.parts().bones[slot];
    let moved = |slot: usize, by: usize| {
        let bone = data.parts().bones[slot];
        let [head, tail] = [bone.head, bone.tail].map(|p| joints.matrices[by].point(p.as_dvec3()));
        tail - head
    };
    let own = moved(slot, slot);
    [bone.before, bone.after].into_iter().filter(|next| *next != u16::MAX).map(usize::from).all(|next| {
        let (now, then) = (moved(next, next), moved(next, slot));
        let step = joints.rotations[next] * joints.rotations[slot].inverse();
        let twist = step.w.hypot(step.xyz().dot(own.normalize()));
        let longs = [own, now, then].map(DVec3::length);
        let (own, now, then) = (own.normalize(), now.normalize(), then.normalize());
        longs.iter().all(|l| *l > 0.02)
            && own.dot(now) > -0.98
            && own.dot(then) > -0.98
            && twist > 0.05
            && step.w.abs() > 1e-3
    })
}

/// The position by contact skinning of a vertex that dual quaternion skinning moves to `moved`.
pub(crate) fn contact(
    joints: &OracleJoints,
    data: &ContactData,
    vertex: usize,
    rest: Vec3,
    moved: DVec3,
) -> DVec3 {
    let own = data.parts().vertices[vertex];
    let part = |stored: u16| f64::from(stored) / 65535.0;
    let slot = usize::from(own.bone);
    let line = |slot: usize, by: usize| {
        let bone = data.parts().bones[slot];
        [bone.head, bone.tail].map(|p| joints.matrices[by].point(p.as_dvec3()))
    };
    let [head, tail] = line(slot, slot);
    let axis = (tail - head).normalize();
    let bone = data.parts().bones[slot];
    let mut ends = Vec::new();
    for (out, next, gate) in [(-1.0, bone.before, bone.gates[0]), (1.0, bone.after, bone.gates[1])] {
        if next == u16::MAX {
            continue;
        }
        let next = usize::from(next);
        let [[now_head, now_tail], [then_head, then_tail]] = [line(next, next), line(next, slot)];
        let (now, then) = ((now_tail - now_head).normalize(), (then_tail - then_head).normalize());
        let bend = (then.angle_between(now) / 2.0).sin().powi(2);
        let fade = ramp(-1.0, -0.875, axis.dot(now));
        ends.push(OracleEnd {
            is_tail: out > 0.0,
            normal: (axis + now).normalize() * out,
            point: if out < 0.0 { head } else { now_head },
            rest_normal: (axis + then).normalize() * out,
            rest_point: if out < 0.0 { head } else { tail },
            strength: f64::from(gate) * fade * (4.0 * bend).min(1.0),
            bend,
            half_twist: half_twist(joints.rotations[slot], joints.rotations[next], axis),
        });
    }
    let rigid = joints.matrices[slot].point(rest.as_dvec3());
    let nearest = |p: DVec3| head + axis * (p - head).dot(axis).clamp(0.0, head.distance(tail));
    let distance = rigid.distance(nearest(rigid));
    let beyond = [part(own.beyond[0]), part(own.beyond[1])];
    let has = [bone.before != u16::MAX, bone.after != u16::MAX];
    let twist_of = |end: usize| if has[end] { ends[if has[0] { end } else { 0 }].half_twist } else { 0.0 };
    let (sine, cosine) = (0..2).fold((0.0, 1.0 - beyond[0] - beyond[1]), |(s, c), end| {
        (s + beyond[end] * twist_of(end).sin(), c + beyond[end] * twist_of(end).cos())
    });
    let twist = DQuat::from_axis_angle(axis, 2.0 * sine.atan2(cosine));
    let away = twist * (rigid - head).reject_from_normalized(axis);
    let inner: Vec<f64> = ends
        .iter()
        .map(|end| end.strength * ramp(-0.1, 0.15, away.normalize_or_zero().dot(end.normal)))
        .collect();
    let outer: f64 = inner.iter().map(|inner| 1.0 - inner).product();
    let along = axis * (moved - head).dot(axis);
    let side = away + ((moved - head - along) - away) * outer;
    let place = head + along + side;
    let foot = nearest(moved);
    let strength = 1.0 - ends.iter().map(|end| 1.0 - end.strength).product::<f64>();
    let radius = part(own.radius) * strength;
    let mut place = foot
        + (place - foot).normalize_or_zero() * (place.distance(foot) * (1.0 - radius) + distance * radius);
    for (end, inner) in ends.iter().zip(inner) {
        let allowed = (rigid - end.rest_point).dot(end.rest_normal).max(0.0);
        let from_end = (rigid - end.rest_point).dot(axis) * if end.is_tail { -1.0 } else { 1.0 };
        let excess = (place - end.point).dot(end.normal) + 0.03 * from_end.max(0.0) - allowed;
        let width = 0.06 * distance * end.bend;
        place -= end.normal * (inner * (excess + excess.hypot(width)) / 2.0);
    }
    let change = (place - moved) * part(own.mask);
    moved + change * (1.5 * distance / change.length()).min(1.0)
}

/// The position by dual quaternion skinning without bulge, for a vertex that the plain method moves to `bulged`.
pub(crate) fn without_bulge(
    joints: &OracleJoints,
    weights: &Weights,
    vertex: usize,
    bones: &[BoneSegment],
    rest: Vec3,
    bulged: DVec3,
) -> DVec3 {
    let nearest = |[a, b]: [DVec3; 2], p: DVec3| {
        let t = (p - a).dot(b - a) / (b - a).length_squared();
        if t <= 0.0 {
            a
        } else if t >= 1.0 {
            b
        } else {
            a.lerp(b, t)
        }
    };
    let mut out = bulged;
    for (j, w) in influences(weights, vertex) {
        let at_rest = [bones[j].head, bones[j].tail].map(Vec3::as_dvec3);
        let posed = at_rest.map(|p| joints.matrices[j].point(p));
        let offset = rest.as_dvec3() - nearest(at_rest, rest.as_dvec3());
        let away = bulged - nearest(posed, bulged);
        out += away.normalize_or_zero() * ((joints.stretches[j] * offset).length() - away.length()) * w;
    }
    out
}

/// Delta mush of all points: smoothing, frames and offsets, as in the paper.
pub(crate) fn delta_mush(
    joints: &OracleJoints,
    weights: &Weights,
    mush: &DeltaMushData,
    positions: &[Vec3],
) -> Vec<OracleOutput> {
    let parts = mush.parts();
    let of_point = |p: usize| influences(weights, parts.vertex_of_point[p] as usize);
    let mut posed: Vec<DVec3> = parts
        .rest
        .iter()
        .enumerate()
        .map(|(p, r)| linear_blend(joints, &of_point(p), r.as_dvec3()))
        .collect();
    for _ in 0..parts.iterations {
        let step = |p: usize| {
            let ring: Vec<DVec3> = mush.ring(p).map(|(n, _)| posed[n as usize]).collect();
            let mean = ring.iter().sum::<DVec3>() / ring.len() as f64;
            if ring.is_empty() {
                posed[p]
            } else {
                posed[p] * (1.0 - f64::from(parts.step)) + mean * f64::from(parts.step)
            }
        };
        posed = (0..posed.len()).map(step).collect();
    }
    // The axes are the bisectors of the two tangents, which are perpendicular to each other.
    let axes = |a: DVec3, b: DVec3| {
        let (a, b) = (a.normalize(), b.normalize());
        DMat3::from_cols((a + b).normalize(), (b - a).normalize(), a.cross(b).normalize())
    };
    let moved = |v: usize| {
        let p = parts.point_of_vertex[v] as usize;
        let stretch = stretch(joints, &of_point(p));
        let sum = |pick: fn(Vec2) -> f32| {
            mush.ring(p).map(|(n, s)| (posed[n as usize] - posed[p]) * f64::from(pick(s))).sum::<DVec3>()
        };
        let now = axes(sum(|s| s.x), sum(|s| s.y));
        let then = parts.rest_tangents[p].map(|t| stretch * t.as_dvec3());
        let linear = now * axes(then[0], then[1]).transpose() * stretch;
        let offset = positions[v].as_dvec3() - parts.smoothed[p].as_dvec3();
        // Nearly parallel or short tangents lose precision.
        let [a, b] = [sum(|s| s.x), sum(|s| s.y)];
        let flatness = a.normalize().cross(b.normalize()).length();
        let rest_flatness = then[0].normalize().cross(then[1].normalize()).length();
        let short = a.length().min(b.length()).min(then[0].length()).min(then[1].length());
        OracleOutput {
            position: linear * offset + posed[p],
            linear,
            growth: 1.0 / (flatness.min(rest_flatness) * short).min(1.0),
        }
    };
    (0..positions.len()).map(moved).collect()
}

/// Direct delta mush of one vertex from the neighborhood itself: every neighbor is moved by every joint, then the best
/// rotation of the whole is found.
pub(crate) fn direct_mush(
    joints: &OracleJoints,
    weights: &Weights,
    positions: &[Vec3],
    near: &[usize],
    vertex: usize,
    pivot: Vec3,
    detail: MushDetail,
) -> OracleOutput {
    let weight = 1.0 / near.len() as f64;
    let place = |v: usize| positions[v].as_dvec3();
    let pivot = pivot.as_dvec3();
    let moved_pivot: DVec3 =
        near.iter().map(|&v| linear_blend(joints, &influences(weights, v), place(v)) * weight).sum();
    let (mut fit, mut by_joint) = (DMat3::ZERO, std::collections::BTreeMap::<usize, f64>::new());
    for &v in near {
        for (j, w) in influences(weights, v) {
            let (now, then) = (joints.matrices[j].point(place(v)) - moved_pivot, place(v) - pivot);
            fit += DMat3::from_cols(now * then.x, now * then.y, now * then.z) * (w * weight);
            *by_joint.entry(j).or_default() += w * weight;
        }
    }
    let mut parts: Vec<(usize, f64)> = by_joint.into_iter().collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let stretch = stretch(joints, &parts);
    let fit = fit * stretch.transpose();
    let (blended, growth) = sum_of_rotations(joints, &parts);
    if detail != MushDetail::Full {
        let at_pivot = linear_blend(joints, &parts, pivot);
        let moved = if detail == MushDetail::First { moved_pivot } else { at_pivot };
        let linear = DMat3::from_quat(blended) * stretch;
        return OracleOutput { position: linear * (place(vertex) - pivot) + moved, linear, growth };
    }
    let size = fit.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
    let settled = fit + DMat3::from_quat(blended) * (1e-4 * size);
    let turn = rotation_by_descent(settled);
    let linear = DMat3::from_quat(turn) * stretch;
    let condition = condition(settled, turn);
    OracleOutput {
        position: linear * (place(vertex) - pivot) + moved_pivot,
        linear,
        growth: growth.max(condition),
    }
}

/// The rotation with the greatest trace against `fit`, by turning towards it from many starts (Müller 2016).
fn rotation_by_descent(fit: DMat3) -> DQuat {
    let starts = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(3.0),
        DQuat::from_rotation_y(3.0),
        DQuat::from_rotation_z(3.0),
    ];
    let score = |q: DQuat| {
        let r = DMat3::from_quat(q);
        r.x_axis.dot(fit.x_axis) + r.y_axis.dot(fit.y_axis) + r.z_axis.dot(fit.z_axis)
    };
    let descend = |start: DQuat| {
        let mut q = start;
        for _ in 0..2000 {
            let r = DMat3::from_quat(q);
            let torque = r.x_axis.cross(fit.x_axis) + r.y_axis.cross(fit.y_axis) + r.z_axis.cross(fit.z_axis);
            let omega = torque / (score(q).abs() + 1e-12 * fit.x_axis.length().max(1e-12));
            if omega.length() < 1e-14 {
                break;
            }
            q = (DQuat::from_axis_angle(omega.normalize(), omega.length()) * q).normalize();
        }
        q
    };
    let ends = starts.map(descend);
    ends.into_iter().max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap_or(DQuat::IDENTITY)
}

/// The amplification of an error in `fit` in its rotation: the size over the sum of the two smallest stretches.
fn condition(fit: DMat3, turn: DQuat) -> f64 {
    let stretch = DMat3::from_quat(turn).transpose() * fit;
    let trace = stretch.x_axis.x + stretch.y_axis.y + stretch.z_axis.z;
    // The eigenvalues of trace·I − S are the pairwise sums of stretches; the smallest is the resistance to a rotation.
    let resistance = DMat3::from_diagonal(DVec3::splat(trace)) - stretch;
    let inverse = resistance.inverse();
    let largest = inverse.to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    fit.to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs())) * largest
}
