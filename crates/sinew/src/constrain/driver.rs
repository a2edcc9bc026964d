//! Drivers: joints that move as functions of other joints.
//!
//! A biceps that swells as the elbow bends is a joint whose scale follows the elbow's angle through a curve:
//!
//! ```
//! # use sinew::{JointId, constrain::{DriverCurve, Driver, Drivers, DriverMeasure, DrivenProperty}, glam::Vec3};
//! # let tube = sinew_samples::tube();
//! # let (elbow, biceps) = (JointId(1), JointId(2));
//! let swell = Driver {
//!     source: elbow,
//!     measure: DriverMeasure::Swing { axis: Vec3::Y },
//!     target: biceps,
//!     property: DrivenProperty::Scale { axes: [true, false, true] },
//!     curve: DriverCurve::smooth([[0.0, 1.0], [2.4, 1.3]]).unwrap(),
//! };
//! let drivers = Drivers::new(tube.skeleton(), vec![swell]).unwrap();
//! let mut pose = tube.rest_pose();
//! drivers.apply(&mut pose);
//! assert_eq!(pose.joints[biceps.index()].scale, Vec3::ONE);     // the elbow is straight
//! ```

mod curve;

pub use curve::DriverCurve;

use super::{twist::SwingTwist, unit};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::LocalPose,
};
use glam::{Quat, Vec3};
use thiserror::Error;

/// The input of a driver: the motion of a joint relative to its rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DriverMeasure {
    /// The twist angle about an axis, −π to π radians, independent of the swing.
    Twist {
        /// A direction in joint space.
        axis: Vec3,
    },
    /// The swing angle of an axis, 0 to π radians, independent of the twist.
    Swing {
        /// A direction in joint space, usually along the bone.
        axis: Vec3,
    },
    /// The translation along a direction in parent space, in meters.
    Slide {
        /// A direction in parent space.
        axis: Vec3,
    },
}

/// The property of a joint that a driver changes, added to the value of the pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DrivenProperty {
    /// Translation by the value of the curve, in meters, along a direction in parent space.
    Translation {
        /// The direction of the translation in parent space.
        axis: Vec3,
    },
    /// Rotation by the value of the curve, in radians, about an axis in joint space.
    Rotation {
        /// The rotation axis in joint space.
        axis: Vec3,
    },
    /// Scale by the value of the curve along the selected axes.
    Scale {
        /// True for each of the x, y and z axes that is scaled.
        axes: [bool; 3],
    },
}

/// A property of one joint as a function of the motion of another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Driver {
    /// The joint that is measured.
    pub source: JointId,
    /// The measured quantity of the source.
    pub measure: DriverMeasure,
    /// The joint that is driven.
    pub target: JointId,
    /// The property of the target that changes.
    pub property: DrivenProperty,
    /// The function from the measured value to the property.
    pub curve: DriverCurve,
}

/// Drivers that are checked against a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drivers {
    drivers: Vec<PlacedDriver>,
}

/// A driver with unit axes, and the rest transform of its source.
#[derive(Clone, Debug, PartialEq)]
struct PlacedDriver {
    driver: Driver,
    rest_translation: Vec3,
    joint_from_parent_at_rest: Quat,
}

/// Why drivers are invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DriverError {
    /// A joint that the skeleton does not have.
    #[error("driver {driver}: joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// Index of the driver.
        driver: usize,
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// An axis is zero or not finite, or no axis is scaled.
    #[error("driver {driver}: {what} has no direction")]
    BadAxis {
        /// Index of the driver.
        driver: usize,
        /// Which one is invalid: the measure or the property.
        what: &'static str,
    },
    /// A curve needs points with ascending finite inputs and finite values.
    #[error("point {point} of a curve is {at:?}, which is not finite or not after the one before")]
    BadPoint {
        /// Index of the point in the curve.
        point: usize,
        /// Input and value of the point.
        at: [f32; 2],
    },
    /// A curve needs at least one point.
    #[error("a curve has no points")]
    NoPoints,
}

impl Drivers {
    /// Checks `drivers` against `skeleton`. They are evaluated in the order given.
    ///
    /// # Errors
    /// If a joint is missing or an axis is zero or not finite.
    pub fn new(skeleton: &Skeleton, drivers: Vec<Driver>) -> Result<Self, DriverError> {
        let place = |(at, driver)| PlacedDriver::new(skeleton, at, driver);
        Ok(Self { drivers: drivers.into_iter().enumerate().map(place).collect::<Result<_, _>>()? })
    }

