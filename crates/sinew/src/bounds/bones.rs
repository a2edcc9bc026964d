//! The vertices of a mesh by joint, and a box around those of each.

use super::{Aabb, BoundsError};
use crate::{
    asset::{mesh::Mesh, skeleton::JointId, skin::Skin},
    pose::ModelPose,
};
use glam::{Affine3A, Vec3};
use std::ops::Range;

/// For each joint of a skin: which vertices it influences, which follow it most, and an oriented box around the latter.
///
/// The boxes are the hit boxes of a character. In joint space they are fixed; multiplied by the joint's model matrix they
/// follow the pose. A vertex of several joints can leave the box of its strongest, so [`BoneBoxes::cast`] fits boxes to the
/// deformed vertices of each bone instead, and tests only the triangles of the bones that the ray meets.
#[doc(alias = "hit box")]
#[derive(Clone, Debug, PartialEq)]
pub struct BoneBoxes {
    bones: Vec<BoneBox>,
    /// The bone that each vertex follows most, as an index of `bones`.
    bone_of_vertex: Vec<u16>,
    /// The triangles of the mesh, sorted by the bone of their first corner, with their number.
    triangles: Vec<(u32, [u32; 3])>,
}

/// The vertices of one joint and the box around them.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneBox {
    /// The joint that moves these vertices.
    pub joint: JointId,
    /// The joint's slot in the skin.
    pub slot: u16,
    /// The vertices with a weight for this joint, in ascending order.
    pub vertices: Vec<u32>,
    /// The vertices that follow this joint more than any other, in ascending order.
    pub strongest: Vec<u32>,
    /// The box around `strongest` in joint space, in meters; empty if there are none.
    pub bounds: Aabb,
    /// The range of this bone's triangles.
    triangles: Range<usize>,
}

/// The nearest triangle that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneHit {
    /// The joint that the triangle follows most.
    pub joint: JointId,
    /// Index of the triangle in [`Mesh::triangles`].
    pub triangle: usize,
    /// The vertices of the triangle.
    pub vertices: [u32; 3],
    /// Barycentric weights of these vertices.
    pub weights: Vec3,
    /// Distance from the origin, in lengths of the direction.
    pub distance: f32,
}

impl BoneBoxes {
    /// The bones of `mesh` on `skin`.
    ///
    /// # Errors
    /// If the mesh has no weights, or uses more joints than the skin has.
    pub fn new(mesh: &Mesh, skin: &Skin) -> Result<Self, BoundsError> {
        let Some(weights) = mesh.weights() else {
            return Err(BoundsError::NoWeights { mesh: mesh.name().into() });
        };
        let (needed, slots) = (weights.slot_count(), skin.joints().len());
        if needed > slots {
            return Err(BoundsError::PaletteTooSmall { needed, slots });
        }
        let empty = |(slot, &joint): (u16, &JointId)| BoneBox {
            joint,
            slot,
            vertices: Vec::new(),
            strongest: Vec::new(),
            bounds: Aabb::EMPTY,
            triangles: 0..0,
        };
        let mut bones: Vec<BoneBox> = (0_u16..).zip(skin.joints()).map(empty).collect();
        let mut bone_of_vertex = Vec::with_capacity(mesh.vertex_count());
        for (vertex, &position) in (0_u32..).zip(mesh.positions()) {
            let (own, amounts) = weights.of(vertex as usize);
            let used = own.iter().zip(amounts).filter(|(_, amount)| **amount > 0.0);
            used.for_each(|(&slot, _)| bones[usize::from(slot)].vertices.push(vertex));
            let bone = &mut bones[usize::from(own[0])];
            bone.strongest.push(vertex);
            let in_joint = skin.joint_from_mesh()[usize::from(own[0])].transform_point3(position);
            bone.bounds = bone.bounds.union(Aabb::of_points([&in_joint]));
            bone_of_vertex.push(own[0]);
        }
        let mut triangles: Vec<(u32, [u32; 3])> = (0_u32..).zip(mesh.triangles()).collect();
        triangles.sort_by_key(|(_, corners)| bone_of_vertex[corners[0] as usize]);
        for (slot, bone) in (0_u16..).zip(&mut bones) {
            let of_bone = |(_, corners): &(u32, [u32; 3])| bone_of_vertex[corners[0] as usize];
            let start = triangles.partition_point(|triangle| of_bone(triangle) < slot);
            let end = triangles.partition_point(|triangle| of_bone(triangle) <= slot);
            bone.triangles = start..end;
        }
        Ok(Self { bones, bone_of_vertex, triangles })
    }

    /// The bones of all joints, by slot. Joints without vertices have an empty box.
    pub fn bones(&self) -> &[BoneBox] {
        &self.bones
    }

    /// The bone of `joint`, if the skin has it.
    pub fn of_joint(&self, joint: JointId) -> Option<&BoneBox> {
        self.bones.iter().find(|bone| bone.joint == joint)
    }

    /// The slot of the joint that `vertex` follows most.
    ///
    /// # Panics
    /// If the mesh does not have the vertex.
    pub fn strongest_slot(&self, vertex: u32) -> u16 {
        self.bone_of_vertex[vertex as usize]
    }

    /// The boxes that are not empty in a pose: `model_from_joint` and the box in joint space.
    pub fn posed<'a>(&'a self, model: &'a ModelPose) -> impl Iterator<Item = (JointId, Affine3A, Aabb)> + 'a {
        let used = self.bones.iter().filter(|bone| !bone.bounds.is_empty());
        used.map(|bone| (bone.joint, model.joint(bone.joint), bone.bounds))
    }

