//! Bounding boxes of whole characters: in a pose, and over a clip.

use super::{Aabb, AnimatedBounds, BoundsError, animated::rounded, collect::vertex_boxes, part::MeshBox};
use crate::{
    asset::{
        character::Character,
        clip::{Channel, Clip},
        curve::{Curve, Interpolation},
        mesh::Mesh,
        skeleton::JointId,
        weights::WeightSum,
    },
    deform::{DeformError, Method},
    frame::Frame,
    palette::{DualQuatPalette, MusclePalette, Palette},
    pose::{LocalPose, ModelPose},
    sample::{Wrap, sample_clip},
};
use glam::Vec3;
use std::sync::Arc;

/// Conservative bounding boxes of all visible meshes of a character in any pose, with the buffers to compute them.
#[derive(Clone, Debug)]
pub struct CharacterBounds {
    shown: Vec<ShownInstances>,
    morph_ranges: Vec<[f32; 2]>,
    has_muscles: bool,
    rest: LocalPose,
    sampled: LocalPose,
    driven: LocalPose,
    model: ModelPose,
    palettes: Vec<Palette>,
    dual_quats: Vec<DualQuatPalette>,
    muscles: Vec<MusclePalette>,
}

/// One mesh instance and its boxes.
#[derive(Clone, Debug)]
enum ShownInstances {
    OnSkin { skin: usize, bounds: Box<AnimatedBounds> },
    OnJoint { joint: JointId, carried: MeshBox },
}

/// The bounding box of a character over a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipBounds {
    /// Contains the character from the start of the clip to its end, in model space.
    pub bounds: Aabb,
    /// The number of sampled times.
    pub samples: usize,
    /// The largest margin added for the motion between two samples, in meters.
    pub between: f32,
}

impl CharacterBounds {
    /// Boxes for `character`, for morph weights from 0 to 1 extended to the rest weights and those of all its clips.
    ///
    /// # Errors
    /// Never for a valid character.
    pub fn new(character: &Character) -> Result<Self, BoundsError> {
        let rest = character.rest_pose();
        let morph_ranges = morph_ranges(character, &rest);
        let shown = character.visible_instances().filter_map(|index| shown(character, index, &morph_ranges));
        let skins = || character.skins().iter();
        let free = |mesh: &Arc<Mesh>| mesh.weights().is_some_and(|w| w.sum_kind() == WeightSum::Muscle);
        Ok(Self {
            shown: shown.collect::<Result<_, _>>()?,
            has_muscles: character.meshes().iter().any(free),
            morph_ranges,
            sampled: rest.clone(),
            driven: rest.clone(),
            rest,
            model: ModelPose::new(character.skeleton()),
            palettes: skins().map(|s| Palette::new(s)).collect(),
            dual_quats: skins().map(|s| DualQuatPalette::new(s)).collect(),
            muscles: skins().map(|s| MusclePalette::new(s, character.skeleton())).collect(),
        })
    }

    /// A box that contains all visible meshes of `character` in `pose`, deformed by `method`. Does not allocate. Spring
    /// bones do not swing here; [`Frame::bounds`](crate::Frame::bounds) measures what they deformed.
    ///
    /// # Errors
    /// If a morph weight is outside the range that the boxes were built for, or a mesh lacks data that `method` needs.
    ///
    /// # Panics
    /// If `character` is not the one that the boxes were built for, or `pose` belongs to another character.
    pub fn of_pose(
        &mut self,
        character: &Character,
        pose: &LocalPose,
        method: Method,
    ) -> Result<Aabb, BoundsError> {
        for (slot, (&weight, &range)) in pose.morphs.iter().zip(&self.morph_ranges).enumerate() {
            if !(range[0]..=range[1]).contains(&weight) {
                return Err(BoundsError::MorphOutOfRange { slot, weight, range });
            }
        }
        self.driven.copy_from(pose);
        character.apply_helpers(&mut self.driven);
        self.model.update(character.skeleton(), &self.driven);
        for (at, skin) in character.skins().iter().enumerate() {
            self.palettes[at].update(skin, &self.model);
            if self.has_muscles {
                self.muscles[at].update(skin, &self.driven);
            }
            if method.bounds_rule().reads_dual_quats() {
                self.dual_quats[at].update(skin, &self.palettes[at]);
            }
        }
        let mut all = Aabb::EMPTY;
        for shown in &self.shown {
            all = all.union(self.of_shown(shown, method)?);
        }
        Ok(all)
    }

