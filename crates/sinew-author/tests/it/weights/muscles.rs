//! Muscle weights: no operation mixes them with the weights that sum to one, and none loses them.

use sinew::{Character, Frame, Influence, JointId, Mesh, Method, WeightSum, Weights, glam::Quat};
use sinew_author::{
    check::{CheckOptions, FindingCode, check, fix_code},
    helper_joints::{MuscleOptions, add_muscle},
    uninterrupted,
    weights::{
        BoneSet, Edit, EditOutcome, Effect, EffectPoses, Locks, MuscleSlots, VertexAdjacency,
        VertexSelection, WeightTable,
        auto::{AutoMethod, AutoOptions, auto_weights},
        bind_to_skeleton,
        diff::{WeightDiff, changed_vertices},
        effect::BoundVertices,
        ops::{
            self, CopyBy, LimitBy, MirrorOptions, SkinAndSkeleton, SlotMap, SmoothOptions, TransferOptions,
            Unorm, VertexMirrorMap,
            brush::{Brush, BrushKind, BrushStamp, paint},
        },
        text,
    },
};
use std::sync::Arc;

/// The figure with a muscle on the bone of `bone`, driven by `bends`.
fn with_muscle(character: &Character, bone: &str, bends: &str) -> Character {
    let find = |name: &str| character.skeleton().find(name).unwrap();
    add_muscle(character, find(bone), find(bends), &MuscleOptions::default()).unwrap().character
}

/// The figure with a biceps on its left arm.
fn strong_figure() -> Character {
    with_muscle(&sinew_samples::figure(), "upper_arm.L", "forearm.L")
}

fn weights_of(character: &Character) -> &Weights {
    character.meshes()[0].weights().unwrap()
}

fn with_weights(character: &Character, weights: Weights) -> Character {
    let mut parts = character.parts().clone();
    let precomputed = parts.meshes[0].precomputed().clone();
    parts.meshes[0] =
        Arc::new(Mesh::clone(&parts.meshes[0]).with_weights(weights.into(), precomputed).unwrap());
    Character::new(parts).unwrap()
}

fn slot(character: &Character, joint: &str) -> u16 {
    character.skins()[0].slot_of(character.skeleton().find(joint).unwrap()).unwrap()
}

fn has_same_muscles(one: &Weights, other: &Weights) -> bool {
    (0..one.vertex_count()).all(|vertex| one.muscle_of(vertex) == other.muscle_of(vertex))
}

fn carriers(weights: &Weights) -> Vec<Vec<Influence>> {
    (0..weights.vertex_count()).map(|vertex| weights.influences(vertex).collect()).collect()
}

/// The mirror map of the first mesh.
fn mirror_map(character: &Character) -> (VertexMirrorMap, MirrorOptions) {
    let options = MirrorOptions::default();
    let map =
        VertexMirrorMap::new(&character.meshes()[0], character.skeleton(), &character.skins()[0], &options);
    (map, options)
}

#[test]
fn automatic_weights_give_a_muscle_nothing_to_carry_and_keep_its_weights() {
    for (plain, bone, bends) in
        [(sinew_samples::arm(), "upper", "lower"), (sinew_samples::figure(), "upper_arm.L", "forearm.L")]
    {
        let muscled = with_muscle(&plain, bone, bends);
        let muscle = slot(&muscled, &format!("{bone}.muscle.1"));
        for method in AutoMethod::ALL {
            let options = AutoOptions { method, resolution: 40, ..AutoOptions::default() };
            let auto = |character: &Character| {
                let bones = BoneSet::of_character(character, 0);
                auto_weights(&character.meshes()[0], &bones, &options, &mut uninterrupted).unwrap()
            };
            let (without, with) = (auto(&plain), auto(&muscled));
            assert_eq!(carriers(&with.weights), carriers(&without.weights), "{method}");
            assert!(has_same_muscles(&with.weights, weights_of(&muscled)), "{method}");
            assert!(!with.report.unused.contains(&muscle), "{method}: the muscle counts as used");
        }
    }
}

