//! Encodes the frames of a clip, parents first.
//!
//! A joint's target makes up for what its decoded ancestors did wrong: the rotation that brings its children and a shell
//! around it closest to their true places, by least squares. Then the largest step is taken whose decoded error stays within
//! the bound.

use super::{
    blocks::{BitWriter, BlockCoefficients, TrackSegment, coefficients, padded, profile_for, widths_needed},
    chart::RotationChart,
    source::{FramedTracks, LocalTransform, SourceFrames},
};
use sinew::{
    ClipKind, JointId, Skeleton,
    asset::compressed::{
        BLOCK_FRAMES, CompressedFrames, MorphTrack, PADDING_BYTES, RotationTrack, VectorProperty, VectorTrack,
    },
    glam::{DAffine3, DMat3, DQuat, DVec3, Vec3},
};

/// What the encoder is held to.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncodeBounds<'a> {
    /// The largest error of a point, in meters.
    pub(super) meters: f64,
    /// The radius of the shell around each joint, in meters.
    pub(super) shells: &'a [f64],
    /// The largest error of a morph weight.
    pub(super) morph_weight: f64,
    /// The number of blocks of a segment.
    pub(super) segment_blocks: usize,
}

impl EncodeBounds<'_> {
    fn segment_frames(&self) -> usize {
        self.segment_blocks * BLOCK_FRAMES
    }
}

/// A point that moves rigidly with a joint.
#[derive(Clone, Copy, Debug)]
struct RigidPoint {
    /// Its place in the space of the joint.
    offset: DVec3,
    /// The largest error, relative to the bound.
    allowed: f64,
    /// Its weight in the least squares.
    weight: f64,
}

/// One encoded track: what it animates and its segments.
struct EncodedTrack<T> {
    track: T,
    segments: Vec<TrackSegment>,
}

/// The state of the encoder.
struct ClipEncoder<'a> {
    source: &'a SourceFrames,
    skeleton: &'a Skeleton,
    kind: ClipKind,
    bounds: EncodeBounds<'a>,
    /// `model_from_joint` of the source, by joint and frame.
    wanted: Vec<Vec<DAffine3>>,
    /// The products of rotations of the source.
    wanted_turns: Vec<Vec<DQuat>>,
    /// The decoded `model_from_joint`, by joint and frame.
    got: Vec<Vec<DAffine3>>,
    got_turns: Vec<Vec<DQuat>>,
    rotations: Vec<EncodedTrack<RotationTrack>>,
    vectors: Vec<EncodedTrack<VectorTrack>>,
}

/// Stores the frames of `source` within `bounds`.
pub(super) fn encode(
    source: &SourceFrames,
    skeleton: &Skeleton,
    kind: ClipKind,
    bounds: EncodeBounds<'_>,
) -> CompressedFrames {
    let mut encoder = ClipEncoder::new(source, skeleton, kind, bounds);
    for joint in skeleton.joints() {
        encoder.joint(joint);
    }
    let morphs = source.morphs.iter().map(|(slot, weights)| morph(*slot, weights, bounds)).collect();
    packed(source, bounds.segment_blocks, encoder.rotations, encoder.vectors, morphs)
}

/// The widths that every number of every segment of `source` needs.
pub(super) fn widths(
    source: &SourceFrames,
    skeleton: &Skeleton,
    kind: ClipKind,
    bounds: EncodeBounds<'_>,
) -> Vec<[u8; BLOCK_FRAMES]> {
    let mut encoder = ClipEncoder::new(source, skeleton, kind, bounds);
    skeleton.joints().for_each(|joint| encoder.joint(joint));
    let rotations = encoder.rotations.iter().flat_map(|track| &track.segments);
    let segments = rotations.chain(encoder.vectors.iter().flat_map(|track| &track.segments));
    segments.flat_map(|segment| segment.numbers.iter().map(|blocks| widths_needed(blocks))).collect()
}

