//! The steps before deformation, per pose: sampling, blending, hierarchy, IK, and whole instances.
//!
//! The subject is a skeleton of 67 joints that all rotate, the size for which other libraries quote their times.

mod layers;
mod springs;

use super::{cases::BenchCase, crowd};
use sinew::blend::{PoseLayer, blend_at};
use sinew::constrain::{TwoBone, TwoBoneGoal, TwoBoneParts};
use sinew::glam::{Affine3A, EulerRot, Quat, Vec3};
use sinew::instance::{Archetype, DetailId, Instance, InstanceScratch, update_all};
use sinew::sample::{sample_clip_from, sample_compact_at, sample_compressed_at};
use sinew::{
    Channel, Character, Clip, ClipCursor, CompactClip, CompactOptions, CompressedClip, Curve, Interpolation,
    Joint, JointId, LocalPose, ModelPose, Skeleton, Transform, Wrap, simd,
};
use sinew_author::compress::{CompressOptions, compress_clip, compressed_archetype};
use std::hint::black_box;

const JOINTS: u16 = 67;
/// The durations of a short and a long clip.
const LENGTHS_SECS: [(&str, f32); 2] = [("2s", 2.0), ("60s", 60.0)];
/// The number of arms that are solved in one call.
const ARMS: usize = 64;
/// The number of instances that are updated in one call.
const CROWD: usize = 2048;

/// One motion in every form that plays.
struct MotionClips {
    name: &'static str,
    raw: Clip,
    compact: CompactClip,
    compressed: CompressedClip,
}

/// The inputs of the cases.
pub(super) struct MotionSubject {
    skeleton: Skeleton,
    clips: Vec<MotionClips>,
    poses: [LocalPose; 2],
    archetype: Archetype,
    /// The same character with compressed clips.
    compressed: Archetype,
    /// The joints that are seen from afar.
    reduced: DetailId,
    /// The same character with a clip that moves every joint, fingers and toes included, and its level of detail.
    busy: (Archetype, DetailId),
    /// The same character with shared poses of its walk.
    sharing: Archetype,
    figure: Character,
}

impl MotionSubject {
    pub(super) fn new() -> Option<Self> {
        let skeleton = skeleton()?;
        let options = CompactOptions { tolerance_meters: Some(1e-3), ..CompactOptions::default() };
        let bounded = CompressOptions { max_error_meters: 1e-3, ..CompressOptions::default() };
        let of_length = |&(name, secs): &(&'static str, f32)| {
            let raw = clip("bench", secs, JOINTS)?;
            let (compact, _) = CompactClip::new(&raw, &skeleton, &options).ok()?;
            let compressed = compress_clip(&raw, &skeleton, &bounded).ok()?.0?;
            Some(MotionClips { name, raw, compact, compressed })
        };
        let clips: Vec<_> = LENGTHS_SECS.iter().map(of_length).collect::<Option<_>>()?;
        let at = |secs: f32| {
            let mut pose = skeleton.rest_pose();
            sinew::sample_clip(&clips[0].raw, secs, Wrap::Loop, &mut pose);
            pose
        };
        let poses = [at(0.3), at(1.1)];
        let figure = sinew_samples::figure();
        let mut archetype = Archetype::compact(figure.clone(), &CompactOptions::default()).ok()?;
        archetype.add_graph(&two_clips()).ok()?;
        let (compressed, _) = compressed_archetype(figure.clone(), &CompressOptions::default()).ok()?;
        let reduced = archetype.add_detail(&crowd::seen_from_afar(&archetype));
        let busy = busy(&figure)?;
        let mut sharing = archetype.clone();
        sharing.add_shared_poses(sharing.find_motion("walk")?, None, 30.0).ok()?;
        Some(Self { skeleton, clips, poses, archetype, compressed, reduced, busy, sharing, figure })
    }
}

/// Chains of five joints on one root, 10 cm each.
fn skeleton() -> Option<Skeleton> {
    let joint = |index: u16| Joint {
        name: format!("joint_{index}"),
        parent: (index > 0).then(|| JointId(if index % 5 == 1 { 0 } else { index - 1 })),
        rest: Transform::from_translation(Vec3::Y * 0.1),
    };
    Skeleton::new((0..JOINTS).map(joint)).ok()
}

