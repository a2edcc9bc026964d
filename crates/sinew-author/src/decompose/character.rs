//! A skinned character from a sequence: skeleton, skin, weights and a clip.

use super::{
    DecomposeError, DecomposeOptions, DecomposeReport, Decomposition, MeshSequence, decompose,
    decompose_with_skeleton, hierarchy::BoneTree,
};
use crate::Progress;
use sinew::{
    Channel, Character, CharacterParts, Clip, Curve, Interpolation, Joint, JointId, Mesh, MeshInstance,
    MeshParts, MorphTargets, Precomputed, Skeleton, Skin, Transform, Weights,
    glam::{Affine3A, DAffine3, DQuat, DVec3, Mat3A, Quat, Vec3},
};
use std::sync::Arc;

/// Which skeleton the solved character gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolvedSkeleton {
    /// Every bone is a child of one root and moves freely.
    Flat,
    /// Bones form a tree whose joints hold together as well as they can; what they do not is kept as translation.
    Tree,
    /// The character's own skeleton, skin and number of joints; only weights and motion are solved.
    Kept,
}

/// How a sequence becomes a character.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveSequenceOptions {
    /// Bones, influences and rounds. A kept skeleton has its own bones.
    pub decompose: DecomposeOptions,
    /// Which skeleton the character gets.
    pub skeleton: SolvedSkeleton,
    /// Whether the character's weights stay as they are and only its motion is solved; for a kept skeleton.
    pub keeps_weights: bool,
    /// The number of frames a second.
    pub frames_per_sec: f32,
    /// The name of the clip.
    pub clip_name: String,
}

impl Default for SolveSequenceOptions {
    fn default() -> Self {
        Self {
            decompose: DecomposeOptions::default(),
            skeleton: SolvedSkeleton::Flat,
            keeps_weights: false,
            frames_per_sec: 24.0,
            clip_name: "solved".into(),
        }
    }
}

/// A character that shows a sequence by linear blend skinning.
#[derive(Clone, Debug)]
pub struct SolvedCharacter {
    /// The character with the solved clip.
    pub character: Character,
    /// How near the character comes to the sequence.
    pub report: DecomposeReport,
    /// How far joints leave their parents at most, in meters: 0 for a character whose joints only rotate.
    pub slip_meters: f64,
}

/// The character whose meshes `sequence` moves: the vertices of all instances of `topology`, one after the other.
///
/// For a flat skeleton and a tree, the sequence's rest is in model space and replaces the positions of the meshes; for a kept skeleton
/// it is in the space in which the skin was bound.
///
/// # Errors
/// If the sequence does not fit the meshes, the skeleton that is to be kept has no skin, an option is out of range, or the caller stops
/// the work.
pub fn character_from_sequence(
    topology: &Character,
    sequence: &MeshSequence,
    options: &SolveSequenceOptions,
    progress: Progress<'_>,
) -> Result<SolvedCharacter, DecomposeError> {
    let vertices: usize = topology.instances().iter().map(|i| topology.mesh_of(i).vertex_count()).sum();
    if vertices != sequence.rest().len() {
        return Err(DecomposeError::OtherCount {
            frame: 0,
            vertices: sequence.rest().len(),
            wanted: vertices,
        });
    }
    if !options.frames_per_sec.is_finite() || options.frames_per_sec <= 0.0 {
        let value = f64::from(options.frames_per_sec);
        return Err(
            crate::AuthorError::BadOption { option: "frames per second", value, wanted: "positive" }.into()
        );
    }
    match options.skeleton {
        SolvedSkeleton::Kept => kept(topology, sequence, options, progress),
        SolvedSkeleton::Flat | SolvedSkeleton::Tree => new_skeleton(topology, sequence, options, progress),
    }
}

