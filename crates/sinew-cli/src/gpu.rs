//! Pictures drawn by the GPU.

use sinew_gpu::{
    Headless,
    draw::{RenderTarget, Renderer},
    wgpu,
};
use sinew_view::{picture::Picture, raster::RenderOptions, scene::Scene};
use std::error::Error;

/// A GPU that draws one picture after another.
pub(crate) struct GpuPainter {
    gpu: Headless,
    renderer: Renderer,
    target: Option<RenderTarget>,
}

impl GpuPainter {
    /// Opens the machine's GPU.
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        let gpu = Headless::open_blocking()?;
        let renderer = Renderer::new(&gpu.device, &gpu.queue, Default::default())?;
        Ok(Self { gpu, renderer, target: None })
    }

    /// The names of the GPU and of its driver's interface.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.gpu.info.name, self.gpu.info.backend)
    }

    /// Draws a scene and waits for the picture.
    pub(crate) fn draw(&mut self, scene: &Scene, options: &RenderOptions) -> Result<Picture, Box<dyn Error>> {
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
