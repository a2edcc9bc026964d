//! Files and built-in characters, by name.

use crate::failure::Failure;
use sinew_formats::{Import, ReadFileError, bvh::Bvh, read_file};
use std::path::Path;

/// What stands before the name of a built-in character.
const BUILTIN: &str = "builtin:";

/// Reads `name` as a BVH file, exactly as it is written; none where it is something else.
pub(crate) fn open_bvh(name: &str) -> Result<Option<Bvh>, Failure> {
    let path = Path::new(name);
    let is_bvh = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh"));
    if name.starts_with(BUILTIN) || !is_bvh {
        return Ok(None);
    }
    let unreadable = |source| ReadFileError::Io { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let parsed =
        Bvh::parse(&bytes).map_err(|source| ReadFileError::Content { path: path.to_owned(), source })?;
    Ok(Some(parsed))
}

/// Reads `name`: a path, or a built-in character as `builtin:figure`.
pub(crate) fn open(name: &str) -> Result<Import, Failure> {
    let Some(builtin_name) = name.strip_prefix(BUILTIN) else {
        return Ok(read_file(name)?);
    };
    let Some(character) = sinew_samples::find(builtin_name) else {
        let known = sinew_samples::NAMES.map(|n| format!("{BUILTIN}{n}")).join(", ");
        return Err(Failure::usage(format!("there is no {name}; there are {known}")));
    };
    Ok(Import::without_findings(character))
}
