//! Builds a state machine in code and drives it with a parameter: `cargo run -p sinew --example state_machine`.

use sinew::Wrap;
use sinew::blend::Easing;
use sinew::blend::graph::{
    ConditionDef, Graph, GraphDef, GraphScratch, NodeDef, ParameterDef, TransitionDef, TransitionKind,
    ValueDef,
};

fn clip(name: &str) -> NodeDef {
    NodeDef::Clip {
        clip: name.into(),
        speed: ValueDef::Constant(1.0),
        wrap: Wrap::Loop,
        range: None,
        sync: None,
    }
}

fn transition(from: &str, to: &str, when: ConditionDef) -> TransitionDef {
    TransitionDef {
        from: vec![from.into()],
        to: to.into(),
        when: vec![when],
        by: TransitionKind::Inertial,
        secs: 0.25,
        easing: Easing::Smooth,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let faster = |limit| ConditionDef::Above("speed".into(), limit);
    let slower = |limit| ConditionDef::Below("speed".into(), limit);
    let machine = NodeDef::StateMachine {
        initial: "standing".into(),
        states: [("standing", "idle"), ("walking", "walk"), ("running", "run")]
            .map(|(state, node)| (state.into(), node.into()))
            .to_vec(),
        transitions: vec![
            transition("standing", "walking", faster(0.1)),
            transition("walking", "running", faster(2.5)),
            transition("running", "walking", slower(2.0)),
            transition("walking", "standing", slower(0.1)),
        ],
    };
    let nodes = [("idle", clip("idle")), ("walk", clip("walk")), ("run", clip("run")), ("moves", machine)];
    let def = GraphDef {
        parameters: vec![("speed".into(), ParameterDef::Float(0.0))],
        nodes: nodes.map(|(name, node)| (name.to_owned(), node)).to_vec(),
        output: "moves".into(),
        ..GraphDef::default()
    };

    let figure = sinew_samples::figure();
    let graph = Graph::of_character(&def, &figure)?; // checked once: errors name node and field
    let speed = graph.find_parameter("speed").ok_or("no parameter called speed")?;
    let (mut state, mut scratch) = (graph.new_state(), GraphScratch::new(&graph));

    let mut traveled = 0.0;
    for (wanted, secs) in [(0.0, 1), (1.5, 2), (3.5, 2), (0.0, 1)] {
        state.set(speed, wanted);
        let mut footfalls = 0;
        for _ in 0..secs * 60 {
            let now = graph.evaluate(&mut state, &mut scratch, 1.0 / 60.0);
            traveled += now.root_motion().translation.length();
            footfalls += now.events().count();
        }
        println!("speed {wanted}: {footfalls} events in {secs} s, {traveled:.1} m so far");
    }
    Ok(())
}
