//! Splits joints with three degrees of freedom into three joints with one each, and merges them again.
//!
//! A shoulder that rotates about three axes becomes three coincident joints that rotate about one axis each, as
//! controllers, physics engines and BVH channels expect. The last of the three keeps the name, the scale and the children.

use crate::{
    asset::skeleton::{Joint, JointId, Skeleton, SkeletonError},
    pose::LocalPose,
    transform::Transform,
};
use glam::{DQuat, DVec3, EulerRot, Quat};
use thiserror::Error;

/// A joint to split, and the order of its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The joint to split.
    pub joint: JointId,
    /// Its axes from the outermost to the innermost: each of x, y and z once, in the joint's space at rest.
    pub axes: [JointAxis; 3],
}

/// One of the three axes of a joint's space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointAxis {
    /// The +X axis of the joint.
    X,
    /// The +Y axis of the joint.
    Y,
    /// The +Z axis of the joint.
    Z,
}

/// Why joints cannot be split.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SplitError {
    /// A joint that the skeleton does not have.
    #[error("joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// A joint is listed twice.
    #[error("joint {} is to be split twice", joint.0)]
    Twice {
        /// The joint that is listed twice.
        joint: JointId,
    },
    /// An axis is repeated, so the three joints cannot represent every rotation.
    #[error("the axes {axes:?} of joint {} are not x, y and z in some order", joint.0)]
    RepeatedAxis {
        /// The joint with the invalid axes.
        joint: JointId,
        /// The axes that were given.
        axes: [JointAxis; 3],
    },
    /// The split skeleton has too many joints.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// A skeleton with some joints split, and the conversion of poses between both skeletons.
#[derive(Clone, Debug, PartialEq)]
pub struct MetaJoints {
    skeleton: Skeleton,
    /// For each joint of the whole skeleton, the last of its joints in the split skeleton.
    new_of_old: Vec<JointId>,
    /// For each joint that is split, the order of its axes and its rest rotation.
    splits: Vec<Option<(EulerRot, Quat)>>,
}

impl MetaJoints {
    /// Splits joints of `whole`.
    ///
    /// The outer two joints get the name of the joint with the suffix `.x`, `.y` or `.z`.
    ///
    /// # Errors
    /// If a joint is missing or listed twice, an axis is repeated, or the result has too many joints.
    pub fn split(whole: &Skeleton, splits: &[Split]) -> Result<Self, SplitError> {
        let joints = whole.len();
        let mut orders = vec![None; joints];
        for &Split { joint, axes } in splits {
            let slot = orders.get_mut(joint.index()).ok_or(SplitError::NoSuchJoint { joint, joints })?;
            let order = euler_order(axes).ok_or(SplitError::RepeatedAxis { joint, axes })?;
            if slot.replace((order, axes)).is_some() {
                return Err(SplitError::Twice { joint });
            }
        }
        let mut list = Vec::with_capacity(joints + 2 * splits.len());
        let mut new_of_old: Vec<JointId> = Vec::with_capacity(joints);
        for joint in whole.joints() {
            let mut parent = whole.parent(joint).map(|p| new_of_old[p.index()]);
            let (name, mut rest) = (whole.name(joint), whole.rest(joint));
            if let Some((_, axes)) = orders[joint.index()] {
                let outer = Transform { scale: glam::Vec3::ONE, ..rest };
                for (axis, rest) in axes.iter().zip([outer, Transform::IDENTITY]) {
                    list.push(Joint { name: format!("{name}.{}", axis.letter()), parent, rest });
                    parent = Some(last_of(&list)?);
                }
                rest = Transform { scale: rest.scale, ..Transform::IDENTITY };
            }
            list.push(Joint { name: name.into(), parent, rest });
            new_of_old.push(last_of(&list)?);
        }
        let keep = |(joint, order): (JointId, &Option<(EulerRot, [JointAxis; 3])>)| {
            order.map(|(order, _)| (order, whole.rest(joint).rotation))
        };
        let splits = whole.joints().zip(&orders).map(keep).collect();
        // The outer joints of a split have no scale, so only the outermost can be compensated.
        let outermost = |j: JointId| {
            let last = new_of_old[j.index()].0;
            Some(JointId(if orders[j.index()].is_some() { last - 2 } else { last }))
        };
        let skeleton = Skeleton::new(list)?.with_scale_inheritance_of(whole, outermost);
        Ok(Self { skeleton, new_of_old, splits })
    }

    /// The skeleton with the joints split.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The joint that carries the skin and the children of a joint of the whole skeleton.
    ///
    /// # Panics
    /// If the whole skeleton has no such joint.
    pub fn joint(&self, whole: JointId) -> JointId {
        self.new_of_old[whole.index()]
    }

