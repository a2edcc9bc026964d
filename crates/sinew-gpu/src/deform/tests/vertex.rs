//! The vertex path: every vertex is drawn as a point onto a pixel of its own, and the pixels are read.

use super::{
    super::vertex_path::{PaletteTexture, SkinnedVertices, source},
    assert_close, by_reference,
    random::{MeshRandom, PLAN, RandomPlan, World},
};
use crate::test_device;
use sinew::{Method, Streams, glam::Vec3};

const SIDE: u32 = 64;

const POINTS: &str = "
struct Out { @builtin(position) place: vec4<f32>, @location(0) position: vec3<f32>, @location(1) normal: vec3<f32> }
@vertex fn vertex(@builtin(vertex_index) v: u32, @builtin(instance_index) pose: u32,
    @location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, @location(2) slots_a: vec4<u32>,
    @location(3) weights_a: vec4<f32>, @location(4) slots_b: vec4<u32>, @location(5) weights_b: vec4<f32>) -> Out {
    let moved = skin(pose, position, normal, slots_a, weights_a, slots_b, weights_b);
    let at = (vec2(f32(v % 64u), f32(v / 64u)) + 0.5) / 32.0 - 1.0;
    return Out(vec4(at.x, -at.y, 0.0, 1.0), moved.position, moved.normal);
}
struct Pixels { @location(0) position: vec4<f32>, @location(1) normal: vec4<f32> }
@fragment fn fragment(in: Out) -> Pixels { return Pixels(vec4(in.position, 1.0), vec4(in.normal, 1.0)); }
";

fn drawn(gpu: &crate::Headless, world: &World) -> Streams {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let vertices = SkinnedVertices::new(device, &world.mesh).unwrap();
    let mut palette = PaletteTexture::new(device, world.joints, 2).unwrap();
    // The second pose is drawn, so that rows of poses are not confused.
    palette.write(queue, 1, world.poses[0].palette.matrices()).unwrap();
    let bind_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[PaletteTexture::layout_entry()],
    });
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &bind_layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(&palette.view()),
        }],
    });
    let pipeline = pipeline(device, &bind_layout, world.joints);
    let targets = [0, 1].map(|_| {
        device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    });
    let views = targets.each_ref().map(|t| t.create_view(&wgpu::TextureViewDescriptor::default()));
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let attachments = views.each_ref().map(|view| {
        Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })
    });
    {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &attachments,
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.set_vertex_buffer(0, vertices.buffer().slice(..));
        pass.draw(0..vertices.count(), 1..2);
    }
    let [positions, normals] = targets.each_ref().map(|target| {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(SIDE * SIDE * 16),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIDE * 16), rows_per_image: None };
        let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(target.as_image_copy(), to, target.size());
        buffer
    });
    queue.submit([encoder.finish()]);
    let count = vertices.count() as usize;
    let read = |buffer: wgpu::Buffer| -> Vec<Vec3> {
        buffer.map_async(wgpu::MapMode::Read, .., |answer| answer.unwrap());
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let view = buffer.get_mapped_range(..).unwrap();
        let pixels: &[[f32; 4]] = bytemuck::cast_slice(&view);
        pixels[..count].iter().map(|p| Vec3::new(p[0], p[1], p[2])).collect()
    };
    Streams { positions: read(positions), normals: read(normals), tangents: Vec::new() }
}

fn pipeline(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, joints: usize) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl((source(joints) + POINTS).into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(layout)],
        ..wgpu::PipelineLayoutDescriptor::default()
    });
    let format = Some(wgpu::ColorTargetState {
        format: wgpu::TextureFormat::Rgba32Float,
        blend: None,
        write_mask: wgpu::ColorWrites::ALL,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[Some(SkinnedVertices::layout())],
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::PointList,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[format.clone(), format],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[test]
fn the_vertex_shader_equals_the_reference() {
    let Some(gpu) = test_device::open() else { return };
    for (most, joints) in [(1, 1), (4, 30), (8, 900)] {
        let plan = RandomPlan { vertices: 3000, most, joints, wild: true, ..PLAN };
        let world = World::new(&mut MeshRandom::new(37), plan);
        let mut reference = by_reference(&world, Method::Linear);
        reference.tangents.clear();
        let drawn = drawn(&gpu, &world);
        gpu.check().unwrap();
        assert_close(&drawn, &reference, 1e-5, &format!("{most} influences of {joints} joints"));
    }
}

#[test]
fn more_influences_than_attributes_are_refused() {
    let Some(gpu) = test_device::open() else { return };
    let world = World::new(&mut MeshRandom::new(41), RandomPlan { most: 9, ..PLAN });
    assert!(SkinnedVertices::new(&gpu.device, &world.mesh).is_err());
}
