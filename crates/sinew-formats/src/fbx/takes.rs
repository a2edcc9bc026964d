//! Converts takes to clips.

use super::{FbxOptions, FbxReader, bounded, parse_error, rotation, shapes, vector};
use crate::{ReadError, report::FindingCode};
use sinew::{
    Channel, CharacterParts, Clip, Curve, CurveError, Interpolation, JointId,
    glam::{Quat, Vec3, Vec4},
};
use std::collections::HashMap;

impl FbxReader<'_> {
    /// Every take as a clip; `parts` are those of the character that the clips move.
    pub(super) fn takes(
        &mut self,
        parts: &CharacterParts,
        options: &FbxOptions,
    ) -> Result<Vec<Clip>, ReadError> {
        let scene = self.scene;
        let mut out = Vec::new();
        for (index, stack) in scene.anim_stacks.as_ref().iter().enumerate() {
            let place = format!("take {index} ({:?})", &*stack.element.name);
            // Even a take without curves, which is short in the file, visits every node.
            self.budget.charge(&place, scene.nodes.len(), 64)?;
            let baked = ufbx::bake_anim(scene, &stack.anim, self.bake_options(options))
                .map_err(|e| parse_error(&e, self.limit))?;
            // Some takes start before time zero.
            let start = baked.key_time_min.min(0.0);
            let mut channels = Vec::new();
            for node in &baked.nodes {
                let Some(joint) = self.joint_of_node.get(node.typed_id as usize).copied().flatten() else {
                    continue;
                };
                self.node_channels(&place, node, joint, start, &mut channels)?;
            }
            self.shape_channels(&place, &baked, start, parts, &mut channels)?;
            if channels.is_empty() {
                self.report.add(
                    FindingCode::ClipEmpty,
                    place,
                    "no curve moves anything: the take was ignored",
                );
                continue;
            }
            let clip = Clip::new(stack.element.name.to_string(), channels, vec![]);
            out.push(clip.map_err(|e| ReadError::invalid(place, e))?);
        }
        Ok(out)
    }

    fn bake_options(&self, options: &FbxOptions) -> ufbx::BakeOpts {
        ufbx::BakeOpts {
            temp_allocator: bounded(self.limit),
            result_allocator: bounded(self.limit),
            trim_start_time: true,
            resample_rate: options.frames_per_sec.clamp(1.0, 1000.0),
            // Two keys at the same time are a step, as in a clip.
            step_handling: ufbx::BakeStepHandling::IdenticalTime,
            ..ufbx::BakeOpts::default()
        }
    }

    fn node_channels(
        &self,
        place: &str,
        node: &ufbx::BakedNode,
        joint: JointId,
        start: f64,
        out: &mut Vec<Channel>,
    ) -> Result<(), ReadError> {
        let keys = node.translation_keys.len() + node.rotation_keys.len() + node.scale_keys.len();
        self.budget.charge(place, keys, size_of::<[f32; 5]>())?;
        let rest = self.skeleton.rest(joint);
        let fail = |e: CurveError| ReadError::invalid(place, e);
        let linear = Interpolation::Linear;
        let times = |keys: &[ufbx::BakedVec3]| keys.iter().map(|k| (k.time - start) as f32).collect();
        let values = |keys: &[ufbx::BakedVec3]| keys.iter().map(|k| vector(k.value)).collect::<Vec<_>>();
        let translations = values(&node.translation_keys);
        if translations.iter().any(|&v| differs(v, rest.translation)) {
            let curve = Curve::new(times(&node.translation_keys), translations, linear).map_err(fail)?;
            out.push(Channel::Translation { joint, curve });
        }
        let rotations: Vec<_> = node.rotation_keys.iter().map(|k| rotation(k.value)).collect();
        if rotations.iter().any(|&q| is_turned(q, rest.rotation)) {
            let times = node.rotation_keys.iter().map(|k| (k.time - start) as f32).collect();
            out.push(Channel::Rotation { joint, curve: Curve::new(times, rotations, linear).map_err(fail)? });
        }
        let scales = values(&node.scale_keys);
        if scales.iter().any(|&v| differs(v, rest.scale)) {
            let curve = Curve::new(times(&node.scale_keys), scales, linear).map_err(fail)?;
            out.push(Channel::Scale { joint, curve });
        }
        Ok(())
    }

    /// One channel for each instance with an animated blend shape: all weights, at every time that one of them has a key.
    fn shape_channels(
        &self,
        place: &str,
        baked: &ufbx::BakedAnim,
        start: f64,
        parts: &CharacterParts,
        out: &mut Vec<Channel>,
    ) -> Result<(), ReadError> {
        let mut percents: HashMap<u32, &[ufbx::BakedVec3]> = HashMap::new();
        for element in &baked.elements {
            if let Some(prop) = element.props.iter().find(|p| &*p.name == "DeformPercent") {
                percents.insert(element.element_id, &prop.keys);
            }
        }
        if percents.is_empty() {
            return Ok(());
        }
        let morph_slots = parts.morph_slots();
        let instance_of_joint: HashMap<JointId, usize> =
            parts.instances.iter().enumerate().map(|(index, instance)| (instance.joint, index)).collect();
        for node in self.scene.nodes.as_ref() {
            let Some(mesh) = node.mesh.as_ref() else { continue };
            let instance = self.joint(node).and_then(|joint| instance_of_joint.get(&joint).copied());
            let Some(instance) = instance else { continue };
            let slots = morph_slots[instance].clone();
            let curves: Vec<Option<&[ufbx::BakedVec3]>> =
                shapes::channels(mesh).map(|c| percents.get(&c.element.element_id).copied()).collect();
            if curves.len() != slots.len() || curves.iter().all(Option::is_none) {
                continue;
            }
            let count: usize = curves.iter().flatten().map(|keys| keys.len()).sum();
            self.budget.charge(place, count, size_of::<f64>() + size_of::<f32>() * slots.len())?;
            let rest = parts.meshes[parts.instances[instance].mesh].morphs().rest_weights();
            let (times, weights) = joined(&curves, rest);
            let times = times.into_iter().map(|t| (t - start) as f32).collect();
            let curve = Curve::with_width(slots.len(), times, weights, Interpolation::Linear);
            let curve = curve.map_err(|e| ReadError::invalid(place, e))?;
            out.push(Channel::Morphs { first_slot: slots.start, curve });
        }
        Ok(())
    }
}

