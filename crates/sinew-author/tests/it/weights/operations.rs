//! Every operation keeps exact sums, closed seams, locks and selections, and measures its effect.

use super::{Dice, chain, check, joint, mesh, tube, with_weights};
use sinew::{
    Influence, Mesh, MeshParts, Skeleton, Skin, Weights,
    glam::{Quat, Vec2, Vec3},
};
use sinew_author::weights::{
    Edit, EditOutcome, EffectPose, EffectPoses, Locks, PoseOptions, VertexSelection, WeightError,
    effect::{BoundVertices, Effect},
    ops::{
        self, CopyBy, LimitBy, MirrorOptions, SlotMap, SmoothOptions, SplitAlong, TransferOptions, Unorm,
        VertexMirrorMap,
    },
};
use std::collections::BTreeSet;

const JOINTS: u16 = 6;

/// A tube whose triangles share no vertices, with random weights that are equal at equal positions.
pub(crate) fn sample() -> (Mesh, Skeleton, Skin, EffectPoses) {
    let (positions, indices) = tube(10, 8);
    let split: Vec<Vec3> = indices.iter().map(|&i| positions[i as usize]).collect();
    let indices = (0..split.len() as u32).collect();
    let mesh = mesh(split, indices);
    let mut dice = Dice(11);
    let one = |_| {
        let count = 1 + dice.below(6);
        let influence =
            |_| Influence { slot: dice.below(JOINTS.into()) as u16, weight: dice.number().abs() + 0.01 };
        (0..count).map(influence).collect()
    };
    let of_points: Vec<Vec<Influence>> = (0..mesh.points().len()).map(one).collect();
    let of_vertices = mesh.points().of_vertex().iter().map(|&p| of_points[p as usize].clone());
    let (weights, _) = Weights::new(JOINTS.into(), of_vertices).unwrap();
    let (skeleton, skin) = chain(JOINTS);
    let poses = EffectPoses::of_skin(&skeleton, &skin, &[], &skeleton.rest_pose(), &PoseOptions::default());
    (with_weights(&mesh, weights), skeleton, skin, poses)
}

type Operation<'a> = (&'static str, Box<dyn Fn(&Edit<'_>) -> EditOutcome + 'a>);

/// Every operation on one mesh, as the command line would call it.
fn operations<'a>(mesh: &'a Mesh, skeleton: &Skeleton, skin: &Skin) -> Vec<Operation<'a>> {
    let mirror = MirrorOptions { tolerance: 1e-4, ..MirrorOptions::default() };
    let map = VertexMirrorMap::new(mesh, skeleton, skin, &mirror);
    let weights: &Weights = mesh.weights().unwrap();
    let shifted = Weights::new(
        JOINTS.into(),
        (0..weights.vertex_count())
            .map(|v| weights.influences(v).map(|i| Influence { slot: (i.slot + 1) % JOINTS, ..i })),
    );
    let (shifted, same) = (shifted.unwrap().0, SlotMap::same(JOINTS.into()));
    let (other, map_again) = (shifted.clone(), same.clone());
    let along = SplitAlong { start: Vec3::ZERO, end: Vec3::Y };
    vec![
        ("normalize", Box::new(|e| ops::normalize(e).unwrap())),
        ("prune", Box::new(|e| ops::prune(e, 0.2).unwrap())),
        ("sharpen", Box::new(|e| ops::sharpen(e, 2.0).unwrap())),
        ("limit by size", Box::new(|e| ops::limit(e, 3, LimitBy::Size).unwrap())),
        ("limit by fit", Box::new(|e| ops::limit(e, 3, LimitBy::Refit).unwrap())),
        ("smooth", Box::new(|e| ops::smooth(e, &SmoothOptions::default()).unwrap())),
        ("mirror", Box::new(move |e| ops::mirror(e, &map, &mirror).unwrap().outcome)),
        ("copy", Box::new(move |e| ops::copy(e, mesh, &shifted, &same, CopyBy::Order).unwrap().outcome)),
        (
            "transfer",
            Box::new(move |e| {
                ops::transfer(e, mesh, &other, &map_again, &TransferOptions::default()).unwrap().outcome
            }),
        ),
        ("split", Box::new(move |e| ops::split_joint(e, 2, 3, along).unwrap())),
        ("merge", Box::new(|e| ops::merge_joints(e, &[4, 5], 0).unwrap())),
    ]
}

