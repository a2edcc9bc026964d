//! Roll joints: distribute the twist of a limb over its length.

use super::{
    AddedHelper, HelperJointError,
    limb::{HelperLimb, joint_from},
    skins::{NewJoints, NewSlots, free_names, reweighted, with_joints},
};
use crate::weights::{
    Edit,
    ops::{SpreadAlong, spread_joint},
};
use sinew::{
    Character, JointId, Mesh, Transform,
    constrain::{HelperJoint, HelperKind, Roll},
    glam::{Quat, Vec3},
    transform::inverse_affine,
};

/// The end of a bone that twists against the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TwistEnd {
    /// The joint at the end of the bone rotates, as a hand twists a forearm.
    #[default]
    Far,
    /// The bone's own joint rotates against its parent, as an upper arm twists in the shoulder.
    Near,
}

/// How roll joints are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RollOptions {
    /// The number of roll joints, 1 to 16. With n of them, each span takes 1/(n + 1) of the twist.
    pub count: usize,
    /// The end of the bone that twists.
    pub end: TwistEnd,
    /// The maximum number of influences per vertex afterwards, 0 for no limit.
    pub max_influences: usize,
}

impl Default for RollOptions {
    fn default() -> Self {
        Self { count: 3, end: TwistEnd::Far, max_influences: 0 }
    }
}

/// Figures about added roll joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RollReport {
    /// The number of vertices whose weights changed.
    pub changed: usize,
    /// The largest number of influences of a vertex afterwards.
    pub max_influences: usize,
    /// The number of points at the influence limit, which follow one roll joint instead of two.
    pub held_points: usize,
}

/// The minimum length of the rolled segment, as a fraction of the bone from the end that does not twist.
const MIN_SEGMENT: f32 = 0.5;
/// Smaller weights of the joint at the twisting end do not count as its skin.
const MIN_WEIGHT: f32 = 0.02;

/// Adds roll joints to the bone from `joint` to `child`. They receive the weights of `joint` by position along the bone, and a
/// helper applies a fraction of the twist to each.
///
/// # Errors
/// If `child` is not a descendant of `joint`, the count is out of range, no vertex is bound to the joint, or skeleton or skin
/// are full.
pub fn add_rolls(
    character: &Character,
    joint: JointId,
    child: JointId,
    options: &RollOptions,
) -> Result<AddedHelper<RollReport>, HelperJointError> {
    super::error::check("the number of roll joints", options.count as f32, 1.0..=16.0, "1 to 16")?;
    let skeleton = character.skeleton();
    let limb = HelperLimb::between(skeleton, joint, child)?;
    let stretch = RollSegment::of(character, &limb, options.end, child);
    let names = free_names(skeleton, &format!("{}.roll", skeleton.name(joint)), options.count);
    let place = |(at, name): (usize, String)| {
        let place = stretch.at((at + 1) as f32 / options.count as f32);
        (name, Transform::from_translation(place))
    };
    let hung = NewJoints { under: joint, joints: names.into_iter().enumerate().map(place).collect() };
    let (mut parts, joints, skins) = with_joints(character, &hung)?;
    let mut report = RollReport::default();
    for skin in &skins {
        for &mesh in &skin.meshes {
            parts.meshes[mesh] = reweigh(&character.meshes()[mesh], skin, &stretch, options, &mut report)?;
        }
    }
    let (source, axis) = match options.end {
        TwistEnd::Far => {
            let turn = joint_from(skeleton, joint, child).map_or(Quat::IDENTITY, |from| {
                let (_, rotation, _) = from.to_scale_rotation_translation();
                rotation.conjugate()
            });
            (child, turn * limb.along)
        }
        TwistEnd::Near => (joint, limb.along),
    };
    let side = if options.end == TwistEnd::Near { -1.0 } else { 1.0 };
    let fraction = |at: usize| side * (at + 1) as f32 / (options.count + 1) as f32;
    let rolls =
        joints.iter().enumerate().map(|(at, &joint)| Roll { joint, fraction: fraction(at) }).collect();
    parts.helpers.push(HelperJoint {
        name: format!("{} twist", skeleton.name(joint)),
        is_enabled: true,
        kind: HelperKind::Twist { source, axis, rolls },
    });
    Ok(AddedHelper { character: Character::new(parts)?, joints, report })
}

