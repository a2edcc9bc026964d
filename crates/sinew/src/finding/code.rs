//! The registry of finding codes: one row per code.
//!
//! A new code is one row of the table below; everything that lists, parses or documents codes reads the table.

use super::Severity;
use std::fmt;

/// Who reports a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reporter {
    /// Import, about the file that it reads.
    Import,
    /// The check, about a character.
    Check,
    /// Import, about the file; the check repeats it, because the character shows no trace of it.
    ImportAndCheck,
}

/// What removes a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// Nothing automatic: see the advice.
    Manual,
    /// Import has repaired the data. A new file has the repaired data. A glTF file that is edited in place gets the repairs
    /// that the check reports too, if it is written with them.
    Import,
    /// An automatic fix that changes the character.
    Fix,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident($text:literal, $severity:ident, $remedy:ident, $reporter:ident) $advice:literal;)*) => {
        /// What kind of thing was found. The text of a code never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum FindingCode { $($(#[doc = $doc])* $name,)* }

        impl FindingCode {
            /// Every code, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable text, for instance `weights-sum`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// How much findings with this code matter.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// What removes findings with this code.
            #[must_use]
            pub const fn remedy(self) -> Remedy {
                match self { $(Self::$name => Remedy::$remedy,)* }
            }

            /// Who reports this code.
            #[must_use]
            pub const fn reported_by(self) -> Reporter {
                match self { $(Self::$name => Reporter::$reporter,)* }
            }

            /// What the code means, in a sentence.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*).trim_ascii(),)* }
            }

            /// What to do about it, in a sentence or two.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

// code(text, severity, remedy, reporter) advice
codes! {
    /// The weights of a vertex do not sum to one.
    WeightsSum("weights-sum", Error, Import, Check)
        "Normalize the weights. Programs that do not normalize shrink or inflate these vertices.";
    /// Vertices have no weight at all.
    WeightsMissing("weights-missing", Error, Import, ImportAndCheck)
        "Assign weights. Without them the vertices stay behind or fly to the origin.";
    /// A weight is negative.
    WeightsNegative("weights-negative", Error, Import, ImportAndCheck)
        "Set negative weights to zero and normalize.";
    /// A vertex names the same joint twice.
    DuplicateJoint("duplicate-joint", Error, Import, ImportAndCheck)
        "Add up the weights of the same joint.";
    /// A vertex names a joint that the skin does not have.
    JointOutOfRange("joint-out-of-range", Error, Import, ImportAndCheck)
        "Name a joint of the skin, even where the weight is zero.";
    /// A set of joints has no weights, or a set of weights has no joints.
    InfluenceSetIncomplete("influence-set-incomplete", Error, Import, ImportAndCheck)
        "Write JOINTS_n and WEIGHTS_n together, without gaps in n.";
    /// A rotation is not a unit quaternion.
    QuaternionNotUnit("quaternion-not-unit", Error, Import, ImportAndCheck)
        "Normalize rotations. Programs that do not normalize scale the character.";
    /// An inverse bind matrix is not affine.
    BindNotAffine("bind-not-affine", Error, Import, ImportAndCheck)
        "Set the last row of the inverse bind matrix to 0 0 0 1.";
    /// A joint's matrix has shear, which translation, rotation and scale cannot express.
    MatrixSheared("matrix-sheared", Warning, Import, ImportAndCheck)
        "Freeze the transform in the program that exported it.";
    /// A vertex has more influences than the target supports.
    InfluencesOverTarget("influences-over-target", Warning, Fix, Check)
        "Limit the influences and refit them on poses, before the target drops some on its own.";
    /// A skin has more joints than the target supports.
    JointsOverTarget("joints-over-target", Warning, Fix, Check)
        "Remove unused joints, merge small ones into their parents, or split the mesh.";
    /// A vertex follows a joint of a distant limb.
    StrayWeights("stray-weights", Warning, Fix, Check)
        "Remove the influence. It pulls single vertices out of the surface.";
    /// A disconnected part of the mesh follows a joint that nothing around it follows.
    LooseIsland("loose-island", Warning, Fix, Check)
        "Copy the weights of the surface that the part lies on.";
    /// A part of one side follows the joint of the other side.
    SideSwapped("side-swapped", Warning, Fix, Check)
        "Give the part the joint of its own side.";
    /// The skin around a chain of joints follows none of them.
    LimbFrozen("limb-frozen", Warning, Manual, Check)
        "Weight the limb to its joints: paint it, or compute weights with `sinew weights auto`.";
    /// Clips move the joints, and the body stays where it is.
    BodyNotMoved("body-not-moved", Warning, Manual, Check)
        "Bind the body to the joints that the clips move.";
    /// A symmetric mesh has weights that differ between its sides.
    AsymmetricWeights("asymmetric-weights", Warning, Fix, Check)
        "Mirror the weights of the better side.";
    /// Copies of one point have different weights, so the seam opens in motion.
    SeamOpens("seam-opens", Warning, Fix, Check)
        "Give all copies of a point the same weights.";
    /// An inverse bind matrix does not match the bind pose of the other joints.
    BindMismatch("bind-mismatch", Warning, Fix, Check)
        "Rebind the joint in the pose in which the others were bound.";
    /// An inverse bind matrix is singular: it flattens the mesh.
    BindSingular("bind-singular", Error, Fix, Check)
        "Rebind the joint. Its vertices collapse to a plane or a point.";
    /// The rest pose is not the bind pose.
    RestNotBind("rest-not-bind", Note, Manual, Check)
        "Do nothing if this is intended: the character rests in another pose than its bind pose.";
    /// A joint has a negative scale.
    ScaleNegative("scale-negative", Warning, Fix, Check)
        "Freeze the scale. A mirroring joint flips normals, and many programs do not support it.";
    /// A joint has a scale that differs between axes.
    ScaleNonUniform("scale-non-uniform", Warning, Fix, Check)
        "Freeze the scale. Rotations below it shear.";
    /// A joint of the skin influences no vertex.
    UnusedJoint("unused-joint", Note, Fix, Check)
        "Remove it from the skin. It costs one matrix per frame.";
    /// The root that a skin names is not an ancestor of its joints, or the joints have no common ancestor.
    RootUnreachable("root-unreachable", Error, Fix, Check)
        "Name a common ancestor of all joints, or none.";
    /// Joints of a skin are not part of the default scene.
    JointsNotInScene("joints-not-in-scene", Error, Fix, Check)
        "Add the root of the joints to the scene.";
    /// Keys of a clip alternate around their mean.
    ClipJitter("clip-jitter", Warning, Fix, Check)
        "Smooth the keys. This is usually noise of motion capture or of a solver.";
    /// A single key is far from the path of the keys around it.
    ClipPop("clip-pop", Warning, Fix, Check)
        "Remove the key, or set it between its neighbors.";
    /// A curve jumps from one key to the next and stays there.
    ClipJump("clip-jump", Warning, Manual, Check)
        "Cut the clip there, or export it again: a jump in one frame is usually a lost or wrapped value.";
    /// Adjacent keys of a cubic rotation have opposite signs, so it spins the long way round.
    ClipFlipCubic("clip-flip-cubic", Warning, Fix, Check)
        "Negate such keys and their tangents. The keyed rotations stay the same.";
    /// Adjacent keys have opposite signs. A program that ignores this rotates the long way round.
    ClipFlip("clip-flip", Note, Fix, Check)
        "Negate every second one of such keys. The rotation stays the same.";
    /// A clip twists the skin until it collapses.
    CandyWrap("candy-wrap", Warning, Manual, Check)
        "Distribute the twist over more joints, or deform with dual quaternion skinning or centers of rotation.";
    /// The body loses volume in a clip.
    VolumeLoss("volume-loss", Warning, Manual, Check)
        "Smooth the weights around the bend, add a helper joint, or use another deformation method.";
    /// A foot slides while it is planted.
    FootSlide("foot-slide", Warning, Manual, Check)
        "Pin the foot with IK, or fix the clip in the program that exported it.";
    /// Measuring all clips would take too long, so some were left out.
    ClipsNotMeasured("clips-not-measured", Note, Manual, Check)
        "Check a file with fewer clips, or with a mesh of fewer vertices.";
    /// Weights that did not sum to one were normalized.
    WeightsRescaled("weights-rescaled", Error, Import, Import)
        "Normalize the weights. Programs that do not normalize shrink or inflate these vertices.";
    /// A buffer view has a stride where the specification allows none; the stride was honored.
    StrideNotAllowed("stride-not-allowed", Warning, Import, Import)
        "Export the file without a stride on this buffer view.";
    /// Primitives of one mesh have different attributes; missing ones were filled in.
    AttributeFilled("attribute-filled", Warning, Import, Import)
        "Export all primitives of a mesh with the same attributes.";
    /// Primitives of one mesh have different numbers of morph targets; missing ones were filled with zero offsets.
    MorphsFilled("morphs-filled", Warning, Import, Import)
        "Export all primitives of a mesh with the same morph targets.";
    /// A list of morph weights or names does not match the number of targets; it was truncated or padded.
    MorphListLength("morph-list-length", Warning, Import, Import)
        "Write one entry per morph target.";
    /// Trailing indices that do not complete a triangle or line were dropped.
    IndicesLeftOver("indices-left-over", Warning, Import, Import)
        "Write whole triangles or lines.";
    /// A primitive without positions or vertices was dropped.
    PrimitiveEmpty("primitive-empty", Warning, Manual, Import)
        "Remove the empty primitive.";
    /// A second channel for the same property was dropped.
    ChannelDuplicate("channel-duplicate", Warning, Manual, Import)
        "Animate each property of a node with one channel per clip.";
    /// An image could not be loaded; its texture was left out.
    ImageMissing("image-missing", Warning, Manual, Import)
        "Put the image where the file refers to it, or embed it.";
    /// Malformed events were left out.
    EventsIgnored("events-ignored", Warning, Manual, Import)
        "Write each event with a time in seconds and a name.";
    /// A helper joint that is malformed or does not fit the skeleton was left out.
    HelperIgnored("helper-ignored", Warning, Manual, Import)
        "Write the helper joint again with joints of this skeleton.";
    /// A property of a joint in Sinew's application data is invalid and was left out.
    JointDataIgnored("joint-data-ignored", Warning, Manual, Import)
        "Write the property again with a value that the format's page lists.";
    /// A spring bone, a collider or a node constraint is invalid or does not fit the skeleton, and was left out.
    ConstraintIgnored("constraint-ignored", Warning, Manual, Import)
        "Correct it in the program that exported it; saving as glTF carries it as it is.";
    /// A channel with an unsupported target was left out.
    ChannelIgnored("channel-ignored", Note, Manual, Import)
        "Nothing. Sinew animates translation, rotation, scale and morph weights.";
    /// An animation without a usable channel was left out.
    ClipEmpty("clip-empty", Note, Manual, Import)
        "Nothing, or remove the empty animation.";
    /// A take moves in curves between its frames; keys were added where straight lines would be too far off.
    CurveRefined("curve-refined", Note, Manual, Import)
        "Nothing. To have keys at frames alone, choose the rate at which the file is read.";
    /// Values of a take jump at its very end; the clip ends with the values before.
    EndJumpIgnored("end-jump-ignored", Note, Manual, Import)
        "Nothing. To see the last values, let the take end later.";
    /// A skin has no inverse bind matrices; they are the identity, as the specification says.
    InverseBindsMissing("inverse-binds-missing", Note, Manual, Import)
        "Nothing if the mesh was modeled in joint space; otherwise export inverse bind matrices.";
    /// A node has a skin but its mesh has no weights, or a mesh without a skin has weights: it moves rigidly.
    SkinUnused("skin-unused", Note, Manual, Import)
        "Export mesh, skin and weights together.";
    /// An unsupported vertex attribute was left out.
    AttributeIgnored("attribute-ignored", Note, Manual, Import)
        "Nothing. The attribute does not affect deformation.";
    /// Strips, fans or loops were expanded to lists.
    TopologyExpanded("topology-expanded", Note, Manual, Import)
        "Nothing. The shape is the same.";
    /// An unsupported extension was left out.
    ExtensionIgnored("extension-ignored", Note, Manual, Import)
        "Nothing, unless the look of the character depends on it.";
    /// Cameras and lights are not part of a character and were left out.
    CameraIgnored("camera-ignored", Note, Manual, Import)
        "Nothing.";
    /// Elements that are not part of a character were left out: curves, constraints, caches, sounds.
    ElementIgnored("element-ignored", Note, Manual, Import)
        "Nothing. Bake constraints and caches into keys and meshes in the program that exported them.";
    /// Names of more than 64 KiB were cut.
    NameShortened("name-shortened", Note, Manual, Import)
        "Nothing. A file of the same format keeps the whole name when it is saved.";
    /// Nodes were reordered so that parents come before children.
    NodesReordered("nodes-reordered", Note, Manual, Import)
        "Nothing.";
    /// The file has more than one scene; the default one is shown.
    SeveralScenes("several-scenes", Note, Manual, Import)
        "Nothing, or choose another default scene in the file.";
}

impl FindingCode {
    /// The code with that text.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }

    /// The codes that import reports.
    pub fn of_import() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|code| code.reported_by() != Reporter::Check)
    }

    /// The codes that the check reports.
    pub fn of_check() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|code| code.reported_by() != Reporter::Import)
    }

    /// The code under which the check repeats a finding of import; `None` for what concerns the file alone.
    #[must_use]
    pub fn check_code(self) -> Option<Self> {
        match self.reported_by() {
            // Import reports what it did, the check what the file has.
            Reporter::Import => (self == Self::WeightsRescaled).then_some(Self::WeightsSum),
            Reporter::Check => None,
            Reporter::ImportAndCheck => Some(self),
        }
    }

    /// True if import changed data because of it.
    #[must_use]
    pub fn is_repair(self) -> bool {
        self.remedy() == Remedy::Import
    }

    /// True if import left something out because of it. A file of the same format carries it when it is saved.
    #[must_use]
    pub fn is_omission(self) -> bool {
        matches!(
            self,
            Self::PrimitiveEmpty
                | Self::ChannelDuplicate
                | Self::ImageMissing
                | Self::EventsIgnored
                | Self::HelperIgnored
                | Self::JointDataIgnored
                | Self::ConstraintIgnored
                | Self::ChannelIgnored
                | Self::ClipEmpty
                | Self::AttributeIgnored
                | Self::ExtensionIgnored
                | Self::CameraIgnored
                | Self::ElementIgnored
                | Self::EndJumpIgnored
        )
    }

    /// True if a fixed or newly written file no longer has it.
    #[must_use]
    pub fn can_be_fixed(self) -> bool {
        self.remedy() != Remedy::Manual
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A code is written as its stable text.
#[cfg(feature = "serde")]
impl serde::Serialize for FindingCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for FindingCode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        let unknown = || serde::de::Error::custom(format_args!("unknown finding code {text:?}"));
        Self::find(&text).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn texts_are_unique_kebab_case_and_parse_back() {
        let texts: HashSet<_> = FindingCode::ALL.iter().map(|c| c.as_str()).collect();
        assert_eq!(texts.len(), FindingCode::ALL.len());
        assert!(texts.iter().all(|t| t.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        for &code in FindingCode::ALL {
            assert_eq!(FindingCode::find(code.as_str()), Some(code));
        }
    }

    #[test]
    fn no_code_is_both_a_repair_that_is_written_and_an_omission_that_is_carried() {
        for code in FindingCode::ALL {
            assert!(!(code.is_repair() && code.is_omission()), "{code}");
        }
    }

    #[test]
    fn every_code_has_a_title_and_advice_that_are_sentences() {
        for code in FindingCode::ALL {
            assert!(code.title().ends_with('.'), "{code}: {}", code.title());
            assert!(code.advice().ends_with('.'), "{code}: {}", code.advice());
        }
    }

    #[test]
    fn what_import_repeats_to_the_check_is_a_code_of_the_check() {
        let repeated: Vec<FindingCode> =
            FindingCode::of_import().filter_map(FindingCode::check_code).collect();
        assert_eq!(repeated.len(), 9);
        for code in repeated {
            assert!(code.is_repair() && FindingCode::of_check().any(|c| c == code), "{code}");
        }
    }
}
