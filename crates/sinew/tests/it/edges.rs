//! Degenerate, mirrored and invalid input.

use crate::subjects::{self, PosedMesh};
use sinew::{
    DeformError, Influence, JointId, Method, Palette, Skeleton, Streams, Surface, Transform, Weights,
    deform::{apply_morphs, reference},
    glam::{Affine3A, Quat, Vec3, Vec4},
    measure,
};

/// Two vertices with equal weights on two joints.
fn halves() -> (Streams, Weights) {
    let streams = Streams {
        positions: vec![Vec3::new(0.3, 0.2, 0.1), Vec3::new(-0.5, 0.4, 0.2)],
        normals: vec![Vec3::Y, Vec3::new(0.6, 0.0, 0.8)],
        tangents: vec![Vec4::new(1.0, 0.0, 0.0, 1.0), Vec4::new(0.0, 1.0, 0.0, -1.0)],
    };
    let half = |slot| Influence { slot, weight: 0.5 };
    let weights = Weights::new(2, [[half(0), half(1)]; 2]).expect("two slots").0;
    (streams, weights)
}

fn scaled(x: f32, y: f32, z: f32) -> Affine3A {
    let scale = Vec3::new(x, y, z);
    Transform { scale, rotation: Quat::from_rotation_y(0.4), ..Transform::IDENTITY }.to_affine()
}

fn run(method: Method, streams: &Streams, weights: &Weights, palette: &Palette) -> Streams {
    let mut out = streams.clone();
    let posed = PosedMesh::new(palette.matrices());
    let precomputed = subjects::precomputed(streams, weights);
    posed
        .deform(method, streams.as_surface(), weights, &precomputed, out.as_surface_mut())
        .expect("lengths fit");
    out
}

#[test]
fn zero_normals_and_tangents_stay_zero() {
    let (mut streams, weights) = halves();
    streams.normals[0] = Vec3::ZERO;
    streams.tangents[1] = Vec4::new(0.0, 0.0, 0.0, -1.0);
    let palette = Palette::from_matrices(vec![scaled(2.0, 0.5, 3.0), scaled(1.0, 1.0, -1.0)]);
    for method in Method::ALL {
        let out = run(method, &streams, &weights, &palette);
        assert_eq!(out.normals[0], Vec3::ZERO);
        assert_eq!(out.tangents[1].truncate(), Vec3::ZERO);
        assert!(
            (out.normals[1].length() - 1.0).abs() < 1e-6
                && (out.tangents[0].truncate().length() - 1.0).abs() < 1e-6
        );
    }
}

#[test]
fn singular_joints_give_unit_or_zero_directions_and_never_nan() {
    let (streams, weights) = halves();
    for flat in 0..8_u8 {
        let keep = |bit: u8| if flat & (1 << bit) == 0 { 1.5 } else { 0.0 };
        let matrix = scaled(keep(0), keep(1), keep(2));
        // The second palette cancels: half of a matrix and half of its opposite.
        let opposite = Affine3A { matrix3: matrix.matrix3 * -1.0, translation: -matrix.translation };
        for palette in [vec![matrix; 2], vec![matrix, opposite]].map(Palette::from_matrices) {
            for method in Method::ALL {
                let out = run(method, &streams, &weights, &palette);
                assert!(out.positions.iter().all(|p| p.is_finite()));
                let directions = out.normals.iter().copied().chain(out.tangents.iter().map(|t| t.truncate()));
                for d in directions {
                    let is_unit = (d.length() - 1.0).abs() < 1e-5;
                    assert!(is_unit || d == Vec3::ZERO, "flat {flat:03b} {method}: {d}");
                }
                assert!(out.tangents.iter().all(|t| t.w.abs() == 1.0));
            }
        }
    }
}