#[test]
fn every_operation_keeps_exact_sums_and_closed_seams() {
    let (mesh, skeleton, skin, poses) = sample();
    for (name, operation) in operations(&mesh, &skeleton, &skin) {
        let outcome = operation(&Edit::new(&mesh).unwrap().over(&poses));
        check(&mesh, &outcome.weights, JOINTS.into(), 8, name);
        let changed = (0..mesh.vertex_count())
            .filter(|&v| outcome.weights.of(v) != mesh.weights().unwrap().of(v))
            .count();
        assert_eq!(outcome.changed, changed, "{name}");
        assert_eq!(changed > 0, outcome.effect.range.max_mm > 0.0, "{name} moved nothing or everything");
        assert_eq!(name == "normalize", changed == 0, "{name}");
    }
}

#[test]
fn every_operation_leaves_locked_joints_and_unselected_vertices() {
    let (mesh, skeleton, skin, _) = sample();
    let before = mesh.weights().unwrap();
    let chosen: BTreeSet<u32> = (0..200).step_by(3).collect();
    let of_points: BTreeSet<u32> = chosen.iter().map(|&v| mesh.points().of_vertex()[v as usize]).collect();
    for (name, operation) in operations(&mesh, &skeleton, &skin) {
        let edit =
            Edit::new(&mesh).unwrap().lock(Locks::of([1, 4])).select(VertexSelection::of(chosen.clone()));
        let after = operation(&edit).weights;
        for vertex in 0..mesh.vertex_count() {
            for slot in [1, 4] {
                assert_eq!(
                    after.weight_of(vertex, slot),
                    before.weight_of(vertex, slot),
                    "{name}, vertex {vertex}"
                );
            }
            if !of_points.contains(&mesh.points().of_vertex()[vertex]) {
                assert_eq!(after.of(vertex), before.of(vertex), "{name}, vertex {vertex}");
            }
        }
        check(&mesh, &after, JOINTS.into(), 8, name);
    }
}

#[test]
fn normalizing_closes_a_seam_with_different_weights() {
    let (mesh, ..) = sample();
    let apart = (0..mesh.vertex_count()).map(|v| [Influence { slot: (v % 3) as u16, weight: 1.0 }]);
    let mesh = with_weights(&mesh, Weights::new(3, apart).unwrap().0);
    let outcome = ops::normalize(&Edit::new(&mesh).unwrap()).unwrap();
    check(&mesh, &outcome.weights, 3, 3, "normalize");
    assert!(outcome.changed > 0);
}

#[test]
fn pruning_keeps_the_strongest_and_nothing_below_the_minimum() {
    let (mesh, ..) = sample();
    let after = ops::prune(&Edit::new(&mesh).unwrap(), 0.3).unwrap().weights;
    for vertex in 0..mesh.vertex_count() {
        let (slots, slot_weights) = after.of(vertex);
        assert!(slot_weights.len() == 1 || slot_weights.iter().all(|w| *w >= 0.3));
        assert_eq!(slots[0], mesh.weights().unwrap().of(vertex).0[0]);
    }
}

#[test]
fn refitted_weights_move_vertices_less_than_the_largest_ones() {
    let (mesh, _, _, poses) = sample();
    let edit = Edit::new(&mesh).unwrap().over(&poses);
    let sized = ops::limit(&edit, 2, LimitBy::Size).unwrap();
    let fitted = ops::limit(&edit, 2, LimitBy::Refit).unwrap();
    assert_eq!((sized.weights.max_influences(), fitted.weights.max_influences()), (2, 2));
    let (sized, fitted) = (sized.effect.range.rms_mm, fitted.effect.range.rms_mm);
    assert!(fitted < 0.9 * sized, "{fitted} against {sized}");
}

