//! Thousands of joints: each of these would take minutes or hours if work grew with joints times points.

use super::{Dice, chain, mesh, tube, with_weights};
use sinew::{
    Character, CharacterParts, Influence, Joint, JointId, Mesh, MeshInstance, Skeleton, Skin, Transform,
    Weights, glam::Vec3,
};
use sinew_author::{
    AuthorError,
    check::{CheckOptions, check},
    uninterrupted,
    weights::{
        BoneSet, Edit, SkinBone,
        auto::{AutoMethod, AutoOptions, AutoWeights, auto_weights},
        ops::{self, MirrorOptions, VertexMirrorMap},
    },
};
use std::sync::Arc;

fn auto(mesh: &Mesh, bones: &BoneSet, method: AutoMethod) -> Result<AutoWeights, AuthorError> {
    let options = AutoOptions { method, resolution: 60, ..AutoOptions::default() };
    auto_weights(mesh, bones, &options, &mut uninterrupted)
}

#[test]
fn a_joint_that_is_repeated_forty_thousand_times_changes_no_weight() {
    let (positions, indices) = tube(40, 12);
    let body = mesh(positions, indices);
    let (skeleton, skin) = chain(6);
    let mut joints = skin.joints().to_vec();
    joints.extend([JointId(3)].repeat(40_000));
    let repeated = Skin::bound_at_rest("repeated", &skeleton, joints).unwrap();
    for method in AutoMethod::ALL {
        let own = auto(&body, &BoneSet::of_skin(&skeleton, &skin), method).unwrap();
        let made = auto(&body, &BoneSet::of_skin(&skeleton, &repeated), method).unwrap();
        // The solver adds in the order in which its threads end.
        let is_same = |v: usize| {
            own.weights.influences(v).all(|i| (made.weights.weight_of(v, i.slot) - i.weight).abs() < 1e-5)
        };
        assert!((0..body.vertex_count()).all(is_same), "{method}");
        assert_eq!(made.report.unused.len(), own.report.unused.len() + 40_000, "{method}");
    }
}

#[test]
fn twenty_thousand_bones_in_one_place_share_the_skin_around_them() {
    let (positions, indices) = tube(40, 12);
    let body = mesh(positions, indices);
    let bone = |slot: u16| SkinBone { slot, head: Vec3::Y * 0.4, tail: Vec3::Y * 0.6, is_open: false };
    let bones = BoneSet::new(20_000, (0..20_000).map(bone));
    for method in AutoMethod::ALL {
        match auto(&body, &bones, method) {
            Ok(made) => assert_eq!(made.weights.vertex_count(), body.vertex_count(), "{method}"),
            Err(AuthorError::TooManyJoints { joints, .. }) => {
                let solves = matches!(method, AutoMethod::Biharmonic | AutoMethod::Mixed);
                assert!(joints == 20_000 && solves, "{method}: {joints}");
            }
            Err(other) => panic!("{method}: {other}"),
        }
    }
}

#[test]
fn bones_all_over_a_body_are_found_by_its_points_or_refused_by_name() {
    let (positions, indices) = tube(200, 60);
    let mut dice = Dice(7);
    let mut place = || Vec3::Y * 0.5 + dice.vector() * Vec3::new(0.1, 0.5, 0.1);
    let places: Vec<Vec3> = (0..20_000).map(|_| place()).collect();
    let bone = |(slot, &head): (usize, &Vec3)| SkinBone {
        slot: slot as u16,
        head,
        tail: head + Vec3::Y * 1e-3,
        is_open: false,
    };
    let bones = BoneSet::new(20_000, places.iter().enumerate().map(bone));
    let body = mesh(positions, indices);
    let made = auto(&body, &bones, AutoMethod::VoxelGeodesic).unwrap();
    for vertex in (0..body.vertex_count()).step_by(97) {
        let place = body.positions()[vertex];
        let nearest = places.iter().map(|p| p.distance(place)).fold(f32::INFINITY, f32::min);
        let strongest = made.weights.influences(vertex).max_by(|a, b| a.weight.total_cmp(&b.weight)).unwrap();
        let own = places[usize::from(strongest.slot)].distance(place);
        // A sixtieth of the diagonal is the edge of a cell.
        assert!(own < nearest + 0.06, "{own} from vertex {vertex}, the nearest is {nearest} away");
    }
    let error = auto(&body, &bones, AutoMethod::Biharmonic).unwrap_err().to_string();
    assert!(error.contains("biharmonic") && error.contains("4096") && error.contains("voxel"), "{error}");
}

fn character(body: Mesh, skeleton: Skeleton, skin: Skin) -> Character {
    Character::new(CharacterParts {
        meshes: vec![Arc::new(body)],
        skins: vec![Arc::new(skin)],
        instances: vec![MeshInstance {
            joint: JointId(0),
            mesh: 0,
            skin: Some(0),
            morph_weights: Vec::new(),
        }],
        ..CharacterParts::new("thousands", Arc::new(skeleton))
    })
    .unwrap()
}

/// A character whose points each follow a joint of their own, somewhere else.
fn shuffled(points: usize) -> Character {
    let (positions, indices) = tube(points as u32 / 60, 60);
    let count = positions.len();
    let joint = |n: usize| Joint {
        name: format!("joint {n}"),
        parent: (n > 0).then_some(JointId(0)),
        rest: Transform::from_translation(positions[n]),
    };
    let skeleton = Skeleton::new((0..count).map(joint)).unwrap();
    let skin = Skin::bound_at_rest("skin", &skeleton, skeleton.joints().collect()).unwrap();
    let follow = |n: usize| [Influence { slot: (n * 7919 % count) as u16, weight: 1.0 }];
    let weights = Weights::new(count, (0..count).map(follow)).unwrap().0;
    character(with_weights(&mesh(positions, indices), weights), skeleton, skin)
}

#[test]
fn fifty_thousand_joints_with_a_point_each_are_checked() {
    let findings = check(&shuffled(50_000), &[], &CheckOptions::default());
    assert!(findings.iter().all(|finding| !finding.message.is_empty()));
}

#[test]
fn a_mesh_whose_points_are_nearly_in_one_place_is_checked_and_mirrored() {
    let mut dice = Dice(3);
    let mut positions: Vec<Vec3> = (0..60_000).map(|_| dice.vector() * 1e-6).collect();
    positions.extend([Vec3::X, Vec3::NEG_X, Vec3::Y].map(|axis| axis * 1000.0));
    let indices = (0..positions.len() as u32).collect();
    let (skeleton, skin) = chain(3);
    let follow = |n: usize| [Influence { slot: (n % 3) as u16, weight: 1.0 }];
    let weights = Weights::new(3, (0..positions.len()).map(follow)).unwrap().0;
    let body = with_weights(&mesh(positions, indices), weights);
    let character = character(body, skeleton, skin);
    assert!(check(&character, &[], &CheckOptions::default()).iter().all(|f| !f.message.is_empty()));
    let edit = Edit::new(&character.meshes()[0]).unwrap();
    let map = VertexMirrorMap::new(
        &character.meshes()[0],
        character.skeleton(),
        &character.skins()[0],
        &MirrorOptions::default(),
    );
    assert!(ops::mirror(&edit, &map, &MirrorOptions::default()).is_ok());
}
