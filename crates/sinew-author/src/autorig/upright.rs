//! The template of a standing person.

use super::{
    layers::Patch,
    limb::LimbPath,
    template::{Body, FittedBody},
};
use sinew::{HumanBone, glam::DVec3};

/// The legs of a standing body.
struct Legs {
    /// The height at which the legs meet.
    crotch: f64,
    /// True if the layers show two legs.
    are_apart: bool,
}

/// The lowest layers may be a base, or feet that touch.
const FEET: f64 = 0.15;
/// The crotch is at most this high.
const MAX_CROTCH: f64 = 0.65;
/// The height of the crotch of a person, for bodies in a skirt.
const USUAL_CROTCH: f64 = 0.45;
/// The ankle is at most this fraction of a foot's length from the heel.
const HEEL: f64 = 0.35;
/// The height of an ankle of a person.
const ANKLE: f64 = 0.045;

fn legs(body: &Body) -> Legs {
    let layers = &body.layers;
    let [first, last] = [0.0, MAX_CROTCH].map(|fraction| layers.at(body.at_height(fraction)));
    let latest_start = layers.at(body.at_height(FEET));
    let mut crotch = None;
    let mut joined = 0;
    for layer in first..=last {
        if are_apart(&layers.patches[layer], body.middle) {
            crotch = Some(layer);
            joined = 0;
        } else if crotch.is_some() || layer > latest_start {
            joined += 1;
            if joined > 2 {
                break;
            }
        }
    }
    match crotch {
        Some(layer) => Legs { crotch: layers.height(layer) + body.solid.size() * 0.5, are_apart: true },
        None => Legs { crotch: body.at_height(USUAL_CROTCH), are_apart: false },
    }
}

/// True if a layer shows two legs: more to the sides of the middle than across it.
fn are_apart(patches: &[Patch], middle: f64) -> bool {
    let count = |side: i32| -> usize {
        patches.iter().filter(|patch| patch.side(middle) == side).map(|patch| patch.count).sum()
    };
    let (left, right, across) = (count(1), count(-1), count(0));
    left.min(right) > 0 && across * 2 < left + right
}

/// How far the feet reach in front of the shins, as a fraction of the height; negative if they point to −z.
pub(super) fn forwardness(body: &Body) -> f64 {
    let legs = legs(body);
    if !legs.are_apart {
        return 0.0;
    }
    let ground = body.solid.low.y;
    let mean = |low: f64, high: f64| {
        let [first, last] =
            [low, high].map(|fraction| body.layers.at(ground + fraction * (legs.crotch - ground)));
        let of_layers = body.layers.patches[first..=last].iter().flatten();
        let (mut count, mut sum) = (0.0, 0.0);
        for patch in of_layers.filter(|patch| patch.side(body.middle) != 0) {
            count += patch.count as f64;
            sum += patch.count as f64 * patch.center.z;
        }
        if count > 0.0 { sum / count } else { 0.0 }
    };
    (mean(0.0, 0.2) - mean(0.5, 0.9)) / body.height()
}

pub(super) fn fit(body: &Body) -> FittedBody {
    let mut out = FittedBody::default();
    let legs = legs(body);
    let sides = [1, -1].map(|side| LegJoints::of(body, &legs, side));
    let [left_hip, right_hip] = [&sides[0], &sides[1]].map(|leg| leg.hip);
    let hips_y = (left_hip.y + right_hip.y) * 0.5 + sides[0].radius * 0.35;
    let trunk = Trunk::of(body, &legs, hips_y);
    let arms = [1, -1].map(|side| ArmJoints::of(body, &trunk, side));
    let shoulders_y = (arms[0].shoulder.y + arms[1].shoulder.y) * 0.5;
    let neck = NeckHeights::of(body, shoulders_y);
    use HumanBone::*;
    out.add(Hips, trunk.axis(body, hips_y));
    for (bone, fraction) in [(Spine, 0.18), (Chest, 0.38), (UpperChest, 0.62)] {
        out.add(bone, trunk.axis(body, hips_y + (neck.base - hips_y) * fraction));
    }
    out.add(Neck, neck.axis(body, neck.base));
    out.add(Head, neck.axis(body, neck.head));
    for (leg, bones) in sides.iter().zip([
        [LeftUpperLeg, LeftLowerLeg, LeftFoot, LeftToes],
        [RightUpperLeg, RightLowerLeg, RightFoot, RightToes],
    ]) {
        let places = [leg.hip, leg.knee, leg.ankle, leg.toes];
        bones.into_iter().zip(places).for_each(|(bone, place)| out.add(bone, place));
        if !legs.are_apart {
            out.guessed.extend(bones);
        }
    }
    for (arm, bones) in arms.iter().zip([
        [LeftShoulder, LeftUpperArm, LeftLowerArm, LeftHand],
        [RightShoulder, RightUpperArm, RightLowerArm, RightHand],
    ]) {
        let collar = trunk.axis(body, arm.shoulder.y);
        let clavicle = collar.lerp(arm.shoulder, 0.3);
        let places = [clavicle, arm.shoulder, arm.elbow, arm.wrist];
        bones.into_iter().zip(places).for_each(|(bone, place)| out.add(bone, place));
        if !arm.is_found {
            out.guessed.extend(bones);
        }
    }
    out
}

