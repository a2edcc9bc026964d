//! Compares each inverse bind matrix with the bind pose that most joints agree on.

use super::{
    Finding, FindingCode, FindingPlace,
    bound::{BoundMesh, joint_name},
    effect::EffectMeter,
    influences::{skin_text, used_slots, used_slots_of_skins},
};
use sinew::{Character, ModelPose, Skin, finding::FindingEffect, glam::Affine3A, transform::inverse_affine};
use std::sync::Arc;

/// Bind matrices that differ by less than this fraction of the rig's size belong to one pose.
const BIND_TOLERANCE: f32 = 2e-3;
/// The others are wrong only if at least this fraction of the joints agrees.
const MIN_AGREEING: f64 = 0.6;

pub(super) fn findings(bounds: &[BoundMesh<'_>], meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    let character = meter.character();
    let rest = Arc::new(rest_of(character));
    for ((index, skin), used) in character.skins().iter().enumerate().zip(used_slots_of_skins(character)) {
        let binds = Binds::with(skin, Arc::clone(&rest), &used);
        let place = |joint| FindingPlace {
            text: skin_text(skin, index),
            skin: Some(index),
            joint,
            ..FindingPlace::default()
        };
        for &slot in &binds.singular {
            let joint = skin.joints()[slot];
            let message =
                format!("the inverse bind matrix of {} is singular", joint_name(character.skeleton(), joint));
            let effect = binds.effect(index, slot, bounds, meter);
            out.push(
                Finding::new(FindingCode::BindSingular, place(Some(joint)), message).with_effect(effect),
            );
        }
        for &(slot, off) in &binds.off {
            let joint = skin.joints()[slot];
            let name = joint_name(character.skeleton(), joint);
            let message =
                format!("{name} is bound {:.1} mm away from the bind pose of the others", off * 1000.0);
            out.push(
                Finding::new(FindingCode::BindMismatch, place(Some(joint)), message)
                    .with("off_mm", f64::from(off) * 1000.0)
                    .with_effect(binds.effect(index, slot, bounds, meter)),
            );
        }
        if binds.is_other_pose {
            let message = "the rest pose differs from the bind pose".to_owned();
            out.push(Finding::new(FindingCode::RestNotBind, place(None), message));
        }
    }
}

/// The bind pose of a skin, as most of its inverse bind matrices have it.
pub(super) struct Binds {
    /// `model_from_mesh` in the rest pose, according to most joints.
    pub(super) model_from_mesh: Affine3A,
    /// Slots that disagree, with their distance in meters.
    pub(super) off: Vec<(usize, f32)>,
    /// Slots whose inverse bind matrix is singular.
    pub(super) singular: Vec<usize>,
    /// True if too few joints agree on one pose.
    is_other_pose: bool,
    pub(super) rest: Arc<ModelPose>,
}

impl Binds {
    pub(super) fn of(character: &Character, index: usize) -> Self {
        Self::with(&character.skins()[index], Arc::new(rest_of(character)), &used_slots(character, index))
    }

    /// The inverse bind matrix that binds `slot` where the others are bound.
    pub(super) fn rebound(&self, skin: &Skin, slot: usize) -> Option<Affine3A> {
        Some(inverse_affine(&self.rest.joint(skin.joints()[slot]))? * self.model_from_mesh)
    }

    /// How far the joint at `slot` moves the skin because of its bind, over all meshes.
    fn effect(
        &self,
        skin: usize,
        slot: usize,
        bounds: &[BoundMesh<'_>],
        meter: &EffectMeter<'_>,
    ) -> FindingEffect {
        let of_skin = bounds.iter().filter(|b| b.skin_index == skin);
        let effects =
            of_skin.filter_map(|b| Some(meter.of_bind(b, slot as u16, self.rebound(b.skin, slot)?)));
        effects.max_by(|a, b| a.max_mm.total_cmp(&b.max_mm)).unwrap_or_else(|| meter.of_meters(0.0))
    }

    /// The bind pose of a skin whose slots in `used` move vertices; `rest` is the rest pose in model space.
    fn with(skin: &Skin, rest: Arc<ModelPose>, used: &[bool]) -> Self {
        let (singular, slots): (Vec<usize>, Vec<usize>) =
            (0..skin.joints().len()).partition(|&slot| is_singular(skin, slot));
        let at_rest = |slot: usize| rest.joint(skin.joints()[slot]) * skin.joint_from_mesh()[slot];
        let size = size(skin, &slots);
        let agrees = |a: &Affine3A, b: &Affine3A| matrix_distance(a, b, size) <= BIND_TOLERANCE * size;
        // The matrix that most joints agree on. Some two dozen candidates are enough to find it.
        let step = (slots.len() / 24).max(1);
        let votes = |m: &Affine3A| slots.iter().filter(|&&s| agrees(m, &at_rest(s))).count();
        let candidates = slots.iter().step_by(step).map(|&s| at_rest(s));
        let best = candidates.map(|m| (votes(&m), m)).max_by_key(|c| c.0);
        let mut out = Self {
            model_from_mesh: Affine3A::IDENTITY,
            off: Vec::new(),
            singular,
            is_other_pose: false,
            rest,
        };
        let Some((agreeing, model_from_mesh)) = best else { return out };
        out.model_from_mesh = model_from_mesh;
        if (agreeing as f64) < MIN_AGREEING * slots.len() as f64 {
            out.is_other_pose = true;
            return out;
        }
        let rest = &out.rest;
        let at_rest = |slot: usize| rest.joint(skin.joints()[slot]) * skin.joint_from_mesh()[slot];
        let off = slots.iter().filter(|&&s| used[s] && !agrees(&model_from_mesh, &at_rest(s)));
        out.off = off.map(|&s| (s, matrix_distance(&model_from_mesh, &at_rest(s), size))).collect();
        out
    }
}

fn rest_of(character: &Character) -> ModelPose {
    let mut rest = ModelPose::new(character.skeleton());
    rest.update(character.skeleton(), &character.skeleton().rest_pose());
    rest
}

fn is_singular(skin: &Skin, slot: usize) -> bool {
    let bind = &skin.joint_from_mesh()[slot];
    let m = bind.matrix3;
    let scale = m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length());
    inverse_affine(bind).is_none() || m.determinant().abs() < 1e-9 * scale.powi(3)
}

/// The diagonal of the box around the bound joints, in mesh space.
fn size(skin: &Skin, slots: &[usize]) -> f32 {
    let heads: Vec<_> = slots
        .iter()
        .filter_map(|&s| inverse_affine(&skin.joint_from_mesh()[s]))
        .map(|m| m.translation)
        .collect();
    let Some(&start) = heads.first() else { return 1.0 };
    let (low, high) = heads.iter().fold((start, start), |(l, h), p| (l.min(*p), h.max(*p)));
    let size = (high - low).length();
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

/// The largest distance between where two matrices put a point of the rig.
fn matrix_distance(one: &Affine3A, other: &Affine3A, size: f32) -> f32 {
    let linear = [
        (one.matrix3.x_axis - other.matrix3.x_axis).length(),
        (one.matrix3.y_axis - other.matrix3.y_axis).length(),
        (one.matrix3.z_axis - other.matrix3.z_axis).length(),
    ];
    let turned = linear.into_iter().fold(0.0, f32::max) * size * 0.5;
    (one.translation - other.translation).length().max(turned)
}