/// `figure` with a walk that moves every joint, and the level of detail that is seen from afar.
fn busy(figure: &Character) -> Option<(Archetype, DetailId)> {
    let mut parts = figure.clone().into_parts();
    let joints = u16::try_from(parts.skeleton.len()).ok()?;
    parts.clips = vec![clip("walk", 2.0, joints)?.into()];
    let busy = Character::new(parts).ok()?;
    let mut archetype = Archetype::compact(busy, &CompactOptions::default()).ok()?;
    let reduced = archetype.add_detail(&crowd::seen_from_afar(&archetype));
    Some((archetype, reduced))
}

/// A clip that rotates every joint, with 30 keys per second.
fn clip(name: &str, secs: f32, joints: u16) -> Option<Clip> {
    let times: Vec<f32> = (0..=(secs * 30.0) as usize).map(|k| k as f32 / 30.0).collect();
    let channel = |index: u16| {
        let swing = |t: f32, n: f32| (t * (1.0 + n * 0.37) + f32::from(index) * 0.9 + n).sin();
        let turn = |t: f32| {
            Quat::from_euler(EulerRot::XYZ, 0.6 * swing(t, 0.0), 0.4 * swing(t, 1.0), 0.3 * swing(t, 2.0))
        };
        let keys = times.iter().map(|&t| turn(t)).collect();
        let curve = Curve::new(times.clone(), keys, Interpolation::Linear).ok()?;
        Some(Channel::Rotation { joint: JointId(index), curve })
    };
    Clip::new(name, (0..joints).map(channel).collect::<Option<_>>()?, vec![]).ok()
}

/// A graph that blends the figure's walk and run, synchronized.
fn two_clips() -> sinew::blend::GraphDef {
    use sinew::blend::graph::{GraphDef, NodeDef, ValueDef};
    let clip = |name: &str| {
        let (clip, speed, sync) = (name.into(), ValueDef::default(), Some("gait".into()));
        (name.into(), NodeDef::Clip { clip, speed, wrap: Wrap::Loop, range: None, sync })
    };
    let points = vec![(0.0, "walk".into()), (1.0, "run".into())];
    let line = NodeDef::BlendSpace1d { x: ValueDef::Constant(0.4), points };
    GraphDef {
        nodes: vec![clip("walk"), clip("run"), ("go".into(), line)],
        sync: vec![("gait".into(), vec!["footfall.left".into(), "footfall.right".into()])],
        output: "go".into(),
        ..GraphDef::default()
    }
}

fn case<'a>(name: String, items: usize, run: impl FnMut() + 'a) -> BenchCase<'a> {
    BenchCase { name, items, bytes: None, copy: None, plain: None, run: Box::new(run) }
}

/// Every case at `levels`; one item is one pose.
pub(super) fn all<'a>(
    subject: &'a MotionSubject,
    pools: &'a [rayon::ThreadPool],
    levels: &[simd::Level],
) -> Vec<BenchCase<'a>> {
    let mut cases = Vec::new();
    for &level in levels {
        cases.extend(sampling(subject, level));
        cases.push(blending(subject, level));
        cases.extend(layers::blending(subject, level));
        cases.extend(layers::palettes(subject, level));
        cases.push(hierarchy(subject, level));
        cases.extend(springs::stepping(level));
    }
    cases.push(raw(subject));
    cases.extend(ik(&subject.figure));
    cases.extend(pools.iter().filter_map(|pool| instances(&subject.archetype, pool)));
    cases.extend(crowd::all(&subject.archetype));
    cases.extend(crowd::compressed(&subject.compressed));
    cases.extend(crowd::detail("clip", &subject.archetype, subject.reduced));
    cases.extend(crowd::detail("busy-clip", &subject.busy.0, subject.busy.1));
    cases.extend(crowd::shared(&subject.sharing));
    cases
}

fn sampling(subject: &MotionSubject, level: simd::Level) -> Vec<BenchCase<'_>> {
    let mut cases = Vec::new();
    for MotionClips { name: length, raw, compact, compressed } in &subject.clips {
        let duration = raw.duration_secs();
        for (order, step) in [("forward", 1.0 / 60.0), ("seek", duration * 0.618_034)] {
            let (mut time, mut cursor, mut pose) = (0.0_f32, ClipCursor::default(), subject.poses[0].clone());
            let name = format!("sample/{order}/-/67_joints_{length}/{}", level.name());
            cases.push(case(name, 1, move || {
                time = (time + step) % duration;
                sample_compact_at(level, compact, time, &mut cursor, &mut pose);
                black_box(&mut pose);
            }));
            let (mut time, mut cursor, mut pose) = (0.0_f32, ClipCursor::default(), subject.poses[0].clone());
            let name = format!("sample/compressed-{order}/-/67_joints_{length}/{}", level.name());
            cases.push(case(name, 1, move || {
                time = (time + step) % duration;
                sample_compressed_at(level, compressed, time, &mut cursor, &mut pose);
                black_box(&mut pose);
            }));
        }
    }
    cases
}

