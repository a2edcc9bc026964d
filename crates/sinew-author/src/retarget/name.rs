//! Parses joint names: body part, side and number.

use sinew::{BodySide, HumanBone, Skeleton};
use std::collections::HashMap;

/// The body part that a name can mean. Rigs use some words for adjacent parts, so the hierarchy decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyPart {
    Hips,
    Spine,
    Neck,
    Head,
    Jaw,
    Eye,
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
    /// A finger that has a number for a name. Rigs begin to count at the thumb or at the index finger.
    NumberedFinger(u32),
}

impl BodyPart {
    /// The part that a bone of a humanoid is.
    pub(crate) fn of_bone(bone: HumanBone) -> Self {
        let name = bone.name().trim_start_matches("left").trim_start_matches("right");
        match name {
            "hips" => Self::Hips,
            "spine" | "chest" | "upperChest" => Self::Spine,
            "neck" => Self::Neck,
            "head" => Self::Head,
            "jaw" => Self::Jaw,
            "Eye" => Self::Eye,
            "Shoulder" => Self::Clavicle,
            "UpperArm" => Self::UpperArm,
            "LowerArm" => Self::Forearm,
            "Hand" => Self::Hand,
            "UpperLeg" => Self::Thigh,
            "LowerLeg" => Self::Shin,
            "Foot" => Self::Foot,
            "Toes" => Self::Toes,
            finger => {
                let is = |start: &&str| finger.starts_with(*start);
                Self::Finger(["Thumb", "Index", "Middle", "Ring"].iter().position(is).unwrap_or(4))
            }
        }
    }

    /// True if both words can mean the same part.
    pub(crate) fn can_be(self, other: Self) -> bool {
        use BodyPart::*;
        let same = |a: Self, b: Self| match (a, b) {
            (Shoulder, Clavicle | UpperArm) | (Leg, Thigh | Shin) | (Foot, Toes) => true,
            // Rigs divide the torso in their own ways.
            (Hips, Spine) | (Spine, Neck) | (Neck, Head) => true,
            (NumberedFinger(_), Finger(_)) => true,
            _ => a == b,
        };
        same(self, other) || same(other, self)
    }
}

/// A parsed joint name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParsedName {
    pub(crate) part: Option<BodyPart>,
    pub(crate) side: Option<BodySide>,
    pub(crate) number: Option<u32>,
    /// The words of the name without side and number, joined.
    pub(crate) key: String,
    /// True for joints that serve the rig: controls, helpers, ends.
    pub(crate) serves: bool,
}

/// What a name says a joint is for, if it is not for skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RigPurpose {
    /// It controls other joints or holds objects.
    Control,
    /// It marks the end of a bone.
    Tip,
}

impl RigPurpose {
    /// The purpose that the words of a joint's name state.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let words = words(bare(name));
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if has(&CONTROL_WORDS) { Some(Self::Control) } else { has(&TIP_WORDS).then_some(Self::Tip) }
    }
}

/// Joints with such a word control others or hold objects.
const CONTROL_WORDS: [&str; 12] =
    ["ik", "fk", "pole", "control", "ctrl", "target", "slot", "handslot", "effector", "socket", "mch", "pt"];
/// Joints with such a word are the ends of bones.
const TIP_WORDS: [&str; 4] = ["end", "nub", "tip", "site"];
/// Joints with such a word are controls of the rig, not parts of the body.
const RIG_WORDS: [&str; 23] = [
    "ik", "fk", "pole", "control", "ctrl", "target", "roll", "twist", "slot", "handslot", "end", "nub",
    "effector", "helper", "socket", "weapon", "prop", "tip", "site", "mch", "adjust", "pt", "tweak",
];
/// Words that do not describe the body.
const NOISE: [&str; 26] = [
    "bip",
    "biped",
    "valve",
    "mixamorig",
    "def",
    "org",
    "jnt",
    "joint",
    "jt",
    "bone",
    "bn",
    "b",
    "j",
    "c",
    "ctr",
    "center",
    "rig",
    "skeleton",
    "armature",
    "cc",
    "base",
    "bind",
    "bnd",
    "skin",
    "sk",
    "geo",
];
/// A number after such a word counts characters, not joints.
const NUMBERED_SETS: [&str; 5] = ["bip", "biped", "mixamorig", "cc", "rig"];
/// A word that most joints of a skeleton begin with is the name of the character.
const SHARED_BY: f32 = 0.6;

