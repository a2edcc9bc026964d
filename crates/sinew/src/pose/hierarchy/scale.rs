//! Scale that is not inherited, after the hierarchy update.
//!
//! The plain update runs first, on any SIMD level. If the parent of a compensated joint is scaled, this step computes the
//! joint and its descendants again in scalar code, so all levels give the same bits. With unscaled parents the plain result
//! is right to the bit, since a factor of one changes no number.

use super::{PaddedMatrix, local_matrix, product};
use crate::{
    asset::skeleton::{JointId, ScaleOrder, ScaleStep},
    transform::Transform,
};
use glam::Vec3;

/// What a pose remembers for joints that do not inherit all scale.
#[derive(Clone, Debug, Default)]
pub(in crate::pose) struct ScaleState {
    /// True if a parent of a compensated joint is scaled; otherwise the lists below are out of date.
    is_active: bool,
    /// `model_from_joint` without the joint's own scale, for the parents of compensated joints.
    unscaled: Vec<PaddedMatrix>,
    /// True for joints that differ from the plain hierarchy.
    is_moved: Vec<bool>,
}

impl ScaleState {
    /// A state for `count` joints.
    pub(in crate::pose) fn new(count: usize) -> Self {
        Self { is_active: false, unscaled: vec![[0.0; 16]; count], is_moved: vec![false; count] }
    }

    /// The matrix of a parent of compensated joints without its own scale; `None` if nothing is scaled.
    pub(in crate::pose) fn unscaled(&self, parent: JointId) -> Option<&PaddedMatrix> {
        self.unscaled.get(parent.index()).filter(|_| self.is_active)
    }

    /// Corrects every joint of `model`, which is the plain hierarchy.
    pub(in crate::pose) fn update(
        &mut self,
        order: &ScaleOrder,
        local: &[Transform],
        model: &mut [PaddedMatrix],
    ) {
        self.is_active = has_scale(order, local);
        if self.is_active {
            self.fit(model.len());
            self.run(order, local, model, |_| true);
        }
    }

    /// Corrects the joints for which `wanted` returns true; the others are up to date.
    pub(in crate::pose) fn update_some(
        &mut self,
        order: &ScaleOrder,
        local: &[Transform],
        model: &mut [PaddedMatrix],
        wanted: impl Fn(u16) -> bool,
    ) {
        let was_active = self.is_active;
        if !was_active && !has_scale(order, local) {
            return;
        }
        self.fit(model.len());
        if !was_active {
            for &source in &order.sources {
                self.unscaled[usize::from(source)] = model[usize::from(source)];
            }
            self.is_moved.fill(false);
        }
        self.is_active = true;
        self.run(order, local, model, wanted);
    }

    /// A pose that was made for another skeleton of the same size gets its lists here.
    fn fit(&mut self, count: usize) {
        self.unscaled.resize(count, [0.0; 16]);
        self.is_moved.resize(count, false);
    }

    fn run(
        &mut self,
        order: &ScaleOrder,
        local: &[Transform],
        model: &mut [PaddedMatrix],
        wanted: impl Fn(u16) -> bool,
    ) {
        for step in order.steps.iter().filter(|step| wanted(step.joint)) {
            self.place(step, local, model);
        }
    }

    /// Computes one joint; its parent is done.
    fn place(&mut self, step: &ScaleStep, local: &[Transform], model: &mut [PaddedMatrix]) {
        let (joint, own) = (usize::from(step.joint), &local[usize::from(step.joint)]);
        let parent = step.parent.map(usize::from);
        let loses = step.is_compensated && parent.is_some_and(|p| local[p].scale != Vec3::ONE);
        let is_moved = loses || parent.is_some_and(|p| self.is_moved[p]);
        self.is_moved[joint] = is_moved;
        let frame = parent.map(|p| if step.is_compensated { self.unscaled[p] } else { model[p] });
        if let (true, Some(parent), Some(frame)) = (is_moved, parent, &frame) {
            let matrix = local_matrix(own);
            let mut placed = product(frame, &matrix);
            // The parent's scale still moves the joint.
            placed[12..].copy_from_slice(&product(&model[parent], &matrix)[12..]);
            model[joint] = placed;
        }
        if step.has_compensated {
            let turn = local_matrix(&Transform { scale: Vec3::ONE, ..*own });
            let mut unscaled = frame.map_or(turn, |frame| product(&frame, &turn));
            unscaled[12..].copy_from_slice(&model[joint][12..]);
            self.unscaled[joint] = unscaled;
        }
    }
}

/// True if the parent of a compensated joint is scaled.
fn has_scale(order: &ScaleOrder, local: &[Transform]) -> bool {
    order.sources.iter().any(|&source| local[usize::from(source)].scale != Vec3::ONE)
}
