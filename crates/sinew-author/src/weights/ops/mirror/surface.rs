//! Mirroring over the surface: the mesh needs no vertex for vertex symmetry.

use super::{MirrorJointMap, MirrorOptions, MirrorOutcome, PointSide};
use crate::weights::{
    Edit, MuscleSlots, WeightError, WeightTable,
    muscle_slots::muscle_weights,
    ops::smooth::{mixed, weighted_sum},
    surface::WeldedSurface,
    table::SlotWeights,
    tree::{NearestPoint, TriangleTree},
};
use sinew::glam::{DVec3, Vec3};
use std::collections::BTreeSet;

/// Points that mirror each other this exactly, as a fraction of the mesh's diagonal, are partners, and nothing is interpolated.
const EXACT: f64 = 1e-5;
/// The normal of the mirrored point has at least this cosine with the normal of the surface that it takes weights from.
const MIN_COSINE: f64 = 0.3;

/// Copies the weights of one side to every selected point of the other, with joints exchanged by `joints`.
///
/// A point takes the weights of the place on the surface that is nearest to its mirrored position, within the tolerance, and
/// faces the mirrored way. So the two sides need not have the same vertices. Muscle weights are mirrored too; a muscle without
/// a partner stays on its side.
///
/// # Errors
/// If joints other than muscles have weight on the copied side but no partner, if the map belongs to another skin, or if an
/// option is out of range.
pub fn mirror_over_surface(
    edit: &Edit<'_>,
    joints: &MirrorJointMap,
    muscles: &MuscleSlots,
    options: &MirrorOptions,
) -> Result<MirrorOutcome, WeightError> {
    crate::weights::error::check_option(
        "tolerance",
        options.tolerance.into(),
        options.tolerance >= 0.0,
        "at least 0",
    )?;
    let needed = edit.weights().slot_count();
    if joints.slot_count() < needed {
        return Err(WeightError::WrongCount {
            what: "joints of the map",
            count: joints.slot_count(),
            wanted: needed,
        });
    }
    let edit = edit.clone().in_skin_of(joints.slot_count());
    let source = MirroredSurface::new(&edit, joints, options);
    let (mut mirrored, mut centered, mut unmatched) = (0, 0, Vec::new());
    let mut lone: BTreeSet<u16> = BTreeSet::new();
    let mut found: Vec<Option<Found>> = vec![None; edit.points().len()];
    let is_selected = edit.selected_points();
    for point in (0..found.len()).filter(|&p| is_selected[p]) {
        found[point] = source.find(point);
        match found[point] {
            Some(Found::Middle) => centered += 1,
            Some(_) => mirrored += 1,
            None if source.side(point) == PointSide::Target => unmatched.push(edit.vertex(point) as u32),
            None => {}
        }
        lone.extend(source.used(point, found[point].as_ref()).filter(|&slot| joints.partner(slot).is_none()));
    }
    lone.retain(|&slot| !muscles.holds(slot));
    if !lone.is_empty() {
        return Err(WeightError::NoMirrorPartner {
            joints: lone.iter().map(|&slot| joints.name(slot).to_owned()).collect(),
        });
    }
    let outcome = edit.for_each_point(|point, _| Some(source.weights(point, found[point].as_ref()?)))?;
    let weights =
        edit.with_muscles(outcome.weights, |point| source.muscles(point, found[point].as_ref()?))?;
    Ok(MirrorOutcome { outcome: edit.outcome_of(weights), mirrored, centered, unmatched })
}

/// Where a point finds its weights.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// In the plane: its own weights and their mirror image.
    Middle,
    /// At a point that mirrors it exactly.
    Point(usize),
    /// On a triangle of the other side.
    Surface(NearestPoint),
}

/// The side that is copied, as a surface.
struct MirroredSurface<'a> {
    edit: &'a Edit<'a>,
    joints: &'a MirrorJointMap,
    options: &'a MirrorOptions,
    surface: WeldedSurface,
    table: WeightTable,
    /// The triangles that are not wholly on the other side.
    tree: TriangleTree,
    triangles: Vec<u32>,
    points: TriangleTree,
}

impl<'a> MirroredSurface<'a> {
    fn new(edit: &'a Edit<'a>, joints: &'a MirrorJointMap, options: &'a MirrorOptions) -> Self {
        let surface = WeldedSurface::new(edit.mesh());
        let is_source = |point: &u32| options.side_of(edit, *point as usize) != PointSide::Target;
        let near = surface.triangles.iter().enumerate().filter(|(_, t)| t.iter().any(is_source));
        let (triangles, corners): (Vec<u32>, Vec<[u32; 3]>) = near.map(|(at, t)| (at as u32, *t)).unzip();
        Self {
            edit,
            joints,
            options,
            table: edit.table(),
            tree: TriangleTree::new(&surface.positions, &corners),
            triangles,
            points: TriangleTree::of_points(&surface.positions),
            surface,
        }
    }

    fn place(&self, point: usize) -> Vec3 {
        self.edit.mesh().positions()[self.edit.vertex(point)]
    }