impl<'a> ClipEncoder<'a> {
    fn new(
        source: &'a SourceFrames,
        skeleton: &'a Skeleton,
        kind: ClipKind,
        bounds: EncodeBounds<'a>,
    ) -> Self {
        let (mut wanted, mut wanted_turns): (Vec<Vec<DAffine3>>, Vec<Vec<DQuat>>) = Default::default();
        for joint in skeleton.joints() {
            let locals = &source.locals[joint.index()];
            let parent = skeleton.parent(joint).map(JointId::index);
            let model = |frame: usize| parent.map_or(DAffine3::IDENTITY, |p| wanted[p][frame]);
            let turn = |frame: usize| parent.map_or(DQuat::IDENTITY, |p| wanted_turns[p][frame]);
            let models = locals.iter().enumerate().map(|(f, local)| model(f) * local.affine()).collect();
            let turns = locals.iter().enumerate().map(|(f, local)| turn(f) * local.rotation).collect();
            wanted.push(models);
            wanted_turns.push(turns);
        }
        Self {
            source,
            skeleton,
            kind,
            bounds,
            wanted,
            wanted_turns,
            got: Vec::new(),
            got_turns: Vec::new(),
            rotations: Vec::new(),
            vectors: Vec::new(),
        }
    }

    fn parent_got(&self, joint: JointId, frame: usize) -> (DAffine3, DQuat) {
        self.skeleton.parent(joint).map_or((DAffine3::IDENTITY, DQuat::IDENTITY), |p| {
            (self.got[p.index()][frame], self.got_turns[p.index()][frame])
        })
    }

    /// How much of the bound the positions of a joint's children may use: more, the further down they are.
    fn child_allowance(&self, joint: JointId) -> f64 {
        let depth = self.skeleton.depth(joint) as f64;
        0.7 + 0.05 * depth / (depth + self.height(joint) as f64).max(1.0)
    }

    /// The number of joints on the longest way down from `joint`.
    fn height(&self, joint: JointId) -> usize {
        let mut highest = 0;
        let mut left = vec![(joint, 0)];
        while let Some((joint, height)) = left.pop() {
            highest = highest.max(height);
            left.extend(self.skeleton.children(joint).map(|child| (child, height + 1)));
        }
        highest
    }

    /// Encodes what moves of one joint, and decodes it.
    fn joint(&mut self, joint: JointId) {
        let framed = self.source.framed[joint.index()];
        let mut locals = self.source.locals[joint.index()].clone();
        if framed.translation {
            self.translation(joint, &mut locals);
        }
        if framed.scale {
            self.scale(joint, &mut locals);
        }
        if framed.rotation {
            self.rotation(joint, &mut locals);
        }
        let frames = 0..locals.len();
        let models = frames.clone().map(|f| self.parent_got(joint, f).0 * locals[f].affine()).collect();
        let turns = frames.map(|f| self.parent_got(joint, f).1 * locals[f].rotation).collect();
        self.got.push(models);
        self.got_turns.push(turns);
    }

    fn rest(&self, joint: JointId) -> LocalTransform {
        LocalTransform::of(&self.skeleton.rest(joint))
    }

    fn translation(&mut self, joint: JointId, locals: &mut [LocalTransform]) {
        let rest = if self.kind == ClipKind::Additive { self.rest(joint).translation } else { DVec3::ZERO };
        let wanted = &self.wanted[joint.index()];
        // The place that puts the joint where it belongs, whatever its ancestors did.
        let target = |f: usize| {
            let place = self.parent_got(joint, f).0.inverse().transform_point3(wanted[f].translation);
            let place = if place.is_finite() { place } else { locals[f].translation };
            place - rest
        };
        let targets: Vec<DVec3> = (0..locals.len()).map(target).collect();
        let allowed = self.bounds.meters * 0.5;
        let parents: Vec<DAffine3> = (0..locals.len()).map(|f| self.parent_got(joint, f).0).collect();
        let is_near = |f: usize, value: DVec3| {
            let got = parents[f].transform_point3(value + rest);
            (got - wanted[f].translation).length() <= allowed
        };
        let encoded =
            vector_track(joint, VectorProperty::Translation, &targets, self.bounds.segment_frames(), is_near);
        let decoded = encoded.decoded(locals.len());
        locals.iter_mut().zip(decoded).for_each(|(local, value)| local.translation = value + rest);
        self.vectors.push(encoded.track);
    }

