//! Footfalls stay in order while a walk blends into a run.

use super::stage::GraphStage;
use sinew::ModelPose;

const GAIT: &str = r#"(
    parameters: {"speed": Float(1.32)},
    sync: {"gait": ["footfall.left", "footfall.right"]},
    nodes: {
        "walk": Clip(clip: "walk", sync: "gait"),
        "run": Clip(clip: "run", sync: "gait"),
        "go": BlendSpace1d(x: "speed", points: [(1.32, "walk"), (3.5, "run")]),
    },
    output: "go",
)"#;

/// Time steps of irregular length, in seconds.
fn uneven(step: u16) -> f32 {
    0.004 + 0.021 * (f32::from(step) * 0.754).sin().abs()
}

#[test]
fn from_walk_to_run_and_back_every_foot_lands_once_in_turn() {
    let figure = sinew_samples::figure();
    let mut stage = GraphStage::figure(GAIT);
    let feet = ["foot.L", "foot.R"].map(|name| figure.skeleton().find(name).unwrap());
    let mut model = ModelPose::new(figure.skeleton());
    let (mut falls, mut landings) = (Vec::new(), [0_usize; 2]);
    // The height of each foot when it was last clearly in the air, to count landings in the pose.
    let mut is_up = [false; 2];
    for step in 0..1500_u16 {
        let along = f32::from(step) / 1500.0;
        stage.set("speed", 1.0 + 3.0 * (along * std::f32::consts::PI).sin());
        let now = stage.step(uneven(step));
        falls.extend(now.events().map(|e| e.event.name.clone()));
        for event in now.events() {
            assert!((event.weight - 1.0).abs() < 1e-5, "{event:?}");
        }
        model.update(figure.skeleton(), now.pose());
        let heights = feet.map(|foot| model.joint(foot).translation.y);
        for side in 0..2 {
            // One foot carries the body: the other is in the air if it is higher by 6 cm.
            let above = heights[side] - heights[1 - side];
            if above > 0.06 {
                is_up[side] = true;
            } else if is_up[side] && above < -0.02 {
                (is_up[side], landings[side]) = (false, landings[side] + 1);
            }
        }
    }
    assert!(falls.len() > 50, "{}", falls.len());
    for pair in falls.windows(2) {
        assert_ne!(pair[0], pair[1], "a foot lands twice in a row");
    }
    for (side, name) in ["footfall.left", "footfall.right"].into_iter().enumerate() {
        let events = falls.iter().filter(|f| *f == name).count();
        assert!(landings[side].abs_diff(events) <= 1, "{name}: {events} events, {} landings", landings[side]);
    }
}

#[test]
fn synchronized_clips_pass_their_markers_together() {
    let mut stage = GraphStage::figure(GAIT);
    stage.set("speed", 2.4);
    for step in 0..300 {
        stage.step(uneven(step));
        let walk = stage.state.clip_time_secs(&stage.graph, "walk").unwrap() / 1.066_666_7;
        let run = stage.state.clip_time_secs(&stage.graph, "run").unwrap() / 0.7;
        let apart = (walk - run).rem_euclid(1.0);
        assert!(apart.min(1.0 - apart) < 1e-4, "step {step}: {walk} and {run} of a cycle");
    }
}

#[test]
fn half_walk_half_run_has_the_mean_duration() {
    let mut stage = GraphStage::figure(GAIT);
    stage.set("speed", (1.32 + 3.5) / 2.0);
    let mut falls = 0;
    for _ in 0..6000 {
        falls += stage.events(0.01).len();
    }
    let wanted = 60.0 / ((1.066_666_7 + 0.7) / 2.0) * 2.0;
    assert!((falls as f32 - wanted).abs() <= 1.0, "{falls} footfalls in a minute, not {wanted}");
}

#[test]
fn played_backwards_every_foot_lands_once_in_turn() {
    let mut stage = GraphStage::figure(&GAIT.replace(r#"sync: "gait""#, r#"sync: "gait", speed: -1"#));
    stage.set("speed", 2.0);
    let mut falls = Vec::new();
    for step in 0..600 {
        falls.extend(stage.events(uneven(step)));
    }
    assert!(falls.len() > 15);
    assert!(falls.windows(2).all(|pair| pair[0] != pair[1]));
}
