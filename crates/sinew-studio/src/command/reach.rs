//! Inverse kinematics: a joint reaches a point.

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece};
use sinew::{
    JointId, ModelPose,
    constrain::{Chain, ChainGoal, ChainScratch, TwoBone, TwoBoneGoal, TwoBoneParts, fabrik},
};

pub(super) const REACH: CommandInfo = CommandInfo::new(
    "reach",
    "Reach",
    "Rotate the joints above so that the joint reaches a point",
    Touches::Pose,
);

pub(super) fn reach(
    document: &mut Document,
    joint: u16,
    target: [f32; 3],
    chain: usize,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let end = validate::joint(document, joint)?;
    validate::finite("a target", &target)?;
    let skeleton = document.character().skeleton();
    let above: Vec<JointId> = skeleton.ancestors(end).skip(1).take(chain).collect();
    let Some(&first) = above.last() else { return Err(CommandError::NothingAbove { joint: end.index() }) };
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, document.pose());
    let mut pose = document.pose().clone();
    match limb(document, &above, end) {
        Some(limb) => {
            limb.apply(&TwoBoneGoal::to(target.into()), &model, &mut pose);
        }
        None => {
            let limits = above.iter().filter_map(|j| Some((*j, document.limits().enforced(skeleton, *j)?)));
            let chain = Chain::new(skeleton, first, end)?.with_limits(limits)?;
            let mut scratch = ChainScratch::new(&chain);
            fabrik(&chain, &ChainGoal::to(target.into()), &model, &mut scratch, &mut pose);
        }
    }
    let before = std::mem::replace(document.pose_mut(), pose);
    Ok(vec![DocumentPiece::Pose(before)])
}

/// The two-bone solver; `None` if limits are enforced or the limb has no bend direction.
fn limb(document: &Document, above: &[JointId], end: JointId) -> Option<TwoBone> {
    let [mid, first] = *above else { return None };
    let skeleton = document.character().skeleton();
    let is_limited = above.iter().any(|joint| document.limits().enforced(skeleton, *joint).is_some());
    let limb = || TwoBone::new(skeleton, TwoBoneParts::new(first, mid, end)).ok();
    if is_limited { None } else { limb() }
}
