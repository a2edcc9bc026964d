//! Compares crowds with the same instances drawn as layers by the software rasterizer.

use sinew_view::geometry::Geometry;
use sinew_view::glam::{Mat4, Vec3};
use sinew_view::layer::{Depth, MeshLayer};
use sinew_view::paint::Paint;
use sinew_view::palette::joint_color;
use sinew_view::scene::Scene;

use super::super::{CrowdNormals, CrowdStreams, RenderTarget};
use super::{Bench, agree_pictures, on_device, software, subject};
use crate::GpuError;
use crate::deform::{Deformed, Kernels, MeshOptions, PoseBatch, PoseLayout, PoseView, SkinnedMesh, fold};
use sinew::{Frame, Method, Wrap};

const SIDE: u32 = 220;
const INSTANCES: u32 = 9;

fn placed(instance: u32) -> Mat4 {
    let (column, row) = (instance % 3, instance / 3);
    let place = Vec3::new(column as f32 * 0.8 - 0.8, 0.0, row as f32 * 0.8 - 0.8);
    // The last one is mirrored and stretched.
    let scale = if instance == 8 { Vec3::new(-0.6, 0.9, 0.6) } else { Vec3::splat(0.7) };
    Mat4::from_translation(place) * Mat4::from_rotation_y(instance as f32) * Mat4::from_scale(scale)
}

/// The limb bent a little more for each instance.
fn bent(instance: u32) -> Geometry {
    let limb = subject::limb();
    let positions: Vec<Vec3> = limb
        .positions()
        .iter()
        .map(|position| *position + Vec3::Z * (position.y * position.y * 0.05 * instance as f32))
        .collect();
    let uvs = limb.uvs().unwrap().to_vec();
    limb.moved(positions).unwrap().smoothed().with_uvs(uvs).unwrap()
}

fn storage(bench: &Bench, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = bench.gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    bench.gpu.queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// Streams as a deform job leaves them on the GPU.
struct CrowdBuffers {
    positions: wgpu::Buffer,
    normals: wgpu::Buffer,
    /// Positions interleaved with folded normals.
    quads: wgpu::Buffer,
    transforms: wgpu::Buffer,
}

impl CrowdBuffers {
    fn new(bench: &Bench) -> Self {
        let all: Vec<Geometry> = (0..INSTANCES).map(bent).collect();
        let positions: Vec<Vec3> = all.iter().flat_map(|one| one.positions().to_vec()).collect();
        let normals: Vec<Vec3> = all.iter().flat_map(|one| one.normals().unwrap().to_vec()).collect();
        let quad = |(p, n): (&Vec3, &Vec3)| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits(), fold(*n)];
        let quads: Vec<[u32; 4]> = positions.iter().zip(&normals).map(quad).collect();
        let rows: Vec<[f32; 4]> = (0..INSTANCES)
            .flat_map(|instance| {
                let columns = placed(instance).transpose();
                [columns.x_axis, columns.y_axis, columns.z_axis].map(|row| row.to_array())
            })
            .collect();
        Self {
            positions: storage(bench, bytemuck::cast_slice(&positions)),
            normals: storage(bench, bytemuck::cast_slice(&normals)),
            quads: storage(bench, bytemuck::cast_slice(&quads)),
            transforms: storage(bench, bytemuck::cast_slice(&rows)),
        }
    }
}

/// The same instances as separate layers.
fn layers(paint: &Paint, has_normals: bool) -> Vec<MeshLayer> {
    (0..INSTANCES)
        .map(|instance| {
            let world_from_mesh = placed(instance);
            let normals_from_mesh = world_from_mesh.inverse().transpose();
            let mesh = bent(instance);
            let positions: Vec<Vec3> =
                mesh.positions().iter().map(|position| world_from_mesh.transform_point3(*position)).collect();
            // Mirrored triangles have reversed winding, so the layer reverses them again.
            let triangles: Vec<[u32; 3]> = mesh
                .triangles()
                .iter()
                .map(|&[a, b, c]| if instance == 8 { [a, c, b] } else { [a, b, c] })
                .collect();
            let mut geometry =
                Geometry::new(positions, triangles).unwrap().with_uvs(mesh.uvs().unwrap().to_vec()).unwrap();
            if has_normals {
                let normals = mesh.normals().unwrap().iter();
                let turned: Vec<Vec3> = normals
                    .map(|normal| normals_from_mesh.transform_vector3(*normal).normalize_or_zero())
                    .collect();
                geometry = geometry.with_normals(turned).unwrap();
            }
            let mut layer = MeshLayer::new(geometry, paint.clone()).unwrap();
            layer.casts_shadow = false;
            layer
        })
        .collect()
}

