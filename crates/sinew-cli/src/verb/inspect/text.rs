//! A summary as text, for people.

use super::{
    constraints::{constraint_lines, spring_lines},
    summary::{ClipSummary, HumanBoneSummary, MeshSummary, Summary},
    table::{ColumnAlign, TextTable},
};
use crate::text::plain;
use ColumnAlign::{Left, Right};
use sinew::ScaleInheritance;

/// Everything that `sinew inspect` prints.
pub(super) fn page(summary: &Summary) -> String {
    let mut lines = heading(summary);
    let mut section = |title: String, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.push(title);
            lines.extend(body);
        }
    };
    section(format!("Skeleton: {} joints", summary.joints.len()), tree(summary));
    section(format!("Meshes: {}", summary.meshes.len()), meshes(summary));
    section(format!("Skins: {}", summary.skins.len()), skins(summary));
    section("Influences per vertex".into(), influences(&summary.meshes));
    section(format!("Materials: {}", summary.materials.len()), materials(summary));
    section(format!("Helpers: {}", summary.helpers.len()), helpers(summary));
    let name = |joint: usize| summary.joints[joint].name.clone();
    let constraints = &summary.node_constraints;
    section(format!("Node constraints: {}", constraints.len()), constraint_lines(constraints, name));
    let swinging: usize = summary.springs.iter().map(|spring| spring.joints.len()).sum();
    let title = format!(
        "Springs: {} chains, {swinging} joints, {} colliders",
        summary.springs.len(),
        summary.spring_colliders.len()
    );
    section(title, spring_lines(&summary.springs, name));
    section(format!("Meta-joints: {}", summary.meta_joints.len()), meta_joints(summary));
    let bones = summary.humanoid.as_deref().unwrap_or_default();
    section(format!("Humanoid: {} bones", bones.len()), humanoid(summary, bones));
    let method = summary.recommended_method.map(str::to_owned);
    section("Recommended method".into(), method.into_iter().collect());
    section(format!("Clips: {}", summary.clips.len()), clips(&summary.clips));
    section("Events".into(), events(&summary.clips));
    section("Meta-channels".into(), metas(&summary.clips));
    section("Bounds of clips, in meters".into(), bounds(&summary.clips));
    section(format!("Import report: {} findings", summary.findings.len()), findings(summary));
    lines.join("\n") + "\n"
}

/// Which joint drives which.
fn helpers(summary: &Summary) -> Vec<String> {
    if summary.helpers.is_empty() {
        return Vec::new();
    }
    let name = |&joint: &usize| summary.joints[joint].name.clone();
    let mut table = TextTable::new(&[("helper", Left), ("kind", Left), ("driven by", Left), ("moves", Left)]);
    for helper in &summary.helpers {
        let kind = if helper.enabled { helper.kind.to_owned() } else { format!("{} (off)", helper.kind) };
        let moved = helper.driven_joints.iter().map(name).collect::<Vec<_>>().join(", ");
        table.row(vec![helper.name.clone(), kind, helper.source_joint.iter().map(name).collect(), moved]);
    }
    table.lines()
}

/// The axes of each meta-joint, one line per joint.
fn meta_joints(summary: &Summary) -> Vec<String> {
    if summary.meta_joints.is_empty() {
        return Vec::new();
    }
    let mut table =
        TextTable::new(&[("meta-joint", Left), ("joint", Left), ("axes", Left), ("from rest", Left)]);
    for meta in &summary.meta_joints {
        for part in &meta.parts {
            let range = |[min, max]: &[f32; 2]| format!("{min:.0}° to {max:.0}°");
            let ranges: Vec<String> = part.ranges_degrees.iter().map(range).collect();
            let ranges = if ranges.is_empty() { "any angle".into() } else { ranges.join(", ") };
            let joint = summary.joints[part.joint].name.clone();
            table.row(vec![meta.name.clone(), joint, part.axes.clone(), ranges]);
        }
    }
    table.lines()
}

/// The joint of each bone of a human body.
fn humanoid(summary: &Summary, bones: &[HumanBoneSummary]) -> Vec<String> {
    if bones.is_empty() {
        return Vec::new();
    }
    let mut table = TextTable::new(&[("bone", Left), ("joint", Left)]);
    for bone in bones {
        table.row(vec![bone.bone.to_owned(), label(&summary.joints[bone.joint].name, bone.joint)]);
    }
    table.lines()
}

