//! A graph that blends clips by constant weights.

use super::{GraphDef, InputDef, NodeDef, ValueDef};
use crate::{asset::clip::Clip, sample::Wrap};

/// The events that synchronize gaits: the fall of each foot.
const FOOTFALLS: [&str; 2] = ["footfall.left", "footfall.right"];

impl GraphDef {
    /// A graph that loops clips, each with a weight. If several have the events `footfall.left` and `footfall.right`, those
    /// are synchronized by them.
    pub fn blend_of_clips<'a>(clips: impl IntoIterator<Item = (&'a Clip, f32)>) -> Self {
        let clips: Vec<(&Clip, f32)> = clips.into_iter().collect();
        let has_footfalls =
            |clip: &Clip| FOOTFALLS.iter().all(|name| clip.events().iter().any(|event| event.name == *name));
        let is_synchronized = clips.iter().filter(|(clip, _)| has_footfalls(clip)).count() > 1;
        let mut def = Self { output: "blend".into(), ..Self::default() };
        let mut inputs = Vec::new();
        for (nth, (clip, weight)) in clips.iter().enumerate() {
            let node = format!("{nth} {}", clip.name());
            let of_clip = NodeDef::Clip {
                clip: clip.name().into(),
                speed: ValueDef::default(),
                wrap: Wrap::Loop,
                range: None,
                sync: (is_synchronized && has_footfalls(clip)).then(|| "gait".to_owned()),
            };
            def.nodes.push((node.clone(), of_clip));
            inputs.push(InputDef { node, weight: ValueDef::Constant(*weight), mask: None });
        }
        def.nodes.push(("blend".into(), NodeDef::Blend { inputs }));
        if is_synchronized {
            def.sync.push(("gait".into(), FOOTFALLS.map(String::from).to_vec()));
        }
        def
    }
}
