//! The skin doctor: it finds what is planted, says how far it moves the skin, and fixes what it names and nothing else.

mod faults;

use faults::{FaultKind, KINDS};
use sinew::{
    Channel, Character, Clip, Curve, Interpolation, Joint, JointId, Mesh, MeshParts, ModelPose, Skeleton,
    Skin, Transform, Weights,
    finding::Severity,
    glam::{Affine3A, Quat, Vec3},
};
use sinew_author::check::{CheckOptions, Finding, FindingCode, check, fix};
use std::{collections::BTreeSet, sync::Arc};

fn found(character: &Character) -> Vec<Finding> {
    check(character, &[], &CheckOptions::default())
}

fn of(character: &Character, code: FindingCode) -> Vec<Finding> {
    found(character).into_iter().filter(|f| f.code == code).collect()
}

fn kinds(code: FindingCode) -> impl Iterator<Item = FaultKind> {
    KINDS.into_iter().filter(move |kind| kind.code == code)
}

/// The figure with a fault of the kind with that name.
fn planted(name: &str, seed: u64) -> Character {
    let kind = KINDS.into_iter().find(|kind| kind.name == name).unwrap();
    (seed..seed + 20).find_map(|seed| kind.plant(&sinew_samples::figure(), seed)).unwrap()
}

