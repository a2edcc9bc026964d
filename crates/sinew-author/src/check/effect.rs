//! How far a fault moves the skin, over the clips and a range of motion.

use super::{
    CheckOptions,
    bound::{BoundMesh, VertexGraph},
    keys,
};
use crate::weights::{EffectPose, EffectPoses, PoseOptions};
use sinew::{
    Character, Frame, Influence, LocalPose, Method, ModelPose, Weights,
    finding::FindingEffect,
    glam::{Affine3A, Vec3A},
};
use std::{cell::OnceCell, collections::HashMap, rc::Rc};

/// The number of poses that are taken from each clip.
const PER_CLIP: usize = 15;
/// At most this many vertices are moved to measure one finding.
const MAX_MOVES: usize = 1 << 24;
/// A vertex that leaves its place by less than this fraction of the edges around it does not stick out.
const HIDDEN: f32 = 0.25;
/// A lying or flying character is measured as if it were at least this fraction of its longest side high.
const MIN_HEIGHT_RATIO: f32 = 0.5;

/// Measures effects on one character.
pub(super) struct EffectMeter<'a> {
    character: &'a Character,
    warning_percent: f64,
    height_mm: f64,
    /// The poses of each skin, made when they are first needed.
    poses: Vec<OnceCell<Rc<EffectPoses>>>,
}

impl<'a> EffectMeter<'a> {
    pub(super) fn new(character: &'a Character, options: &CheckOptions) -> Self {
        Self {
            character,
            warning_percent: options.warning_percent,
            height_mm: height_mm(character),
            poses: character.skins().iter().map(|_| OnceCell::new()).collect(),
        }
    }