fn stage() -> Scene {
    let mut scene = subject::scene();
    scene.camera.eye = Vec3::new(1.5, 2.6, 4.5);
    scene.camera.target = Vec3::new(0.0, 0.4, 0.0);
    scene
}

fn check(bench: &mut Bench, name: &str, scene: &Scene, paint: Paint, streams: CrowdStreams<'_>) {
    let has_normals = !matches!(streams.normals, CrowdNormals::Flat);
    let layer = MeshLayer::new(subject::limb(), paint.clone()).unwrap();
    let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
    let crowd = bench.renderer.crowd(device, queue, &layer, streams).unwrap();
    let target = RenderTarget::new(device, bench.renderer.options(), SIDE, SIDE).unwrap();
    bench.renderer.prepare_with(device, queue, scene, &[&crowd], target.size()).unwrap();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    bench.renderer.draw_with(&mut encoder, &target, &[&crowd]);
    let got = target.read(device, queue, encoder).unwrap().wait(device).unwrap();
    let mut twin = scene.clone();
    twin.layers.splice(0..0, layers(&paint, has_normals).into_iter().map(Into::into));
    agree_pictures(name, &got, &software(&twin, SIDE, SIDE));
}

#[test]
fn instances_look_like_separate_layers() {
    on_device(|bench| {
        let buffers = CrowdBuffers::new(bench);
        let colors: Vec<_> =
            (0..subject::limb().positions().len()).map(|vertex| joint_color(vertex / 40)).collect();
        let shots = [
            ("crowd-solid", subject::clay(), CrowdNormals::Floats(&buffers.normals)),
            ("crowd-folded", subject::clay(), CrowdNormals::Folded),
            ("crowd-flat", subject::clay(), CrowdNormals::Flat),
            ("crowd-vertices", Paint::Vertices(colors.into()), CrowdNormals::Floats(&buffers.normals)),
            (
                "crowd-texture",
                Paint::Texture(subject::texture(false)),
                CrowdNormals::Floats(&buffers.normals),
            ),
        ];
        for (name, paint, normals) in shots {
            let folded = matches!(normals, CrowdNormals::Folded);
            let streams = CrowdStreams {
                positions: if folded { &buffers.quads } else { &buffers.positions },
                normals,
                world_from_mesh: &buffers.transforms,
                instances: INSTANCES,
            };
            check(bench, name, &stage(), paint, streams);
        }
    });
}

#[test]
fn a_crowd_mixes_with_transparent_and_x_ray_layers() {
    on_device(|bench| {
        let buffers = CrowdBuffers::new(bench);
        let mut sheer = subject::layer(subject::clay());
        (sheer.opacity, sheer.casts_shadow) = (0.5, false);
        let mut scene = stage().with(sheer);
        for mut bone in subject::bones() {
            bone.depth = Depth::XRay { hidden_opacity: 0.3 };
            scene.layers.push(bone.into());
        }
        let streams = CrowdStreams {
            positions: &buffers.positions,
            normals: CrowdNormals::Floats(&buffers.normals),
            world_from_mesh: &buffers.transforms,
            instances: INSTANCES,
        };
        check(bench, "crowd-among-layers", &scene, subject::clay(), streams);
    });
}

