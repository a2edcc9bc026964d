//! Weight painting with a brush.

use super::{mesh, with_weights};
use sinew::{Influence, Mesh, Skeleton, Skin, Weights, glam::Vec3};
use sinew_author::weights::{
    Locks, WeightError, WeightTable,
    ops::{
        MirrorOptions, VertexMirrorMap,
        brush::{Brush, BrushKind, BrushStamp, VertexAdjacency, paint},
    },
};

/// A strip of triangles across the plane of symmetry; vertex 5 is a copy of vertex 0.
fn strip() -> Mesh {
    let positions = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|x| Vec3::new(x, 0.0, 0.0));
    let lower = positions.map(|p| p - Vec3::Y);
    let all = positions.into_iter().chain([positions[0]]).chain(lower).collect();
    let plain =
        mesh(all, vec![5, 6, 1, 1, 6, 7, 1, 7, 2, 2, 7, 8, 2, 8, 3, 3, 8, 9, 3, 9, 4, 4, 9, 10, 0, 6, 1]);
    let vertex = |slot| {
        [
            Influence { slot, weight: 0.5 },
            Influence { slot: 0, weight: 0.25 },
            Influence { slot: 3, weight: 0.25 },
        ]
    };
    let weights =
        Weights::new(4, plain.positions().iter().map(|p| vertex(if p.x > 0.0 { 1 } else { 2 }))).unwrap().0;
    with_weights(&plain, weights)
}

fn brush(kind: BrushKind, amount: f32, locks: &Locks) -> Brush<'_> {
    Brush { kind, slot: 1, amount, max_influences: 4, locks, mirror: None }
}

fn painted(brush: &Brush<'_>, stamps: &[(u32, f32)]) -> (WeightTable, Vec<u32>) {
    let mesh = strip();
    let mut table = WeightTable::new(mesh.weights().unwrap(), 4);
    let stamps: Vec<BrushStamp> =
        stamps.iter().map(|&(vertex, falloff)| BrushStamp { vertex, falloff }).collect();
    let changed = paint(&mut table, &VertexAdjacency::new(&mesh), brush, &stamps).unwrap();
    (table, changed)
}

fn of(table: &WeightTable, vertex: usize) -> [f32; 4] {
    [0, 1, 2, 3].map(|slot| table.weight_of(vertex, slot))
}

#[test]
fn adding_scales_the_others_down_and_copies_are_painted_together() {
    let none = Locks::default();
    let (table, changed) = painted(&brush(BrushKind::Add, 0.5, &none), &[(0, 1.0), (3, 0.5), (3, 0.1)]);
    assert_eq!(changed, [0, 5, 3]);
    assert_eq!(of(&table, 0), [0.125, 0.5, 0.25, 0.125]);
    assert_eq!(of(&table, 5), of(&table, 0));
    assert_eq!(of(&table, 3), [0.125, 0.75, 0.0, 0.125]);
    let (table, _) = painted(&brush(BrushKind::Add, -9.0, &none), &[(3, 1.0)]);
    assert_eq!(of(&table, 3), [0.5, 0.0, 0.0, 0.5]);
}

#[test]
fn replace_and_scale_reach_their_amount() {
    let none = Locks::default();
    let (table, _) = painted(&brush(BrushKind::Replace, 0.0, &none), &[(3, 0.5)]);
    assert_eq!(table.weight_of(3, 1), 0.25);
    let (table, _) = painted(&brush(BrushKind::Replace, 1.0, &none), &[(3, 1.0)]);
    assert_eq!(of(&table, 3), [0.0, 1.0, 0.0, 0.0]);
    let (table, _) = painted(&brush(BrushKind::Scale, 0.5, &none), &[(3, 1.0)]);
    assert_eq!(table.weight_of(3, 1), 0.25);
}

#[test]
fn smooth_moves_to_the_mean_of_neighbors_and_sharpen_away_from_it() {
    let none = Locks::default();
    let (smooth, _) = painted(&brush(BrushKind::Smooth, 1.0, &none), &[(2, 1.0)]);
    // Neighbors 1, 7 and 8 are on the other side (8 is in the middle), 3 is not.
    assert_eq!(smooth.weight_of(2, 1), 0.125);
    let (sharp, _) = painted(&brush(BrushKind::Sharpen, 1.0, &none), &[(3, 1.0)]);
    assert!(sharp.weight_of(3, 1) > 0.5);
}

#[test]
fn painting_keeps_locks_and_the_influence_limit() {
    let locks = Locks::of([3]);
    let (table, _) = painted(&brush(BrushKind::Replace, 1.0, &locks), &[(0, 1.0)]);
    assert_eq!(of(&table, 0), [0.0, 0.75, 0.0, 0.25]);
    let own = Locks::of([1]);
    let (_, changed) = painted(&brush(BrushKind::Replace, 1.0, &own), &[(0, 1.0)]);
    assert!(changed.is_empty());
    let few = Brush { max_influences: 2, ..brush(BrushKind::Add, 0.2, &locks) };
    let (table, _) = painted(&few, &[(0, 1.0)]);
    assert_eq!(of(&table, 0), [0.0, 0.75, 0.0, 0.25], "the painted joint and the locked one are two");
}

#[test]
fn mirrored_painting_changes_the_other_side_and_joint() {
    let mesh = strip();
    let names = ["spine", "arm_l", "arm_r", "head"];
    let joints = names.map(|n| super::joint(n, None, Vec3::ZERO));
    let skeleton = Skeleton::new(joints).unwrap();
    let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
    let map = VertexMirrorMap::new(&mesh, &skeleton, &skin, &MirrorOptions::default());
    let none = Locks::default();
    let both = Brush { mirror: Some(&map), ..brush(BrushKind::Add, 0.25, &none) };
    let mut table = WeightTable::new(mesh.weights().unwrap(), 4);
    let stamp = BrushStamp { vertex: 4, falloff: 1.0 };
    let changed = paint(&mut table, &VertexAdjacency::new(&mesh), &both, &[stamp]).unwrap();
    assert_eq!(changed, [0, 5, 4]);
    assert_eq!((table.weight_of(4, 1), table.weight_of(0, 2)), (0.75, 0.75));
}

#[test]
fn rejects_a_brush_for_an_unknown_joint_or_another_mesh() {
    let (mesh, none) = (strip(), Locks::default());
    let mut table = WeightTable::new(mesh.weights().unwrap(), 4);
    let nobody = Brush { slot: 9, ..brush(BrushKind::Add, 0.1, &none) };
    let error = paint(&mut table, &VertexAdjacency::new(&mesh), &nobody, &[]).unwrap_err();
    assert_eq!(error, WeightError::NoSuchSlot { slot: 9, slot_count: 4 });
    let other = super::mesh(vec![Vec3::ZERO], vec![]);
    let fine = brush(BrushKind::Add, 0.1, &none);
    assert!(paint(&mut table, &VertexAdjacency::new(&other), &fine, &[]).is_err());
}
