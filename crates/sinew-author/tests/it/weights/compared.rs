//! Weights as text, their differences, and their effect in millimeters.

use super::operations::sample;
use super::{joint, mesh};
use sinew::{Influence, Skeleton, Skin, Weights, glam::Vec3};
use sinew_author::weights::{
    EffectPoses, PoseOptions,
    diff::WeightDiff,
    effect::{BoundVertices, Effect},
    text,
};

#[test]
fn text_round_trips_and_errors_name_the_line() {
    let (mesh, ..) = sample();
    let weights: &Weights = mesh.weights().unwrap();
    // Names with quotes, spaces and line breaks, a duplicate name and an empty one.
    let names = ["root", "a \"b\" \\ c", "", "twin", "twin", "new\nline"];
    let joints = names.iter().enumerate().map(|(n, name)| joint(name, (n > 0).then_some(0), Vec3::ZERO));
    let skeleton = Skeleton::new(joints).unwrap();
    let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
    let written = text::to_text("a mesh", weights, &skeleton, &skin);
    assert_eq!(written.lines().count(), mesh.vertex_count() + 3);
    assert_eq!(&text::from_text(&written, &skeleton, &skin, None).unwrap(), weights);
    let message = |text: &str| text::from_text(text, &skeleton, &skin, None).unwrap_err().to_string();
    let start = "sinew-weights 1\nmesh \"m\"\nvertices 1\n";
    assert_eq!(message(""), "line 1: the text is empty");
    assert_eq!(message(&format!("{start}0: \"nobody\" 1")), "line 4: the skin has no joint \"nobody\"");
    assert_eq!(message(&format!("{start}1: \"root\" 1")), "line 4: the vertex is out of order");
    assert_eq!(message(&format!("{start}0: \"root\" x")), "line 4: a weight is missing after a joint name");
    assert_eq!(message(&format!("{start}0: root 1")), "line 4: a joint name must be in quotes");
    assert_eq!(message(start), "the text declares 1 vertices, got 0");
    for end in 0..written.len().min(400) {
        if let Some(cut) = written.get(..end) {
            assert!(text::from_text(cut, &skeleton, &skin, None).is_err());
        }
    }
}

#[test]
fn a_difference_is_reported_by_vertex_and_by_joint() {
    let vertex = |slot_weights: &[(u16, f32)]| -> Vec<Influence> {
        slot_weights.iter().map(|&(slot, weight)| Influence { slot, weight }).collect()
    };
    let (one, _) =
        Weights::new(3, [vertex(&[(0, 0.5), (1, 0.5)]), vertex(&[(0, 1.0)]), vertex(&[(2, 1.0)])]).unwrap();
    let (two, _) =
        Weights::new(3, [vertex(&[(0, 0.25), (1, 0.75)]), vertex(&[(1, 1.0)]), vertex(&[(2, 1.0)])]).unwrap();
    let diff = WeightDiff::new(&one, &two).unwrap();
    assert_eq!(
        (&diff.l1[..], diff.changed, diff.max_l1, diff.worst_vertex),
        (&[0.5, 2.0, 0.0][..], 2, 2.0, 1)
    );
    assert!((diff.mean_l1 - 2.5 / 3.0).abs() < 1e-9);
    let joints: Vec<(u16, f64, f64, f64, usize)> =
        diff.joints.iter().map(|j| (j.slot, j.before, j.after, j.moved, j.vertices)).collect();
    assert_eq!(joints, [(0, 1.5, 0.25, 1.25, 2), (1, 0.5, 1.75, 1.25, 2)]);
    assert!(WeightDiff::new(&one, &one).unwrap().joints.is_empty());
}

#[test]
fn the_effect_is_the_distance_that_a_vertex_moves() {
    // A vertex one meter from a rotating joint: without its weight the vertex stays in place.
    let plain = mesh(vec![Vec3::X, Vec3::ZERO, Vec3::Y], vec![0, 1, 2]);
    let skeleton =
        Skeleton::new([joint("still", None, Vec3::ZERO), joint("turns", None, Vec3::ZERO)]).unwrap();
    let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
    let all = |slot| Weights::new(2, [(); 3].map(|()| [Influence { slot, weight: 1.0 }])).unwrap().0;
    let options = PoseOptions { angle_radians: 1.0, ..PoseOptions::default() };
    let poses = EffectPoses::of_skin(&skeleton, &skin, &[], &skeleton.rest_pose(), &options);
    let bound = |weights| BoundVertices { positions: plain.positions(), weights, poses: &poses };
    let effect = Effect::between(&bound(&all(0)), &bound(&all(1)));
    let chord = 2.0 * (0.5_f64).sin() * 1000.0;
    assert!((effect.range.max_mm - chord).abs() < 1e-2, "{effect:?}");
    assert_eq!((effect.range.poses, effect.clips.poses), (6, 0));
    // Two of the three vertices move, in four of the six poses each.
    let rms = chord * (2.0 * 4.0 / 18.0_f64).sqrt();
    assert!((effect.range.rms_mm - rms).abs() < 1e-2);
}
