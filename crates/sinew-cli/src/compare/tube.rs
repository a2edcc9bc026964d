//! The quality table: the tube bent and twisted by every method.

use crate::failure::Failure;
use serde::Serialize;
use sinew::measure::Gauge;
use sinew::{Character, Frame, Method};

/// One method at one angle.
#[derive(Debug, Serialize)]
pub(super) struct TubeFigures {
    pub(super) method: &'static str,
    pub(super) bend_deg: f32,
    pub(super) twist_deg: f32,
    pub(super) volume_ratio: f64,
    pub(super) min_radius: f64,
    pub(super) max_radius: f64,
}

const ANGLES: [f32; 6] = [0.0, 45.0, 90.0, 135.0, 150.0, 179.0];

/// Every method, bent and twisted to every angle.
pub(super) fn table(tube: &Character, methods: &[Method]) -> Result<Vec<TubeFigures>, Failure> {
    let draw = |e: sinew::DeformError| Failure::Draw(e.to_string());
    let gauge = Gauge::new(tube).map_err(draw)?;
    let mut frame = Frame::new(tube);
    let mut rows = Vec::new();
    for &method in methods {
        let bends = ANGLES.map(|bend| (bend, 0.0));
        let twists = ANGLES[1..].iter().map(|&twist| (0.0, twist));
        for (bend_deg, twist_deg) in bends.into_iter().chain(twists) {
            frame
                .local_mut()
                .copy_from(&sinew_samples::tube_pose(bend_deg.to_radians(), twist_deg.to_radians()));
            frame.deform(method).map_err(draw)?;
            let figures = gauge.measure(&frame);
            rows.push(TubeFigures {
                method: method.name(),
                bend_deg,
                twist_deg,
                volume_ratio: figures.volume,
                min_radius: figures.least_radius,
                max_radius: figures.most_radius,
            });
        }
    }
    Ok(rows)
}
