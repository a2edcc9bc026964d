use super::*;
use crate::{Character, CharacterParts, Clip};
use std::sync::Arc;

const DT: f32 = 1.0 / 60.0;

/// The figure with other clips.
fn with_clips(change: impl Fn(Arc<Clip>) -> Option<Clip>) -> Archetype {
    let parts = sinew_samples::figure().into_parts();
    let clips = parts.clips.iter().filter_map(|clip| change(clip.clone())).map(Arc::new).collect();
    Archetype::new(Character::new(CharacterParts { clips, ..parts }).unwrap())
}

fn same(clip: Arc<Clip>) -> Option<Clip> {
    Some(Clip::clone(&clip))
}

fn step(one: &mut Instance, archetype: &Archetype, count: usize) {
    let mut scratch = InstanceScratch::new(archetype);
    for _ in 0..count {
        let _ = one.update(archetype, DT, &mut scratch, |_| {});
    }
}

#[test]
fn a_reload_of_the_same_content_changes_no_bit() {
    let (old, new) = (figure(), with_clips(same));
    let mut one = walking(&old, 0.3);
    one.play_montage(&old, 0, &Montage::new(old.find_motion("wave").unwrap())).unwrap();
    step(&mut one, &old, 20);
    one.play_with(&old, old.find_motion("run").unwrap(), PlayOptions::LOOP.crossfade(0.5)).unwrap();
    step(&mut one, &old, 5);
    let mut kept = one.clone();
    assert!(one.rebind(&old, &new).unwrap().is_complete());
    for _ in 0..60 {
        step(&mut one, &new, 1);
        step(&mut kept, &old, 1);
        assert_eq!(one.pose(), kept.pose());
        assert_eq!(one.world_from_model(), kept.world_from_model());
    }
}

#[test]
fn a_shortened_clip_keeps_its_time_wrapped_into_it() {
    let walk_secs = figure().character().find_clip("walk").unwrap().duration_secs();
    let half = |clip: Arc<Clip>| match clip.name() {
        "walk" => {
            let mut parts = Clip::clone(&clip).into_parts();
            (parts.channels, parts.events, parts.metas) = (vec![], vec![], vec![]);
            parts.duration_secs = Some(clip.duration_secs() / 2.0);
            Some(Clip::from_parts(parts).unwrap())
        }
        _ => same(clip),
    };
    let (old, new) = (figure(), with_clips(half));
    let mut one = walking(&old, f64::from(walk_secs) * 0.8);
    one.set_speed(1.5);
    assert!(one.rebind(&old, &new).unwrap().is_complete());
    let playback = *one.controller().clip().unwrap().playback();
    assert!((playback.clip_time_secs() - walk_secs * 0.3).abs() < 1e-5, "{playback:?}");
    assert_eq!((playback.speed(), playback.wrap()), (1.5, Wrap::Loop));
    step(&mut one, &new, 100);
}

#[test]
fn a_clip_that_is_gone_or_has_another_name_is_reported_and_leaves_the_instance_at_rest() {
    let (old, removed) = (figure(), with_clips(|clip| same(clip).filter(|clip| clip.name() != "walk")));
    let rename = |clip: Arc<Clip>| {
        let name = if clip.name() == "walk" { "stroll".to_owned() } else { clip.name().to_owned() };
        same(clip).map(|clip| clip.with_name(name))
    };
    for new in [removed, with_clips(rename)] {
        let mut one = walking(&old, 0.3);
        one.play_montage(&old, 0, &Montage::new(old.find_motion("wave").unwrap())).unwrap();
        step(&mut one, &old, 3);
        let report = one.rebind(&old, &new).unwrap();
        assert_eq!(report.missing_clips, ["walk"]);
        assert!(one.controller().clip().is_none());
        step(&mut one, &new, 1);
        one.play(&new, new.find_motion("run").unwrap(), Wrap::Loop).unwrap();
        step(&mut one, &new, 1);
    }
}

#[test]
fn an_archetype_of_another_skeleton_is_refused_and_nothing_changes() {
    let (old, arm) = (figure(), Archetype::new(sinew_samples::arm()));
    let mut one = walking(&old, 0.3);
    let before = one.clone();
    assert!(matches!(one.rebind(&old, &arm), Err(InstanceError::OtherSkeleton { .. })));
    assert!(matches!(one.rebind(&arm, &old), Err(InstanceError::ForeignArchetype { .. })));
    assert_eq!(one, before);
}
