//! Which words of a vertex hold what.

use super::method::GpuMethod;
use sinew::Weights;

/// The maximum number of influences stored with every vertex; meshes with more store lists.
pub(super) const MAX_FIXED_INFLUENCES: usize = 8;

/// How influences are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Influences {
    /// A place for so many in every vertex, the first one's weight being one minus the others.
    Fixed {
        /// The number of influences per vertex.
        count: u32,
        /// Bits of a joint's slot.
        slot_bits: u32,
        /// Weights of 16 bits instead of floating-point numbers.
        unorm16: bool,
    },
    /// A list for every vertex.
    Lists,
}

impl Influences {
    pub(super) fn of(weights: Option<&Weights>, compact: bool) -> Self {
        let max_influences = weights.map_or(1, Weights::max_influences).max(1);
        let slots = weights.map_or(1, Weights::slot_count);
        match u32::try_from(max_influences) {
            Ok(count) if max_influences <= MAX_FIXED_INFLUENCES => {
                let slot_bits = if compact && slots <= 1 << 12 { 12 } else { 16 };
                Self::Fixed { count, slot_bits, unorm16: compact }
            }
            _ => Self::Lists,
        }
    }

    /// Words a vertex takes in the mesh's planes.
    pub(super) fn words(self) -> u32 {
        match self {
            Self::Fixed { count, slot_bits, unorm16: true } => {
                (count * slot_bits + (count - 1) * 16).div_ceil(32)
            }
            Self::Fixed { count, slot_bits, .. } => (count * slot_bits).div_ceil(32) + count - 1,
            Self::Lists => 0,
        }
    }
}

/// The planes of a mesh on the GPU: one word of every vertex in a row, then the next word of every vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MeshLayout {
    pub(super) normals: bool,
    pub(super) tangents: bool,
    /// Directions in one word, weights of 16 bits.
    pub(super) compact: bool,
    pub(super) influences: Influences,
    pub(super) centers: bool,
    pub(super) mush_pivots: bool,
    /// Each vertex has the words of contact skinning.
    pub(super) contacts: bool,
    /// Muscles displace vertices before they are skinned.
    pub(super) muscles: bool,
}

impl MeshLayout {
    pub(super) const POSITION: u32 = 0;
    pub(super) const NORMAL: u32 = 3;

    /// True if position and folded normal stand together, sixteen bytes that are read and written at once.
    pub(super) fn quads(&self) -> bool {
        self.compact && self.normals
    }

    pub(super) fn tangent(&self) -> u32 {
        match (self.quads(), self.normals) {
            (true, _) => 0,
            (false, true) => 6,
            (false, false) => 3,
        }
    }

    pub(super) fn influence(&self) -> u32 {
        self.tangent() + self.tangent_words()
    }

    /// The first word of a vertex's center of rotation.
    pub(super) fn center(&self) -> u32 {
        self.influence() + self.influences.words()
    }

    /// The first word of a vertex's pivot in direct delta mush.
    pub(super) fn mush_pivot(&self) -> u32 {
        self.center() + 3 * u32::from(self.centers)
    }

    /// The first word of a vertex's contact data.
    pub(super) fn contact(&self) -> u32 {
        self.mush_pivot() + 3 * u32::from(self.mush_pivots)
    }

    /// Words of a vertex in all planes, those of quads aside.
    pub(super) fn words(&self) -> u32 {
        let threes = u32::from(self.centers) + u32::from(self.mush_pivots) + u32::from(self.contacts);
        self.influence() + self.influences.words() + 3 * threes
    }

    /// Words from one position to the next, on the way in and out.
    pub(super) fn position_words(&self) -> u32 {
        if self.quads() { 4 } else { 3 }
    }

    /// Words of a normal that stands alone.
    pub(super) fn normal_words(&self) -> u32 {
        if self.normals && !self.quads() { 3 } else { 0 }
    }

    /// Words of a tangent, on the way in and out.
    pub(super) fn tangent_words(&self) -> u32 {
        match (self.tangents, self.compact) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 4,
        }
    }

    /// Bytes of a vertex that `method` reads and writes.
    pub(super) fn bytes_moved(&self, method: &GpuMethod) -> (u64, u64) {
        let streams = self.position_words() + self.normal_words() + self.tangent_words();
        let influences = match self.influences {
            _ if method.has_moments => 0,
            // Only the word of the strongest joint is read.
            Influences::Fixed { .. } if method.is_rigid => 1,
            influences => influences.words(),
        };
        let center = if method.has_centers || method.has_contacts { 3 } else { 0 };
        (u64::from(4 * (streams + influences + center)), u64::from(4 * streams))
    }
}