/// What the names of one skeleton have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameStyle {
    /// The word that most names begin with, such as the name of the character.
    shared: Option<String>,
    /// True if the rig marks joints that deform: those that it copies are then controls.
    has_def: bool,
}

impl NameStyle {
    pub(crate) fn of(skeleton: &Skeleton) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let (mut named, mut has_def) = (0, false);
        for joint in skeleton.joints() {
            let words = words(bare(skeleton.name(joint)));
            has_def |= words.first().is_some_and(|w| w == "def");
            if let Some(first) = words.into_iter().find(|w| !NOISE.contains(&w.as_str())) {
                named += 1;
                *counts.entry(first).or_default() += 1;
            }
        }
        let shared = counts.into_iter().max_by(|a, b| (a.1, &b.0).cmp(&(b.1, &a.0)));
        let is_shared = |(word, count): &(String, usize)| {
            named > 3
                && *count as f32 > SHARED_BY * named as f32
                && side(word).is_none()
                && !word.starts_with(|c: char| c.is_ascii_digit())
                && part(word, None, std::slice::from_ref(word)).is_none()
        };
        Self { shared: shared.filter(is_shared).map(|(word, _)| word), has_def }
    }
}

impl ParsedName {
    /// Parses the name of a joint on its own.
    pub(crate) fn of(name: &str) -> Self {
        Self::with_style(name, &NameStyle::default())
    }

    /// Parses the name of a joint of a skeleton whose names have `style`.
    pub(crate) fn with_style(name: &str, style: &NameStyle) -> Self {
        let bare = bare(name);
        let mut words = words(bare);
        if words.len() > 1 && words.first() == style.shared.as_ref() {
            words.remove(0);
        }
        let mut out = Self {
            part: None,
            side: None,
            number: None,
            key: String::new(),
            serves: bare.starts_with("__") || style.has_def && words.first().is_some_and(|w| w == "org"),
        };
        let mut before = "";
        for word in &words {
            out.take(word, before);
            before = word;
        }
        if !out.serves {
            out.recognize(&words);
        }
        out
    }

    fn take(&mut self, word: &str, before: &str) {
        if let Some(side) = side(word) {
            self.side = Some(side);
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            // Exporters append numbers of their own, so the first one counts.
            if self.number.is_none() && !NUMBERED_SETS.contains(&before) {
                self.number = word.parse().ok();
            }
        } else if RIG_WORDS.contains(&word) {
            self.serves = true;
            self.key.push_str(word);
        } else if !NOISE.contains(&word) {
            self.key.push_str(word);
        }
    }

    fn recognize(&mut self, words: &[String]) {
        if self.key == "finger" && self.side.is_some() {
            self.part = finger_number(words).map(BodyPart::NumberedFinger);
            return;
        }
        self.part = part(&self.key, self.side, words);
        if self.part.is_none()
            && self.side.is_none()
            && let Some((side, rest, part)) = glued(&self.key)
        {
            (self.part, self.side, self.key) = (Some(part), Some(side), rest.to_owned());
        }
    }
}

/// The name without namespaces.
fn bare(name: &str) -> &str {
    name.rsplit([':', '|']).next().unwrap_or(name)
}

fn side(word: &str) -> Option<BodySide> {
    match word {
        "left" | "l" | "lft" | "lf" => Some(BodySide::Left),
        "right" | "r" | "rgt" | "rt" => Some(BodySide::Right),
        _ => None,
    }
}

/// The side, the rest and the part of words without a separator, such as `lefthand` and `rthigh`.
fn glued(key: &str) -> Option<(BodySide, &str, BodyPart)> {
    let sides =
        [("left", BodySide::Left), ("right", BodySide::Right), ("l", BodySide::Left), ("r", BodySide::Right)];
    sides.into_iter().find_map(|(word, side)| {
        let rests = [key.strip_prefix(word), key.strip_suffix(word).filter(|_| word.len() > 1)];
        rests.into_iter().flatten().find_map(|rest| {
            let whole = rest.to_owned();
            Some((side, rest, part(rest, Some(side), std::slice::from_ref(&whole))?))
        })
    })
}

