//! Corrective joints: joints that move as a polynomial of the rotation between two others.
//!
//! A shoulder that keeps its volume under plain linear blend skinning needs a joint between chest and arm that turns, slides and
//! swells with the arm. Its motion is smooth in the arm's rotation, so a polynomial of the rotation vector describes it:
//! [`Corrective`] has one row of coefficients for each term of degree one to three. `sinew-author` fits the rows to what another
//! deformation method does.

use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::LocalPose,
    transform::Transform,
};
use glam::{Quat, Vec3};
use std::f32::consts::PI;
use thiserror::Error;

/// The number of terms of degree one to three of a rotation vector: x, y, z, xx, yy, zz, xy, xz, yz, and ten of degree three.
pub const CORRECTIVE_TERMS: usize = 19;

/// The bounds of the factors by which a corrective joint scales.
const SCALE_RANGE: [f32; 2] = [0.1, 10.0];

/// A joint that moves as a polynomial of the rotation of one joint relative to another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Corrective {
    /// The joint that moves, a child of `base`.
    pub joint: JointId,
    /// The joint relative to which the rotation is measured.
    pub base: JointId,
    /// The joint whose rotation is measured, a descendant of `base`.
    pub source: JointId,
    /// The rotation of `source` relative to `base` at which the corrective joint is at rest.
    pub base_from_source: Quat,
    /// The largest angle that the polynomial was fitted for, in radians; larger rotations are taken for this one.
    pub max_radians: f32,
    /// One row for each term: see [`corrective_terms`].
    pub rows: Vec<CorrectiveRow>,
}

/// The change of a joint by one term of the polynomial.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CorrectiveRow {
    /// What is added to the translation, in meters in the space of the base.
    pub translation: Vec3,
    /// What is added to the rotation vector, in radians in the space of the joint at rest.
    pub rotation: Vec3,
    /// What is added to the scale factors.
    pub scale: Vec3,
}

/// Why a corrective joint does not fit a skeleton.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CorrectiveError {
    /// A joint that the skeleton does not have.
    #[error("joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// The joint is not a child of its base.
    #[error("joint {} must be a child of joint {}", joint.0, base.0)]
    NotAChild {
        /// The joint that moves.
        joint: JointId,
        /// The joint relative to which the rotation is measured.
        base: JointId,
    },
    /// The source is not below the base, or is the joint that moves.
    #[error("source {} must be another joint below joint {}", source_joint.0, base.0)]
    NotBelow {
        /// The joint whose rotation is measured.
        source_joint: JointId,
        /// The joint relative to which it is measured.
        base: JointId,
    },
    /// There are too few or too many rows.
    #[error("must have {CORRECTIVE_TERMS} rows of coefficients, got {rows}")]
    WrongRows {
        /// The number of rows that were given.
        rows: usize,
    },
    /// A number is not finite, or the angle is not between 0 and π.
    #[error("{what} must be {wanted}")]
    BadNumber {
        /// The number that is out of range.
        what: &'static str,
        /// The values that are allowed, in words.
        wanted: &'static str,
    },
}

/// The terms of degree one to three of a vector, in the order of the rows of a [`Corrective`]: x, y, z; xx, yy, zz, xy, xz, yz;
/// xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz.
#[must_use]
pub fn corrective_terms(v: Vec3) -> [f32; CORRECTIVE_TERMS] {
    let Vec3 { x, y, z } = v;
    let (xx, yy, zz) = (x * x, y * y, z * z);
    [
        x,
        y,
        z, // degree one
        xx,
        yy,
        zz,
        x * y,
        x * z,
        y * z, // degree two
        xx * x,
        yy * y,
        zz * z,
        xx * y,
        xx * z,
        yy * x,
        yy * z,
        zz * x,
        zz * y,
        x * y * z,
    ]
}

/// The axis times the angle of a rotation, 0 to π radians long.
#[must_use]
pub fn rotation_vector(rotation: Quat) -> Vec3 {
    let unit = rotation.normalize();
    let unit = if unit.w < 0.0 { -unit } else { unit };
    let sin = unit.xyz().length();
    // Below this the angle is twice the sine to rounding.
    if sin < 1e-4 { unit.xyz() * 2.0 } else { unit.xyz() * (2.0 * sin.atan2(unit.w) / sin) }
}

