//! Helpers out of the extras of joints.

use super::{GltfReader, NodeOrder};
use crate::{
    gltf::helper_text::{HelperText, JointText, KEY},
    joint_extras,
    report::FindingCode,
};
use serde_json::Value;
use sinew::{
    ExtrasOwner, JointId, Skeleton,
    constrain::{HelperJoint, HelperJoints},
};

/// More joints than this are not helped: a limb has a few, and a hostile file would have the skeleton walked for each.
const MOST_MOVED: usize = 1024;

impl GltfReader<'_> {
    /// Takes the helpers out of the application data; what cannot be understood stays there and is noted.
    pub(super) fn helpers(&mut self, order: &NodeOrder, skeleton: &Skeleton) -> Vec<HelperJoint> {
        let find = |text: &JointText| match text {
            JointText::Name(name) => skeleton.find(name),
            JointText::Node(node) => order.joint_of(*node),
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
                self.report.add(FindingCode::HelperIgnored, place, "is no list of helpers");
                continue;
            };
            let mut left = Vec::new();
            for text in list {
                let room = MOST_MOVED - moved;
                match read(&text, JointId(joint as u16), (skeleton, room), find) {
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

fn read(
    text: &Value,
    owner: JointId,
    (skeleton, room): (&Skeleton, usize),
    find: impl Fn(&JointText) -> Option<JointId>,
) -> Result<(u32, HelperJoint), String> {
    let read: HelperText = serde_json::from_value(text.clone()).map_err(|error| error.to_string())?;
    let helper = read.to_helper(owner, find).map_err(|error| error.to_string())?;
    if helper.len() > room {
        return Err(format!("more than {MOST_MOVED} joints would be helped"));
    }
    HelperJoints::new(skeleton, std::slice::from_ref(&helper)).map_err(|error| error.to_string())?;
    Ok((read.order, helper))
}
