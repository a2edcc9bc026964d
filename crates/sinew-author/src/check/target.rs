//! Where a character goes, and what that place can take.

use std::str::FromStr;

/// What a program can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most joints that a vertex may follow.
    pub influences: usize,
    /// The most joints of a skin.
    pub joints: usize,
}

impl Limits {
    /// Where only the sixteen bits of a joint's number count.
    pub const MOST_JOINTS: usize = u16::MAX as usize;
}

/// A program that characters are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Bevy: four influences, 256 joints.
    Bevy,
    /// three.js: four influences, joints in a texture.
    Three,
    /// Godot: eight influences.
    Godot,
    /// Unity with its import settings as they come: four influences.
    Unity,
    /// Any other.
    Custom(Limits),
}

impl Target {
    /// What the target takes.
    pub const fn limits(self) -> Limits {
        match self {
            Self::Bevy => Limits { influences: 4, joints: 256 },
            Self::Three | Self::Unity => Limits { influences: 4, joints: Limits::MOST_JOINTS },
            Self::Godot => Limits { influences: 8, joints: Limits::MOST_JOINTS },
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

impl FromStr for Target {
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

fn custom(text: &str) -> Option<Target> {
    let (influences, joints) = text.strip_prefix("custom:")?.split_once(',')?;
    let number = |t: &str| t.trim().parse().ok().filter(|n: &usize| *n > 0);
    Some(Target::Custom(Limits { influences: number(influences)?, joints: number(joints)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_by_name_and_by_limits() {
        assert_eq!("godot".parse(), Ok(Target::Godot));
        let limits = Limits { influences: 2, joints: 64 };
        assert_eq!("custom:2,64".parse(), Ok(Target::Custom(limits)));
        for bad in ["", "custom", "custom:0,4", "custom:4", "custom:a,b", "Bevy"] {
            assert!(bad.parse::<Target>().is_err(), "{bad}");
        }
    }
}
