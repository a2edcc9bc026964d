//! The bones of a human body, as VRM names them.

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodySide {
    /// The left side from the character's view.
    Left,
    /// The right side from the character's view.
    Right,
}

impl BodySide {
    /// Both sides, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

/// The bone that a row names as its parent; `-` for none.
macro_rules! parent {
    (-) => {
        None
    };
    ($bone:ident) => {
        Some(HumanBone::$bone)
    };
}

/// Whether VRM 1.0 requires the bone of a row.
macro_rules! is_required {
    (required) => {
        true
    };
    (optional) => {
        false
    };
}

/// One row per bone: its name in VRM 1.0, its parent, and whether VRM 1.0 requires it.
macro_rules! human_bones {
    ($($bone:ident $name:literal $parent:tt $need:ident;)*) => {
        /// A bone of a human body, with the names and the hierarchy of VRM 1.0.
        ///
        /// Of each pair the left bone comes first and the right one follows it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum HumanBone {
            $(
                #[doc = concat!("`", $name, "`.")]
                #[cfg_attr(feature = "serde", serde(rename = $name))]
                $bone,
            )*
        }

        impl HumanBone {
            /// Every bone, parents before children.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$bone),*];
            /// The number of bones.
            pub const COUNT: usize = [$($name),*].len();

            /// The name in VRM 1.0, such as `leftUpperArm`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$bone => $name,)*
                }
            }

            /// The bone above this one in a body that has every bone; `None` for the hips.
            #[must_use]
            pub const fn parent(self) -> Option<Self> {
                match self {
                    $(Self::$bone => parent!($parent),)*
                }
            }

            /// True if a VRM 1.0 file must have this bone.
            #[must_use]
            pub const fn is_required(self) -> bool {
                match self {
                    $(Self::$bone => is_required!($need),)*
                }
            }
        }
    };
}

human_bones! {
    Hips "hips" - required;
    Spine "spine" Hips required;
    Chest "chest" Spine optional;
    UpperChest "upperChest" Chest optional;
    Neck "neck" UpperChest optional;
    Head "head" Neck required;
    LeftEye "leftEye" Head optional;
    RightEye "rightEye" Head optional;
    Jaw "jaw" Head optional;
    LeftUpperLeg "leftUpperLeg" Hips required;
    RightUpperLeg "rightUpperLeg" Hips required;
    LeftLowerLeg "leftLowerLeg" LeftUpperLeg required;
    RightLowerLeg "rightLowerLeg" RightUpperLeg required;
    LeftFoot "leftFoot" LeftLowerLeg required;
    RightFoot "rightFoot" RightLowerLeg required;
    LeftToes "leftToes" LeftFoot optional;
    RightToes "rightToes" RightFoot optional;
    LeftShoulder "leftShoulder" UpperChest optional;
    RightShoulder "rightShoulder" UpperChest optional;
    LeftUpperArm "leftUpperArm" LeftShoulder required;
    RightUpperArm "rightUpperArm" RightShoulder required;
    LeftLowerArm "leftLowerArm" LeftUpperArm required;
    RightLowerArm "rightLowerArm" RightUpperArm required;
    LeftHand "leftHand" LeftLowerArm required;
    RightHand "rightHand" RightLowerArm required;
    LeftThumbMetacarpal "leftThumbMetacarpal" LeftHand optional;
    RightThumbMetacarpal "rightThumbMetacarpal" RightHand optional;
    LeftThumbProximal "leftThumbProximal" LeftThumbMetacarpal optional;
    RightThumbProximal "rightThumbProximal" RightThumbMetacarpal optional;
    LeftThumbDistal "leftThumbDistal" LeftThumbProximal optional;
    RightThumbDistal "rightThumbDistal" RightThumbProximal optional;
    LeftIndexProximal "leftIndexProximal" LeftHand optional;
    RightIndexProximal "rightIndexProximal" RightHand optional;
    LeftIndexIntermediate "leftIndexIntermediate" LeftIndexProximal optional;
    RightIndexIntermediate "rightIndexIntermediate" RightIndexProximal optional;
    LeftIndexDistal "leftIndexDistal" LeftIndexIntermediate optional;
    RightIndexDistal "rightIndexDistal" RightIndexIntermediate optional;
    LeftMiddleProximal "leftMiddleProximal" LeftHand optional;
    RightMiddleProximal "rightMiddleProximal" RightHand optional;
    LeftMiddleIntermediate "leftMiddleIntermediate" LeftMiddleProximal optional;
    RightMiddleIntermediate "rightMiddleIntermediate" RightMiddleProximal optional;
    LeftMiddleDistal "leftMiddleDistal" LeftMiddleIntermediate optional;
    RightMiddleDistal "rightMiddleDistal" RightMiddleIntermediate optional;
    LeftRingProximal "leftRingProximal" LeftHand optional;
    RightRingProximal "rightRingProximal" RightHand optional;
    LeftRingIntermediate "leftRingIntermediate" LeftRingProximal optional;
    RightRingIntermediate "rightRingIntermediate" RightRingProximal optional;
    LeftRingDistal "leftRingDistal" LeftRingIntermediate optional;
    RightRingDistal "rightRingDistal" RightRingIntermediate optional;
    LeftLittleProximal "leftLittleProximal" LeftHand optional;
    RightLittleProximal "rightLittleProximal" RightHand optional;
    LeftLittleIntermediate "leftLittleIntermediate" LeftLittleProximal optional;
    RightLittleIntermediate "rightLittleIntermediate" RightLittleProximal optional;
    LeftLittleDistal "leftLittleDistal" LeftLittleIntermediate optional;
    RightLittleDistal "rightLittleDistal" RightLittleIntermediate optional;
}