/// The raw clip, sampled with a cursor.
fn raw(subject: &MotionSubject) -> BenchCase<'_> {
    let clip = &subject.clips[0].raw;
    let (mut time, mut cursor, mut pose) = (0.0_f32, ClipCursor::default(), subject.poses[0].clone());
    case("sample/raw/-/67_joints_2s/scalar".into(), 1, move || {
        time = (time + 1.0 / 60.0) % clip.duration_secs();
        sample_clip_from(clip, time, Wrap::Loop, &mut cursor, &mut pose);
        black_box(&mut pose);
    })
}

fn blending(subject: &MotionSubject, level: simd::Level) -> BenchCase<'_> {
    let rest = subject.skeleton.rest_pose();
    let mut out = rest.clone();
    case(format!("blend/two/-/67_joints/{}", level.name()), 1, move || {
        let [a, b] = &subject.poses;
        blend_at(level, &[PoseLayer::new(a, 0.4), PoseLayer::new(b, 0.6)], &rest, &mut out);
        black_box(&mut out);
    })
}

fn hierarchy(subject: &MotionSubject, level: simd::Level) -> BenchCase<'_> {
    let mut model = ModelPose::new(&subject.skeleton);
    case(format!("pose/hierarchy/-/67_joints/{}", level.name()), usize::from(JOINTS), move || {
        model.update_at(level, &subject.skeleton, &subject.poses[0]);
        black_box(&mut model);
    })
}

/// The arms of a crowd, solved independently, so that the CPU overlaps them.
fn ik(figure: &Character) -> Option<BenchCase<'_>> {
    let skeleton = figure.skeleton();
    let end = skeleton.find("hand.L")?;
    let mid = skeleton.parent(end)?;
    let limb = TwoBone::new(skeleton, TwoBoneParts::new(skeleton.parent(mid)?, mid, end)).ok()?;
    let rest = figure.rest_pose();
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &rest);
    let mut poses = vec![rest; ARMS];
    Some(case("ik/two-bone/-/figure/scalar".into(), ARMS, move || {
        for (nth, pose) in poses.iter_mut().enumerate() {
            let target = Vec3::new(0.3, 1.0 + nth as f32 * 0.005, 0.3);
            black_box(limb.apply(&TwoBoneGoal::to(target), &model, pose));
        }
    }))
}

/// The whole update of a figure: two clips sampled and blended in sync, the hierarchy, the palette.
fn instances<'a>(archetype: &'a Archetype, pool: &'a rayon::ThreadPool) -> Option<BenchCase<'a>> {
    let graph = archetype.graphs().len().checked_sub(1).and_then(|last| archetype.graph_id(last))?;
    let mut crowd: Vec<Instance> = (0..CROWD)
        .map(|_| {
            let mut one = archetype.new_instance();
            one.play_graph(archetype, graph);
            one
        })
        .collect();
    let threads = pool.current_num_threads();
    let joints = archetype.character().skins().first()?.joints().len();
    let mut threads_state: Vec<(InstanceScratch, Vec<Affine3A>)> =
        (0..threads).map(|_| (InstanceScratch::new(archetype), vec![Affine3A::IDENTITY; joints])).collect();
    let name = format!("instance/two-clips/-/figure/{}/{threads}", simd::best().name());
    Some(case(name, CROWD, move || {
        pool.scope(|scope| {
            for (piece, state) in crowd.chunks_mut(CROWD / threads).zip(&mut threads_state) {
                scope.spawn(move |_| {
                    let (scratch, matrices) = state;
                    update_all(archetype, piece, 1.0 / 60.0, scratch, |_, _| {});
                    for one in piece {
                        one.write_palette(archetype, 0, scratch, matrices);
                    }
                    black_box(matrices);
                });
            }
        });
    }))
}
