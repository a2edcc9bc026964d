//! A character evaluated at one time.

mod contribution;
mod following;

pub use contribution::InfluenceContribution;

use crate::{
    asset::{character::Character, weights::WeightSum},
    bounds::Aabb,
    constrain::{SpringState, SpringStep},
    deform::{
        self, DeformError, DeformInput, DeformPath, DeformScratch, Method, NormalSource, ReferenceReason,
        Streams, Surface, apply_morphs, reference,
    },
    palette::{DualQuatPalette, MusclePalette, Palette, RotationHistory},
    pose::{LocalPose, ModelPose},
    range::InRange as _,
    sample::{ClipCursor, ClipRef, Wrap},
    simd::{self, Level},
};
use std::sync::Arc;

/// A character at one time: its pose, palettes and deformed vertices, in buffers that are reused.
///
/// A frame shares its character by `Arc` and sizes every buffer for it once, so sampling, posing and deforming allocate
/// nothing. It runs the steps of the pipeline in order; each step is also available on its own.
///
/// ```
/// use sinew::{Frame, Method, Wrap};
///
/// let mut frame = Frame::new(sinew_samples::figure());
/// let walk = frame.character().find_clip("walk").unwrap().clone();
/// frame.sample(&walk, 0.4, Wrap::Loop);
/// frame.deform(Method::Linear)?;
/// assert_eq!(frame.deformed().len(), frame.character().instances().len());
/// # Ok::<(), sinew::DeformError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Frame {
    character: Arc<Character>,
    rest: LocalPose,
    local: LocalPose,
    /// The local pose after the character's helper joints have moved.
    driven: LocalPose,
    model: ModelPose,
    palettes: Vec<Palette>,
    dual_quats: Vec<DualQuatPalette>,
    /// The rotations of each skin whose signs were followed last.
    followed: Vec<RotationHistory>,
    /// True if `followed` is of the current pose.
    is_followed: bool,
    muscles: Vec<MusclePalette>,
    morphed: Vec<Streams>,
    displaced: Vec<Streams>,
    /// The scratch buffers, one per mesh.
    scratch: Vec<DeformScratch>,
    cursor: ClipCursor,
    deformed: Vec<Streams>,
    /// The code path that last deformed each instance.
    paths: Vec<DeformPath>,
    /// True if `driven`, `model` and `palettes` are up to date with `local`.
    is_current: bool,
    /// The SIMD level that poses and vertices are computed at.
    level: Level,
    normals: NormalSource,
    /// True from a change of meshes until the pose changes: packing a mesh that is about to change again is a waste.
    defers_packing: bool,
}

impl Frame {
    /// A frame of `character`, posed at rest and not yet deformed.
    ///
    /// Frames made from clones of one `Arc` share the character. A plain `&Character` is copied into a new `Arc`, with
    /// its meshes, skins, clips and images still shared.
    pub fn new(character: impl Into<Arc<Character>>) -> Self {
        let character: Arc<Character> = character.into();
        let rest = character.rest_pose();
        let streams = |index: usize| Streams::of_mesh(character.mesh_of(&character.instances()[index]));
        let instances = 0..character.instances().len();
        let morphed = |index: usize| {
            let has_morphs = !character.morph_slots(index).is_empty();
            if has_morphs { streams(index) } else { Streams::default() }
        };
        let scratch = character.meshes().iter().map(|mesh| DeformScratch::for_mesh(mesh)).collect();
        let skins = || character.skins().iter();
        let mut frame = Self {
            local: rest.clone(),
            driven: rest.clone(),
            rest,
            model: ModelPose::new(character.skeleton()),
            palettes: skins().map(|s| Palette::new(s)).collect(),
            dual_quats: skins().map(|s| DualQuatPalette::new(s)).collect(),
            followed: vec![RotationHistory::default(); character.skins().len()],
            is_followed: false,
            muscles: skins().map(|s| MusclePalette::new(s, character.skeleton())).collect(),
            morphed: instances.clone().map(morphed).collect(),
            displaced: instances.clone().map(|index| displaced_streams(&character, index)).collect(),
            scratch,
            paths: Vec::with_capacity(character.instances().len()),
            cursor: ClipCursor::default(),
            deformed: instances.map(streams).collect(),
            is_current: false,
            level: simd::best(),
            normals: NormalSource::default(),
            defers_packing: false,
            character,
        };
        frame.update();
        frame
    }