#[test]
fn a_surface_flattened_to_a_plane_has_the_normal_of_the_plane() {
    let (streams, weights) = halves();
    let palette = Palette::from_matrices(vec![Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0)); 2]);
    let out = run(Method::Linear, &streams, &weights, &palette);
    assert_eq!(out.normals[0], Vec3::Y);
}

#[test]
fn scales_of_a_millionth_and_a_million_keep_unit_directions() {
    let (streams, weights) = halves();
    for scale in [1e-6, 1e6] {
        let palette = Palette::from_matrices(vec![scaled(scale, scale, scale); 2]);
        let out = run(Method::Linear, &streams, &weights, &palette);
        assert!(
            out.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5),
            "scale {scale}: {:?}",
            out.normals
        );
    }
}

#[test]
fn a_mirrored_surface_keeps_its_normals_outward_and_flips_handedness() {
    let tube = sinew_samples::tube();
    let mesh = &tube.meshes()[0];
    let mut frame = sinew::Frame::new(&tube);
    frame.local_mut().joints[0].scale = Vec3::new(-1.0, 1.0, 1.0);
    frame.deform(Method::Linear).unwrap();
    assert_eq!(frame.palettes()[0].mirrored_count(), 2);
    let out = &frame.deformed()[0];
    let rewound: Vec<[u32; 3]> = mesh.triangles().map(|[a, b, c]| [a, c, b]).collect();
    assert!(
        measure::volume(&out.positions, rewound.iter().copied()) > 0.0,
        "the re-wound surface is right side out"
    );
    for corners in rewound {
        let [a, b, c] = corners.map(|v| out.positions[v as usize]);
        let facing = (b - a).cross(c - a).normalize();
        for v in corners {
            assert!(facing.dot(out.normals[v as usize]) > 0.9, "vertex {v} looks inwards");
        }
    }
    for (before, after) in mesh.tangents().iter().zip(&out.tangents) {
        assert_eq!(after.w, -before.w);
    }
}

#[test]
fn a_frame_deforms_like_the_texture_it_carries() {
    // While the frame stays orthogonal, the bitangent must be the transformed bitangent, mirrored or not.
    let (streams, weights) = halves();
    let (normal, tangent) = (streams.normals[0], streams.tangents[0]);
    for mirror in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, -1.0, 1.0), Vec3::NEG_ONE] {
        let matrix = Transform { scale: mirror, rotation: Quat::from_rotation_z(0.8), ..Transform::IDENTITY }
            .to_affine();
        let out = run(Method::Linear, &streams, &weights, &Palette::from_matrices(vec![matrix; 2]));
        let want = matrix.transform_vector3(reference::bitangent(normal, tangent));
        let got = reference::bitangent(out.normals[0], out.tangents[0]);
        assert!(got.distance(want) < 1e-6, "mirror {mirror}: {got} instead of {want}");
    }
}

#[test]
fn an_empty_mesh_deforms_to_an_empty_mesh() {
    let none: [[Influence; 0]; 0] = [];
    let (weights, _) = Weights::new(0, none).unwrap();
    for method in Method::ALL {
        let out = run(method, &Streams::default(), &weights, &Palette::default());
        assert_eq!(out, Streams::default());
    }
    let (empty, mut out) = (Streams::default(), Streams::default());
    assert_eq!(
        reference::transform_surface(empty.as_surface(), &Affine3A::IDENTITY, out.as_surface_mut()),
        Ok(())
    );
}

#[test]
fn a_palette_that_is_too_small_is_an_error() {
    let (streams, weights) = halves();
    for method in Method::ALL {
        let mut out = streams.clone();
        let posed = PosedMesh::new(&[Affine3A::IDENTITY]);
        let precomputed = subjects::precomputed(&streams, &weights);
        let result = posed.deform(method, streams.as_surface(), &weights, &precomputed, out.as_surface_mut());
        assert_eq!(result, Err(DeformError::PaletteTooSmall { needed: 2, matrices: 1 }));
        assert_eq!(out, streams, "nothing is written");
    }
}