/// All weights at every time that one of them has a key. A weight without a curve keeps its rest value.
///
/// At the time of a step there are two keys, with the weights before and after.
fn joined(curves: &[Option<&[ufbx::BakedVec3]>], rest: &[f32]) -> (Vec<f64>, Vec<f32>) {
    let jumps = |keys: &&[ufbx::BakedVec3], k: usize| k > 0 && keys[k - 1].time == keys[k].time;
    let mut moments: Vec<(f64, KeySide)> = Vec::new();
    for keys in curves.iter().flatten() {
        for (k, key) in keys.iter().enumerate() {
            moments.push((key.time, if jumps(keys, k) { KeySide::After } else { KeySide::Before }));
        }
    }
    moments.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    moments.dedup();
    let mut weights = Vec::with_capacity(moments.len() * curves.len());
    for &(time, side) in &moments {
        for (keys, &rest) in curves.iter().zip(rest) {
            weights.push(keys.and_then(|keys| percent(keys, time, side)).map_or(rest, |p| (p * 0.01) as f32));
        }
    }
    (moments.into_iter().map(|(time, _)| time).collect(), weights)
}

/// The side of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum KeySide {
    Before,
    After,
}

/// The value of a curve at a time; `None` if it has no keys.
fn percent(keys: &[ufbx::BakedVec3], time: f64, side: KeySide) -> Option<f64> {
    // The first key after the time, on this side of a step.
    let next = keys.partition_point(|key| match side {
        KeySide::Before => key.time < time,
        KeySide::After => key.time <= time,
    });
    let Some(before) = next.checked_sub(1).and_then(|k| keys.get(k)) else {
        return Some(keys.first()?.value.x);
    };
    let Some(after) = keys.get(next) else { return Some(before.value.x) };
    let fraction = ((time - before.time) / (after.time - before.time)).clamp(0.0, 1.0);
    Some(before.value.x + (after.value.x - before.value.x) * fraction)
}

/// True when a value differs from the rest value by more than single-precision rounding.
fn differs(value: Vec3, rest: Vec3) -> bool {
    (value - rest).abs().max_element() > 1e-6 * rest.abs().max_element().max(1e-3) || !value.is_finite()
}

/// True when a rotation differs from the rest rotation by more than single-precision rounding.
///
/// This compares components: the cosine between two rotations is one up to a thousandth of a radian, which moves the end
/// of a leg by half a millimeter.
fn is_turned(rotation: Quat, rest: Quat) -> bool {
    let nearer = if rotation.dot(rest) < 0.0 { -rotation } else { rotation };
    !Vec4::from(nearer).abs_diff_eq(rest.into(), 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_rotation_is_motion_and_a_flipped_sign_is_not() {
        let rest = Quat::from_rotation_x(0.7);
        assert!(is_turned(rest * Quat::from_rotation_z(1e-5), rest));
        assert!(is_turned(Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), rest));
        assert!(!is_turned(rest, rest));
        assert!(!is_turned(-rest, rest));
    }
}
