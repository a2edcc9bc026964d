//! Which joint is the partner of which, across the plane of symmetry.

use super::{JointPairs, MirrorOptions};
use crate::weights::TriangleTree;
use sinew::{
    JointId, Skeleton, Skin,
    glam::{DVec3, Vec3},
    transform::inverse_affine,
};

/// How far a joint may be from the mirrored place of its partner, as a fraction of the size of the rig.
const TOLERANCE: f32 = 0.02;

/// The partner of each joint of a skin on the other side of the plane of symmetry.
///
/// Partners are found by name (`hand_l` and `hand_r`). Where names have no side, a joint in the plane is its own partner, and
/// others are paired by place. What is found can be [shown and edited](Self::to_text) as text. A joint without a partner is
/// never mirrored onto itself in silence: see [`mirror_over_surface`](super::mirror_over_surface).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirrorJointMap {
    partners: Vec<Option<u16>>,
    names: Vec<String>,
}

impl MirrorJointMap {
    /// The partners of the joints of `skin` in its bind pose, by name and then by place.
    #[must_use]
    pub fn new(skeleton: &Skeleton, skin: &Skin, options: &MirrorOptions) -> Self {
        let named = JointPairs::by_name(skeleton, skin);
        let count = skin.joints().len() as u16;
        let has_side = |slot: u16| named.partner(slot) != slot || named.unpaired().contains(&slot);
        let mut partners: Vec<Option<u16>> =
            (0..count).map(|slot| Some(named.partner(slot)).filter(|&p| p != slot)).collect();
        let open: Vec<u16> = (0..count).filter(|&slot| partners[usize::from(slot)].is_none()).collect();
        let by_place = JointPlaces::new(skin, &open, options);
        for &slot in &open {
            partners[usize::from(slot)] = by_place.partner(slot, has_side(slot));
        }
        let names = skin.joints().iter().map(|&joint| skeleton.name(joint).to_owned()).collect();
        let mut out = Self { partners, names };
        out.keep_mutual();
        out
    }

    /// A pair is a pair only if both joints agree.
    fn keep_mutual(&mut self) {
        let old = self.partners.clone();
        for (slot, partner) in self.partners.iter_mut().enumerate() {
            let back = partner.and_then(|p| old[usize::from(p)]);
            *partner = partner.filter(|_| back.map(usize::from) == Some(slot));
        }
    }

    /// The number of joints in the skin.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.partners.len()
    }

    /// The name of the joint at `slot`.
    #[must_use]
    pub fn name(&self, slot: u16) -> &str {
        self.names.get(usize::from(slot)).map_or("", String::as_str)
    }

    /// The slot of the partner of the joint at `slot`: itself for a joint in the plane, `None` for a joint without one.
    #[must_use]
    pub fn partner(&self, slot: u16) -> Option<u16> {
        self.partners.get(usize::from(slot)).copied().flatten()
    }

    /// Pairs two joints, or a joint with itself. Joints that lose their partner have none.
    pub fn pair(&mut self, one: u16, other: u16) {
        for slot in [one, other] {
            self.unpair(slot);
        }
        for (slot, partner) in [(one, other), (other, one)] {
            if let Some(of) = self.partners.get_mut(usize::from(slot)) {
                *of = Some(partner);
            }
        }
    }

    /// Leaves a joint, and the one that was its partner, without a partner.
    pub fn unpair(&mut self, slot: u16) {
        let partner = self.partner(slot);
        for slot in [Some(slot), partner].into_iter().flatten() {
            if let Some(of) = self.partners.get_mut(usize::from(slot)) {
                *of = None;
            }
        }
    }

    /// The slots of joints without a partner.
    #[must_use]
    pub fn unpaired(&self) -> Vec<u16> {
        (0..self.partners.len() as u16).filter(|&slot| self.partner(slot).is_none()).collect()
    }
}

/// Where joints that have no partner by name are bound.
struct JointPlaces<'a> {
    skin: &'a Skin,
    options: &'a MirrorOptions,
    slots: Vec<u16>,
    tree: TriangleTree,
    tolerance: f32,
}

impl<'a> JointPlaces<'a> {
    fn new(skin: &'a Skin, open: &[u16], options: &'a MirrorOptions) -> Self {
        let all: Vec<Vec3> = (0..skin.joints().len() as u16).filter_map(|slot| place(skin, slot)).collect();
        let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = all.iter().fold(start, |(l, h), p| (l.min(*p), h.max(*p)));
        let size = if all.is_empty() { 0.0 } else { low.distance(high) };
        let placed: Vec<(u16, DVec3)> =
            open.iter().filter_map(|&slot| Some((slot, place(skin, slot)?.as_dvec3()))).collect();
        let (slots, places): (Vec<u16>, Vec<DVec3>) = placed.into_iter().unzip();
        Self { skin, options, slots, tree: TriangleTree::of_points(&places), tolerance: TOLERANCE * size }
    }

    /// The joint in the mirrored place. A joint whose name has a side is not its own partner.
    fn partner(&self, slot: u16, has_side: bool) -> Option<u16> {
        let here = place(self.skin, slot)?;
        let off = (here[self.options.axis.index()] - self.options.middle).abs();
        let there = self.options.axis.mirrored(here, self.options.middle).as_dvec3();
        let is_other = |at: u32| self.slots[at as usize] != slot && !self.is_same_joint(at, slot);
        // Nearer to the mirrored place than to this joint, or it is a neighbor in the plane.
        let reach = f64::from(self.tolerance.min(off));
        let near = self.tree.nearest(there, reach, is_other).filter(|near| near.distance < reach);
        let own = || (off <= self.tolerance && !has_side).then_some(slot);
        near.map(|near| self.slots[near.triangle as usize]).or_else(own)
    }

    fn is_same_joint(&self, at: u32, slot: u16) -> bool {
        let joint = |slot: u16| -> JointId { self.skin.joints()[usize::from(slot)] };
        joint(self.slots[at as usize]) == joint(slot)
    }
}

/// Where a joint is bound, in mesh space.
fn place(skin: &Skin, slot: u16) -> Option<Vec3> {
    let matrix = inverse_affine(&skin.joint_from_mesh()[usize::from(slot)])?;
    Some(Vec3::from(matrix.translation)).filter(|p| p.is_finite())
}