    /// Applies the drivers to `pose` in order. Each driver sees the changes of the earlier ones.
    ///
    /// Call it once per sampled pose, since drivers add to its values.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn apply(&self, pose: &mut LocalPose) {
        self.drivers.iter().for_each(|placed| placed.apply(pose));
    }
}

impl PlacedDriver {
    fn new(skeleton: &Skeleton, at: usize, mut driver: Driver) -> Result<Self, DriverError> {
        let joints = skeleton.len();
        if let Some(joint) = [driver.source, driver.target].into_iter().find(|j| j.index() >= joints) {
            return Err(DriverError::NoSuchJoint { driver: at, joint, joints });
        }
        let straighten = |axis: &mut Vec3, what| {
            *axis = unit(*axis).ok_or(DriverError::BadAxis { driver: at, what })?;
            Ok(())
        };
        match &mut driver.measure {
            DriverMeasure::Twist { axis } | DriverMeasure::Swing { axis } | DriverMeasure::Slide { axis } => {
                straighten(axis, "the measure")?;
            }
        }
        match &mut driver.property {
            DrivenProperty::Translation { axis } | DrivenProperty::Rotation { axis } => {
                straighten(axis, "the property")?;
            }
            DrivenProperty::Scale { axes } if *axes == [false; 3] => {
                return Err(DriverError::BadAxis { driver: at, what: "the property" });
            }
            DrivenProperty::Scale { .. } => {}
        }
        let rest = skeleton.rest(driver.source);
        Ok(Self {
            driver,
            rest_translation: rest.translation,
            joint_from_parent_at_rest: rest.rotation.normalize().conjugate(),
        })
    }

    fn apply(&self, pose: &mut LocalPose) {
        let value = self.driver.curve.at(self.measure(pose));
        let target = &mut pose.joints[self.driver.target.index()];
        match self.driver.property {
            DrivenProperty::Translation { axis } => target.translation += axis * value,
            DrivenProperty::Rotation { axis } => target.rotation *= Quat::from_axis_angle(axis, value),
            DrivenProperty::Scale { axes } => {
                target.scale *= Vec3::from(axes.map(|on| if on { value } else { 1.0 }));
            }
        }
    }

