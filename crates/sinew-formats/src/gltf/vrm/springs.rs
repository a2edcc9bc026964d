//! Spring bones in the form of VRM 1.0: `VRMC_springBone` with extended colliders and limits.

use super::{
    super::json::extras::SINEW,
    fields::{Fault, Faults, array, index, number, text, truth, vector},
};
use serde_json::{Map, Value, json};
use sinew::{
    JointId, Skeleton,
    constrain::{
        ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringLimit,
        SpringLimitShape, SpringParts, Springs,
    },
    glam::{Quat, Vec3},
};
use std::collections::HashSet;

/// The extension of the document.
pub(in crate::gltf) const SPRINGS: &str = "VRMC_springBone";
/// The extension of a collider.
pub(in crate::gltf) const EXTENDED: &str = "VRMC_springBone_extended_collider";
/// The extension of a joint.
pub(in crate::gltf) const LIMIT: &str = "VRMC_springBone_limit";
/// The end of the last joint's bone in the extras of the joint, which `VRMC_springBone` does not have.
const TIP: &str = "tip";

/// The springs in `extension`. What does not fit is left out and listed in `faults`.
pub(super) fn read(
    extension: &Value,
    skeleton: &Skeleton,
    joint_of: &dyn Fn(usize) -> Option<JointId>,
    faults: &mut Faults,
) -> SpringParts {
    let place = format!("extensions.{SPRINGS}");
    let list = |key: &str| array(extension.get(key));
    let mut reader = SpringReader { skeleton, joint_of, faults, parts: SpringParts::default() };
    let mut numbers = Vec::new();
    for (at, value) in list("colliders").iter().enumerate() {
        numbers.push(reader.collider(&format!("{place}.colliders[{at}]"), value));
    }
    for group in list("colliderGroups") {
        let colliders = array(group.get("colliders")).iter().filter_map(index);
        let colliders = colliders.filter_map(|at| *numbers.get(at)?).collect();
        reader.parts.collider_groups.push(SpringColliderGroup { name: text(group.get("name")), colliders });
    }
    let mut swinging = HashSet::new();
    for (at, value) in list("springs").iter().enumerate() {
        let place = format!("{place}.springs[{at}]");
        match reader.chain(value).and_then(|chain| reader.fitting(chain, &mut swinging)) {
            Ok(chain) => reader.parts.chains.push(chain),
            Err(why) => reader.faults.push(Fault::new(place, why)),
        }
    }
    checked(reader.parts, skeleton, &place, faults)
}

/// The springs if a step can afford them.
pub(super) fn checked(
    mut parts: SpringParts,
    skeleton: &Skeleton,
    place: &str,
    faults: &mut Faults,
) -> SpringParts {
    if let Err(error) = Springs::new(skeleton, &parts) {
        faults.push(Fault::new(place, error.to_string()));
        parts.chains.clear();
    }
    parts
}

/// What is known while springs are read.
pub(super) struct SpringReader<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) joint_of: &'a dyn Fn(usize) -> Option<JointId>,
    pub(super) faults: &'a mut Faults,
    pub(super) parts: SpringParts,
}

impl SpringReader<'_> {
    pub(super) fn joint(&self, value: Option<&Value>) -> Result<JointId, String> {
        let node = value.and_then(index).ok_or("names no node")?;
        (self.joint_of)(node).ok_or_else(|| format!("names node {node}, which does not exist"))
    }

    /// The index of a collider in the parts; `None` if it was left out.
    fn collider(&mut self, place: &str, value: &Value) -> Option<usize> {
        let shape = shape(value).ok_or_else(|| "has no sphere, capsule or plane".to_owned());
        let collider =
            self.joint(value.get("node")).and_then(|joint| Ok(SpringCollider { joint, shape: shape? }));
        self.keep_collider(place, collider)
    }

    pub(super) fn keep_collider(
        &mut self,
        place: &str,
        collider: Result<SpringCollider, String>,
    ) -> Option<usize> {
        let at = self.parts.colliders.len();
        let is_good = |c: SpringCollider| c.check(self.skeleton, at).map(|()| c).map_err(|e| e.to_string());
        match collider.and_then(is_good) {
            Ok(collider) => {
                self.parts.colliders.push(collider);
                Some(at)
            }
            Err(why) => {
                self.faults.push(Fault::new(place, why));
                None
            }
        }
    }

    fn chain(&self, value: &Value) -> Result<SpringChain, String> {
        let listed = array(value.get("joints"));
        let joint = |value: &Value| Ok(spring_joint(value, self.joint(value.get("node"))?));
        let joints: Vec<SpringJoint> = listed.iter().map(joint).collect::<Result<_, String>>()?;
        let own = listed.last().and_then(|last| last.get("extras")?.get(SINEW)?.get(TIP));
        Ok(SpringChain {
            name: text(value.get("name")),
            joints,
            tip: own.map(|tip| vector(Some(tip), Vec3::ZERO)),
            center: value.get("center").filter(|c| !is_none(c)).map(|c| self.joint(Some(c))).transpose()?,
            collider_groups: self.groups(value.get("colliderGroups")),
        })
    }

    /// The groups that exist.
    pub(super) fn groups(&self, value: Option<&Value>) -> Vec<usize> {
        let count = self.parts.collider_groups.len();
        array(value).iter().filter_map(index).filter(|&group| group < count).collect()
    }

    /// The chain, if it is valid and no joint of it swings already.
    pub(super) fn fitting(
        &self,
        chain: SpringChain,
        swinging: &mut HashSet<JointId>,
    ) -> Result<SpringChain, String> {
        chain.check(self.skeleton, self.parts.chains.len()).map_err(|error| error.to_string())?;
        if let Some(twice) = chain.swinging().iter().find(|joint| swinging.contains(&joint.joint)) {
            let name = self.skeleton.name(twice.joint);
            return Err(format!("joint {name:?} swings in another spring already"));
        }
        swinging.extend(chain.swinging().iter().map(|joint| joint.joint));
        Ok(chain)
    }
}

