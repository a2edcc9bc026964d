//! The scenes of `sinew demo`: characters in every look.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use sinew::{Character, Frame, LocalPose, Method, Wrap};
use sinew_view::camera::{CameraLens, Orbit};
use sinew_view::glam::Vec3;
use sinew_view::palette::Ramp;
use sinew_view::scene::Scene;
use sinew_view::stage::{BoneLook, Field, SkinLook, Stage, StageOptions, StageTextures};
use sinew_view::theme::Theme;

use super::{agree, on_device};

fn scene(character: &Character, frame: &Frame, options: StageOptions) -> Scene {
    let stage = Stage::new(character, &StageTextures::none(), options);
    let camera = stage.camera(frame, Orbit::THREE_QUARTER, CameraLens::default());
    stage.scene(frame, camera).unwrap()
}

fn posed(character: &Character, pose: &LocalPose) -> Frame {
    let mut frame = Frame::new(character);
    frame.local_mut().copy_from(pose);
    frame.deform(Method::Linear).unwrap();
    frame
}

fn walking(figure: &Character) -> Frame {
    let mut frame = Frame::new(figure);
    frame.sample(&figure.clips()[0], 0.4, Wrap::Loop);
    frame.deform(Method::Linear).unwrap();
    frame
}

#[test]
fn the_figure_matches_in_every_look_of_the_demo() {
    let figure = sinew_samples::figure();
    let frame = walking(&figure);
    let base = StageOptions::default();
    let joint = figure.skeleton().find("upper_arm.L").unwrap();
    let heat = SkinLook::Heat(joint);
    let shots = [
        ("demo-shaded", base.clone()),
        ("demo-dark", StageOptions { theme: Theme::Dark, ..base.clone() }),
        ("demo-clear", StageOptions { theme: Theme::Clear, ..base.clone() }),
        (
            "demo-bones",
            StageOptions { skin: SkinLook::Clay, skin_opacity: 0.45, bones: BoneLook::Plain, ..base.clone() },
        ),
        ("demo-wire", StageOptions { wire: true, ..base.clone() }),
        ("demo-normals", StageOptions { skin: SkinLook::Normals, normals: true, ..base.clone() }),
        (
            "demo-heat",
            StageOptions { skin: heat, bones: BoneLook::Plain, selected: Some(joint), ..base.clone() },
        ),
        (
            "demo-influence",
            StageOptions { skin: SkinLook::Influences, bones: BoneLook::ByJoint, ..base.clone() },
        ),
        ("demo-joints", StageOptions { skin: SkinLook::JointColors, ..base.clone() }),
        ("demo-axes", StageOptions { axes: true, skin_opacity: 0.3, skin: SkinLook::Clay, ..base }),
    ];
    on_device(|bench| {
        for (name, options) in shots {
            agree(bench, name, &scene(&figure, &frame, options), 200, 260);
        }
    });
}

#[test]
fn the_bent_arm_matches_with_bones_and_a_difference_map() {
    let arm = sinew_samples::arm();
    let frame = posed(&arm, &sinew_samples::arm_pose(FRAC_PI_2));
    let bones = StageOptions { bones: BoneLook::Plain, ..StageOptions::default() };
    let values: Arc<[f32]> =
        frame.deformed()[0].positions.iter().map(|position: &Vec3| position.x.sin() * position.y).collect();
    let field = Field { values: vec![values], low: -0.3, high: 0.3, ramp: Ramp::Balance };
    let map = StageOptions { skin: SkinLook::Field(field), ..StageOptions::default() };
    on_device(|bench| {
        agree(bench, "demo-arm", &scene(&arm, &frame, bones), 240, 200);
        agree(bench, "demo-field", &scene(&arm, &frame, map), 240, 200);
    });
}

#[test]
fn the_twisted_tube_matches() {
    let tube = sinew_samples::tube();
    let frame = posed(&tube, &sinew_samples::tube_pose(0.4, 2.0));
    on_device(|bench| agree(bench, "demo-tube", &scene(&tube, &frame, StageOptions::default()), 240, 200));
}

#[test]
fn an_animation_in_one_renderer_is_the_same_as_single_pictures() {
    let figure = sinew_samples::figure();
    let options = StageOptions { bones: BoneLook::Plain, wire: true, ..StageOptions::default() };
    let mut frame = walking(&figure);
    let stage = Stage::new(&figure, &StageTextures::none(), options);
    let camera = stage.camera(&frame, Orbit::FRONT, CameraLens::default());
    on_device(|bench| {
        for step in 0..3 {
            frame.sample(&figure.clips()[0], 0.2 * step as f32, Wrap::Loop);
            frame.deform(Method::Linear).unwrap();
            agree(bench, &format!("step-{step}"), &stage.scene(&frame, camera).unwrap(), 120, 160);
        }
        // Nothing changed: the GPU draws the same bits from its cached buffers.
        let scene = stage.scene(&frame, camera).unwrap();
        assert_eq!(bench.draw(&scene, 120, 160), bench.draw(&scene, 120, 160));
    });
}
