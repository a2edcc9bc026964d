//! What the labels of common marker sets say about the body.

use crate::retarget::anatomy::{Anatomy, Limbs};
use sinew::{JointId, Skeleton};

/// A part of the body that carries markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerSite {
    Head,
    Chest,
    Pelvis,
    Shoulder,
    UpperArm,
    Forearm,
    Hand,
    Thigh,
    Shin,
    Foot,
}

/// Beginnings of labels without a side: of the Plug-in Gait, Helen Hayes and CMU marker sets, and words.
const MIDDLE: [(&str, MarkerSite); 14] = [
    ("C7", MarkerSite::Chest),
    ("T10", MarkerSite::Chest),
    ("T8", MarkerSite::Chest),
    ("CLAV", MarkerSite::Chest),
    ("STRN", MarkerSite::Chest),
    ("STER", MarkerSite::Chest),
    ("RBAK", MarkerSite::Chest),
    ("CHEST", MarkerSite::Chest),
    ("SACR", MarkerSite::Pelvis),
    ("VSACR", MarkerSite::Pelvis),
    ("PELVIS", MarkerSite::Pelvis),
    ("ARIEL", MarkerSite::Head),
    ("TOPHEAD", MarkerSite::Head),
    ("HEAD", MarkerSite::Head),
];

/// Beginnings of labels after the letter of the side.
const SIDED: [(&str, MarkerSite); 36] = [
    ("FHD", MarkerSite::Head),
    ("BHD", MarkerSite::Head),
    ("HEAD", MarkerSite::Head),
    ("ASI", MarkerSite::Pelvis),
    ("PSI", MarkerSite::Pelvis),
    ("FWT", MarkerSite::Pelvis),
    ("BWT", MarkerSite::Pelvis),
    ("ILIA", MarkerSite::Pelvis),
    ("SHO", MarkerSite::Shoulder),
    ("ACR", MarkerSite::Shoulder),
    ("UPA", MarkerSite::UpperArm),
    ("UPPERARM", MarkerSite::UpperArm),
    ("BICEP", MarkerSite::UpperArm),
    ("ELB", MarkerSite::UpperArm),
    ("FRM", MarkerSite::Forearm),
    ("FOREARM", MarkerSite::Forearm),
    ("WRA", MarkerSite::Forearm),
    ("WRB", MarkerSite::Forearm),
    ("WRI", MarkerSite::Forearm),
    ("RADIUS", MarkerSite::Forearm),
    ("ULNA", MarkerSite::Forearm),
    ("FIN", MarkerSite::Hand),
    ("HAND", MarkerSite::Hand),
    ("THMB", MarkerSite::Hand),
    ("THI", MarkerSite::Thigh),
    ("KNE", MarkerSite::Thigh),
    ("TIB", MarkerSite::Shin),
    ("SHN", MarkerSite::Shin),
    ("SHANK", MarkerSite::Shin),
    ("SHIN", MarkerSite::Shin),
    ("ANK", MarkerSite::Shin),
    ("HEE", MarkerSite::Foot),
    ("TOE", MarkerSite::Foot),
    ("MT", MarkerSite::Foot),
    ("MET", MarkerSite::Foot),
    ("FOOT", MarkerSite::Foot),
];

/// Finds the joints that labels name.
pub(super) struct LabelReader<'a> {
    skeleton: &'a Skeleton,
    anatomy: Anatomy,
}

impl<'a> LabelReader<'a> {
    pub(super) fn new(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, anatomy: Anatomy::of(skeleton) }
    }

    /// The joint that a label names: by a joint's name at its beginning, or by a name of a common marker set.
    pub(super) fn joint(&self, label: &str) -> Option<JointId> {
        let bare = label.rsplit(':').next().unwrap_or(label);
        self.by_joint_name(label).or_else(|| self.by_joint_name(bare)).or_else(|| self.by_site(bare))
    }

    /// The joint with the longest name that the label begins with, up to the end of a word.
    fn by_joint_name(&self, label: &str) -> Option<JointId> {
        let is_at_start = |name: &str| {
            let rest = label.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
            let next = label.get(name.len()..).and_then(|rest| rest.chars().next());
            name.len() >= 2 && rest.is_some() && next.is_none_or(|c| !c.is_alphabetic())
        };
        let named = self.skeleton.joints().filter(|&j| is_at_start(self.skeleton.name(j)));
        named.reduce(
            |best, j| if self.skeleton.name(j).len() > self.skeleton.name(best).len() { j } else { best },
        )
    }

    fn by_site(&self, label: &str) -> Option<JointId> {
        let letters: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
        let letters = letters.to_ascii_uppercase();
        let first = |table: &[(&str, MarkerSite)], text: &str| {
            table.iter().find(|(start, _)| text.starts_with(start)).map(|(_, site)| *site)
        };
        if let Some(site) = first(&MIDDLE, &letters) {
            return self.site(site, None);
        }
        let sides = [("LEFT", 0), ("RIGHT", 1), ("L", 0), ("R", 1)];
        let (rest, side) =
            sides.iter().find_map(|(start, side)| Some((letters.strip_prefix(start)?, *side)))?;
        self.site(first(&SIDED, rest)?, Some(&self.anatomy.sides[side]))
    }

    fn site(&self, site: MarkerSite, limbs: Option<&Limbs>) -> Option<JointId> {
        let chest = self.anatomy.spine.last().copied();
        match site {
            MarkerSite::Head => self.anatomy.head,
            MarkerSite::Chest => chest,
            MarkerSite::Pelvis => self.anatomy.pelvis,
            MarkerSite::Shoulder => limbs?.clavicle.or(chest),
            MarkerSite::UpperArm => limbs?.upper_arm,
            MarkerSite::Forearm => limbs?.forearm,
            MarkerSite::Hand => limbs?.hand,
            MarkerSite::Thigh => limbs?.thigh,
            MarkerSite::Shin => limbs?.shin,
            MarkerSite::Foot => limbs?.foot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_common_marker_sets_name_joints() {
        let figure = sinew_samples::figure();
        let reader = LabelReader::new(figure.skeleton());
        let name = |label: &str| reader.joint(label).map(|j| figure.skeleton().name(j));
        for (label, joint) in [
            ("LKNE", "thigh.L"),
            ("Subject1:RANK", "shin.R"),
            ("R.Heel", "foot.R"),
            ("LELB", "upper_arm.L"),
            ("LWRA", "forearm.L"),
            ("RFIN", "hand.R"),
            ("RFHD", "head"),
            ("upper_arm.L_2", "upper_arm.L"),
            ("thigh.R", "thigh.R"),
        ] {
            assert_eq!(name(label), Some(joint), "{label}");
        }
        assert_eq!(name("C7"), reader.anatomy.spine.last().map(|&j| figure.skeleton().name(j)));
        assert_eq!(name("*17"), None);
    }
}
