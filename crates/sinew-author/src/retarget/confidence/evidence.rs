//! What speaks for and against a pair of joints.

use crate::retarget::{
    body::Body,
    map::{JointMap, JointPair},
    name::{BodyPart, NameStyle, ParsedName},
    skin_points::SkinPoints,
};
use sinew::{BodySide, JointId, glam::Vec3};

/// The minimum of one kind of evidence.
const FLOOR: f32 = 0.1;
/// Evidence above this leaves nothing to doubt.
const DOUBT: f32 = 0.8;
/// A hand lower than this fraction of the height of the hips stands on the ground.
const STANDING_HAND: f32 = 0.25;

/// Torsos that point this far apart stand alike without doubt up to the first angle, and not at all from the second, in degrees.
const LEVEL_TORSO: [f32; 2] = [40.0, 80.0];

/// What speaks for and against a pair, each from 0 (against) to 1 (for, or nothing to say).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairEvidence {
    /// Whether the names mean the same part of the body, or a humanoid says so.
    pub names: f32,
    /// Whether the joints hang below joints that are mapped to each other.
    pub hierarchy: f32,
    /// Whether the joints are on the same side.
    pub side: f32,
    /// Whether the bones to the joints point the same way at rest. Arms may: rest poses have them up or down.
    pub direction: f32,
    /// The angle between these bones, in degrees.
    pub direction_degrees: f32,
    /// Whether the bones to the joints are equally long, relative to the bodies.
    pub length: f32,
    /// How much longer the target's bone is, relative to the bodies.
    pub length_ratio: f32,
    /// Whether both bodies stand alike at rest: with an upright or a level torso, on two legs or on four.
    pub stance: f32,
    /// The angle between the torsos, in degrees.
    pub torso_degrees: f32,
}

/// A kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvidenceKind {
    Names,
    Hierarchy,
    Side,
    Direction,
    Length,
    Arms,
    Torsos,
}

impl PairEvidence {
    fn list(&self) -> [(EvidenceKind, f32); 6] {
        let is_torso = self.torso_degrees >= LEVEL_TORSO[0];
        [
            (if is_torso { EvidenceKind::Torsos } else { EvidenceKind::Arms }, self.stance),
            (EvidenceKind::Direction, self.direction),
            (EvidenceKind::Side, self.side),
            (EvidenceKind::Names, self.names),
            (EvidenceKind::Hierarchy, self.hierarchy),
            (EvidenceKind::Length, self.length),
        ]
    }

    pub(super) fn product(&self) -> f32 {
        self.list().iter().map(|(_, value)| value).product()
    }

    /// What speaks against the pair most; `None` if nothing does.
    pub(super) fn weakest(&self) -> Option<EvidenceKind> {
        let weakest = self.list().into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        weakest.filter(|(_, value)| *value < DOUBT).map(|(kind, _)| kind)
    }

    pub(super) fn doubt(&self, [source, target]: &[String; 2]) -> Option<String> {
        Some(match self.weakest()? {
            EvidenceKind::Names => format!("the names {source} and {target} do not mean the same part"),
            EvidenceKind::Hierarchy => {
                format!("{source} and {target} hang below joints that are not mapped to each other")
            }
            EvidenceKind::Side => format!("{source} and {target} are on different sides"),
            EvidenceKind::Direction => format!(
                "the directions of the bones to {source} and {target} differ by {:.0}° at rest",
                self.direction_degrees
            ),
            EvidenceKind::Length => format!(
                "the bone to {target} is {:.1} times as long as the one to {source}, relative to the bodies",
                self.length_ratio
            ),
            EvidenceKind::Torsos => {
                format!(
                    "the directions of the torsos of {source} and {target} differ by {:.0}° at rest",
                    self.torso_degrees
                )
            }
            EvidenceKind::Arms => {
                format!("only one of the arms of {source} and {target} stands on the ground at rest")
            }
        })
    }
}

/// How far bones may point apart: without doubt up to the first angle, not at all from the second, in degrees.
type AngleTolerance = [f32; 2];

