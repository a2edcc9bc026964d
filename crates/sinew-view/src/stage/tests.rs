use super::*;
use crate::layer::MeshLayer;
use crate::paint::Paint;
use crate::palette::{blended_color, joint_color};
use sinew::JointId;

fn layers(character: &Character, options: StageOptions) -> Vec<SceneLayer> {
    let mut frame = Frame::new(character);
    frame.deform(Method::Linear).unwrap();
    Stage::new(character, &StageTextures::none(), options).layers(&frame).unwrap()
}

fn skin(layers: &[SceneLayer]) -> &MeshLayer {
    match &layers[0] {
        SceneLayer::Mesh(mesh) => mesh,
        SceneLayer::Lines(_) => panic!("the first layer is the skin"),
    }
}

#[test]
fn a_heat_map_holds_the_weights_of_its_joint() {
    let arm = sinew_samples::arm();
    let lower = arm.skeleton().find("lower").unwrap();
    let layers = layers(&arm, StageOptions { skin: SkinLook::Heat(lower), ..StageOptions::default() });
    let Paint::Scalar(scalar) = skin(&layers).paint() else { panic!("no scalar paint") };
    let positions = skin(&layers).geometry().positions();
    for (position, &weight) in positions.iter().zip(scalar.values.iter()) {
        // The elbow is at x = 0; far from it one bone moves the skin alone.
        if position.x.abs() > 0.1 {
            assert_eq!(weight, if position.x > 0.0 { 1.0 } else { 0.0 }, "{position}");
        }
    }
    assert!(scalar.values.iter().any(|&weight| weight > 0.4 && weight < 0.6));
}

#[test]
fn changing_the_look_gives_the_layers_of_a_new_stage() {
    let figure = sinew_samples::figure();
    let mut frame = Frame::new(&figure);
    frame.deform(Method::Linear).unwrap();
    let joint = figure.skeleton().find("spine").unwrap_or(JointId(3));
    let mut stage = Stage::new(&figure, &StageTextures::none(), StageOptions::default());
    for look in [SkinLook::Heat(joint), SkinLook::Hidden, SkinLook::Clay, SkinLook::Influences] {
        let options = StageOptions { skin: look.clone(), ..StageOptions::default() };
        stage.set_options(&figure, &StageTextures::none(), options);
        let got = stage.layers(&frame).unwrap();
        let want = layers(&figure, StageOptions { skin: look, ..StageOptions::default() });
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(&want) {
            let (SceneLayer::Mesh(got), SceneLayer::Mesh(want)) = (got, want) else { panic!("only skins") };
            assert_eq!(format!("{:?}", got.paint()), format!("{:?}", want.paint()));
            assert_eq!((got.gloss, got.opacity), (want.gloss, want.opacity));
        }
    }
}

#[test]
fn an_influence_map_is_dark_only_where_joints_blend() {
    let colors = |character: &Character| {
        let options = StageOptions { skin: SkinLook::Influences, ..StageOptions::default() };
        match skin(&layers(character, options)).paint() {
            Paint::Faces(colors) => colors.to_vec(),
            _ => panic!("no face paint"),
        }
    };
    let (blended, rigid) = (colors(&sinew_samples::arm()), colors(&sinew_samples::rigid_arm()));
    let dark = |colors: &[Color]| colors.iter().filter(|color| **color == blended_color()).count();
    // Only one row of triangles joins the two halves of the rigid arm.
    assert!(dark(&blended) > 2 * dark(&rigid) && dark(&rigid) > 0);
    let upper = sinew_samples::arm().skeleton().find("upper").unwrap();
    assert!(blended.contains(&joint_color(upper.index())));
}

#[test]
fn an_arm_has_two_bones_and_the_selected_one_is_highlighted() {
    let arm = sinew_samples::arm();
    let lower = arm.skeleton().find("lower").unwrap();
    let options = StageOptions { bones: BoneLook::Plain, selected: Some(lower), ..StageOptions::default() };
    let layers = layers(&arm, options);
    let Some(SceneLayer::Mesh(bones)) =
        layers.iter().find(|layer| matches!(layer, SceneLayer::Mesh(mesh) if mesh.name == "bones"))
    else {
        panic!("no bones")
    };
    assert_eq!(bones.geometry().triangles().len(), 16);
    let Paint::Faces(colors) = bones.paint() else { panic!("no face paint") };
    for (face, color) in colors.iter().enumerate() {
        let selected = bones.face_id(face) == Some(u32::from(lower.0));
        assert_eq!(*color == Color::hex(0xff9a2b), selected);
    }
}

#[test]
fn a_frame_of_another_character_is_rejected() {
    let (arm, tube) = (sinew_samples::arm(), sinew_samples::tube());
    let stage = Stage::new(&arm, &StageTextures::none(), StageOptions::default());
    let rejected = stage.layers(&Frame::new(&tube));
    assert!(matches!(rejected, Err(GeometryError::LengthMismatch { .. })));
}

#[test]
fn a_skeleton_without_a_skin_is_framed_by_its_bones() {
    let figure = sinew_samples::figure();
    let options = StageOptions { skin: SkinLook::Hidden, bones: BoneLook::Plain, ..StageOptions::default() };
    let stage = Stage::new(&figure, &StageTextures::none(), options);
    let points = stage.points(&Frame::new(&figure));
    let tallest = points.iter().map(|point| point.y).fold(0.0, f32::max);
    assert!(points.len() > 30 && tallest > 1.2 && tallest < 2.2, "{tallest}");
}
