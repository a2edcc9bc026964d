//! Helper joints of a character: roll joints that divide a twist, muscles that swell with a bend, corrective joints.
//!
//! A [`HelperJoint`] is plain data for editing. [`HelperJoints`] is a list of them, checked against a skeleton, and runs
//! between sampling and the model-space update. A [`Character`](crate::Character) owns both, and
//! [`Frame::update`](crate::Frame::update) applies them.

use super::{
    Corrective, CorrectiveError, Driver, DriverError, Drivers, Roll, TwistError, TwistSpread,
    corrective::PlacedCorrective,
};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::LocalPose,
};
use glam::Vec3;
use thiserror::Error;

/// A helper: joints that are driven by other joints.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HelperJoint {
    /// Name of the helper, for display.
    pub name: String,
    /// True if the helper is applied.
    pub is_enabled: bool,
    /// How the joints are driven.
    pub kind: HelperKind,
}

/// How the joints of a helper are driven.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HelperKind {
    /// Spreads the twist of a joint over roll joints: see [`TwistSpread`].
    Twist {
        /// The joint that twists.
        source: JointId,
        /// The direction of the bone, in the space of that joint.
        axis: Vec3,
        /// The roll joints with their fractions of the twist.
        rolls: Vec<Roll>,
    },
    /// Moves joints as functions of others: see [`Drivers`].
    Drive(Vec<Driver>),
    /// Moves one joint as a polynomial of a rotation: see [`Corrective`].
    Correct(Box<Corrective>),
}

impl HelperJoint {
    /// The first source joint; `None` if there is no driver.
    pub fn source(&self) -> Option<JointId> {
        match &self.kind {
            HelperKind::Twist { source, .. } => Some(*source),
            HelperKind::Drive(drivers) => drivers.first().map(|driver| driver.source),
            HelperKind::Correct(corrective) => Some(corrective.source),
        }
    }

    /// Number of roll joints, drivers or corrective joints.
    pub fn len(&self) -> usize {
        match &self.kind {
            HelperKind::Twist { rolls, .. } => rolls.len(),
            HelperKind::Drive(drivers) => drivers.len(),
            HelperKind::Correct(_) => 1,
        }
    }

    /// True if it has no roll joints or drivers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The joints that it drives, each once, in order.
    pub fn moved(&self) -> Vec<JointId> {
        let mut moved: Vec<JointId> = match &self.kind {
            HelperKind::Twist { rolls, .. } => rolls.iter().map(|roll| roll.joint).collect(),
            HelperKind::Drive(drivers) => drivers.iter().map(|driver| driver.target).collect(),
            HelperKind::Correct(corrective) => vec![corrective.joint],
        };
        moved.sort_unstable();
        moved.dedup();
        moved
    }

    /// The same helper for a skeleton with other joint indices; `None` if one of its joints does not exist there.
    #[must_use]
    pub fn renumbered(mut self, new_of: impl Fn(JointId) -> Option<JointId>) -> Option<Self> {
        let renumber = |joint: &mut JointId| new_of(*joint).map(|new| *joint = new);
        match &mut self.kind {
            HelperKind::Twist { source, rolls, .. } => {
                renumber(source)?;
                rolls.iter_mut().try_for_each(|roll| renumber(&mut roll.joint))?;
            }
            HelperKind::Drive(drivers) => drivers
                .iter_mut()
                .try_for_each(|driver| renumber(&mut driver.source).and(renumber(&mut driver.target)))?,
            HelperKind::Correct(it) => {
                [&mut it.joint, &mut it.base, &mut it.source].into_iter().try_for_each(renumber)?;
            }
        }
        Some(self)
    }
}

/// Why a helper does not fit a skeleton.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum HelperError {
    /// The twist spread is invalid.
    #[error("helper {name:?}: {source}")]
    Twist {
        /// Name of the helper.
        name: String,
        /// What is wrong with it.
        source: TwistError,
    },
    /// A driver is invalid.
    #[error("helper {name:?}: {source}")]
    Drive {
        /// Name of the helper.
        name: String,
        /// What is wrong with it.
        source: DriverError,
    },
    /// A corrective joint is invalid.
    #[error("helper {name:?}: {source}")]
    Correct {
        /// Name of the helper.
        name: String,
        /// What is wrong with it.
        source: CorrectiveError,
    },
}

/// Helpers that are checked against a skeleton and ready to be applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HelperJoints {
    steps: Vec<HelperStep>,
}

#[derive(Clone, Debug, PartialEq)]
enum HelperStep {
    Twist(TwistSpread),
    Drive(Drivers),
    Correct(PlacedCorrective),
}