fn heading(summary: &Summary) -> Vec<String> {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let parts = [
        count(summary.vertex_count, "vertex", "vertices"),
        count(summary.triangle_count, "triangle", "triangles"),
        count(summary.joints.len(), "joint", "joints"),
        count(summary.skins.len(), "skin", "skins"),
        count(summary.clips.len(), "clip", "clips"),
    ];
    let mut lines = vec![summary.file.clone(), format!("  {}", parts.join(", "))];
    if let Some(bounds) = summary.bounds {
        let size = |k: usize| format!("{:.3}", bounds.max_meters[k] - bounds.min_meters[k]);
        let size: Vec<String> = (0..3).map(size).collect();
        lines.push(format!("  {} m at rest (x, y, z)", size.join(" × ")));
    }
    lines
}

/// The joints as a tree, one line per joint, so that deep and wide skeletons stay readable.
fn tree(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::with_capacity(summary.joints.len());
    let roots = (0..summary.joints.len()).filter(|&j| summary.joints[j].parent.is_none());
    // A stack of joints, each with its depth and the branches before its own line and before those of its children.
    let mut waiting: Vec<TreeLine> = roots
        .map(|joint| TreeLine { joint, depth: 0, before: "  ".to_owned(), below: "  ".to_owned() })
        .collect();
    waiting.reverse();
    while let Some(TreeLine { joint, depth, before, below }) = waiting.pop() {
        lines.push(format!("{before}{}", joint_label(summary, joint)));
        let children = &summary.joints[joint].children;
        for (place, &child) in children.iter().enumerate().rev() {
            let depth = depth + 1;
            if depth > MAX_INDENT {
                // Deeper joints stay in one column and tell their depth, so that a chain takes linear space.
                let before = format!("{below}{depth:>5}: ");
                waiting.push(TreeLine { joint: child, depth, before, below: below.clone() });
                continue;
            }
            let last = place + 1 == children.len();
            let (branch, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let (before, below) = (format!("{below}{branch}"), format!("{below}{trunk}"));
            waiting.push(TreeLine { joint: child, depth, before, below });
        }
    }
    lines
}

/// How many joints above a joint are shown by indenting it. Real skeletons are less deep.
const MAX_INDENT: usize = 64;

/// A joint that is still to be listed.
struct TreeLine {
    joint: usize,
    /// The number of joints above it.
    depth: usize,
    before: String,
    below: String,
}

fn joint_label(summary: &Summary, index: usize) -> String {
    let joint = &summary.joints[index];
    let name = if joint.name.is_empty() { format!("(joint {index})") } else { plain(&joint.name) };
    let mut notes = Vec::new();
    if joint.weighted_vertex_count > 0 {
        notes.push(format!("{} vertices", joint.weighted_vertex_count));
    }
    if joint.muscle_vertex_count > 0 {
        notes.push(format!("muscle of {} vertices", joint.muscle_vertex_count));
    }
    if let Some(mesh) = joint.mesh {
        notes.push(format!("mesh {}", label(&summary.meshes[mesh].name, mesh)));
    }
    if joint.scale_inheritance != ScaleInheritance::Full.name() {
        notes.push(format!("scale {}", joint.scale_inheritance));
    }
    if !joint.visible {
        notes.push("not in the scene".into());
    }
    if notes.is_empty() { name } else { format!("{name}  · {}", notes.join(", ")) }
}

/// A name, or a number if there is none.
fn label(name: &str, index: usize) -> String {
    if name.is_empty() { format!("#{index}") } else { plain(name) }
}

fn meshes(summary: &Summary) -> Vec<String> {
    if summary.meshes.is_empty() {
        return vec![];
    }
    let mut table = TextTable::new(&[
        ("mesh", Left),
        ("vertices", Right),
        ("points", Right),
        ("triangles", Right),
        ("primitives", Right),
        ("morphs", Right),
        ("streams", Left),
    ]);
    for (index, mesh) in summary.meshes.iter().enumerate() {
        table.row(vec![
            label(&mesh.name, index),
            mesh.vertex_count.to_string(),
            mesh.point_count.to_string(),
            mesh.triangle_count.to_string(),
            mesh.primitive_count.to_string(),
            mesh.morph_targets.len().to_string(),
            mesh.streams.join(" "),
        ]);
    }
    table.lines()
}

fn skins(summary: &Summary) -> Vec<String> {
    if summary.skins.is_empty() {
        return vec![];
    }
    let mut table =
        TextTable::new(&[("skin", Left), ("joints", Right), ("unused", Right), ("deforms", Left)]);
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); summary.skins.len()];
    for instance in &summary.instances {
        if let Some(users) = instance.skin.and_then(|skin| users.get_mut(skin)) {
            users.push(instance.mesh);
        }
    }
    for (index, (skin, users)) in summary.skins.iter().zip(users).enumerate() {
        let mut names: Vec<String> = users.iter().map(|&m| label(&summary.meshes[m].name, m)).collect();
        names.dedup();
        table.row(vec![
            label(&skin.name, index),
            skin.joints.len().to_string(),
            skin.unused_joint_count.to_string(),
            names.join(", "),
        ]);
    }
    table.lines()
}

