//! The JSON form of a helper joint: in the `extras` of one joint, with other joints by name.

use serde::{Deserialize, Serialize};
use sinew::{
    JointId,
    constrain::{
        Corrective, CorrectiveRow, DrivenProperty, Driver, DriverCurve, DriverError, DriverMeasure,
        HelperJoint, HelperKind, Roll,
    },
    glam::{Quat, Vec3},
};

/// The key of helpers in a joint's extras.
pub(super) const KEY: &str = "helpers";

/// One helper, stored with the joint whose twist it distributes, or with the first joint that it drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HelperJson {
    #[serde(default)]
    pub(super) name: String,
    /// Helpers are applied in ascending order.
    #[serde(default)]
    pub(super) order: u32,
    #[serde(default = "enabled", skip_serializing_if = "is_enabled")]
    on: bool,
    #[serde(flatten)]
    kind: HelperKindJson,
}

/// A joint, by its name if that is unique, otherwise by its node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum JointReference {
    Name(String),
    Node(usize),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum HelperKindJson {
    Twist { axis: [f32; 3], rolls: Vec<RollJson> },
    Drive(Vec<DriverJson>),
    Correct(CorrectiveJson),
}

/// A corrective joint, stored with itself. A row has translation, rotation vector and scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CorrectiveJson {
    base: JointReference,
    source: JointReference,
    /// The rotation from `source` to `base` at rest: x, y, z, w.
    rest: [f32; 4],
    max_angle: f32,
    rows: Vec<[f32; 9]>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RollJson {
    joint: JointReference,
    #[serde(rename = "share")]
    fraction: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DriverJson {
    source: JointReference,
    measure: MeasureJson,
    target: JointReference,
    property: PropertyJson,
    curve: DriverCurveJson,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MeasureJson {
    Twist([f32; 3]),
    Swing([f32; 3]),
    Slide([f32; 3]),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PropertyJson {
    Translation([f32; 3]),
    Rotation([f32; 3]),
    Scale([bool; 3]),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DriverCurveJson {
    Linear(Vec<[f32; 2]>),
    Smooth(Vec<[f32; 2]>),
}

const fn enabled() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it by reference")]
const fn is_enabled(on: &bool) -> bool {
    *on
}

/// Why JSON is not a valid helper.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum HelperJsonError {
    #[error("there is no joint {0:?}")]
    NoSuchJoint(JointReference),
    #[error(transparent)]
    Curve(#[from] DriverError),
}

impl HelperJson {
    /// The JSON form of `helper`; `name` gives the reference to a joint.
    pub(super) fn new(helper: &HelperJoint, order: u32, name: impl Fn(JointId) -> JointReference) -> Self {
        let kind = match &helper.kind {
            HelperKind::Twist { axis, rolls, .. } => {
                let roll = |roll: &Roll| RollJson { joint: name(roll.joint), fraction: roll.fraction };
                HelperKindJson::Twist { axis: axis.to_array(), rolls: rolls.iter().map(roll).collect() }
            }
            HelperKind::Drive(drivers) => {
                HelperKindJson::Drive(drivers.iter().map(|driver| DriverJson::new(driver, &name)).collect())
            }
            HelperKind::Correct(it) => HelperKindJson::Correct(CorrectiveJson::new(it, &name)),
        };
        Self { name: helper.name.clone(), order, on: helper.is_enabled, kind }
    }

    /// The helper that is stored with joint `owner`; `find` resolves references to joints.
    pub(super) fn to_helper(
        &self,
        owner: JointId,
        find: impl Fn(&JointReference) -> Option<JointId>,
    ) -> Result<HelperJoint, HelperJsonError> {
        let find =
            |text: &JointReference| find(text).ok_or_else(|| HelperJsonError::NoSuchJoint(text.clone()));
        let kind = match &self.kind {
            HelperKindJson::Twist { axis, rolls } => {
                let roll = |roll: &RollJson| Ok(Roll { joint: find(&roll.joint)?, fraction: roll.fraction });
                let rolls = rolls.iter().map(roll).collect::<Result<_, HelperJsonError>>()?;
                HelperKind::Twist { source: owner, axis: Vec3::from(*axis), rolls }
            }
            HelperKindJson::Drive(drivers) => {
                let drivers = drivers.iter().map(|driver| driver.to_driver(find));
                HelperKind::Drive(drivers.collect::<Result<_, HelperJsonError>>()?)
            }
            HelperKindJson::Correct(it) => HelperKind::Correct(Box::new(it.to_corrective(owner, find)?)),
        };
        Ok(HelperJoint { name: self.name.clone(), is_enabled: self.on, kind })
    }
}

impl CorrectiveJson {
    fn new(it: &Corrective, name: impl Fn(JointId) -> JointReference) -> Self {
        let row = |row: &CorrectiveRow| {
            let [t, r, s] = [row.translation, row.rotation, row.scale].map(|v| v.to_array());
            [t[0], t[1], t[2], r[0], r[1], r[2], s[0], s[1], s[2]]
        };
        Self {
            base: name(it.base),
            source: name(it.source),
            rest: it.base_from_source.to_array(),
            max_angle: it.max_radians,
            rows: it.rows.iter().map(row).collect(),
        }
    }

    fn to_corrective(
        &self,
        owner: JointId,
        find: impl Fn(&JointReference) -> Result<JointId, HelperJsonError>,
    ) -> Result<Corrective, HelperJsonError> {
        let row = |row: &[f32; 9]| CorrectiveRow {
            translation: Vec3::from_slice(row),
            rotation: Vec3::from_slice(&row[3..]),
            scale: Vec3::from_slice(&row[6..]),
        };
        Ok(Corrective {
            joint: owner,
            base: find(&self.base)?,
            source: find(&self.source)?,
            base_from_source: Quat::from_array(self.rest),
            max_radians: self.max_angle,
            rows: self.rows.iter().map(row).collect(),
        })
    }
}

impl DriverJson {
    fn new(driver: &Driver, name: impl Fn(JointId) -> JointReference) -> Self {
        let points = driver.curve.points().collect();
        Self {
            source: name(driver.source),
            measure: match driver.measure {
                DriverMeasure::Twist { axis } => MeasureJson::Twist(axis.to_array()),
                DriverMeasure::Swing { axis } => MeasureJson::Swing(axis.to_array()),
                DriverMeasure::Slide { axis } => MeasureJson::Slide(axis.to_array()),
            },
            target: name(driver.target),
            property: match driver.property {
                DrivenProperty::Translation { axis } => PropertyJson::Translation(axis.to_array()),
                DrivenProperty::Rotation { axis } => PropertyJson::Rotation(axis.to_array()),
                DrivenProperty::Scale { axes } => PropertyJson::Scale(axes),
            },
            curve: if driver.curve.is_smooth() {
                DriverCurveJson::Smooth(points)
            } else {
                DriverCurveJson::Linear(points)
            },
        }
    }

    fn to_driver(
        &self,
        find: impl Fn(&JointReference) -> Result<JointId, HelperJsonError>,
    ) -> Result<Driver, HelperJsonError> {
        Ok(Driver {
            source: find(&self.source)?,
            measure: match self.measure {
                MeasureJson::Twist(axis) => DriverMeasure::Twist { axis: axis.into() },
                MeasureJson::Swing(axis) => DriverMeasure::Swing { axis: axis.into() },
                MeasureJson::Slide(axis) => DriverMeasure::Slide { axis: axis.into() },
            },
            target: find(&self.target)?,
            property: match self.property {
                PropertyJson::Translation(axis) => DrivenProperty::Translation { axis: axis.into() },
                PropertyJson::Rotation(axis) => DrivenProperty::Rotation { axis: axis.into() },
                PropertyJson::Scale(axes) => DrivenProperty::Scale { axes },
            },
            curve: match &self.curve {
                DriverCurveJson::Linear(points) => DriverCurve::linear(points.iter().copied())?,
                DriverCurveJson::Smooth(points) => DriverCurve::smooth(points.iter().copied())?,
            },
        })
    }
}
