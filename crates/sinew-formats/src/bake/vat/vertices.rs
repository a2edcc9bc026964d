//! Vertex animation textures: positions and normals of every frame.

use super::{
    AnimationTexture, NormalTexels, PlaybackError, TexelError, TexelPrecision, TextureBakeError, TextureClip,
    TextureLayout, TextureOptions,
    error::ErrorMeter,
    frames::FrameWalk,
    mesh::{TexelMesh, texel_mesh},
    sidecar,
};
use crate::{export::ExportedFile, half::MAX_HALF};
use sinew::{Aabb, Character, Clip, Frame, Method, glam::Vec3};

/// The deformed vertices of clips in textures, with the static mesh that is moved by them.
///
/// A texel of positions is the offset of a vertex from its place in the mesh, in meters and in model space; a texel of
/// normals is its direction. Offsets are small where little moves, which is where half precision is most precise, and the
/// mesh is seen at rest by programs that know nothing of textures.
#[derive(Clone, Debug)]
pub struct VertexAnimation {
    pub(super) mesh: Character,
    pub(super) uv_set: usize,
    pub(super) method: Method,
    pub(super) clips: Vec<TextureClip>,
    rest: Vec<Vec3>,
    pub(super) positions: AnimationTexture,
    pub(super) normals: Option<AnimationTexture>,
    pub(super) bounds: Aabb,
    pub(super) offset_bounds: Aabb,
    pub(super) error: TexelError,
    pub(super) playback_error: PlaybackError,
    pub(super) options: TextureOptions,
}

