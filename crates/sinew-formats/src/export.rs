//! The registry of export formats: characters, motions, and poses as meshes and vertex caches.
//!
//! ```
//! use sinew::Method;
//! use sinew_formats::{bake::BakeMotion, export::{ExportFormat, ExportSource, export}};
//!
//! let arm = sinew_samples::arm();
//! let mut pose = arm.rest_pose();
//! pose.joints[1].rotation = sinew::glam::Quat::from_rotation_z(0.5);
//! let source = ExportSource {
//!     motion: BakeMotion::Poses(std::slice::from_ref(&pose)),
//!     times_secs: &[0.0],
//!     ..ExportSource::new(&arm, Method::Linear)
//! };
//! let files = export(ExportFormat::Obj, &source, &mut |_| {}).unwrap();
//! assert_eq!(files[0].path("arm".as_ref()).to_str(), Some("arm_0000.obj"));
//! ```
//!
//! A new format is a variant of [`ExportFormat`], its row in each `match` below, and a writer. Command line and studio list
//! what is here.

use crate::{
    WriteError,
    bake::{
        Bake, BakeError, BakeMotion, BakeTake,
        joints::{self, JointTracks},
        npy, obj, pc2, raw, static_character,
    },
    bvh::{Bvh, BvhExport},
    cooked::{CookedOptions, to_cooked},
    file_format::dotted_list,
    gltf::{PackageTarget, WriteOptions, packed, to_glb},
};
use sinew::{
    Character, Clip, Frame, Method, NormalSource,
    simd::{self, Level},
};
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// A format that characters, motions or poses are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportFormat {
    /// The character as one GLB file.
    Glb,
    /// The character as a .gltf document with its files.
    Gltf,
    /// The character as a VRM file: GLB with the bones of its humanoid.
    Vrm,
    /// The character in the form in which it is used, to be loaded fast.
    Cooked,
    /// The skeleton and one clip as BVH.
    Bvh,
    /// Vertices over time as little-endian floats, with a JSON description.
    Raw,
    /// Vertices over time as a NumPy array.
    Npy,
    /// Each pose as a Wavefront OBJ mesh.
    Obj,
    /// Vertices over time as a PointCache 2 file.
    Pc2,
    /// One pose as a GLB mesh without a skeleton.
    MeshGlb,
    /// Joint positions over time as little-endian floats, with a JSON description.
    Joints,
}

/// The forms of a glTF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GltfForm {
    /// One file with everything in it.
    Binary,
    /// A text that names its files.
    Text,
    /// One file with the extension of VRM.
    Vrm,
}

/// What one export takes from its [`ExportSource`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportInput {
    /// The character with all of its clips.
    Character,
    /// The skeleton and one clip.
    Clip,
    /// Exactly one pose in one file.
    OnePose,
    /// Any number of poses, each in a file of its own.
    EachPose,
    /// Any number of poses, all in the same file.
    AllPoses,
}

impl ExportFormat {
    /// The formats that hold a character or its motion.
    pub const OF_CHARACTERS: [Self; 5] = [Self::Glb, Self::Gltf, Self::Vrm, Self::Bvh, Self::Cooked];

    /// The formats that hold the deformed vertices of poses.
    pub const OF_VERTICES: [Self; 5] = [Self::Raw, Self::Npy, Self::Obj, Self::Pc2, Self::MeshGlb];

