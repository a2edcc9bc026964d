//! Poses given on the command line.

use super::{TestFolder, fail, floats, succeed};
use std::fs;

/// The vertices of a bake of the built-in arm.
fn baked(folder: &TestFolder, arguments: &[&str]) -> Vec<f32> {
    let prefix = folder.name("baked");
    succeed(
        &[&["bake", "builtin:arm", "--format", "raw", "-q", "--force", "-o", &prefix], arguments].concat(),
    );
    floats((prefix + ".f32").as_ref())
}

fn max_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn a_pose_of_degrees_bends_the_arm_as_its_clip_does() {
    let folder = TestFolder::new();
    let rest = baked(&folder, &[]);
    let clip = baked(&folder, &["--clip", "bend_90", "--times", "0"]);
    let text = baked(&folder, &["--pose", "lower:rz=90"]);
    assert!(max_difference(&text, &clip) < 1e-6 && max_difference(&text, &rest) > 0.1);
    let file = folder.name("bent.pose");
    fs::write(&file, "# bent\nlower:rz=60 # and the rest below\n").unwrap();
    let both = baked(&folder, &["--pose", &file, "--pose", "lower:rz=30"]);
    assert!(max_difference(&both, &clip) < 1e-6);
}

#[test]
fn a_pose_is_applied_on_top_of_the_clip() {
    let folder = TestFolder::new();
    let straight = baked(&folder, &["--clip", "bend_90", "--times", "0", "--pose", "lower:rz=-90"]);
    assert!(max_difference(&straight, &baked(&folder, &[])) < 1e-6);
}

#[test]
fn a_picture_shows_the_pose() {
    let folder = TestFolder::new();
    let draw = |name: &str, arguments: &[&str]| {
        let out = folder.name(name);
        succeed(&[&["render", "builtin:arm", "-o", &out, "--size", "60x60", "-q"], arguments].concat());
        fs::read(out).unwrap()
    };
    let rest = draw("rest.png", &[]);
    assert_eq!(draw("same.png", &["--pose", "lower:rz=0"]), rest);
    assert_ne!(draw("bent.png", &["--pose", "lower:rz=90"]), rest);
}

#[test]
fn a_wrong_pose_names_the_joint_and_what_exists() {
    let folder = TestFolder::new();
    let out = folder.name("out.png");
    let render = |pose: &str, code| fail(&["render", "builtin:arm", "-o", &out, "--pose", pose], code);
    let error = render("elbow:rz=90", 2);
    assert!(error.contains("--pose: there is no joint \"elbow\"; there are upper, lower, tip"), "{error}");
    assert!(render("lower:rw=90", 2).contains("no channel \"rw\"; there are rx, ry, rz"));
    assert!(render("missing.pose", 3).contains("missing.pose"));
    let file = folder.name("bad.pose");
    fs::write(&file, "upper:rx=1\nelbow:rz=90\n").unwrap();
    assert!(render(&file, 3).contains("line 2: there is no joint \"elbow\""));
}
