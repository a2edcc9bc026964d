//! The built-in tube deformed by every method, compared with the figures of a correct implementation.

use sinew::{
    Character, Frame, Mesh, Method, MushDetail, Precomputed, Streams, Surface,
    deform::reference::{BoneSegment, bone_segments, dual_quat_bulge_free},
    glam::Vec3,
    measure,
};
use sinew_author::{DirectMushOptions, PrepareOptions, direct_mush, prepare_character, uninterrupted};
use std::sync::{Arc, OnceLock};

/// The tube with precomputed data for every method.
pub(crate) fn prepared_tube() -> &'static Character {
    static TUBE: OnceLock<Character> = OnceLock::new();
    TUBE.get_or_init(|| {
        let options = PrepareOptions::for_methods(&Method::ALL);
        prepare_character(&sinew_samples::tube(), &options, &mut uninterrupted)
            .expect("the tube is skinned")
            .0
    })
}

/// The deformed tube: volume relative to rest, and the minimum and maximum radius of its wall about its bones.
#[derive(Debug)]
pub(crate) struct QualityFigures {
    pub(crate) volume: f64,
    pub(crate) min_radius: f64,
    pub(crate) max_radius: f64,
}

pub(crate) fn figures(positions: &[Vec3], bend_degrees: f32) -> QualityFigures {
    let tube = prepared_tube();
    let mesh = &tube.meshes()[0];
    let half = Vec3::new(0.0, sinew_samples::TUBE_LENGTH / 2.0, 0.0);
    let (sine, cosine) = bend_degrees.to_radians().sin_cos();
    let bones = [
        BoneSegment { head: Vec3::ZERO, tail: half },
        BoneSegment { head: half, tail: half + Vec3::new(sine, cosine, 0.0) * half.y },
    ];
    // The lids reach the axis, so only the wall counts.
    let wall = (0..mesh.vertex_count()).filter(|&v| (0.5..=9.5).contains(&mesh.positions()[v].y));
    let radius = |v: usize| {
        let p = positions[v];
        bones.iter().map(|b| f64::from(p.distance(b.nearest(p)))).fold(f64::INFINITY, f64::min)
    };
    let radii: Vec<f64> = wall.map(radius).collect();
    QualityFigures {
        volume: measure::volume(positions, mesh.triangles())
            / measure::volume(mesh.positions(), mesh.triangles()),
        min_radius: radii.iter().copied().fold(f64::INFINITY, f64::min),
        max_radius: radii.iter().copied().fold(0.0, f64::max),
    }
}

fn posed(method: Method, bend_degrees: f32, twist_degrees: f32) -> QualityFigures {
    let tube = prepared_tube();
    let mut frame = Frame::new(tube);
    frame
        .local_mut()
        .copy_from(&sinew_samples::tube_pose(bend_degrees.to_radians(), twist_degrees.to_radians()));
    frame.deform(method).expect("the tube has data for every method");
    figures(&frame.deformed()[0].positions, bend_degrees)
}

fn assert_near(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance, "{what}: {got:.4} instead of {want}");
}

#[test]
fn linear_blend_skinning_collapses_by_the_cosine_of_half_the_twist() {
    assert_near(posed(Method::Linear, 90.0, 0.0).volume, 0.961, 0.002, "bend volume");
    assert_near(posed(Method::Linear, 90.0, 0.0).max_radius, 1.02, 0.005, "bend radius");
    assert_near(posed(Method::Linear, 0.0, 179.0).volume, 0.846, 0.002, "twist volume");
    for degrees in [45.0_f32, 90.0, 135.0, 179.0] {
        let want = f64::from(degrees.to_radians() / 2.0).cos();
        assert_near(posed(Method::Linear, 0.0, degrees).min_radius, want, 1e-3, "twist radius");
    }
}

#[test]
fn rotating_methods_keep_the_radius_through_any_twist() {
    for method in [Method::DualQuat, Method::Cor, Method::Slerp] {
        for degrees in [45.0, 90.0, 135.0, 150.0, 179.0] {
            let got = posed(method, 0.0, degrees);
            assert!(got.min_radius >= 0.999, "{method} twisted by {degrees}°: {got:?}");
            assert!(got.max_radius <= 1.001, "{method} twisted by {degrees}°: {got:?}");
            assert_near(got.volume, 1.0, 0.002, "twist volume");
        }
    }
}

#[test]
fn dual_quaternions_keep_the_volume_of_a_bend_and_bulge() {
    let got = posed(Method::DualQuat, 90.0, 0.0);
    assert_near(got.volume, 1.0, 0.001, "volume");
    assert_near(got.max_radius, 1.145, 0.005, "radius");
}