/// The segment of the bone along which roll joints receive weights, in the joint's space, from the end that does not twist.
struct RollSegment {
    start: Vec3,
    end: Vec3,
}

impl RollSegment {
    /// The segment ends where the skin of the twisting end begins; beyond, the joint itself blends with the last roll joint.
    fn of(character: &Character, limb: &HelperLimb, end: TwistEnd, child: JointId) -> Self {
        let skeleton = character.skeleton();
        let bone = limb.along * limb.length;
        let (start, end, other) = match end {
            TwistEnd::Far => (Vec3::ZERO, bone, Some(child)),
            TwistEnd::Near => (bone, Vec3::ZERO, skeleton.parent(limb.joint)),
        };
        let mut whole = Self { start, end };
        let first = other.map_or(1.0, |other| whole.first_of(character, limb.joint, other));
        whole.end = whole.at(first.clamp(MIN_SEGMENT, 1.0));
        whole
    }

    fn at(&self, fraction: f32) -> Vec3 {
        self.start.lerp(self.end, fraction)
    }

    /// The position along the segment of the first vertex that follows both `joint` and `other`; 1 if there is none.
    fn first_of(&self, character: &Character, joint: JointId, other: JointId) -> f32 {
        let way = self.end - self.start;
        let mut first = 1.0_f32;
        for instance in character.instances() {
            let Some(skin) = character.skin_of(instance) else { continue };
            let (Some(own), Some(other)) = (skin.slot_of(joint), skin.slot_of(other)) else { continue };
            let mesh = character.mesh_of(instance);
            let Some(weights) = mesh.weights() else { continue };
            let joint_from_mesh = skin.joint_from_mesh()[usize::from(own)];
            for (vertex, place) in mesh.positions().iter().enumerate() {
                let is_shared = [own, other].iter().all(|&s| weights.weight_of(vertex, s) > MIN_WEIGHT);
                if is_shared {
                    let along = (joint_from_mesh.transform_point3(*place) - self.start).dot(way);
                    first = first.min(along / way.length_squared());
                }
            }
        }
        first
    }
}

