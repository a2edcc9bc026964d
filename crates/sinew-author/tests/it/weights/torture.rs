//! Automatic weights on broken meshes and rigs.

use super::{Dice, chain, check, joint, mesh, tube};
use sinew::{
    Mesh, MeshParts, Primitive, Skeleton, Skin, Topology,
    glam::{Affine3A, Vec3},
};
use sinew_author::{
    AuthorError, uninterrupted,
    weights::{
        BoneSet, SkinBone,
        auto::{AutoMethod, AutoOptions, auto_weights},
    },
};
use std::ops::ControlFlow;

type Shape = (&'static str, Vec<Vec3>, Vec<u32>);

fn shapes() -> Vec<Shape> {
    let (positions, indices) = tube(12, 8);
    let ball = |p: &Vec3| {
        let middle = Vec3::Y * 0.5;
        (*p - middle).normalize_or(Vec3::X) * 0.5 + middle
    };
    let sheet: Vec<Vec3> =
        (0..100).map(|n| Vec3::new((n % 10) as f32 * 0.1, (n / 10) as f32 * 0.1, 0.0)).collect();
    let quads = (0..81).map(|n| n / 9 * 10 + n % 9);
    let of_sheet = quads.flat_map(|a| [a, a + 1, a + 10, a + 1, a + 11, a + 10]).collect();
    let cube: Vec<Vec3> =
        (0..8).map(|n| Vec3::new((n & 1) as f32, (n >> 1 & 1) as f32, (n >> 2) as f32)).collect();
    let of_cube = vec![
        0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3,
        7, 5,
    ];
    let mut two = positions.clone();
    two.extend(positions.iter().map(|p| *p * 0.3 + Vec3::X));
    let count = positions.len() as u32;
    let of_two = indices.iter().copied().chain(indices.iter().map(|i| i + count)).collect();
    vec![
        ("a ball", positions.iter().map(ball).collect(), indices.clone()),
        ("two parts", two, of_two),
        ("a tube", positions, indices),
        ("a sheet", sheet, of_sheet),
        ("a cube", cube, of_cube),
        ("a triangle", vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2]),
        ("loose points", vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Y], vec![]),
        ("one place", vec![Vec3::ONE; 6], vec![0, 1, 2, 3, 4, 5]),
        ("nothing", vec![], vec![]),
    ]
}

const FAULTS: [&str; 13] = [
    "none",
    "holes",
    "flipped",
    "doubled",
    "reversed",
    "slivers",
    "needles",
    "split",
    "third wings",
    "islands",
    "far away",
    "tiny",
    "huge",
];

/// `shape` with the named fault.
fn spoiled(shape: &Shape, fault: &str, dice: &mut Dice) -> Mesh {
    let (_, mut positions, mut indices) = shape.clone();
    let triangles: Vec<[u32; 3]> = indices.as_chunks::<3>().0.to_vec();
    let mut choose = |fraction: usize| -> Vec<[u32; 3]> {
        triangles.iter().copied().filter(|_| dice.below(fraction) == 0).collect()
    };
    match fault {
        "holes" => {
            let gone = choose(3);
            indices = triangles.iter().filter(|t| !gone.contains(t)).flatten().copied().collect();
        }
        "flipped" => choose(3).iter().for_each(|[a, b, c]| indices.extend([c, b, a])),
        "doubled" => choose(2).iter().for_each(|t| indices.extend(t)),
        "reversed" => indices.reverse(),
        "slivers" => choose(3).iter().for_each(|&[a, b, c]| {
            positions[c as usize] = positions[a as usize].lerp(positions[b as usize], 0.5);
        }),
        "needles" => choose(8).iter().for_each(|&[a, ..]| positions[a as usize] += dice.vector() * 3.0),
        "split" => {
            positions = indices.iter().map(|&i| positions[i as usize]).collect();
            indices = (0..positions.len() as u32).collect();
        }
        "third wings" => choose(4).iter().for_each(|[a, b, _]| {
            positions.push(dice.vector());
            indices.extend([*a, *b, positions.len() as u32 - 1]);
        }),
        "islands" => choose(4).iter().for_each(|t| {
            let (start, off) = (positions.len() as u32, dice.vector() * 2.0);
            positions.extend(t.map(|i| positions[i as usize] + off));
            indices.extend([start, start + 1, start + 2, start]);
            indices.truncate(indices.len() / 3 * 3);
        }),
        "far away" => positions.iter_mut().for_each(|p| *p += Vec3::new(1e4, -3e4, 2e4)),
        "tiny" => positions.iter_mut().for_each(|p| *p *= 1e-20),
        "huge" => positions.iter_mut().for_each(|p| *p *= 1e11),
        _ => {}
    }
    mesh(positions, indices)
}

