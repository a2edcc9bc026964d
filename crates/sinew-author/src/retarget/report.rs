//! The report of a retargeted clip.

use super::{confidence::MapConfidence, losses::ClipLosses, slide::ContactSlide};
use sinew::BodySide;
use std::ops::Range;

/// A part of the body that touches the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactPart {
    /// A foot with its toes.
    Foot,
    /// A hand with its fingers.
    Hand,
}

/// What the vertices of a foot or hand do on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundFigures {
    /// How planted vertices slide.
    pub slide: ContactSlide,
    /// The largest depth of a vertex below the ground in any frame; 0 if none is below.
    pub penetration_meters: f32,
    /// The largest height of the lowest vertex above the ground during a contact.
    pub hover_meters: f32,
}

/// Figures about one foot or hand, measured on its vertices; on points of the skeleton if it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactReport {
    /// Whether it is a foot or a hand.
    pub part: ContactPart,
    /// The side of the body.
    pub side: BodySide,
    /// The number of vertices that were measured; 0 if the character has none there.
    pub vertices: usize,
    /// The number of contacts.
    pub contacts: usize,
    /// The total duration of contacts, in seconds.
    pub contact_secs: f32,
    /// The figures with rotations alone.
    pub before: GroundFigures,
    /// The figures after pinning; `None` if contacts were not pinned.
    pub after: Option<GroundFigures>,
    /// The mean distance of the ankle or wrist from its goal, over all frames.
    pub mean_reach_error_meters: f32,
    /// The largest distance of the ankle or wrist from its goal.
    pub worst_reach_error_meters: f32,
    /// The largest angle by which the knee or elbow bends the wrong way, in degrees.
    pub overbend_degrees: f32,
    /// The largest distance by which that moves a vertex of the foot or hand.
    pub overbend_meters: f32,
}

impl ContactReport {
    pub(super) fn new(
        part: ContactPart,
        side: BodySide,
        vertices: usize,
        contacts: &[Range<usize>],
        times_secs: &[f32],
    ) -> Self {
        let secs =
            contacts.iter().map(|c| times_secs[c.end - 1] - times_secs[c.start]).fold(0.0, |a, b| a + b);
        Self {
            part,
            side,
            vertices,
            contacts: contacts.len(),
            contact_secs: secs,
            before: GroundFigures::default(),
            after: None,
            mean_reach_error_meters: 0.0,
            worst_reach_error_meters: 0.0,
            overbend_degrees: 0.0,
            overbend_meters: 0.0,
        }
    }

    pub(super) fn note_reach(&mut self, meters: f32, frames: usize) {
        self.mean_reach_error_meters += meters / frames.max(1) as f32;
        self.worst_reach_error_meters = self.worst_reach_error_meters.max(meters);
    }

    /// The figures of the result: after pinning if it was asked for.
    #[must_use]
    pub fn result(&self) -> &GroundFigures {
        self.after.as_ref().unwrap_or(&self.before)
    }
}

/// A joint that leaves its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitReport {
    /// The name of the joint.
    pub joint: String,
    /// The largest angle beyond the limit, in degrees.
    pub worst_degrees: f32,
    /// The largest distance by which that moves a vertex that follows the joint.
    pub worst_meters: f32,
    /// The number of frames beyond the limit.
    pub frames: usize,
}

/// The result of retargeting in figures.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetReport {
    /// The source and target names of all pairs, in the order of the target's joints.
    pub mapped: Vec<(String, String)>,
    /// How much the map can be trusted.
    pub confidence: MapConfidence,
    /// Source joints that the clip animates but that drive no joint.
    pub unmapped_source: Vec<String>,
    /// Target joints that stay at rest relative to their parents.
    pub unmapped_target: Vec<String>,
    /// The scale of root translation.
    pub root_scale: f32,
    /// The number of retargeted poses.
    pub frames: usize,
    /// True if the clip began with a single rest frame, which was dropped.
    pub dropped_rest_frame: bool,
    /// The height of the target at rest, from its lowest to its highest vertex; of its joints if it has no vertices.
    pub height_meters: f32,
    /// The height of the ground, along the up direction of the target.
    pub ground_meters: f32,
    /// Reports on the feet and hands that both bodies have.
    pub contacts: Vec<ContactReport>,
    /// The largest depth of any vertex of the character below the ground, in the result.
    pub body_penetration_meters: f32,
    /// The largest distance that the body had to sink so that limbs reach.
    pub worst_sink_meters: f32,
    /// The joints that leave the limits given in the options, the worst first.
    pub limits: Vec<LimitReport>,
    /// What the clip moves that the result does not.
    pub losses: ClipLosses,
}
