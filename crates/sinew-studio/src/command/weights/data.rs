//! Weights as data of a command or a background job.

use crate::{command::CommandError, document::Document};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use serde::{Deserialize, Serialize};
use sinew::{Influence, Weights};

/// Copied weights: per vertex, joints of the skeleton with their weights, muscles included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CopiedWeights(pub Vec<Vec<(u16, f32)>>);

impl CopiedWeights {
    /// The weights of the selected vertices of every instance, in order.
    pub fn of_selection(document: &Document) -> Self {
        let instances = document.selection().vertices.keys();
        Self(instances.flat_map(|instance| Self::of_instance(document, *instance).0).collect())
    }

    fn of_instance(document: &Document, instance: usize) -> Self {
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
                .map(|vertex| *vertex as usize)
                .map(|vertex| weights.influences(vertex).chain(weights.muscle_influences(vertex)))
                .map(|influences| influences.filter_map(influence).collect())
                .collect(),
        )
    }
}

/// The weights of a whole mesh in a compact text: per vertex the number of influences, then each slot of the skin and its
/// weight in steps of 2⁻²⁴, as variable-length integers in base 64. Muscle weights follow: per vertex their number, then each
/// slot and the bits of its weight.
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
        for vertex in 0..weights.vertex_count() {
            let (slots, values) = weights.muscle_of(vertex);
            push(&mut bytes, slots.len() as u32);
            for (slot, weight) in slots.iter().zip(values) {
                push(&mut bytes, u32::from(*slot));
                push(&mut bytes, weight.to_bits());
            }
        }
        Self(STANDARD_NO_PAD.encode(bytes))
    }
}

impl WeightsData {
    /// The weights for a skin of `slot_count` joints. Data without muscle weights keeps those of `base`.
    ///
    /// # Errors
    /// If the data is truncated, or belongs to another mesh or skin.
    pub(super) fn to_weights(&self, base: &Weights, slot_count: usize) -> Result<Weights, CommandError> {
        let broken = || CommandError::BadWeights;
        let bytes = STANDARD_NO_PAD.decode(&self.0).map_err(|_| broken())?;
        let mut rest = &bytes[..];
        let vertices = 0..base.vertex_count() as u32;
        let steps = |number: u32| number as f32 / STEPS;
        let read = vertices.clone().map(|v| Some((v, take_influences(&mut rest, steps)?)));
        let carriers: Vec<(u32, Vec<Influence>)> = read.collect::<Option<_>>().ok_or_else(broken)?;
        let weights = base.with_vertices(slot_count, carriers)?;
        if rest.is_empty() {
            return Ok(weights);
        }
        let read = vertices.map(|_| take_influences(&mut rest, f32::from_bits));
        let muscles: Vec<Vec<Influence>> = read.collect::<Option<_>>().ok_or_else(broken)?;
        if !rest.is_empty() {
            return Err(broken());
        }
        Ok(weights.with_muscle_weights(slot_count, muscles)?)
    }
}

/// The influences of one vertex, with `weight` made of the number that stands for it.
fn take_influences(rest: &mut &[u8], weight: impl Fn(u32) -> f32) -> Option<Vec<Influence>> {
    let count = take(rest)?;
    let mut out = Vec::new();
    for _ in 0..count {
        let slot = u16::try_from(take(rest)?).ok()?;
        out.push(Influence { slot, weight: weight(take(rest)?) });
    }
    Some(out)
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
    fn muscle_weights_round_trip_and_stay_if_the_data_has_none() {
        let arm = sinew_samples::arm();
        let plain = arm.meshes()[0].weights().unwrap();
        let vertices = (0..plain.vertex_count()).map(|v| [Influence { slot: 2, weight: v as f32 * -0.1 }]);
        let muscled = Weights::clone(plain).with_muscle_weights(3, vertices).unwrap();
        assert_eq!(WeightsData::from(&muscled).to_weights(plain, 3).unwrap(), muscled);
        assert_eq!(WeightsData::from(&**plain).to_weights(&muscled, 3).unwrap(), **plain);
        // Data that was written before muscle weights were.
        let mut bytes = STANDARD_NO_PAD.decode(WeightsData::from(&**plain).0).unwrap();
        bytes.truncate(bytes.len() - plain.vertex_count());
        let old = WeightsData(STANDARD_NO_PAD.encode(bytes));
        assert_eq!(old.to_weights(&muscled, 3).unwrap(), muscled);
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
