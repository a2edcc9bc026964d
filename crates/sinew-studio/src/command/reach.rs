//! A joint that is brought to a point.

use super::{CommandError, check};
use crate::document::{Document, DocumentPiece};
use sinew::{
    JointId, ModelPose,
    constrain::{Chain, ChainGoal, ChainScratch, TwoBone, TwoBoneGoal, TwoBoneParts, fabrik},
};

pub(super) fn reach(
    document: &mut Document,
    joint: u16,
    target: [f32; 3],
    chain: usize,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let end = check::joint(document, joint)?;
    check::finite("a target", &target)?;
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
            let limits = above.iter().filter_map(|j| Some((*j, document.limits().kept(skeleton, *j)?)));
            let chain = Chain::new(skeleton, first, end)?.with_limits(limits)?;
            let mut scratch = ChainScratch::new(&chain);
            fabrik(&chain, &ChainGoal::to(target.into()), &model, &mut scratch, &mut pose);
        }
    }
    let before = std::mem::replace(document.pose_mut(), pose);
    Ok(vec![DocumentPiece::Pose(before)])
}

/// Two bones that bend as limbs do; none where limits must be kept, or nothing says which way they bend.
fn limb(document: &Document, above: &[JointId], end: JointId) -> Option<TwoBone> {
    let [mid, first] = *above else { return None };
    let skeleton = document.character().skeleton();
    let is_limited = above.iter().any(|joint| document.limits().kept(skeleton, *joint).is_some());
    let limb = || TwoBone::new(skeleton, TwoBoneParts::new(first, mid, end)).ok();
    if is_limited { None } else { limb() }
}
