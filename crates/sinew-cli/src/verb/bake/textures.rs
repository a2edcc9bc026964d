//! `sinew bake --vat` and `--bone-texture`: clips as textures.

use super::BakeArgs;
use crate::{clip, failure::Failure, input, prepare, progress};
use clap::ValueEnum;
use sinew::{Character, Clip, ClipKind};
use sinew_formats::{
    bake::vat::{
        BoneAnimation, NormalTexels, TexelPrecision, TextureBakeError, TextureFile, TextureLayout,
        TextureOptions, VertexAnimation,
    },
    export::ExportedFile,
};

/// The part of the command line about textures.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Textures")]
pub(super) struct TextureArgs {
    /// Write a vertex animation texture: positions and normals of every vertex in every frame, and the mesh.
    #[arg(long, group = "texture_kind", conflicts_with_all = ["joints", "format", "times", "pose"])]
    vat: bool,

    /// Write the skinning matrices of every frame as a texture, and the skinned mesh.
    #[arg(long, group = "texture_kind", conflicts_with_all = ["joints", "format", "times", "pose", "method", "normals"])]
    bone_texture: bool,

    /// The clips of a texture, by name or number, separated by commas; without it all that are not additive.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME|INDEX",
        conflicts_with = "clip",
        requires = "texture_kind"
    )]
    clips: Vec<String>,

    /// How precisely a texture stores numbers.
    #[arg(long, value_enum, default_value_t = PrecisionArg::Half, requires = "texture_kind")]
    precision: PrecisionArg,

    /// The file that holds a texture.
    #[arg(long, value_enum, default_value_t = TextureArg::Exr, requires = "texture_kind")]
    texture: TextureArg,

    /// How a vertex animation texture stores normals.
    #[arg(long, value_enum, default_value_t = NormalsArg::Float, requires = "texture_kind")]
    normals: NormalsArg,

    /// The largest width of a texture in texels.
    #[arg(long, value_name = "TEXELS", default_value_t = 1024, requires = "texture_kind")]
    max_width: u32,
}

/// How precisely a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PrecisionArg {
    /// Floats of 16 bits.
    Half,
    /// Floats of 32 bits.
    Float,
}

/// The file that holds a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TextureArg {
    /// OpenEXR with lossless compression.
    Exr,
    /// RGBA texels without a header, little-endian, in a .bin file.
    Raw,
}

/// How normals are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NormalsArg {
    /// Floats, as for positions.
    Float,
    /// PNG with 8 bits per component.
    Png,
}

/// The two kinds of animation textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextureKind {
    Vertices,
    Bones,
}

impl TextureArgs {
    /// The kind of texture to write; `None` if no texture is asked for.
    pub(super) fn kind(&self) -> Option<TextureKind> {
        match (self.vat, self.bone_texture) {
            (true, _) => Some(TextureKind::Vertices),
            (false, true) => Some(TextureKind::Bones),
            (false, false) => None,
        }
    }
}

/// The files of one character.
pub(super) fn files(args: &BakeArgs, kind: TextureKind, quiet: bool) -> Result<Vec<ExportedFile>, Failure> {
    let import = input::open(&args.file)?;
    let method = import.character.method_or_recommended(args.method);
    let methods = if kind == TextureKind::Vertices { &[method][..] } else { &[] };
    let character = prepare::prepared(&import.character, &args.file, methods, quiet)?;
    let clips = clips(args, &character)?;
    let options = options(args);
    let name = args.prefix.file_name().unwrap_or_default().to_string_lossy();
    let bar = progress::bar(0, "deforming", quiet);
    let mut count = |done: usize| bar.set_position(done as u64);
    let failed = |error: TextureBakeError| failure(args, error);
    let files = match kind {
        TextureKind::Vertices => {
            let vat = VertexAnimation::record(&character, &clips, method, &options, &mut count);
            let vat = vat.map_err(failed)?;
            tell_vertices(&vat, quiet);
            vat.files(&name)
        }
        TextureKind::Bones => {
            let bones = BoneAnimation::record(&character, &clips, &options, &mut count).map_err(failed)?;
            tell_bones(&bones, quiet);
            bones.files(&name)
        }
    };
    bar.finish_and_clear();
    files.map_err(failed)
}

fn options(args: &BakeArgs) -> TextureOptions {
    let TextureArgs { precision, texture, normals, max_width, .. } = args.textures;
    TextureOptions {
        rate_hz: args.fps,
        columns: max_width,
        precision: match precision {
            PrecisionArg::Half => TexelPrecision::Half,
            PrecisionArg::Float => TexelPrecision::Float,
        },
        file: match texture {
            TextureArg::Exr => TextureFile::Exr,
            TextureArg::Raw => TextureFile::Raw,
        },
        normals: match normals {
            NormalsArg::Float => NormalTexels::Float,
            NormalsArg::Png => NormalTexels::Unorm8,
        },
        normal_source: args.normals.source,
        level: args.simd.level(),
    }
}

/// The clips that are named, or all that have poses of their own.
fn clips<'a>(args: &BakeArgs, character: &'a Character) -> Result<Vec<&'a Clip>, Failure> {
    let named: Vec<&String> = args.textures.clips.iter().chain(&args.clip.clip).collect();
    if named.is_empty() {
        let all = character.clips().iter().map(|clip| &**clip);
        return Ok(all.filter(|clip| clip.kind() != ClipKind::Additive).collect());
    }
    named.into_iter().map(|wanted| Ok(&*character.clips()[clip::find(character, wanted)?])).collect()
}

fn tell_vertices(vat: &VertexAnimation, quiet: bool) {
    if quiet {
        return;
    }
    let (stored, played) = (vat.error(), vat.playback_error());
    tell!(
        "{}: stored to {:.3} mm and {:.2}°, between frames to {:.2} mm",
        size(vat.positions().layout(), &format!("{} vertices", vat.vertex_count())),
        stored.max_position_mm,
        stored.max_normal_degrees,
        played.max_position_mm
    );
}

fn tell_bones(bones: &BoneAnimation, quiet: bool) {
    if quiet {
        return;
    }
    let what = size(bones.texture().layout(), &format!("{} matrices", bones.matrix_count()));
    tell!("{what}: vertices are stored to {:.3} mm", bones.error().max_position_mm);
    if bones.animates_morphs() {
        tell!("morph weights are not in the texture: --vat has them");
    }
}

fn size(layout: TextureLayout, of: &str) -> String {
    let (frames, width, height) = (layout.frame_count(), layout.width(), layout.height());
    format!("{frames} frames of {of} in {width} x {height} texels")
}

fn failure(args: &BakeArgs, error: TextureBakeError) -> Failure {
    match error {
        TextureBakeError::Mesh(error) => error.into(),
        TextureBakeError::Io(source) => Failure::Output { path: args.prefix.clone(), source },
        TextureBakeError::BadRate { .. }
        | TextureBakeError::BadColumns { .. }
        | TextureBakeError::TooTall { .. } => Failure::usage(error.to_string()),
        other => Failure::work(format!("bake {}", args.file), other),
    }
}
