//! Where the feet and hands of the source are over time.

use super::{align::AlignedBody, take::SampledTake};
use sinew::{BodySide, JointId, ModelPose, glam::Vec3};
use std::ops::Range;

/// While hands carry the body, they may be this much higher than usual, as a fraction of the leg length.
const CARRYING: f32 = 0.15;

/// The motion of the source's feet and hands.
#[derive(Debug)]
pub(super) struct ContactSteps {
    /// The height of the lowest joint of planted feet; `None` if there are no feet.
    pub(super) ground: Option<f32>,
    /// The left and the right foot.
    pub(super) feet: [Option<ContactStep>; 2],
    /// The left and the right hand.
    pub(super) hands: [Option<ContactStep>; 2],
}

/// The motion of one foot or hand of the source.
#[derive(Debug)]
pub(super) struct ContactStep {
    /// The position of the toes or the wrist in each frame, or of the ankle if there are no toes.
    pub(super) points: Vec<Vec3>,
    /// The height above the planted height.
    pub(super) heights: Vec<f32>,
}

impl ContactSteps {
    pub(super) fn of(take: &SampledTake<'_>, source: &AlignedBody<'_>) -> Self {
        let up = source.stance.up;
        let limbs = |side: BodySide| source.anatomy.side(side);
        let feet = BodySide::BOTH.map(|s| LimbEnd::new(source, limbs(s).foot, source.toe_point(s)));
        let hands = BodySide::BOTH.map(|s| LimbEnd::new(source, limbs(s).hand, None));
        let mut tracks = SourceTracks::default();
        take.each(|_, model| {
            feet.iter().zip(&mut tracks.feet).for_each(|(end, track)| track.push(end.as_ref(), model, up));
            hands.iter().zip(&mut tracks.hands).for_each(|(end, track)| track.push(end.as_ref(), model, up));
            tracks.is_inverted.push(is_inverted(source, model));
        });
        let ground = tracks.ground();
        let mut out = Self { ground, feet: [None, None], hands: [None, None] };
        let Some(ground) = ground else { return out };
        for ((step, track), end) in out.feet.iter_mut().zip(tracks.feet).zip(&feet) {
            let Some(end) = end else { continue };
            let standing = ground + source.at(end.point).dot(up) - source.stance.lowest_foot;
            let heights = track.points.iter().map(|p| p.dot(up) - standing).collect();
            *step = Some(ContactStep { points: track.points, heights });
        }
        let carrying = CARRYING * source.stance.leg_length.unwrap_or(0.0);
        for ((step, track), end) in out.hands.iter_mut().zip(tracks.hands).zip(&hands) {
            // Hands have no standing height at rest: their lowest joint counts.
            let height =
                |(low, inverted): (&f32, &bool)| low - ground - if *inverted { carrying } else { 0.0 };
            let heights = track.lowest.iter().zip(&tracks.is_inverted).map(height).collect();
            *step = end.as_ref().map(|_| ContactStep { points: track.points, heights });
        }
        out
    }

    /// The usual height of planted feet above the first estimate.
    pub(super) fn usual_height(&self, contacts: &[Option<Vec<Range<usize>>>; 2]) -> f32 {
        let standing = self.feet.iter().flatten().zip(contacts.iter().flatten());
        let mut heights: Vec<f32> = standing
            .flat_map(|(step, c)| c.iter().flat_map(|c| step.heights[c.clone()].iter().copied()))
            .collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(0.0)
    }
}

/// True if the head is below the hips, as in cartwheels and handstands.
fn is_inverted(source: &AlignedBody<'_>, model: &ModelPose) -> bool {
    let height = |joint: JointId| Vec3::from(model.joint(joint).translation).dot(source.stance.up);
    let (head, pelvis) = (source.anatomy.head.or(source.anatomy.chest()), source.anatomy.pelvis);
    head.zip(pelvis).is_some_and(|(head, pelvis)| height(head) < height(pelvis))
}

/// The motion of all limbs.
#[derive(Default)]
struct SourceTracks {
    feet: [EndTrack; 2],
    hands: [EndTrack; 2],
    is_inverted: Vec<bool>,
}

impl SourceTracks {
    /// The height of the lowest joint of planted feet.
    fn ground(&self) -> Option<f32> {
        let lower = |frame: usize| {
            self.feet.iter().filter_map(|t| t.lowest.get(frame)).fold(f32::INFINITY, |a, &b| a.min(b))
        };
        let mut lowest: Vec<f32> = (0..self.is_inverted.len()).map(lower).collect();
        lowest.sort_by(f32::total_cmp);
        // The lowest frame is often a toe pressed into the floor, so the tenth percentile is used.
        lowest.get(lowest.len() / 10).copied().filter(|g| g.is_finite())
    }
}

/// The joints of a foot or hand.
struct LimbEnd {
    joints: Vec<JointId>,
    point: JointId,
}

impl LimbEnd {
    fn new(body: &AlignedBody<'_>, end: Option<JointId>, point: Option<JointId>) -> Option<Self> {
        let end = end?;
        let joints = body.skeleton.joints().filter(|&j| body.skeleton.is_within(j, end)).collect();
        Some(Self { joints, point: point.unwrap_or(end) })
    }
}

/// The motion of a [`LimbEnd`].
#[derive(Default)]
struct EndTrack {
    points: Vec<Vec3>,
    lowest: Vec<f32>,
}

impl EndTrack {
    fn push(&mut self, end: Option<&LimbEnd>, model: &ModelPose, up: Vec3) {
        let Some(end) = end else { return };
        let at = |j: JointId| Vec3::from(model.joint(j).translation);
        self.points.push(at(end.point));
        self.lowest.push(end.joints.iter().map(|&j| at(j).dot(up)).fold(f32::INFINITY, f32::min));
    }
}
