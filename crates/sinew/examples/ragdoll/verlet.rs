//! A tiny Verlet simulation of points and rods, in place of a physics engine.

use sinew::glam::Vec3;

/// The length of a frame in seconds.
pub(crate) const DT_SECS: f32 = 1.0 / 60.0;
const FALL_PER_STEP: Vec3 = Vec3::new(0.0, -9.81 * DT_SECS * DT_SECS, 0.0);

/// The points of the ragdoll, by joint.
#[rustfmt::skip]
pub(crate) const POINTS: [&str; 15] = [
    "hips", "spine_upper", "head", "upper_arm.L", "forearm.L", "hand.L", "upper_arm.R", "forearm.R", "hand.R",
    "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R",
];
/// Pairs of points that keep their distance: bones, and braces that hold the trunk together.
#[rustfmt::skip]
const RODS: [[usize; 2]; 23] = [
    [0, 1], [1, 2], [1, 3], [3, 4], [4, 5], [1, 6], [6, 7], [7, 8], [0, 9], [9, 10], [10, 11], [0, 12], [12, 13],
    [13, 14], [3, 6], [9, 12], [2, 3], [2, 6], [3, 9], [6, 12], [3, 12], [6, 9], [0, 2],
];
/// Bones that point from one point to another, and how far they follow physics: the forearms keep some of the clip.
#[rustfmt::skip]
pub(crate) const LIMBS: [(usize, usize, f32); 9] = [
    (1, 2, 1.0), (3, 4, 1.0), (4, 5, 0.7), (6, 7, 1.0), (7, 8, 0.7), (9, 10, 1.0), (10, 11, 1.0), (12, 13, 1.0),
    (13, 14, 1.0),
];

/// The points in model space, in meters.
pub(crate) type Points = [Vec3; 15];

/// A falling body: points in meters that rods hold together.
pub(crate) struct Ragdoll {
    /// Where each point is in model space, in meters.
    pub(crate) now: Points,
    before: Points,
    lengths: [f32; 23],
}

impl Ragdoll {
    /// Continues from two poses of the clip: the points keep their velocity.
    pub(crate) fn new(now: Points, before: Points) -> Self {
        Self { now, before, lengths: RODS.map(|[a, b]| now[a].distance(now[b])) }
    }

    /// Moves all points on by one frame.
    pub(crate) fn step(&mut self) {
        for (now, before) in self.now.iter_mut().zip(&mut self.before) {
            let moved = *now + (*now - *before) * 0.99 + FALL_PER_STEP;
            *before = std::mem::replace(now, moved);
        }
        for _ in 0..10 {
            for ([a, b], length) in RODS.into_iter().zip(self.lengths) {
                let rod = self.now[b] - self.now[a];
                let off = rod * (0.5 * (1.0 - length / rod.length().max(1e-6)));
                self.now[a] += off;
                self.now[b] -= off;
            }
            for (now, before) in self.now.iter_mut().zip(&mut self.before) {
                if now.y < 0.06 {
                    now.y = 0.06;
                    *before = before.lerp(*now, 0.1); // friction
                }
            }
        }
    }
}
