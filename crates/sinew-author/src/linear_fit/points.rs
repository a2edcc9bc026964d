//! The points of a skin in every pose: at rest, under each joint, and where the method puts them.

use super::{LinearFitError, LinearFitOptions, corrective_fit::CorrectiveFit, poses::NamedPose};
use crate::weights::rig::meshes_of;
use sinew::{
    Character, Frame, JointId, Mesh, Skeleton, Skin,
    constrain::rotation_vector,
    glam::{Affine3A, DAffine3, DVec3, Mat3A, Quat, Vec3},
};
use std::{collections::HashMap, sync::Arc};

/// The most coordinates of targets that are kept; with more, poses are left out evenly.
const MAX_COORDINATES: usize = 60_000_000;

/// Weights of some bones: slots of the skin, then corrective joints.
pub(super) type BoneWeights = Vec<(u16, f64)>;

/// The bits of a place and of its weights.
type PointKey = ([u32; 3], Vec<(u16, u32)>);

/// One skin with everything that is fitted.
pub(super) struct FitSkin {
    /// The index of the skin in the character.
    pub(super) skin: usize,
    pub(super) shape: Arc<Skin>,
    pub(super) skeleton: Arc<Skeleton>,
    /// The index of each mesh, and the point of each of its vertices.
    pub(super) meshes: Vec<(usize, Vec<u32>)>,
    /// The number of poses.
    pub(super) poses: usize,
    /// The place of each point at rest, in mesh space.
    pub(super) rest: Vec<DVec3>,
    /// For each point x, y, z in each pose, in model space.
    pub(super) targets: Vec<f64>,
    pub(super) neighbors: Vec<Vec<u32>>,
    /// The weights of each point in the file.
    pub(super) original: Vec<BoneWeights>,
    /// The skinning matrix of each bone in each pose: slots, then corrective joints.
    pub(super) motions: Vec<Vec<DAffine3>>,
    /// The local rotation of each joint of the skeleton in each pose.
    rotations: Vec<Vec<Quat>>,
    /// The current weights of each point, and the sum of its squared distances over the poses.
    pub(super) weights: Vec<BoneWeights>,
    pub(super) errors: Vec<f64>,
    /// The corrective joints that the skin has so far.
    pub(super) fitted: Vec<CorrectiveFit>,
}

impl FitSkin {
    /// The skins of `character` that deform a mesh, in `poses`.
    pub(super) fn of_character(
        character: &Character,
        options: &LinearFitOptions,
        poses: &[NamedPose],
    ) -> Result<Vec<Self>, LinearFitError> {
        let mut skins = Vec::new();
        for skin in 0..character.skins().len() {
            let meshes = meshes_of(character, skin)?;
            let is_weighted = |&mesh: &usize| character.meshes()[mesh].weights().is_some();
            let meshes: Vec<usize> = meshes.into_iter().filter(is_weighted).collect();
            if !meshes.is_empty() {
                skins.push(Self::at_rest(character, skin, &meshes)?);
            }
        }
        if poses.is_empty() {
            return Err(LinearFitError::NoPoses);
        }
        let points: usize = skins.iter().map(|skin| skin.rest.len()).sum();
        let every = (poses.len() * points * 3).div_ceil(MAX_COORDINATES).max(1);
        let mut frame = Frame::new(character);
        for pose in poses.iter().step_by(every) {
            *frame.local_mut() = pose.local.clone();
            frame.deform(options.method)?;
            skins.iter_mut().for_each(|skin| skin.add_pose(&frame));
        }
        skins.iter_mut().for_each(Self::finish_targets);
        Ok(skins)
    }

    fn at_rest(character: &Character, skin: usize, meshes: &[usize]) -> Result<Self, LinearFitError> {
        let shape = Arc::clone(&character.skins()[skin]);
        let slots = shape.joints().len();
        let mut new = Self {
            skin,
            skeleton: Arc::clone(character.skeleton()),
            meshes: Vec::new(),
            poses: 0,
            rest: Vec::new(),
            targets: Vec::new(),
            neighbors: Vec::new(),
            original: Vec::new(),
            motions: vec![Vec::new(); slots],
            rotations: vec![Vec::new(); character.skeleton().len()],
            weights: Vec::new(),
            errors: Vec::new(),
            fitted: Vec::new(),
            shape,
        };
        for &index in meshes {
            new.add_mesh(index, &character.meshes()[index])?;
        }
        new.weights = new.original.clone();
        new.errors = vec![0.0; new.rest.len()];
        Ok(new)
    }

