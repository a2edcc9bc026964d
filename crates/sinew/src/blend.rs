//! Blending: layers, masks, transitions, blend spaces, and the graph that combines them.
//!
//! Every step reads sampled [`LocalPose`]s and writes another one, which constraints and the hierarchy read. Each step is
//! a plain function over borrowed poses; [`graph`] describes the animation of a whole character as data.
//!
//! ```
//! use sinew::{Wrap, blend::{PoseLayer, blend}, sample_clip};
//!
//! let figure = sinew_samples::figure();
//! let rest = figure.rest_pose();
//! let (mut walk, mut run, mut out) = (rest.clone(), rest.clone(), rest.clone());
//! sample_clip(figure.find_clip("walk").unwrap(), 0.2, Wrap::Loop, &mut walk);
//! sample_clip(figure.find_clip("run").unwrap(), 0.1, Wrap::Loop, &mut run);
//! blend(&[PoseLayer::new(&walk, 0.7), PoseLayer::new(&run, 0.3)], &rest, &mut out);
//! ```
//!
//! [`LocalPose`]: crate::LocalPose

mod additive;
mod easing;
pub mod graph;
mod inertial;
mod layer;
mod mask;
mod pair;
mod space;
mod sync;
mod transition;

pub use additive::{add, add_at, additive_identity, difference, subtract, subtract_at};
pub use easing::Easing;
pub use graph::{Graph, GraphDef, GraphError, GraphScratch, GraphState};
pub use inertial::{Inertializer, RecentMotion};
pub(crate) use layer::layer_joint;
pub use layer::{PoseLayer, REST_THRESHOLD, blend, blend_at, layer_over, layer_over_at};
pub use mask::Mask;
pub use pair::{PairPosition, PosePair};
pub use space::{BlendSpace1d, BlendSpace2d, BlendWeights, SpaceError};
pub use sync::{SyncError, SyncTrack};
pub use transition::Crossfade;
