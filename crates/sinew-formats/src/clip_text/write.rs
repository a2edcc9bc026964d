//! Writes clips as text.

use super::HEADER;
use sinew::naming::{Labels, quoted};
use sinew::{
    Channel, Character, Clip, ClipKind, Curve, Interpolation, JointId, MetaCurve,
    glam::{EulerRot, Quat, Vec3},
};
use std::{borrow::Borrow, fmt::Write as _};

/// How clips are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipTextOptions {
    /// Writes rotations as angles from rest in degrees, rounded to 1e-5, for people; cubic ones stay quaternions.
    pub degrees: bool,
}

impl ClipTextOptions {
    /// The same options with rotations in degrees, or as quaternions.
    #[must_use]
    pub fn with_degrees(mut self, degrees: bool) -> Self {
        self.degrees = degrees;
        self
    }
}

/// The text of `clips` of `character`.
#[must_use]
pub fn to_text<C: Borrow<Clip>>(clips: &[C], character: &Character, options: &ClipTextOptions) -> String {
    let skeleton = character.skeleton();
    let joints = Labels::new(skeleton.joints().map(|joint| skeleton.name(joint)));
    let mut writer = ClipWriter { character, joints, options: *options, out: format!("{HEADER}\n") };
    for clip in clips {
        writer.clip(clip.borrow());
    }
    writer.out
}

struct ClipWriter<'a> {
    character: &'a Character,
    joints: Labels<'a>,
    options: ClipTextOptions,
    out: String,
}

// Writing to a string does not fail.
impl ClipWriter<'_> {
    fn clip(&mut self, clip: &Clip) {
        let _ = writeln!(self.out, "\nclip {}", quoted(clip.name()));
        if let Some(duration) = clip.parts().duration_secs {
            let _ = writeln!(self.out, "duration {duration}");
        }
        if clip.kind() == ClipKind::Additive {
            self.out.push_str("additive\n");
        }
        for channel in clip.channels() {
            self.channel(channel, clip.kind());
        }
        for meta in clip.metas() {
            let interpolation = word(meta.curve.interpolation());
            let _ = writeln!(self.out, "meta {} {} {interpolation}", quoted(&meta.name), meta.curve.kind());
            match &meta.curve {
                MetaCurve::Scalar(curve) => self.keys(curve, |value| vec![*value]),
                MetaCurve::Vector(curve) => self.keys(curve, |value| value.to_array().to_vec()),
                MetaCurve::Rotation(curve) => self.keys(curve, |value| value.to_array().to_vec()),
            }
        }
        for event in clip.events() {
            let _ = write!(self.out, "event {} {}", event.time_secs, quoted(&event.name));
            if let Some(payload) = &event.payload {
                let _ = write!(self.out, " {}", quoted(payload));
            }
            self.out.push('\n');
        }
    }

    fn channel(&mut self, channel: &Channel, kind: ClipKind) {
        let interpolation = word(channel.interpolation());
        if let Channel::Morphs { first_slot, curve } = channel {
            let _ = writeln!(self.out, "slots {first_slot} {} {interpolation}", curve.width());
            return self.keys(curve, |weight| vec![*weight]);
        }
        let label = channel.joint().map_or("", |joint| self.joints.label(joint.index()));
        let in_degrees = self.options.degrees && channel.interpolation() != Interpolation::Cubic;
        let property = match channel {
            Channel::Rotation { .. } if in_degrees => "degrees",
            other => other.property(),
        };
        let _ = writeln!(self.out, "joint {} {property} {interpolation}", quoted(label));
        match channel {
            Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => {
                self.keys(curve, |value: &Vec3| value.to_array().to_vec());
            }
            Channel::Rotation { joint, curve } if in_degrees => {
                let rest = rest_rotation(self.character, *joint, kind);
                self.keys(curve, |rotation| degrees_of(rest, *rotation).to_vec());
            }
            Channel::Rotation { curve, .. } => {
                self.keys(curve, |value: &Quat| value.to_array().to_vec());
            }
            Channel::Morphs { .. } => {}
        }
    }

    fn keys<T>(&mut self, curve: &Curve<T>, numbers: impl Fn(&T) -> Vec<f32>) {
        let per_key = curve.width() * curve.interpolation().elements_per_key();
        for (time, elements) in curve.times_secs().iter().zip(curve.elements().chunks(per_key)) {
            let _ = write!(self.out, "{time}");
            for number in elements.iter().flat_map(&numbers) {
                let _ = write!(self.out, " {number}");
            }
            self.out.push('\n');
        }
    }
}

/// The rotation that angles are measured from.
pub(super) fn rest_rotation(character: &Character, joint: JointId, kind: ClipKind) -> Quat {
    match kind {
        ClipKind::Absolute => character.skeleton().rest(joint).rotation,
        ClipKind::Additive => Quat::IDENTITY,
    }
}

fn degrees_of(rest: Quat, rotation: Quat) -> [f32; 3] {
    let exact = |q: Quat| q.as_dquat().normalize();
    let (x, y, z) = (exact(rest).conjugate() * exact(rotation)).to_euler(EulerRot::XYZ);
    [x, y, z].map(|radians| ((radians.to_degrees() * 1e5).round() / 1e5 + 0.0) as f32)
}

fn word(interpolation: Interpolation) -> &'static str {
    match interpolation {
        Interpolation::Step => "step",
        Interpolation::Linear => "linear",
        Interpolation::Cubic => "cubic",
    }
}
