//! Every kernel against the scalar reference.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]

mod normals;
mod random;
mod vertex;

use super::*;
use crate::{GpuError, Headless, test_device};
use random::{MeshRandom, World};
use sinew::{DeformError, DeformScratch, Method, Streams, WeightSum, deform};

/// Of the largest coordinate that comes out: what a few roundings of single precision leave.
const TOLERANCE: f32 = 1e-5;
/// For directions in one word: the steps of a folded octahedron on the way out.
const FOLDED: f32 = 2e-4;

fn on_gpu(gpu: &Headless, world: &World, method: Method, options: MeshOptions) -> Result<Streams, GpuError> {
    on_gpu_with(gpu, world, method, options, Tuning::default())
}

fn on_gpu_with(
    gpu: &Headless,
    world: &World,
    method: Method,
    options: MeshOptions,
    tuning: Tuning,
) -> Result<Streams, GpuError> {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let mesh = SkinnedMesh::new(device, &world.mesh, options)?;
    let count = world.poses.len();
    let mut poses = PoseBatch::new(device, PoseLayout::new(&mesh, world.joints, method), count)?;
    for (at, pose) in world.poses.iter().enumerate() {
        let view = PoseView::new(&pose.palette)
            .with_dual_quats(&pose.dual_quats)
            .with_morphs(&pose.morph_weights)
            .with_muscles(&pose.muscles);
        poses.set(at, &view)?;
    }
    poses.upload(queue, count);
    let out = Deformed::new(device, &mesh, count)?;
    let job = Kernels::with_tuning(device, tuning)?.job(device, method, &mesh, &poses, &out)?;
    let mut read_back = VertexReadBack::new(device, &out)?;
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    job.record(&mut encoder, count);
    read_back.record(&mut encoder, &out, count);
    queue.submit([encoder.finish()]);
    read_back.wait(device)
}

/// All poses of `world` by the definition, one after the other.
fn by_reference(world: &World, method: Method) -> Streams {
    let mut all = Streams::default();
    for pose in &world.poses {
        let rest = Streams::of_mesh(&world.mesh);
        let mut shaped = rest.clone();
        deform::apply_morphs(
            rest.as_surface(),
            world.mesh.morphs(),
            &pose.morph_weights,
            shaped.as_surface_mut(),
        )
        .unwrap();
        let weights = world.mesh.weights().unwrap();
        if weights.sum_kind() == WeightSum::Muscle {
            let morphed = shaped.clone();
            let displaced = shaped.as_surface_mut();
            deform::reference::displace(morphed.as_surface(), weights, &pose.muscles, displaced).unwrap();
        }
        let binding = deform::Binding::new(world.mesh.weights().unwrap(), &pose.palette)
            .with_dual_quats(&pose.dual_quats)
            .with_precomputed(world.mesh.precomputed());
        let mut out = rest.clone();
        deform::reference::deform(
            method,
            shaped.as_surface(),
            &binding,
            &mut DeformScratch::default(),
            out.as_surface_mut(),
        )
        .unwrap();
        all.positions.extend(out.positions);
        all.normals.extend(out.normals);
        all.tangents.extend(out.tangents);
    }
    all
}

fn assert_close(got: &Streams, reference: &Streams, directions: f32, what: &str) {
    assert_eq!(got.positions.len(), reference.positions.len(), "{what}");
    assert_eq!(got.normals.len(), reference.normals.len(), "{what}");
    assert_eq!(got.tangents.len(), reference.tangents.len(), "{what}");
    let size = reference.positions.iter().map(|p| p.abs().max_element()).fold(1e-3, f32::max);
    for (v, (a, b)) in got.positions.iter().zip(&reference.positions).enumerate() {
        let off = (*a - *b).abs().max_element() / size;
        assert!(off <= TOLERANCE, "{what}: vertex {v} is at {a}, not at {b}: {off:e}");
    }
    for (v, (a, b)) in got.normals.iter().zip(&reference.normals).enumerate() {
        assert!((*a - *b).abs().max_element() <= directions, "{what}: normal {v} is {a}, not {b}");
    }
    for (v, (a, b)) in got.tangents.iter().zip(&reference.tangents).enumerate() {
        assert!((*a - *b).abs().max_element() <= directions, "{what}: tangent {v} is {a}, not {b}");
    }
}

