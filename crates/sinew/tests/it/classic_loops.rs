//! Two classic arrangements of the loop over vertices, built from the references: vertices that are stored in the space of
//! their joint, and one blended matrix for all vertices with the same influences.

use crate::variants::{framed, furthest};
use sinew::{
    Influence, Mesh, ModelPose, Palette, Skin, Streams, Weights,
    deform::reference,
    glam::{Affine3A, Vec3},
};
use std::collections::HashMap;

/// Weights by which every vertex follows one of `count` matrices.
fn following(matrix_of_vertex: &[u16], count: usize) -> Weights {
    let whole = |&slot: &u16| [Influence { slot, weight: 1.0 }];
    Weights::new(count, matrix_of_vertex.iter().map(whole)).unwrap().0
}

/// The streams of `mesh` in the space of the strongest joint of each vertex, and that joint.
fn in_joint_space(mesh: &Mesh, weights: &Weights, skin: &Skin) -> (Streams, Vec<u16>) {
    // The inverse bind matrices are the palette of the pose in which every joint is at the origin.
    let joint_from_mesh = Palette::from_matrices(skin.joint_from_mesh().to_vec());
    let mut kept = Streams::of_mesh(mesh);
    reference::rigid(mesh.into(), weights, &joint_from_mesh, kept.as_surface_mut()).unwrap();
    let joint = |vertex: usize| skin.joints()[usize::from(weights.of(vertex).0[0])].0;
    (kept, (0..mesh.vertex_count()).map(joint).collect())
}

/// Rigid skinning of vertices in joint space: `v' = model_from_joint v`.
fn rigid_in_joint_space(kept: &Streams, joints: &[u16], pose: &ModelPose) -> Streams {
    let palette = Palette::from_matrices(pose.joints().to_vec());
    let mut out = kept.clone();
    let weights = following(joints, pose.joints().len());
    reference::rigid(kept.as_surface(), &weights, &palette, out.as_surface_mut()).unwrap();
    out
}

#[test]
fn vertices_stored_in_joint_space_deform_to_the_same_surface() {
    for name in sinew_samples::NAMES {
        let character = sinew_samples::find(name).unwrap();
        let mut frame = framed(&character);
        // A mirrored and stretched joint: directions are transformed by two matrices, and the result must be the same.
        frame.local_mut().joints[1].scale = Vec3::new(-1.2, 0.8, 1.0);
        frame.update();
        for instance in character.instances() {
            let mesh = character.mesh_of(instance);
            let (Some(skin), Some(weights)) = (character.skin_of(instance), mesh.weights()) else { continue };
            let mut palette = Palette::new(skin);
            palette.update(skin, frame.model());
            let mut want = Streams::of_mesh(mesh);
            reference::rigid(mesh.into(), weights, &palette, want.as_surface_mut()).unwrap();
            let (kept, joints) = in_joint_space(mesh, weights, skin);
            let got = rigid_in_joint_space(&kept, &joints, frame.model());
            assert!(furthest(&got.positions, &want.positions) < 1e-5, "{name}");
            assert!(furthest(&got.normals, &want.normals) < 1e-5, "{name}");
            assert!(got.tangents.iter().zip(&want.tangents).all(|(a, b)| a.w == b.w), "{name}");
        }
    }
}

/// The blended matrix of every distinct list of influences, and the one of each vertex.
fn shared_blends(weights: &Weights, palette: &Palette) -> (Vec<Affine3A>, Vec<u16>) {
    let mut seen: HashMap<(&[u16], Vec<u32>), u16> = HashMap::new();
    let (mut matrices, mut of_vertex) = (Vec::new(), Vec::new());
    for vertex in 0..weights.vertex_count() {
        let (slots, slot_weights) = weights.of(vertex);
        let bits = slot_weights.iter().map(|weight| weight.to_bits()).collect();
        of_vertex.push(*seen.entry((slots, bits)).or_insert_with(|| {
            let mut sum = Affine3A::ZERO;
            for (&slot, &weight) in slots.iter().zip(slot_weights) {
                let matrix = &palette.matrices()[usize::from(slot)];
                sum.matrix3 += matrix.matrix3 * weight;
                sum.translation += matrix.translation * weight;
            }
            matrices.push(sum);
            u16::try_from(matrices.len() - 1).unwrap()
        }));
    }
    (matrices, of_vertex)
}

#[test]
fn shared_matrices_are_bit_identical_to_linear_blend_skinning_with_fewer_blends() {
    for name in sinew_samples::NAMES {
        let character = sinew_samples::find(name).unwrap();
        let frame = framed(&character);
        for instance in character.instances() {
            let mesh = character.mesh_of(instance);
            let (Some(skin), Some(weights)) = (instance.skin, mesh.weights()) else { continue };
            let palette = &frame.palettes()[skin];
            let (matrices, of_vertex) = shared_blends(weights, palette);
            assert!(matrices.len() < mesh.vertex_count() / 2, "{name}: {} blends", matrices.len());
            let (mut want, mut got) = (Streams::of_mesh(mesh), Streams::of_mesh(mesh));
            reference::linear(mesh.into(), weights, palette, want.as_surface_mut()).unwrap();
            let weights = following(&of_vertex, matrices.len());
            let shared = Palette::from_matrices(matrices);
            reference::rigid(mesh.into(), &weights, &shared, got.as_surface_mut()).unwrap();
            assert_eq!(got, want, "{name}");
        }
    }
}
