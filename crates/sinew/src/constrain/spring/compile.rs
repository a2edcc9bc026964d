//! Checks a definition against a skeleton and lays it out for evaluation.

use super::{
    NodeParent, SpringError, SpringNode, SpringPair, SpringTail, Springs,
    anchors::Anchor,
    collide::{ColliderSpace, PlacedCollider},
    definition::{ColliderShape, SpringChain, SpringCollider, SpringJoint, SpringLimitShape, SpringParts},
    limit::PlacedLimit,
    order::{nearest_swinging, ordered},
    rank::{RankedNodes, ranked},
};
use crate::{
    asset::skeleton::{JointId, ScaleInheritance, Skeleton},
    constrain::unit,
    range::InRange as _,
};
use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

/// The largest number of collision tests per step, and of joints between the ends of bones.
const MAX_WORK: usize = 1 << 22;

impl Springs {
    /// Checks `parts` against `skeleton`.
    ///
    /// # Errors
    /// If a joint, group or collider does not exist, a chain has nothing that swings, a joint is not below the one before
    /// it or swings twice, a number is out of its range, or a step would need more than four million collision tests.
    pub fn new(skeleton: &Skeleton, parts: &SpringParts) -> Result<Self, SpringError> {
        check_colliders(skeleton, parts)?;
        let heads = check_chains(skeleton, parts)?;
        let mut layout = SpringLayout::new(skeleton, parts, &heads);
        let tested = tested_colliders(parts);
        let pairs = layout.pairs(&heads, &tested.of_chain)?;
        let (nodes, colliders) = layout.nodes(&pairs);
        let RankedNodes { nodes, pairs, groups } = ranked(nodes, pairs, &tested.colliders, colliders.len());
        let centers: BTreeSet<u32> = pairs.iter().filter_map(|pair| pair.center).collect();
        Ok(Self {
            pairs: pairs.into(),
            nodes: nodes.into(),
            groups: groups.into(),
            centers: centers.into_iter().collect(),
            anchors: layout.anchors.into(),
            colliders,
            tested: tested.colliders.into(),
            joint_count: skeleton.len(),
        })
    }
}

/// The chain and the place in it of each joint that swings.
type Heads = HashMap<JointId, (usize, usize)>;

fn number(
    place: impl Fn() -> String,
    what: &'static str,
    value: f32,
    range: &'static str,
    is_good: bool,
) -> Result<(), SpringError> {
    if value.is_in_range() && is_good {
        return Ok(());
    }
    Err(SpringError::BadNumber { place: place(), what, range, value })
}

fn known(skeleton: &Skeleton, place: impl Fn() -> String, joint: JointId) -> Result<(), SpringError> {
    let joints = skeleton.len();
    if joint.index() < joints {
        return Ok(());
    }
    Err(SpringError::NoSuchJoint { place: place(), joint, joints })
}

impl SpringCollider {
    /// Checks the collider alone, which is called `index` in the error.
    ///
    /// # Errors
    /// If the joint does not exist or a number is out of its range.
    pub fn check(&self, skeleton: &Skeleton, index: usize) -> Result<(), SpringError> {
        let place = || format!("spring collider {index}");
        known(skeleton, place, self.joint)?;
        let vector = |what, v: glam::Vec3| {
            v.to_array().into_iter().try_for_each(|x| number(place, what, x, "finite", true))
        };
        let radius = |r: f32| number(place, "the radius", r, "finite and at least 0", r >= 0.0);
        match self.shape {
            ColliderShape::Sphere { center, radius: r, .. } => vector("the center", center).and(radius(r)),
            ColliderShape::Capsule { start, end, radius: r, .. } => {
                vector("the start", start).and(vector("the end", end)).and(radius(r))
            }
            ColliderShape::Plane { point, normal } => {
                vector("the point", point).and(vector("the normal", normal))?;
                let length = normal.length();
                number(place, "the length of the normal", length, "positive", unit(normal).is_some())
            }
        }
    }
}

fn check_colliders(skeleton: &Skeleton, parts: &SpringParts) -> Result<(), SpringError> {
    parts.colliders.iter().enumerate().try_for_each(|(index, collider)| collider.check(skeleton, index))?;
    for (index, group) in parts.collider_groups.iter().enumerate() {
        let count = parts.colliders.len();
        if let Some(&index_of) = group.colliders.iter().find(|&&c| c >= count) {
            let place = format!("spring collider group {index}");
            return Err(SpringError::Missing { place, kind: "collider", index: index_of, count });
        }
    }
    Ok(())
}

