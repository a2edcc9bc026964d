//! Operations on weights. Each reports what it changed and measures the effect on the character.
//!
//! All of them change only what the [`Edit`](super::Edit) selects, leave locked joints alone, keep sums at exactly one and keep
//! the copies of a point equal.

mod bind;
pub mod brush;
mod copy;
mod joints;
mod limit;
mod mirror;
mod paste;
mod quantize;
mod refit;
mod simple;
mod slot_map;
mod smooth;
mod spread;
mod transfer;

pub use bind::{BakedBind, bake_bind};
pub use copy::{CopyBy, CopyOutcome, copy};
pub use joints::{
    AddedJoint, ReducedSkin, SplitAlong, add_joint, merge_joints, remove_unused_joints, split_joint,
};
pub use limit::{LimitBy, limit};
pub(crate) use mirror::JointPairs;
pub use mirror::{
    MirrorAxis, MirrorJointMap, MirrorMapError, MirrorOptions, MirrorOutcome, MirrorSide, VertexMirrorMap,
    mirror, mirror_over_surface,
};
pub use paste::{PasteBy, paste};
pub use quantize::{QuantizeOutcome, QuantizedWeights, Unorm, quantize};
pub use simple::{normalize, prune, sharpen};
pub use slot_map::{SkinAndSkeleton, SlotMap};
pub use smooth::{SmoothOptions, smooth};
pub use spread::{SpreadAlong, SpreadOutcome, spread_joint};
pub(in crate::weights) use transfer::transfer_from;
pub use transfer::{TransferOptions, TransferOutcome, transfer};
