//! Data for contact skinning: the bones of a skin, where the skin around their ends is like a limb, and a mask per vertex.
//!
//! The correction of contact skinning supposes that the skin around a bent joint is two tubes that meet. It is right for
//! elbows, knees and fingers, and wrong for armpits, groins, skirts and armor. The *gate* of a joint says whether its skin folds:
//! the joint is bent in all directions, and the gate opens if that makes fewer self-intersections. Where it makes no
//! difference, the gate is how much the skin in a ring around the joint is like a tube. The *mask* of a vertex says how much
//! the vertex is part of that tube.

mod bones;
mod fit;
mod gates;
mod masks;
mod points;
mod trial;

use crate::{AuthorError, Progress, progress::tell, topology::WeldedTopology};
use bones::LimbBones;
use points::{LimbPoint, limb_points};
use sinew::{Character, ContactBone, ContactData, ContactParts, ContactVertex, Mesh, Method, Skeleton, Skin};

/// How contact data is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// The number of passes that smooth the masks over the surface.
    pub smoothing: u32,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self { smoothing: 8 }
    }
}

/// Figures about contact data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactDataReport {
    /// The number of points: vertices without their copies.
    pub points: usize,
    /// The number of points that the method may move from dual quaternion skinning.
    pub active: usize,
    /// The number of joints at which skin folds.
    pub folding_joints: usize,
    /// The number of joints between two bones, at which it might.
    pub joints: usize,
    /// The size of the data in bytes per vertex, without the bones.
    pub bytes_per_vertex: f64,
}

/// Computes contact data for `mesh` on `skin`.
///
/// Everything is measured in the bind pose. All copies of a point get the same data.
///
/// # Errors
/// If the mesh has no weights, uses joints that the skin does not have, or `progress` stops the work.
pub fn contact_data(
    mesh: &Mesh,
    skeleton: &Skeleton,
    skin: &Skin,
    options: &ContactOptions,
    progress: Progress<'_>,
) -> Result<(ContactData, ContactDataReport), AuthorError> {
    let topology = WeldedTopology::new(mesh)?;
    let (needed, joints) = (topology.weights.slot_count(), skin.joints().len());
    if needed > joints {
        return Err(AuthorError::SkinTooSmall { needed, joints });
    }
    tell(progress, 0, 3)?;
    let bones = LimbBones::new(skeleton, skin, &topology);
    let points = limb_points(&topology, &bones);
    tell(progress, 1, 3)?;
    let open: Vec<f64> = bones.list.iter().map(|bone| f64::from(u8::from(bone.before.is_some()))).collect();
    let trial = contact_parts(&topology, &bones, &points, &open, options);
    let guess = gates::gates(&topology, &bones, &points);
    let gates = fit::fitted_gates(&topology, &bones, &points, &guess, &trial)?;
    tell(progress, 2, 3)?;
    let of_points = contact_parts(&topology, &bones, &points, &gates, options);
    let report = ContactDataReport {
        points: topology.len(),
        active: of_points.vertices.iter().filter(|v| v.mask > 0).count(),
        folding_joints: gates.iter().filter(|gate| **gate > 0.0).count(),
        joints: bones.list.iter().filter(|bone| bone.before.is_some()).count(),
        bytes_per_vertex: size_of::<ContactVertex>() as f64,
    };
    tell(progress, 1, 1)?;
    let vertices = topology.to_vertices(&of_points.vertices);
    Ok((ContactData::new(ContactParts { vertices, ..of_points })?, report))
}

/// Contact skinning, if the character has contact data by which some joint folds: the gates were fitted to joints at which it
/// has fewer self-intersections than dual quaternion skinning. `None` otherwise.
pub fn recommended_method(character: &Character) -> Option<Method> {
    let data = character.meshes().iter().filter_map(|mesh| mesh.precomputed().contact.as_ref());
    let mut gates = data.flat_map(|data| data.parts().bones.iter().flat_map(|bone| bone.gates));
    gates.any(|gate| gate > 0.0).then_some(Method::Contact)
}

/// The data with one vertex for each point.
fn contact_parts(
    topology: &WeldedTopology<'_>,
    bones: &LimbBones,
    points: &[LimbPoint],
    gates: &[f64],
    options: &ContactOptions,
) -> ContactParts {
    let masks = masks::masks(topology, bones, points, gates, options.smoothing);
    let vertex = |(at, point): (usize, &LimbPoint)| ContactVertex {
        bone: point.bone,
        mask: ContactVertex::stored(masks[at].mask as f32),
        radius: ContactVertex::stored(masks[at].radius as f32),
        beyond: bones.beyond(topology, at, point.bone).map(ContactVertex::stored),
    };
    let vertices = points.iter().enumerate().map(vertex).collect();
    ContactParts { bones: stored_bones(bones, gates), vertices }
}

fn stored_bones(bones: &LimbBones, gates: &[f64]) -> Vec<ContactBone> {
    let number = |slot: Option<u16>| slot.unwrap_or(ContactBone::NONE);
    let gate = |joint: Option<usize>| joint.map_or(0.0, |joint| gates[joint] as f32);
    let stored = |(slot, bone): (usize, &bones::LimbBone)| ContactBone {
        head: bone.head.as_vec3(),
        tail: bone.tail.as_vec3(),
        before: number(bone.before),
        after: number(bone.after),
        gates: [gate(bone.before.map(|_| slot)), gate(bone.after.map(usize::from))],
    };
    bones.list.iter().enumerate().map(stored).collect()
}
