use super::*;
use crate::uninterrupted;
use sinew::{
    Method,
    glam::{DQuat, DVec3, Vec3},
};

/// A grid of points on a bar of length 4 along x, in which `joints` bend it in every frame.
fn bar(frames: usize, joints: usize) -> MeshSequence {
    let rest: Vec<Vec3> = (0..41)
        .flat_map(|x| {
            (0..8).map(move |k| {
                let angle = k as f32 * std::f32::consts::TAU / 8.0;
                Vec3::new(x as f32 * 0.1, 0.3 * angle.cos(), 0.3 * angle.sin())
            })
        })
        .collect();
    let triangles = (0..40_u32)
        .flat_map(|x| {
            (0..8_u32).flat_map(move |k| {
                let [a, b] = [x * 8 + k, x * 8 + (k + 1) % 8];
                [[a, b, a + 8], [b, b + 8, a + 8]]
            })
        })
        .collect();
    let motions: Vec<Vec<DAffine3>> = (0..frames).map(|frame| bent(frame, joints)).collect();
    let place = |p: &Vec3, motions: &[DAffine3]| {
        let along = f64::from(p.x) / 4.0 * joints as f64;
        let bone = (along as usize).min(joints - 1);
        // Weights are shared over a quarter of a bone on each side of a joint.
        let past = ((along - bone as f64) * 4.0 - 3.0).clamp(0.0, 1.0) * 0.5;
        let before = (1.0 - (along - bone as f64) * 4.0).clamp(0.0, 1.0) * 0.5;
        let at = |bone: usize| motions[bone.min(joints - 1)].transform_point3(p.as_dvec3());
        let blended =
            at(bone) * (1.0 - past - before) + at(bone + 1) * past + at(bone.saturating_sub(1)) * before;
        blended.as_vec3()
    };
    let frames = motions.iter().map(|m| rest.iter().map(|p| place(p, m)).collect()).collect();
    MeshSequence::new(rest, frames, triangles).unwrap()
}

fn bent(frame: usize, joints: usize) -> Vec<DAffine3> {
    let mut motions: Vec<DAffine3> = Vec::new();
    for joint in 0..joints {
        let pivot = DVec3::X * (4.0 * joint as f64 / joints as f64);
        let angle = ((frame + 3 * joint) as f64 * 0.7).sin();
        let turn = DQuat::from_axis_angle(if joint % 2 == 0 { DVec3::Z } else { DVec3::Y }, angle);
        let about = DAffine3::from_translation(pivot)
            * DAffine3::from_quat(turn)
            * DAffine3::from_translation(-pivot);
        motions.push(motions.last().copied().unwrap_or(DAffine3::IDENTITY) * about);
    }
    motions
}

#[test]
fn a_bent_bar_is_recovered_to_a_fraction_of_a_millimeter() {
    let sequence = bar(20, 4);
    let options = DecomposeOptions { bones: 4, ..DecomposeOptions::default() };
    let solved = decompose(&sequence, &options, &mut uninterrupted).unwrap();
    assert_eq!(solved.motions.len(), 4);
    assert!(solved.report.rms_meters < 1e-3, "{:?}", solved.report);
    for influences in &solved.influences {
        let sum: f32 = influences.iter().map(|i| i.weight).sum();
        assert!((sum - 1.0).abs() < 1e-6 && influences.len() <= 4);
    }
}

#[test]
fn the_error_of_the_report_is_what_the_written_character_shows() {
    let sequence = bar(12, 3);
    let mesh = sinew::MeshParts {
        positions: sequence.rest().to_vec(),
        indices: sequence.triangles().iter().flatten().copied().collect(),
        primitives: vec![sinew::Primitive {
            vertices: 0..sequence.rest().len() as u32,
            indices: 0..(sequence.triangles().len() * 3) as u32,
            topology: sinew::Topology::Triangles,
            material: None,
        }],
        ..sinew::MeshParts::default()
    };
    let topology = unskinned(mesh);
    for skeleton in [SolvedSkeleton::Flat, SolvedSkeleton::Tree] {
        let options = SolveSequenceOptions {
            decompose: DecomposeOptions { bones: 3, ..DecomposeOptions::default() },
            skeleton,
            ..SolveSequenceOptions::default()
        };
        let solved = character_from_sequence(&topology, &sequence, &options, &mut uninterrupted).unwrap();
        let shown = rms_of(&solved.character, &sequence, options.frames_per_sec);
        assert!((shown - solved.report.rms_meters).abs() < 2e-6, "{shown} and {:?}", solved.report);
    }
}