    /// The short name, as on a command line. It is unique within [`ExportFormat::OF_CHARACTERS`] and within
    /// [`ExportFormat::OF_VERTICES`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Glb | Self::MeshGlb => "glb",
            Self::Gltf => "gltf",
            Self::Vrm => "vrm",
            Self::Cooked => "sinew",
            Self::Bvh => "bvh",
            Self::Raw => "raw",
            Self::Npy => "npy",
            Self::Obj => "obj",
            Self::Pc2 => "pc2",
            Self::Joints => "joints",
        }
    }

    /// What a file of this format is, for menus: `point cache`.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Glb | Self::Gltf => "character",
            Self::Vrm => "avatar",
            Self::Cooked => "cooked character",
            Self::Bvh => "motion",
            Self::Raw => "raw floats",
            Self::Npy => "NumPy array",
            Self::Obj | Self::MeshGlb => "mesh",
            Self::Pc2 => "point cache",
            Self::Joints => "joint positions",
        }
    }

    /// The extension of its main file, lowercase and without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Glb | Self::MeshGlb => "glb",
            Self::Gltf => "gltf",
            Self::Vrm => "vrm",
            Self::Cooked => "sinew",
            Self::Bvh => "bvh",
            Self::Raw | Self::Joints => "json",
            Self::Npy => "npy",
            Self::Obj => "obj",
            Self::Pc2 => "pc2",
        }
    }

    /// The form of glTF that the format is; `None` if it is another format.
    pub(crate) const fn gltf_form(self) -> Option<GltfForm> {
        match self {
            Self::Glb => Some(GltfForm::Binary),
            Self::Vrm => Some(GltfForm::Vrm),
            Self::Gltf => Some(GltfForm::Text),
            Self::Cooked
            | Self::Bvh
            | Self::Raw
            | Self::Npy
            | Self::Obj
            | Self::Pc2
            | Self::MeshGlb
            | Self::Joints => None,
        }
    }

    /// What the format takes from its source.
    #[must_use]
    pub const fn input(self) -> ExportInput {
        match self {
            Self::Glb | Self::Gltf | Self::Vrm | Self::Cooked => ExportInput::Character,
            Self::Bvh => ExportInput::Clip,
            Self::MeshGlb => ExportInput::OnePose,
            Self::Obj => ExportInput::EachPose,
            Self::Raw | Self::Npy | Self::Pc2 | Self::Joints => ExportInput::AllPoses,
        }
    }

    /// True when an export of one pose, or of one clip, is a single file.
    #[must_use]
    pub const fn is_one_file(self) -> bool {
        match self {
            Self::Glb
            | Self::Vrm
            | Self::Cooked
            | Self::Bvh
            | Self::Npy
            | Self::Obj
            | Self::Pc2
            | Self::MeshGlb => true,
            Self::Gltf | Self::Raw | Self::Joints => false,
        }
    }

    /// The format of [`ExportFormat::OF_CHARACTERS`] that a path's extension stands for, in any case.
    #[must_use]
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        Self::OF_CHARACTERS.into_iter().find(|format| format.extension() == extension)
    }

    /// The extensions of [`ExportFormat::OF_CHARACTERS`] as a list in English: `.glb, .gltf, .vrm, .bvh or .sinew`.
    #[must_use]
    pub fn character_list(conjunction: &str) -> String {
        dotted_list(Self::OF_CHARACTERS.iter().map(|format| format.extension()), conjunction)
    }
}

/// What is exported. Each format takes what its [`ExportInput`] names.
#[derive(Clone, Copy, Debug)]
pub struct ExportSource<'a> {
    /// The character to export or to pose.
    pub character: &'a Character,
    /// The file's node of every joint, as an import gives it; joints beyond its end are their own node.
    pub node_of_joint: &'a [usize],
    /// The clip or the poses to export.
    pub motion: BakeMotion<'a>,
    /// The times of the poses, in seconds.
    pub times_secs: &'a [f32],
    /// How the skin is deformed.
    pub method: Method,
    /// Where the normals of deformed vertices come from.
    pub normals: NormalSource,
    /// The SIMD level that vertices are deformed at.
    pub level: Level,
    /// The name of the files without extension, after which a .gltf document names its buffer.
    pub name: &'a str,
}

impl<'a> ExportSource<'a> {
    /// The rest pose of `character` at time zero, to be changed field by field.
    #[must_use]
    pub fn new(character: &'a Character, method: Method) -> Self {
        let (motion, times_secs) = (BakeMotion::Rest, &[0.0]);
        Self {
            character,
            node_of_joint: &[],
            motion,
            times_secs,
            method,
            normals: NormalSource::default(),
            level: simd::best(),
            name: "character",
        }
    }
}

/// One file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportedFile {
    /// What follows the common prefix in the file's name, with its dot: `.nodes.f32`. Empty for a file with a name of its
    /// own.
    pub suffix: String,
    /// The path relative to the folder of the others, for a file that a document names: `textures/skin.png`.
    pub own_path: Option<String>,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

impl ExportedFile {
    pub(crate) fn new(suffix: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { suffix: suffix.into(), own_path: None, bytes }
    }

    pub(crate) fn written(
        suffix: impl Into<String>,
        write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        Ok(Self::new(suffix, bytes))
    }

    /// The path of the file under a common prefix, which keeps its own dots.
    #[must_use]
    pub fn path(&self, prefix: &Path) -> PathBuf {
        if let Some(own) = &self.own_path {
            return prefix.with_file_name(own);
        }
        let mut name: OsString = prefix.as_os_str().to_owned();
        name.push(&self.suffix);
        name.into()
    }
}

