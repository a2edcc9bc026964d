//! A crowd of figures, deformed and drawn in one frame.

use serde::Serialize;
use sinew::{Method, glam::Vec3};
use sinew_gpu::{
    Headless,
    deform::{Deformed, Kernels, MeshOptions, PoseBatch, PoseLayout, SkinnedMesh},
    draw::{CrowdStreams, RenderTarget, Renderer, RendererOptions},
    wgpu,
};
use sinew_view::{
    camera::{Camera, CameraLens, Orbit},
    color::Color,
    geometry::Geometry,
    layer::MeshLayer,
    paint::Paint,
    scene::Scene,
};
use std::{error::Error, time::Instant};

/// The fastest of some frames; the field names are keys of `--json`.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct CrowdFrame {
    instance_count: usize,
    triangle_count: usize,
    /// Uploading palettes, one dispatch, one draw call, and waiting for the GPU to finish.
    duration_ms: f64,
}

impl CrowdFrame {
    pub(super) fn in_words(&self) -> String {
        format!(
            "\n{} figures with {} triangles, palettes uploaded, deformed in one dispatch and drawn in one call at 1280x720: {:.2} ms per frame\n",
            self.instance_count, self.triangle_count, self.duration_ms
        )
    }
}

const FRAMES: usize = 12;

/// Deforms and draws a square of `instances` figures, each in its own pose.
pub(super) fn measure(gpu: &Headless, instances: usize) -> Result<CrowdFrame, Box<dyn Error>> {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let figure = sinew_samples::figure();
    let (mesh, skin) = (&figure.meshes()[0], &figure.skins()[0]);
    let options = MeshOptions { compact: true, tangents: false, ..MeshOptions::default() };
    let skinned = SkinnedMesh::new(device, mesh, options)?;
    let mut poses =
        PoseBatch::new(device, PoseLayout::new(&skinned, skin.joints().len(), Method::Linear), instances)?;
    super::fill(&mut poses, &figure, skin)?;
    let deformed = Deformed::new(device, &skinned, instances)?;
    let job = Kernels::new(device)?.job(device, Method::Linear, &skinned, &poses, &deformed)?;

    let across = (instances as f32).sqrt().ceil().max(1.0) as usize;
    let places: Vec<Vec3> = (0..instances)
        .map(|at| Vec3::new((at % across) as f32 - 0.5 * across as f32, 0.0, -((at / across) as f32)))
        .collect();
    let rows: Vec<[[f32; 4]; 3]> =
        places.iter().map(|p| [[1.0, 0.0, 0.0, p.x], [0.0, 1.0, 0.0, p.y], [0.0, 0.0, 1.0, p.z]]).collect();
    let bytes: Vec<u8> = rows.as_flattened().as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
    let transforms = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("places"),
        size: bytes.len().max(48) as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&transforms, 0, &bytes);

    let triangles: Vec<[u32; 3]> = mesh.triangles().collect();
    let per_figure = triangles.len();
    let geometry = Geometry::new(mesh.positions().to_vec(), triangles)?;
    let layer = MeshLayer::new(geometry, Paint::Solid(Color::hex(0xc9a58a)))?;
    let render = RendererOptions::default();
    let mut renderer = Renderer::new(device, queue, render)?;
    let target = RenderTarget::new(device, render, 1280, 720)?;
    let count = u32::try_from(instances).unwrap_or(u32::MAX);
    let mut crowd = renderer.crowd(device, queue, &layer, CrowdStreams::of(&deformed, &transforms, count))?;
    let heads = places.iter().flat_map(|p| [*p, *p + Vec3::Y * 1.8]);
    crowd.bounds = Some((
        heads.clone().fold(Vec3::MAX, Vec3::min) - Vec3::ONE,
        heads.clone().fold(Vec3::MIN, Vec3::max) + Vec3::ONE,
    ));
    let lens = CameraLens { aspect: 1280.0 / 720.0, ..CameraLens::default() };
    let scene = Scene::new(Camera::framing(heads, Orbit::THREE_QUARTER, lens));

    let mut best = f64::INFINITY;
    for _ in 0..FRAMES {
        let started = Instant::now();
        poses.upload(queue, instances);
        renderer.prepare_with(device, queue, &scene, &[&crowd], target.size())?;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        job.record(&mut encoder, instances);
        renderer.draw_with(&mut encoder, &target, &[&crowd]);
        queue.submit([encoder.finish()]);
        device.poll(wgpu::PollType::wait_indefinitely())?;
        best = best.min(started.elapsed().as_secs_f64() * 1e3);
    }
    gpu.check()?;
    Ok(CrowdFrame { instance_count: instances, triangle_count: per_figure * instances, duration_ms: best })
}
