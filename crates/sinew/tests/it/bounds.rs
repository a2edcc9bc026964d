//! Conservative bounding boxes: no vertex is outside, with any method, in any pose; and how tight the boxes are.

use crate::subjects;
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use sinew::{
    Aabb, Character, CharacterParts, Frame, Influence, Joint, JointId, LocalPose, Mesh, MeshInstance,
    MeshParts, Method, MorphTarget, MorphTargets, Palette, Primitive, Skeleton, Skin, Topology, Transform,
    Weights, Wrap,
    bounds::{AnimatedBounds, BoundsError, CharacterBounds, Tightness},
    glam::{Affine3A, Quat, Vec3},
};
use std::sync::Arc;

fn vector(reach: f32) -> impl Strategy<Value = Vec3> {
    [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from)
}

fn rotation() -> impl Strategy<Value = Quat> {
    // Exact half turns are the worst case of blended rotations.
    let any = (vector(1.0), -3.2_f32..3.2)
        .prop_map(|(axis, angle)| Quat::from_axis_angle(axis.try_normalize().unwrap_or(Vec3::X), angle));
    let exact = [Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 0.0, 1.0, 0.0), Quat::IDENTITY];
    prop_oneof![4 => any, 1 => prop::sample::select(exact.to_vec())]
}

fn transform(is_rigid: bool) -> impl Strategy<Value = Transform> {
    let scale = [0.3_f32..2.0, 0.3_f32..2.0, -1.5_f32..1.5].prop_map(Vec3::from);
    let scale = prop_oneof![Just(Vec3::ONE), scale].prop_map(move |s| if is_rigid { Vec3::ONE } else { s });
    (vector(1.0), rotation(), scale).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale,
    })
}

/// The rest position, joints with weights, and the morph target difference of a vertex.
type VertexSeed = (Vec3, Vec<(u16, f32)>, Vec3);

#[derive(Clone, Debug)]
struct Seed {
    /// The parent, the rest position and the pose of each joint.
    joints: Vec<(u16, Vec3, Transform)>,
    vertices: Vec<VertexSeed>,
    shape_weight: f32,
    has_muscle: bool,
}

fn seed() -> impl Strategy<Value = Seed> {
    let vertex = || (vector(1.0), prop::collection::vec((any::<u16>(), 0.05_f32..1.0), 1..7), vector(0.4));
    any::<bool>().prop_flat_map(move |is_rigid| {
        let joint = (any::<u16>(), vector(0.6), transform(is_rigid));
        let joints = prop::collection::vec(joint, 2..9);
        let vertices = prop::collection::vec(vertex(), 6..24);
        (joints, vertices, -1.0_f32..2.0, any::<bool>()).prop_map(
            |(joints, vertices, shape_weight, has_muscle)| Seed {
                joints,
                vertices,
                shape_weight,
                has_muscle,
            },
        )
    })
}

fn character(seed: &Seed) -> Character {
    let skeleton = Arc::new(
        Skeleton::new(seed.joints.iter().enumerate().map(|(index, &(pick, rest, _))| {
            let parent = index.checked_sub(1).map(|last| JointId(pick % (last as u16 + 1)));
            Joint { name: String::new(), parent, rest: Transform::from_translation(rest) }
        }))
        .expect("parents come first"),
    );
    let slots = seed.joints.len() as u16;
    let influences = seed.vertices.iter().map(|(_, picks, _)| {
        picks.iter().map(move |&(pick, weight)| Influence { slot: pick % slots, weight }).collect::<Vec<_>>()
    });
    // With muscle weights, the last joint displaces the surface.
    let weights =
        Weights::new_with_muscles(seed.joints.len(), influences, |slot| seed.has_muscle && slot == slots - 1);
    let deltas: Vec<Vec3> = seed.vertices.iter().map(|v| v.2).collect();
    let target = MorphTarget::from_dense("shape", &deltas, &[], &[]);
    let count = seed.vertices.len() as u32;
    let mesh = Mesh::new(MeshParts {
        positions: seed.vertices.iter().map(|v| v.0).collect(),
        indices: (0..count).collect(),
        primitives: vec![Primitive {
            vertices: 0..count,
            indices: 0..count,
            topology: Topology::Points,
            material: None,
        }],
        morphs: MorphTargets::new(seed.vertices.len(), vec![target], vec![-1.0]).expect("the shape fits"),
        weights: Some(Arc::new(weights.expect("slots are in range").0)),
        ..MeshParts::default()
    })
    .expect("streams are of one length");
    let skin = Skin::bound_at_rest("skin", &skeleton, skeleton.joints().collect()).expect("joints are there");
    let instance = |joint: u16, skin| MeshInstance {
        joint: JointId(joint),
        mesh: 0,
        skin,
        // Rest weights of -1 and 2: the boxes must cover the rest shape.
        morph_weights: vec![if skin.is_some() { -1.0 } else { 2.0 }],
    };
    let parts = CharacterParts {
        meshes: vec![Arc::new(mesh)],
        skins: vec![Arc::new(skin)],
        instances: vec![instance(0, Some(0)), instance(slots - 1, None)],
        ..CharacterParts::new("random", skeleton)
    };
    subjects::prepared(&Character::new(parts).expect("parts fit"))
}

