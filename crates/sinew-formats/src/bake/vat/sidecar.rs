//! The files of animation textures, and the JSON document that describes them.

use super::{
    AnimationTexture, BoneAnimation, BonePart, PlaybackError, TexelError, TextureBakeError, TextureClip,
    TextureFile, VertexAnimation,
};
use crate::{export::ExportedFile, to_glb};
use serde::Serialize;
use sinew::Aabb;

/// The version of the document.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct VertexDocument<'a> {
    schema: u32,
    generator: &'static str,
    kind: &'static str,
    method: &'static str,
    mesh: String,
    uv_set: usize,
    vertex_count: usize,
    layout: JsonLayout,
    positions: JsonTexture,
    #[serde(skip_serializing_if = "Option::is_none")]
    normals: Option<JsonTexture>,
    bounds: JsonBox,
    offset_bounds: JsonBox,
    clips: &'a [TextureClip],
    error: TexelError,
    playback_error: PlaybackError,
}

#[derive(Serialize)]
struct BoneDocument<'a> {
    schema: u32,
    generator: &'static str,
    kind: &'static str,
    mesh: String,
    matrix_count: usize,
    layout: JsonLayout,
    matrices: JsonTexture,
    parts: &'a [BonePart],
    clips: &'a [TextureClip],
    error: TexelError,
}

#[derive(Serialize)]
struct JsonLayout {
    width: u32,
    height: u32,
    rows_per_frame: u32,
    frame_count: u32,
}

#[derive(Serialize)]
struct JsonTexture {
    file: String,
    format: &'static str,
    encoding: &'static str,
    scale: f32,
    offset: f32,
}

#[derive(Serialize)]
struct JsonBox {
    min_meters: [f32; 3],
    max_meters: [f32; 3],
}

impl From<Aabb> for JsonBox {
    fn from(bounds: Aabb) -> Self {
        Self { min_meters: bounds.min.to_array(), max_meters: bounds.max.to_array() }
    }
}

impl JsonLayout {
    fn of(texture: &AnimationTexture) -> Self {
        let layout = texture.layout();
        Self {
            width: layout.width(),
            height: layout.height(),
            rows_per_frame: layout.rows_per_frame(),
            frame_count: layout.frame_count(),
        }
    }
}

impl JsonTexture {
    fn new(texture: &AnimationTexture, file: TextureFile, path: String, encoding: &'static str) -> Self {
        let format = texture.format(file);
        // What is stored as 0 to 1 stands for -1 to 1.
        let (scale, offset) = if format == "rgb8unorm" { (2.0, -1.0) } else { (1.0, 0.0) };
        Self { file: path, format, encoding, scale, offset }
    }
}

const GENERATOR: &str = concat!("sinew ", env!("CARGO_PKG_VERSION"));

pub(super) fn vertex_files(vat: &VertexAnimation, name: &str) -> Result<Vec<ExportedFile>, TextureBakeError> {
    let file = vat.options.file;
    let suffix = |what: &str, texture: &AnimationTexture| format!(".{what}.{}", texture.extension(file));
    let described = |what: &str, texture: &AnimationTexture, encoding| {
        JsonTexture::new(texture, file, format!("{name}{}", suffix(what, texture)), encoding)
    };
    let document = VertexDocument {
        schema: SCHEMA,
        generator: GENERATOR,
        kind: "vertex-animation",
        method: vat.method.name(),
        mesh: format!("{name}.glb"),
        uv_set: vat.uv_set,
        vertex_count: vat.vertex_count(),
        layout: JsonLayout::of(&vat.positions),
        positions: described("positions", &vat.positions, "offset"),
        normals: vat.normals.as_ref().map(|texture| described("normals", texture, "direction")),
        bounds: vat.bounds.into(),
        offset_bounds: vat.offset_bounds.into(),
        clips: &vat.clips,
        error: vat.error,
        playback_error: vat.playback_error,
    };
    let mut files = vec![json_file(&document)?];
    files.push(ExportedFile::new(".glb", to_glb(&vat.mesh)?));
    files.push(ExportedFile::new(suffix("positions", &vat.positions), vat.positions.bytes(file)?));
    if let Some(normals) = &vat.normals {
        files.push(ExportedFile::new(suffix("normals", normals), normals.bytes(file)?));
    }
    Ok(files)
}

pub(super) fn bone_files(bones: &BoneAnimation, name: &str) -> Result<Vec<ExportedFile>, TextureBakeError> {
    let file = bones.options.file;
    let suffix = format!(".bones.{}", bones.texture.extension(file));
    let document = BoneDocument {
        schema: SCHEMA,
        generator: GENERATOR,
        kind: "bone-matrices",
        mesh: format!("{name}.glb"),
        matrix_count: bones.matrix_count,
        layout: JsonLayout::of(&bones.texture),
        matrices: JsonTexture::new(&bones.texture, file, format!("{name}{suffix}"), "rows-3x4"),
        parts: &bones.parts,
        clips: &bones.clips,
        error: bones.error,
    };
    Ok(vec![
        json_file(&document)?,
        ExportedFile::new(".glb", to_glb(&bones.mesh)?),
        ExportedFile::new(suffix, bones.texture.bytes(file)?),
    ])
}

fn json_file(document: &impl Serialize) -> Result<ExportedFile, TextureBakeError> {
    let mut bytes = serde_json::to_vec_pretty(document).map_err(std::io::Error::from)?;
    bytes.push(b'\n');
    Ok(ExportedFile::new(".json", bytes))
}
