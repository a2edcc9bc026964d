//! Render targets of pictures.

use crate::GpuError;

/// Depth format; the stencil bits mark what x-ray and transparent layers have painted.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth24PlusStencil8;

/// A picture on the GPU with its samples and depths.
///
/// [`RenderTarget::view`] is the finished picture: linear light with premultiplied alpha, encoded with the sRGB curve
/// if its format has one. Bind it as a texture, copy it to a surface with a [`Blit`](super::Blit), or
/// read it back with [`RenderTarget::read`].
#[derive(Debug)]
pub struct RenderTarget {
    format: wgpu::TextureFormat,
    samples: u32,
    width: u32,
    height: u32,
    sampled: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    finished: wgpu::Texture,
    view: wgpu::TextureView,
}

impl RenderTarget {
    /// Creates a target of `width` times `height` pixels; sides of zero become one.
    ///
    /// # Errors
    /// [`GpuError::TooWide`] if a side exceeds the device's limit for textures.
    pub fn new(
        device: &wgpu::Device,
        options: super::RendererOptions,
        width: u32,
        height: u32,
    ) -> Result<Self, GpuError> {
        let (width, height) = (width.max(1), height.max(1));
        let limit = device.limits().max_texture_dimension_2d;
        if width.max(height) > limit {
            return Err(GpuError::TooWide {
                what: "the picture's longer side",
                side: width.max(height),
                limit,
            });
        }
        let super::RendererOptions { format, samples } = options;
        let texture = |label, format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let finished = texture("sinew picture", format, 1, attachment | read);
        let sampled = (samples > 1).then(|| texture("sinew samples", format, samples, attachment));
        let depth = texture("sinew depth", DEPTH, samples, attachment);
        let plain = wgpu::TextureViewDescriptor::default();
        Ok(Self {
            format,
            samples,
            width,
            height,
            sampled: sampled.map(|texture| texture.create_view(&plain)),
            depth: depth.create_view(&plain),
            view: finished.create_view(&plain),
            finished,
        })
    }

    /// Changes the size of the target; does nothing if it has that size already.
    ///
    /// # Errors
    /// As [`RenderTarget::new`].
    pub fn resize(&mut self, device: &wgpu::Device, width: u32, height: u32) -> Result<(), GpuError> {
        if (width.max(1), height.max(1)) != (self.width, self.height) {
            *self = Self::new(device, self.options(), width, height)?;
        }
        Ok(())
    }

    /// Format and sample count.
    pub fn options(&self) -> super::RendererOptions {
        super::RendererOptions { format: self.format, samples: self.samples }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// View of the finished picture.
    pub fn view(&self) -> &wgpu::TextureView {
        &self.view
    }

    /// Texture of the finished picture.
    pub fn texture(&self) -> &wgpu::Texture {
        &self.finished
    }

    /// The color attachment of a pass, with its resolve target.
    pub(super) fn colors(&self, is_last: bool) -> (&wgpu::TextureView, Option<&wgpu::TextureView>) {
        match &self.sampled {
            Some(sampled) => (sampled, is_last.then_some(&self.view)),
            None => (&self.view, None),
        }
    }

    pub(super) fn depth(&self) -> &wgpu::TextureView {
        &self.depth
    }
}
