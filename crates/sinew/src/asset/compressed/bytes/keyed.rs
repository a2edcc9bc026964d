//! Channels that keep their keys, events and meta-channels as bytes.

use super::{reader::VarintReader, writer::VarintWriter};
use crate::asset::{
    clip::{Channel, ClipEvent, ClipKind, ClipParts, MetaChannel, MetaCurve},
    compressed::CompressedError,
    curve::{Curve, Interpolation},
    skeleton::JointId,
};
use glam::{Quat, Vec3};

/// A value of a curve as numbers.
trait KeyValue: Copy + PartialEq {
    /// How many numbers it has.
    const NUMBERS: usize;
    /// The value that needs no bytes where it is the only one.
    const USUAL: Self;

    fn write(self, out: &mut VarintWriter);
    fn read(input: &mut VarintReader<'_>) -> Result<Self, CompressedError>;
}

impl KeyValue for f32 {
    const NUMBERS: usize = 1;
    const USUAL: Self = 0.0;

    fn write(self, out: &mut VarintWriter) {
        out.float(self);
    }

    fn read(input: &mut VarintReader<'_>) -> Result<Self, CompressedError> {
        input.float("a value")
    }
}

impl KeyValue for Vec3 {
    const NUMBERS: usize = 3;
    const USUAL: Self = Self::ONE;

    fn write(self, out: &mut VarintWriter) {
        self.to_array().into_iter().for_each(|number| out.float(number));
    }

    fn read(input: &mut VarintReader<'_>) -> Result<Self, CompressedError> {
        let mut number = || input.float("a vector");
        Ok(Self::new(number()?, number()?, number()?))
    }
}

impl KeyValue for Quat {
    const NUMBERS: usize = 4;
    const USUAL: Self = Self::IDENTITY;

    fn write(self, out: &mut VarintWriter) {
        self.to_array().into_iter().for_each(|number| out.float(number));
    }

