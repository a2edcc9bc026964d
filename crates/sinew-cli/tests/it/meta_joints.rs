//! The ranges of meta-joints hold in every verb that solves or judges poses.

use super::{TestFolder, solve::walk, succeed, succeed_json};
use sinew::{LocalPose, Wrap, sample_clip};
use sinew_formats::{meta_joints::meta_joints_of, read_file};
use std::fs;

/// `character` with a meta-joint, as a file.
fn with_axes(folder: &TestFolder, character: &str, name: &str, part: &str) -> String {
    let out = folder.name(&format!("{name}.glb"));
    succeed(&["rig", "axes", character, "--name", name, "--part", part, "-o", &out, "-q"]);
    out
}

/// The angle of the only meta-joint of a file over a clip, in degrees, and the largest rotation about other axes.
fn angles(file: &str, clip: &str) -> (Vec<f32>, f32) {
    let character = read_file(file).unwrap().character;
    let metas = meta_joints_of(character.extras(), character.skeleton());
    let clip = character.find_clip(clip).unwrap();
    let pose_at = |frame: u8| -> LocalPose {
        let mut pose = character.rest_pose();
        sample_clip(clip, f32::from(frame) / 60.0, Wrap::Clamp, &mut pose);
        pose
    };
    let found: Vec<_> = (0..60).map(|frame| metas[0].angles(&pose_at(frame))).collect();
    let residual = found.iter().map(|angles| angles.residual_radians.to_degrees()).fold(0.0, f32::max);
    (found.iter().map(|angles| angles.radians[0].to_degrees()).collect(), residual)
}

#[test]
fn a_solved_walk_stays_within_the_range_of_a_knee() {
    let folder = TestFolder::new();
    let (walk, set, out) = (walk(&folder), folder.name("set.txt"), folder.name("out.glb"));
    let stiff = with_axes(&folder, "builtin:figure", "knee.L", "shin.L:x=-20..0");
    let solve = |extra: &[&str]| {
        let base = ["solve", "markers", &walk, "--onto", &stiff, "-o", &out, "--attach", &set, "-q"];
        succeed(&[&base[..], &["--force"], extra].concat());
        angles(&out, "walk")
    };
    let deepest = |angles: &[f32]| angles.iter().copied().fold(f32::MAX, f32::min);
    let (free, residual) = solve(&["--no-limits"]);
    assert!(deepest(&free) < -40.0 && residual > 0.5, "the walk bends it by {} ± {residual}", deepest(&free));
    let (held, residual) = solve(&[]);
    assert!(held.iter().all(|angle| (-20.05..0.05).contains(angle)), "{held:?}");
    assert!(deepest(&held) < -19.0 && residual < 0.05, "{residual} degrees about other axes");
}

#[test]
fn retargeting_lists_the_frames_that_leave_a_range() {
    let folder = TestFolder::new();
    let out = folder.name("out.glb");
    let limits = |onto: &str| {
        let convert = ["convert", "builtin:figure", &out, "--clip", "walk", "--onto", onto, "--json"];
        succeed_json(&[&convert[..], &["--force"]].concat())["limits"].as_array().unwrap().clone()
    };
    assert!(limits("builtin:figure").is_empty());
    let found = limits(&with_axes(&folder, "builtin:figure", "knee.L", "shin.L:x=-20..0"));
    assert_eq!((found.len(), &found[0]["joint_name"]), (1, &"shin.L".into()));
    assert!(found[0]["max_degrees"].as_f64() > Some(20.0), "{found:?}");
}

#[test]
fn a_muscle_lies_on_the_side_to_which_the_range_opens() {
    let folder = TestFolder::new();
    let side = |name: &str, range: &str| {
        let arm = with_axes(&folder, "builtin:arm", name, &format!("lower:z={range}"));
        let out = folder.name(&format!("{name}.muscle.glb"));
        let report = succeed_json(&[
            "rig", "muscle", &arm, "--bone", "upper", "--bends", "lower", "-o", &out, "--json",
        ]);
        assert_eq!(report["side_from"], "limit", "{report}");
        report["side_degrees"].as_f64().unwrap()
    };
    let (inside, outside) = (side("inside", "0..150"), side("outside", "-150..0"));
    assert!((inside.abs() - 90.0).abs() < 1.0, "{inside}");
    assert!((inside + outside).abs() < 1.0, "the other way, although the clips bend it inwards: {outside}");
}

#[test]
fn a_hand_that_is_moved_by_ik_keeps_the_range_of_its_elbow() {
    let folder = TestFolder::new();
    let draw = |file: &str| {
        let out = folder.name("reach.png");
        let look = ["--ik", "hand.L=0.3,1.2,0.3", "--size", "60x80", "-q", "--force", "-o", &out];
        succeed(&[&["render", file][..], &look].concat());
        fs::read(out).unwrap()
    };
    let stiff = with_axes(&folder, "builtin:figure", "elbow.L", "forearm.L:x=0..10");
    let elsewhere = with_axes(&folder, "builtin:figure", "knee.L", "shin.L:x=-20..0");
    assert_ne!(draw(&stiff), draw("builtin:figure"));
    assert_eq!(draw(&elsewhere), draw("builtin:figure"), "a knee does not belong to the arm");
}
