//! Vertex caches and OBJ files from any bytes.

use crate::subject::Verdict;
use sinew_formats::vertex_cache::{read_obj, read_vertex_cache};

/// Any bytes as a vertex cache. All frames of one that reads have as many vertices, and they are finite.
pub fn vertex_cache(bytes: &[u8]) -> Verdict {
    let cache = read_vertex_cache(bytes);
    match &cache {
        Ok(cache) => {
            let count = cache.frames.first().map_or(0, Vec::len);
            assert!(cache.frames.iter().all(|frame| frame.len() == count));
            assert!(cache.frames.iter().flatten().all(|place| place.is_finite()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Verdict::of(&cache)
}

/// Any bytes as an OBJ file. The triangles of one that reads name vertices that exist, and it makes a character or is refused.
pub fn obj(bytes: &[u8]) -> Verdict {
    let mesh = read_obj(bytes);
    match &mesh {
        Ok(mesh) => {
            let count = mesh.vertices().len();
            assert!(mesh.triangles.iter().flatten().all(|&vertex| (vertex as usize) < count));
            assert_eq!(mesh.vertices_from(&mesh.positions).as_ref(), Some(&mesh.vertices()));
            _ = mesh.to_character("case");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Verdict::of(&mesh)
}
