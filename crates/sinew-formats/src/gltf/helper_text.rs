//! A helper as it stands in a file: in the `extras` of one joint, with other joints by name.

use serde::{Deserialize, Serialize};
use sinew::{
    JointId,
    constrain::{
        DrivenProperty, Driver, DriverCurve, DriverError, DriverMeasure, HelperJoint, HelperKind, Roll,
    },
    glam::Vec3,
};

/// Where in a joint's extras helpers stand.
pub(super) const KEY: &str = "helpers";

/// One helper. It stands with the joint whose twist it spreads, or with the first joint that it drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HelperText {
    #[serde(default)]
    pub(super) name: String,
    /// Helpers are applied by rising order.
    #[serde(default)]
    pub(super) order: u32,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    on: bool,
    #[serde(flatten)]
    act: ActText,
}

/// A joint: by its name where no other has it, by its node otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum JointText {
    Name(String),
    Node(usize),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ActText {
    Twist { axis: [f32; 3], rolls: Vec<RollText> },
    Drive(Vec<DriverText>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RollText {
    joint: JointText,
    share: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DriverText {
    source: JointText,
    measure: MeasureText,
    target: JointText,
    property: PropertyText,
    curve: CurveText,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MeasureText {
    Twist([f32; 3]),
    Swing([f32; 3]),
    Slide([f32; 3]),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PropertyText {
    Translation([f32; 3]),
    Rotation([f32; 3]),
    Scale([bool; 3]),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CurveText {
    Linear(Vec<[f32; 2]>),
    Smooth(Vec<[f32; 2]>),
}

const fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it by reference")]
const fn is_yes(on: &bool) -> bool {
    *on
}

/// Why a text is no helper.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum HelperTextError {
    #[error("there is no joint {0:?}")]
    NoSuchJoint(JointText),
    #[error(transparent)]
    Curve(#[from] DriverError),
}

impl HelperText {
    /// `helper` as text; `name` says how joints are called.
    pub(super) fn new(helper: &HelperJoint, order: u32, name: impl Fn(JointId) -> JointText) -> Self {
        let act = match &helper.kind {
            HelperKind::Twist { axis, rolls, .. } => {
                let roll = |roll: &Roll| RollText { joint: name(roll.joint), share: roll.fraction };
                ActText::Twist { axis: axis.to_array(), rolls: rolls.iter().map(roll).collect() }
            }
            HelperKind::Drive(drivers) => {
                ActText::Drive(drivers.iter().map(|driver| DriverText::new(driver, &name)).collect())
            }
        };
        Self { name: helper.name.clone(), order, on: helper.is_enabled, act }
    }

    /// The helper that stands with joint `owner`; `find` says which joint is meant.
    pub(super) fn to_helper(
        &self,
        owner: JointId,
        find: impl Fn(&JointText) -> Option<JointId>,
    ) -> Result<HelperJoint, HelperTextError> {
        let find = |text: &JointText| find(text).ok_or_else(|| HelperTextError::NoSuchJoint(text.clone()));
        let act = match &self.act {
            ActText::Twist { axis, rolls } => {
                let roll = |roll: &RollText| Ok(Roll { joint: find(&roll.joint)?, fraction: roll.share });
                let rolls = rolls.iter().map(roll).collect::<Result<_, HelperTextError>>()?;
                HelperKind::Twist { source: owner, axis: Vec3::from(*axis), rolls }
            }
            ActText::Drive(drivers) => {
                let drivers = drivers.iter().map(|driver| driver.to_driver(find));
                HelperKind::Drive(drivers.collect::<Result<_, HelperTextError>>()?)
            }
        };
        Ok(HelperJoint { name: self.name.clone(), is_enabled: self.on, kind: act })
    }
}

impl DriverText {
    fn new(driver: &Driver, name: impl Fn(JointId) -> JointText) -> Self {
        let points = driver.curve.points().collect();
        Self {
            source: name(driver.source),
            measure: match driver.measure {
                DriverMeasure::Twist { axis } => MeasureText::Twist(axis.to_array()),
                DriverMeasure::Swing { axis } => MeasureText::Swing(axis.to_array()),
                DriverMeasure::Slide { axis } => MeasureText::Slide(axis.to_array()),
            },
            target: name(driver.target),
            property: match driver.property {
                DrivenProperty::Translation { axis } => PropertyText::Translation(axis.to_array()),
                DrivenProperty::Rotation { axis } => PropertyText::Rotation(axis.to_array()),
                DrivenProperty::Scale { axes } => PropertyText::Scale(axes),
            },
            curve: if driver.curve.is_smooth() {
                CurveText::Smooth(points)
            } else {
                CurveText::Linear(points)
            },
        }
    }

    fn to_driver(
        &self,
        find: impl Fn(&JointText) -> Result<JointId, HelperTextError>,
    ) -> Result<Driver, HelperTextError> {
        Ok(Driver {
            source: find(&self.source)?,
            measure: match self.measure {
                MeasureText::Twist(axis) => DriverMeasure::Twist { axis: axis.into() },
                MeasureText::Swing(axis) => DriverMeasure::Swing { axis: axis.into() },
                MeasureText::Slide(axis) => DriverMeasure::Slide { axis: axis.into() },
            },
            target: find(&self.target)?,
            property: match self.property {
                PropertyText::Translation(axis) => DrivenProperty::Translation { axis: axis.into() },
                PropertyText::Rotation(axis) => DrivenProperty::Rotation { axis: axis.into() },
                PropertyText::Scale(axes) => DrivenProperty::Scale { axes },
            },
            curve: match &self.curve {
                CurveText::Linear(points) => DriverCurve::linear(points.iter().copied())?,
                CurveText::Smooth(points) => DriverCurve::smooth(points.iter().copied())?,
            },
        })
    }
}