fn check_chains(skeleton: &Skeleton, parts: &SpringParts) -> Result<Heads, SpringError> {
    let mut heads = Heads::new();
    let mut tests = 0_usize;
    for (index, chain) in parts.chains.iter().enumerate() {
        chain.check(skeleton, index)?;
        let count = parts.collider_groups.len();
        if let Some(&group) = chain.collider_groups.iter().find(|&&g| g >= count) {
            let place = format!("spring chain {index}");
            return Err(SpringError::Missing { place, kind: "collider group", index: group, count });
        }
        let colliders = chain.collider_groups.iter().map(|&g| parts.collider_groups[g].colliders.len());
        let colliders = colliders.fold(0_usize, usize::saturating_add);
        tests = tests.saturating_add(colliders.saturating_mul(chain.swinging().len()));
        if tests > MAX_WORK {
            return Err(SpringError::TooMuch { what: "collision tests", count: tests, limit: MAX_WORK });
        }
        for (at, joint) in chain.swinging().iter().enumerate() {
            if let Some((first, _)) = heads.insert(joint.joint, (index, at)) {
                return Err(SpringError::SwingsTwice { joint: joint.joint, first, second: index });
            }
        }
    }
    Ok(heads)
}

impl SpringChain {
    /// Checks the chain alone, without its groups of colliders; it is called `index` in the error.
    ///
    /// # Errors
    /// If a joint does not exist or is not below the one before it, nothing swings, or a number is out of its range.
    pub fn check(&self, skeleton: &Skeleton, index: usize) -> Result<(), SpringError> {
        check_chain(skeleton, index, self)
    }
}

fn check_chain(skeleton: &Skeleton, index: usize, chain: &SpringChain) -> Result<(), SpringError> {
    let place = || format!("spring chain {index}");
    if chain.swinging().is_empty() {
        return Err(SpringError::TooShort { chain: index, joints: chain.joints.len() });
    }
    let joints = chain.joints.iter().map(|joint| joint.joint);
    joints.clone().chain(chain.center).try_for_each(|joint| known(skeleton, place, joint))?;
    for (above, joint) in joints.clone().zip(joints.skip(1)) {
        if joint == above || !skeleton.is_within(joint, above) {
            return Err(SpringError::NotBelow { chain: index, joint, above });
        }
    }
    for x in chain.tip.into_iter().flat_map(|tip| tip.to_array()) {
        number(place, "the tip", x, "finite", true)?;
    }
    chain.joints.iter().enumerate().try_for_each(|(at, joint)| check_joint(index, at, joint))
}

fn check_joint(chain: usize, at: usize, joint: &SpringJoint) -> Result<(), SpringError> {
    let place = || format!("spring chain {chain}, joint {at}");
    let SpringJoint { stiffness, gravity_power, gravity_direction, drag, radius, limit, .. } = *joint;
    number(place, "the stiffness", stiffness, "finite and at least 0", stiffness >= 0.0)?;
    number(place, "the power of gravity", gravity_power, "finite", true)?;
    for x in (gravity_direction * gravity_power).to_array().into_iter().chain(gravity_direction.to_array()) {
        number(place, "gravity", x, "finite", true)?;
    }
    number(place, "the drag", drag, "from 0 to 1", (0.0..=1.0).contains(&drag))?;
    number(place, "the radius", radius, "finite and at least 0", radius >= 0.0)?;
    let Some(limit) = limit else { return Ok(()) };
    let length = limit.rotation.length();
    number(place, "the length of the limit's rotation", length, "1", (length - 1.0).abs() < 1e-2)?;
    let angles = match limit.shape {
        SpringLimitShape::Cone { angle_radians } | SpringLimitShape::Hinge { angle_radians } => {
            [angle_radians, 0.0]
        }
        SpringLimitShape::Spherical { pitch_radians, yaw_radians } => [pitch_radians, yaw_radians],
    };
    angles
        .iter()
        .try_for_each(|&a| number(place, "an angle of the limit", a, "finite and at least 0", a >= 0.0))
}

