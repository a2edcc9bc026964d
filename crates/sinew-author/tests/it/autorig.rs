//! Skeletons that are fitted to static meshes.

use sinew::{
    Character, CharacterParts, HumanBone, Joint, JointId, Mesh, MeshInstance, MeshParts, ModelPose,
    Precomputed, Primitive, Skeleton, Topology, Transform,
    glam::{Quat, Vec3},
};
use sinew_author::{
    autorig::{AutorigError, AutorigOptions, Autorigged, BodyKind, rig_body},
    retarget::JointMap,
    uninterrupted,
    weights::auto::{AutoMethod, AutoOptions},
};
use std::{path::Path, sync::Arc};

/// Fast weights: these tests are about joints.
fn options(kind: BodyKind) -> AutorigOptions {
    let weights = AutoOptions { method: AutoMethod::Heat, ..AutoOptions::default() };
    AutorigOptions { kind, weights }
}

fn rigged(character: &Character) -> Autorigged {
    rig_body(character, &options(BodyKind::Auto), &mut uninterrupted).unwrap()
}

fn place(character: &Character, joint: JointId) -> Vec3 {
    let mut model = ModelPose::new(character.skeleton());
    model.update(character.skeleton(), &character.rest_pose());
    model.joint(joint).translation.into()
}

fn bone(character: &Character, bone: HumanBone) -> Vec3 {
    place(character, character.humanoid().unwrap().joint(bone).unwrap())
}

/// A character of one static mesh.
fn statue(positions: Vec<Vec3>, indices: Vec<u32>) -> Character {
    let part = Primitive {
        vertices: 0..positions.len() as u32,
        indices: 0..indices.len() as u32,
        topology: Topology::Triangles,
        material: None,
    };
    let parts = MeshParts { positions, indices, primitives: vec![part], ..MeshParts::default() };
    let root = Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY };
    Character::new(CharacterParts {
        meshes: vec![Arc::new(Mesh::new(parts).unwrap())],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: None, morph_weights: Vec::new() }],
        ..CharacterParts::new("statue", Arc::new(Skeleton::new([root]).unwrap()))
    })
    .unwrap()
}

/// The mesh of the sample figure, without its skeleton, turned about y.
fn figure(degrees: f32) -> Character {
    let figure = sinew_samples::figure();
    let mesh = &figure.meshes()[0];
    let turn = Quat::from_rotation_y(degrees.to_radians());
    let bare = MeshParts { weights: None, precomputed: Precomputed::default(), ..mesh.parts().clone() };
    statue(bare.positions.iter().map(|&p| turn * p).collect(), bare.indices)
}

/// The distances of paired joints in percent of the height, sorted.
fn errors(rigged: &Autorigged, artist: &Character) -> Vec<f64> {
    let map = JointMap::guess(&rigged.character, artist);
    let off = |pair: &sinew_author::retarget::JointPair| {
        let far = place(&rigged.character, pair.source).distance(place(artist, pair.target));
        f64::from(far) / rigged.report.height * 100.0
    };
    let mut errors: Vec<f64> = map.pairs().iter().map(off).collect();
    errors.sort_by(f64::total_cmp);
    errors
}

#[test]
fn a_figure_without_its_skeleton_gets_one_in_the_same_place_and_weights() {
    let made = rigged(&figure(0.0));
    let errors = errors(&made, &sinew_samples::figure());
    println!(
        "{} joints, median {:.2} %, largest {:.2} %",
        errors.len(),
        errors[errors.len() / 2],
        errors[errors.len() - 1]
    );
    assert!(errors.len() >= 14 && errors[errors.len() / 2] < 4.0, "{errors:?}");
    assert_eq!(made.report.kind, BodyKind::Upright);
    let weights = made.character.meshes()[0].weights().unwrap();
    let [hand, foot] = [HumanBone::LeftHand, HumanBone::RightFoot]
        .map(|bone| made.character.humanoid().unwrap().joint(bone).unwrap().0);
    for slot in [hand, foot] {
        assert!((0..weights.vertex_count()).any(|v| weights.weight_of(v, slot) > 0.5), "slot {slot}");
    }
}

