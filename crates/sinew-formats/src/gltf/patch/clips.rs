//! Edits animations: the channels that changed, animations that were added, removed or put into another order.

use super::{PatchError, Patcher};
use crate::{
    gltf::{
        json::{self, extras::SINEW},
        raw::RawObject,
        write::{
            animation::{ChannelTarget, channel_targets},
            named,
        },
    },
    write_report::Outcome,
};
use serde_json::value::{RawValue, to_raw_value};
use sinew::{Channel, Clip, ExtrasOwner};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

impl Patcher<'_> {
    pub(super) fn edit_clips(&mut self) -> Result<(), PatchError> {
        let (old, new) = (self.source.original.clips(), self.new.character.clips());
        let old_of_new = matched(old, new);
        let mut texts = Vec::with_capacity(new.len());
        for (index, before) in old_of_new.iter().enumerate() {
            texts.push(match before {
                Some(before) => self.edit_clip(*before, index)?,
                None => {
                    let animation = self.new.clip(index)?;
                    let place = format!("animations ({:?})", new[index].name());
                    self.report.add(Outcome::Changed, "clip-added", place, 1, "");
                    to_raw_value(&animation).unwrap_or_default()
                }
            });
        }
        self.report_removed(&old_of_new);
        self.place_clips(&old_of_new, texts);
        Ok(())
    }

    fn report_removed(&mut self, old_of_new: &[Option<usize>]) {
        let kept: BTreeSet<usize> = old_of_new.iter().flatten().copied().collect();
        for (index, clip) in self.source.original.clips().iter().enumerate() {
            if !kept.contains(&index) {
                let place = format!("animations[{}]", self.source.map.animation_of_clip[index]);
                self.report.add(Outcome::Changed, "clip-removed", place, 1, clip.name());
            }
        }
    }

    /// Puts the texts of clips into the list of animations. Animations that were not read stay behind the one that they
    /// followed.
    fn place_clips(&mut self, old_of_new: &[Option<usize>], texts: Vec<Box<RawValue>>) {
        let animation_of_clip = &self.source.map.animation_of_clip;
        let items = self.document.items("animations");
        let is_in_place = old_of_new
            .iter()
            .take(animation_of_clip.len())
            .copied()
            .eq((0..animation_of_clip.len()).map(Some));
        if is_in_place {
            for (index, text) in texts.into_iter().enumerate() {
                match animation_of_clip.get(index) {
                    Some(&animation) => self.document.set_item("animations", animation, &text),
                    None => {
                        self.document.push("animations", &text);
                    }
                }
            }
            return;
        }
        let mut unread: BTreeMap<Option<usize>, Vec<Box<RawValue>>> = BTreeMap::new();
        let mut last = None;
        for (animation, item) in items.into_iter().enumerate() {
            match animation_of_clip.iter().position(|&a| a == animation) {
                Some(clip) => last = Some(clip),
                None => unread.entry(last).or_default().push(item),
            }
        }
        let mut out = unread.remove(&None).unwrap_or_default();
        for (text, old) in texts.into_iter().zip(old_of_new) {
            out.push(text);
            if old.is_some() {
                out.extend(unread.remove(old).unwrap_or_default());
            }
        }
        out.extend(unread.into_values().flatten());
        self.document.set_items("animations", out);
    }

    /// The text of the clip `new`, which was the clip `old`.
    fn edit_clip(&mut self, old: usize, new: usize) -> Result<Box<RawValue>, PatchError> {
        let animation = self.source.map.animation_of_clip[old];
        let mut raw = self.document.item("animations", animation);
        let place = format!("animations[{animation}]");
        let (before, after) = (&self.source.original.clips()[old], &self.new.character.clips()[new]);
        let extras = |writer: &super::Writer<'_>, clip: usize| {
            writer.character.extras().get(&ExtrasOwner::Clip(clip)).cloned()
        };
        let has_same_extras = extras(&self.old, old) == extras(&self.new, new);
        let has_same_slots = self.has_same_targets(before, after)?;
        let is_same = Arc::ptr_eq(before, after) || is_same_clip(before, after);
        if is_same && has_same_extras && has_same_slots && !self.forced.has(&place) {
            return Ok(self.document.item_text("animations", animation));
        }
        if before.name() != after.name() {
            raw.set_or_remove("name", named(after.name()).as_ref());
        }
        let (before, after) = (Arc::clone(before), Arc::clone(after));
        let mut lists = ChannelLists::of(&raw);
        self.edit_channels(&before, &after, &mut lists, &place)?;
        let hold = self.add_hold(&after, &mut lists);
        if lists.channels.is_empty() {
            let placeholder = self.new.clip(new)?;
            lists = ChannelLists::of(&super::members(&placeholder));
        }
        lists.drop_unused_samplers();
        raw.set("channels", &lists.channels);
        raw.set("samplers", &lists.samplers);
        let extras = self.new.clip_extras(new, hold)?;
        raw.set_or_remove("extras", extras.as_ref());
        self.report.add(Outcome::Changed, "clip", place, 1, after.name());
        Ok(to_raw_value(&raw).unwrap_or_default())
    }

    /// True if the channels of two states of a clip animate the same nodes.
    fn has_same_targets(&self, before: &Clip, after: &Clip) -> Result<bool, PatchError> {
        let old = channel_targets(self.old.character, &self.old.layout, before)?;
        Ok(old == channel_targets(self.new.character, &self.new.layout, after)?)
    }

    fn edit_channels(
        &mut self,
        before: &Clip,
        after: &Clip,
        lists: &mut ChannelLists,
        place: &str,
    ) -> Result<(), PatchError> {
        let old = first_of_each(&channel_targets(self.old.character, &self.old.layout, before)?);
        let new = last_of_each(&channel_targets(self.new.character, &self.new.layout, after)?);
        let is_forced = self.forced.has(place);
        let mut seen: BTreeSet<ChannelTarget> = BTreeSet::new();
        let channels = std::mem::take(&mut lists.channels);
        for (number, mut channel) in channels.into_iter().enumerate() {
            if lists.hold == Some(number) || is_empty_target(&channel) {
                continue;
            }
            let Some(target) = own_target(&channel, &old) else {
                // A channel that was not read.
                lists.channels.push(channel);
                continue;
            };
            // Without the first channel of a property, the others would begin to move it.
            let Some(&index) = new.get(&target) else { continue };
            if !seen.insert(target) {
                lists.channels.push(channel);
                continue;
            }
            let (was, is) = (&before.channels()[old[&target]], &after.channels()[index]);
            if is_forced || !has_same_keys(was, is) {
                let sampler = self.new.sampler(is, || format!("clip {:?}, channel {index}", after.name()))?;
                lists.replace_sampler(&mut channel, &sampler);
            }
            lists.channels.push(channel);
        }
        for (target, &index) in new.iter().filter(|(target, _)| !seen.contains(*target)) {
            let channel = &after.channels()[index];
            let sampler =
                self.new.sampler(channel, || format!("clip {:?}, channel {index}", after.name()))?;
            lists.add(*target, &sampler);
        }
        Ok(())
    }

    /// Adds the channel that shows a clip's duration to other programs, and returns its index.
    fn add_hold(&mut self, clip: &Clip, lists: &mut ChannelLists) -> Option<usize> {
        let typed = |channel: &RawObject| serde_json::from_str(&serde_json::to_string(channel).ok()?).ok();
        let channels: Vec<json::Channel> = lists.channels.iter().filter_map(typed).collect();
        let mut animation = json::Animation { channels, ..json::Animation::default() };
        self.new.hold(clip, &mut animation)?;
        let (sampler, channel) = (animation.samplers.pop()?, animation.channels.pop()?);
        let path =
            ["translation", "rotation", "scale"].into_iter().find(|path| *path == channel.target.path)?;
        lists.add((channel.target.node?, path), &sampler);
        Some(lists.channels.len() - 1)
    }
}

