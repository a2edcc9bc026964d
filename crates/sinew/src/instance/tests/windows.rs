//! Event windows and meta-channels.

use super::*;
use crate::{
    Clip, ClipEvent, Curve, Interpolation, MetaChannel, MetaCurve,
    sample::{EventEdge, MetaValue},
};

/// Two clips of a second: `strike` with a window from 0.3 s to 0.6 s, and `rest` with nothing but a meta-channel.
fn fighter() -> Archetype {
    let figure = sinew_samples::figure();
    let event = |time_secs: f32, name: &str| ClipEvent { time_secs, name: name.into(), payload: None };
    let heat = |from: f32, to: f32| {
        let curve = Curve::new(vec![0.0, 1.0], vec![from, to], Interpolation::Linear).unwrap();
        vec![MetaChannel { name: "heat".into(), curve: MetaCurve::Scalar(curve) }]
    };
    let events = vec![event(0.3, "hit.begin"), event(0.45, "sound"), event(0.6, "hit.end")];
    let clip =
        |name: &str, events, metas| Clip::new(name, vec![], events).unwrap().with_metas(metas).unwrap();
    let mut parts = figure.parts().clone();
    parts.clips = [clip("strike", events, heat(0.0, 1.0)), clip("rest", vec![], heat(4.0, 4.0))]
        .map(std::sync::Arc::new)
        .to_vec();
    Archetype::new(crate::Character::new(parts).unwrap())
}

fn step(archetype: &Archetype, one: &mut Instance, secs: f32) -> Vec<(String, EventEdge)> {
    let mut out = Vec::new();
    one.update(archetype, secs, &mut InstanceScratch::new(archetype), |fired| {
        out.push((fired.event.name.clone(), fired.edge));
    });
    out
}

fn striking(archetype: &Archetype, wrap: Wrap) -> Instance {
    let mut one = archetype.new_instance();
    one.play(archetype, archetype.find_motion("strike").unwrap(), wrap).unwrap();
    one
}

#[test]
fn a_window_opens_and_closes_once_in_either_direction() {
    let archetype = fighter();
    let begin = ("hit.begin".to_owned(), EventEdge::Begin);
    let mut one = striking(&archetype, Wrap::Loop);
    assert_eq!(step(&archetype, &mut one, 0.2), []);
    assert_eq!(step(&archetype, &mut one, 0.2), [begin]);
    assert_eq!(
        one.open_windows(&archetype).map(crate::sample::EventWindow::name).collect::<Vec<_>>(),
        ["hit"]
    );
    let rest = step(&archetype, &mut one, 0.3);
    assert_eq!(rest, [("sound".into(), EventEdge::Moment), ("hit.end".into(), EventEdge::End)]);
    assert_eq!(one.open_windows(&archetype).count(), 0);
    one.set_speed(-1.0);
    let back = step(&archetype, &mut one, 0.5);
    let edges: Vec<EventEdge> = back.iter().map(|(_, edge)| *edge).collect();
    assert_eq!(edges, [EventEdge::Begin, EventEdge::Moment, EventEdge::End], "{back:?}");
}

#[test]
fn a_window_closes_when_its_clip_is_cut_off_or_left_by_a_seek() {
    let archetype = fighter();
    let end = ("hit.end".to_owned(), EventEdge::End);
    let calm = archetype.find_motion("rest").unwrap();
    let mut cut = striking(&archetype, Wrap::Loop);
    step(&archetype, &mut cut, 0.4);
    cut.play(&archetype, calm, Wrap::Loop).unwrap();
    assert_eq!(step(&archetype, &mut cut, 0.01), std::slice::from_ref(&end));
    let mut sought = striking(&archetype, Wrap::Loop);
    step(&archetype, &mut sought, 0.4);
    sought.seek(0.9);
    assert_eq!(step(&archetype, &mut sought, 0.01), std::slice::from_ref(&end));
    let mut faded = striking(&archetype, Wrap::Clamp);
    step(&archetype, &mut faded, 0.4);
    faded.play_with(&archetype, calm, PlayOptions::LOOP.crossfade(0.1)).unwrap();
    let mut fired = step(&archetype, &mut faded, 0.02);
    fired.extend(step(&archetype, &mut faded, 0.1));
    assert_eq!(fired.iter().filter(|one| **one == end).count(), 1, "{fired:?}");
    let mut over = archetype.new_instance();
    let strike = Montage::new(archetype.find_motion("strike").unwrap());
    over.play_montage(&archetype, 0, &strike).unwrap();
    assert_eq!(step(&archetype, &mut over, 0.4).len(), 1);
    assert_eq!(over.open_windows(&archetype).count(), 1);
    over.stop_montage(0, 0.0);
    assert_eq!(step(&archetype, &mut over, 0.01), [end]);
}

#[test]
fn a_seek_into_a_window_opens_it() {
    let archetype = fighter();
    let mut one = striking(&archetype, Wrap::Loop);
    one.seek(0.5);
    assert_eq!(step(&archetype, &mut one, 0.0), [("hit.begin".into(), EventEdge::Begin)]);
}

#[test]
fn meta_channels_fade_like_the_pose() {
    let archetype = fighter();
    let mut one = striking(&archetype, Wrap::Clamp);
    step(&archetype, &mut one, 0.5);
    assert_eq!(one.meta(&archetype, "heat"), Some(MetaValue::Scalar(0.5)));
    assert_eq!(one.meta(&archetype, "none"), None);
    let calm = archetype.find_motion("rest").unwrap();
    let linear = PlayTransition::Crossfade { secs: 1.0, easing: crate::blend::Easing::Linear };
    one.play_with(&archetype, calm, PlayOptions { transition: linear, ..PlayOptions::LOOP }).unwrap();
    step(&archetype, &mut one, 0.25);
    let Some(MetaValue::Scalar(heat)) = one.meta(&archetype, "heat") else { panic!("a scalar stays one") };
    assert!((heat - (0.75 * 0.75 + 4.0 * 0.25)).abs() < 1e-4, "{heat}");
    let strike = Montage::new(archetype.find_motion("strike").unwrap()).with_fades(0.0, 0.0);
    one.play_montage(&archetype, 0, &strike).unwrap();
    step(&archetype, &mut one, 0.1);
    let Some(MetaValue::Scalar(heat)) = one.meta(&archetype, "heat") else { panic!("a scalar stays one") };
    assert!((heat - 0.1).abs() < 1e-4, "{heat}");
}
