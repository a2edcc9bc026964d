//! Mirrored partners across the plane of symmetry.

use super::MirrorOptions;
use crate::motion::other_side;
use crate::weights::{TriangleTree, table::SlotWeights};
use sinew::{JointId, Mesh, Skeleton, Skin, glam::Vec3};
use std::collections::HashMap;

/// The mirrored partner of each point and each joint.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexMirrorMap {
    partners: Vec<Option<u32>>,
    slots: Vec<u16>,
    unpaired: Vec<u16>,
}

impl VertexMirrorMap {
    /// Pairs the points of `mesh` by position and the joints of `skin` by name (`hand_l` and `hand_r`).
    ///
    /// The partner of a point is the point nearest to its mirrored position, within the tolerance. Joints without a side in their
    /// name are their own partners.
    #[must_use]
    pub fn new(mesh: &Mesh, skeleton: &Skeleton, skin: &Skin, options: &MirrorOptions) -> Self {
        Self::of_joints(mesh, &JointPairs::by_name(skeleton, skin), options)
    }

    /// As [`VertexMirrorMap::new`], with the pairs of joints of the skin, which many meshes may share.
    pub(crate) fn of_joints(mesh: &Mesh, joints: &JointPairs, options: &MirrorOptions) -> Self {
        let JointPairs { slots, unpaired } = joints.clone();
        Self { partners: partners(mesh, options), slots, unpaired }
    }

    /// The number of points of the mesh.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.partners.len()
    }

    /// The number of joints in the skin.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The mirrored partner of a point.
    #[must_use]
    pub fn partner(&self, point: usize) -> Option<usize> {
        self.partners.get(point).copied().flatten().map(|p| p as usize)
    }

    /// The slot of the mirrored partner of a joint; its own slot if it has none.
    #[must_use]
    pub fn slot(&self, slot: u16) -> u16 {
        self.slots.get(usize::from(slot)).copied().unwrap_or(slot)
    }

    /// The slots of joints with a side in their name whose partner is not in the skin.
    #[must_use]
    pub fn unpaired(&self) -> &[u16] {
        &self.unpaired
    }

    /// The number of points without a partner.
    #[must_use]
    pub fn unmatched(&self) -> usize {
        self.partners.iter().filter(|p| p.is_none()).count()
    }

    /// The mean of weights and their mirror image.
    pub(in crate::weights::ops) fn balanced(&self, slot_weights: &[(u16, f64)]) -> SlotWeights {
        let image: SlotWeights =
            slot_weights.iter().map(|&(slot, fraction)| (self.slot(slot), fraction)).collect();
        super::super::smooth::mixed([(slot_weights, 0.5), (&image[..], 0.5)].into_iter())
    }
}

/// The mirrored partner of each joint of a skin, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct JointPairs {
    /// The slot of the partner; its own slot for a joint without one.
    slots: Vec<u16>,
    /// The slots of joints with a side in their name whose partner is not in the skin.
    unpaired: Vec<u16>,
}

impl JointPairs {
    /// The slot of the partner of a joint; its own slot if it has none.
    pub(crate) fn partner(&self, slot: u16) -> u16 {
        self.slots.get(usize::from(slot)).copied().unwrap_or(slot)
    }

    /// The slots of joints with a side in their name whose partner is not in the skin.
    pub(crate) fn unpaired(&self) -> &[u16] {
        &self.unpaired
    }

    /// Looks at each name once, also if the skin repeats a joint.
    pub(crate) fn by_name(skeleton: &Skeleton, skin: &Skin) -> Self {
        let mut by_name: HashMap<&str, u16> = HashMap::new();
        let mut joints: Vec<JointId> = Vec::new();
        let mut is_known = vec![false; skeleton.len()];
        for (slot, &joint) in skin.joints().iter().enumerate() {
            if !std::mem::replace(&mut is_known[joint.index()], true) {
                by_name.entry(skeleton.name(joint)).or_insert(slot as u16);
                joints.push(joint);
            }
        }
        let mut partner_of: Vec<Option<Option<u16>>> = vec![None; skeleton.len()];
        for joint in joints {
            let other = other_side(skeleton.name(joint));
            partner_of[joint.index()] = other.map(|other| by_name.get(&other[..]).copied());
        }
        let mut out = Self::default();
        for (slot, joint) in skin.joints().iter().enumerate() {
            let partner = partner_of[joint.index()];
            if partner == Some(None) {
                out.unpaired.push(slot as u16);
            }
            out.slots.push(partner.flatten().unwrap_or(slot as u16));
        }
        out
    }
}

fn partners(mesh: &Mesh, options: &MirrorOptions) -> Vec<Option<u32>> {
    let places: Vec<Vec3> =
        mesh.points().first_vertex().iter().map(|&v| mesh.positions()[v as usize]).collect();
    let reach = options.tolerance.max(0.0);
    let tree = TriangleTree::of_points(&places.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>());
    let partner = |place: &Vec3| {
        let mirrored = options.axis.mirrored(*place, options.middle).as_dvec3();
        tree.nearest(mirrored, f64::from(reach), |_| true).map(|near| near.triangle)
    };
    places.iter().map(partner).collect()
}
