//! Spring bones in the form of VRM 0.x: every descendant of a bone swings, towards its first child.

use super::{
    fields::{Fault, Faults, array, index, number, text, vector_object},
    springs::{SpringReader, checked, is_none},
};
use crate::gltf::json::Root;
use serde_json::Value;
use sinew::{
    JointId, Skeleton,
    constrain::{ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts},
    glam::Vec3,
};
use std::collections::HashSet;

/// The length of the bone of a joint without children, in meters.
const TIP_METERS: f32 = 0.07;
/// The place of everything here, for reports.
const PLACE: &str = "extensions.VRM.secondaryAnimation";

/// The maximum number of collider groups of all chains together: each chain has a list of its own.
const MAX_GROUPS: usize = 1 << 20;

/// What chains have taken so far. A group may name a bone many times, and bones that are above each other.
#[derive(Default)]
struct TakenBones {
    /// The nodes that were walked over.
    nodes: HashSet<usize>,
    swinging: HashSet<JointId>,
    /// The number of collider groups of all chains.
    groups: usize,
}

/// The springs in `animation`. What does not fit is left out and listed in `faults`.
pub(super) fn read(
    animation: &Value,
    root: &Root,
    skeleton: &Skeleton,
    joint_of: &dyn Fn(usize) -> Option<JointId>,
    faults: &mut Faults,
) -> SpringParts {
    let mut reader = SpringReader { skeleton, joint_of, faults, parts: SpringParts::default() };
    for (at, value) in array(animation.get("colliderGroups")).iter().enumerate() {
        reader.sphere_group(&format!("{PLACE}.colliderGroups[{at}]"), value);
    }
    let mut taken = TakenBones::default();
    for (at, value) in array(animation.get("boneGroups")).iter().enumerate() {
        let place = format!("{PLACE}.boneGroups[{at}]");
        reader.bone_group(&place, value, root, &mut taken);
    }
    checked(reader.parts, skeleton, PLACE, faults)
}

impl SpringReader<'_> {
    fn sphere_group(&mut self, place: &str, value: &Value) {
        let mut colliders = Vec::new();
        for sphere in array(value.get("colliders")) {
            let offset = vector_object(sphere.get("offset"), Vec3::ZERO);
            // Offsets of VRM 0.x are in Unity's space, where z points the other way.
            let center = Vec3::new(offset.x, offset.y, -offset.z);
            let shape =
                ColliderShape::Sphere { center, radius: number(sphere.get("radius"), 0.0), is_inside: false };
            let collider = self.joint(value.get("node")).map(|joint| SpringCollider { joint, shape });
            colliders.extend(self.keep_collider(place, collider));
        }
        self.parts.collider_groups.push(SpringColliderGroup { name: String::new(), colliders });
    }

    fn bone_group(&mut self, place: &str, value: &Value, root: &Root, taken: &mut TakenBones) {
        let center = value.get("center").filter(|c| !is_none(c)).map(|c| self.joint(Some(c))).transpose();
        let center = center.unwrap_or_else(|why| {
            self.faults.push(Fault::new(place, format!("the center {why}")));
            None
        });
        let like = SpringChain {
            name: text(value.get("comment")),
            center,
            collider_groups: self.groups(value.get("colliderGroups")),
            ..SpringChain::default()
        };
        for bone in array(value.get("bones")) {
            match index(bone).filter(|node| *node < root.nodes.len()) {
                Some(node) => self.bone(place, node, value, &like, root, taken),
                None => self.faults.push(Fault::new(place, format!("bone {bone} does not exist"))),
            }
        }
    }

    /// The chains of a node and all its descendants: each continues with the first child.
    fn bone(
        &mut self,
        place: &str,
        node: usize,
        group: &Value,
        like: &SpringChain,
        root: &Root,
        taken: &mut TakenBones,
    ) {
        let mut starts = vec![node];
        while let Some(start) = starts.pop() {
            if taken.nodes.contains(&start) {
                self.faults.push(Fault::new(place, format!("node {start} is in another spring already")));
                continue;
            }
            taken.groups += like.collider_groups.len();
            if taken.groups > MAX_GROUPS {
                self.faults.push(Fault::new(place, "chains have too many collider groups together"));
                return;
            }
            let mut chain = like.clone();
            let mut next = Some(start);
            while let Some(node) = next {
                let Some(joint) = (self.joint_of)(node) else { break };
                if !taken.nodes.insert(node) {
                    break;
                }
                chain.joints.push(spring_joint(group, joint));
                let children = &root.nodes[node].children;
                starts.extend(children.iter().skip(1).rev());
                next = children.first().copied();
            }
            let last = chain.joints.last().map(|last| self.skeleton.rest(last.joint).translation);
            chain.tip = last.and_then(Vec3::try_normalize).map(|direction| direction * TIP_METERS);
            if chain.swinging().is_empty() {
                continue;
            }
            match self.fitting(chain, &mut taken.swinging) {
                Ok(chain) => self.parts.chains.push(chain),
                Err(why) => self.faults.push(Fault::new(place, why)),
            }
        }
    }
}

fn spring_joint(group: &Value, joint: JointId) -> SpringJoint {
    SpringJoint {
        // The specification's own spelling.
        stiffness: number(group.get("stiffiness"), 1.0),
        gravity_power: number(group.get("gravityPower"), 0.0),
        gravity_direction: vector_object(group.get("gravityDir"), Vec3::NEG_Y),
        drag: number(group.get("dragForce"), 0.4).clamp(0.0, 1.0),
        radius: number(group.get("hitRadius"), 0.0),
        ..SpringJoint::new(joint)
    }
}