/// A message about the first vertex that is outside.
fn outside(bounds: &Aabb, frame: &Frame) -> Option<String> {
    let points = || frame.deformed().iter().flat_map(|streams| &streams.positions);
    let at = points().position(|&p| !bounds.contains(p))?;
    let point = points().nth(at)?;
    let off = (bounds.min - *point).max(*point - bounds.max).max_element();
    Some(format!("point {at} at {point} is {off:e} outside {bounds:?}"))
}

proptest! {
    #![proptest_config(Config {
        cases: 400,
        rng_seed: RngSeed::Fixed(0x62_6f_75_6e),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn no_vertex_is_outside_with_any_method(seed in seed()) {
        let character = character(&seed);
        let mut frame = Frame::new(&character);
        for (local, joint) in frame.local_mut().joints.iter_mut().zip(&seed.joints) {
            *local = joint.2;
        }
        // The skinned instance covers -1 to 1, the other 0 to 2.
        let weights = [seed.shape_weight.min(1.0), seed.shape_weight.max(0.0)];
        frame.local_mut().morphs.copy_from_slice(&weights);
        frame.update();
        let mut bounds = CharacterBounds::new(&character).unwrap();
        for method in Method::ALL {
            frame.deform(method).unwrap();
            let safe = bounds.of_pose(&character, frame.local(), method).unwrap();
            let found = outside(&safe, &frame);
            prop_assert!(found.is_none(), "{method}: {}", found.unwrap_or_default());
        }
    }
}

fn deformed_at(frame: &mut Frame, pose: &LocalPose, method: Method) -> Aabb {
    frame.local_mut().copy_from(pose);
    frame.deform(method).expect("everything is of this character");
    frame.bounds()
}

/// Checks a clip against its box at times that were not sampled, and returns the tightness of the box.
fn check_clip(character: &Character, clip: &str, method: Method) -> Tightness {
    let clip = character.find_clip(clip).expect("everything is of this character");
    let safe = CharacterBounds::new(character)
        .expect("everything is of this character")
        .of_clip(character, clip, method, 60.0)
        .expect("everything is of this character");
    let mut frame = Frame::new(character);
    // A step that no sample uses, and at most a few hundred steps.
    let steps = (clip.duration_secs() * 97.0).clamp(1.0, 300.0) as usize;
    let mut exact = Aabb::EMPTY;
    for step in 0..=steps {
        frame.sample(clip, clip.duration_secs() * step as f32 / steps as f32, Wrap::Clamp);
        frame.deform(method).expect("everything is of this character");
        let found = outside(&safe.bounds, &frame);
        assert!(found.is_none(), "{} {method}: {}", clip.name(), found.unwrap_or_default());
        exact = exact.union(frame.bounds());
    }
    let ratio = Tightness::of(&safe.bounds, &exact);
    println!(
        "{} {} {method}: diagonal {:.3}, volume {:.3}; {} samples, up to {:.4} m between them",
        character.name(),
        clip.name(),
        ratio.diagonal,
        ratio.volume,
        safe.samples,
        safe.between,
    );
    ratio
}

#[test]
fn the_figure_stays_inside_the_boxes_of_its_clips_and_they_are_tight() {
    let figure = sinew_samples::figure();
    for clip in ["idle", "walk", "run", "wave"] {
        for method in [Method::Linear, Method::Slerp, Method::DualQuat] {
            let ratio = check_clip(&figure, clip, method);
            // A box around boxes is never exact; this is the measured tightness with a small margin.
            assert!(ratio.diagonal < 1.07, "{clip} {method}: {ratio:?}");
        }
    }
}

#[test]
fn the_tube_stays_inside_the_boxes_of_its_bends_and_twists() {
    let tube = sinew_samples::tube();
    for clip in ["bend", "twist", "bend_90", "twist_180"] {
        for method in [Method::Rigid, Method::Linear, Method::Slerp, Method::DualQuat] {
            // The blended part of the tube is three radii long, so half a turn needs a large margin.
            let ratio = check_clip(&tube, clip, method);
            assert!(ratio.diagonal < 1.3, "{clip} {method}: {ratio:?}");
        }
    }
}