/// The colliders of all chains in one list, with the range of each chain. Chains with the same colliders share a range.
struct TestedColliders {
    colliders: Vec<u32>,
    of_chain: Vec<Range<u32>>,
}

fn tested_colliders(parts: &SpringParts) -> TestedColliders {
    let (mut colliders, mut of_chain) = (Vec::new(), Vec::with_capacity(parts.chains.len()));
    let mut known: HashMap<Vec<u32>, Range<u32>> = HashMap::new();
    for chain in &parts.chains {
        let groups = chain.collider_groups.iter().map(|&group| &parts.collider_groups[group]);
        let list: Vec<u32> = groups.flat_map(|group| group.colliders.iter().map(|&c| c as u32)).collect();
        let range = known.entry(list).or_insert_with_key(|list| {
            let start = colliders.len() as u32;
            colliders.extend_from_slice(list);
            start..colliders.len() as u32
        });
        of_chain.push(range.clone());
    }
    TestedColliders { colliders, of_chain }
}

/// What is known while springs are laid out.
struct SpringLayout<'a> {
    skeleton: &'a Skeleton,
    parts: &'a SpringParts,
    /// For each joint, the nearest joint at or above it that swings.
    nearest: Vec<Option<JointId>>,
    /// The joints that swing, in the order of evaluation.
    order: Vec<JointId>,
    anchors: Vec<Anchor>,
    whole: HashMap<JointId, u32>,
}

impl<'a> SpringLayout<'a> {
    fn new(skeleton: &'a Skeleton, parts: &'a SpringParts, heads: &Heads) -> Self {
        let mut swings = vec![false; skeleton.len()];
        heads.keys().for_each(|joint| swings[joint.index()] = true);
        let nearest = nearest_swinging(skeleton, &swings);
        let above = |joint: JointId| skeleton.parent(joint).and_then(|parent| nearest[parent.index()]);
        let carriers: Vec<Vec<JointId>> = parts.chains.iter().map(|c| carriers(parts, c, &nearest)).collect();
        let listed = parts.chains.iter().flat_map(SpringChain::swinging).map(|joint| joint.joint);
        let listed: Vec<JointId> = listed.collect();
        let order = ordered(&listed, skeleton.len(), above, |joint, out| {
            if let Some(&(chain, _)) = heads.get(&joint) {
                out.extend_from_slice(&carriers[chain]);
            }
        });
        Self { skeleton, parts, nearest, order, anchors: Vec::new(), whole: HashMap::new() }
    }

    /// The anchor that is the whole matrix of a joint.
    fn whole(&mut self, joint: JointId) -> u32 {
        let anchors = &mut self.anchors;
        *self.whole.entry(joint).or_insert_with(|| {
            anchors.push(Anchor::Whole(joint));
            anchors.len() as u32 - 1
        })
    }

    /// The pairs in the order of evaluation, without bones that have no length.
    fn pairs(&mut self, heads: &Heads, tested: &[Range<u32>]) -> Result<Vec<SpringPair>, SpringError> {
        let (parts, skeleton) = (self.parts, self.skeleton);
        let mut pairs = Vec::with_capacity(self.order.len());
        let mut walked = 0;
        for joint in self.order.clone() {
            let (chain_index, at) = heads[&joint];
            let chain = &parts.chains[chain_index];
            let of = &chain.joints[at];
            let tail = match (chain.joints.get(at + 1), chain.tip) {
                (Some(next), _) => SpringTail::Joints(path(skeleton, joint, next.joint, &mut walked)?),
                (None, tip) => SpringTail::Point(tip.unwrap_or_default()),
            };
            let Some(axis) = unit(tail.in_joint(skeleton.rest_transforms())) else { continue };
            pairs.push(SpringPair {
                joint,
                rest: skeleton.rest(joint).rotation,
                axis,
                tail,
                stiffness: of.stiffness,
                gravity: of.gravity_direction * of.gravity_power,
                inertia: 1.0 - of.drag,
                radius: of.radius,
                limit: of.limit.map(|limit| PlacedLimit::new(&limit, axis)),
                center: chain.center.map(|center| self.whole(center)),
                colliders: tested[chain_index].clone(),
            });
        }
        Ok(pairs)
    }