#[test]
fn quaternion_blend_about_the_joint_bends_like_dual_quaternions() {
    let got = posed(Method::Slerp, 90.0, 0.0);
    assert_near(got.volume, 1.0, 0.001, "volume");
    assert_near(got.max_radius, 1.145, 0.01, "radius");
}

#[test]
fn centers_of_rotation_keep_volume_and_bulge_less() {
    let got = posed(Method::Cor, 90.0, 0.0);
    assert!(got.volume >= 0.99 && got.max_radius <= 1.10, "{got:?}");
    assert_near(got.volume, 0.997, 0.002, "volume");
    assert_near(got.max_radius, 1.093, 0.005, "radius");
}

#[test]
fn mush_bends_like_linear_blend_skinning_and_does_not_fix_twist() {
    for method in [Method::DeltaMush, Method::Ddm] {
        let bend = posed(method, 90.0, 0.0);
        assert_near(bend.volume, 0.959, 0.005, "bend volume");
        assert_near(bend.max_radius, 1.02, 0.01, "bend radius");
        let twist = posed(method, 0.0, 90.0);
        assert_near(twist.min_radius, 0.73, 0.03, "twist radius");
        let wrung = posed(method, 0.0, 179.0);
        assert!(wrung.min_radius < 0.15, "{method}: {wrung:?}");
        assert_near(wrung.volume, 0.846, 0.005, "twist volume");
    }
}

#[test]
fn uniform_smoothing_depends_on_the_direction_of_diagonals() {
    // Along the diagonals of the tube's quads smoothing widens the neck of a twist; against them it narrows it.
    let radius = |degrees| posed(Method::DeltaMush, 0.0, degrees).min_radius;
    assert_near(radius(90.0), 0.752, 0.003, "along");
    assert_near(radius(-90.0), 0.695, 0.003, "against");
    assert_near(radius(179.0), 0.104, 0.003, "along, wrung");
    assert_near(radius(-179.0), 0.087, 0.003, "against, wrung");
}

#[test]
fn the_bulge_free_variant_brings_the_bend_back_to_its_radius() {
    let tube = prepared_tube();
    let (mesh, skin) = (&tube.meshes()[0], &tube.skins()[0]);
    let mut frame = Frame::new(tube);
    frame.local_mut().copy_from(&sinew_samples::tube_pose(90_f32.to_radians(), 0.0));
    frame.deform(Method::DualQuat).unwrap();
    let bones = bone_segments(tube.skeleton(), skin);
    let mut out = Streams::of_mesh(mesh);
    let (weights, palette) = (mesh.weights().unwrap(), &frame.dual_quats()[0]);
    dual_quat_bulge_free(Surface::from(&**mesh), weights, palette, &bones, out.as_surface_mut()).unwrap();
    let (before, after) = (figures(&frame.deformed()[0].positions, 90.0), figures(&out.positions, 90.0));
    assert!(before.max_radius > 1.14 && after.max_radius < 1.05, "{before:?}, then {after:?}");
    assert_near(after.volume, 1.0, 0.03, "volume");
}

#[test]
fn less_detail_in_direct_mush_costs_accuracy_and_saves_memory() {
    let tube = sinew_samples::tube();
    let mesh = &tube.meshes()[0];
    let by_detail = MushDetail::ALL.map(|detail| {
        let options = DirectMushOptions { detail, ..DirectMushOptions::default() };
        let (direct, report) = direct_mush(mesh, &options, &mut uninterrupted).unwrap();
        let precomputed = Precomputed { direct_mush: Some(Arc::new(direct)), ..Precomputed::NONE };
        let mut parts = tube.parts().clone();
        parts.meshes = vec![Arc::new(Mesh::clone(mesh).with_precomputed(precomputed).unwrap())];
        let tube = Character::new(parts).unwrap();
        let mut frame = Frame::new(&tube);
        frame.local_mut().copy_from(&sinew_samples::tube_pose(1.2, 0.4));
        frame.deform(Method::Ddm).unwrap();
        (frame.deformed()[0].positions.clone(), report.bytes_per_vertex)
    });
    let off = |i: usize| {
        by_detail[i].0.iter().zip(&by_detail[0].0).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    };
    assert!(by_detail[0].1 > by_detail[1].1 && by_detail[1].1 > by_detail[2].1);
    assert!(off(1) > 0.0 && off(1) < 0.04 && off(1) < off(2), "{} m and {} m off", off(1), off(2));
    assert!(off(2) < 0.06, "{} m off", off(2));
}
