//! Selections and locks: what an operation may change.

use std::collections::BTreeSet;

/// The vertices that an operation may change.
///
/// Copies of a point change together: a point is selected if any of its vertices is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VertexSelection {
    /// All vertices of the mesh.
    #[default]
    All,
    /// The given vertices and their copies.
    Vertices(BTreeSet<u32>),
}

impl VertexSelection {
    /// The given vertices and their copies.
    #[must_use]
    pub fn of(vertices: impl IntoIterator<Item = u32>) -> Self {
        Self::Vertices(vertices.into_iter().collect())
    }

    /// True if `vertex` itself is selected.
    #[must_use]
    pub fn contains(&self, vertex: u32) -> bool {
        match self {
            Self::All => true,
            Self::Vertices(vertices) => vertices.contains(&vertex),
        }
    }
}

/// The joints whose weights stay bit-identical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks(BTreeSet<u16>);

impl Locks {
    /// Locks the joints at these slots of the skin.
    #[must_use]
    pub fn of(slots: impl IntoIterator<Item = u16>) -> Self {
        Self(slots.into_iter().collect())
    }

    /// True if the joint at `slot` is locked.
    #[must_use]
    pub fn holds(&self, slot: u16) -> bool {
        self.0.contains(&slot)
    }

    /// True if no joint is locked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
