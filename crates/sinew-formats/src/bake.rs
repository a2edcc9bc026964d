//! Deformed vertices over time, and the files that hold them.
//!
//! ```
//! use sinew::Method;
//! use sinew_formats::bake::{Bake, BakeMotion, BakeTake, npy};
//!
//! let arm = sinew_samples::arm();
//! let motion = BakeMotion::Clip(&arm.clips()[0]);
//! let take = BakeTake::new(motion, &[0.0, 0.5], Method::Linear);
//! let bake = Bake::record(&arm, &[], &take, &mut |_| {}).unwrap();
//! let mut file = Vec::new();
//! npy::write(&bake, &mut file).unwrap();
//! assert_eq!(file.len(), 128 + 2 * bake.vertex_count * 12);
//! ```

pub mod joints;
mod motion;
pub mod npy;
pub mod obj;
pub mod pc2;
pub mod raw;
mod record;
mod still;
pub mod vat;
mod winding;

pub use motion::{BakeMotion, MotionFitError};
pub use record::{BakeError, BakeTake};
pub use still::static_character;

use sinew::glam::{Affine3A, Vec2, Vec3};
use std::io;

/// Every visible vertex of a character at several times, in model space.
///
/// Plain data: writers check that the lengths fit before they write a byte.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bake {
    /// The clip that was baked; `None` for the rest pose and for single poses.
    pub clip: Option<BakedClip>,
    /// The name of the deformation method.
    pub method: String,
    /// The times of the bake, in seconds from the start of the clip.
    pub times_secs: Vec<f32>,
    /// The number of vertices at each time.
    pub vertex_count: usize,
    /// The primitives, sorted by node; together they cover the vertices in order.
    pub parts: Vec<BakePart>,
    /// Positions in model space, `vertex_count` for each time.
    pub positions: Vec<Vec3>,
    /// Unit normals, as many as positions, or empty. A vertex without a normal has zero.
    pub normals: Vec<Vec3>,
    /// The first texture coordinate set, one entry per vertex for all times, or empty.
    pub uvs: Vec<Vec2>,
    /// The triangles of all times, counterclockwise from outside at the first time.
    pub triangles: Vec<[u32; 3]>,
    /// The index of each visible node in the file, ascending.
    pub nodes: Vec<usize>,
    /// `model_from_joint` of each of `nodes`, one list per time.
    pub node_matrices: Vec<Affine3A>,
}

/// The clip of a bake.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    /// The name of the clip, possibly empty.
    pub name: String,
    /// The index in the character's clips; `None` for a clip of another source.
    pub index: Option<usize>,
    /// The duration of the clip in seconds.
    pub duration_secs: f32,
}

/// The vertices of one primitive at one node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakePart {
    /// The index of the node in the file.
    pub node: usize,
    /// The index of the mesh in the character.
    pub mesh: usize,
    /// The index of the primitive in the mesh.
    pub primitive: usize,
    /// The name of the node, or of the mesh if the node has none.
    pub name: String,
    /// True when a skin deforms the primitive.
    pub skinned: bool,
    /// The index of its first vertex in the bake.
    pub first: usize,
    /// The number of its vertices.
    pub count: usize,
}

impl Bake {
    /// The positions at the time of this index; empty beyond the last.
    #[must_use]
    pub fn positions_at(&self, time: usize) -> &[Vec3] {
        part_of(&self.positions, time, self.vertex_count)
    }

    /// The normals at the time of this index; empty beyond the last or if none were recorded.
    #[must_use]
    pub fn normals_at(&self, time: usize) -> &[Vec3] {
        part_of(&self.normals, time, self.vertex_count)
    }

    /// Checks the lengths that writers rely on.
    fn check(&self) -> io::Result<()> {
        let times = self.times_secs.len();
        let fits = |count: usize, rows: usize| rows.checked_mul(times) == Some(count);
        let last_vertex = self.triangles.iter().flatten().max();
        let wrong = if !fits(self.positions.len(), self.vertex_count) {
            "positions"
        } else if !self.normals.is_empty() && !fits(self.normals.len(), self.vertex_count) {
            "normals"
        } else if !self.uvs.is_empty() && self.uvs.len() != self.vertex_count {
            "texture coordinates"
        } else if !fits(self.node_matrices.len(), self.nodes.len()) {
            "node matrices"
        } else if last_vertex.is_some_and(|&v| v as usize >= self.vertex_count) {
            "triangles"
        } else {
            return Ok(());
        };
        let what =
            format!("the {wrong} of the bake do not match {times} times of {} vertices", self.vertex_count);
        Err(io::Error::new(io::ErrorKind::InvalidInput, what))
    }
}

fn part_of<T>(list: &[T], part: usize, size: usize) -> &[T] {
    let start = part.saturating_mul(size);
    list.get(start..start.saturating_add(size)).unwrap_or_default()
}

/// Writes floats little-endian, in chunks so that an unbuffered file stays fast.
fn write_floats(floats: impl IntoIterator<Item = f32>, out: &mut impl io::Write) -> io::Result<()> {
    let mut chunk = Vec::with_capacity(1 << 16);
    for float in floats {
        chunk.extend_from_slice(&float.to_le_bytes());
        if chunk.len() >= 1 << 16 {
            out.write_all(&chunk)?;
            chunk.clear();
        }
    }
    out.write_all(&chunk)
}

#[cfg(test)]
mod tests;
