//! Copies of a vertex stay together with data that this crate precomputes, by every method and at every SIMD level.

use sinew::{
    Character, Frame, JointId, Mesh, Method, Wrap,
    glam::{Quat, Vec3},
    simd,
};
use sinew_author::{
    PrepareOptions,
    helper_joints::{MuscleOptions, add_muscle},
    prepare_character, uninterrupted,
};
use std::path::Path;

/// Real characters with seams that are small enough to be prepared in a test.
const FILES: [&str; 4] = ["Fox.glb", "CesiumMan.glb", "RobotExpressive.glb", "lumberjack.glb"];

fn strong_arm() -> Character {
    let arm = sinew_samples::arm();
    add_muscle(&arm, JointId(0), JointId(1), &MuscleOptions::default()).unwrap().character
}

/// The built-in characters and those of the corpus, which must exist in CI.
fn characters() -> Vec<Character> {
    let mut out = vec![sinew_samples::figure(), sinew_samples::tube(), strong_arm()];
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if corpus.is_dir() {
        out.extend(FILES.map(|file| sinew_formats::read_file(corpus.join(file)).unwrap().character));
    } else {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", corpus.display());
        println!("skipped: there is no corpus at {}", corpus.display());
    }
    out
}

/// The slots and the bits of their weights, in the order of the slots.
type SortedInfluences = Vec<(u16, u32)>;

/// The influences of a vertex: those that sum to one, and the muscles.
fn influences(mesh: &Mesh, vertex: usize) -> Option<[SortedInfluences; 2]> {
    let weights = mesh.weights()?;
    let sorted = |(slots, amounts): (&[u16], &[f32])| {
        let mut out: SortedInfluences =
            slots.iter().copied().zip(amounts.iter().map(|a| a.to_bits())).collect();
        out.sort_unstable();
        out
    };
    Some([sorted(weights.of(vertex)), sorted(weights.muscle_of(vertex))])
}

/// A pose of the first clip, in which every joint is turned by up to 30° more.
fn bend(frame: &mut Frame, character: &Character) {
    if let Some(clip) = character.clips().first() {
        frame.sample(clip, clip.duration_secs() * 0.37, Wrap::Clamp);
    }
    let local = frame.local_mut();
    // Morph targets move copies apart if they say so.
    local.morphs.fill(0.0);
    for (joint, local) in local.joints.iter_mut().enumerate() {
        let wave = |k: usize| ((joint * 13 + k * 29) as f32).sin() * 0.3;
        local.rotation *= Quat::from_scaled_axis(Vec3::new(wave(0), wave(1), wave(2)));
    }
}

#[test]
fn copies_of_a_vertex_land_on_the_same_bits_by_every_method() {
    let bits = |v: Vec3| (v + 0.0).to_array().map(f32::to_bits);
    let mut compared = 0;
    for character in characters() {
        let options = PrepareOptions::for_methods(&Method::ALL);
        let (character, _) = prepare_character(&character, &options, &mut uninterrupted).unwrap();
        for level in simd::available() {
            let mut frame = Frame::new(&character).at_level(level);
            bend(&mut frame, &character);
            for method in Method::ALL {
                frame.deform(method).unwrap();
                for (instance, out) in character.instances().iter().zip(frame.deformed()) {
                    let (mesh, points) = (character.mesh_of(instance), character.mesh_of(instance).points());
                    for (vertex, &point) in points.of_vertex().iter().enumerate() {
                        let first = points.first_vertex()[point as usize] as usize;
                        if first == vertex || influences(mesh, first) != influences(mesh, vertex) {
                            continue;
                        }
                        compared += 1;
                        let [a, b] = [first, vertex].map(|v| out.positions[v]);
                        let place = format!("{} {method} {} {vertex}", character.name(), level.name());
                        assert_eq!(bits(a), bits(b), "{place}: {a} and {b} are {} apart", a.distance(b));
                    }
                }
            }
        }
    }
    println!("{compared} pairs of copies");
    assert!(compared > 10_000, "{compared}");
}
