//! Freezes scales: moves a joint's scale into its children and into the inverse bind matrices.
//!
//! A scale that is uniform up to signs commutes with any rotation: `D R = (D R D⁻¹) D`, and `D R D⁻¹` is a rotation. So it can
//! be removed from every joint down the tree without moving a vertex in any pose. A non-uniform scale does not commute; it is
//! removed only from joints without children.

use super::{FixError, FixSession, measure::MeasuredOver};
use crate::check::{FindingCode, rest::odd_scales};
use sinew::{
    Channel, Character, Clip, Curve, Joint, JointId, ScaleInheritance, Skeleton, Skin,
    glam::{Affine3A, Mat3A, Quat, Vec3},
};
use std::sync::Arc;

pub(super) fn fix_negative(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_scales(session, FindingCode::ScaleNegative)
}

pub(super) fn fix_non_uniform(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_scales(session, FindingCode::ScaleNonUniform)
}

fn fix_scales(session: &mut FixSession<'_>, code: FindingCode) -> Result<(), FixError> {
    // Scales in clips stay.
    if session.named(code).all(|place| place.clip.is_some()) {
        return Ok(());
    }
    let odd = odd_scales(&session.character);
    let joints: Vec<JointId> = odd.iter().filter(|o| o.0 == code && o.2.is_none()).map(|o| o.1).collect();
    let Some(plan) = ScalePlan::new(&session.character, &joints).filter(|p| p.frozen > 0) else {
        return Ok(());
    };
    let what = format!("the scale of {} joints frozen into the bind", plan.frozen);
    let next = plan.apply(&session.character)?;
    session.done(code, what, next, MeasuredOver::Clips);
    Ok(())
}

/// The scale that is removed from each joint: its new `model_from_joint` times this is the old one.
struct ScalePlan {
    removed: Vec<Vec3>,
    frozen: usize,
}

impl ScalePlan {
    /// Removes the scale from those of `joints` where this moves nothing; `None` if it would move a rigidly attached mesh.
    fn new(character: &Character, joints: &[JointId]) -> Option<Self> {
        let skeleton = character.skeleton();
        let mut out = Self { removed: vec![Vec3::ONE; skeleton.len()], frozen: 0 };
        for joint in skeleton.joints() {
            let above = out.inherited(skeleton, joint);
            let scale = skeleton.rest(joint).scale;
            let has_child = skeleton.children(joint).next().is_some();
            let passes = !has_child
                || (scale.abs().max_element() - scale.abs().min_element())
                    <= 1e-4 * scale.abs().max_element();
            let can = joints.contains(&joint)
                && passes
                && scale.min_element() != 0.0
                && !is_scaled(character, joint);
            out.frozen += usize::from(can);
            // A joint that keeps its own scale inherits only signs, which commute with it because both are diagonal.
            out.removed[joint.index()] = above * if can { scale } else { Vec3::ONE };
        }
        // A mesh that is attached to a joint would be scaled differently.
        let hangs = character
            .instances()
            .iter()
            .any(|i| character.skin_of(i).is_none() && out.removed[i.joint.index()] != Vec3::ONE);
        (!hangs).then_some(out)
    }

    fn above(&self, skeleton: &Skeleton, joint: JointId) -> Vec3 {
        skeleton.parent(joint).map_or(Vec3::ONE, |p| self.removed[p.index()])
    }

    /// The part of the scale removed above a joint that turned and scaled it. A compensated joint had nothing of its
    /// parent's own scale.
    fn inherited(&self, skeleton: &Skeleton, joint: JointId) -> Vec3 {
        let inherits = |j: &JointId| skeleton.scale_inheritance(*j) == ScaleInheritance::Full;
        let full = skeleton.ancestors(joint).find(inherits);
        full.map_or(Vec3::ONE, |j| self.above(skeleton, j))
    }