/// A [`Corrective`] that is checked against a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlacedCorrective {
    joint: JointId,
    rest: Transform,
    /// The joints below the base down to the source.
    chain: Vec<JointId>,
    source_from_base: Quat,
    max_radians: f32,
    rows: Vec<CorrectiveRow>,
}

impl PlacedCorrective {
    pub(super) fn new(skeleton: &Skeleton, it: &Corrective) -> Result<Self, CorrectiveError> {
        let joints = skeleton.len();
        if let Some(joint) = [it.joint, it.base, it.source].into_iter().find(|j| j.index() >= joints) {
            return Err(CorrectiveError::NoSuchJoint { joint, joints });
        }
        if skeleton.parent(it.joint) != Some(it.base) {
            return Err(CorrectiveError::NotAChild { joint: it.joint, base: it.base });
        }
        if it.source == it.base || it.source == it.joint || !skeleton.is_within(it.source, it.base) {
            return Err(CorrectiveError::NotBelow { source_joint: it.source, base: it.base });
        }
        if it.rows.len() != CORRECTIVE_TERMS {
            return Err(CorrectiveError::WrongRows { rows: it.rows.len() });
        }
        let is_finite = |r: &CorrectiveRow| (r.translation + r.rotation + r.scale).is_finite();
        if !it.rows.iter().all(is_finite) {
            return Err(CorrectiveError::BadNumber { what: "coefficients", wanted: "finite" });
        }
        if !(it.max_radians > 0.0 && it.max_radians <= PI) {
            return Err(CorrectiveError::BadNumber {
                what: "the largest angle", wanted: "above 0, up to π"
            });
        }
        let length = it.base_from_source.length_squared();
        if !length.is_finite() || length < 1e-12 {
            return Err(CorrectiveError::BadNumber { what: "the rotation at rest", wanted: "a rotation" });
        }
        let mut chain: Vec<JointId> =
            skeleton.ancestors(it.source).take_while(|&joint| joint != it.base).collect();
        chain.reverse();
        Ok(Self {
            joint: it.joint,
            rest: skeleton.rest(it.joint),
            chain,
            source_from_base: it.base_from_source.normalize().conjugate(),
            max_radians: it.max_radians,
            rows: it.rows.clone(),
        })
    }