fn new_skeleton(
    topology: &Character,
    sequence: &MeshSequence,
    options: &SolveSequenceOptions,
    progress: Progress<'_>,
) -> Result<SolvedCharacter, DecomposeError> {
    let solved = decompose(sequence, &options.decompose, progress)?;
    let rest: Vec<DVec3> = sequence.rest().iter().map(|p| p.as_dvec3()).collect();
    let tree = match options.skeleton {
        SolvedSkeleton::Tree => BoneTree::of_motions(&rest, &solved.influences, &solved.motions),
        SolvedSkeleton::Flat | SolvedSkeleton::Kept => {
            BoneTree::flat(&rest, &solved.influences, solved.motions.len())
        }
    };
    let bones = BoneJoints::new(&tree)?;
    let skin = Arc::new(bones.skin(&tree)?);
    let tracks = bones.tracks(&tree, &solved.motions);
    let clip = clip(&bones.skeleton, &tracks, options)?;
    let slip_meters = bones.slip(&tracks);
    let mut parts = CharacterParts::new(topology.name(), Arc::clone(&bones.skeleton));
    parts.copyright = topology.copyright().into();
    parts.materials = topology.materials().to_vec();
    parts.images = topology.images().to_vec();
    parts.skins = vec![skin];
    (parts.meshes, parts.instances) = meshes(topology, sequence, &solved)?;
    parts.clips = vec![Arc::new(clip)];
    Ok(SolvedCharacter { character: Character::new(parts)?, report: solved.report, slip_meters })
}

/// Every mesh with the rest of the sequence as positions, skinned to the new bones.
fn meshes(
    topology: &Character,
    sequence: &MeshSequence,
    solved: &Decomposition,
) -> Result<(Vec<Arc<Mesh>>, Vec<MeshInstance>), DecomposeError> {
    let (mut meshes, mut instances) = (Vec::new(), Vec::new());
    let mut first = 0;
    for instance in topology.instances() {
        let old = topology.mesh_of(instance);
        let range = first..first + old.vertex_count();
        first = range.end;
        let (weights, _) =
            Weights::new(solved.motions.len(), solved.influences[range.clone()].iter().cloned())?;
        let positions = sequence.rest()[range].to_vec();
        let normals = if old.normals().is_empty() { vec![] } else { smooth_normals(old, &positions) };
        let parts = MeshParts {
            positions,
            normals,
            tangents: vec![],
            morphs: MorphTargets::default(),
            weights: Some(Arc::new(weights)),
            precomputed: Precomputed::NONE,
            ..old.parts().clone()
        };
        let (joint, mesh) = (JointId(0), meshes.len());
        instances.push(MeshInstance { joint, mesh, skin: Some(0), morph_weights: vec![] });
        meshes.push(Arc::new(Mesh::new(parts)?));
    }
    Ok((meshes, instances))
}

/// The normals of other positions: each keeps its angle to the surface, so hard edges stay hard.
fn smooth_normals(mesh: &Mesh, positions: &[Vec3]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; positions.len()];
    for [a, b, c] in mesh.triangles().map(|t| t.map(|v| v as usize)) {
        let area = (positions[b] - positions[a]).cross(positions[c] - positions[a]);
        [a, b, c].into_iter().for_each(|v| sums[v] += area);
    }
    // Copies of a point with the same normal belong to one smooth surface.
    let points = mesh.points();
    let key =
        |v: usize| (points.of_vertex()[v], (mesh.normals()[v] + Vec3::ZERO).to_array().map(f32::to_bits));
    let mut shared: std::collections::HashMap<_, Vec3> = std::collections::HashMap::new();
    (0..sums.len()).for_each(|v| *shared.entry(key(v)).or_default() += sums[v]);
    (0..sums.len()).map(|v| shared[&key(v)].normalize_or_zero()).collect()
}

/// The joints of a tree of bones: a root at the origin, then the bones.
struct BoneJoints {
    skeleton: Arc<Skeleton>,
    /// The joint of each bone.
    of_bone: Vec<JointId>,
}

