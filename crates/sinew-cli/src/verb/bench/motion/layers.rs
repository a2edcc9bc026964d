//! Masked layers, layers over a pose, additive layers, and dual-quaternion palettes, per pose of 67 joints.

use super::{JOINTS, MotionSubject, case};
use crate::verb::bench::cases::BenchCase;
use sinew::blend::{Mask, PoseLayer, add_at, blend_at, layer_over_at};
use sinew::glam::{Affine3A, Vec3};
use sinew::{DualQuatPalette, JointId, ModelPose, Palette, Skin, simd::Level};
use std::hint::black_box;

/// The joints of an upper body: a third of the skeleton, the first of them by half.
fn upper_body() -> Mask {
    let all = (20..45).fold(Mask::none(usize::from(JOINTS)), |mask, j| mask.with_weight(JointId(j), 1.0));
    all.with_weight(JointId(20), 0.5)
}

/// Every kind of layer at `level`.
pub(super) fn blending(subject: &MotionSubject, level: Level) -> Vec<BenchCase<'_>> {
    let [a, b] = &subject.poses;
    let (rest, mask) = (subject.skeleton.rest_pose(), upper_body());
    let name = |kind: &str| format!("blend/{kind}/-/67_joints/{}", level.name());
    let (mut mixed, some) = (rest.clone(), mask.clone());
    let masked = case(name("masked"), 1, move || {
        let layers = [PoseLayer::new(a, 0.4), PoseLayer::new(b, 0.6).masked(&some)];
        blend_at(level, &layers, &rest, &mut mixed);
        black_box(&mut mixed);
    });
    let (mut below, some) = (a.clone(), mask.clone());
    let over = case(name("over"), 1, move || {
        below.copy_from(a);
        layer_over_at(level, &mut below, b, 0.4, Some(&some));
        black_box(&mut below);
    });
    let mut whole = a.clone();
    let additive = case(name("additive"), 1, move || {
        whole.copy_from(a);
        add_at(level, &mut whole, b, 0.4, None);
        black_box(&mut whole);
    });
    vec![masked, over, additive]
}

/// Dual-quaternion palettes at `level` of joints that are all rigid, and of joints that all stretch; one item is one joint.
pub(super) fn palettes(subject: &MotionSubject, level: Level) -> Vec<BenchCase<'_>> {
    let skeleton = &subject.skeleton;
    let binds = vec![Affine3A::IDENTITY; skeleton.len()];
    let Ok(skin) = Skin::new("bench", skeleton, skeleton.joints().collect(), binds) else { return vec![] };
    let palette_of = |stretch: f32| {
        let mut local = subject.poses[0].clone();
        local.joints.iter_mut().for_each(|joint| joint.scale = Vec3::new(1.0, stretch, 1.0));
        let (mut model, mut palette) = (ModelPose::new(skeleton), Palette::new(&skin));
        model.update(skeleton, &local);
        palette.update(&skin, &model);
        palette
    };
    let update = |kind: &str, palette: Palette| {
        let (mut dual_quats, skin) = (DualQuatPalette::new(&skin), skin.clone());
        let name = format!("palette/dual-quat-{kind}/-/67_joints/{}", level.name());
        case(name, usize::from(JOINTS), move || {
            dual_quats.update_at(level, &skin, &palette);
            black_box(&mut dual_quats);
        })
    };
    vec![update("rigid", palette_of(1.0)), update("stretched", palette_of(1.02))]
}