    /// Vertices at one place with the same weights are one point.
    fn add_mesh(&mut self, index: usize, mesh: &Mesh) -> Result<(), LinearFitError> {
        let Some(weights) = mesh.weights() else { return Ok(()) };
        if !weights.muscle_slots().is_empty() {
            return Err(LinearFitError::Muscles { mesh: mesh.name().into() });
        }
        let mut known: HashMap<PointKey, u32> = HashMap::new();
        let mut of_vertex = Vec::with_capacity(mesh.vertex_count());
        for (vertex, place) in mesh.positions().iter().enumerate() {
            let bits = weights.influences(vertex).map(|i| (i.slot, i.weight.to_bits())).collect();
            let key = ((*place + Vec3::ZERO).to_array().map(f32::to_bits), bits);
            let next = self.rest.len() as u32;
            let point = *known.entry(key).or_insert(next);
            if point == next {
                self.rest.push(place.as_dvec3());
                self.original
                    .push(weights.influences(vertex).map(|i| (i.slot, f64::from(i.weight))).collect());
                self.neighbors.push(Vec::new());
            }
            of_vertex.push(point);
        }
        for triangle in mesh.triangles() {
            let [a, b, c] = triangle.map(|v| of_vertex[v as usize]);
            for (from, to) in [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)] {
                if from != to && !self.neighbors[from as usize].contains(&to) {
                    self.neighbors[from as usize].push(to);
                }
            }
        }
        self.meshes.push((index, of_vertex));
        Ok(())
    }

    /// Targets are collected pose by pose, and sorted by point at the end.
    fn add_pose(&mut self, frame: &Frame) {
        let character = frame.character();
        let first = self.targets.len();
        self.targets.resize(first + self.rest.len() * 3, 0.0);
        for (mesh, of_vertex) in &self.meshes {
            let mut instances = character.instances().iter().zip(frame.deformed());
            let shown = instances.find(|(one, _)| one.mesh == *mesh && one.skin == Some(self.skin));
            let Some((_, streams)) = shown else { continue };
            for (place, &point) in streams.positions.iter().zip(of_vertex) {
                place.as_dvec3().write_to_slice(&mut self.targets[first + point as usize * 3..]);
            }
        }
        for (motions, matrix) in self.motions.iter_mut().zip(frame.palettes()[self.skin].matrices()) {
            motions.push(double(matrix));
        }
        for (rotations, joint) in self.rotations.iter_mut().zip(&frame.driven_pose().joints) {
            rotations.push(joint.rotation);
        }
        self.poses += 1;
    }

    fn finish_targets(&mut self) {
        let (poses, points) = (self.poses, self.rest.len());
        let mut sorted = vec![0.0; self.targets.len()];
        for pose in 0..poses {
            for point in 0..points {
                let from = (pose * points + point) * 3;
                let to = (point * poses + pose) * 3;
                sorted[to..to + 3].copy_from_slice(&self.targets[from..from + 3]);
            }
        }
        self.targets = sorted;
        self.errors = (0..points).map(|point| self.error_of(point, &self.weights[point])).collect();
    }

    /// Where `point` should be in `pose`.
    pub(super) fn target(&self, point: usize, pose: usize) -> DVec3 {
        DVec3::from_slice(&self.targets[(point * self.poses + pose) * 3..])
    }

    /// The sum of the squared distances of `point` over the poses.
    pub(super) fn error_of(&self, point: usize, weights: &BoneWeights) -> f64 {
        let off = |pose: usize| {
            let shown: DVec3 = weights
                .iter()
                .map(|&(bone, weight)| {
                    self.motions[usize::from(bone)][pose].transform_point3(self.rest[point]) * weight
                })
                .sum();
            shown.distance_squared(self.target(point, pose))
        };
        (0..self.poses).map(off).sum()
    }

    /// The number of joints of the skin in the file.
    pub(super) fn slots(&self) -> usize {
        self.shape.joints().len()
    }

    pub(super) fn joint_from_mesh(&self, slot: u16) -> DAffine3 {
        double(&self.shape.joint_from_mesh()[usize::from(slot)])
    }

    pub(super) fn joint(&self, slot: u16) -> JointId {
        self.shape.joints()[usize::from(slot)]
    }

    /// The rotation vector of one joint relative to another in each pose; zero where `base_from_source` is the rotation between them.
    pub(super) fn rotation_vectors(&self, base: u16, source: u16, base_from_source: Quat) -> Vec<DVec3> {
        let (base, source) = (self.joint(base), self.joint(source));
        let mut chain: Vec<JointId> =
            self.skeleton.ancestors(source).take_while(|&joint| joint != base).collect();
        chain.reverse();
        let back = base_from_source.normalize().conjugate();
        let of_pose = |pose: usize| {
            let turn = chain.iter().fold(Quat::IDENTITY, |q, j| q * self.rotations[j.index()][pose]);
            rotation_vector(back * turn).as_dvec3()
        };
        (0..self.poses).map(of_pose).collect()
    }
}

pub(super) fn double(affine: &Affine3A) -> DAffine3 {
    let Affine3A { matrix3: Mat3A { x_axis, y_axis, z_axis }, translation } = *affine;
    let [x, y, z, t] = [x_axis, y_axis, z_axis, translation].map(|v| Vec3::from(v).as_dvec3());
    DAffine3::from_cols(x, y, z, t)
}