impl BoneJoints {
    fn new(tree: &BoneTree) -> Result<Self, DecomposeError> {
        let mut joints = vec![Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY }];
        let mut of_bone = vec![JointId(0); tree.order.len()];
        for (number, &bone) in tree.order.iter().enumerate() {
            of_bone[bone] = JointId((number + 1) as u16);
            let parent = tree.parents[bone];
            let from = parent.map_or(DVec3::ZERO, |p| tree.pivots[p]);
            joints.push(Joint {
                name: format!("bone_{number:02}"),
                parent: Some(parent.map_or(JointId(0), |p| of_bone[p])),
                rest: Transform::from_translation((tree.pivots[bone] - from).as_vec3()),
            });
        }
        Ok(Self { skeleton: Arc::new(Skeleton::new(joints)?), of_bone })
    }

    fn skin(&self, tree: &BoneTree) -> Result<Skin, DecomposeError> {
        let binds = tree.pivots.iter().map(|pivot| Affine3A::from_translation(-pivot.as_vec3()));
        Ok(Skin::new("solved", &self.skeleton, self.of_bone.clone(), binds.collect())?)
    }

    /// The local motion of each bone's joint.
    fn tracks(&self, tree: &BoneTree, motions: &[Vec<DAffine3>]) -> Vec<JointTrack> {
        let model =
            |bone: usize, frame: usize| motions[bone][frame] * DAffine3::from_translation(tree.pivots[bone]);
        let local = |bone: usize, frame: usize| match tree.parents[bone] {
            Some(parent) => model(parent, frame).inverse() * model(bone, frame),
            None => model(bone, frame),
        };
        let frames = motions.first().map_or(0, Vec::len);
        let track = |bone: usize| JointTrack {
            joint: self.of_bone[bone],
            locals: (0..frames).map(|frame| local(bone, frame)).collect(),
        };
        (0..motions.len()).map(track).collect()
    }

    /// How far the joints below other bones leave their places at most.
    fn slip(&self, tracks: &[JointTrack]) -> f64 {
        let of_track = |track: &JointTrack| {
            let rest = self.skeleton.rest(track.joint).translation.as_dvec3();
            let is_below_root = self.skeleton.parent(track.joint) == Some(JointId(0));
            let slips = track.locals.iter().map(|l| l.translation.distance(rest)).fold(0.0, f64::max);
            if is_below_root { 0.0 } else { slips }
        };
        tracks.iter().map(of_track).fold(0.0, f64::max)
    }
}

/// The local transforms of a joint, frame by frame.
struct JointTrack {
    joint: JointId,
    locals: Vec<DAffine3>,
}

/// A clip of one key a frame; joints that stay at rest have no keys.
fn clip(
    skeleton: &Skeleton,
    tracks: &[JointTrack],
    options: &SolveSequenceOptions,
) -> Result<Clip, DecomposeError> {
    let mut channels = Vec::new();
    for JointTrack { joint, locals } in tracks {
        let times: Vec<f32> = (0..locals.len()).map(|f| f as f32 / options.frames_per_sec).collect();
        let translations: Vec<Vec3> = locals.iter().map(|l| l.translation.as_vec3()).collect();
        let mut rotations: Vec<Quat> = Vec::new();
        for local in locals {
            let turn = DQuat::from_mat3(&local.matrix3).normalize().as_quat();
            let before = rotations.last().copied().unwrap_or(Quat::IDENTITY);
            rotations.push(if before.dot(turn) < 0.0 { -turn } else { turn });
        }
        let rest = skeleton.rest(*joint);
        if translations.iter().any(|t| t.distance(rest.translation) > 1e-7) {
            let curve = Curve::new(times.clone(), translations, Interpolation::Linear)?;
            channels.push(Channel::Translation { joint: *joint, curve });
        }
        if rotations.iter().any(|r| *r != rest.rotation) {
            let curve = Curve::new(times, rotations, Interpolation::Linear)?;
            channels.push(Channel::Rotation { joint: *joint, curve });
        }
    }
    Ok(Clip::new(options.clip_name.as_str(), channels, vec![])?)
}

