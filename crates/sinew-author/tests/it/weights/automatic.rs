//! Automatic weights of characters: joints without skin, meshes that are solved together, and the choice between methods.

use super::{chain, joint, mesh, tube};
use sinew::{Joint, Mesh, Skeleton, Skin, Weights, glam::Vec3};
use sinew_author::{
    uninterrupted,
    weights::{
        BoneSet, SkinBone,
        auto::{AutoMethod, AutoOptions, AutoWeights, auto_weights, auto_weights_together},
    },
};

fn skin_of(joints: Vec<Joint>) -> (Skeleton, Skin) {
    let skeleton = Skeleton::new(joints).unwrap();
    let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
    (skeleton, skin)
}

/// A chain of three joints up a tube of length one, with more joints.
fn limb(more: Vec<Joint>) -> (Skeleton, Skin) {
    let mut joints = vec![
        joint("hip", None, Vec3::ZERO),
        joint("knee", Some(0), Vec3::Y * 0.4),
        joint("foot", Some(1), Vec3::Y * 0.4),
    ];
    joints.extend(more);
    skin_of(joints)
}

fn slots(bones: &BoneSet) -> Vec<u16> {
    let mut slots: Vec<u16> = bones.bones().iter().map(|bone| bone.slot).collect();
    slots.dedup();
    slots
}

fn bones_of(limb: &(Skeleton, Skin)) -> BoneSet {
    let (skeleton, skin) = limb;
    BoneSet::of_skin(skeleton, skin)
}

#[test]
fn a_target_in_the_place_of_a_foot_carries_no_skin_and_no_bone_leads_to_it() {
    let plain = bones_of(&limb(vec![]));
    // As a child of the root, and as a root of its own; none of these names says what the joint is for.
    for parent in [Some(0), None] {
        let controlled = bones_of(&limb(vec![joint("follow", parent, Vec3::Y * 0.8)]));
        assert_eq!(controlled.bones(), plain.bones(), "{parent:?}");
    }
    let real = bones_of(&limb(vec![joint("tail", Some(0), Vec3::new(0.0, 0.1, -0.3))]));
    assert_eq!(slots(&real), [0, 1, 2, 3], "a joint in a place of its own has skin");
}

#[test]
fn a_name_tells_controls_and_tips_from_joints_with_skin() {
    let at = Vec3::new(0.3, 0.1, 0.0);
    for (name, has_skin) in [
        ("leg_ik.L", false),
        ("kneePole", false),
        ("LegPT.L", false),
        ("handslot.l", false),
        ("hand.L", true),
        ("spike", true),
    ] {
        let bones = bones_of(&limb(vec![joint(name, Some(0), at)]));
        assert_eq!(slots(&bones).contains(&3), has_skin, "{name}");
    }
    let ended = bones_of(&limb(vec![joint("foot_end", Some(2), Vec3::Y * 0.1)]));
    let foot = ended.bones().iter().find(|bone| bone.slot == 2).unwrap();
    assert_eq!((slots(&ended), foot.is_open), (vec![0, 1, 2], true));
    assert!((foot.tail.y - 0.9).abs() < 1e-6, "the tip ends its bone, not {}", foot.tail.y);
}

#[test]
fn where_all_names_are_those_of_controls_they_mean_nothing() {
    let names = ["ik_root", "ik_knee", "ik_foot"];
    let joints = names.iter().zip(0_u16..);
    let place = |n: u16| if n == 0 { Vec3::ZERO } else { Vec3::Y * 0.4 };
    let bones = bones_of(&skin_of(joints.map(|(name, n)| joint(name, n.checked_sub(1), place(n))).collect()));
    assert_eq!(slots(&bones), [0, 1, 2]);
}

/// The tube cut at half its height.
fn halves() -> [Mesh; 2] {
    let (positions, indices) = tube(20, 12);
    let half = |is_own: &dyn Fn(f32) -> bool| {
        let own = indices
            .chunks_exact(3)
            .filter(|t| is_own(t.iter().map(|&i| positions[i as usize].y).sum::<f32>() / 3.0));
        mesh(positions.clone(), own.flatten().copied().collect())
    };
    [half(&|y| y < 0.5), half(&|y| y > 0.5)]
}

fn largest_difference(one: &Weights, other: &Weights, vertices: impl Iterator<Item = usize>) -> f32 {
    let off = |v: usize| (0..4).map(|s| (one.weight_of(v, s) - other.weight_of(v, s)).abs()).sum::<f32>();
    vertices.map(off).fold(0.0, f32::max)
}

