//! Whether the vertices of a mesh share lists of joints on the GPU.

/// Whether linear blend skinning on the GPU reads influences from blocks: consecutive vertices that share a list of
/// joints, so that a thread reads each matrix once for several vertices.
///
/// Blocks lie beside the influences of each vertex, which the other methods read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockUse {
    /// In jobs whose threads deform by several poses, if the lists of joints are short.
    #[default]
    Auto,
    /// Never; no memory is spent on blocks.
    Never,
    /// In every job, however long the lists are. Lists of more than 255 joints are the exception: then there are no blocks.
    Always(BlockSize),
}

/// The number of consecutive vertices that share a list of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlockSize {
    /// Eight vertices: the shorter lists of joints.
    #[default]
    Eight,
    /// Sixteen vertices: the fewer lists, which are longer.
    Sixteen,
}

impl BlockSize {
    /// Every size, the smallest first.
    pub const ALL: [Self; 2] = [Self::Eight, Self::Sixteen];

    /// The number of vertices in a block.
    pub const fn vertices(self) -> u32 {
        match self {
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}

/// The blocks of an uploaded mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockStats {
    /// Vertices of a block.
    pub size: BlockSize,
    /// The number of blocks.
    pub blocks: u32,
    /// The joints in all lists together.
    pub joints: u64,
    /// Bytes of lists and weights in GPU memory.
    pub bytes: u64,
}

impl BlockStats {
    /// The mean length of a block's list of joints.
    pub fn joints_per_block(&self) -> f64 {
        self.joints as f64 / f64::from(self.blocks.max(1))
    }
}