/// How the joints of a part of the body are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PartRule {
    angle: Option<AngleTolerance>,
    has_length: bool,
    stance: StanceRule,
}

/// How the stances of two bodies are compared for a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StanceRule {
    Any,
    Arm,
    Torso,
}

impl PartRule {
    const LOOSE: Self = Self { angle: None, has_length: false, stance: StanceRule::Any };
    const OTHER: Self = Self { angle: Some([60.0, 120.0]), has_length: true, ..Self::LOOSE };
    const PELVIS: Self = Self { stance: StanceRule::Torso, ..Self::LOOSE };
    /// Spines curve, so single bones may point further apart than the torso as a whole.
    const TORSO: Self = Self { angle: Some([60.0, 110.0]), has_length: true, stance: StanceRule::Torso };
    const LEG: Self = Self { angle: Some([45.0, 90.0]), ..Self::OTHER };
    const TOES: Self = Self { angle: Some([70.0, 110.0]), ..Self::LOOSE };
    /// T-pose, A-pose and hanging arms differ by a right angle.
    const ARM: Self = Self { angle: Some([100.0, 140.0]), has_length: true, stance: StanceRule::Arm };
}

/// Two bodies with a map between them.
pub(super) struct Evidence<'a> {
    map: &'a JointMap,
    source: &'a Body<'a>,
    target: &'a Body<'a>,
    names: [Vec<ParsedName>; 2],
    sizes: [f32; 2],
    /// For each side of source and target, whether its hand stands on the ground.
    stands: [[bool; 2]; 2],
    /// The angle between the torsos, in degrees; 0 if one has none.
    torso_degrees: f32,
    rules: Vec<PartRule>,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(map: &'a JointMap, source: &'a Body<'a>, target: &'a Body<'a>) -> Self {
        let bodies = [source, target];
        let both_sized = bodies.iter().all(|b| body_size(b).is_some());
        let size = |b: &Body<'_>| body_size(b).filter(|_| both_sized).unwrap_or_else(|| extent(b));
        Self {
            map,
            source,
            target,
            names: bodies.map(names),
            sizes: bodies.map(size),
            stands: bodies.map(|b| BodySide::BOTH.map(|side| hand_stands(b, side))),
            torso_degrees: torso_degrees(source, target),
            rules: rules(target),
        }
    }

    pub(super) fn of(&self, pair: JointPair) -> PairEvidence {
        let rule = self.rules[pair.target.index()];
        let parent = self.parent_pair(pair);
        let bones = parent
            .map(|p| [bone(self.source, p.source, pair.source), bone(self.target, p.target, pair.target)]);
        let mut out = PairEvidence {
            names: self.name_evidence(pair),
            hierarchy: self.hierarchy(pair, parent),
            side: self.side(pair),
            direction: 1.0,
            direction_degrees: 0.0,
            length: 1.0,
            length_ratio: 1.0,
            stance: self.stance(pair, rule),
            torso_degrees: if rule.stance == StanceRule::Torso { self.torso_degrees } else { 0.0 },
        };
        let Some([from, to]) = bones else { return out };
        let short = |bone: Vec3, size: f32| bone.length() < 0.01 * size;
        if short(from, self.sizes[0]) || short(to, self.sizes[1]) {
            return out;
        }
        out.direction_degrees = from.angle_between(to).to_degrees();
        if let Some([sure, never]) = rule.angle {
            out.direction = falling(out.direction_degrees, sure, never);
        }
        if rule.has_length {
            out.length_ratio = (to.length() / self.sizes[1]) / (from.length() / self.sizes[0]);
            // Characters have heads and limbs of any size: a factor of 3 is style, one of 12 another part.
            let factor = out.length_ratio.max(1.0 / out.length_ratio);
            out.length = falling(factor.ln(), 3.0_f32.ln(), 12.0_f32.ln());
        }
        out
    }

    /// The pair that the bone to `pair` comes from: the nearest mapped ancestor of the target, or the shin of a foot.
    fn parent_pair(&self, pair: JointPair) -> Option<JointPair> {
        let side = self.target.anatomy.sides.iter().find(|s| s.foot == Some(pair.target));
        let shin = side.and_then(|s| s.shin);
        let above = self.target.skeleton().ancestors(pair.target).skip(1);
        shin.into_iter().chain(above).find_map(|target| {
            let source = self.map.source_of(target).filter(|&source| source != pair.source)?;
            Some(JointPair { source, target })
        })
    }

    fn hierarchy(&self, pair: JointPair, parent: Option<JointPair>) -> f32 {
        let Some(parent) = parent else { return 1.0 };
        let is_foot = |s: &crate::retarget::anatomy::Limbs| {
            s.foot == Some(pair.source) && s.shin == Some(parent.source)
        };
        let below = self.source.skeleton().is_within(pair.source, parent.source);
        if below || self.source.anatomy.sides.iter().any(is_foot) { 1.0 } else { 0.4 }
    }

    fn name_evidence(&self, pair: JointPair) -> f32 {
        let [from, to] = [&self.names[0][pair.source.index()], &self.names[1][pair.target.index()]];
        let is_pelvis = self.source.anatomy.pelvis == Some(pair.source)
            && self.target.anatomy.pelvis == Some(pair.target);
        match (from.part, to.part) {
            (Some(a), Some(b)) if a.can_be(b) || is_arm_in_a_row(from, b) || is_arm_in_a_row(to, a) => 1.0,
            (Some(_), Some(_)) => 0.5,
            _ if is_pelvis || !from.key.is_empty() && from.key == to.key => 1.0,
            // Found by its place in the body alone.
            _ => 0.75,
        }
    }

    fn side(&self, pair: JointPair) -> f32 {
        let sides =
            [&self.names[0][pair.source.index()], &self.names[1][pair.target.index()]].map(|n| n.side);
        if let [Some(a), Some(b)] = sides {
            return if a == b { 1.0 } else { 0.2 };
        }
        let off = |body: &Body<'_>, joint: JointId, size: f32| {
            let center = body.anatomy.pelvis.map_or(Vec3::ZERO, |p| body.at(p));
            (body.at(joint) - center).dot(body.stance.left) / size
        };
        let from = off(self.source, pair.source, self.sizes[0]);
        let to = off(self.target, pair.target, self.sizes[1]);
        if from.abs().min(to.abs()) > 0.05 && from * to < 0.0 { 0.3 } else { 1.0 }
    }

    fn stance(&self, pair: JointPair, rule: PartRule) -> f32 {
        let side = |body: &Body<'_>, joint: JointId| {
            body.anatomy.sides.iter().position(|s| s.single().contains(&Some(joint)))
        };
        match rule.stance {
            StanceRule::Any => 1.0,
            StanceRule::Torso => falling(self.torso_degrees, LEVEL_TORSO[0], LEVEL_TORSO[1]),
            StanceRule::Arm => match (side(self.source, pair.source), side(self.target, pair.target)) {
                (Some(from), Some(to)) if self.stands[0][from] != self.stands[1][to] => FLOOR,
                _ => 1.0,
            },
        }
    }
}

