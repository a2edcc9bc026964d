//! Steps over the metadata section, which holds nothing that a mesh needs.

use super::DracoError;
use super::bytes::Bytes;

/// Moves past the metadata of all attributes and of the mesh.
pub(super) fn skip(bytes: &mut Bytes<'_>) -> Result<(), DracoError> {
    let attributes = bytes.varint_u32()?;
    for _ in 0..attributes {
        bytes.varint_u32()?;
        skip_tree(bytes)?;
    }
    skip_tree(bytes)
}

/// Moves past one element and everything below it.
///
/// Children follow their parent, each behind its name, so a count of the elements still due is all the state that the
/// tree needs, however deep it is. Every element takes at least three bytes, so an absurd count soon meets the end.
fn skip_tree(bytes: &mut Bytes<'_>) -> Result<(), DracoError> {
    let mut due = u64::from(skip_element(bytes)?);
    while due > 0 {
        skip_text(bytes)?;
        due = due - 1 + u64::from(skip_element(bytes)?);
    }
    Ok(())
}

/// Moves past the entries of one element and says how many children follow.
fn skip_element(bytes: &mut Bytes<'_>) -> Result<u32, DracoError> {
    let entries = bytes.varint_u32()?;
    for _ in 0..entries {
        skip_text(bytes)?;
        // The specification gives values one length byte; encoders write a variable-length number.
        let length = bytes.varint_u32()?;
        bytes.take(length as usize)?;
    }
    bytes.varint_u32()
}

fn skip_text(bytes: &mut Bytes<'_>) -> Result<(), DracoError> {
    let length = bytes.u8()?;
    bytes.take(usize::from(length))?;
    Ok(())
}
