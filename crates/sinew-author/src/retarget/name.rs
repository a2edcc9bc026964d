//! Parses joint names: body part, side and number.

use sinew::BodySide;

/// The body part that a name can mean. Rigs use some words for adjacent parts, so the hierarchy decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyPart {
    Hips,
    Spine,
    Neck,
    Head,
    Clavicle,
    /// The collar bone if an arm is below it, the upper arm if only a forearm is.
    Shoulder,
    UpperArm,
    Forearm,
    Hand,
    Thigh,
    /// The shin if a thigh is above it, otherwise the thigh.
    Leg,
    Shin,
    Foot,
    Toes,
    /// A finger, from 0 for the thumb to 4 for the little finger.
    Finger(usize),
}

/// A parsed joint name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParsedName {
    pub(crate) part: Option<BodyPart>,
    pub(crate) side: Option<BodySide>,
    pub(crate) number: Option<u32>,
    /// The words of the name without side and number, joined.
    pub(crate) key: String,
}

/// Joints with such a word are controls of the rig, not parts of the body.
const RIG_WORDS: [&str; 22] = [
    "ik", "fk", "pole", "control", "ctrl", "target", "roll", "twist", "slot", "handslot", "end", "nub",
    "effector", "helper", "socket", "weapon", "prop", "tip", "site", "mch", "org", "adjust",
];
/// Words that do not describe the body.
const NOISE: [&str; 16] = [
    "bip",
    "biped",
    "valvebiped",
    "def",
    "jnt",
    "joint",
    "bone",
    "bn",
    "b",
    "j",
    "rig",
    "skeleton",
    "armature",
    "cc",
    "bind",
    "jt",
];

impl ParsedName {
    /// Parses the name of a joint.
    pub(crate) fn of(name: &str) -> Self {
        let bare = name.rsplit([':', '|']).next().unwrap_or(name);
        let (mut side, mut number, mut key) = (None, None, String::new());
        let mut serves = bare.starts_with("__");
        let words = words(bare);
        for word in &words {
            match word.as_str() {
                "left" | "l" | "lft" => side = Some(BodySide::Left),
                "right" | "r" | "rgt" => side = Some(BodySide::Right),
                digits if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                    number = digits.parse().ok().or(number);
                }
                servant if RIG_WORDS.contains(&servant) => {
                    serves = true;
                    key.push_str(servant);
                }
                noise if NOISE.contains(&noise) => {}
                other => key.push_str(other),
            }
        }
        let part = if serves { None } else { part(&key, side, &words) };
        Self { part, side, number, key }
    }
}

fn part(key: &str, side: Option<BodySide>, words: &[String]) -> Option<BodyPart> {
    let finger = ["thumb", "index", "mid", "middle", "ring", "pinky", "little", "pinkie"];
    if side.is_some()
        && let Some(at) = finger.iter().position(|f| words.iter().any(|w| w == f))
    {
        return Some(BodyPart::Finger([0, 1, 2, 2, 3, 4, 4, 4][at]));
    }
    Some(match key {
        "hip" if side.is_some() => BodyPart::Thigh,
        "hips" | "hip" | "pelvis" => BodyPart::Hips,
        "chest" | "upperchest" | "abdomen" | "ab" | "lowerback" | "upperback" | "torso" | "waist"
        | "back" | "thorax" | "belly" | "stomach" | "ribs" | "ribcage" | "body" => BodyPart::Spine,
        "head" => BodyPart::Head,
        "clavicle" | "collar" | "collarbone" | "clav" => BodyPart::Clavicle,
        "shoulder" | "shldr" => BodyPart::Shoulder,
        "arm" | "upperarm" | "uparm" | "armupper" | "bicep" | "humerus" => BodyPart::UpperArm,
        "forearm" | "lowerarm" | "loarm" | "armlower" | "lowarm" | "elbow" => BodyPart::Forearm,
        "hand" | "wrist" | "palm" => BodyPart::Hand,
        "thigh" | "upleg" | "upperleg" | "legupper" | "femur" => BodyPart::Thigh,
        "leg" => BodyPart::Leg,
        "shin" | "calf" | "lowerleg" | "loleg" | "lowleg" | "leglower" | "knee" | "tibia" => BodyPart::Shin,
        "foot" | "ankle" => BodyPart::Foot,
        "toe" | "toes" | "toebase" | "ball" => BodyPart::Toes,
        spine if spine.starts_with("spine") => BodyPart::Spine,
        neck if neck.starts_with("neck") => BodyPart::Neck,
        _ => return None,
    })
}

/// The words of a name in lower case, split at separators, at capitals, and between letters and digits.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut out: Vec<String> = Vec::new();
    let mut inside = false;
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            inside = false;
            continue;
        }
        let before = at.checked_sub(1).map(|b| letters[b]);
        let ends_capitals = || letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let starts = before.is_some_and(|b| {
            b.is_ascii_digit() != letter.is_ascii_digit()
                || letter.is_uppercase() && (b.is_lowercase() || b.is_uppercase() && ends_capitals())
        });
        match out.last_mut() {
            Some(word) if inside && !starts => word.extend(letter.to_lowercase()),
            _ => out.push(letter.to_lowercase().collect()),
        }
        inside = true;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_body_parts_in_the_spellings_of_rigs() {
        use BodyPart::*;
        for (name, part, side) in [
            ("mixamorig:LeftUpLeg", Thigh, Some(BodySide::Left)),
            ("thigh_l", Thigh, Some(BodySide::Left)),
            ("Bip01 R Thigh", Thigh, Some(BodySide::Right)),
            ("LeftHip", Thigh, Some(BodySide::Left)),
            ("Hips", Hips, None),
            ("hip", Hips, None),
            ("rShin", Shin, Some(BodySide::Right)),
            ("LoLeg_R", Shin, Some(BodySide::Right)),
            ("calf_r", Shin, Some(BodySide::Right)),
            ("lShldr", Shoulder, Some(BodySide::Left)),
            ("UpArm_L", UpperArm, Some(BodySide::Left)),
            ("lowerarm.l", Forearm, Some(BodySide::Left)),
            ("LeftHandIndex1", Finger(1), Some(BodySide::Left)),
            ("LThumb", Finger(0), Some(BodySide::Left)),
            ("spine_middle", Spine, None),
            ("neck_01", Neck, None),
            ("ball_l", Toes, Some(BodySide::Left)),
            ("LeftToeBase", Toes, Some(BodySide::Left)),
        ] {
            let got = ParsedName::of(name);
            assert_eq!((got.part, got.side), (Some(part), side), "{name}");
        }
        assert_eq!(ParsedName::of("pinky_03_l").number, Some(3));
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
            "",
        ] {
            assert_eq!(ParsedName::of(name).part, None, "{name}");
        }
    }
}