    fn of_shown(&self, shown: &ShownInstances, method: Method) -> Result<Aabb, BoundsError> {
        match shown {
            ShownInstances::OnSkin { skin, bounds } => {
                let (dual_quats, muscles) = (Some(&self.dual_quats[*skin]), Some(&self.muscles[*skin]));
                bounds.of_method(method, &self.palettes[*skin], dual_quats, muscles)
            }
            ShownInstances::OnJoint { joint, carried } => {
                Ok(rounded(carried.posed(&self.model.joint(*joint), 0.0), 0.0))
            }
        }
    }

    /// A box that contains all visible meshes of `character` from the start of `clip` to its end, deformed by `method`.
    ///
    /// The clip is sampled `samples_per_sec` times per second and at every key. Between samples, a side of the box is assumed
    /// to overshoot both ends by at most half its change of slope times the interval, which is four times as far as a
    /// parabola through the samples. That margin is measured, not proven: no character is known to leave the box at 60 or
    /// more samples per second.
    ///
    /// # Errors
    /// As [`CharacterBounds::of_pose`].
    ///
    /// # Panics
    /// As [`CharacterBounds::of_pose`], or if the clip belongs to another skeleton.
    pub fn of_clip(
        &mut self,
        character: &Character,
        clip: &Clip,
        method: Method,
        samples_per_sec: f32,
    ) -> Result<ClipBounds, BoundsError> {
        let times = sample_times(clip, samples_per_sec);
        let mut boxes = Vec::with_capacity(times.len());
        for &time_secs in &times {
            let mut pose = std::mem::take(&mut self.sampled);
            pose.copy_from(&self.rest);
            sample_clip(clip, time_secs, Wrap::Clamp, &mut pose);
            let bounds = self.of_pose(character, &pose, method);
            self.sampled = pose;
            boxes.push(bounds?);
        }
        let mut all = ClipBounds { bounds: Aabb::EMPTY, samples: times.len(), between: 0.0 };
        for at in 0..times.len() {
            let margin = margin_around(&times, &boxes, at);
            let grown = Aabb { min: boxes[at].min - margin, max: boxes[at].max + margin };
            all.bounds = all.bounds.union(grown);
            all.between = all.between.max(margin.max_element());
        }
        Ok(all)
    }
}

/// The exact box around all vertices of `character` at `steps + 1` times of `clip`, deformed by `method`: the reference that
/// conservative boxes are compared with.
///
/// # Errors
/// If a mesh lacks data that `method` needs.
pub fn exact_clip_bounds(
    character: &Character,
    clip: &Clip,
    method: Method,
    steps: usize,
) -> Result<Aabb, DeformError> {
    let mut frame = Frame::new(character);
    let mut seen = Aabb::EMPTY;
    for step in 0..=steps {
        let time_secs = clip.duration_secs() * step as f32 / steps.max(1) as f32;
        frame.sample(clip, time_secs, Wrap::Clamp);
        frame.deform(method)?;
        seen = seen.union(frame.bounds());
    }
    Ok(seen)
}

/// The margin in meters that covers the motion between a sample and its neighbors.
fn margin_around(times: &[f32], boxes: &[Aabb], at: usize) -> Vec3 {
    let neighbors = at.saturating_sub(1)..(at + 2).min(times.len());
    let change = neighbors.map(|i| change_of_slope(times, boxes, i)).fold(Vec3::ZERO, Vec3::max);
    let before = if at > 0 { times[at] - times[at - 1] } else { 0.0 };
    let after = times.get(at + 1).map_or(0.0, |next| next - times[at]);
    change * (0.5 * before.max(after))
}

