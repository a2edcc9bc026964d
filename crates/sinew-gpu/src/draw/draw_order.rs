//! The drawing order of layers.

use sinew_view::layer::{Depth, SceneLayer};

use super::pipelines::{DrawShape, PipelineStage};
use super::textures::TextureKey;

/// The draws between two clears of the depth buffer.
#[derive(Debug, Default)]
pub(super) struct DrawPass {
    /// Whether the stencil marks of the previous pass are kept.
    pub(super) keeps_marks: bool,
    pub(super) draws: Vec<Draw>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    pub(super) part: PassItem,
    pub(super) step: PipelineStage,
    pub(super) slot: usize,
    pub(super) material: u32,
    pub(super) texture: Option<TextureKey>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassItem {
    Mesh { front_only: bool },
    Lines,
    Outline,
}

impl PassItem {
    pub(super) fn shape(self) -> DrawShape {
        match self {
            Self::Mesh { front_only } => DrawShape::Mesh { front_only },
            Self::Lines | Self::Outline => DrawShape::Lines,
        }
    }
}

/// Draws sorted by their depth handling.
#[derive(Debug, Default)]
pub(super) struct SortedLayers {
    opaque: Vec<Draw>,
    sheer: Vec<Vec<Draw>>,
    xray: Vec<(Draw, f32)>,
}

impl SortedLayers {
    pub(super) fn add(&mut self, layer: &SceneLayer, draws: [Option<Draw>; 2]) {
        let draws = draws.into_iter().flatten();
        let is_sheer = layer.as_mesh().is_some_and(|mesh| mesh.opacity < 1.0);
        match layer.depth() {
            Depth::XRay { hidden_opacity } => self.xray.extend(draws.map(|draw| (draw, hidden_opacity))),
            Depth::Tested if is_sheer => self.sheer.push(draws.collect()),
            Depth::Tested => self.opaque.extend(draws),
        }
    }

    /// The passes in drawing order.
    ///
    /// A transparent layer overwrites the depth of opaque layers, so that only its nearest surface is visible.
    /// Later passes that compare with opaque depths draw them again. X-ray layers first mark where
    /// they are not hidden, then clear all depths but their own.
    pub(super) fn passes(self) -> Vec<DrawPass> {
        let steps = |draws: &[Draw], step: PipelineStage| -> Vec<Draw> {
            draws.iter().map(|&draw| Draw { step, ..draw }).collect()
        };
        let mut passes = vec![DrawPass { keeps_marks: false, draws: self.opaque.clone() }];
        let mut is_spoilt = false;
        for layer in &self.sheer {
            if is_spoilt {
                passes
                    .push(DrawPass { keeps_marks: false, draws: steps(&self.opaque, PipelineStage::Depth) });
            }
            if let Some(pass) = passes.last_mut() {
                pass.draws.extend(steps(layer, PipelineStage::Cover));
                pass.draws.extend(steps(layer, PipelineStage::Visible));
            }
            is_spoilt = true;
        }
        let xray: Vec<Draw> = self.xray.iter().map(|one| one.0).collect();
        if xray.is_empty() {
            return passes;
        }
        if is_spoilt {
            passes.push(DrawPass { keeps_marks: false, draws: steps(&self.opaque, PipelineStage::Depth) });
        }
        if let Some(pass) = passes.last_mut() {
            pass.draws.extend(steps(&xray, PipelineStage::Mark));
        }
        let mut over = DrawPass { keeps_marks: true, draws: steps(&xray, PipelineStage::Depth) };
        over.draws.extend(steps(&xray, PipelineStage::Visible));
        let seen_through = self.xray.iter().filter(|one| one.1 > 0.0);
        over.draws.extend(seen_through.map(|&(draw, _)| Draw { step: PipelineStage::Hidden, ..draw }));
        passes.push(over);
        passes
    }
}