fn check(gpu: &Headless, world: &World, method: Method, what: &str) {
    let got = on_gpu(gpu, world, method, MeshOptions::default()).unwrap();
    gpu.check().unwrap();
    assert_close(&got, &by_reference(world, method), TOLERANCE, what);
}

const ON_GPU: [Method; 6] =
    [Method::Rigid, Method::Linear, Method::DualQuat, Method::Cor, Method::Contact, Method::Ddm];

#[test]
fn every_kernel_equals_the_reference_for_any_number_of_influences() {
    let Some(gpu) = test_device::open() else { return };
    for method in ON_GPU {
        for most in [1, 2, 3, 4, 5, 8, 9, 14] {
            let mut random = MeshRandom::new(most as u64);
            let world = World::new(
                &mut random,
                random::RandomPlan { vertices: 700, joints: 20, most, ..random::PLAN },
            );
            check(&gpu, &world, method, &format!("{method}, {most} influences"));
        }
    }
}

#[test]
fn every_kernel_equals_the_reference_around_the_size_of_a_group() {
    let Some(gpu) = test_device::open() else { return };
    for vertices in [0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000] {
        let mut random = MeshRandom::new(vertices as u64);
        let world = World::new(&mut random, random::RandomPlan { vertices, poses: 3, ..random::PLAN });
        for method in [Method::Linear, Method::DualQuat] {
            check(&gpu, &world, method, &format!("{method}, {vertices} vertices"));
        }
    }
}

#[test]
fn one_joint_is_its_matrix_with_scale_shear_and_mirroring() {
    let Some(gpu) = test_device::open() else { return };
    for method in ON_GPU {
        let plan = random::RandomPlan { joints: 1, most: 1, vertices: 200, wild: true, ..random::PLAN };
        let world = World::new(&mut MeshRandom::new(7), plan);
        check(&gpu, &world, method, &format!("{method}, one joint"));
    }
}

#[test]
fn scaled_sheared_and_mirrored_joints_equal_the_reference() {
    let Some(gpu) = test_device::open() else { return };
    for method in ON_GPU {
        let plan = random::RandomPlan { wild: true, poses: 4, ..random::PLAN };
        check(&gpu, &World::new(&mut MeshRandom::new(11), plan), method, &format!("{method}, wild"));
    }
}

#[test]
fn shapes_are_added_before_skinning() {
    let Some(gpu) = test_device::open() else { return };
    for method in ON_GPU {
        let plan = random::RandomPlan { morphs: 6, poses: 5, ..random::PLAN };
        check(&gpu, &World::new(&mut MeshRandom::new(13), plan), method, &format!("{method}, shapes"));
    }
}

#[test]
fn muscles_displace_before_skinning_and_after_shapes() {
    let Some(gpu) = test_device::open() else { return };
    for method in ON_GPU {
        let plan = random::RandomPlan { muscles: 3, morphs: 4, poses: 5, ..random::PLAN };
        let world = World::new(&mut MeshRandom::new(37), plan);
        check(&gpu, &world, method, &format!("{method}, muscles and shapes"));
        let plan =
            random::RandomPlan { muscles: 4, most: 12, joints: 14, wild: true, poses: 3, ..random::PLAN };
        let world = World::new(&mut MeshRandom::new(39), plan);
        let options = MeshOptions { compact: true, ..MeshOptions::default() };
        let got = on_gpu(&gpu, &world, method, options).unwrap();
        let held = by_reference(&world.quantized(false), method);
        assert_close(&got, &held, FOLDED, &format!("{method}, compact, muscles"));
    }
}

