//! Clips over the base motion.

use super::*;
use crate::{JointId, blend::Mask};

const DT_SECS: f32 = 1.0 / 60.0;

fn arm_mask(archetype: &Archetype) -> Mask {
    let skeleton = archetype.character().skeleton();
    Mask::below(skeleton, skeleton.find("upper_arm.L").unwrap())
}

#[test]
fn a_montage_moves_its_joints_and_leaves_the_others_to_the_bit() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let (mut one, mut base) = (walking(&archetype, 0.0), walking(&archetype, 0.0));
    let mask = arm_mask(&archetype);
    let wave = archetype.find_motion("wave").unwrap();
    let montage = Montage::new(wave).masked(mask.clone()).with_fades(0.1, 0.2);
    one.play_montage(&archetype, 2, &montage).unwrap();
    let frames = (archetype.motion(wave).duration_secs() / DT_SECS) as usize;
    let mut heaviest = 0.0_f32;
    for frame in 0..frames + 5 {
        for one in [&mut one, &mut base] {
            one.update(&archetype, DT_SECS, &mut scratch, |_| {});
        }
        heaviest = heaviest.max(one.montage_weight(2));
        for (index, (got, want)) in one.pose().joints.iter().zip(&base.pose().joints).enumerate() {
            let is_masked = mask.contains(JointId(index as u16));
            assert!(is_masked || got == want, "joint {index} in frame {frame}");
        }
        if frame == frames / 2 {
            let mut want = archetype.rest().clone();
            let time = (frame + 1) as f32 * DT_SECS;
            sample_clip(archetype.character().find_clip("wave").unwrap(), time, Wrap::Clamp, &mut want);
            let waved = archetype.character().find_clip("wave").unwrap().channels().iter();
            let waved: Vec<JointId> =
                waved.filter_map(crate::Channel::joint).filter(|joint| mask.contains(*joint)).collect();
            assert!(!waved.is_empty());
            for joint in waved {
                let joints = [&one.pose().joints, &want.joints].map(|joints| joints[joint.index()].rotation);
                assert!(joints[0].angle_between(joints[1]) < 1e-3, "joint {}", joint.index());
            }
        }
    }
    assert_eq!(heaviest, 1.0);
    assert_eq!(one.montage_weight(2), 0.0);
    assert_eq!(one.pose(), base.pose(), "it is gone at its end");
}

#[test]
fn a_looping_montage_stays_until_it_is_stopped_and_another_replaces_it_softly() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.0);
    let [wave, run] = ["wave", "run"].map(|name| archetype.find_motion(name).unwrap());
    let looping = |motion| Montage { wrap: Wrap::Loop, ..Montage::new(motion) };
    one.play_montage(&archetype, 0, &looping(wave)).unwrap();
    let mut step = |one: &mut Instance, frames: usize| {
        for _ in 0..frames {
            one.update(&archetype, DT_SECS, &mut scratch, |_| {});
        }
    };
    step(&mut one, 300);
    assert_eq!(one.montage_weight(0), 1.0);
    for motion in [run, wave, run] {
        one.play_montage(&archetype, 0, &looping(motion)).unwrap();
    }
    step(&mut one, 1);
    assert!(one.montage_weight(0) < 0.1, "the new one fades in");
    step(&mut one, 30);
    one.stop_montage(0, 0.1);
    step(&mut one, 3);
    assert!((0.01..0.99).contains(&one.montage_weight(0)));
    step(&mut one, 10);
    assert_eq!(one.montage_weight(0), 0.0);
}

#[test]
fn an_additive_montage_is_added() {
    let figure = sinew_samples::figure();
    let mut parts = figure.parts().clone();
    let turn = glam::Quat::from_rotation_x(0.3);
    let head = figure.skeleton().find("head").unwrap();
    let curve = crate::Curve::new(vec![0.0, 1.0], vec![turn; 2], crate::Interpolation::Linear).unwrap();
    let channel = crate::Channel::Rotation { joint: head, curve };
    let nod = crate::Clip::new("nod", vec![channel], vec![]).unwrap().with_kind(crate::ClipKind::Additive);
    parts.clips.push(std::sync::Arc::new(nod));
    let archetype = Archetype::new(crate::Character::new(parts).unwrap());
    let mut scratch = InstanceScratch::new(&archetype);
    let (mut one, mut base) = (walking(&archetype, 0.2), walking(&archetype, 0.2));
    let nod = Montage { wrap: Wrap::Loop, ..Montage::new(archetype.find_motion("nod").unwrap()) };
    one.play_montage(&archetype, 1, &nod.with_fades(0.0, 0.0)).unwrap();
    for one in [&mut one, &mut base] {
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    let want = base.pose().joints[head.index()].rotation * turn;
    assert!(one.pose().joints[head.index()].rotation.angle_between(want) < 1e-3);
}

#[test]
fn refuses_missing_slots_foreign_masks_and_clips_and_bad_numbers() {
    let (archetype, other) = (figure(), arm());
    let mut one = archetype.new_instance();
    let wave = Montage::new(archetype.find_motion("wave").unwrap());
    let error = |one: &mut Instance, slot, montage: &Montage| {
        one.play_montage(&archetype, slot, montage).unwrap_err()
    };
    assert_eq!(error(&mut one, 8, &wave), InstanceError::NoSuchSlot { slot: 8, slots: MAX_MONTAGE_SLOTS });
    let small = wave.clone().masked(Mask::all(3));
    assert!(matches!(error(&mut one, 0, &small), InstanceError::WrongMask { mask: 3, .. }));
    let foreign = Montage::new(other.motion_id(0).unwrap());
    assert!(matches!(error(&mut one, 0, &foreign), InstanceError::ForeignMotion { .. }));
    for bad in [
        wave.clone().with_fades(f32::NAN, 0.0),
        wave.clone().with_fades(0.0, -1.0),
        Montage { weight: -0.5, ..wave.clone() },
        Montage { speed: f32::INFINITY, ..wave.clone() },
    ] {
        assert!(matches!(error(&mut one, 0, &bad), InstanceError::BadNumber { .. }), "{bad:?}");
    }
    let stranger = other.new_instance().play_montage(&archetype, 0, &wave).unwrap_err();
    assert!(matches!(stranger, InstanceError::ForeignArchetype { .. }));
}
