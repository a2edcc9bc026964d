//! Events against an oracle that writes out the whole time line.

use super::*;
use crate::sample::{Playback, SeekEvents, TimeRange};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

fn event(time_secs: f32, name: &str) -> ClipEvent {
    ClipEvent { time_secs, name: name.into(), payload: None }
}

fn names(passage: &PlaybackStep, events: &[ClipEvent]) -> Vec<String> {
    passage.events(events).map(|f| f.event.name.clone()).collect()
}

/// An event on the unrolled time line of the oracle.
#[derive(Clone, Debug)]
struct Occurrence {
    at: f64,
    /// A position at the very time of the occurrence lies after it.
    is_passed_on_time: bool,
    name: String,
}

/// Every event of many loops, in order: the runs through the range are written out one after the other.
fn time_line(
    events: &[ClipEvent],
    wrap: Wrap,
    [start, end]: [f64; 2],
    runs: std::ops::Range<i32>,
) -> Vec<Occurrence> {
    let length = end - start;
    let inside: Vec<&ClipEvent> =
        events.iter().filter(|e| (start..=end).contains(&f64::from(e.time_secs))).collect();
    let mut line: Vec<Occurrence> = Vec::new();
    for run in runs {
        let run_start = start + f64::from(run) * length;
        let is_back = wrap == Wrap::PingPong && run.rem_euclid(2) == 1;
        let mut order = inside.clone();
        if is_back {
            order.reverse();
        }
        for event in order {
            let since = f64::from(event.time_secs) - start;
            let since = if is_back { length - since } else { since };
            let is_at_end = since == length;
            // A turning point is the end of one run and the start of the next: it counts for the next.
            if wrap == Wrap::PingPong && is_at_end {
                continue;
            }
            let is_passed_on_time = wrap != Wrap::PingPong && is_at_end;
            line.push(Occurrence { at: run_start + since, is_passed_on_time, name: event.name.clone() });
        }
    }
    line
}

fn expected(line: &[Occurrence], from: f64, to: f64) -> Vec<(f64, String)> {
    let is_passed =
        |o: &Occurrence, position: f64| o.at < position || (o.is_passed_on_time && o.at <= position);
    let (low, high) = (from.min(to), from.max(to));
    let mut out: Vec<(f64, String)> = line
        .iter()
        .filter(|o| is_passed(o, high) && !is_passed(o, low))
        .map(|o| (o.at, o.name.clone()))
        .collect();
    if to < from {
        out.reverse();
    }
    out
}

/// Times in quarters and sums of them are exact, so the oracle has no rounding to excuse.
fn quarters(most: u8) -> impl Strategy<Value = f32> {
    (0..=most).prop_map(|q| f32::from(q) * 0.25)
}

#[derive(Clone, Debug)]
struct Case {
    events: Vec<ClipEvent>,
    wrap: Wrap,
    range: (f32, f32),
    /// Steps in seconds; every one is followed by the next with its own speed.
    steps: Vec<(f32, f32)>,
}

fn case() -> impl Strategy<Value = Case> {
    let wrap = prop_oneof![Just(Wrap::Clamp), Just(Wrap::Loop), Just(Wrap::PingPong)];
    let speed = prop_oneof![Just(1.0_f32), Just(-1.0), Just(2.0), Just(-0.5), Just(0.0)];
    let range = (0_u8..8, 1_u8..12)
        .prop_map(|(start, length)| (f32::from(start) * 0.25, f32::from(start + length) * 0.25));
    (
        prop::collection::vec(quarters(24), 0..8),
        wrap,
        range,
        // Most steps are short, some go over several loops.
        prop::collection::vec((prop_oneof![4 => quarters(6), 1 => quarters(80)], speed), 1..30),
    )
        .prop_map(|(mut times, wrap, range, steps)| {
            times.sort_by(f32::total_cmp);
            let events = times.iter().enumerate().map(|(k, &t)| event(t, &format!("e{k}"))).collect();
            Case { events, wrap, range, steps }
        })
}

