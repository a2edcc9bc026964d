//! Any text as a blend graph: it reads and writes equal, is refused with a reason, or plays without a panic.
#![no_main]

use sinew::{
    Character,
    blend::graph::{Graph, GraphScratch},
};
use sinew_formats::graph::{parse, to_text};
use std::sync::OnceLock;

static FIGURE: OnceLock<Character> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|text: &str| {
    let def = match parse(text) {
        Ok(def) => def,
        Err(error) => return assert!(!error.message.is_empty(), "{error:?}"),
    };
    // A definition with NaN does not equal itself; it is refused below.
    if def == def.clone() {
        let written = to_text(&def).unwrap_or_else(|error| panic!("what was read does not write: {error}"));
        let again = parse(&written);
        assert_eq!(
            again.unwrap_or_else(|error| panic!("what was written does not read: {error}\n{written}")),
            def
        );
    }
    let graph = match Graph::of_character(&def, FIGURE.get_or_init(sinew_samples::figure)) {
        Ok(graph) => graph,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
    for dt_secs in [0.0, 0.1, 0.7, 0.1] {
        let now = graph.evaluate(&mut state, &mut workspace, dt_secs);
        assert_eq!(now.pose().joints.len(), graph.rest().joints.len());
        // A fast clip can pass very many events.
        _ = now.events().take(1000).count();
    }
});
