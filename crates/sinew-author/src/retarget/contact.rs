//! When a foot stands.

use sinew::glam::Vec3;
use std::ops::Range;

/// What counts as standing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// The ball of the foot is at most this far above where it is when standing, in metres.
    pub(super) height: f32,
    /// And moves at most this fast, in metres a second.
    pub(super) speed: f32,
    /// Contacts that are shorter are none, gaps that are shorter are none.
    pub(super) shortest_secs: f32,
    pub(super) shortest_gap_secs: f32,
}

/// The frames in which a foot stands, in order.
///
/// `points` are places of the foot with `heights` over where it is when standing.
pub(super) fn contacts(times_secs: &[f32], points: &[Vec3], heights: &[f32], is: Standing) -> Vec<Range<usize>> {
    let speeds = speeds(times_secs, points);
    let stands = |at: usize| heights[at] <= is.height && speeds[at] <= is.speed;
    let mut out: Vec<Range<usize>> = Vec::new();
    for at in (0..points.len()).filter(|&at| stands(at)) {
        match out.last_mut() {
            Some(last) if is_near(times_secs, last.end, at, is.shortest_gap_secs) => last.end = at + 1,
            _ => out.push(at..at + 1),
        }
    }
    out.retain(|c| times_secs[c.end - 1] - times_secs[c.start] >= is.shortest_secs);
    out
}

/// True where `next` follows the frame before `end` at once or after a short gap.
fn is_near(times_secs: &[f32], end: usize, next: usize, gap_secs: f32) -> bool {
    next == end || times_secs[next] - times_secs[end - 1] <= gap_secs
}

/// How fast a point moves, over a sixtieth of a second or two frames.
fn speeds(times_secs: &[f32], points: &[Vec3]) -> Vec<f32> {
    let last = points.len().saturating_sub(1);
    let window = |at: usize| {
        let (mut from, mut to) = (at.saturating_sub(1), (at + 1).min(last));
        while times_secs[to] - times_secs[from] < 1.0 / 60.0 && (from > 0 || to < last) {
            (from, to) = (from.saturating_sub(1), (to + 1).min(last));
        }
        (from, to)
    };
    let speed = |at: usize| {
        let (from, to) = window(at);
        let secs = times_secs[to] - times_secs[from];
        if secs > 0.0 { points[to].distance(points[from]) / secs } else { 0.0 }
    };
    (0..points.len()).map(speed).collect()
}

/// How much a frame belongs to a contact: 1 inside, falling smoothly to 0 within `fade_secs` of it.
pub(super) fn belonging(times_secs: &[f32], contact: &Range<usize>, frame: usize, fade_secs: f32) -> f32 {
    let time = times_secs[frame];
    let before = times_secs[contact.start] - time;
    let after = time - times_secs[contact.end - 1];
    let away = before.max(after).max(0.0);
    let part = if fade_secs > 0.0 { (1.0 - away / fade_secs).max(0.0) } else { f32::from(away <= 0.0) };
    part * part * (3.0 - 2.0 * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IS: Standing = Standing { height: 0.02, speed: 0.2, shortest_secs: 0.05, shortest_gap_secs: 0.03 };

    fn times(count: usize) -> Vec<f32> {
        (0..count).map(|k| k as f32 * 0.01).collect()
    }

    #[test]
    fn a_foot_stands_where_it_is_low_and_slow() {
        let times = times(60);
        // It stands still up to frame 20, runs off, and is high from 40 on, where it hangs still.
        let run = |k: usize| k.clamp(20, 40) as f32 * 0.02;
        let points: Vec<Vec3> = (0..60).map(|k| Vec3::X * run(k)).collect();
        let heights: Vec<f32> = (0..60).map(|k| if k < 30 { 0.0 } else { 0.1 }).collect();
        let got = contacts(&times, &points, &heights, IS);
        assert_eq!(got.len(), 1);
        assert!(got[0].start == 0 && (18..=21).contains(&got[0].end), "{got:?}");
    }

    #[test]
    fn short_gaps_are_closed_and_short_contacts_dropped() {
        let times = times(60);
        let points = vec![Vec3::ZERO; 60];
        let heights: Vec<f32> =
            (0..60).map(|k| if matches!(k, 10..=19 | 21..=30 | 50..=52) { 0.0 } else { 0.1 }).collect();
        assert_eq!(contacts(&times, &points, &heights, IS), [10..31]);
        assert!(contacts(&[], &[], &[], IS).is_empty());
    }

    #[test]
    fn belonging_fades_on_both_sides() {
        let times = times(60);
        let at = |frame| belonging(&times, &(20..30), frame, 0.1);
        assert_eq!((at(20), at(29), at(0), at(45)), (1.0, 1.0, 0.0, 0.0));
        assert!((at(15) - 0.5).abs() < 1e-3 && at(35) > 0.0 && at(35) < 0.5);
        assert_eq!(belonging(&times, &(20..30), 31, 0.0), 0.0);
    }
}
