//! Poses given on the command line.

use super::{TestFolder, fail, floats, succeed};
use sinew::{
    Channel, Character, Clip, Curve, Interpolation,
    glam::{DVec3, Quat},
};
use sinew_formats::write_file;
use std::{fs, sync::Arc};

/// The vertices of a bake of the built-in arm.
fn baked(folder: &TestFolder, arguments: &[&str]) -> Vec<f32> {
    let prefix = folder.name("baked");
    succeed(
        &[&["bake", "builtin:arm", "--format", "raw", "-q", "--force", "-o", &prefix], arguments].concat(),
    );
    floats((prefix + ".f32").as_ref())
}

fn max_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn a_pose_of_degrees_bends_the_arm_as_its_clip_does() {
    let folder = TestFolder::new();
    let rest = baked(&folder, &[]);
    let clip = baked(&folder, &["--clip", "bend_90", "--times", "0"]);
    let text = baked(&folder, &["--pose", "lower:rz=90"]);
    assert!(max_difference(&text, &clip) < 1e-6 && max_difference(&text, &rest) > 0.1);
    let file = folder.name("bent.pose");
    fs::write(&file, "# bent\nlower:rz=60 # and the rest below\n").unwrap();
    let both = baked(&folder, &["--pose", &file, "--pose", "lower:rz=30"]);
    assert!(max_difference(&both, &clip) < 1e-6);
}

#[test]
fn a_pose_is_applied_on_top_of_the_clip() {
    let folder = TestFolder::new();
    let straight = baked(&folder, &["--clip", "bend_90", "--times", "0", "--pose", "lower:rz=-90"]);
    assert!(max_difference(&straight, &baked(&folder, &[])) < 1e-6);
}

/// `point` turned about an axis by a right-handed angle, written out.
fn turned(point: DVec3, axis: char, degrees: f64) -> DVec3 {
    let ((sine, cosine), DVec3 { x, y, z }) = (degrees.to_radians().sin_cos(), point);
    match axis {
        'x' => DVec3::new(x, cosine * y - sine * z, sine * y + cosine * z),
        'y' => DVec3::new(cosine * x + sine * z, y, cosine * z - sine * x),
        _ => DVec3::new(cosine * x - sine * y, sine * x + cosine * y, z),
    }
}

/// Where linear blend skinning takes every vertex of the arm, in double precision from the shape that its documentation
/// states: the shoulder 0.3 m to the −X of the elbow, 0.1 m above the ground, and every joint's +Y along its bone.
fn expected_arm(upper: impl Fn(DVec3) -> DVec3, lower: impl Fn(DVec3) -> DVec3) -> Vec<f32> {
    let (arm, shoulder, elbow) = (sinew_samples::arm(), DVec3::new(-0.3, 0.1, 0.0), DVec3::Y * 0.3);
    let mesh = &arm.meshes()[0];
    let vertices = mesh.positions().iter().enumerate().flat_map(|(vertex, position)| {
        let in_upper = turned(position.as_dvec3() - shoulder, 'z', 90.0);
        let carried = [upper(in_upper), upper(elbow + lower(in_upper - elbow))];
        let influences = mesh.weights().unwrap().influences(vertex);
        let blended: DVec3 = influences.map(|i| carried[usize::from(i.slot)] * f64::from(i.weight)).sum();
        (shoulder + turned(blended, 'z', -90.0)).as_vec3().to_array()
    });
    vertices.collect()
}

#[test]
fn baked_vertices_are_where_the_degrees_put_them() {
    let folder = TestFolder::new();
    assert!(max_difference(&baked(&folder, &[]), &expected_arm(|p| p, |p| p)) < 1e-6, "the shape of the arm");
    let want = expected_arm(|p| turned(p, 'y', 40.0), |p| turned(p, 'z', -90.0));
    let text = "upper:ry=40,lower:rz=-90";
    let found = baked(&folder, &["--pose", text]);
    assert!(max_difference(&found, &want) < 1e-6, "{}", max_difference(&found, &want));
    // Several angles of a joint rotate in the given order, each about the axes that those before have turned.
    let want = expected_arm(|p| p, |p| turned(turned(turned(p, 'x', 25.0), 'z', -50.0), 'y', 30.0));
    let file = folder.name("turned.pose");
    fs::write(&file, "# the forearm alone\nlower:ry=30\nlower:rz=-50,rx=25\n").unwrap();
    for pose in ["lower:ry=30,rz=-50,rx=25", &file] {
        let found = baked(&folder, &["--pose", pose]);
        assert!(max_difference(&found, &want) < 1e-6, "{pose}: {}", max_difference(&found, &want));
    }
}

