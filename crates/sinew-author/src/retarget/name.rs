//! What the name of a joint says: a part of the body, a side, a number.

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodySide {
    /// The character's own left.
    Left,
    /// The character's own right.
    Right,
}

impl BodySide {
    /// Both, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

/// What a name can mean. Rigs use some words for neighbours, so structure has the last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyPart {
    Hips,
    Spine,
    Neck,
    Head,
    Clavicle,
    /// The collar bone where an arm is below it, the upper arm where only a forearm is.
    Shoulder,
    UpperArm,
    Forearm,
    Hand,
    Thigh,
    /// The shin where a thigh is above it, the thigh elsewhere.
    Leg,
    Shin,
    Foot,
    Toes,
    /// Thumb to little finger: 0 to 4.
    Finger(usize),
}

/// A name taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) part: Option<BodyPart>,
    pub(super) side: Option<BodySide>,
    pub(super) number: Option<u32>,
    /// The words without side and number, put together.
    pub(super) key: String,
}

/// Joints with such a word serve the rig, not the body.
const SERVANTS: [&str; 22] = [
    "ik", "fk", "pole", "control", "ctrl", "target", "roll", "twist", "slot", "handslot", "end", "nub",
    "effector", "helper", "socket", "weapon", "prop", "tip", "site", "mch", "org", "adjust",
];
/// Words that say nothing about the body.
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

impl Name {
    /// Takes `name` apart.
    pub(super) fn of(name: &str) -> Self {
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
                servant if SERVANTS.contains(&servant) => {
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

/// The words of a name in lower case: apart at separators, at capitals, and between letters and digits.
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
    fn knows_the_parts_in_the_spellings_of_rigs() {
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
            let got = Name::of(name);
            assert_eq!((got.part, got.side), (Some(part), side), "{name}");
        }
        assert_eq!(Name::of("pinky_03_l").number, Some(3));
    }

    #[test]
    fn joints_that_serve_the_rig_are_no_part_of_the_body() {
        for name in [
            "control-toe-roll.l",
            "heelIK.l",
            "handslot.r",
            "upperarm_twist_01_l",
            "HeadTop_End",
            "__UpLeg_L",
            "",
        ] {
            assert_eq!(Name::of(name).part, None, "{name}");
        }
    }
}
