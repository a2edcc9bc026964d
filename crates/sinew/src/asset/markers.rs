//! Marker captures: labeled points over time, as optical motion capture records them.

mod up;

pub use up::UpAxis;

use glam::Vec3;
use std::{collections::HashSet, ops::Range};
use thiserror::Error;

/// Positions of labeled markers at a steady rate; a marker that no camera sees in a frame is missing there.
///
/// ```
/// use sinew::{MarkerCapture, UpAxis, glam::Vec3};
///
/// let at = |height| Some(Vec3::new(0.1, 0.2, height));
/// let labels = vec!["LKNE".into(), "LANK".into()];
/// let capture = MarkerCapture::new(labels, 100.0, vec![at(0.5), at(0.1), at(0.5), None]).unwrap();
/// assert_eq!((capture.frame_count(), capture.gaps(1)), (2, vec![1..2]));
/// assert_eq!(capture.turned_to_y_up(UpAxis::Z).frame(0)[0], Some(Vec3::new(0.1, 0.5, -0.2)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerCapture {
    labels: Vec<String>,
    rate_hz: f32,
    /// Frame by frame, one entry per marker.
    positions: Vec<Option<Vec3>>,
}

/// Why labels and positions are not a capture.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MarkerError {
    /// A capture needs at least one marker.
    #[error("a capture needs at least one marker")]
    NoMarkers,
    /// A label is empty, or a second marker has it too.
    #[error("marker {marker}: the label {label:?} is empty or taken")]
    BadLabel {
        /// Index of the marker in the list.
        marker: usize,
        /// The label that was given.
        label: String,
    },
    /// The rate is not positive and finite.
    #[error("the rate must be positive, got {rate_hz} Hz")]
    BadRate {
        /// The rate that was given, in frames per second.
        rate_hz: f32,
    },
    /// The positions are not a whole number of frames.
    #[error("the number of positions must be a multiple of {markers} markers, got {positions}")]
    WrongCount {
        /// Number of positions that were given.
        positions: usize,
        /// Number of markers in a frame.
        markers: usize,
    },
    /// A position is not finite.
    #[error("frame {frame}, marker {label:?}: the position must be finite, got {position}")]
    NotFinite {
        /// Index of the frame.
        frame: usize,
        /// Label of the marker.
        label: String,
        /// The position that was given.
        position: Vec3,
    },
}

impl MarkerCapture {
    /// A capture of markers with unique `labels` at `rate_hz` frames per second. `positions` are in meters, frame by frame with
    /// one entry per marker, `None` where the marker is missing.
    ///
    /// # Errors
    /// If there are no markers, a label is empty or duplicate, the rate is not positive, the last frame is incomplete, or a
    /// position is not finite.
    pub fn new(labels: Vec<String>, rate_hz: f32, positions: Vec<Option<Vec3>>) -> Result<Self, MarkerError> {
        if labels.is_empty() {
            return Err(MarkerError::NoMarkers);
        }
        let mut taken = HashSet::new();
        for (marker, label) in labels.iter().enumerate() {
            if label.is_empty() || !taken.insert(label.as_str()) {
                return Err(MarkerError::BadLabel { marker, label: label.clone() });
            }
        }
        if !(rate_hz > 0.0 && rate_hz.is_finite()) {
            return Err(MarkerError::BadRate { rate_hz });
        }
        let markers = labels.len();
        if !positions.len().is_multiple_of(markers) {
            return Err(MarkerError::WrongCount { positions: positions.len(), markers });
        }
        let bad = positions.iter().position(|p| p.is_some_and(|p| !p.is_finite()));
        if let Some((at, position)) = bad.and_then(|at| Some((at, positions[at]?))) {
            let label = labels[at % markers].clone();
            return Err(MarkerError::NotFinite { frame: at / markers, label, position });
        }
        Ok(Self { labels, rate_hz, positions })
    }

