//! Where a character goes, and what that place can take.

use std::str::FromStr;

/// What a program can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetLimits {
    /// The most joints that a vertex may follow.
    pub influences: usize,
    /// The most joints of a skin.
    pub joints: usize,
}

impl TargetLimits {
    /// Where only the sixteen bits of a joint's number count.
    pub const MOST_JOINTS: usize = u16::MAX as usize;
}

/// A program that characters are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckTarget {
    /// Bevy: four influences, 256 joints.
    Bevy,
    /// three.js: four influences, joints in a texture.
    Three,
    /// Godot: eight influences.
    Godot,
    /// Unity with its import settings as they come: four influences.
    Unity,
    /// Any other.
    Custom(TargetLimits),
}

impl CheckTarget {
    /// What the target takes.
    pub const fn limits(self) -> TargetLimits {
        match self {
            Self::Bevy => TargetLimits { influences: 4, joints: 256 },
            Self::Three | Self::Unity => TargetLimits { influences: 4, joints: TargetLimits::MOST_JOINTS },
            Self::Godot => TargetLimits { influences: 8, joints: TargetLimits::MOST_JOINTS },
            Self::Custom(limits) => limits,
        }
    }

    /// What to call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bevy => "bevy",
            Self::Three => "three",
            Self::Godot => "godot",
            Self::Unity => "unity",
            Self::Custom(_) => "custom",
        }
    }
}

impl FromStr for CheckTarget {
    type Err = String;

    /// `bevy`, `three`, `godot`, `unity`, or `custom:INFLUENCES,JOINTS`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bevy" => Ok(Self::Bevy),
            "three" => Ok(Self::Three),
            "godot" => Ok(Self::Godot),
            "unity" => Ok(Self::Unity),
            _ => custom(text).ok_or_else(|| {
                format!("{text:?} is neither bevy, three, godot, unity nor custom:INFLUENCES,JOINTS, for instance custom:4,64")
            }),
        }
    }
}

fn custom(text: &str) -> Option<CheckTarget> {
    let (influences, joints) = text.strip_prefix("custom:")?.split_once(',')?;
    let number = |t: &str| t.trim().parse().ok().filter(|n: &usize| *n > 0);
    Some(CheckTarget::Custom(TargetLimits { influences: number(influences)?, joints: number(joints)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_by_name_and_by_limits() {
        assert_eq!("godot".parse(), Ok(CheckTarget::Godot));
        let limits = TargetLimits { influences: 2, joints: 64 };
        assert_eq!("custom:2,64".parse(), Ok(CheckTarget::Custom(limits)));
        for bad in ["", "custom", "custom:0,4", "custom:4", "custom:a,b", "Bevy"] {
            assert!(bad.parse::<CheckTarget>().is_err(), "{bad}");
        }
    }
}
