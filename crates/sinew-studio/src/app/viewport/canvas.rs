//! Drawing a scene on the GPU, inside the frame of the window.

use egui_wgpu::{CallbackResources, CallbackTrait, ScreenDescriptor, wgpu};
use sinew::{Character, Method};
use sinew_gpu::{
    GpuError, PassClock,
    deform::{CharacterJobs, CharacterPose, Kernels},
    draw::{Blit, BlitSource, RenderTarget, Renderer, RendererOptions},
};
use sinew_view::scene::Scene;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What the GPU reports to the window.
#[derive(Debug, Default)]
pub(super) struct GpuStatus {
    /// Why the last frame could not be drawn.
    pub(super) draw_error: Option<String>,
    /// Why the GPU cannot deform the character.
    pub(super) unsupported: Option<String>,
    /// The time of the last deformation, measured by the GPU.
    pub(super) deform_ms: Option<f64>,
}

/// The status, shared with the callbacks that draw.
pub(super) type SharedGpuStatus = Arc<Mutex<GpuStatus>>;

/// A deformation that the GPU computes before it draws.
pub(in crate::app) struct GpuDeformation {
    pub(super) character: Arc<Character>,
    pub(super) method: Method,
    pub(super) pose: CharacterPose,
    pub(super) layers: Vec<DeformedLayer>,
}

/// A layer of the scene whose vertices the GPU deforms.
pub(super) struct DeformedLayer {
    /// The index of the layer in the scene.
    pub(super) layer: usize,
    /// The instance that the layer shows.
    pub(super) instance: usize,
    /// The first vertex of the instance that the layer shows.
    pub(super) first_vertex: u32,
}

/// Draws a scene into the window.
pub(super) struct Canvas {
    pub(super) scene: Arc<Scene>,
    /// Width and height in pixels.
    pub(super) size: (u32, u32),
    /// The index of the half of the viewport.
    pub(super) index: usize,
    /// The format of the window.
    pub(super) format: wgpu::TextureFormat,
    /// The deformation before drawing; `None` if the scene has deformed vertices.
    pub(super) deformation: Option<Arc<GpuDeformation>>,
    pub(super) status: SharedGpuStatus,
}

/// The device and its queue.
#[derive(Clone, Copy)]
struct Gpu<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
}

/// GPU resources that persist between frames.
struct CanvasCache {
    renderer: Renderer,
    target: RenderTarget,
    blit: Blit,
    source: BlitSource,
    /// The scene in the render target.
    drawn: Option<Arc<Scene>>,
    skins: Option<CanvasSkins>,
}

/// Kernels and buffers that deform on the GPU.
struct CanvasSkins {
    kernels: Kernels,
    jobs: Option<CharacterJobs>,
    clock: Option<PassClock>,
}

impl CanvasSkins {
    fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self, GpuError> {
        Ok(Self { kernels: Kernels::new(device)?, jobs: None, clock: PassClock::new(device, queue).ok() })
    }

    /// Records the deformation and returns the jobs with the deformed vertices.
    fn deform(
        &mut self,
        Gpu { device, queue }: Gpu<'_>,
        encoder: &mut wgpu::CommandEncoder,
        deformation: &GpuDeformation,
    ) -> Result<&CharacterJobs, GpuError> {
        let cached = self.jobs.take().filter(|jobs| jobs.is_of(&deformation.character, deformation.method));
        let mut jobs = match cached {
            Some(jobs) => jobs,
            None => {
                CharacterJobs::new(device, &mut self.kernels, &deformation.character, deformation.method)?
            }
        };
        jobs.set(queue, &deformation.pose)?;
        match &mut self.clock {
            Some(clock) => clock.record(encoder, |pass| jobs.dispatch(pass)),
            None => {
                jobs.dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
            }
        }
        Ok(self.jobs.insert(jobs))
    }
}

/// The resources of each half of the viewport.
#[derive(Default)]
struct Views(BTreeMap<usize, CanvasCache>);

impl CanvasCache {
    fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        format: wgpu::TextureFormat,
    ) -> Result<Self, GpuError> {
        let options = RendererOptions::default();
        let renderer = Renderer::new(device, queue, options)?;
        let target = RenderTarget::new(device, options, 1, 1)?;
        let blit = Blit::new(device, format);
        let source = blit.bind(device, &target);
        Ok(Self { renderer, target, blit, source, drawn: None, skins: None })
    }

    fn draw(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        canvas: &Canvas,
    ) -> Result<(), GpuError> {
        let is_resized = self.target.size() != canvas.size;
        if is_resized {
            self.target.resize(device, canvas.size.0, canvas.size.1)?;
            self.source = self.blit.bind(device, &self.target);
        }
        // If only panels were redrawn, the render target still holds this scene.
        if !is_resized && self.drawn.as_ref().is_some_and(|drawn| Arc::ptr_eq(drawn, &canvas.scene)) {
            return Ok(());
        }
        self.renderer.prepare(device, queue, &canvas.scene, canvas.size)?;
        if let Some(deformation) = &canvas.deformation
            && let Err(error) = self.take_points(Gpu { device, queue }, encoder, deformation)
        {
            canvas.status().unsupported.get_or_insert(error.to_string());
        }
        self.renderer.draw(encoder, &self.target);
        self.drawn = Some(Arc::clone(&canvas.scene));
        Ok(())
    }

    fn take_points(
        &mut self,
        gpu: Gpu<'_>,
        encoder: &mut wgpu::CommandEncoder,
        deformation: &GpuDeformation,
    ) -> Result<(), GpuError> {
        let skins = match &mut self.skins {
            Some(skins) => skins,
            none => none.insert(CanvasSkins::new(gpu.device, gpu.queue)?),
        };
        let jobs = skins.deform(gpu, encoder, deformation)?;
        for DeformedLayer { layer, instance, first_vertex } in &deformation.layers {
            if let Some(deformed) = jobs.deformed(*instance) {
                self.renderer.take_points(encoder, *layer, deformed, *first_vertex);
            }
        }
        Ok(())
    }

    /// The time of the last measured deformation, once the GPU has reported it.
    fn gpu_ms(&mut self, device: &wgpu::Device) -> Option<f64> {
        let clock = self.skins.as_mut()?.clock.as_mut()?;
        clock.poll(device).map(|ns| ns * 1e-6)
    }
}

impl Canvas {
    fn status(&self) -> MutexGuard<'_, GpuStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallbackTrait for Canvas {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        _: &ScreenDescriptor,
        encoder: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        let mut draw = || -> Result<Option<f64>, GpuError> {
            let views = resources.entry::<Views>().or_insert_with(Views::default);
            let cache = match views.0.entry(self.index) {
                Entry::Occupied(cache) => cache.into_mut(),
                Entry::Vacant(entry) => entry.insert(CanvasCache::new(device, queue, self.format)?),
            };
            let gpu_ms = cache.gpu_ms(device);
            cache.draw(device, queue, encoder, self)?;
            Ok(gpu_ms)
        };
        match draw() {
            Ok(Some(gpu_ms)) => self.status().deform_ms = Some(gpu_ms),
            Ok(None) => {}
            Err(error) => {
                self.status().draw_error.get_or_insert(error.to_string());
            }
        }
        Vec::new()
    }

    fn paint(
        &self,
        _: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(cache) = resources.get::<Views>().and_then(|views| views.0.get(&self.index)) {
            cache.blit.draw(pass, &cache.source);
        }
    }
}
