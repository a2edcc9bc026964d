//! The cases of `sinew bench --gpu`: a method on a mesh in one layout.

use super::{
    super::subject::{Random, tile},
    BenchSizes, GpuCase, GpuWork, fill,
};
use sinew::{Character, Influence, Mesh, MeshParts, Method, Precomputed, Weights};
use sinew_gpu::{
    Headless,
    deform::{Deformed, Kernels, MeshOptions, PoseBatch, PoseLayout, SkinnedMesh},
};
use std::{error::Error, sync::Arc};

/// One kernel on one mesh.
#[derive(Clone, Copy)]
pub(super) struct GpuPlan {
    pub(super) method: Method,
    pub(super) compact: bool,
    pub(super) normals: bool,
    pub(super) vertices: usize,
    pub(super) poses: usize,
    /// How many influences every vertex has; `None` leaves it those of the figure.
    pub(super) influences: Option<usize>,
    /// Random joint assignment: neighboring vertices share no joint.
    pub(super) diverging: bool,
    /// A muscle displaces every tenth vertex.
    pub(super) muscles: bool,
}

/// Linear blend skinning of one pose of a large mesh.
fn large(sizes: &BenchSizes) -> GpuPlan {
    GpuPlan {
        method: Method::Linear,
        compact: false,
        normals: true,
        vertices: sizes.vertices,
        poses: 1,
        influences: Some(4),
        diverging: false,
        muscles: false,
    }
}

/// Linear blend skinning of a body in many poses.
pub(super) fn batch(sizes: &BenchSizes) -> GpuPlan {
    GpuPlan { vertices: sizes.body, poses: sizes.bodies, ..large(sizes) }
}

pub(super) fn plans(sizes: &BenchSizes) -> Vec<GpuPlan> {
    let compact = |plan: GpuPlan| GpuPlan { compact: true, ..plan };
    let [large, large_compact] = [large(sizes), compact(large(sizes))];
    let batch = batch(sizes);
    let crowd = GpuPlan { vertices: usize::MAX, poses: sizes.crowd, ..large_compact };
    let by = |method: Method, plan: GpuPlan| GpuPlan { method, ..plan };
    let of = |count: usize, plan: GpuPlan| GpuPlan { influences: Some(count), ..plan };
    let own = |plan: GpuPlan| GpuPlan { influences: None, ..plan };
    vec![
        large,
        large_compact,
        GpuPlan { muscles: true, ..large_compact },
        GpuPlan { normals: false, ..large },
        GpuPlan { diverging: true, ..large_compact },
        of(1, large_compact),
        of(2, large_compact),
        of(8, large_compact),
        of(10, large_compact),
        by(Method::Rigid, large_compact),
        by(Method::DualQuat, large),
        by(Method::DualQuat, large_compact),
        by(Method::Cor, large_compact),
        batch,
        compact(batch),
        own(compact(batch)),
        GpuPlan { muscles: true, ..compact(batch) },
        GpuPlan { muscles: true, ..own(compact(batch)) },
        by(Method::DualQuat, compact(batch)),
        by(Method::DualQuat, own(compact(batch))),
        GpuPlan { diverging: true, ..compact(batch) },
        of(10, compact(batch)),
        crowd,
        own(crowd),
    ]
}

impl GpuPlan {
    pub(super) fn name(&self) -> String {
        let streams = if self.normals { "pn" } else { "p" };
        let packing = if self.compact { "compact" } else { "full" };
        let suffix = match (self.diverging, self.muscles) {
            (true, _) => "/diverging",
            (false, true) => "/muscles",
            (false, false) => "",
        };
        let subject = match self.vertices {
            usize::MAX => "figure".to_owned(),
            count => format!("{count}"),
        };
        let influences = self.influences.map_or_else(|| "-own".to_owned(), |count| count.to_string());
        format!("{}{influences}/{streams}/{packing}/{subject}x{}{suffix}", self.method, self.poses)
    }