/// 1 up to `sure`, [`FLOOR`] from `never`, falling in between.
fn falling(value: f32, sure: f32, never: f32) -> f32 {
    1.0 - (1.0 - FLOOR) * ((value - sure) / (never - sure)).clamp(0.0, 1.0)
}

/// True if the name only says that the joint is in an arm.
fn is_arm_in_a_row(name: &ParsedName, part: BodyPart) -> bool {
    matches!(name.key.as_str(), "arm" | "frontleg" | "foreleg")
        && matches!(part, BodyPart::UpperArm | BodyPart::Forearm)
}

/// The parsed names of the joints. The bones of a humanoid have no need for them.
fn names(body: &Body<'_>) -> Vec<ParsedName> {
    let style = NameStyle::of(body.skeleton());
    let humanoid = body.character.humanoid();
    let one = |joint: JointId| {
        let mut name = ParsedName::with_style(body.skeleton().name(joint), &style);
        if let Some(bone) = humanoid.and_then(|h| h.bone(joint)) {
            (name.part, name.side) = (Some(BodyPart::of_bone(bone)), bone.side());
        }
        name
    };
    body.skeleton().joints().map(one).collect()
}

/// The bone from one joint to another in body axes.
fn bone(body: &Body<'_>, from: JointId, to: JointId) -> Vec3 {
    body.stance.model_from_body.conjugate() * (body.at(to) - body.at(from))
}

