//! Clips of other files on one character: copied where the joints are the same, retargeted where they are not.
//!
//! ```
//! use sinew_author::merge::{MergeOptions, MergedBy, merge_clip};
//!
//! let (body, other) = (sinew_samples::figure(), sinew_samples::figure());
//! let merged = merge_clip(&body, &other, &other.clips()[0], &MergeOptions::default())?;
//! assert_eq!(merged.by, MergedBy::Names);
//! assert_eq!(merged.clip.channels(), other.clips()[0].channels());
//! # Ok::<(), sinew_author::retarget::RetargetError>(())
//! ```

use crate::retarget::{
    ClipLosses, JointMap, MapConfidence, RetargetError, RetargetOptions, RetargetReport, retarget,
};
use sinew::{Channel, Character, Clip, Curve, JointId, Skeleton};
use std::collections::{BTreeMap, BTreeSet};

/// How clips of other files are brought to a character.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MergeOptions {
    /// How clips of other skeletons are retargeted.
    pub retarget: RetargetOptions,
    /// True to retarget even if the joints hardly match.
    pub force: bool,
}

impl MergeOptions {
    /// The same options with another value of [`MergeOptions::force`].
    #[must_use]
    pub fn with_force(self, force: bool) -> Self {
        Self { force, ..self }
    }
}

/// How a clip came to a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergedBy {
    /// The joints have the same names and rest poses: the keys were copied.
    Names,
    /// The skeletons differ: the motion was retargeted.
    Retargeting,
}

impl MergedBy {
    /// The name, as in JSON: `names` or `retargeting`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Retargeting => "retargeting",
        }
    }
}

/// A clip for a character, and what was lost on the way.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MergedClip {
    /// The clip, whose joints are those of the character.
    pub clip: Clip,
    /// How the clip came to the character.
    pub by: MergedBy,
    /// What the clip moves that its form for the character does not.
    pub losses: ClipLosses,
    /// What retargeting measured, if it was needed.
    pub report: Option<RetargetReport>,
}

/// Brings a clip of `source` to `body`.
///
/// If the joints that it moves have the same names and the same rest poses, its keys are copied as they are. Otherwise its
/// motion is retargeted by the joint map that fits best.
///
/// # Errors
/// If the clip has to be retargeted and the joints do not match well enough, or retargeting fails.
pub fn merge_clip(
    body: &Character,
    source: &Character,
    clip: &Clip,
    options: &MergeOptions,
) -> Result<MergedClip, RetargetError> {
    let names = NameMatch::new(body.skeleton(), source.skeleton(), clip);
    if names.is_same_skeleton() {
        return copied(body, source, clip, &names);
    }
    let map = JointMap::guess(source, body);
    if !options.force {
        MapConfidence::of(&map, source, body).accept()?;
    }
    let (clip, report) = retarget(source, clip, body, &map, &options.retarget)?;
    Ok(MergedClip { clip, by: MergedBy::Retargeting, losses: report.losses.clone(), report: Some(report) })
}

/// The joints that a clip moves, by name in another skeleton.
struct NameMatch {
    found: BTreeMap<JointId, JointId>,
    missing: Vec<JointId>,
    /// The number of joints that are found and rest as in the other skeleton.
    same_rest: usize,
}

impl NameMatch {
    fn new(body: &Skeleton, source: &Skeleton, clip: &Clip) -> Self {
        let by_name = body.joints_by_name();
        let own = source.joints_by_name();
        let mut out = Self { found: BTreeMap::new(), missing: Vec::new(), same_rest: 0 };
        let moved: BTreeSet<JointId> = clip.channels().iter().filter_map(Channel::joint).collect();
        for joint in moved {
            let name = source.name(joint);
            let is_unique = own.get(name).is_some_and(Option::is_some);
            match by_name.get(name).copied().flatten().filter(|_| is_unique) {
                Some(found) => {
                    out.found.insert(joint, found);
                    out.same_rest += usize::from(rests_alike(source, joint, body, found));
                }
                None => out.missing.push(joint),
            }
        }
        out
    }

    /// Keys are relative to the parent, so they can be copied if nearly all joints are there and rest alike. A few may be
    /// missing, such as props, and a few may differ, such as a root that carries the scale of a file.
    fn is_same_skeleton(&self) -> bool {
        const PART: usize = 10;
        let all = self.found.len() + self.missing.len();
        self.missing.len() * PART <= all && (self.found.len() - self.same_rest) * PART <= self.found.len()
    }
}

