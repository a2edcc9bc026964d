//! Helper joints: roll joints that distribute a twist, and muscles that bulge as a joint bends.

use super::{CommandError, CommandInfo, Touches, rig};
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

pub(super) const ADD_ROLLS: CommandInfo = CommandInfo::new(
    "add-rolls",
    "Add roll joints",
    "Distribute the twist of the bone over joints along it",
    Touches::Rig,
)
.measured();
pub(super) const ADD_MUSCLE: CommandInfo =
    CommandInfo::new("add-muscle", "Add muscle", "Add a muscle that bulges as the joint bends", Touches::Rig);
pub(super) const ENABLE: CommandInfo =
    CommandInfo::new("edit-helper", "Enable helper", "Evaluate the helper", Touches::Settings);
pub(super) const DISABLE: CommandInfo =
    CommandInfo::new("edit-helper", "Disable helper", "Show the skin without the helper", Touches::Settings);
pub(super) const EDIT: CommandInfo =
    CommandInfo::new("edit-helper", "Edit helper", "Edit the helper", Touches::Settings);
pub(super) const REMOVE: CommandInfo =
    CommandInfo::new("remove-helper", "Remove helper", "Remove the helper and its joints", Touches::Rig);

/// Position, size and strength of a new muscle: [`MuscleOptions`] with angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MuscleData {
    /// The center of the muscle along the bone, 0 to 1.
    pub along: f32,
    /// The side of the bone, in degrees around it from the front.
    pub around_degrees: f32,
    /// Half the muscle's length as a fraction of the bone's length.
    pub reach: f32,
    /// How far the skin follows the muscle, 0 to 1.
    pub strength: f32,
    /// Thickness at full bend, as a factor.
    pub swell: f32,
    /// Distance that it slides toward the start of the bone at full bend, as a fraction of the bone's length.
    pub slide: f32,
    /// The bend angle of full thickness, in degrees.
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

/// One edit of a helper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HelperEdit {
    /// Enables or disables the helper.
    On(bool),
    /// Sets the fraction of the twist that a roll joint takes.
    #[serde(alias = "share")]
    Twist {
        /// The roll joint's index in the helper.
        roll: usize,
        /// The fraction, -1 to 1.
        #[serde(alias = "share")]
        fraction: f32,
    },
    /// Moves a point of a driver's curve.
    Point {
        /// The driver's index in the helper.
        driver: usize,
        /// The point's index in the curve.
        point: usize,
        /// The input and value of the point.
        at: [f32; 2],
    },
}

impl HelperEdit {
    /// The row of the command table.
    pub const fn info(&self) -> &'static CommandInfo {
        match self {
            Self::On(true) => &ENABLE,
            Self::On(false) => &DISABLE,
            Self::Twist { .. } | Self::Point { .. } => &EDIT,
        }
    }
}

/// The joints at both ends of a bone.
#[derive(Clone, Copy)]
pub(super) struct BoneJoints {
    pub(super) start: JointId,
    pub(super) end: JointId,
}

pub(super) fn rolls(
    document: &mut Document,
    bone: BoneJoints,
    options: &RollOptions,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let added = add_rolls(document.character(), bone.start, bone.end, options)?;
    Ok(rig::replace(document, added.character))
}

pub(super) fn muscle(
    document: &mut Document,
    bone: BoneJoints,
    data: MuscleData,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let added = add_muscle(document.character(), bone.start, bone.end, &data.into())?;
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
        (HelperEdit::Twist { roll, fraction }, HelperKind::Twist { rolls, .. }) => {
            if !(-1.0..=1.0).contains(&fraction) {
                let (what, wanted) = ("the twist fraction", "from -1 to 1");
                return Err(CommandError::BadValue { what, value: fraction, wanted });
            }
            let count = rolls.len();
            rolls.get_mut(roll).ok_or(missing("roll joint", roll, count))?.fraction = fraction;
        }
        (HelperEdit::Point { driver, point, at }, HelperKind::Drive(drivers)) => {
            let count = drivers.len();
            let driver = drivers.get_mut(driver).ok_or(missing("driver", driver, count))?;
            let mut points: Vec<[f32; 2]> = driver.curve.points().collect();
            let count = points.len();
            *points.get_mut(point).ok_or(missing("point", point, count))? = at;
            driver.curve = driver.curve.with_points(points)?;
        }
        (HelperEdit::Twist { roll, .. }, _) => return Err(missing("roll joint", roll, 0)),
        (HelperEdit::Point { driver, .. }, _) => return Err(missing("driver", driver, 0)),
    }
    Ok(())
}

/// Removes a helper and its joints, and maps limits, locks and the selection to the new joint indices.
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