    fn read(input: &mut VarintReader<'_>) -> Result<Self, CompressedError> {
        let mut number = || input.float("a rotation");
        Ok(Self::from_xyzw(number()?, number()?, number()?, number()?))
    }
}

/// What kind of values a channel has: the lowest bits of its first byte.
const TRANSLATION: u8 = 0;
const ROTATION: u8 = 1;
const SCALE: u8 = 2;
const MORPHS: u8 = 3;
/// Where the interpolation is in the first byte.
const INTERPOLATION_SHIFT: u8 = 2;
/// The curve has a single key, at time 0.
const SINGLE_KEY: u8 = 16;
/// The single key has the usual value, which is left out.
const USUAL_KEY: u8 = 32;

pub(super) fn write(parts: &ClipParts, out: &mut VarintWriter) {
    out.count(parts.channels.len());
    parts.channels.iter().for_each(|channel| write_channel(channel, out));
    out.count(parts.events.len());
    for event in &parts.events {
        out.float(event.time_secs);
        out.text(&event.name);
        out.byte(u8::from(event.payload.is_some()));
        if let Some(payload) = &event.payload {
            out.text(payload);
        }
    }
    out.count(parts.metas.len());
    for meta in &parts.metas {
        out.text(&meta.name);
        match &meta.curve {
            MetaCurve::Scalar(curve) => write_curve(MORPHS, 0, curve, out),
            MetaCurve::Vector(curve) => write_curve(TRANSLATION, 0, curve, out),
            MetaCurve::Rotation(curve) => write_curve(ROTATION, 0, curve, out),
        }
    }
}

fn write_channel(channel: &Channel, out: &mut VarintWriter) {
    match channel {
        Channel::Translation { joint, curve } => write_curve(TRANSLATION, joint.index(), curve, out),
        Channel::Rotation { joint, curve } => write_curve(ROTATION, joint.index(), curve, out),
        Channel::Scale { joint, curve } => write_curve(SCALE, joint.index(), curve, out),
        Channel::Morphs { first_slot, curve } => write_curve(MORPHS, *first_slot, curve, out),
    }
}

fn write_curve<T: KeyValue>(kind: u8, target: usize, curve: &Curve<T>, out: &mut VarintWriter) {
    let interpolation = match curve.interpolation() {
        Interpolation::Step => 0,
        Interpolation::Linear => 1,
        Interpolation::Cubic => 2,
    };
    let is_single = curve.times_secs() == [0.0];
    let is_usual = is_single
        && curve.elements().len() <= MAX_USUAL
        && curve.elements().iter().all(|value| *value == T::USUAL);
    let flags = if is_single { SINGLE_KEY } else { 0 } | if is_usual { USUAL_KEY } else { 0 };
    out.byte(kind | interpolation << INTERPOLATION_SHIFT | flags);
    out.count(target);
    out.count(curve.width());
    if !is_single {
        out.count(curve.key_count());
        curve.times_secs().iter().for_each(|time| out.float(*time));
    }
    if !is_usual {
        curve.elements().iter().for_each(|value| value.write(out));
    }
}

pub(super) fn read(
    name: String,
    kind: ClipKind,
    input: &mut VarintReader<'_>,
) -> Result<ClipParts, CompressedError> {
    let count = input.count_of(3, "the number of channels")?;
    let channels = (0..count).map(|_| read_channel(input)).collect::<Result<_, _>>()?;
    let count = input.count_of(6, "the number of events")?;
    let events = (0..count).map(|_| read_event(input)).collect::<Result<_, _>>()?;
    let count = input.count_of(4, "the number of meta-channels")?;
    let metas = (0..count).map(|_| read_meta(input)).collect::<Result<_, _>>()?;
    Ok(ClipParts { name, channels, events, metas, kind, duration_secs: None })
}

fn read_event(input: &mut VarintReader<'_>) -> Result<ClipEvent, CompressedError> {
    let time_secs = input.float("the time of an event")?;
    let name = input.text("the name of an event")?;
    let payload = match input.byte("the payload of an event")? {
        0 => None,
        1 => Some(input.text("the payload of an event")?),
        _ => return Err(input.bad("the payload of an event")),
    };
    Ok(ClipEvent { time_secs, name, payload })
}

fn read_meta(input: &mut VarintReader<'_>) -> Result<MetaChannel, CompressedError> {
    let name = input.text("the name of a meta-channel")?;
    let head = CurveHead::read(input)?;
    let curve = match head.kind {
        TRANSLATION => MetaCurve::Vector(head.curve(input)?),
        ROTATION => MetaCurve::Rotation(head.curve(input)?),
        MORPHS => MetaCurve::Scalar(head.curve(input)?),
        _ => return Err(input.bad("the kind of a meta-channel")),
    };
    Ok(MetaChannel { name, curve })
}

fn read_channel(input: &mut VarintReader<'_>) -> Result<Channel, CompressedError> {
    let head = CurveHead::read(input)?;
    if head.kind == MORPHS {
        return Ok(Channel::Morphs { first_slot: head.target, curve: head.curve(input)? });
    }
    let joint = u16::try_from(head.target).map(JointId).map_err(|_| input.bad("a joint"))?;
    Ok(match head.kind {
        TRANSLATION => Channel::Translation { joint, curve: head.curve(input)? },
        ROTATION => Channel::Rotation { joint, curve: head.curve(input)? },
        _ => Channel::Scale { joint, curve: head.curve(input)? },
    })
}

/// What precedes the keys of a curve.
struct CurveHead {
    kind: u8,
    target: usize,
    width: usize,
    interpolation: Interpolation,
    is_single: bool,
    is_usual: bool,
}

impl CurveHead {
    fn read(input: &mut VarintReader<'_>) -> Result<Self, CompressedError> {
        let first = input.byte("the kind of a curve")?;
        let interpolation = match first >> INTERPOLATION_SHIFT & 3 {
            0 => Interpolation::Step,
            1 => Interpolation::Linear,
            2 => Interpolation::Cubic,
            _ => return Err(input.bad("the interpolation of a curve")),
        };
        let (is_single, is_usual) = (first & SINGLE_KEY != 0, first & USUAL_KEY != 0);
        if first >= 64 || (is_usual && !is_single) {
            return Err(input.bad("the kind of a curve"));
        }
        let target = input.count("the joint or slot of a curve")?;
        let width = input.count("the width of a curve")?;
        Ok(Self { kind: first & 3, target, width, interpolation, is_single, is_usual })
    }

    fn curve<T: KeyValue>(&self, input: &mut VarintReader<'_>) -> Result<Curve<T>, CompressedError> {
        let times: Vec<f32> = if self.is_single {
            vec![0.0]
        } else {
            let count = input.count_of(4, "the number of keys")?;
            (0..count).map(|_| input.float("the time of a key")).collect::<Result<_, _>>()?
        };
        let count =
            times.len().saturating_mul(self.width).saturating_mul(self.interpolation.elements_per_key());
        let values = if self.is_usual {
            // Bytes that are left out must not stand for more than others would.
            if count > MAX_USUAL {
                return Err(input.bad("the width of a curve"));
            }
            vec![T::USUAL; count]
        } else {
            input.has(count.saturating_mul(4 * T::NUMBERS), "the values of a curve")?;
            (0..count).map(|_| T::read(input)).collect::<Result<_, _>>()?
        };
        let end = input.at();
        Curve::with_width(self.width, times, values, self.interpolation)
            .map_err(|source| CompressedError::BadCurve { end, source })
    }
}

/// The largest number of values that a curve leaves out.
const MAX_USUAL: usize = 256;
