//! Writes clips as animations.

use super::{
    Writer, clip_extras::clip_value, data::ViewUse, layout::NodeLayout, mesh::rows, named, unrepresentable,
};
use crate::{
    WriteError,
    gltf::json::{self, extras::SINEW},
};
use serde_json::Value;
use sinew::{Channel, Character, Clip, Curve, ExtrasOwner, Interpolation};
use std::collections::HashMap;

impl Writer<'_> {
    pub(in crate::gltf) fn animations(&mut self) -> Result<Vec<json::Animation>, WriteError> {
        let clips = 0..self.character.clips().len();
        clips.map(|index| self.clip(index)).collect()
    }

    /// The clip at `index` as an animation.
    pub(in crate::gltf) fn clip(&mut self, index: usize) -> Result<json::Animation, WriteError> {
        let clip = &self.character.clips()[index];
        let mut animation = self.animation(clip)?;
        let hold = self.hold(clip, &mut animation);
        if animation.channels.is_empty() {
            // An animation must have a channel, but a channel needs no node.
            let input = self.data.floats(ViewUse::SamplerKeys, &[[clip.duration_secs()]], true);
            let output = self.data.floats(ViewUse::SamplerKeys, &[[0.0_f32; 3]], false);
            animation.add(None, "translation", linear_sampler(input, output));
        }
        animation.extras = self.clip_extras(index, hold)?;
        Ok(animation)
    }

    /// The application data of the clip at `index` with Sinew's own.
    pub(in crate::gltf) fn clip_extras(
        &mut self,
        index: usize,
        hold: Option<usize>,
    ) -> Result<Option<Value>, WriteError> {
        let owner = ExtrasOwner::Clip(index);
        match clip_value(&self.character.clips()[index], hold) {
            None => Ok(self.extras.take(owner)),
            Some(value) => self.extras.take_with(owner, SINEW, value),
        }
    }

    fn animation(&mut self, clip: &Clip) -> Result<json::Animation, WriteError> {
        let mut animation = json::Animation { name: named(clip.name()), ..json::Animation::default() };
        let targets = channel_targets(self.character, &self.layout, clip)?;
        let last: HashMap<_, _> =
            targets.iter().enumerate().map(|(number, target)| (*target, number)).collect();
        for (number, channel) in clip.channels().iter().enumerate() {
            let target = targets[number];
            let (Some((node, path)), true) = (target, last[&target] == number) else { continue };
            let place = || format!("clip {:?}, channel {number}", clip.name());
            let sampler = self.sampler(channel, place)?;
            animation.add(Some(node), path, sampler);
        }
        Ok(animation)
    }

    /// Adds a channel that holds a joint at rest until the end of a clip whose keys end earlier, and returns its index.
    /// Other programs take the duration of an animation from its last key.
    pub(in crate::gltf) fn hold(&mut self, clip: &Clip, animation: &mut json::Animation) -> Option<usize> {
        let end_secs = clip.parts().duration_secs?;
        let ends = clip.channels().iter().filter_map(|channel| channel.times_secs().last());
        if end_secs <= ends.fold(0.0, |a, &b| a.max(b)) {
            return None;
        }
        let skeleton = self.character.skeleton();
        let is_free = |node: usize, path: &str| {
            !animation.channels.iter().any(|c| c.target.node == Some(node) && c.target.path == path)
        };
        let free = skeleton.joints().find_map(|joint| {
            let path = ["scale", "translation", "rotation"]
                .into_iter()
                .find(|path| is_free(self.layout.node(joint), path))?;
            Some((joint, path))
        });
        let (joint, path) = free?;
        let rest = skeleton.rest(joint);
        let output = match path {
            "scale" => self.data.floats(ViewUse::SamplerKeys, &[rest.scale.to_array(); 2], false),
            "translation" => self.data.floats(ViewUse::SamplerKeys, &[rest.translation.to_array(); 2], false),
            _ => self.data.floats(ViewUse::SamplerKeys, &[rest.rotation.to_array(); 2], false),
        };
        let input = self.data.floats(ViewUse::SamplerKeys, &[[0.0], [end_secs]], true);
        animation.add(Some(self.layout.node(joint)), path, linear_sampler(input, output));
        Some(animation.channels.len() - 1)
    }

    /// The sampler with the keys of a channel.
    pub(in crate::gltf) fn sampler(
        &mut self,
        channel: &Channel,
        place: impl Fn() -> String,
    ) -> Result<json::AnimationSampler, WriteError> {
        let times = separate_times(channel.times_secs())
            .ok_or_else(|| unrepresentable(place(), "has a key before time zero, which glTF has not"))?;
        let times: Vec<[f32; 1]> = times.into_iter().map(|t| [t]).collect();
        let input = self.data.floats(ViewUse::SamplerKeys, &times, true);
        let output = match channel {
            Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => {
                self.data.floats(ViewUse::SamplerKeys, &rows::<_, 3>(elements(curve)), false)
            }
            Channel::Rotation { curve, .. } => {
                self.data.floats(ViewUse::SamplerKeys, &rows::<_, 4>(elements(curve)), false)
            }
            Channel::Morphs { curve, .. } => {
                let values: Vec<[f32; 1]> = elements(curve).iter().map(|&w| [w]).collect();
                self.data.floats(ViewUse::SamplerKeys, &values, false)
            }
        };
        let interpolation = match channel.interpolation() {
            Interpolation::Step => Some("STEP".to_owned()),
            Interpolation::Cubic if times.len() > 1 => Some("CUBICSPLINE".to_owned()),
            Interpolation::Linear | Interpolation::Cubic => None,
        };
        Ok(json::AnimationSampler { input, output, interpolation })
    }
}

