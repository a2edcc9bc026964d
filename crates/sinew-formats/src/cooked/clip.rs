//! Clips in a cooked file: keys as they are, or compressed frames.

use crate::{ReadError, budget::Budget};
use sinew::{
    Channel, Clip, ClipEvent, ClipKind, ClipParts, CompressedClip, Curve, Interpolation, JointId,
    MetaChannel, MetaCurve, Skeleton,
    bytes::{ByteReader, ByteWriter, BytesError, StoredNumber},
};
use std::fmt::Display;
use thiserror::Error;

const INTERPOLATIONS: [Interpolation; 3] = [Interpolation::Step, Interpolation::Linear, Interpolation::Cubic];
const KINDS: [ClipKind; 2] = [ClipKind::Absolute, ClipKind::Additive];
/// The least size of a channel, an event and a meta-channel, in bytes.
const CHANNEL_BYTES: usize = 16;
const EVENT_BYTES: usize = 13;
/// What a decoded key takes: a rotation and its time.
const KEY_BYTES: usize = 20;

/// Why a section does not hold a clip.
#[derive(Debug, Error)]
pub(super) enum ClipSectionError {
    #[error(transparent)]
    Bytes(#[from] BytesError),
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    Limit(#[from] ReadError),
}

fn invalid(error: impl Display) -> ClipSectionError {
    ClipSectionError::Invalid(error.to_string())
}

pub(super) fn write(clip: &Clip, out: &mut ByteWriter) {
    out.u8(clip.compressed().is_some().into());
    match clip.compressed() {
        None => write_parts(clip.parts(), out),
        Some(compressed) => out.list(&compressed.to_bytes()),
    }
}

pub(super) fn read(
    from: &mut ByteReader<'_>,
    skeleton: &Skeleton,
    budget: &Budget,
) -> Result<Clip, ClipSectionError> {
    if !from.flag("compressed")? {
        return Clip::from_parts(read_parts(from)?).map_err(invalid);
    }
    let compressed = CompressedClip::from_bytes(from.byte_list()?).map_err(invalid)?;
    let clip = Clip::of_compressed(compressed.of_skeleton(skeleton));
    // A few bytes can stand for very many keys, which everything that needs keys would decode.
    budget.charge(clip.name(), clip.encoded_key_count(), KEY_BYTES)?;
    Ok(clip)
}

fn write_parts(parts: &ClipParts, out: &mut ByteWriter) {
    out.text(&parts.name);
    out.u8((parts.kind == ClipKind::Additive).into());
    out.u8(parts.duration_secs.is_some().into());
    out.f32(parts.duration_secs.unwrap_or(0.0));
    out.count(parts.channels.len());
    parts.channels.iter().for_each(|channel| write_channel(channel, out));
    out.count(parts.events.len());
    for event in &parts.events {
        out.f32(event.time_secs);
        out.text(&event.name);
        out.u8(event.payload.is_some().into());
        event.payload.iter().for_each(|payload| out.text(payload));
    }
    out.count(parts.metas.len());
    for meta in &parts.metas {
        out.text(&meta.name);
        match &meta.curve {
            MetaCurve::Scalar(curve) => write_curve(0, curve, out),
            MetaCurve::Vector(curve) => write_curve(1, curve, out),
            MetaCurve::Rotation(curve) => write_curve(2, curve, out),
        }
    }
}

fn read_parts(from: &mut ByteReader<'_>) -> Result<ClipParts, ClipSectionError> {
    let (name, kind) = (from.text()?.to_owned(), KINDS[from.choice("kind of clip", KINDS.len())?]);
    let (has_duration, duration_secs) = (from.flag("duration")?, from.f32()?);
    let channels = from.count_of(CHANNEL_BYTES)?;
    let channels = (0..channels).map(|_| read_channel(from)).collect::<Result<_, _>>()?;
    let events = from.count_of(EVENT_BYTES)?;
    let events = (0..events).map(|_| read_event(from)).collect::<Result<_, _>>()?;
    let metas = from.count_of(CHANNEL_BYTES)?;
    let metas = (0..metas).map(|_| read_meta(from)).collect::<Result<_, _>>()?;
    let duration_secs = has_duration.then_some(duration_secs);
    Ok(ClipParts { name, channels, events, metas, kind, duration_secs })
}

fn read_event(from: &mut ByteReader<'_>) -> Result<ClipEvent, BytesError> {
    let (time_secs, name) = (from.f32()?, from.text()?.to_owned());
    let payload = from.flag("payload")?.then(|| from.text().map(str::to_owned)).transpose()?;
    Ok(ClipEvent { time_secs, name, payload })
}

fn read_meta(from: &mut ByteReader<'_>) -> Result<MetaChannel, ClipSectionError> {
    let name = from.text()?.to_owned();
    let curve = match from.choice("kind of meta-channel", 3)? {
        0 => MetaCurve::Scalar(read_curve(from)?),
        1 => MetaCurve::Vector(read_curve(from)?),
        _ => MetaCurve::Rotation(read_curve(from)?),
    };
    Ok(MetaChannel { name, curve })
}

fn write_channel(channel: &Channel, out: &mut ByteWriter) {
    match channel {
        Channel::Translation { joint, curve } => {
            out.count(joint.index());
            write_curve(0, curve, out);
        }
        Channel::Rotation { joint, curve } => {
            out.count(joint.index());
            write_curve(1, curve, out);
        }
        Channel::Scale { joint, curve } => {
            out.count(joint.index());
            write_curve(2, curve, out);
        }
        Channel::Morphs { first_slot, curve } => {
            out.count(*first_slot);
            write_curve(3, curve, out);
        }
    }
}

fn read_channel(from: &mut ByteReader<'_>) -> Result<Channel, ClipSectionError> {
    let target = from.count()?;
    let joint = || {
        let index = u16::try_from(target).map_err(|_| invalid(format_args!("there is no joint {target}")))?;
        Ok::<_, ClipSectionError>(JointId(index))
    };
    Ok(match from.choice("kind of channel", 4)? {
        0 => Channel::Translation { joint: joint()?, curve: read_curve(from)? },
        1 => Channel::Rotation { joint: joint()?, curve: read_curve(from)? },
        2 => Channel::Scale { joint: joint()?, curve: read_curve(from)? },
        _ => Channel::Morphs { first_slot: target, curve: read_curve(from)? },
    })
}

fn write_curve<T: StoredNumber>(kind: u8, curve: &Curve<T>, out: &mut ByteWriter) {
    out.u8(kind);
    out.u8(match curve.interpolation() {
        Interpolation::Step => 0,
        Interpolation::Linear => 1,
        Interpolation::Cubic => 2,
    });
    out.count(curve.width());
    out.list(curve.times_secs());
    out.list(curve.elements());
}

fn read_curve<T: StoredNumber>(from: &mut ByteReader<'_>) -> Result<Curve<T>, ClipSectionError> {
    let interpolation = INTERPOLATIONS[from.choice("interpolation", INTERPOLATIONS.len())?];
    let (width, times, values) = (from.count()?, from.list()?, from.list()?);
    Curve::with_width(width, times, values, interpolation).map_err(invalid)
}
