//! The built-in tube through every method: the figures of a right implementation.

use sinew::{
    Character, Frame, Method, builtin,
    deform::reference::BoneSegment,
    glam::Vec3,
    measure,
};
use sinew_author::{PrepareOptions, prepare_character, uninterrupted};
use std::sync::OnceLock;

/// The tube with data for every method.
pub(crate) fn prepared_tube() -> &'static Character {
    static TUBE: OnceLock<Character> = OnceLock::new();
    TUBE.get_or_init(|| {
        let options = PrepareOptions::for_methods(&Method::ALL);
        prepare_character(&builtin::tube(), &options, &mut uninterrupted).expect("the tube is skinned").0
    })
}

/// What became of the tube: volume relative to rest, and the least and greatest radius of its wall about its bones.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) volume: f64,
    pub(crate) min_radius: f64,
    pub(crate) max_radius: f64,
}

pub(crate) fn figures(positions: &[Vec3], bend_degrees: f32) -> Figures {
    let tube = prepared_tube();
    let mesh = &tube.meshes()[0];
    let half = Vec3::new(0.0, builtin::TUBE_LENGTH / 2.0, 0.0);
    let (sine, cosine) = bend_degrees.to_radians().sin_cos();
    let bones = [
        BoneSegment { head: Vec3::ZERO, tail: half },
        BoneSegment { head: half, tail: half + Vec3::new(sine, cosine, 0.0) * half.y },
    ];
    // The lids reach to the axis: only the wall counts.
    let wall = (0..mesh.vertex_count()).filter(|&v| (0.5..=9.5).contains(&mesh.positions()[v].y));
    let radius = |v: usize| {
        let p = positions[v];
        bones.iter().map(|b| f64::from(p.distance(b.nearest(p)))).fold(f64::INFINITY, f64::min)
    };
    let radii: Vec<f64> = wall.map(radius).collect();
    Figures {
        volume: measure::volume(positions, mesh.triangles()) / measure::volume(mesh.positions(), mesh.triangles()),
        min_radius: radii.iter().copied().fold(f64::INFINITY, f64::min),
        max_radius: radii.iter().copied().fold(0.0, f64::max),
    }
}

fn posed(method: Method, bend_degrees: f32, twist_degrees: f32) -> Figures {
    let tube = prepared_tube();
    let mut frame = Frame::new(tube);
    frame.local_mut().copy_from(&builtin::tube_pose(bend_degrees.to_radians(), twist_degrees.to_radians()));
    frame.update(tube);
    frame.deform(tube, method).expect("the tube has data for every method");
    figures(&frame.deformed()[0].positions, bend_degrees)
}

#[test]
fn print_all() {
    for method in Method::ALL {
        for (bend, twist) in [(90.0, 0.0), (150.0, 0.0), (0.0, 90.0), (0.0, 179.0)] {
            println!("{method:12} bend {bend} twist {twist}: {:?}", posed(method, bend, twist));
        }
    }
}
