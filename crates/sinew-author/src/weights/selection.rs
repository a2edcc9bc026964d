//! What an operation may touch.

use std::collections::BTreeSet;

/// The vertices that an operation may change.
///
/// Copies of one point are changed together: a point is selected where any of its vertices is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VertexSelection {
    /// Every vertex.
    #[default]
    All,
    /// These vertices and their copies.
    Vertices(BTreeSet<u32>),
}

impl VertexSelection {
    /// These vertices and their copies.
    pub fn of(vertices: impl IntoIterator<Item = u32>) -> Self {
        Self::Vertices(vertices.into_iter().collect())
    }

    /// True where `vertex` itself is selected.
    pub fn contains(&self, vertex: u32) -> bool {
        match self {
            Self::All => true,
            Self::Vertices(vertices) => vertices.contains(&vertex),
        }
    }
}

/// The joints whose weights stay to the bit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks(BTreeSet<u16>);

impl Locks {
    /// Locks on these joints, by their places in the skin.
    pub fn of(slots: impl IntoIterator<Item = u16>) -> Self {
        Self(slots.into_iter().collect())
    }

    /// True where the joint at `slot` is locked.
    pub fn holds(&self, slot: u16) -> bool {
        self.0.contains(&slot)
    }

    /// True where nothing is locked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
