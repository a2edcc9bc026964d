//! Spans and runs as bytes, and the checks that make any bytes safe for the kernels.

use super::{
    LONGEST_LIST, VertexOrder, WIDTH,
    lanes::Lanes,
    runs::{Blend, BlockRun, BlockRuns, Span},
    stored::Misfit,
};
use crate::bytes::{ByteReader, ByteWriter, BytesError};
use std::ops::Range;

/// The smallest size of a stored run.
const RUN_BYTES: usize = 9;

impl BlockRuns {
    pub(super) fn write(&self, out: &mut ByteWriter) {
        out.count(self.spans.len());
        for span in &self.spans {
            out.count(span.output.end);
            out.count(span.runs.end);
        }
        out.count(self.runs.len());
        for run in &self.runs {
            out.count(run.blocks.end);
            match &run.blend {
                Blend::One { joint } => {
                    out.u8(0);
                    out.u16(*joint);
                }
                Blend::Shared { joints, .. } => {
                    out.u8(1);
                    out.u16(joints.len() as u16);
                }
                Blend::Single { influences, .. } => {
                    out.u8(2);
                    out.u16(*influences as u16);
                }
            }
        }
        out.list(&self.joints);
        out.list(&self.pairs);
        out.list(&self.pair_of_place);
        out.list(&self.weights.iter().map(|lanes| lanes.0).collect::<Vec<_>>());
        out.list(&self.pivots.iter().map(|lanes| lanes.0).collect::<Vec<_>>());
        out.list(&self.single_slots);
        out.list(&self.single_weights);
        out.list(&self.output_block);
        out.list(&self.normal_axes);
        out.list(&self.vertex_of_lane);
    }

    pub(super) fn read(from: &mut ByteReader<'_>) -> Result<Self, BytesError> {
        let mut out = Self::default();
        let (mut output, mut run) = (0, 0);
        for _ in 0..from.count_of(16)? {
            let (output_end, run_end) = (from.count()?, from.count()?);
            out.spans.push(Span { output: output..output_end, runs: run..run_end, cost: 0 });
            (output, run) = (output_end, run_end);
        }
        out.read_runs(from)?;
        let lanes = |numbers: &[f32; WIDTH]| Lanes(*numbers);
        (out.joints, out.pairs, out.pair_of_place) = (from.list()?, from.list()?, from.list()?);
        (out.weights, out.pivots) = (from.list_of(lanes)?, from.list_of(lanes)?);
        (out.single_slots, out.single_weights) = (from.list()?, from.list()?);
        (out.output_block, out.normal_axes) = (from.list()?, from.list()?);
        out.vertex_of_lane = from.list()?;
        Ok(out)
    }

    fn read_runs(&mut self, from: &mut ByteReader<'_>) -> Result<(), BytesError> {
        let (mut block, mut joint, mut weights, mut pivots, mut single) = (0_usize, 0, 0, 0, 0);
        for _ in 0..from.count_of(RUN_BYTES)? {
            let at = from.at();
            let (end, kind, number) = (from.count()?, from.choice("blend", 3)?, from.u16()?);
            // Blocks are numbered by 32 bits; more would overflow the sums below.
            let blocks = end.checked_sub(block).filter(|_| u32::try_from(end).is_ok());
            let value = end as u64;
            let blocks = blocks.ok_or(BytesError::BadValue { at, what: "last block of a run", value })?;
            let count = usize::from(number);
            let blend = match kind {
                0 => Blend::One { joint: number },
                1 => {
                    let blend = Blend::Shared { joints: joint..joint + count, weights, pivots };
                    joint += count;
                    weights += blocks * count.saturating_sub(1);
                    pivots += blocks;
                    blend
                }
                _ => {
                    let blend = Blend::Single { influences: count, first: single };
                    single += blocks * WIDTH * count;
                    blend
                }
            };
            self.runs.push(BlockRun { blocks: block..end, blend });
            block = end;
        }
        Ok(())
    }