#[test]
fn quantized_weights_sum_exactly() {
    let (mesh, ..) = sample();
    for (unorm, one) in [(Unorm::Eight, 255_u32), (Unorm::Sixteen, 65535)] {
        for locks in [Locks::default(), Locks::of([0, 2])] {
            let edit = Edit::new(&mesh).unwrap().lock(locks);
            let made = ops::quantize(&edit, unorm).unwrap();
            check(&mesh, &made.outcome.weights, JOINTS.into(), 6, "quantize");
            for vertex in 0..mesh.vertex_count() {
                let (slots, values) = made.quantized.of(vertex);
                assert_eq!(values.iter().map(|v| u32::from(*v)).sum::<u32>(), one);
                for (&slot, &value) in slots.iter().zip(values) {
                    let exact = mesh.weights().unwrap().weight_of(vertex, slot) * one as f32;
                    assert!((f32::from(value) - exact).abs() < 2.0, "{value} for {exact}");
                    let back = made.outcome.weights.weight_of(vertex, slot) * one as f32;
                    assert!((back - f32::from(value)).abs() < 0.01);
                }
            }
        }
    }
}

#[test]
fn a_mirrored_side_has_the_weights_of_its_partner_with_joints_exchanged() {
    let positions = vec![Vec3::X, Vec3::NEG_X + Vec3::Y * 5e-4, Vec3::Y, Vec3::new(-3.0, 0.0, 0.0)];
    let plain = mesh(positions, vec![0, 2, 1, 0, 1, 3]);
    let skeleton = Skeleton::new([
        joint("spine", None, Vec3::ZERO),
        joint("arm_l", Some(0), Vec3::X),
        joint("arm_r", Some(0), Vec3::NEG_X),
    ]);
    let skeleton = skeleton.unwrap();
    let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
    let slot_weights =
        [[(1, 0.75), (0, 0.25)], [(0, 1.0), (1, 0.0)], [(1, 0.5), (0, 0.5)], [(2, 1.0), (0, 0.0)]];
    let influence = |(slot, weight)| Influence { slot, weight };
    let (weights, _) = Weights::new(3, slot_weights.map(|v| v.map(influence))).unwrap();
    let mesh = with_weights(&plain, weights);
    let options = MirrorOptions::default();
    let map = VertexMirrorMap::new(&mesh, &skeleton, &skin, &options);
    let made = ops::mirror(&Edit::new(&mesh).unwrap().in_skin_of(3), &map, &options).unwrap();
    let after = &made.outcome.weights;
    assert_eq!((after.weight_of(1, 2), after.weight_of(1, 0)), (0.75, 0.25));
    assert_eq!([0, 1, 2].map(|slot| after.weight_of(2, slot)), [0.5, 0.25, 0.25]);
    assert_eq!((made.mirrored, made.centered, &made.unmatched[..]), (1, 1, &[3][..]));
}

#[test]
fn transfer_matches_near_points_and_fills_in_far_ones() {
    let (positions, indices) = tube(20, 12);
    let body = mesh(positions.clone(), indices.clone());
    let ramp = positions
        .iter()
        .map(|p| [0, 1].map(|slot| Influence { slot, weight: if slot == 0 { 1.0 - p.y } else { p.y } }));
    let (ramp, _) = Weights::new(2, ramp).unwrap();
    // A sleeve with a bulge beyond the maximum distance of a match.
    let worn = |p: &Vec3| {
        let wide = if (0.4..0.6).contains(&p.y) { 4.0 } else { 1.1 };
        Vec3::new(p.x * wide, p.y, p.z * wide)
    };
    let sleeve = mesh(positions.iter().map(worn).collect(), indices);
    let blank = Weights::new(2, positions.iter().map(|_| [Influence { slot: 0, weight: 1.0 }])).unwrap().0;
    let edit = Edit::with_weights(&sleeve, &blank).unwrap();
    let options = TransferOptions { distance: Some(0.05), ..TransferOptions::default() };
    let made = ops::transfer(&edit, &body, &ramp, &SlotMap::same(2), &options).unwrap();
    assert!(made.matched > 0 && made.filled > 0 && made.by_nearest == 0);
    for (vertex, p) in sleeve.positions().iter().enumerate() {
        let got = made.outcome.weights.weight_of(vertex, 1);
        assert!((got - p.y).abs() < 0.06, "{got} at {}", p.y);
    }
}