/// Moves the weights of the joint to its roll joints.
fn reweigh(
    mesh: &Mesh,
    skin: &NewSlots,
    stretch: &RollSegment,
    options: &RollOptions,
    report: &mut RollReport,
) -> Result<std::sync::Arc<Mesh>, HelperJointError> {
    let slot_count = skin.skin.joints().len() + skin.slots.len();
    let edit = Edit::new(mesh)?.in_skin_of(slot_count);
    let joint_from_mesh = &skin.skin.joint_from_mesh()[usize::from(skin.under)];
    let mesh_from_joint = inverse_affine(joint_from_mesh).unwrap_or_default();
    let along = SpreadAlong {
        start: mesh_from_joint.transform_point3(stretch.start),
        end: mesh_from_joint.transform_point3(stretch.end),
        row: &skin.slots,
        max_influences: options.max_influences,
    };
    let spread = spread_joint(&edit, skin.under, &along)?;
    report.changed += spread.outcome.changed;
    report.held_points += spread.held_points;
    report.max_influences = report.max_influences.max(spread.outcome.weights.max_influences());
    reweighted(mesh, spread.outcome.weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Frame, Method, Wrap};

    fn tube_with(count: usize, end: TwistEnd) -> Character {
        let tube = sinew_samples::tube();
        let options = RollOptions { count, end, max_influences: 0 };
        let (joint, child) = match end {
            TwistEnd::Far => (JointId(0), JointId(1)),
            TwistEnd::Near => (JointId(1), JointId(2)),
        };
        add_rolls(&tube, joint, child, &options).unwrap().character
    }

    /// The minimum distance of the wall from the axis, with the upper half twisted.
    fn min_radius(tube: &Character, degrees: f32) -> f32 {
        let mut frame = Frame::new(tube);
        frame.local_mut().joints[1].rotation = Quat::from_rotation_y(degrees.to_radians());
        frame.deform(Method::Linear).unwrap();
        let wall = tube.meshes()[0].positions().iter().zip(&frame.deformed()[0].positions);
        let radius = |p: &Vec3| p.with_y(0.0).length();
        wall.filter(|(rest, _)| radius(rest) > 0.99).map(|(_, p)| radius(p)).fold(f32::MAX, f32::min)
    }

    #[test]
    fn the_minimum_radius_grows_with_every_roll_joint() {
        assert!((min_radius(&sinew_samples::tube(), 150.0) - 0.259).abs() < 2e-3);
        for end in [TwistEnd::Far, TwistEnd::Near] {
            for (count, want) in [(1, 0.794), (3, 0.948)] {
                let min = min_radius(&tube_with(count, end), 150.0);
                assert!(min > want - 0.012, "{count} at {end:?}: {min}");
            }
        }
    }

    #[test]
    fn at_rest_and_in_clips_without_twist_nothing_moves() {
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let added = add_rolls(&figure, find("forearm.L"), find("hand.L"), &RollOptions::default()).unwrap();
        let rolled = &added.character;
        assert_eq!(added.joints.len(), 3);
        assert_eq!(rolled.skeleton().name(added.joints[2]), "forearm.L.roll.3");
        assert!(added.report.changed > 0);
        let positions = |character: &Character| {
            let mut frame = Frame::new(character);
            frame.deform(Method::Linear).unwrap();
            frame.deformed().iter().flat_map(|streams| streams.positions.clone()).collect::<Vec<_>>()
        };
        let pairs = positions(&figure).into_iter().zip(positions(rolled));
        let farthest = pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
        assert!(farthest < 1e-6, "{farthest}");
        let mut frame = Frame::new(rolled);
        for clip in rolled.clips() {
            frame.sample(clip, 0.3, Wrap::Loop);
            frame.deform(Method::DualQuat).unwrap();
            assert!(frame.deformed().iter().flat_map(|s| &s.positions).all(|p| p.is_finite()));
        }
    }

    #[test]
    fn sums_stay_one_and_the_influence_limit_is_kept() {
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let before =
            figure.meshes().iter().filter_map(|m| Some(m.weights()?.max_influences())).max().unwrap();
        let options = RollOptions { max_influences: before, ..RollOptions::default() };
        let added = add_rolls(&figure, find("thigh.R"), find("shin.R"), &options).unwrap();
        assert!(added.report.max_influences <= before);
        for weights in added.character.meshes().iter().filter_map(|m| m.weights()) {
            assert!((0..weights.vertex_count()).all(|v| weights.of(v).1.iter().sum::<f32>() == 1.0));
        }
    }

    #[test]
    fn rejects_joints_that_do_not_form_a_limb() {
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let add = |joint, child, count| {
            add_rolls(&figure, joint, child, &RollOptions { count, ..RollOptions::default() }).unwrap_err()
        };
        let (fore, hand) = (find("forearm.L"), find("hand.L"));
        assert!(matches!(add(hand, fore, 3), HelperJointError::NotBelow { .. }));
        assert!(matches!(add(fore, fore, 3), HelperJointError::NoBone { .. }));
        assert!(matches!(add(fore, JointId(999), 3), HelperJointError::NoSuchJoint { .. }));
        assert!(matches!(add(fore, hand, 0), HelperJointError::BadOption { .. }));
    }
}
