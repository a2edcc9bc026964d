use super::*;
use crate::sinew_samples;
use crate::{Character, Wrap, sample_clip};

const FPS: f32 = 60.0;

struct Walker {
    figure: Character,
    placement: FootPlacement,
    legs: [Leg; 2],
    state: WalkState,
    model: ModelPose,
    pose: LocalPose,
}

impl Walker {
    fn new() -> Self {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let leg = |side: &str| {
            let joints = ["thigh", "shin", "foot"].map(|n| skeleton.find(&format!("{n}.{side}")).unwrap());
            Leg::standing(skeleton, joints, Vec3::Y).unwrap()
        };
        let legs = [leg("L"), leg("R")];
        let hips = skeleton.find("hips").unwrap();
        let placement = FootPlacement::new(skeleton, hips, &legs, FootOptions::default()).unwrap();
        let (state, model, pose) = (placement.state(), ModelPose::new(skeleton), figure.rest_pose());
        Self { placement, legs, state, model, pose, figure }
    }

    fn soles(&self) -> [Vec3; 2] {
        self.legs.map(|leg| self.model.joint(leg.ankle).transform_point3(leg.sole))
    }

    /// The walk at `seconds` on the plane, with as many loops behind it.
    fn sample(&mut self, seconds: f32) {
        let walk = self.figure.find_clip("walk").unwrap();
        let loops = (seconds / walk.duration_secs()).floor();
        sample_clip(walk, seconds, Wrap::Loop, &mut self.pose);
        self.pose.joints[0].translation.z += loops * 1.32 * walk.duration_secs();
        self.model.update(self.figure.skeleton(), &self.pose);
    }

    fn place(&mut self, weight: f32, ground: impl Fn(Vec3) -> Option<GroundHit>) {
        let frame = FootFrame { seconds: 1.0 / FPS, weight };
        let Self { figure, placement, state, model, pose, .. } = self;
        placement.apply(&frame, ground, figure.skeleton(), state, model, pose);
    }

    /// The sine by which a knee is bent, positive as it is bent at rest.
    fn bend(&self, leg: &Leg) -> f32 {
        let [hip, knee, ankle] =
            [leg.hip, leg.knee, leg.ankle].map(|j| Vec3::from(self.model.joint(j).translation));
        let bend = (knee - hip).normalize().cross((ankle - knee).normalize());
        // A knee bends by a negative turn about its X.
        -bend.dot(self.model.joint(leg.hip).transform_vector3(Vec3::X))
    }
}

/// Steps of uneven height, up and down.
fn steps(point: Vec3) -> Option<GroundHit> {
    let heights = [0.0, 0.12, 0.26, 0.3, 0.18, 0.05, -0.1, 0.02];
    let at = (point.z / 0.5).floor().max(0.0) as usize;
    let height = heights[at % heights.len()];
    Some(GroundHit { point: point.with_y(height), normal: Vec3::Y })
}

#[test]
fn planted_soles_stand_on_the_steps_and_knees_never_bend_backwards() {
    let mut walker = Walker::new();
    let (mut planted, mut crossing) = (0, 0);
    let mut last: Option<f32> = None;
    for frame in 0..360_u16 {
        walker.sample(f32::from(frame) / FPS);
        let before = walker.soles();
        walker.place(1.0, steps);
        let after = walker.soles();
        for ((before, after), (leg, foot)) in
            before.into_iter().zip(after).zip(walker.legs.iter().zip(&walker.state.feet))
        {
            assert!(walker.bend(leg) > 0.0, "frame {frame}: {}", walker.bend(leg));
            crossing += usize::from(foot.crosses && before.y < 2e-3);
            if before.y < 2e-3 && !foot.crosses {
                planted += 1;
                let height = after.y - steps(after).unwrap().point.y;
                assert!((height - before.y).abs() < 1e-4, "frame {frame}: {height} m above the ground");
                assert!(height.abs() < 1e-3 || before.y.abs() > 1e-3);
                assert!(before.with_y(0.0).distance(after.with_y(0.0)) < 1e-4, "feet do not slide");
                assert!(foot.reach.reached && foot.planted > 0.999, "{foot:?}");
            }
        }
        let hips = walker.model.joints()[1].translation.y;
        assert!(
            last.is_none_or(|last| (hips - last).abs() < 0.1),
            "frame {frame}: the pelvis jumps from {last:?} to {hips}"
        );
        last = Some(hips);
    }
    assert!(planted > 150 && crossing < 40, "{planted} planted, {crossing} across an edge");
}

