//! Reads animations as clips.

use super::{
    GltfReader,
    events::ClipExtras,
    nodes::{NodeOrder, UNIT_TOLERANCE, unit_or_identity},
};
use crate::{ReadError, gltf::json, report::FindingCode};
use sinew::glam::{Quat, Vec3};
use sinew::{
    Channel, CharacterParts, Clip, ClipParts, Curve, CurveError, ExtrasOwner, Interpolation, JointId,
    MeshInstance, Skeleton,
};
use std::{collections::HashSet, ops::Range};

/// The property that a channel animates.
enum ChannelProperty {
    Translation,
    Rotation,
    Scale,
    /// The range of the mesh's morph weights in a pose.
    Morphs(Range<usize>),
}

/// The joints and morph slots that channels can move.
struct ChannelTargets<'a> {
    order: &'a NodeOrder,
    /// Sorted by joint, at most one per joint.
    instances: &'a [MeshInstance],
    /// The morph slots of each instance in a pose.
    morph_slots: Vec<Range<usize>>,
}

impl ChannelTargets<'_> {
    /// The morph slots of the mesh at `joint`; `None` when there are none.
    fn morph_slots(&self, joint: JointId) -> Option<Range<usize>> {
        let instance = self.instances.binary_search_by_key(&joint, |i| i.joint).ok()?;
        Some(self.morph_slots[instance].clone()).filter(|slots| !slots.is_empty())
    }
}

impl GltfReader<'_> {
    /// Every animation as a clip; `parts` are those of the character that the clips move.
    pub(super) fn clips(
        &mut self,
        order: &NodeOrder,
        parts: &CharacterParts,
    ) -> Result<Vec<Clip>, ReadError> {
        let root = self.root;
        let targets = ChannelTargets { order, instances: &parts.instances, morph_slots: parts.morph_slots() };
        let mut clips = Vec::with_capacity(root.animations.len());
        for (index, animation) in root.animations.iter().enumerate() {
            let place = format!("animations[{index}]");
            let (own, extras) = self.clip_extras(&place, animation.extras.as_ref());
            let ClipExtras { events, metas, kind, duration: duration_secs, hold } = own;
            let mut channels = Vec::with_capacity(animation.channels.len());
            let mut seen = HashSet::new();
            for (number, channel) in animation.channels.iter().enumerate() {
                let channel_place = format!("{place}.channels[{number}]");
                // Channels of extensions name no node, and what they animate elsewhere.
                let has_node = channel.target.node.is_some();
                if has_node && !seen.insert((channel.target.node, channel.target.path.as_str())) {
                    let detail = format!("{} is animated twice", channel.target.path);
                    self.report.add(FindingCode::ChannelDuplicate, channel_place, detail);
                    continue;
                }
                let channel = self.channel(&channel_place, animation, channel, &targets)?;
                let is_hold = |channel: &Channel| {
                    hold == Some(number) && holds_rest(channel, &parts.skeleton, duration_secs)
                };
                channels.extend(channel.filter(|channel| !is_hold(channel)));
            }
            let lasts = duration_secs.is_some_and(|secs| secs > 0.0);
            if channels.is_empty() && events.is_empty() && metas.is_empty() && !lasts {
                self.report.add(
                    FindingCode::ClipEmpty,
                    place,
                    "no channel moves anything: the clip was ignored",
                );
                continue;
            }
            self.keep_extras(ExtrasOwner::Clip(clips.len()), extras.as_ref());
            self.map.animation_of_clip.push(index);
            let name = animation.name.clone().unwrap_or_default();
            let clip = Clip::from_parts(ClipParts { name, channels, events, metas, kind, duration_secs });
            clips.push(clip.map_err(|e| ReadError::invalid(place, e))?);
        }
        Ok(clips)
    }

    fn channel(
        &mut self,
        place: &str,
        animation: &json::Animation,
        channel: &json::Channel,
        targets: &ChannelTargets<'_>,
    ) -> Result<Option<Channel>, ReadError> {
        let Some(node) = channel.target.node else {
            self.report.add(FindingCode::ChannelIgnored, place, "it names no node");
            return Ok(None);
        };
        let joint = targets.order.joint(&format!("{place}.target.node"), node)?;
        let property = match channel.target.path.as_str() {
            "translation" => ChannelProperty::Translation,
            "rotation" => ChannelProperty::Rotation,
            "scale" => ChannelProperty::Scale,
            "weights" => {
                let Some(slots) = targets.morph_slots(joint) else {
                    self.report.add(FindingCode::ChannelIgnored, place, "its node has no morph targets");
                    return Ok(None);
                };
                ChannelProperty::Morphs(slots)
            }
            other => {
                self.report.add(
                    FindingCode::ChannelIgnored,
                    place,
                    format!("the path {other:?} is unsupported"),
                );
                return Ok(None);
            }
        };
        let Some(sampler) = animation.samplers.get(channel.sampler) else {
            let what = format!("names sampler {}, there are {}", channel.sampler, animation.samplers.len());
            return Err(ReadError::invalid(place, what));
        };
        let keys = self.keys(place, sampler)?;
        let fail = |e: CurveError| ReadError::invalid(place, e);
        Ok(Some(match property {
            ChannelProperty::Translation => {
                Channel::Translation { joint, curve: keys.vectors(place)?.map_err(fail)? }
            }
            ChannelProperty::Scale => Channel::Scale { joint, curve: keys.vectors(place)?.map_err(fail)? },
            ChannelProperty::Rotation => {
                Channel::Rotation { joint, curve: self.rotations(place, keys)?.map_err(fail)? }
            }
            ChannelProperty::Morphs(slots) => {
                keys.expect_width(place, 1)?;
                let curve = Curve::with_width(slots.len(), keys.times, keys.floats, keys.interpolation);
                Channel::Morphs { first_slot: slots.start, curve: curve.map_err(fail)? }
            }
        }))
    }

    fn keys(&mut self, place: &str, sampler: &json::AnimationSampler) -> Result<SamplerKeys, ReadError> {
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::Cubic,
            Some(other) => {
                return Err(ReadError::invalid(place, format!("interpolation {other:?} is unsupported")));
            }
        };
        let input_place = format!("{place}: input");
        let input = self.buffers.elements(&input_place, sampler.input, &mut self.report)?;
        input.expect_width(&input_place, 1)?;
        let output = self.buffers.elements(&format!("{place}: output"), sampler.output, &mut self.report)?;
        Ok(SamplerKeys { times: input.floats(), width: output.width, floats: output.floats(), interpolation })
    }

    /// The rotation keys, normalized if needed; tangents stay as they are.
    fn rotations(
        &mut self,
        place: &str,
        keys: SamplerKeys,
    ) -> Result<Result<Curve<Quat>, CurveError>, ReadError> {
        keys.expect_width(place, 4)?;
        let mut rotations: Vec<Quat> =
            keys.floats.as_chunks::<4>().0.iter().map(|&q| Quat::from_array(q)).collect();
        let (step, first) = match keys.interpolation {
            Interpolation::Cubic => (3, 1),
            _ => (1, 0),
        };
        let (mut off, mut worst) = (0, 1.0_f32);
        for rotation in rotations.iter_mut().skip(first).step_by(step).filter(|q| q.is_finite()) {
            let length = rotation.length();
            if (length - 1.0).abs() <= UNIT_TOLERANCE {
                continue;
            }
            off += 1;
            if (length - 1.0).abs() > (worst - 1.0).abs() {
                worst = length;
            }
            *rotation = unit_or_identity(*rotation);
        }
        if off > 0 {
            let detail = format!("{off} keys, the worst of length {worst}");
            self.report.add(FindingCode::QuaternionNotUnit, place, detail);
        }
        Ok(Curve::new(keys.times, rotations, keys.interpolation))
    }
}

