//! The useful range of a parameter.

use super::{ConditionDef, GraphDef, NodeDef, ValueDef};

impl GraphDef {
    /// The minimum and maximum of a parameter that have an effect: the ends of blend spaces, thresholds of conditions, 0 and
    /// 1 for weights. `None` if the graph does not determine them.
    pub fn range_of(&self, parameter: &str) -> Option<[f32; 2]> {
        let mut range: Option<[f32; 2]> = None;
        let mut take = |value: f32| {
            let [least, most] = range.unwrap_or([value; 2]);
            range = Some([least.min(value), most.max(value)]);
        };
        self.nodes.iter().for_each(|(_, node)| node.marks_of(parameter, &mut take));
        for (_, node) in &self.nodes {
            let NodeDef::Graph { graph, parameters } = node else { continue };
            let inner = self.graphs.iter().find(|(name, _)| name == graph);
            let passed = parameters.iter().filter(|(_, value)| value.is(parameter));
            for ((_, inner), (name, _)) in inner.into_iter().flat_map(|i| passed.clone().map(move |p| (i, p)))
            {
                inner.nodes.iter().for_each(|(_, node)| node.marks_of(name, &mut take));
            }
        }
        range.filter(|[least, most]| least < most)
    }
}

impl NodeDef {
    /// Every value at which a parameter has an effect in this node.
    fn marks_of(&self, parameter: &str, take: &mut impl FnMut(f32)) {
        let weigh = |weight: &ValueDef, take: &mut dyn FnMut(f32)| {
            if weight.is(parameter) {
                [0.0, 1.0].into_iter().for_each(take);
            }
        };
        match self {
            Self::Blend { inputs } => inputs.iter().for_each(|input| weigh(&input.weight, take)),
            Self::Layer { weight, .. } | Self::Add { weight, .. } | Self::Subtract { weight, .. } => {
                weigh(weight, take);
            }
            Self::BlendSpace1d { x, points } if x.is(parameter) => {
                points.iter().for_each(|(at, _)| take(*at));
            }
            Self::BlendSpace2d { x, y, points } => {
                for (at_x, at_y, _) in points {
                    [(x, at_x), (y, at_y)]
                        .into_iter()
                        .filter(|(v, _)| v.is(parameter))
                        .for_each(|(_, at)| take(*at));
                }
            }
            Self::StateMachine { transitions, .. } => {
                for condition in transitions.iter().flat_map(|transition| &transition.when) {
                    match condition {
                        ConditionDef::Above(name, value) | ConditionDef::Below(name, value)
                            if name == parameter =>
                        {
                            // On both sides of the threshold.
                            [0.0, *value, 2.0 * *value].into_iter().for_each(&mut *take);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

impl ValueDef {
    fn is(&self, parameter: &str) -> bool {
        matches!(self, Self::Parameter(name) if name == parameter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blend::{
        Easing,
        graph::{InnerDef, TransitionDef, TransitionKind},
    };

    #[test]
    fn the_range_of_a_parameter_covers_every_value_with_an_effect() {
        let clip = || NodeDef::Rest;
        let line = |x: &str| NodeDef::BlendSpace1d {
            x: ValueDef::Parameter(x.into()),
            points: vec![(1.3, "a".into()), (3.5, "b".into())],
        };
        let machine = NodeDef::StateMachine {
            initial: "a".into(),
            states: vec![],
            transitions: vec![TransitionDef {
                from: vec![],
                to: "a".into(),
                when: vec![ConditionDef::Above("speed".into(), 0.1)],
                by: TransitionKind::Smooth,
                secs: 0.1,
                easing: Easing::Smooth,
            }],
        };
        let inner = InnerDef { nodes: vec![("line".into(), line("pace"))], ..InnerDef::default() };
        let graph = NodeDef::Graph {
            graph: "inner".into(),
            parameters: vec![("pace".into(), ValueDef::Parameter("speed".into()))],
        };
        let weighed = NodeDef::Layer {
            base: "a".into(),
            over: "a".into(),
            weight: ValueDef::Parameter("much".into()),
            mask: None,
        };
        let nodes = [("a", clip()), ("m", machine), ("g", graph), ("w", weighed)];
        let def = GraphDef {
            nodes: nodes.map(|(name, node)| (name.into(), node)).into(),
            graphs: vec![("inner".into(), inner)],
            ..GraphDef::default()
        };
        assert_eq!(def.range_of("speed"), Some([0.0, 3.5]));
        assert_eq!(def.range_of("much"), Some([0.0, 1.0]));
        assert_eq!(def.range_of("nobody"), None);
    }
}
