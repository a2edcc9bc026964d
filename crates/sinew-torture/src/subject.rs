//! What is tortured: every input format with all that is done to it, and every fuzz target.

use crate::{drive, mutate::Shape, random::Random, seed, target};

/// How an input was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was read and used.
    Accepted,
    /// It was refused with a reason.
    Refused,
}

impl Verdict {
    /// Accepted if there is a value.
    pub fn of<T, E>(result: &Result<T, E>) -> Self {
        if result.is_ok() { Self::Accepted } else { Self::Refused }
    }
}

/// One kind of input: how it begins, how it is mutated, and what is done to it.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The name in tables and on the command line.
    pub name: &'static str,
    /// The structure that mutations keep.
    pub shape: Shape,
    /// Small valid inputs, made by code.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input and uses it. It must not panic, whatever the bytes are.
    pub run: fn(&[u8], &mut Random) -> Verdict,
}

const fn subject(
    name: &'static str,
    shape: Shape,
    seeds: fn() -> Vec<Vec<u8>>,
    run: fn(&[u8], &mut Random) -> Verdict,
) -> Subject {
    Subject { name, shape, seeds, run }
}

/// Every format that Sinew reads, driven through every stage and writer.
pub const FORMATS: &[Subject] = &[
    subject("glb", Shape::Glb, seed::glb, drive::bytes),
    subject("gltf", Shape::JsonAndBuffer, seed::gltf_with_files, drive::folder),
    subject("vrm", Shape::Glb, seed::vrm, drive::bytes),
    subject("vrma", Shape::Glb, seed::vrma, drive::bytes),
    subject("bvh", Shape::Text, seed::bvh, drive::bytes),
    subject("cooked", Shape::Binary, seed::cooked, drive::cooked),
    #[cfg(feature = "fbx")]
    subject("fbx text", Shape::Text, seed::fbx, drive::bytes),
    #[cfg(feature = "fbx")]
    subject("fbx binary", Shape::Binary, seed::fbx, drive::bytes),
    subject("c3d", Shape::Binary, seed::c3d, drive::markers),
    subject("trc", Shape::Text, seed::trc, drive::markers),
    subject("vertex cache", Shape::Binary, seed::vertex_caches, |bytes, _| target::vertex_cache(bytes)),
    subject("obj", Shape::Text, seed::objs, drive::obj),
    subject("graph", Shape::Text, seed::graphs, |bytes, _| target::graph(bytes)),
    subject("clip text", Shape::Text, seed::clip_texts, drive::clip_text),
    subject("pose text", Shape::Text, seed::pose_texts, drive::pose_text),
    subject("weights text", Shape::Text, seed::weights_texts, drive::weights_text),
    subject("joint map", Shape::Text, seed::joint_maps, drive::joint_map),
    subject("marker text", Shape::Text, seed::marker_texts, |bytes, _| target::marker_text(bytes)),
    #[cfg(feature = "studio")]
    subject("journal", Shape::JsonLines, seed::journals, |bytes, _| target::journal(bytes)),
    #[cfg(feature = "studio")]
    subject("page message", Shape::Json, seed::page_messages, |bytes, _| target::page_message(bytes)),
];

/// Every fuzz target; those of the studio run without libFuzzer alone.
pub const TARGETS: &[Subject] = &[
    subject("gltf", Shape::Json, seed::gltf, |bytes, _| target::gltf(bytes)),
    subject("glb", Shape::JsonAndBuffer, seed::glb_halves, |bytes, _| target::glb(bytes)),
    subject("gltf_structured", Shape::Binary, seed::decisions, |bytes, _| target::gltf_structured(bytes)),
    subject("gltf_files", Shape::JsonAndBuffer, seed::gltf_with_files, |bytes, _| target::gltf_files(bytes)),
    subject("round_trip", Shape::Binary, seed::decisions, |bytes, _| target::round_trip(bytes)),
    subject("compress", Shape::Binary, seed::compressions, |bytes, _| target::compress(bytes)),
    subject("vrm", Shape::Glb, seed::avatars, |bytes, _| target::vrm(bytes)),
    subject("meshopt", Shape::Binary, seed::meshopt_streams, |bytes, _| target::meshopt(bytes)),
    subject("draco", Shape::Binary, seed::draco_streams, |bytes, _| target::draco(bytes)),
    subject("bvh", Shape::Text, seed::bvh, |bytes, _| target::bvh(bytes)),
    subject("cooked", Shape::Binary, seed::cooked, |bytes, _| target::cooked(bytes)),
    #[cfg(feature = "fbx")]
    subject("fbx", Shape::Binary, seed::fbx, |bytes, _| target::fbx(bytes)),
    #[cfg(feature = "fbx")]
    subject("fbx_motion", Shape::Text, seed::fbx, |bytes, _| target::fbx_motion(bytes)),
    subject("c3d", Shape::Binary, seed::c3d, |bytes, _| target::c3d(bytes)),
    subject("trc", Shape::Text, seed::trc, |bytes, _| target::trc(bytes)),
    subject("vertex_cache", Shape::Binary, seed::vertex_caches, |bytes, _| target::vertex_cache(bytes)),
    subject("obj", Shape::Text, seed::objs, |bytes, _| target::obj(bytes)),
    subject("graph", Shape::Text, seed::graphs, |bytes, _| target::graph(bytes)),
    subject("clip_text", Shape::Text, seed::clip_texts, |bytes, _| target::clip_text(bytes)),
    subject("pose_text", Shape::Text, seed::pose_texts, |bytes, _| target::pose_text(bytes)),
    subject("weights_text", Shape::Text, seed::weights_texts, |bytes, _| target::weights_text(bytes)),
    subject("joint_map", Shape::Text, seed::joint_maps, |bytes, _| target::joint_map(bytes)),
    subject("marker_text", Shape::Text, seed::marker_texts, |bytes, _| target::marker_text(bytes)),
    #[cfg(feature = "studio")]
    subject("journal", Shape::JsonLines, seed::journals, |bytes, _| target::journal(bytes)),
    #[cfg(feature = "studio")]
    subject("page_message", Shape::Json, seed::page_messages, |bytes, _| target::page_message(bytes)),
];
