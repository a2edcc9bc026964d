//! When the feet and hands of the target touch the ground.

use super::{
    RetargetOptions,
    align::AlignedBody,
    contact::{ContactThresholds, contacts},
    limb::ContactLimb,
    report::ContactPart,
    steps::{ContactStep, ContactSteps},
    take::SampledTake,
    transfer::Transfer,
    working_target::WorkingTarget,
};
use sinew::{BodySide, glam::Vec3};
use std::ops::Range;

/// Frame ranges of contacts; `None` where the source has no such limb.
pub(super) type ContactRanges = [Option<Vec<Range<usize>>>; 2];

/// The contacts of the left and the right foot and hand.
pub(super) struct Contacts {
    pub(super) feet: ContactRanges,
    hands: ContactRanges,
}

impl Contacts {
    pub(super) fn new(
        target: &AlignedBody<'_>,
        steps: &ContactSteps,
        transfer: &Transfer<'_>,
        take: &SampledTake<'_>,
        options: &RetargetOptions,
    ) -> Self {
        let Some(leg) = target.stance.leg_length else {
            return Self { feet: [None, None], hands: [None, None] };
        };
        let ranges = |steps: &[Option<ContactStep>; 2], height: f32, speed: f32| {
            let standing = ContactThresholds {
                height: height * leg,
                speed: speed * leg,
                shortest_secs: 0.03,
                shortest_gap_secs: 0.05,
            };
            steps.each_ref().map(|step| {
                let step = step.as_ref()?;
                let points: Vec<Vec3> = step.points.iter().map(|&p| transfer.place(p)).collect();
                let heights: Vec<f32> = step.heights.iter().map(|h| h * transfer.scale).collect();
                Some(contacts(&take.times_secs, &points, &heights, standing))
            })
        };
        Self {
            feet: ranges(&steps.feet, options.standing_height, options.standing_speed),
            hands: ranges(&steps.hands, options.hand_height, options.hand_speed),
        }
    }

    pub(super) fn limbs(self, target: &WorkingTarget<'_>, ground: f32) -> Vec<ContactLimb> {
        let mut out = Vec::new();
        for (part, ranges) in [(ContactPart::Foot, self.feet), (ContactPart::Hand, self.hands)] {
            for (side, ranges) in BodySide::BOTH.into_iter().zip(ranges) {
                if let Some(ranges) = ranges {
                    out.extend(ContactLimb::new(target, part, side, ground, ranges));
                }
            }
        }
        out
    }
}
