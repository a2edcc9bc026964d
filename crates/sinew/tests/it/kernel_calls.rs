//! Packing, and all ways to call kernels: whole, split, in batches, on morphed surfaces, and with mismatched input.

use crate::{
    kernel_run::{RunBuffers, RunForm, in_mesh_order, methods_with_kernels, pose_of, run},
    kernels::{Dice, random_mesh},
    subjects::PosedMesh,
};
use sinew::{
    DeformError, Frame, Mesh, MeshParts, Method, Palette, Streams, Surface,
    deform::{
        blocks::{BlockLayout, PackError, PackedSkin, VertexOrder, WIDTH},
        kernel::{KernelOutput, PoseScratch, SeparateMut, SkinningPalette},
        reference,
    },
    glam::{Affine3A, Quat, Vec3, Vec4},
    simd,
};

fn posed(joints: usize, seed: u64) -> PosedMesh {
    let mut dice = Dice::new(seed);
    let matrices: Vec<Affine3A> = (0..joints)
        .map(|_| {
            let axis = Vec3::new(dice.unit(), dice.unit(), 1.5).normalize();
            let rotation = Quat::from_axis_angle(axis, dice.unit());
            Affine3A::from_rotation_translation(rotation, Vec3::new(dice.unit(), dice.unit(), dice.unit()))
        })
        .collect();
    PosedMesh::new(&matrices)
}

#[test]
fn every_vertex_has_its_own_output_index() {
    for count in [0, 1, 16, 17, 500] {
        for window in [2, 6, 40] {
            let mesh = random_mesh(count, 40, 5, window, 9);
            for order in [VertexOrder::Packed, VertexOrder::File] {
                let skin = PackedSkin::new(&mesh, order).unwrap();
                let (places, vertices) = (skin.output_of_vertex(), skin.vertex_of_output());
                assert_eq!(vertices.len(), skin.output_count());
                assert_eq!(places.len(), count);
                for (vertex, &place) in places.iter().enumerate() {
                    assert_eq!(vertices[place as usize], vertex as u32);
                }
                assert_eq!(skin.stats().blocks, count.div_ceil(WIDTH));
                assert_eq!(skin.stats().padding, skin.stats().blocks * WIDTH - count);
            }
            let file = PackedSkin::new(&mesh, VertexOrder::File).unwrap();
            assert!(file.output_of_vertex().iter().enumerate().all(|(v, &place)| place as usize == v));
        }
    }
}

#[test]
fn indices_are_remapped_to_the_packed_order() {
    let mesh = random_mesh(100, 12, 3, 4, 1);
    let skin = PackedSkin::new(&mesh, VertexOrder::Packed).unwrap();
    let remapped = skin.remap_indices(mesh.indices()).unwrap();
    let vertices = skin.vertex_of_output();
    for (&before, &after) in mesh.indices().iter().zip(&remapped) {
        assert_eq!(vertices[after as usize], before);
    }
    let error = skin.remap_indices(&[100]).unwrap_err();
    assert!(matches!(error, DeformError::WrongCount { count: 100, wanted: 100, .. }));
}

#[test]
fn packing_shortens_joint_lists_and_leaves_incoherent_ones_to_single_vertices() {
    let coherent = random_mesh(2000, 40, 3, 3, 4);
    let packed = *PackedSkin::new(&coherent, VertexOrder::Packed).unwrap().stats();
    let file = *PackedSkin::new(&coherent, VertexOrder::File).unwrap().stats();
    assert!(packed.joints_per_block < file.joints_per_block, "{packed:?} {file:?}");
    assert_eq!(packed.layout(), BlockLayout::Shared);
    let incoherent = random_mesh(2000, 60, 4, 60, 4);
    let stats = *PackedSkin::new(&incoherent, VertexOrder::File).unwrap().stats();
    assert_eq!(stats.layout(), BlockLayout::Single, "{stats:?}");
}

