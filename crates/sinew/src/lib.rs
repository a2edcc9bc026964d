//! Skeletal animation and skinning.
//!
//! Data flows one way: an asset is sampled into a local pose, the pose goes down the hierarchy to model space, skins turn
//! it into palettes, and palettes deform vertices. Each step is a plain function over borrowed input that writes into
//! the caller's output:
//!
//! ```
//! use sinew::{DeformInput, DeformScratch, Method, ModelPose, Palette, Streams, Wrap, deform, sample_clip};
//!
//! let figure = sinew_samples::figure();
//! let walk = figure.find_clip("walk").unwrap();
//! let mut local = figure.rest_pose();
//! sample_clip(walk, 0.4, Wrap::Loop, &mut local);          // clip, time -> local pose
//!
//! let mut model = ModelPose::new(figure.skeleton());
//! model.update(figure.skeleton(), &local);                  // local -> model space
//!
//! let body = &figure.instances()[0];
//! let (mesh, skin) = (figure.mesh_of(body), figure.skin_of(body).unwrap());
//! let mut palette = Palette::new(skin);
//! palette.update(skin, &model);                             // pose, skin -> matrices
//!
//! let mut out = Streams::of_mesh(mesh);
//! let input = DeformInput::new(mesh, &palette);
//! let mut scratch = DeformScratch::for_mesh(mesh);
//! let path = deform::deform(Method::Linear, &input, &mut scratch, out.as_surface_mut()).unwrap();
//! assert!(path.is_kernel());                                // which code ran
//! assert_eq!(out.positions.len(), mesh.vertex_count());
//! ```
//!
//! [`Frame`] strings the steps together for those who want one call:
//!
//! ```
//! # use sinew::{Frame, Method, Wrap};
//! let figure = sinew_samples::figure();
//! let mut frame = Frame::new(&figure);
//! frame.sample(figure.find_clip("walk").unwrap(), 0.4, Wrap::Loop);
//! frame.deform(Method::Linear).unwrap();
//! assert!(frame.bounds().size().y > 1.5);            // a person of some 1.7 m
//! ```
//!
//! Conventions are glTF's: right-handed, Y up, meters, seconds, radians, column vectors, quaternions xyzw. A transform
//! that takes points of space `b` to space `a` is called `a_from_b`.
#![forbid(unsafe_code)]

pub mod asset;
pub mod blend;
pub mod bounds;
pub mod constrain;
pub mod deform;
pub mod finding;
pub mod frame;
mod identity;
pub mod instance;
pub mod measure;
pub mod palette;
pub mod pose;
pub mod sample;
pub mod simd;
pub mod transform;

pub use glam;

// Unit tests use the built-in characters. Their crate depends on this one, so linking it would bring in a second copy
// of every type; compiled in here, the characters are made of the types under test.
#[cfg(test)]
extern crate self as sinew;
#[cfg(test)]
#[allow(
    unreachable_pub,
    unused_imports,
    dead_code,
    reason = "not every built-in character is used by a unit test"
)]
#[path = "../../sinew-samples/src/lib.rs"]
mod sinew_samples;

pub use asset::character::{Character, CharacterError, CharacterParts, CharacterScene, MeshInstance};
pub use asset::clip::{
    Channel, Clip, ClipError, ClipEvent, ClipKind, ClipParts, MetaChannel, MetaCurve, MetaFault,
};
pub use asset::compact::{CompactClip, CompactError, CompactOptions, CompactReport};
pub use asset::curve::{Curve, CurveError, Interpolation};
pub use asset::extras::{Extras, ExtrasOwner};
pub use asset::material::{AlphaMode, Image, Material, Texture, TextureWrap};
pub use asset::mesh::{Mesh, MeshError, MeshParts, Primitive, Topology, WeldedPoints};
pub use asset::morph::{MorphError, MorphTarget, MorphTargets};
pub use asset::precomputed::{
    BlendMap, CentersOfRotation, DeltaMushData, DirectMushData, DirectMushParts, MushDetail, MushParts,
    Precomputed, PrecomputedError,
};
pub use asset::skeleton::{Joint, JointId, Skeleton, SkeletonError};
pub use asset::skin::{Skin, SkinError};
pub use asset::weights::{Influence, WeightRepairs, WeightSum, Weights, WeightsError};
pub use bounds::Aabb;
pub use deform::{
    Binding, DeformError, DeformInput, DeformPath, DeformScratch, Method, ReferenceReason, Streams, Surface,
    SurfaceMut,
};
pub use frame::{Frame, InfluenceContribution};
pub use palette::{DualQuat, DualQuatPalette, MusclePalette, Palette};
pub use pose::{LocalPose, ModelPose};
pub use sample::{
    ClipCursor, ClipRef, Playback, PlaybackStep, RootTrack, SeekEvents, TimeRange, Wrap, sample_clip,
    sample_clip_from, sample_compact,
};
pub use transform::Transform;