    pub(super) fn case(
        &self,
        gpu: &Headless,
        kernels: &mut Kernels,
        figure: &Character,
    ) -> Result<GpuCase, Box<dyn Error>> {
        let buffers = GpuBuffers::new(gpu, self, figure)?;
        buffers.case(gpu, kernels, self.method, self.name())
    }

    /// The figure's mesh repeated or cut, with the planned number of influences.
    fn mesh(&self, figure: &Mesh) -> Option<Mesh> {
        let count = if self.vertices == usize::MAX { figure.vertex_count() } else { self.vertices };
        let mesh = tile(figure, count)?;
        let (old, slots) = (mesh.weights()?, mesh.weights()?.slot_count());
        let mut random = Random::default();
        let vertex = |v: usize| {
            let mut influence = || Influence { slot: random.slot(slots), weight: 0.3 };
            let Some(count) = self.influences else { return old.influences(v).collect() };
            let mut influences: Vec<Influence> = match self.diverging {
                true => (0..count).map(|_| influence()).collect(),
                false => old.influences(v).take(count).collect(),
            };
            // Fill up to the planned number with joints of little weight.
            let mut next = influences.first().map_or(0, |i| usize::from(i.slot));
            while influences.len() < count {
                next = (next + 1) % slots;
                if !influences.iter().any(|i| usize::from(i.slot) == next) {
                    influences.push(Influence { slot: next as u16, weight: 0.01 });
                }
            }
            influences
        };
        let (mut weights, _) = Weights::new(slots, (0..mesh.vertex_count()).map(vertex)).ok()?;
        if self.muscles {
            let muscle = |v: usize| v.is_multiple_of(10).then_some(Influence { slot: 1, weight: 0.5 });
            weights = weights.with_muscle_weights(slots, (0..mesh.vertex_count()).map(muscle)).ok()?;
        }
        let precomputed = Precomputed { centers: mesh.precomputed().centers.clone(), ..Precomputed::NONE };
        let parts = MeshParts { weights: Some(Arc::new(weights)), precomputed, ..mesh.into_parts() };
        Mesh::new(parts).ok()
    }
}

/// What a plan has in GPU memory.
pub(super) struct GpuBuffers {
    mesh: SkinnedMesh,
    poses: PoseBatch,
    deformed: Deformed,
}

impl GpuBuffers {
    pub(super) fn new(gpu: &Headless, plan: &GpuPlan, figure: &Character) -> Result<Self, Box<dyn Error>> {
        let device = &gpu.device;
        let (mesh, skin) = (&figure.meshes()[0], &figure.skins()[0]);
        let mesh = plan.mesh(mesh).ok_or("the figure cannot be repeated")?;
        let options = MeshOptions { normals: plan.normals, tangents: false, compact: plan.compact };
        let mesh = SkinnedMesh::new(device, &mesh, options)?;
        let layout = PoseLayout::new(&mesh, skin.joints().len(), plan.method);
        let mut poses = PoseBatch::new(device, layout, plan.poses)?;
        fill(&mut poses, figure, skin)?;
        poses.upload(&gpu.queue, plan.poses);
        let deformed = Deformed::new(device, &mesh, plan.poses)?;
        Ok(Self { mesh, poses, deformed })
    }

    /// A case of these buffers with these kernels.
    pub(super) fn case(
        &self,
        gpu: &Headless,
        kernels: &mut Kernels,
        method: Method,
        name: String,
    ) -> Result<GpuCase, Box<dyn Error>> {
        let count = self.poses.capacity();
        let job = kernels.job(&gpu.device, method, &self.mesh, &self.poses, &self.deformed)?;
        job.warm_up(&gpu.device, &gpu.queue);
        let (read, written) = self.mesh.bytes_moved(method).unwrap_or_default();
        let vertices = f64::from(self.mesh.vertices());
        let all = vertices * count as f64;
        Ok(GpuCase {
            name,
            work: GpuWork::Deform(job, count),
            vertices: all,
            bytes: vertices * read + all * written,
        })
    }
}
