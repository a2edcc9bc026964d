//! The rest pose: scales, skin roots and the scene that holds the joints.

use super::{
    Finding, FindingCode, FindingPlace,
    bound::{joint_name, shortened},
    effect::EffectMeter,
    influences::skin_text,
};
use sinew::{
    Channel, Character, JointId, LocalPose, ModelPose, Skeleton, Skin, Wrap,
    finding::FindingEffect,
    glam::{Affine3A, Quat, Vec3},
    sample_clip,
};

/// Scales that differ by less count as equal.
const SCALE_TOLERANCE: f32 = 0.1;

pub(super) fn findings(meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    let character = meter.character();
    scales(meter, out);
    let mut is_shown = vec![false; character.skins().len()];
    for instance in character.instances().iter().filter(|i| character.is_visible(i.joint)) {
        instance.skin.into_iter().for_each(|skin| is_shown[skin] = true);
    }
    for (index, skin) in character.skins().iter().enumerate() {
        let place = || FindingPlace {
            text: skin_text(skin, index),
            skin: Some(index),
            joint: skin.root(),
            ..FindingPlace::default()
        };
        if let Some(what) = root_fault(character.skeleton(), skin) {
            out.push(Finding::new(FindingCode::RootUnreachable, place(), what));
        }
        let unseen = skin.joints().iter().filter(|j| !character.is_visible(**j)).count();
        if unseen > 0 && is_shown[index] {
            let message =
                format!("{unseen} of {} joints are not in the scene of the mesh", skin.joints().len());
            out.push(Finding::new(FindingCode::JointsNotInScene, place(), message));
        }
    }
}

/// Adds one finding for the rest pose and one per clip, because exporters scale whole rigs.
fn scales(meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    let character = meter.character();
    let odd = odd_scales(character);
    let clip_of = |odd: &OddScale| odd.2.map(|clip| clip.0);
    // The rest pose and the clips in order.
    let by_clip = odd.chunk_by(|a, b| clip_of(a) == clip_of(b));
    for (odd, code) in
        by_clip.flat_map(|odd| [(odd, FindingCode::ScaleNegative), (odd, FindingCode::ScaleNonUniform)])
    {
        let clip = odd.first().and_then(clip_of);
        let of: Vec<_> = odd.iter().filter(|o| o.0 == code).collect();
        let uneven = |scale: Vec3| scale.max_element() - scale.min_element();
        let scale_of = |o: &OddScale| o.2.map_or(character.skeleton().rest(o.1).scale, |(_, scale)| scale);
        let Some(worst) = of.iter().max_by(|a, b| uneven(scale_of(a)).total_cmp(&uneven(scale_of(b)))) else {
            continue;
        };
        let (name, scale) = (joint_name(character.skeleton(), worst.1), scale_of(worst));
        let others =
            if of.len() > 1 { format!(", and {} more joints are too", of.len() - 1) } else { String::new() };
        let message = format!("{name} is scaled by {:.3} × {:.3} × {:.3}{others}", scale.x, scale.y, scale.z);
        let text = clip.map_or("the rest pose".to_owned(), |c| {
            format!("clip {:?}", shortened(character.clips()[c].name()))
        });
        let place = FindingPlace { text, joint: Some(worst.1), clip, ..FindingPlace::default() };
        let effect = scale_effect(meter, code, clip);
        out.push(Finding::new(code, place, message).with("joints", of.len() as f64).with_effect(effect));
    }
}

/// The number of poses that scales are measured in: of a clip, or turns of each joint at rest.
const SCALE_POSES: usize = 31;
/// How far joints are turned to show the shear of scales above them.
const TURN_RADIANS: f32 = std::f32::consts::FRAC_PI_4;

/// How far the skin is off in programs that keep a translation, a rotation and a scale of each joint: those cannot shear, and
/// many drop the sign of a scale.
fn scale_effect(meter: &EffectMeter<'_>, code: FindingCode, clip: Option<usize>) -> FindingEffect {
    let character = meter.character();
    let skeleton = character.skeleton();
    let rest = character.rest_pose();
    let poses: Vec<LocalPose> = match clip {
        Some(clip) => {
            let clip = &character.clips()[clip];
            let pose = |step: usize| {
                let mut local = rest.clone();
                let time = clip.duration_secs() * step as f32 / (SCALE_POSES - 1) as f32;
                sample_clip(clip, time, Wrap::Clamp, &mut local);
                local
            };
            (0..SCALE_POSES).map(pose).collect()
        }
        None => {
            let turned = |axis: Vec3| {
                let mut local = rest.clone();
                let turn = Quat::from_axis_angle(axis, TURN_RADIANS);
                local.joints.iter_mut().for_each(|j| j.rotation = (j.rotation * turn).normalize());
                local
            };
            [rest.clone()].into_iter().chain(Vec3::AXES.map(turned)).collect()
        }
    };
    let pair = |local: &LocalPose| {
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, local);
        [model.joints().to_vec(), unsheared(skeleton, local, code == FindingCode::ScaleNegative)]
    };
    meter.of_model_pairs(&poses.iter().map(pair).collect::<Vec<_>>())
}

