//! Two bones in a chain and clips that rotate the second: the common part of the arm and the tube.

use glam::{Quat, Vec3, Vec4};
use sinew::{
    Channel, Character, CharacterParts, Clip, Curve, Influence, Interpolation, Joint, JointId, Material,
    Mesh, MeshInstance, MeshParts, Primitive, Skeleton, Skin, Topology, Transform, Weights,
};
use std::{f32::consts::PI, sync::Arc};

use super::sweep::Swept;

/// The first bone's joint.
pub(super) const FIRST: JointId = JointId(0);
/// The second bone's joint, the one that turns.
pub(super) const SECOND: JointId = JointId(1);

/// A root, a joint at the end of the first bone, and a joint that marks the end of the second.
pub(super) struct TwoBones {
    /// The names from root to end.
    pub(super) names: [&'static str; 3],
    /// The transform of the root in model space; its +Y points along both bones.
    pub(super) model_from_root: Transform,
    /// The lengths of the bones in meters.
    pub(super) lengths: [f32; 2],
}

impl TwoBones {
    fn skeleton(&self) -> Skeleton {
        let along = |length| Transform::from_translation(Vec3::new(0.0, length, 0.0));
        let [root, middle, end] = self.names.map(String::from);
        let joints = [
            Joint { name: root, parent: None, rest: self.model_from_root },
            Joint { name: middle, parent: Some(FIRST), rest: along(self.lengths[0]) },
            Joint { name: end, parent: Some(SECOND), rest: along(self.lengths[1]) },
        ];
        Skeleton::new(joints).expect("parents come first and rest transforms are finite")
    }
}

/// The weight of the second bone `distance` meters beyond the joint, rising smoothly over `reach` meters on either side.
pub(super) fn second_weight(distance: f32, reach: f32) -> f32 {
    let t = ((distance / reach + 1.0) * 0.5).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Skin weights from the weight of the second bone at each vertex; the first bone gets the rest.
pub(super) fn weights(second_weights: &[f32]) -> Weights {
    let vertices = second_weights
        .iter()
        .map(|&weight| [Influence { slot: 0, weight: 1.0 - weight }, Influence { slot: 1, weight }]);
    Weights::new(2, vertices).expect("weights are finite and there are two slots").0
}

/// A clip that rotates the second bone to `rotation(1.0)` and back, easing at both ends.
///
/// `rotation` maps the fraction of the swing, 0 to 1, to the local rotation of the second bone.
pub(super) fn swing(name: &str, duration_secs: f32, rotation: impl Fn(f32) -> Quat) -> Clip {
    // At thirty keys per second, the shortest arc between two keys follows the eased curve to within a tenth of a degree.
    let keys = (duration_secs * 30.0).round().max(1.0) as u16;
    let at = |key: u16| f32::from(key) / f32::from(keys);
    let times_secs = (0..=keys).map(|key| at(key) * duration_secs).collect();
    let rotations = (0..=keys).map(|key| rotation((at(key) * PI).sin().powi(2))).collect();
    clip(name, times_secs, rotations)
}

/// A clip of one key that holds the second bone at `rotation`.
pub(super) fn hold(name: &str, rotation: Quat) -> Clip {
    clip(name, vec![0.0], vec![rotation])
}

fn clip(name: &str, times_secs: Vec<f32>, rotations: Vec<Quat>) -> Clip {
    let curve = Curve::new(times_secs, rotations, Interpolation::Linear).expect("times rise, one value each");
    let channel = Channel::Rotation { joint: SECOND, curve };
    Clip::new(name, vec![channel], vec![]).expect("rotations are units")
}

/// A character of one swept surface that both bones move.
pub(super) fn character(name: &str, bones: &TwoBones, mesh: MeshParts, clips: Vec<Clip>) -> Character {
    let skeleton = Arc::new(bones.skeleton());
    let skin = Skin::bound_at_rest(name, &skeleton, vec![FIRST, SECOND]).expect("both joints are there");
    let mesh = Mesh::new(mesh).expect("streams are of one length");
    let material = Material { name: name.into(), metallic: 0.0, roughness: 0.55, ..Material::default() };
    Character::new(CharacterParts {
        meshes: vec![Arc::new(mesh)],
        skins: vec![Arc::new(skin)],
        instances: vec![MeshInstance { joint: FIRST, mesh: 0, skin: Some(0), morph_weights: vec![] }],
        materials: vec![material],
        clips: clips.into_iter().map(Arc::new).collect(),
        ..CharacterParts::new(name, skeleton)
    })
    .expect("every part names parts that are there")
}

/// The mesh of a swept surface.
pub(super) fn mesh(name: &str, swept: Swept, colors: Vec<Vec4>, weights: Weights) -> MeshParts {
    let (vertices, indices) = (swept.positions.len() as u32, swept.indices.len() as u32);
    MeshParts {
        name: name.into(),
        positions: swept.positions,
        normals: swept.normals,
        tangents: swept.tangents,
        uv_sets: vec![swept.uvs],
        colors,
        indices: swept.indices,
        primitives: vec![Primitive {
            vertices: 0..vertices,
            indices: 0..indices,
            topology: Topology::Triangles,
            material: Some(0),
        }],
        weights: Some(Arc::new(weights)),
        ..MeshParts::default()
    }
}
