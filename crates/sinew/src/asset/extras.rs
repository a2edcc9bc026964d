//! Application data that travels with a character and means nothing to Sinew.

use std::collections::BTreeMap;

/// The part of a character that some application data belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtrasOwner {
    /// The file as a whole.
    Asset,
    /// A scene, by its place.
    Scene(usize),
    /// A joint, by its place.
    Joint(usize),
    /// A mesh, by its place.
    Mesh(usize),
    /// A mesh's primitive, by their places.
    Primitive(usize, usize),
    /// A skin, by its place.
    Skin(usize),
    /// A clip, by its place.
    Clip(usize),
    /// A material, by its place.
    Material(usize),
    /// An image, by its place.
    Image(usize),
}

/// JSON texts by the part they belong to.
pub type Extras = BTreeMap<ExtrasOwner, Box<str>>;
