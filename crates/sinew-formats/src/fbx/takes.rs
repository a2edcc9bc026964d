//! Converts takes to clips.
//!
//! Curves are evaluated, not baked by ufbx: its bake misplaces translations below compensated scale in takes that do not
//! begin at zero, and thins some curves.

use super::{
    FbxOptions, FbxReader,
    curves::{CurveBreak, TakeCurves, TakeRange},
    motion_scale::MotionScale,
    sampling::{SampleNotes, SampleRate, SampledValue, TakeSamples, sample},
};
use crate::{ReadError, budget::Budget, names::shortened, report::FindingCode};
use sinew::{CharacterParts, Clip, ClipParts};

/// One take while it is read.
pub(super) struct Take<'a> {
    pub(super) place: String,
    pub(super) anim: &'a ufbx::Anim,
    pub(super) range: TakeRange,
    pub(super) rate: SampleRate,
    pub(super) curves: TakeCurves<'a>,
    pub(super) scale: &'a MotionScale,
}

impl FbxReader<'_> {
    /// Every take as a clip; `parts` are those of the character that the clips move.
    pub(super) fn takes(
        &mut self,
        parts: &CharacterParts,
        options: &FbxOptions,
    ) -> Result<Vec<Clip>, ReadError> {
        let scene = self.scene;
        if scene.anim_stacks.is_empty() {
            return Ok(Vec::new());
        }
        let scale = MotionScale::of(parts)?;
        let mut out = Vec::new();
        for (index, stack) in scene.anim_stacks.as_ref().iter().enumerate() {
            let place = format!("take {index} ({:?})", shortened(&stack.element.name));
            // Even a take without curves, which is short in the file, visits every node.
            self.budget.charge_work(&place, scene.nodes.len().saturating_mul(64))?;
            let curves = TakeCurves::of(&stack.anim);
            let take = Take {
                range: TakeRange::of(&place, stack, &curves)?,
                rate: self.sample_rate(options),
                curves,
                anim: &stack.anim,
                scale: &scale,
                place,
            };
            let (mut channels, mut notes) = (Vec::new(), SampleNotes::default());
            for node in &scene.nodes {
                notes = notes + self.node_channels(&take, node, &mut channels)?;
            }
            notes = notes + self.shape_channels(&take, parts, &mut channels)?;
            self.note_samples(&take, notes);
            let duration_secs = Some(take.range.duration_secs() as f32);
            let name = super::name_of(&stack.element);
            let clip = Clip::from_parts(ClipParts { name, channels, duration_secs, ..ClipParts::default() });
            out.push(clip.map_err(|e| ReadError::invalid(take.place, e))?);
        }
        Ok(out)
    }

    fn note_samples(&mut self, take: &Take<'_>, SampleNotes { added, end_jumps }: SampleNotes) {
        if added > 0 {
            let detail = format!("{added} keys were added between frames");
            self.report.add(FindingCode::CurveRefined, &take.place, detail);
        }
        if end_jumps > 0 {
            let detail =
                format!("{end_jumps} values jump at the end: the clip ends with the values before it");
            self.report.add(FindingCode::EndJumpIgnored, &take.place, detail);
        }
    }

    fn sample_rate(&self, options: &FbxOptions) -> SampleRate {
        /// For files that name no usable rate.
        const USUAL: f64 = 30.0;
        match options.frames_per_sec {
            Some(frames_per_sec) => {
                SampleRate::Forced { frames_per_sec: frames_per_sec.clamp(0.01, 10_000.0) }
            }
            None => {
                let stated = self.scene.settings.frames_per_second;
                let is_usable = stated.is_finite() && stated > 0.0;
                let frames_per_sec = if is_usable { stated.clamp(1.0, 1000.0) } else { USUAL };
                SampleRate::Adaptive { frames_per_sec }
            }
        }
    }
}

impl Take<'_> {
    /// Samples a value of this take.
    pub(super) fn sample<S: SampledValue>(
        &self,
        source: &S,
        breaks: &[CurveBreak],
    ) -> Result<TakeSamples<S::Value>, ReadError> {
        sample(source, self.range, self.rate, breaks)
    }

    /// The work to charge for each evaluation of an element.
    pub(super) fn price(&self, element: &ufbx::Element) -> usize {
        64 + 8 * (self.anim.layers.len() + element.props.props.len())
    }

    /// Charges one evaluation at `price` units of work.
    pub(super) fn charge(&self, budget: &Budget, price: usize) -> Result<(), ReadError> {
        budget.charge_work(&self.place, price)
    }
}
