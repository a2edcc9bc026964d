//! How much a joint map can be trusted.

mod evidence;

pub use evidence::PairEvidence;

use super::{
    RetargetError,
    anatomy::{Anatomy, Limbs},
    body::Body,
    map::{JointMap, JointPair},
};
use evidence::Evidence;
use sinew::{Character, JointId};

/// Maps below this confidence are [`MapVerdict::Poor`].
///
/// Human motions on upright characters with two arms and two legs have more, whatever their rigs and proportions.
pub const POOR_MAP: f32 = 0.7;
/// Maps below this confidence are [`MapVerdict::Hopeless`].
///
/// That is what remains if one of torso, arms and legs does not match at all: the cube root of 0.1 is 0.46.
pub const HOPELESS_MAP: f32 = 0.45;
/// Pairs below this confidence are listed as doubtful.
pub const DOUBTFUL_PAIR: f32 = 0.5;
/// A region that does not match at all lowers the whole, but does not hide what the others say.
const REGION_FLOOR: f32 = 0.05;
/// The confidence in a part that the target does not have: motion is lost, but none is wrong.
const LOST_PART: f32 = 0.25;

/// What a map is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapVerdict {
    /// The bodies match in all parts.
    Good,
    /// Parts of the motion are lost or look wrong.
    Poor,
    /// The bodies are different: the result makes no sense.
    Hopeless,
}

impl MapVerdict {
    /// The word for reports: `good`, `poor` or `hopeless`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Poor => "poor",
            Self::Hopeless => "hopeless",
        }
    }
}

/// A part of the body whose pairs are judged together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRegion {
    /// Pelvis, spine, neck and head.
    Torso,
    /// Both arms with clavicles and hands.
    Arms,
    /// Both legs with feet.
    Legs,
    /// All joints of a skeleton in which no body was found.
    Whole,
}

impl BodyRegion {
    /// The word for reports: `torso`, `arms`, `legs` or `whole`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Torso => "torso",
            Self::Arms => "arms",
            Self::Legs => "legs",
            Self::Whole => "whole",
        }
    }
}

/// The confidence in one pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairConfidence {
    /// The source joint and the target joint.
    pub pair: JointPair,
    /// Their names, source first.
    pub names: [String; 2],
    /// From 0 (certainly wrong) to 1 (certainly right): the product of the evidence.
    pub confidence: f32,
    /// What speaks for and against the pair.
    pub evidence: PairEvidence,
}

impl PairConfidence {
    /// What speaks against the pair most, as a sentence; `None` if nothing does.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        self.evidence.doubt(&self.names)
    }
}

/// The confidence in one part of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionConfidence {
    /// The part of the body.
    pub region: BodyRegion,
    /// The mean over the parts that the source has, weighted by how much of the motion they show. Parts without a pair count
    /// as 0.25.
    pub confidence: f32,
}

/// The confidence in a joint map, from names, hierarchy, sides and rest poses.
#[derive(Clone, Debug, PartialEq)]
pub struct MapConfidence {
    /// One entry per pair, in the order of the map.
    pub pairs: Vec<PairConfidence>,
    /// The parts of the source's body.
    pub regions: Vec<RegionConfidence>,
    /// The geometric mean of the regions, so that one that does not match is not outvoted.
    pub overall: f32,
}

impl MapConfidence {
    /// Judges every pair of `map`.
    ///
    /// # Panics
    /// If the map does not fit the skeletons.
    #[must_use]
    pub fn of(map: &JointMap, source: &Character, target: &Character) -> Self {
        let (from, to) = (Body::new(source), Body::new(target));
        Self::between(map, &from, &to)
    }

    pub(super) fn between(map: &JointMap, source: &Body<'_>, target: &Body<'_>) -> Self {
        let evidence = Evidence::new(map, source, target);
        let pairs: Vec<PairConfidence> = map
            .pairs()
            .iter()
            .map(|&pair| {
                let evidence = evidence.of(pair);
                let names = [source.skeleton().name(pair.source), target.skeleton().name(pair.target)];
                PairConfidence {
                    pair,
                    names: names.map(str::to_owned),
                    confidence: evidence.product(),
                    evidence,
                }
            })
            .collect();
        let regions = regions(&source.anatomy, &target.anatomy, &pairs);
        let regions = if regions.is_empty() { whole(source, &pairs) } else { regions };
        let logs: f32 = regions.iter().map(|r| r.confidence.max(REGION_FLOOR).ln()).sum();
        let overall = if pairs.is_empty() { 0.0 } else { (logs / regions.len().max(1) as f32).exp() };
        Self { pairs, regions, overall }
    }

    /// What the map is good for.
    #[must_use]
    pub fn verdict(&self) -> MapVerdict {
        match self.overall {
            overall if overall >= POOR_MAP => MapVerdict::Good,
            overall if overall >= HOPELESS_MAP => MapVerdict::Poor,
            _ => MapVerdict::Hopeless,
        }
    }

    /// The pairs below [`DOUBTFUL_PAIR`], the worst first.
    #[must_use]
    pub fn doubtful(&self) -> Vec<&PairConfidence> {
        let mut out: Vec<&PairConfidence> =
            self.pairs.iter().filter(|pair| pair.confidence < DOUBTFUL_PAIR).collect();
        out.sort_by(|a, b| a.confidence.total_cmp(&b.confidence));
        out
    }