#[test]
fn a_pose_without_the_muscles_of_the_mesh_is_refused() {
    let Some(gpu) = test_device::open() else { return };
    let plan = random::RandomPlan { muscles: 2, ..random::PLAN };
    let world = World::new(&mut MeshRandom::new(41), plan);
    let device = &gpu.device;
    let mesh = SkinnedMesh::new(device, &world.mesh, MeshOptions::default()).unwrap();
    let layout = PoseLayout::new(&mesh, world.joints, Method::Linear);
    let mut poses = PoseBatch::new(device, layout, 1).unwrap();
    let still = poses.set(0, &PoseView::new(&world.poses[0].palette));
    assert!(matches!(still, Err(GpuError::Deform(DeformError::PaletteTooSmall { matrices: 0, .. }))));
    let out = Deformed::new(device, &mesh, 1).unwrap();
    let plain = PoseBatch::new(device, PoseLayout { muscles: MuscleSpan::default(), ..layout }, 1).unwrap();
    let other = Kernels::new(device).unwrap().job(device, Method::Linear, &mesh, &plain, &out);
    assert!(matches!(other, Err(GpuError::Deform(DeformError::WrongCount { stream: "muscles", .. }))));
    let vertices = vertex_path::SkinnedVertices::new(device, &world.mesh);
    assert!(matches!(vertices, Err(GpuError::Unsupported { .. })));
}

#[test]
fn many_poses_in_one_dispatch_equal_each_pose_alone() {
    let Some(gpu) = test_device::open() else { return };
    let plan = random::RandomPlan { vertices: 5000, poses: 75, most: 4, ..random::PLAN };
    let world = World::new(&mut MeshRandom::new(17), plan);
    check(&gpu, &world, Method::Linear, "75 poses");
    // Palettes in the buffer, several vertices a thread, and groups that the vertices do not fill.
    for (vertices_per_thread, max_palette_bytes) in [(1, 0), (3, 0), (4, 32 << 10)] {
        let tuning =
            Tuning { workgroup: 64, vertices_per_thread, max_poses_per_thread: 7, max_palette_bytes };
        let got = on_gpu_with(&gpu, &world, Method::DualQuat, MeshOptions::default(), tuning).unwrap();
        assert_close(&got, &by_reference(&world, Method::DualQuat), TOLERANCE, &format!("{tuning:?}"));
    }
}

/// A thread takes several poses only where there are many: palettes then come while others are read.
#[test]
fn threads_of_several_poses_equal_each_pose_alone() {
    let Some(gpu) = test_device::open() else { return };
    let plan = random::RandomPlan { vertices: 1500, joints: 40, poses: 800, ..random::PLAN };
    let world = World::new(&mut MeshRandom::new(43), plan);
    for method in [Method::Linear, Method::DualQuat] {
        // Two rows of a palette per thread, and more than can be on their way.
        for (workgroup, several) in [(128, 4), (32, 3)] {
            let by = |max_poses_per_thread| {
                let tuning = Tuning { workgroup, max_poses_per_thread, ..Tuning::default() };
                on_gpu_with(&gpu, &world, method, MeshOptions::default(), tuning).unwrap()
            };
            let [alone, together] = [by(1), by(several)];
            // The same arithmetic, so the same bits.
            assert!(alone == together, "{method}, {several} poses");
        }
    }
}

#[test]
fn compact_streams_equal_the_reference_on_what_they_hold() {
    let Some(gpu) = test_device::open() else { return };
    for method in ON_GPU {
        for most in [1, 3, 4, 8, 12] {
            let plan = random::RandomPlan { most, poses: 3, ..random::PLAN };
            let world = World::new(&mut MeshRandom::new(19 + most as u64), plan);
            let options = MeshOptions { compact: true, ..MeshOptions::default() };
            let got = on_gpu(&gpu, &world, method, options).unwrap();
            let held = world.quantized(most <= 8);
            assert_close(&got, &by_reference(&held, method), FOLDED, &format!("{method}, compact, {most}"));
        }
    }
}