#[test]
fn streams_that_are_too_small_and_face_paints_are_rejected() {
    on_device(|bench| {
        let buffers = CrowdBuffers::new(bench);
        let streams = CrowdStreams {
            positions: &buffers.quads,
            normals: CrowdNormals::Folded,
            world_from_mesh: &buffers.transforms,
            instances: INSTANCES + 1,
        };
        let layer = subject::layer(subject::clay());
        let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
        let rejected = bench.renderer.crowd(device, queue, &layer, streams).unwrap_err();
        assert!(matches!(rejected, GpuError::TooSmall { what: "positions of the crowd", .. }), "{rejected}");
        let faces = vec![joint_color(0); subject::limb().triangles().len()];
        let layer = subject::layer(Paint::Faces(faces.into()));
        let streams = CrowdStreams { instances: INSTANCES, ..streams };
        let rejected = bench.renderer.crowd(device, queue, &layer, streams).unwrap_err();
        assert!(matches!(rejected, GpuError::Unsupported { .. }), "{rejected}");
    });
}

/// Deformed in one dispatch and drawn in one call; the CPU only computes palettes.
#[test]
fn a_crowd_deformed_on_the_gpu_looks_like_one_deformed_on_the_cpu() {
    const FIGURES: usize = 12;
    on_device(|bench| {
        let figure = sinew_samples::figure();
        let (mesh, skin, clip) = (&figure.meshes()[0], &figure.skins()[0], &figure.clips()[0]);
        let place = |at: usize| Vec3::new((at % 4) as f32 * 1.1 - 1.6, 0.0, (at / 4) as f32 * 1.2 - 1.2);
        for compact in [false, true] {
            let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
            let options = MeshOptions { compact, tangents: false, ..MeshOptions::default() };
            let skinned = SkinnedMesh::new(device, mesh, options).unwrap();
            let layout = PoseLayout::new(&skinned, skin.joints().len(), Method::Linear);
            let mut poses = PoseBatch::new(device, layout, FIGURES).unwrap();
            let deformed = Deformed::new(device, &skinned, FIGURES).unwrap();
            let mut frame = Frame::new(&figure);
            let mut scene = stage();
            let mut layers = Vec::new();
            for at in 0..FIGURES {
                frame.sample(clip, clip.duration_secs() * at as f32 / FIGURES as f32, Wrap::Loop);
                frame.deform(Method::Linear).unwrap();
                poses.set(at, &PoseView::new(&frame.palettes()[0])).unwrap();
                let streams = &frame.deformed()[0];
                let positions: Vec<Vec3> = streams.positions.iter().map(|p| *p + place(at)).collect();
                let triangles: Vec<[u32; 3]> = mesh.triangles().collect();
                let geometry = Geometry::new(positions, triangles).unwrap();
                let geometry = geometry.with_normals(streams.normals.clone()).unwrap();
                let mut layer = MeshLayer::new(geometry, subject::clay()).unwrap();
                layer.casts_shadow = false;
                layers.push(layer);
            }
            poses.upload(queue, FIGURES);
            let rows: Vec<[[f32; 4]; 3]> = (0..FIGURES)
                .map(|at| {
                    let p = place(at);
                    [[1.0, 0.0, 0.0, p.x], [0.0, 1.0, 0.0, p.y], [0.0, 0.0, 1.0, p.z]]
                })
                .collect();
            let transforms = storage(bench, bytemuck::cast_slice(&rows));
            let job = Kernels::new(device)
                .unwrap()
                .job(device, Method::Linear, &skinned, &poses, &deformed)
                .unwrap();
            let streams = CrowdStreams::of(&deformed, &transforms, FIGURES as u32);
            let crowd = bench.renderer.crowd(device, queue, &layers[0], streams).unwrap();
            let target = RenderTarget::new(device, bench.renderer.options(), SIDE, SIDE).unwrap();
            bench.renderer.prepare_with(device, queue, &scene, &[&crowd], target.size()).unwrap();
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            job.record(&mut encoder, FIGURES);
            bench.renderer.draw_with(&mut encoder, &target, &[&crowd]);
            let got = target.read(device, queue, encoder).unwrap().wait(device).unwrap();
            scene.layers.splice(0..0, layers.into_iter().map(Into::into));
            let name = if compact { "crowd-deformed-compact" } else { "crowd-deformed" };
            agree_pictures(name, &got, &software(&scene, SIDE, SIDE));
        }
    });
}