impl HelperJoints {
    /// Checks `helpers` against `skeleton`. They are applied in the order given; disabled helpers are checked too.
    ///
    /// # Errors
    /// If a helper refers to a joint that does not exist, or a number is out of range.
    pub fn new(skeleton: &Skeleton, helpers: &[HelperJoint]) -> Result<Self, HelperError> {
        let mut steps = Vec::new();
        for helper in helpers {
            let name = || helper.name.clone();
            let step = match &helper.kind {
                HelperKind::Twist { source, axis, rolls } => {
                    let spread = TwistSpread::new(skeleton, *source, *axis, rolls.iter().copied());
                    HelperStep::Twist(spread.map_err(|source| HelperError::Twist { name: name(), source })?)
                }
                HelperKind::Drive(drivers) => {
                    let drivers = Drivers::new(skeleton, drivers.clone());
                    HelperStep::Drive(drivers.map_err(|source| HelperError::Drive { name: name(), source })?)
                }
                HelperKind::Correct(it) => {
                    let placed = PlacedCorrective::new(skeleton, it);
                    HelperStep::Correct(
                        placed.map_err(|source| HelperError::Correct { name: name(), source })?,
                    )
                }
            };
            steps.extend(helper.is_enabled.then_some(step));
        }
        Ok(Self { steps })
    }

    /// True if no helper is enabled.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Applies the helpers to `pose` in order. Call it once per sampled pose, since drivers add to its values. Nothing is
    /// allocated.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn apply(&self, pose: &mut LocalPose) {
        for step in &self.steps {
            match step {
                HelperStep::Twist(spread) => spread.apply(pose),
                HelperStep::Drive(drivers) => drivers.apply(pose),
                HelperStep::Correct(corrective) => corrective.apply(pose),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Joint, Transform,
        constrain::{DrivenProperty, DriverCurve, DriverMeasure},
    };
    use glam::Quat;

    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent: Option<u16>| Joint {
            name: name.into(),
            parent: parent.map(JointId),
            rest: Transform::from_translation(Vec3::Y),
        };
        let joints =
            [joint("arm", None), joint("hand", Some(0)), joint("roll", Some(0)), joint("muscle", Some(0))];
        Skeleton::new(joints).unwrap()
    }

    fn twist(is_on: bool) -> HelperJoint {
        let rolls = vec![Roll { joint: JointId(2), fraction: 0.5 }];
        HelperJoint {
            name: "twist".into(),
            is_enabled: is_on,
            kind: HelperKind::Twist { source: JointId(1), axis: Vec3::Y, rolls },
        }
    }

    fn muscle() -> HelperJoint {
        let driver = Driver {
            source: JointId(2),
            measure: DriverMeasure::Twist { axis: Vec3::Y },
            target: JointId(3),
            property: DrivenProperty::Translation { axis: Vec3::X },
            curve: DriverCurve::linear([[0.0, 0.0], [1.0, 1.0]]).unwrap(),
        };
        HelperJoint { name: "muscle".into(), is_enabled: true, kind: HelperKind::Drive(vec![driver]) }
    }

    fn posed(helpers: &[HelperJoint]) -> LocalPose {
        let skeleton = skeleton();
        let mut pose = skeleton.rest_pose();
        pose.joints[1].rotation = Quat::from_rotation_y(1.0);
        HelperJoints::new(&skeleton, helpers).unwrap().apply(&mut pose);
        pose
    }

    #[test]
    fn each_sees_what_those_before_it_did_and_one_that_is_off_does_nothing() {
        let moved = |helpers: &[HelperJoint]| posed(helpers).joints[3].translation.x;
        assert!((moved(&[twist(true), muscle()]) - 0.5).abs() < 1e-5);
        assert_eq!(moved(&[muscle(), twist(true)]), 0.0);
        assert_eq!(moved(&[twist(false), muscle()]), 0.0);
        assert!(HelperJoints::new(&skeleton(), &[twist(false)]).unwrap().is_empty());
    }

    #[test]
    fn an_error_names_the_helper_even_where_it_is_off() {
        let lost = twist(false).renumbered(|joint| Some(JointId(joint.0 + 2))).unwrap();
        let error = HelperJoints::new(&skeleton(), &[muscle(), lost]).unwrap_err();
        assert!(error.to_string().starts_with("helper \"twist\": joint 4"), "{error}");
    }

    #[test]
    fn joints_get_new_numbers_or_the_helper_is_gone() {
        let moved = muscle().renumbered(|joint| Some(JointId(joint.0 - 1))).unwrap();
        assert_eq!((moved.source(), moved.moved()), (Some(JointId(1)), vec![JointId(2)]));
        assert_eq!(twist(true).renumbered(|joint| (joint.0 != 2).then_some(joint)), None);
    }
}
