//! Characters with other clips.

use super::MotionError;
use sinew::{Character, Clip, ExtrasOwner};
use std::sync::Arc;

/// `character` with `clip` behind its other clips.
///
/// # Errors
/// If another clip has the same name, or the clip animates a joint or morph target that does not exist.
pub fn with_added_clip(character: &Character, clip: Clip) -> Result<Character, MotionError> {
    check_name(character, clip.name(), None)?;
    let mut parts = character.parts().clone();
    parts.clips.push(Arc::new(clip));
    Ok(Character::new(parts)?)
}

/// `character` with `clip` in place of the clip at `index`.
///
/// # Errors
/// If there is no such clip, another clip has the same name, or the clip animates a joint or morph target that does not
/// exist.
pub fn with_replaced_clip(character: &Character, index: usize, clip: Clip) -> Result<Character, MotionError> {
    let before = check_index(character, index)?;
    if clip.name() != before.name() {
        check_name(character, clip.name(), Some(index))?;
    }
    let mut parts = character.parts().clone();
    parts.clips[index] = Arc::new(clip);
    Ok(Character::new(parts)?)
}

/// `character` without the clip at `index` and its application data.
///
/// # Errors
/// If there is no such clip.
pub fn without_clip(character: &Character, index: usize) -> Result<Character, MotionError> {
    check_index(character, index)?;
    let mut parts = character.parts().clone();
    parts.clips.remove(index);
    let moved = |owner: ExtrasOwner| match owner {
        ExtrasOwner::Clip(clip) if clip == index => None,
        ExtrasOwner::Clip(clip) if clip > index => Some(ExtrasOwner::Clip(clip - 1)),
        other => Some(other),
    };
    let extras = std::mem::take(&mut parts.extras);
    parts.extras =
        extras.into_iter().filter_map(|(owner, text)| moved(owner).map(|owner| (owner, text))).collect();
    Ok(Character::new(parts)?)
}

fn check_index(character: &Character, index: usize) -> Result<&Clip, MotionError> {
    let clips = character.clips();
    clips.get(index).map(|clip| &**clip).ok_or(MotionError::NoClip { index, count: clips.len() })
}

/// Refuses a name that another clip has; clips without a name may be many.
fn check_name(character: &Character, name: &str, own: Option<usize>) -> Result<(), MotionError> {
    let is_taken = |(index, clip): (usize, &Arc<Clip>)| Some(index) != own && clip.name() == name;
    if !name.is_empty() && character.clips().iter().enumerate().any(is_taken) {
        return Err(MotionError::NameTaken { name: name.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_are_added_replaced_and_removed_with_their_application_data() {
        let mut parts = sinew_samples::arm().into_parts();
        let count = parts.clips.len();
        parts.extras.insert(ExtrasOwner::Clip(0), "0".into());
        parts.extras.insert(ExtrasOwner::Clip(2), "2".into());
        let arm = Character::new(parts).unwrap();
        let empty = |name: &str| Clip::empty(name, 1.0).unwrap();
        let more = with_added_clip(&arm, empty("wave")).unwrap();
        assert_eq!((more.clips().len(), more.clips()[count].name()), (count + 1, "wave"));
        let taken = with_added_clip(&more, empty("wave"));
        assert_eq!(taken.unwrap_err().to_string(), "there is already a clip \"wave\"");
        assert!(with_replaced_clip(&more, 0, empty("wave")).is_err());
        assert_eq!(with_replaced_clip(&more, 0, empty("nod")).unwrap().clips()[0].name(), "nod");
        let fewer = without_clip(&more, 0).unwrap();
        assert_eq!(fewer.clips().len(), count);
        assert_eq!(fewer.extras().keys().collect::<Vec<_>>(), [&ExtrasOwner::Clip(1)]);
        assert_eq!(without_clip(&more, 99), Err(MotionError::NoClip { index: 99, count: count + 1 }));
    }
}