    fn measure(&self, pose: &LocalPose) -> f32 {
        let source = &pose.joints[self.driver.source.index()];
        let since_rest = self.joint_from_parent_at_rest * source.rotation;
        match self.driver.measure {
            DriverMeasure::Twist { axis } => SwingTwist::of(since_rest, axis).twist_radians(axis),
            DriverMeasure::Swing { axis } => SwingTwist::of(since_rest, axis).swing_radians(),
            DriverMeasure::Slide { axis } => (source.translation - self.rest_translation).dot(axis),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Transform};

    fn arm() -> Skeleton {
        let joint = |parent: Option<u16>, rotation| Joint {
            name: String::new(),
            parent: parent.map(JointId),
            rest: Transform::from_rotation_translation(rotation, Vec3::Y),
        };
        let turned = Quat::from_rotation_x(0.5);
        Skeleton::new([joint(None, turned), joint(Some(0), turned), joint(Some(0), turned)]).unwrap()
    }

    fn driver(measure: DriverMeasure, property: DrivenProperty) -> Driver {
        let curve = DriverCurve::linear([[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]]).unwrap();
        Driver { source: JointId(1), measure, target: JointId(2), property, curve }
    }

    fn applied(driver: Driver, turn: Quat, slide: Vec3) -> Transform {
        let skeleton = arm();
        let mut pose = skeleton.rest_pose();
        pose.joints[1].rotation *= turn;
        pose.joints[1].translation += slide;
        Drivers::new(&skeleton, vec![driver]).unwrap().apply(&mut pose);
        pose.joints[2]
    }

    #[test]
    fn each_measure_sees_its_own_motion_alone() {
        let along = DrivenProperty::Translation { axis: Vec3::X };
        let (twist, swing) = (Quat::from_rotation_y(0.3), Quat::from_rotation_z(0.4));
        let moved = |measure, turn, slide| applied(driver(measure, along), turn, slide).translation.x;
        let twist_of = |turn| moved(DriverMeasure::Twist { axis: Vec3::Y * 3.0 }, turn, Vec3::ONE);
        assert!((twist_of(swing * twist) - 0.6).abs() < 1e-5 && twist_of(swing).abs() < 1e-6);
        let swing_of = |turn| moved(DriverMeasure::Swing { axis: Vec3::Y }, turn, Vec3::ONE);
        assert!((swing_of(swing * twist) - 0.8).abs() < 1e-5 && swing_of(twist).abs() < 1e-3);
        let slide = moved(DriverMeasure::Slide { axis: Vec3::Z }, twist, Vec3::new(5.0, 5.0, 0.25));
        assert!((slide - 0.5).abs() < 1e-6);
    }

    #[test]
    fn each_property_adds_to_what_the_pose_has() {
        let measure = DriverMeasure::Twist { axis: Vec3::Y };
        let turn = Quat::from_rotation_y(0.5);
        let rest = arm().rest(JointId(2));
        let rotated = applied(driver(measure, DrivenProperty::Rotation { axis: Vec3::X }), turn, Vec3::ZERO);
        assert!(rotated.rotation.dot(rest.rotation * Quat::from_rotation_x(1.0)) > 1.0 - 1e-6);
        assert_eq!((rotated.translation, rotated.scale), (rest.translation, rest.scale));
        let half = Quat::from_rotation_y(0.25);
        let scaled =
            applied(driver(measure, DrivenProperty::Scale { axes: [true, false, true] }), half, Vec3::ZERO);
        assert!((scaled.scale - Vec3::new(0.5, 1.0, 0.5)).abs().max_element() < 1e-6);
        let moved =
            applied(driver(measure, DrivenProperty::Translation { axis: -Vec3::Z }), turn, Vec3::ZERO);
        assert!((moved.translation - (rest.translation - Vec3::Z)).abs().max_element() < 1e-6);
    }

    #[test]
    fn a_driver_sees_what_those_before_it_did() {
        let skeleton = arm();
        let first =
            driver(DriverMeasure::Twist { axis: Vec3::Y }, DrivenProperty::Rotation { axis: Vec3::Y });
        let second = Driver { source: JointId(2), target: JointId(0), ..first.clone() };
        let mut pose = skeleton.rest_pose();
        pose.joints[1].rotation *= Quat::from_rotation_y(0.1);
        Drivers::new(&skeleton, vec![first.clone(), second.clone()]).unwrap().apply(&mut pose);
        let turned = skeleton.rest(JointId(0)).rotation.conjugate() * pose.joints[0].rotation;
        assert!((SwingTwist::of(turned, Vec3::Y).twist_radians(Vec3::Y) - 0.4).abs() < 1e-5);
        let mut other = skeleton.rest_pose();
        other.joints[1].rotation *= Quat::from_rotation_y(0.1);
        Drivers::new(&skeleton, vec![second, first]).unwrap().apply(&mut other);
        assert!(other.joints[0].rotation.dot(skeleton.rest(JointId(0)).rotation) > 1.0 - 1e-6);
    }

    #[test]
    fn refuses_missing_joints_and_axes_without_direction() {
        let good = driver(DriverMeasure::Swing { axis: Vec3::Y }, DrivenProperty::Scale { axes: [true; 3] });
        let new = |change: fn(&mut Driver)| {
            let mut driver = good.clone();
            change(&mut driver);
            Drivers::new(&arm(), vec![good.clone(), driver])
        };
        assert!(new(|_| ()).is_ok());
        let missing = new(|d| d.target = JointId(3));
        assert_eq!(missing, Err(DriverError::NoSuchJoint { driver: 1, joint: JointId(3), joints: 3 }));
        assert!(new(|d| d.source = JointId(9)).is_err());
        let bad = |what| Err(DriverError::BadAxis { driver: 1, what });
        assert_eq!(new(|d| d.measure = DriverMeasure::Slide { axis: Vec3::NAN }), bad("the measure"));
        assert_eq!(new(|d| d.property = DrivenProperty::Rotation { axis: Vec3::ZERO }), bad("the property"));
        assert_eq!(new(|d| d.property = DrivenProperty::Scale { axes: [false; 3] }), bad("the property"));
    }
}
