//! Transfer between bodies that are bound in different poses and units, and onto clothes that are not skinned.

use super::clothes::{another_pose, bound_in, loose_parts, mean_l1, part_of, unweighted};
use sinew::{Character, CharacterParts, Mesh, MeshInstance, MeshParts, Skeleton};
use sinew_author::weights::{
    ClothesPose, Edit, bind_to_skeleton, clothes_pose,
    ops::{SkinAndSkeleton, SlotMap, TransferOptions, transfer},
};
use std::{path::Path, sync::Arc};

fn rig(character: &Character) -> SkinAndSkeleton<'_> {
    SkinAndSkeleton { skeleton: character.skeleton(), skin: &character.skins()[0] }
}

#[test]
fn weights_cross_to_a_mesh_that_is_bound_in_another_pose_and_in_other_units() {
    let figure = sinew_samples::figure();
    let body = &figure.meshes()[0];
    let weights = body.weights().unwrap();
    let (posed, skin) = bound_in(&figure, &another_pose(&figure), 0.01);
    let bare = unweighted(&posed, weights.slot_count());
    let slots = SlotMap::by_name(rig(&figure), SkinAndSkeleton { skeleton: figure.skeleton(), skin: &skin });
    let options = TransferOptions { max_influences: 16, ..TransferOptions::default() };
    let made = transfer(&Edit::new(&bare).unwrap(), body, weights, &slots, &options).unwrap();
    let l1 = mean_l1(weights, &made.outcome.weights);
    println!("another pose, centimeters: L1 {l1:.4}, {} matched, {} filled", made.matched, made.filled);
    assert!(made.matched as f64 > 0.97 * body.points().len() as f64, "{} matched", made.matched);
    assert!(l1 < 0.02, "{l1}");
    // In mesh space alone nothing is near.
    let blind =
        transfer(&Edit::new(&bare).unwrap(), body, weights, &SlotMap::same(weights.slot_count()), &options);
    assert!(mean_l1(weights, &blind.unwrap().outcome.weights) > 0.5);
}

/// The figure with another rest pose than its bind pose.
fn resting_elsewhere() -> Character {
    let figure = sinew_samples::figure();
    let pose = another_pose(&figure);
    let skeleton = figure.skeleton();
    let joint = |j: sinew::JointId| sinew::Joint {
        name: skeleton.name(j).into(),
        parent: skeleton.parent(j),
        rest: pose.joints[j.index()],
    };
    let mut parts = figure.parts().clone();
    let new = Arc::new(Skeleton::new(skeleton.joints().map(joint)).unwrap());
    let old = &parts.skins[0];
    let skin = sinew::Skin::new("", &new, old.joints().to_vec(), old.joint_from_mesh().to_vec()).unwrap();
    (parts.skins, parts.skeleton) = (vec![Arc::new(skin)], new);
    Character::new(parts).unwrap()
}

/// A mesh without a skin, on a node of its own.
fn without_skin(mesh: &Mesh) -> Character {
    let node = sinew::Joint { name: "clothes".into(), parent: None, rest: sinew::Transform::IDENTITY };
    let skeleton = Arc::new(Skeleton::new([node]).unwrap());
    let mut bare = MeshParts { weights: None, ..Mesh::clone(mesh).into_parts() };
    bare.primitives.iter_mut().for_each(|primitive| primitive.material = None);
    let mut parts = CharacterParts::new("clothes", skeleton);
    parts.meshes = vec![Arc::new(Mesh::new(bare).unwrap())];
    parts.instances =
        vec![MeshInstance { joint: sinew::JointId(0), mesh: 0, skin: None, morph_weights: Vec::new() }];
    Character::new(parts).unwrap()
}

