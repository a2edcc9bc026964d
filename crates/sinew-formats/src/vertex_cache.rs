//! Vertex caches: the vertices of one mesh in many frames, from PC2, NumPy and OBJ files.
//!
//! ```
//! use sinew_formats::vertex_cache::{VertexCache, read_vertex_cache};
//!
//! let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let cache: VertexCache = read_vertex_cache(text).unwrap();
//! assert_eq!((cache.frames.len(), cache.frames[0].len()), (1, 3));
//! ```
//!
//! Readers do not trust their input: for any bytes they return an error or finite vertices, in bounded time and memory.

mod npy;
mod obj;
mod pc2;

pub use npy::read_npy;
pub use obj::{ObjMesh, read_obj};
pub use pc2::read_pc2;

use crate::{Limits, ReadError, ReadFileError, fetch::read_regular_file, file_format::dotted_list};
use sinew::glam::Vec3;
use std::path::Path;

/// A format of files with the vertices of a mesh.
///
/// A new format is a variant here and its row in each `match` below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VertexCacheFormat {
    /// PointCache 2: binary, one file for all frames.
    Pc2,
    /// A NumPy array of shape (frames, vertices, 3) or (vertices, 3).
    Npy,
    /// Wavefront OBJ: one frame, with the mesh.
    Obj,
}

/// The vertices of a mesh in some frames.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexCache {
    /// The format of the file.
    pub format: VertexCacheFormat,
    /// The positions of all vertices in each frame, in the file's unit.
    pub frames: Vec<Vec<Vec3>>,
}

impl VertexCacheFormat {
    /// Every format, in the order in which lists name them.
    pub const ALL: [Self; 3] = [Self::Pc2, Self::Npy, Self::Obj];

    /// The name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pc2 => "PC2",
            Self::Npy => "NumPy",
            Self::Obj => "OBJ",
        }
    }

    /// The extension of its files, lowercase and without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pc2 => "pc2",
            Self::Npy => "npy",
            Self::Obj => "obj",
        }
    }

    /// The extensions of all formats as a list in English.
    #[must_use]
    pub fn list(conjunction: &str) -> String {
        dotted_list(Self::ALL.into_iter().map(Self::extension), conjunction)
    }

    /// The format that a path's extension stands for, in any case.
    #[must_use]
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }

    /// The format that the first bytes of a file stand for; text is taken for OBJ if it has a vertex.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| match format {
            Self::Pc2 => bytes.starts_with(pc2::MAGIC),
            Self::Npy => bytes.starts_with(npy::MAGIC),
            Self::Obj => obj::is_obj(bytes),
        })
    }
}

/// Reads the vertices of a mesh from memory. The format is recognized by content.
///
/// # Errors
/// When the content cannot be used.
pub fn read_vertex_cache(bytes: &[u8]) -> Result<VertexCache, ReadError> {
    match VertexCacheFormat::detect(bytes) {
        Some(VertexCacheFormat::Pc2) => read_pc2(bytes),
        Some(VertexCacheFormat::Npy) => read_npy(bytes),
        Some(VertexCacheFormat::Obj) => {
            let frames = vec![read_obj(bytes)?.vertices()];
            Ok(VertexCache { format: VertexCacheFormat::Obj, frames })
        }
        None => Err(ReadError::UnknownFormat("not a PC2, NumPy or OBJ file".into())),
    }
}

/// Reads the content of the file at `path` by `read`, for instance [`read_vertex_cache`] or [`read_obj`].
///
/// # Errors
/// When the file cannot be read, or its content cannot be used.
pub fn read_vertex_file<T>(
    path: impl AsRef<Path>,
    read: impl FnOnce(&[u8]) -> Result<T, ReadError>,
) -> Result<T, ReadFileError> {
    let path = path.as_ref();
    let bytes = read_regular_file(path, Limits::DEFAULT_MAX_BYTES)
        .map_err(|source| ReadFileError::Io { path: path.into(), source })?;
    read(&bytes).map_err(|source| ReadFileError::Content { path: path.into(), source })
}

/// Cuts coordinates into frames and checks that they are numbers of a usable size.
fn frames_of(
    mut next: impl FnMut() -> Vec3,
    frames: usize,
    vertices: usize,
) -> Result<Vec<Vec<Vec3>>, ReadError> {
    (0..frames)
        .map(|frame| {
            let places: Vec<Vec3> = (0..vertices).map(|_| next()).collect();
            let is_bad = |p: &Vec3| !p.is_finite() || p.abs().max_element() > sinew::MAX_VALUE;
            match places.iter().position(is_bad) {
                Some(vertex) => {
                    let place = format!("frame {frame}, vertex {vertex}");
                    Err(ReadError::invalid(
                        place,
                        format!("must be finite and up to 1e12, got {}", places[vertex]),
                    ))
                }
                None => Ok(places),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_recognized_by_content_and_by_extension() {
        for format in VertexCacheFormat::ALL {
            assert_eq!(
                VertexCacheFormat::of_path(format!("A.{}", format.extension().to_uppercase())),
                Some(format)
            );
        }
        assert_eq!(VertexCacheFormat::detect(b"POINTCACHE2\0..."), Some(VertexCacheFormat::Pc2));
        assert_eq!(VertexCacheFormat::detect(b"\x93NUMPY\x01\0"), Some(VertexCacheFormat::Npy));
        assert_eq!(VertexCacheFormat::detect(b"# text\nv 1 2 3\n"), Some(VertexCacheFormat::Obj));
        assert_eq!(VertexCacheFormat::detect(b"glTF"), None);
        assert!(read_vertex_cache(b"").is_err());
    }
}