impl VertexAnimation {
    /// Deforms every visible vertex of `character` in each frame of `clips`, and measures what the textures lose.
    ///
    /// `progress` is called with the number of finished frames after each.
    ///
    /// # Errors
    /// If there is no clip or one does not fit, an option is out of range, a texture would be too large, nothing is visible,
    /// or a vertex cannot be deformed or is further from its place at rest than half precision reaches.
    pub fn record(
        character: &Character,
        clips: &[&Clip],
        method: Method,
        options: &TextureOptions,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self, TextureBakeError> {
        let walk = FrameWalk::new(character, clips, options)?;
        let mut frame = Frame::new(character).at_level(options.level).with_normals(options.normal_source);
        frame.deform(method)?;
        let rest: Vec<Vec3> = positions(&frame).collect();
        if rest.is_empty() {
            return Err(TextureBakeError::NothingVisible { character: character.name().into() });
        }
        let layout = TextureLayout::new(rest.len(), 1, walk.frame_count(), options.columns)?;
        let TexelMesh { character: mesh, uv_set } = texel_mesh(character, &frame, layout)?;
        let has_normals = normals(&frame).any(|normal| normal != Vec3::ZERO);
        let mut out = Self {
            mesh,
            uv_set,
            method,
            clips: Vec::new(),
            rest,
            positions: AnimationTexture::new(layout, options.precision, false),
            normals: has_normals.then(|| normal_texture(layout, options)),
            bounds: Aabb::EMPTY,
            offset_bounds: Aabb::EMPTY,
            error: TexelError::default(),
            playback_error: PlaybackError::default(),
            options: *options,
        };
        let mut meter = ErrorMeter::default();
        walk.each(&mut frame, |clip, number, frame| {
            frame.deform(method)?;
            out.store(clip, number, frame, &mut meter)?;
            progress(number + 1);
            Ok::<(), TextureBakeError>(())
        })?;
        out.error = meter.stored();
        out.playback_error = out.measure_playback(&walk, &mut frame)?;
        out.clips = walk.places;
        Ok(out)
    }

    fn store(
        &mut self,
        clip: &TextureClip,
        number: usize,
        frame: &Frame,
        meter: &mut ErrorMeter,
    ) -> Result<(), TextureBakeError> {
        for (vertex, exact) in positions(frame).enumerate() {
            let offset = exact - self.rest[vertex];
            let is_half = self.options.precision == TexelPrecision::Half;
            if is_half && offset.abs().max_element() > MAX_HALF {
                let (clip, frame) = (clip.name.clone(), number - clip.first_frame);
                return Err(TextureBakeError::BeyondHalf { clip, frame, value: offset });
            }
            self.positions.set(number, vertex, offset.extend(1.0).to_array());
            let point = Aabb { min: exact, max: exact };
            self.bounds = self.bounds.union(point);
            self.offset_bounds = self.offset_bounds.union(Aabb { min: offset, max: offset });
            meter.position(self.position_at(number, vertex), exact);
        }
        if let Some(texture) = &mut self.normals {
            for (vertex, exact) in normals(frame).enumerate() {
                let [x, y, z, _] = texture.set(number, vertex, exact.extend(1.0).to_array());
                meter.normal(Vec3::new(x, y, z), exact);
            }
        }
        Ok(())
    }

    fn measure_playback(
        &self,
        walk: &FrameWalk<'_>,
        frame: &mut Frame,
    ) -> Result<PlaybackError, TextureBakeError> {
        let mut meter = ErrorMeter::default();
        walk.each_between(frame, |before, frame| {
            frame.deform(self.method)?;
            for (vertex, exact) in positions(frame).enumerate() {
                let [one, two] = [before, before + 1].map(|number| self.position_at(number, vertex));
                meter.position((one + two) * 0.5, exact);
            }
            Ok::<(), TextureBakeError>(())
        })?;
        Ok(meter.played())
    }

    /// The static mesh at rest, with an extra texture coordinate set.
    #[must_use]
    pub fn mesh(&self) -> &Character {
        &self.mesh
    }

    /// The index of the texture coordinate set that says where the texel of a vertex is in the first frame.
    #[must_use]
    pub fn uv_set(&self) -> usize {
        self.uv_set
    }

    /// The clips, in the order of their frames.
    #[must_use]
    pub fn clips(&self) -> &[TextureClip] {
        &self.clips
    }

    /// How many vertices a frame has.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    /// The offsets of vertices from the mesh, in meters.
    #[must_use]
    pub fn positions(&self) -> &AnimationTexture {
        &self.positions
    }

    /// The directions of normals; `None` if no mesh has normals.
    #[must_use]
    pub fn normals(&self) -> Option<&AnimationTexture> {
        self.normals.as_ref()
    }

    /// A box around the vertices of all frames, in model space.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// How far stored frames are from the exact ones.
    #[must_use]
    pub fn error(&self) -> TexelError {
        self.error
    }

    /// How far the middle between two stored frames is from the clip at that time.
    #[must_use]
    pub fn playback_error(&self) -> PlaybackError {
        self.playback_error
    }

    /// The position of a vertex in a frame as a shader computes it from the textures, in model space.
    ///
    /// # Panics
    /// If there is no such frame or vertex.
    #[must_use]
    pub fn position_at(&self, frame: usize, vertex: usize) -> Vec3 {
        let [x, y, z, _] = self.positions.get(frame, vertex);
        self.rest[vertex] + Vec3::new(x, y, z)
    }

    /// The positions of all vertices at a time of the clip at index `clip`, as a shader interpolates them between two frames.
    ///
    /// # Panics
    /// If there is no such clip.
    #[must_use]
    pub fn positions_at(&self, clip: usize, time_secs: f32) -> Vec<Vec3> {
        let (before, after, fraction) = self.clips[clip].frames_at(time_secs);
        let blend = |vertex| self.position_at(before, vertex).lerp(self.position_at(after, vertex), fraction);
        (0..self.vertex_count()).map(blend).collect()
    }

    /// All files: textures, mesh and description. They name each other by `name`, the last part of their common prefix.
    ///
    /// # Errors
    /// If the mesh cannot be written or a texture cannot be compressed.
    pub fn files(&self, name: &str) -> Result<Vec<ExportedFile>, TextureBakeError> {
        sidecar::vertex_files(self, name)
    }
}

fn normal_texture(layout: TextureLayout, options: &TextureOptions) -> AnimationTexture {
    match options.normals {
        NormalTexels::Float => AnimationTexture::new(layout, options.precision, false),
        NormalTexels::Unorm8 => AnimationTexture::unorm8(layout),
    }
}

/// The deformed vertices of all visible instances, one after the other.
fn positions(frame: &Frame) -> impl Iterator<Item = Vec3> + '_ {
    let visible = frame.character().visible_instances();
    visible.flat_map(|instance| frame.deformed()[instance].positions.iter().copied())
}

/// Their normals; zero for those of instances without normals.
fn normals(frame: &Frame) -> impl Iterator<Item = Vec3> + '_ {
    let visible = frame.character().visible_instances();
    visible.flat_map(|instance| {
        let streams = &frame.deformed()[instance];
        let count = streams.positions.len();
        (0..count).map(move |vertex| streams.normals.get(vertex).copied().unwrap_or(Vec3::ZERO))
    })
}
