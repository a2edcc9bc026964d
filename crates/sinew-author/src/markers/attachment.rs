//! Which marker is on which joint, and where.

use super::MarkerSolveError;
use sinew::{JointId, Skeleton, glam::Vec3};
use std::collections::HashMap;

/// A marker that is fixed to a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerAttachment {
    /// The label of the marker.
    pub label: String,
    /// The joint that carries the marker.
    pub joint: JointId,
    /// The position of the marker in joint space, in meters.
    pub offset: Vec3,
}

/// The markers of a character, each on one joint.
///
/// They come from a text file ([`MarkerAttachments::parse`]), from a frame in the rest pose
/// ([`guess_attachments`](super::guess_attachments)), and are refined by [`calibrate_markers`](super::calibrate_markers).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerAttachments {
    pub(super) list: Vec<MarkerAttachment>,
}

impl MarkerAttachments {
    /// Attachments to joints of `skeleton`.
    ///
    /// # Errors
    /// If a joint does not exist, an offset is not finite, or a label appears twice.
    pub fn new(
        skeleton: &Skeleton,
        attachments: impl IntoIterator<Item = MarkerAttachment>,
    ) -> Result<Self, MarkerSolveError> {
        let list: Vec<MarkerAttachment> = attachments.into_iter().collect();
        let mut taken: HashMap<&str, usize> = HashMap::new();
        for (index, one) in list.iter().enumerate() {
            let label = || one.label.clone();
            if one.joint.index() >= skeleton.len() {
                let (joint, joints) = (one.joint.index(), skeleton.len());
                return Err(MarkerSolveError::WrongSkeleton { label: label(), joint, joints });
            }
            if !one.offset.is_finite() {
                return Err(MarkerSolveError::BadOffset { label: label(), offset: one.offset });
            }
            if taken.insert(&one.label, index).is_some() {
                return Err(MarkerSolveError::LabelTwice { label: label() });
            }
        }
        Ok(Self { list })
    }

    /// Every attachment, in the order given.
    #[must_use]
    pub fn list(&self) -> &[MarkerAttachment] {
        &self.list
    }

    /// The attachment of the marker called `label`.
    #[must_use]
    pub fn find(&self, label: &str) -> Option<&MarkerAttachment> {
        self.list.iter().find(|one| one.label == label)
    }

    /// The same attachments with other offsets, in the same order.
    pub(super) fn with_offsets(&self, offsets: impl Fn(usize) -> Option<Vec3>) -> Self {
        let mut out = self.clone();
        for (index, one) in out.list.iter_mut().enumerate() {
            one.offset = offsets(index).filter(|offset| offset.is_finite()).unwrap_or(one.offset);
        }
        out
    }
}
