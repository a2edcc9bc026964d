//! Hot reload: instances continue with the clips and graphs of a changed file, found by name.

use sinew::{
    Character, CharacterGraph, CharacterParts, Wrap,
    instance::{Archetype, Controller, GraphPlayer, Instance, InstanceScratch},
};
use sinew_formats::{
    cooked::{CookedOptions, read_cooked, to_cooked},
    graph,
};

const TEXT: &str = include_str!("../../../../examples/figure.graph.ron");
const DT: f32 = 1.0 / 60.0;

/// The figure with a graph, through a cooked file.
fn archetype(text: &str) -> Archetype {
    let graphs = vec![CharacterGraph { name: "figure".into(), def: graph::parse(text).unwrap() }];
    let parts = CharacterParts { graphs, ..sinew_samples::figure().into_parts() };
    let bytes = to_cooked(&Character::new(parts).unwrap(), &CookedOptions::default()).unwrap();
    let mut archetype = Archetype::new(read_cooked(&bytes).unwrap());
    archetype.add_character_graphs().unwrap();
    archetype
}

fn step(one: &mut Instance, archetype: &Archetype, count: usize) {
    let mut scratch = InstanceScratch::new(archetype);
    for _ in 0..count {
        one.update(archetype, DT, &mut scratch, |_| {});
    }
}

/// An instance that walks by the graph.
fn moving(archetype: &Archetype) -> Instance {
    let mut one = archetype.new_instance();
    let id = archetype.find_graph("figure").unwrap();
    one.play_graph(archetype, id);
    step(&mut one, archetype, 10);
    let speed = archetype.graph(id).find_parameter("speed").unwrap();
    one.graph_state_mut().unwrap().set(speed, 1.6);
    step(&mut one, archetype, 60);
    one
}

fn player(one: &Instance) -> &GraphPlayer {
    match one.controller() {
        Controller::Graph(player) => player,
        other => panic!("the instance plays {other:?}"),
    }
}

#[test]
fn an_equal_file_changes_no_bit() {
    let (old, new) = (archetype(TEXT), archetype(TEXT));
    let mut one = moving(&old);
    let mut kept = one.clone();
    assert!(one.rebind(&old, &new).unwrap().is_complete());
    for _ in 0..50 {
        step(&mut one, &new, 1);
        step(&mut kept, &old, 1);
        assert_eq!(one.pose(), kept.pose());
    }
}

#[test]
fn a_changed_graph_keeps_parameters_states_and_times_by_name() {
    // Parameters, nodes and states change their order and number, a transition its time.
    let text = TEXT
        .replace("\"wave\": Float(0.0), ", "\"lean\": Float(0.5), \"wave\": Float(0.0), ")
        .replace(
            "\"idle\": Clip(clip: \"idle\"),",
            "\"rest\": Rest, \"idle\": Clip(clip: \"idle\", speed: 0.5),",
        )
        .replace("states: {\"idle\": \"idle\",", "states: {\"resting\": \"rest\", \"idle\": \"idle\",")
        .replace("by: Frozen, secs: 0.25", "by: Frozen, secs: 0.5");
    let (old, new) = (archetype(TEXT), archetype(&text));
    let mut one = moving(&old);
    let mut kept = one.clone();
    let facts = |one: &Instance, archetype: &Archetype| {
        let graph = archetype.graph(archetype.find_graph("figure").unwrap());
        let state = player(one).state();
        let value = |name: &str| state.get(graph.find_parameter(name).unwrap());
        let secs = |node: &str| state.clip_time_secs(graph, node).unwrap();
        let machine = state.state_of(graph, "body").unwrap().to_owned();
        (machine, [value("speed"), value("wave")], [secs("moving/walk"), secs("moving/run"), secs("wave")])
    };
    let before = facts(&one, &old);
    assert_eq!(before.0, "moving");
    assert!(one.rebind(&old, &new).unwrap().is_complete());
    assert_eq!(facts(&one, &new), before);
    let lean = new.graph(new.find_graph("figure").unwrap()).find_parameter("lean").unwrap();
    assert_eq!(player(&one).state().get(lean), 0.5);
    step(&mut one, &new, 1);
    step(&mut kept, &old, 1);
    assert_eq!(one.pose(), kept.pose());
}

#[test]
fn a_state_or_graph_that_is_gone_starts_again_or_is_reported() {
    let text =
        TEXT.replace("\"moving\": \"moving\"", "\"going\": \"moving\"").replace("\"moving\"]", "\"going\"]");
    let text = text
        .replace("to: \"moving\"", "to: \"going\"")
        .replace("from: [\"idle\", \"moving\"", "from: [\"idle\", \"going\"");
    let (old, new) = (archetype(TEXT), archetype(&text));
    let mut one = moving(&old);
    assert!(one.rebind(&old, &new).unwrap().is_complete());
    let graph = new.graph(new.find_graph("figure").unwrap());
    assert_eq!(player(&one).state().state_of(graph, "body"), Some("idle"));
    step(&mut one, &new, 60);
    assert_eq!(player(&one).state().state_of(graph, "body"), Some("going"));

    let without = Archetype::new(sinew_samples::figure());
    let report = one.rebind(&new, &without).unwrap();
    assert_eq!(report.missing_graphs, ["figure"]);
    one.play(&without, without.find_motion("walk").unwrap(), Wrap::Loop).unwrap();
    step(&mut one, &without, 2);
}