    /// This frame, evaluated at a SIMD level other than the widest of this machine, to compare levels.
    #[must_use]
    pub fn at_level(mut self, level: Level) -> Self {
        self.level = level;
        self.is_current = false;
        self.update();
        self
    }

    /// The SIMD level that poses and vertices are computed at.
    pub fn level(&self) -> Level {
        self.level
    }

    /// This frame with normals and tangents of skinned meshes from `source`. For those of the surface, the triangles around
    /// each vertex are found here, once per mesh.
    #[must_use]
    pub fn with_normals(mut self, source: NormalSource) -> Self {
        self.normals = source;
        if source == NormalSource::Surface {
            let skinned = self.character.meshes().iter().filter(|mesh| mesh.weights().is_some());
            skinned.for_each(|mesh| _ = mesh.rings());
        }
        self
    }

    /// The character that this frame evaluates.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// Evaluates `character` from now on.
    ///
    /// If it [shares the rig](Character::shares_rig) of the current one, the pose and all buffers are kept: an editor can
    /// call this many times per second while weights change. New meshes are then deformed by the reference, and packed for
    /// the fast path once the pose changes. Any other character starts at rest, as with [`Frame::new`].
    pub fn set_character(&mut self, character: impl Into<Arc<Character>>) {
        let character: Arc<Character> = character.into();
        if Arc::ptr_eq(&self.character, &character) {
            return;
        }
        if !self.character.shares_rig(&character) {
            *self = Self::new(character).at_level(self.level).with_normals(self.normals);
            return;
        }
        let meshes = self.scratch.iter_mut().zip(character.meshes());
        meshes.for_each(|(scratch, mesh)| scratch.reserve_smoothing(mesh));
        // Muscle weights come and go with the weights of a mesh.
        for (index, displaced) in self.displaced.iter_mut().enumerate() {
            if has_muscles(&character, index) == displaced.positions.is_empty() {
                *displaced = displaced_streams(&character, index);
            }
        }
        self.character = character;
        self.is_current = false;
        self.defers_packing = true;
    }

    /// Resets every joint and morph weight to rest.
    pub fn reset(&mut self) {
        self.is_current = false;
        self.defers_packing = false;
        self.local.copy_from(&self.rest);
    }

