//! Deformed vertices over time, and the files that hold them.
//!
//! ```
//! use sinew::Method;
//! use sinew_formats::bake::{Bake, BakeMotion, BakeTake, npy};
//!
//! let arm = sinew_samples::arm();
//! let motion = BakeMotion::Clip(&arm.clips()[0]);
//! let take = BakeTake { motion, times_secs: &[0.0, 0.5], method: Method::Linear, normals: false };
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
    /// What was played.
    pub clip: Option<BakedClip>,
    /// How it was deformed, by the method's name.
    pub method: String,
    /// When, in seconds from the clip's start.
    pub times_secs: Vec<f32>,
    /// How many vertices a time has.
    pub vertex_count: usize,
    /// What the vertices belong to, sorted by node and primitive; together they cover the vertices in order.
    pub parts: Vec<BakePart>,
    /// `vertex_count` positions a time.
    pub positions: Vec<Vec3>,
    /// As many unit normals, or none. A vertex without one has zero.
    pub normals: Vec<Vec3>,
    /// The first texture coordinate set, one a vertex for all times, or none.
    pub uvs: Vec<Vec2>,
    /// Triangles for all times, counter-clockwise seen from outside at the first time.
    pub triangles: Vec<[u32; 3]>,
    /// The file's number of each visible node, rising.
    pub nodes: Vec<usize>,
    /// `model_from_joint` of each of `nodes`, one list a time.
    pub node_matrices: Vec<Affine3A>,
}

/// Which clip was baked.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    /// Its name, possibly empty.
    pub name: String,
    /// Its place in the character's list, or none for a clip from elsewhere.
    pub index: Option<usize>,
    /// How long it lasts.
    pub duration_secs: f32,
}

/// The vertices of one primitive at one node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakePart {
    /// The file's node.
    pub node: usize,
    /// The mesh's place in the character's list.
    pub mesh: usize,
    /// The primitive's place in the mesh.
    pub primitive: usize,
    /// What the node is called, or the mesh where the node has no name.
    pub name: String,
    /// True where a skin moved it.
    pub skinned: bool,
    /// Its first vertex.
    pub first: usize,
    /// How many vertices it has.
    pub count: usize,
}

impl Bake {
    /// The positions at the time with number `time`; empty beyond the last.
    pub fn positions_at(&self, time: usize) -> &[Vec3] {
        part_of(&self.positions, time, self.vertex_count)
    }

    /// The normals at the time with number `time`; empty beyond the last or where there are none.
    pub fn normals_at(&self, time: usize) -> &[Vec3] {
        part_of(&self.normals, time, self.vertex_count)
    }

    /// Checks what writers rely on.
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
        let what = format!("the bake's {wrong} do not fit {times} times of {} vertices", self.vertex_count);
        Err(io::Error::new(io::ErrorKind::InvalidInput, what))
    }
}

fn part_of<T>(list: &[T], part: usize, size: usize) -> &[T] {
    let start = part.saturating_mul(size);
    list.get(start..start.saturating_add(size)).unwrap_or_default()
}

/// Writes floats little-endian, in chunks that keep an unbuffered file quick.
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