/// The arm with a clip that holds both joints turned, made of quaternions that are written out.
fn turned_arm() -> Character {
    let arm = sinew_samples::arm();
    let about = |axis: usize, degrees: f32| {
        let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
        let mut q = [0.0, 0.0, 0.0, cosine];
        q[axis] = sine;
        Quat::from_array(q)
    };
    let turns = [("upper", about(1, 40.0)), ("lower", about(2, -90.0))];
    let channels = turns.map(|(name, turn)| {
        let joint = arm.skeleton().find(name).unwrap();
        let key = arm.skeleton().rest(joint).rotation * turn;
        Channel::Rotation { joint, curve: Curve::new(vec![0.0], vec![key], Interpolation::Linear).unwrap() }
    });
    let clip = Clip::new("turned", channels.to_vec(), vec![]).unwrap();
    let mut parts = arm.parts().clone();
    parts.clips = vec![Arc::new(clip)];
    Character::new(parts).unwrap()
}

#[test]
fn a_picture_of_a_pose_is_that_of_the_same_rotations_in_a_clip() {
    let folder = TestFolder::new();
    let (turned, file) = (folder.name("turned.glb"), folder.name("turned.pose"));
    write_file(&turned, &turned_arm()).unwrap();
    fs::write(&file, "upper:ry=40\nlower:rz=-90\n").unwrap();
    let draw = |name: &str, arguments: &[&str]| {
        let out = folder.name(name);
        let look = ["--size", "120x120", "--view", "front", "--layer", "clay", "-q", "-o", &out];
        succeed(&[&["render"], arguments, &look].concat());
        image::open(out).unwrap().to_rgba8()
    };
    let want = draw("clip.png", &[&turned, "--clip", "turned"]);
    let apart = |picture: &image::RgbaImage| {
        picture.iter().zip(want.iter()).filter(|(a, b)| a.abs_diff(**b) > 2).count()
    };
    let text = draw("text.png", &["builtin:arm", "--pose", "upper:ry=40,lower:rz=-90"]);
    let read = draw("file.png", &["builtin:arm", "--pose", &file]);
    // A rotation that differs in its last bit may move a vertex to the next 1/256 of a pixel.
    assert!(apart(&text) < 60 && apart(&read) < 60, "{} and {} of 57,600", apart(&text), apart(&read));
    let one = draw("one.png", &["builtin:arm", "--pose", "lower:rz=-90"]);
    assert!(apart(&one) > 1000 && apart(&draw("rest.png", &["builtin:arm"])) > 1000);
}

#[test]
fn a_wrong_pose_names_what_is_wrong_and_what_exists() {
    let folder = TestFolder::new();
    let out = folder.name("out.png");
    for verb in ["render", "bake"] {
        let fails = |pose: &str, code| fail(&[verb, "builtin:arm", "-o", &out, "--pose", pose], code);
        let error = fails("elbow:rz=90", 2);
        assert!(
            error.contains("--pose: there is no joint \"elbow\"; there are upper, lower, tip"),
            "{error}"
        );
        assert!(fails("Lower:rz=90", 2).contains("there is no joint \"Lower\"; did you mean lower?"));
        let error = fails("lower:rw=90", 2);
        assert!(error.contains("joint \"lower\" has no channel \"rw\"; there are rx, ry, rz, tx"), "{error}");
        for number in ["soon", "nan", "inf", "1e9", ""] {
            let error = fails(&format!("upper:ry=40,lower:rz={number}"), 2);
            let wanted = format!("lower:rz must be a number from -1000000 to 1000000, got \"{number}\"");
            assert!(error.contains(&wanted), "{error}");
        }
        assert!(fails("rz=90", 2).contains("names no joint; write JOINT:rz=90"));
        assert!(fails("missing.pose", 3).contains("missing.pose"));
        let file = folder.name("bad.pose");
        fs::write(&file, "upper:rx=1\nelbow:rz=90\n").unwrap();
        assert!(fails(&file, 3).contains("line 2: there is no joint \"elbow\""));
        fs::write(&file, "upper:rx=1\n\nlower:rz=9o\n").unwrap();
        assert!(fails(&file, 3).contains("line 3: lower:rz must be a number"));
    }
    assert!(!folder.path("out.png").exists(), "nothing is written");
}