#[test]
fn a_muscle_of_another_mesh_of_the_skin_carries_nothing_either() {
    let figure = strong_figure();
    let mut parts = figure.parts().clone();
    parts.meshes.push(Arc::new(sinew_samples::figure().meshes()[0].as_ref().clone()));
    parts.instances.push(sinew::MeshInstance { mesh: 1, ..parts.instances[0].clone() });
    let both = Character::new(parts).unwrap();
    let muscle = slot(&both, "upper_arm.L.muscle.1");
    assert_eq!(weights_of(&both).sum_kind(), WeightSum::Muscle);
    assert!(MuscleSlots::of_character(&both, 0).holds(muscle));
    assert!(BoneSet::of_character(&both, 0).bones().iter().all(|bone| bone.slot != muscle));
    // Without any muscle weight, the helper that swells the joint still tells.
    let bare =
        with_weights(&figure, weights_of(&figure).clone().with_muscles_of(&weights_of(&figure).strongest()));
    assert_eq!(weights_of(&bare).sum_kind(), WeightSum::One);
    assert!(MuscleSlots::of_character(&bare, 0).iter().eq([muscle]));
}

#[test]
fn smoothing_pruning_limiting_sharpening_and_quantizing_leave_muscle_weights_alone() {
    let figure = strong_figure();
    let poses = EffectPoses::of_character(&figure, 0, &Default::default());
    let edit = Edit::new(&figure.meshes()[0]).unwrap().over(&poses);
    let outcomes: [(&str, EditOutcome); 6] = [
        ("smooth", ops::smooth(&edit, &SmoothOptions::default()).unwrap()),
        ("prune", ops::prune(&edit, 0.3).unwrap()),
        ("limit by size", ops::limit(&edit, 1, LimitBy::Size).unwrap()),
        ("limit by refit", ops::limit(&edit, 1, LimitBy::Refit).unwrap()),
        ("sharpen", ops::sharpen(&edit, 2.0).unwrap()),
        ("quantize", ops::quantize(&edit, Unorm::Eight).unwrap().outcome),
    ];
    for (name, outcome) in outcomes {
        assert!(outcome.changed > 0, "{name} changed nothing");
        assert!(has_same_muscles(&outcome.weights, weights_of(&figure)), "{name}");
    }
}

#[test]
fn normalizing_closes_seams_of_muscle_weights() {
    let arm = with_muscle(&sinew_samples::arm(), "upper", "lower");
    let (mesh, muscle) = (&arm.meshes()[0], slot(&arm, "upper.muscle.1"));
    let points = mesh.points();
    let is_copy = |v: &usize| points.first_vertex()[points.of_vertex()[*v] as usize] as usize != *v;
    let copy = (0..mesh.vertex_count())
        .filter(is_copy)
        .find(|&v| weights_of(&arm).muscle_weight_of(v, muscle) > 0.1);
    let (copy, weights) = (copy.unwrap(), weights_of(&arm));
    let opened = weights.clone().with_muscle_weights(
        weights.slot_count(),
        (0..weights.vertex_count()).map(|v| {
            let doubled = move |i: Influence| Influence { weight: i.weight * 3.0, ..i };
            weights.muscle_influences(v).map(move |i| if v == copy { doubled(i) } else { i })
        }),
    );
    let opened = with_weights(&arm, opened.unwrap());
    let found = check(&opened, &[], &CheckOptions::default());
    let seam =
        found.iter().find(|f| f.code == FindingCode::SeamOpens).expect("the doctor sees the open seam");
    assert_eq!(seam.place.vertices, [copy as u32]);
    assert!(seam.measurements.iter().any(|m| m.name == "gap_mm" && m.value > 1.0), "{seam:?}");
    let closed = ops::normalize(&Edit::new(&opened.meshes()[0]).unwrap()).unwrap().weights;
    let first = points.first_vertex()[points.of_vertex()[copy] as usize] as usize;
    assert_eq!(closed.muscle_of(copy), closed.muscle_of(first));
    let (before, after) = (weights.muscle_weight_of(copy, muscle), closed.muscle_weight_of(copy, muscle));
    assert!((after - before * 2.0).abs() < 1e-5, "the mean of {before} and {}: {after}", before * 3.0);
    let fixed = fix_code(&opened, FindingCode::SeamOpens, &CheckOptions::default()).unwrap();
    assert!(
        check(&fixed.character, &[], &CheckOptions::default())
            .iter()
            .all(|f| f.code != FindingCode::SeamOpens)
    );
}