    /// Checks every index. What follows from the lists is computed by [`BlockRuns::complete`].
    pub(super) fn check(&self, order: VertexOrder, vertices: usize, slots: usize) -> Result<(), Misfit> {
        let blocks = self.output_block.len();
        let counts = [
            ("normal axes", self.normal_axes.len(), blocks),
            ("lanes", self.vertex_of_lane.len(), blocks * WIDTH),
            ("runs", self.runs.last().map_or(0, |run| run.blocks.end), blocks),
            ("spans", self.spans.last().map_or(0, |span| span.runs.end), self.runs.len()),
            ("places", self.pair_of_place.len(), self.joints.len()),
        ];
        if let Some((list, count, _)) = counts.into_iter().find(|(_, count, wanted)| count != wanted) {
            return Err((list, count));
        }
        self.check_numbers(slots)?;
        self.check_runs(slots)?;
        self.check_spans(order, vertices)?;
        self.check_lanes(order, vertices)
    }

    fn check_numbers(&self, slots: usize) -> Result<(), Misfit> {
        let is_slot = |slot: &u16| usize::from(*slot) < slots;
        let is_weight = |weight: &f32| (*weight >= 0.0) & (*weight <= 1.0);
        let are_weights = |lanes: &Lanes| lanes.0.iter().fold(true, |all, weight| all & is_weight(weight));
        let bad = [
            ("joints", self.joints.iter().position(|slot| !is_slot(slot))),
            ("pairs", self.pairs.iter().position(|pair| !pair.iter().all(is_slot))),
            ("weights", self.weights.iter().position(|lanes| !are_weights(lanes))),
            ("single joints", self.single_slots.iter().position(|slot| !is_slot(slot))),
            ("single weights", self.single_weights.iter().position(|weight| !is_weight(weight))),
            ("normal axes", self.normal_axes.iter().position(|axis| *axis > 2)),
        ];
        bad.into_iter().find_map(|(list, at)| Some((list, at?))).map_or(Ok(()), Err)
    }

    fn check_runs(&self, slots: usize) -> Result<(), Misfit> {
        let (mut joints, mut weights, mut pivots, mut single) = (0, 0, 0, 0);
        for (at, run) in self.runs.iter().enumerate() {
            let blocks = run.blocks.len();
            let is_valid = match &run.blend {
                Blend::One { joint } => usize::from(*joint) < slots,
                Blend::Shared { joints: list, .. } => {
                    joints = list.end;
                    weights += blocks * (list.len().max(1) - 1);
                    let own = pivots..pivots + blocks;
                    pivots = own.end;
                    (2..=LONGEST_LIST).contains(&list.len())
                        && self.has_pairs(list)
                        && self.pivots.get(own).is_some_and(|own| own.iter().all(|p| is_pivot(p, list.len())))
                }
                Blend::Single { influences, .. } => {
                    single += blocks * WIDTH * influences;
                    *influences > 0
                }
            };
            if !is_valid || blocks == 0 {
                return Err(("runs", at));
            }
        }
        let ends = [
            ("joints", joints, self.joints.len()),
            ("weights", weights, self.weights.len()),
            ("pivots", pivots, self.pivots.len()),
            ("single joints", single, self.single_slots.len()),
            ("single weights", single, self.single_weights.len()),
        ];
        let bad = ends.into_iter().find(|(_, end, count)| end != count);
        bad.map_or(Ok(()), |(list, _, count)| Err((list, count)))
    }

    /// True if the list exists, and its places name the pairs of its first joint with the others.
    fn has_pairs(&self, list: &Range<usize>) -> bool {
        let (Some(joints), Some(places)) =
            (self.joints.get(list.clone()), self.pair_of_place.get(list.clone()))
        else {
            return false;
        };
        let is_pair = |(joint, place): (&u16, &u32)| {
            self.pairs.get(*place as usize).is_some_and(|pair| *pair == [joints[0], *joint])
        };
        joints.iter().zip(places).skip(1).all(is_pair)
    }

