//! Mirroring over the surface: meshes whose sides differ a little, and rigs whose names say nothing.

use super::clothes::mean_l1;
use sinew::{Character, Mesh, MeshParts, Precomputed, Weights, glam::Vec3};
use sinew_author::weights::{
    Edit, MuscleSlots, WeightError,
    ops::{MirrorJointMap, MirrorOptions, VertexMirrorMap, mirror, mirror_over_surface},
};
use std::sync::Arc;

/// The mesh with every point moved by up to `meters`, copies alike.
fn jittered(mesh: &Mesh, meters: f32) -> Mesh {
    let of_vertex = mesh.points().of_vertex();
    let noise = |point: u32, axis: u32| {
        let mut bits = (u64::from(point) * 3 + u64::from(axis)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits ^= bits >> 29;
        bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (bits >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    let moved = |(vertex, place): (usize, &Vec3)| {
        let point = of_vertex[vertex];
        *place + Vec3::new(noise(point, 0), noise(point, 1), noise(point, 2)) * meters
    };
    let positions = mesh.positions().iter().enumerate().map(moved).collect();
    let old = Mesh::clone(mesh).into_parts();
    Mesh::new(MeshParts { positions, precomputed: Precomputed::NONE, ..old }).unwrap()
}

/// The weights with the right side following one joint.
fn spoiled(mesh: &Mesh) -> Weights {
    let old = mesh.weights().unwrap();
    let of = |v: usize| {
        let is_right = mesh.positions()[v].x < -1e-3;
        let own = old.influences(v).collect::<Vec<_>>();
        if is_right { vec![sinew::Influence { slot: 0, weight: 1.0 }] } else { own }
    };
    Weights::new(old.slot_count(), (0..old.vertex_count()).map(of)).unwrap().0
}

fn map_of(character: &Character, options: &MirrorOptions) -> MirrorJointMap {
    MirrorJointMap::new(character.skeleton(), &character.skins()[0], options)
}

#[test]
fn two_millimeters_of_jitter_do_not_harm_a_mirrored_side() {
    let figure = sinew_samples::figure();
    let mesh = jittered(&figure.meshes()[0], 0.002);
    let truth = figure.meshes()[0].weights().unwrap();
    let weights = spoiled(&mesh);
    let edit = Edit::with_weights(&mesh, &weights).unwrap();
    let options = MirrorOptions::over_surface_of(&mesh);
    let made =
        mirror_over_surface(&edit, &map_of(&figure, &options), &MuscleSlots::default(), &options).unwrap();
    let l1 = mean_l1(truth, &made.outcome.weights);
    let pairs = MirrorOptions::default();
    let map = VertexMirrorMap::new(&mesh, figure.skeleton(), &figure.skins()[0], &pairs);
    let by_pairs = mirror(&edit, &map, &pairs).unwrap();
    let paired = mean_l1(truth, &by_pairs.outcome.weights);
    let lost = by_pairs.unmatched.len();
    println!(
        "surface: L1 {l1:.4}, {} unmatched; point pairs: L1 {paired:.4}, {lost} unmatched",
        made.unmatched.len()
    );
    assert!(made.unmatched.is_empty(), "{} unmatched", made.unmatched.len());
    assert!(l1 < 0.02, "{l1}");
    assert!(lost > made.mirrored / 2 && paired > 10.0 * l1, "point pairs lose {lost} and have {paired}");
}

#[test]
fn a_symmetric_mesh_that_is_mirrored_twice_stays_the_same() {
    let figure = sinew_samples::figure();
    let mesh = &figure.meshes()[0];
    let options = MirrorOptions::over_surface_of(mesh);
    let map = map_of(&figure, &options);
    let muscles = MuscleSlots::default();
    let once =
        mirror_over_surface(&Edit::new(mesh).unwrap(), &map, &muscles, &options).unwrap().outcome.weights;
    let edit = Edit::with_weights(mesh, &once).unwrap();
    assert_eq!(mirror_over_surface(&edit, &map, &muscles, &options).unwrap().outcome.changed, 0);
}

/// The figure with other names of joints.
fn renamed(of: impl Fn(&str) -> String) -> Character {
    let mut parts = sinew_samples::figure().into_parts();
    let old = parts.skeleton.clone();
    let joint =
        |j: sinew::JointId| sinew::Joint { name: of(old.name(j)), parent: old.parent(j), rest: old.rest(j) };
    parts.skeleton = Arc::new(sinew::Skeleton::new(old.joints().map(joint)).unwrap());
    Character::new(parts).unwrap()
}

#[test]
fn joints_whose_names_say_nothing_are_paired_by_place() {
    let figure = sinew_samples::figure();
    let named = map_of(&figure, &MirrorOptions::default());
    let nameless =
        renamed(|name| format!("bone {}", name.len() * 7 + name.bytes().map(usize::from).sum::<usize>()));
    let placed = map_of(&nameless, &MirrorOptions::default());
    for slot in 0..named.slot_count() as u16 {
        assert_eq!(placed.partner(slot), named.partner(slot), "{}", named.name(slot));
    }
}

#[test]
fn a_joint_with_weight_and_without_a_partner_is_refused_by_its_name() {
    let figure = sinew_samples::figure();
    let mesh = &figure.meshes()[0];
    let options = MirrorOptions::over_surface_of(mesh);
    let map = map_of(&figure, &options).edited("hand.L <-> -", figure.skeleton()).unwrap();
    let edit = Edit::new(mesh).unwrap();
    let refused = mirror_over_surface(&edit, &map, &MuscleSlots::default(), &options).unwrap_err();
    assert_eq!(refused, WeightError::NoMirrorPartner { joints: vec!["hand.L".into()] });
    assert!(refused.to_string().contains("hand.L"), "{refused}");
    let given = map.edited("hand.L <-> hand.R", figure.skeleton()).unwrap();
    assert!(mirror_over_surface(&edit, &given, &MuscleSlots::default(), &options).is_ok());
}