#[test]
fn on_the_plane_the_walk_stays_the_walk() {
    let mut walker = Walker::new();
    let mut unplaced = Walker::new();
    for frame in 0..64_u16 {
        walker.sample(f32::from(frame) / FPS);
        unplaced.sample(f32::from(frame) / FPS);
        walker.place(1.0, |p| Some(GroundHit { point: p.with_y(0.0), normal: Vec3::Y }));
        for (a, b) in walker.model.joints().iter().zip(unplaced.model.joints()) {
            assert!(a.translation.distance(b.translation) < 1e-3, "frame {frame}");
        }
    }
}

#[test]
fn soles_lie_on_a_slope() {
    let normal = Vec3::new(0.1, 1.0, -0.2).normalize();
    let mut walker = Walker::new();
    let slope = |p: Vec3| {
        let height = -(normal.x * p.x + normal.z * p.z) / normal.y;
        Some(GroundHit { point: p.with_y(height), normal })
    };
    let flat = walker.figure.rest_pose();
    walker.pose = flat;
    walker.model.update(walker.figure.skeleton(), &walker.pose);
    let at_rest = walker.legs.map(|leg| walker.model.joint(leg.ankle));
    walker.place(1.0, slope);
    for ((leg, rest), sole) in walker.legs.iter().zip(at_rest).zip(walker.soles()) {
        assert!((sole - slope(sole).unwrap().point).length() < 1e-3);
        let turned = walker.model.joint(leg.ankle).matrix3 * rest.matrix3.inverse();
        assert!(Vec3::from(turned * glam::Vec3A::Y).distance(normal) < 1e-3);
    }
}

#[test]
fn weight_zero_and_missing_ground_leave_the_pose() {
    let mut walker = Walker::new();
    walker.sample(0.4);
    let before = walker.pose.clone();
    walker.place(0.0, steps);
    assert_eq!(walker.pose, before);
    let mut lost = Walker::new();
    lost.sample(0.4);
    lost.place(1.0, |_| None);
    for (a, b) in lost.pose.joints.iter().zip(&before.joints) {
        assert!(
            a.rotation.dot(b.rotation).abs() > 1.0 - 1e-5 && a.translation.distance(b.translation) < 1e-4
        );
    }
}

#[test]
fn ground_that_is_too_deep_or_not_finite_is_ignored() {
    for height in [-5.0, f32::NAN, f32::INFINITY] {
        let mut walker = Walker::new();
        walker.sample(0.2);
        walker.place(1.0, |p| Some(GroundHit { point: p.with_y(height), normal: Vec3::NAN }));
        assert!(walker.pose.joints.iter().all(Transform::is_finite));
        assert!(walker.state.feet.iter().all(|f| f.planted == 0.0 && f.raised == 0.0));
    }
}

#[test]
fn refuses_legs_that_do_not_hang_on_the_pelvis() {
    let walker = Walker::new();
    let skeleton = walker.figure.skeleton();
    let new = |pelvis, options| FootPlacement::new(skeleton, pelvis, &walker.legs, options);
    let head = skeleton.find("head").unwrap();
    assert!(matches!(new(head, FootOptions::default()), Err(IkError::NotAbove { .. })));
    let hips = skeleton.find("hips").unwrap();
    let flat = FootOptions { up: Vec3::ZERO, ..FootOptions::default() };
    assert!(matches!(new(hips, flat), Err(IkError::NoDirection { .. })));
    let upside_down = FootOptions { lifted_above: 0.0, ..FootOptions::default() };
    assert!(matches!(new(hips, upside_down), Err(IkError::BadNumber { .. })));
}
