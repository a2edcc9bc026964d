//! Mirrored partners across the plane of symmetry.

use super::MirrorOptions;
use crate::motion::other_side;
use crate::weights::table::SlotWeights;
use sinew::{
    Mesh, Skeleton, Skin,
    glam::{IVec3, Vec3},
};
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
        let mut out = Self { partners: partners(mesh, options), slots: Vec::new(), unpaired: Vec::new() };
        let names: Vec<&str> = skin.joints().iter().map(|j| skeleton.name(*j)).collect();
        let mut by_name: HashMap<&str, u16> = HashMap::new();
        names.iter().enumerate().rev().for_each(|(slot, name)| {
            by_name.insert(name, slot as u16);
        });
        for (slot, name) in names.iter().enumerate() {
            let partner = other_side(name).map(|other| by_name.get(&other[..]).copied());
            if partner == Some(None) {
                out.unpaired.push(slot as u16);
            }
            out.slots.push(partner.flatten().unwrap_or(slot as u16));
        }
        out
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

/// Points by the grid cell that contains them.
pub(in crate::weights::ops) struct SpatialCells {
    size: f32,
    /// The last point of each cell.
    last: HashMap<IVec3, u32>,
    /// For each point, the one before it in its cell; [`NO_POINT`] for the first.
    before: Vec<u32>,
}

const NO_POINT: u32 = u32::MAX;

impl SpatialCells {
    /// A grid for queries within `reach`.
    pub(in crate::weights::ops) fn new(places: &[Vec3], reach: f32) -> Self {
        let largest = places.iter().fold(0.0_f32, |m, p| m.max(p.abs().max_element()));
        // Cells are never so small that their indices overflow.
        // With cells of twice the reach, a query looks into at most two along each axis.
        let size = (2.0 * reach).max(largest * 1e-6).max(f32::MIN_POSITIVE * 1e6);
        let last = HashMap::with_capacity(places.len());
        let mut out = Self { size, last, before: Vec::with_capacity(places.len()) };
        for (point, &place) in places.iter().enumerate() {
            let before = out.last.insert(out.cell(place), point as u32);
            out.before.push(before.unwrap_or(NO_POINT));
        }
        out
    }

    fn cell(&self, place: Vec3) -> IVec3 {
        (place / self.size).floor().as_ivec3()
    }

    /// The point nearest to `place`, within `reach`.
    pub(in crate::weights::ops) fn nearest(&self, places: &[Vec3], place: Vec3, reach: f32) -> Option<u32> {
        let (low, high) = (self.cell(place - reach), self.cell(place + reach));
        let mut best: Option<(f32, u32)> = None;
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let mut point = self.last.get(&IVec3::new(x, y, z)).copied().unwrap_or(NO_POINT);
                    while point != NO_POINT {
                        let found = (places[point as usize].distance(place), point);
                        if found.0 <= reach && best.is_none_or(|best| found < best) {
                            best = Some(found);
                        }
                        point = self.before[point as usize];
                    }
                }
            }
        }
        best.map(|(_, point)| point)
    }
}

fn partners(mesh: &Mesh, options: &MirrorOptions) -> Vec<Option<u32>> {
    let places: Vec<Vec3> =
        mesh.points().first_vertex().iter().map(|&v| mesh.positions()[v as usize]).collect();
    let reach = options.tolerance.max(0.0);
    let cells = SpatialCells::new(&places, reach);
    let partner = |place: &Vec3| cells.nearest(&places, options.axis.mirrored(*place, options.middle), reach);
    places.iter().map(partner).collect()
}
