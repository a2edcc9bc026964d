//! What can be wrong.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing looks wrong because of it.
    Note,
    /// The character will not look as it should, somewhere or in some program.
    Warning,
    /// The file breaks a rule, or the character cannot look right.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident => $text:literal, $severity:ident, $mend:ident, $advice:literal;)*) => {
        /// What is wrong. The text of a code never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable text, for instance `weights-sum`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The code of that text.
            pub fn find(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == text)
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Whether [`fix()`](super::fix()) can do something about it.
            pub const fn can_be_mended(self) -> bool {
                match self { $(Self::$name => codes!(@ $mend),)* }
            }

            /// What it is, in a sentence.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*).trim_ascii(),)* }
            }

            /// What to do about it.
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
    (@ Mends) => { true };
    (@ Advises) => { false };
}

codes! {
    /// Weights of a vertex do not sum to one.
    WeightsSum => "weights-sum", Error, Mends, "Normalise the weights; programs that do not will shrink or blow up these vertices.";
    /// Vertices have no weight at all.
    WeightsMissing => "weights-missing", Error, Mends, "Weight them; until then they stay behind or fly to the origin.";
    /// A weight is negative.
    WeightsNegative => "weights-negative", Error, Mends, "Set negative weights to zero and normalise.";
    /// A joint stands twice in one vertex.
    DuplicateJoint => "duplicate-joint", Error, Mends, "Add the shares of the same joint up.";
    /// A vertex names a joint that the skin does not have.
    JointOutOfRange => "joint-out-of-range", Error, Mends, "Name a joint of the skin, also where the weight is zero.";
    /// A set of joints came without its weights, or the other way round.
    InfluenceSetIncomplete => "influence-set-incomplete", Error, Mends, "Write JOINTS_n and WEIGHTS_n together, without gaps in n.";
    /// A rotation is not a unit quaternion.
    QuaternionNotUnit => "quaternion-not-unit", Error, Mends, "Normalise rotations; programs that do not will scale the character.";
    /// An inverse bind is no affine matrix.
    BindNotAffine => "bind-not-affine", Error, Mends, "The last row of an inverse bind must be 0 0 0 1.";
    /// A joint's matrix has shear that translation, rotation and scale cannot hold.
    MatrixSheared => "matrix-sheared", Warning, Mends, "Freeze the transform in the program that made it.";
    /// A vertex follows more joints than the target takes.
    InfluencesOverTarget => "influences-over-target", Warning, Mends, "Limit the influences, refitted on poses, before the target drops them on its own.";
    /// A skin has more joints than the target takes.
    JointsOverTarget => "joints-over-target", Warning, Mends, "Take unused joints out, merge small ones into their parents, or split the mesh.";
    /// A vertex follows a joint of a far limb.
    StrayWeights => "stray-weights", Warning, Mends, "Remove the influence; it pulls single vertices out of the surface.";
    /// A loose part of the mesh follows a joint that nothing around it follows.
    LooseIsland => "loose-island", Warning, Mends, "Give the part the weights of the surface that it lies on.";
    /// A symmetric mesh has weights that differ from side to side.
    AsymmetricWeights => "asymmetric-weights", Warning, Mends, "Mirror the weights of the better side.";
    /// Copies of one point have different weights: the seam opens when it moves.
    SeamOpens => "seam-opens", Warning, Mends, "Give all copies of a point the same weights.";
    /// An inverse bind does not fit the bind pose of the other joints.
    BindMismatch => "bind-mismatch", Warning, Mends, "Bind the joint again where the others were bound.";
    /// An inverse bind flattens the mesh: it has no inverse.
    BindSingular => "bind-singular", Error, Mends, "Bind the joint again; its vertices collapse to a plane or a point.";
    /// The rest pose is not the bind pose.
    RestNotBind => "rest-not-bind", Note, Advises, "Nothing, where it is meant: the character rests in another pose than it was bound in.";
    /// A joint has a negative scale.
    ScaleNegative => "scale-negative", Warning, Mends, "Freeze the scale; a mirroring joint turns normals and many programs cannot hold it.";
    /// A joint has a scale that differs from axis to axis.
    ScaleNonUniform => "scale-non-uniform", Warning, Mends, "Freeze the scale; below it rotations shear.";
    /// A joint of the skin moves no vertex.
    UnusedJoint => "unused-joint", Note, Mends, "Take it out of the skin: it costs a matrix in every frame.";
    /// The root that a skin names is not above its joints, or nothing is.
    RootUnreachable => "root-unreachable", Error, Mends, "Name a common root of all joints, or none.";
    /// Joints of a skin are not in the scene that is shown.
    JointsNotInScene => "joints-not-in-scene", Error, Mends, "Put the root of the joints into the scene.";
    /// Keys of a clip tremble from one to the next.
    ClipJitter => "clip-jitter", Warning, Mends, "Smooth the keys; it is mostly noise of a capture or of a solver.";
    /// Neighbouring keys of a smooth rotation have opposite signs: it spins the long way round.
    ClipFlipCubic => "clip-flip-cubic", Warning, Mends, "Turn the sign of such keys and their tangents; the keys stay the same rotations.";
    /// Neighbouring keys have opposite signs: a program that does not look turns the long way round.
    ClipFlip => "clip-flip", Note, Mends, "Turn the sign of every second of such keys; the rotation is the same.";
    /// A clip twists skin until it collapses.
    CandyWrap => "candy-wrap", Warning, Advises, "Spread the twist over more joints, or deform by dual quaternions or centres of rotation.";
    /// A clip takes volume from the body.
    VolumeLoss => "volume-loss", Warning, Advises, "Smooth the weights around the bend, add a helper joint, or deform by another method.";
    /// A foot slides while it stands.
    FootSlide => "foot-slide", Warning, Advises, "Pin the foot where it stands, with IK or in the program that made the clip.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn code_texts_are_unique_and_kebab_case() {
        let texts: HashSet<_> = Code::ALL.iter().map(|c| c.as_str()).collect();
        assert_eq!(texts.len(), Code::ALL.len());
        assert!(texts.iter().all(|t| t.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        assert!(Code::ALL.iter().all(|c| c.title().ends_with('.')), "a title is a sentence");
    }
}
