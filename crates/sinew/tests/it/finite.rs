//! Finite, moderate input never becomes NaN, at any level and by any method; huge input is refused.

use crate::subjects::prepared;
use proptest::prelude::*;
use sinew::{
    Channel, Character, Clip, Curve, DeformError, Frame, Interpolation, Joint, JointId, MAX_VALUE, Mesh,
    Method, Skeleton, Skin, Streams, Transform,
    glam::{Affine3A, Quat, Vec3},
    simd,
};

/// The largest coordinate of moderate input: a thousand kilometers in millimeters.
const MODERATE: f32 = 1e9;

/// Numbers that break careless formulas: zeros, tiny ones, and large ones.
fn number(max: f32) -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -2.0_f32..2.0,
        1 => Just(0.0),
        1 => Just(-1.0),
        1 => Just(f32::MIN_POSITIVE),
        1 => Just(1e-30_f32),
        1 => (-1.0_f32..1.0).prop_map(move |part| part * max),
        1 => Just(max),
    ]
}

fn vector(max: f32) -> impl Strategy<Value = Vec3> {
    [number(max), number(max), number(max)].prop_map(Vec3::from)
}

/// Rotations, half turns about the axes among them, whose blends have no direction.
fn rotation() -> impl Strategy<Value = Quat> {
    let any = [number(1.0), number(1.0), number(1.0), number(1.0)].prop_map(Quat::from_array);
    prop_oneof![
        2 => any.prop_map(|q| if q.length_squared() > 1e-6 { q.normalize() } else { Quat::IDENTITY }),
        1 => Just(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
        1 => Just(Quat::from_xyzw(0.0, -1.0, 0.0, 0.0)),
        1 => Just(Quat::from_xyzw(0.0, 0.0, 0.0, -1.0)),
    ]
}

fn transform() -> impl Strategy<Value = Transform> {
    (vector(MODERATE), rotation(), vector(10.0)).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale,
    })
}

/// Transforms with numbers up to the largest that there is.
fn huge_transform() -> impl Strategy<Value = Transform> {
    let wide = || prop_oneof![2 => vector(2.0), 1 => vector(1e11), 1 => vector(1e13), 1 => vector(f32::MAX)];
    (wide(), rotation(), wide()).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale,
    })
}

/// The first number that is NaN.
fn nan_in(streams: &Streams) -> Option<String> {
    let is_nan = |p: &&Vec3| p.is_nan();
    let positions = streams.positions.iter().find(is_nan).map(|p| format!("position {p}"));
    let normals = || streams.normals.iter().find(is_nan).map(|n| format!("normal {n}"));
    let tangents = || streams.tangents.iter().find(|t| t.is_nan()).map(|t| format!("tangent {t}"));
    positions.or_else(normals).or_else(tangents)
}

fn arm() -> Character {
    prepared(&sinew_samples::arm())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_finite_pose_is_refused_or_gives_no_nan(joints in prop::collection::vec(huge_transform(), 3)) {
        for level in simd::available() {
            let mut frame = Frame::new(arm()).at_level(level);
            for (joint, pose) in frame.local_mut().joints.iter_mut().zip(&joints) {
                *joint = *pose;
            }
            for method in Method::ALL {
                match frame.deform(method) {
                    Ok(_) => {
                        let nan = frame.deformed().iter().find_map(nan_in);
                        prop_assert!(nan.is_none(), "{method:?} at {level}: {}", nan.unwrap_or_default());
                    }
                    Err(error) => prop_assert!(matches!(error, DeformError::PoseOutOfRange { .. }), "{error}"),
                }
            }
        }
    }

    #[test]
    fn moderate_poses_never_become_nan(joints in prop::collection::vec(transform(), 3)) {
        for level in simd::available() {
            let mut frame = Frame::new(arm()).at_level(level);
            for (joint, pose) in frame.local_mut().joints.iter_mut().zip(&joints) {
                *joint = *pose;
            }
            for method in Method::ALL {
                frame.deform(method).unwrap();
                let nan = frame.deformed().iter().find_map(nan_in);
                prop_assert!(nan.is_none(), "{method:?} at {level}: {}", nan.unwrap_or_default());
            }
        }
    }
}

#[test]
fn assets_refuse_numbers_beyond_the_largest_value() {
    let arm = sinew_samples::arm();
    let far = Vec3::new(0.0, 2.0 * MAX_VALUE, 0.0);
    let mut mesh = arm.meshes()[0].parts().clone();
    mesh.positions[7] = far;
    let error = Mesh::new(mesh).unwrap_err().to_string();
    assert!(error.contains("position of vertex 7") && error.contains("1e12"), "{error}");
    let rest = Transform { translation: far, ..Transform::IDENTITY };
    let joint = Joint { name: "root".into(), parent: None, rest };
    let error = Skeleton::new(vec![joint]).unwrap_err().to_string();
    assert!(error.contains("1e12"), "{error}");
    let bind = Affine3A::from_translation(far);
    let error = Skin::new("skin", arm.skeleton(), vec![JointId(0)], vec![bind]).unwrap_err().to_string();
    assert!(error.contains("slot 0") && error.contains("1e12"), "{error}");
    let curve = Curve::new(vec![0.0], vec![far], Interpolation::Linear).unwrap();
    let channel = Channel::Translation { joint: JointId(0), curve };
    let error = Clip::new("far", vec![channel], vec![]).unwrap_err().to_string();
    assert!(error.contains("element 0") && error.contains("1e12"), "{error}");
}
