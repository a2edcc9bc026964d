//! Pictures drawn by the graphics card.

use crate::failure::Failure;
use sinew_gpu::{
    Headless,
    draw::{RenderTarget, Renderer},
    wgpu,
};
use sinew_view::{picture::Picture, raster::RenderOptions, scene::Scene};

/// A card that draws one picture after the other.
pub(crate) struct Card {
    gpu: Headless,
    renderer: Renderer,
    target: Option<RenderTarget>,
}

impl Card {
    /// Opens the machine's card.
    pub(crate) fn open() -> Result<Self, Failure> {
        let gpu = Headless::open_blocking()?;
        let renderer = Renderer::new(&gpu.device, &gpu.queue, Default::default())?;
        Ok(Self { gpu, renderer, target: None })
    }

    /// What the card is called, and by which driver it runs.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.gpu.info.name, self.gpu.info.backend)
    }

    /// Draws a scene.
    pub(crate) fn draw(&mut self, scene: &Scene, options: &RenderOptions) -> Result<Picture, Failure> {
        let Self { gpu: Headless { device, queue, .. }, renderer, target } = self;
        let (width, height) = (options.width, options.height);
        let target = match target {
            Some(target) => {
                target.resize(device, width, height)?;
                target
            }
            None => target.insert(RenderTarget::new(device, renderer.options(), width, height)?),
        };
        renderer.prepare(device, queue, scene, target.size())?;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        renderer.draw(&mut encoder, target);
        let picture = target.read(device, queue, encoder)?.wait(device)?;
        self.gpu.check()?;
        Ok(picture)
    }
}