#[test]
fn every_kind_of_planted_fault_is_found_in_the_figure_or_the_tube() {
    let characters = [sinew_samples::figure(), sinew_samples::tube()];
    let mut missed = Vec::new();
    let mut planted = BTreeSet::new();
    for kind in KINDS {
        // Only the tube, of two joints, can be folded.
        let fits = |c: &&Character| (0..4).any(|seed| kind.plant(c, seed).is_some());
        let Some(character) = characters.iter().find(fits) else { continue };
        for seed in 0..2 {
            let Some(bad) = kind.plant(character, seed) else { continue };
            planted.insert(kind.name);
            let after = check(&bad, &[], &kind.options(&bad));
            let before = check(character, &[], &kind.options(character));
            let count = |all: &[Finding]| all.iter().filter(|f| f.code == kind.code).count();
            let is_target = kind.code == FindingCode::JointsOverTarget;
            if count(&after) <= count(&before) && !(is_target && count(&after) > 0) {
                missed.push(format!("{}: {} #{seed} in {}", kind.code, kind.name, character.name()));
            }
        }
    }
    assert_eq!(planted.len(), KINDS.len(), "{planted:?}");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn the_built_in_characters_have_no_warning() {
    for character in [sinew_samples::figure(), sinew_samples::arm(), sinew_samples::rigid_arm()] {
        let bad: Vec<Finding> =
            found(&character).into_iter().filter(|f| f.severity() > Severity::Note).collect();
        assert_eq!(bad, [], "{}", character.name());
    }
}

#[test]
fn every_finding_of_weights_binds_scales_and_clips_has_an_effect() {
    use FindingCode as C;
    for kind in KINDS.into_iter().filter(|k| !matches!(k.code, C::JointsOverTarget | C::RootUnreachable)) {
        let characters = [sinew_samples::figure(), sinew_samples::tube()];
        let Some(bad) = characters.iter().find_map(|c| kind.plant(c, 1)) else { continue };
        for finding in check(&bad, &[], &kind.options(&bad)).iter().filter(|f| f.code == kind.code) {
            let effect = finding.effect.unwrap_or_else(|| panic!("{finding} has no effect"));
            assert!(effect.max_mm.is_finite() && effect.height_percent >= 0.0, "{finding}");
        }
    }
}

#[test]
fn a_warning_with_a_small_effect_is_a_note_and_stays_unfixed() {
    let bad = planted("one point follows a far joint", 1);
    let all =
        |warning_percent| check(&bad, &[], &CheckOptions { warning_percent, ..CheckOptions::default() });
    let severity =
        |found: &[Finding]| found.iter().find(|f| f.code == FindingCode::StrayWeights).unwrap().severity();
    let (strict, lax) = (all(0.2), all(1e6));
    assert_eq!((severity(&strict), severity(&lax)), (Severity::Warning, Severity::Note));
    let fixed = |found: &[Finding]| fix(&bad, found, &CheckOptions::default()).unwrap().fixes.len();
    assert_eq!((fixed(&strict), fixed(&lax)), (1, 0));
}

#[test]
fn a_fix_changes_the_vertices_that_its_finding_names_and_no_other() {
    for kind in KINDS {
        for seed in 0..2 {
            let Some(bad) = kind.plant(&sinew_samples::figure(), seed) else { continue };
            let findings: Vec<Finding> = check(&bad, &[], &kind.options(&bad))
                .into_iter()
                .filter(|f| f.code == kind.code && !f.place.vertices.is_empty())
                .collect();
            // One of them alone: the others must stay.
            let Some(one) = findings.first() else { continue };
            let named: BTreeSet<u32> = one.place.vertices.iter().copied().collect();
            let fixed = fix(&bad, std::slice::from_ref(one), &kind.options(&bad)).unwrap().character;
            let instance = &bad.instances()[one.place.instance.unwrap()];
            let (old, new) = (bad.mesh_of(instance), &fixed.meshes()[instance.mesh]);
            let points = old.mesh_points_of(&named);
            let (old_weights, new_weights) = (old.weights().unwrap(), new.weights().unwrap());
            for vertex in 0..old.vertex_count() {
                let is_named = points.contains(&old.points().of_vertex()[vertex]);
                let is_same = old_weights.of(vertex) == new_weights.of(vertex);
                assert!(is_same || is_named, "{}: {} changed vertex {vertex}", kind.code, kind.name);
            }
        }
    }
}

trait NamedPoints {
    fn mesh_points_of(&self, vertices: &BTreeSet<u32>) -> BTreeSet<u32>;
}

impl NamedPoints for Mesh {
    /// The points of vertices: copies change together.
    fn mesh_points_of(&self, vertices: &BTreeSet<u32>) -> BTreeSet<u32> {
        vertices.iter().map(|&v| self.points().of_vertex()[v as usize]).collect()
    }
}

#[test]
fn a_fixed_character_has_the_fault_no_more() {
    for code in
        [FindingCode::SideSwapped, FindingCode::ClipPop, FindingCode::LooseIsland, FindingCode::StrayWeights]
    {
        for kind in kinds(code) {
            let bad = kind.plant(&sinew_samples::figure(), 1).unwrap();
            let findings = found(&bad);
            let fixed = fix(&bad, &findings, &CheckOptions::default()).unwrap();
            assert!(fixed.fixes.iter().any(|f| f.code == code), "{code}: {}", kind.name);
            assert!(of(&fixed.character, code).iter().all(Finding::is_minor), "{code}: {}", kind.name);
        }
    }
}

/// The character in a hundredth of its size, below a node that scales it up again.
fn in_centimeters(character: &Character) -> Character {
    let old = character.skeleton();
    let top = Joint {
        name: "centimeters".into(),
        parent: None,
        rest: Transform { scale: Vec3::splat(0.01), ..Transform::IDENTITY },
    };
    let joint = |j: JointId| {
        let mut rest = old.rest(j);
        rest.translation *= 100.0;
        let parent = old.parent(j).map_or(JointId(0), |p| JointId(p.0 + 1));
        Joint { name: old.name(j).into(), parent: Some(parent), rest }
    };
    let skeleton = Arc::new(Skeleton::new([top].into_iter().chain(old.joints().map(joint))).unwrap());
    let mut rest = ModelPose::new(&skeleton);
    rest.update(&skeleton, &skeleton.rest_pose());
    let from_centimeters = Affine3A::from_scale(Vec3::splat(0.01));
    let mut parts = character.parts().clone();
    for mesh in &mut parts.meshes {
        let of = Mesh::clone(mesh).into_parts();
        let positions = of.positions.iter().map(|p| *p * 100.0).collect();
        *mesh = Arc::new(
            Mesh::new(MeshParts { positions, precomputed: sinew::Precomputed::NONE, ..of }).unwrap(),
        );
    }
    for skin in &mut parts.skins {
        let joints: Vec<JointId> = skin.joints().iter().map(|j| JointId(j.0 + 1)).collect();
        let binds = joints.iter().map(|j| rest.joint(*j).inverse() * from_centimeters).collect();
        *skin = Arc::new(Skin::new("", &skeleton, joints, binds).unwrap());
    }
    parts.instances.iter_mut().for_each(|i| i.joint = JointId(i.joint.0 + 1));
    for clip in &mut parts.clips {
        let moved = |channel: &Channel| match channel.clone() {
            Channel::Rotation { joint, curve } => Channel::Rotation { joint: JointId(joint.0 + 1), curve },
            Channel::Scale { joint, curve } => Channel::Scale { joint: JointId(joint.0 + 1), curve },
            Channel::Translation { joint, curve } => {
                let values = curve.elements().iter().map(|t| *t * 100.0).collect();
                let curve = Curve::new(curve.times_secs().to_vec(), values, curve.interpolation()).unwrap();
                Channel::Translation { joint: JointId(joint.0 + 1), curve }
            }
            other @ Channel::Morphs { .. } => other,
        };
        *clip =
            Arc::new(Clip::new(clip.name(), clip.channels().iter().map(moved).collect(), vec![]).unwrap());
    }
    parts.skeleton = skeleton;
    (parts.helpers, parts.scenes) = (Vec::new(), Vec::new());
    Character::new(parts).unwrap()
}

#[test]
fn millimeters_are_those_of_model_space_whatever_a_node_above_scales() {
    for name in ["one point follows a far joint", "a trembling joint", "one frame off in translation"] {
        let bad = planted(name, 2);
        let small = in_centimeters(&bad);
        let measured = |character: &Character| -> Vec<(FindingCode, f64)> {
            let all = found(character).into_iter().filter(|f| f.severity() >= Severity::Warning);
            all.map(|f| (f.code, f.effect.map_or(0.0, |e| e.max_mm))).collect()
        };
        let (one, other) = (measured(&bad), measured(&small));
        assert!(!one.is_empty() && one.len() == other.len(), "{name}: {one:?} and {other:?}");
        for ((code, mm), (same, scaled)) in one.iter().zip(&other) {
            assert_eq!(code, same, "{name}");
            assert!((mm - scaled).abs() <= 0.02 * mm + 0.01, "{name}: {mm} mm and {scaled} mm");
        }
    }
}

/// A clip in which the feet of the figure step backwards in turn, on the spot.
fn walk_on_the_spot(character: &Character) -> Character {
    let skeleton = character.skeleton();
    let times: Vec<f32> = (0..=48).map(|f| f as f32 / 24.0).collect();
    let channel = |(name, phase): (&str, f32)| {
        let joint = skeleton.find(name).unwrap();
        let rest = skeleton.rest(joint).rotation;
        let at = |time: &f32| {
            let swing = ((time + phase) * std::f32::consts::TAU).sin() * 0.45;
            rest * Quat::from_rotation_x(swing)
        };
        let curve = Curve::new(times.clone(), times.iter().map(at).collect(), Interpolation::Linear).unwrap();
        Channel::Rotation { joint, curve }
    };
    let channels = [("thigh.L", 0.0), ("thigh.R", 0.5)].map(channel).to_vec();
    let mut parts = character.parts().clone();
    parts.clips = vec![Arc::new(Clip::new("on the spot", channels, vec![]).unwrap())];
    Character::new(parts).unwrap()
}

#[test]
fn a_walk_on_the_spot_does_not_slide() {
    let walk = walk_on_the_spot(&sinew_samples::figure());
    assert_eq!(of(&walk, FindingCode::FootSlide), []);
}

#[test]
fn a_small_wrung_ring_on_a_large_body_is_found() {
    // The tube with a body of so many vertices beside it that the ring is less than a five-hundredth of all.
    let mut parts = sinew_samples::tube().into_parts();
    parts.clips.retain(|clip| clip.name() == "twist_180");
    let old = Mesh::clone(&parts.meshes[0]).into_parts();
    let weights = Mesh::new(old.clone()).unwrap().weights().unwrap().clone();
    let still = |_: usize| vec![sinew::Influence { slot: 0, weight: 1.0 }];
    let all_still = Weights::new(weights.slot_count(), (0..old.positions.len()).map(still)).unwrap().0;
    for copy in 1..150 {
        let positions = old.positions.iter().map(|p| *p + Vec3::X * 5.0 * copy as f32).collect();
        let parts_of = MeshParts { positions, weights: Some(Arc::new(all_still.clone())), ..old.clone() };
        parts.meshes.push(Arc::new(Mesh::new(parts_of).unwrap()));
        let instance = sinew::MeshInstance { mesh: copy, ..parts.instances[0].clone() };
        parts.instances.push(instance);
    }
    let crowd = Character::new(parts).unwrap();
    let wrung = of(&crowd, FindingCode::CandyWrap);
    let total: usize = crowd.meshes().iter().map(|m| m.vertex_count()).sum();
    assert_eq!(wrung.len(), 1);
    assert!(wrung[0].place.vertices.len() * 500 < total, "{} of {total}", wrung[0].place.vertices.len());
    assert_eq!(wrung[0].severity(), Severity::Warning);
}
