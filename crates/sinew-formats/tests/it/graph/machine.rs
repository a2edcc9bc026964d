//! State machines: conditions and transitions.

use super::stage::{GraphStage, arm, furthest};

fn machine(by: &str, when: &str) -> String {
    format!(
        r#"(
        parameters: {{"x": Float(0), "on": Bool(false), "go": Trigger}},
        nodes: {{
            "w": Clip(clip: "walk"), "r": Clip(clip: "run"),
            "m": StateMachine(
                initial: "walk", states: {{"walk": "w", "run": "r"}},
                transitions: [
                    (from: ["walk"], to: "run", when: [{when}], by: {by}, secs: 0.5, easing: Linear),
                    (from: ["run"], to: "walk", when: [Below("x", -1)], by: {by}, secs: 0.5, easing: Linear),
                ],
            ),
        }},
        output: "m",
    )"#
    )
}

fn state(stage: &GraphStage) -> &str {
    stage.state.state_of(&stage.graph, "m").unwrap()
}

#[test]
fn every_condition_holds_exactly_when_it_should() {
    type Change = fn(&mut GraphStage);
    let cases: [(&str, Change, Change); 6] = [
        (r#"Above("x", 2)"#, |s| s.set("x", 2.0), |s| s.set("x", 2.1)),
        (r#"Below("x", 0)"#, |s| s.set("x", 0.0), |s| s.set("x", -0.1)),
        (r#"On("on")"#, |s| s.set("on", 0.0), |s| s.set("on", 1.0)),
        (r#"Off("on"), Above("x", 1)"#, |s| s.set("x", 0.0), |s| s.set("x", 2.0)),
        (r#"Fired("go")"#, |_| (), |s| s.set("go", 1.0)),
        ("After(0.3)", |_| (), |s| drop(s.pose(0.2))),
    ];
    for (when, not_yet, now) in cases {
        let mut stage = GraphStage::figure(&machine("Smooth", when));
        not_yet(&mut stage);
        stage.step(0.1);
        assert_eq!(state(&stage), "walk", "{when}");
        now(&mut stage);
        stage.step(0.1);
        assert_eq!(state(&stage), "run", "{when}");
    }
}

#[test]
fn a_trigger_stays_set_until_a_transition_consumes_it() {
    let mut stage = GraphStage::figure(&machine("Smooth", r#"Fired("go"), On("on")"#));
    stage.set("go", 1.0);
    stage.step(0.1);
    let go = stage.graph.find_parameter("go").unwrap();
    assert_eq!((state(&stage), stage.state.get(go)), ("walk", 1.0));
    stage.set("on", 1.0);
    stage.step(0.1);
    assert_eq!((state(&stage), stage.state.get(go)), ("run", 0.0));
}

#[test]
fn a_transition_at_the_end_of_a_clip_starts_the_given_time_before() {
    let text = machine("Smooth", "Ending(0.25)")
        .replace(r#"Clip(clip: "walk")"#, r#"Clip(clip: "walk", speed: 2, wrap: Clamp)"#);
    let mut stage = GraphStage::figure(&text);
    let mut elapsed = 0.0_f32;
    while state(&stage) == "walk" {
        stage.step(0.01);
        elapsed += 0.01;
    }
    let wanted = 1.066_666_7 / 2.0 - 0.25;
    // The end takes effect in the step after it was reached.
    assert!((elapsed - wanted).abs() < 0.025, "{elapsed} s, not {wanted}");
}

#[test]
fn in_a_smooth_transition_both_states_run_and_weights_sum_to_one() {
    let mut stage = GraphStage::figure(&machine("Smooth", r#"Above("x", 0.5)"#));
    stage.step(0.2);
    stage.set("x", 1.0);
    let mut last = -1.0;
    for step in 0..6 {
        let now = stage.step(0.1);
        let (walk, run) = (now.weight("w").unwrap(), now.weight("r").unwrap());
        assert!((walk + run - 1.0).abs() < 1e-6 && run > last, "step {step}: {walk} {run}");
        assert!((run - 0.2 * step as f32).abs() < 1e-5, "step {step}: {run}");
        last = run;
    }
    let walk = stage.state.clip_time_secs(&stage.graph, "w").unwrap();
    stage.step(0.1);
    assert_eq!(stage.state.clip_time_secs(&stage.graph, "w"), Some(walk), "what does not count stands still");
}

#[test]
fn a_frozen_transition_starts_at_the_current_pose_and_stops_its_state() {
    let mut stage = GraphStage::figure(&machine("Frozen", r#"Above("x", 0.5)"#));
    let before = stage.pose(0.2);
    stage.set("x", 1.0);
    assert_eq!(stage.pose(0.1), before);
    let now = stage.step(0.1);
    assert_eq!((now.weight("w"), now.weight("r")), (Some(0.0), Some(0.2)));
    for _ in 0..6 {
        stage.step(0.1);
    }
    assert_eq!(stage.step(0.0).weight("r"), Some(1.0));
}

#[test]
fn an_inertial_transition_runs_its_target_alone_without_a_jump() {
    for by in ["Inertial", "Smooth", "Frozen"] {
        let mut stage = GraphStage::figure(&machine(by, r#"Above("x", 0.5)"#));
        let mut last = stage.pose(1.0 / 60.0);
        for step in 0..120_u8 {
            // A transition, and one back before it has ended.
            stage.set("x", if (20..35).contains(&step) { 1.0 } else { -2.0 });
            let now = stage.step(1.0 / 60.0);
            if by == "Inertial" {
                let (walk, run) = (now.weight("w").unwrap(), now.weight("r").unwrap());
                assert_eq!(walk.max(run) - walk.min(run), 1.0, "one of them counts, alone");
            }
            let pose = now.pose().clone();
            // The root returns to its start at every loop.
            let (mut a, mut b) = (pose.clone(), last.clone());
            (a.joints[0], b.joints[0]) = (last.joints[0], last.joints[0]);
            let (way, turn) = furthest(&a, &b);
            assert!(way < 0.05 && turn < 0.35, "{by}, step {step}: {way} m, {turn} rad");
            last = pose;
        }
    }
}

#[test]
fn a_state_restarts_whenever_it_is_entered() {
    let mut stage = GraphStage::figure(&machine("Inertial", r#"Above("x", 0.5)"#));
    stage.step(0.25);
    for _ in 0..3 {
        stage.set("x", 1.0);
        stage.step(0.125);
        assert_eq!(stage.state.clip_time_secs(&stage.graph, "r"), Some(0.125));
        stage.step(0.125);
        stage.set("x", -2.0);
        stage.step(0.0625);
        assert_eq!(stage.state.clip_time_secs(&stage.graph, "w"), Some(0.0625));
    }
}

#[test]
fn a_state_can_transition_to_itself() {
    let text = r#"(parameters: {"again": Trigger}, nodes: {
        "w": Clip(clip: "walk", wrap: Clamp),
        "m": StateMachine(initial: "s", states: {"s": "w"}, transitions: [
            (from: ["s"], to: "s", when: [Fired("again")], secs: 0.2),
        ]),
    }, output: "m")"#;
    let mut stage = GraphStage::figure(text);
    let before = stage.pose(0.5);
    stage.set("again", 1.0);
    assert_eq!(stage.pose(0.1), before, "the old pose fades");
    stage.step(0.1);
    assert_eq!(stage.state.clip_time_secs(&stage.graph, "w"), Some(0.1));
}

#[test]
fn a_nested_machine_restarts_with_its_state() {
    let text = r#"(parameters: {"x": Float(0)}, nodes: {
        "a": Clip(clip: "a"), "b": Clip(clip: "b"), "d": Clip(clip: "dark"),
        "inner": StateMachine(initial: "a", states: {"a": "a", "b": "b"}, transitions: [
            (from: ["a"], to: "b", when: [After(0.2)], secs: 0),
        ]),
        "m": StateMachine(initial: "in", states: {"in": "inner", "out": "d"}, transitions: [
            (from: ["in"], to: "out", when: [Above("x", 0)], secs: 0),
            (to: "in", when: [Below("x", 0)], secs: 0),
        ]),
    }, output: "m")"#;
    let mut stage = GraphStage::new(text, &arm());
    stage.step(0.1);
    stage.step(0.1);
    assert_eq!(stage.state.state_of(&stage.graph, "inner"), Some("b"));
    stage.set("x", 1.0);
    stage.step(0.1);
    assert_eq!(state(&stage), "out");
    stage.set("x", -1.0);
    stage.step(0.1);
    assert_eq!(state(&stage), "in");
    assert_eq!(stage.state.state_of(&stage.graph, "inner"), Some("a"));
}
