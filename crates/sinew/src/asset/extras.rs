//! Application data of a character that Sinew does not interpret.

use std::collections::BTreeMap;

/// The part of a character that some application data belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExtrasOwner {
    /// The file as a whole.
    Asset,
    /// The scene at this index.
    Scene(usize),
    /// The joint at this index.
    Joint(usize),
    /// The mesh at this index.
    Mesh(usize),
    /// The primitive at the second index of the mesh at the first.
    Primitive(usize, usize),
    /// The skin at this index.
    Skin(usize),
    /// The clip at this index.
    Clip(usize),
    /// The material at this index.
    Material(usize),
    /// The image at this index.
    Image(usize),
}

/// JSON texts by the part that they belong to.
pub type Extras = BTreeMap<ExtrasOwner, Box<str>>;
