//! What `sinew render --layer` shows.

use super::{TestFolder, fail, succeed};
use image::RgbaImage;

/// A small picture of a file, without ground.
fn draw(folder: &TestFolder, file: &str, look: &[&str]) -> RgbaImage {
    let out = folder.name("picture.png");
    let base = ["render", file, "--size", "160x160", "--view", "front", "--no-ground"];
    succeed(&[&base[..], &["-q", "--force", "-o", &out], look].concat());
    image::open(out).unwrap().to_rgba8()
}

/// How many pixels a test of red, green and blue holds for.
fn count(picture: &RgbaImage, is_so: impl Fn([i32; 3]) -> bool) -> usize {
    picture.pixels().filter(|p| is_so([p[0], p[1], p[2]].map(i32::from))).count()
}

fn is_reddish([r, _, b]: [i32; 3]) -> bool {
    r > b + 60
}

#[test]
fn the_heat_map_of_a_muscle_joint_shows_its_weights() {
    let folder = TestFolder::new();
    let strong = folder.name("strong.glb");
    let muscle = ["rig", "muscle", "builtin:arm", "--bone", "upper", "--bends", "lower", "-o", &strong, "-q"];
    succeed(&muscle);
    let heat = |joint: &str| draw(&folder, &strong, &["--layer", "heat", "--joint", joint]);
    let (swelling, tip) = (heat("upper.muscle.1"), heat("tip"));
    assert_eq!(count(&tip, is_reddish), 0, "the tip has no weight at all");
    let shown = count(&swelling, is_reddish);
    assert!((100..4000).contains(&shown), "{shown} pixels of a muscle");
    let heavy = count(&heat("upper"), is_reddish);
    assert!(heavy > 2 * shown, "{heavy} pixels of the bone, {shown} of its muscle");
}

#[test]
fn several_joints_have_a_color_each_and_what_they_do_not_carry_is_dark() {
    let folder = TestFolder::new();
    let colors = |joints: &str| {
        let picture = draw(&folder, "builtin:arm", &["--layer", "heat", "--joint", joints]);
        let background = *picture.get_pixel(0, 0);
        let skin = |p: &&image::Rgba<u8>| **p != background;
        let dark = picture.pixels().filter(skin).filter(|p| p[0].max(p[1]).max(p[2]) < 60).count();
        (picture, dark)
    };
    let ((both, dark_of_both), (tips, dark_of_tips)) = (colors("upper,lower"), colors("upper,tip"));
    assert_ne!(both, tips);
    assert!(dark_of_tips > 500 && dark_of_both < dark_of_tips / 10, "{dark_of_both} and {dark_of_tips}");
    let error =
        fail(&["render", "builtin:arm", "--layer", "heat", "--joint", "upper,elbow", "-o", "x.png"], 2);
    assert!(error.contains("elbow"), "{error}");
}

#[test]
fn bone_boxes_are_drawn_and_follow_the_pose() {
    let folder = TestFolder::new();
    let draw = |look: &[&str]| draw(&folder, "builtin:arm", look);
    let (boxes, clay) = (draw(&["--layer", "bone-boxes"]), draw(&["--layer", "clay"]));
    let differing = |a: &RgbaImage, b: &RgbaImage| a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    assert!(differing(&boxes, &clay) > 200, "{} pixels of boxes", differing(&boxes, &clay));
    let bent = ["--pose", "lower:rz=90"];
    let (bent_boxes, bent_clay) = (
        draw(&[&["--layer", "bone-boxes"][..], &bent].concat()),
        draw(&[&["--layer", "clay"][..], &bent].concat()),
    );
    assert!(differing(&bent_boxes, &bent_clay) > 200 && differing(&bent_boxes, &boxes) > 1000);
    let one = draw(&["--layer", "bone-boxes", "--joint", "lower"]);
    assert!(one != boxes && one != clay, "the box of one bone");
}
