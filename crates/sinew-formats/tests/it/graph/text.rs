//! Reading and writing graphs as text.

use super::stage::{EXAMPLE, GraphStage};
use proptest::prelude::*;
use sinew::{
    Character,
    blend::graph::{Graph, GraphDef, GraphScratch},
};
use sinew_formats::graph::{load, parse, read, save, to_text};
use std::sync::OnceLock;

fn figure() -> &'static Character {
    static FIGURE: OnceLock<Character> = OnceLock::new();
    FIGURE.get_or_init(sinew_samples::figure)
}

#[test]
fn the_example_reads_back_equal() {
    let def = parse(EXAMPLE).unwrap();
    let text = to_text(&def).unwrap();
    assert_eq!(parse(&text).unwrap(), def, "{text}");
    assert!(text.lines().count() > 20, "laid out for people:\n{text}");
    assert_eq!(to_text(&parse(&text).unwrap()).unwrap(), text);
}

#[test]
fn a_default_definition_has_the_defaults_of_a_file() {
    let file = parse(r#"(nodes: {}, output: "")"#).unwrap();
    assert_eq!(file, GraphDef::default());
}

#[test]
fn files_with_the_earlier_names_of_nodes_and_fields_still_read() {
    let text = r#"(
        parameters: {"x": Float(0)},
        nodes: {
            "a": BlendSpace1d(x: "x", points: [(0, "s")]),
            "b": BlendSpace2d(x: "x", y: "x", points: [(0, 0, "s")]),
            "s": StateMachine(initial: "r", states: {"r": "rest"}),
            "rest": Rest,
        },
        output: "a",
        min_event_weight: 0.3,
    )"#;
    let earlier = [
        ("BlendSpace1d", "Line"),
        ("BlendSpace2d", "Plane"),
        ("StateMachine", "Machine"),
        ("min_event_weight", "quiet_below"),
    ];
    let old = earlier.iter().fold(text.to_owned(), |text, (new, old)| text.replace(new, old));
    assert_eq!(parse(&old).unwrap(), parse(text).unwrap());
}

#[test]
fn names_and_order_stay_as_written() {
    let def = parse(EXAMPLE).unwrap();
    let names: Vec<&str> = def.nodes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["idle", "moving", "stretch", "body", "wave", "wave begins", "waving", "all"]);
}

#[test]
fn files_are_saved_and_loaded_and_errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.ron");
    let def = parse(EXAMPLE).unwrap();
    save(&path, &def).unwrap();
    assert_eq!(read(&path).unwrap(), def);
    assert_eq!(load(&path, figure()).unwrap(), GraphStage::figure(EXAMPLE).graph);
    std::fs::write(&path, EXAMPLE.replace("\"idle\": Clip(clip: \"idle\")", "\"idle\": Clip(clip: \"sit\")"))
        .unwrap();
    let message = load(&path, figure()).unwrap_err().to_string();
    assert!(message.contains("g.ron: node \"idle\": clip: there is no clip \"sit\""), "{message}");
    std::fs::write(&path, "(\n  nodes: {},\n  outputs: \"a\",\n)").unwrap();
    let message = load(&path, figure()).unwrap_err().to_string();
    assert!(message.contains("g.ron: line 3, column") && message.contains("outputs"), "{message}");
    assert!(load(folder.path().join("none.ron"), figure()).is_err());
}

#[test]
fn text_errors_name_line_and_column() {
    let cases = [
        ("(\n  nodes: {\n    \"a\": Clap(clip: \"x\"),\n  },\n  output: \"a\",\n)", 3, "Clap"),
        ("(\n  nodes: {\"a\": Rest, \"a\": Rest},\n  output: \"a\",\n)", 2, "\"a\" stands here twice"),
        ("(\n  nodes: {\"a\": Clip(clip: 3)},\n  output: \"a\",\n)", 2, ""),
        ("(\n  nodes: {\"a\": Clip(clip: \"x\", speed: [])},\n  output: \"a\",\n)", 2, "name of a parameter"),
        ("(\n  nodes: {\"a\": Rest},\n)", 3, "output"),
        ("", 1, ""),
    ];
    for (text, line, what) in cases {
        let error = parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.column > 0 && error.message.contains(what) && !error.message.is_empty(), "{error}");
    }
}