#[test]
fn mirroring_copies_a_muscle_to_its_partner_and_leaves_a_lone_one_on_its_side() {
    let lone = strong_figure();
    let (map, options) = mirror_map(&lone);
    let mirrored = ops::mirror(&Edit::new(&lone.meshes()[0]).unwrap(), &map, &options).unwrap().outcome;
    assert!(has_same_muscles(&mirrored.weights, weights_of(&lone)));

    let both = with_muscle(&lone, "upper_arm.R", "forearm.R");
    let [left, right] = ["upper_arm.L.muscle.1", "upper_arm.R.muscle.1"].map(|name| slot(&both, name));
    let weights = weights_of(&both);
    // The right muscle is painted away; mirroring brings it back.
    let only_left = weights.clone().with_muscle_weights(
        weights.slot_count(),
        (0..weights.vertex_count()).map(|v| weights.muscle_influences(v).filter(|i| i.slot == left)),
    );
    let only_left = with_weights(&both, only_left.unwrap());
    let (map, options) = mirror_map(&only_left);
    let mesh = &only_left.meshes()[0];
    let mirrored = ops::mirror(&Edit::new(mesh).unwrap(), &map, &options).unwrap().outcome;
    let pushed = |weights: &Weights, slot: u16| {
        (0..weights.vertex_count()).map(|v| f64::from(weights.muscle_weight_of(v, slot))).sum::<f64>()
    };
    assert!(pushed(weights, left) > 1.0);
    assert!((pushed(&mirrored.weights, right) - pushed(weights, left)).abs() < 1e-3);
    assert_eq!(pushed(&mirrored.weights, left), pushed(weights, left));
    assert!(mirrored.changed > 0);
    for (vertex, place) in mesh.positions().iter().enumerate() {
        let own = mirrored.weights.muscle_of(vertex).0;
        assert!(!own.contains(&if place.x > 0.0 { right } else { left }), "vertex {vertex} at {place}");
    }
}

#[test]
fn the_doctor_compares_sides_despite_a_lone_muscle_and_sees_uneven_muscles() {
    let lopsided = |character: &Character| {
        let found = check(character, &[], &CheckOptions::default());
        found.into_iter().find(|f| f.code == FindingCode::AsymmetricWeights)
    };
    let figure = strong_figure();
    assert_eq!(lopsided(&figure), None);
    // A painted vertex on one side.
    let hand = slot(&figure, "hand.L");
    let weights = weights_of(&figure);
    let vertex = (0..weights.vertex_count()).find(|&v| weights.weight_of(v, hand) == 1.0).unwrap();
    let painted = [(vertex as u32, [Influence { slot: slot(&figure, "forearm.L"), weight: 1.0 }])];
    let painted = with_weights(&figure, weights.with_vertices(weights.slot_count(), painted).unwrap());
    assert!(lopsided(&painted).is_some(), "a muscle on one side hides the difference");

    let both = with_muscle(&figure, "upper_arm.R", "forearm.R");
    assert_eq!(lopsided(&both), None);
    let weights = weights_of(&both);
    let weak = weights.clone().with_muscle_weights(
        weights.slot_count(),
        (0..weights.vertex_count()).map(|v| {
            let half = slot(&both, "upper_arm.R.muscle.1");
            weights
                .muscle_influences(v)
                .map(move |i| if i.slot == half { Influence { weight: i.weight * 0.5, ..i } } else { i })
        }),
    );
    let weak = with_weights(&both, weak.unwrap());
    assert!(lopsided(&weak).is_some());
    let fixed = fix_code(&weak, FindingCode::AsymmetricWeights, &CheckOptions::default()).unwrap();
    assert_eq!(lopsided(&fixed.character), None);
}