fn rigs() -> Vec<(&'static str, Skeleton, Skin)> {
    let bound = |joints: Vec<sinew::Joint>| {
        let skeleton = Skeleton::new(joints).unwrap();
        let skin = Skin::bound_at_rest("skin", &skeleton, skeleton.joints().collect()).unwrap();
        (skeleton, skin)
    };
    let (chain_bones, chain_skin) = chain(4);
    let (same, same_skin) = bound(vec![
        joint("a", None, Vec3::Y * 0.3),
        joint("b", Some(0), Vec3::ZERO),
        joint("c", Some(1), Vec3::ZERO),
        joint("d", None, Vec3::Y * 0.3),
    ]);
    let (outside, outside_skin) = bound(vec![
        joint("root", None, Vec3::new(5.0, -3.0, 0.0)),
        joint("up", Some(0), Vec3::Y),
        joint("far", None, Vec3::splat(1e12)),
    ]);
    let (one, one_skin) = bound(vec![joint("one", None, Vec3::Y * 0.5)]);
    let (star, star_skin) = bound(vec![
        joint("middle", None, Vec3::Y * 0.5),
        joint("left", Some(0), Vec3::X * 0.4),
        joint("right", Some(0), Vec3::NEG_X * 0.4),
        joint("up", Some(0), Vec3::Y * 0.4),
    ]);
    let flat_skin =
        Skin::new("flat", &star, star.joints().collect(), vec![Affine3A::ZERO; star.len()]).unwrap();
    vec![
        ("a chain", chain_bones, chain_skin),
        ("coincident joints", same, same_skin),
        ("joints outside", outside, outside_skin),
        ("one joint", one, one_skin),
        ("a star", star.clone(), star_skin),
        ("binds without inverse", star, flat_skin),
    ]
}

#[test]
fn every_method_weights_every_mesh() {
    let (mut dice, rigs) = (Dice(7), rigs());
    let (mut meshes, mut runs) = (0, 0);
    for shape in shapes() {
        for fault in FAULTS {
            for half in 0..2 {
                let mesh = spoiled(&shape, fault, &mut dice);
                let (rig, skeleton, skin) = &rigs[(meshes / 2 * 2 + half * 3) % rigs.len()];
                meshes += 1;
                for method in AutoMethod::ALL {
                    let bones = BoneSet::of_skin(skeleton, skin);
                    let options =
                        AutoOptions { method, influences: 3, resolution: 32, ..AutoOptions::default() };
                    let made = auto_weights(&mesh, &bones, &options, &mut uninterrupted).unwrap();
                    let what = format!("{}, {fault}, {rig}, {method}", shape.0);
                    check(&mesh, &made.weights, skin.joints().len(), 3, &what);
                    runs += 1;
                }
            }
        }
    }
    println!("{meshes} meshes, {runs} runs");
    assert!(meshes >= 200);
}

#[test]
fn lines_and_points_are_weighted_too() {
    let positions: Vec<Vec3> = (0..10).map(|n| Vec3::Y * n as f32 * 0.1).collect();
    let part = |topology| Primitive { vertices: 0..10, indices: 0..10, topology, material: None };
    for topology in [Topology::Lines, Topology::Points] {
        let mesh = Mesh::new(MeshParts {
            positions: positions.clone(),
            indices: (0..10).collect(),
            primitives: vec![part(topology)],
            ..MeshParts::default()
        });
        let (skeleton, skin) = chain(3);
        let (mesh, bones) = (mesh.unwrap(), BoneSet::of_skin(&skeleton, &skin));
        for method in AutoMethod::ALL {
            let options = AutoOptions { method, ..AutoOptions::default() };
            let made = auto_weights(&mesh, &bones, &options, &mut uninterrupted).unwrap();
            check(&mesh, &made.weights, 3, 4, method.name());
            assert!(made.weights.weight_of(0, 0) > 0.5 && made.weights.weight_of(9, 2) > 0.5, "{method}");
        }
    }
}