#[test]
fn weights_are_copied_by_order_by_position_and_by_texture() {
    let (body, ..) = sample();
    let weights: &Weights = body.weights().unwrap();
    let count = body.vertex_count();
    // Texture coordinates identify the points; the copy has its vertices in reverse order.
    let uv =
        |mesh: &Mesh| vec![mesh.positions().iter().map(|p| Vec2::new(p.y + p.x, p.z * 3.0 + p.y)).collect()];
    let body = Mesh::new(MeshParts { uv_sets: uv(&body), ..body.parts().clone() }).unwrap();
    let backwards = MeshParts {
        positions: body.positions().iter().rev().copied().collect(),
        uv_sets: vec![body.uv_sets()[0].iter().rev().copied().collect()],
        weights: None,
        ..body.parts().clone()
    };
    let other = Mesh::new(backwards).unwrap();
    let blank = Weights::new(1, (0..count).map(|_| [])).unwrap().0;
    let same = SlotMap::same(JOINTS.into());
    for by in [CopyBy::Position { tolerance: 1e-5 }, CopyBy::Uv { set: 0, tolerance: 1e-5 }] {
        let edit = Edit::with_weights(&other, &blank).unwrap();
        let made = ops::copy(&edit, &body, weights, &same, by).unwrap();
        assert!(made.unmatched.is_empty());
        for vertex in 0..count {
            let want = weights.of(count - 1 - vertex);
            assert_eq!(made.outcome.weights.of(vertex), want, "{by:?}");
        }
    }
    let edit = Edit::with_weights(&other, &blank).unwrap();
    let missing = ops::copy(&edit, &body, weights, &same, CopyBy::Uv { set: 3, tolerance: 0.1 });
    assert!(matches!(missing, Err(WeightError::Missing { .. })));
}

#[test]
fn a_joint_without_weight_is_removed_and_no_vertex_moves() {
    let (mesh, skeleton, skin, poses) = sample();
    let merged = ops::merge_joints(&Edit::new(&mesh).unwrap(), &[2, 3], 1).unwrap().weights;
    let made = ops::remove_unused_joints(&skeleton, &skin, &[&merged], &[3]).unwrap();
    assert_eq!((made.removed, made.skin.joints().len()), (vec![2], 5));
    let after =
        EffectPoses::of_skin(&skeleton, &made.skin, &[], &skeleton.rest_pose(), &PoseOptions::default());
    // The range of motion rotates the joints of the skin; keep the poses of the joints that stayed.
    let bound = |weights, poses| BoundVertices { positions: mesh.positions(), weights, poses };
    let options = PoseOptions { angle_radians: 0.0, ..PoseOptions::default() };
    let still = |skin| EffectPoses::of_skin(&skeleton, skin, &[], &skeleton.rest_pose(), &options);
    assert!(still(&skin).range().is_empty() && after.range().len() < poses.range().len());
    for (old, new) in [(0_usize, 0_usize), (3, 2), (5, 4)] {
        for axis in 0..3 {
            let (one, two) = (&poses.range()[old * 3 + axis], &after.range()[new * 3 + axis]);
            for vertex in 0..mesh.vertex_count() {
                let at = |weights: &Weights, pose: &EffectPose| -> Vec3 {
                    let moved = |i: Influence| {
                        pose.matrices()[usize::from(i.slot)].transform_point3(mesh.positions()[vertex])
                            * i.weight
                    };
                    weights.influences(vertex).map(moved).sum()
                };
                assert!(at(&merged, one).distance(at(&made.weights[0], two)) < 1e-6);
            }
        }
    }
    assert_eq!(
        Effect::between(&bound(&merged, &poses), &bound(&merged, &poses)),
        Effect {
            range: sinew_author::weights::Displacement { poses: poses.range().len(), ..Default::default() },
            ..Effect::default()
        }
    );
}