#[test]
fn clothes_take_the_muscle_weights_of_the_body() {
    let body = strong_figure();
    let mut parts = body.parts().clone();
    parts.meshes = vec![Arc::new(
        Mesh::new(sinew::MeshParts {
            weights: None,
            precomputed: sinew::Precomputed::default(),
            ..parts.meshes[0].parts().clone()
        })
        .unwrap(),
    )];
    parts.instances.iter_mut().for_each(|instance| instance.skin = None);
    (parts.skins, parts.clips, parts.helpers) = (Vec::new(), Vec::new(), Vec::new());
    let clothes = bind_to_skeleton(&body, 0, &Character::new(parts).unwrap()).unwrap();
    let rig = |character| SkinAndSkeleton {
        skeleton: Character::skeleton(character),
        skin: &Character::skins(character)[0],
    };
    let edit = Edit::new(&clothes.meshes()[0]).unwrap().in_skin_of(body.skins()[0].joints().len());
    let slots = SlotMap::by_name(rig(&body), rig(&clothes));
    let given = weights_of(&body);
    let options = TransferOptions::default();
    let taken = ops::transfer(&edit, &body.meshes()[0], given, &slots, &options).unwrap().outcome.weights;
    let muscle = slot(&body, "upper_arm.L.muscle.1");
    for vertex in 0..given.vertex_count() {
        let (got, want) = (taken.muscle_weight_of(vertex, muscle), given.muscle_weight_of(vertex, muscle));
        assert!((got - want).abs() < 1e-3, "vertex {vertex}: {got} for {want}");
    }
    let copied = ops::copy(&edit, &body.meshes()[0], given, &slots, CopyBy::Order).unwrap().outcome.weights;
    assert_eq!(&copied, given);

    // A skin without the muscle takes nothing of it: neither its parent nor anyone else swells.
    let plain = sinew_samples::figure();
    let slots = SlotMap::by_name(rig(&body), rig(&plain));
    assert_eq!(slots.muscle(muscle), None);
    let edit = Edit::new(&plain.meshes()[0]).unwrap();
    let taken = ops::transfer(&edit, &body.meshes()[0], given, &slots, &options).unwrap().outcome.weights;
    assert_eq!(taken.sum_kind(), WeightSum::One);
}

#[test]
fn locked_muscles_and_unselected_vertices_keep_their_weights() {
    let body = strong_figure();
    let given = weights_of(&body);
    let muscle = slot(&body, "upper_arm.L.muscle.1");
    let doubled = given.clone().with_muscle_weights(
        given.slot_count(),
        (0..given.vertex_count())
            .map(|v| given.muscle_influences(v).map(|i| Influence { weight: i.weight * 2.0, ..i })),
    );
    let doubled = doubled.unwrap();
    let same = SlotMap::same(given.slot_count());
    let mesh = &body.meshes()[0];
    let copied = |edit: Edit<'_>| ops::copy(&edit, mesh, &doubled, &same, CopyBy::Order).unwrap().outcome;
    let locked = copied(Edit::new(mesh).unwrap().lock(Locks::of([muscle])));
    assert_eq!((&locked.weights, locked.changed), (given, 0));
    let one = (0..given.vertex_count()).find(|&v| given.muscle_weight_of(v, muscle) > 0.1).unwrap();
    let selected = copied(Edit::new(mesh).unwrap().select(VertexSelection::of([one as u32])));
    assert_eq!(selected.weights.muscle_of(one), doubled.muscle_of(one));
    assert!(selected.changed >= 1 && selected.changed < 4, "only the copies of the point change");
}