/// True if two joints have parents of the same name and nearly the same rest transform.
fn rests_alike(a: &Skeleton, joint: JointId, b: &Skeleton, other: JointId) -> bool {
    // Exporters round; a twist of two degrees is visible.
    const RADIANS: f32 = 0.03;
    const LENGTH: f32 = 0.05;
    let (x, y) = (a.rest(joint), b.rest(other));
    let length = x.translation.length().max(y.translation.length());
    let parent =
        |skeleton: &Skeleton, joint: JointId| skeleton.parent(joint).map(|p| skeleton.name(p).to_owned());
    x.rotation.angle_between(y.rotation) <= RADIANS
        && x.translation.distance(y.translation) <= LENGTH * length.max(1e-4)
        && (parent(a, joint) == parent(b, other) || a.parent(joint).is_none() || b.parent(other).is_none())
}

fn copied(
    body: &Character,
    source: &Character,
    clip: &Clip,
    names: &NameMatch,
) -> Result<MergedClip, RetargetError> {
    let mut channels = Vec::with_capacity(clip.channels().len());
    let mut losses = ClipLosses::default();
    for channel in clip.channels() {
        let joint = channel.joint().and_then(|joint| names.found.get(&joint).copied());
        match (channel.clone(), joint) {
            (Channel::Translation { curve, .. }, Some(joint)) => {
                channels.push(Channel::Translation { joint, curve });
            }
            (Channel::Rotation { curve, .. }, Some(joint)) => {
                channels.push(Channel::Rotation { joint, curve });
            }
            (Channel::Scale { curve, .. }, Some(joint)) => channels.push(Channel::Scale { joint, curve }),
            (Channel::Morphs { first_slot, curve }, _) => match morphs(body, source, first_slot, &curve) {
                Some(channel) => channels.push(channel),
                None => losses.morphs += curve.width(),
            },
            (_, None) => {}
        }
    }
    let parts = sinew::ClipParts { channels, ..clip.parts().clone() };
    losses.joints = names.missing.iter().map(|joint| source.skeleton().name(*joint).to_owned()).collect();
    Ok(MergedClip { clip: Clip::from_parts(parts)?, by: MergedBy::Names, losses, report: None })
}

/// A channel of morph weights on the mesh of the same name with the same targets, in any order.
fn morphs(body: &Character, source: &Character, first_slot: usize, curve: &Curve<f32>) -> Option<Channel> {
    let targets = |character: &Character, instance: usize| -> Vec<String> {
        let mesh = character.mesh_of(&character.instances()[instance]);
        mesh.morphs().targets().iter().map(|target| target.name.clone()).collect()
    };
    let is_own = |&instance: &usize| source.morph_slots(instance) == (first_slot..first_slot + curve.width());
    let own = (0..source.instances().len()).find(is_own)?;
    let names = targets(source, own);
    let joint = source.skeleton().name(source.instances()[own].joint);
    let fits = |&instance: &usize| {
        let mut theirs = targets(body, instance);
        let mut ours = names.clone();
        theirs.sort_unstable();
        ours.sort_unstable();
        let is_same_joint = body.skeleton().name(body.instances()[instance].joint) == joint;
        is_same_joint && theirs == ours && !ours.is_empty()
    };
    let other = (0..body.instances().len()).find(fits)?;
    let order: Vec<usize> =
        targets(body, other).iter().filter_map(|name| names.iter().position(|own| own == name)).collect();
    if order.len() != curve.width() {
        return None;
    }
    let rows = curve.elements().chunks_exact(curve.width());
    let values = rows.flat_map(|row| order.iter().map(|&k| row[k])).collect();
    let curve =
        Curve::with_width(curve.width(), curve.times_secs().to_vec(), values, curve.interpolation()).ok()?;
    Some(Channel::Morphs { first_slot: body.morph_slots(other).start, curve })
}