#[test]
fn each_end_of_a_tube_follows_its_own_bone_and_the_middle_follows_both() {
    let (positions, indices) = tube(20, 12);
    let (mesh, (skeleton, skin)) = (mesh(positions, indices), chain(2));
    let bones = BoneSet::of_skin(&skeleton, &skin);
    for method in AutoMethod::ALL {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let made = auto_weights(&mesh, &bones, &options, &mut uninterrupted).unwrap();
        let at = |ring: usize| made.weights.weight_of(ring * 12, 0);
        assert!(at(1) > 0.9 && at(19) < 0.1, "{method}: {} and {}", at(1), at(19));
        assert!((4..19).all(|ring| at(ring) + 1e-3 >= at(ring + 1)), "{method} rises again");
        let halves = (6..15).filter(|&ring| (0.1..0.9).contains(&at(ring))).count();
        assert!(halves >= 1, "{method} does not blend");
        assert_eq!((made.report.parts, made.report.guessed_tails), (1, 1));
    }
}

#[test]
fn a_wall_between_two_limbs_keeps_their_weights_apart() {
    // Two adjacent tubes that are closer to each other's bones than their far ends are to their own.
    let (one, indices) = tube(20, 12);
    let off = Vec3::X * 0.25;
    let count = one.len() as u32;
    let positions = one.iter().copied().chain(one.iter().map(|p| *p + off)).collect();
    let mesh = mesh(positions, indices.iter().copied().chain(indices.iter().map(|i| i + count)).collect());
    let bone =
        |slot, x: Vec3| SkinBone { slot, head: x + Vec3::Y * 0.1, tail: x + Vec3::Y * 0.9, is_open: false };
    let bones = BoneSet::new(2, [bone(0, Vec3::ZERO), bone(1, off)]);
    for method in AutoMethod::ALL {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let made = auto_weights(&mesh, &bones, &options, &mut uninterrupted).unwrap();
        for vertex in 0..count as usize {
            assert!(made.weights.weight_of(vertex, 0) > 0.99, "{method}: vertex {vertex}");
            assert!(made.weights.weight_of(vertex + count as usize, 1) > 0.99, "{method}: vertex {vertex}");
        }
    }
}

/// The surface of a box with each side cut into squares.
fn slab(low: Vec3, high: Vec3) -> (Vec<Vec3>, Vec<u32>) {
    const CUTS: u32 = 10;
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for (axis, far) in [(0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0), (2, 0.0), (2, 1.0)] {
        let start = positions.len() as u32;
        for at in 0..(CUTS + 1) * (CUTS + 1) {
            let mut fraction = Vec3::splat(far);
            fraction[(axis + 1) % 3] = (at % (CUTS + 1)) as f32 / CUTS as f32;
            fraction[(axis + 2) % 3] = (at / (CUTS + 1)) as f32 / CUTS as f32;
            positions.push(low + (high - low) * fraction);
        }
        for square in 0..CUTS * CUTS {
            let a = start + square / CUTS * (CUTS + 1) + square % CUTS;
            let (right, up, both) = (a + 1, a + CUTS + 1, a + CUTS + 2);
            let outwards = [a, right, up, right, both, up];
            let inwards = [a, up, right, right, up, both];
            indices.extend(if far > 0.5 { outwards } else { inwards });
        }
    }
    (positions, indices)
}

#[test]
fn a_bone_hidden_by_skin_gives_no_weight_however_near_it_is() {
    // Behind a thin slab is another with a bone along its height; the bone of the thin one is at its bottom.
    let (mut positions, mut indices) = slab(Vec3::ZERO, Vec3::new(0.1, 1.0, 1.0));
    let count = positions.len();
    let (behind, of_behind) = slab(Vec3::new(-0.3, 0.0, 0.0), Vec3::new(-0.2, 1.0, 1.0));
    positions.extend(behind);
    indices.extend(of_behind.iter().map(|i| i + count as u32));
    let mesh = mesh(positions, indices);
    let bone = |slot, head: Vec3, tail: Vec3| SkinBone { slot, head, tail, is_open: false };
    let own = bone(0, Vec3::new(0.05, 0.05, 0.1), Vec3::new(0.05, 0.05, 0.9));
    let hidden = bone(1, Vec3::new(-0.25, 0.05, 0.5), Vec3::new(-0.25, 1.2, 0.5));
    for method in AutoMethod::ALL {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let made =
            auto_weights(&mesh, &BoneSet::new(2, [own, hidden]), &options, &mut uninterrupted).unwrap();
        let min = (0..count).map(|v| made.weights.weight_of(v, 0)).fold(1.0, f32::min);
        assert!(min > 0.99, "{method}: {min}");
    }
}

