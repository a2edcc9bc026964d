//! The stance of a body at rest: its up and forward directions and its leg length.

use super::anatomy::{Anatomy, Limbs};
use sinew::{
    BodySide, JointId, ModelPose, Skeleton,
    glam::{Mat3, Quat, Vec3},
};

/// Directions within this cosine (20°) of a model axis are snapped to it.
const NEAR_AXIS: f32 = 0.94;

/// The stance of a body at rest.
#[derive(Clone, Debug)]
pub(super) struct Stance {
    /// Rotates x, y and z to the body's left, up and forward directions.
    pub(super) model_from_body: Quat,
    pub(super) up: Vec3,
    pub(super) left: Vec3,
    /// The length of thigh and shin together, as the mean of both sides.
    pub(super) leg_length: Option<f32>,
    /// The height of the ankle above the lowest joint of the foot, as the mean of both sides.
    pub(super) ankle_height: f32,
    /// The height of the lowest joint of the feet.
    pub(super) lowest_foot: f32,
}

impl Stance {
    pub(super) fn new(skeleton: &Skeleton, anatomy: &Anatomy, rest: &ModelPose) -> Self {
        let at = |j: JointId| Vec3::from(rest.joint(j).translation);
        let feet: Vec<JointId> = anatomy.sides.iter().filter_map(|s| s.foot).collect();
        let feet_center = feet.iter().map(|&j| at(j)).sum::<Vec3>() / feet.len().max(1) as f32;
        // The legs tell where up is: the spine of an animal is level.
        let thighs: Vec<Vec3> = anatomy.sides.iter().filter_map(|s| s.thigh.map(at)).collect();
        let hips = (thighs.len() == 2).then(|| (thighs[0] + thighs[1]) / 2.0);
        let top = hips.or_else(|| anatomy.head.or(anatomy.chest()).or(anatomy.pelvis).map(at));
        let rise = top.filter(|_| !feet.is_empty()).map_or(Vec3::Y, |top| top - feet_center);
        let up = nearest_axis(rise);
        let left = across(anatomy, at).map_or(left_of(up), |left| left - up * left.dot(up));
        let left = snapped(left).unwrap_or_else(|| left_of(up));
        let axes = Mat3::from_cols(left, up, left.cross(up));
        let height = |j: JointId| at(j).dot(up);
        let lowest = |foot: JointId| {
            let below = skeleton.joints().filter(|&j| skeleton.is_within(j, foot));
            below.map(height).fold(f32::INFINITY, f32::min)
        };
        let mean = |f: &dyn Fn(&JointId) -> f32| feet.iter().map(f).sum::<f32>() / feet.len().max(1) as f32;
        let lengths: Vec<f32> = anatomy.sides.iter().filter_map(|s| leg_length(s, at)).collect();
        let leg_length = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let lowest_foot = feet.iter().map(|&j| lowest(j)).fold(f32::INFINITY, f32::min);
        Self {
            model_from_body: Quat::from_mat3(&axes).normalize(),
            up,
            left,
            leg_length: (leg_length > 0.0 && leg_length.is_finite()).then_some(leg_length),
            ankle_height: mean(&|&j| height(j) - lowest(j)),
            lowest_foot: if lowest_foot.is_finite() { lowest_foot } else { 0.0 },
        }
    }

    pub(super) fn ahead(&self) -> Vec3 {
        self.left.cross(self.up)
    }
}

fn leg_length(limbs: &Limbs, at: impl Fn(JointId) -> Vec3) -> Option<f32> {
    let [thigh, shin, foot] = limbs.leg()?.map(at);
    Some(thigh.distance(shin) + shin.distance(foot))
}

/// The direction from the right of a body to its left.
fn across(anatomy: &Anatomy, at: impl Fn(JointId) -> Vec3) -> Option<Vec3> {
    let [left, right] = BodySide::BOTH.map(|side| anatomy.side(side));
    let pairs = [(left.thigh, right.thigh), (left.upper_arm, right.upper_arm)];
    let apart = pairs.into_iter().filter_map(|(l, r)| Some(at(l?) - at(r?)));
    apart.reduce(|a, b| a + b).filter(|v| v.length() > 0.0)
}

/// The left direction if the skeleton does not define it.
fn left_of(up: Vec3) -> Vec3 {
    if up.x.abs() > 0.5 { Vec3::Y } else { Vec3::X }
}

/// The model axis, of either sign, that is nearest to `direction`.
fn nearest_axis(direction: Vec3) -> Vec3 {
    let axes = Vec3::AXES.into_iter().flat_map(|a| [a, -a]);
    axes.max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction))).unwrap_or(Vec3::Y)
}

/// The normalized `direction`, or the model axis that it nearly equals.
fn snapped(direction: Vec3) -> Option<Vec3> {
    let unit = direction.try_normalize()?;
    let axis = nearest_axis(unit);
    Some(if unit.dot(axis) > NEAR_AXIS { axis } else { unit })
}
