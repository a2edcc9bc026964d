//! The scene on the card, inside the window's own picture.

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

/// What the card has to say, for the window to show.
#[derive(Debug, Default)]
pub(super) struct CardNews {
    /// What went wrong while drawing.
    pub(super) complaint: Option<String>,
    /// Why the card cannot deform this character.
    pub(super) refusal: Option<String>,
    /// What the last deformation took, by the card's own clock.
    pub(super) deform_ms: Option<f64>,
}

/// The news, shared with callbacks that draw.
pub(super) type SharedNews = Arc<Mutex<CardNews>>;

/// Vertices that the card moves before it draws.
pub(super) struct CardWork {
    pub(super) character: Arc<Character>,
    pub(super) method: Method,
    pub(super) pose: CharacterPose,
    /// Layers of the scene, with the instance and its first vertex that they show.
    pub(super) layers: Vec<(usize, usize, u32)>,
}

/// Draws `scene` in `size` pixels; the format is that of the window.
pub(super) struct Canvas {
    pub(super) scene: Arc<Scene>,
    pub(super) size: (u32, u32),
    /// Which of the window's views this is.
    pub(super) place: usize,
    pub(super) format: wgpu::TextureFormat,
    /// What the card does beforehand; nothing where the scene has all vertices.
    pub(super) card: Option<Arc<CardWork>>,
    pub(super) news: SharedNews,
}

/// What stays on the card from frame to frame.
struct CanvasCache {
    renderer: Renderer,
    target: RenderTarget,
    blit: Blit,
    source: BlitSource,
    /// The scene that the target shows.
    drawn: Option<Arc<Scene>>,
    skins: Option<CanvasSkins>,
}

/// What deforms on the card.
struct CanvasSkins {
    kernels: Kernels,
    jobs: Option<CharacterJobs>,
    clock: Option<PassClock>,
}

impl CanvasSkins {
    fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self, GpuError> {
        Ok(Self { kernels: Kernels::new(device)?, jobs: None, clock: PassClock::new(device, queue).ok() })
    }

    /// Records the deformation that `work` wants, and gives what it leaves on the card.
    fn deform(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        encoder: &mut wgpu::CommandEncoder,
        work: &CardWork,
    ) -> Result<&CharacterJobs, GpuError> {
        let kept = self.jobs.take().filter(|jobs| jobs.is_of(&work.character, work.method));
        let mut jobs = match kept {
            Some(jobs) => jobs,
            None => CharacterJobs::new(device, &mut self.kernels, &work.character, work.method)?,
        };
        jobs.set(queue, &work.pose)?;
        match &mut self.clock {
            Some(clock) => clock.record(encoder, |pass| jobs.dispatch(pass)),
            None => {
                jobs.dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
            }
        }
        Ok(self.jobs.insert(jobs))
    }
}

/// What is kept for each of the window's views.
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
        // A window that only redraws its panels draws the same scene: it is there already.
        if !is_resized && self.drawn.as_ref().is_some_and(|drawn| Arc::ptr_eq(drawn, &canvas.scene)) {
            return Ok(());
        }
        self.renderer.prepare(device, queue, &canvas.scene, canvas.size)?;
        if let Some(work) = &canvas.card
            && let Err(error) = self.take_points((device, queue), encoder, work)
        {
            canvas.news().refusal.get_or_insert(error.to_string());
        }
        self.renderer.draw(encoder, &self.target);
        self.drawn = Some(Arc::clone(&canvas.scene));
        Ok(())
    }

    fn take_points(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        encoder: &mut wgpu::CommandEncoder,
        work: &CardWork,
    ) -> Result<(), GpuError> {
        let skins = match &mut self.skins {
            Some(skins) => skins,
            none => none.insert(CanvasSkins::new(device, queue)?),
        };
        let jobs = skins.deform((device, queue), encoder, work)?;
        for (layer, instance, first_vertex) in &work.layers {
            if let Some(deformed) = jobs.deformed(*instance) {
                self.renderer.take_points(encoder, *layer, deformed, *first_vertex);
            }
        }
        Ok(())
    }

    /// What the last measured deformation took, once the card has told it.
    fn card_ms(&mut self, device: &wgpu::Device) -> Option<f64> {
        let clock = self.skins.as_mut()?.clock.as_mut()?;
        clock.poll(device).map(|ns| ns * 1e-6)
    }
}

impl Canvas {
    fn news(&self) -> MutexGuard<'_, CardNews> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
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
            let kept = match views.0.entry(self.place) {
                Entry::Occupied(kept) => kept.into_mut(),
                Entry::Vacant(place) => place.insert(CanvasCache::new(device, queue, self.format)?),
            };
            let card_ms = kept.card_ms(device);
            kept.draw(device, queue, encoder, self)?;
            Ok(card_ms)
        };
        match draw() {
            Ok(Some(card_ms)) => self.news().deform_ms = Some(card_ms),
            Ok(None) => {}
            Err(error) => {
                self.news().complaint.get_or_insert(error.to_string());
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
        if let Some(kept) = resources.get::<Views>().and_then(|views| views.0.get(&self.place)) {
            kept.blit.draw(pass, &kept.source);
        }
    }
}