#[test]
fn every_wrong_length_is_an_error_that_names_the_stream() {
    let (good, weights) = halves();
    let posed = PosedMesh::new(&[Affine3A::IDENTITY; 2]);
    let precomputed = subjects::precomputed(&good, &weights);
    let attempt = |surface: Surface<'_>, mut out: Streams, weights: &Weights| {
        // Direct delta mush has its own weights.
        let methods = Method::ALL.into_iter().filter(|m| *m != Method::Ddm || weights.vertex_count() == 2);
        let results: Vec<_> =
            methods.map(|m| posed.deform(m, surface, weights, &precomputed, out.as_surface_mut())).collect();
        assert!(results.iter().all(|r| *r == results[0]), "{results:?}");
        match results[0].clone() {
            Err(DeformError::WrongCount { stream, .. }) => stream,
            other => panic!("{other:?}"),
        }
    };
    let surface = good.as_surface();
    let short_normals = Surface { normals: &good.normals[..1], ..surface };
    assert_eq!(attempt(short_normals, good.clone(), &weights), "normals");
    let short_tangents = Surface { tangents: &good.tangents[..1], ..surface };
    assert_eq!(attempt(short_tangents, good.clone(), &weights), "tangents");
    let without = |drop: fn(&mut Streams)| {
        let mut out = good.clone();
        drop(&mut out);
        out
    };
    let (positions, normals, tangents) = (
        without(|s| s.positions.truncate(1)),
        without(|s| s.normals.clear()),
        without(|s| s.tangents.truncate(1)),
    );
    assert_eq!(attempt(surface, positions, &weights), "output positions");
    assert_eq!(attempt(surface, normals, &weights), "output normals");
    assert_eq!(attempt(surface, tangents, &weights), "output tangents");
    let (one_vertex, _) = Weights::new(1, [[Influence { slot: 0, weight: 1.0 }]]).unwrap();
    assert_eq!(attempt(surface, good.clone(), &one_vertex), "weights");
}

#[test]
fn streams_that_the_input_lacks_are_not_written() {
    let (good, weights) = halves();
    let bare = Surface { normals: &[], tangents: &[], ..good.as_surface() };
    let palette = Palette::from_matrices(vec![scaled(2.0, 2.0, 2.0); 2]);
    let mut out = good.clone();
    let precomputed = subjects::precomputed(&good, &weights);
    for method in Method::ALL {
        let posed = PosedMesh::new(palette.matrices());
        posed.deform(method, bare, &weights, &precomputed, out.as_surface_mut()).unwrap();
        assert_ne!(out.positions, good.positions);
        assert_eq!((&out.normals, &out.tangents), (&good.normals, &good.tangents));
    }
}

#[test]
fn morph_targets_of_another_mesh_are_an_error() {
    let (good, _) = halves();
    let target = sinew::MorphTarget { vertices: vec![7], positions: vec![Vec3::X], ..Default::default() };
    let morphs = sinew::MorphTargets::new(8, vec![target], vec![]).unwrap();
    let mut out = good.clone();
    let result = apply_morphs(good.as_surface(), &morphs, &[1.0], out.as_surface_mut());
    assert!(matches!(result, Err(DeformError::WrongCount { wanted: 8, count: 2, .. })));
}

#[test]
fn a_joint_of_zero_scale_in_a_frame_deforms_without_nan() {
    let arm = sinew_samples::arm();
    let mut frame = sinew::Frame::new(&arm);
    let lower: JointId = Skeleton::find(arm.skeleton(), "lower").unwrap();
    frame.local_mut().joints[lower.index()].scale = Vec3::ZERO;
    frame.deform(Method::Linear).unwrap();
    let out = &frame.deformed()[0];
    assert!(out.positions.iter().chain(&out.normals).all(|v| v.is_finite()));
    assert!(out.tangents.iter().all(|t| t.is_finite()));
}