/// Why an export failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The format holds one pose.
    #[error("{} holds one pose, got {poses}", format.extension())]
    OnePose {
        /// The format that was exported to.
        format: ExportFormat,
        /// The number of poses.
        poses: usize,
    },
    /// The format holds a clip, and poses were given.
    #[error("{} holds a clip, got poses", format.extension())]
    NoClip {
        /// The format that was exported to.
        format: ExportFormat,
    },
    /// The poses cannot be baked.
    #[error(transparent)]
    Bake(#[from] BakeError),
    /// The format cannot hold the data.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A count exceeds what the format can number.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The files of `source` in `format`, in memory. `progress` is called with the number of finished poses after each.
///
/// # Errors
/// When the motion does not fit the character, a pose cannot be deformed by the method, or the format cannot hold the data.
pub fn export(
    format: ExportFormat,
    source: &ExportSource<'_>,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<ExportedFile>, ExportError> {
    let suffix = format!(".{}", format.extension());
    let one = |bytes: Vec<u8>| vec![ExportedFile::new(suffix.clone(), bytes)];
    Ok(match format {
        ExportFormat::Glb => one(to_glb(source.character)?),
        ExportFormat::Gltf => gltf_files(source)?,
        ExportFormat::Vrm => {
            let target = PackageTarget::Vrm { path: None };
            one(packed(source.character, target, &WriteOptions::default())?.main.into_vec())
        }
        ExportFormat::Cooked => one(to_cooked(source.character, &CookedOptions::default())?),
        ExportFormat::Bvh => one(motion_text(format, source)?.into_bytes()),
        ExportFormat::MeshGlb => one(static_glb(format, source)?),
        ExportFormat::Joints => {
            joints::files(&JointTracks::record(source.character, source.motion, source.times_secs)?)?
        }
        ExportFormat::Raw => {
            let bake = record(source, false, progress)?;
            vec![
                ExportedFile::written(".json", |out| raw::write_json(&bake, out))?,
                ExportedFile::written(".f32", |out| raw::write_positions(&bake, out))?,
                ExportedFile::written(".nodes.f32", |out| raw::write_nodes(&bake, out))?,
            ]
        }
        ExportFormat::Npy => {
            let bake = record(source, false, progress)?;
            vec![ExportedFile::written(suffix, |out| npy::write(&bake, out))?]
        }
        ExportFormat::Pc2 => {
            let bake = record(source, false, progress)?;
            let timeline = pc2::Pc2Times { start_frame: 0.0, frames_per_sample: 1.0 };
            vec![ExportedFile::written(suffix, |out| pc2::write(&bake, timeline, out))?]
        }
        ExportFormat::Obj => {
            let bake = record(source, true, progress)?;
            let file = |time| {
                ExportedFile::written(format!("_{time:04}{suffix}"), |out| obj::write(&bake, time, out))
            };
            (0..source.times_secs.len()).map(file).collect::<io::Result<_>>()?
        }
    })
}

fn record(
    source: &ExportSource<'_>,
    normals: bool,
    progress: &mut dyn FnMut(usize),
) -> Result<Bake, BakeError> {
    let ExportSource { character, node_of_joint, motion, times_secs, method, level, .. } = *source;
    let normal_source = source.normals;
    let take = BakeTake { motion, times_secs, method, normals, normal_source, level };
    Bake::record(character, node_of_joint, &take, progress)
}

/// A document and the files that it names, which come first: the document appears once they are there.
fn gltf_files(source: &ExportSource<'_>) -> Result<Vec<ExportedFile>, WriteError> {
    let target = PackageTarget::Gltf { name: source.name, path: None };
    let files = packed(source.character, target, &WriteOptions::default())?;
    let own_buffer = format!("{}.bin", source.name);
    let beside = files.beside.into_iter().map(|(path, bytes)| match path == own_buffer {
        true => ExportedFile::new(".bin", bytes.into_vec()),
        false => ExportedFile { suffix: String::new(), own_path: Some(path), bytes: bytes.into_vec() },
    });
    Ok(beside.chain([ExportedFile::new(".gltf", files.main.into_vec())]).collect())
}

/// The clip as BVH; the rest pose is a clip that moves nothing.
fn motion_text(format: ExportFormat, source: &ExportSource<'_>) -> Result<String, ExportError> {
    let bvh = |clip: &Clip| Bvh::from_clip(source.character, clip, &BvhExport::default());
    Ok(match source.motion {
        BakeMotion::Clip(clip) => bvh(clip)?.to_text(),
        BakeMotion::Rest => {
            let still = Clip::new("rest", vec![], vec![])
                .map_err(|e| WriteError::Unrepresentable { place: "clips".into(), what: e.to_string() })?;
            bvh(&still)?.to_text()
        }
        BakeMotion::Poses(_) | BakeMotion::Posed { .. } => return Err(ExportError::NoClip { format }),
    })
}

/// One pose as a mesh without a skeleton.
fn static_glb(format: ExportFormat, source: &ExportSource<'_>) -> Result<Vec<u8>, ExportError> {
    let &[time_secs] = source.times_secs else {
        return Err(ExportError::OnePose { format, poses: source.times_secs.len() });
    };
    let character = source.character;
    source.motion.check(character, 1).map_err(BakeError::from)?;
    let mut frame = Frame::new(character).at_level(source.level).with_normals(source.normals);
    source.motion.sample(0, time_secs, frame.local_mut());
    frame.deform(source.method).map_err(BakeError::from)?;
    Ok(to_glb(&static_character(character, &frame)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ExportFormat; 9] = [
        ExportFormat::Glb,
        ExportFormat::Gltf,
        ExportFormat::Bvh,
        ExportFormat::Raw,
        ExportFormat::Npy,
        ExportFormat::Obj,
        ExportFormat::Pc2,
        ExportFormat::MeshGlb,
        ExportFormat::Joints,
    ];

    #[test]
    fn every_format_exports_a_clip_and_says_how_many_files_that_makes() {
        let arm = sinew_samples::arm();
        let source = ExportSource {
            motion: BakeMotion::Clip(&arm.clips()[0]),
            times_secs: &[0.5],
            ..ExportSource::new(&arm, Method::Linear)
        };
        for format in ALL {
            let files = export(format, &source, &mut |_| {}).unwrap();
            assert_eq!(files.len() == 1, format.is_one_file(), "{format:?}");
            let main = files.iter().filter(|f| f.suffix.ends_with(&format!(".{}", format.extension())));
            assert_eq!(main.count(), 1, "{format:?}");
            assert!(files.iter().all(|file| !file.bytes.is_empty()), "{format:?}");
        }
    }

    #[test]
    fn a_pose_exports_the_same_vertices_as_the_clip_that_it_was_sampled_from() {
        let arm = sinew_samples::arm();
        let clip = &arm.clips()[0];
        let mut pose = arm.rest_pose();
        sinew::sample_clip(clip, 0.5, sinew::Wrap::Clamp, &mut pose);
        let new = ExportSource { times_secs: &[0.5], ..ExportSource::new(&arm, Method::Linear) };
        let of_clip = ExportSource { motion: BakeMotion::Clip(clip), ..new };
        let of_pose = ExportSource { motion: BakeMotion::Poses(std::slice::from_ref(&pose)), ..new };
        for format in [ExportFormat::Npy, ExportFormat::Obj, ExportFormat::Pc2, ExportFormat::MeshGlb] {
            let [one, other] = [of_clip, of_pose].map(|s| export(format, &s, &mut |_| {}).unwrap());
            assert_eq!(one, other, "{format:?}");
            assert_ne!(one, export(format, &new, &mut |_| {}).unwrap(), "{format:?} at rest");
        }
        assert!(matches!(export(ExportFormat::Bvh, &of_pose, &mut |_| {}), Err(ExportError::NoClip { .. })));
    }

    #[test]
    fn a_mesh_holds_one_pose() {
        let arm = sinew_samples::arm();
        let source = ExportSource { times_secs: &[0.0, 1.0], ..ExportSource::new(&arm, Method::Linear) };
        let error = export(ExportFormat::MeshGlb, &source, &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "glb holds one pose, got 2");
        assert_eq!(export(ExportFormat::Obj, &source, &mut |_| {}).unwrap().len(), 2);
    }

    #[test]
    fn names_are_unique_and_a_prefix_keeps_its_own_dots() {
        for list in [&ExportFormat::OF_CHARACTERS[..], &ExportFormat::OF_VERTICES] {
            let names: std::collections::HashSet<_> = list.iter().map(|format| format.name()).collect();
            assert_eq!(names.len(), list.len());
        }
        let file = ExportedFile::new(".nodes.f32", Vec::new());
        assert_eq!(file.path(Path::new("out/run.v2")), Path::new("out/run.v2.nodes.f32"));
        assert_eq!(ExportFormat::of_path("a.GLB"), Some(ExportFormat::Glb));
        assert_eq!(ExportFormat::of_path("a.fbx"), None);
        assert_eq!(ExportFormat::character_list("or"), ".glb, .gltf, .vrm, .bvh or .sinew");
    }
}