#[test]
fn a_tree_of_bones_has_its_joints_where_the_bar_bends() {
    let sequence = bar(24, 3);
    let options = DecomposeOptions { bones: 3, ..DecomposeOptions::default() };
    let solved = decompose(&sequence, &options, &mut uninterrupted).unwrap();
    let rest: Vec<DVec3> = sequence.rest().iter().map(|p| p.as_dvec3()).collect();
    let tree = hierarchy::BoneTree::of_motions(&rest, &solved.influences, &solved.motions);
    let mut bends: Vec<f64> = tree.order.iter().skip(1).map(|&bone| tree.pivots[bone].x).collect();
    bends.sort_by(f64::total_cmp);
    assert_eq!(tree.parents.iter().filter(|p| p.is_none()).count(), 1);
    for (bend, wanted) in bends.iter().zip([4.0 / 3.0, 8.0 / 3.0]) {
        assert!((bend - wanted).abs() < 0.02, "{bends:?}");
    }
}

fn unskinned(mesh: sinew::MeshParts) -> sinew::Character {
    let joint = sinew::Joint { name: "bar".into(), parent: None, rest: sinew::Transform::IDENTITY };
    let skeleton = std::sync::Arc::new(sinew::Skeleton::new([joint]).unwrap());
    let mut parts = sinew::CharacterParts::new("bar", skeleton);
    parts.meshes = vec![std::sync::Arc::new(sinew::Mesh::new(mesh).unwrap())];
    let joint = sinew::JointId(0);
    parts.instances = vec![sinew::MeshInstance { joint, mesh: 0, skin: None, morph_weights: vec![] }];
    sinew::Character::new(parts).unwrap()
}

fn rms_of(character: &sinew::Character, sequence: &MeshSequence, frames_per_sec: f32) -> f64 {
    let clip = std::sync::Arc::clone(&character.clips()[0]);
    let mut frame = sinew::Frame::new(character);
    let mut squares = 0.0;
    for (number, places) in sequence.frames().iter().enumerate() {
        frame.sample(&*clip, number as f32 / frames_per_sec, sinew::Wrap::Clamp);
        frame.deform(Method::Linear).unwrap();
        let shown = &frame.deformed()[0].positions;
        squares += shown.iter().zip(places).map(|(a, b)| f64::from(a.distance_squared(*b))).sum::<f64>();
    }
    (squares / (sequence.frames().len() * sequence.rest().len()) as f64).sqrt()
}

#[test]
fn a_sequence_must_fit_together() {
    let places = vec![Vec3::ZERO; 3];
    let bad = |rest: Vec<Vec3>, frames: Vec<Vec<Vec3>>, triangles: Vec<[u32; 3]>| {
        MeshSequence::new(rest, frames, triangles).unwrap_err().to_string()
    };
    assert!(bad(vec![], vec![vec![]], vec![]).contains("0 vertices"));
    assert!(bad(places.clone(), vec![], vec![]).contains("0 frames"));
    assert!(bad(places.clone(), vec![vec![Vec3::ZERO; 2]], vec![]).contains("frame 0 has 2"));
    assert!(bad(places.clone(), vec![places.clone()], vec![[0, 1, 3]]).contains("vertex 3"));
    assert!(bad(places.clone(), vec![vec![Vec3::NAN; 3]], vec![]).contains("vertex 0"));
}

#[test]
fn options_out_of_range_are_refused_and_work_can_be_stopped() {
    let sequence = bar(3, 2);
    let with = |bones, influences| DecomposeOptions { bones, influences, ..DecomposeOptions::default() };
    for options in [with(0, 4), with(3, 0), with(3, 17)] {
        assert!(decompose(&sequence, &options, &mut uninterrupted).is_err());
    }
    let stopped = decompose(&sequence, &with(2, 4), &mut |_| std::ops::ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err(), AuthorError::Stopped.into());
}
