//! Limbs that follow none of their joints, and bodies that stay where they are while clips move joints.

use super::{
    Finding, FindingCode, FindingPlace,
    bound::{BoundMesh, joint_name},
    counted::vertices,
    effect::EffectMeter,
    influences::used_slots_of_skins,
    placement::segment_distance,
};
use crate::weights::TriangleTree;
use sinew::{
    Character, ClipKind, JointId, ModelPose, Skeleton, Wrap,
    glam::{Affine3A, DVec3, Vec3},
    sample_clip,
};
use std::collections::BTreeMap;

/// A shorter chain of joints is a finger or a tip, which a simple mesh may leave out; a fraction of the character's height.
const MIN_LIMB_RATIO: f64 = 0.12;
/// A point belongs to a limb whose bone is nearer than this fraction of the distance of the nearest bone that moves skin.
const MAX_DISTANCE_RATIO: f64 = 0.75;
/// A limb has at least this many points around it.
const MIN_POINTS: usize = 8;
/// The points of a limb reach at least this far along it, as a fraction of the length of its joints.
const MIN_EXTENT: f32 = 0.5;
/// A body is frozen if at least this fraction of its points is.
const BODY: f64 = 0.6;
/// The number of moments of a clip at which joints are looked at.
const MOMENTS: usize = 16;
/// A joint moves if it travels this fraction of the character's height, and skin rests below a tenth of it.
const MOVING_RATIO: f64 = 0.02;
/// Words in the names of joints that are made to move other joints.
const CONTROLS: [&str; 7] = ["control", "ctrl", "ik", "pole", "target", "socket", "handle"];
/// As many joints must move for a body that does not.
const MIN_MOVING: usize = 3;

pub(super) fn findings(bounds: &[BoundMesh<'_>], meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    if let Some(finding) = not_moved(meter) {
        out.push(finding);
        return;
    }
    let followed = followed_joints(meter.character());
    let tops = frozen_tops(meter.character().skeleton(), &followed);
    let limbs: Vec<FrozenLimb> =
        bounds.iter().flat_map(|bound| frozen_limbs(bound, &tops, &followed, meter)).collect();
    let points: usize = bounds.iter().map(|b| b.mesh.points().len()).sum();
    let frozen: usize = limbs.iter().map(|limb| limb.points).sum();
    let is_body = frozen as f64 >= BODY * points as f64;
    for (bound, limb) in limbs.iter().map(|limb| (&bounds[limb.bound_index(bounds)], limb)) {
        let name = joint_name(bound.skeleton(), limb.top);
        let (code, message) = if is_body {
            let what = format!("{} around {name} do not move with it", vertices(limb.vertices.len()));
            (FindingCode::BodyNotMoved, what)
        } else {
            let what = format!(
                "{} around {name} follow {} instead of it or the joints below it",
                vertices(limb.vertices.len()),
                bound.joint_name(limb.follows)
            );
            (FindingCode::LimbFrozen, what)
        };
        let effect = meter.of_places(bound, &limb.vertices, |pose, vertex| {
            let place = bound.mesh.positions()[vertex];
            pose.matrices()[usize::from(limb.top_slot)].transform_point3a(place.into())
        });
        let count = limb.vertices.len() as f64;
        let mut place = bound.place(limb.vertices.clone());
        place.joint = Some(limb.top);
        out.push(Finding::new(code, place, message).with("vertices", count).with_effect(effect));
    }
}

/// For each joint, whether it or a joint below it moves a vertex or carries a mesh.
fn followed_joints(character: &Character) -> Vec<bool> {
    let skeleton = character.skeleton();
    let mut out = vec![false; skeleton.len()];
    for (skin, used) in character.skins().iter().zip(used_slots_of_skins(character)) {
        for (joint, _) in skin.joints().iter().zip(used).filter(|(_, used)| *used) {
            super::rest::mark_ancestors(skeleton, *joint, &mut out);
        }
    }
    for instance in character.instances().iter().filter(|i| character.skin_of(i).is_none()) {
        super::rest::mark_ancestors(skeleton, instance.joint, &mut out);
    }
    out
}

/// A chain of joints that no vertex follows, in the middle of skin.
struct FrozenLimb {
    instance: usize,
    top: JointId,
    top_slot: u16,
    /// The joint that most of the skin follows instead.
    follows: u16,
    vertices: Vec<u32>,
    points: usize,
}