#[test]
fn a_split_joint_moves_all_weight_beyond_the_end_and_none_before_the_start() {
    let (positions, indices) = tube(10, 8);
    let all = positions.iter().map(|_| [Influence { slot: 0, weight: 1.0 }]);
    let mesh = with_weights(&mesh(positions.clone(), indices), Weights::new(1, all).unwrap().0);
    let along = SplitAlong { start: Vec3::Y * 0.3, end: Vec3::Y * 0.7 };
    let edit = Edit::new(&mesh).unwrap();
    assert!(matches!(ops::split_joint(&edit, 0, 1, along), Err(WeightError::NoSuchSlot { slot: 1, .. })));
    let after = ops::split_joint(&edit.in_skin_of(2), 0, 1, along).unwrap().weights;
    for (vertex, p) in positions.iter().enumerate() {
        let got = after.weight_of(vertex, 1);
        let want = if p.y <= 0.3 {
            0.0
        } else if p.y >= 0.7 {
            1.0
        } else {
            continue;
        };
        assert!((got - want).abs() < 1e-6, "{got} at {}", p.y);
    }
    assert!((after.weight_of(5 * 8, 1) - 0.5).abs() < 1e-3);
}

#[test]
fn an_added_joint_takes_weight_and_moves_no_vertex() {
    let (mesh, skeleton, skin, before) = sample();
    let made = ops::add_joint(&skeleton, &skin, 2, "twist", Vec3::new(0.1, 0.5, -0.2)).unwrap();
    assert_eq!((made.slot, made.skeleton.len()), (JOINTS, usize::from(JOINTS) + 1));
    assert_eq!(made.skeleton.name(made.skin.joints()[6]), "twist");
    let along = SplitAlong { start: Vec3::ZERO, end: Vec3::Y };
    let edit = Edit::new(&mesh).unwrap().in_skin_of(7);
    let split = ops::split_joint(&edit, 2, made.slot, along).unwrap().weights;
    assert!((0..mesh.vertex_count()).any(|v| split.weight_of(v, made.slot) > 0.1));
    let rest = made.skeleton.rest_pose();
    let after = EffectPoses::of_skin(&made.skeleton, &made.skin, &[], &rest, &PoseOptions::default());
    // The poses of the old joints come first and are compared in order.
    let bound = |weights, poses| BoundVertices { positions: mesh.positions(), weights, poses };
    let effect = Effect::between(&bound(mesh.weights().unwrap(), &before), &bound(&split, &after));
    assert!(effect.range.poses == 18 && effect.range.max_mm < 1e-3, "{effect:?}");
    let missing = ops::add_joint(&skeleton, &skin, 9, "x", Vec3::ZERO);
    assert!(matches!(missing, Err(WeightError::NoSuchSlot { slot: 9, .. })));
}

#[test]
fn a_baked_bind_shows_the_pose_and_stays_bound() {
    let (mesh, skeleton, skin, before) = sample();
    let strongest = with_weights(&mesh, mesh.weights().unwrap().strongest());
    let mut pose = skeleton.rest_pose();
    pose.joints[2].rotation = Quat::from_rotation_x(0.8);
    pose.joints[4].rotation = Quat::from_rotation_z(-0.5);
    for (mesh, max_mm_allowed) in [(&strongest, 1e-3), (&mesh, 400.0)] {
        let baked = ops::bake_bind(mesh, &skeleton, &skin, &pose).unwrap();
        let after =
            EffectPoses::of_skin(&skeleton, &baked.skin, &[], &skeleton.rest_pose(), &PoseOptions::default());
        assert!(baked.flattened.is_empty());
        let effect = baked.effect(mesh, &before, &after);
        assert!(effect.range.poses > 0 && effect.range.max_mm <= max_mm_allowed, "{effect:?}");
        assert!(baked.mesh.positions() != mesh.positions());
    }
}
