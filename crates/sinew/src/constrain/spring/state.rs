//! What one instance remembers of its springs, and how they are stepped.

use super::{Springs, anchors::AnchorState, collide::WorldShape};
use crate::transform::{Transform, inverse_affine};
use glam::{Affine3A, DAffine3, DVec3, Mat3A, Quat, Vec3};

/// How time becomes steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpringTiming {
    /// Steps of 1/60 s, however often the springs are stepped: the motion does not depend on the frame rate. The time that
    /// is left over is shown as a part of the next step.
    #[default]
    Fixed,
    /// One step for each call, as long as the call says: what `@pixiv/three-vrm` does. The motion depends on the frame
    /// rate.
    EachCall,
}

/// How a [`SpringState`] is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpringOptions {
    /// How time becomes steps.
    pub timing: SpringTiming,
    /// True if radii grow with the scale of their joints in the world, by the largest of three axes.
    pub scales_radii: bool,
}

impl Default for SpringOptions {
    /// Fixed steps and radii that grow with the character.
    fn default() -> Self {
        Self { timing: SpringTiming::Fixed, scales_radii: true }
    }
}

impl SpringOptions {
    /// The behavior of `@pixiv/three-vrm`: a step for each call, and radii in meters of the world.
    pub const THREE_VRM: Self = Self { timing: SpringTiming::EachCall, scales_radii: false };
}

/// The time that passes in a step, and where the model is at its end. A number is a time with the model at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringStep {
    /// The time since the step before, in seconds. Negative and non-finite times are 0.
    pub dt_secs: f32,
    /// The placement of the model in the world: springs swing when it moves.
    pub world_from_model: Transform,
}

impl From<f32> for SpringStep {
    fn from(dt_secs: f32) -> Self {
        Self { dt_secs, world_from_model: Transform::IDENTITY }
    }
}

/// What one instance remembers of its springs: where the bones ended, now and a step ago.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringState {
    pub(super) options: SpringOptions,
    pub(super) world_from_model: Affine3A,
    /// The time that no step has used yet.
    pub(super) remainder_secs: f64,
    pub(super) is_fresh: bool,
    pub(super) anchors: AnchorState,
    pub(super) pairs: Vec<PairState>,
    /// The rotations of the pairs as the pose shows them.
    pub(super) shown: Vec<Quat>,
    pub(super) nodes: Vec<NodeMatrix>,
    pub(super) shapes: Vec<WorldShape>,
    /// For each anchor that is a center space, its matrix and the inverse.
    pub(super) centers: Vec<CenterSpace>,
}

/// A space in which motion is measured, in double precision: velocities are small differences of large positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CenterSpace {
    pub(super) world_from_center: DAffine3,
    pub(super) center_from_world: DAffine3,
}

/// The state of a joint that swings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PairState {
    /// The end of the bone in center space, now and a step ago.
    pub(super) current: DVec3,
    pub(super) previous: DVec3,
    pub(super) rotation: Quat,
    /// The end of the bone in the space of its joint, in the latest pose.
    pub(super) tail: Vec3,
}

/// The matrix of a node in world space. Places are in double precision, so that a character may be far from the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NodeMatrix {
    pub(super) place: DVec3,
    /// The linear part of the matrix.
    pub(super) linear: Mat3A,
    /// The linear part without the joint's own scale.
    pub(super) unscaled: Mat3A,
}

impl SpringState {
    pub(super) fn new(springs: &Springs) -> Self {
        let pairs =
            springs.pairs.iter().map(|pair| PairState { rotation: pair.rest, ..PairState::default() });
        Self {
            options: SpringOptions::default(),
            world_from_model: Affine3A::IDENTITY,
            remainder_secs: 0.0,
            is_fresh: true,
            anchors: AnchorState::new(springs.anchors.len()),
            pairs: pairs.collect(),
            shown: springs.pairs.iter().map(|pair| pair.rest).collect(),
            nodes: vec![NodeMatrix::default(); springs.nodes.len()],
            shapes: vec![WorldShape::NOWHERE; springs.colliders.len()],
            centers: vec![CenterSpace::default(); springs.anchors.len()],
        }
    }

    /// This state with other options.
    #[must_use]
    pub fn with_options(mut self, options: SpringOptions) -> Self {
        self.options = options;
        self
    }

    /// How the state is stepped.
    #[must_use]
    pub fn options(&self) -> SpringOptions {
        self.options
    }

    /// True if the state was made for these springs, or for others with as many joints, spaces and colliders.
    #[must_use]
    pub fn fits(&self, springs: &Springs) -> bool {
        let counts = [self.pairs.len(), self.nodes.len(), self.shapes.len(), self.centers.len()];
        let of =
            [&springs.pairs.len(), &springs.nodes.len(), &springs.colliders.len(), &springs.anchors.len()];
        counts == of.map(|count| *count)
    }

    /// Forgets all motion: the next step starts at rest, wherever the character is then.
    pub fn reset(&mut self) {
        self.is_fresh = true;
    }

    /// Moves the springs along with a character that jumps to another placement, as if it had always been there. The shape
    /// of the chains stays, and the jump does not make them swing. A placement that cannot be inverted resets the state.
    pub fn teleport(&mut self, springs: &Springs, world_from_model: &Transform) {
        let new = world_from_model.to_affine();
        let Some(model_from_world) = inverse_affine(&self.world_from_model) else {
            self.reset();
            self.world_from_model = new;
            return;
        };
        let new_from_old = new * model_from_world;
        self.world_from_model = new;
        self.anchors.carry(&new_from_old);
        let precise = precise(&new_from_old);
        for node in &mut self.nodes {
            node.place = precise.transform_point3(node.place);
            node.linear = new_from_old.matrix3 * node.linear;
            node.unscaled = new_from_old.matrix3 * node.unscaled;
        }
        for (pair, state) in springs.pairs.iter().zip(&mut self.pairs) {
            if pair.center.is_none() {
                state.current = precise.transform_point3(state.current);
                state.previous = precise.transform_point3(state.previous);
            }
        }
    }

    /// The local rotations of the joints that swing, in the order of [`Springs::joints`](super::Springs::joints), as of the
    /// latest step.
    #[must_use]
    pub fn shown(&self) -> &[Quat] {
        &self.shown
    }
}

/// The same matrix in double precision.
pub(super) fn precise(matrix: &Affine3A) -> DAffine3 {
    let m = &matrix.matrix3;
    DAffine3::from_cols(
        m.x_axis.as_dvec3(),
        m.y_axis.as_dvec3(),
        m.z_axis.as_dvec3(),
        matrix.translation.as_dvec3(),
    )
}
