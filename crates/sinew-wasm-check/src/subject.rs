//! What is deformed, and by which poses.

use crate::{contact::contact, smoothing};
use sinew::{
    CentersOfRotation, Character, DualQuatPalette, Frame, Mesh, Method, Palette, Precomputed, Wrap,
    deform::{Binding, kernel},
    glam::Vec3,
};
use std::{error::Error, sync::Arc};

/// Clips and times that between them bend, twist and spread every joint.
const MOMENTS: [(&str, f32); 5] =
    [("walk", 0.4), ("run", 0.15), ("wave", 0.9), ("range_of_motion", 1.3), ("range_of_motion", 3.1)];

/// The methods that have kernels.
pub(crate) const METHODS: [Method; Method::ALL.len()] = Method::ALL;

/// A pose in every form that methods take.
#[derive(Debug)]
pub(crate) struct PosedSubject {
    palette: Palette,
    dual_quats: DualQuatPalette,
}

impl PosedSubject {
    /// The pose as the kernel of `method` takes it, where it has one.
    pub(crate) fn for_kernel(&self, method: Method) -> Option<kernel::SkinningPalette<'_>> {
        kernel::SkinningPalette::for_method(method, &self.palette, &self.dual_quats)
    }

    /// The pose as references take it, where `mesh` is skinned.
    pub(crate) fn for_reference<'a>(&'a self, mesh: &'a Mesh) -> Option<Binding<'a>> {
        let binding = Binding::new(mesh.weights()?, &self.palette);
        Some(binding.with_dual_quats(&self.dual_quats).with_precomputed(mesh.precomputed()))
    }
}

/// The body of the built-in figure with tangents, and with precomputed data that is valid rather than good: any will do to
/// compare two ways to apply it.
pub(crate) fn body(figure: &Character) -> Result<Mesh, Box<dyn Error>> {
    let mut parts = figure.meshes()[0].parts().clone();
    let handedness = |vertex: usize| if vertex.is_multiple_of(3) { -1.0 } else { 1.0 };
    let tangent =
        |(v, n): (usize, &Vec3)| n.any_orthogonal_vector().normalize_or_zero().extend(handedness(v));
    parts.tangents = parts.normals.iter().enumerate().map(tangent).collect();
    let centers =
        CentersOfRotation::new(parts.positions.iter().map(|&p| p * Vec3::new(0.8, 1.0, 0.8)).collect())?;
    let weights = parts.weights.clone().ok_or("the figure has no weights")?;
    let rings = smoothing::rings(&parts);
    parts.precomputed = Precomputed {
        centers: Some(Arc::new(centers)),
        mush: Some(Arc::new(smoothing::mush(&parts, &rings)?)),
        direct_mush: Some(Arc::new(smoothing::direct_mush(&parts.positions, &weights, &rings)?)),
        contact: Some(Arc::new(contact(&weights)?)),
        ..Precomputed::NONE
    };
    Ok(Mesh::new(parts)?)
}

/// Moments of clips, and one that is mirrored with joints that stretch: there the kernels take other paths.
pub(crate) fn poses(figure: &Character) -> Result<Vec<PosedSubject>, Box<dyn Error>> {
    let mut frame = Frame::new(figure);
    let mut poses = Vec::new();
    for (name, time_secs) in MOMENTS {
        let clip = figure.find_clip(name).ok_or_else(|| format!("the figure has no clip {name}"))?;
        frame.sample(clip, time_secs, Wrap::Clamp);
        poses.push(posed(figure, &mut frame));
    }
    for (index, joint) in frame.local_mut().joints.iter_mut().enumerate() {
        joint.scale *= match index {
            // All or none: half a mirrored joint and half of one that is not is flat, and has no side to agree on.
            0 => Vec3::new(-1.0, 1.0, 1.0),
            _ if index % 7 == 2 => Vec3::new(1.3, 0.8, 1.0),
            _ if index % 7 == 5 => Vec3::splat(1.2),
            _ => Vec3::ONE,
        };
    }
    poses.push(posed(figure, &mut frame));
    Ok(poses)
}

fn posed(figure: &Character, frame: &mut Frame) -> PosedSubject {
    frame.update();
    let (skin, palette) = (&figure.skins()[0], frame.palettes()[0].clone());
    let mut dual_quats = DualQuatPalette::new(skin);
    dual_quats.update(skin, &palette);
    PosedSubject { palette, dual_quats }
}
