use super::skeleton::{COUNT, FIRST_LEFT, FOOT, HALF, HIPS, SHIN, THIGH, TOE, mirrored, twin};
use super::{figure, gait};
use glam::Vec3;
use sinew::{Aabb, Character, Frame, JointId, Mesh, Method, Wrap};
use std::collections::HashMap;
use std::sync::Arc;

const CLIPS: [&str; 5] = ["idle", "walk", "run", "wave", "range_of_motion"];

fn body(figure: &Character) -> &Mesh {
    &figure.meshes()[0]
}

/// The figure deformed at a time of a clip.
fn frame_at(figure: &Character, clip: &str, time_secs: f32) -> Frame {
    let mut frame = Frame::new(figure);
    frame.sample(figure.find_clip(clip).unwrap(), time_secs, Wrap::Clamp);
    frame.deform(Method::Linear).unwrap();
    frame
}

fn joint_at(frame: &Frame, joint: usize) -> Vec3 {
    frame.model().joint(JointId(joint as u16)).translation.into()
}

/// Triangles with point indices instead of vertex indices, which closes color seams.
fn point_triangles(mesh: &Mesh) -> Vec<[u32; 3]> {
    let of_vertex = mesh.points().of_vertex();
    mesh.triangles().map(|t| t.map(|v| of_vertex[v as usize])).collect()
}

#[test]
fn has_the_size_and_detail_of_a_person() {
    let figure = figure();
    let mesh = body(&figure);
    assert!((3_000..=8_000).contains(&mesh.vertex_count()), "{} vertices", mesh.vertex_count());
    assert_eq!(figure.skeleton().len(), COUNT);
    let bounds = Aabb::of_points(mesh.positions());
    assert!((1.70..1.80).contains(&bounds.max.y), "{bounds:?}");
    assert!(bounds.min.y.abs() < 1e-3, "stands on the ground: {bounds:?}");
}

#[test]
fn is_built_once_and_shared() {
    assert!(Arc::ptr_eq(&figure().meshes()[0], &figure().meshes()[0]));
}

#[test]
fn every_build_is_identical() {
    assert_eq!(super::build(), super::build());
}

#[test]
fn every_edge_belongs_to_two_triangles_in_opposite_directions() {
    let figure = figure();
    let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
    for [a, b, c] in point_triangles(body(&figure)) {
        assert!(a != b && b != c && c != a, "a triangle is collapsed");
        for edge in [(a, b), (b, c), (c, a)] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    for (&(a, b), &count) in &edges {
        assert_eq!((count, edges.get(&(b, a))), (1, Some(&1)), "edge {a}-{b}");
    }
}

#[test]
fn every_piece_encloses_volume_and_its_normals_point_outward() {
    let figure = figure();
    let mesh = body(&figure);
    let triangles = point_triangles(mesh);
    let piece = pieces(mesh.points().len(), &triangles);
    let mut volumes: HashMap<u32, f32> = HashMap::new();
    let position = |p: u32| mesh.positions()[mesh.points().first_vertex()[p as usize] as usize];
    for t in &triangles {
        let [a, b, c] = t.map(position);
        *volumes.entry(piece[t[0] as usize]).or_default() += a.dot(b.cross(c)) / 6.0;
    }
    // Sweater, trousers, head, hair and mouth; pairs of shoes, hands, eyes, glints, brows and ears.
    assert_eq!(volumes.len(), 5 + 2 * 6);
    assert!(volumes.values().all(|&v| v > 1e-9), "{volumes:?}");
    for normal in mesh.normals() {
        assert!((normal.length() - 1.0).abs() < 1e-5);
    }
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| mesh.positions()[v as usize]);
        let sum: Vec3 = triangle.iter().map(|&v| mesh.normals()[v as usize]).sum();
        assert!((b - a).cross(c - a).dot(sum) > 0.0, "a normal looks inwards at {a}");
    }
}

/// For each point, the smallest point index of its connected piece.
fn pieces(points: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut piece: Vec<u32> = (0..points as u32).collect();
    loop {
        let before = piece.clone();
        for t in triangles {
            let min = t.map(|p| piece[p as usize]).into_iter().min().unwrap();
            t.iter().for_each(|&p| piece[p as usize] = min);
        }
        if piece == before {
            return piece;
        }
    }
}

#[test]
fn no_triangle_is_a_sliver() {
    let figure = figure();
    let mesh = body(&figure);
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| mesh.positions()[v as usize]);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let height = (b - a).cross(c - a).length() / longest;
        assert!(height > 0.025 * longest, "{a} {b} {c}: {}", height / longest);
    }
}