impl FrozenLimb {
    fn bound_index(&self, bounds: &[BoundMesh<'_>]) -> usize {
        bounds.iter().position(|b| b.instance == self.instance).unwrap_or(0)
    }
}

fn frozen_limbs(
    bound: &BoundMesh<'_>,
    tops: &[JointId],
    followed: &[bool],
    meter: &EffectMeter<'_>,
) -> Vec<FrozenLimb> {
    let skeleton = bound.skeleton();
    let tops: Vec<u16> = tops.iter().filter_map(|&joint| bound.skin.slot_of(joint)).collect();
    if tops.is_empty() {
        return Vec::new();
    }
    // The bones of each frozen chain, and those that move skin.
    let mut own: BTreeMap<u16, Vec<[Vec3; 2]>> = BTreeMap::new();
    let mut others: Vec<[DVec3; 2]> = Vec::new();
    for (slot, bones) in bound.bones().iter().enumerate() {
        let joint = bound.joint(slot as u16);
        let top = tops.iter().find(|&&top| skeleton.is_within(joint, bound.joint(top)));
        match top {
            // The bone of the last joint has a guessed end.
            Some(&top) => own.entry(top).or_default().extend(bones),
            None if followed[joint.index()] => {
                others.extend(bones.iter().map(|ends| ends.map(Vec3::as_dvec3)));
            }
            None => {}
        }
    }
    let moving = TriangleTree::of_segments(&others);
    let scale = |slot: u16| f64::from(bound.model_scale(slot));
    let long = |&(&top, _): &(&u16, &Vec<[Vec3; 2]>)| {
        chain_length(bound, top) * scale(top) >= MIN_LIMB_RATIO * meter.height()
    };
    let limb = |(&top, bones): (&u16, &Vec<[Vec3; 2]>)| limb_around(bound, top, bones, &moving);
    own.iter().filter(long).filter_map(limb).collect()
}

/// The joints that move no vertex, nor does any joint below them, but the joint above does.
fn frozen_tops(skeleton: &Skeleton, followed: &[bool]) -> Vec<JointId> {
    let is_top = |joint: &JointId| {
        let is_below_skin = skeleton.parent(*joint).is_some_and(|above| followed[above.index()]);
        is_below_skin && !followed[joint.index()] && !is_control(skeleton.name(*joint))
    };
    skeleton.joints().filter(is_top).collect()
}

/// True if a name says that its joint moves other joints, not skin.
fn is_control(name: &str) -> bool {
    let words = name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.into_iter().any(|word| CONTROLS.contains(&&word[..]))
}

/// The length of the longest chain of bones from the joint at `top` down, in mesh space, without the guessed end.
fn chain_length(bound: &BoundMesh<'_>, top: u16) -> f64 {
    let head = |slot: usize| {
        sinew::transform::inverse_affine(&bound.skin.joint_from_mesh()[slot])
            .map(|m| Vec3::from(m.translation))
    };
    let parents = bound.skin.parent_slots(bound.skeleton());
    let mut longest = 0.0_f32;
    for slot in 0..parents.len() {
        let (mut length, mut at) = (0.0, slot);
        while at != usize::from(top) {
            let Some(above) = parents[at].map(usize::from) else { break };
            let (Some(from), Some(to)) = (head(above), head(at)) else { break };
            length += from.distance(to);
            at = above;
        }
        if at == usize::from(top) {
            longest = longest.max(length);
        }
    }
    f64::from(longest)
}

/// The skin around `bones`, if there is enough of it.
fn limb_around(
    bound: &BoundMesh<'_>,
    top: u16,
    bones: &[[Vec3; 2]],
    moving: &TriangleTree,
) -> Option<FrozenLimb> {
    let positions = bound.mesh.positions();
    let is_near = |place: Vec3| {
        let own = bones.iter().map(|[head, tail]| segment_distance(place, *head, *tail));
        let own = f64::from(own.fold(f32::INFINITY, f32::min));
        let limit = own / MAX_DISTANCE_RATIO;
        moving.nearest(place.as_dvec3(), limit, |_| true).is_none()
    };
    let points = bound.mesh.points();
    let near: Vec<bool> = points.first_vertex().iter().map(|&v| is_near(positions[v as usize])).collect();
    let count = near.iter().filter(|near| **near).count();
    let is_in = |(_, point): &(usize, &u32)| near[**point as usize];
    let vertices: Vec<u32> =
        points.of_vertex().iter().enumerate().filter(is_in).map(|(v, _)| v as u32).collect();
    let mut weights: BTreeMap<u16, f32> = BTreeMap::new();
    for influence in vertices.iter().flat_map(|&v| bound.weights.influences(v as usize)) {
        *weights.entry(influence.slot).or_default() += influence.weight;
    }
    let follows = *weights.iter().max_by(|a, b| a.1.total_cmp(b.1))?.0;
    let from = bones.first().map_or(Vec3::ZERO, |[head, _]| *head);
    let far = |v: &u32| positions[*v as usize].distance(from);
    let extent =
        vertices.iter().map(far).fold(0.0, f32::max) - vertices.iter().map(far).fold(f32::MAX, f32::min);
    let is_along = extent >= MIN_EXTENT * chain_length(bound, top) as f32;
    (count >= MIN_POINTS && is_along).then_some(FrozenLimb {
        instance: bound.instance,
        top: bound.joint(top),
        top_slot: top,
        follows,
        vertices,
        points: count,
    })
}

/// A finding if clips move joints but nothing that is shown.
fn not_moved(meter: &EffectMeter<'_>) -> Option<Finding> {
    let character = meter.character();
    let shown: Vec<usize> = character.visible_instances().collect();
    let clips = character.clips().iter().enumerate().filter(|(_, c)| c.kind() == ClipKind::Absolute);
    let mut moving = vec![0.0_f32; character.skeleton().len()];
    let mut of_clip = None;
    for (index, clip) in clips {
        // A clip of faces moves vertices without joints.
        if clip.channels().iter().any(|c| c.joint().is_none()) {
            return None;
        }
        for pose in poses(character, clip) {
            let (rest, pose) = pose;
            if moves_any(character, &shown, &rest, &pose) {
                return None;
            }
            for (far, (a, b)) in moving.iter_mut().zip(rest.iter().zip(&pose)) {
                *far = far.max(a.translation.distance(b.translation));
            }
        }
        of_clip.get_or_insert(index);
    }
    let min = MOVING_RATIO * meter.height();
    let count = moving.iter().filter(|far| f64::from(**far) > min).count();
    if shown.is_empty() || count < MIN_MOVING {
        return None;
    }
    let far = moving.iter().copied().fold(0.0, f32::max);
    let message = format!("clips move {count} joints, but no vertex that is shown");
    let place =
        FindingPlace { instance: shown.first().copied(), clip: of_clip, ..FindingPlace::named("the body") };
    let finding = Finding::new(FindingCode::BodyNotMoved, place, message);
    Some(finding.with("joints", count as f64).with_effect(meter.of_meters(far.into())))
}

/// The joints at the start of a clip, and at moments of it.
fn poses(character: &Character, clip: &sinew::Clip) -> impl Iterator<Item = (Vec<Affine3A>, Vec<Affine3A>)> {
    let skeleton: &Skeleton = character.skeleton();
    let at = move |step: usize| {
        let mut local = character.rest_pose();
        let time = clip.duration_secs() * step as f32 / (MOMENTS - 1) as f32;
        sample_clip(clip, time, Wrap::Clamp, &mut local);
        character.apply_helpers(&mut local);
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &local);
        model.joints().to_vec()
    };
    let start = at(0);
    (1..MOMENTS).map(move |step| (start.clone(), at(step)))
}

/// True if a joint that shows anything differs between two poses.
fn moves_any(character: &Character, shown: &[usize], one: &[Affine3A], other: &[Affine3A]) -> bool {
    let differs = |joint: JointId| !one[joint.index()].abs_diff_eq(other[joint.index()], 1e-5);
    shown.iter().any(|&index| {
        let instance = &character.instances()[index];
        let mesh = character.mesh_of(instance);
        match character.skin_of(instance).zip(mesh.weights()) {
            Some((skin, weights)) => {
                let mut used = vec![false; skin.joints().len()];
                (0..weights.vertex_count())
                    .flat_map(|v| weights.of(v).0.iter().chain(weights.muscle_of(v).0))
                    .for_each(|&slot| used[usize::from(slot)] = true);
                skin.joints().iter().zip(used).any(|(joint, used)| used && differs(*joint))
            }
            None => differs(instance.joint),
        }
    })
}
