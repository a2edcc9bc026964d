//! Sampling a clip of 67 joints: `cargo bench -p sinew --bench motion`.
//!
//! Every joint rotates; the `all` cases also translate and scale every joint. Seeks jump across a clip of two seconds and
//! one of a minute, and should cost the same.

use divan::Bencher;
use sinew::{
    Channel, Clip, ClipCursor, CompactClip, CompactOptions, Curve, Interpolation, Joint, JointId, LocalPose,
    Skeleton, Transform, Wrap,
    glam::{EulerRot, Quat, Vec3},
    sample::sample_compact_at,
    sample_clip, sample_clip_from, simd,
};

const JOINTS: u16 = 67;
const SHORT_SECS: f32 = 2.0;
const LONG_SECS: f32 = 60.0;

fn main() {
    divan::main();
}

fn levels() -> impl Iterator<Item = &'static str> {
    simd::available().map(simd::Level::name)
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

fn keys<T>(secs: f32, value: impl Fn(f32) -> T) -> Option<Curve<T>> {
    let count = (secs * 30.0) as usize;
    let times: Vec<f32> = (0..=count).map(|k| k as f32 / 30.0).collect();
    let values = times.iter().map(|&t| value(t)).collect();
    Curve::new(times, values, Interpolation::Linear).ok()
}

/// A clip that rotates every joint with 30 keys per second, and also translates and scales it if `is_all`.
fn clip(secs: f32, is_all: bool) -> Option<Clip> {
    let mut channels = Vec::new();
    for index in 0..JOINTS {
        let (joint, phase) = (JointId(index), f32::from(index));
        let swing = |t: f32, n: f32| (t * (1.0 + n * 0.37) + phase * 0.9 + n).sin();
        let turn = |t: f32| {
            Quat::from_euler(EulerRot::XYZ, 0.6 * swing(t, 0.0), 0.4 * swing(t, 1.0), 0.3 * swing(t, 2.0))
        };
        channels.push(Channel::Rotation { joint, curve: keys(secs, turn)? });
        if is_all {
            let place = |t: f32| Vec3::new(0.01 * swing(t, 3.0), 0.1, 0.02 * swing(t, 4.0));
            channels.push(Channel::Translation { joint, curve: keys(secs, place)? });
            let scale = |t: f32| Vec3::splat(1.0 + 0.02 * swing(t, 5.0));
            channels.push(Channel::Scale { joint, curve: keys(secs, scale)? });
        } else {
            let curve = Curve::new(vec![0.0], vec![Vec3::Y * 0.1], Interpolation::Step).ok()?;
            channels.push(Channel::Translation { joint, curve });
        }
    }
    Clip::new("bench", channels, vec![]).ok()
}

struct Subject {
    clip: Clip,
    compact: CompactClip,
    pose: LocalPose,
    cursor: ClipCursor,
    time_secs: f32,
}

impl Subject {
    fn new(secs: f32, is_all: bool) -> Option<Self> {
        let (clip, skeleton) = (clip(secs, is_all)?, skeleton()?);
        let options = CompactOptions { tolerance_meters: Some(1e-3), ..CompactOptions::default() };
        let (compact, report) = CompactClip::new(&clip, &skeleton, &options).ok()?;
        // If curves did not fit the frames, the benchmark would measure something else.
        assert_eq!(report.keyed, 0, "everything is in frames: {report:?}");
        let pose = skeleton.rest_pose();
        Some(Self { clip, compact, pose, cursor: ClipCursor::default(), time_secs: 0.0 })
    }

    /// The time of the next frame at 60 Hz, in seconds.
    fn step(&mut self) -> f32 {
        self.time_secs += 1.0 / 60.0;
        if self.time_secs >= self.clip.duration_secs() {
            self.time_secs = 0.0;
        }
        self.time_secs
    }

    /// Another time in the clip, far from the last one, in seconds.
    fn jump(&mut self) -> f32 {
        let duration = self.clip.duration_secs();
        self.time_secs = (self.time_secs + duration * 0.618_034) % duration;
        self.time_secs
    }

    fn compact(mut self, bencher: Bencher<'_, '_>, level: &str, next: fn(&mut Self) -> f32) {
        let Some(level) = simd::find(level) else { return };
        bencher.bench_local(move || {
            let time = next(&mut self);
            sample_compact_at(level, &self.compact, time, &mut self.cursor, &mut self.pose);
        });
    }
}

/// Measures the case `sample/compact/67_joints/LEVEL`.
#[divan::bench(args = levels())]
fn compact(bencher: Bencher<'_, '_>, level: &str) {
    let Some(subject) = Subject::new(SHORT_SECS, false) else { return };
    subject.compact(bencher, level, Subject::step);
}

/// Measures the case `sample/compact_all/67_joints/LEVEL`.
#[divan::bench(args = levels())]
fn compact_all(bencher: Bencher<'_, '_>, level: &str) {
    let Some(subject) = Subject::new(SHORT_SECS, true) else { return };
    subject.compact(bencher, level, Subject::step);
}

/// Measures the case `sample/compact_forward_60s/67_joints/LEVEL`.
#[divan::bench(args = levels())]
fn compact_forward_60s(bencher: Bencher<'_, '_>, level: &str) {
    let Some(subject) = Subject::new(LONG_SECS, false) else { return };
    subject.compact(bencher, level, Subject::step);
}

/// Measures the case `sample/compact_seek_2s/67_joints/LEVEL`, long enough to outweigh the first, cold pass.
#[divan::bench(args = levels(), min_time = 0.3)]
fn compact_seek_2s(bencher: Bencher<'_, '_>, level: &str) {
    let Some(subject) = Subject::new(SHORT_SECS, false) else { return };
    subject.compact(bencher, level, Subject::jump);
}

/// Measures the case `sample/compact_seek_60s/67_joints/LEVEL`, long enough to outweigh the first, cold pass.
#[divan::bench(args = levels(), min_time = 0.3)]
fn compact_seek_60s(bencher: Bencher<'_, '_>, level: &str) {
    let Some(subject) = Subject::new(LONG_SECS, false) else { return };
    subject.compact(bencher, level, Subject::jump);
}

/// Measures the case `sample/raw/67_joints/scalar`.
#[divan::bench]
fn raw(bencher: Bencher<'_, '_>) {
    let Some(mut subject) = Subject::new(SHORT_SECS, false) else { return };
    bencher.bench_local(move || {
        let time = subject.step();
        sample_clip(&subject.clip, time, Wrap::Loop, &mut subject.pose);
    });
}

/// Measures the case `sample/raw_cursor/67_joints/scalar`.
#[divan::bench]
fn raw_cursor(bencher: Bencher<'_, '_>) {
    let Some(mut subject) = Subject::new(SHORT_SECS, false) else { return };
    bencher.bench_local(move || {
        let time = subject.step();
        let Subject { clip, cursor, pose, .. } = &mut subject;
        sample_clip_from(clip, time, Wrap::Loop, cursor, pose);
    });
}
