//! Levels of detail, and clips that are added later.

use super::*;
use crate::{
    ClipBinding, JointId,
    blend::{Mask, graph::Motion},
};

/// All joints but those of the left arm.
fn without_arm(archetype: &Archetype) -> Mask {
    let skeleton = archetype.character().skeleton();
    Mask::below(skeleton, skeleton.find("upper_arm.L").unwrap()).inverted()
}

fn compact() -> Archetype {
    Archetype::compact(sinew_samples::figure(), &Default::default()).unwrap()
}

#[test]
fn dropped_joints_rest_and_the_others_keep_their_bits() {
    for mut archetype in [figure(), compact()] {
        let kept = without_arm(&archetype);
        let detail = archetype.add_detail(&kept);
        let mut scratch = InstanceScratch::new(&archetype);
        let (mut full, mut reduced) = (walking(&archetype, 0.1), walking(&archetype, 0.1));
        for frame in 0..40 {
            if frame == 5 {
                reduced.set_detail(&archetype, Some(detail));
            }
            for one in [&mut full, &mut reduced] {
                one.update(&archetype, 0.03, &mut scratch, |_| {});
            }
            for (index, (got, want)) in reduced.pose().joints.iter().zip(&full.pose().joints).enumerate() {
                let rests = frame >= 5 && !kept.contains(JointId(index as u16));
                assert_eq!(got, if rests { &archetype.rest().joints[index] } else { want }, "joint {index}");
            }
        }
        reduced.set_detail(&archetype, None);
        for one in [&mut full, &mut reduced] {
            one.update(&archetype, 0.03, &mut scratch, |_| {});
        }
        assert_eq!(reduced.pose(), full.pose());
    }
}

#[test]
#[should_panic(expected = "is not one of the 0 levels of archetype")]
fn a_level_of_another_archetype_panics_with_both_sides() {
    let mut archetype = figure();
    let mask = without_arm(&archetype);
    let detail = archetype.add_detail(&mask);
    let other = figure();
    other.new_instance().set_detail(&other, Some(detail));
}

#[test]
#[should_panic(expected = "the mask has 3 joints")]
fn a_level_refuses_the_mask_of_another_skeleton() {
    figure().add_detail(&Mask::all(3));
}

#[test]
fn a_clip_that_is_added_later_plays_on_instances_that_exist() {
    let mut archetype = figure();
    let kept = without_arm(&archetype);
    let detail = archetype.add_detail(&kept);
    let mut one = archetype.new_instance();
    let donor = sinew_samples::figure();
    let binding = ClipBinding::by_name(donor.skeleton(), archetype.character().skeleton());
    let bound = binding.bind(donor.find_clip("run").unwrap()).clip.with_name("run again");
    let added = archetype.add_motion(Motion::Raw(bound.into())).unwrap();
    assert!(archetype.owns(added) && !figure().owns(added));
    one.play(&archetype, added, Wrap::Loop).unwrap();
    one.set_detail(&archetype, Some(detail));
    let mut scratch = InstanceScratch::new(&archetype);
    assert!(one.update(&archetype, 0.1, &mut scratch, |_| {}).pose_changed);
    let unbound = sinew_samples::arm().clips()[0].clone();
    let error = archetype.add_motion(Motion::Raw(unbound)).unwrap_err();
    assert!(matches!(error, ArchetypeError::ForeignSkeleton { .. }), "{error}");
    let wide = donor.find_clip("run").unwrap().clone();
    let error = arm().add_motion(Motion::Raw(wide)).unwrap_err();
    assert!(matches!(error, ArchetypeError::TooLarge { .. }), "{error}");
}

#[test]
fn a_distance_sets_rate_joints_and_sharing_without_flicker_at_its_border() {
    let mut archetype = figure();
    let kept = without_arm(&archetype);
    let detail = Some(archetype.add_detail(&kept));
    let levels = LodLevels::new(vec![
        LodLevel { detail, ..LodLevel::new(20.0, UpdateRate::held(30.0)) },
        LodLevel { detail, uses_shared_poses: true, ..LodLevel::new(50.0, UpdateRate::held(10.0)) },
    ]);
    let walk = archetype.find_motion("walk").unwrap();
    archetype.add_shared_poses(walk, detail, 30.0).unwrap();
    let (mut one, mut scratch) = (walking(&archetype, 0.0), InstanceScratch::new(&archetype));
    let mut at = |meters: f32| {
        one.set_lod(&archetype, &levels, meters, 0.5);
        (0..30).for_each(|_| _ = one.update(&archetype, 1.0 / 60.0, &mut scratch, |_| {}));
        (one.update_rate().rate_hz, one.detail(), one.shared_pose().is_some())
    };
    assert_eq!(at(5.0), (None, None, false));
    assert_eq!(at(25.0), (Some(30.0), detail, false));
    assert_eq!(at(51.0), (Some(10.0), detail, true));
    assert_eq!(at(46.0), (Some(10.0), detail, true), "4 m inside the border the level stays");
    assert_eq!(at(44.0), (Some(30.0), detail, false));
    assert_eq!(at(f32::NAN), (None, None, false));
}
