//! Motion capture, and the places of its markers.

use super::{HUMANOID, reread, with_text};
use crate::subject::Verdict;
use sinew_author::markers::MarkerAttachments;
use sinew_formats::markers::{read_c3d, read_trc, to_c3d, to_trc};

/// Any bytes as a C3D file. A capture that reads is written and read back with the same frames and axis.
pub fn c3d(bytes: &[u8]) -> Verdict {
    let Ok(import) = read_c3d(bytes) else { return Verdict::Refused };
    _ = import.up_or_guess();
    if let Ok(file) = to_c3d(&import.capture, import.up) {
        let again = reread(read_c3d(&file));
        assert_eq!(again.capture.frame_count(), import.capture.frame_count());
        assert_eq!(again.up, import.up);
    }
    Verdict::Accepted
}

/// Any bytes as a TRC file. A capture that reads is written and read back with the same frames.
pub fn trc(bytes: &[u8]) -> Verdict {
    let Ok(import) = read_trc(bytes) else { return Verdict::Refused };
    _ = import.up_or_guess();
    if let Ok(text) = to_trc(&import.capture) {
        let again = reread(read_trc(text.as_bytes()));
        assert_eq!(again.capture.frame_count(), import.capture.frame_count());
    }
    Verdict::Accepted
}

/// Any text as places of markers: it is refused with a reason, or writes and reads back equal.
pub fn marker_text(bytes: &[u8]) -> Verdict {
    with_text(bytes, |text| {
        let skeleton = HUMANOID.skeleton();
        let attachments = MarkerAttachments::parse(text, skeleton);
        match &attachments {
            Ok(attachments) => {
                let again = reread(MarkerAttachments::parse(&attachments.to_text(skeleton), skeleton));
                assert_eq!(again.list(), attachments.list());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        Verdict::of(&attachments)
    })
}
