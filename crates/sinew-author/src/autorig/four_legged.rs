//! The template of an animal on four legs.

use super::{
    limb::LimbPath,
    template::{Body, FittedBody},
};
use sinew::{HumanBone, glam::DVec3};

/// A leg that stands on the ground, as the places of its layers from the ground up.
struct Leg {
    /// The place of the foot on the ground.
    foot: DVec3,
    /// The middle of the leg in each layer, up to the belly.
    centers: Vec<DVec3>,
}

/// The heights at which feet are looked for.
const FEET: [f64; 5] = [0.12, 0.08, 0.16, 0.05, 0.2];
/// The front and hind feet of an animal are at least this far apart, relative to its length.
const APART: f64 = 0.22;

/// True if two feet of each side touch the ground, well apart.
pub(super) fn stands_on_four(body: &Body) -> bool {
    four_feet(body).is_some()
}

/// The feet: left front, right front, left hind, right hind.
fn four_feet(body: &Body) -> Option<[DVec3; 4]> {
    FEET.into_iter().find_map(|height| feet_at(body, height))
}

fn feet_at(body: &Body, height: f64) -> Option<[DVec3; 4]> {
    let layer = body.layers.at(body.at_height(height));
    let length = body.solid.high.z - body.solid.low.z;
    let pair = |side: i32| {
        let own = body.layers.patches[layer].iter().filter(|patch| patch.side(body.middle) == side);
        let mut centers: Vec<(usize, DVec3)> = own.map(|patch| (patch.count, patch.center)).collect();
        centers.sort_by_key(|patch| std::cmp::Reverse(patch.0));
        let largest = centers.first()?.1;
        let is_other = |patch: &&(usize, DVec3)| (patch.1.z - largest.z).abs() > APART * length;
        let other = centers.iter().find(is_other).filter(|patch| patch.0 * 5 >= centers[0].0)?.1;
        let (front, hind) = if largest.z > other.z { (largest, other) } else { (other, largest) };
        Some([front, hind])
    };
    let ([left_front, left_hind], [right_front, right_hind]) = (pair(1)?, pair(-1)?);
    let is_pair = |a: DVec3, b: DVec3| (a.z - b.z).abs() < APART * length;
    let all = [left_front, right_front, left_hind, right_hind];
    (is_pair(left_front, right_front) && is_pair(left_hind, right_hind)).then_some(all)
}

/// How much more of the body is above the middle of its height beyond the front legs than beyond the hind legs, from −1 to 1.
pub(super) fn forwardness(body: &Body) -> f64 {
    let Some([front, _, hind, _]) = four_feet(body) else { return 0.0 };
    let high = body.at_height(0.45);
    let beyond = |is_beyond: &dyn Fn(&DVec3) -> bool| {
        let places = body.solid.places.iter().filter(|place| place.y > high && is_beyond(place));
        places.map(|place| place.y - high).sum::<f64>()
    };
    let quarter = (front.z - hind.z) * 0.25;
    let ahead = beyond(&|place| place.z > front.z - quarter);
    let behind = beyond(&|place| place.z < hind.z + quarter);
    (ahead - behind) / (ahead + behind).max(f64::MIN_POSITIVE)
}

pub(super) fn fit(body: &Body) -> FittedBody {
    let Some(feet) = four_feet(body) else { return super::upright::fit(body) };
    let legs = feet.map(|foot| Leg::of(body, foot));
    let top = |leg: &Leg| leg.centers.last().copied().unwrap_or(leg.foot);
    let [left_front, right_front, left_hind, right_hind] = [0, 1, 2, 3].map(|n| top(&legs[n]));
    let axis = |z: f64, low: f64| spine(body, z, low);
    let hips = axis((left_hind.z + right_hind.z) * 0.5, (left_hind.y + right_hind.y) * 0.5);
    let chest = axis((left_front.z + right_front.z) * 0.5, (left_front.y + right_front.y) * 0.5);
    let head = HeadAndNeck::of(body, chest);
    use HumanBone::*;
    let mut out = FittedBody::default();
    out.add(Hips, hips);
    for (bone, fraction) in [(Spine, 0.25), (Chest, 0.6)] {
        let place = hips.lerp(head.neck, fraction);
        let low = left_front.y.max(left_hind.y);
        out.add(bone, axis(place.z, low).with_x(body.middle));
    }
    out.add(Neck, head.neck);
    out.add(Head, head.head);
    let front = [[LeftUpperArm, LeftLowerArm, LeftHand], [RightUpperArm, RightLowerArm, RightHand]];
    let hind = [[LeftUpperLeg, LeftLowerLeg, LeftFoot], [RightUpperLeg, RightLowerLeg, RightFoot]];
    let trunk = [chest.y, chest.y, hips.y, hips.y];
    for ((leg, bones), trunk) in legs.iter().zip(front.into_iter().chain(hind)).zip(trunk) {
        let places = leg.joints(trunk);
        bones.into_iter().zip(places).for_each(|(bone, place)| out.add(bone, place));
    }
    add_tail(body, hips, &mut out);
    out
}

