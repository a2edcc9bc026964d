//! Foot sliding: feet that move while they are planted.

use super::{
    CheckOptions, Finding, FindingCode,
    bound::joint_name,
    clip_work::ClipWork,
    effect::EffectMeter,
    influences::used_slots_of_skins,
    keys::{clip_place, height},
};
use crate::motion::other_side;
use sinew::{
    Character, Clip, ClipKind, JointId, ModelPose, Wrap,
    glam::{Vec2, Vec3, Vec3Swizzles},
    sample_clip,
};
use std::{ops::Range, sync::Arc};

const RATE_HZ: f32 = 60.0;
const MAX_FRAMES: usize = 1800;
/// A planted foot is at most this fraction of the character's height above its lowest position.
const STANDING: f32 = 0.012;
/// Shorter contacts are ignored, in seconds.
const SHORTEST_SECS: f32 = 0.12;
/// A clip whose feet never come this close to their rest height, as a fraction of the character's height, plays in the air.
const GROUNDED: f32 = 0.08;
/// A faster foot is stepping, however low it is; in character heights per second.
const FASTEST: f32 = 0.35;
/// Feet that are planted for more than this fraction of the clip, without rolling on and off, do not step.
const STEPPING: f32 = 0.54;
/// A body that ends further from where it began than this fraction of its height travels.
const TRAVELING: f32 = 0.1;
/// A shorter drift of a planted foot is not steady, in seconds.
const DRIFT_SECS: f32 = 0.8;
/// A steady drift is a slide from this fraction of the character's height on: no step explains it.
const MIN_DRIFT_RATIO: f32 = 0.015;
/// A drift is steady if it is at least this fraction of the length of its path.
const STRAIGHT: f32 = 0.9;
/// Each eighth of the time of a slide has at least this fraction of an eighth of it: a foot that is dragged and then rests
/// shifts the weight.
const SUSTAINED: f32 = 0.4;
/// The same for a steady drift.
const SUSTAINED_DRIFT: f32 = 0.7;

pub(super) fn findings(
    meter: &EffectMeter<'_>,
    options: &CheckOptions,
    work: &ClipWork,
    out: &mut Vec<Finding>,
) {
    let character = meter.character();
    let feet = feet(character);
    if feet.is_empty() {
        return;
    }
    let height = height(character);
    for (index, clip) in character.clips().iter().enumerate() {
        if clip.kind() != ClipKind::Absolute || clip.duration_secs() < SHORTEST_SECS {
            continue;
        }
        if !work.allows(index, frame_count(clip) + 1, character.skeleton().len() + feet.len()) {
            continue;
        }
        let (tracks, travel) = FootTrack::all(character, clip, &feet, height);
        let treadmill = if travel > TRAVELING * height { Vec2::ZERO } else { treadmill(&tracks) };
        for track in &tracks {
            let slide = track.slide(treadmill, FASTEST * height);
            let slide = slide.filter(|(far, _)| *far > options.max_slide_ratio * height);
            let drift = || track.drift(treadmill, height);
            let Some((slide, time)) = slide.or_else(drift) else { continue };
            let name = joint_name(character.skeleton(), track.foot);
            let message = format!("{name} slides by {:.0} mm while it is planted", slide * 1000.0);
            let place = clip_place(clip, index, Some(track.foot), Some(time));
            out.push(
                Finding::new(FindingCode::FootSlide, place, message)
                    .with("slide_mm", f64::from(slide) * 1000.0)
                    .with_effect(meter.of_meters(slide.into())),
            );
        }
    }
}