    /// The joints of the split skeleton that replace `whole`, the outermost first: three, or one.
    ///
    /// # Panics
    /// If the whole skeleton has no such joint.
    pub fn joints(&self, whole: JointId) -> impl Iterator<Item = JointId> + use<> {
        let last = self.joint(whole).0;
        let more = if self.splits[whole.index()].is_some() { 2 } else { 0 };
        (last - more..=last).map(JointId)
    }

    /// Writes the pose of the split skeleton that equals `whole`. Allocates only if `out` has another size.
    ///
    /// Each of the three joints rotates about its own axis by −π to π radians; the middle one by −π/2 to π/2.
    ///
    /// # Panics
    /// If `whole` is not a pose of the whole skeleton.
    pub fn split_pose(&self, whole: &LocalPose, out: &mut LocalPose) {
        assert_eq!(whole.joints.len(), self.splits.len(), "the pose is not of the whole skeleton");
        out.joints.resize(self.skeleton.len(), Transform::IDENTITY);
        out.morphs.clone_from(&whole.morphs);
        for ((transform, split), last) in whole.joints.iter().zip(&self.splits).zip(&self.new_of_old) {
            let last = last.index();
            let Some((order, rest)) = *split else {
                out.joints[last] = *transform;
                continue;
            };
            // Double precision, since near gimbal lock the outer angles are differences of small numbers.
            let since_rest = rest.as_dquat().conjugate() * transform.rotation.as_dquat();
            let (outer, middle, inner) = since_rest.normalize().to_euler(order);
            let [first, second, third] = axes_of(order);
            let turn = |axis: DVec3, angle: f64| DQuat::from_axis_angle(axis, angle);
            let outermost = (rest.as_dquat() * turn(first, outer)).normalize().as_quat();
            out.joints[last - 2] = Transform::from_rotation_translation(outermost, transform.translation);
            out.joints[last - 1] = Transform::from_rotation(turn(second, middle).as_quat());
            let rotation = turn(third, inner).as_quat();
            out.joints[last] = Transform { rotation, scale: transform.scale, ..Transform::IDENTITY };
        }
    }

    /// Writes the pose of the whole skeleton that equals `split`. Allocates only if `out` has another size.
    ///
    /// A split joint gets the product of the three rotations, the translation of the outermost joint and the scale of the
    /// last one.
    ///
    /// # Panics
    /// If `split` is not a pose of the split skeleton.
    pub fn merge_pose(&self, split: &LocalPose, out: &mut LocalPose) {
        assert_eq!(split.joints.len(), self.skeleton.len(), "the pose is not of the split skeleton");
        out.joints.resize(self.splits.len(), Transform::IDENTITY);
        out.morphs.clone_from(&split.morphs);
        for ((out, order), last) in out.joints.iter_mut().zip(&self.splits).zip(&self.new_of_old) {
            let last = last.index();
            *out = split.joints[last];
            if order.is_some() {
                let [outer, middle] = [split.joints[last - 2], split.joints[last - 1]];
                out.rotation = (outer.rotation * middle.rotation * out.rotation).normalize();
                out.translation = outer.translation;
            }
        }
    }
}

impl JointAxis {
    fn letter(self) -> char {
        match self {
            Self::X => 'x',
            Self::Y => 'y',
            Self::Z => 'z',
        }
    }
}

/// The id of the last joint of a list.
fn last_of(list: &[Joint]) -> Result<JointId, SkeletonError> {
    let count = list.len();
    u16::try_from(count - 1).map(JointId).map_err(|_| SkeletonError::TooManyJoints { count })
}

fn euler_order(axes: [JointAxis; 3]) -> Option<EulerRot> {
    use JointAxis::{X, Y, Z};
    Some(match axes {
        [X, Y, Z] => EulerRot::XYZ,
        [X, Z, Y] => EulerRot::XZY,
        [Y, X, Z] => EulerRot::YXZ,
        [Y, Z, X] => EulerRot::YZX,
        [Z, X, Y] => EulerRot::ZXY,
        [Z, Y, X] => EulerRot::ZYX,
        _ => return None,
    })
}