/// The channels and samplers of an animation, as texts.
struct ChannelLists {
    channels: Vec<RawObject>,
    samplers: Vec<RawObject>,
    /// The index of the channel that only shows the duration.
    hold: Option<usize>,
}

impl ChannelLists {
    fn of(raw: &RawObject) -> Self {
        Self {
            channels: raw.read("channels").unwrap_or_default(),
            samplers: raw.read("samplers").unwrap_or_default(),
            hold: raw.object("extras").object(SINEW).read("hold"),
        }
    }

    /// Gives a channel a sampler of its own, in the place of the old one if no other channel uses that.
    fn replace_sampler(&mut self, channel: &mut RawObject, sampler: &json::AnimationSampler) {
        let mut text =
            channel.read::<usize>("sampler").and_then(|s| self.samplers.get(s)).cloned().unwrap_or_default();
        text.set("input", &sampler.input);
        text.set("output", &sampler.output);
        text.set_or_remove("interpolation", sampler.interpolation.as_ref());
        self.samplers.push(text);
        channel.set("sampler", &(self.samplers.len() - 1));
    }

    fn add(&mut self, (node, path): ChannelTarget, sampler: &json::AnimationSampler) {
        self.samplers.push(super::members(sampler));
        let target = json::Target { path: path.to_owned(), node: Some(node) };
        let channel = json::Channel { sampler: self.samplers.len() - 1, target };
        self.channels.push(super::members(&channel));
    }

