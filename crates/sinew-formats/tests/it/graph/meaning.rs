//! Graphs that parse but are invalid: the error names the place.

use super::stage::arm;
use sinew::blend::Graph;
use sinew_formats::graph::parse;

/// The error of a graph of these nodes and the fields `more`.
fn error(more: &str, nodes: &str, output: &str) -> String {
    let text = format!(
        r#"({more} parameters: {{"x": Float(0), "on": Bool(true), "go": Trigger}}, masks: {{"m": (below: [])}},
        nodes: {{"a": Clip(clip: "a"), "d": Difference(of: "a", from: "a"), {nodes}}}, output: "{output}")"#
    );
    let def = parse(&text).unwrap_or_else(|e| panic!("{e} in {text}"));
    Graph::of_character(&def, &arm()).map_or_else(|e| e.to_string(), |_| panic!("it is right: {text}"))
}

#[test]
fn every_error_names_its_node_and_field() {
    let machine = |rest: &str| format!(r#""n": StateMachine(initial: "s", states: {{"s": "a"}}, {rest})"#);
    let transition = |rest: &str| machine(&format!(r#"transitions: [(to: "s", {rest})]"#));
    let cases: Vec<(String, &str, &str)> = vec![
        (r#""n": Clip(clip: "z")"#.into(), "clip", r#"no clip "z""#),
        (r#""n": Clip(clip: "a", speed: "z")"#.into(), "speed", r#"no parameter "z""#),
        (r#""n": Clip(clip: "a", speed: "go")"#.into(), "speed", "is a Trigger"),
        (r#""n": Clip(clip: "a", speed: 1e30)"#.into(), "speed", "must be between"),
        (r#""n": Clip(clip: "a", range: (0.5, 9))"#.into(), "range", "got 9"),
        (r#""n": Clip(clip: "a", range: (0.5, 0.25))"#.into(), "range", "got 0.25"),
        (r#""n": Clip(clip: "a", sync: "z")"#.into(), "sync", r#"no sync group "z""#),
        (r#""n": Clip(clip: "a", sync: "g")"#.into(), "sync", "does not repeat"),
        (r#""n": Clip(clip: "a", sync: "h", wrap: Clamp)"#.into(), "sync", "Loop"),
        (r#""n": Blend(inputs: [])"#.into(), "inputs", "must not be empty"),
        (r#""n": Blend(inputs: [(node: "z")])"#.into(), "inputs[0]", r#"no node "z""#),
        (r#""n": Blend(inputs: [(node: "a"), (node: "d")])"#.into(), "inputs[1]", "a pose is needed"),
        (r#""n": Blend(inputs: [(node: "a", mask: "z")])"#.into(), "mask", r#"no mask "z""#),
        (r#""n": Layer(base: "a", over: "d")"#.into(), "over", "a pose is needed"),
        (r#""n": Layer(base: "z", over: "a")"#.into(), "base", r#"no node "z""#),
        (r#""n": Add(base: "a", delta: "a")"#.into(), "delta", "a difference is needed"),
        (r#""n": Difference(of: "d", from: "a")"#.into(), "of", "a pose is needed"),
        (r#""n": BlendSpace1d(x: "x", points: [])"#.into(), "points", "at least one"),
        (r#""n": BlendSpace1d(x: "x", points: [(1, "a"), (1, "a")])"#.into(), "points", "are equal"),
        (r#""n": BlendSpace1d(x: "x", points: [(1, "z")])"#.into(), "points[0]", r#"no node "z""#),
        (r#""n": BlendSpace2d(x: "x", y: "go", points: [(1, 1, "a")])"#.into(), "y", "is a Trigger"),
        (r#""n": StateMachine(initial: "s", states: {})"#.into(), "states", "must not be empty"),
        (r#""n": StateMachine(initial: "z", states: {"s": "a"})"#.into(), "initial", r#"no state "z""#),
        (r#""n": StateMachine(initial: "s", states: {"s": "z"})"#.into(), r#"states["s"]"#, r#"no node "z""#),
        (transition("when: [], secs: 1"), "transitions[0].when", "must not be empty"),
        (transition(r#"when: [On("on")], secs: -1"#), "transitions[0].secs", "got -1"),
        (transition(r#"when: [On("x")], secs: 1"#), "transitions[0].when[0]", "a Bool is needed"),
        (transition(r#"when: [Fired("on")], secs: 1"#), "transitions[0].when[0]", "a Trigger is needed"),
        (transition(r#"from: ["z"], when: [On("on")], secs: 1"#), "transitions[0].from", r#"no state "z""#),
        (transition(r#"from: ["s"], when: [Ending(1)], secs: 1"#), "transitions[0].when", "never holds"),
        (r#""n": Graph(graph: "z")"#.into(), "graph", r#"no graph "z""#),
        (r#""n": Graph(graph: "i", parameters: {"q": 1})"#.into(), "parameters", r#"no parameter "q""#),
        (r#""n": Graph(graph: "i", parameters: {"p": "go"})"#.into(), r#"parameters["p"]"#, "is a Trigger"),
        (r#""n": Layer(base: "n", over: "a")"#.into(), "base", "contains itself"),
    ];
    let more = r#"sync: {"g": ["left"], "h": []}, graphs: {"i": (parameters: {"p": Float(0)}, nodes: {"r": Rest}, output: "r")},"#;
    for (node, field, what) in cases {
        let message = error(more, &node, "a");
        let place = format!(r#"node "n": {field}: "#);
        assert!(message.contains(&place) && message.contains(what), "{node}\n  gives {message}");
    }
}

#[test]
fn an_error_of_the_graph_itself_names_its_field() {
    assert!(error("", "", "z").starts_with("graph: output: there is no node"));
    assert!(error("", "", "d").starts_with("graph: output: node \"d\" gives a difference"));
    assert!(
        error("min_event_weight: 2,", "", "a")
            .starts_with("graph: min_event_weight: must be between 0 and 1, got 2")
    );
    let mask = parse(r#"(masks: {"m": (below: ["z"])}, nodes: {"a": Rest}, output: "a")"#).unwrap();
    let message = Graph::of_character(&mask, &arm()).unwrap_err().to_string();
    assert!(message.starts_with(r#"mask "m": below: there is no joint "z""#), "{message}");
}

#[test]
fn graphs_that_contain_themselves_are_refused() {
    let inner = r#"graphs: {"i": (nodes: {"r": Graph(graph: "j")}, output: "r"), "j": (nodes: {"s": Graph(graph: "i")}, output: "s")},"#;
    let message = error(inner, r#""n": Graph(graph: "i")"#, "n");
    assert!(message.contains(r#"node "n/r/s": graph: "i" contains itself: i > j > i"#), "{message}");
}

#[test]
fn graphs_beyond_the_size_limit_are_refused() {
    let level = |k: u8| {
        let next = if k == 12 { "Rest".into() } else { format!(r#"Graph(graph: "g{}")"#, k + 1) };
        format!(
            r#""g{k}": (nodes: {{"p": {next}, "q": {next}, "o": Layer(base: "p", over: "q")}}, output: "o")"#
        )
    };
    let graphs: Vec<String> = (0..=12).map(level).collect();
    let more = format!("graphs: {{{}}},", graphs.join(", "));
    let message = error(&more, r#""n": Graph(graph: "g0")"#, "n");
    assert!(message.contains("at most"), "{message}");
    let chain: Vec<String> =
        (0..200_u8).map(|k| format!(r#""c{}": Layer(base: "c{k}", over: "a")"#, u16::from(k) + 1)).collect();
    let message = error("", &format!(r#""c0": Rest, {}"#, chain.join(", ")), "c200");
    assert!(message.contains("at most"), "{message}");
}
