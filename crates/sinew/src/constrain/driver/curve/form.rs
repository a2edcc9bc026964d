//! The serialized form of a driver curve: its points, from which the slopes are computed again.

use super::{DriverCurve, DriverError};
use serde::{Deserialize, Serialize};

/// A driver curve without its slopes.
#[derive(Serialize, Deserialize)]
pub(super) struct DriverCurveForm {
    points: Vec<[f32; 2]>,
    is_smooth: bool,
}

impl TryFrom<DriverCurveForm> for DriverCurve {
    type Error = DriverError;

    fn try_from(form: DriverCurveForm) -> Result<Self, DriverError> {
        if form.is_smooth { Self::smooth(form.points) } else { Self::linear(form.points) }
    }
}

impl From<DriverCurve> for DriverCurveForm {
    fn from(curve: DriverCurve) -> Self {
        Self { points: curve.points().collect(), is_smooth: curve.is_smooth() }
    }
}
