//! How far compression moves vertices, measured on deformed characters.

use sinew::{
    Character, Frame, Method, Wrap,
    glam::{Quat, Vec3},
};

/// The largest differences over all poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CompressionError {
    pub(super) max_mm: f64,
    /// The largest angle between normals, in degrees, at rest.
    pub(super) normals_degrees: f64,
}

/// Poses of all clips together, at most.
const MAX_CLIP_POSES: usize = 64;

/// How far each joint is turned in the poses that no clip has.
const TURN_RADIANS: f32 = 0.5;

/// The diagonal of the box around the character at rest, in millimeters.
pub(super) fn diagonal_mm(character: &Character) -> f64 {
    let frame = deformed(Frame::new(character));
    let points = || frame.deformed().iter().flat_map(|streams| &streams.positions);
    let (min, max) =
        points().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), p| (min.min(*p), max.max(*p)));
    if min.cmple(max).all() { f64::from(min.distance(max)) * 1000.0 } else { 0.0 }
}

/// Compares two characters with the same joints, meshes and clips: at rest, at times of every clip, with all morph targets
/// applied, and with every joint turned about each axis.
pub(super) fn measure(before: &Character, after: &Character) -> CompressionError {
    let mut out = CompressionError::default();
    let mut frames = [before, after].map(Frame::new);
    frames = frames.map(deformed);
    out.normals_degrees = normals_degrees(&frames);
    out.add(&frames);
    let clips = before.clips().len().min(after.clips().len());
    let times = MAX_CLIP_POSES.checked_div(clips).unwrap_or(0).clamp(3, 17);
    for clip in 0..clips {
        for step in 0..times {
            let part = step as f32 / (times - 1) as f32;
            for (frame, character) in frames.iter_mut().zip([before, after]) {
                let clip = &character.clips()[clip];
                frame.reset();
                frame.sample(clip, clip.duration_secs() * part, Wrap::Clamp);
            }
            frames = frames.map(deformed);
            out.add(&frames);
        }
    }
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        frames.iter_mut().for_each(Frame::reset);
        turn_joints(&mut frames, Quat::from_axis_angle(axis, TURN_RADIANS));
        frames = frames.map(deformed);
        out.add(&frames);
    }
    out
}

/// Turns every joint and applies every morph target. Joints that took the scale of their mesh have another origin, which
/// nothing may turn.
fn turn_joints([before, after]: &mut [Frame; 2], turn: Quat) {
    for (before, after) in before.local_mut().joints.iter_mut().zip(&mut after.local_mut().joints) {
        if before == after {
            before.rotation *= turn;
            after.rotation *= turn;
        }
    }
    [before, after].into_iter().for_each(|frame| frame.local_mut().morphs.fill(1.0));
}

/// The frame with its vertices deformed. Linear blend skinning refuses no character.
fn deformed(mut frame: Frame) -> Frame {
    frame.update();
    let _ = frame.deform(Method::Linear);
    frame
}

impl CompressionError {
    fn add(&mut self, frames: &[Frame; 2]) {
        let [before, after] = frames;
        for (before, after) in before.deformed().iter().zip(after.deformed()) {
            let far = before.positions.iter().zip(&after.positions).map(|(a, b)| a.distance_squared(*b));
            let far = f64::from(far.fold(0.0, f32::max)).sqrt() * 1000.0;
            self.max_mm = self.max_mm.max(far);
        }
    }
}

fn normals_degrees([before, after]: &[Frame; 2]) -> f64 {
    let pairs = before.deformed().iter().zip(after.deformed());
    let angles = pairs.flat_map(|(before, after)| before.normals.iter().zip(&after.normals)).map(|(a, b)| {
        let (a, b) = (a.normalize_or_zero(), b.normalize_or_zero());
        if a == Vec3::ZERO || b == Vec3::ZERO { 0.0 } else { a.cross(b).length().atan2(a.dot(b)) }
    });
    f64::from(angles.fold(0.0, f32::max)).to_degrees()
}