#[test]
fn the_right_half_is_a_bit_exact_mirror_image_of_the_left() {
    let figure = figure();
    let mesh = body(&figure);
    let weights = mesh.weights().unwrap();
    let key = |p: Vec3, color: usize| {
        let color = mesh.colors()[color].to_array().map(f32::to_bits);
        ((p + Vec3::ZERO).to_array().map(f32::to_bits), color)
    };
    let vertices: HashMap<_, usize> =
        (0..mesh.vertex_count()).map(|v| (key(mesh.positions()[v], v), v)).collect();
    for v in 0..mesh.vertex_count() {
        let image = vertices[&key(mirrored(mesh.positions()[v]), v)];
        assert_eq!(mesh.normals()[image] + Vec3::ZERO, mirrored(mesh.normals()[v]) + Vec3::ZERO);
        for influence in weights.influences(v) {
            let other = weights.weight_of(image, twin(influence.slot.into()) as u16);
            assert!((other - influence.weight).abs() < 1e-6, "vertex {v}");
        }
    }
}

#[test]
fn the_right_joints_mirror_the_left_ones() {
    let figure = figure();
    let rest = Frame::new(&figure);
    for joint in FIRST_LEFT..HALF {
        assert_eq!(joint_name(&figure, twin(joint)), joint_name(&figure, joint).replace(".L", ".R"));
        let off = joint_at(&rest, twin(joint)).distance(mirrored(joint_at(&rest, joint)));
        assert!(off < 1e-6, "{}: {off}", joint_name(&figure, joint));
    }
}

fn joint_name(figure: &Character, joint: usize) -> &str {
    figure.skeleton().name(JointId(joint as u16))
}

#[test]
fn at_most_four_joints_of_the_same_side_move_a_vertex() {
    let figure = figure();
    let mesh = body(&figure);
    let weights = mesh.weights().unwrap();
    assert_eq!(weights.max_influences(), 4);
    for (v, p) in mesh.positions().iter().enumerate() {
        for influence in weights.influences(v) {
            let joint = usize::from(influence.slot);
            let allowed = match joint {
                0..FIRST_LEFT => true,
                FIRST_LEFT..HALF => p.x >= 0.0,
                _ => p.x <= 0.0,
            };
            assert!(allowed, "{} moves {p}", joint_name(&figure, joint));
        }
    }
}

#[test]
fn weights_change_gradually_along_the_surface() {
    let figure = figure();
    let mesh = body(&figure);
    let weights = mesh.weights().unwrap();
    for [a, b, _] in mesh.triangles() {
        let (a, b) = (a as usize, b as usize);
        for influence in weights.influences(a) {
            let step = (influence.weight - weights.weight_of(b, influence.slot)).abs();
            let joint = joint_name(&figure, influence.slot.into());
            assert!(step < 0.76, "{joint} jumps by {step} at {}", mesh.positions()[a]);
        }
    }
}

#[test]
fn every_joint_but_the_root_moves_something() {
    let figure = figure();
    let weights = body(&figure).weights().unwrap();
    let mut moved = [false; COUNT];
    for v in 0..weights.vertex_count() {
        weights.influences(v).for_each(|i| moved[usize::from(i.slot)] = true);
    }
    assert_eq!(moved.iter().position(|m| !m), Some(0));
    assert!(moved[HIPS..].iter().all(|&m| m));
}

#[test]
fn the_bind_pose_leaves_the_surface_where_it_is() {
    let figure = figure();
    let mut frame = Frame::new(&figure);
    frame.deform(Method::Linear).unwrap();
    for (got, want) in frame.deformed()[0].positions.iter().zip(body(&figure).positions()) {
        assert!(got.distance(*want) < 1e-6, "{got} {want}");
    }
}

#[test]
fn gaits_end_as_they_begin_except_for_the_root_translation() {
    let figure = figure();
    for (name, way) in [("walk", 1.32 * 1.066_666_7), ("run", 3.5 * 0.7)] {
        let end = figure.find_clip(name).unwrap().duration_secs();
        let (first, last) = (frame_at(&figure, name, 0.0), frame_at(&figure, name, end));
        for (joint, (a, b)) in first.local().joints.iter().zip(&last.local().joints).enumerate() {
            let travel = if joint == 0 { Vec3::Z * way } else { Vec3::ZERO };
            assert!((b.translation - a.translation - travel).length() < 1e-5, "{name}, joint {joint}");
            assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6, "{name}, joint {joint}");
        }
    }
}

/// The distance in meters that a joint slides over the ground between two phases of a clip.
fn slide(figure: &Character, clip: &str, joint: usize, from: f32, to: f32) -> f32 {
    let duration = figure.find_clip(clip).unwrap().duration_secs();
    let at = |k: usize| {
        let phase = from + (to - from) * k as f32 / 60.0;
        joint_at(&frame_at(figure, clip, phase * duration), joint)
    };
    let start = at(0);
    (1..=60).map(|k| (at(k) - start).with_y(0.0).length()).fold(0.0, f32::max)
}

