//! Reads every JOINTS_n and WEIGHTS_n set of a mesh.

use super::{GltfReader, primitives::RawPrimitive};
use crate::{ReadError, report::FindingCode};
use sinew::{Influence, WeightRepairs, Weights};
use std::sync::Arc;

/// The maximum number of sets. Merging duplicate joints takes quadratic time in a vertex's influences, and real files have
/// a few sets.
const MAX_SETS: usize = 64;

/// The number of vertices whose influences are converted at once.
const BLOCK_VERTICES: usize = 1024;

/// The influences of one primitive, `stride` per vertex.
struct InfluenceSets {
    stride: usize,
    influences: Vec<Influence>,
}

impl GltfReader<'_> {
    /// The weights of a mesh; `None` if no primitive has any. `slot_count` is the size of the smallest skin used.
    pub(super) fn weights(
        &mut self,
        place: &str,
        primitives: &[RawPrimitive],
        slot_count: usize,
    ) -> Result<Option<Arc<Weights>>, ReadError> {
        let mut sets = Vec::with_capacity(primitives.len());
        for primitive in primitives {
            sets.push(self.influence_sets(primitive, slot_count)?);
        }
        if sets.iter().all(|s| s.stride == 0) {
            return Ok(None);
        }
        let vertices = primitives.iter().zip(&sets).flat_map(|(primitive, sets)| {
            let range = |v: usize| &sets.influences[v * sets.stride..(v + 1) * sets.stride];
            (0..primitive.vertex_count).map(move |v| range(v).iter().copied())
        });
        let (weights, repairs) =
            Weights::new(slot_count, vertices).map_err(|e| ReadError::weights(place, e))?;
        self.report_repairs(place, repairs, weights.vertex_count());
        Ok(Some(Arc::new(weights)))
    }

    fn report_repairs(&mut self, place: &str, repairs: WeightRepairs, vertices: usize) {
        let mut add = |code, count: usize, what: String| {
            if count > 0 {
                self.report.add(code, place, format!("{count} of {vertices} vertices{what}"));
            }
        };
        let worst = format!(" did not sum to one, the worst to {:.4}", repairs.worst_sum);
        add(FindingCode::WeightsRescaled, repairs.rescaled, worst);
        add(
            FindingCode::WeightsMissing,
            repairs.unweighted,
            " had no weight and follow the first joint".into(),
        );
        add(FindingCode::DuplicateJoint, repairs.merged, " named a joint twice".into());
        add(FindingCode::WeightsNegative, repairs.negative, " had a negative weight".into());
    }

    fn influence_sets(
        &mut self,
        primitive: &RawPrimitive,
        slot_count: usize,
    ) -> Result<InfluenceSets, ReadError> {
        let has = |kind: &str, n: usize| primitive.attributes.contains_key(&format!("{kind}_{n}"));
        let mut set_count = 0;
        while has("JOINTS", set_count) && has("WEIGHTS", set_count) {
            set_count += 1;
        }
        let others =
            primitive.attributes.keys().filter(|n| n.starts_with("JOINTS_") || n.starts_with("WEIGHTS_"));
        let unused = others.count() - 2 * set_count;
        if unused > 0 {
            let detail = format!("{unused} attributes without their partner or after a gap were ignored");
            self.report.add(FindingCode::InfluenceSetIncomplete, &primitive.place, detail);
        }
        if set_count > MAX_SETS {
            let what = format!("there must be at most {MAX_SETS} sets of joints, got {set_count}");
            return Err(ReadError::invalid(&primitive.place, what));
        }
        let stride = 4 * set_count;
        let empty = Influence { slot: 0, weight: 0.0 };
        let size = self.buffers.budget.charge(&primitive.place, primitive.vertex_count, stride * 8)?;
        let mut influences = vec![empty; size / 8];
        let mut out_of_range = 0;
        for set in 0..set_count {
            self.read_set(primitive, set, stride, &mut influences)?;
        }
        for influence in influences.iter().filter(|i| i.weight == 0.0) {
            out_of_range += usize::from(usize::from(influence.slot) >= slot_count);
        }
        if out_of_range > 0 {
            let detail =
                format!("{out_of_range} influences of zero weight beyond the skin's {slot_count} joints");
            self.report.add(FindingCode::JointOutOfRange, &primitive.place, detail);
        }
        Ok(InfluenceSets { stride, influences })
    }

    fn read_set(
        &self,
        primitive: &RawPrimitive,
        set: usize,
        stride: usize,
        out: &mut [Influence],
    ) -> Result<(), ReadError> {
        let name = |kind: &str| format!("{kind}_{set}");
        let place = |kind: &str| format!("{}.attributes.{}", primitive.place, name(kind));
        let (joints, weights) =
            (&primitive.attributes[&name("JOINTS")], &primitive.attributes[&name("WEIGHTS")]);
        joints.expect_width(&place("JOINTS"), 4)?;
        weights.expect_width(&place("WEIGHTS"), 4)?;
        // In blocks, so that what is converted stays in the cache.
        for (block, targets) in out.chunks_mut(stride * BLOCK_VERTICES).enumerate() {
            let first = block * BLOCK_VERTICES;
            let Some(slots) = joints.part(first, BLOCK_VERTICES).integers() else {
                return Err(ReadError::invalid(place("JOINTS"), "joints must be unsigned integers"));
            };
            let values = weights.part(first, BLOCK_VERTICES).floats();
            let vertices = slots.as_chunks::<4>().0.iter().zip(values.as_chunks::<4>().0);
            for ((row, target), (slots, values)) in targets.chunks_exact_mut(stride).enumerate().zip(vertices)
            {
                for k in 0..4 {
                    let Ok(slot) = u16::try_from(slots[k]) else {
                        let what = format!("vertex {} names joint {}", first + row, slots[k]);
                        return Err(ReadError::invalid(place("JOINTS"), what));
                    };
                    target[set * 4 + k] = Influence { slot, weight: values[k] };
                }
            }
        }
        Ok(())
    }
}
