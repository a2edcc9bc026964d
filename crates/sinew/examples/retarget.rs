//! Plays the walk of one human body on another: `cargo run -p sinew --example retarget`.

use sinew::blend::graph::Motion;
use sinew::instance::{Archetype, InstanceScratch, PlayOptions};
use sinew::retarget::{HumanoidRetarget, RetargetScratch};
use sinew::{
    Character, CharacterParts, Clip, HumanBone, Humanoid, Joint, ModelPose, Skeleton, Transform, Wrap,
    sample_clip,
};
use std::{error::Error, sync::Arc};

/// A child's skeleton with names of its own and large steps between few joints. A VRM file brings such a map with it.
fn child() -> Result<(Character, Humanoid), Box<dyn Error>> {
    use HumanBone::{
        Head, Hips, LeftFoot, LeftHand, LeftLowerArm, LeftLowerLeg, LeftUpperArm, LeftUpperLeg, Spine,
    };
    // A bone, the number of its parent, and where it is from there: arms straight out, legs straight down.
    let middle =
        [(Hips, None, [0.0, 0.5, 0.0]), (Spine, Some(0), [0.0, 0.1, 0.0]), (Head, Some(1), [0.0, 0.3, 0.0])];
    let left = [
        (LeftUpperArm, 1, [0.12, 0.2, 0.0]),
        (LeftLowerArm, 3, [0.15, 0.0, 0.0]),
        (LeftHand, 4, [0.14, 0.0, 0.0]),
        (LeftUpperLeg, 0, [0.07, -0.03, 0.0]),
        (LeftLowerLeg, 6, [0.0, -0.22, 0.0]),
        (LeftFoot, 7, [0.0, -0.2, 0.0]),
    ];
    let joint = |name: &str, parent: Option<u16>, at: [f32; 3]| Joint {
        name: name.into(),
        parent: parent.map(sinew::JointId),
        rest: Transform::from_translation(at.into()),
    };
    let (mut joints, mut bones) = (Vec::new(), Vec::new());
    for (bone, parent, at) in middle {
        bones.push(bone);
        joints.push(joint(bone.name(), parent, at));
    }
    // The right side has the same joints six numbers later.
    for (mirror, shift) in [(1.0, 0), (-1.0, 6)] {
        for (bone, parent, [x, y, z]) in left {
            let bone = if shift == 0 { bone } else { bone.mirror() };
            bones.push(bone);
            joints.push(joint(
                bone.name(),
                Some(if parent < 3 { parent } else { parent + shift }),
                [x * mirror, y, z],
            ));
        }
    }
    let skeleton = Arc::new(Skeleton::new(joints)?);
    let humanoid = Humanoid::new(&skeleton, bones.into_iter().zip(skeleton.joints()))?;
    let parts = CharacterParts { humanoid: Some(humanoid.clone()), ..CharacterParts::new("child", skeleton) };
    Ok((Character::new(parts)?, humanoid))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (walker, walker_map) = (sinew_samples::figure(), sinew_samples::figure_humanoid());
    let (child, child_map) = child()?;
    let walk: &Clip = walker.find_clip("walk").ok_or("no walk")?;

    // Once, for any number of clips and characters.
    let retarget = HumanoidRetarget::new(walker.skeleton(), &walker_map, child.skeleton(), &child_map)?;
    println!("the child's legs have {:.0} % of the length", retarget.scale() * 100.0);

    // Live: sample on the walker's skeleton, convert the pose. Nothing is allocated.
    let mut scratch = RetargetScratch::new(&retarget);
    let (mut source, mut pose, mut model) =
        (walker.rest_pose(), child.rest_pose(), ModelPose::new(child.skeleton()));
    let foot = child_map.joint(HumanBone::LeftFoot).ok_or("no foot")?;
    for tick in 0..6_u8 {
        sample_clip(walk, f32::from(tick) * 0.2, Wrap::Loop, &mut source);
        retarget.apply(&source, &mut scratch, &mut pose);
        model.update(child.skeleton(), &pose);
        let place = model.joint(foot).translation;
        println!("{:.1} s: left foot at {:.2} m, {:.2} m high", f32::from(tick) * 0.2, place.z, place.y);
    }

    // Or when it is loaded: the clip becomes one of the child's, for graphs, montages and crowds.
    let mut archetype = Archetype::new(child);
    let own_walk = archetype.add_motion(Motion::Raw(Arc::new(retarget.bind(walk, 60.0)?)))?;
    let (mut one, mut scratch) = (archetype.new_instance(), InstanceScratch::new(&archetype));
    one.play_with(&archetype, own_walk, PlayOptions::LOOP)?;
    assert!(one.update(&archetype, 0.1, &mut scratch, |_| {}).pose_changed);
    Ok(())
}
