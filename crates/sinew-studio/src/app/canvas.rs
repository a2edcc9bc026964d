//! The scene on the card, inside the window's own picture.

use egui_wgpu::{CallbackResources, CallbackTrait, ScreenDescriptor, wgpu};
use sinew_gpu::{
    GpuError,
    draw::{Blit, BlitSource, Renderer, RendererOptions, Target},
};
use sinew_view::scene::Scene;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::{Arc, Mutex, PoisonError},
};

/// What went wrong while drawing, for the window to show.
pub(super) type Complaint = Arc<Mutex<Option<String>>>;

/// Draws `scene` in `size` pixels; the format is that of the window.
pub(super) struct Canvas {
    pub(super) scene: Arc<Scene>,
    pub(super) size: (u32, u32),
    /// Which of the window's views this is.
    pub(super) place: usize,
    pub(super) format: wgpu::TextureFormat,
    pub(super) complaint: Complaint,
}

/// What stays on the card from frame to frame.
struct Kept {
    renderer: Renderer,
    target: Target,
    blit: Blit,
    source: BlitSource,
    /// The scene that the target shows.
    drawn: Option<Arc<Scene>>,
}

/// What is kept for each of the window's views.
#[derive(Default)]
struct Views(BTreeMap<usize, Kept>);

impl Kept {
    fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        format: wgpu::TextureFormat,
    ) -> Result<Self, GpuError> {
        let options = RendererOptions::default();
        let renderer = Renderer::new(device, queue, options)?;
        let target = Target::new(device, options, 1, 1)?;
        let blit = Blit::new(device, format);
        let source = blit.bind(device, &target);
        Ok(Self { renderer, target, blit, source, drawn: None })
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
        self.renderer.draw(encoder, &self.target);
        self.drawn = Some(Arc::clone(&canvas.scene));
        Ok(())
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
        let mut draw = || -> Result<(), GpuError> {
            let views = resources.entry::<Views>().or_insert_with(Views::default);
            match views.0.entry(self.place) {
                Entry::Occupied(kept) => kept.into_mut().draw(device, queue, encoder, self),
                Entry::Vacant(place) => {
                    place.insert(Kept::new(device, queue, self.format)?).draw(device, queue, encoder, self)
                }
            }
        };
        if let Err(error) = draw() {
            self.complaint.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error.to_string());
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
