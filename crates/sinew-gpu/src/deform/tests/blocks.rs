//! Linear blend skinning by blocks against the scalar reference.

use super::*;
use random::{PLAN, RandomPlan};
use sinew::{Influence, MeshParts, Weights, glam::Vec3};
use std::sync::Arc;

fn options(size: BlockSize, compact: bool) -> MeshOptions {
    MeshOptions { compact, blocks: BlockUse::Always(size), ..MeshOptions::default() }
}

fn check_blocks(gpu: &Headless, world: &World, size: BlockSize, tuning: Tuning, what: &str) {
    for compact in [false, true] {
        let got = on_gpu_with(gpu, world, Method::Linear, options(size, compact), tuning).unwrap();
        gpu.check().unwrap();
        let what = format!("{what}, {size:?}, compact {compact}");
        match compact {
            // Blocks have weights of full precision.
            true => assert_close(&got, &by_reference(&world.quantized(false), Method::Linear), FOLDED, &what),
            false => assert_close(&got, &by_reference(world, Method::Linear), TOLERANCE, &what),
        }
    }
}

#[test]
fn blocks_equal_the_reference_for_any_length_of_their_lists() {
    let Some(gpu) = test_device::open() else { return };
    for (most, joints) in [(1, 1), (1, 12), (2, 3), (4, 4), (4, 20), (9, 20), (14, 40)] {
        let plan = RandomPlan { vertices: 300, most, joints, poses: 3, ..PLAN };
        let world = World::new(&mut MeshRandom::new(51 + most as u64), plan);
        for size in BlockSize::ALL {
            check_blocks(&gpu, &world, size, Tuning::default(), &format!("{most} of {joints} joints"));
        }
    }
}

#[test]
fn blocks_equal_the_reference_where_vertices_do_not_fill_them() {
    let Some(gpu) = test_device::open() else { return };
    for vertices in [1, 7, 8, 9, 15, 16, 17, 255, 257] {
        let world =
            World::new(&mut MeshRandom::new(vertices as u64), RandomPlan { vertices, poses: 2, ..PLAN });
        check_blocks(&gpu, &world, BlockSize::Sixteen, Tuning::default(), &format!("{vertices} vertices"));
    }
}

#[test]
fn blocks_equal_the_reference_with_every_tuning() {
    let Some(gpu) = test_device::open() else { return };
    let world = World::new(&mut MeshRandom::new(61), RandomPlan { poses: 9, joints: 20, ..PLAN });
    for size in BlockSize::ALL {
        for (workgroup, vertices_per_thread, held_weights, max_palette_bytes) in
            [(32, 4, 0, 16 << 10), (64, 2, 1, 0), (96, 1, 3, 16 << 10), (256, 8, 9, 0)]
        {
            let tuning = Tuning {
                workgroup,
                vertices_per_thread,
                max_poses_per_thread: 4,
                max_palette_bytes,
                held_weights,
            };
            check_blocks(&gpu, &world, size, tuning, &format!("{tuning:?}"));
        }
    }
}

#[test]
fn blocks_take_shapes_muscles_and_mirrored_joints() {
    let Some(gpu) = test_device::open() else { return };
    for (morphs, muscles, wild) in [(4, 0, false), (0, 3, false), (3, 3, true)] {
        let plan = RandomPlan { morphs, muscles, wild, poses: 4, joints: 14, ..PLAN };
        let world = World::new(&mut MeshRandom::new(71), plan);
        let what = format!("{morphs} shapes, {muscles} muscles, wild {wild}");
        check_blocks(&gpu, &world, BlockSize::Eight, Tuning::default(), &what);
    }
}

/// Copies of a vertex at a seam lie in blocks with other lists; joints that they do not follow must not part them.
#[test]
fn vertices_of_equal_weights_have_equal_bits_in_any_block() {
    let Some(gpu) = test_device::open() else { return };
    let mut world =
        World::new(&mut MeshRandom::new(81), RandomPlan { vertices: 320, joints: 24, poses: 3, ..PLAN });
    let mut random = MeshRandom::new(82);
    let seam: Vec<Influence> =
        [(5, 0.4), (7, 0.3), (16, 0.2), (20, 0.1)].map(|(slot, weight)| Influence { slot, weight }).to_vec();
    let vertex = |v: usize| match v.is_multiple_of(10) {
        true => seam.clone(),
        false => vec![Influence { slot: random.below(24) as u16, weight: 1.0 }],
    };
    let list: Vec<Vec<Influence>> = (0..320).map(vertex).collect();
    let mut parts: MeshParts = world.mesh.parts().clone();
    parts.weights = Some(Arc::new(Weights::new(24, list).unwrap().0));
    parts.positions.iter_mut().step_by(10).for_each(|p| *p = Vec3::new(0.3, -0.7, 0.1));
    world.mesh = sinew::Mesh::new(parts).unwrap();
    for blocks in [BlockUse::Always(BlockSize::Eight), BlockUse::Always(BlockSize::Sixteen), BlockUse::Never]
    {
        for compact in [false, true] {
            let options = MeshOptions { compact, blocks, ..MeshOptions::default() };
            let got = on_gpu(&gpu, &world, Method::Linear, options).unwrap();
            for pose in got.positions.chunks_exact(320) {
                let copies = pose.iter().step_by(10);
                assert!(copies.clone().all(|p| p.to_array() == pose[0].to_array()), "{blocks:?}");
            }
        }
    }
}

#[test]
fn blocks_are_read_by_jobs_of_many_poses_where_lists_are_short() {
    let Some(gpu) = test_device::open() else { return };
    let device = &gpu.device;
    let figure = sinew_samples::figure();
    let (mesh, skin) = (&figure.meshes()[0], &figure.skins()[0]);
    let uses_blocks = |blocks: BlockUse, count: usize, method: Method| {
        let skinned =
            SkinnedMesh::new(device, mesh, MeshOptions { blocks, ..MeshOptions::default() }).unwrap();
        let poses =
            PoseBatch::new(device, PoseLayout::new(&skinned, skin.joints().len(), method), count).unwrap();
        let out = Deformed::new(device, &skinned, count).unwrap();
        let job = Kernels::new(device).unwrap().job(device, method, &skinned, &poses, &out).unwrap();
        (skinned.blocks().is_some(), job.uses_blocks())
    };
    assert_eq!(uses_blocks(BlockUse::Auto, 1, Method::Linear), (true, false));
    assert_eq!(uses_blocks(BlockUse::Auto, 100, Method::Linear), (true, true));
    assert_eq!(uses_blocks(BlockUse::Auto, 100, Method::DualQuat), (true, false));
    assert_eq!(uses_blocks(BlockUse::Never, 100, Method::Linear), (false, false));
    assert_eq!(uses_blocks(BlockUse::Always(BlockSize::Eight), 1, Method::Linear), (true, true));
    let random = World::new(&mut MeshRandom::new(91), RandomPlan { joints: 90, ..PLAN });
    let incoherent = SkinnedMesh::new(device, &random.mesh, MeshOptions::default()).unwrap();
    assert_eq!(incoherent.blocks(), None);
}
