//! Weights as data of a command or a background job.

use crate::{command::CommandError, document::Document};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use serde::{Deserialize, Serialize};
use sinew::{Influence, Weights};

/// Copied weights: per vertex, joints of the skeleton with their weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CopiedWeights(pub Vec<Vec<(u16, f32)>>);

impl CopiedWeights {
    /// The weights of the selected vertices of `instance`.
    pub fn of_selection(document: &Document, instance: usize) -> Self {
        let character = document.character();
        let skin = character.instances().get(instance).and_then(|of| character.skin_of(of));
        let selected = document.selection().of_instance(instance);
        let (Some(skin), Some(weights), Some(selected)) = (skin, document.weights(instance), selected) else {
            return Self::default();
        };
        let influence = |i: Influence| Some((skin.joints().get(usize::from(i.slot))?.0, i.weight));
        let vertices = selected.iter().filter(|vertex| (**vertex as usize) < weights.vertex_count());
        Self(
            vertices
                .map(|vertex| weights.influences(*vertex as usize).filter_map(influence).collect())
                .collect(),
        )
    }
}

/// The weights of a whole mesh in a compact text: per vertex the number of influences, then each slot of the skin and its
/// weight in steps of 2⁻²⁴, as variable-length integers in base 64.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightsData(String);

impl std::fmt::Debug for WeightsData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WeightsData({} characters)", self.0.len())
    }
}

/// Steps of the grid that weights lie on.
const STEPS: f32 = Weights::GRID_STEPS as f32;

impl From<&Weights> for WeightsData {
    fn from(weights: &Weights) -> Self {
        let mut bytes = Vec::with_capacity(weights.vertex_count() * 12);
        for vertex in 0..weights.vertex_count() {
            let (slots, values) = weights.of(vertex);
            push(&mut bytes, slots.len() as u32);
            for (slot, weight) in slots.iter().zip(values) {
                push(&mut bytes, u32::from(*slot));
                push(&mut bytes, (weight * STEPS) as u32);
            }
        }
        Self(STANDARD_NO_PAD.encode(bytes))
    }
}

impl WeightsData {
    /// The weights for a skin of `slot_count` joints, with the muscle influences of `base`.
    ///
    /// # Errors
    /// If the data is truncated, or belongs to another mesh or skin.
    pub(super) fn to_weights(&self, base: &Weights, slot_count: usize) -> Result<Weights, CommandError> {
        let broken = || CommandError::BadWeights;
        let bytes = STANDARD_NO_PAD.decode(&self.0).map_err(|_| broken())?;
        let mut rest = &bytes[..];
        let mut vertices: Vec<(u32, Vec<Influence>)> = Vec::new();
        for vertex in 0..base.vertex_count() as u32 {
            let count = take(&mut rest).ok_or_else(broken)?;
            let mut influences = Vec::new();
            for _ in 0..count {
                let slot = take(&mut rest).and_then(|slot| u16::try_from(slot).ok()).ok_or_else(broken)?;
                let weight = take(&mut rest).ok_or_else(broken)? as f32 / STEPS;
                influences.push(Influence { slot, weight });
            }
            vertices.push((vertex, influences));
        }
        if !rest.is_empty() {
            return Err(broken());
        }
        Ok(base.with_vertices(slot_count, vertices)?)
    }
}

fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for place in 0..5 {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u32::from(byte & 0x7f).checked_shl(7 * place)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_round_trip_bit_for_bit() {
        let figure = sinew_samples::figure();
        let weights = figure.meshes()[0].weights().unwrap();
        let slot_count = figure.skins()[0].joints().len();
        let data = WeightsData::from(&**weights);
        let written = serde_json::to_string(&data).unwrap();
        let read: WeightsData = serde_json::from_str(&written).unwrap();
        assert_eq!(read.to_weights(&weights.strongest(), slot_count).unwrap(), **weights);
    }

    #[test]
    fn malformed_data_is_rejected() {
        let arm = sinew_samples::arm();
        let weights = arm.meshes()[0].weights().unwrap();
        let whole = WeightsData::from(&**weights);
        let half = WeightsData(whole.0[..whole.0.len() / 2].into());
        let other = WeightsData::from(&**sinew_samples::tube().meshes()[0].weights().unwrap());
        for broken in [half, other, WeightsData("?".into()), WeightsData(String::new())] {
            assert!(broken.to_weights(weights, 2).is_err());
        }
    }
}
