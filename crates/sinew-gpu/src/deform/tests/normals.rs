//! Normals of the deformed surface, and rotations that are followed in time, against the CPU.

use super::*;
use sinew::{Character, Frame, Mesh, NormalSource, RotationHistory, glam::Vec3};
use std::sync::Arc;

/// The tube with tangents around its axis and centers of rotation on it.
fn tube() -> Character {
    let mut parts = sinew_samples::tube().into_parts();
    let mut mesh = Mesh::clone(&parts.meshes[0]).into_parts();
    let tangent = |normal: &Vec3| normal.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X).extend(-1.0);
    mesh.tangents = mesh.normals.iter().map(tangent).collect();
    let centers = mesh.positions.iter().map(|p| Vec3::Y * p.y).collect();
    mesh.precomputed.centers = Some(Arc::new(sinew::CentersOfRotation::new(centers).unwrap()));
    parts.meshes = vec![Arc::new(Mesh::new(mesh).unwrap())];
    Character::new(parts).unwrap()
}

/// The vertices of `frame` by `method` on the GPU, with the normals of their surface.
fn deformed(gpu: &Headless, frame: &Frame, method: Method, options: MeshOptions) -> Streams {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let character = frame.character();
    let (mesh, skin) = (&character.meshes()[0], &character.skins()[0]);
    let skinned = SkinnedMesh::new(device, mesh, options).unwrap();
    let layout = PoseLayout::new(&skinned, skin.joints().len(), method);
    let mut poses = PoseBatch::new(device, layout, 2).unwrap();
    let view = PoseView::new(&frame.palettes()[0]).with_dual_quats(&frame.dual_quats()[0]);
    for pose in 0..2 {
        poses.set(pose, &view).unwrap();
    }
    poses.upload(queue, 2);
    let out = Deformed::new(device, &skinned, 2).unwrap();
    let mut kernels = Kernels::new(device).unwrap();
    let job = kernels.job(device, method, &skinned, &poses, &out).unwrap();
    let normals = kernels.surface_normals(device, mesh, &poses, &out).unwrap();
    let mut read_back = VertexReadBack::new(device, &out).unwrap();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    job.record(&mut encoder, 2);
    normals.record(&mut encoder, 2);
    read_back.record(&mut encoder, &out, 2);
    queue.submit([encoder.finish()]);
    let streams = read_back.wait(device).unwrap();
    gpu.check().unwrap();
    streams
}

/// The streams of a frame, twice.
fn twice(frame: &Frame) -> Streams {
    let one = &frame.deformed()[0];
    Streams {
        positions: [&one.positions[..], &one.positions].concat(),
        normals: [&one.normals[..], &one.normals].concat(),
        tangents: [&one.tangents[..], &one.tangents].concat(),
    }
}

#[test]
fn normals_of_the_surface_equal_those_of_the_cpu() {
    let Some(gpu) = test_device::open() else { return };
    let mut frame = Frame::new(tube()).with_normals(NormalSource::Surface);
    for method in [Method::Linear, Method::DualQuat, Method::Cor] {
        for mirror in [1.0, -1.0] {
            frame.local_mut().copy_from(&sinew_samples::tube_pose(1.4, 0.7));
            frame.local_mut().joints[0].scale = Vec3::new(mirror, 1.0, 1.0);
            frame.deform(method).unwrap();
            let want = twice(&frame);
            // Weights of 16 bits move vertices a little, and small triangles turn by more.
            for (compact, tolerance) in [(false, 2e-4), (true, 3e-3)] {
                let options = MeshOptions { compact, ..MeshOptions::default() };
                let got = deformed(&gpu, &frame, method, options);
                assert_close(
                    &got,
                    &want,
                    tolerance,
                    &format!("{method}, compact {compact}, mirror {mirror}"),
                );
            }
        }
    }
}

#[test]
fn followed_rotations_equal_those_of_the_cpu() {
    let Some(gpu) = test_device::open() else { return };
    let mut frame = Frame::new(tube()).with_normals(NormalSource::Surface);
    let mut histories = vec![RotationHistory::default()];
    for degrees in (0..=700).step_by(20) {
        let twist = f32::from(u16::try_from(degrees).unwrap()).to_radians();
        frame.local_mut().copy_from(&sinew_samples::tube_pose(0.4, twist));
        frame.follow_rotations(&mut histories);
        if degrees % 100 != 0 {
            continue;
        }
        for method in [Method::DualQuat, Method::Cor] {
            frame.deform(method).unwrap();
            let got = deformed(&gpu, &frame, method, MeshOptions::default());
            let size = 10.0;
            for (vertex, (a, b)) in got.positions.iter().zip(&twice(&frame).positions).enumerate() {
                let off = a.distance(*b);
                assert!(off < 2e-4 * size, "{method}, {degrees}°: vertex {vertex} is at {a}, not at {b}");
            }
        }
    }
}

#[test]
fn normals_of_another_mesh_or_without_normals_are_refused() {
    let Some(gpu) = test_device::open() else { return };
    let device = &gpu.device;
    let character = tube();
    let mesh = &character.meshes()[0];
    let options = MeshOptions { normals: false, tangents: false, compact: false };
    let skinned = SkinnedMesh::new(device, mesh, options).unwrap();
    let poses = PoseBatch::new(device, PoseLayout::new(&skinned, 2, Method::Linear), 1).unwrap();
    let out = Deformed::new(device, &skinned, 1).unwrap();
    let mut kernels = Kernels::new(device).unwrap();
    let refused = kernels.surface_normals(device, mesh, &poses, &out);
    assert!(matches!(
        refused,
        Err(GpuError::Deform(DeformError::WrongCount { stream: "output normals", .. }))
    ));
    let arm = sinew_samples::arm();
    let other = kernels.surface_normals(device, &arm.meshes()[0], &poses, &out);
    assert!(matches!(other, Err(GpuError::Deform(DeformError::WrongCount { .. }))));
}
