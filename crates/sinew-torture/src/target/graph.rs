//! Blend graphs, read and played.

use super::{FIGURE, reread, with_text};
use crate::subject::Verdict;
use sinew::blend::graph::{Graph, GraphDef, GraphScratch};
use sinew_formats::graph::{parse, to_text};

/// Any text as a blend graph: it reads and writes equal, is refused with a reason, or plays without a panic.
pub fn graph(bytes: &[u8]) -> Verdict {
    with_text(bytes, |text| match parse(text) {
        Ok(def) => {
            // A definition with NaN does not equal itself; it is refused below.
            if def == def.clone() {
                assert_eq!(reread(parse(&reread(to_text(&def)))), def);
            }
            play(&def)
        }
        Err(error) => {
            assert!(!error.message.is_empty(), "{error:?}");
            Verdict::Refused
        }
    })
}

fn play(def: &GraphDef) -> Verdict {
    let graph = match Graph::of_character(def, &FIGURE) {
        Ok(graph) => graph,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Verdict::Refused;
        }
    };
    let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
    for dt_secs in [0.0, 0.1, 0.7, 0.1] {
        let now = graph.evaluate(&mut state, &mut workspace, dt_secs);
        assert_eq!(now.pose().joints.len(), graph.rest().joints.len());
        // A fast clip can pass very many events.
        _ = now.events().take(1000).count();
    }
    Verdict::Accepted
}