    /// The nodes in the order of evaluation, and the colliders with their spaces.
    fn nodes(&mut self, pairs: &[SpringPair]) -> (Vec<SpringNode>, Box<[PlacedCollider]>) {
        let pair_of: HashMap<JointId, u32> =
            pairs.iter().zip(0..).map(|(pair, at)| (pair.joint, at)).collect();
        let mut node_of: HashMap<JointId, u32> = HashMap::new();
        let mut nodes = Vec::new();
        for joint in self.evaluated() {
            let from = self.node_parent(joint, &node_of);
            node_of.insert(joint, nodes.len() as u32);
            nodes.push(SpringNode {
                joint,
                from,
                is_compensated: self.is_compensated(joint),
                pair: pair_of.get(&joint).copied(),
                colliders: Box::default(),
            });
        }
        let (parts, mut carried) = (self.parts, vec![Vec::new(); nodes.len()]);
        let place = |(collider, index): (&SpringCollider, u32)| {
            let space = match node_of.get(&collider.joint) {
                Some(&node) => {
                    carried[node as usize].push(index);
                    ColliderSpace::Node
                }
                None => ColliderSpace::Anchor(self.whole(collider.joint)),
            };
            PlacedCollider { space, shape: collider.shape }
        };
        let colliders = parts.colliders.iter().zip(0..).map(place).collect();
        nodes.iter_mut().zip(carried).for_each(|(node, carried)| node.colliders = carried.into());
        (nodes, colliders)
    }

    /// Every joint whose matrix is needed and moves with springs: those that swing, and those between them and other joints
    /// that swing or carry colliders. Parents come first.
    fn evaluated(&self) -> Vec<JointId> {
        let mut is_needed = vec![false; self.skeleton.len()];
        let carriers = self.parts.colliders.iter().map(|collider| collider.joint);
        for joint in self.order.iter().copied().chain(carriers) {
            let up = self.skeleton.ancestors(joint);
            for one in up.take_while(|one| self.nearest[one.index()].is_some()) {
                if std::mem::replace(&mut is_needed[one.index()], true) {
                    break;
                }
            }
        }
        let mut below: HashMap<JointId, Vec<JointId>> = HashMap::new();
        for joint in self.skeleton.joints().filter(|joint| is_needed[joint.index()]) {
            if let Some(head) = self.nearest[joint.index()] {
                below.entry(head).or_default().push(joint);
            }
        }
        self.order.iter().filter_map(|head| below.remove(head)).flatten().collect()
    }

    fn node_parent(&mut self, joint: JointId, node_of: &HashMap<JointId, u32>) -> NodeParent {
        let parent = self.skeleton.parent(joint);
        if let Some(&node) = parent.and_then(|parent| node_of.get(&parent)) {
            return NodeParent::Node(node);
        }
        self.anchors.push(Anchor::Frame { joint, parent, is_compensated: self.is_compensated(joint) });
        NodeParent::Anchor(self.anchors.len() as u32 - 1)
    }

    fn is_compensated(&self, joint: JointId) -> bool {
        self.skeleton.scale_inheritance(joint) == ScaleInheritance::Compensated
    }
}

/// The joints that swing and carry colliders of a chain, each once.
fn carriers(parts: &SpringParts, chain: &SpringChain, nearest: &[Option<JointId>]) -> Vec<JointId> {
    let colliders = chain.collider_groups.iter().flat_map(|&group| &parts.collider_groups[group].colliders);
    let mut carriers: Vec<JointId> =
        colliders.filter_map(|&collider| nearest[parts.colliders[collider].joint.index()]).collect();
    carriers.sort_unstable();
    carriers.dedup();
    carriers
}

/// The joints below `above`, down to its descendant `joint`. `walked` counts them over all bones.
fn path(
    skeleton: &Skeleton,
    above: JointId,
    joint: JointId,
    walked: &mut usize,
) -> Result<Box<[JointId]>, SpringError> {
    let mut path = Vec::new();
    for one in skeleton.ancestors(joint).take_while(|&one| one != above) {
        *walked += 1;
        if *walked > MAX_WORK {
            let what = "joints between the ends of bones";
            return Err(SpringError::TooMuch { what, count: *walked, limit: MAX_WORK });
        }
        path.push(one);
    }
    path.reverse();
    Ok(path.into())
}
