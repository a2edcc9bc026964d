//! How near linear blend skinning comes, measured with the runtime.

use super::{
    LinearFitError,
    points::FitSkin,
    poses::{NamedPose, PoseSets},
};
use sinew::{Character, Frame, LocalPose, Method};

/// Distances between two deformations of the skinned vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FitError {
    /// The root mean square distance, in meters.
    pub rms_meters: f64,
    /// The largest distance, in meters.
    pub max_meters: f64,
}

/// The distances from the method in one pose.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseError {
    /// The clip and time, or the joint and angle.
    pub pose: String,
    /// Linear blend skinning of the character as it was.
    pub plain: FitError,
    /// Linear blend skinning of the fitted character.
    pub fitted: FitError,
}

/// The result of a fit in figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearFitReport {
    /// Each pose that was fitted.
    pub poses: Vec<PoseError>,
    /// Each pose that was only measured.
    pub held_out: Vec<PoseError>,
    /// The number of vertices whose weights were fitted.
    pub vertices: usize,
}

impl LinearFitReport {
    /// The distances over all poses that were fitted: before and after.
    #[must_use]
    pub fn over_fitted_poses(&self) -> [FitError; 2] {
        over(&self.poses)
    }

    /// The distances over all poses that were only measured: before and after.
    #[must_use]
    pub fn over_held_out_poses(&self) -> [FitError; 2] {
        over(&self.held_out)
    }
}

fn over(poses: &[PoseError]) -> [FitError; 2] {
    let of = |pick: fn(&PoseError) -> FitError| {
        let squares: f64 = poses.iter().map(|pose| pick(pose).rms_meters.powi(2)).sum();
        FitError {
            rms_meters: (squares / poses.len().max(1) as f64).sqrt(),
            max_meters: poses.iter().map(|pose| pick(pose).max_meters).fold(0.0, f64::max),
        }
    };
    [of(|pose| pose.plain), of(|pose| pose.fitted)]
}

pub(super) fn measured(
    character: &Character,
    fitted: &Character,
    method: Method,
    poses: &PoseSets,
    skins: &[FitSkin],
) -> Result<LinearFitReport, LinearFitError> {
    let mut frames = MeasureFrames {
        wanted: Frame::new(character),
        plain: Frame::new(character),
        fitted: Frame::new(fitted),
        method,
    };
    let mut all =
        |poses: &[NamedPose]| poses.iter().map(|pose| frames.measure(pose)).collect::<Result<_, _>>();
    Ok(LinearFitReport {
        poses: all(&poses.fitted)?,
        held_out: all(&poses.held_out)?,
        vertices: skins.iter().flat_map(|skin| &skin.meshes).map(|(_, of_vertex)| of_vertex.len()).sum(),
    })
}

/// The character by the method, by linear blend skinning, and as it was fitted.
struct MeasureFrames {
    wanted: Frame,
    plain: Frame,
    fitted: Frame,
    method: Method,
}

impl MeasureFrames {
    fn measure(&mut self, pose: &NamedPose) -> Result<PoseError, LinearFitError> {
        *self.wanted.local_mut() = pose.local.clone();
        *self.plain.local_mut() = pose.local.clone();
        let rest = self.fitted.character().rest_pose();
        let joints = pose.local.joints.iter().chain(&rest.joints[pose.local.joints.len()..]);
        *self.fitted.local_mut() = LocalPose { joints: joints.copied().collect(), ..pose.local.clone() };
        self.wanted.deform(self.method)?;
        self.plain.deform(Method::Linear)?;
        self.fitted.deform(Method::Linear)?;
        Ok(PoseError {
            pose: pose.name.clone(),
            plain: distance(&self.wanted, &self.plain),
            fitted: distance(&self.wanted, &self.fitted),
        })
    }
}

/// The distances between the skinned vertices of two frames.
fn distance(wanted: &Frame, shown: &Frame) -> FitError {
    let (mut squares, mut largest, mut count) = (0.0, 0.0_f64, 0_usize);
    let instances = wanted.character().instances().iter().zip(wanted.deformed().iter().zip(shown.deformed()));
    for (_, (wanted, shown)) in instances.filter(|(instance, _)| instance.skin.is_some()) {
        for (a, b) in wanted.positions.iter().zip(&shown.positions) {
            let square = f64::from(a.distance_squared(*b));
            squares += square;
            largest = largest.max(square);
        }
        count += wanted.positions.len();
    }
    FitError { rms_meters: (squares / count.max(1) as f64).sqrt(), max_meters: largest.sqrt() }
}
