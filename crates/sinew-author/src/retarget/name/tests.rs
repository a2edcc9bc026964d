use super::*;

#[test]
fn recognizes_body_parts_in_the_spellings_of_rigs() {
    use BodyPart::*;
    let (left, right) = (Some(BodySide::Left), Some(BodySide::Right));
    for (name, part, side) in [
        ("mixamorig:LeftUpLeg", Thigh, left),
        ("mixamorig_RightHandPinky3", Finger(4), right),
        ("thigh_l", Thigh, left),
        ("Bip01 R Thigh", Thigh, right),
        ("Bip01 L UpperArm", UpperArm, left),
        ("Bip01 L Finger12", NumberedFinger(1), left),
        ("Bip01 L Finger0", NumberedFinger(0), left),
        ("LeftHip", Thigh, left),
        ("Hips", Hips, None),
        ("hip", Hips, None),
        ("rShin", Shin, right),
        ("LoLeg_R", Shin, right),
        ("calf_r", Shin, right),
        ("lShldr", Shoulder, left),
        ("UpArm_L", UpperArm, left),
        ("lowerarm.l", Forearm, left),
        ("LeftHandIndex1", Finger(1), left),
        ("LThumb", Finger(0), left),
        ("spine_middle", Spine, None),
        ("neck_01", Neck, None),
        ("ball_l", Toes, left),
        ("LeftToeBase", Toes, left),
        ("C_head0001_bind_JNT", Head, None),
        ("L_upperArm0001_bind_JNT", UpperArm, left),
        ("Lefthand", Hand, left),
        ("righthand", Hand, right),
        ("RIGHTFOREARM", Forearm, right),
        ("handleft", Hand, left),
        ("lthigh", Thigh, left),
        ("DEF-upper_arm.L.001", UpperArm, left),
        ("ORG-shin.R", Shin, right),
        ("J_Bip_L_UpperArm", UpperArm, left),
        ("J_Bip_C_UpperChest", Spine, None),
        ("J_Bip_R_Little2", Finger(4), right),
        ("finger3-1.L", NumberedFinger(3), left),
        ("RingPinky1_L", Finger(3), left),
        ("thumb_metacarpal_l", Finger(0), left),
        ("front_thigh.R", UpperArm, right),
        ("frontleg.002.L", UpperArm, left),
        ("hind_foot.L", Foot, left),
        ("fronttoe.001.L", Toes, left),
        ("ValveBiped.Bip01_L_Calf", Shin, left),
        ("leftEye", Eye, left),
    ] {
        let got = ParsedName::of(name);
        assert_eq!((got.part, got.side), (Some(part), side), "{name}");
    }
    assert_eq!(ParsedName::of("pinky_03_l").number, Some(3));
    assert_eq!(ParsedName::of("b_LeftFoot01_017").number, Some(1));
    assert_eq!(ParsedName::of("Bip01 Spine2").number, Some(2));
}

#[test]
fn rig_controls_are_not_body_parts() {
    for name in [
        "control-toe-roll.l",
        "heelIK.l",
        "handslot.r",
        "upperarm_twist_01_l",
        "HeadTop_End",
        "__UpLeg_L",
        "LegPT.R",
        "index_metacarpal_l",
        "",
    ] {
        assert_eq!(ParsedName::of(name).part, None, "{name}");
    }
}

#[test]
fn words_that_all_names_share_are_ignored() {
    let joint =
        |name: &str| sinew::Joint { name: name.into(), parent: None, rest: sinew::Transform::IDENTITY };
    let of = |names: &[&str], name: &str| {
        let style = NameStyle::of(&Skeleton::new(names.iter().map(|n| joint(n))).unwrap());
        ParsedName::with_style(name, &style).part
    };
    let yeti = ["Yeti_Hips", "Yeti_Head", "Yeti_LeftArm", "Yeti_LeftLeg", "Camera"];
    assert_eq!(of(&yeti, "Yeti_LeftArm"), Some(BodyPart::UpperArm));
    assert_eq!(of(&["Hips", "Spine1", "Spine2", "Spine3", "Spine4"], "Spine2"), Some(BodyPart::Spine));
    let rigify = ["DEF-spine", "DEF-hand.L", "ORG-hand.L", "ORG-spine", "MCH-hand.L"];
    assert_eq!(of(&rigify, "ORG-hand.L"), None, "the deforming joint is the body's");
    assert_eq!(of(&rigify[2..], "ORG-hand.L"), Some(BodyPart::Hand));
}

#[test]
fn bones_of_a_humanoid_are_parts() {
    assert_eq!(BodyPart::of_bone(HumanBone::LeftLowerArm), BodyPart::Forearm);
    assert_eq!(BodyPart::of_bone(HumanBone::UpperChest), BodyPart::Spine);
    assert_eq!(BodyPart::of_bone(HumanBone::RightLittleDistal), BodyPart::Finger(4));
    assert_eq!(BodyPart::of_bone(HumanBone::RightThumbMetacarpal), BodyPart::Finger(0));
    assert!(BodyPart::Leg.can_be(BodyPart::Shin) && !BodyPart::Leg.can_be(BodyPart::Foot));
}