/// The histogram over all meshes, as bars.
fn influences(meshes: &[MeshSummary]) -> Vec<String> {
    let max = meshes.iter().map(|m| m.influence_histogram.len()).max().unwrap_or(0);
    let counts: Vec<usize> =
        (0..max).map(|k| meshes.iter().filter_map(|m| m.influence_histogram.get(k)).sum()).collect();
    let total: usize = counts.iter().sum();
    let largest = counts.iter().copied().max().unwrap_or(0);
    let width = largest.to_string().len();
    let bar = |count: usize| {
        let length = (count * 40).div_ceil(largest.max(1));
        let percent = 100.0 * count as f64 / total.max(1) as f64;
        format!("{count:>width$}  {percent:5.1} %  {}", "█".repeat(length))
    };
    counts.iter().enumerate().map(|(k, &count)| format!("  {}: {}", k + 1, bar(count))).collect()
}

fn materials(summary: &Summary) -> Vec<String> {
    if summary.materials.is_empty() {
        return vec![];
    }
    let mut table = TextTable::new(&[("material", Left), ("base color", Left), ("texture", Left)]);
    for (index, material) in summary.materials.iter().enumerate() {
        let [r, g, b, a] = material.base_color;
        let texture = material.base_color_image.map(|i| {
            let image = &summary.images[i];
            format!("{} ({}, {} kB)", label(&image.name, i), image.mime_type, image.size_bytes.div_ceil(1000))
        });
        table.row(vec![
            label(&material.name, index),
            format!("{r:.2} {g:.2} {b:.2} {a:.2}"),
            texture.unwrap_or_default(),
        ]);
    }
    table.lines()
}

fn clips(clips: &[ClipSummary]) -> Vec<String> {
    if clips.is_empty() {
        return vec![];
    }
    let mut table = TextTable::new(&[
        ("#", Right),
        ("clip", Left),
        ("seconds", Right),
        ("channels", Right),
        ("keys", Right),
        ("events", Right),
        ("interpolation", Left),
    ]);
    for (index, clip) in clips.iter().enumerate() {
        let mut kinds: Vec<&str> = clip.channels.iter().map(|c| c.interpolation).collect();
        kinds.sort_unstable();
        kinds.dedup();
        table.row(vec![
            index.to_string(),
            clip.name.clone(),
            format!("{:.3}", clip.duration_secs),
            clip.channels.len().to_string(),
            clip.key_count.to_string(),
            clip.events.len().to_string(),
            kinds.join(" "),
        ]);
    }
    table.lines()
}

fn events(clips: &[ClipSummary]) -> Vec<String> {
    let mut table = TextTable::new(&[("clip", Left), ("seconds", Right), ("event", Left), ("payload", Left)]);
    let mut any = false;
    for clip in clips {
        for event in &clip.events {
            any = true;
            table.row(vec![
                clip.name.clone(),
                format!("{:.3}", event.time_secs),
                event.name.clone(),
                event.payload.clone().unwrap_or_default(),
            ]);
        }
    }
    if any { table.lines() } else { vec![] }
}