#[test]
fn any_split_is_bit_identical() {
    let (mesh, posed) = (random_mesh(3000, 30, 6, 6, 21), posed(30, 5));
    for order in [VertexOrder::Packed, VertexOrder::File] {
        let skin = PackedSkin::new(&mesh, order).unwrap();
        for method in methods_with_kernels() {
            for form in [RunForm::InterleavedTangents, RunForm::ApartTangents] {
                let whole = run(&skin, &mesh, simd::best(), method, &posed, form);
                for count in [1, 2, 3, 7, 1000] {
                    let mut buffers = RunBuffers::new(&skin, &mesh, form);
                    let mut scratch = PoseScratch::default();
                    let jobs =
                        skin.split(count, pose_of(method, &posed), &mut scratch, buffers.output()).unwrap();
                    assert!(jobs.len() <= count);
                    let mut jobs: Vec<_> = jobs.collect();
                    let vertices: usize =
                        jobs.iter().map(sinew::deform::kernel::KernelJob::vertex_count).sum();
                    assert_eq!(vertices, skin.output_count());
                    jobs.reverse();
                    std::thread::scope(|threads| {
                        for job in jobs {
                            threads.spawn(move || job.run(simd::best()));
                        }
                    });
                    skin.surface().join_seams(&mut buffers.output());
                    assert_eq!(in_mesh_order(&skin, &buffers.written()), whole, "{order:?} {method} {count}");
                }
            }
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn a_thread_pool_of_any_size_is_bit_identical() {
    let (mesh, posed) = (random_mesh(3000, 30, 6, 6, 21), posed(30, 5));
    let skin = PackedSkin::new(&mesh, VertexOrder::File).unwrap();
    let whole = run(&skin, &mesh, simd::best(), Method::Linear, &posed, RunForm::InterleavedTangents);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut buffers = RunBuffers::new(&skin, &mesh, RunForm::InterleavedTangents);
        let pose = SkinningPalette::Linear(&posed.palette);
        pool.install(|| {
            skin.deform_parallel(simd::best(), pose, &mut PoseScratch::default(), buffers.output()).unwrap();
        });
        assert_eq!(in_mesh_order(&skin, &buffers.written()), whole);
    }
}

#[test]
fn a_batch_matches_single_calls() {
    let mesh = random_mesh(700, 20, 6, 5, 2);
    let poses: Vec<PosedMesh> = (0..5).map(|seed| posed(20, seed)).collect();
    for order in [VertexOrder::Packed, VertexOrder::File] {
        let skin = PackedSkin::new(&mesh, order).unwrap();
        for form in [RunForm::InterleavedNormals, RunForm::ApartTangents] {
            let methods = [Method::Linear, Method::DualQuat, Method::Cor, Method::Rigid, Method::Linear];
            let batch: Vec<SkinningPalette<'_>> =
                methods.iter().zip(&poses).map(|(&m, p)| pose_of(m, p)).collect();
            let mut buffers: Vec<RunBuffers> =
                batch.iter().map(|_| RunBuffers::new(&skin, &mesh, form)).collect();
            let mut outs: Vec<KernelOutput<'_>> = buffers.iter_mut().map(RunBuffers::output).collect();
            skin.deform_batch(simd::best(), &batch, &mut PoseScratch::default(), &mut outs).unwrap();
            for ((method, pose), buffers) in methods.into_iter().zip(&poses).zip(&buffers) {
                let want = run(&skin, &mesh, simd::best(), method, pose, form);
                assert_eq!(in_mesh_order(&skin, &buffers.written()), want, "{order:?} {method}");
            }
        }
    }
}

#[test]
fn a_morphed_surface_is_deformed_like_a_mesh_of_that_shape() {
    let mesh = random_mesh(200, 10, 4, 4, 6);
    let mut parts = mesh.clone().into_parts();
    parts.positions.iter_mut().for_each(|p| *p = *p * 1.5 + Vec3::X);
    parts.normals.rotate_left(1);
    let morphed = Mesh::new(parts).unwrap();
    let (skin, posed) = (PackedSkin::new(&mesh, VertexOrder::Packed).unwrap(), posed(10, 1));
    let mut surface = skin.new_surface();
    skin.pack_surface(Surface::from(&morphed), &mut surface).unwrap();
    let mut buffers = RunBuffers::new(&skin, &mesh, RunForm::InterleavedTangents);
    let pose = SkinningPalette::Linear(&posed.palette);
    skin.deform_surface(&surface, simd::best(), pose, &mut PoseScratch::default(), buffers.output()).unwrap();
    let other = PackedSkin::new(&morphed, VertexOrder::Packed).unwrap();
    let want = run(&other, &morphed, simd::best(), Method::Linear, &posed, RunForm::InterleavedTangents);
    assert_eq!(in_mesh_order(&skin, &buffers.written()), want);
}

#[test]
fn mismatched_sizes_are_errors() {
    let mesh = random_mesh(50, 10, 4, 4, 6);
    let skin = PackedSkin::new(&mesh, VertexOrder::File).unwrap();
    let posed = posed(10, 1);
    let (needed, matrices) = (skin.slot_count(), skin.slot_count() - 1);
    let small = PosedMesh::new(&posed.palette.matrices()[..matrices]);
    let scratch = &mut PoseScratch::default();
    let mut streams = Streams::of_mesh(&mesh);
    let level = simd::best();
    let result =
        skin.deform(level, SkinningPalette::Linear(&small.palette), scratch, streams.as_surface_mut().into());
    assert_eq!(result, Err(DeformError::PaletteTooSmall { needed, matrices }));
    let result = skin.deform(
        level,
        SkinningPalette::DualQuat(&small.dual_quats),
        scratch,
        streams.as_surface_mut().into(),
    );
    assert_eq!(result, Err(DeformError::PaletteTooSmall { needed, matrices }));
    streams.normals.pop();
    let result =
        skin.deform(level, SkinningPalette::Linear(&posed.palette), scratch, streams.as_surface_mut().into());
    assert!(matches!(
        result,
        Err(DeformError::WrongCount { stream: "output normals", count: 49, wanted: 50 })
    ));
    let mut numbers = [vec![0.0; 50], vec![0.0; 50], vec![0.0; 49]];
    let [x, y, z] = &mut numbers;
    let separate = SeparateMut { positions: [x, y, z], ..SeparateMut::default() };
    let result = skin.deform(level, SkinningPalette::Linear(&posed.palette), scratch, separate.into());
    assert!(matches!(result, Err(DeformError::WrongCount { stream: "output positions", count: 49, .. })));
    let result = skin.deform_batch(level, &[SkinningPalette::Linear(&posed.palette)], scratch, &mut []);
    assert!(matches!(result, Err(DeformError::WrongCount { .. })));
    let other = PackedSkin::new(&random_mesh(100, 10, 4, 4, 6), VertexOrder::File).unwrap();
    let mut streams = Streams::of_mesh(&mesh);
    let out = streams.as_surface_mut().into();
    let result =
        skin.deform_surface(other.surface(), level, SkinningPalette::Linear(&posed.palette), scratch, out);
    assert!(matches!(result, Err(DeformError::WrongCount { stream: "blocks of the surface", .. })));
}

#[test]
fn missing_weights_or_centers_are_errors_for_methods_that_need_them() {
    let mesh = random_mesh(50, 10, 4, 4, 6);
    let rigid =
        Mesh::new(MeshParts { weights: None, name: "hat".into(), ..mesh.clone().into_parts() }).unwrap();
    let error = PackedSkin::new(&rigid, VertexOrder::Packed).unwrap_err();
    assert_eq!(error, PackError::NoWeights { mesh: "hat".into() });
    let bare = mesh.clone().with_precomputed(sinew::Precomputed::NONE).unwrap();
    let (skin, posed) = (PackedSkin::new(&bare, VertexOrder::File).unwrap(), posed(10, 1));
    let mut streams = Streams::of_mesh(&mesh);
    let pose = SkinningPalette::Cor(&posed.palette, &posed.dual_quats);
    let out = streams.as_surface_mut().into();
    let result = skin.deform(simd::best(), pose, &mut PoseScratch::default(), out);
    assert!(matches!(result, Err(DeformError::MissingPrecomputed { method: Method::Cor, .. })));
}

#[test]
fn a_buffer_for_a_stream_that_the_mesh_lacks_is_not_written() {
    // 33 vertices: the last block in file order is not full and is written through a temporary buffer.
    let parts = random_mesh(33, 4, 2, 4, 3).into_parts();
    let mesh = Mesh::new(MeshParts { normals: vec![], tangents: vec![], ..parts }).unwrap();
    let skin = PackedSkin::new(&mesh, VertexOrder::File).unwrap();
    let palette = Palette::from_matrices(vec![Affine3A::IDENTITY; skin.slot_count()]);
    let mut out = Streams {
        positions: vec![Vec3::ZERO; 33],
        normals: vec![Vec3::splat(7.0); 33],
        tangents: vec![Vec4::splat(7.0); 33],
    };
    let mut scratch = PoseScratch::default();
    skin.deform(simd::best(), SkinningPalette::Linear(&palette), &mut scratch, out.as_surface_mut().into())
        .unwrap();
    assert!(out.positions.iter().zip(mesh.positions()).all(|(a, b)| a.distance(*b) < 1e-5));
    assert!(out.normals.iter().all(|n| *n == Vec3::splat(7.0)));
    assert!(out.tangents.iter().all(|t| *t == Vec4::splat(7.0)));
}

#[test]
fn a_skin_packed_for_rigid_skinning_matches_any_other() {
    let (figure, frame) = (sinew_samples::figure(), Frame::new(sinew_samples::figure()));
    let mesh = figure.mesh_of(&figure.instances()[0]);
    let palette = &frame.palettes()[0];
    for order in [VertexOrder::File, VertexOrder::Packed] {
        let skin = PackedSkin::for_rigid(mesh, order).unwrap();
        assert!(skin.stats().joints_per_block < 1.7, "{}", skin.stats().joints_per_block);
        let mut out = Streams { positions: vec![Vec3::ZERO; skin.output_count()], ..Streams::default() };
        let mut scratch = PoseScratch::default();
        skin.deform(simd::best(), SkinningPalette::Rigid(palette), &mut scratch, out.as_surface_mut().into())
            .unwrap();
        let mut want = Streams::of_mesh(mesh);
        reference::rigid(mesh.into(), mesh.weights().unwrap(), palette, want.as_surface_mut()).unwrap();
        for (got, &vertex) in out.positions.iter().zip(&skin.vertex_of_output()) {
            assert!(got.distance(want.positions[vertex as usize]) < 1e-5, "vertex {vertex}");
        }
    }
}
