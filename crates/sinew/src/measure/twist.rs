//! The twist between the joints of a vertex.

use super::BoneSegments;
use crate::asset::{skeleton::Skeleton, skin::Skin, weights::Weights};
use crate::{
    palette::Palette,
    transform::{Transform, inverse_affine},
};
use glam::{Quat, Vec3};

/// The axes about which the twist of a skin's joints is measured.
#[derive(Clone, Debug)]
pub struct Twist {
    /// For each slot, the directions of its bones in mesh space at bind time.
    axes: Vec<Vec<Vec3>>,
}

impl Twist {
    /// The bone directions of `skin`, from its [`BoneSegments`].
    pub fn new(skeleton: &Skeleton, skin: &Skin) -> Self {
        Self::of_bones(skin, &BoneSegments::new(skeleton, skin))
    }

    /// As [`Twist::new`], with the bones of `skin`.
    pub(super) fn of_bones(skin: &Skin, bones: &BoneSegments) -> Self {
        let axes = skin.joint_from_mesh().iter().zip(bones.tails()).map(|(joint_from_mesh, tails)| {
            let mesh_from_joint = inverse_affine(joint_from_mesh);
            let direction = |tail: &Vec3| mesh_from_joint?.transform_vector3(*tail).try_normalize();
            tails.iter().filter_map(direction).collect()
        });
        Self { axes: axes.collect() }
    }

    /// For each vertex, the twist between its two strongest joints about one of their bones, in radians from 0 to π; 0 for a
    /// vertex with one joint.
    ///
    /// # Panics
    /// If weights or palette do not belong to the skin.
    pub fn radians(&self, weights: &Weights, palette: &Palette) -> Vec<f32> {
        let matrices = palette.matrices();
        let turn = |slot: usize| Transform::from_affine(&matrices[slot]).0.rotation;
        let vertices = 0..weights.vertex_count();
        // A small mesh of a large skin uses few of its joints.
        if vertices.len() * 2 < matrices.len() {
            return vertices.map(|vertex| self.at(weights.of(vertex).0, turn)).collect();
        }
        let turns: Vec<Quat> = (0..matrices.len()).map(turn).collect();
        vertices.map(|vertex| self.at(weights.of(vertex).0, |slot| turns[slot])).collect()
    }

    fn at(&self, slots: &[u16], turn: impl Fn(usize) -> Quat) -> f32 {
        let [one, other, ..] = slots else { return 0.0 };
        let [one, other] = [usize::from(*one), usize::from(*other)];
        let between = turn(one).conjugate() * turn(other);
        let axes = self.axes[one].iter().chain(&self.axes[other]);
        axes.map(|axis| 2.0 * between.xyz().dot(*axis).abs().atan2(between.w.abs())).fold(0.0, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frame;
    use crate::sinew_samples;

    fn max_twist(bend: f32, twist: f32) -> f32 {
        let tube = sinew_samples::tube();
        let (mesh, skin) = (&tube.meshes()[0], &tube.skins()[0]);
        let mut frame = Frame::new(&tube);
        frame.local_mut().copy_from(&sinew_samples::tube_pose(bend, twist));
        frame.update();
        let radians =
            Twist::new(tube.skeleton(), skin).radians(mesh.weights().unwrap(), &frame.palettes()[0]);
        radians.into_iter().fold(0.0, f32::max)
    }

    #[test]
    fn a_twisted_tube_has_the_angle_it_was_twisted_by() {
        assert!((max_twist(0.0, 1.2) - 1.2).abs() < 1e-4);
    }

    #[test]
    fn a_bend_is_not_a_twist() {
        assert!(max_twist(1.2, 0.0) < 1e-3);
    }
}
