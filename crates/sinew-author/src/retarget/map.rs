//! Joint maps between two skeletons.

mod text;

pub use text::JointMapError;

use super::{
    anatomy::Anatomy,
    name::{NameStyle, ParsedName},
};
use sinew::{Character, JointId, Skeleton};
use std::collections::HashMap;

/// A source joint and the target joint that it drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JointPair {
    /// The joint in the skeleton that the motion comes from.
    pub source: JointId,
    /// The joint in the skeleton that receives the motion.
    pub target: JointId,
}

/// Which joints of a source drive which joints of a target. A source joint may drive several; a target joint is driven by at
/// most one.
///
/// [`JointMap::guess`] finds most pairs, [`JointMap::to_text`] writes them for manual editing, [`JointMap::parse`] reads them
/// back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JointMap {
    /// The pairs, in the order of the target's joints.
    pairs: Vec<JointPair>,
}

impl JointMap {
    /// Pairs the body parts of two characters: those that their humanoids name; by name, in the spellings of common rigs, using
    /// the hierarchy to resolve ambiguous words; by shape if names do not help; and finally by names that are equal up to case
    /// and separators.
    ///
    /// [`MapConfidence`](super::MapConfidence) tells how much the guess can be trusted.
    #[must_use]
    pub fn guess(source: &Character, target: &Character) -> Self {
        let mut draft = JointMapDraft::new(source.skeleton(), target.skeleton());
        draft.bodies(&Anatomy::of_character(source), &Anatomy::of_character(target));
        draft.equal_names();
        draft.done()
    }

    /// A map of `pairs`, given in any order.
    ///
    /// # Errors
    /// If a joint is not in its skeleton, or a target appears twice. The line of the error is the position in `pairs`, from 1.
    pub fn new(
        source: &Skeleton,
        target: &Skeleton,
        pairs: impl IntoIterator<Item = JointPair>,
    ) -> Result<Self, JointMapError> {
        let mut first_line: HashMap<JointId, usize> = HashMap::new();
        let mut out: Vec<JointPair> = Vec::new();
        for (at, pair) in pairs.into_iter().enumerate() {
            let line = at + 1;
            for (joint, skeleton, which) in [(pair.source, source, "source"), (pair.target, target, "target")]
            {
                if joint.index() >= skeleton.len() {
                    let name = format!("#{}", joint.0);
                    return Err(JointMapError::NoSuchJoint { line, which, name, like: None });
                }
            }
            if let Some(&first) = first_line.get(&pair.target) {
                let name = target.name(pair.target).to_owned();
                return Err(JointMapError::TargetTwice { line, name, first });
            }
            first_line.insert(pair.target, line);
            out.push(pair);
        }
        out.sort_by_key(|p| p.target);
        Ok(Self { pairs: out })
    }

    /// All pairs, in the order of the target's joints.
    #[must_use]
    pub fn pairs(&self) -> &[JointPair] {
        &self.pairs
    }

    /// The source joint that drives `target`.
    #[must_use]
    pub fn source_of(&self, target: JointId) -> Option<JointId> {
        let at = self.pairs.binary_search_by_key(&target, |p| p.target).ok()?;
        Some(self.pairs[at].source)
    }

    /// The same pairs with other target numbers.
    pub(super) fn with_targets(&self, new_of: impl Fn(JointId) -> JointId) -> Self {
        let pair = |p: &JointPair| JointPair { source: p.source, target: new_of(p.target) };
        let mut pairs: Vec<JointPair> = self.pairs.iter().map(pair).collect();
        pairs.sort_by_key(|p| p.target);
        Self { pairs }
    }

    /// True if `source` drives a joint.
    #[must_use]
    pub fn moves(&self, source: JointId) -> bool {
        self.pairs.iter().any(|p| p.source == source)
    }
}

/// A joint map under construction.
struct JointMapDraft<'a> {
    source: &'a Skeleton,
    target: &'a Skeleton,
    source_of: Vec<Option<JointId>>,
    is_used: Vec<bool>,
}

impl<'a> JointMapDraft<'a> {
    fn new(source: &'a Skeleton, target: &'a Skeleton) -> Self {
        Self { source, target, source_of: vec![None; target.len()], is_used: vec![false; source.len()] }
    }

    /// Pairs two joints if both are free.
    fn pair(&mut self, source: Option<JointId>, target: Option<JointId>) {
        let (Some(source), Some(target)) = (source, target) else { return };
        let place = &mut self.source_of[target.index()];
        if place.is_none() && !self.is_used[source.index()] {
            *place = Some(source);
            self.is_used[source.index()] = true;
        }
    }

    fn bodies(&mut self, source: &Anatomy, target: &Anatomy) {
        self.pair(source.pelvis, target.pelvis);
        self.pair(source.head, target.head);
        self.pair(source.jaw, target.jaw);
        self.chains(&source.spine, &target.spine);
        self.chains(&source.neck, &target.neck);
        for (from, to) in source.sides.iter().zip(&target.sides) {
            for (from, to) in from.single().into_iter().zip(to.single()) {
                self.pair(from, to);
            }
            for (from, to) in from.fingers.iter().zip(&to.fingers) {
                for (&from, &to) in from.iter().zip(to) {
                    self.pair(Some(from), Some(to));
                }
            }
            self.follow_fingers(&from.fingers, &to.fingers);
        }
    }

    /// Fingers that the source does not have follow the one next to them, as ring and little finger do in hands with three
    /// fingers. Thumbs follow nothing.
    fn follow_fingers(&mut self, source: &[Vec<JointId>; 5], target: &[Vec<JointId>; 5]) {
        for (at, to) in target.iter().enumerate().skip(1).filter(|(at, _)| source[*at].is_empty()) {
            let near = (1..5).filter(|&f| !source[f].is_empty()).min_by_key(|&f| f.abs_diff(at));
            let Some(near) = near else { continue };
            for (&from, &to) in source[near].iter().zip(to) {
                self.source_of[to.index()].get_or_insert(from);
            }
        }
    }

    /// Pairs chains of any lengths so that their ends match.
    fn chains(&mut self, source: &[JointId], target: &[JointId]) {
        let (from, to) = (source.len(), target.len());
        for (at, &joint) in target.iter().enumerate() {
            let part = ((at + 1) * from * 2 + to) / (to * 2);
            self.pair(source.get(part.max(1) - 1).copied(), Some(joint));
        }
    }

    fn equal_names(&mut self) {
        let styles = [self.source, self.target].map(NameStyle::of);
        let key = |skeleton: &Skeleton, style: &NameStyle, joint: JointId| {
            let name = ParsedName::with_style(skeleton.name(joint), style);
            (!name.key.is_empty()).then_some((name.key, name.side, name.number))
        };
        let mut free = HashMap::new();
        for joint in self.source.joints().filter(|j| !self.is_used[j.index()]) {
            if let Some(key) = key(self.source, &styles[0], joint) {
                // A name that several joints have is ambiguous.
                free.entry(key).and_modify(|j| *j = None).or_insert(Some(joint));
            }
        }
        for joint in self.target.joints() {
            if self.source_of[joint.index()].is_none()
                && let Some(source) =
                    key(self.target, &styles[1], joint).and_then(|k| free.get(&k).copied().flatten())
            {
                self.pair(Some(source), Some(joint));
            }
        }
    }

    fn done(self) -> JointMap {
        let pairs = self.target.joints().zip(self.source_of);
        let pairs = pairs.filter_map(|(target, source)| Some(JointPair { source: source?, target }));
        JointMap { pairs: pairs.collect() }
    }
}

#[cfg(test)]
mod tests;
