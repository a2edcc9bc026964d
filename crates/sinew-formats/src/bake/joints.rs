//! Joint positions over time: little-endian floats and a JSON description.
//!
//! `PREFIX.json` holds `times` in seconds and the names of `joints`. `PREFIX.f32` holds positions
//! `[times][joints][3]` in model space, or in the units and axes of a BVH file.

use super::{BakeError, BakeMotion, write_floats};
use crate::{
    bvh::{Bvh, BvhPose, PositionChannels},
    export::ExportedFile,
};
use serde::Serialize;
use sinew::glam::{DVec3, Vec3};
use sinew::{Character, ModelPose};
use std::io::{self, Write};

/// The positions of all joints at several times.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTracks {
    /// The times, in seconds.
    pub times_secs: Vec<f32>,
    /// The names of the joints.
    pub names: Vec<String>,
    /// The positions of all joints at the first time, then at the second, and so on.
    pub positions: Vec<Vec3>,
}

impl JointTracks {
    /// Every frame of a BVH file, computed in double precision.
    #[must_use]
    pub fn of_bvh(bvh: &Bvh, positions: PositionChannels) -> Self {
        let mut pose = BvhPose::new(bvh);
        let mut out = Self {
            times_secs: (0..bvh.frame_count()).map(|f| (f as f64 * bvh.frame_secs()) as f32).collect(),
            names: bvh.joints().iter().map(|j| j.name.clone()).collect(),
            positions: Vec::with_capacity(bvh.frame_count() * bvh.joints().len()),
        };
        for frame in 0..bvh.frame_count() {
            pose.update(bvh, frame, positions);
            out.positions.extend(pose.positions().map(DVec3::as_vec3));
        }
        out
    }

    /// The joints of a character in a motion, in model space.
    ///
    /// # Errors
    /// When the motion does not fit the character or the times.
    pub fn record(
        character: &Character,
        motion: BakeMotion<'_>,
        times_secs: &[f32],
    ) -> Result<Self, BakeError> {
        motion.check(character, times_secs.len())?;
        let skeleton = character.skeleton();
        let mut model = ModelPose::new(skeleton);
        let mut pose = character.rest_pose();
        let rest = pose.clone();
        let mut positions = Vec::with_capacity(times_secs.len() * skeleton.len());
        for (index, &time_secs) in times_secs.iter().enumerate() {
            pose.copy_from(&rest);
            motion.sample(index, time_secs, &mut pose);
            character.apply_helpers(&mut pose);
            model.update(skeleton, &pose);
            positions.extend(model.joints().iter().map(|j| Vec3::from(j.translation)));
        }
        let names = skeleton.joints().map(|j| skeleton.name(j).to_owned()).collect();
        Ok(Self { times_secs: times_secs.to_vec(), names, positions })
    }
}

#[derive(Serialize)]
struct JointsDocument<'a> {
    generator: &'static str,
    times: &'a [f32],
    joints: &'a [String],
}

/// Both files: the document and the positions.
///
/// # Errors
/// When the document cannot be written.
pub fn files(tracks: &JointTracks) -> io::Result<Vec<ExportedFile>> {
    Ok(vec![
        ExportedFile::written(".json", |out| write_json(tracks, out))?,
        ExportedFile::written(".f32", |out| write_positions(tracks, out))?,
    ])
}

/// Writes the document: `PREFIX.json`.
///
/// # Errors
/// When writing to `out` fails.
pub fn write_json(tracks: &JointTracks, out: &mut impl Write) -> io::Result<()> {
    let generator = concat!("sinew ", env!("CARGO_PKG_VERSION"));
    let document = JointsDocument { generator, times: &tracks.times_secs, joints: &tracks.names };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Writes the positions: `PREFIX.f32`.
///
/// # Errors
/// When writing to `out` fails.
pub fn write_positions(tracks: &JointTracks, out: &mut impl Write) -> io::Result<()> {
    write_floats(tracks.positions.iter().flat_map(Vec3::to_array), out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_gives_every_joint_at_every_time() {
        let figure = sinew_samples::figure();
        let joints = figure.skeleton().len();
        let walk = BakeMotion::Clip(figure.find_clip("walk").unwrap());
        let tracks = JointTracks::record(&figure, walk, &[0.0, 0.3]).unwrap();
        assert_eq!(tracks.positions.len(), 2 * joints);
        assert_ne!(tracks.positions[..joints], tracks.positions[joints..]);
        let mut bytes = Vec::new();
        write_positions(&tracks, &mut bytes).unwrap();
        assert_eq!(bytes.len(), tracks.positions.len() * 12);
        let mut json = Vec::new();
        write_json(&tracks, &mut json).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(read["joints"].as_array().unwrap().len(), joints);
    }
}
