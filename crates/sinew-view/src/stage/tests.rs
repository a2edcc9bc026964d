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
    let bones: Vec<&MeshLayer> =
        layers.iter().filter_map(SceneLayer::as_mesh).filter(|mesh| mesh.name == "bones").collect();
    // One layer of plain bones, and two of the selected one: its halo and itself.
    assert_eq!(bones.len(), 3);
    for mesh in bones {
        assert_eq!(mesh.geometry().triangles().len(), 8);
        let Paint::Faces(colors) = mesh.paint() else { panic!("no face paint") };
        for (face, color) in colors.iter().enumerate() {
            let selected = mesh.face_id(face) == Some(u32::from(lower.0));
            assert_eq!(*color == Color::hex(0xff9a2b), selected);
        }
    }
}

/// The contrast ratio of two colors as WCAG defines it.
fn contrast(one: [u8; 4], other: [u8; 4]) -> f32 {
    let [a, b] = [one, other].map(|[r, g, b, _]| Color::srgb8(r, g, b).luminance() + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn a_selected_bone_stands_out_on_a_skin_of_any_color() {
    let arm = sinew_samples::arm();
    let lower = arm.skeleton().find("lower").unwrap();
    let mut frame = Frame::new(&arm);
    frame.deform(Method::Linear).unwrap();
    let steps = [0x00, 0x80, 0xff];
    let grid = steps.into_iter().flat_map(|r| steps.into_iter().flat_map(move |g| steps.map(|b| [r, g, b])));
    for [r, g, b] in grid.chain([[0xff, 0x9a, 0x2b], [0x77, 0x77, 0x77]]) {
        let picture = |selected: Option<JointId>| {
            let bones = if selected.is_some() { BoneLook::Plain } else { BoneLook::Hidden };
            let options = StageOptions { bones, selected, ground: false, ..StageOptions::default() };
            let stage = Stage::new(&arm, &StageTextures::none(), options);
            let camera = stage.camera(&frame, Orbit::degrees(0.0, 0.0), CameraLens::default());
            let mut scene = stage.scene(&frame, camera).unwrap();
            for layer in &mut scene.layers {
                if let SceneLayer::Mesh(mesh) = layer
                    && mesh.name != "bones"
                    && mesh.name != "joints"
                {
                    *mesh = mesh.clone().with_paint(Paint::Solid(Color::srgb8(r, g, b))).unwrap();
                    mesh.shading = crate::layer::Shading::Unlit;
                }
            }
            crate::raster::render(&scene, &crate::raster::RenderOptions::new(480, 320)).unwrap()
        };
        let (plain, marked) = (picture(None), picture(Some(lower)));
        // WCAG asks for 3 : 1 between a graphical object and what is next to it.
        let strong = plain.pixels().iter().zip(marked.pixels()).filter(|(a, b)| contrast(**a, **b) >= 3.0);
        let strong = strong.count();
        assert!(strong > 150, "skin #{r:02x}{g:02x}{b:02x}: {strong} pixels");
    }
}

#[test]
fn axes_are_drawn_at_every_joint_tips_included() {
    let arm = sinew_samples::arm();
    let layers = layers(&arm, StageOptions { axes: true, ..StageOptions::default() });
    let Some(SceneLayer::Lines(axes)) = layers.last() else { panic!("no axes") };
    assert_eq!(axes.segments.len(), 3 * arm.skeleton().len());
}

#[test]
fn weights_of_several_joints_have_a_color_each_and_darken_with_the_weight() {
    let arm = sinew_samples::arm();
    let both: Vec<JointId> = ["upper", "lower"].map(|name| arm.skeleton().find(name).unwrap()).to_vec();
    let colors = |joints: &[JointId]| {
        let look = SkinLook::Weights(joints.into());
        match skin(&layers(&arm, StageOptions { skin: look, ..StageOptions::default() })).paint() {
            Paint::Vertices(colors) => colors.to_vec(),
            _ => panic!("no vertex paint"),
        }
    };
    let (of_both, of_one) = (colors(&both), colors(&both[..1]));
    assert!(of_both.contains(&joint_color(0)) && of_both.contains(&joint_color(1)));
    // Where the shown joint has no weight the skin is black.
    assert!(of_one.iter().any(|color| color.luminance() == 0.0));
    assert!(of_one.contains(&joint_color(0)));
}

#[test]
fn bone_boxes_turn_with_their_joints() {
    let arm = sinew_samples::arm();
    let options = StageOptions { bone_boxes: true, ..StageOptions::default() };
    let stage = Stage::new(&arm, &StageTextures::none(), options);
    let mut frame = Frame::new(&arm);
    let edges = |frame: &mut Frame| {
        frame.deform(Method::Linear).unwrap();
        match stage.layers(frame).unwrap().last() {
            Some(SceneLayer::Lines(lines)) => lines.segments.to_vec(),
            _ => panic!("no boxes"),
        }
    };
    let rest = edges(&mut frame);
    assert_eq!(rest.len(), 24, "two boxes of twelve edges");
    frame.local_mut().copy_from(&sinew_samples::arm_pose(1.0));
    let bent = edges(&mut frame);
    let lengths = |list: &[crate::layer::LineSegment]| -> f32 {
        list.iter().map(|one| one.from.distance(one.to)).sum()
    };
    assert!((lengths(&rest) - lengths(&bent)).abs() < 1e-4);
    assert_ne!(rest, bent);
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
