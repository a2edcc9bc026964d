//! Reads helper joints from the extras of joints.

use super::{GltfReader, NodeOrder};
use crate::{
    gltf::helper_json::{HelperJson, JointReference, KEY},
    joint_extras,
    report::FindingCode,
};
use serde_json::Value;
use sinew::{
    ExtrasOwner, JointId, Skeleton,
    constrain::{HelperJoint, HelperJoints},
};

/// The maximum number of helper joints. A limb has a few; in a hostile file each one would walk the skeleton.
const MAX_MOVED: usize = 1024;

impl GltfReader<'_> {
    /// Takes the helpers from the application data. Invalid ones stay there and are reported.
    pub(super) fn helpers(&mut self, order: &NodeOrder, skeleton: &Skeleton) -> Vec<HelperJoint> {
        let find = |text: &JointReference| match text {
            JointReference::Name(name) => skeleton.find(name),
            JointReference::Node(node) => order.joint_of(*node),
        };
        let (mut found, mut moved) = (Vec::new(), 0);
        let owners: Vec<ExtrasOwner> = self.extras.keys().copied().collect();
        for owner in owners {
            let ExtrasOwner::Joint(joint) = owner else { continue };
            let Some(value) = self.extras.get(&owner).and_then(|text| joint_extras::get(text, KEY)) else {
                continue;
            };
            let place = format!("nodes[{}].extras.sinew.{KEY}", order.node_of_joint[joint]);
            let Value::Array(list) = value else {
                self.report.add(FindingCode::HelperIgnored, place, "must be a list of helpers");
                continue;
            };
            let mut left = Vec::new();
            for text in list {
                let slot = HelperSlot { skeleton, owner: JointId(joint as u16), room: MAX_MOVED - moved };
                match slot.read(&text, find) {
                    Ok((order, helper)) => {
                        moved += helper.len();
                        found.push((order, helper));
                    }
                    Err(why) => {
                        self.report.add(FindingCode::HelperIgnored, &place, why);
                        left.push(text);
                    }
                }
            }
            let left = (!left.is_empty()).then_some(Value::Array(left));
            joint_extras::put(&mut self.extras, joint, KEY, left);
        }
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, helper)| helper).collect()
    }
}

/// The joint that a helper is stored with.
struct HelperSlot<'a> {
    skeleton: &'a Skeleton,
    owner: JointId,
    /// The number of joints that further helpers may move.
    room: usize,
}

impl HelperSlot<'_> {
    /// The order and the helper in `text`, or what is wrong with it.
    fn read(
        &self,
        text: &Value,
        find: impl Fn(&JointReference) -> Option<JointId>,
    ) -> Result<(u32, HelperJoint), String> {
        let read: HelperJson = serde_json::from_value(text.clone()).map_err(|error| error.to_string())?;
        let helper = read.to_helper(self.owner, find).map_err(|error| error.to_string())?;
        if helper.len() > self.room {
            return Err(format!("there must be at most {MAX_MOVED} helper joints"));
        }
        HelperJoints::new(self.skeleton, std::slice::from_ref(&helper)).map_err(|error| error.to_string())?;
        Ok((read.order, helper))
    }
}
