//! Whether clothes lie on a body as it rests or as it was bound.

use crate::weights::{
    Edit,
    ops::{SlotMap, TransferOptions, transfer_from},
    rig::RigError,
    surface::WeldedSurface,
};
use sinew::{
    Character, Frame, Influence, Mesh, MeshParts, Method, Weights,
    glam::{Affine3A, DVec3, Mat3A, Vec3, Vec3A},
    transform::inverse_affine,
};
use std::sync::Arc;

/// The pose of a body in which clothes lie on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClothesPose {
    /// The pose in which the skeleton of the body rests.
    Rest,
    /// The pose in which the body was bound to its skeleton.
    Bind,
}

/// Matrices that differ by less than this are equal, as a fraction of their size.
const SAME: f32 = 1e-3;
/// At most this many vertices of the clothes are compared with the body.
const SAMPLES: usize = 2000;

/// How clothes are brought into the mesh space of a body.
pub(super) struct ClothesFit {
    pose: ClothesPose,
    /// From model space to mesh space, if it is the same for all vertices.
    rigid: Option<Affine3A>,
    /// The mesh of the body that the clothes lie on.
    body: Arc<Mesh>,
    weights: Arc<Weights>,
    /// Where its vertices are at rest, in model space.
    rest: Vec<Vec3>,
    /// The skinning matrices at rest.
    palette: Vec<Affine3A>,
}

impl ClothesFit {
    pub(super) fn new(body: &Character, skin: usize, clothes: &Character) -> Result<Self, RigError> {
        let mut frame = Frame::new(body);
        frame.deform(Method::Linear)?;
        let of_skin = body.instances().iter().enumerate().filter(|(_, i)| i.skin == Some(skin));
        let weighted = of_skin
            .filter_map(|(at, i)| Some((at, body.meshes()[i.mesh].clone(), body.mesh_of(i).weights()?)));
        let largest = weighted.max_by_key(|(_, mesh, _)| mesh.vertex_count());
        let (at, mesh, weights) = largest.ok_or(RigError::NoSkin { skin })?;
        let palette = frame.palettes().get(skin).ok_or(RigError::NoSkin { skin })?.matrices().to_vec();
        let rest = frame.deformed()[at].positions.clone();
        // Joints without weight move no skin.
        let mut is_used = vec![false; palette.len()];
        let all = (0..weights.vertex_count()).flat_map(|v| weights.of(v).0);
        all.for_each(|&slot| is_used[usize::from(slot)] = true);
        let used = palette.iter().zip(&is_used).filter(|(_, used)| **used).map(|(matrix, _)| *matrix);
        let used: Vec<Affine3A> = used.collect();
        let first = used.first().copied().unwrap_or(Affine3A::IDENTITY);
        let size = first.matrix3.x_axis.length().max(1e-6);
        let diagonal = diagonal(&rest);
        let is_same = |m: &Affine3A| {
            (m.translation - first.translation).length() <= SAME * diagonal
                && (m.matrix3 - first.matrix3).to_cols_array().iter().all(|x| x.abs() <= SAME * size)
        };
        let mesh_from_model = inverse_affine(&first).unwrap_or(Affine3A::IDENTITY);
        let weights = Arc::clone(weights);
        let mut out = Self {
            pose: ClothesPose::Rest,
            rigid: Some(mesh_from_model),
            body: mesh,
            weights,
            rest,
            palette,
        };
        if used.iter().all(is_same) {
            return Ok(out);
        }
        out.choose(clothes, mesh_from_model)?;
        Ok(out)
    }

    pub(super) fn pose(&self) -> ClothesPose {
        self.pose
    }

