//! What a motion loses on its way to another character, as entries of the write report.

use crate::text;
use sinew_author::retarget::ClipLosses;
use sinew_formats::{Outcome, WriteReport};

/// Adds what a clip lost; `place` names the clip and its file.
pub(crate) fn report_clip(losses: &ClipLosses, place: &str, report: &mut WriteReport) {
    let lists = [
        ("joint-channel", &losses.joints, "joints that the character lacks"),
        ("translation-channel", &losses.translations, "joints that move along their parents"),
        ("scale-channel", &losses.scales, "joints that change their size"),
        ("meta-channel", &losses.metas, "curves that animate no joint"),
    ];
    for (code, names, what) in lists {
        let detail = format!("{what}: {}", text::list(names));
        report.add(Outcome::Dropped, code, place, names.len(), detail);
    }
    report.add(Outcome::Dropped, "morph-channel", place, losses.morphs, "weights of morph targets");
}
