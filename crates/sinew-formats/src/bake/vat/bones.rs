//! Bone matrices in a texture.

use super::{
    AnimationTexture, TexelError, TexelPrecision, TextureBakeError, TextureClip, TextureLayout,
    TextureOptions, error::ErrorMeter, frames::FrameWalk, mesh::without_clips, sidecar,
};
use crate::{export::ExportedFile, half::MAX_HALF};
use serde::Serialize;
use sinew::{
    Character, Clip, DeformError, DeformInput, DeformScratch, Frame, MeshInstance, Method, Palette, Streams,
    deform::deform,
    glam::{Affine3A, Mat4, Vec3, Vec4},
};

/// The rows of a matrix that are stored; the fourth is always 0, 0, 0, 1.
const ROWS: usize = 3;

/// The skinning matrices of clips in a texture, for meshes that a vertex shader deforms by linear blend skinning.
///
/// Each matrix takes three texels: its first three rows, with the translation in the fourth number.
#[derive(Clone, Debug)]
pub struct BoneAnimation {
    pub(super) mesh: Character,
    pub(super) clips: Vec<TextureClip>,
    pub(super) parts: Vec<BonePart>,
    pub(super) matrix_count: usize,
    pub(super) texture: AnimationTexture,
    pub(super) error: TexelError,
    pub(super) animates_morphs: bool,
    pub(super) options: TextureOptions,
}

/// The matrices of a mesh instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BonePart {
    /// The index of the mesh instance in the character.
    pub instance: usize,
    /// The name of its mesh, possibly empty.
    pub name: String,
    /// The index of its skin; `None` for a mesh that follows one joint.
    pub skin: Option<usize>,
    /// The matrix of the skin's first joint.
    pub first_matrix: usize,
    /// How many matrices there are: as many as the skin has joints, or one.
    pub matrix_count: usize,
}

impl BoneAnimation {
    /// The matrices of all visible instances of `character` in each frame of `clips`, and what the texture loses.
    ///
    /// `progress` is called with the number of finished frames after each.
    ///
    /// # Errors
    /// As [`VertexAnimation::record`](super::VertexAnimation::record).
    pub fn record(
        character: &Character,
        clips: &[&Clip],
        options: &TextureOptions,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self, TextureBakeError> {
        let walk = FrameWalk::new(character, clips, options)?;
        let parts = parts(character);
        let matrix_count = parts.iter().map(|part| part.first_matrix + part.matrix_count).max().unwrap_or(0);
        if matrix_count == 0 {
            return Err(TextureBakeError::NothingVisible { character: character.name().into() });
        }
        let layout =
            TextureLayout::new(ROWS * matrix_count, ROWS as u32, walk.frame_count(), options.columns)?;
        let mut out = Self {
            mesh: without_clips(character)?,
            clips: Vec::new(),
            parts,
            matrix_count,
            texture: AnimationTexture::new(layout, options.precision, true),
            error: TexelError::default(),
            animates_morphs: clips.iter().any(|clip| clip.morph_slot_count() > 0),
            options: *options,
        };
        let (mut meter, mut exact) = (BoneMeter::default(), Vec::new());
        let mut frame = Frame::new(character).at_level(options.level);
        walk.each(&mut frame, |clip, number, frame| {
            frame.update_palettes(Method::Linear);
            out.matrices_of(frame, &mut exact);
            out.store(clip, number, &exact)?;
            meter.measure(&out, number, frame, &exact)?;
            progress(number + 1);
            Ok::<(), TextureBakeError>(())
        })?;
        out.error = meter.meter.stored();
        out.clips = walk.places;
        Ok(out)
    }

    /// The matrices of a posed frame, in the order of the texture.
    fn matrices_of(&self, frame: &Frame, out: &mut Vec<Affine3A>) {
        out.clear();
        out.resize(self.matrix_count, Affine3A::IDENTITY);
        for part in &self.parts {
            let here = &mut out[part.first_matrix..][..part.matrix_count];
            match part.skin {
                Some(skin) => here.copy_from_slice(frame.palettes()[skin].matrices()),
                None => here[0] = frame.model().joint(frame.character().instances()[part.instance].joint),
            }
        }
    }

    fn store(
        &mut self,
        clip: &TextureClip,
        number: usize,
        matrices: &[Affine3A],
    ) -> Result<(), TextureBakeError> {
        for (matrix, exact) in matrices.iter().enumerate() {
            let rows = Mat4::from(*exact).transpose();
            for (row, value) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
                let is_half = self.options.precision == TexelPrecision::Half;
                if is_half && value.abs().max_element() > MAX_HALF {
                    let (clip, frame) = (clip.name.clone(), number - clip.first_frame);
                    return Err(TextureBakeError::BeyondHalf { clip, frame, value: value.truncate() });
                }
                self.texture.set(number, ROWS * matrix + row, value.to_array());
            }
        }
        Ok(())
    }