    /// Removes samplers that no channel uses and numbers the others again.
    fn drop_unused_samplers(&mut self) {
        let used: BTreeSet<usize> = self.channels.iter().filter_map(|c| c.read("sampler")).collect();
        if used.len() == self.samplers.len() {
            return;
        }
        let number_of: BTreeMap<usize, usize> =
            used.iter().enumerate().map(|(new, &old)| (old, new)).collect();
        for channel in &mut self.channels {
            if let Some(number) = channel.read("sampler").and_then(|old: usize| number_of.get(&old)) {
                channel.set("sampler", number);
            }
        }
        let samplers = std::mem::take(&mut self.samplers).into_iter().enumerate();
        self.samplers =
            samplers.filter(|(index, _)| used.contains(index)).map(|(_, sampler)| sampler).collect();
    }
}

/// The target of a channel that was read.
fn own_target(channel: &RawObject, old: &BTreeMap<ChannelTarget, usize>) -> Option<ChannelTarget> {
    let target = channel.object("target");
    let (node, path): (usize, String) = (target.read("node")?, target.read("path")?);
    old.keys().find(|(n, p)| *n == node && *p == path).copied()
}

/// True for a channel that animates nothing, which only keeps a clip without keys valid.
fn is_empty_target(channel: &RawObject) -> bool {
    let target = channel.object("target");
    target.get("node").is_none() && target.get("extensions").is_none()
}

/// Reading takes the first of several channels with the same target.
fn first_of_each(targets: &[Option<ChannelTarget>]) -> BTreeMap<ChannelTarget, usize> {
    let mut out = BTreeMap::new();
    for (index, target) in targets.iter().enumerate() {
        if let Some(target) = target {
            out.entry(*target).or_insert(index);
        }
    }
    out
}

/// Sampling takes the last of several channels with the same target.
fn last_of_each(targets: &[Option<ChannelTarget>]) -> BTreeMap<ChannelTarget, usize> {
    targets.iter().enumerate().filter_map(|(index, target)| Some(((*target)?, index))).collect()
}

fn has_same_keys(a: &Channel, b: &Channel) -> bool {
    match (a, b) {
        (Channel::Translation { curve: a, .. }, Channel::Translation { curve: b, .. })
        | (Channel::Scale { curve: a, .. }, Channel::Scale { curve: b, .. }) => a == b,
        (Channel::Rotation { curve: a, .. }, Channel::Rotation { curve: b, .. }) => a == b,
        (Channel::Morphs { curve: a, .. }, Channel::Morphs { curve: b, .. }) => a == b,
        _ => false,
    }
}

/// True if two clips differ at most in the numbers of their joints and morph slots.
fn is_same_clip(a: &Clip, b: &Clip) -> bool {
    let (x, y) = (a.parts(), b.parts());
    (&x.name, &x.events, &x.metas, x.kind, x.duration_secs)
        == (&y.name, &y.events, &y.metas, y.kind, y.duration_secs)
        && x.channels.len() == y.channels.len()
        && x.channels.iter().zip(&y.channels).all(|(a, b)| has_same_keys(a, b))
}

/// For each new clip, the old one that it was: the same data, else the same name, else the same index.
fn matched(old: &[Arc<Clip>], new: &[Arc<Clip>]) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; new.len()];
    let mut is_taken = vec![false; old.len()];
    let tests: [&dyn Fn(usize, usize) -> bool; 4] = [
        &|o, n| o == n && Arc::ptr_eq(&old[o], &new[n]),
        &|o, n| Arc::ptr_eq(&old[o], &new[n]),
        &|o, n| old[o].name() == new[n].name(),
        &|o, n| o == n && old.len() == new.len(),
    ];
    for is_same in tests {
        for (n, found) in found.iter_mut().enumerate().filter(|(_, found)| found.is_none()) {
            *found = (0..old.len()).find(|&o| !is_taken[o] && is_same(o, n));
            found.iter().for_each(|&o| is_taken[o] = true);
        }
    }
    found
}
