//! Fixes that rebind joints.

use super::{FixError, FixSession, measure::MeasuredOver};
use crate::check::{FindingCode, binds::Binds, influences::skin_text};
use sinew::{Character, Skin};
use std::sync::Arc;

pub(super) fn fix_singular(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_binds_of(session, FindingCode::BindSingular, |binds| binds.singular.clone())
}

pub(super) fn fix_binds(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_binds_of(session, FindingCode::BindMismatch, |binds| binds.off.iter().map(|o| o.0).collect())
}

fn fix_binds_of(
    session: &mut FixSession<'_>,
    code: FindingCode,
    slots: impl Fn(&Binds) -> Vec<usize>,
) -> Result<(), FixError> {
    for index in 0..session.character.skins().len() {
        let binds = Binds::of(&session.character, index);
        let skin = &session.character.skins()[index];
        let is_named = |slot: usize| {
            let joint = Some(skin.joints()[slot]);
            session.named(code).any(|place| place.skin == Some(index) && place.joint == joint)
        };
        let slots: Vec<usize> = slots(&binds).into_iter().filter(|&slot| is_named(slot)).collect();
        if slots.is_empty() {
            continue;
        }
        let character = &session.character;
        let skin = &character.skins()[index];
        let mut joint_from_mesh = skin.joint_from_mesh().to_vec();
        for &slot in &slots {
            if let Some(bind) = binds.rebound(skin, slot) {
                joint_from_mesh[slot] = bind;
            }
        }
        let what = format!("{}: {} joints rebound in the rest pose", skin_text(skin, index), slots.len());
        let skeleton = character.skeleton();
        let new = Skin::new(skin.name(), skeleton, skin.joints().to_vec(), joint_from_mesh)?
            .with_root(skeleton, skin.root())?;
        let mut parts = character.parts().clone();
        parts.skins[index] = Arc::new(new);
        let next = Character::new(parts)?;
        session.done(code, what, next, MeasuredOver::ClipsAndRange);
    }
    Ok(())
}