fn bounds(clips: &[ClipSummary]) -> Vec<String> {
    let columns = [
        ("clip", Left),
        ("min", Left),
        ("max", Left),
        ("diagonal / exact", Right),
        ("volume / exact", Right),
    ];
    let mut table = TextTable::new(&columns);
    let mut any = false;
    for clip in clips {
        let Some(bounds) = &clip.bounds else { continue };
        any = true;
        let point = |[x, y, z]: [f32; 3]| format!("{x:.3} {y:.3} {z:.3}");
        table.row(vec![
            clip.name.clone(),
            point(bounds.bounds.min_meters),
            point(bounds.bounds.max_meters),
            format!("{:.3}", bounds.diagonal_ratio),
            format!("{:.3}", bounds.volume_ratio),
        ]);
    }
    if any { table.lines() } else { vec![] }
}

fn metas(clips: &[ClipSummary]) -> Vec<String> {
    let mut table =
        TextTable::new(&[("clip", Left), ("meta-channel", Left), ("value", Left), ("keys", Right)]);
    let mut any = false;
    for clip in clips {
        for meta in &clip.meta_channels {
            any = true;
            table.row(vec![
                clip.name.clone(),
                meta.name.clone(),
                meta.value_kind.into(),
                meta.key_count.to_string(),
            ]);
        }
    }
    if any { table.lines() } else { vec![] }
}

fn findings(summary: &Summary) -> Vec<String> {
    summary.finding_lines.iter().map(|line| format!("  {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Character, HumanBone, Humanoid};
    use sinew_formats::Import;

    #[test]
    fn human_bones_are_listed_with_their_joints() {
        let mut parts = sinew_samples::figure().into_parts();
        let hand = parts.skeleton.find("hand.L").unwrap();
        assert!(!shown(parts.clone()).contains("Humanoid"));
        parts.humanoid = Some(Humanoid::new(&parts.skeleton, [(HumanBone::LeftHand, hand)]).unwrap());
        let text = shown(parts);
        assert!(text.contains("Humanoid: 1 bones") && text.contains("leftHand  hand.L"), "{text}");
    }

    #[test]
    fn springs_and_constraints_are_listed_with_the_names_of_their_joints() {
        use sinew::constrain::{NodeConstraint, NodeConstraintKind, SpringChain, SpringJoint};
        let mut parts = sinew_samples::figure().into_parts();
        assert!(
            !shown(parts.clone()).contains("Springs") && !shown(parts.clone()).contains("Node constraints")
        );
        let find = |name: &str| parts.skeleton.find(name).unwrap();
        let arm = ["upper_arm.L", "forearm.L", "hand.L"].map(|name| SpringJoint::new(find(name)));
        let (joint, source) = (find("hand.R"), find("head"));
        parts.springs.chains = vec![SpringChain::new("arm", arm)];
        parts.node_constraints =
            vec![NodeConstraint { joint, source, weight: 0.5, kind: NodeConstraintKind::Rotation }];
        let text = shown(parts);
        assert!(text.contains("Springs: 1 chains, 2 joints, 0 colliders"), "{text}");
        assert!(text.contains("arm     upper_arm.L         2        0          0  world"), "{text}");
        assert!(text.contains("Node constraints: 1") && text.contains("hand.R  rotation"), "{text}");
    }

    #[test]
    fn a_chain_of_sixty_thousand_joints_takes_linear_space() {
        let joint = |index: u16| sinew::Joint {
            name: format!("j{index}"),
            parent: index.checked_sub(1).map(sinew::JointId),
            rest: sinew::Transform::IDENTITY,
        };
        let skeleton = sinew::Skeleton::new((0..60_000).map(joint)).unwrap();
        let text = shown(sinew::CharacterParts::new("chain", skeleton.into()));
        assert!(text.len() < 60_000 * 300, "{} bytes", text.len());
        assert!(text.contains("59999: j59999"));
    }

    fn shown(parts: sinew::CharacterParts) -> String {
        let import = Import::without_findings(Character::new(parts).unwrap());
        page(&Summary::of("figure", &import))
    }
}
