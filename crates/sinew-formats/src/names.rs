//! The length of names.

/// The maximum length of a name, in bytes. A name is in the file once and in reports, tables and texts once for each
/// mention: a hundred megabytes of it, mentioned by a thousand nodes, would be a hundred gigabytes.
pub(crate) const MAX_NAME_BYTES: usize = 1 << 16;

/// Cuts a name that is too long, and returns whether it was.
pub(crate) fn shorten(name: &mut String) -> bool {
    let is_long = name.len() > MAX_NAME_BYTES;
    if is_long {
        name.truncate(boundary(name));
        name.shrink_to_fit();
    }
    is_long
}

/// The start of a name that may be too long.
pub(crate) fn shortened(name: &str) -> &str {
    &name[..boundary(name)]
}

/// The end of the last character that fits.
fn boundary(name: &str) -> usize {
    let end = name.len().min(MAX_NAME_BYTES);
    (0..=end).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0)
}

/// The message about names that were cut.
pub(crate) fn message(count: usize) -> String {
    format!("{count} names of more than {MAX_NAME_BYTES} bytes were shortened")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters() {
        let mut short = "é".repeat(MAX_NAME_BYTES / 2);
        assert!(!shorten(&mut short) && short.len() == MAX_NAME_BYTES);
        let mut long = format!("x{}", "é".repeat(MAX_NAME_BYTES / 2));
        assert!(shorten(&mut long));
        assert_eq!(long.len(), MAX_NAME_BYTES - 1);
    }
}