#[test]
fn at_rest_dqs_boxes_are_not_larger_than_lbs_boxes() {
    let figure = subjects::prepared(&sinew_samples::figure());
    let mut bounds = CharacterBounds::new(&figure).unwrap();
    let rest = figure.rest_pose();
    let linear = bounds.of_pose(&figure, &rest, Method::Linear).unwrap();
    let dual = bounds.of_pose(&figure, &rest, Method::DualQuat).unwrap();
    assert!((dual.min - linear.min).min_element() > -1e-4 && (dual.max - linear.max).max_element() < 1e-4);
    let exact = deformed_at(&mut Frame::new(&figure), &rest, Method::Linear);
    assert!(Tightness::of(&linear, &exact).diagonal < 1.001, "at rest the boxes are the mesh");
}

#[test]
fn two_joints_stray_by_the_height_of_the_arc_over_its_chord() {
    // A point halfway between two joints that rotate by 90 degrees relative to each other about the z axis.
    let mesh = Mesh::new(MeshParts {
        positions: vec![Vec3::X],
        indices: vec![0],
        primitives: vec![Primitive {
            vertices: 0..1,
            indices: 0..1,
            topology: Topology::Points,
            material: None,
        }],
        weights: Some(Arc::new(
            Weights::new(2, [[0, 1].map(|slot| Influence { slot, weight: 0.5 })]).unwrap().0,
        )),
        ..MeshParts::default()
    })
    .unwrap();
    let joint = Joint { name: String::new(), parent: None, rest: Transform::IDENTITY };
    let skeleton = Skeleton::new([joint.clone(), joint]).unwrap();
    let skin = Skin::bound_at_rest("", &skeleton, vec![JointId(0), JointId(1)]).unwrap();
    let turn = |angle: f32| Affine3A::from_rotation_z(angle.to_radians());
    let palette = Palette::from_matrices(vec![turn(-45.0), turn(45.0)]);
    let dual_quats = sinew::DualQuatPalette::from_matrices(palette.matrices(), &[]);
    let bounds = AnimatedBounds::new(&mesh, &skin).unwrap();
    let safe = bounds.of_method(Method::DualQuat, &palette, Some(&dual_quats), None).unwrap();
    // The top of the arc is at 1, the chord at cos 45°.
    assert!((safe.max.x - 1.0).abs() < 1e-4, "{safe:?}");
}

#[test]
fn missing_data_is_reported() {
    let tube = sinew_samples::tube();
    let (mesh, skin) = (&tube.meshes()[0], &tube.skins()[0]);
    let bounds = AnimatedBounds::new(mesh, skin).unwrap();
    let palette = Palette::new(skin);
    let of = |method| bounds.of_method(method, &palette, None, None);
    assert!(matches!(of(Method::DualQuat), Err(BoundsError::MissingPalette { .. })));
    assert!(matches!(of(Method::Cor), Err(BoundsError::MissingPrecomputed { .. })));
    let small = Palette::from_matrices(vec![Affine3A::IDENTITY]);
    assert_eq!(bounds.of_pose(&small), Err(BoundsError::PaletteTooSmall { needed: 2, slots: 1 }));
    let bad = AnimatedBounds::with_morph_ranges(mesh, skin, &[[0.0, 1.0]]);
    assert!(matches!(bad, Err(BoundsError::BadMorphRanges { count: 1, targets: 0 })));
    let bare = Mesh::new(MeshParts { weights: None, ..mesh.parts().clone() }).unwrap();
    assert!(matches!(AnimatedBounds::new(&bare, skin), Err(BoundsError::NoWeights { .. })));
}

#[test]
fn morph_weights_beyond_the_range_of_the_boxes_are_rejected() {
    let seed = Seed {
        joints: vec![(0, Vec3::ZERO, Transform::IDENTITY); 2],
        vertices: (0..6).map(|i| (Vec3::X * i as f32, vec![(0, 1.0)], Vec3::Y)).collect(),
        shape_weight: 0.0,
        has_muscle: false,
    };
    let character = character(&seed);
    let mut bounds = CharacterBounds::new(&character).unwrap();
    let mut pose = character.rest_pose();
    assert!(bounds.of_pose(&character, &pose, Method::Linear).is_ok());
    pose.morphs[1] = 2.5;
    let error = bounds.of_pose(&character, &pose, Method::Linear).unwrap_err();
    assert!(matches!(error, BoundsError::MorphOutOfRange { slot: 1, .. }), "{error}");
}
