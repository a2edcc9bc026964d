//! The results of each kind of node.

use super::stage::{EXAMPLE, GraphStage, arm, furthest, total_root_motion};
use sinew::{
    CompactClip, CompactOptions, LocalPose, Wrap, blend::graph::Motion, sample::MetaValue, sample_clip,
};
use std::sync::Arc;

fn sampled(clip: &str, time_secs: f32) -> LocalPose {
    let figure = sinew_samples::figure();
    let mut pose = figure.rest_pose();
    sample_clip(figure.find_clip(clip).unwrap(), time_secs, Wrap::Loop, &mut pose);
    pose
}

#[test]
fn a_single_clip_plays_bit_identical() {
    let mut stage = GraphStage::figure(r#"(nodes: {"w": Clip(clip: "walk")}, output: "w")"#);
    for step in 1..100_u8 {
        let got = stage.pose(0.0625);
        let time = stage.state.clip_time_secs(&stage.graph, "w").unwrap();
        assert_eq!(got, sampled("walk", time), "step {step}");
    }
}

#[test]
fn weights_of_one_and_zero_give_the_first_bit_identical() {
    let text = r#"(nodes: {
        "w": Clip(clip: "walk"), "r": Clip(clip: "run"),
        "b": Blend(inputs: [(node: "w"), (node: "r", weight: 0)]),
        "l": Layer(base: "b", over: "r", weight: 0),
        "a": Add(base: "l", delta: "d", weight: 0), "d": Difference(of: "w", from: "r"),
    }, output: "a")"#;
    let mut stage = GraphStage::figure(text);
    assert_eq!(stage.pose(0.25), sampled("walk", 0.25));
    assert_eq!(stage.step(0.0).weight("w"), Some(1.0));
    assert_eq!(stage.step(0.0).weight("r"), Some(0.0));
}

#[test]
fn a_difference_from_its_own_reference_changes_nothing_and_added_back_gives_the_clip() {
    let text = |of: &str| {
        format!(
            r#"(nodes: {{
        "w": Clip(clip: "walk"), "r": Clip(clip: "run"),
        "d": Difference(of: "{of}", from: "w"), "a": Add(base: "w", delta: "d"),
    }}, output: "a")"#
        )
    };
    for (of, clip) in [("w", "walk"), ("r", "run")] {
        let got = GraphStage::figure(&text(of)).pose(0.3);
        let (way, turn) = furthest(&got, &sampled(clip, 0.3));
        assert!(way < 1e-5 && turn < 2e-3, "{clip}: {way} m, {turn} rad");
    }
}

#[test]
fn adding_and_subtracting_a_pose_cancels_out() {
    let text = r#"(nodes: {
        "w": Clip(clip: "walk"), "r": Clip(clip: "run"), "d": Difference(of: "r", from: "w"),
        "a": Add(base: "w", delta: "d", weight: 0.7), "s": Subtract(base: "a", delta: "d", weight: 0.7),
    }, output: "s")"#;
    let (way, turn) = furthest(&GraphStage::figure(text).pose(0.3), &sampled("walk", 0.3));
    assert!(way < 1e-5 && turn < 2e-3, "{way} m, {turn} rad");
}

#[test]
fn a_masked_layer_affects_its_joints_alone_and_fully() {
    let text = r#"(masks: {"arm": (below: ["clavicle.R"])}, nodes: {
        "w": Clip(clip: "walk"), "v": Clip(clip: "wave"),
        "l": Layer(base: "w", over: "v", mask: "arm"),
    }, output: "l")"#;
    let figure = sinew_samples::figure();
    let (got, walk, wave) = (GraphStage::figure(text).pose(0.4), sampled("walk", 0.4), sampled("wave", 0.4));
    let top = figure.skeleton().find("clavicle.R").unwrap();
    for joint in figure.skeleton().joints() {
        let from = if figure.skeleton().is_within(joint, top) { &wave } else { &walk };
        assert_eq!(
            got.joints[joint.index()],
            from.joints[joint.index()],
            "{}",
            figure.skeleton().name(joint)
        );
    }
}