#[test]
fn a_body_that_is_cut_into_meshes_gets_the_weights_of_the_whole() {
    let (positions, indices) = tube(20, 12);
    let whole = mesh(positions, indices);
    let bones = bones_of(&chain(4));
    let [low, high] = halves();
    for method in AutoMethod::ALL {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let of_whole = auto_weights(&whole, &bones, &options, &mut uninterrupted).unwrap().weights;
        let made = auto_weights_together(&[&low, &high], &bones, &options, &mut uninterrupted).unwrap();
        let is_used = |mesh: &Mesh, v: usize| mesh.indices().contains(&(v as u32));
        for (part, made) in [&low, &high].into_iter().zip(&made) {
            let own = (0..part.vertex_count()).filter(|&v| is_used(part, v));
            let off = largest_difference(&of_whole, &made.weights, own);
            assert!(off < 1e-3, "{method}: {off}");
        }
        let seam = (0..low.vertex_count()).filter(|&v| is_used(&low, v) && is_used(&high, v));
        assert_eq!(largest_difference(&made[0].weights, &made[1].weights, seam), 0.0, "{method}");
    }
}

#[test]
fn meshes_that_stand_apart_do_not_affect_each_other() {
    let (positions, indices) = tube(20, 12);
    let far: Vec<Vec3> = positions.iter().map(|p| *p + Vec3::X * 0.5).collect();
    let [one, other] = [positions, far].map(|positions| mesh(positions, indices.clone()));
    let bone = |slot, x: f32, low: f32, high: f32| SkinBone {
        slot,
        head: Vec3::new(x, low, 0.0),
        tail: Vec3::new(x, high, 0.0),
        is_open: false,
    };
    let bones = BoneSet::new(
        4,
        [bone(0, 0.0, 0.05, 0.5), bone(1, 0.0, 0.5, 0.95), bone(2, 0.5, 0.05, 0.5), bone(3, 0.5, 0.5, 0.95)],
    );
    let made: Vec<AutoWeights> =
        auto_weights_together(&[&one, &other], &bones, &AutoOptions::default(), &mut uninterrupted).unwrap();
    for (made, own) in made.iter().zip([[0, 1], [2, 3]]) {
        assert_eq!(made.report.parts, 1);
        let foreign =
            |v: usize| made.weights.influences(v).any(|i| !own.contains(&i.slot) && i.weight > 0.02);
        assert!((0..one.vertex_count()).all(|v| !foreign(v)));
    }
}

#[test]
fn a_foot_that_lies_just_outside_the_skin_gets_some_in_another_attempt() {
    let (positions, indices) = tube(20, 12);
    let body = mesh(positions, indices);
    let outside = skin_of(vec![
        joint("root", None, Vec3::Y * 0.1),
        joint("hip", Some(0), Vec3::Y * 0.2),
        joint("knee", Some(1), Vec3::Y * 0.3),
        joint("foot", Some(2), Vec3::new(0.13, 0.35, 0.0)),
    ]);
    for method in AutoMethod::ALL {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let made = auto_weights(&body, &bones_of(&outside), &options, &mut uninterrupted).unwrap();
        assert_eq!(made.report.demanded, [3], "{method}");
        let carried = (0..body.vertex_count()).map(|v| made.weights.weight_of(v, 3)).fold(0.0, f32::max);
        assert!(carried > 0.5, "{method}: {carried}");
    }
}

#[test]
fn auto_takes_one_of_the_candidates_that_it_reports() {
    let figure = sinew_samples::figure();
    let (body, bones) = (&figure.meshes()[0], BoneSet::of_character(&figure, 0));
    let weigh = |method| {
        let options = AutoOptions { method, resolution: 80, ..AutoOptions::default() };
        auto_weights(body, &bones, &options, &mut uninterrupted).unwrap()
    };
    let made = weigh(AutoMethod::Auto);
    let methods: Vec<AutoMethod> = made.report.candidates.iter().map(|c| c.method).collect();
    assert_eq!(methods, [AutoMethod::Mixed, AutoMethod::Heat, AutoMethod::Biharmonic]);
    assert!(made.report.candidates.iter().all(|c| c.quality.strain > 0.0 && c.quality.distance >= 0.0));
    assert!(methods.contains(&made.report.method));
    if made.report.method != AutoMethod::Heat {
        let off =
            largest_difference(&made.weights, &weigh(made.report.method).weights, 0..body.vertex_count());
        assert!(off < 1e-3, "{off}");
    }
}
