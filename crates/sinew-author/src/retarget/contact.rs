//! Detects when feet are planted.

use sinew::glam::Vec3;
use std::ops::Range;

/// A planted foot is slower than this fraction of its swing speed.
const PART_OF_SWING: f32 = 0.1;

/// The thresholds of a foot contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactThresholds {
    /// The maximum height of the ball of the foot above its planted height, in meters.
    pub(super) height: f32,
    /// The maximum speed in meters per second, unless a small fraction of the swing speed is higher.
    pub(super) speed: f32,
    /// Shorter contacts and shorter gaps are ignored, in seconds.
    pub(super) shortest_secs: f32,
    pub(super) shortest_gap_secs: f32,
}

/// The frame ranges in which a foot is planted, in order.
///
/// `points` are positions of the foot, with their `heights` above its planted height.
pub(super) fn contacts(
    times_secs: &[f32],
    points: &[Vec3],
    heights: &[f32],
    is: ContactThresholds,
) -> Vec<Range<usize>> {
    let speeds = speeds(times_secs, points);
    // The foot of a sprinter rolls while it is planted, so the speed limit depends on the swing speed.
    let speed = is.speed.max(PART_OF_SWING * swing(&speeds));
    let stands = |at: usize| heights[at] <= is.height && speeds[at] <= speed;
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

/// The swing speed of a foot: the 95th percentile of its speeds.
fn swing(speeds: &[f32]) -> f32 {
    let mut sorted = speeds.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() * 19 / 20).copied().unwrap_or(0.0)
}

/// True if `next` follows the frame before `end` directly or after a short gap.
fn is_near(times_secs: &[f32], end: usize, next: usize, gap_secs: f32) -> bool {
    next == end || times_secs[next] - times_secs[end - 1] <= gap_secs
}

/// The speed of a point in each frame, over a sixtieth of a second or two frames.
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

/// A smooth fade from 1 at time 0 to 0 at `fade_secs`.
fn fading(away_secs: f32, fade_secs: f32) -> f32 {
    let part = if fade_secs > 0.0 {
        (1.0 - away_secs / fade_secs).clamp(0.0, 1.0)
    } else {
        f32::from(away_secs <= 0.0)
    };
    part * part * (3.0 - 2.0 * part)
}

/// The values of `inside` in contacts, faded out around them. Two contacts that are close to each other blend into one another.
pub(super) fn faded(
    times_secs: &[f32],
    contacts: &[Range<usize>],
    frame: usize,
    fade_secs: f32,
    inside: impl Fn(usize, usize) -> Vec3,
) -> Vec3 {
    let next = contacts.partition_point(|c| c.start <= frame);
    let before = next.checked_sub(1).map(|at| (at, contacts[at].end - 1));
    let after = contacts.get(next).map(|c| (next, c.start));
    let time = times_secs[frame];
    match (before, after) {
        (Some((at, last)), _) if frame <= last => inside(at, frame),
        (Some((a, last)), Some((b, first))) if times_secs[first] - times_secs[last] < 2.0 * fade_secs => {
            let part = fading(time - times_secs[last], times_secs[first] - times_secs[last]);
            inside(a, last) * part + inside(b, first) * (1.0 - part)
        }
        _ => {
            let left = before.map(|(at, last)| inside(at, last) * fading(time - times_secs[last], fade_secs));
            let right =
                after.map(|(at, first)| inside(at, first) * fading(times_secs[first] - time, fade_secs));
            left.unwrap_or(Vec3::ZERO) + right.unwrap_or(Vec3::ZERO)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IS: ContactThresholds =
        ContactThresholds { height: 0.02, speed: 0.2, shortest_secs: 0.05, shortest_gap_secs: 0.03 };

    fn times(count: usize) -> Vec<f32> {
        (0..count).map(|k| k as f32 * 0.01).collect()
    }

    #[test]
    fn a_foot_is_planted_while_it_is_low_and_slow() {
        let times = times(60);
        // It is planted up to frame 20, then moves, and is high and still from frame 40 on.
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
        let got = contacts(&times, &points, &heights, IS);
        assert!(got.len() == 1 && got[0] == (10..31), "{got:?}");
        assert!(contacts(&[], &[], &[], IS).is_empty());
    }

    #[test]
    fn corrections_fade_around_contacts_without_jumps() {
        let times = times(120);
        let contacts = [20..30, 40..50, 90..95];
        let at = |frame| faded(&times, &contacts, frame, 0.1, |c, _| Vec3::X * (c as f32 + 1.0)).x;
        assert_eq!((at(20), at(29), at(45), at(92), at(0), at(70)), (1.0, 1.0, 2.0, 3.0, 0.0, 0.0));
        assert!((at(15) - 0.5).abs() < 1e-3 && (1.0..2.0).contains(&at(33)), "{}", at(33));
        assert!((1..120).all(|k| (at(k) - at(k - 1)).abs() < 0.5));
    }

    #[test]
    fn planted_feet_of_a_fast_runner_may_move_faster() {
        let times = times(60);
        // Twenty frames on the ground at 0.5 m/s between strides at 10 m/s.
        let speed = |k: usize| if (20..40).contains(&k) { 0.005 } else { 0.1 };
        let mut x = 0.0;
        let points: Vec<Vec3> = (0..60)
            .map(|k| {
                x += speed(k);
                Vec3::X * x
            })
            .collect();
        let got = contacts(&times, &points, &vec![0.0; 60], IS);
        assert_eq!(got.len(), 1, "{got:?}");
        assert!(got[0].start.abs_diff(20) < 3 && got[0].end.abs_diff(40) < 3, "{got:?}");
    }
}
