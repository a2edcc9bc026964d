//! A whole character on the GPU: all its skinned instances, one pose at a time.

use std::ops::Range;
use std::sync::Arc;

use sinew::{Character, DualQuatPalette, Frame, Method, Palette, WeightSum, glam::Affine3A};

use super::{DeformJob, Deformed, Kernels, MeshOptions, PoseBatch, PoseLayout, PoseView, SkinnedMesh};
use crate::GpuError;

/// The part of a frame that the GPU needs: palettes, morph weights and the motions of muscles.
#[derive(Clone, Debug, Default)]
pub struct CharacterPose {
    palettes: Vec<Palette>,
    dual_quats: Vec<DualQuatPalette>,
    morphs: Vec<f32>,
    /// The motions of the joints of each skin since rest; empty if no mesh has muscles.
    muscles: Vec<Vec<Affine3A>>,
}

impl CharacterPose {
    /// The pose of `frame`, which [`Frame::update_palettes`] has brought up to its method.
    pub fn of(frame: &Frame) -> Self {
        Self {
            palettes: frame.palettes().to_vec(),
            dual_quats: frame.dual_quats().to_vec(),
            morphs: frame.local().morphs.clone(),
            muscles: muscles(frame),
        }
    }
}

fn muscles(frame: &Frame) -> Vec<Vec<Affine3A>> {
    let mut weights = frame.character().meshes().iter().filter_map(|mesh| mesh.weights());
    match weights.any(|weights| weights.sum_kind() == WeightSum::Muscle) {
        true => frame.muscles().iter().map(|palette| palette.mesh_from_mesh().to_vec()).collect(),
        false => Vec::new(),
    }
}

/// The skinned instances of a character with all that deforms them.
#[derive(Debug)]
pub struct CharacterJobs {
    character: Arc<Character>,
    method: Method,
    jobs: Vec<Option<InstanceJob>>,
}

#[derive(Debug)]
struct InstanceJob {
    skin: usize,
    morphs: Range<usize>,
    poses: PoseBatch,
    deformed: Deformed,
    job: DeformJob,
}

impl CharacterJobs {
    /// Uploads `character`'s skinned meshes. Instances without a skin stay on the CPU.
    ///
    /// # Errors
    /// If the GPU does not support the method, a mesh lacks data that it needs, or a mesh does not fit.
    pub fn new(
        device: &wgpu::Device,
        kernels: &mut Kernels,
        character: &Arc<Character>,
        method: Method,
    ) -> Result<Self, GpuError> {
        let jobs = (0..character.instances().len())
            .map(|instance| InstanceJob::new(device, kernels, character, instance, method))
            .collect::<Result<_, _>>()?;
        Ok(Self { character: Arc::clone(character), method, jobs })
    }

    /// True if the jobs are of this character, or of one that differs in nothing that they were made of, and of this method.
    pub fn is_of(&self, character: &Arc<Character>, method: Method) -> bool {
        let is_same = Arc::ptr_eq(&self.character, character) || has_same_skins(&self.character, character);
        is_same && self.method == method
    }

    /// Sends a pose of the character.
    ///
    /// # Errors
    /// If `pose` is of another character.
    pub fn set(&mut self, queue: &wgpu::Queue, pose: &CharacterPose) -> Result<(), GpuError> {
        for one in self.jobs.iter_mut().flatten() {
            let (Some(palette), Some(morphs)) =
                (pose.palettes.get(one.skin), pose.morphs.get(one.morphs.clone()))
            else {
                return Err(GpuError::Unsupported { what: "a pose of another character" });
            };
            let muscles = pose.muscles.get(one.skin).map_or(&[][..], |muscles| &muscles[..]);
            let mut view = PoseView { muscles, ..PoseView::new(palette).with_morphs(morphs) };
            if let Some(dual_quats) = pose.dual_quats.get(one.skin).filter(|_| self.method.needs_dual_quats())
            {
                view = view.with_dual_quats(dual_quats);
            }
            one.poses.set(0, &view)?;
            one.poses.upload(queue, 1);
        }
        Ok(())
    }

    /// Deforms everything by the pose that was sent.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.jobs.iter().flatten().for_each(|one| one.job.dispatch(pass, 1));
    }

    /// The vertices of an instance in model space; `None` for one without a skin.
    pub fn deformed(&self, instance: usize) -> Option<&Deformed> {
        self.jobs.get(instance)?.as_ref().map(|one| &one.deformed)
    }
}

/// True if meshes, skins and instances are the same, as they are after an edit of clips or helper joints.
fn has_same_skins(one: &Character, other: &Character) -> bool {
    let is_same_length =
        one.meshes().len() == other.meshes().len() && one.skins().len() == other.skins().len();
    is_same_length
        && one.meshes().iter().zip(other.meshes()).all(|(a, b)| Arc::ptr_eq(a, b))
        && one.skins().iter().zip(other.skins()).all(|(a, b)| Arc::ptr_eq(a, b))
        && one.instances() == other.instances()
}

impl InstanceJob {
    fn new(
        device: &wgpu::Device,
        kernels: &mut Kernels,
        character: &Character,
        index: usize,
        method: Method,
    ) -> Result<Option<Self>, GpuError> {
        let instance = &character.instances()[index];
        let mesh = character.mesh_of(instance);
        let (Some(skin), Some(_)) = (instance.skin, mesh.weights()) else { return Ok(None) };
        let options = MeshOptions { tangents: false, ..MeshOptions::default() };
        let skinned = SkinnedMesh::new(device, mesh, options)?;
        let joints = character.skins()[skin].joints().len();
        let poses = PoseBatch::new(device, PoseLayout::new(&skinned, joints, method), 1)?;
        let deformed = Deformed::new(device, &skinned, 1)?;
        let job = kernels.job(device, method, &skinned, &poses, &deformed)?;
        Ok(Some(Self { skin, morphs: character.morph_slots(index), poses, deformed, job }))
    }
}