    fn apply(&self, character: &Character) -> Result<Character, FixError> {
        let skeleton = character.skeleton();
        let moved = skeleton.joints().map(|joint| {
            let (above, own) = (self.inherited(skeleton, joint), self.removed[joint.index()]);
            let mut rest = skeleton.rest(joint);
            rest.translation *= self.above(skeleton, joint);
            rest.rotation = through(above, rest.rotation);
            rest.scale = rest.scale * above / own;
            Joint { name: skeleton.name(joint).to_owned(), parent: skeleton.parent(joint), rest }
        });
        let new = Arc::new(Skeleton::new(moved)?.with_scale_inheritance_of(skeleton, Some));
        let mut parts = character.parts().clone();
        for skin in &mut parts.skins {
            let bind = |(joint, bind): (&JointId, &Affine3A)| {
                Affine3A::from_mat3(Mat3A::from_diagonal(self.removed[joint.index()]).into()) * *bind
            };
            let binds = skin.joints().iter().zip(skin.joint_from_mesh()).map(bind).collect();
            let frozen =
                Skin::new(skin.name(), &new, skin.joints().to_vec(), binds)?.with_root(&new, skin.root())?;
            *skin = Arc::new(frozen);
        }
        for clip in &mut parts.clips {
            let mut of = Clip::clone(clip).into_parts();
            for channel in &mut of.channels {
                self.pass(skeleton, channel)?;
            }
            *clip = Arc::new(Clip::from_parts(of)?);
        }
        parts.skeleton = new;
        Ok(Character::new(parts)?)
    }

    /// Adapts a channel to the scales that were removed above it.
    fn pass(&self, skeleton: &Skeleton, channel: &mut Channel) -> Result<(), FixError> {
        let Some(joint) = channel.joint() else { return Ok(()) };
        let above = self.inherited(skeleton, joint);
        match channel {
            Channel::Translation { curve, .. } => {
                let above = self.above(skeleton, joint);
                *curve = mapped(curve, |t| t * above)?;
            }
            Channel::Rotation { curve, .. } => *curve = mapped(curve, |q| through(above, q))?,
            // A joint with a scale channel keeps its scale and absorbs the scale from above.
            Channel::Scale { curve, .. } => {
                let own = self.removed[joint.index()];
                *curve = mapped(curve, |s| s * above / own)?;
            }
            Channel::Morphs { .. } => {}
        }
        Ok(())
    }
}

fn mapped<T: Copy>(curve: &Curve<T>, of: impl Fn(T) -> T) -> Result<Curve<T>, FixError> {
    let values = curve.elements().iter().map(|&v| of(v)).collect();
    Ok(Curve::with_width(curve.width(), curve.times_secs().to_vec(), values, curve.interpolation())?)
}

/// `D q D⁻¹` for a scale that is uniform up to signs: the axis transforms as a pseudovector.
fn through(scale: Vec3, rotation: Quat) -> Quat {
    let signs = scale.signum();
    let axis = Vec3::new(rotation.x, rotation.y, rotation.z) * signs * signs.element_product();
    Quat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
}

/// True if a clip sets the scale of `joint` to anything but its rest scale.
fn is_scaled(character: &Character, joint: JointId) -> bool {
    let rest = character.skeleton().rest(joint).scale;
    let differs = |channel: &Channel| match channel {
        Channel::Scale { joint: of, curve } if *of == joint => {
            let keys = 0..curve.key_count();
            keys.clone().any(|k| (curve.key(k)[0] - rest).abs().max_element() > 1e-4)
        }
        _ => false,
    };
    character.clips().iter().any(|clip| clip.channels().iter().any(differs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::Mat3;

    #[test]
    fn a_signed_uniform_scale_commutes_with_a_rotation() {
        let rotation = Quat::from_euler(sinew::glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
        for signs in [Vec3::new(-1.0, 1.0, 1.0), Vec3::splat(-1.0), Vec3::new(1.0, -2.0, -2.0).signum()] {
            let scale = Mat3::from_diagonal(signs * 2.0);
            let before = scale * Mat3::from_quat(rotation);
            let after = Mat3::from_quat(through(signs * 2.0, rotation)) * scale;
            assert!(before.abs_diff_eq(after, 1e-5), "{signs}");
        }
    }
}