    /// Poses the joint, whatever it was before.
    pub(super) fn apply(&self, pose: &mut LocalPose) {
        let turn = |rotation: Quat, joint: &JointId| rotation * pose.joints[joint.index()].rotation;
        let base_from_source = self.chain.iter().fold(Quat::IDENTITY, turn);
        let vector = rotation_vector(self.source_from_base * base_from_source);
        let terms = corrective_terms(vector.clamp_length_max(self.max_radians));
        let mut change = CorrectiveRow::default();
        for (row, term) in self.rows.iter().zip(terms) {
            change.translation += row.translation * term;
            change.rotation += row.rotation * term;
            change.scale += row.scale * term;
        }
        let [min, max] = SCALE_RANGE.map(Vec3::splat);
        pose.joints[self.joint.index()] = Transform {
            translation: self.rest.translation + change.translation,
            rotation: (self.rest.rotation * Quat::from_scaled_axis(change.rotation)).normalize(),
            scale: self.rest.scale * (Vec3::ONE + change.scale).clamp(min, max),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Joint;

    /// A chest, a collarbone, an arm and a joint below the chest that corrects.
    fn skeleton() -> Skeleton {
        let joint = |parent: Option<u16>, turn: f32| Joint {
            name: String::new(),
            parent: parent.map(JointId),
            rest: Transform::from_rotation_translation(Quat::from_rotation_x(turn), Vec3::Y),
        };
        Skeleton::new([joint(None, 0.3), joint(Some(0), 0.2), joint(Some(1), -0.4), joint(Some(0), 0.1)])
            .unwrap()
    }

    fn corrective(rows: &[(usize, CorrectiveRow)]) -> Corrective {
        let mut all = vec![CorrectiveRow::default(); CORRECTIVE_TERMS];
        rows.iter().for_each(|&(at, row)| all[at] = row);
        Corrective {
            joint: JointId(3),
            base: JointId(0),
            source: JointId(2),
            base_from_source: Quat::from_rotation_x(-0.2),
            max_radians: 2.0,
            rows: all,
        }
    }

    fn moved(it: &Corrective, turn: Quat) -> Transform {
        let skeleton = skeleton();
        let mut pose = skeleton.rest_pose();
        pose.joints[2].rotation *= turn;
        pose.joints[3].translation = Vec3::splat(9.0);
        PlacedCorrective::new(&skeleton, it).unwrap().apply(&mut pose);
        pose.joints[3]
    }

    #[test]
    fn it_is_at_rest_with_its_source_and_follows_each_term() {
        let row = CorrectiveRow { translation: Vec3::Z, rotation: Vec3::X * 0.5, scale: Vec3::Y * 0.25 };
        let rest = skeleton().rest(JointId(3));
        let linear = corrective(&[(2, row)]);
        let at_rest = moved(&linear, Quat::IDENTITY);
        assert!(
            at_rest.translation.abs_diff_eq(rest.translation, 1e-6)
                && at_rest.rotation.abs_diff_eq(rest.rotation, 1e-6)
        );
        let turned = moved(&linear, Quat::from_rotation_z(1.2));
        assert!(turned.translation.abs_diff_eq(rest.translation + Vec3::Z * 1.2, 1e-5), "{turned:?}");
        assert!(turned.rotation.abs_diff_eq(rest.rotation * Quat::from_rotation_x(0.6), 1e-5));
        assert!(turned.scale.abs_diff_eq(Vec3::new(1.0, 1.3, 1.0), 1e-5));
        let square = moved(&corrective(&[(4, row)]), Quat::from_rotation_y(-1.2));
        assert!(square.translation.abs_diff_eq(rest.translation + Vec3::Z * 1.44, 1e-5), "{square:?}");
    }

    #[test]
    fn rotations_beyond_the_largest_angle_change_nothing_more() {
        let row = CorrectiveRow { translation: Vec3::Z, ..CorrectiveRow::default() };
        let it = corrective(&[(0, row)]);
        let far = moved(&it, Quat::from_rotation_x(2.9));
        assert!(
            far.translation.abs_diff_eq(moved(&it, Quat::from_rotation_x(2.0)).translation, 1e-5),
            "{far:?}"
        );
    }

    #[test]
    fn scale_never_turns_a_joint_inside_out() {
        let row = CorrectiveRow { scale: Vec3::splat(-3.0), ..CorrectiveRow::default() };
        let it = moved(&corrective(&[(3, row)]), Quat::from_rotation_x(1.5));
        assert_eq!(it.scale, Vec3::splat(SCALE_RANGE[0]));
    }

    #[test]
    fn what_does_not_fit_the_skeleton_is_refused() {
        let refused = |change: fn(&mut Corrective)| {
            let mut it = corrective(&[]);
            change(&mut it);
            PlacedCorrective::new(&skeleton(), &it).unwrap_err()
        };
        assert!(matches!(refused(|c| c.source = JointId(7)), CorrectiveError::NoSuchJoint { .. }));
        assert!(matches!(refused(|c| c.base = JointId(1)), CorrectiveError::NotAChild { .. }));
        assert!(matches!(refused(|c| c.source = JointId(0)), CorrectiveError::NotBelow { .. }));
        assert!(matches!(refused(|c| c.rows.truncate(9)), CorrectiveError::WrongRows { rows: 9 }));
        for bad in [
            refused(|c| c.rows[3].scale.y = f32::NAN),
            refused(|c| c.max_radians = 4.0),
            refused(|c| c.base_from_source = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        ] {
            assert!(matches!(bad, CorrectiveError::BadNumber { .. }), "{bad}");
        }
    }

    #[test]
    fn rotation_vectors_have_the_angle_of_the_shorter_way() {
        for vector in [Vec3::new(0.4, -1.0, 2.0), Vec3::X * 1e-5, Vec3::ZERO] {
            let turn = Quat::from_scaled_axis(vector);
            assert!(
                rotation_vector(turn).abs_diff_eq(vector, 1e-5)
                    && rotation_vector(-turn).abs_diff_eq(vector, 1e-5)
            );
        }
    }
}
