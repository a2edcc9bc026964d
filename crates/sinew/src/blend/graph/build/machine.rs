//! Builds the state machines of a graph.

use super::super::{
    ConditionDef, GraphError, GraphFault, TransitionDef,
    flat::{Condition, FlatState, NodeKind, StateMachine, Transition},
};
use super::{Builder, Checked, LARGEST, Scope, number, scope::ExpectedValue, unknown};
use crate::sample::Wrap;

/// The longest time in a state machine: a day.
const LONGEST_SECS: f32 = 86_400.0;

impl<'a> Builder<'a> {
    pub(super) fn machine(
        &mut self,
        scope: &mut Scope<'a>,
        place: &str,
        initial: &str,
        states: &[(String, String)],
        transitions: &[TransitionDef],
    ) -> Checked<(NodeKind, bool)> {
        if states.is_empty() {
            return Err(GraphError::new(place, "states", GraphFault::Empty));
        }
        let mut made: Vec<FlatState> = Vec::new();
        for (name, node) in states {
            let field = format!("states[{name:?}]");
            if made.iter().any(|state| state.name == *name) {
                return Err(GraphError::new(place, "states", GraphFault::Repeated { name: name.clone() }));
            }
            let node = self.node(scope, place, &field, node)?;
            let is_delta = made.first().map(|first| self.out.nodes[usize::from(first.node)].is_delta);
            if let Some(is_delta) = is_delta {
                self.check_kind(place, &field, node, is_delta)?;
            }
            let (reach, ending) = (self.reach(node), self.ending(node));
            made.push(FlatState { name: name.clone(), node, reach, ending });
        }
        let find = |field: &str, name: &str| find_state(&made, place, field, name);
        let initial = find("initial", initial)?;
        let mut checked = Vec::new();
        for (index, def) in transitions.iter().enumerate() {
            let field = |name: &str| format!("transitions[{index}].{name}");
            let from = def.from.iter().map(|name| find(&field("from"), name)).collect::<Checked<Vec<_>>>()?;
            let to = find(&field("to"), &def.to)?;
            let secs = number(place, &field("secs"), def.secs, 0.0..=LONGEST_SECS)?;
            if def.when.is_empty() {
                return Err(GraphError::new(place, field("when"), GraphFault::Empty));
            }
            let when = def.when.iter().enumerate();
            let when = when.map(|(k, def)| condition(scope, place, &field(&format!("when[{k}]")), def));
            let when = when.collect::<Checked<Vec<_>>>()?;
            let transition = Transition { from, to, when, by: def.by, secs, easing: def.easing };
            check_endings(&made, &transition, place, &field("when"))?;
            checked.push(transition);
        }
        let is_delta = self.out.nodes[usize::from(made[0].node)].is_delta;
        let index = self.out.machines.len() as u16;
        self.out.machines.push(StateMachine { states: made, initial, transitions: checked });
        Ok((NodeKind::StateMachine(index), is_delta))
    }

    /// Every node that `top` uses, including itself.
    fn reach(&self, top: u16) -> Vec<u16> {
        let mut is_in = vec![false; usize::from(top) + 1];
        is_in[usize::from(top)] = true;
        for index in (0..=usize::from(top)).rev() {
            if is_in[index] {
                let kind = &self.out.nodes[index].kind;
                kind.for_inputs(&self.out.machines, |input| is_in[usize::from(input)] = true);
            }
        }
        (0..=top).filter(|&node| is_in[usize::from(node)]).collect()
    }

    /// The clips below `top` that end, without those of inner state machines, which may never reach them.
    fn ending(&self, top: u16) -> Vec<u16> {
        let (mut found, mut left, mut seen) = (Vec::new(), vec![top], vec![top]);
        while let Some(node) = left.pop() {
            match &self.out.nodes[usize::from(node)].kind {
                NodeKind::StateMachine(_) => {}
                NodeKind::Clip(clip) if self.out.clips[usize::from(*clip)].wrap == Wrap::Clamp => {
                    found.push(*clip);
                }
                kind => kind.for_inputs(&self.out.machines, |input| {
                    if !seen.contains(&input) {
                        seen.push(input);
                        left.push(input);
                    }
                }),
            }
        }
        found
    }
}

fn find_state(states: &[FlatState], place: &str, field: &str, name: &str) -> Checked<u16> {
    let index = states.iter().position(|state| state.name == name);
    let known = states.iter().map(|state| state.name.as_str());
    let index = index.ok_or_else(|| GraphError::new(place, field, unknown("state", name, known)))?;
    Ok(index as u16)
}

fn condition(scope: &Scope<'_>, place: &str, field: &str, def: &ConditionDef) -> Checked<Condition> {
    let parameter = |name: &str, wanted| scope.parameter(place, field, name, wanted);
    let limit = |value: f32| number(place, field, value, -LARGEST..=LARGEST);
    let secs = |value: f32| number(place, field, value, 0.0..=LONGEST_SECS);
    Ok(match def {
        ConditionDef::Above(name, value) => {
            Condition::Above(parameter(name, ExpectedValue::Number)?, limit(*value)?)
        }
        ConditionDef::Below(name, value) => {
            Condition::Below(parameter(name, ExpectedValue::Number)?, limit(*value)?)
        }
        ConditionDef::On(name) => Condition::On(parameter(name, ExpectedValue::OnOff)?),
        ConditionDef::Off(name) => Condition::Off(parameter(name, ExpectedValue::OnOff)?),
        ConditionDef::Fired(name) => Condition::Fired(parameter(name, ExpectedValue::Trigger)?),
        ConditionDef::After(value) => Condition::After(secs(*value)?),
        ConditionDef::Ending(value) => Condition::Ending(secs(*value)?),
    })
}

/// Rejects a transition that waits for the end of a state that does not end.
fn check_endings(states: &[FlatState], transition: &Transition, place: &str, field: &str) -> Checked<()> {
    let waits = transition.when.iter().any(|c| matches!(c, Condition::Ending(_)));
    let endless = transition.from.iter().map(|&k| &states[usize::from(k)]).find(|s| s.ending.is_empty());
    match endless {
        Some(state) if waits => {
            Err(GraphError::new(place, field, GraphFault::NeverEnds { state: state.name.clone() }))
        }
        _ => Ok(()),
    }
}
