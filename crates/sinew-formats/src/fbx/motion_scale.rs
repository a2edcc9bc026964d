//! What an error of a joint or of a morph weight is worth on the surface of the character.

use crate::ReadError;
use sinew::{Aabb, Character, CharacterParts, Frame, JointId, Method, Skeleton, glam::Vec3};

/// The error that sampling may make, relative to the diagonal of the character.
///
/// Errors of the joints of a chain add up, so it is half of what a clip keeps to.
const TOLERANCE: f64 = 0.5e-5;

/// Factors from errors in keys to distances, relative to the tolerance.
pub(super) struct MotionScale {
    joints: Vec<JointScale>,
    /// For each mesh instance: lengths in model space per length in mesh space.
    instances: Vec<f64>,
    tolerance_meters: f64,
}

/// The factors of one joint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JointScale {
    /// Per meter of translation.
    pub(super) translation: f64,
    /// Per radian of rotation.
    pub(super) rotation: f64,
    /// Per unit of scale.
    pub(super) scale: f64,
}

impl MotionScale {
    /// Measures the character at rest; `parts` are its parts without clips.
    pub(super) fn of(parts: &CharacterParts) -> Result<Self, ReadError> {
        let refused = |e: &dyn std::fmt::Display| ReadError::invalid("the file", e.to_string());
        let character = Character::new(parts.clone()).map_err(|e| refused(&e))?;
        let mut frame = Frame::new(&character);
        frame.deform(Method::Linear).map_err(|e| refused(&e))?;
        let surfaces = || frame.deformed().iter().flat_map(|surface| surface.positions.iter().copied());
        let joints = frame.model().joints().iter().map(|m| Vec3::from(m.translation));
        let points: Vec<Vec3> = surfaces().chain(joints).filter(|p| p.is_finite()).collect();
        let diagonal = f64::from(Aabb::of_points(&points).diagonal());
        // A character of a single point has no size of its own.
        let tolerance_meters = TOLERANCE * if diagonal.is_finite() { diagonal.max(1e-6) } else { 1.0 };
        let reach = reach(&character, &frame);
        let joint = |joint: JointId| joint_scale(&character, &frame, joint, reach[joint.index()]);
        Ok(Self {
            joints: character.skeleton().joints().map(joint).collect(),
            instances: (0..parts.instances.len()).map(|i| instance_scale(&character, &frame, i)).collect(),
            tolerance_meters,
        })
    }

    /// The factors of a joint, relative to the tolerance.
    pub(super) fn joint(&self, joint: JointId) -> JointScale {
        let JointScale { translation, rotation, scale } = self.joints[joint.index()];
        let per = 1.0 / self.tolerance_meters;
        JointScale { translation: translation * per, rotation: rotation * per, scale: scale * per }
    }

    /// The factor of the weight of a morph target that moves points by up to `offset` in mesh space.
    pub(super) fn morph(&self, instance: usize, offset: f32) -> f64 {
        self.instances[instance] * f64::from(offset) / self.tolerance_meters
    }
}

/// For each joint, the distance to the farthest point below it if all chains are stretched out.
fn reach(character: &Character, frame: &Frame) -> Vec<f64> {
    let skeleton = character.skeleton();
    let place = |joint: JointId| Vec3::from(frame.model().joint(joint).translation);
    let mut reach = vec![0.0_f64; skeleton.len()];
    let mut extend = |joint: JointId, point: Vec3| {
        let distance = f64::from(place(joint).distance(point));
        reach[joint.index()] = reach[joint.index()].max(if distance.is_finite() { distance } else { 0.0 });
    };
    for (instance, surface) in character.instances().iter().zip(frame.deformed()) {
        let weights = character.mesh_of(instance).weights();
        for (vertex, &point) in surface.positions.iter().enumerate() {
            match (character.skin_of(instance), weights) {
                (Some(skin), Some(weights)) => {
                    let slots = weights.influences(vertex);
                    slots.for_each(|i| extend(skin.joints()[usize::from(i.slot)], point));
                }
                _ => extend(instance.joint, point),
            }
        }
    }
    along_chains(skeleton, place, reach)
}

/// Adds up the lengths of all chains. Children come after their parents.
fn along_chains(skeleton: &Skeleton, place: impl Fn(JointId) -> Vec3, mut reach: Vec<f64>) -> Vec<f64> {
    for joint in skeleton.joints().rev() {
        if let Some(parent) = skeleton.parent(joint) {
            let bone = f64::from(place(joint).distance(place(parent)));
            let bone = if bone.is_finite() { bone } else { 0.0 };
            reach[parent.index()] = reach[parent.index()].max(reach[joint.index()] + bone);
        }
    }
    reach
}

fn joint_scale(character: &Character, frame: &Frame, joint: JointId, reach: f64) -> JointScale {
    let skeleton = character.skeleton();
    let size = |joint: JointId| {
        let m = frame.model().joint(joint).matrix3;
        f64::from(m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length()))
    };
    let own = f64::from(skeleton.rest(joint).scale.abs().min_element()).max(1e-3);
    JointScale { translation: skeleton.parent(joint).map_or(1.0, size), rotation: reach, scale: reach / own }
}

/// The ratio of the size of an instance at rest to that of its mesh.
fn instance_scale(character: &Character, frame: &Frame, index: usize) -> f64 {
    let mesh = character.mesh_of(&character.instances()[index]);
    let raw = Aabb::of_points(mesh.positions()).diagonal();
    let placed = Aabb::of_points(&frame.deformed()[index].positions).diagonal();
    let ratio = f64::from(placed) / f64::from(raw);
    if ratio.is_finite() { ratio } else { 1.0 }
}
