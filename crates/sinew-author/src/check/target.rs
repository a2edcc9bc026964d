//! Programs that characters are made for, and their limits.

use std::str::FromStr;

/// The limits of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetLimits {
    /// The maximum number of influences per vertex.
    pub influences: usize,
    /// The maximum number of joints per skin.
    pub joints: usize,
}

impl TargetLimits {
    /// The joint limit of programs that have none but the 16 bits of a joint index.
    pub const MAX_JOINTS: usize = u16::MAX as usize;
}

/// A program that characters are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CheckTarget {
    /// Bevy: four influences, 256 joints.
    Bevy,
    /// three.js: four influences, joints in a texture.
    Three,
    /// Godot: eight influences per vertex.
    Godot,
    /// Unity with its default import settings: four influences.
    Unity,
    /// Unreal Engine with its default project settings: twelve influences, 256 joints in a section.
    Unreal,
    /// Any other program, by its limits.
    Custom(TargetLimits),
}

impl CheckTarget {
    /// The limits of the target.
    #[must_use]
    pub const fn limits(self) -> TargetLimits {
        match self {
            Self::Bevy => TargetLimits { influences: 4, joints: 256 },
            Self::Unreal => TargetLimits { influences: 12, joints: 256 },
            Self::Three | Self::Unity => TargetLimits { influences: 4, joints: TargetLimits::MAX_JOINTS },
            Self::Godot => TargetLimits { influences: 8, joints: TargetLimits::MAX_JOINTS },
            Self::Custom(limits) => limits,
        }
    }

    /// The name that [`FromStr`] accepts; `custom` for [`CheckTarget::Custom`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bevy => "bevy",
            Self::Three => "three",
            Self::Godot => "godot",
            Self::Unity => "unity",
            Self::Unreal => "unreal",
            Self::Custom(_) => "custom",
        }
    }
}

impl FromStr for CheckTarget {
    type Err = String;

    /// `bevy`, `three`, `godot`, `unity`, `unreal`, or `custom:INFLUENCES,JOINTS`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bevy" => Ok(Self::Bevy),
            "three" => Ok(Self::Three),
            "godot" => Ok(Self::Godot),
            "unity" => Ok(Self::Unity),
            "unreal" => Ok(Self::Unreal),
            _ => custom(text).ok_or_else(|| {
                format!("unknown target {text:?}: must be bevy, three, godot, unity, unreal or custom:INFLUENCES,JOINTS, for instance custom:4,64")
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
    fn targets_parse_by_name_and_by_limits() {
        assert_eq!("godot".parse(), Ok(CheckTarget::Godot));
        let limits = TargetLimits { influences: 2, joints: 64 };
        assert_eq!("custom:2,64".parse(), Ok(CheckTarget::Custom(limits)));
        for bad in ["", "custom", "custom:0,4", "custom:4", "custom:a,b", "Bevy"] {
            assert!(bad.parse::<CheckTarget>().is_err(), "{bad}");
        }
    }
}