    pub(super) fn character(&self) -> &'a Character {
        self.character
    }

    /// The height of the character in meters.
    pub(super) fn height(&self) -> f64 {
        self.height_mm / 1000.0
    }

    /// An effect of that many meters.
    pub(super) fn of_meters(&self, meters: f64) -> FindingEffect {
        let max_mm = if meters.is_finite() { meters * 1000.0 } else { f64::from(f32::MAX) };
        FindingEffect {
            max_mm,
            height_percent: 100.0 * max_mm / self.height_mm,
            warning_percent: self.warning_percent,
        }
    }

    /// The poses of the clips and of the range of motion, for a skin.
    pub(super) fn poses(&self, skin: usize) -> Rc<EffectPoses> {
        let options = PoseOptions { per_clip: PER_CLIP, ..PoseOptions::default() };
        let new = || Rc::new(EffectPoses::of_character(self.character, skin, &options));
        self.poses.get(skin).map_or_else(Rc::default, |it| Rc::clone(it.get_or_init(new)))
    }

    /// The largest distance of `vertices` from the places that `place` gives for them, in model space.
    pub(super) fn of_places(
        &self,
        bound: &BoundMesh<'_>,
        vertices: &[u32],
        place: impl Fn(&EffectPose, usize) -> Vec3A,
    ) -> FindingEffect {
        let poses = self.poses(bound.skin_index);
        let count = poses.clips().len() + poses.range().len();
        // Of many vertices, as many are measured as time allows, evenly from all of them.
        let every = count.saturating_mul(vertices.len()).div_ceil(MAX_MOVES).max(1);
        let mut farthest = 0.0_f32;
        for pose in poses.all() {
            for vertex in vertices.iter().step_by(every).map(|&v| v as usize) {
                let now = pose.posed(vertex, bound.mesh.positions()[vertex], bound.weights);
                farthest = farthest.max(now.distance(place(pose, vertex)));
            }
        }
        self.of_meters(farthest.into())
    }

    /// The effect of `vertices` having the weights of the mesh instead of those that `of` gives for them.
    pub(super) fn of_influences(
        &self,
        bound: &BoundMesh<'_>,
        vertices: &[u32],
        of: impl Fn(usize) -> Vec<Influence>,
    ) -> FindingEffect {
        let wanted: HashMap<u32, Vec<Influence>> = vertices.iter().map(|&v| (v, of(v as usize))).collect();
        self.of_places(bound, vertices, |pose, vertex| {
            let place = pose.displaced(vertex, bound.mesh.positions()[vertex], bound.weights);
            wanted.get(&(vertex as u32)).map_or(place, |wanted| moved(pose.matrices(), wanted, place))
        })
    }

    /// How far single `vertices` are pulled out of the surface around them by having the weights of the mesh instead of those
    /// that `of` gives for them: a region that moves as a whole, or fades out, is not torn. What stays within [`HIDDEN`] of the
    /// length of the edges around it is a minor effect: it is lost in the shape of the mesh.
    pub(super) fn of_spikes(
        &self,
        bound: &BoundMesh<'_>,
        graph: &VertexGraph,
        vertices: &[u32],
        of: impl Fn(usize) -> Vec<Influence>,
    ) -> FindingEffect {
        let points = bound.mesh.points();
        let (of_vertex, first) = (points.of_vertex(), points.first_vertex());
        let mut wanted: HashMap<u32, Vec<Influence>> = HashMap::new();
        for &vertex in vertices {
            wanted.entry(of_vertex[vertex as usize]).or_insert_with(|| of(vertex as usize));
        }
        let named: Vec<u32> = wanted.keys().map(|&point| first[point as usize]).collect();
        let shift = |pose: &EffectPose, point: u32| -> Vec3A {
            let Some(wanted) = wanted.get(&point) else { return Vec3A::ZERO };
            let vertex = first[point as usize] as usize;
            let position = bound.mesh.positions()[vertex];
            let place = pose.displaced(vertex, position, bound.weights);
            pose.posed(vertex, position, bound.weights) - moved(pose.matrices(), wanted, place)
        };
        let edge = |point: u32| -> f32 {
            let place = |point: u32| bound.mesh.positions()[first[point as usize] as usize];
            let ring = graph.ring(point as usize);
            let sum: f32 = ring.iter().map(|&p| place(p).distance(place(point))).sum();
            sum / ring.len().max(1) as f32
        };
        let slot = named.first().and_then(|&v| bound.weights.of(v as usize).0.first().copied());
        let edges: f32 = wanted.keys().map(|&point| edge(point)).sum::<f32>() / wanted.len().max(1) as f32;
        let hidden = HIDDEN * edges * slot.map_or(1.0, |slot| bound.model_scale(slot));
        let effect = self.of_places(bound, &named, |pose, vertex| {
            let point = of_vertex[vertex];
            let ring = graph.ring(point as usize);
            let around = ring.iter().map(|&p| shift(pose, p)).sum::<Vec3A>() / ring.len().max(1) as f32;
            let here = pose.posed(vertex, bound.mesh.positions()[vertex], bound.weights);
            here - (shift(pose, point) - around)
        });
        let hidden_percent = self.of_meters(hidden.into()).height_percent;
        FindingEffect { warning_percent: effect.warning_percent.max(hidden_percent), ..effect }
    }

    /// The effect of `vertices` having the weights of the mesh instead of `weights`, muscle weights included.
    pub(super) fn of_weights(
        &self,
        bound: &BoundMesh<'_>,
        vertices: &[u32],
        weights: &Weights,
    ) -> FindingEffect {
        let positions = bound.mesh.positions();
        self.of_places(bound, vertices, |pose, vertex| pose.posed(vertex, positions[vertex], weights))
    }

    /// The effect of one inverse bind matrix being what it is instead of `joint_from_mesh`.
    pub(super) fn of_bind(
        &self,
        bound: &BoundMesh<'_>,
        slot: u16,
        joint_from_mesh: Affine3A,
    ) -> FindingEffect {
        let old = bound.skin.joint_from_mesh()[usize::from(slot)];
        let follows = |v: &u32| bound.weights.weight_of(*v as usize, slot) > 0.0;
        let vertices: Vec<u32> = (0..bound.weights.vertex_count() as u32).filter(follows).collect();
        let Some(mesh_from_joint) = sinew::transform::inverse_affine(&old) else {
            // The old matrix flattens the skin, so what it moved cannot be undone: the skin is off by its own size.
            let size = vertices.iter().map(|&v| bound.mesh.positions()[v as usize]);
            let far = size.map(|p| (joint_from_mesh.transform_point3(p) - old.transform_point3(p)).length());
            return self.of_meters(far.fold(0.0, f32::max).into());
        };
        let moved = mesh_from_joint * joint_from_mesh;
        self.of_places(bound, &vertices, |pose, vertex| {
            let place = pose.displaced(vertex, bound.mesh.positions()[vertex], bound.weights);
            let here = pose.posed(vertex, bound.mesh.positions()[vertex], bound.weights);
            let Some(matrix) = pose.matrices().get(usize::from(slot)) else { return here };
            let shift =
                matrix.transform_point3a(moved.transform_point3a(place)) - matrix.transform_point3a(place);
            here + shift * bound.weights.weight_of(vertex, slot)
        })
    }

    /// The largest distance between the skins of two characters' poses, in model space. The poses are in pairs.
    pub(super) fn of_pose_pairs(&self, pairs: &[[LocalPose; 2]]) -> FindingEffect {
        let skeleton = self.character.skeleton();
        let models = pairs.iter().map(|pair| {
            pair.each_ref().map(|local| {
                let mut driven = local.clone();
                self.character.apply_helpers(&mut driven);
                let mut model = ModelPose::new(skeleton);
                model.update(skeleton, &driven);
                model.joints().to_vec()
            })
        });
        self.of_model_pairs(&models.collect::<Vec<_>>())
    }

    /// As [`Self::of_pose_pairs`], from the matrices of all joints of the skeleton, in model space.
    pub(super) fn of_model_pairs(&self, pairs: &[[Vec<Affine3A>; 2]]) -> FindingEffect {
        let vertices: usize =
            self.character.instances().iter().map(|i| self.character.mesh_of(i).vertex_count()).sum();
        let every = pairs.len().saturating_mul(vertices).div_ceil(MAX_MOVES).max(1);
        let mut farthest = 0.0_f32;
        for instance in self.character.instances() {
            let mesh = self.character.mesh_of(instance);
            let bound = self.character.skin_of(instance).zip(mesh.weights());
            for pair in pairs {
                let matrices = pair.each_ref().map(|joints| match bound {
                    Some((skin, _)) => {
                        let joint = skin.joints().iter().zip(skin.joint_from_mesh());
                        joint.map(|(j, bind)| joints[j.index()] * *bind).collect::<Vec<_>>()
                    }
                    None => vec![joints[instance.joint.index()]],
                });
                // A pose that moves no joint of this mesh moves no vertex.
                if matrices[0] == matrices[1] {
                    continue;
                }
                for vertex in (0..mesh.vertex_count()).step_by(every) {
                    let place = Vec3A::from(mesh.positions()[vertex]);
                    let [one, other] = matrices.each_ref().map(|matrices| match bound {
                        Some((_, weights)) => blended(matrices, weights, vertex, place),
                        None => matrices[0].transform_point3a(place),
                    });
                    farthest = farthest.max(one.distance(other));
                }
            }
        }
        self.of_meters(farthest.into())
    }
}