impl Leg {
    fn of(body: &Body, foot: DVec3) -> Self {
        let (layers, size) = (&body.layers, body.solid.size());
        let mut out = Self { foot: foot.with_y(body.solid.low.y), centers: Vec::new() };
        let side = if foot.x > body.middle { 1 } else { -1 };
        let first = layers.at(body.solid.low.y + size);
        let mut at = foot;
        let mut width: Option<f64> = None;
        for layer in first..layers.at(body.at_height(0.8)) {
            let near = layers.patches[layer].iter().filter(|patch| {
                let off = (patch.center - at) * DVec3::new(1.0, 0.0, 1.0);
                patch.side(body.middle) == side && off.length() < body.height() * 0.15
            });
            let Some(patch) = near.max_by_key(|patch| patch.count) else { break };
            // The belly or the other leg has joined this one.
            let extent = patch.high.z - patch.low.z + size;
            if width.is_some_and(|width| extent > width * 2.2) {
                break;
            }
            width = Some(width.map_or(extent, |width| width * 0.8 + extent * 0.2));
            at = patch.center;
            out.centers.push(patch.center);
        }
        out
    }

    /// The upper joint, which lies in the trunk beside the spine at height `trunk`, the knee and the foot.
    fn joints(&self, trunk: f64) -> [DVec3; 3] {
        let top = self.centers.last().copied().unwrap_or(self.foot);
        let upper = top.with_y(top.y + (trunk - top.y).max(0.0) * IN_TRUNK);
        let foot_y = self.foot.y + (upper.y - self.foot.y) * FOOT;
        let knee_y = foot_y + (upper.y - foot_y) * KNEE;
        let at = |y: f64| {
            let far = |center: &&DVec3| (center.y - y).abs();
            let near = self.centers.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
            near.copied().unwrap_or(self.foot).with_y(y)
        };
        [upper, at(knee_y), at(foot_y)]
    }
}

/// How far the upper joint of a leg is from the belly to the spine.
const IN_TRUNK: f64 = 0.75;
/// Where the foot is on the way from the ground to the upper joint of a leg.
const FOOT: f64 = 0.14;
/// Where the knee is on the way from the foot to the upper joint.
const KNEE: f64 = 0.52;

/// The middle of the trunk at `z`, above `low`.
fn spine(body: &Body, z: f64, low: f64) -> DVec3 {
    let size = body.solid.size();
    let near = body.solid.places.iter().filter(|place| {
        (place.z - z).abs() <= size && (place.x - body.middle).abs() <= size * 1.5 && place.y >= low - size
    });
    // The trunk is the lowest run of cells; a head or a rider may be above it.
    let mut heights: Vec<f64> = near.map(|place| place.y).collect();
    heights.sort_by(f64::total_cmp);
    let run = heights.windows(2).take_while(|pair| pair[1] - pair[0] <= size * 1.5).count();
    let (first, last) = (heights.first().copied().unwrap_or(low), heights.get(run).copied().unwrap_or(low));
    DVec3::new(body.middle, first + (last - first).min(body.height() * 0.45) * 0.6, z)
}

struct HeadAndNeck {
    neck: DVec3,
    head: DVec3,
}

impl HeadAndNeck {
    /// The head is half way from the chest to the place that is the farthest in front and above; the neck is on the way.
    fn of(body: &Body, chest: DVec3) -> Self {
        let solid = &body.solid;
        let reach = |cell: &usize| solid.places[*cell].z + solid.places[*cell].y;
        let is_middle = |cell: &usize| (solid.places[*cell].x - body.middle).abs() <= solid.size() * 2.0;
        let tip = (0..solid.places.len()).filter(is_middle).max_by(|a, b| reach(a).total_cmp(&reach(b)));
        let start = solid.nearest(chest);
        let path = LimbPath::of(solid, &solid.centered_path(start, |cell| Some(cell) == tip));
        let [neck, head] = [0.2, 0.5].map(|fraction| path.at(fraction).with_x(body.middle));
        Self { neck, head }
    }
}

/// Adds joints of a tail if the body has one: a part behind the hips that is farther from them than the trunk is thick.
fn add_tail(body: &Body, hips: DVec3, out: &mut FittedBody) {
    let solid = &body.solid;
    let lengths = solid.lengths_from(solid.nearest(hips));
    let is_tail = |cell: &usize| {
        let place = solid.places[*cell];
        place.z < hips.z
            && place.y > body.at_height(0.2)
            && (place.x - body.middle).abs() < body.height() * 0.15
            && lengths[*cell].is_finite()
    };
    let reach = |cell: &usize| hips.z - solid.places[*cell].z + 0.5 * lengths[*cell];
    let tip = (0..solid.places.len()).filter(is_tail).max_by(|a, b| reach(a).total_cmp(&reach(b)));
    let Some(tip) = tip.filter(|&tip| lengths[tip] > body.height() * 0.3) else { return };
    let trunk = solid.radii[solid.nearest(hips)];
    let path =
        LimbPath::of(solid, &solid.centered_path(tip, |cell| solid.places[cell].distance(hips) < trunk));
    let mut parent = out.find(HumanBone::Hips).unwrap_or(0);
    for (n, fraction) in [1.0, 0.66, 0.33].into_iter().enumerate() {
        out.add_other(format!("tail.{:03}", n + 1), parent, path.at(fraction));
        parent = out.joints.len() - 1;
    }
}
