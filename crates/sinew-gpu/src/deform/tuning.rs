//! How the work of a job is divided among threads.

/// How work is divided. The defaults are the fastest on the GPUs that were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The number of threads in a workgroup, 1 or more.
    pub workgroup: u32,
    /// Vertices that a thread processes at once; four or two of them share the list of a [block](super::BlockUse).
    pub vertices_per_thread: u32,
    /// The maximum number of poses that a thread deforms its vertices by.
    pub max_poses_per_thread: u32,
    /// The maximum size in bytes of palettes in workgroup memory; larger palettes are read from their buffer.
    pub max_palette_bytes: u32,
    /// The number of listed joints after the first, at most three, whose weights a thread keeps in registers from pose to
    /// pose; it reads those of further joints again.
    pub held_weights: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            workgroup: 128,
            vertices_per_thread: 4,
            max_poses_per_thread: 8,
            max_palette_bytes: 16 << 10,
            held_weights: 3,
        }
    }
}
