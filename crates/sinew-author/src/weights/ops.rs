//! Changes of weights: each says what it did and measures what that does to the character.
//!
//! All of them change only what the [`Edit`](super::Edit) selects, leave locked joints alone, keep sums at exactly one and
//! the copies of a point alike.

mod bind;
pub mod brush;
mod copy;
mod joints;
mod limit;
mod mirror;
mod paste;
mod quantise;
mod refit;
mod simple;
mod slot_map;
mod smooth;
mod spread;
mod transfer;

pub use bind::{BakedBind, bake_bind};
pub use copy::{CopyBy, CopyOutcome, copy};
pub use joints::{
    AddedJoint, Reduced, SplitAlong, add_joint, merge_joints, remove_unused_joints, split_joint,
};
pub use limit::{LimitBy, limit};
pub use mirror::{MirrorAxis, MirrorOptions, MirrorOutcome, MirrorSide, VertexMirrorMap, mirror};
pub use paste::{PasteBy, paste};
pub use quantise::{QuantiseOutcome, Quantised, Unorm, quantise};
pub use simple::{normalise, prune, sharpen};
pub use slot_map::SlotMap;
pub use smooth::{SmoothOptions, smooth};
pub use spread::{SpreadAlong, SpreadOutcome, spread_joint};
pub use transfer::{TransferOptions, TransferOutcome, transfer};