#[test]
fn a_button_on_a_sleeve_blends_like_the_sleeve() {
    let (mut positions, mut indices) = tube(40, 12);
    let (count, (skeleton, skin)) = (positions.len() as u32, chain(2));
    let bones = BoneSet::of_skin(&skeleton, &skin);
    let options = AutoOptions { method: AutoMethod::Heat, ..AutoOptions::default() };
    let weigh = |mesh: &Mesh| auto_weights(mesh, &bones, &options, &mut uninterrupted).unwrap();
    let bare = weigh(&mesh(positions.clone(), indices.clone()));
    // Near the blend of the two bones, on either side of it.
    let ring = (0..41).find(|ring| bare.weights.weight_of(ring * 12, 0) < 0.8).unwrap();
    let fraction = bare.weights.weight_of(ring * 12, 0);
    let middle = positions[ring * 12] * Vec3::new(1.03, 1.0, 1.03);
    positions.extend([Vec3::Y, Vec3::Z, Vec3::NEG_Y].map(|off| middle + off * 0.01));
    indices.extend([count, count + 1, count + 2]);
    let made = weigh(&mesh(positions, indices));
    assert_eq!((made.report.parts, made.report.parts_without_source), (2, 0));
    let of_button = made.weights.weight_of(count as usize + 1, 0);
    assert!((of_button - fraction).abs() < 0.1, "{of_button} on {fraction}");
}

#[test]
fn a_bone_from_the_floor_to_the_hips_gets_no_weight_and_is_reported() {
    let (positions, indices) = tube(12, 8);
    let mesh = mesh(positions, indices);
    let skeleton = Skeleton::new([
        joint("floor", None, Vec3::new(1.0, -2.0, 0.0)),
        joint("hips", Some(0), Vec3::new(-1.0, 2.2, 0.0)),
        joint("chest", Some(1), Vec3::Y * 0.4),
    ]);
    let skeleton = skeleton.unwrap();
    let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
    for method in AutoMethod::ALL {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let bones = BoneSet::of_skin(&skeleton, &skin);
        let made = auto_weights(&mesh, &bones, &options, &mut uninterrupted).unwrap();
        assert_eq!(made.report.outside, [0], "{method}");
        assert_eq!(made.report.unused, [0], "{method}");
    }
}

#[test]
fn auto_weights_can_be_stopped_and_reject_options_out_of_range() {
    let (positions, indices) = tube(12, 8);
    let (mesh, (skeleton, skin)) = (mesh(positions, indices), chain(3));
    let bones = BoneSet::of_skin(&skeleton, &skin);
    for method in AutoMethod::ALL {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let mut told = Vec::new();
        let mut watch = |done: f32| {
            told.push(done);
            ControlFlow::Continue(())
        };
        auto_weights(&mesh, &bones, &options, &mut watch).unwrap();
        assert!(told.is_sorted() && told.first() == Some(&0.0) && told.last() == Some(&1.0), "{told:?}");
        let mut stop =
            |done: f32| if done > 0.3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        assert_eq!(auto_weights(&mesh, &bones, &options, &mut stop), Err(AuthorError::Stopped));
    }
    let refused = |options: AutoOptions, bones: &BoneSet| {
        auto_weights(&mesh, bones, &options, &mut uninterrupted).is_err()
    };
    let good = AutoOptions::default();
    assert!(refused(AutoOptions { influences: 0, ..good }, &bones));
    assert!(refused(AutoOptions { resolution: 2, ..good }, &bones));
    assert!(refused(AutoOptions { sharpness: f64::NAN, ..good }, &bones));
    assert!(refused(good, &BoneSet::default()));
}
