//! Vertices that follow some joints, placed by any pose.

use sinew::{
    Character, JointId, ModelPose,
    glam::{Vec3, Vec3A, Vec4},
};
use std::ops::Range;

/// A vertex follows joints if they have more than this part of its weight.
const MAINLY: f32 = 0.5;

/// Vertices of a character with linear blend skinning, ready to be placed by poses.
#[derive(Clone, Debug, Default)]
pub(super) struct SkinPoints {
    /// One past the last influence of each vertex.
    ends: Vec<u32>,
    /// The joint of each influence, and the position in its space times the weight, with the weight itself.
    influences: Vec<(JointId, Vec4)>,
}

impl SkinPoints {
    /// The visible vertices that mainly follow joints for which `follows` is true.
    pub(super) fn of(character: &Character, follows: impl Fn(JointId) -> bool) -> Self {
        let mut out = Self::default();
        for index in character.visible_instances() {
            let instance = &character.instances()[index];
            let mesh = character.mesh_of(instance);
            match (character.skin_of(instance), mesh.weights()) {
                (Some(skin), Some(weights)) => {
                    for (vertex, &position) in mesh.positions().iter().enumerate() {
                        let joint = |slot: u16| skin.joints()[usize::from(slot)];
                        let all = || weights.influences(vertex).map(|i| (joint(i.slot), i.slot, i.weight));
                        let part: f32 = all().filter(|(j, ..)| follows(*j)).map(|(.., w)| w).sum();
                        if part > MAINLY {
                            let bind = |slot: u16| skin.joint_from_mesh()[usize::from(slot)];
                            out.push(all().map(|(j, slot, w)| (j, bind(slot).transform_point3(position), w)));
                        }
                    }
                }
                _ if follows(instance.joint) => {
                    mesh.positions().iter().for_each(|&p| out.push([(instance.joint, p, 1.0)]));
                }
                _ => {}
            }
        }
        out
    }

    /// Points that are fixed to `joint`, in its space.
    pub(super) fn fixed(joint: JointId, points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut out = Self::default();
        points.into_iter().for_each(|point| out.push([(joint, point, 1.0)]));
        out
    }

    fn push(&mut self, influences: impl IntoIterator<Item = (JointId, Vec3, f32)>) {
        self.influences.extend(influences.into_iter().map(|(joint, at, w)| (joint, (at * w).extend(w))));
        self.ends.push(self.influences.len() as u32);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The same vertices in a skeleton with other joint numbers.
    pub(super) fn renumbered(mut self, new_of: impl Fn(JointId) -> JointId) -> Self {
        self.influences.iter_mut().for_each(|(joint, _)| *joint = new_of(*joint));
        self
    }

    fn range(&self, vertex: usize) -> Range<usize> {
        let start = vertex.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[vertex] as usize
    }

    /// The vertices in model space.
    pub(super) fn places<'a>(&'a self, model: &'a ModelPose) -> impl Iterator<Item = Vec3> + 'a {
        (0..self.len()).map(move |vertex| {
            let place = |(joint, point): &(JointId, Vec4)| {
                let model_from_joint = model.joint(*joint);
                model_from_joint.matrix3 * Vec3A::from_vec4(*point) + model_from_joint.translation * point.w
            };
            self.influences[self.range(vertex)].iter().map(place).sum::<Vec3A>().into()
        })
    }

    /// The height of the lowest vertex; `None` without vertices.
    pub(super) fn lowest(&self, model: &ModelPose, up: Vec3) -> Option<f32> {
        self.places(model).map(|p| p.dot(up)).reduce(f32::min)
    }
}