    fn scale(&mut self, joint: JointId, locals: &mut [LocalTransform]) {
        let rest = if self.kind == ClipKind::Additive { self.rest(joint).scale } else { DVec3::ONE };
        let divisor = |n: f64| if n == 0.0 { 1.0 } else { n };
        let by = DVec3::new(divisor(rest.x), divisor(rest.y), divisor(rest.z));
        let targets: Vec<DVec3> = locals.iter().map(|local| local.scale / by).collect();
        // The furthest point that the scale moves, below this joint.
        let arm = self.reach_below(joint);
        let allowed = self.bounds.meters * 0.3;
        let size: Vec<f64> = (0..locals.len())
            .map(|f| self.parent_got(joint, f).0.matrix3.x_axis.length().max(1e-6))
            .collect();
        let is_near = |f: usize, value: DVec3| {
            ((value - targets[f]) * by).abs().max_element() * arm * size[f] <= allowed
        };
        let encoded =
            vector_track(joint, VectorProperty::Scale, &targets, self.bounds.segment_frames(), is_near);
        let decoded = encoded.decoded(locals.len());
        locals.iter_mut().zip(decoded).for_each(|(local, value)| local.scale = value * by);
        self.vectors.push(encoded.track);
    }

    /// The length of the longest chain below a joint at rest, shell included.
    fn reach_below(&self, joint: JointId) -> f64 {
        let mut furthest: f64 = self.bounds.shells[joint.index()];
        let mut left = vec![(joint, 0.0)];
        while let Some((joint, length)) = left.pop() {
            for child in self.skeleton.children(joint) {
                let length = length + self.rest(child).translation.length();
                furthest = furthest.max(length + self.bounds.shells[child.index()]);
                left.push((child, length));
            }
        }
        furthest
    }

    /// The points that follow a joint rigidly: its shell, its children, and all of the children that never move.
    fn points(&self, joint: JointId) -> Vec<RigidPoint> {
        let allowed = self.child_allowance(joint);
        let mut points = shell(DAffine3::IDENTITY, self.bounds.shells[joint.index()]);
        let mut left = vec![(joint, DAffine3::IDENTITY)];
        while let Some((parent, joint_from_parent)) = left.pop() {
            for child in self.skeleton.children(parent) {
                let framed: FramedTracks = self.source.framed[child.index()];
                if framed.translation {
                    continue;
                }
                let local = &self.source.locals[child.index()][0];
                let here = joint_from_parent * local.affine();
                let is_still = !framed.any() && !self.is_keyed(child);
                let allowed = if is_still { 1.0 } else { allowed };
                points.push(RigidPoint { offset: here.translation, allowed, weight: 1.0 });
                if is_still {
                    points.extend(shell(here, self.bounds.shells[child.index()]));
                    left.push((child, here));
                }
            }
        }
        points
    }

    /// True if a joint turns by keys of its own, which cannot make up for anything.
    fn is_keyed(&self, joint: JointId) -> bool {
        self.source.keyed.iter().any(|c| c.joint() == Some(joint) && c.key_count() > 1)
    }