#[test]
fn a_body_that_looks_sideways_gets_the_same_joints_turned() {
    let straight = rigged(&figure(0.0));
    for degrees in [90.0_f32, -90.0] {
        let turned = rigged(&figure(degrees));
        let turn = Quat::from_rotation_y(degrees.to_radians());
        for of in [HumanBone::LeftHand, HumanBone::RightFoot, HumanBone::Head, HumanBone::LeftLowerLeg] {
            let far = (turn * bone(&straight.character, of)).distance(bone(&turned.character, of));
            let percent = f64::from(far) / straight.report.height * 100.0;
            assert!(percent < 2.0, "{} at {degrees}°: {percent} %", of.name());
        }
    }
}

/// A closed box with faces cut into squares of at most a fifth of its edges.
fn add_box(low: Vec3, high: Vec3, positions: &mut Vec<Vec3>, indices: &mut Vec<u32>) {
    let first = positions.len() as u32;
    positions.extend((0..8).map(|n| {
        let corner = Vec3::new((n & 1) as f32, (n >> 1 & 1) as f32, (n >> 2) as f32);
        low + (high - low) * corner
    }));
    let faces = [
        0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3,
        7, 5,
    ];
    indices.extend(faces.map(|i| first + i));
}

#[test]
fn an_animal_of_boxes_stands_on_four_legs() {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    let mut add =
        |low: [f32; 3], high: [f32; 3]| add_box(low.into(), high.into(), &mut positions, &mut indices);
    add([-0.2, 0.5, -0.6], [0.2, 0.85, 0.6]);
    for (x, z) in [(0.12, 0.45), (-0.12, 0.45), (0.12, -0.45), (-0.12, -0.45)] {
        add([x - 0.06, 0.0, z - 0.07], [x + 0.06, 0.6, z + 0.07]);
    }
    add([-0.1, 0.7, 0.5], [0.1, 1.1, 0.75]);
    add([-0.12, 0.95, 0.6], [0.12, 1.2, 1.0]);
    let made = rigged(&statue(positions, indices));
    assert_eq!(made.report.kind, BodyKind::FourLegged);
    use HumanBone::*;
    for (of, x, z) in
        [(LeftHand, 0.12, 0.45), (RightHand, -0.12, 0.45), (LeftFoot, 0.12, -0.45), (RightFoot, -0.12, -0.45)]
    {
        let at = bone(&made.character, of);
        assert!((at.x - x).abs() < 0.05 && (at.z - z).abs() < 0.08 && at.y < 0.25, "{}: {at}", of.name());
    }
    let head = bone(&made.character, Head);
    assert!(head.z > 0.45 && head.y > 0.7 && head.x.abs() < 0.05, "{head}");
}

#[test]
fn what_has_no_height_or_no_surface_is_refused() {
    let flat = statue(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![0, 1, 2]);
    let rig = |character: &Character| rig_body(character, &options(BodyKind::Auto), &mut uninterrupted);
    let error = rig(&flat).unwrap_err().to_string();
    assert!(error.contains("got 0 by 1 meters"), "{error}");
    let empty = statue(vec![Vec3::ZERO, Vec3::Y], vec![]);
    assert!(matches!(rig(&empty), Err(AutorigError::NoSurface)));
}

#[test]
fn a_ball_a_cube_and_a_triangle_get_a_skeleton_of_guesses_and_never_a_panic() {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    add_box(Vec3::ZERO, Vec3::ONE, &mut positions, &mut indices);
    let ball: Vec<Vec3> = positions.iter().map(|p| (*p - 0.5).normalize()).collect();
    for character in [
        statue(positions, indices.clone()),
        statue(ball, indices),
        statue(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2]),
    ] {
        for kind in [BodyKind::Auto, BodyKind::Upright, BodyKind::FourLegged] {
            let made = rig_body(&character, &options(kind), &mut uninterrupted).unwrap();
            assert!(made.character.skeleton().len() >= 15);
            assert!(
                made.character.skeleton().joints().all(|joint| place(&made.character, joint).is_finite())
            );
        }
    }
}

#[test]
fn persons_of_the_corpus_get_joints_near_those_of_their_artists() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !corpus.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", corpus.display());
        println!("skipped: there is no corpus at {}", corpus.display());
        return;
    }
    for name in ["human_53", "CesiumMan", "GhostArmature", "KayKit_Knight"] {
        let artist = sinew_formats::read_file(corpus.join(format!("{name}.glb"))).unwrap().character;
        let made = rigged(&artist);
        let errors = errors(&made, &artist);
        let median = errors[errors.len() / 2];
        println!("{name}: {} joints, median {median:.2} % of the height", errors.len());
        assert!(errors.len() >= 14 && median <= 4.0, "{name}: {errors:?}");
    }
}
