//! A character in serialized data: its name and a GLB file in base 64.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _};
use sinew::Character;
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct GlbText {
    name: String,
    glb: String,
}

pub(super) fn serialize<S: Serializer>(character: &Arc<Character>, to: S) -> Result<S::Ok, S::Error> {
    let glb = sinew_formats::to_glb(character).map_err(S::Error::custom)?;
    GlbText { name: character.name().into(), glb: BASE64_STANDARD.encode(glb) }.serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Character>, D::Error> {
    let text = GlbText::deserialize(from)?;
    let bytes = BASE64_STANDARD.decode(text.glb).map_err(D::Error::custom)?;
    let import = sinew_formats::read_bytes(&bytes, &text.name).map_err(D::Error::custom)?;
    Ok(Arc::new(import.character))
}