    fn rotation(&mut self, joint: JointId, locals: &mut [LocalTransform]) {
        let index = joint.index();
        let points = self.points(joint);
        let before =
            if self.kind == ClipKind::Additive { self.rest(joint).rotation } else { DQuat::IDENTITY };
        let parents: Vec<(DAffine3, DQuat)> = (0..locals.len()).map(|f| self.parent_got(joint, f)).collect();
        let wanted = &self.wanted[index];
        let targets: Vec<DQuat> = (0..locals.len())
            .map(|f| {
                let (parent, turn) = parents[f];
                let off = parent.transform_point3(locals[f].translation) - wanted[f].translation;
                let correction = correction(&points, &wanted[f], off);
                let target = turn.inverse() * correction * self.wanted_turns[index][f];
                (before.inverse() * target).normalize()
            })
            .collect();
        let chart = RotationChart::of(&targets);
        let bound = self.bounds.meters;
        // The largest error of a point, relative to what it is allowed.
        let error = |f: usize, rotation: DQuat| {
            let local = LocalTransform { rotation: before * rotation, ..locals[f] };
            let got = parents[f].0 * local.affine();
            let of_point = |point: &RigidPoint| {
                let off = got.transform_point3(point.offset) - wanted[f].transform_point3(point.offset);
                off.length_squared() / point.allowed.powi(2)
            };
            points.iter().map(of_point).fold(0.0, f64::max).sqrt() / bound
        };
        let mut segments = Vec::new();
        let mut decoded = Vec::with_capacity(targets.len());
        for first in (0..targets.len()).step_by(self.bounds.segment_frames()) {
            let frames = first..(first + self.bounds.segment_frames()).min(targets.len());
            let numbers = chart_numbers(&chart, &targets[frames.clone()]);
            let numbers = [0, 1, 2].map(|n| coefficients(&numbers[n]));
            let rotations = |segment: &TrackSegment| {
                let values = segment.frames(1.0);
                frames.clone().map(move |f| {
                    let at = f - first;
                    (f, chart.rotation(DVec3::new(values[0][at], values[1][at], values[2][at])))
                })
            };
            // Where not even the exact rotations are within the bound, little may be added to their error.
            let exact = frames.clone().map(|f| error(f, targets[f])).fold(0.0, f64::max);
            let limit = (exact + 0.03).max(1.0);
            let fits =
                |segment: &TrackSegment| rotations(segment).all(|(f, rotation)| error(f, rotation) <= limit);
            let segment = largest_step(&numbers, 1.0, fits);
            decoded.extend(rotations(&segment).map(|(_, rotation)| rotation));
            segments.push(segment);
        }
        locals.iter_mut().zip(decoded).for_each(|(local, rotation)| local.rotation = before * rotation);
        let [mean, axes] = chart.packed;
        let track = RotationTrack { joint, mean, axes };
        self.rotations.push(EncodedTrack { track, segments });
    }
}

/// Six points around a joint at `joint_from_here`.
fn shell(joint_from_here: DAffine3, radius: f64) -> Vec<RigidPoint> {
    let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let point = |axis: DVec3| RigidPoint {
        offset: joint_from_here.transform_point3(axis * radius),
        allowed: 1.0,
        weight: 0.25,
    };
    axes.map(point).to_vec()
}

/// The rotation in model space that brings `points` closest to where they belong, if their joint is `off` its place.
///
/// Minimizes Σ w |off + ω × r|² over small rotations ω.
fn correction(points: &[RigidPoint], model_from_joint: &DAffine3, off: DVec3) -> DQuat {
    let mut matrix = DMat3::ZERO;
    let mut side = DVec3::ZERO;
    for point in points {
        let r = model_from_joint.transform_vector3(point.offset);
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        matrix += (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer) * point.weight;
        side -= r.cross(off) * point.weight;
    }
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let matrix = matrix + DMat3::from_diagonal(DVec3::splat(1e-9 * trace + 1e-18));
    let turn = matrix.inverse() * side;
    if !(turn.is_finite() && turn.length() < 0.2) {
        return DQuat::IDENTITY;
    }
    // The sum of squares may shrink while one point gets further away than it was: then only a part of the turn is made.
    let worst = |part: f64| {
        let turn = turn * part;
        let of_point = |point: &RigidPoint| {
            let r = model_from_joint.transform_vector3(point.offset);
            (off + turn.cross(r)).length_squared() / point.allowed.powi(2)
        };
        points.iter().map(of_point).fold(0.0, f64::max)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..8 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if worst(a) < worst(b) { high = b } else { low = a }
    }
    DQuat::from_scaled_axis(turn * (low + high) * 0.5)
}

/// The largest size of a number of a block whose rotations follow each other across the far side of the chart.
const FAR: f64 = 4.0;