    /// Spans follow each other, and each block of a span writes its own place of it.
    fn check_spans(&self, order: VertexOrder, vertices: usize) -> Result<(), Misfit> {
        let mut run = 0;
        let mut is_written = vec![false; self.output_block.len()];
        for (at, span) in self.spans.iter().enumerate() {
            let bad = Err(("spans", at));
            let Some(runs) = self.runs.get(run..span.runs.end).filter(|runs| !runs.is_empty()) else {
                return bad;
            };
            run = span.runs.end;
            let (is_last, blocks) =
                (at + 1 == self.spans.len(), runs[0].blocks.start..runs[runs.len() - 1].blocks.end);
            let length = span.output.end.checked_sub(span.output.start);
            let is_cut = length.is_some_and(|length| !length.is_multiple_of(WIDTH));
            if length.map(|length| length.div_ceil(WIDTH)) != Some(blocks.len())
                || !span.output.start.is_multiple_of(WIDTH)
                || (is_cut && !(is_last && blocks.len() == 1 && order == VertexOrder::File))
            {
                return bad;
            }
            let first = span.output.start / WIDTH;
            for output in &self.output_block[blocks.clone()] {
                let place = (*output as usize).checked_sub(first).filter(|place| *place < blocks.len());
                match place.and_then(|place| is_written.get_mut(first + place)) {
                    Some(place) if !*place => *place = true,
                    _ => return bad,
                }
            }
        }
        let end = self.spans.last().map_or(0, |span| span.output.end);
        let is_whole = match order {
            VertexOrder::Packed => end == self.output_block.len() * WIDTH,
            VertexOrder::File => end == vertices,
        };
        if is_whole { Ok(()) } else { Err(("spans", self.spans.len())) }
    }

    /// Every vertex has a lane; in file order, its own.
    fn check_lanes(&self, order: VertexOrder, vertices: usize) -> Result<(), Misfit> {
        let bad = |at: usize| Err(("lanes", at));
        match order {
            VertexOrder::File => {
                let last = vertices.saturating_sub(1) as u32;
                let (blocks, _) = self.vertex_of_lane.as_chunks::<WIDTH>();
                let is_own = |(lanes, output): (&[u32; WIDTH], &u32)| {
                    // The spans are checked: there are as many blocks as the vertices need, which 32 bits number.
                    let first = *output * WIDTH as u32;
                    (0..WIDTH).fold(true, |all, lane| all & (lanes[lane] == (first + lane as u32).min(last)))
                };
                let wrong = blocks.iter().zip(&self.output_block).position(|pair| !is_own(pair));
                wrong.map_or(Ok(()), |block| bad(block * WIDTH))
            }
            VertexOrder::Packed => {
                let mut has_lane = vec![false; vertices];
                for (at, vertex) in self.vertex_of_lane.iter().enumerate() {
                    match has_lane.get_mut(*vertex as usize) {
                        Some(has_lane) => *has_lane = true,
                        None => return bad(at),
                    }
                }
                has_lane.iter().position(|has| !has).map_or(Ok(()), bad)
            }
        }
    }

    /// Computes the run of each block and the cost of each span.
    pub(super) fn complete(&mut self) {
        let runs = (0_u32..).zip(&self.runs);
        self.run_of_block = runs.flat_map(|(at, run)| std::iter::repeat_n(at, run.blocks.len())).collect();
        for span in &mut self.spans {
            let costs = self.runs[span.runs.clone()].iter().map(|run| run.blocks.len() * run.blend.cost());
            span.cost = costs.sum();
        }
    }
}

/// True if every number is the index of a joint in a list of that length.
fn is_pivot(lanes: &Lanes, length: usize) -> bool {
    let is_index = |pivot: f32| {
        let whole = pivot as i32;
        (whole as f32 == pivot) & (whole >= 0) & (pivot < length as f32)
    };
    lanes.0.iter().fold(true, |all, pivot| all & is_index(*pivot))
}