#[test]
fn a_node_that_two_others_use_runs_once() {
    let text = r#"(nodes: {
        "w": Clip(clip: "walk"), "r": Clip(clip: "run"),
        "x": Blend(inputs: [(node: "w"), (node: "r")]), "y": Blend(inputs: [(node: "w", weight: 3), (node: "r")]),
        "z": Blend(inputs: [(node: "x"), (node: "y"), (node: "w")]),
    }, output: "z")"#;
    let mut stage = GraphStage::figure(text);
    stage.step(0.125);
    assert_eq!(stage.state.clip_time_secs(&stage.graph, "w"), Some(0.125));
    let weight = stage.step(0.0).weight("w").unwrap();
    assert!((weight - (0.5 + 0.75 + 1.0) / 3.0).abs() < 1e-6, "{weight}");
}

#[test]
fn compact_clips_play_like_raw_ones() {
    let figure = sinew_samples::figure();
    let text = r#"(nodes: {"w": Clip(clip: "walk")}, output: "w")"#;
    let options = CompactOptions::default();
    let compact = |clip: &Arc<sinew::Clip>| CompactClip::new(clip, figure.skeleton(), &options).unwrap().0;
    let motions: Vec<Motion> =
        figure.clips().iter().map(|clip| Motion::Compact(Arc::new(compact(clip)))).collect();
    let def = sinew_formats::graph::parse(text).unwrap();
    let graph = sinew::blend::Graph::new(&def, figure.skeleton(), figure.rest_pose(), &motions).unwrap();
    let mut state = graph.new_state();
    let mut workspace = sinew::blend::GraphScratch::default();
    let got = graph.evaluate(&mut state, &mut workspace, 0.3).pose().clone();
    let (way, turn) = furthest(&got, &sampled("walk", 0.3));
    assert!(way < 1e-3 && turn < 1e-2, "{way} m, {turn} rad");
}

const HALVES: &str = r#"(
    parameters: {"x": Float(0.25)},
    nodes: {"a": Clip(clip: "a"), "b": Clip(clip: "b"), "l": BlendSpace1d(x: "x", points: [(0, "a"), (1, "b")])},
    output: "l",
)"#;

#[test]
fn root_motion_is_the_weighted_mean_over_every_loop() {
    let character = arm();
    let mut stage = GraphStage::new(HALVES, &character);
    let steps: Vec<_> = (0..37).map(|_| stage.step(0.25).root_motion()).collect();
    let way = total_root_motion(steps.into_iter()).translation;
    let wanted = 37.0 * 0.25 * (0.75 * 1.0 + 0.25 * 2.0);
    assert!((way.z - wanted).abs() < 1e-3 && way.x.abs() < 1e-6, "{way} for {wanted}");
}