    /// The side of a point. Only points that are in the plane to the eye are in the middle.
    fn side(&self, point: usize) -> PointSide {
        let off = self.place(point)[self.options.axis.index()] - self.options.middle;
        if f64::from(off.abs()) * self.surface.scale <= EXACT {
            return PointSide::Middle;
        }
        MirrorOptions { tolerance: 0.0, ..*self.options }.side_of(self.edit, point)
    }

    fn find(&self, point: usize) -> Option<Found> {
        match self.side(point) {
            PointSide::Source => return None,
            PointSide::Middle => return Some(Found::Middle),
            PointSide::Target => {}
        }
        let there = self.options.axis.mirrored(self.place(point), self.options.middle).as_dvec3();
        let there = self.surface.unit_from_mesh(there);
        if let Some(near) = self.points.nearest(there, EXACT, |_| true) {
            return Some(Found::Point(near.triangle as usize));
        }
        let mut normal = self.surface.normals[point];
        normal[self.options.axis.index()] *= -1.0;
        let faces_alike = |at: u32| {
            let triangle = self.surface.triangles[self.triangles[at as usize] as usize];
            let own = self.surface.area_vector(triangle).normalize_or_zero();
            normal == DVec3::ZERO || own == DVec3::ZERO || own.dot(normal) >= MIN_COSINE
        };
        let reach = f64::from(self.options.tolerance) * self.surface.scale;
        let near = self.tree.nearest(there, reach, faces_alike)?;
        Some(Found::Surface(NearestPoint { triangle: self.triangles[near.triangle as usize], ..near }))
    }

    /// The points whose weights a point takes, with their parts. Corners on the changed side have no weights for it.
    fn origins(&self, point: usize, found: &Found) -> Vec<(usize, f64)> {
        match found {
            Found::Middle => vec![(point, 1.0)],
            Found::Point(partner) => vec![(*partner, 1.0)],
            Found::Surface(near) => {
                let corners = self.surface.triangles[near.triangle as usize].map(|p| p as usize);
                let all = corners.into_iter().zip(near.barycentric);
                let own: Vec<(usize, f64)> = all
                    .clone()
                    .filter(|(p, part)| *part > 0.0 && self.side(*p) != PointSide::Target)
                    .collect();
                // In a triangle across the plane a corner on this side may be all there is.
                if own.is_empty() {
                    all.filter(|(p, _)| self.side(*p) != PointSide::Target).collect()
                } else {
                    own
                }
            }
        }
    }

    /// The slots whose weight a point takes.
    fn used(&self, point: usize, found: Option<&Found>) -> impl Iterator<Item = u16> + use<'_> {
        let origins = found.map_or_else(Vec::new, |found| self.origins(point, found));
        origins
            .into_iter()
            .flat_map(|(p, _)| self.edit.weights().influences(self.edit.vertex(p)).map(|i| i.slot))
    }

    fn image(&self, slot_weights: impl Iterator<Item = (u16, f64)>) -> SlotWeights {
        slot_weights.filter_map(|(slot, weight)| Some((self.joints.partner(slot)?, weight))).collect()
    }

    fn weights(&self, point: usize, found: &Found) -> SlotWeights {
        let of = |point: usize| self.table.slot_weights(self.edit.vertex(point));
        let images: Vec<(SlotWeights, f64)> =
            self.origins(point, found).into_iter().map(|(p, part)| (self.image(of(p)), part)).collect();
        if let Found::Middle = found {
            let own: SlotWeights = of(point).collect();
            let image = self.image(of(point));
            return mixed([(&own[..], 0.5), (&image[..], 0.5)].into_iter());
        }
        mixed(images.iter().map(|(weights, part)| (&weights[..], *part)))
    }

    /// The muscle weights of a point: those of muscles without a partner stay.
    fn muscles(&self, point: usize, found: &Found) -> Option<SlotWeights> {
        let weights = self.edit.weights();
        (weights.sum_kind() == sinew::WeightSum::Muscle).then_some(())?;
        let of = |point: usize| muscle_weights(weights, self.edit.vertex(point));
        let own = of(point);
        let is_paired = |w: &(u16, f64)| self.joints.partner(w.0).is_some_and(|p| p != w.0);
        let kept: SlotWeights = own.iter().copied().filter(|w| !is_paired(w)).collect();
        let image = |point: usize| self.image(of(point).into_iter().filter(is_paired));
        let origins = self.origins(point, found);
        let total: f64 = origins.iter().map(|g| g.1).sum();
        let images: Vec<(SlotWeights, f64)> =
            origins.into_iter().map(|(p, part)| (image(p), part / total.max(f64::MIN_POSITIVE))).collect();
        let mut out = kept;
        if let Found::Middle = found {
            let paired: SlotWeights = own.into_iter().filter(is_paired).collect();
            let image = image(point);
            out.extend(weighted_sum([(&paired[..], 0.5), (&image[..], 0.5)].into_iter()));
        } else {
            out.extend(weighted_sum(images.iter().map(|(weights, part)| (&weights[..], *part))));
        }
        Some(out)
    }
}