/// The motion of the character's own joints, and their weights if they are to be solved.
fn kept(
    topology: &Character,
    sequence: &MeshSequence,
    options: &SolveSequenceOptions,
    progress: Progress<'_>,
) -> Result<SolvedCharacter, DecomposeError> {
    let skin = only_skin(topology)?;
    let weights = topology.instances().iter().filter_map(|i| topology.mesh_of(i).weights());
    let start = weights.flat_map(|w| (0..w.vertex_count()).map(|v| w.influences(v).collect())).collect();
    let solved = decompose_with_skeleton(
        sequence,
        start,
        skin.joints().len(),
        options.keeps_weights,
        &options.decompose,
        progress,
    )?;
    let skeleton = topology.skeleton();
    let tracks = kept_tracks(skeleton, skin, &solved.motions);
    let clip = clip(skeleton, &tracks, options)?;
    let slip_meters = kept_slip(skeleton, skin, &tracks);
    let mut parts = topology.clone().into_parts();
    if !options.keeps_weights {
        let mut first = 0;
        for instance in topology.instances() {
            let mesh = topology.mesh_of(instance);
            let own = solved.influences[first..first + mesh.vertex_count()].iter().cloned();
            first += mesh.vertex_count();
            let (weights, _) = Weights::new(skin.joints().len(), own)?;
            parts.meshes[instance.mesh] =
                Arc::new(mesh.clone().with_weights(Arc::new(weights), Precomputed::NONE)?);
        }
    }
    parts.clips.retain(|other| other.name() != clip.name());
    parts.clips.push(Arc::new(clip));
    Ok(SolvedCharacter { character: Character::new(parts)?, report: solved.report, slip_meters })
}

/// The one skin of a character whose skeleton is kept.
fn only_skin(topology: &Character) -> Result<&Skin, DecomposeError> {
    let wrong = |what: &str| Err(DecomposeError::WrongSkeleton(what.into()));
    let mut skins = topology.instances().iter().map(|instance| instance.skin);
    let Some(Some(first)) = skins.next() else {
        return wrong("the first mesh of the character has no skin, so there are no joints to keep");
    };
    if skins.any(|other| other != Some(first)) {
        return wrong("all meshes must have the same skin if its joints are kept");
    }
    let mut meshes: Vec<usize> = topology.instances().iter().map(|i| i.mesh).collect();
    meshes.sort_unstable();
    if meshes.windows(2).any(|pair| pair[0] == pair[1]) {
        return wrong("no mesh may be used twice if the joints are kept");
    }
    Ok(&topology.skins()[first])
}

/// The local motion of the joints of `skin`; joints between them stay at rest.
fn kept_tracks(skeleton: &Skeleton, skin: &Skin, motions: &[Vec<DAffine3>]) -> Vec<JointTrack> {
    let frames = motions.first().map_or(0, Vec::len);
    let mut model: Vec<Vec<DAffine3>> = Vec::with_capacity(skeleton.len());
    let mut tracks = Vec::new();
    for joint in skeleton.joints() {
        let parent =
            |frame: usize| skeleton.parent(joint).map_or(DAffine3::IDENTITY, |p| model[p.index()][frame]);
        let rest = double(&skeleton.rest(joint).to_affine());
        let slot = skin.slot_of(joint).map(usize::from);
        let of_joint: Vec<DAffine3> = match slot {
            Some(slot) => {
                let mesh_from_joint = double(&skin.joint_from_mesh()[slot]).inverse();
                motions[slot].iter().map(|motion| *motion * mesh_from_joint).collect()
            }
            None => (0..frames).map(|frame| parent(frame) * rest).collect(),
        };
        if slot.is_some() {
            let locals = (0..frames).map(|frame| parent(frame).inverse() * of_joint[frame]);
            tracks.push(JointTrack { joint, locals: locals.collect() });
        }
        model.push(of_joint);
    }
    tracks
}

fn kept_slip(skeleton: &Skeleton, skin: &Skin, tracks: &[JointTrack]) -> f64 {
    let is_below = |track: &&JointTrack| {
        skeleton.ancestors(track.joint).any(|ancestor| skin.slot_of(ancestor).is_some())
    };
    let slip = |track: &JointTrack| {
        let rest = skeleton.rest(track.joint).translation.as_dvec3();
        track.locals.iter().map(|l| l.translation.distance(rest)).fold(0.0, f64::max)
    };
    tracks.iter().filter(is_below).map(slip).fold(0.0, f64::max)
}

fn double(affine: &Affine3A) -> DAffine3 {
    let Affine3A { matrix3: Mat3A { x_axis, y_axis, z_axis }, translation } = *affine;
    let [x, y, z, t] = [x_axis, y_axis, z_axis, translation].map(|v| Vec3::from(v).as_dvec3());
    DAffine3::from_cols(x, y, z, t)
}