fn axes_of(order: EulerRot) -> [DVec3; 3] {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    match order {
        EulerRot::XZY => [x, z, y],
        EulerRot::YXZ => [y, x, z],
        EulerRot::YZX => [y, z, x],
        EulerRot::ZXY => [z, x, y],
        EulerRot::ZYX => [z, y, x],
        _ => [x, y, z],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;
    use crate::{ModelPose, Wrap, sample_clip};
    use JointAxis::{X, Y, Z};
    use glam::Vec3;
    use proptest::{
        prelude::*,
        test_runner::{Config, RngSeed},
    };

    const ORDERS: [[JointAxis; 3]; 6] = [[X, Y, Z], [X, Z, Y], [Y, X, Z], [Y, Z, X], [Z, X, Y], [Z, Y, X]];

    /// An arm whose shoulder and elbow are split.
    fn arm(axes: [JointAxis; 3]) -> (Skeleton, MetaJoints) {
        let joint = |name: &str, parent: Option<u16>, angle: f32| Joint {
            name: name.into(),
            parent: parent.map(JointId),
            rest: Transform {
                translation: Vec3::Y,
                rotation: Quat::from_euler(EulerRot::XYZ, angle, -angle, 0.5),
                scale: Vec3::new(1.0, 1.5, 0.7),
            },
        };
        let whole =
            Skeleton::new([joint("root", None, 0.1), joint("a", Some(0), 0.7), joint("b", Some(1), -0.4)])
                .unwrap();
        let splits = [JointId(1), JointId(2)].map(|joint| Split { joint, axes });
        let split = MetaJoints::split(&whole, &splits).unwrap();
        (whole, split)
    }

    proptest! {
        #![proptest_config(Config {
            rng_seed: RngSeed::Fixed(0x6d65_7461),
            failure_persistence: None,
            ..Config::default()
        })]

        #[test]
        fn split_and_merged_poses_are_the_same(
            q in [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0], order in 0_usize..6, locked: bool,
        ) {
            let (whole, split) = arm(ORDERS[order]);
            let q = Quat::from_array(q);
            prop_assume!(q.length() > 0.1);
            let mut pose = whole.rest_pose();
            // A quarter turn of the middle axis leaves the outer two parallel.
            let quarter = Quat::from_axis_angle(axes_of(euler_order(ORDERS[order]).unwrap())[1].as_vec3(), std::f32::consts::FRAC_PI_2);
            pose.joints[1].rotation = if locked { pose.joints[1].rotation * quarter } else { q.normalize() };
            pose.joints[2].translation = Vec3::new(0.3, 0.1, 2.0);
            let (mut parted, mut again) = (LocalPose::default(), LocalPose::default());
            split.split_pose(&pose, &mut parted);
            split.merge_pose(&parted, &mut again);
            for (a, b) in pose.joints.iter().zip(&again.joints) {
                let b_rotation = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
                prop_assert!((a.rotation - b_rotation).length() < 1e-6, "{:?} {:?}", a, b);
                prop_assert_eq!((a.translation, a.scale), (b.translation, b.scale));
            }
            // One axis each, seen from rest.
            for joint in [JointId(1), JointId(2)] {
                for (new, axis) in split.joints(joint).zip(axes_of(euler_order(ORDERS[order]).unwrap())) {
                    let rest = split.skeleton().rest(new).rotation;
                    let turn = rest.conjugate() * parted.joints[new.index()].rotation;
                    prop_assert!(turn.xyz().cross(axis.as_vec3()).length() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_split_figure_walks_as_before() {
        let figure = sinew_samples::figure();
        let whole = figure.skeleton();
        let splits: Vec<Split> = whole
            .joints()
            .skip(1)
            .map(|joint| Split { joint, axes: ORDERS[usize::from(joint.0) % 6] })
            .collect();
        let split = MetaJoints::split(whole, &splits).unwrap();
        assert_eq!(split.skeleton().len(), 3 * whole.len() - 2);
        assert_eq!(split.skeleton().name(split.joint(JointId(5))), whole.name(JointId(5)));
        let mut pose = figure.rest_pose();
        sample_clip(figure.find_clip("walk").unwrap(), 0.3, Wrap::Loop, &mut pose);
        let mut parted = split.skeleton().rest_pose();
        split.split_pose(&pose, &mut parted);
        let (mut a, mut b) = (ModelPose::new(whole), ModelPose::new(split.skeleton()));
        a.update(whole, &pose);
        b.update(split.skeleton(), &parted);
        for joint in whole.joints() {
            assert!(a.joint(joint).abs_diff_eq(b.joint(split.joint(joint)), 3e-6), "{}", whole.name(joint));
        }
    }

    #[test]
    fn the_rest_is_the_rest() {
        let (whole, split) = arm([Z, Y, X]);
        let mut parted = LocalPose::default();
        split.split_pose(&whole.rest_pose(), &mut parted);
        for (a, b) in parted.joints.iter().zip(split.skeleton().rest_transforms()) {
            assert!(
                a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6
                    && a.translation == b.translation
                    && a.scale == b.scale
            );
        }
    }

    #[test]
    fn refuses_what_cannot_be_split() {
        let (whole, _) = arm([X, Y, Z]);
        let split = |splits: &[(u16, [JointAxis; 3])]| {
            let splits: Vec<Split> =
                splits.iter().map(|&(j, axes)| Split { joint: JointId(j), axes }).collect();
            MetaJoints::split(&whole, &splits)
        };
        assert!(matches!(split(&[(9, [X, Y, Z])]), Err(SplitError::NoSuchJoint { .. })));
        assert!(matches!(split(&[(1, [X, Y, X])]), Err(SplitError::RepeatedAxis { .. })));
        assert!(matches!(split(&[(1, [X, Y, Z]), (1, [X, Y, Z])]), Err(SplitError::Twice { .. })));
    }
}