/// The tokens of a file and their ranges.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b"_.-+".contains(&b);
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b if b.is_ascii_whitespace() => continue,
            b'/' => {
                at = text[start..].find('\n').map_or(bytes.len(), |n| start + n);
                continue;
            }
            b'"' => at = text[start + 1..].find('"').map_or(bytes.len(), |n| start + n + 2),
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
            }
            _ => {}
        }
        out.push((start, at));
    }
    out
}

/// True when the text loads; otherwise its error must have a message.
fn loads_or_says_why(text: &str) -> bool {
    let def = match parse(text) {
        Ok(def) => def,
        Err(error) => {
            assert!(error.line > 0 && error.column > 0 && !error.message.trim().is_empty(), "{error:?}");
            return false;
        }
    };
    match Graph::of_character(&def, figure()) {
        Ok(graph) => {
            let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
            for dt_secs in [0.0, 0.4, 3.0] {
                let now = graph.evaluate(&mut state, &mut workspace, dt_secs);
                assert!(now.pose().joints.iter().all(sinew::Transform::is_finite), "{text}");
                assert!(now.root_motion().is_finite());
                assert!(now.events().count() < 1000);
            }
            assert_eq!(parse(&to_text(&def).unwrap()).unwrap(), def);
            true
        }
        Err(error) => {
            let message = error.fault.to_string();
            assert!(!error.place.is_empty() && !error.field.is_empty() && !message.is_empty(), "{error:?}");
            false
        }
    }
}

#[test]
fn the_example_with_any_token_missing_or_doubled_loads_or_is_refused_with_a_reason() {
    let (mut loaded, mut refused) = (0, 0);
    for (start, end) in tokens(EXAMPLE) {
        let missing = [&EXAMPLE[..start], &EXAMPLE[end..]].concat();
        let doubled = [&EXAMPLE[..end], " ", &EXAMPLE[start..]].concat();
        for text in [missing, doubled] {
            *(if loads_or_says_why(&text) { &mut loaded } else { &mut refused }) += 1;
        }
    }
    println!("{loaded} edits load, {refused} are refused");
    assert!(loaded > 10 && refused > 500, "{loaded} and {refused}");
}

#[test]
fn every_truncation_of_the_example_is_refused_with_a_reason() {
    for end in (0..EXAMPLE.trim_end().len()).filter(|&end| EXAMPLE.is_char_boundary(end)) {
        assert!(parse(&EXAMPLE[..end]).is_err(), "{end} bytes read as a graph");
    }
}

const STRANGE: [&str; 18] = [
    "0",
    "-1",
    "1e38",
    "1e999",
    "NaN",
    "inf",
    "\"\"",
    "\"body\"",
    "\"speed\"",
    "\"gait\"",
    "true",
    "Rest",
    "()",
    "[]",
    "{}",
    "None",
    "Trigger",
    "\"all\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_example_with_any_token_replaced_loads_or_says_what_is_wrong(at in any::<prop::sample::Index>(), by in any::<prop::sample::Index>()) {
        let tokens = tokens(EXAMPLE);
        let (start, end) = tokens[at.index(tokens.len())];
        let by = by.index(tokens.len() + STRANGE.len());
        let new = tokens.get(by).map_or_else(|| STRANGE[by - tokens.len()], |&(a, b)| &EXAMPLE[a..b]);
        loads_or_says_why(&[&EXAMPLE[..start], new, &EXAMPLE[end..]].concat());
    }

    #[test]
    fn any_bytes_at_all_say_what_is_wrong(text in "[a-z(){}\\[\\]\":,0-9. \n-]{0,80}") {
        loads_or_says_why(&text);
    }
}
