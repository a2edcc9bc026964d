//! What a clip moves that its form for another character does not.

use super::{body::Body, transfer::extent};
use sinew::{Channel, Clip, Curve, JointId, Skeleton, glam::Vec3};

/// What a clip moves that its form for another character does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipLosses {
    /// The names of joints that rotate and drive no joint.
    pub joints: Vec<String>,
    /// The names of joints whose translation changes and that do not move the whole body.
    pub translations: Vec<String>,
    /// The names of joints whose scale is not that at rest.
    pub scales: Vec<String>,
    /// The number of morph targets whose weight is not that at rest.
    pub morphs: usize,
    /// The names of meta-channels.
    pub metas: Vec<String>,
}

impl ClipLosses {
    /// True if nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What rotations and the motion of the body alone cannot say. `anchors` are the joints whose place the body follows,
    /// together with all joints above them; rotations of `joints` are lost too.
    pub(super) fn of_retargeting(
        clip: &Clip,
        source: &Body<'_>,
        anchors: &[JointId],
        joints: Vec<String>,
    ) -> Self {
        /// Changes below a thousandth, of the size of the body or of the value itself, cannot be seen.
        const VISIBLE: f32 = 1e-3;
        let skeleton = source.skeleton();
        let carries = |joint: JointId| anchors.iter().any(|&anchor| is_at_or_above(skeleton, joint, anchor));
        let name = |joint: JointId| skeleton.name(joint).to_owned();
        let mut out = Self { joints, ..Self::default() };
        let length = VISIBLE * extent(&source.aligned());
        let rest = source.character.rest_pose().morphs;
        for channel in clip.channels() {
            match channel {
                Channel::Rotation { .. } => {}
                Channel::Translation { joint, curve } => {
                    // Captures place joints elsewhere than their skeleton does; what counts is that they move.
                    let moves = !carries(*joint) && differs(curve, curve.key(0)[0], length);
                    out.translations.extend(moves.then(|| name(*joint)));
                }
                Channel::Scale { joint, curve } => {
                    out.scales
                        .extend(differs(curve, skeleton.rest(*joint).scale, VISIBLE).then(|| name(*joint)));
                }
                Channel::Morphs { first_slot, curve } => {
                    let rest = rest.get(*first_slot..).unwrap_or_default();
                    out.morphs += differing_weights(curve, rest, VISIBLE);
                }
            }
        }
        out
    }
}

/// True if `joint` is `other` or one of the joints above it.
fn is_at_or_above(skeleton: &Skeleton, joint: JointId, other: JointId) -> bool {
    std::iter::successors(Some(other), |&at| skeleton.parent(at)).any(|at| at == joint)
}

/// True if keys differ from a value by more than `visible`.
fn differs(curve: &Curve<Vec3>, from: Vec3, visible: f32) -> bool {
    (0..curve.key_count()).any(|key| curve.key(key)[0].distance(from) > visible)
}

/// The number of weights that differ from those at rest by more than `visible`.
fn differing_weights(curve: &Curve<f32>, rest: &[f32], visible: f32) -> usize {
    let at_rest = |slot: usize| rest.get(slot).copied().unwrap_or_default();
    let differs = |slot: usize| {
        let weight = |key: usize| curve.key(key)[slot];
        (0..curve.key_count()).any(|key| (weight(key) - at_rest(slot)).abs() > visible)
    };
    (0..curve.width()).filter(|&slot| differs(slot)).count()
}
