//! The motion of blend shapes in a take.

use super::{
    FbxReader,
    curves::{CurveBreak, add_connected, breaks, is_still, merged},
    joint_takes::REDUNDANT,
    sampling::{SampleNotes, SampleRate, SampledValue, TakeSample, needed_keys},
    shapes,
    takes::Take,
};
use crate::{ReadError, budget::Budget};
use sinew::{Channel, CharacterParts, Curve, CurveError, Interpolation, JointId, glam::Vec3};
use std::collections::HashMap;

/// The channels of a mesh, of which a take animates at least one.
struct MovingShapes<'a> {
    take: &'a Take<'a>,
    channels: Vec<MovingChannel<'a>>,
    /// For each morph target, what its weight is worth relative to the tolerance.
    scale: Vec<f64>,
    budget: &'a Budget,
}

struct MovingChannel<'a> {
    channel: &'a ufbx::BlendChannel,
    /// The curves of its weight; `None` if the take does not animate it.
    curves: Option<Vec<&'a ufbx::AnimCurve>>,
}

impl MovingChannel<'_> {
    fn weight(&self, take: &Take<'_>, time: f64) -> f64 {
        match self.curves {
            Some(_) => ufbx::evaluate_blend_weight(take.anim, self.channel, time),
            None => self.channel.weight,
        }
    }
}

impl SampledValue for MovingShapes<'_> {
    type Value = Vec<f64>;

    fn at(&self, time: f64) -> Result<Vec<f64>, ReadError> {
        let mut out = Vec::with_capacity(self.scale.len());
        for channel in &self.channels {
            let curves = channel.curves.as_ref().map_or(0, Vec::len);
            self.take.charge(self.budget, self.take.price(&channel.channel.element) + 8 * curves)?;
            shapes::target_weights(channel.channel, channel.weight(self.take, time), &mut out);
        }
        Ok(out)
    }

    fn deviation(&self, [from, to]: [&Vec<f64>; 2], fraction: f64, probe: &Vec<f64>) -> f64 {
        let ends = from.iter().zip(to).map(|(a, b)| a + (b - a) * fraction);
        let off = ends.zip(probe).zip(&self.scale).map(|((line, probe), scale)| (line - probe).abs() * scale);
        off.sum()
    }

    fn is_still(&self, time: f64) -> bool {
        let curves = self.channels.iter().filter_map(|channel| channel.curves.as_ref());
        curves.flatten().all(|curve| is_still(curve, time))
    }
}

