//! Random characters in random poses: the library against the oracle.

use crate::oracle::{self, Follow, Mover};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use sinew::{
    Aabb, Character, CharacterParts, Frame, Influence, Joint, JointId, Mesh, MeshInstance, MeshParts, Method,
    MorphTarget, MorphTargets, Primitive, Skeleton, Skin, Topology, Transform, Weights,
    glam::{Quat, Vec3},
};
use std::sync::Arc;

/// Positions may be off by this fraction of the character's extent.
const POSITION_TOLERANCE: f64 = 1e-6;
/// The tolerance of normals and tangents for matrices with a condition number of up to [`GOOD_CONDITION`]; it grows in
/// proportion to the condition number beyond that.
const DIRECTION_TOLERANCE: f64 = 1e-5;
const GOOD_CONDITION: f64 = 10.0;

#[derive(Clone, Debug)]
struct JointSeed {
    parent_pick: u16,
    rest: Transform,
    posed: Transform,
}

#[derive(Clone, Debug)]
struct VertexSeed {
    position: Vec3,
    normal: Vec3,
    tangent: Vec3,
    is_left_handed: bool,
    influences: Vec<(u16, f32)>,
    /// Position, normal and tangent differences in the first shape; the second has their halves, turned around.
    shape: Option<[Vec3; 3]>,
}

fn vector(reach: f32) -> impl Strategy<Value = Vec3> {
    [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from)
}

fn direction() -> impl Strategy<Value = Vec3> {
    vector(1.0).prop_map(|v| v.try_normalize().unwrap_or(Vec3::Y))
}

fn rotation() -> impl Strategy<Value = Quat> {
    (direction(), -3.1_f32..3.1).prop_map(|(axis, angle)| Quat::from_axis_angle(axis, angle))
}

fn joint() -> impl Strategy<Value = JointSeed> {
    let rest_scale = [0.7_f32..1.4, 0.7_f32..1.4, 0.7_f32..1.4].prop_map(Vec3::from);
    let posed_scale = [0.5_f32..1.8, 0.5_f32..1.8, 0.5_f32..1.8].prop_map(Vec3::from);
    let mirror =
        prop_oneof![6 => Just(Vec3::ONE), 1 => Just(Vec3::new(-1.0, 1.0, 1.0)), 1 => Just(Vec3::NEG_ONE)];
    let rest = (vector(0.5), rotation(), rest_scale);
    let posed = (vector(0.5), rotation(), posed_scale, mirror);
    (any::<u16>(), rest, posed).prop_map(|(parent_pick, rest, posed)| JointSeed {
        parent_pick,
        rest: Transform { translation: rest.0, rotation: rest.1, scale: rest.2 },
        posed: Transform { translation: posed.0, rotation: posed.1, scale: posed.2 * posed.3 },
    })
}

fn vertex() -> impl Strategy<Value = VertexSeed> {
    let influences = prop::collection::vec((any::<u16>(), 0.05_f32..1.0), 1..10);
    let shape = prop::option::of([vector(0.3), vector(0.3), vector(0.3)]);
    (vector(1.0), direction(), direction(), any::<bool>(), influences, shape).prop_map(
        |(position, normal, tangent, is_left_handed, influences, shape)| VertexSeed {
            position,
            normal,
            tangent,
            is_left_handed,
            influences,
            shape,
        },
    )
}

fn skeleton(joints: &[JointSeed]) -> Skeleton {
    Skeleton::new(joints.iter().enumerate().map(|(index, seed)| {
        // One pick in index + 1 makes a further root.
        let pick = usize::from(seed.parent_pick) % (index + 1);
        let parent = (pick < index).then_some(JointId(pick as u16));
        Joint { name: format!("joint {index}"), parent, rest: seed.rest }
    }))
    .expect("parents come first")
}

fn mesh(vertices: &[VertexSeed], joints: usize) -> Mesh {
    let influences = |seed: &VertexSeed| {
        let one = |&(pick, weight): &(u16, f32)| Influence { slot: pick % joints as u16, weight };
        seed.influences.iter().map(one).collect::<Vec<_>>()
    };
    let weights = Weights::new(joints, vertices.iter().map(influences)).expect("slots are in range").0;
    let dense = |stream: usize, factor: f32| {
        let one = |seed: &VertexSeed| seed.shape.map_or(Vec3::ZERO, |s| s[stream] * factor);
        vertices.iter().map(one).collect::<Vec<_>>()
    };
    let target =
        |name, factor| MorphTarget::from_dense(name, &dense(0, factor), &dense(1, factor), &dense(2, factor));
    let shapes = vec![target("first", 1.0), target("second", -0.5)];
    let handedness = |seed: &VertexSeed| if seed.is_left_handed { -1.0 } else { 1.0 };
    let count = vertices.len() as u32;
    Mesh::new(MeshParts {
        positions: vertices.iter().map(|s| s.position).collect(),
        normals: vertices.iter().map(|s| s.normal).collect(),
        tangents: vertices.iter().map(|s| s.tangent.extend(handedness(s))).collect(),
        indices: (0..count).collect(),
        primitives: vec![Primitive {
            vertices: 0..count,
            indices: 0..count,
            topology: Topology::Points,
            material: None,
        }],
        morphs: MorphTargets::new(vertices.len(), shapes, vec![]).expect("shapes fit"),
        weights: Some(Arc::new(weights)),
        ..MeshParts::default()
    })
    .expect("streams are of one length")
}