/// The length of a leg and the torso.
fn body_size(body: &Body<'_>) -> Option<f32> {
    let top = body.anatomy.head.or(body.anatomy.chest())?;
    let torso = body.at(top).distance(body.at(body.anatomy.pelvis?));
    Some(body.stance.leg_length? + torso).filter(|size| *size > 0.0)
}

/// The diagonal of the box around all joints.
fn extent(body: &Body<'_>) -> f32 {
    let at = body.skeleton().joints().map(|j| body.at(j));
    let (low, high) = at.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    (high - low).length().max(f32::MIN_POSITIVE)
}

/// The angle between the torsos of two bodies, in degrees; 0 if one has none.
fn torso_degrees(source: &Body<'_>, target: &Body<'_>) -> f32 {
    let torso = |body: &Body<'_>| {
        let top = body.anatomy.chest().or(body.anatomy.neck.first().copied()).or(body.anatomy.head)?;
        bone(body, body.anatomy.pelvis?, top).try_normalize()
    };
    match (torso(source), torso(target)) {
        (Some(from), Some(to)) => from.angle_between(to).to_degrees(),
        _ => 0.0,
    }
}

/// True if the arm stands on the ground: its hand is there, or the lowest vertex of an arm without a hand.
fn hand_stands(body: &Body<'_>, side: BodySide) -> bool {
    let limbs = body.anatomy.side(side);
    let (Some(arm), Some(thigh)) = (limbs.forearm.or(limbs.upper_arm), limbs.thigh) else { return false };
    let (skeleton, up) = (body.skeleton(), body.stance.up);
    let height = |joint: JointId| body.at(joint).dot(up);
    // The vertices of a hand may be those of a tool that it holds.
    let lowest = limbs
        .hand
        .map(height)
        .or_else(|| SkinPoints::of(body.character, |j| skeleton.is_within(j, arm)).lowest(&body.rest, up));
    let ground = body.stance.lowest_foot;
    let hips = height(thigh) - ground;
    hips > 0.0 && lowest.is_some_and(|low| low - ground < STANDING_HAND * hips)
}

fn rules(body: &Body<'_>) -> Vec<PartRule> {
    let mut rules = vec![PartRule::OTHER; body.skeleton().len()];
    let mut set = |joints: &[JointId], rule: PartRule| {
        joints.iter().for_each(|j| rules[j.index()] = rule);
    };
    let anatomy = &body.anatomy;
    set(anatomy.pelvis.as_slice(), PartRule::PELVIS);
    for torso in [&anatomy.spine[..], &anatomy.neck[..], anatomy.head.as_slice()] {
        set(torso, PartRule::TORSO);
    }
    for limbs in &anatomy.sides {
        limbs.fingers.iter().for_each(|finger| set(finger, PartRule::LOOSE));
        for arm in [limbs.upper_arm, limbs.forearm, limbs.hand] {
            set(arm.as_slice(), PartRule::ARM);
        }
        set(limbs.clavicle.as_slice(), PartRule { has_length: false, ..PartRule::ARM });
        set(limbs.thigh.as_slice(), PartRule::LOOSE);
        for leg in [limbs.shin, limbs.foot] {
            set(leg.as_slice(), PartRule::LEG);
        }
        set(limbs.toes.as_slice(), PartRule::TOES);
        set(limbs.eye.as_slice(), PartRule::LOOSE);
    }
    rules
}
