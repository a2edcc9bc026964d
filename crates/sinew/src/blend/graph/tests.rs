use super::*;
use crate::sinew_samples;

fn graph(first: &str, second: &str) -> Graph {
    let def = GraphDef {
        parameters: vec![(first.into(), ParameterDef::Float(1.0)), (second.into(), ParameterDef::Float(2.0))],
        nodes: vec![("rest".into(), NodeDef::Rest)],
        output: "rest".into(),
        ..GraphDef::default()
    };
    Graph::of_character(&def, &sinew_samples::figure()).unwrap()
}

#[test]
fn equal_graphs_share_states_and_parameters() {
    let (one, same) = (graph("speed", "lean"), graph("speed", "lean"));
    let (mut state, mut scratch) = (one.new_state(), GraphScratch::new(&same));
    state.set(same.find_parameter("lean").unwrap(), 3.0);
    assert_eq!(state.get(one.find_parameter("lean").unwrap()), 3.0);
    same.evaluate(&mut state, &mut scratch, 0.1);
}

#[test]
#[should_panic(expected = "the state was made for graph")]
fn a_state_of_an_equally_shaped_graph_is_refused() {
    let (one, other) = (graph("speed", "lean"), graph("lean", "speed"));
    other.evaluate(&mut one.new_state(), &mut GraphScratch::new(&other), 0.1);
}

#[test]
#[should_panic(expected = "parameter 0 is of graph")]
fn a_parameter_of_another_graph_is_refused_even_if_its_index_exists() {
    let (one, other) = (graph("speed", "lean"), graph("lean", "speed"));
    one.new_state().set(other.find_parameter("lean").unwrap(), 1.0);
}