    /// Chooses the pose and placement in which the clothes are nearest to the body.
    fn choose(&mut self, clothes: &Character, mesh_from_model: Affine3A) -> Result<(), RigError> {
        let mut frame = Frame::new(clothes);
        frame.deform(Method::Linear)?;
        let all: Vec<Vec3> = clothes
            .visible_instances()
            .flat_map(|instance| frame.deformed()[instance].positions.iter().copied())
            .collect();
        let step = all.len().div_ceil(SAMPLES).max(1);
        let samples: Vec<Vec3> = all.into_iter().step_by(step).collect();
        let bind = self.body.positions();
        let identity = Affine3A::IDENTITY;
        let (at_rest, bound) =
            (WeldedSurface::posed(&self.body, &self.rest), WeldedSurface::posed(&self.body, bind));
        // The two placements of the bind pose: where its file has the vertices, and where the first joint rests.
        let candidates = [
            (ClothesPose::Rest, None, apart(&at_rest, &samples, &identity)),
            (ClothesPose::Bind, Some(identity), apart(&bound, &samples, &identity)),
            (ClothesPose::Bind, Some(mesh_from_model), apart(&bound, &samples, &mesh_from_model)),
        ];
        if let Some((pose, rigid, _)) = candidates.into_iter().min_by(|a, b| a.2.total_cmp(&b.2)) {
            (self.pose, self.rigid) = (pose, rigid);
        }
        Ok(())
    }

    /// From model space to the mesh space of the body, for each vertex of a mesh of the clothes that is at `placed` at rest.
    pub(super) fn mesh_from_model(&self, mesh: &Mesh, placed: &[Vec3]) -> Result<Vec<Affine3A>, RigError> {
        if let Some(rigid) = self.rigid {
            return Ok(vec![rigid; placed.len()]);
        }
        // With the weights of the body at rest, its pose is undone.
        let first = [Influence { slot: 0, weight: 1.0 }];
        let slot_count = self.palette.len();
        let none = Weights::new(slot_count, std::iter::repeat_n(first, placed.len()));
        let none = Arc::new(none.map_err(crate::weights::WeightError::from)?.0);
        let parts = MeshParts {
            positions: placed.to_vec(),
            weights: Some(none),
            morphs: sinew::MorphTargets::default(),
            precomputed: sinew::Precomputed::default(),
            ..mesh.parts().clone()
        };
        let posed = Mesh::new(parts)?;
        let edit = Edit::new(&posed)?.in_skin_of(slot_count);
        let options = TransferOptions::default();
        let slots = SlotMap::same(slot_count);
        let given = transfer_from(&edit, &self.body, &self.rest, &self.weights, &slots, &options)?;
        let blended = |vertex: usize| {
            let (mut linear, mut translation) = (Mat3A::ZERO, Vec3A::ZERO);
            for influence in given.outcome.weights.influences(vertex) {
                let matrix = self.palette[usize::from(influence.slot)];
                linear += matrix.matrix3 * influence.weight;
                translation += matrix.translation * influence.weight;
            }
            inverse_affine(&Affine3A { matrix3: linear, translation }).unwrap_or(Affine3A::IDENTITY)
        };
        Ok((0..placed.len()).map(blended).collect())
    }
}

/// The mean distance of `samples`, moved by `matrix`, from a surface, as a fraction of the surface's size.
fn apart(surface: &WeldedSurface, samples: &[Vec3], matrix: &Affine3A) -> f64 {
    let tree = surface.tree();
    let distance = |place: &Vec3| {
        let place: DVec3 = matrix.transform_point3(*place).as_dvec3();
        let near = tree.nearest(surface.unit_from_mesh(place), f64::INFINITY, |_| true);
        near.map_or(f64::MAX, |near| near.distance)
    };
    samples.iter().map(distance).sum::<f64>() / samples.len().max(1) as f64
}

fn diagonal(positions: &[Vec3]) -> f32 {
    let start = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
    let (low, high) = positions.iter().fold(start, |(l, h), p| (l.min(*p), h.max(*p)));
    if low.is_finite() && high.is_finite() { low.distance(high) } else { 0.0 }
}