/// A name for a clip of the file `stem` that no other clip has. Names that say nothing, as exporters give them to the only
/// clip of a file, are replaced by the name of the file.
#[must_use]
pub fn merged_name(clip: &str, stem: &str, taken: &BTreeSet<String>) -> String {
    const EMPTY: [&str; 6] = ["", "mixamo.com", "take 001", "animation", "default", "scene"];
    let says_nothing =
        EMPTY.contains(&clip.to_lowercase().as_str()) || clip.to_lowercase().ends_with("|mixamo.com");
    let name = if says_nothing { stem } else { clip };
    let candidates = [name.to_owned(), format!("{stem} {name}")].into_iter();
    let mut numbered = (2..).map(|number| format!("{name} {number}"));
    let free = candidates.into_iter().find(|name| !taken.contains(name));
    free.unwrap_or_else(|| numbered.find(|name| !taken.contains(name)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{CharacterParts, Joint, Transform};
    use std::sync::Arc;

    #[test]
    fn a_clip_of_the_same_skeleton_is_copied_to_the_bit() {
        let figure = sinew_samples::figure();
        for clip in figure.clips() {
            let merged = merge_clip(&figure, &figure, clip, &MergeOptions::default()).unwrap();
            assert_eq!(merged.by, MergedBy::Names);
            assert_eq!(merged.clip.parts(), clip.parts());
            assert!(merged.losses.is_empty());
        }
    }

    /// The figure with its joints in another order, as another exporter lists them.
    fn reordered(character: &Character) -> Character {
        let skeleton = character.skeleton();
        // A joint more at the front moves all numbers by one.
        let first = Joint { name: "scene".into(), parent: None, rest: Transform::IDENTITY };
        let joint = |joint: JointId| Joint {
            name: skeleton.name(joint).into(),
            parent: Some(skeleton.parent(joint).map_or(JointId(0), |p| JointId(p.0 + 1))),
            rest: skeleton.rest(joint),
        };
        let joints = [first].into_iter().chain(skeleton.joints().map(joint));
        let skeleton = Arc::new(Skeleton::new(joints).unwrap());
        Character::new(CharacterParts::new("other", skeleton)).unwrap()
    }

    #[test]
    fn joints_are_found_by_name_wherever_they_are() {
        let figure = sinew_samples::figure();
        let other = reordered(&figure);
        let walk = figure.find_clip("walk").unwrap();
        let merged = merge_clip(&other, &figure, walk, &MergeOptions::default()).unwrap();
        assert_eq!(merged.by, MergedBy::Names);
        for (got, want) in merged.clip.channels().iter().zip(walk.channels()) {
            let name = |s: &Skeleton, c: &Channel| c.joint().map(|joint| s.name(joint).to_owned());
            assert_eq!(name(other.skeleton(), got), name(figure.skeleton(), want));
            assert_eq!(got.times_secs(), want.times_secs());
        }
    }

    #[test]
    fn a_clip_of_a_skeleton_that_rests_differently_is_retargeted() {
        let figure = sinew_samples::figure();
        let mut parts = figure.clone().into_parts();
        let skeleton = &parts.skeleton;
        let joint = |joint: JointId| {
            let mut rest = skeleton.rest(joint);
            rest.translation *= 2.0;
            Joint { name: skeleton.name(joint).into(), parent: skeleton.parent(joint), rest }
        };
        let larger = Skeleton::new(skeleton.joints().map(joint)).unwrap();
        parts.skeleton = Arc::new(larger);
        let mut giant = CharacterParts::new("giant", parts.skeleton);
        giant.clips = figure.clips().to_vec();
        let giant = Character::new(giant).unwrap();
        let merged =
            merge_clip(&figure, &giant, giant.find_clip("walk").unwrap(), &MergeOptions::default()).unwrap();
        assert_eq!(merged.by, MergedBy::Retargeting);
        assert!((merged.report.unwrap().root_scale - 0.5).abs() < 0.01);
        assert!(merged.losses.is_empty(), "{:?}", merged.losses);
    }

    #[test]
    fn names_that_say_nothing_become_those_of_the_file_and_stay_unique() {
        let mut taken = BTreeSet::new();
        for (clip, stem, wanted) in [
            ("mixamo.com", "Running", "Running"),
            ("Take 001", "Jump", "Jump"),
            ("walk", "hero", "walk"),
            ("walk", "villain", "villain walk"),
            ("walk", "villain", "walk 2"),
            ("Armature|mixamo.com|Layer0", "x", "Armature|mixamo.com|Layer0"),
        ] {
            let name = merged_name(clip, stem, &taken);
            assert_eq!(name, wanted);
            taken.insert(name);
        }
    }
}