/// Which finger a number means: the first number, or the first digit of two (`Finger12` is joint 2 of finger 1).
fn finger_number(words: &[String]) -> Option<u32> {
    let at = words.iter().position(|w| w == "finger")?;
    let digits = words.get(at + 1).filter(|w| w.starts_with(|c: char| c.is_ascii_digit()))?;
    let follows = words.get(at + 2).is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()));
    if digits.len() == 2 && !follows { digits[..1].parse().ok() } else { digits.parse().ok() }
}

fn part(key: &str, side: Option<BodySide>, words: &[String]) -> Option<BodyPart> {
    let has = |word: &str| words.iter().any(|w| w == word);
    if side.is_some()
        && let Some(finger) = finger(key, has)
    {
        return (finger == 0 || !has("metacarpal")).then_some(BodyPart::Finger(finger));
    }
    // The front legs of an animal take the place of arms.
    if let Some(leg) = ["front", "fore"].iter().find_map(|f| leg_part(key.strip_prefix(f)?)) {
        return Some(match leg {
            BodyPart::Shin => BodyPart::Forearm,
            BodyPart::Foot => BodyPart::Hand,
            // Birds have front toes and back toes.
            BodyPart::Toes => BodyPart::Toes,
            _ => BodyPart::UpperArm,
        });
    }
    if let Some(leg) = ["back", "hind", "rear"].iter().find_map(|b| leg_part(key.strip_prefix(b)?)) {
        return Some(leg);
    }
    leg_part(key).filter(|_| key != "hip" || side.is_some()).or_else(|| {
        Some(match key {
            "hips" | "hip" | "pelvis" => BodyPart::Hips,
            "chest" | "upperchest" | "abdomen" | "ab" | "lowerback" | "upperback" | "torso" | "waist"
            | "back" | "thorax" | "belly" | "stomach" | "ribs" | "ribcage" | "body" => BodyPart::Spine,
            "head" => BodyPart::Head,
            "jaw" => BodyPart::Jaw,
            "eye" | "eyeball" => BodyPart::Eye,
            "clavicle" | "collar" | "collarbone" | "clav" => BodyPart::Clavicle,
            "shoulder" | "shldr" => BodyPart::Shoulder,
            "arm" | "upperarm" | "uparm" | "armupper" | "bicep" | "humerus" => BodyPart::UpperArm,
            "forearm" | "lowerarm" | "loarm" | "armlower" | "lowarm" | "elbow" => BodyPart::Forearm,
            "hand" | "wrist" | "palm" => BodyPart::Hand,
            spine if spine.starts_with("spine") => BodyPart::Spine,
            neck if neck.starts_with("neck") => BodyPart::Neck,
            _ => return None,
        })
    })
}

fn leg_part(key: &str) -> Option<BodyPart> {
    Some(match key {
        "thigh" | "upleg" | "upperleg" | "legupper" | "femur" | "hip" => BodyPart::Thigh,
        "leg" => BodyPart::Leg,
        "shin" | "calf" | "lowerleg" | "loleg" | "lowleg" | "leglower" | "knee" | "tibia" => BodyPart::Shin,
        "foot" | "ankle" => BodyPart::Foot,
        "toe" | "toes" | "toebase" | "ball" => BodyPart::Toes,
        _ => return None,
    })
}

/// The finger that a name contains, from 0 for the thumb. A joint for ring and little finger together is the ring finger.
fn finger(key: &str, has: impl Fn(&str) -> bool) -> Option<usize> {
    const WORDS: [(&str, usize); 9] = [
        ("thumb", 0),
        ("index", 1),
        ("pointer", 1),
        ("mid", 2),
        ("middle", 2),
        ("ring", 3),
        ("pinky", 4),
        ("little", 4),
        ("pinkie", 4),
    ];
    let bare = key.trim_start_matches("hand").trim_start_matches("finger");
    let is = |word: &str| has(word) || word.len() > 3 && bare.starts_with(word);
    WORDS.iter().find(|(word, _)| is(word)).map(|&(_, finger)| finger)
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
mod tests;
