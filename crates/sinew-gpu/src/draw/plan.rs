//! In which order layers are drawn.

use sinew_view::layer::{Depth, Layer};

use super::pipelines::{Shape, Step};
use super::textures::TextureKey;

/// Draws between two clears of the depth.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// Whether marks of x-ray layers stay from the pass before.
    pub(super) keeps_marks: bool,
    pub(super) draws: Vec<Draw>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    pub(super) part: Part,
    pub(super) step: Step,
    pub(super) slot: usize,
    pub(super) material: u32,
    pub(super) texture: Option<TextureKey>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Mesh { front_only: bool },
    Lines,
    Outline,
}

impl Part {
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::Mesh { front_only } => Shape::Mesh { front_only },
            Self::Lines | Self::Outline => Shape::Lines,
        }
    }
}

/// Draws by how they meet depth.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    opaque: Vec<Draw>,
    sheer: Vec<Vec<Draw>>,
    xray: Vec<(Draw, f32)>,
}

impl Sorted {
    pub(super) fn add(&mut self, layer: &Layer, draws: [Option<Draw>; 2]) {
        let draws = draws.into_iter().flatten();
        let depth = match layer {
            Layer::Mesh(mesh) => mesh.depth,
            Layer::Lines(lines) => lines.depth,
        };
        match (depth, layer) {
            (Depth::XRay { hidden_opacity }, _) => self.xray.extend(draws.map(|draw| (draw, hidden_opacity))),
            (Depth::Tested, Layer::Mesh(mesh)) if mesh.opacity < 1.0 => self.sheer.push(draws.collect()),
            _ => self.opaque.extend(draws),
        }
    }

    /// The order of drawing.
    ///
    /// A sheer layer puts its own depth over that of opaque layers, so that only its nearest surface is seen.
    /// Whoever comes after and looks at opaque depths needs them drawn again. X-ray layers first mark where
    /// they are not hidden, then forget all depths but their own.
    pub(super) fn passes(self) -> Vec<Pass> {
        let steps = |draws: &[Draw], step: Step| -> Vec<Draw> {
            draws.iter().map(|&draw| Draw { step, ..draw }).collect()
        };
        let mut passes = vec![Pass { keeps_marks: false, draws: self.opaque.clone() }];
        let mut is_spoilt = false;
        for layer in &self.sheer {
            if is_spoilt {
                passes.push(Pass { keeps_marks: false, draws: steps(&self.opaque, Step::Depth) });
            }
            if let Some(pass) = passes.last_mut() {
                pass.draws.extend(steps(layer, Step::Cover));
                pass.draws.extend(steps(layer, Step::Visible));
            }
            is_spoilt = true;
        }
        let xray: Vec<Draw> = self.xray.iter().map(|one| one.0).collect();
        if xray.is_empty() {
            return passes;
        }
        if is_spoilt {
            passes.push(Pass { keeps_marks: false, draws: steps(&self.opaque, Step::Depth) });
        }
        if let Some(pass) = passes.last_mut() {
            pass.draws.extend(steps(&xray, Step::Mark));
        }
        let mut over = Pass { keeps_marks: true, draws: steps(&xray, Step::Depth) };
        over.draws.extend(steps(&xray, Step::Visible));
        let seen_through = self.xray.iter().filter(|one| one.1 > 0.0);
        over.draws.extend(seen_through.map(|&(draw, _)| Draw { step: Step::Hidden, ..draw }));
        passes.push(over);
        passes
    }
}
