//! Skeletal animation and skinning for engines and tools: sampling, blending, inverse kinematics, skinning and crowds, without
//! a renderer.
//!
//! # Play a clip
//!
//! A [`Frame`] owns every buffer for one character. Characters come from files (crate `sinew-formats`) or are built by code.
//!
//! ```
//! use sinew::{Frame, Method, Wrap};
//!
//! let mut frame = Frame::new(sinew_samples::figure());
//! let walk = frame.character().find_clip("walk").unwrap().clone();
//! for tick in 0..60 {
//!     frame.sample(&walk, tick as f32 / 60.0, Wrap::Loop);
//!     frame.deform(Method::Linear).unwrap();
//!     let vertices = &frame.deformed()[0].positions;        // model space, in meters
//!     assert!(vertices.iter().all(|v| v.is_finite()));
//! }
//! assert!(frame.bounds().size().y > 1.5);                   // a person of some 1.7 m
//! ```
//!
//! # Blend two clips
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
//! [`blend`] also has masks, additive layers, crossfades, inertialization, blend spaces and state machines ([`blend::graph`]).
//!
//! # Reach with a limb
//!
//! ```
//! use sinew::{ModelPose, constrain::{TwoBone, TwoBoneGoal, TwoBoneParts}, glam::Vec3};
//!
//! let figure = sinew_samples::figure();
//! let skeleton = figure.skeleton();
//! let [thigh, shin, foot] = ["thigh.L", "shin.L", "foot.L"].map(|name| skeleton.find(name).unwrap());
//! let leg = TwoBone::new(skeleton, TwoBoneParts::new(thigh, shin, foot)).unwrap();
//!
//! let (mut pose, mut model) = (figure.rest_pose(), ModelPose::new(skeleton));
//! model.update(skeleton, &pose);
//! let target = Vec3::from(model.joint(foot).translation) + Vec3::Y * 0.1;
//! assert!(leg.apply(&TwoBoneGoal::to(target), &model, &mut pose).reached);
//! ```
//!
//! [`constrain`] also has FABRIK, CCD, look-at, joint limits, foot placement and driven joints.
//!
//! # Run a crowd
//!
//! ```
//! use sinew::{Wrap, instance::{Archetype, InstanceScratch, update_all}};
//!
//! let archetype = Archetype::compact(sinew_samples::figure(), &Default::default()).unwrap();
//! let walk = archetype.find_motion("walk").unwrap();
//! let mut crowd: Vec<_> = (0..100).map(|_| archetype.new_instance()).collect();
//! for (n, instance) in crowd.iter_mut().enumerate() {
//!     instance.play(&archetype, walk, Wrap::Loop).unwrap();
//!     instance.seek(n as f64 * 0.1);
//! }
//! let mut scratch = InstanceScratch::new(&archetype);
//! update_all(&archetype, &mut crowd, 1.0 / 60.0, &mut scratch, |who, event| {
//!     println!("{who}: {}", event.event.name);
//! });
//! ```
//!
//! # Feed your own GPU skinning
//!
//! ```
//! use sinew::{Frame, Wrap, glam::Mat4};
//!
//! let mut frame = Frame::new(sinew_samples::figure());
//! let walk = frame.character().find_clip("walk").unwrap().clone();
//! frame.sample(&walk, 0.4, Wrap::Loop);
//! frame.update();
//! let upload: Vec<[f32; 16]> =
//!     frame.palettes()[0].matrices().iter().map(|&m| Mat4::from(m).to_cols_array()).collect();
//! assert_eq!(upload.len(), frame.character().skins()[0].joints().len());
//! ```
//!
//! # Every step on its own
//!
//! Data flows one way: [`asset`] → [`sample`] → [`blend`] → [`constrain`] → [`pose`] → [`palette`] → [`deform`] → [`bounds`]. Each
//! step is a plain function over borrowed input that writes into the caller's output and allocates nothing per frame.
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
//! Conventions are those of glTF: right-handed, Y up, meters, seconds, radians, column vectors, quaternions xyzw. A transform
//! that takes points of space `b` to space `a` is called `a_from_b`.
//!
//! # Features
//!
//! Features add functions and change no result.
//!
//! - `rayon`: splits deformation and crowds over rayon's current thread pool.
//! - `serde`: [`Transform`], [`LocalPose`], graph definitions and the assets of a [`Character`] implement the traits of
//!   serde. Assets are read through their constructors, so invalid data is an error.
#![forbid(unsafe_code)]

pub mod asset;
pub mod blend;
pub mod bounds;
pub mod bytes;
pub mod constrain;
pub mod deform;
pub mod extract;
pub mod finding;
pub mod frame;
mod identity;
pub mod instance;
pub mod measure;
pub mod naming;
pub mod palette;
pub mod pose;
mod range;
pub mod retarget;
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

pub use asset::binding::{BoundClip, BoundTranslations, ClipBinding};
pub use asset::character::{
    Character, CharacterError, CharacterGraph, CharacterParts, CharacterScene, MeshInstance,
};
pub use asset::clip::{
    Channel, Clip, ClipError, ClipEvent, ClipKind, ClipParts, MetaChannel, MetaCurve, MetaFault,
};
pub use asset::compact::{CompactClip, CompactError, CompactOptions, CompactReport};
pub use asset::compressed::{CompressedClip, CompressedError, CompressedParts};
pub use asset::curve::{Curve, CurveError, Interpolation};
pub use asset::extras::{Extras, ExtrasOwner};
pub use asset::humanoid::{BodySide, HumanBone, Humanoid, HumanoidError};
pub use asset::markers::{MarkerCapture, MarkerError, UpAxis};
pub use asset::material::{AlphaMode, Image, Material, Texture, TextureWrap};
pub use asset::mesh::{
    Mesh, MeshError, MeshParts, Primitive, RingFrame, Topology, VertexRings, WeldedPoints,
};
pub use asset::morph::{MorphError, MorphTarget, MorphTargets};
pub use asset::precomputed::{
    BlendMap, CentersOfRotation, ContactBone, ContactData, ContactParts, ContactVertex, DeltaMushData,
    DirectMushData, DirectMushParts, MushDetail, MushParts, Precomputed, PrecomputedError,
};
pub use asset::skeleton::{Joint, JointId, ScaleInheritance, Skeleton, SkeletonError};
pub use asset::skin::{Skin, SkinError};
pub use asset::source::CharacterSource;
pub use asset::weights::{
    Influence, InfluenceLists, InfluenceSlices, WeightRepairs, WeightSum, Weights, WeightsError,
};
pub use bounds::Aabb;
pub use deform::{
    Binding, DeformError, DeformInput, DeformPath, DeformScratch, Method, NormalSource, ReferenceReason,
    Streams, Surface, SurfaceMut,
};
pub use frame::{Frame, InfluenceContribution};
pub use palette::{
    ContactPalette, DualQuat, DualQuatPalette, MusclePalette, Palette, PaletteLayout, RotationHistory,
};
pub use pose::{LocalPose, ModelPose};
pub use range::MAX_VALUE;
pub use sample::{
    ClipCursor, ClipRef, Playback, PlaybackStep, RootTrack, SeekEvents, TimeRange, Wrap, sample_clip,
    sample_clip_from, sample_compact, sample_compressed, sample_compressed_at,
};
pub use transform::Transform;
