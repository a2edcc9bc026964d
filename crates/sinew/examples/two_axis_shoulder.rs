//! A shoulder with two axes and an elbow with one: angles, clips and IK. `cargo run -p sinew --example two_axis_shoulder`.

use sinew::constrain::{Chain, ChainGoal, ChainScratch, MetaJoint, MetaJointPart, ccd};
use sinew::glam::Vec3;
use sinew::{ModelPose, Wrap, sample_clip};
use sinew_author::motion::{merge_angles, split_angles};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = sinew_samples::figure();
    let skeleton = figure.skeleton();
    let find = |name: &str| skeleton.find(name).ok_or(format!("no joint called {name}"));
    let (upper_arm, forearm, hand) = (find("upper_arm.L")?, find("forearm.L")?, find("hand.L")?);

    // The shoulder swings forward about x and is raised about z; it does not twist. The elbow is a hinge.
    let degrees = |ranges: &[[f32; 2]]| ranges.iter().map(|r| r.map(f32::to_radians)).collect();
    let two_axes = MetaJointPart {
        ranges_radians: degrees(&[[-60.0, 120.0], [-45.0, 90.0]]),
        ..MetaJointPart::new(upper_arm, "xz".parse()?)
    };
    let hinge = MetaJointPart {
        ranges_radians: degrees(&[[0.0, 140.0]]),
        ..MetaJointPart::new(forearm, "z".parse()?)
    };
    let shoulder = MetaJoint::new(skeleton, "shoulder.L", vec![two_axes])?;
    let elbow = MetaJoint::new(skeleton, "elbow.L", vec![hinge])?;

    // A pose is one angle per axis.
    let mut pose = figure.rest_pose();
    shoulder.set_angles(&mut pose, [0.8, 0.3, 0.0]);
    let angles = shoulder.angles(&pose);
    println!("set 0.8 and 0.3 rad, read {:.6} and {:.6}", angles.radians[0], angles.radians[1]);

    // A walk as angles. The arm also twists, which two axes cannot represent: that is the residual.
    let walk = figure.find_clip("walk").ok_or("no clip called walk")?;
    let (curves, report) = split_angles(walk, skeleton, &shoulder)?;
    println!("{} leave out {:.2}°", report.curves.join(" and "), report.residual_radians.to_degrees());

    // With a third axis nothing is lost.
    let whole = MetaJoint::new(skeleton, "shoulder.L", vec![MetaJointPart::new(upper_arm, "xzy".parse()?)])?;
    let (three, report) = split_angles(walk, skeleton, &whole)?;
    let merged = merge_angles(&three, skeleton, &whole)?;
    let (mut before, mut after) = (figure.rest_pose(), figure.rest_pose());
    let mut worst = 0.0_f32;
    for step in 0..100 {
        let time = walk.duration_secs() * step as f32 / 100.0;
        sample_clip(walk, time, Wrap::Clamp, &mut before);
        sample_clip(&merged, time, Wrap::Clamp, &mut after);
        let [a, b] = [&before, &after].map(|pose| pose.joints[upper_arm.index()].rotation);
        worst = worst.max(2.0 * (a.conjugate() * b).xyz().length());
    }
    println!("{} curves, merged again: {worst:.1e} rad apart", report.curves.len());
    assert!(worst < 2e-6 && curves.metas().len() == walk.metas().len() + 2);

    // Solvers keep to the axes and their ranges.
    let limits = [shoulder.limits(skeleton)?, elbow.limits(skeleton)?].concat();
    let arm = Chain::new(skeleton, upper_arm, hand)?.with_limits(limits)?;
    let (mut pose, mut model) = (figure.rest_pose(), ModelPose::new(skeleton));
    model.update(skeleton, &pose);
    let target = Vec3::from(model.joint(hand).translation) + Vec3::new(0.05, 0.25, 0.2);
    let reach = ccd(&arm, &ChainGoal::to(target), &model, &mut ChainScratch::new(&arm), &mut pose);
    for meta in [&shoulder, &elbow] {
        let angles = meta.angles(&pose);
        let shown = angles.radians.iter().take(meta.axis_count()).map(|a| format!("{:.1}°", a.to_degrees()));
        println!("{}: {}", meta.name(), shown.collect::<Vec<_>>().join(", "));
        assert!(angles.residual_radians < 1e-4);
    }
    println!("the hand is {:.1} mm from its target", reach.distance * 1000.0);
    Ok(())
}
