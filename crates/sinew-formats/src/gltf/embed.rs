//! Embeds the files that a document names.

use super::resources::percent_decode;
use crate::ReadError;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;

/// The .gltf in `json` with its buffers and images embedded, so that it can be read from memory. `file` returns the
/// content of a file by its path relative to the document; for `None` the document keeps the path.
///
/// # Errors
/// When `json` is not valid JSON.
pub fn embedded(json: &[u8], file: impl Fn(&str) -> Option<Vec<u8>>) -> Result<Vec<u8>, ReadError> {
    let text = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let mut root: Value = serde_json::from_slice(text).map_err(|e| ReadError::invalid("the file", e))?;
    for list in ["buffers", "images"] {
        let owners = root.get_mut(list).and_then(Value::as_array_mut);
        for uri in owners.into_iter().flatten().filter_map(|owner| owner.get_mut("uri")) {
            let named = uri.as_str().filter(|uri| !uri.starts_with("data:")).map(percent_decode);
            if let Some(bytes) = named.and_then(|path| file(&path)) {
                // Without a media type, readers go by the bytes.
                *uri = format!("data:;base64,{}", BASE64_STANDARD.encode(bytes)).into();
            }
        }
    }
    serde_json::to_vec(&root).map_err(|e| ReadError::invalid("the file", e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read_bytes, to_gltf};

    #[test]
    fn a_document_with_its_files_is_read_from_memory_as_from_a_folder() {
        let arm = sinew_samples::arm();
        let files = to_gltf(&arm, "the%20arm.bin").unwrap();
        let whole =
            embedded(&files.json, |path| (path == "the arm.bin").then(|| files.buffer.clone())).unwrap();
        let read = read_bytes(&whole, "arm").unwrap().character;
        assert_eq!(read.meshes()[0].positions(), arm.meshes()[0].positions());
        let without = embedded(&files.json, |_| None).unwrap();
        assert!(read_bytes(&without, "arm").unwrap_err().to_string().contains("the%20arm.bin"));
        assert!(embedded(b"glTF", |_| None).is_err());
    }
}
