//! Muscles: joints inside a limb that swell with a bend and push the skin out.

use super::{
    AddedHelper, HelperJointError,
    error::check,
    limb::{HelperLimb, check_joint, joint_from},
    skins::{NewJoints, NewSlots, free_names, with_joints},
};
use sinew::{
    Character, Influence, JointId, Mesh, Skeleton, Transform, Weights,
    constrain::{DrivenProperty, Driver, DriverCurve, DriverMeasure, HelperJoint, HelperKind},
    glam::{Quat, Vec3},
};
use std::sync::Arc;

/// The position, size and strength of a muscle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MuscleOptions {
    /// The center of the muscle along the bone, 0 to 1.
    pub along: f32,
    /// The side of the bone, in radians about it from the model's front (from above for bones that point to the front).
    pub around_radians: f32,
    /// Half the length of the muscle as a fraction of the bone's length, 0.01 to 2.
    pub reach: f32,
    /// How strongly the skin follows the muscle, 0 to 2.
    pub strength: f32,
    /// The factor of its thickness when fully bent, 0.2 to 4.
    pub swell: f32,
    /// How far it slides towards the start of the bone when fully bent, as a fraction of the bone's length, −0.5 to 0.5.
    pub slide: f32,
    /// The bend at which it has swollen fully, in radians, 0.05 to π.
    pub full_bend_radians: f32,
}

impl Default for MuscleOptions {
    fn default() -> Self {
        Self {
            along: 0.45,
            around_radians: 0.0,
            reach: 0.45,
            strength: 1.0,
            swell: 1.35,
            slide: 0.05,
            full_bend_radians: 2.0,
        }
    }
}

impl MuscleOptions {
    fn check(&self) -> Result<(), HelperJointError> {
        check("the muscle's position along the bone", self.along, 0.0..=1.0, "0 to 1")?;
        check("the muscle's side", self.around_radians, -7.0..=7.0, "an angle within a turn")?;
        check("the muscle's reach", self.reach, 0.01..=2.0, "0.01 to 2")?;
        check("the muscle's strength", self.strength, 0.0..=2.0, "0 to 2")?;
        check("the muscle's swell", self.swell, 0.2..=4.0, "0.2 to 4")?;
        check("the muscle's slide", self.slide, -0.5..=0.5, "-0.5 to 0.5")?;
        check("the full bend", self.full_bend_radians, 0.05..=std::f32::consts::PI, "0.05 to half a turn")
    }
}

/// Figures about an added muscle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MuscleReport {
    /// The number of vertices that it moves.
    pub vertices: usize,
    /// The largest displacement of the skin when fully bent, in millimeters.
    pub max_mm: f32,
}

/// Smaller muscle weights are dropped.
const MIN_WEIGHT: f32 = 1e-3;

/// Adds a muscle to the bone of joint `bone`, with muscle weights for the skin around it and a helper that swells and slides it as
/// `source` bends. The bone leads to `source` if that is a descendant, and otherwise to the farthest child.
///
/// # Errors
/// If a joint does not exist, `bone` has no bone, an option is out of range, no vertex is bound to the bone, or skeleton or
/// skin are full.
pub fn add_muscle(
    character: &Character,
    bone: JointId,
    source: JointId,
    options: &MuscleOptions,
) -> Result<AddedHelper<MuscleReport>, HelperJointError> {
    options.check()?;
    let skeleton = character.skeleton();
    let limb = limb_of(skeleton, bone, source)?;
    let rest = Transform::from_rotation_translation(
        Quat::from_rotation_arc(Vec3::Y, limb.along),
        limb.along * limb.length * options.along,
    );
    let stem = format!("{}.muscle", skeleton.name(bone));
    let joints = free_names(skeleton, &stem, 1).into_iter().map(|name| (name, rest)).collect();
    let (mut parts, joints, skins) = with_joints(character, &NewJoints { under: bone, joints })?;
    let belly = MuscleShape { limb, side: limb.side(skeleton, options.around_radians), options };
    let mut report = MuscleReport::default();
    for skin in &skins {
        for &mesh in &skin.meshes {
            let carriers = carriers(character, skin, bone);
            parts.meshes[mesh] = push(&character.meshes()[mesh], skin, &carriers, &belly, &mut report)?;
        }
    }
    parts.helpers.push(HelperJoint {
        name: parts.skeleton.name(joints[0]).to_owned(),
        is_enabled: true,
        kind: HelperKind::Drive(drivers(skeleton, &limb, source, joints[0], options)?),
    });
    Ok(AddedHelper { character: Character::new(parts)?, joints, report })
}