/// The numbers of rotations; each block is on the side where they change least.
fn chart_numbers(chart: &RotationChart, rotations: &[DQuat]) -> [Vec<f64>; 3] {
    let mut out: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(rotations.len() + BLOCK_FRAMES));
    for block in rotations.chunks(BLOCK_FRAMES) {
        let near: Vec<DQuat> = block.iter().map(|rotation| chart.relative(*rotation)).collect();
        let from = |first: DQuat| -> Vec<DVec3> {
            let mut before = first;
            let next = near.iter().map(|rotation| {
                before = if rotation.dot(before) < 0.0 { -*rotation } else { *rotation };
                chart.numbers(before)
            });
            next.collect()
        };
        let each = near.iter().map(|rotation| chart.numbers(*rotation)).collect();
        let change = |numbers: &Vec<DVec3>| -> f64 {
            let is_far = numbers.iter().any(|m| m.length_squared() > FAR * FAR);
            let sum: f64 = numbers.windows(2).map(|pair| pair[0].distance_squared(pair[1])).sum();
            if is_far { f64::INFINITY } else { sum }
        };
        let sides = [each, from(near[0]), from(-near[0])];
        let best = sides.into_iter().min_by(|a, b| change(a).total_cmp(&change(b))).unwrap_or_default();
        for (n, numbers) in out.iter_mut().enumerate() {
            numbers.extend(best.iter().map(|m| m[n]));
        }
    }
    out.map(padded)
}

/// The finest step byte whose whole numbers have at most 24 bits.
fn finest_step(numbers: &[BlockCoefficients], base: f64) -> u8 {
    let largest = numbers.iter().flatten().flatten().map(|c| c.abs()).fold(0.0, f64::max);
    let halvings = (f64::from((1 << 23) - 2) * base / largest.max(f64::MIN_POSITIVE)).log2();
    (8.0 * halvings).floor().clamp(0.0, 255.0) as u8
}

/// The segment with the largest step that fits, or the finest if none does.
fn largest_step(
    numbers: &[BlockCoefficients],
    base: f64,
    fits: impl Fn(&TrackSegment) -> bool,
) -> TrackSegment {
    let of_step = |step: u8| TrackSegment::new(numbers, step, base);
    let (mut too_large, mut good) = (-1_i16, i16::from(finest_step(numbers, base)));
    while too_large + 1 < good {
        let middle = (too_large + good) / 2;
        if fits(&of_step(middle as u8)) { good = middle } else { too_large = middle }
    }
    // A coarser step may fit by luck and need fewer bits.
    let best = of_step(good as u8);
    let coarser = ((good - 6).max(0)..good).map(|step| of_step(step as u8));
    let best = coarser.into_iter().find(|other| other.bits() < best.bits() && fits(other)).unwrap_or(best);
    without_peaks(best, fits)
}

/// Limits single coefficients that would give all blocks of a segment another bit, where the error allows it.
fn without_peaks(mut segment: TrackSegment, fits: impl Fn(&TrackSegment) -> bool) -> TrackSegment {
    for n in 0..segment.numbers.len() {
        for k in (0..BLOCK_FRAMES).rev() {
            while let Some(smaller) = segment.limited(n, k).filter(&fits) {
                segment = smaller;
            }
        }
    }
    segment
}

/// A vector track with the values that its bytes stand for.
struct EncodedVectors {
    track: EncodedTrack<VectorTrack>,
    mean: DVec3,
    base: f64,
}

impl EncodedVectors {
    fn decoded(&self, count: usize) -> Vec<DVec3> {
        let frames = self.track.segments.iter().flat_map(|segment| {
            let values = segment.frames(self.base);
            (0..values[0].len()).map(move |f| DVec3::new(values[0][f], values[1][f], values[2][f]))
        });
        frames.take(count).map(|value| self.mean + value).collect()
    }
}

fn vector_track(
    joint: JointId,
    property: VectorProperty,
    targets: &[DVec3],
    segment_frames: usize,
    is_near: impl Fn(usize, DVec3) -> bool,
) -> EncodedVectors {
    let mean: Vec3 = (targets.iter().sum::<DVec3>() / targets.len().max(1) as f64).as_vec3();
    let (mean, wide) =
        (mean, targets.iter().map(|t| (*t - mean.as_dvec3()).abs().max_element()).fold(1e-6, f64::max));
    let base_exponent = wide.log2().ceil() as i8;
    let (base, origin) = (f64::from(base_exponent).exp2(), mean.as_dvec3());
    let mut segments = Vec::new();
    for first in (0..targets.len()).step_by(segment_frames) {
        let end = (first + segment_frames).min(targets.len());
        let number =
            |n: usize| padded(targets[first..end].iter().map(|target| (*target - origin)[n]).collect());
        let numbers = [0, 1, 2].map(|n| coefficients(&number(n)));
        let fits = |segment: &TrackSegment| {
            let values = segment.frames(base);
            (first..end).all(|f| {
                let at = f - first;
                is_near(f, origin + DVec3::new(values[0][at], values[1][at], values[2][at]))
            })
        };
        segments.push(largest_step(&numbers, base, fits));
    }
    let track = VectorTrack { joint, property, mean, base_exponent };
    EncodedVectors { track: EncodedTrack { track, segments }, mean: origin, base }
}

