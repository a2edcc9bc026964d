//! Checks of the parts of a clip.

use super::{Channel, ClipError, MetaChannel, MetaCurve, MetaFault};
use crate::{asset::curve::Curve, range::InRange as _};
use glam::Quat;

/// Checks `it`, the channel at index `channel` of a clip.
pub(super) fn check_channel(clip: &str, channel: usize, it: &Channel) -> Result<(), ClipError> {
    let (width, bad_element) = match it {
        Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => {
            (curve.width(), curve.elements().iter().position(|v| !v.is_in_range()))
        }
        Channel::Rotation { curve, .. } => {
            (curve.width(), curve.elements().iter().position(|v| !v.is_in_range()))
        }
        Channel::Morphs { curve, .. } => (1, curve.elements().iter().position(|v| !v.is_in_range())),
    };
    if width != 1 {
        return Err(ClipError::WrongWidth { clip: clip.into(), channel, width });
    }
    if let Channel::Morphs { first_slot, curve } = it
        && first_slot.checked_add(curve.width()).is_none_or(|end| u32::try_from(end).is_err())
    {
        let (first_slot, width) = (*first_slot, curve.width());
        return Err(ClipError::SlotOutOfRange { clip: clip.into(), channel, first_slot, width });
    }
    if let Some(element) = bad_element {
        return Err(ClipError::OutOfRange { clip: clip.into(), channel, element });
    }
    if let Channel::Rotation { curve, .. } = it
        && let Some((key, length)) = odd_length(curve)
    {
        return Err(ClipError::NonUnitRotation { clip: clip.into(), channel, key, length });
    }
    Ok(())
}

/// The first key that is not a unit quaternion, and its length.
fn odd_length(curve: &Curve<Quat>) -> Option<(usize, f32)> {
    let lengths = (0..curve.key_count()).map(|key| (key, curve.key(key)[0].length()));
    lengths.into_iter().find(|(_, length)| (length - 1.0).abs() > 1e-3)
}

/// Checks the meta-channel at `index`.
pub(super) fn check_meta(clip: &str, metas: &[MetaChannel], index: usize) -> Result<(), ClipError> {
    let it = &metas[index];
    let (width, bad_element) = match &it.curve {
        MetaCurve::Scalar(curve) => (curve.width(), curve.elements().iter().position(|v| !v.is_finite())),
        MetaCurve::Vector(curve) => (curve.width(), curve.elements().iter().position(|v| !v.is_finite())),
        MetaCurve::Rotation(curve) => (curve.width(), curve.elements().iter().position(|v| !v.is_finite())),
    };
    let odd = match &it.curve {
        MetaCurve::Rotation(curve) if width == 1 => odd_length(curve),
        _ => None,
    };
    let fault = if width != 1 {
        MetaFault::WrongWidth { width }
    } else if let Some(element) = bad_element {
        MetaFault::NotFinite { element }
    } else if let Some((key, length)) = odd {
        MetaFault::NonUnitRotation { key, length }
    } else if metas[..index].iter().any(|other| other.name == it.name) {
        MetaFault::Repeated
    } else {
        return Ok(());
    };
    Err(ClipError::BadMeta { clip: clip.into(), meta: it.name.clone(), fault })
}