/// Where influences of any positive sum move a place.
fn moved(matrices: &[Affine3A], influences: &[Influence], place: Vec3A) -> Vec3A {
    let (mut sum, mut total) = (Vec3A::ZERO, 0.0);
    for influence in influences {
        let matrix = matrices.get(usize::from(influence.slot));
        sum += matrix.map_or(place, |m| m.transform_point3a(place)) * influence.weight;
        total += influence.weight;
    }
    if total > 0.0 { sum / total } else { place }
}

fn blended(matrices: &[Affine3A], weights: &Weights, vertex: usize, place: Vec3A) -> Vec3A {
    let moved = |i: Influence| matrices[usize::from(i.slot)].transform_point3a(place) * i.weight;
    weights.influences(vertex).map(moved).fold(Vec3A::ZERO, |sum, one| sum + one)
}

/// The height of the visible meshes at rest, in millimeters; that of the joints if there are none.
fn height_mm(character: &Character) -> f64 {
    let mut frame = Frame::new(character);
    let is_deformed = frame.deform(Method::Linear).is_ok();
    let size = if is_deformed { frame.bounds().size() } else { sinew::glam::Vec3::ZERO };
    let height = size.y.max(MIN_HEIGHT_RATIO * size.max_element());
    let usable = height > 0.0 && height.is_finite();
    f64::from(if usable { height } else { keys::height(character) }) * 1000.0
}
