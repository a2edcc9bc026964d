//! Levels of detail: clips and graphs without the joints that nobody sees from afar.

use crate::{
    asset::skeleton::JointId,
    blend::{
        Mask,
        graph::{Graph, Motion},
    },
    identity::{Identity, IdentityHasher},
};
use std::sync::Arc;

/// A level of detail of an [`Archetype`](super::Archetype). It carries the identity of the level, so that another one is
/// refused.
#[doc(alias = "LOD")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DetailId {
    pub(super) index: u32,
    pub(super) detail: Identity,
}

/// The clips and graphs of an archetype without some joints.
#[derive(Clone, Debug)]
pub(super) struct Detail {
    is_kept: Vec<bool>,
    keeps_morphs: bool,
    motions: Vec<Motion>,
    graphs: Vec<Arc<Graph>>,
}

impl Detail {
    pub(super) fn new(kept: &Mask, motions: &[Motion], graphs: &[Arc<Graph>]) -> Self {
        let is_kept = kept.weights().iter().map(|weight| *weight > 0.0).collect();
        let keeps_morphs = kept.morph_weight() > 0.0;
        let mut detail = Self { is_kept, keeps_morphs, motions: Vec::new(), graphs: Vec::new() };
        motions.iter().for_each(|motion| detail.add_motion(motion));
        graphs.iter().for_each(|graph| detail.add_graph(graph));
        detail
    }

    pub(super) fn add_motion(&mut self, motion: &Motion) {
        let reduced = self.reduced(motion);
        self.motions.push(reduced);
    }

    pub(super) fn add_graph(&mut self, graph: &Graph) {
        let reduced = graph.with_motions(|motion| self.reduced(motion));
        self.graphs.push(Arc::new(reduced));
    }

    fn reduced(&self, motion: &Motion) -> Motion {
        let kept = |joint: JointId| Some(joint).filter(|joint| self.is_kept[joint.index()]);
        motion.with_joints(kept, self.keeps_morphs, motion.home())
    }

    pub(super) fn motion(&self, index: usize) -> &Motion {
        &self.motions[index]
    }

    pub(super) fn graph(&self, index: usize) -> &Graph {
        &self.graphs[index]
    }

    pub(super) fn identity(&self) -> Identity {
        let mut hasher = IdentityHasher::new();
        self.is_kept.iter().for_each(|is_kept| hasher.number(u64::from(*is_kept)));
        hasher.number(u64::from(self.keeps_morphs));
        hasher.finish()
    }
}