pub(super) fn limb_of(
    skeleton: &Skeleton,
    bone: JointId,
    source: JointId,
) -> Result<HelperLimb, HelperJointError> {
    check_joint(skeleton, bone)?;
    check_joint(skeleton, source)?;
    if source != bone && skeleton.is_within(source, bone) {
        HelperLimb::between(skeleton, bone, source)
    } else {
        HelperLimb::longest(skeleton, bone)
    }
}

/// Drivers that swell the muscle across the bone and slide it towards the start of the bone.
fn drivers(
    skeleton: &Skeleton,
    limb: &HelperLimb,
    source: JointId,
    muscle: JointId,
    options: &MuscleOptions,
) -> Result<Vec<Driver>, HelperJointError> {
    let measure = DriverMeasure::Swing { axis: bend_axis(skeleton, limb, source) };
    let driver = |property, from: f32, to: f32| {
        let curve = DriverCurve::smooth([[0.0, from], [options.full_bend_radians, to]])?;
        Ok(Driver { source, measure, target: muscle, property, curve })
    };
    let swell = driver(DrivenProperty::Scale { axes: [true, false, true] }, 1.0, options.swell);
    let slide = driver(DrivenProperty::Translation { axis: -limb.along }, 0.0, options.slide * limb.length);
    [swell, slide].into_iter().collect()
}

/// The direction of the source's bone in its own space; its swing is the bend.
pub(super) fn bend_axis(skeleton: &Skeleton, limb: &HelperLimb, source: JointId) -> Vec3 {
    if let Ok(own) = HelperLimb::longest(skeleton, source) {
        return own.along;
    }
    // A joint at the end of a chain continues in the direction of the bone before it.
    let turn = joint_from(skeleton, limb.joint, source)
        .map_or(Quat::IDENTITY, |from| from.to_scale_rotation_translation().1);
    turn.conjugate() * limb.along
}

/// The shape of a muscle around its bone.
struct MuscleShape<'a> {
    limb: HelperLimb,
    side: Vec3,
    options: &'a MuscleOptions,
}

impl MuscleShape<'_> {
    /// The muscle weight at a point in the bone's space for skin that only the bone carries. It falls off smoothly along and around
    /// the bone, to zero at the ends of the muscle and 90 degrees off its side.
    fn weight(&self, place: Vec3) -> f32 {
        let along = place.dot(self.limb.along) / self.limb.length;
        let off = (along - self.options.along) / self.options.reach;
        let lengthwise = (1.0 - off * off).max(0.0).powi(2);
        let across = place.reject_from_normalized(self.limb.along);
        let facing = across.normalize_or_zero().dot(self.side).clamp(0.0, 1.0);
        self.options.strength * lengthwise * facing * facing * (3.0 - 2.0 * facing)
    }
}

/// The slots of the joints that carry the skin of the bone: the bone itself and its roll joints.
fn carriers(character: &Character, skin: &NewSlots, bone: JointId) -> Vec<u16> {
    let rolls = character.helpers().iter().filter_map(|helper| match &helper.kind {
        HelperKind::Twist { rolls, .. } => Some(rolls),
        HelperKind::Drive(_) | HelperKind::Correct(_) => None,
    });
    let rolls = rolls.flatten().map(|roll| roll.joint);
    let of_bone = rolls.filter(|&joint| character.skeleton().parent(joint) == Some(bone));
    of_bone.filter_map(|joint| skin.skin.slot_of(joint)).chain([skin.under]).collect()
}