fn morph(slot: usize, weights: &[f64], bounds: EncodeBounds<'_>) -> EncodedTrack<MorphTrack> {
    let mean = (weights.iter().sum::<f64>() / weights.len().max(1) as f64) as f32;
    let origin = f64::from(mean);
    let wide = weights.iter().map(|w| (w - origin).abs()).fold(1e-6, f64::max);
    let base_exponent = wide.log2().ceil() as i8;
    let base = f64::from(base_exponent).exp2();
    let mut segments = Vec::new();
    for frames in weights.chunks(bounds.segment_frames()) {
        let frames: Vec<f64> = frames.iter().map(|weight| weight - origin).collect();
        let fits = |segment: &TrackSegment| {
            let got = &segment.frames(base)[0];
            got.iter().zip(&frames).all(|(got, want)| (got - want).abs() <= bounds.morph_weight * 0.97)
        };
        segments.push(largest_step(&[coefficients(&padded(frames.clone()))], base, fits));
    }
    EncodedTrack { track: MorphTrack { slot, mean, base_exponent }, segments }
}

/// Joins the tracks into the bytes of segments.
fn packed(
    source: &SourceFrames,
    segment_blocks: usize,
    rotations: Vec<EncodedTrack<RotationTrack>>,
    vectors: Vec<EncodedTrack<VectorTrack>>,
    morphs: Vec<EncodedTrack<MorphTrack>>,
) -> CompressedFrames {
    let mut frames = CompressedFrames {
        rate_hz: source.rate_hz,
        frame_count: source.frame_count(),
        is_loop: source.is_loop,
        segment_blocks,
        ..CompressedFrames::default()
    };
    let mut segments: Vec<Vec<TrackSegment>> = Vec::new();
    for track in rotations {
        frames.rotations.push(track.track);
        segments.push(track.segments);
    }
    for track in vectors {
        frames.vectors.push(track.track);
        segments.push(track.segments);
    }
    for track in morphs {
        frames.morphs.push(track.track);
        segments.push(track.segments);
    }
    for (index, first) in (0..frames.frame_count).step_by(frames.segment_frames()).enumerate() {
        let stored = (frames.frame_count - first).min(frames.segment_frames());
        let tracks: Vec<&TrackSegment> = segments.iter().map(|track| &track[index]).collect();
        let bytes = segment_bytes(&frames, &tracks, stored.div_ceil(BLOCK_FRAMES));
        frames.data.extend(bytes);
    }
    frames.data.extend([0; PADDING_BYTES]);
    frames
}

/// The header and the blocks of a segment.
fn segment_bytes(frames: &CompressedFrames, tracks: &[&TrackSegment], blocks: usize) -> Vec<u8> {
    let (mut bytes, mut first, mut numbers) = (Vec::new(), 0, Vec::new());
    for (count, size) in frames.groups() {
        let group = &tracks[first..first + size];
        first += size;
        bytes.extend(group.iter().map(|track| track.step));
        for n in 0..count {
            for track in group {
                let profile = profile_for(widths_needed(&track.numbers[n])).0;
                bytes.push(profile);
                numbers.push((&track.numbers[n], profile));
            }
        }
    }
    for block in 0..blocks {
        let mut bits = BitWriter::default();
        numbers.iter().for_each(|(of_blocks, profile)| bits.put_block(of_blocks[block], *profile));
        bytes.extend(bits.into_bytes());
    }
    bytes
}
