//! Muscle joints of a skin: they displace the surface and carry none of it.

use super::table::SlotWeights;
use sinew::{
    Character, Influence, Weights,
    constrain::{DrivenProperty, HelperKind},
};
use std::collections::BTreeSet;

/// The slots of a skin whose joints have muscle weights, which do not count toward the sum of one.
///
/// Automatic weights give these joints no skin to carry, and a brush paints their muscle weights.
///
/// ```
/// use sinew::JointId;
/// use sinew_author::{helper_joints::{MuscleOptions, add_muscle}, weights::MuscleSlots};
///
/// let arm = sinew_samples::arm();
/// let muscled = add_muscle(&arm, JointId(0), JointId(1), &MuscleOptions::default())?.character;
/// assert!(MuscleSlots::of_character(&arm, 0).is_empty());
/// assert!(MuscleSlots::of_character(&muscled, 0).iter().eq([2]));
/// # Ok::<(), sinew_author::helper_joints::HelperJointError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MuscleSlots(BTreeSet<u16>);

impl MuscleSlots {
    /// The slots with a muscle weight in any vertex.
    #[must_use]
    pub fn of_weights(weights: &Weights) -> Self {
        Self(weights.muscle_slots().into_iter().collect())
    }

    /// The muscle joints of the skin of `character` at index `skin`: those with a muscle weight in any mesh of the skin, and
    /// those that a helper swells and that carry no vertex. None if there is no such skin.
    #[must_use]
    pub fn of_character(character: &Character, skin: usize) -> Self {
        let Some(joints) = character.skins().get(skin) else { return Self::default() };
        let instances = character.instances().iter().filter(|instance| instance.skin == Some(skin));
        let meshes: Vec<&Weights> =
            instances.filter_map(|instance| character.mesh_of(instance).weights()).map(|w| &**w).collect();
        let mut muscles: BTreeSet<u16> = meshes.iter().flat_map(|weights| weights.muscle_slots()).collect();
        let drivers = character.helpers().iter().filter_map(|helper| match &helper.kind {
            HelperKind::Drive(drivers) => Some(drivers),
            HelperKind::Twist { .. } | HelperKind::Correct(_) => None,
        });
        let swelling =
            drivers.flatten().filter(|driver| matches!(driver.property, DrivenProperty::Scale { .. }));
        let swelling: BTreeSet<u16> = swelling.filter_map(|driver| joints.slot_of(driver.target)).collect();
        let carries = |slot: u16| meshes.iter().any(|weights| carries(weights, slot));
        let idle = swelling.difference(&muscles).copied().filter(|&slot| !carries(slot));
        let idle: Vec<u16> = idle.collect();
        muscles.extend(idle);
        Self(muscles)
    }

    /// The joints at these slots of the skin, as muscles.
    #[must_use]
    pub fn of(slots: impl IntoIterator<Item = u16>) -> Self {
        Self(slots.into_iter().collect())
    }

    /// True if the joint at `slot` is a muscle.
    #[must_use]
    pub fn holds(&self, slot: u16) -> bool {
        self.0.contains(&slot)
    }

    /// True if no joint is a muscle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The muscle weights of `vertex` with `given` for these muscles; all others stay.
    pub(super) fn replaced(&self, weights: &Weights, vertex: usize, given: SlotWeights) -> SlotWeights {
        let own = muscle_weights(weights, vertex).into_iter().filter(|w| !self.holds(w.0));
        own.chain(given).collect()
    }

    /// The slots in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u16> + '_ {
        self.0.iter().copied()
    }
}

/// True if any vertex follows the joint at `slot`.
fn carries(weights: &Weights, slot: u16) -> bool {
    (0..weights.vertex_count()).any(|vertex| weights.of(vertex).0.contains(&slot))
}

/// The muscle weights of `vertex`, of any sign and sum.
pub(super) fn muscle_weights(weights: &Weights, vertex: usize) -> SlotWeights {
    weights.muscle_influences(vertex).map(|i| (i.slot, f64::from(i.weight))).collect()
}

/// Muscle weights as influences.
pub(super) fn muscle_influences(slot_weights: &[(u16, f64)]) -> Vec<Influence> {
    slot_weights.iter().map(|&(slot, weight)| Influence { slot, weight: weight as f32 }).collect()
}