    /// Resets the pose to rest, then samples `clip` at `time_secs`.
    ///
    /// Raw and compact clips both play: pass a `&Clip`, a `&CompactClip` or a `&Motion`.
    ///
    /// # Panics
    /// If the clip belongs to a character with another skeleton, or animates more joints or morph weights than this one
    /// has.
    pub fn sample<'a>(&mut self, clip: impl Into<ClipRef<'a>>, time_secs: f32, wrap: Wrap) {
        let clip = clip.into();
        self.check_clip(clip);
        self.reset();
        clip.sample(time_secs, wrap, &mut self.cursor, &mut self.local);
    }

    fn check_clip(&self, clip: ClipRef<'_>) {
        let (joints, morphs) = (self.local.joints.len(), self.local.morphs.len());
        assert!(
            clip.joint_count() <= joints && clip.morph_slot_count() <= morphs,
            "clip {:?} animates {} joints and {} morph weights, character {:?} has {joints} and {morphs}",
            clip.name(),
            clip.joint_count(),
            clip.morph_slot_count(),
            self.character.name(),
        );
        assert!(
            clip.home().fits(self.character.skeleton(), clip.joint_count()),
            "clip {:?} was made for another skeleton than that of character {:?}: retarget it",
            clip.name(),
            self.character.name(),
        );
    }

    /// The local pose, relative to parents.
    pub fn local(&self) -> &LocalPose {
        &self.local
    }

    /// The local pose, relative to parents, to edit. The next [`Frame::update`] or [`Frame::deform`] evaluates the change.
    pub fn local_mut(&mut self) -> &mut LocalPose {
        self.is_current = false;
        self.defers_packing = false;
        &mut self.local
    }

    /// The local pose after the character's helper joints have moved.
    ///
    /// # Panics
    /// If the local pose has changed since the last [`Frame::update`] or [`Frame::deform`].
    #[track_caller]
    pub fn driven_pose(&self) -> &LocalPose {
        self.assert_current("driven pose");
        &self.driven
    }

    /// Evaluates the model pose and every palette from the local pose, after the character's
    /// [helpers](Character::helpers) have moved their joints; the local pose itself stays as it is.
    ///
    /// [`Frame::deform`] calls this automatically. Does nothing if the local pose has not changed since.
    pub fn update(&mut self) {
        if self.is_current {
            return;
        }
        self.drive();
        self.write_palettes();
    }

    /// Drives the helper joints and evaluates the model pose.
    fn drive(&mut self) {
        self.driven.copy_from(&self.local);
        self.character.apply_helpers(&mut self.driven);
        self.model.update_at(self.level, self.character.skeleton(), &self.driven);
    }

    fn write_palettes(&mut self) {
        for (palette, skin) in self.palettes.iter_mut().zip(self.character.skins()) {
            palette.update_at(self.level, skin, &self.model);
        }
        self.is_current = true;
        self.is_followed = false;
    }

    /// Advances the character's spring bones to the current pose and evaluates the result, as [`Frame::update`] does
    /// without springs. `step` is a time in seconds, or a [`SpringStep`] with the placement of the character in the world.
    ///
    /// Call it once per frame, after the pose is sampled and edited. The local pose stays as it is;
    /// [`Frame::driven_pose`] has the rotations of the springs. A state of another character's springs starts over.
    ///
    /// ```
    /// # use sinew::{Frame, Wrap};
    /// # let mut frame = Frame::new(sinew_samples::figure());
    /// let mut springs = frame.character().springs().new_state();
    /// let walk = frame.character().find_clip("walk").unwrap().clone();
    /// for tick in 0..60_u8 {
    ///     frame.sample(&walk, f32::from(tick) / 60.0, Wrap::Loop);
    ///     frame.step_springs(&mut springs, 1.0 / 60.0);
    /// }
    /// ```
    pub fn step_springs(&mut self, state: &mut SpringState, step: impl Into<SpringStep>) {
        let springs = Arc::clone(self.character.springs());
        if !state.fits(&springs) {
            *state = springs.new_state().with_options(state.options());
        }
        self.drive();
        springs.step_at(self.level, step, &self.model, state, &mut self.driven);
        if !springs.is_empty() {
            self.model.update_at(self.level, self.character.skeleton(), &self.driven);
        }
        self.write_palettes();
    }

    /// Deforms every instance into model space by `method`: morph targets first, then muscles, then the skin. Evaluates
    /// the pose first if it has changed.
    ///
    /// Meshes without a skin follow their joint whatever the method. Returns which code ran: the kernel level if all
    /// skinned instances used it, otherwise the first reference and its reason. [`Frame::paths`] lists all instances.
    ///
    /// # Errors
    /// If a skinned mesh lacks data that `method` needs, or the pose is not finite or exceeds
    /// [`MAX_VALUE`](crate::MAX_VALUE).
    pub fn deform(&mut self, method: Method) -> Result<DeformPath, DeformError> {
        self.update_palettes(method);
        self.paths.clear();
        for index in 0..self.deformed.len() {
            let path = self.deform_instance(index, method)?;
            self.paths.push(path);
        }
        let no_skin = DeformPath::Reference(ReferenceReason::NoSkin);
        let skinned = || self.paths.iter().copied().filter(|path| *path != no_skin);
        Ok(skinned().find(|path| !path.is_kernel()).or_else(|| skinned().next()).unwrap_or(no_skin))
    }

    /// The code path that deformed each instance in the last [`Frame::deform`]; empty before the first.
    pub fn paths(&self) -> &[DeformPath] {
        &self.paths
    }

    /// Evaluates the pose and the palettes that `method` reads, for vertices that are deformed elsewhere, such as on a GPU.
    pub fn update_palettes(&mut self, method: Method) {
        self.update();
        if method.needs_dual_quats() {
            self.update_dual_quats();
        }
        for (instance, displaced) in self.character.instances().iter().zip(&self.displaced) {
            if let Some(skin) = instance.skin.filter(|_| !displaced.positions.is_empty()) {
                self.muscles[skin].update(&self.character.skins()[skin], &self.driven);
            }
        }
    }

    fn deform_instance(&mut self, index: usize, method: Method) -> Result<DeformPath, DeformError> {
        let character = &*self.character;
        let instance = &character.instances()[index];
        let mesh = character.mesh_of(instance);
        let mut changed: Option<Surface<'_>> = None;
        let slots = character.morph_slots(index);
        if !slots.is_empty() {
            let weights = &self.local.morphs[slots];
            apply_morphs(mesh.into(), mesh.morphs(), weights, self.morphed[index].as_surface_mut())?;
            changed = Some(self.morphed[index].as_surface());
        }
        let out = self.deformed[index].as_surface_mut();
        let (Some(skin), Some(weights)) = (instance.skin, mesh.weights()) else {
            let surface = changed.unwrap_or_else(|| mesh.into());
            let joint = self.model.joint(instance.joint);
            if !joint.is_in_range() {
                return Err(DeformError::PoseOutOfRange { mesh: mesh.name().into() });
            }
            reference::transform_surface(surface, &joint, out)?;
            return Ok(DeformPath::Reference(ReferenceReason::NoSkin));
        };
        if weights.sum_kind() == WeightSum::Muscle {
            let surface = changed.unwrap_or_else(|| mesh.into());
            let displaced = &mut self.displaced[index];
            reference::displace(surface, weights, &self.muscles[skin], displaced.as_surface_mut())?;
            changed = Some(displaced.as_surface());
        }
        let mut input = DeformInput::new(mesh, &self.palettes[skin]);
        input = input.with_dual_quats(&self.dual_quats[skin]).at_level(self.level).with_normals(self.normals);
        if let Some(surface) = changed {
            input = input.with_surface(surface);
        }
        if self.defers_packing {
            input = input.without_packing();
        }
        deform::deform(method, &input, &mut self.scratch[instance.mesh], out)
    }

    #[track_caller]
    fn assert_current(&self, what: &str) {
        assert!(self.is_current, "the local pose has changed: call Frame::update before reading the {what}");
    }

    /// The model pose: joints in model space.
    ///
    /// # Panics
    /// If the local pose has changed since the last [`Frame::update`] or [`Frame::deform`].
    #[track_caller]
    pub fn model(&self) -> &ModelPose {
        self.assert_current("model pose");
        &self.model
    }

    /// The palette of each skin.
    ///
    /// # Panics
    /// If the local pose has changed since the last [`Frame::update`] or [`Frame::deform`].
    #[track_caller]
    pub fn palettes(&self) -> &[Palette] {
        self.assert_current("palettes");
        &self.palettes
    }

    /// The dual-quaternion palette of each skin, as computed by the last method that needed it.
    pub fn dual_quats(&self) -> &[DualQuatPalette] {
        &self.dual_quats
    }

    /// The muscle palette of each skin, as of the last [`Frame::update_palettes`] or [`Frame::deform`]. It is at rest for
    /// a skin whose meshes have no muscle weights.
    pub fn muscles(&self) -> &[MusclePalette] {
        &self.muscles
    }

    /// The vertices of each instance in model space, as written by the last [`Frame::deform`]; zero before the first.
    pub fn deformed(&self) -> &[Streams] {
        &self.deformed
    }

    /// The box around every visible deformed vertex.
    pub fn bounds(&self) -> Aabb {
        let boxes = self.character.visible_instances().map(|i| Aabb::of_points(&self.deformed[i].positions));
        boxes.fold(Aabb::EMPTY, Aabb::union)
    }
}

/// True if the mesh of an instance has muscle weights.
fn has_muscles(character: &Character, instance: usize) -> bool {
    let weights = character.mesh_of(&character.instances()[instance]).weights();
    weights.is_some_and(|weights| weights.sum_kind() == WeightSum::Muscle)
}

/// The buffer for the vertices of an instance that muscles displace; empty if it has none.
fn displaced_streams(character: &Character, instance: usize) -> Streams {
    match has_muscles(character, instance) {
        true => Streams::of_mesh(character.mesh_of(&character.instances()[instance])),
        false => Streams::default(),
    }
}

#[cfg(test)]
mod tests;
