//! Deforms a character at several times.

use super::{Bake, BakeMotion, BakePart, BakedClip, MotionFitError, winding::Winding};
use sinew::glam::{Vec2, Vec3};
use sinew::{
    Character, Clip, DeformError, Frame, JointId, Method, NormalSource, Topology,
    simd::{self, Level},
};
use thiserror::Error;

/// The motion, times and method of a bake.
#[derive(Clone, Copy, Debug)]
pub struct BakeTake<'a> {
    /// The clip or the poses to go through.
    pub motion: BakeMotion<'a>,
    /// The times to bake, in seconds from the start of the clip.
    pub times_secs: &'a [f32],
    /// How the skin is deformed.
    pub method: Method,
    /// Whether normals are recorded too.
    pub normals: bool,
    /// Where normals come from.
    pub normal_source: NormalSource,
    /// The SIMD level that vertices are deformed at.
    pub level: Level,
}

impl<'a> BakeTake<'a> {
    /// Positions of `motion` at `times_secs`, at the widest SIMD level of this machine.
    #[must_use]
    pub fn new(motion: BakeMotion<'a>, times_secs: &'a [f32], method: Method) -> Self {
        let normal_source = NormalSource::default();
        Self { motion, times_secs, method, normals: false, normal_source, level: simd::best() }
    }

    /// The same with normals.
    #[must_use]
    pub fn with_normals(self, normals: bool) -> Self {
        Self { normals, ..self }
    }
}

/// Why a character cannot be baked.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BakeError {
    /// The motion does not fit the character or the times.
    #[error(transparent)]
    Motion(#[from] MotionFitError),
    /// The character cannot be deformed by the method.
    #[error(transparent)]
    Deform(#[from] DeformError),
}

/// One primitive of one visible instance.
struct RecordSource {
    instance: usize,
    part: BakePart,
    /// The range of its vertices in the mesh.
    vertices: std::ops::Range<usize>,
}

impl Bake {
    /// Deforms every visible instance of `character` at every time.
    ///
    /// `node_of_joint` is the file's node of every joint, as an import gives it; joints beyond its end are their own node.
    /// `progress` is called with the number of finished times after each.
    ///
    /// # Errors
    /// When the motion does not fit the character or the times, or a deformation fails.
    pub fn record(
        character: &Character,
        node_of_joint: &[usize],
        take: &BakeTake<'_>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self, BakeError> {
        take.motion.check(character, take.times_secs.len())?;
        let node = |joint: JointId| node_of_joint.get(joint.index()).copied().unwrap_or(joint.index());
        let sources = sources(character, node);
        let mut joints: Vec<JointId> =
            character.skeleton().joints().filter(|&j| character.is_visible(j)).collect();
        joints.sort_by_key(|&j| node(j));
        let mut bake = Self {
            clip: match take.motion {
                BakeMotion::Clip(clip) | BakeMotion::Posed { clip: Some(clip), .. } => {
                    Some(baked_clip(character, clip))
                }
                BakeMotion::Rest | BakeMotion::Poses(_) | BakeMotion::Posed { clip: None, .. } => None,
            },
            method: take.method.name().into(),
            times_secs: take.times_secs.to_vec(),
            vertex_count: sources.iter().map(|s| s.part.count).sum(),
            parts: sources.iter().map(|s| s.part.clone()).collect(),
            nodes: joints.iter().map(|&j| node(j)).collect(),
            uvs: uvs(character, &sources),
            ..Self::default()
        };
        let mut frame = Frame::new(character).at_level(take.level).with_normals(take.normal_source);
        for (done, &time_secs) in take.times_secs.iter().enumerate() {
            frame.reset();
            take.motion.sample(done, time_secs, frame.local_mut());
            frame.deform(take.method)?;
            bake.push(&frame, &sources, take.normals);
            bake.node_matrices.extend(joints.iter().map(|&j| frame.model().joint(j)));
            if done == 0 {
                bake.triangles = triangles(character, &frame, &sources);
            }
            progress(done + 1);
        }
        Ok(bake)
    }

    fn push(&mut self, frame: &Frame, sources: &[RecordSource], normals: bool) {
        let any_normals = sources.iter().any(|s| !frame.deformed()[s.instance].normals.is_empty());
        for source in sources {
            let streams = &frame.deformed()[source.instance];
            self.positions.extend_from_slice(&streams.positions[source.vertices.clone()]);
            if !normals || !any_normals {
                continue;
            }
            match streams.normals.get(source.vertices.clone()) {
                Some(part) => self.normals.extend_from_slice(part),
                None => self.normals.extend(source.vertices.clone().map(|_| Vec3::ZERO)),
            }
        }
    }
}

fn baked_clip(character: &Character, clip: &Clip) -> BakedClip {
    let index = character.clips().iter().position(|c| std::ptr::eq(&**c, clip));
    BakedClip { name: clip.name().into(), index, duration_secs: clip.duration_secs() }
}

/// Every visible primitive, sorted by node and primitive.
fn sources(character: &Character, node: impl Fn(JointId) -> usize) -> Vec<RecordSource> {
    let mut out = Vec::new();
    for index in character.visible_instances() {
        let instance = &character.instances()[index];
        let mesh = character.mesh_of(instance);
        let joint_name = character.skeleton().name(instance.joint);
        for (primitive, it) in mesh.primitives().iter().enumerate() {
            let part = BakePart {
                node: node(instance.joint),
                mesh: instance.mesh,
                primitive,
                name: if joint_name.is_empty() { mesh.name() } else { joint_name }.into(),
                skinned: character.skin_of(instance).is_some(),
                first: 0,
                count: it.vertices.len(),
            };
            let vertices = it.vertices.start as usize..it.vertices.end as usize;
            out.push(RecordSource { instance: index, part, vertices });
        }
    }
    out.sort_by_key(|s| (s.part.node, s.instance, s.part.primitive));
    let mut first = 0;
    for source in &mut out {
        source.part.first = first;
        first += source.part.count;
    }
    out
}

fn uvs(character: &Character, sources: &[RecordSource]) -> Vec<Vec2> {
    let set = |s: &RecordSource| {
        let mesh = character.mesh_of(&character.instances()[s.instance]);
        mesh.uv_sets().first().filter(|set| !set.is_empty())
    };
    if sources.iter().all(|s| set(s).is_none()) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for source in sources {
        match set(source) {
            Some(set) => out.extend_from_slice(&set[source.vertices.clone()]),
            None => out.extend(source.vertices.clone().map(|_| Vec2::ZERO)),
        }
    }
    out
}

fn triangles(character: &Character, frame: &Frame, sources: &[RecordSource]) -> Vec<[u32; 3]> {
    let mut out = Vec::new();
    for source in sources {
        let instance = &character.instances()[source.instance];
        let mesh = character.mesh_of(instance);
        let primitive = &mesh.primitives()[source.part.primitive];
        if primitive.topology != Topology::Triangles {
            continue;
        }
        let winding = Winding::of(character, frame, instance);
        let baked = |vertex: u32| (vertex as usize - source.vertices.start + source.part.first) as u32;
        let corners = mesh.primitive_indices(primitive).as_chunks::<3>().0;
        out.extend(corners.iter().map(|&triangle| winding.apply(triangle).map(baked)));
    }
    out
}