/// The joints of a leg.
struct LegJoints {
    hip: DVec3,
    knee: DVec3,
    ankle: DVec3,
    toes: DVec3,
    /// The radius of the thigh.
    radius: f64,
}

impl LegJoints {
    fn of(body: &Body, legs: &Legs, side: i32) -> Self {
        let (ground, middle) = (body.solid.low.y, body.middle);
        let length = legs.crotch - ground;
        let aside = f64::from(side) * body.height() * 0.05;
        let center = |y: f64| {
            let patch = body.layers.largest(y, |patch| patch.side(middle) == side);
            patch.map(|patch| patch.center.with_y(y)).unwrap_or_else(|| {
                // In a skirt: a quarter of its width from the middle.
                let across = body.layers.largest(y, |patch| patch.crosses(middle));
                across.map_or(DVec3::new(middle + aside, y, 0.0), |patch| {
                    let x = middle + f64::from(side) * (patch.high.x - patch.low.x) * 0.25;
                    DVec3::new(x, y, patch.center.z)
                })
            })
        };
        let top = legs.crotch - body.solid.size();
        let thigh = body.layers.largest(top, |patch| patch.side(middle) == side);
        let radius = thigh.map_or(body.height() * 0.05, |patch| patch.radius).min(body.height() * 0.08);
        let hip = center(top).with_y(legs.crotch + radius * 0.8);
        let ankle_y = ground + (ANKLE * body.height()).min(0.3 * length);
        let knee_y = ankle_y + (hip.y - ankle_y) * 0.48;
        let knee = center(knee_y);
        // The ankle is below the shin and above the heel, not in the middle of the foot.
        let shin = center(ankle_y + (knee_y - ankle_y) * 0.35);
        let foot = body.layers.largest(ground + body.solid.size(), |patch| patch.side(middle) == side);
        let (back, front) = foot.map_or((shin.z, shin.z), |foot| (foot.low.z, foot.high.z));
        let ankle = DVec3::new(shin.x, ankle_y, shin.z.min(back + (front - back) * HEEL));
        let toes = DVec3::new(ankle.x, ground + (ankle_y - ground) * 0.35, ankle.z + (front - ankle.z) * 0.6);
        Self { hip, knee, ankle, toes, radius }
    }
}

/// The trunk between the legs and the neck.
struct Trunk {
    /// Half of its usual width.
    half_width: f64,
    /// The height from which it begins.
    low: f64,
}

impl Trunk {
    fn of(body: &Body, legs: &Legs, hips_y: f64) -> Self {
        // The head of a cartoon is wider than its trunk.
        let end = legs.crotch + (body.solid.high.y - legs.crotch) * 0.45;
        let [first, last] = [legs.crotch + body.solid.size(), end].map(|y| body.layers.at(y));
        let across = (first..=last).filter_map(|layer| {
            let patches = body.layers.patches[layer].iter().filter(|patch| patch.crosses(body.middle));
            let patch = patches.max_by_key(|patch| patch.count)?;
            Some((patch.high.x - body.middle).min(body.middle - patch.low.x))
        });
        let mut widths: Vec<f64> = across.collect();
        widths.sort_by(f64::total_cmp);
        let half_width = widths.get(widths.len() / 2).copied().unwrap_or(body.height() * 0.1);
        Self { half_width: half_width.max(body.solid.size() * 2.0), low: hips_y }
    }

    /// The middle of the trunk at height `y`.
    fn axis(&self, body: &Body, y: f64) -> DVec3 {
        let patch = body.layers.largest(y, |patch| patch.crosses(body.middle));
        let z = patch.map_or(0.0, |patch| patch.deepest.z * 0.5 + patch.center.z * 0.5);
        DVec3::new(body.middle, y, z)
    }
}

/// The joints of an arm.
struct ArmJoints {
    shoulder: DVec3,
    elbow: DVec3,
    wrist: DVec3,
    /// False if the places are proportions of the body.
    is_found: bool,
}

/// Where the elbow is on the way from the shoulder to the wrist.
const ELBOW: f64 = 0.49;
/// Where the wrist is on the way from the shoulder to the tip of the hand, if no place is thinner.
const WRIST: f64 = 0.73;