/// The joints in model space, each a translation, a rotation and a scale; without the signs of scales if `drops_signs`.
fn unsheared(skeleton: &Skeleton, local: &LocalPose, drops_signs: bool) -> Vec<Affine3A> {
    let mut out: Vec<(Vec3, Quat, Vec3)> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let own = local.joints[joint.index()];
        let scale = if drops_signs { own.scale.abs() } else { own.scale };
        let above =
            skeleton.parent(joint).map_or((Vec3::ZERO, Quat::IDENTITY, Vec3::ONE), |p| out[p.index()]);
        let inherits = skeleton.scale_inheritance(joint) == sinew::ScaleInheritance::Full;
        let inherited = if inherits { above.2 } else { Vec3::ONE };
        out.push((
            above.0 + above.1 * (above.2 * own.translation),
            above.1 * own.rotation,
            inherited * scale,
        ));
    }
    out.into_iter().map(|(t, r, s)| Affine3A::from_scale_rotation_translation(s, r, t)).collect()
}

/// The code of the fault, the joint, and the clip with its scale if the fault is not in the rest pose.
type OddScale = (FindingCode, JointId, Option<(usize, Vec3)>);

/// Joints of skins and their ancestors whose scale is negative or non-uniform, in the rest pose or in a clip.
pub(super) fn odd_scales(character: &Character) -> Vec<OddScale> {
    let skeleton = character.skeleton();
    let mut is_rig = vec![false; skeleton.len()];
    for joint in character.skins().iter().flat_map(|s| s.joints()) {
        mark_ancestors(skeleton, *joint, &mut is_rig);
    }
    let mut out = Vec::new();
    for joint in skeleton.joints().filter(|j| is_rig[j.index()]) {
        if let Some(code) = odd(skeleton.rest(joint).scale) {
            out.push((code, joint, None));
        }
    }
    for (index, clip) in character.clips().iter().enumerate() {
        for channel in clip.channels() {
            let Channel::Scale { joint, curve } = channel else { continue };
            if !is_rig[joint.index()] {
                continue;
            }
            let keys = (0..curve.key_count()).map(|k| curve.key(k)[0]);
            if let Some((code, scale)) = keys.filter_map(|s| Some((odd(s)?, s))).next() {
                out.push((code, *joint, Some((index, scale))));
            }
        }
    }
    out
}

/// Marks a joint and its ancestors, up to one that is marked already.
pub(super) fn mark_ancestors(skeleton: &Skeleton, joint: JointId, marked: &mut [bool]) {
    for above in skeleton.ancestors(joint) {
        if std::mem::replace(&mut marked[above.index()], true) {
            return;
        }
    }
}

fn odd(scale: Vec3) -> Option<FindingCode> {
    let size = scale.abs();
    if scale.min_element() < 0.0 {
        Some(FindingCode::ScaleNegative)
    } else if size.max_element() - size.min_element() > SCALE_TOLERANCE * size.max_element() {
        Some(FindingCode::ScaleNonUniform)
    } else {
        None
    }
}

/// The lowest common ancestor of all joints of the skin, which may be one of them.
pub(super) fn common_root(skeleton: &Skeleton, skin: &Skin) -> Option<JointId> {
    // The joints of the skin at and below each joint.
    let mut below = vec![0; skeleton.len()];
    for joint in skin.joints() {
        below[joint.index()] += 1;
    }
    for joint in skeleton.joints().rev() {
        if below[joint.index()] == skin.joints().len() {
            return Some(joint).filter(|_| !skin.joints().is_empty());
        }
        if let Some(parent) = skeleton.parent(joint) {
            below[parent.index()] += below[joint.index()];
        }
    }
    None
}

/// What is wrong with the root of a skin, if anything.
pub(super) fn root_fault(skeleton: &Skeleton, skin: &Skin) -> Option<String> {
    if common_root(skeleton, skin).is_none() {
        return Some("its joints are in several trees and have no common ancestor".into());
    }
    let root = skin.root()?;
    let outside = skin.joints().iter().filter(|j| !skeleton.is_within(**j, root)).count();
    let name = joint_name(skeleton, root);
    (outside > 0)
        .then(|| format!("its root {name} is not an ancestor of {outside} of {} joints", skin.joints().len()))
}
