//! Reads every JOINTS_n and WEIGHTS_n set of a mesh.

use super::{GltfReader, primitives::RawPrimitive};
use crate::{ReadError, gltf::accessor::Elements, report::FindingCode};
use sinew::{Influence, WeightRepairs, Weights};
use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

/// The maximum number of sets. Merging duplicate joints takes quadratic time in a vertex's influences, and real files have
/// a few sets.
const MAX_SETS: usize = 64;

/// The number of vertices whose influences are converted at once, so that they stay in the cache.
const BLOCK_VERTICES: usize = 1024;

const NOTHING: Influence = Influence { slot: 0, weight: 0.0 };

/// The influences of a mesh as they are stored.
pub(super) struct StoredInfluences<'a> {
    slot_count: usize,
    primitives: Vec<PrimitiveSets<'a>>,
}

/// The sets of joints and weights of one primitive.
struct PrimitiveSets<'a> {
    place: &'a str,
    vertex_count: usize,
    sets: Vec<(&'a Elements, &'a Elements)>,
}

/// The weights of a mesh with what was repaired.
pub(super) struct ReadWeights {
    weights: Weights,
    repairs: WeightRepairs,
    /// For each primitive, the number of influences of zero weight beyond the joints of the skin.
    beyond: Vec<usize>,
}

impl GltfReader<'_> {
    /// The influences of a mesh; `None` if no primitive has any. `slot_count` is the size of the smallest skin used.
    pub(super) fn stored_influences<'a>(
        &mut self,
        primitives: &'a [RawPrimitive],
        slot_count: usize,
    ) -> Result<Option<StoredInfluences<'a>>, ReadError> {
        let mut out = StoredInfluences { slot_count, primitives: Vec::with_capacity(primitives.len()) };
        for primitive in primitives {
            out.primitives.push(self.primitive_sets(primitive)?);
        }
        Ok(Some(out).filter(|out| out.primitives.iter().any(|primitive| !primitive.sets.is_empty())))
    }

    /// The weights that were read, with their repairs reported.
    pub(super) fn reported_weights(
        &mut self,
        place: &str,
        primitives: &[RawPrimitive],
        slot_count: usize,
        read: ReadWeights,
    ) -> Arc<Weights> {
        for (primitive, beyond) in primitives.iter().zip(read.beyond).filter(|(_, beyond)| *beyond > 0) {
            let detail = format!("{beyond} influences of zero weight beyond the skin's {slot_count} joints");
            self.report.add(FindingCode::JointOutOfRange, &primitive.place, detail);
        }
        self.report_repairs(place, read.repairs, read.weights.vertex_count());
        Arc::new(read.weights)
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

    fn primitive_sets<'a>(&mut self, primitive: &'a RawPrimitive) -> Result<PrimitiveSets<'a>, ReadError> {
        let attribute = |kind: &str, set: usize| primitive.attributes.get(&format!("{kind}_{set}"));
        let sets: Vec<(&Elements, &Elements)> =
            (0..).map_while(|set| attribute("JOINTS", set).zip(attribute("WEIGHTS", set))).collect();
        let others =
            primitive.attributes.keys().filter(|n| n.starts_with("JOINTS_") || n.starts_with("WEIGHTS_"));
        let unused = others.count() - 2 * sets.len();
        if unused > 0 {
            let detail = format!("{unused} attributes without their partner or after a gap were ignored");
            self.report.add(FindingCode::InfluenceSetIncomplete, &primitive.place, detail);
        }
        if sets.len() > MAX_SETS {
            let what = format!("there must be at most {MAX_SETS} sets of joints, got {}", sets.len());
            return Err(ReadError::invalid(&primitive.place, what));
        }
        let influence_bytes = 4 * sets.len() * size_of::<Influence>();
        self.buffers.budget.charge(&primitive.place, primitive.vertex_count, influence_bytes)?;
        Ok(PrimitiveSets { place: &primitive.place, vertex_count: primitive.vertex_count, sets })
    }
}

impl StoredInfluences<'_> {
    /// The weights of the mesh at `place`.
    pub(super) fn read(&self, place: &str) -> Result<ReadWeights, ReadError> {
        // Nearly all meshes have one set, and nearly all others two.
        match self.primitives.iter().map(|primitive| primitive.sets.len()).max().unwrap_or(0) {
            0..=1 => self.read_in_rows::<4>(place),
            2 => self.read_in_rows::<8>(place),
            _ => self.read_in_rows::<{ 4 * MAX_SETS }>(place),
        }
    }

    /// The weights, converted block by block into rows of at most `N` influences.
    fn read_in_rows<const N: usize>(&self, place: &str) -> Result<ReadWeights, ReadError> {
        let beyond: Vec<Cell<usize>> = vec![Cell::new(0); self.primitives.len()];
        let failed = RefCell::new(None);
        let (failure, slot_count) = (&failed, self.slot_count);
        let vertices = self.primitives.iter().zip(&beyond).flat_map(move |(primitive, beyond)| {
            (0..primitive.vertex_count).step_by(BLOCK_VERTICES).flat_map(move |first| {
                let rows = BLOCK_VERTICES.min(primitive.vertex_count - first);
                let block = primitive.block(first, rows).unwrap_or_else(|error| {
                    failure.borrow_mut().get_or_insert(error);
                    Vec::new()
                });
                let is_beyond = |i: &&Influence| i.weight == 0.0 && usize::from(i.slot) >= slot_count;
                beyond.set(beyond.get() + block.iter().filter(is_beyond).count());
                let stride = 4 * primitive.sets.len();
                (0..rows).map(move |row| {
                    // A block that could not be read is empty.
                    let influences = block.get(row * stride..(row + 1) * stride).unwrap_or_default();
                    let mut out = [NOTHING; N];
                    out[..influences.len()].copy_from_slice(influences);
                    out.into_iter().take(influences.len())
                })
            })
        });
        let read = Weights::new(slot_count, vertices);
        if let Some(error) = failed.into_inner() {
            return Err(error);
        }
        let (weights, repairs) = read.map_err(|e| ReadError::weights(place, e))?;
        Ok(ReadWeights { weights, repairs, beyond: beyond.into_iter().map(Cell::into_inner).collect() })
    }
}

impl PrimitiveSets<'_> {
    /// The influences of `rows` vertices from `first`, those of all sets one after the other.
    fn block(&self, first: usize, rows: usize) -> Result<Vec<Influence>, ReadError> {
        let stride = 4 * self.sets.len();
        let mut out = vec![NOTHING; rows * stride];
        for (set, (joints, weights)) in self.sets.iter().enumerate() {
            let place = |kind: &str| format!("{}.attributes.{kind}_{set}", self.place);
            joints.expect_width(&place("JOINTS"), 4)?;
            weights.expect_width(&place("WEIGHTS"), 4)?;
            let Some(slots) = joints.part(first, rows).integers() else {
                return Err(ReadError::invalid(place("JOINTS"), "joints must be unsigned integers"));
            };
            let values = weights.part(first, rows).floats();
            let vertices = slots.as_chunks::<4>().0.iter().zip(values.as_chunks::<4>().0);
            for ((row, target), (slots, values)) in out.chunks_exact_mut(stride).enumerate().zip(vertices) {
                for k in 0..4 {
                    let Ok(slot) = u16::try_from(slots[k]) else {
                        let what = format!("vertex {} names joint {}", first + row, slots[k]);
                        return Err(ReadError::invalid(place("JOINTS"), what));
                    };
                    target[set * 4 + k] = Influence { slot, weight: values[k] };
                }
            }
        }
        Ok(out)
    }
}
