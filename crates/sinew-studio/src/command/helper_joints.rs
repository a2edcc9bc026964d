//! Commands about helpers: roll joints that share a twist, muscles that swell with a bend.

use super::{CommandError, rig};
use crate::document::{Document, DocumentPiece};
use serde::{Deserialize, Serialize};
use sinew::{
    JointId, LocalPose,
    constrain::{HelperJoint, HelperKind},
};
use sinew_author::helper_joints::{
    MuscleOptions, RollOptions, TwistEnd, add_muscle, add_rolls, remove_helper,
};
use std::sync::Arc;

/// Where a new muscle is, how large and how strong: [`MuscleOptions`] in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MuscleData {
    /// The middle of the belly along the bone, 0 to 1.
    pub along: f32,
    /// On which side of the bone, in degrees about it from the front.
    pub around_degrees: f32,
    /// Half its length as a part of the bone's.
    pub reach: f32,
    /// How much of its motion the skin follows.
    pub strength: f32,
    /// How many times as thick it is when fully bent.
    pub swell: f32,
    /// How far it slides towards the bone's start when fully bent, as a part of the bone's length.
    pub slide: f32,
    /// The bend at which it has swollen fully.
    pub full_bend_degrees: f32,
}

impl Default for MuscleData {
    fn default() -> Self {
        let MuscleOptions { along, around_radians, reach, strength, swell, slide, full_bend_radians } =
            MuscleOptions::default();
        let (around_degrees, full_bend_degrees) =
            (around_radians.to_degrees(), full_bend_radians.to_degrees());
        Self {
            along,
            around_degrees,
            reach,
            strength,
            swell,
            slide,
            full_bend_degrees: full_bend_degrees.round(),
        }
    }
}

impl From<MuscleData> for MuscleOptions {
    fn from(data: MuscleData) -> Self {
        Self {
            along: data.along,
            around_radians: data.around_degrees.to_radians(),
            reach: data.reach,
            strength: data.strength,
            swell: data.swell,
            slide: data.slide,
            full_bend_radians: data.full_bend_degrees.to_radians(),
        }
    }
}

/// One change of a helper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HelperEdit {
    /// Whether it does anything.
    On(bool),
    /// How much of the twist a roll joint takes.
    Share {
        /// The roll joint's place in the helper.
        roll: usize,
        /// −1 to 1.
        share: f32,
    },
    /// A point of the curve of a driver.
    Point {
        /// The driver's place in the helper.
        driver: usize,
        /// The point's place in the curve.
        point: usize,
        /// Input and value.
        at: [f32; 2],
    },
}

pub(super) fn rolls(
    document: &mut Document,
    (joint, child): (u16, u16),
    options: &RollOptions,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let added = add_rolls(document.character(), JointId(joint), JointId(child), options)?;
    Ok(rig::replace(document, added.character))
}

pub(super) fn muscle(
    document: &mut Document,
    (bone, source): (u16, u16),
    data: MuscleData,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let added = add_muscle(document.character(), JointId(bone), JointId(source), &data.into())?;
    Ok(rig::replace(document, added.character))
}

pub(super) const fn twist_end(at_start: bool) -> TwistEnd {
    if at_start { TwistEnd::Near } else { TwistEnd::Far }
}

pub(super) fn edit(
    document: &mut Document,
    helper: usize,
    edit: HelperEdit,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let mut helpers = document.character().helpers().to_vec();
    let count = helpers.len();
    let it = helpers.get_mut(helper).ok_or(CommandError::Missing { kind: "helper", index: helper, count })?;
    change(it, edit)?;
    Ok(vec![DocumentPiece::Helpers(document.swap_helpers(helpers)?)])
}

fn change(helper: &mut HelperJoint, edit: HelperEdit) -> Result<(), CommandError> {
    let missing = |kind, index, count| CommandError::Missing { kind, index, count };
    match (edit, &mut helper.kind) {
        (HelperEdit::On(is_on), _) => helper.is_enabled = is_on,
        (HelperEdit::Share { roll, share }, HelperKind::Twist { rolls, .. }) => {
            if !(-1.0..=1.0).contains(&share) {
                let (what, wanted) = ("a share of a twist", "-1 to 1");
                return Err(CommandError::BadValue { what, value: share, wanted });
            }
            let count = rolls.len();
            rolls.get_mut(roll).ok_or(missing("roll joint", roll, count))?.fraction = share;
        }
        (HelperEdit::Point { driver, point, at }, HelperKind::Drive(drivers)) => {
            let count = drivers.len();
            let driver = drivers.get_mut(driver).ok_or(missing("driver", driver, count))?;
            let mut points: Vec<[f32; 2]> = driver.curve.points().collect();
            let count = points.len();
            *points.get_mut(point).ok_or(missing("point", point, count))? = at;
            driver.curve = driver.curve.with_points(points)?;
        }
        (HelperEdit::Share { roll, .. }, _) => return Err(missing("roll joint", roll, 0)),
        (HelperEdit::Point { driver, .. }, _) => return Err(missing("driver", driver, 0)),
    }
    Ok(())
}

/// Takes a helper away; what is known by the numbers of joints gets their new numbers.
pub(super) fn remove(document: &mut Document, helper: usize) -> Result<Vec<DocumentPiece>, CommandError> {
    let (character, numbers) = remove_helper(document.character(), helper)?;
    let mut pieces = if numbers.gone().len() == 0 {
        Vec::new()
    } else {
        rig::renumber(document, |joint| numbers.new_of(joint))
    };
    let old = document.pose();
    let kept = document.character().skeleton().joints().zip(&old.joints);
    let pose = LocalPose {
        joints: kept.filter(|(j, _)| numbers.new_of(*j).is_some()).map(|(_, t)| *t).collect(),
        morphs: old.morphs.clone(),
    };
    let (character, pose) = document.swap_character(Arc::new(character), pose);
    pieces.push(DocumentPiece::Character(character, pose));
    Ok(pieces)
}