/// The mesh with additional muscle weights.
fn push(
    mesh: &Arc<Mesh>,
    skin: &NewSlots,
    carriers: &[u16],
    belly: &MuscleShape<'_>,
    report: &mut MuscleReport,
) -> Result<Arc<Mesh>, HelperJointError> {
    let Some(weights) = mesh.weights() else { return Ok(Arc::clone(mesh)) };
    let (slot, slot_count) = (skin.slots[0], skin.skin.joints().len() + 1);
    let joint_from_mesh = skin.skin.joint_from_mesh()[usize::from(skin.under)];
    let mut free: Vec<Vec<Influence>> = Vec::with_capacity(weights.vertex_count());
    for (vertex, place) in mesh.positions().iter().enumerate() {
        let place = joint_from_mesh.transform_point3(*place);
        let carried: f32 = carriers.iter().map(|&slot| weights.weight_of(vertex, slot)).sum();
        let weight = belly.weight(place) * carried;
        let (slots, had) = weights.muscle_of(vertex);
        let had = slots.iter().zip(had).map(|(&slot, &weight)| Influence { slot, weight });
        let pushed = (weight > MIN_WEIGHT).then_some(Influence { slot, weight });
        if pushed.is_some() {
            let thick = place.reject_from_normalized(belly.limb.along).length();
            report.vertices += 1;
            report.max_mm = report.max_mm.max(thick * (belly.options.swell - 1.0) * weight * 1000.0);
        }
        free.push(had.chain(pushed).collect());
    }
    let weights = Weights::clone(weights).with_muscle_weights(slot_count, free)?;
    // Precomputed data depends on the skin weights, which stay the same.
    let made = mesh.precomputed().clone();
    Ok(Arc::new(Mesh::clone(mesh).with_weights(Arc::new(weights), made)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Frame, Method};

    fn arm_with(options: &MuscleOptions) -> AddedHelper<MuscleReport> {
        add_muscle(&sinew_samples::arm(), JointId(0), JointId(1), options).unwrap()
    }

    fn deformed(character: &Character, bend_radians: f32) -> Vec<Vec3> {
        let mut frame = Frame::new(character);
        frame.local_mut().joints[1].rotation = Quat::from_rotation_z(bend_radians);
        frame.deform(Method::Linear).unwrap();
        frame.deformed()[0].positions.clone()
    }

    fn farthest(one: &[Vec3], other: &[Vec3]) -> f32 {
        one.iter().zip(other).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    }

    #[test]
    fn at_rest_nothing_moves_and_bent_it_swells_as_the_report_says() {
        let arm = sinew_samples::arm();
        let options = MuscleOptions { slide: 0.0, ..MuscleOptions::default() };
        let added = arm_with(&options);
        assert!(added.report.vertices > 20, "{:?}", added.report);
        assert_eq!(deformed(&added.character, 0.0), deformed(&arm, 0.0));
        let swollen = farthest(&deformed(&added.character, 2.0), &deformed(&arm, 2.0));
        assert!((swollen * 1000.0 - added.report.max_mm).abs() < 0.1, "{swollen} {:?}", added.report);
        assert!(added.report.max_mm > 5.0);
        let further = deformed(&added.character, 3.0);
        assert!(further.iter().all(|p| p.is_finite()));
    }

    #[test]
    fn it_pushes_on_its_own_side_alone() {
        let arm = sinew_samples::arm();
        for around_radians in [0.0, 1.5, 3.0, -2.0] {
            let added = arm_with(&MuscleOptions { around_radians, ..MuscleOptions::default() });
            let limb = limb_of(arm.skeleton(), JointId(0), JointId(1)).unwrap();
            let side = limb.side(arm.skeleton(), around_radians);
            let skin = &added.character.skins()[0];
            let mesh = &added.character.meshes()[0];
            for (vertex, place) in mesh.positions().iter().enumerate() {
                let place = skin.joint_from_mesh()[0].transform_point3(*place);
                let is_pushed = !mesh.weights().unwrap().muscle_of(vertex).0.is_empty();
                assert!(!is_pushed || place.dot(side) > 0.0, "{place} for {side}");
            }
        }
    }

    #[test]
    fn rejects_options_out_of_range() {
        let arm = sinew_samples::arm();
        let bad = [
            MuscleOptions { along: f32::NAN, ..MuscleOptions::default() },
            MuscleOptions { reach: 0.0, ..MuscleOptions::default() },
            MuscleOptions { swell: 9.0, ..MuscleOptions::default() },
            MuscleOptions { full_bend_radians: 0.0, ..MuscleOptions::default() },
        ];
        for options in bad {
            let refused = add_muscle(&arm, JointId(0), JointId(1), &options);
            assert!(matches!(refused, Err(HelperJointError::BadOption { .. })), "{options:?}");
        }
        let missing = add_muscle(&arm, JointId(0), JointId(99), &MuscleOptions::default());
        assert!(matches!(missing, Err(HelperJointError::NoSuchJoint { .. })));
    }
}
