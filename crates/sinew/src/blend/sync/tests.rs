use super::*;
use crate::sinew_samples;
use proptest::prelude::*;

fn events(times: &[(f32, &str)]) -> Vec<ClipEvent> {
    times.iter().map(|&(time_secs, name)| ClipEvent { time_secs, name: name.into(), payload: None }).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.into()).collect()
}

#[test]
fn markers_are_found_wherever_the_loop_begins() {
    let events = events(&[(0.1, "right"), (0.3, "sound"), (0.6, "left"), (1.0, "left")]);
    let track = SyncTrack::new(&events, &names(&["left", "right"]), TimeRange::whole(1.0)).unwrap();
    assert_eq!(track.marker_count(), 2);
    for (position, time) in [(0.0, 0.6), (0.5, 0.85), (1.0, 1.1), (2.0, 1.6), (-1.0, 0.1), (-2.0, -0.4)] {
        assert!((track.time_secs(position) - time).abs() < 1e-6, "{position}");
        assert!((track.position(time) - position).abs() < 1e-6, "{time}");
    }
    assert_eq!((track.event_at(0.0), track.event_at(3.0), track.event_at(-1.0)), (Some(2), Some(0), Some(0)));
    assert!(track.is_marker(0) && !track.is_marker(1));
}

#[test]
fn without_markers_the_duration_is_used() {
    let track = SyncTrack::new(&[], &[], TimeRange::new(1.0, 3.0).unwrap()).unwrap();
    assert_eq!((track.time_secs(0.25), track.time_secs(3.0), track.position(2.0)), (1.5, 7.0, 0.5));
    assert_eq!(track.event_at(0.0), None);
}

#[test]
fn clips_that_do_not_repeat_the_pattern_are_rejected() {
    let (whole, pattern) = (TimeRange::whole(1.0), names(&["left", "right"]));
    let make = |times: &[(f32, &str)]| SyncTrack::new(&events(times), &pattern, whole);
    assert!(matches!(make(&[]), Err(SyncError::OtherMarkers { .. })));
    assert!(matches!(make(&[(0.0, "left")]), Err(SyncError::OtherMarkers { .. })));
    assert!(matches!(make(&[(0.0, "left"), (0.5, "left")]), Err(SyncError::OtherMarkers { .. })));
    assert!(matches!(make(&[(0.5, "left"), (0.5, "right")]), Err(SyncError::OneMoment { .. })));
    assert!(make(&[(0.0, "left"), (0.2, "right"), (0.5, "left"), (0.7, "right")]).is_ok());
    let none = SyncTrack::new(&[], &[], TimeRange::whole(0.0));
    assert_eq!(none, Err(SyncError::NoLength));
}

#[test]
fn the_time_between_markers_is_the_weighted_mean_over_the_clips() {
    let secs_of = |position: f64| if position.floor().rem_euclid(2.0) < 0.5 { 0.5 } else { 0.25 };
    assert!((advanced(0.0, 0.75, secs_of) - 2.0).abs() < 1e-12);
    assert!((advanced(0.0, 0.625, secs_of) - 1.5).abs() < 1e-12);
    assert!((advanced(0.5, -0.0, secs_of) - 0.5).abs() < 1e-12);
    assert!((advanced(2.0, 0.25, |_| -0.5) - 1.5).abs() < 1e-12);
    for bad in [0.0, f64::NAN, f64::INFINITY] {
        assert_eq!(advanced(1.5, 1.0, |_| bad), 1.5);
    }
    assert!((advanced(0.0, 1e9, |_| 0.5) / 2e9 - 1.0).abs() < 1e-9);
}

proptest! {
    #[test]
    fn time_and_position_lead_back_to_each_other_and_never_run_backwards(
        position in -50.0_f64..50.0, step in 0.0_f64..2.0,
    ) {
        let figure = sinew_samples::figure();
        for clip in ["walk", "run"] {
            let clip = figure.find_clip(clip).unwrap();
            let pattern = names(&["footfall.left", "footfall.right"]);
            let track = SyncTrack::new(clip.events(), &pattern, TimeRange::whole(clip.duration_secs())).unwrap();
            let time = track.time_secs(position);
            prop_assert!((track.position(time) - position).abs() < 1e-9);
            prop_assert!(track.time_secs(position + step) >= time);
        }
    }
}