fn character(joints: &[JointSeed], vertices: &[VertexSeed]) -> Character {
    let skeleton = Arc::new(skeleton(joints));
    let skin = Skin::bound_at_rest("skin", &skeleton, skeleton.joints().collect()).expect("joints are there");
    Character::new(CharacterParts {
        meshes: vec![Arc::new(mesh(vertices, joints.len()))],
        skins: vec![Arc::new(skin)],
        instances: vec![instance(0, Some(0)), instance(joints.len() - 1, None)],
        ..CharacterParts::new("random", skeleton)
    })
    .expect("parts fit")
}

fn instance(joint: usize, skin: Option<usize>) -> MeshInstance {
    MeshInstance { joint: JointId(joint as u16), mesh: 0, skin, morph_weights: vec![] }
}

/// The largest magnitude of the terms that positions are summed from: joints, and vertices before and after.
fn extent(frame: &Frame, mesh: &Mesh, instance: usize) -> f64 {
    let joints: Vec<Vec3> = frame.model().joints().iter().map(|m| m.translation.into()).collect();
    let points = joints.iter().chain(mesh.positions()).chain(&frame.deformed()[instance].positions);
    f64::from(Aabb::of_points(points.chain([&Vec3::ZERO])).diagonal())
}

/// Compares the deformed vertices of one instance with the oracle's.
fn check(
    character: &Character,
    frame: &Frame,
    instance: usize,
    mover_of: impl Fn(&Mesh, usize) -> Mover,
) -> Result<(), TestCaseError> {
    let mesh = character.mesh_of(&character.instances()[instance]);
    let shapes = &frame.local().morphs[character.morph_slots(instance)];
    let extent = extent(frame, mesh, instance);
    let got = &frame.deformed()[instance];
    for v in 0..mesh.vertex_count() {
        let want = oracle::vertex(mesh, v, shapes, &mover_of(mesh, v));
        let off = (got.positions[v].as_dvec3() - want.position).length();
        let allowed = POSITION_TOLERANCE * extent;
        prop_assert!(off <= allowed, "vertex {v}: position off by {off:e}, allowed {allowed:e}");
        let off = (got.normals[v].as_dvec3() - want.normal).length();
        let allowed = DIRECTION_TOLERANCE * (want.normal_condition / GOOD_CONDITION).max(1.0);
        prop_assert!(off < allowed, "vertex {v}: normal off by {off:e}, allowed {allowed:e}");
        let off = (got.tangents[v].truncate().as_dvec3() - want.tangent).length();
        let allowed = DIRECTION_TOLERANCE * (want.tangent_condition / GOOD_CONDITION).max(1.0);
        prop_assert!(off < allowed, "vertex {v}: tangent off by {off:e}, allowed {allowed:e}");
        // If the matrix is singular within rounding, the sign of its determinant is undefined.
        if want.relative_determinant.abs() > 1e-5 {
            prop_assert_eq!(f64::from(got.tangents[v].w), want.handedness, "vertex {}: handedness", v);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(Config {
        cases: 200,
        rng_seed: RngSeed::Fixed(0x51_4e_45_57),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn every_method_agrees_with_the_oracle(
        joints in prop::collection::vec(joint(), 1..14),
        vertices in prop::collection::vec(vertex(), 1..24),
        shape_weights in [-0.5_f32..1.5, 0.0_f32..1.0, -0.5_f32..1.5, 0.0_f32..1.0],
    ) {
        let character = character(&joints, &vertices);
        let mut frame = Frame::new(&character);
        for (local, seed) in frame.local_mut().joints.iter_mut().zip(&joints) {
            *local = seed.posed;
        }
        frame.local_mut().morphs.copy_from_slice(&shape_weights);
        frame.update();
        let palette = oracle::palette(&character, &character.skins()[0], frame.local());
        for (method, follow) in [(Method::Linear, Follow::All), (Method::Rigid, Follow::Strongest)] {
            frame.deform(method).unwrap();
            check(&character, &frame, 0, |mesh, v| Mover::skin(mesh, v, &palette, follow))?;
            let carrier = character.instances()[1].joint;
            check(&character, &frame, 1, |_, _| Mover::joint(&character, frame.local(), carrier))?;
        }
    }
}