proptest! {
    #![proptest_config(Config {
        cases: 600,
        rng_seed: RngSeed::Fixed(0x65_76_65_6e),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn events_fire_exactly_once_for_any_sequence_of_steps(case in case()) {
        let (start, end) = case.range;
        let ends = [f64::from(start), f64::from(end)];
        let runs = if case.wrap == Wrap::Clamp { 0..1 } else { -3000..3000 };
        let line = time_line(&case.events, case.wrap, ends, runs);
        let mut playback = Playback::new(TimeRange::new(start, end).unwrap()).with_wrap(case.wrap);
        for (dt, speed) in case.steps {
            playback.set_speed(speed);
            let from = playback.time_secs();
            let passage = playback.advance(dt);
            let got: Vec<(f64, String)> =
                passage.events(&case.events).map(|f| (f.at_secs, f.event.name.clone())).collect();
            prop_assert_eq!(passage.events(&case.events).len(), got.len());
            prop_assert_eq!(&got, &expected(&line, from, playback.time_secs()), "{} to {}", from, playback.time_secs());
            if dt * speed == 0.0 {
                prop_assert!(got.is_empty(), "a zero step fires nothing");
            }
        }
    }

    /// With times that round, there is no exact oracle; but many small steps must fire what one large step does.
    #[test]
    fn small_steps_fire_what_a_large_one_does(
        times in prop::collection::vec(0.0_f32..2.0, 1..6),
        steps in prop::collection::vec(-0.7_f32..1.1, 1..60),
        wrap in prop_oneof![Just(Wrap::Clamp), Just(Wrap::Loop), Just(Wrap::PingPong)],
        range in (0.0_f32..0.9, 1.0_f32..2.0),
    ) {
        let mut times = times;
        times.sort_by(f32::total_cmp);
        let events: Vec<ClipEvent> = times.iter().map(|&t| event(t, "e")).collect();
        let mut playback = Playback::new(TimeRange::new(range.0, range.1).unwrap()).with_wrap(wrap);
        let from = playback.time_secs();
        // Going back over an event undoes it.
        let mut balance = 0_i64;
        for step in steps {
            let passage = playback.advance(step);
            balance += counted(passage.events(&events).len()) * if step < 0.0 { -1 } else { 1 };
        }
        let whole = PlaybackStep::new(from, playback.time_secs(), wrap, playback.range());
        let count = counted(whole.events(&events).len());
        prop_assert_eq!(balance, if playback.time_secs() < from { -count } else { count });
    }
}

#[test]
fn a_seam_lies_between_the_end_and_the_start() {
    let events = [event(0.0, "start"), event(0.5, "middle"), event(1.0, "end")];
    let step = |from, to| names(&PlaybackStep::new(from, to, Wrap::Loop, TimeRange::whole(1.0)), &events);
    assert_eq!(step(0.0, 0.5), ["start"]);
    assert_eq!(step(0.5, 1.0), ["middle", "end"]);
    assert_eq!(step(0.75, 2.25), ["end", "start", "middle", "end", "start"]);
    assert_eq!(step(1.25, 0.75), ["start", "end"]);
    assert!(step(1.0, 1.0).is_empty());
}

#[test]
fn a_clip_that_plays_once_fires_its_first_and_its_last_event() {
    let events = [event(0.0, "start"), event(1.0, "end")];
    let mut playback = Playback::new(TimeRange::whole(1.0));
    assert_eq!(names(&playback.advance(0.25), &events), ["start"]);
    assert_eq!(names(&playback.advance(9.0), &events), ["end"]);
    assert!(names(&playback.advance(9.0), &events).is_empty());
    playback.set_speed(-1.0);
    assert_eq!(names(&playback.advance(9.0), &events), ["end", "start"]);
}

#[test]
fn an_event_at_a_turning_point_fires_once() {
    let events = [event(0.0, "near"), event(1.0, "far")];
    let passage = PlaybackStep::new(0.0, 4.5, Wrap::PingPong, TimeRange::whole(1.0));
    assert_eq!(names(&passage, &events), ["near", "far", "near", "far", "near"]);
}

#[test]
fn a_seek_fires_what_lies_between_only_if_asked() {
    let events = [event(0.5, "a"), event(0.75, "b")];
    let mut playback = Playback::new(TimeRange::whole(1.0)).with_wrap(Wrap::Loop);
    assert!(names(&playback.seek(0.9, SeekEvents::Skip), &events).is_empty());
    assert_eq!(names(&playback.seek(0.6, SeekEvents::Fire), &events), ["b"]);
    assert_eq!(names(&playback.seek(1.8, SeekEvents::Fire), &events), ["b", "a", "b"]);
}

#[test]
fn endless_times_and_empty_ranges_do_not_hang_or_panic() {
    let events = [event(0.0, "a"), event(0.0, "b")];
    for wrap in [Wrap::Clamp, Wrap::Loop, Wrap::PingPong] {
        let still = PlaybackStep::new(0.0, 5.0, wrap, TimeRange::whole(0.0));
        assert_eq!(still.events(&events).len(), 0);
        let far = PlaybackStep::new(-1e300, 1e300, wrap, TimeRange::whole(1e-3));
        assert!(far.events(&events).take(3).count() <= 3);
        assert!(far.events(&[]).next().is_none());
    }
}