#[test]
fn a_planted_foot_does_not_slide() {
    let figure = figure();
    for (clip, gait) in [("walk", &gait::WALK), ("run", &gait::RUN)] {
        // Both ends of the flat sole stay in place; then the ball alone until toe-off.
        let (flat, heel_off, toe_off) = gait.stance();
        for (joint, from, to) in [(FOOT, flat, heel_off), (TOE, flat, toe_off)] {
            let left = slide(&figure, clip, joint, from, to);
            let right = slide(&figure, clip, twin(joint), from + 0.5, (to + 0.5).min(1.0));
            assert!(left < 0.003 && right < 0.003, "{clip} {joint}: {left} m left, {right} m right");
        }
    }
}

/// The height of the lowest vertex that follows the foot or toe of one side.
fn sole_height(figure: &Character, frame: &Frame, left: bool) -> f32 {
    let positions = &frame.deformed()[0].positions;
    let weights = body(figure).weights().unwrap();
    let joints = if left { [FOOT, TOE] } else { [twin(FOOT), twin(TOE)] };
    let on_foot = |v: &usize| joints.contains(&usize::from(weights.of(*v).0[0]));
    (0..positions.len()).filter(on_foot).map(|v| positions[v].y).fold(f32::INFINITY, f32::min)
}

#[test]
fn footfalls_are_where_the_feet_come_down() {
    let figure = figure();
    for name in ["walk", "run"] {
        let clip = figure.find_clip(name).unwrap();
        let names: Vec<&str> = clip.events().iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["footfall.left", "footfall.right"]);
        for event in clip.events() {
            let left = event.name.ends_with("left");
            let height = |after: f32| {
                let time = (event.time_secs + after).rem_euclid(clip.duration_secs());
                sole_height(&figure, &frame_at(&figure, name, time), left)
            };
            assert!(height(0.0).abs() < 0.006, "{name} {}: {} m", event.name, height(0.0));
            assert!(height(-0.03) > height(0.0) + 0.006, "{name} {}: {} m", event.name, height(-0.03));
            assert!(height(0.02) < 0.006, "{name} {}: {} m", event.name, height(0.02));
        }
    }
}

#[test]
fn the_lowest_point_of_a_walk_stays_on_the_ground() {
    let figure = figure();
    let end = figure.find_clip("walk").unwrap().duration_secs();
    for k in 0..=64 {
        let frame = frame_at(&figure, "walk", end * k as f32 / 64.0);
        let lowest = frame.bounds().min.y;
        assert!(lowest.abs() < 0.02, "step {k}: {lowest}");
    }
}

#[test]
fn a_run_leaves_the_ground_and_a_walk_does_not() {
    let figure = figure();
    let highest = |name: &str| {
        let end = figure.find_clip(name).unwrap().duration_secs();
        let lowest = |k: usize| frame_at(&figure, name, end * k as f32 / 48.0).bounds().min.y;
        (0..48).map(lowest).fold(f32::NEG_INFINITY, f32::max)
    };
    assert!(highest("walk") < 0.01, "{}", highest("walk"));
    assert!(highest("run") > 0.025, "{}", highest("run"));
}

#[test]
fn every_clip_stays_finite_and_near_the_figure() {
    let figure = figure();
    let names: Vec<&str> = figure.clips().iter().map(|c| c.name()).collect();
    assert_eq!(names, CLIPS);
    for clip in figure.clips() {
        let frames = (clip.duration_secs() * 60.0).ceil() as usize;
        for k in 0..=frames {
            let frame = frame_at(&figure, clip.name(), k as f32 / 60.0);
            let root = joint_at(&frame, 0);
            for p in &frame.deformed()[0].positions {
                assert!(p.is_finite() && p.distance(root) < 2.4, "{} frame {k}: {p}", clip.name());
            }
        }
    }
}

#[test]
fn knees_never_bend_backwards() {
    let figure = figure();
    for clip in figure.clips() {
        let frames = (clip.duration_secs() * 30.0).ceil() as usize;
        for k in 0..=frames {
            let frame = frame_at(&figure, clip.name(), k as f32 / 30.0);
            for [thigh, shin, foot] in [[THIGH, SHIN, FOOT], [THIGH, SHIN, FOOT].map(twin)] {
                let thigh_from_model = frame.model().joint(JointId(thigh as u16)).inverse();
                let along = joint_at(&frame, foot) - joint_at(&frame, shin);
                let forward = thigh_from_model.transform_vector3(along).z;
                assert!(forward < 0.005, "{} frame {k}: {forward} m", clip.name());
            }
        }
    }
}

#[test]
fn standing_clips_loop() {
    let figure = figure();
    for name in ["idle", "wave", "range_of_motion"] {
        let end = figure.find_clip(name).unwrap().duration_secs();
        let (first, last) = (frame_at(&figure, name, 0.0), frame_at(&figure, name, end));
        assert_eq!(first.local(), last.local(), "{name}");
    }
}