impl FbxReader<'_> {
    /// Adds one channel for each instance with an animated blend shape: the weights of all its morph targets. Returns
    /// what sampling did.
    pub(super) fn shape_channels(
        &self,
        take: &Take<'_>,
        parts: &CharacterParts,
        out: &mut Vec<Channel>,
    ) -> Result<SampleNotes, ReadError> {
        let morph_slots = parts.morph_slots();
        let instance_of_joint: HashMap<JointId, usize> =
            parts.instances.iter().enumerate().map(|(index, instance)| (instance.joint, index)).collect();
        let mut notes = SampleNotes::default();
        for node in self.scene.nodes.as_ref() {
            let Some(mesh) = node.mesh.as_ref() else { continue };
            let instance = self.joint(node).and_then(|joint| instance_of_joint.get(&joint).copied());
            let Some(instance) = instance else { continue };
            let slots = morph_slots[instance].clone();
            let Some(source) = self.moving_shapes(take, mesh, parts, instance)? else { continue };
            if source.scale.len() != slots.len() {
                continue;
            }
            let breaks = self.shape_breaks(&source)?;
            let taken = take.sample(&source, &breaks)?;
            self.budget.charge(&take.place, taken.samples.len(), 3 * size_of::<f64>() * slots.len())?;
            notes = notes + taken.notes;
            let curve = curve(&source, &taken.samples).map_err(|e| ReadError::invalid(&*take.place, e))?;
            out.push(Channel::Morphs { first_slot: slots.start, curve });
        }
        Ok(notes)
    }

    fn moving_shapes<'a>(
        &'a self,
        take: &'a Take<'a>,
        mesh: &'a ufbx::Mesh,
        parts: &CharacterParts,
        instance: usize,
    ) -> Result<Option<MovingShapes<'a>>, ReadError> {
        let mut channels = Vec::new();
        for channel in shapes::channels(mesh) {
            take.charge(&self.budget, size_of::<MovingChannel<'_>>())?;
            let mut elements = vec![channel.element.element_id];
            add_connected(&channel.element, &mut elements);
            let curves = take.curves.on(&elements);
            channels.push(MovingChannel { channel, curves });
        }
        if channels.iter().all(|channel| channel.curves.is_none()) {
            return Ok(None);
        }
        let targets = parts.meshes[parts.instances[instance].mesh].morphs().targets();
        let furthest = |offsets: &[Vec3]| offsets.iter().map(|o| o.length()).fold(0.0, f32::max);
        let scale = targets.iter().map(|t| take.scale.morph(instance, furthest(&t.positions)).max(1.0));
        let scale = scale.collect();
        Ok(Some(MovingShapes { take, channels, scale, budget: &self.budget }))
    }

    /// The moments of all curves, and those at which a weight passes the full weight of an in-between shape.
    fn shape_breaks(&self, source: &MovingShapes<'_>) -> Result<Vec<CurveBreak>, ReadError> {
        let take = source.take;
        let curves: Vec<_> = source.channels.iter().filter_map(|c| c.curves.clone()).flatten().collect();
        let mut out = breaks(&take.place, &curves, take.range, &self.budget)?;
        let SampleRate::Adaptive { frames_per_sec } = take.rate else { return Ok(out) };
        let mut passages = Vec::new();
        for channel in source.channels.iter().filter(|c| c.curves.is_some()) {
            let bends = shapes::bends(channel.channel);
            if bends.is_empty() {
                continue;
            }
            let price = take.price(&channel.channel.element);
            for pair in out.windows(2).filter(|pair| !source.is_still((pair[0].last + pair[1].first) * 0.5)) {
                let (from, to) = (pair[0].after(), pair[1].before());
                let parts = ((to - from) * frames_per_sec).ceil().clamp(1.0, 4096.0);
                for part in 0..parts as usize {
                    take.charge(&self.budget, price * 2)?;
                    let at = |k: usize| from + (to - from) * (k as f64 / parts);
                    let stretch = [at(part), at(part + 1)];
                    for &bend in &bends {
                        take.charge(&self.budget, price)?;
                        let weight = |time| channel.weight(take, time) - bend;
                        passages.extend(passage(stretch, weight).map(CurveBreak::bend));
                    }
                }
            }
        }
        out.extend(passages);
        Ok(merged(out))
    }
}

/// The time at which a value changes its sign, if it does.
fn passage([mut from, mut to]: [f64; 2], value: impl Fn(f64) -> f64) -> Option<f64> {
    let starts_below = value(from) < 0.0;
    if starts_below == (value(to) < 0.0) {
        return None;
    }
    for _ in 0..40 {
        let middle = (from + to) * 0.5;
        if (value(middle) < 0.0) == starts_below {
            from = middle;
        } else {
            to = middle;
        }
    }
    Some(to)
}

/// A curve of the keys that are needed.
fn curve(source: &MovingShapes<'_>, samples: &[TakeSample<Vec<f64>>]) -> Result<Curve<f32>, CurveError> {
    let times: Vec<f32> = samples.iter().map(|s| s.time_secs).collect();
    let is_between = |[from, to]: [usize; 2], key: usize| {
        let ends = [&samples[from], &samples[to]];
        let fraction = samples[key].fraction(ends);
        source.deviation(ends.map(|s| &s.value), fraction, &samples[key].value) <= REDUNDANT
    };
    let kept = needed_keys(&times, is_between);
    let values = kept.iter().flat_map(|&k| samples[k].value.iter().map(|&w| w as f32)).collect();
    let times = kept.iter().map(|&k| times[k]).collect();
    Curve::with_width(source.scale.len(), times, values, Interpolation::Linear)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passage_of_a_weight_is_found_to_rounding() {
        let found = passage([0.0, 1.0], |t| t * t - 0.5).unwrap();
        assert!((found - 0.5_f64.sqrt()).abs() < 1e-11, "{found}");
        assert_eq!(passage([0.0, 0.5], |t| t * t - 0.5), None);
    }
}