    /// The label of every marker.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The index of the marker called `label`.
    pub fn find(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|l| l == label)
    }

    /// Frames per second, positive.
    pub fn rate_hz(&self) -> f32 {
        self.rate_hz
    }

    /// Number of frames; may be 0.
    pub fn frame_count(&self) -> usize {
        self.positions.len() / self.labels.len()
    }

    /// The time of a frame in seconds, 0 for the first.
    pub fn time_secs(&self, frame: usize) -> f32 {
        (frame as f64 / f64::from(self.rate_hz)) as f32
    }

    /// The time of the last frame in seconds; 0 without frames.
    pub fn duration_secs(&self) -> f32 {
        self.time_secs(self.frame_count().saturating_sub(1))
    }

    /// The positions of all markers in one frame, in meters.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn frame(&self, frame: usize) -> &[Option<Vec3>] {
        &self.positions[frame * self.labels.len()..(frame + 1) * self.labels.len()]
    }

    /// Every frame, in order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &[Option<Vec3>]> {
        self.positions.chunks_exact(self.labels.len())
    }

    /// The position of one marker in every frame, in meters.
    ///
    /// # Panics
    /// If there is no such marker.
    pub fn track(&self, marker: usize) -> impl ExactSizeIterator<Item = Option<Vec3>> {
        assert!(
            marker < self.labels.len(),
            "marker {marker} does not exist: there are {}",
            self.labels.len()
        );
        self.frames().map(move |frame| frame[marker])
    }

    /// The runs of frames in which a marker is missing.
    ///
    /// # Panics
    /// If there is no such marker.
    pub fn gaps(&self, marker: usize) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::new();
        for (frame, _) in self.track(marker).enumerate().filter(|(_, position)| position.is_none()) {
            match out.last_mut() {
                Some(gap) if gap.end == frame => gap.end += 1,
                _ => out.push(frame..frame + 1),
            }
        }
        out
    }

    /// The same capture with every position changed by `map`, which gets and returns meters.
    ///
    /// # Errors
    /// If a new position is not finite.
    pub fn mapped(&self, map: impl Fn(Vec3) -> Vec3) -> Result<Self, MarkerError> {
        let positions = self.positions.iter().map(|p| p.map(&map)).collect();
        Self::new(self.labels.clone(), self.rate_hz, positions)
    }

    /// The same capture, turned so that the axis `up` becomes Y, as in every character.
    #[must_use]
    pub fn turned_to_y_up(&self, up: UpAxis) -> Self {
        let positions = self.positions.iter().map(|p| p.map(|p| up.to_y_up(p))).collect();
        Self { positions, ..self.clone() }
    }

    /// The axis that is probably up: Y or Z, whichever has the markers stand on its zero; `None` if no frame has three markers.
    ///
    /// In the axis that is up, the lowest marker is a foot near the floor in every frame, and the body is tall. In a level
    /// axis the body extends to both sides of any point, and moves.
    pub fn guess_up(&self) -> Option<UpAxis> {
        up::guess(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Vec<String> {
        vec!["a".into(), "b".into()]
    }

    #[test]
    fn a_capture_has_unique_labels_whole_frames_and_finite_positions() {
        let at = Some(Vec3::ONE);
        assert!(MarkerCapture::new(labels(), 100.0, vec![at, None]).is_ok());
        let bad = |labels: &[&str], rate, positions| {
            MarkerCapture::new(labels.iter().map(|l| (*l).to_owned()).collect(), rate, positions).unwrap_err()
        };
        assert_eq!(bad(&[], 1.0, vec![]), MarkerError::NoMarkers);
        assert!(matches!(bad(&["a", "a"], 1.0, vec![]), MarkerError::BadLabel { marker: 1, .. }));
        assert!(matches!(bad(&[""], 1.0, vec![]), MarkerError::BadLabel { marker: 0, .. }));
        for rate in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(bad(&["a"], rate, vec![]), MarkerError::BadRate { .. }));
        }
        assert!(matches!(bad(&["a", "b"], 1.0, vec![at]), MarkerError::WrongCount { .. }));
        let infinite = Some(Vec3::INFINITY);
        assert!(matches!(bad(&["a"], 1.0, vec![at, infinite]), MarkerError::NotFinite { frame: 1, .. }));
    }

    #[test]
    fn gaps_are_runs_of_missing_frames() {
        let (at, none) = (Some(Vec3::ZERO), None);
        let positions = vec![at, none, none, at, at, at, none, none, none, at];
        let capture = MarkerCapture::new(labels(), 10.0, positions).unwrap();
        assert_eq!(capture.gaps(0), [1..2, 3..5]);
        assert_eq!(capture.gaps(1), [0..1, 3..4]);
        assert_eq!(capture.duration_secs(), 0.4);
    }
}