/// The change of the sides' velocity at a sample, per axis; the larger of both sides.
fn change_of_slope(times: &[f32], boxes: &[Aabb], at: usize) -> Vec3 {
    if at == 0 || at + 1 >= times.len() {
        return Vec3::ZERO;
    }
    let (before, after) = (times[at] - times[at - 1], times[at + 1] - times[at]);
    let change = |side: fn(&Aabb) -> Vec3| {
        let [a, b, c] = [at - 1, at, at + 1].map(|i| side(&boxes[i]));
        ((c - b) / after - (b - a) / before).abs()
    };
    let max_change = change(|b| b.min).max(change(|b| b.max));
    if max_change.is_finite() { max_change } else { Vec3::ZERO }
}

/// Evenly spaced times and the times of all keys, sorted and without duplicates.
fn sample_times(clip: &Clip, samples_per_sec: f32) -> Vec<f32> {
    let duration = clip.duration_secs();
    // NaN means one sample at each end. The upper limit of a million protects against exhausting memory.
    let steps = (duration * samples_per_sec).ceil().clamp(1.0, 1e6) as u32;
    let even = (0..=steps).map(|i| duration * (i as f32 / steps as f32));
    let keys = clip.channels().iter().flat_map(|c| c.times_secs().iter().copied());
    let mut times: Vec<f32> = even.chain(keys.filter(|t| (0.0..=duration).contains(t))).collect();
    times.sort_by(f32::total_cmp);
    // Keys that were meant to coincide may differ by rounding; slopes between them are meaningless.
    times.dedup_by(|b, a| *b - *a < 1e-5);
    times
}

/// The range of weights of each morph slot of the pose.
fn morph_ranges(character: &Character, rest: &LocalPose) -> Vec<[f32; 2]> {
    let mut ranges: Vec<[f32; 2]> = rest.morphs.iter().map(|w| [w.min(0.0), w.max(1.0)]).collect();
    for channel in character.clips().iter().flat_map(|clip| clip.channels()) {
        let Channel::Morphs { first_slot, curve } = channel else { continue };
        for (element, range) in ranges.iter_mut().skip(*first_slot).take(curve.width()).enumerate() {
            *range = range_of(curve, element, *range);
        }
    }
    ranges
}

/// `range` extended to all values of `element` of `curve`.
///
/// A cubic segment stays within its control polygon: its keys, and the points a third of the interval along each tangent.
fn range_of(curve: &Curve<f32>, element: usize, range: [f32; 2]) -> [f32; 2] {
    let include = |[low, high]: [f32; 2], value: f32| [low.min(value), high.max(value)];
    let keys = 0..curve.key_count();
    let mut range = keys.clone().map(|key| curve.key(key)[element]).fold(range, include);
    if curve.interpolation() == Interpolation::Cubic {
        for key in keys.skip(1) {
            let third = (curve.times_secs()[key] - curve.times_secs()[key - 1]) / 3.0;
            range = include(range, curve.key(key - 1)[element] + curve.part(key - 1, 2)[element] * third);
            range = include(range, curve.key(key)[element] - curve.part(key, 0)[element] * third);
        }
    }
    // A margin for the rounding of interpolation.
    let [low, high] = range;
    [low - 1e-6 * low.abs(), high + 1e-6 * high.abs()]
}

/// The box of the instance at `index`; empty if its mesh has no vertices.
fn shown(
    character: &Character,
    index: usize,
    ranges: &[[f32; 2]],
) -> Option<Result<ShownInstances, BoundsError>> {
    let instance = &character.instances()[index];
    let mesh = character.mesh_of(instance);
    let ranges = &ranges[character.morph_slots(index)];
    if mesh.vertex_count() == 0 {
        return None;
    }
    if let (Some(skin), Some(of)) = (instance.skin, character.skin_of(instance)) {
        let bounds = AnimatedBounds::with_morph_ranges(mesh, of, ranges);
        return Some(bounds.map(|bounds| ShownInstances::OnSkin { skin, bounds: Box::new(bounds) }));
    }
    let all = vertex_boxes(mesh, ranges).into_iter().fold(Aabb::EMPTY, Aabb::union);
    Some(Ok(ShownInstances::OnJoint { joint: instance.joint, carried: MeshBox::new(&all) }))
}
