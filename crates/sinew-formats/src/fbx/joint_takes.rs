//! The motion of joints in a take.

use super::{
    FbxReader,
    curves::{add_connected, breaks, is_still},
    motion_scale::JointScale,
    sampling::{SampleNotes, SampledValue, TakeSample, needed_keys},
    takes::Take,
};
use crate::{ReadError, budget::Budget};
use sinew::{
    Channel, Curve, CurveError, Interpolation, JointId,
    glam::{DQuat, DVec3, Quat, Vec3, Vec4},
};

/// The part of the tolerance by which a key may be off the line between its neighbors to be dropped.
pub(super) const REDUNDANT: f64 = 0.1;

/// A local transform in double precision.
#[derive(Clone, Copy, Debug)]
struct NodeTransform {
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
}

/// A node that a take animates.
struct MovingNode<'a> {
    take: &'a Take<'a>,
    node: &'a ufbx::Node,
    curves: Vec<&'a ufbx::AnimCurve>,
    scale: JointScale,
    budget: &'a Budget,
    price: usize,
}

impl SampledValue for MovingNode<'_> {
    type Value = NodeTransform;

    fn at(&self, time: f64) -> Result<NodeTransform, ReadError> {
        self.take.charge(self.budget, self.price)?;
        let t = ufbx::evaluate_transform(self.take.anim, self.node, time);
        let q = DQuat::from_xyzw(t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w);
        let length = q.length();
        Ok(NodeTransform {
            translation: DVec3::new(t.translation.x, t.translation.y, t.translation.z),
            rotation: if length > 0.0 && length.is_finite() { q / length } else { DQuat::IDENTITY },
            scale: DVec3::new(t.scale.x, t.scale.y, t.scale.z),
        })
    }

    fn deviation(&self, [from, to]: [&NodeTransform; 2], fraction: f64, probe: &NodeTransform) -> f64 {
        let translation = from.translation.lerp(to.translation, fraction).distance(probe.translation);
        let rotation = angle(from.rotation.slerp(to.rotation, fraction), probe.rotation);
        let scale = from.scale.lerp(to.scale, fraction).distance(probe.scale);
        let JointScale { translation: per_meter, rotation: per_radian, scale: per_unit } = self.scale;
        translation * per_meter + rotation * per_radian + scale * per_unit
    }

    fn is_still(&self, time: f64) -> bool {
        self.curves.iter().all(|curve| is_still(curve, time))
    }
}

/// The angle between two rotations in radians, exact for small ones.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * ((a - b).length() * 0.5).min(1.0).asin()
}

impl FbxReader<'_> {
    /// Adds the channels of a node and returns what sampling did.
    pub(super) fn node_channels(
        &self,
        take: &Take<'_>,
        node: &ufbx::Node,
        out: &mut Vec<Channel>,
    ) -> Result<SampleNotes, ReadError> {
        let Some(joint) = self.joint(node) else { return Ok(SampleNotes::default()) };
        let elements = sources(node);
        self.budget.charge_work(&take.place, 8 * elements.len())?;
        let Some(curves) = take.curves.on(&elements) else { return Ok(SampleNotes::default()) };
        let breaks = breaks(&take.place, &curves, take.range, &self.budget)?;
        // Each moment asks every curve whether it stands still.
        let price = take.price(&node.element) * elements.len() + 8 * curves.len();
        let scale = take.scale.joint(joint);
        let source = MovingNode { take, node, curves, scale, budget: &self.budget, price };
        let taken = take.sample(&source, &breaks)?;
        self.budget.charge(&take.place, taken.samples.len(), size_of::<TakeSample<NodeTransform>>())?;
        self.joint_channels(&source, &taken.samples, joint, out)
            .map_err(|e| ReadError::invalid(&*take.place, e))?;
        Ok(taken.notes)
    }

    fn joint_channels(
        &self,
        source: &MovingNode<'_>,
        samples: &[TakeSample<NodeTransform>],
        joint: JointId,
        out: &mut Vec<Channel>,
    ) -> Result<(), CurveError> {
        let (rest, scale) = (self.skeleton.rest(joint), source.scale);
        let vectors = |pick: fn(&NodeTransform) -> DVec3, per: f64, rest: Vec3| {
            let off = |[a, b]: [&NodeTransform; 2], f, k: &NodeTransform| {
                pick(a).lerp(pick(b), f).distance(pick(k))
            };
            let values: Vec<Vec3> = samples.iter().map(|s| pick(&s.value).as_vec3()).collect();
            let moves = values.iter().any(|&value| differs(value, rest));
            moves.then(|| curve(samples, &values, |keys, f, key| off(keys, f, key) * per)).transpose()
        };
        if let Some(curve) = vectors(|v| v.translation, scale.translation, rest.translation)? {
            out.push(Channel::Translation { joint, curve });
        }
        let rotations = continuous(samples.iter().map(|s| s.value.rotation.as_quat().normalize()));
        if rotations.iter().any(|&q| is_turned(q, rest.rotation)) {
            let off = |[a, b]: [&NodeTransform; 2], f, k: &NodeTransform| {
                angle(a.rotation.slerp(b.rotation, f), k.rotation) * scale.rotation
            };
            out.push(Channel::Rotation { joint, curve: curve(samples, &rotations, off)? });
        }
        if let Some(curve) = vectors(|v| v.scale, scale.scale, rest.scale)? {
            out.push(Channel::Scale { joint, curve });
        }
        Ok(())
    }
}