/// The node and the property that a channel animates.
pub(in crate::gltf) type ChannelTarget = (usize, &'static str);

/// The target of every channel of `clip`; `None` if its mesh is not in the document.
pub(in crate::gltf) fn channel_targets(
    character: &Character,
    layout: &NodeLayout,
    clip: &Clip,
) -> Result<Vec<Option<ChannelTarget>>, WriteError> {
    let instances = 0..character.instances().len();
    let with_morphs = instances.filter(|&i| !character.morph_slots(i).is_empty());
    let instance_of_slot: HashMap<usize, usize> =
        with_morphs.map(|i| (character.morph_slots(i).start, i)).collect();
    let target = |(number, channel): (usize, &Channel)| {
        if let Some(joint) = channel.joint() {
            return Ok(Some((layout.node(joint), channel.property())));
        }
        let Channel::Morphs { first_slot, curve } = channel else { return Ok(None) };
        let slots = *first_slot..*first_slot + curve.width();
        let instance = instance_of_slot.get(first_slot).filter(|&&i| character.morph_slots(i) == slots);
        let Some(&instance) = instance else {
            let what = format!("morph slots {slots:?} must be those of one mesh instance");
            return Err(unrepresentable(format!("clip {:?}, channel {number}", clip.name()), what));
        };
        Ok(layout.node_of_instance(instance).map(|node| (node, channel.property())))
    };
    clip.channels().iter().enumerate().map(target).collect()
}

fn linear_sampler(input: usize, output: usize) -> json::AnimationSampler {
    json::AnimationSampler { input, output, interpolation: None }
}

impl json::Animation {
    pub(in crate::gltf) fn add(&mut self, node: Option<usize>, path: &str, sampler: json::AnimationSampler) {
        let target = json::Target { path: path.to_owned(), node };
        self.channels.push(json::Channel { sampler: self.samplers.len(), target });
        self.samplers.push(sampler);
    }
}

/// The values of a curve. glTF's splines have at least two keys: of a single key only the value is kept.
fn elements<T>(curve: &Curve<T>) -> &[T] {
    if curve.key_count() == 1 { curve.key(0) } else { curve.elements() }
}

/// Strictly ascending times, as glTF requires; `None` if one is negative.
///
/// Two keys at the same time are a step, and the later one holds from there: so the earlier one is moved.
fn separate_times(times: &[f32]) -> Option<Vec<f32>> {
    let mut out = times.to_vec();
    if out.iter().any(|&t| t < 0.0) {
        return None;
    }
    for k in (1..out.len()).rev() {
        if out[k - 1] >= out[k] {
            out[k - 1] = out[k].next_down().max(0.0);
        }
    }
    // Only several keys at time zero have no room before them.
    for k in 1..out.len() {
        if out[k] <= out[k - 1] {
            out[k] = out[k - 1].next_up();
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::separate_times;

    #[test]
    fn of_two_keys_at_the_same_time_the_earlier_is_moved() {
        let apart = separate_times(&[0.0, 1.0, 1.0, 2.0]).unwrap();
        assert_eq!(apart, [0.0, 1.0_f32.next_down(), 1.0, 2.0]);
        for times in [vec![0.0; 3], vec![-0.0, 0.0, 1.0], vec![5.0; 4], vec![3.0]] {
            let apart = separate_times(&times).unwrap();
            assert!(apart.is_sorted_by(|a, b| a < b), "{times:?} became {apart:?}");
            assert!(apart.iter().zip(&times).all(|(a, t)| (a - t).abs() < 1e-5 && *a >= 0.0));
        }
        assert_eq!(separate_times(&[-1.0, 0.0]), None);
    }
}
