//! What a reader had to repair or leave out.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident => $text:literal, $kind:ident;)*) => {
        /// What kind of thing was found. The text of a code never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable text, for instance `weights-rescaled`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Whether data was changed or only left out.
            pub const fn kind(self) -> FindingKind {
                match self { $(Self::$name => FindingKind::$kind,)* }
            }
        }
    };
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The file broke a rule; the data was changed so that it can be used.
    Repair,
    /// The file is right; something in it has no place in a character and was left out, or is worth knowing.
    Note,
}

impl FindingKind {
    /// `repair` or `note`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Note => "note",
        }
    }
}

codes! {
    /// Weights did not sum to one and were scaled.
    WeightsRescaled => "weights-rescaled", Repair;
    /// Vertices without any weight now follow the skin's first joint.
    WeightsMissing => "weights-missing", Repair;
    /// Negative weights were set to zero.
    WeightsNegative => "weights-negative", Repair;
    /// A joint stood twice in one vertex; its shares were added.
    DuplicateJoint => "duplicate-joint", Repair;
    /// A joint that the skin does not have stood at zero weight and was dropped.
    JointOutOfRange => "joint-out-of-range", Repair;
    /// A set of joints came without its weights, or the other way round.
    InfluenceSetIncomplete => "influence-set-incomplete", Repair;
    /// A rotation was not a unit quaternion and was normalised.
    QuaternionNotUnit => "quaternion-not-unit", Repair;
    /// A node's matrix has shear that translation, rotation and scale cannot hold.
    MatrixSheared => "matrix-sheared", Repair;
    /// An inverse bind's last row is not 0 0 0 1 and was taken as if it were.
    BindNotAffine => "bind-not-affine", Repair;
    /// A stride stands where the specification allows none; it was obeyed.
    StrideNotAllowed => "stride-not-allowed", Repair;
    /// Primitives of one mesh have different attributes; the missing ones were filled in.
    AttributeFilled => "attribute-filled", Repair;
    /// A mesh's primitives have different numbers of morph targets; missing ones were filled with rest.
    MorphsFilled => "morphs-filled", Repair;
    /// A list of morph weights or names does not fit the number of targets and was cut or filled.
    MorphListLength => "morph-list-length", Repair;
    /// Indices at the end of a list that make no whole triangle or line were dropped.
    IndicesLeftOver => "indices-left-over", Repair;
    /// A primitive without positions or vertices was dropped.
    PrimitiveEmpty => "primitive-empty", Repair;
    /// A second channel for one property was dropped.
    ChannelDuplicate => "channel-duplicate", Repair;
    /// A channel that moves nothing Sinew knows was left out.
    ChannelIgnored => "channel-ignored", Note;
    /// An animation without a usable channel was left out.
    ClipEmpty => "clip-empty", Note;
    /// A skin has no inverse binds; they are the identity, as the specification says.
    InverseBindsMissing => "inverse-binds-missing", Note;
    /// A node has a skin but its mesh has no weights, or a mesh without a skin has some: it moves rigidly.
    SkinUnused => "skin-unused", Note;
    /// An attribute that has no place in a mesh was left out.
    AttributeIgnored => "attribute-ignored", Note;
    /// Strips, fans or loops were written out as lists.
    TopologyExpanded => "topology-expanded", Note;
    /// An extension that Sinew does not know was left out.
    ExtensionIgnored => "extension-ignored", Note;
    /// A picture could not be had; its texture was left out.
    ImageMissing => "image-missing", Repair;
    /// Cameras and lights have no place in a character.
    CameraIgnored => "camera-ignored", Note;
    /// Nodes were put in another order so that parents stand before children.
    NodesReordered => "nodes-reordered", Note;
    /// A file has more than one scene; the default one is shown.
    SeveralScenes => "several-scenes", Note;
    /// Events that could not be understood were left out.
    EventsIgnored => "events-ignored", Repair;
    /// A helper joint that could not be understood, or does not fit the skeleton, was left out.
    HelperIgnored => "helper-ignored", Repair;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that was repaired or left out.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportFinding {
    /// What kind of thing.
    pub code: Code,
    /// Where, for instance `meshes[2].primitives[0]`.
    pub place: String,
    /// What was found and done, with the values.
    pub detail: String,
}

impl fmt::Display for ImportFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {}: {}", self.code.kind().as_str(), self.code, self.place, self.detail)
    }
}

/// Everything that a reader repaired or left out, in the order it was met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportReport {
    findings: Vec<ImportFinding>,
}

impl ImportReport {
    /// Notes one thing.
    pub fn add(&mut self, code: Code, place: impl Into<String>, detail: impl Into<String>) {
        self.findings.push(ImportFinding { code, place: place.into(), detail: detail.into() });
    }

    /// Everything found.
    pub fn findings(&self) -> &[ImportFinding] {
        &self.findings
    }

    /// How many findings changed data.
    pub fn repair_count(&self) -> usize {
        self.findings.iter().filter(|f| f.code.kind() == FindingKind::Repair).count()
    }

    /// The findings of one kind.
    pub fn of(&self, code: Code) -> impl Iterator<Item = &ImportFinding> {
        self.findings.iter().filter(move |f| f.code == code)
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
    }
}