/// True if a channel only keeps a joint at rest until the end of the clip.
fn holds_rest(channel: &Channel, skeleton: &Skeleton, duration_secs: Option<f32>) -> bool {
    if duration_secs.is_none_or(|end_secs| channel.times_secs() != [0.0, end_secs]) {
        return false;
    }
    match channel {
        Channel::Translation { joint, curve } => {
            curve.elements().iter().all(|value| *value == skeleton.rest(*joint).translation)
        }
        Channel::Scale { joint, curve } => {
            curve.elements().iter().all(|value| *value == skeleton.rest(*joint).scale)
        }
        Channel::Rotation { joint, curve } => {
            curve.elements().iter().all(|value| *value == skeleton.rest(*joint).rotation)
        }
        Channel::Morphs { .. } => false,
    }
}

/// The keys of a sampler.
struct SamplerKeys {
    times: Vec<f32>,
    width: usize,
    floats: Vec<f32>,
    interpolation: Interpolation,
}

impl SamplerKeys {
    fn expect_width(&self, place: &str, width: usize) -> Result<(), ReadError> {
        if self.width == width {
            return Ok(());
        }
        Err(ReadError::invalid(place, format!("values must have {width} components, got {}", self.width)))
    }

    fn vectors(self, place: &str) -> Result<Result<Curve<Vec3>, CurveError>, ReadError> {
        self.expect_width(place, 3)?;
        let values = self.floats.as_chunks::<3>().0.iter().map(|&v| Vec3::from_array(v)).collect();
        Ok(Curve::new(self.times, values, self.interpolation))
    }
}