impl ArmJoints {
    fn of(body: &Body, trunk: &Trunk, side: i32) -> Self {
        let solid = &body.solid;
        let sign = f64::from(side);
        let aside = |place: DVec3| (place.x - body.middle) * sign;
        let start = solid.nearest(trunk.axis(body, trunk.low));
        let lengths = solid.lengths_from(start);
        // Ears are high above, feet and tails are below, and a cheek is not the end of a limb.
        let highest = trunk.low + (solid.high.y - trunk.low) * 0.85;
        let lowest = (trunk.low + solid.low.y) * 0.5;
        let is_hand = |cell: &usize| {
            let place = solid.places[*cell];
            let is_aside = aside(place) > trunk.half_width && place.y > lowest && place.y < highest;
            is_aside
                && lengths[*cell].is_finite()
                && solid.neighbors(*cell).all(|next| lengths[next] <= lengths[*cell])
        };
        let reach = |cell: &usize| aside(solid.places[*cell]) + 0.3 * lengths[*cell];
        let tip = (0..solid.places.len()).filter(is_hand).max_by(|a, b| reach(a).total_cmp(&reach(b)));
        let Some(tip) = tip else { return Self::guessed(body, trunk, sign) };
        let is_inside = |cell: usize| aside(solid.places[cell]) <= trunk.half_width * 0.3;
        let path = LimbPath::of(solid, &solid.centered_path(tip, is_inside));
        let arm = path.before(|place| aside(place) <= trunk.half_width * 0.9);
        if arm.length() < body.height() * 0.06 {
            return Self::guessed(body, trunk, sign);
        }
        // The path begins at the tip of the hand.
        let radius = |fraction: f64| solid.radii[solid.nearest(arm.at(1.0 - fraction))];
        let steps = (0..=12).map(|n| 0.56 + 0.02 * f64::from(n));
        let thinnest = steps.min_by(|a, b| radius(*a).total_cmp(&radius(*b))).unwrap_or(WRIST);
        let has_wrist = radius(thinnest) < 0.8 * radius(0.45).min(radius(0.5 * (1.0 + thinnest)));
        let wrist = if has_wrist { thinnest } else { WRIST };
        let [shoulder, elbow, wrist] = [0.0, wrist * ELBOW, wrist].map(|fraction| arm.at(1.0 - fraction));
        Self { shoulder, elbow, wrist, is_found: true }
    }

    /// Arms that the body does not show, by the proportions of a person.
    fn guessed(body: &Body, trunk: &Trunk, sign: f64) -> Self {
        let y = trunk.low + (body.solid.high.y - trunk.low) * 0.6;
        let shoulder = trunk.axis(body, y) + DVec3::X * sign * trunk.half_width * 0.8;
        let down = |fraction: f64| shoulder - DVec3::Y * (body.height() * 0.3 * fraction);
        Self { shoulder, elbow: down(ELBOW * WRIST), wrist: down(WRIST), is_found: false }
    }
}

/// The neck: the thinnest layer above the shoulders.
struct NeckHeights {
    /// The height of the joint of the neck.
    base: f64,
    /// The height of the joint of the head.
    head: f64,
}

/// The head begins where a layer has this many times the area of the neck.
const HEAD_BEGINS: f64 = 1.25;

impl NeckHeights {
    fn of(body: &Body, shoulders_y: f64) -> Self {
        let top = body.solid.high.y;
        let above = (top - shoulders_y).max(body.solid.size());
        let [first, last] = [0.03, 0.5].map(|fraction| body.layers.at(shoulders_y + above * fraction));
        let thickness = |layer: &usize| {
            let patches = body.layers.patches[*layer].iter().filter(|patch| patch.crosses(body.middle));
            patches.map(|patch| patch.count).max().unwrap_or(usize::MAX)
        };
        // The first thin layer from below: a hat or hair may be thinner.
        let mut thinnest = (first, thickness(&first));
        for layer in first..=last {
            let here = thickness(&layer);
            if here < thinnest.1 {
                thinnest = (layer, here);
            } else if here as f64 > thinnest.1 as f64 * HEAD_BEGINS {
                break;
            }
        }
        let thinnest = thinnest.0;
        let y = body.layers.height(thinnest).max(shoulders_y);
        Self {
            base: shoulders_y + (y - shoulders_y) * 0.6,
            head: y + (0.25 * (top - y)).min(0.04 * body.height()),
        }
    }

    fn axis(&self, body: &Body, y: f64) -> DVec3 {
        let patch = body.layers.largest(y, |patch| patch.crosses(body.middle));
        DVec3::new(body.middle, y, patch.map_or(0.0, |patch| patch.center.z))
    }
}
