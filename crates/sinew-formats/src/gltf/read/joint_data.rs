//! Reads properties of joints from their extras.

use super::{GltfReader, NodeOrder};
use crate::{
    joint_extras::{self, SCALE},
    report::FindingCode,
};
use serde_json::Value;
use sinew::{ExtrasOwner, JointId, ScaleInheritance};

impl GltfReader<'_> {
    /// Takes the scale inheritance of joints from the application data. Invalid values stay there and are reported.
    pub(super) fn scale_inheritance(&mut self, order: &NodeOrder) -> Vec<(JointId, ScaleInheritance)> {
        let mut found = Vec::new();
        for (joint, value) in self.joint_values(SCALE) {
            let Some(kind) = value.as_str().and_then(ScaleInheritance::find) else {
                let place = format!("nodes[{}].extras.sinew.{SCALE}", order.node_of_joint[joint.index()]);
                let names = ScaleInheritance::ALL.map(ScaleInheritance::name).join(" or ");
                self.report.add(
                    FindingCode::JointDataIgnored,
                    place,
                    format!("must be {names}, got {value}"),
                );
                continue;
            };
            found.push((joint, kind));
            joint_extras::put(&mut self.extras, joint.index(), SCALE, None);
        }
        found
    }

    /// The values at a key of Sinew's application data, by joint.
    fn joint_values(&self, key: &str) -> Vec<(JointId, Value)> {
        let value = |owner: &ExtrasOwner, text: &str| {
            let ExtrasOwner::Joint(joint) = owner else { return None };
            Some((JointId(u16::try_from(*joint).ok()?), joint_extras::get(text, key)?))
        };
        self.extras.iter().filter_map(|(owner, text)| value(owner, text)).collect()
    }
}