/// True for the number that some exporters write where there is no node.
pub(super) fn is_none(value: &Value) -> bool {
    value.is_null() || value.as_i64().is_some_and(|node| node < 0)
}

fn spring_joint(value: &Value, joint: JointId) -> SpringJoint {
    let default = SpringJoint::new(joint);
    let extension = value.get("extensions").and_then(|extensions| extensions.get(LIMIT)?.get("limit"));
    SpringJoint {
        joint,
        stiffness: number(value.get("stiffness"), default.stiffness),
        gravity_power: number(value.get("gravityPower"), default.gravity_power),
        gravity_direction: vector(value.get("gravityDir"), default.gravity_direction),
        drag: number(value.get("dragForce"), default.drag),
        radius: number(value.get("hitRadius"), default.radius),
        limit: extension.and_then(limit),
    }
}

fn limit(value: &Value) -> Option<SpringLimit> {
    let angle = |of: &Value, key: &str| number(of.get(key), f32::NAN);
    let of_angle = |key: &str| value.get(key).map(|of| (of, angle(of, "angle")));
    let cone = of_angle("cone").map(|(of, angle_radians)| (of, SpringLimitShape::Cone { angle_radians }));
    let hinge = of_angle("hinge").map(|(of, angle_radians)| (of, SpringLimitShape::Hinge { angle_radians }));
    let spherical = value.get("spherical").map(|of| {
        let (pitch_radians, yaw_radians) = (angle(of, "pitch"), angle(of, "yaw"));
        (of, SpringLimitShape::Spherical { pitch_radians, yaw_radians })
    });
    let (of, shape) = cone.or(hinge).or(spherical)?;
    let parts = array(of.get("rotation"));
    let part = |at: usize, default: f32| number(parts.get(at), default);
    let rotation = Quat::from_xyzw(part(0, 0.0), part(1, 0.0), part(2, 0.0), part(3, 1.0));
    Some(SpringLimit { shape, rotation })
}

/// The shape of a collider: the extended one if there is one, whose plain shape is only a replacement.
fn shape(value: &Value) -> Option<ColliderShape> {
    let extended = value.get("extensions").and_then(|extensions| extensions.get(EXTENDED)?.get("shape"));
    extended.and_then(one_shape).or_else(|| value.get("shape").and_then(one_shape))
}

fn one_shape(shape: &Value) -> Option<ColliderShape> {
    let point = |of: &Value, key: &str| vector(of.get(key), Vec3::ZERO);
    let radius = |of: &Value| number(of.get("radius"), 0.0);
    if let Some(of) = shape.get("sphere") {
        let (center, is_inside) = (point(of, "offset"), truth(of.get("inside")));
        return Some(ColliderShape::Sphere { center, radius: radius(of), is_inside });
    }
    if let Some(of) = shape.get("capsule") {
        let (start, end, is_inside) = (point(of, "offset"), point(of, "tail"), truth(of.get("inside")));
        return Some(ColliderShape::Capsule { start, end, radius: radius(of), is_inside });
    }
    let of = shape.get("plane")?;
    Some(ColliderShape::Plane { point: point(of, "offset"), normal: vector(of.get("normal"), Vec3::Z) })
}

/// The extension of a document with the lists of springs; `None` if there are none.
pub(in crate::gltf) fn to_json(
    parts: &SpringParts,
    node_of: impl Fn(JointId) -> usize,
) -> Option<Map<String, Value>> {
    if parts.is_empty() {
        return None;
    }
    let group = |group: &SpringColliderGroup| {
        let mut object = Map::new();
        put_name(&mut object, &group.name);
        object.insert("colliders".into(), json!(group.colliders));
        Value::Object(object)
    };
    let collider = |collider: &SpringCollider| collider_json(collider, node_of(collider.joint));
    let mut out = Map::new();
    out.insert("specVersion".into(), json!("1.0"));
    let mut put = |key: &str, list: Vec<Value>| {
        if !list.is_empty() {
            out.insert(key.into(), Value::Array(list));
        }
    };
    put("colliders", parts.colliders.iter().map(collider).collect());
    put("colliderGroups", parts.collider_groups.iter().map(group).collect());
    put("springs", parts.chains.iter().map(|chain| chain_json(chain, &node_of)).collect());
    Some(out)
}

