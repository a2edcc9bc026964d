//! The quality table: the tube bent and twisted by every method.

use serde::Serialize;
use sinew::measure::Gauge;
use sinew::{Character, DeformError, Frame, Method};

/// One method at one angle. Ratios are relative to the rest pose.
#[derive(Debug, Serialize)]
pub(super) struct TubeMeasures {
    pub(super) method: &'static str,
    pub(super) bend_degrees: f32,
    pub(super) twist_degrees: f32,
    pub(super) volume_ratio: f64,
    pub(super) min_radius_ratio: f64,
    pub(super) max_radius_ratio: f64,
}

const ANGLES_DEGREES: [f32; 6] = [0.0, 45.0, 90.0, 135.0, 150.0, 179.0];

/// Every method, bent and twisted to every angle.
pub(super) fn table(tube: &Character, methods: &[Method]) -> Result<Vec<TubeMeasures>, DeformError> {
    let gauge = Gauge::new(tube)?;
    let mut frame = Frame::new(tube);
    let mut rows = Vec::new();
    for &method in methods {
        let bends = ANGLES_DEGREES.map(|bend| (bend, 0.0));
        let twists = ANGLES_DEGREES[1..].iter().map(|&twist| (0.0, twist));
        for (bend_degrees, twist_degrees) in bends.into_iter().chain(twists) {
            let pose = sinew_samples::tube_pose(bend_degrees.to_radians(), twist_degrees.to_radians());
            frame.local_mut().copy_from(&pose);
            frame.deform(method)?;
            let shape = gauge.measure(&frame);
            rows.push(TubeMeasures {
                method: method.name(),
                bend_degrees,
                twist_degrees,
                volume_ratio: shape.volume,
                min_radius_ratio: shape.min_radius,
                max_radius_ratio: shape.max_radius,
            });
        }
    }
    Ok(rows)
}