/// For each foot, the joint that stays on the ground: the toe joint, or the foot itself.
fn feet(character: &Character) -> Vec<JointId> {
    let skeleton = character.skeleton();
    // A joint that moves no vertex is a control of the rig.
    let mut moves = vec![false; skeleton.len()];
    for (skin, used) in character.skins().iter().zip(used_slots_of_skins(character)) {
        skin.joints().iter().zip(used).for_each(|(j, used)| moves[j.index()] |= used);
    }
    let says = |joint: JointId, words: &[&str]| {
        let name = skeleton.name(joint).to_lowercase();
        other_side(skeleton.name(joint)).is_some() && words.iter().any(|w| name.contains(w))
    };
    let feet = skeleton.joints().filter(|&j| moves[j.index()] && says(j, &["foot", "ankle"]));
    let first = |&j: &JointId| skeleton.parent(j).is_none_or(|p| !says(p, &["foot", "ankle"]));
    let toes = |foot: JointId| {
        let found = skeleton.children(foot).find(|&j| says(j, &["toe", "ball"]));
        found.unwrap_or(foot)
    };
    feet.filter(first).map(toes).collect()
}

/// The number of steps between the frames at which a clip is sampled.
fn frame_count(clip: &Clip) -> usize {
    ((clip.duration_secs() * RATE_HZ) as usize).clamp(2, MAX_FRAMES)
}

/// The positions of a foot over a clip.
struct FootTrack {
    foot: JointId,
    times_secs: Arc<[f32]>,
    places: Vec<Vec3>,
    contacts: Vec<Range<usize>>,
}

impl FootTrack {
    /// The tracks of all feet over a clip, and how far the joint above all of them is from its start at the end.
    fn all(character: &Character, clip: &Clip, feet: &[JointId], height: f32) -> (Vec<Self>, f32) {
        let body = common_joint(character, feet);
        let mut travel = Vec::new();
        let frames = frame_count(clip);
        let mut model = ModelPose::new(character.skeleton());
        let rest = character.rest_pose();
        model.update(character.skeleton(), &rest);
        let rest_heights: Vec<f32> = feet.iter().map(|&foot| model.joint(foot).translation.y).collect();
        let times_secs: Arc<[f32]> =
            (0..=frames).map(|f| clip.duration_secs() * f as f32 / frames as f32).collect();
        let mut places = vec![Vec::with_capacity(times_secs.len()); feet.len()];
        let mut local = rest.clone();
        for &time in times_secs.iter() {
            local.copy_from(&rest);
            sample_clip(clip, time, Wrap::Clamp, &mut local);
            model.update(character.skeleton(), &local);
            travel.extend(body.map(|joint| Vec3::from(model.joint(joint).translation).xz()));
            for (places, &foot) in places.iter_mut().zip(feet) {
                places.push(Vec3::from(model.joint(foot).translation));
            }
        }
        let track = |((&foot, places), rest): ((&JointId, Vec<Vec3>), f32)| {
            let low = places.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
            let mut out = Self { foot, times_secs: times_secs.clone(), places, contacts: Vec::new() };
            if (low - rest).abs() <= GROUNDED * height {
                out.contacts = out.standing(low + STANDING * height);
            }
            out
        };
        let travel = travel.first().zip(travel.last()).map_or(0.0, |(from, to)| from.distance(*to));
        (feet.iter().zip(places).zip(rest_heights).map(track).collect(), travel)
    }

