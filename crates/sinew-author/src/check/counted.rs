//! Counted nouns for messages.

/// `1 vertex`, `2 vertices`.
pub(super) fn vertices(count: usize) -> String {
    format!("{count} {}", if count == 1 { "vertex" } else { "vertices" })
}

/// A count with a regular verb: `1 vertex follows`, `2 vertices follow`.
pub(super) fn vertices_do(count: usize, verb: &str) -> String {
    format!("{} {verb}{}", vertices(count), if count == 1 { "s" } else { "" })
}