/// The extensions that springs need a document to name.
pub(in crate::gltf) fn used(parts: &SpringParts) -> impl Iterator<Item = &'static str> {
    let is_extended = parts.colliders.iter().any(|collider| extended_json(&collider.shape).is_some());
    let is_limited = parts.chains.iter().flat_map(SpringChain::swinging).any(|joint| joint.limit.is_some());
    let names = [(SPRINGS, !parts.is_empty()), (EXTENDED, is_extended), (LIMIT, is_limited)];
    names.into_iter().filter_map(|(name, is_used)| is_used.then_some(name))
}

fn put_name(object: &mut Map<String, Value>, name: &str) {
    if !name.is_empty() {
        object.insert("name".into(), json!(name));
    }
}

fn chain_json(chain: &SpringChain, node_of: &impl Fn(JointId) -> usize) -> Value {
    let mut object = Map::new();
    put_name(&mut object, &chain.name);
    let last = chain.joints.len().saturating_sub(1);
    let joint = |(at, joint): (usize, &SpringJoint)| {
        let tip = chain.tip.filter(|_| at == last);
        joint_json(joint, node_of(joint.joint), at < chain.swinging().len(), tip)
    };
    object.insert("joints".into(), chain.joints.iter().enumerate().map(joint).collect());
    if !chain.collider_groups.is_empty() {
        object.insert("colliderGroups".into(), json!(chain.collider_groups));
    }
    if let Some(center) = chain.center {
        object.insert("center".into(), json!(node_of(center)));
    }
    Value::Object(object)
}

fn joint_json(joint: &SpringJoint, node: usize, swings: bool, tip: Option<Vec3>) -> Value {
    let mut value = json!({
        "node": node,
        "hitRadius": joint.radius,
        "stiffness": joint.stiffness,
        "gravityPower": joint.gravity_power,
        "gravityDir": joint.gravity_direction.to_array(),
        "dragForce": joint.drag,
    });
    if let Some(limit) = joint.limit.filter(|_| swings) {
        value["extensions"] = json!({ LIMIT: { "specVersion": "1.0-draft", "limit": limit_json(&limit) } });
    }
    if let Some(tip) = tip {
        value["extras"] = json!({ SINEW: { TIP: tip.to_array() } });
    }
    value
}

fn limit_json(limit: &SpringLimit) -> Value {
    let rotation = limit.rotation.to_array();
    match limit.shape {
        SpringLimitShape::Cone { angle_radians } => {
            json!({ "cone": { "angle": angle_radians, "rotation": rotation } })
        }
        SpringLimitShape::Hinge { angle_radians } => {
            json!({ "hinge": { "angle": angle_radians, "rotation": rotation } })
        }
        SpringLimitShape::Spherical { pitch_radians, yaw_radians } => {
            json!({ "spherical": { "pitch": pitch_radians, "yaw": yaw_radians, "rotation": rotation } })
        }
    }
}

fn collider_json(collider: &SpringCollider, node: usize) -> Value {
    let mut value = json!({ "node": node, "shape": plain_json(&collider.shape) });
    if let Some(shape) = extended_json(&collider.shape) {
        value["extensions"] = json!({ EXTENDED: { "specVersion": "1.0", "shape": shape } });
    }
    value
}

/// The shape for programs without extended colliders: what they cannot represent is far away or a large sphere.
fn plain_json(shape: &ColliderShape) -> Value {
    match *shape {
        ColliderShape::Sphere { center, radius, is_inside: false } => {
            json!({ "sphere": { "offset": center.to_array(), "radius": radius } })
        }
        ColliderShape::Capsule { start, end, radius, is_inside: false } => {
            json!({ "capsule": { "offset": start.to_array(), "radius": radius, "tail": end.to_array() } })
        }
        ColliderShape::Sphere { .. } | ColliderShape::Capsule { .. } => {
            json!({ "sphere": { "offset": [0.0, -10000.0, 0.0], "radius": 0.0 } })
        }
        ColliderShape::Plane { point, normal } => {
            let center = point - normal.normalize_or_zero() * 1000.0;
            json!({ "sphere": { "offset": center.to_array(), "radius": 1000.0 } })
        }
    }
}

fn extended_json(shape: &ColliderShape) -> Option<Value> {
    match *shape {
        ColliderShape::Sphere { center, radius, is_inside } => is_inside
            .then(|| json!({ "sphere": { "offset": center.to_array(), "radius": radius, "inside": true } })),
        ColliderShape::Capsule { start, end, radius, is_inside } => is_inside.then(|| {
            let (offset, tail) = (start.to_array(), end.to_array());
            json!({ "capsule": { "offset": offset, "radius": radius, "tail": tail, "inside": true } })
        }),
        ColliderShape::Plane { point, normal } => {
            Some(json!({ "plane": { "offset": point.to_array(), "normal": normal.to_array() } }))
        }
    }
}
