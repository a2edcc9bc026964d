//! Hot reload: an instance continues with the clips and graphs of a changed character.

use super::{
    Archetype, Instance, InstanceError,
    controller::{Controller, GraphPlayer},
};

/// What an instance could not carry over to a changed archetype.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RebindReport {
    /// The names of clips that played and do not exist any more. Where one moved the whole body, the instance is at rest now.
    pub missing_clips: Vec<String>,
    /// The names of graphs that played and do not exist any more; empty for a graph without a name.
    pub missing_graphs: Vec<String>,
    /// True if the level of detail does not exist any more: all joints play now.
    pub lost_detail: bool,
}

impl RebindReport {
    /// True if everything was carried over.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        *self == Self::default()
    }
}

impl Instance {
    /// Continues with `new`, an archetype of the same skeleton with other clips and graphs, such as that of a file which
    /// changed on disk.
    ///
    /// Everything is found by name: clips with their times, speeds and fades, montages, running transitions, graphs with
    /// their parameters, states and clip times. A clip of another length keeps its time, wrapped into the clip. Placement,
    /// update rate and the latest pose stay, so that nothing jumps unless the motion does. Graphs without a name are found by
    /// their number.
    ///
    /// # Errors
    /// If the instance is not of `old`, or the skeletons differ; then it does not change.
    pub fn rebind(&mut self, old: &Archetype, new: &Archetype) -> Result<RebindReport, InstanceError> {
        if self.archetype != old.identity() {
            return Err(InstanceError::ForeignArchetype {
                archetype: old.character().name().into(),
                joints: old.rest().joints.len(),
                instance_joints: self.latest.pose.joints.len(),
            });
        }
        if !old.has_skeleton_of(new) {
            return Err(InstanceError::OtherSkeleton {
                archetype: new.character().name().into(),
                joints: new.rest().joints.len(),
                instance_joints: self.latest.pose.joints.len(),
            });
        }
        let mut report = RebindReport::default();
        self.leave_shared();
        self.base.controllers_mut().for_each(|controller| controller.rebind(old, new, &mut report));
        self.base.invalidate();
        self.slots.retain_players(|player| match player.rebound(old, new) {
            Some(rebound) => {
                *player = rebound;
                true
            }
            None => {
                report.missing_clips.push(old.motion(player.motion()).name().into());
                false
            }
        });
        let detail = self.detail.filter(|detail| new.has_detail(*detail));
        report.lost_detail = detail != self.detail;
        (self.detail, self.archetype) = (detail, new.identity());
        Ok(report)
    }
}

impl Controller {
    fn rebind(&mut self, old: &Archetype, new: &Archetype, report: &mut RebindReport) {
        let rebound = match &*self {
            Self::Still => return,
            Self::Clip(player) => {
                let rebound = player.rebound(old, new).filter(|player| !player.is_additive(new));
                if rebound.is_none() {
                    report.missing_clips.push(old.motion(player.motion()).name().into());
                }
                rebound.map(Self::Clip)
            }
            Self::Graph(player) => {
                let rebound = player.rebound(old, new);
                if rebound.is_none() {
                    report.missing_graphs.push(old.graph_name(player.graph()).into());
                }
                rebound.map(|player| Self::Graph(Box::new(player)))
            }
        };
        *self = rebound.unwrap_or(Self::Still);
    }
}

impl GraphPlayer {
    /// The player of the same graph of `new`; `None` if it has no such graph.
    fn rebound(&self, old: &Archetype, new: &Archetype) -> Option<Self> {
        let name = old.graph_name(self.graph());
        let found = if name.is_empty() { new.unnamed_graph(self.graph()) } else { new.find_graph(name) }?;
        let (from, to) = (old.graph(self.graph()), new.graph(found));
        let Controller::Graph(mut player) = Controller::graph(new, found) else { return None };
        player.state = self.state().rebound(from, to);
        Some(*player)
    }
}
