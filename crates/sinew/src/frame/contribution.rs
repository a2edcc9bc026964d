//! The contribution of each joint to the position of a vertex.

use super::Frame;
use crate::asset::{skeleton::JointId, weights::Influence};
use glam::Vec3;

/// The contribution of one joint to the position of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InfluenceContribution {
    /// The joint that influences the vertex.
    pub joint: JointId,
    /// Its weight in the vertex, 0 to 1.
    pub weight: f32,
    /// The position of the vertex if it followed this joint alone, in meters in model space.
    pub place: Vec3,
}

impl Frame {
    /// The position that each joint of a vertex would give it alone, the strongest first; empty if the instance has no skin or
    /// no such vertex.
    ///
    /// Linear blend skinning moves the vertex to the weighted sum of these positions. Morph targets and muscles are
    /// included, as of the last [`Frame::deform`].
    ///
    /// ```
    /// use sinew::{Frame, Method, glam::Vec3};
    ///
    /// let arm = sinew_samples::arm();
    /// let mut frame = Frame::new(&arm);
    /// frame.deform(Method::Linear)?;
    /// let parts = frame.contributions(0, 7);
    /// let blended: Vec3 = parts.iter().map(|part| part.place * part.weight).sum();
    /// assert!(blended.distance(frame.deformed()[0].positions[7]) < 1e-6);
    /// # Ok::<(), sinew::DeformError>(())
    /// ```
    pub fn contributions(&self, instance: usize, vertex: usize) -> Vec<InfluenceContribution> {
        let character = &*self.character;
        let Some(place) = self.undeformed(instance, vertex) else { return Vec::new() };
        let of = &character.instances()[instance];
        let (Some(skin), Some(weights)) = (of.skin, character.mesh_of(of).weights()) else {
            return Vec::new();
        };
        let (Some(joints), Some(palette)) = (character.skins().get(skin), self.palettes.get(skin)) else {
            return Vec::new();
        };
        let part = |influence: Influence| {
            let slot = usize::from(influence.slot);
            let moved = palette.matrices().get(slot)?.transform_point3(place);
            Some(InfluenceContribution {
                joint: *joints.joints().get(slot)?,
                weight: influence.weight,
                place: moved,
            })
        };
        weights.influences(vertex).filter_map(part).collect()
    }

    /// The position of a vertex before skinning, after morph targets and muscles, in mesh space.
    fn undeformed(&self, instance: usize, vertex: usize) -> Option<Vec3> {
        let mesh = self.character.mesh_of(self.character.instances().get(instance)?);
        let buffers = [self.displaced.get(instance)?, self.morphed.get(instance)?];
        let changed = buffers.into_iter().find_map(|streams| streams.positions.get(vertex));
        changed.or_else(|| mesh.positions().get(vertex)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;
    use crate::{deform::Method, sample::Wrap};

    #[test]
    fn contributions_blend_to_the_deformed_position_in_every_pose() {
        for character in [sinew_samples::arm(), sinew_samples::tube(), sinew_samples::figure()] {
            let mut frame = Frame::new(&character);
            for clip in character.clips() {
                frame.sample(clip, clip.duration_secs() * 0.37, Wrap::Clamp);
                frame.deform(Method::Linear).unwrap();
                for (vertex, place) in frame.deformed()[0].positions.iter().enumerate() {
                    let parts = frame.contributions(0, vertex);
                    let blended: Vec3 = parts.iter().map(|part| part.place * part.weight).sum();
                    assert!(blended.distance(*place) < 1e-5, "{} {vertex}", character.name());
                }
            }
        }
    }

    #[test]
    fn what_is_not_there_has_no_contributions() {
        let arm = sinew_samples::arm();
        let frame = Frame::new(&arm);
        assert!(frame.contributions(0, usize::MAX).is_empty());
        assert!(frame.contributions(9, 0).is_empty());
    }
}