    /// The nearest triangle that the ray from `origin` along `direction` meets. `positions` are the deformed vertices of
    /// the mesh, in the space of the ray.
    ///
    /// # Panics
    /// If there are fewer positions than the mesh has vertices.
    pub fn cast(&self, positions: &[Vec3], origin: Vec3, direction: Vec3) -> Option<BoneHit> {
        let mut nearest: Option<BoneHit> = None;
        for bone in &self.bones {
            let triangles = &self.triangles[bone.triangles.clone()];
            let corners = triangles.iter().flat_map(|(_, corners)| corners.map(|v| positions[v as usize]));
            let bounds = corners.fold(Aabb::EMPTY, |b, p| Aabb { min: b.min.min(p), max: b.max.max(p) });
            let Some(entry) = bounds.grown(bounds.diagonal() * 1e-5).entry(origin, direction) else {
                continue;
            };
            if nearest.is_some_and(|hit| hit.distance < entry) {
                continue;
            }
            for &(number, vertices) in triangles {
                let corners = vertices.map(|v| positions[v as usize]);
                let Some((distance, weights)) = triangle_hit(origin, direction, corners) else { continue };
                if nearest.is_none_or(|hit| distance < hit.distance) {
                    let (joint, triangle) = (bone.joint, number as usize);
                    nearest = Some(BoneHit { joint, triangle, vertices, weights, distance });
                }
            }
        }
        nearest
    }
}

/// Where the ray from `origin` along `direction` meets either side of a triangle: the distance in lengths of the direction
/// and the weights of the corners.
pub fn triangle_hit(origin: Vec3, direction: Vec3, [a, b, c]: [Vec3; 3]) -> Option<(f32, Vec3)> {
    let (ab, ac) = (b - a, c - a);
    let cross = direction.cross(ac);
    let determinant = ab.dot(cross);
    if determinant.is_nan() || determinant.abs() < f32::MIN_POSITIVE {
        return None;
    }
    let from_a = origin - a;
    let second = from_a.dot(cross) / determinant;
    let other = from_a.cross(ab);
    let third = direction.dot(other) / determinant;
    let distance = ac.dot(other) / determinant;
    let inside = second >= 0.0 && third >= 0.0 && second + third <= 1.0 && distance > 0.0;
    inside.then(|| (distance, Vec3::new(1.0 - second - third, second, third)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Frame, Method, Wrap, sinew_samples};

    fn figure() -> (Frame, BoneBoxes) {
        let mut frame = Frame::new(sinew_samples::figure());
        let character = frame.character().clone();
        let walk = character.find_clip("walk").unwrap();
        frame.sample(walk, 0.3, Wrap::Loop);
        frame.deform(Method::Linear).unwrap();
        let instance = &character.instances()[0];
        let boxes = BoneBoxes::new(character.mesh_of(instance), character.skin_of(instance).unwrap());
        (frame, boxes.unwrap())
    }

    #[test]
    fn every_vertex_is_in_the_list_of_each_of_its_joints_and_strongest_in_one() {
        let (frame, boxes) = figure();
        let mesh = &frame.character().meshes()[0];
        let strongest: usize = boxes.bones().iter().map(|bone| bone.strongest.len()).sum();
        assert_eq!(strongest, mesh.vertex_count());
        let weights = mesh.weights().unwrap();
        let influences: usize = (0..mesh.vertex_count()).map(|v| weights.of(v).0.len()).sum();
        assert_eq!(boxes.bones().iter().map(|bone| bone.vertices.len()).sum::<usize>(), influences);
    }

    #[test]
    fn the_box_of_a_bone_holds_its_vertices_at_rest() {
        let (mut frame, boxes) = figure();
        frame.reset();
        frame.deform(Method::Linear).unwrap();
        for (joint, model_from_joint, bounds) in boxes.posed(frame.model()) {
            let joint_from_model = model_from_joint.inverse();
            for &vertex in &boxes.of_joint(joint).unwrap().strongest {
                let point = joint_from_model.transform_point3(frame.deformed()[0].positions[vertex as usize]);
                assert!(bounds.grown(1e-4).contains(point), "joint {} vertex {vertex}", joint.0);
            }
        }
    }

    #[test]
    fn a_cast_finds_what_testing_every_triangle_finds() {
        let (frame, boxes) = figure();
        let positions = &frame.deformed()[0].positions;
        let triangles: Vec<_> = frame.character().meshes()[0].triangles().collect();
        let mut hits = 0;
        for nth in 0..60 {
            let angle = nth as f32 * 0.37;
            let origin = Vec3::new(3.0 * angle.cos(), 0.03 * nth as f32, 3.0 * angle.sin());
            let direction = Vec3::new(0.0, 0.9, 0.0) - origin;
            let all = triangles.iter().filter_map(|corners| {
                triangle_hit(origin, direction, corners.map(|v| positions[v as usize]))
            });
            let nearest = all.map(|(distance, _)| distance).min_by(f32::total_cmp);
            let hit = boxes.cast(positions, origin, direction);
            assert_eq!(hit.map(|hit| hit.distance), nearest, "ray {nth}");
            hits += usize::from(hit.is_some());
        }
        assert!(hits > 20, "{hits}");
    }
}