    /// The character without clips, whose vertices have joints and weights.
    #[must_use]
    pub fn mesh(&self) -> &Character {
        &self.mesh
    }

    /// The clips, in the order of their frames.
    #[must_use]
    pub fn clips(&self) -> &[TextureClip] {
        &self.clips
    }

    /// Which matrices belong to which mesh instance.
    #[must_use]
    pub fn parts(&self) -> &[BonePart] {
        &self.parts
    }

    /// How many matrices a frame has.
    #[must_use]
    pub fn matrix_count(&self) -> usize {
        self.matrix_count
    }

    /// The texture of matrix rows.
    #[must_use]
    pub fn texture(&self) -> &AnimationTexture {
        &self.texture
    }

    /// True if a clip animates morph weights, which are not in the texture.
    #[must_use]
    pub fn animates_morphs(&self) -> bool {
        self.animates_morphs
    }

    /// How far vertices that are deformed with stored matrices are from those with exact ones.
    #[must_use]
    pub fn error(&self) -> TexelError {
        self.error
    }

    /// A matrix of a frame as a shader reads it: `model_from_mesh` of a joint of a skin.
    ///
    /// # Panics
    /// If there is no such frame or matrix.
    #[must_use]
    pub fn matrix_at(&self, frame: usize, matrix: usize) -> Affine3A {
        let row = |row| Vec4::from(self.texture.get(frame, ROWS * matrix + row));
        Affine3A::from_mat4(Mat4::from_cols(row(0), row(1), row(2), Vec4::W).transpose())
    }

    /// All files: texture, mesh and description. They name each other by `name`, the last part of their common prefix.
    ///
    /// # Errors
    /// If the mesh cannot be written or the texture cannot be compressed.
    pub fn files(&self, name: &str) -> Result<Vec<ExportedFile>, TextureBakeError> {
        sidecar::bone_files(self, name)
    }
}

/// The matrices of every visible instance. Instances with the same skin share them.
fn parts(character: &Character) -> Vec<BonePart> {
    let mut parts: Vec<BonePart> = Vec::new();
    let mut next = 0;
    for index in character.visible_instances() {
        let instance = &character.instances()[index];
        let matrix_count = character.skin_of(instance).map_or(1, |skin| skin.joints().len());
        let same = parts.iter().find(|part| part.skin.is_some() && part.skin == instance.skin);
        let first_matrix = same.map_or(next, |part| part.first_matrix);
        next = next.max(first_matrix + matrix_count);
        let name = character.mesh_of(instance).name().into();
        parts.push(BonePart { instance: index, name, skin: instance.skin, first_matrix, matrix_count });
    }
    parts
}

/// Deforms vertices with exact and with stored matrices.
#[derive(Default)]
struct BoneMeter {
    meter: ErrorMeter,
    scratch: DeformScratch,
}

impl BoneMeter {
    fn measure(
        &mut self,
        bones: &BoneAnimation,
        number: usize,
        frame: &Frame,
        exact: &[Affine3A],
    ) -> Result<(), TextureBakeError> {
        let character = frame.character();
        for part in &bones.parts {
            let instance = &character.instances()[part.instance];
            let range = part.first_matrix..part.first_matrix + part.matrix_count;
            let stored: Vec<Affine3A> = range.clone().map(|matrix| bones.matrix_at(number, matrix)).collect();
            let exact = self.deformed(character, instance, exact[range].to_vec())?;
            let stored = self.deformed(character, instance, stored)?;
            let positions = stored.positions.iter().zip(&exact.positions);
            positions.for_each(|(stored, exact)| self.meter.position(*stored, *exact));
            let normals = stored.normals.iter().zip(&exact.normals);
            normals.for_each(|(stored, exact)| self.meter.normal(*stored, *exact));
        }
        Ok(())
    }

    /// The vertices of an instance, without morph targets, by linear blend skinning or by its one matrix.
    fn deformed(
        &mut self,
        character: &Character,
        instance: &MeshInstance,
        matrices: Vec<Affine3A>,
    ) -> Result<Streams, DeformError> {
        let mesh = character.mesh_of(instance);
        let mut out = Streams::of_mesh(mesh);
        if instance.skin.is_some() {
            let palette = Palette::from_matrices(matrices);
            let input = DeformInput::new(mesh, &palette);
            deform(Method::Linear, &input, &mut self.scratch, out.as_surface_mut())?;
        } else if let Some(matrix) = matrices.first() {
            let place = |position: &mut Vec3| *position = matrix.transform_point3(*position);
            out.positions.iter_mut().for_each(place);
            out.normals.clear();
        }
        Ok(out)
    }
}
