//! Motion capture, solved onto the humanoid.

use crate::{random::Random, subject::Verdict, target::HUMANOID};
use sinew::MarkerCapture;
use sinew_author::{
    markers::{MarkerSolveOptions, guess_attachments, guess_scale, solve_markers},
    uninterrupted,
};
use sinew_formats::markers::{read_markers, to_c3d, to_trc};

/// The frames that are solved at most: the time is proportional, and a file may hold very many.
const MAX_FRAMES: usize = 200;

/// Reads a marker file, writes it in both formats, and lets the humanoid follow it.
pub fn markers(bytes: &[u8], random: &mut Random) -> Verdict {
    let Ok(import) = read_markers(bytes) else { return Verdict::Refused };
    let capture = &import.capture;
    _ = import.up_or_guess();
    _ = to_c3d(capture, import.up);
    _ = to_trc(capture);
    if random.one_in(4) && capture.frame_count() <= MAX_FRAMES {
        solve(capture);
    }
    Verdict::Accepted
}

fn solve(capture: &MarkerCapture) {
    if capture.frame_count() == 0 {
        return;
    }
    let scale = guess_scale(&HUMANOID, capture, 0);
    let Ok((attachments, _)) = guess_attachments(&HUMANOID, capture, 0) else { return };
    let options = MarkerSolveOptions::default().with_scale(scale);
    _ = solve_markers(&HUMANOID, capture, &attachments, "case", &options, &mut uninterrupted);
}
