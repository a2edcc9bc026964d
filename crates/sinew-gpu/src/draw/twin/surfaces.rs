//! Devices and surfaces of other kinds: small limits, windows, lost devices.

use sinew_view::color::Color;
use sinew_view::layer::{Depth, LineLayer, LineSegment, LineStroke};
use sinew_view::paint::Paint;
use sinew_view::picture::Picture;
use sinew_view::scene::{Background, Scene};

use super::super::{Blit, PickRegion, RenderTarget, Renderer, RendererOptions};
use super::{Bench, agree_pictures, difference, draw, on_device, software, subject};
use crate::{GpuError, Headless};

const SIDE: u32 = 128;

/// A scene with every kind of layer.
fn rich() -> Scene {
    let mut skin = subject::layer(Paint::Texture(subject::texture(true)));
    skin.outline = Some(LineStroke { width_px: 2.0, color: Color::BLACK });
    let mut sheer = subject::layer(Paint::heat(subject::heights(&subject::limb())));
    (sheer.opacity, sheer.wire) = (0.5, Some(LineStroke { width_px: 1.0, color: Color::BLACK }));
    let segments = vec![LineSegment::new(subject::JOINTS[0], subject::JOINTS[2], Color::WHITE)];
    let depth = Depth::XRay { hidden_opacity: 0.5 };
    let line = LineLayer { segments: segments.into(), width_px: 3.0, depth, ..LineLayer::default() };
    subject::scene().with(skin).with(sheer).with(line)
}

/// A device with exactly the given limits.
fn limited(limits: wgpu::Limits) -> Option<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).ok()?;
    let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..wgpu::DeviceDescriptor::default() };
    pollster::block_on(adapter.request_device(&descriptor)).ok()
}

/// Errors of such a device panic because it has no error handler.
#[test]
fn a_scene_is_drawn_and_picked_within_the_limits_of_webgl2() {
    if crate::test_device::open().is_none() {
        return;
    }
    let (device, queue) = limited(wgpu::Limits::downlevel_webgl2_defaults()).unwrap();
    let scene = rich();
    let options = RendererOptions::default();
    let mut renderer = Renderer::new(&device, &queue, options).unwrap();
    let target = RenderTarget::new(&device, options, SIDE, SIDE).unwrap();
    renderer.prepare(&device, &queue, &scene, target.size()).unwrap();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    renderer.draw(&mut encoder, &target);
    let got = target.read(&device, &queue, encoder).unwrap().wait(&device).unwrap();
    agree_pictures("webgl2-limits", &got, &software(&scene, SIDE, SIDE));
    let picked = renderer.pick(&device, &queue, &scene, (SIDE, SIDE), PickRegion::pixel(55, 64)).unwrap();
    assert!(picked.wait(&device).unwrap().face_at(55, 64).is_some());
    let rejected = RenderTarget::new(&device, options, 4000, 8).unwrap_err();
    assert_eq!(rejected, GpuError::TooWide { what: "the picture's longer side", side: 4000, limit: 2048 });
}

fn blitted(bench: &Bench, format: wgpu::TextureFormat, from: &RenderTarget) -> Picture {
    let device = &bench.gpu.device;
    // A target's own texture serves as the window; only its last format matters.
    let window = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let blit = Blit::new(device, format);
    let source = blit.bind(device, from);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let view = window.create_view(&wgpu::TextureViewDescriptor::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        })],
        ..wgpu::RenderPassDescriptor::default()
    });
    blit.draw(&mut pass, &source);
    drop(pass);
    let buffer =
        super::super::read_back::PictureReadBack::buffer(device, u64::from(SIDE * SIDE * 4)).unwrap();
    let rows = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIDE * 4), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout: rows };
    encoder.copy_texture_to_buffer(window.as_image_copy(), to, window.size());
    bench.gpu.queue.submit([encoder.finish()]);
    let bytes = super::super::read_back::PictureReadBack::new(buffer).wait(device).unwrap();
    let pixels = bytes.as_chunks::<4>().0.to_vec();
    Picture::from_pixels(SIDE, SIDE, pixels).unwrap()
}

#[test]
fn a_blit_shows_the_same_picture_with_and_without_an_srgb_format() {
    let scene = rich();
    on_device(|bench| {
        let device = &bench.gpu.device;
        let target = RenderTarget::new(device, bench.renderer.options(), SIDE, SIDE).unwrap();
        bench.renderer.prepare(device, &bench.gpu.queue, &scene, target.size()).unwrap();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        bench.renderer.draw(&mut encoder, &target);
        let want = target.read(device, &bench.gpu.queue, encoder).unwrap().wait(device).unwrap();
        for format in [wgpu::TextureFormat::Rgba8Unorm, wgpu::TextureFormat::Rgba8UnormSrgb] {
            let difference = difference(&blitted(bench, format, &target), &want);
            // One step of rounding on the way there and back.
            assert!(
                difference.mean < 0.3 && difference.far_percent == 0.0 && difference.inner_percent == 0.0,
                "{format:?} {difference:?}"
            );
        }
    });
}

#[test]
fn a_transparent_picture_is_read_back_without_blocking() {
    let mut scene = rich();
    (scene.background, scene.ground) = (Background::Transparent, None);
    on_device(|bench| {
        let device = &bench.gpu.device;
        let mut target = RenderTarget::new(device, bench.renderer.options(), 4, 4).unwrap();
        target.resize(device, SIDE, SIDE).unwrap();
        assert_eq!(target.size(), (SIDE, SIDE));
        bench.renderer.prepare(device, &bench.gpu.queue, &scene, target.size()).unwrap();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        bench.renderer.draw(&mut encoder, &target);
        let read = target.read(device, &bench.gpu.queue, encoder).unwrap();
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let got = pollster::block_on(read.picture_async()).unwrap();
        assert_eq!(got.pixel(0, 0), Some([0; 4]));
        agree_pictures("transparent-rich", &got, &software(&scene, SIDE, SIDE));
    });
}

#[test]
fn a_lost_device_is_an_error_not_a_panic() {
    let Some(gpu) = crate::test_device::open() else { return };
    let mut renderer = Renderer::new(&gpu.device, &gpu.queue, RendererOptions::default()).unwrap();
    let scene = rich();
    assert_eq!(draw(&gpu, &mut renderer, &scene, 16, 16).width(), 16);
    gpu.device.destroy();
    let Headless { device, queue, .. } = &gpu;
    let lost = RenderTarget::new(device, RendererOptions::default(), 16, 16).and_then(|target| {
        renderer.prepare(device, queue, &scene, target.size())?;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        renderer.draw(&mut encoder, &target);
        target.read(device, queue, encoder)?.wait(device)
    });
    assert!(matches!(lost, Err(GpuError::DeviceLost { .. })), "{lost:?}");
    let picked = renderer
        .pick(device, queue, &scene, (16, 16), PickRegion::pixel(8, 8))
        .and_then(|read| read.wait(device));
    assert!(matches!(picked, Err(GpuError::DeviceLost { .. })));
}