impl HumanBone {
    /// The name in VRM 0.x. It differs from [`HumanBone::name`] for thumbs, whose bones were called one further out.
    #[must_use]
    pub const fn vrm0_name(self) -> &'static str {
        match self {
            Self::LeftThumbMetacarpal => "leftThumbProximal",
            Self::LeftThumbProximal => "leftThumbIntermediate",
            Self::RightThumbMetacarpal => "rightThumbProximal",
            Self::RightThumbProximal => "rightThumbIntermediate",
            other => other.name(),
        }
    }

    /// The bone with this name in VRM 1.0.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bone| bone.name() == name)
    }

    /// The bone with this name in VRM 0.x.
    #[must_use]
    pub fn from_vrm0_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bone| bone.vrm0_name() == name)
    }

    /// The side of the body; `None` for bones in the middle.
    #[must_use]
    pub fn side(self) -> Option<BodySide> {
        if self.name().starts_with("left") {
            Some(BodySide::Left)
        } else if self.name().starts_with("right") {
            Some(BodySide::Right)
        } else {
            None
        }
    }

    /// The same bone on the other side of the body; bones in the middle are their own mirror.
    #[must_use]
    pub fn mirror(self) -> Self {
        match self.side() {
            Some(BodySide::Left) => Self::ALL[self as usize + 1],
            Some(BodySide::Right) => Self::ALL[self as usize - 1],
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        assert_eq!(HumanBone::COUNT, 55);
        for bone in HumanBone::ALL {
            assert_eq!(HumanBone::from_name(bone.name()), Some(bone));
            assert_eq!(HumanBone::from_vrm0_name(bone.vrm0_name()), Some(bone));
        }
        assert_eq!(HumanBone::from_vrm0_name("leftThumbIntermediate"), Some(HumanBone::LeftThumbProximal));
        assert_eq!(HumanBone::from_vrm0_name("leftThumbDistal"), Some(HumanBone::LeftThumbDistal));
        assert_eq!(HumanBone::from_name("tail"), None);
    }

    #[test]
    fn parents_come_first_and_lead_to_the_hips() {
        for bone in HumanBone::ALL {
            let above: Vec<_> = std::iter::successors(Some(bone), |b| b.parent()).collect();
            assert_eq!(above.last(), Some(&HumanBone::Hips), "{bone:?}");
            assert!(above.windows(2).all(|w| w[1] < w[0]), "{bone:?}");
        }
        assert_eq!(HumanBone::ALL.into_iter().filter(|b| b.is_required()).count(), 15);
    }

    #[test]
    fn mirrors_swap_sides_and_keep_the_hierarchy() {
        for bone in HumanBone::ALL {
            assert_eq!(bone.mirror().mirror(), bone);
            assert_eq!(bone.mirror().parent(), bone.parent().map(HumanBone::mirror));
            assert_eq!(bone.mirror().is_required(), bone.is_required());
            let swapped =
                bone.name().replace("left", "RIGHT").replace("right", "left").replace("RIGHT", "right");
            assert_eq!(bone.mirror().name(), swapped);
        }
    }
}
