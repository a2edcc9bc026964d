//! In which order layers are drawn.

use sinew_view::layer::{Depth, SceneLayer};

use super::pipelines::{DrawShape, PipelineStage};
use super::textures::TextureKey;

/// Draws between two clears of the depth.
#[derive(Debug, Default)]
pub(super) struct DrawPass {
    /// Whether marks of x-ray layers stay from the pass before.
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

/// Draws by how they meet depth.
#[derive(Debug, Default)]
pub(super) struct SortedLayers {
    opaque: Vec<Draw>,
    sheer: Vec<Vec<Draw>>,
    xray: Vec<(Draw, f32)>,
}

impl SortedLayers {
    pub(super) fn add(&mut self, layer: &SceneLayer, draws: [Option<Draw>; 2]) {
        let draws = draws.into_iter().flatten();
        let depth = match layer {
            SceneLayer::Mesh(mesh) => mesh.depth,
            SceneLayer::Lines(lines) => lines.depth,
        };
        match (depth, layer) {
            (Depth::XRay { hidden_opacity }, _) => self.xray.extend(draws.map(|draw| (draw, hidden_opacity))),
            (Depth::Tested, SceneLayer::Mesh(mesh)) if mesh.opacity < 1.0 => self.sheer.push(draws.collect()),
            _ => self.opaque.extend(draws),
        }
    }

    /// The order of drawing.
    ///
    /// A sheer layer puts its own depth over that of opaque layers, so that only its nearest surface is seen.
    /// Whoever comes after and looks at opaque depths needs them drawn again. X-ray layers first mark where
    /// they are not hidden, then forget all depths but their own.
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