/// The elements whose properties act on the local transform of a node.
fn sources(node: &ufbx::Node) -> Vec<u32> {
    let mut out = vec![node.element.element_id];
    let parent = node.parent.as_ref();
    // Helper nodes have the scale of the node above them.
    out.extend(parent.and_then(|p| p.scale_helper.as_ref()).map(|helper| helper.element.element_id));
    let mut above = parent.and_then(|p| p.inherit_scale_node.as_ref());
    while let Some(helper) = above.and_then(|node| node.scale_helper.as_ref()) {
        out.push(helper.element.element_id);
        above = above.and_then(|node| node.inherit_scale_node.as_ref());
    }
    add_connected(&node.element, &mut out);
    out
}

/// A curve of the keys that are needed; `off` is the distance of a key from the line between two others, relative to the
/// tolerance.
fn curve<T: Copy>(
    samples: &[TakeSample<NodeTransform>],
    values: &[T],
    off: impl Fn([&NodeTransform; 2], f64, &NodeTransform) -> f64,
) -> Result<Curve<T>, CurveError> {
    let times: Vec<f32> = samples.iter().map(|s| s.time_secs).collect();
    let is_between = |[from, to]: [usize; 2], key: usize| {
        let ends = [&samples[from], &samples[to]];
        let fraction = samples[key].fraction(ends);
        off(ends.map(|s| &s.value), fraction, &samples[key].value) <= REDUNDANT
    };
    let mut kept = needed_keys(&times, is_between);
    // One key holds forever.
    if let [first, last] = kept[..]
        && off([&samples[first].value; 2], 0.0, &samples[last].value) <= REDUNDANT
    {
        kept.truncate(1);
    }
    let pick = |list: &[f32]| kept.iter().map(|&k| list[k]).collect();
    Curve::new(pick(&times), kept.iter().map(|&k| values[k]).collect(), Interpolation::Linear)
}

/// Rotations with signs that follow each other.
fn continuous(rotations: impl Iterator<Item = Quat>) -> Vec<Quat> {
    let mut last = None;
    let follow = |q: Quat| {
        let q = if last.is_some_and(|last: Quat| last.dot(q) < 0.0) { -q } else { q };
        last = Some(q);
        q
    };
    rotations.map(follow).collect()
}

/// True when a value differs from the rest value by more than single-precision rounding.
fn differs(value: Vec3, rest: Vec3) -> bool {
    (value - rest).abs().max_element() > 1e-6 * rest.abs().max_element().max(1e-3) || !value.is_finite()
}

/// True when a rotation differs from the rest rotation by more than single-precision rounding.
///
/// This compares components: the cosine between two rotations is one up to a thousandth of a radian, which moves the end
/// of a leg by half a millimeter.
fn is_turned(rotation: Quat, rest: Quat) -> bool {
    let same_side = if rotation.dot(rest) < 0.0 { -rotation } else { rotation };
    !Vec4::from(same_side).abs_diff_eq(rest.into(), 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_rotation_is_motion_and_a_flipped_sign_is_not() {
        let rest = Quat::from_rotation_x(0.7);
        assert!(is_turned(rest * Quat::from_rotation_z(1e-5), rest));
        assert!(is_turned(Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), rest));
        assert!(!is_turned(rest, rest));
        assert!(!is_turned(-rest, rest));
    }

    #[test]
    fn angles_between_rotations_ignore_their_signs() {
        let a = DQuat::from_rotation_y(0.3);
        for turn in [1e-7, 0.5, 2.0] {
            let b = a * DQuat::from_rotation_x(turn);
            assert!((angle(a, b) - turn).abs() < 1e-12 && (angle(a, -b) - turn).abs() < 1e-12, "{turn}");
        }
    }
}