#[test]
fn clothes_without_a_skin_are_bound_in_the_pose_in_which_they_lie_on_the_body() {
    let body = resting_elsewhere();
    let weights = body.meshes()[0].weights().unwrap();
    let at_rest = bound_in(&body, &body.rest_pose(), 1.0).0;
    for (mesh, pose) in [(&at_rest, ClothesPose::Rest), (&*body.meshes()[0], ClothesPose::Bind)] {
        let clothes = without_skin(mesh);
        assert_eq!(clothes_pose(&body, 0, &clothes), Ok(pose));
        let bound = bind_to_skeleton(&body, 0, &clothes).unwrap();
        let slots = SlotMap::by_name(rig(&body), rig(&bound));
        let options = TransferOptions { max_influences: 16, ..TransferOptions::default() };
        let edit = Edit::new(&bound.meshes()[0]).unwrap();
        let made = transfer(&edit, &body.meshes()[0], weights, &slots, &options).unwrap();
        let l1 = mean_l1(weights, &made.outcome.weights);
        println!("clothes in {pose:?}: L1 {l1:.4}, {} matched, {} filled", made.matched, made.filled);
        assert!(l1 < 0.05, "{pose:?}: {l1}");
    }
}

#[test]
fn confidence_falls_from_matches_to_what_is_inpainted_and_to_what_touches_nothing() {
    let figure = sinew_samples::figure();
    let body = &figure.meshes()[0];
    let weights = body.weights().unwrap();
    let bare = unweighted(body, weights.slot_count());
    let slots = SlotMap::by_name(rig(&figure), rig(&figure));
    let made =
        transfer(&Edit::new(&bare).unwrap(), body, weights, &slots, &TransferOptions::default()).unwrap();
    assert!(made.confidence.iter().all(|c| *c > 0.99), "a mesh lies on itself");
    let positions = body.positions().iter().map(|p| *p + sinew::glam::Vec3::X * 100.0).collect();
    let far = Mesh::new(MeshParts { positions, ..Mesh::clone(&bare).into_parts() }).unwrap();
    let made =
        transfer(&Edit::new(&far).unwrap(), body, weights, &slots, &TransferOptions::default()).unwrap();
    assert!(made.matched == 0 && made.confidence.iter().all(|c| *c == 0.0));
}

#[test]
fn loose_clothes_of_a_real_body_get_better_weights_than_from_the_nearest_surface() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !corpus.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", corpus.display());
        println!("skipped: there is no corpus at {}", corpus.display());
        return;
    }
    let read = |name: &str| sinew_formats::read_file(corpus.join(name)).unwrap().character;
    let (body, parts) = (read("human_53.glb"), read("human_parts_53.glb"));
    let slots = SlotMap::by_name(rig(&body), rig(&parts));
    let (source, all) = (&body.meshes()[0], &parts.meshes()[0]);
    let weights = source.weights().unwrap();
    // The skirt: the loose part of many points that reaches from the hips to below the knees.
    let is_skirt = |part: &Mesh| {
        let heights = part.positions().iter().map(|p| p.y);
        let (low, high) = (heights.clone().fold(f32::MAX, f32::min), heights.fold(f32::MIN, f32::max));
        (0.0..0.3).contains(&low) && (0.9..1.1).contains(&high)
    };
    let loose = loose_parts(all).into_iter().skip(1).filter(|p| p.len() > 300);
    let skirt = loose.map(|points| part_of(all, &points)).find(is_skirt).unwrap();
    let bare = unweighted(&skirt, slots.slot_count());
    let l1 = |options: &TransferOptions| {
        let made = transfer(&Edit::new(&bare).unwrap(), source, weights, &slots, options).unwrap();
        mean_l1(skirt.weights().unwrap(), &made.outcome.weights)
    };
    let everything =
        TransferOptions { distance: Some(f32::MAX), angle_radians: 4.0, ..TransferOptions::default() };
    let (nearest, made) = (l1(&everything), l1(&TransferOptions::default()));
    println!("skirt: nearest surface {nearest:.3}, transfer {made:.3}");
    assert!(made < 0.2 && made < 0.7 * nearest, "{made} where the nearest surface has {nearest}");
}
