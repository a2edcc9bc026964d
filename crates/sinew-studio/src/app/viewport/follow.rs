//! The camera follows a character that its clip moves through the world.

use sinew::glam::Vec3;
use sinew_view::camera::Camera;

/// Where the character was in the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ViewportFollow {
    last: FollowedPose,
}

/// The part of a pose that the camera follows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FollowedPose {
    /// The distance from the origin on the ground plane, in meters.
    pub(super) traveled: Vec3,
    /// The time of the playhead.
    pub(super) time_secs: f32,
    /// True if the pose comes from playback, not from the document.
    pub(super) is_previewed: bool,
}

impl ViewportFollow {
    /// The distance that the camera has followed so far, on the ground plane, in meters.
    pub(super) fn traveled(&self) -> Vec3 {
        self.last.traveled
    }

    /// Moves `camera` with the character. Only playback and scrubbing move it: a dragged joint must not pull it along.
    pub(super) fn follow(&mut self, camera: &mut Camera, now: FollowedPose, is_playing: bool, is_on: bool) {
        let last = std::mem::replace(&mut self.last, now);
        let has_jumped = last.time_secs != now.time_secs || last.is_previewed != now.is_previewed;
        if is_on && (is_playing || has_jumped) {
            *camera = camera.moved_by(now.traveled - last.traveled);
        }
    }
}
