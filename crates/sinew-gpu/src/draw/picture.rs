//! Reads finished pictures back from the GPU.

use sinew_view::color::{Color, linear_from_srgb8};
use sinew_view::picture::Picture;

use super::RenderTarget;
use super::read_back::PictureReadBack;
use crate::GpuError;

/// A picture that is being read back.
#[derive(Debug)]
#[must_use]
pub struct PictureRead {
    back: PictureReadBack,
    format: wgpu::TextureFormat,
    width: u32,
    height: u32,
    stride: usize,
}

impl RenderTarget {
    /// Submits `encoder` and starts reading the finished picture back.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the device has no buffer of that size.
    pub fn read(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        mut encoder: wgpu::CommandEncoder,
    ) -> Result<PictureRead, GpuError> {
        let format = self.options().format;
        let (width, height) = self.size();
        let pixel = format.block_copy_size(None).unwrap_or(4);
        let stride = (width * pixel).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = PictureReadBack::buffer(device, u64::from(stride) * u64::from(height))?;
        encoder.copy_texture_to_buffer(
            self.texture().as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(stride),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        queue.submit([encoder.finish()]);
        Ok(PictureRead { back: PictureReadBack::new(buffer), format, width, height, stride: stride as usize })
    }
}

impl PictureRead {
    /// Blocks until the picture has arrived.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] if the device is lost.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(mut self, device: &wgpu::Device) -> Result<Picture, GpuError> {
        let bytes = self.back.wait(device)?;
        Ok(self.picture(&bytes))
    }

    /// The picture, once the GPU has sent it. On native devices the caller must poll the device meanwhile.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] if the device is lost.
    pub async fn picture_async(mut self) -> Result<Picture, GpuError> {
        let bytes = (&mut self.back).await?;
        Ok(self.picture(&bytes))
    }

    fn picture(&self, bytes: &[u8]) -> Picture {
        let mut picture = Picture::filled(self.width, self.height, Color::TRANSPARENT);
        let pixel = self.format.block_copy_size(None).unwrap_or(4) as usize;
        let rows = bytes.chunks_exact(self.stride.max(1));
        for (out, row) in picture.pixels_mut().chunks_exact_mut(self.width as usize).zip(rows) {
            for (out, bytes) in out.iter_mut().zip(row.chunks_exact(pixel)) {
                *out = straight(self.format, bytes);
            }
        }
        picture
    }
}

/// sRGB bytes with straight alpha from one pixel of the target.
fn straight(format: wgpu::TextureFormat, bytes: &[u8]) -> [u8; 4] {
    match (format, bytes) {
        (wgpu::TextureFormat::Rgba16Float, &[r0, r1, g0, g1, b0, b1, a0, a1]) => unmultiplied(
            [[r0, r1], [g0, g1], [b0, b1], [a0, a1]].map(|half| from_half(u16::from_le_bytes(half))),
        ),
        (wgpu::TextureFormat::Bgra8UnormSrgb, &[b, g, r, a]) => from_bytes([r, g, b, a]),
        (_, &[r, g, b, a]) => from_bytes([r, g, b, a]),
        _ => [0; 4],
    }
}

fn from_bytes(bytes: [u8; 4]) -> [u8; 4] {
    let [r, g, b, a] = bytes;
    if a == 255 {
        return bytes;
    }
    let [r, g, b] = [r, g, b].map(linear_from_srgb8);
    unmultiplied([r, g, b, f32::from(a) / 255.0])
}

fn unmultiplied([r, g, b, a]: [f32; 4]) -> [u8; 4] {
    let alpha = a.clamp(0.0, 1.0);
    if alpha <= 0.0 {
        return [0; 4];
    }
    Color::linear(r / alpha, g / alpha, b / alpha).with_alpha(alpha).to_srgb8()
}

/// Converts a 16-bit float to 32 bits.
fn from_half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * mantissa * 2f32.powi(-24),
        31 => sign * f32::INFINITY,
        _ => sign * (1.0 + mantissa / 1024.0) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_become_floats() {
        for (bits, value) in
            [(0x0000, 0.0), (0x3c00, 1.0), (0xb800, -0.5), (0x0001, 5.960_464_5e-8), (0x7bff, 65504.0)]
        {
            assert_eq!(from_half(bits), value);
        }
    }

    #[test]
    fn a_half_transparent_white_stays_white() {
        let half = sinew_view::color::srgb8_from_linear(128.0 / 255.0);
        assert_eq!(from_bytes([half, half, half, 128]), [255, 255, 255, 128]);
        assert_eq!(straight(wgpu::TextureFormat::Bgra8UnormSrgb, &[1, 2, 3, 255]), [3, 2, 1, 255]);
        assert_eq!(from_bytes([9, 9, 9, 0]), [0; 4]);
    }
}
