//! Rigs of the oracle: joints, springs, a formula that moves joints, and the expected result.

use serde::Deserialize;
use sinew::{
    Joint, JointId, LocalPose, ModelPose, Skeleton, Transform,
    constrain::{
        ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts,
        SpringState, SpringStep, Springs,
    },
    glam::{DQuat, DVec3, Quat, Vec3},
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RigJson {
    pub dt: f64,
    joints: Vec<JointJson>,
    motions: Vec<MotionJson>,
    #[serde(default)]
    chains: Vec<ChainJson>,
    #[serde(default)]
    colliders: Vec<ColliderJson>,
    #[serde(default)]
    groups: Vec<Vec<usize>>,
    #[serde(default)]
    pub constraints: Vec<ConstraintJson>,
    pub expected: Vec<ExpectedJson>,
}

#[derive(Deserialize)]
struct JointJson {
    parent: i32,
    translation: DVec3,
    rotation: DQuat,
    scale: Vec3,
}

#[derive(Deserialize)]
struct MotionJson {
    joint: usize,
    slide: DVec3,
    axis: DVec3,
    turn: f64,
    hertz: f64,
    phase: f64,
}

#[derive(Deserialize)]
struct ChainJson {
    joints: Vec<SpringJson>,
    #[serde(default)]
    groups: Vec<usize>,
    center: Option<u16>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpringJson {
    joint: u16,
    stiffness: f32,
    gravity_power: f32,
    gravity_dir: Vec3,
    drag_force: f32,
    hit_radius: f32,
}

#[derive(Deserialize)]
struct ColliderJson {
    joint: u16,
    sphere: Option<ShapeJson>,
    capsule: Option<ShapeJson>,
    plane: Option<ShapeJson>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ShapeJson {
    offset: Vec3,
    tail: Vec3,
    normal: Vec3,
    radius: f32,
    inside: bool,
}

#[derive(Deserialize)]
pub(crate) struct ConstraintJson {
    pub joint: u16,
    pub source: u16,
    pub weight: f32,
    pub kind: String,
    #[serde(default)]
    pub axis: String,
}

#[derive(Deserialize)]
pub(crate) struct ExpectedJson {
    pub step: u32,
    #[serde(default)]
    pub tails: Vec<Vec3>,
    #[serde(default)]
    pub rotations: Vec<Quat>,
}

/// A rig with its skeleton and springs.
pub(crate) struct Rig {
    pub json: RigJson,
    pub skeleton: Skeleton,
    pub parts: SpringParts,
    pub springs: Springs,
}

impl Rig {
    pub(crate) fn read(text: &str) -> Self {
        let json: RigJson = serde_json::from_str(text).unwrap();
        let joint = |(at, joint): (usize, &JointJson)| Joint {
            name: format!("joint_{at}"),
            parent: u16::try_from(joint.parent).ok().map(JointId),
            rest: Transform {
                translation: joint.translation.as_vec3(),
                rotation: joint.rotation.as_quat().normalize(),
                scale: joint.scale,
            },
        };
        let skeleton = Skeleton::new(json.joints.iter().enumerate().map(joint)).unwrap();
        let parts = parts(&json);
        let springs = Springs::new(&skeleton, &parts).unwrap();
        Self { json, skeleton, parts, springs }
    }

    /// The pose at a time, before springs.
    pub(crate) fn pose_at(&self, secs: f64) -> LocalPose {
        let mut pose = self.skeleton.rest_pose();
        for motion in &self.json.motions {
            let wave =
                (std::f64::consts::TAU * motion.hertz * secs + motion.phase).sin() - motion.phase.sin();
            let rest = &self.json.joints[motion.joint];
            let turn = DQuat::from_axis_angle(motion.axis.normalize(), motion.turn * wave);
            let joint = &mut pose.joints[motion.joint];
            joint.translation = (rest.translation + motion.slide * wave).as_vec3();
            joint.rotation = (rest.rotation * turn).as_quat().normalize();
        }
        pose
    }

    /// Steps the springs to a time, and returns the pose.
    pub(crate) fn step(&self, state: &mut SpringState, secs: f64, step: impl Into<SpringStep>) -> LocalPose {
        let mut pose = self.pose_at(secs);
        let mut model = ModelPose::new(&self.skeleton);
        model.update(&self.skeleton, &pose);
        self.springs.step(step, &model, state, &mut pose);
        pose
    }

    /// The ends of the bones in model space, chain by chain.
    pub(crate) fn tails(&self, pose: &LocalPose) -> Vec<Vec3> {
        let mut model = ModelPose::new(&self.skeleton);
        model.update(&self.skeleton, pose);
        let ends = self.parts.chains.iter().flat_map(|chain| &chain.joints[1..]);
        ends.map(|end| model.joint(end.joint).translation.into()).collect()
    }

    /// The length of the first chain at rest in model space.
    pub(crate) fn length(&self) -> f32 {
        let mut model = ModelPose::new(&self.skeleton);
        model.update(&self.skeleton, &self.skeleton.rest_pose());
        let joints = &self.parts.chains[0].joints;
        let at = |n: usize| Vec3::from(model.joint(joints[n].joint).translation);
        (1..joints.len()).map(|n| at(n).distance(at(n - 1))).sum()
    }
}

fn parts(json: &RigJson) -> SpringParts {
    let spring = |s: &SpringJson| SpringJoint {
        stiffness: s.stiffness,
        gravity_power: s.gravity_power,
        gravity_direction: s.gravity_dir,
        drag: s.drag_force,
        radius: s.hit_radius,
        ..SpringJoint::new(JointId(s.joint))
    };
    let chain = |chain: &ChainJson| SpringChain {
        center: chain.center.map(JointId),
        collider_groups: chain.groups.clone(),
        ..SpringChain::new("", chain.joints.iter().map(spring))
    };
    let group =
        |colliders: &Vec<usize>| SpringColliderGroup { name: String::new(), colliders: colliders.clone() };
    SpringParts {
        chains: json.chains.iter().map(chain).collect(),
        colliders: json.colliders.iter().map(collider).collect(),
        collider_groups: json.groups.iter().map(group).collect(),
    }
}

fn collider(json: &ColliderJson) -> SpringCollider {
    let sphere = json.sphere.as_ref().map(|s| ColliderShape::Sphere {
        center: s.offset,
        radius: s.radius,
        is_inside: s.inside,
    });
    let capsule = json.capsule.as_ref().map(|s| ColliderShape::Capsule {
        start: s.offset,
        end: s.tail,
        radius: s.radius,
        is_inside: s.inside,
    });
    let plane = json.plane.as_ref().map(|s| ColliderShape::Plane { point: s.offset, normal: s.normal });
    SpringCollider { joint: JointId(json.joint), shape: sphere.or(capsule).or(plane).unwrap() }
}
