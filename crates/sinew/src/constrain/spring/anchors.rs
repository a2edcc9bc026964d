//! The spaces that springs take from the pose, in world space and at any time between two poses.

use crate::{asset::skeleton::JointId, pose::ModelPose, sample::slerp};
use glam::{Affine3A, Mat3A, Quat, Vec3A};

/// A space that comes from the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The frame of a joint without its own rotation and scale.
    Frame {
        joint: JointId,
        parent: Option<JointId>,
        /// True if the joint does not inherit its parent's own scale.
        is_compensated: bool,
    },
    /// The whole matrix of a joint.
    Whole(JointId),
}

impl Anchor {
    fn in_model(&self, model: &ModelPose) -> Affine3A {
        match *self {
            Self::Whole(joint) => model.joint(joint),
            Self::Frame { joint, parent, is_compensated } => {
                let frame = match parent {
                    None => Affine3A::IDENTITY,
                    Some(parent) if is_compensated => model.unscaled(parent),
                    Some(parent) => model.joint(parent),
                };
                Affine3A { matrix3: frame.matrix3, translation: model.joint(joint).translation }
            }
        }
    }
}

/// A rotation times a rest, between two matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AnchorBlend {
    rotations: [Quat; 2],
    rests: [Mat3A; 2],
    places: [Vec3A; 2],
}

/// The anchors of one instance in world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AnchorState {
    /// As of the latest pose but one, and of the latest.
    before: Vec<Affine3A>,
    after: Vec<Affine3A>,
    /// Now, at some time between them.
    pub(super) now: Vec<Affine3A>,
    blends: Vec<AnchorBlend>,
}

impl AnchorState {
    pub(super) fn new(count: usize) -> Self {
        let at_origin = vec![Affine3A::IDENTITY; count];
        let still = AnchorBlend {
            rotations: [Quat::IDENTITY; 2],
            rests: [Mat3A::IDENTITY; 2],
            places: [Vec3A::ZERO; 2],
        };
        Self {
            before: at_origin.clone(),
            after: at_origin.clone(),
            now: at_origin,
            blends: vec![still; count],
        }
    }

    /// Takes over the latest pose; the one before it is kept.
    pub(super) fn read(&mut self, anchors: &[Anchor], model: &ModelPose, world_from_model: &Affine3A) {
        std::mem::swap(&mut self.before, &mut self.after);
        for (after, anchor) in self.after.iter_mut().zip(anchors) {
            *after = *world_from_model * anchor.in_model(model);
        }
    }

    /// Forgets where the anchors came from.
    pub(super) fn stop(&mut self) {
        self.before.copy_from_slice(&self.after);
        self.now.copy_from_slice(&self.after);
    }

    /// Moves to the latest pose.
    pub(super) fn place_at_end(&mut self) {
        self.now.copy_from_slice(&self.after);
    }

    /// Prepares the blends that [`AnchorState::place_at`] evaluates.
    pub(super) fn prepare(&mut self) {
        for (blend, (before, after)) in self.blends.iter_mut().zip(self.before.iter().zip(&self.after)) {
            let rotations = [rotation_of(&before.matrix3), rotation_of(&after.matrix3)];
            let rest = |q: Quat, m: &Mat3A| Mat3A::from_quat(q.conjugate()) * *m;
            let rests = [rest(rotations[0], &before.matrix3), rest(rotations[1], &after.matrix3)];
            *blend = AnchorBlend { rotations, rests, places: [before.translation, after.translation] };
        }
    }

    /// Moves to a fraction of the time from one pose to the next. Rotations follow the shortest arc.
    pub(super) fn place_at(&mut self, fraction: f32) {
        for (now, blend) in self.now.iter_mut().zip(&self.blends) {
            let turn = slerp(blend.rotations[0], blend.rotations[1], fraction);
            let rest = blend.rests[0] * (1.0 - fraction) + blend.rests[1] * fraction;
            *now = Affine3A {
                matrix3: Mat3A::from_quat(turn) * rest,
                translation: blend.places[0].lerp(blend.places[1], fraction),
            };
        }
    }

    /// Moves everything to another place in the world.
    pub(super) fn carry(&mut self, new_from_old: &Affine3A) {
        for list in [&mut self.before, &mut self.after, &mut self.now] {
            list.iter_mut().for_each(|matrix| *matrix = *new_from_old * *matrix);
        }
    }
}

/// A rotation that turns with the matrix; the identity where its first two axes have no direction.
fn rotation_of(matrix: &Mat3A) -> Quat {
    let flat = |axis: Vec3A, from: Vec3A| axis - from * from.dot(axis);
    let axes = matrix.x_axis.try_normalize().and_then(|x| {
        let y = flat(matrix.y_axis.try_normalize()?, x).try_normalize()?;
        Some(Mat3A::from_cols(x, y, x.cross(y)))
    });
    axes.map_or(Quat::IDENTITY, |axes| Quat::from_mat3a(&axes).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn blends_start_and_end_at_the_given_matrices_and_turn_between_them() {
        let turned = |angle: f32, scale: Vec3| {
            Affine3A::from_scale_rotation_translation(scale, Quat::from_rotation_y(angle), Vec3::X * angle)
        };
        let mirrored = Vec3::new(-2.0, 1.0, 0.5);
        let mut state = AnchorState::new(3);
        state.before = vec![turned(0.2, Vec3::ONE), turned(0.1, mirrored), turned(0.0, Vec3::ZERO)];
        state.after = vec![turned(1.2, Vec3::ONE), turned(0.9, mirrored), turned(2.0, Vec3::ZERO)];
        state.prepare();
        for (fraction, want) in [(0.0, state.before.clone()), (1.0, state.after.clone())] {
            state.place_at(fraction);
            let near = |(a, b): (&Affine3A, &Affine3A)| a.abs_diff_eq(*b, 1e-6);
            assert!(state.now.iter().zip(&want).all(near), "{:?} {want:?}", state.now);
        }
        state.place_at(0.5);
        assert!(state.now[0].abs_diff_eq(turned(0.7, Vec3::ONE), 1e-6));
        assert!(state.now[1].abs_diff_eq(turned(0.5, mirrored), 1e-6));
    }
}
