//! Low-pass filtering of poses, without delay.

use crate::markers::body::MarkerBody;
use sinew::{
    JointId, LocalPose,
    glam::{Quat, Vec4},
};
use std::f64::consts::PI;

/// A Butterworth filter of fourth order, run forwards and backwards: no delay, and half the amplitude at the cutoff.
struct LowPass {
    sections: [FilterSection; 2],
}

/// A filter of second order.
struct FilterSection {
    b: [f64; 3],
    a: [f64; 2],
}

/// The quality of the two sections, which together are as flat as possible below the cutoff.
const QUALITY: [f64; 2] = [0.541_196_100_146_197, 1.306_562_964_876_377];

impl LowPass {
    fn new(cutoff_hz: f64, rate_hz: f64) -> Self {
        let w = (PI * (cutoff_hz / rate_hz).min(0.49)).tan();
        let section = |quality: f64| {
            let scale = 1.0 / (1.0 + w / quality + w * w);
            let b = w * w * scale;
            let a = [2.0 * (w * w - 1.0) * scale, (1.0 - w / quality + w * w) * scale];
            FilterSection { b: [b, 2.0 * b, b], a }
        };
        Self { sections: QUALITY.map(section) }
    }

    fn run(&self, values: &mut [f64]) {
        for _ in 0..2 {
            self.sections.iter().for_each(|section| section.pass(values));
            values.reverse();
        }
    }

    /// Filters one number of every pose, continued at both ends by its point reflection.
    fn track(&self, values: &[f64]) -> Vec<f64> {
        let count = values.len();
        let pad = count.saturating_sub(1).min(64);
        let (first, last) = (values[0], values[count - 1]);
        let mut padded: Vec<f64> = (1..=pad).rev().map(|k| 2.0 * first - values[k]).collect();
        padded.extend_from_slice(values);
        padded.extend((1..=pad).map(|k| 2.0 * last - values[count - 1 - k]));
        self.run(&mut padded);
        padded[pad..pad + count].to_vec()
    }
}

impl FilterSection {
    /// One pass, as if the first value had been there forever.
    fn pass(&self, values: &mut [f64]) {
        let first = values.first().copied().unwrap_or(0.0);
        let (mut x, mut y) = ([first; 2], [first; 2]);
        for value in values {
            let input = *value;
            let output =
                self.b[0] * input + self.b[1] * x[0] + self.b[2] * x[1] - self.a[0] * y[0] - self.a[1] * y[1];
            (x, y) = ([input, x[0]], [output, y[0]]);
            *value = output;
        }
    }
}

/// Removes what is faster than `cutoff_hz` from the rotations of all joints and the position of the root.
pub(in crate::markers) fn low_pass(
    body: &MarkerBody<'_>,
    poses: &mut [LocalPose],
    cutoff_hz: f32,
    rate_hz: f32,
) {
    // A cutoff near half the rate would change nothing.
    if poses.len() < 3 || cutoff_hz >= 0.45 * rate_hz {
        return;
    }
    let filter = LowPass::new(cutoff_hz.into(), rate_hz.into());
    let root = body.root().index();
    for axis in 0..3 {
        let values: Vec<f64> = poses.iter().map(|p| p.joints[root].translation[axis].into()).collect();
        for (pose, value) in poses.iter_mut().zip(filter.track(&values)) {
            pose.joints[root].translation[axis] = value as f32;
        }
    }
    for joint in &body.joints {
        smooth_rotation(&filter, poses, joint.joint);
    }
}

fn smooth_rotation(filter: &LowPass, poses: &mut [LocalPose], joint: JointId) {
    let mut before = poses[0].joints[joint.index()].rotation;
    let rotations: Vec<Vec4> = poses
        .iter()
        .map(|pose| {
            let rotation = pose.joints[joint.index()].rotation;
            before = if rotation.dot(before) < 0.0 { -rotation } else { rotation };
            before.into()
        })
        .collect();
    let parts: [Vec<f64>; 4] = std::array::from_fn(|k| {
        filter.track(&rotations.iter().map(|q| f64::from(q[k])).collect::<Vec<f64>>())
    });
    for (frame, pose) in poses.iter_mut().enumerate() {
        let smoothed = Vec4::from_array(std::array::from_fn(|k| parts[k][frame] as f32));
        let kept = rotations[frame];
        pose.joints[joint.index()].rotation =
            Quat::from_vec4(smoothed.try_normalize().unwrap_or(kept)).normalize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_waves_pass_and_fast_ones_do_not() {
        let filter = LowPass::new(8.0, 120.0);
        let amplitude = |hz: f64| {
            let wave: Vec<f64> = (0..480).map(|k| (2.0 * PI * hz * f64::from(k) / 120.0).sin()).collect();
            filter.track(&wave)[120..360].iter().fold(0.0_f64, |m, v| m.max(v.abs()))
        };
        assert!(amplitude(1.0) > 0.99, "{}", amplitude(1.0));
        assert!((0.35..0.8).contains(&amplitude(8.0)), "{}", amplitude(8.0));
        assert!(amplitude(30.0) < 0.02, "{}", amplitude(30.0));
        assert!(filter.track(&[3.0; 9]).iter().all(|v| (v - 3.0).abs() < 1e-12), "a constant stays");
    }
}