    /// The frame ranges in which the foot stays below `height`, without the frames of rolling on and off.
    fn standing(&self, height: f32) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut start = None;
        for frame in 0..=self.places.len() {
            let is_low = self.places.get(frame).is_some_and(|p| p.y <= height);
            match (is_low, start) {
                (true, None) => start = Some(frame),
                (false, Some(from)) => {
                    out.push(from..frame);
                    start = None;
                }
                _ => {}
            }
        }
        let long = |r: &Range<usize>| self.times_secs[r.end - 1] - self.times_secs[r.start] >= SHORTEST_SECS;
        let trimmed = |r: Range<usize>| {
            let rim = r.len() / 5;
            r.start + rim..r.end - rim
        };
        out.into_iter().filter(long).map(trimmed).collect()
    }

    /// The longest steady drift of the planted foot and its time: slow, straight and long, so that no step explains it.
    fn drift(&self, ground: Vec2, height: f32) -> Option<(f32, f32)> {
        let at = |frame: usize| across(self.places[frame].xz(), ground);
        let of = |contact: &Range<usize>| {
            let (from, to) = (contact.start, contact.end.checked_sub(1)?);
            let secs = self.times_secs[to] - self.times_secs[from];
            let far = at(to).distance(at(from));
            let path: f32 = (from..to).map(|frame| at(frame + 1).distance(at(frame))).sum();
            let is_steady = secs >= DRIFT_SECS
                && far >= STRAIGHT * path
                && far >= MIN_DRIFT_RATIO * height
                && is_sustained(&at, from..to, SUSTAINED_DRIFT);
            is_steady.then_some((far, self.times_secs[from]))
        };
        self.contacts.iter().filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn part_standing(&self) -> f32 {
        self.contacts.iter().map(Range::len).sum::<usize>() as f32 / self.places.len() as f32
    }

    /// The longest slide of the planted foot and its time, on ground that moves along `ground`; faster parts are steps.
    fn slide(&self, ground: Vec2, fastest: f32) -> Option<(f32, f32)> {
        let at = |frame: usize| across(self.places[frame].xz(), ground);
        let is_slow = |frame: usize| {
            let secs = self.times_secs[frame + 1] - self.times_secs[frame];
            at(frame + 1).distance(at(frame)) <= fastest * secs
        };
        let mut worst: Option<(f32, f32)> = None;
        for contact in &self.contacts {
            let mut start = contact.start;
            for frame in contact.start..contact.end - 1 {
                if !is_slow(frame) {
                    start = frame + 1;
                    continue;
                }
                let far = at(frame + 1).distance(at(start));
                let is_long = self.times_secs[frame + 1] - self.times_secs[start] >= SHORTEST_SECS * 0.5;
                if is_long
                    && worst.is_none_or(|w| far > w.0)
                    && is_sustained(&at, start..frame + 1, SUSTAINED)
                {
                    worst = Some((far, self.times_secs[frame]));
                }
            }
        }
        worst
    }
}

/// True if a foot moves all the time between two frames.
fn is_sustained(at: &impl Fn(usize) -> Vec2, frames: Range<usize>, part: f32) -> bool {
    let eighth = |k: usize| frames.start + frames.len() * k / 8;
    let far = at(frames.end).distance(at(frames.start));
    let is_moving = |k: usize| {
        let time = (eighth(k + 1) - eighth(k)) as f32 / frames.len() as f32;
        at(eighth(k + 1)).distance(at(eighth(k))) >= part * far * time
    };
    (0..8).all(is_moving)
}

/// The part of a position that a moving ground does not change: along its motion, a walk on the spot does not slide.
fn across(place: Vec2, ground: Vec2) -> Vec2 {
    ground.try_normalize().map_or(place, |along| along.perp() * along.perp().dot(place))
}

/// The lowest joint that is above all feet.
fn common_joint(character: &Character, feet: &[JointId]) -> Option<JointId> {
    let skeleton = character.skeleton();
    let is_above_all = |joint: &JointId| feet.iter().all(|&foot| skeleton.is_within(foot, *joint));
    skeleton.ancestors(*feet.first()?).find(is_above_all)
}

/// The ground velocity of a character that walks in place; zero if it travels or does not step.
fn treadmill(tracks: &[FootTrack]) -> Vec2 {
    if tracks.iter().any(|t| t.contacts.is_empty() || t.part_standing() > STEPPING) {
        return Vec2::ZERO;
    }
    let mut speeds: Vec<Vec2> = Vec::new();
    for track in tracks {
        for contact in &track.contacts {
            let (from, to) = (contact.start, contact.end - 1);
            let secs = track.times_secs[to] - track.times_secs[from];
            if secs > 0.0 {
                speeds.push((track.places[to].xz() - track.places[from].xz()) / secs);
            }
        }
    }
    let middle = |axis: usize| {
        let mut sorted: Vec<f32> = speeds.iter().map(|s| s[axis]).collect();
        sorted.sort_by(f32::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    };
    Vec2::new(middle(0), middle(1))
}