#[test]
fn the_effect_of_muscle_weights_is_what_frame_shows() {
    let arm = with_muscle(&sinew_samples::arm(), "upper", "lower");
    let given = weights_of(&arm);
    let none = given.clone().with_muscles_of(&given.strongest());
    let poses = EffectPoses::of_character(&arm, 0, &Default::default());
    let bound = |weights| BoundVertices { positions: arm.meshes()[0].positions(), weights, poses: &poses };
    let effect = Effect::between(&bound(given), &bound(&none));
    let bare = with_weights(&arm, none.clone());
    let deformed = |character: &Character| {
        let mut frame = Frame::new(character);
        frame.sample(&character.clips()[3], 0.0, sinew::Wrap::Clamp);
        frame.deform(Method::Linear).unwrap();
        frame.deformed()[0].positions.clone()
    };
    let moved = deformed(&arm).iter().zip(deformed(&bare)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
    assert!(moved > 0.005, "{moved}");
    assert!((effect.clips.max_mm - f64::from(moved) * 1000.0).abs() < 0.5, "{effect:?} {moved}");
    assert_eq!(
        changed_vertices(&arm, &bare),
        MuscleSlots::of_weights(given)
            .iter()
            .map(|slot| {
                (0..given.vertex_count()).filter(|&v| given.muscle_weight_of(v, slot) != 0.0).count()
            })
            .sum::<usize>()
    );
    let diff = WeightDiff::new(given, &none).unwrap();
    assert_eq!((diff.joints.len(), diff.joints[0].is_muscle, diff.joints[0].after), (1, true, 0.0));
    assert!(diff.max_l1 > 0.5 && diff.joints[0].before > 10.0);
}

#[test]
fn merging_moves_muscle_weights_from_muscle_to_muscle_only() {
    let one = with_muscle(&sinew_samples::arm(), "upper", "lower");
    let options = MuscleOptions { around_radians: 2.0, ..MuscleOptions::default() };
    let two = add_muscle(&one, JointId(0), JointId(1), &options).unwrap().character;
    let weights = weights_of(&two);
    let [first, second] = ["upper.muscle.1", "upper.muscle.2"].map(|name| slot(&two, name));
    let edit = Edit::new(&two.meshes()[0]).unwrap();
    let merged = ops::merge_joints(&edit, &[second], first).unwrap().weights;
    for v in 0..weights.vertex_count() {
        let sum = weights.muscle_weight_of(v, first) + weights.muscle_weight_of(v, second);
        assert!((merged.muscle_weight_of(v, first) - sum).abs() < 1e-6);
        assert_eq!(merged.muscle_weight_of(v, second), 0.0);
    }
    let onto_a_bone = ops::merge_joints(&edit, &[second], 0).unwrap();
    assert_eq!((&onto_a_bone.weights, onto_a_bone.changed), (weights, 0));
}

#[test]
fn a_brush_paints_muscle_weights_of_any_value_and_nothing_else() {
    let arm = with_muscle(&sinew_samples::arm(), "upper", "lower");
    let (mesh, muscle) = (&arm.meshes()[0], slot(&arm, "upper.muscle.1"));
    let adjacency = VertexAdjacency::new(mesh);
    let locks = Locks::default();
    let brush =
        |kind, amount| Brush { kind, slot: muscle, amount, max_influences: 1, locks: &locks, mirror: None };
    let stamp = |vertex| [BrushStamp { vertex, falloff: 1.0 }];
    let mut table = WeightTable::new(weights_of(&arm), 3);
    assert!(table.is_muscle(muscle) && !table.is_muscle(0));
    let changed = paint(&mut table, &adjacency, &brush(BrushKind::Replace, 1.75), &stamp(0)).unwrap();
    assert!(changed.contains(&0));
    assert_eq!(table.muscle_weight_of(0, muscle), 1.75);
    paint(&mut table, &adjacency, &brush(BrushKind::Add, -2.0), &stamp(0)).unwrap();
    assert_eq!(table.to_weights().unwrap().muscle_of(0), (&[muscle][..], &[-0.25][..]));
    assert_eq!(carriers(&table.to_weights().unwrap()), carriers(weights_of(&arm)));
    paint(&mut table, &adjacency, &brush(BrushKind::Scale, 0.0), &stamp(0)).unwrap();
    let erased = table.to_weights().unwrap();
    assert!(erased.muscle_of(0).0.is_empty());
    let locked = Locks::of([muscle]);
    let brush = Brush { locks: &locked, ..brush(BrushKind::Replace, 1.0) };
    assert!(paint(&mut table, &adjacency, &brush, &stamp(0)).unwrap().is_empty());

    // The first muscle weight of a mesh: the caller says that the joint is a muscle.
    let plain = weights_of(&arm).clone().with_muscles_of(&weights_of(&arm).strongest());
    let mut table = WeightTable::new(&plain, 3).with_muscles(&MuscleSlots::of([muscle]));
    let brush = Brush { locks: &locks, ..brush };
    paint(&mut table, &adjacency, &brush, &stamp(5)).unwrap();
    assert_eq!(table.to_weights().unwrap().muscle_weight_of(5, muscle), 1.0);
}

#[test]
fn a_mirrored_brush_paints_the_partner_of_a_muscle_and_no_lone_one() {
    let lone = strong_figure();
    let both = with_muscle(&lone, "upper_arm.R", "forearm.R");
    for (character, partner) in [(&lone, None), (&both, Some("upper_arm.R.muscle.1"))] {
        let (mesh, left) = (&character.meshes()[0], slot(character, "upper_arm.L.muscle.1"));
        let (map, _) = mirror_map(character);
        let locks = Locks::default();
        let brush = Brush {
            kind: BrushKind::Replace,
            slot: left,
            amount: 2.0,
            max_influences: 4,
            locks: &locks,
            mirror: Some(&map),
        };
        let vertex = (0..mesh.vertex_count())
            .find(|&v| weights_of(character).muscle_weight_of(v, left) > 0.2)
            .unwrap();
        let mut table = WeightTable::new(weights_of(character), 0);
        let stamps = [BrushStamp { vertex: vertex as u32, falloff: 1.0 }];
        let changed = paint(&mut table, &VertexAdjacency::new(mesh), &brush, &stamps).unwrap();
        let other_side: Vec<usize> =
            changed.iter().map(|v| *v as usize).filter(|&v| mesh.positions()[v].x < 0.0).collect();
        let Some(partner) = partner else {
            assert!(other_side.is_empty());
            continue;
        };
        let right = slot(character, partner);
        assert!(
            !other_side.is_empty() && other_side.iter().all(|&v| table.muscle_weight_of(v, right) == 2.0)
        );
    }
}

#[test]
fn text_holds_muscle_weights_without_loss() {
    let figure = strong_figure();
    let (weights, skeleton, skin) = (weights_of(&figure), figure.skeleton(), &figure.skins()[0]);
    let written = text::to_text("body", weights, skeleton, skin);
    assert!(written.starts_with("sinew-weights 2\n"));
    assert!(written.contains(" | \"upper_arm.L.muscle.1\" "), "a muscle has its place in a line");
    assert_eq!(&text::from_text(&written, skeleton, skin, None).unwrap(), weights);
    // Version 1 says nothing about muscles: existing ones stay.
    let plain = weights.clone().with_muscles_of(&weights.strongest());
    let old = text::to_text("body", &plain, skeleton, skin);
    assert!(old.starts_with("sinew-weights 1\n"));
    assert_eq!(&text::from_text(&old, skeleton, skin, Some(weights)).unwrap(), weights);
    assert_eq!(text::from_text(&old, skeleton, skin, None).unwrap(), plain);
    // Version 2 without any muscle removes them.
    let removed = old.replacen('1', "2", 1);
    assert_eq!(text::from_text(&removed, skeleton, skin, Some(weights)).unwrap(), plain);
    let message = |text: &str| text::from_text(text, skeleton, skin, None).unwrap_err().to_string();
    let start = |version: u8| format!("sinew-weights {version}\nmesh \"m\"\nvertices 1\n");
    let line = "0: \"hips\" 1 | \"upper_arm.L.muscle.1\"";
    assert_eq!(message(&format!("{}{line} 1", start(1))), "line 4: a joint name must be in quotes");
    assert_eq!(message(&format!("{}{line} x", start(2))), "line 4: a weight is missing after a joint name");
    assert_eq!(message(&format!("{}{line} 1 | 2", start(2))), "line 4: a joint name must be in quotes");
    assert!(message(&format!("{}{line} inf", start(2))).contains("is not finite"));
    let small = format!("{}{line} -0.5\n", start(2));
    assert!(text::from_text(&small, skeleton, skin, None).is_ok());
    for at in 0..small.len() {
        for letter in ["|", "\"", "\\", "0", "-", " ", "\n", "é", ""] {
            let mut changed = small.clone();
            changed.replace_range(at..=at, letter);
            let _ = text::from_text(&changed, skeleton, skin, None);
        }
    }
    // Cut anywhere, the text is refused, or read without its last digits.
    for end in written.len() - 300..written.len() {
        let _ = text::from_text(&written[..end], skeleton, skin, None);
    }
}

#[test]
fn a_muscle_still_swells_after_automatic_weights() {
    let arm = with_muscle(&sinew_samples::arm(), "upper", "lower");
    let bones = BoneSet::of_character(&arm, 0);
    let options = AutoOptions { resolution: 40, ..AutoOptions::default() };
    let made = auto_weights(&arm.meshes()[0], &bones, &options, &mut uninterrupted).unwrap();
    let auto = with_weights(&arm, made.weights);
    let deformed = |character: &Character| {
        let mut frame = Frame::new(character);
        frame.local_mut().joints[1].rotation = Quat::from_rotation_z(2.0);
        frame.deform(Method::Linear).unwrap();
        frame.deformed()[0].positions.clone()
    };
    let none = auto.meshes()[0].weights().unwrap().clone();
    let none = with_weights(&auto, Weights::clone(&none).with_muscles_of(&none.strongest()));
    let swollen = deformed(&auto).iter().zip(deformed(&none)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
    assert!((0.005..0.1).contains(&swollen), "{swollen}");
}