#[test]
fn meta_channels_are_weighted_among_the_clips_that_have_them() {
    let character = arm();
    let mut stage = GraphStage::new(HALVES, &character);
    let light = |stage: &mut GraphStage| match stage.step(0.0).meta("light") {
        Some(MetaValue::Scalar(light)) => Some(light),
        _ => None,
    };
    stage.step(0.5);
    let got = light(&mut stage).unwrap();
    assert!((got - (0.75 * 0.5 + 0.25 * 2.0)).abs() < 1e-6, "{got}");
    assert_eq!(stage.step(0.0).meta("dark"), None);
    assert_eq!(stage.step(0.0).metas().count(), 2);

    let with_dark = HALVES.replace(r#"Clip(clip: "a")"#, r#"Clip(clip: "dark")"#);
    let mut stage = GraphStage::new(&with_dark, &character);
    stage.step(0.5);
    assert_eq!(light(&mut stage), Some(2.0), "what has no light has no say in it");
    stage.set("x", 0.0);
    assert_eq!(light(&mut stage), None);
}

#[test]
fn events_carry_their_weight_and_faded_out_clips_fire_none() {
    let character = arm();
    let mut stage = GraphStage::new(HALVES, &character);
    let events: Vec<(String, String, f32)> =
        stage.step(0.75).events().map(|e| (e.event.name.clone(), e.node.to_owned(), e.weight)).collect();
    assert_eq!(events, [("a".into(), "a".into(), 0.75), ("b".into(), "b".into(), 0.25)]);
    let mut stage = GraphStage::new(HALVES, &character);
    stage.set("x", 0.05);
    assert_eq!(stage.events(0.75), ["a"]);
    assert_eq!(stage.events(0.0), [""; 0], "a step of no time fires nothing");
    let mut stage =
        GraphStage::new(&HALVES.replace("output:", "min_event_weight: 0.01, output:"), &character);
    stage.set("x", 0.05);
    assert_eq!(stage.events(0.75), ["a", "b"]);
}

#[test]
fn the_corners_of_a_two_dimensional_blend_space_are_its_clips() {
    let text = r#"(parameters: {"x": Float(0), "y": Float(0)}, nodes: {
        "w": Clip(clip: "walk"), "r": Clip(clip: "run"), "i": Clip(clip: "idle"),
        "p": BlendSpace2d(x: "x", y: "y", points: [(0, 0, "i"), (1, 0, "w"), (0, 1, "r")]),
    }, output: "p")"#;
    for (x, y, clip) in [(0.0, 0.0, "idle"), (1.0, 0.0, "walk"), (0.0, 1.0, "run"), (5.0, -3.0, "walk")] {
        let mut stage = GraphStage::figure(text);
        stage.set("x", x);
        stage.set("y", y);
        assert_eq!(stage.pose(0.3), sampled(clip, 0.3), "{x} {y}");
    }
}

#[test]
fn nested_graphs_have_their_own_parameters_or_those_of_their_parent() {
    let text = |given: &str| {
        format!(
            r#"(
        parameters: {{"s": Float(1)}},
        graphs: {{"g": (parameters: {{"t": Float(0)}}, nodes: {{
            "a": Clip(clip: "a"), "b": Clip(clip: "b"), "l": BlendSpace1d(x: "t", points: [(0, "a"), (1, "b")]),
        }}, output: "l")}},
        nodes: {{"one": Graph(graph: "g"{given}), "two": Graph(graph: "g"), "o": Blend(inputs: [(node: "one"), (node: "two", weight: 0)])}},
        output: "o",
    )"#
        )
    };
    let character = arm();
    let mut bound = GraphStage::new(&text(r#", parameters: {"t": "s"}"#), &character);
    assert_eq!(bound.step(0.1).weight("one/b"), Some(1.0));
    bound.set("s", 0.25);
    assert_eq!(bound.step(0.1).weight("one/b"), Some(0.25));
    let mut fixed = GraphStage::new(&text(r#", parameters: {"t": 0.5}"#), &character);
    assert_eq!(fixed.step(0.1).weight("one/a"), Some(0.5));
    let mut own = GraphStage::new(&text(""), &character);
    own.set("one/t", 1.0);
    assert_eq!(own.step(0.1).weight("one/b"), Some(1.0));
    assert_eq!(own.step(0.1).weight("two/b"), Some(0.0));
}

#[test]
fn the_example_plays_for_a_minute_without_a_jump() {
    let mut stage = GraphStage::figure(EXAMPLE);
    let mut last = stage.pose(0.0);
    for step in 0..3600_u16 {
        let secs = f32::from(step) / 60.0;
        stage.set("speed", (3.5 * (secs * 0.4).sin()).max(0.0));
        stage.set("wave", (secs * 0.7).sin().max(0.0));
        stage.set("hurry", f32::from(u8::from(secs > 40.0)));
        if step % 700 == 350 {
            stage.set("stretch", 1.0);
        }
        let now = stage.pose(1.0 / 60.0);
        assert!(now.joints.iter().all(sinew::Transform::is_finite));
        let root = 1;
        // The clips move the figure by its root joint, which returns at every loop. The other joints must not jump.
        let (way, turn) = furthest(
            &LocalPose { joints: now.joints[root..].to_vec(), morphs: vec![] },
            &LocalPose { joints: last.joints[root..].to_vec(), morphs: vec![] },
        );
        assert!(way < 0.08 && turn < 0.5, "step {step}: {way} m, {turn} rad");
        last = now;
    }
}