    /// Refuses hopeless maps.
    ///
    /// # Errors
    /// If the verdict is [`MapVerdict::Hopeless`]; the error says what does not match.
    pub fn accept(&self) -> Result<(), RetargetError> {
        if self.pairs.is_empty() {
            return Err(RetargetError::NothingMapped);
        }
        if self.verdict() != MapVerdict::Hopeless {
            return Ok(());
        }
        Err(RetargetError::HopelessMap { percent: (self.overall * 100.0).round(), reasons: self.reasons() })
    }

    /// The regions and the worst pairs as text.
    fn reasons(&self) -> String {
        let region = |r: &RegionConfidence| format!("{} {:.0} %", r.region.name(), r.confidence * 100.0);
        let regions: Vec<String> = self.regions.iter().map(region).collect();
        let mut seen = Vec::new();
        let doubts = self.doubtful().into_iter().filter_map(|pair| {
            // One example per kind of doubt says more than the same doubt of every joint.
            let kind = pair.evidence.weakest()?;
            (!seen.contains(&kind)).then(|| seen.push(kind))?;
            pair.doubt()
        });
        let doubts: Vec<String> = doubts.collect();
        std::iter::once(regions.join(", ")).chain(doubts).collect::<Vec<_>>().join("; ")
    }
}

/// The confidence in each region of the source's body.
fn regions(source: &Anatomy, target: &Anatomy, pairs: &[PairConfidence]) -> Vec<RegionConfidence> {
    let mut out = Vec::new();
    let mut add = |region, tally: RegionTally| {
        out.extend(tally.mean().map(|confidence| RegionConfidence { region, confidence }));
    };
    let (mut legs, mut arms) = (RegionTally::default(), RegionTally::default());
    for (from, to) in source.sides.iter().zip(&target.sides) {
        for ((from, to), weight) in leg(from).into_iter().zip(leg(to)).zip([1.0, 1.0, 0.5]) {
            legs.part(pairs, from.as_slice(), to.as_slice(), weight);
        }
        for ((from, to), weight) in arm(from).into_iter().zip(arm(to)).zip([0.25, 1.0, 1.0, 0.5]) {
            arms.part(pairs, from.as_slice(), to.as_slice(), weight);
        }
    }
    let has_limbs = legs.weight > 0.0 || arms.weight > 0.0;
    let mut torso = RegionTally::default();
    if has_limbs {
        torso.part(pairs, source.pelvis.as_slice(), target.pelvis.as_slice(), 1.0);
        torso.part(pairs, &source.spine, &target.spine, 1.0);
        torso.part(pairs, &source.neck, &target.neck, 0.25);
        torso.part(pairs, source.head.as_slice(), target.head.as_slice(), 0.5);
    }
    add(BodyRegion::Torso, torso);
    add(BodyRegion::Arms, arms);
    add(BodyRegion::Legs, legs);
    out
}

fn leg(limbs: &Limbs) -> [Option<JointId>; 3] {
    [limbs.thigh, limbs.shin, limbs.foot]
}

fn arm(limbs: &Limbs) -> [Option<JointId>; 4] {
    [limbs.clavicle, limbs.upper_arm, limbs.forearm, limbs.hand]
}

/// A weighted mean of the parts of one region.
#[derive(Clone, Copy, Debug, Default)]
struct RegionTally {
    sum: f32,
    weight: f32,
}

impl RegionTally {
    /// Adds a part that the source has. A chain of several joints counts once: bodies have spines of any length.
    fn part(&mut self, pairs: &[PairConfidence], source: &[JointId], target: &[JointId], weight: f32) {
        // A neck or a clavicle that the target does not have is part of what is next to it.
        if source.is_empty() || target.is_empty() && weight < 0.5 {
            return;
        }
        let mapped = pairs.iter().filter(|p| target.contains(&p.pair.target));
        let (sum, count) = mapped.fold((0.0, 0), |(sum, count), p| (sum + p.confidence, count + 1));
        self.sum += weight * if count > 0 { sum / count as f32 } else { LOST_PART };
        self.weight += weight;
    }

    fn mean(self) -> Option<f32> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

/// The confidence in a map from a skeleton without a body: the part of its bones that is mapped, and how well.
fn whole(source: &Body<'_>, pairs: &[PairConfidence]) -> Vec<RegionConfidence> {
    let skeleton = source.skeleton();
    let mut tally = RegionTally::default();
    for joint in skeleton.joints() {
        let bones = skeleton.children(joint).map(|child| source.at(child).distance(source.at(joint)));
        let weight: f32 = bones.sum();
        let best = pairs.iter().filter(|p| p.pair.source == joint).map(|p| p.confidence).reduce(f32::max);
        tally.sum += weight * best.unwrap_or(0.0);
        tally.weight += weight;
    }
    let mean = || {
        let sum: f32 = pairs.iter().map(|p| p.confidence).sum();
        sum / pairs.len().max(1) as f32
    };
    let confidence = tally.mean().filter(|c| c.is_finite()).unwrap_or_else(mean);
    vec![RegionConfidence { region: BodyRegion::Whole, confidence }]
}
