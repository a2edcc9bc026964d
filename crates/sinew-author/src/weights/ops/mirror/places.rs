//! Partners across the plane of symmetry.

use super::MirrorOptions;
use crate::motion::other_side;
use crate::weights::table::SlotWeights;
use sinew::{
    Mesh, Skeleton, Skin,
    glam::{IVec3, Vec3},
};
use std::collections::HashMap;

/// Which point and which joint is the partner of which.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexMirrorMap {
    partners: Vec<Option<u32>>,
    slots: Vec<u16>,
    unpaired: Vec<u16>,
}

impl VertexMirrorMap {
    /// Pairs the points of `mesh` by place and the joints of `skin` by name (`hand_l` and `hand_r`).
    ///
    /// A point's partner is the point nearest to its mirrored place, no further than the tolerance. Joints whose names say no
    /// side are their own partners.
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

    /// How many points the mesh has.
    pub fn point_count(&self) -> usize {
        self.partners.len()
    }

    /// How many joints the skin has.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The partner of a point.
    pub fn partner(&self, point: usize) -> Option<usize> {
        self.partners.get(point).copied().flatten().map(|p| p as usize)
    }

    /// The partner of a joint; itself where it has none.
    pub fn slot(&self, slot: u16) -> u16 {
        self.slots.get(usize::from(slot)).copied().unwrap_or(slot)
    }

    /// Joints whose names say a side but whose partner is not in the skin.
    pub fn unpaired(&self) -> &[u16] {
        &self.unpaired
    }

    /// How many points have no partner.
    pub fn unmatched(&self) -> usize {
        self.partners.iter().filter(|p| p.is_none()).count()
    }

    /// The mean of shares and their mirror image.
    pub(in crate::weights::ops) fn balanced(&self, shares: &[(u16, f64)]) -> SlotWeights {
        let image: SlotWeights = shares.iter().map(|&(slot, share)| (self.slot(slot), share)).collect();
        super::super::smooth::mixed([(shares, 0.5), (&image[..], 0.5)].into_iter())
    }
}

/// Points by the cell of space that they lie in.
pub(in crate::weights::ops) struct SpatialCells {
    size: f32,
    points: HashMap<IVec3, Vec<u32>>,
}

impl SpatialCells {
    /// Cells for looking up to `reach` far.
    pub(in crate::weights::ops) fn new(places: &[Vec3], reach: f32) -> Self {
        let largest = places.iter().fold(0.0_f32, |m, p| m.max(p.abs().max_element()));
        // Cells are never so small that their numbers do not fit.
        let size = reach.max(largest * 1e-6).max(f32::MIN_POSITIVE * 1e6);
        let mut out = Self { size, points: HashMap::new() };
        for (point, &place) in places.iter().enumerate() {
            out.points.entry(out.cell(place)).or_default().push(point as u32);
        }
        out
    }

    fn cell(&self, place: Vec3) -> IVec3 {
        (place / self.size).floor().as_ivec3()
    }

    /// The point nearest to `place`, no further than `reach`.
    pub(in crate::weights::ops) fn nearest(&self, places: &[Vec3], place: Vec3, reach: f32) -> Option<u32> {
        let middle = self.cell(place);
        let around =
            (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| IVec3::new(x, y, z))));
        let near = around.filter_map(|step| self.points.get(&middle.saturating_add(step))).flatten();
        let far = |point: u32| places[point as usize].distance(place);
        let within = near.copied().filter(|&p| far(p) <= reach);
        within.min_by(|&a, &b| far(a).total_cmp(&far(b)).then(a.cmp(&b)))
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