#[test]
fn streams_that_are_not_asked_for_are_not_made() {
    let Some(gpu) = test_device::open() else { return };
    let world = World::new(&mut MeshRandom::new(23), random::PLAN);
    let options = MeshOptions { normals: false, tangents: false, compact: false };
    let got = on_gpu(&gpu, &world, Method::Linear, options).unwrap();
    assert!(got.normals.is_empty() && got.tangents.is_empty());
    let mut reference = by_reference(&world, Method::Linear);
    (reference.normals, reference.tangents) = (Vec::new(), Vec::new());
    assert_close(&got, &reference, TOLERANCE, "positions alone");
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let Some(gpu) = test_device::open() else { return };
    let world = World::new(&mut MeshRandom::new(29), random::PLAN);
    for method in [Method::Slerp, Method::DeltaMush] {
        let refused = on_gpu(&gpu, &world, method, MeshOptions::default());
        assert_eq!(refused, Err(GpuError::MethodNotOnGpu { method }));
    }
    let device = &gpu.device;
    let mesh = SkinnedMesh::new(device, &world.mesh, MeshOptions::default()).unwrap();
    let layout = PoseLayout::new(&mesh, world.joints, Method::Linear);
    let few = PoseLayout { joints: 2, ..layout };
    let mut poses = PoseBatch::new(device, layout, 1).unwrap();
    let out = Deformed::new(device, &mesh, 1).unwrap();
    let mut kernels = Kernels::new(device).unwrap();
    let too_few = kernels.job(device, Method::Linear, &mesh, &PoseBatch::new(device, few, 1).unwrap(), &out);
    assert!(matches!(too_few, Err(GpuError::Deform(DeformError::PaletteTooSmall { .. }))));
    let no_rotations = kernels.job(device, Method::DualQuat, &mesh, &poses, &out);
    assert!(matches!(no_rotations, Err(GpuError::Deform(DeformError::MissingDualQuats { .. }))));
    let beyond = poses.set(1, &PoseView::new(&world.poses[0].palette));
    assert_eq!(beyond, Err(GpuError::PoseOutOfRange { pose: 1, capacity: 1 }));
    let huge = Deformed::new(device, &mesh, usize::MAX / 2);
    assert!(matches!(huge, Err(GpuError::TooLarge { .. })));
    gpu.check().unwrap();
}

#[test]
fn streams_come_back_without_waiting_and_a_lost_device_is_an_error() {
    let Some(gpu) = test_device::open() else { return };
    let (device, queue) = (&gpu.device, &gpu.queue);
    let world = World::new(&mut MeshRandom::new(31), random::PLAN);
    let mesh = SkinnedMesh::new(device, &world.mesh, MeshOptions::default()).unwrap();
    let mut poses = PoseBatch::new(device, PoseLayout::new(&mesh, world.joints, Method::Linear), 1).unwrap();
    let out = Deformed::new(device, &mesh, 1).unwrap();
    let job = Kernels::new(device).unwrap().job(device, Method::Linear, &mesh, &poses, &out).unwrap();
    job.warm_up(device, queue);
    let mut read_back = VertexReadBack::new(device, &out).unwrap();
    assert_eq!(read_back.poll(device), Ok(None));
    poses.set(0, &PoseView::new(&world.poses[0].palette)).unwrap();
    poses.upload(queue, 1);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    job.record(&mut encoder, 1);
    read_back.record(&mut encoder, &out, 1);
    queue.submit([encoder.finish()]);
    let mut asked = 0;
    let streams = loop {
        if let Some(streams) = read_back.poll(device).unwrap() {
            break streams;
        }
        asked += 1;
        assert!(asked < 100_000, "nothing came back");
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert_eq!(streams.positions.len(), world.mesh.positions().len());
    device.destroy();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    read_back.record(&mut encoder, &out, 1);
    queue.submit([encoder.finish()]);
    assert!(matches!(read_back.wait(device), Err(GpuError::DeviceLost { .. })));
    assert!(matches!(gpu.check(), Err(GpuError::DeviceLost { .. })));
}
