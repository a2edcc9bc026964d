//! Commands that change weights: all of them through the operations of `sinew_author`.

use super::{CommandError, check};
use crate::document::{Document, Piece};
use serde::{Deserialize, Serialize};
use sinew::{JointId, Mesh, MeshInstance, Precomputed, Skin, Weights};
use sinew_author::weights::{
    Edit, Locks, Selection, WeightTable,
    ops::{
        self, LimitBy, MirrorMap, MirrorOptions, Side, SmoothOptions,
        brush::{self, Brush, BrushKind, Dab, Ground},
    },
};
use std::sync::Arc;

/// An operation on the weights of selected vertices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightOp {
    /// Gives copies of one point the same weights.
    Normalise,
    /// Takes away influences below a weight.
    Prune {
        /// The least weight that stays, 0 to 1.
        least: f32,
    },
    /// Leaves at most so many influences, the largest.
    Limit {
        /// How many, at least 1.
        most: usize,
    },
    /// Evens weights out along the skin.
    Smooth {
        /// How often.
        iterations: u32,
        /// How far each time, 0 to 1.
        step: f32,
        /// The most influences that are kept.
        most: usize,
    },
    /// Raises weights to a power.
    Sharpen {
        /// The power; above one joints blend over a shorter stretch.
        power: f32,
    },
    /// Copies the weights of one side to the other, across the plane through the mesh's origin across x.
    Mirror {
        /// Copies from the side of negative x.
        from_negative: bool,
    },
}

impl WeightOp {
    /// What the history calls it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Normalise => "Normalise weights",
            Self::Prune { .. } => "Prune weights",
            Self::Limit { .. } => "Limit influences",
            Self::Smooth { .. } => "Smooth weights",
            Self::Sharpen { .. } => "Sharpen weights",
            Self::Mirror { .. } => "Mirror weights",
        }
    }
}

/// What a brush does to its joint's weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrushShape {
    /// Adds.
    #[default]
    Add,
    /// Goes to the amount.
    Replace,
    /// Multiplies.
    Scale,
    /// Goes towards the neighbours.
    Smooth,
    /// Goes away from the neighbours.
    Sharpen,
}

impl BrushShape {
    /// Every brush.
    pub const ALL: [Self; 5] = [Self::Add, Self::Replace, Self::Scale, Self::Smooth, Self::Sharpen];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Scale => "scale",
            Self::Smooth => "smooth",
            Self::Sharpen => "sharpen",
        }
    }

    const fn kind(self) -> BrushKind {
        match self {
            Self::Add => BrushKind::Add,
            Self::Replace => BrushKind::Replace,
            Self::Scale => BrushKind::Scale,
            Self::Smooth => BrushKind::Smooth,
            Self::Sharpen => BrushKind::Sharpen,
        }
    }
}

/// A way of the brush over the skin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stroke {
    /// The instance that is painted.
    pub instance: usize,
    /// The joint whose weight is painted.
    pub joint: u16,
    /// What the brush does.
    pub brush: BrushShape,
    /// How much, where a dab's falloff is 1.
    pub amount: f32,
    /// The most influences of a painted vertex, at least 1.
    pub most: usize,
    /// Paints the other side too, across x.
    pub mirrored: bool,
    /// One list a moment of the stroke: vertices with their falloffs, 0 to 1.
    pub dabs: Vec<Vec<(u32, f32)>>,
}

/// What is needed to change the weights of an instance.
struct Subject<'a> {
    place: usize,
    instance: &'a MeshInstance,
    mesh: &'a Mesh,
    skin: &'a Skin,
    weights: &'a Weights,
    locks: Locks,
}

impl<'a> Subject<'a> {
    fn new(document: &'a Document, place: usize) -> Result<Self, CommandError> {
        let character = document.character();
        check::within("instance", place, character.instances().len())?;
        let instance = &character.instances()[place];
        let (mesh, no_skin) = (character.mesh_of(instance), CommandError::NoSkin { instance: place });
        let (Some(skin), Some(weights)) = (character.skin_of(instance), mesh.weights()) else {
            return Err(no_skin);
        };
        let locks = Locks::of(document.locks().iter().filter_map(|joint| skin.slot_of(*joint)));
        Ok(Self { place, instance, mesh, skin, weights, locks })
    }

    fn slot(&self, joint: JointId) -> Result<u16, CommandError> {
        let missing = CommandError::NotInSkin { joint: joint.index(), instance: self.place };
        self.skin.slot_of(joint).ok_or(missing)
    }

    fn table(&self) -> WeightTable {
        WeightTable::new(self.weights, self.skin.joints().len())
    }

    fn mirror(&self, document: &Document, options: &MirrorOptions) -> MirrorMap {
        MirrorMap::new(self.mesh, document.character().skeleton(), self.skin, options)
    }
}

pub(super) fn set(
    document: &mut Document,
    place: usize,
    vertices: &[u32],
    joint: u16,
    weight: f32,
) -> Result<Vec<Piece>, CommandError> {
    let joint = check::joint(document, joint)?;
    let subject = Subject::new(document, place)?;
    if !(0.0..=1.0).contains(&weight) {
        return Err(CommandError::BadValue { what: "the weight", value: weight, wanted: "from 0 to 1" });
    }
    check_vertices(&subject, vertices.iter().copied())?;
    let brush = Brush {
        kind: BrushKind::Replace,
        slot: subject.slot(joint)?,
        amount: weight,
        most: subject.skin.joints().len().max(1),
        locks: &subject.locks,
        mirror: None,
    };
    let dabs: Vec<Dab> = vertices.iter().map(|&vertex| Dab { vertex, falloff: 1.0 }).collect();
    let mut table = subject.table();
    brush::paint(&mut table, &Ground::new(subject.mesh), &brush, &dabs)?;
    let (mesh, weights) = (subject.instance.mesh, table.to_weights()?);
    replace(document, mesh, weights)
}

pub(super) fn paint(document: &mut Document, stroke: &Stroke) -> Result<Vec<Piece>, CommandError> {
    let joint = check::joint(document, stroke.joint)?;
    let subject = Subject::new(document, stroke.instance)?;
    check_vertices(&subject, stroke.dabs.iter().flatten().map(|dab| dab.0))?;
    check::finite("the amount", &[stroke.amount])?;
    stroke.dabs.iter().flatten().try_for_each(|dab| check::finite("a falloff", &[dab.1]))?;
    let mirror = stroke.mirrored.then(|| subject.mirror(document, &MirrorOptions::default()));
    let brush = Brush {
        kind: stroke.brush.kind(),
        slot: subject.slot(joint)?,
        amount: stroke.amount,
        most: stroke.most,
        locks: &subject.locks,
        mirror: mirror.as_ref(),
    };
    let ground = Ground::new(subject.mesh);
    let mut table = subject.table();
    for dabs in &stroke.dabs {
        let dabs: Vec<Dab> = dabs.iter().map(|&(vertex, falloff)| Dab { vertex, falloff }).collect();
        brush::paint(&mut table, &ground, &brush, &dabs)?;
    }
    let (mesh, weights) = (subject.instance.mesh, table.to_weights()?);
    replace(document, mesh, weights)
}

pub(super) fn operate(
    document: &mut Document,
    place: usize,
    op: &WeightOp,
) -> Result<Vec<Piece>, CommandError> {
    let subject = Subject::new(document, place)?;
    let selected = document.selection().of_instance(place);
    let selection = selected.map_or(Selection::All, |set| Selection::Vertices(set.clone()));
    let edit = Edit::with_weights(subject.mesh, subject.weights)?
        .select(selection)
        .lock(subject.locks.clone())
        .in_skin_of(subject.skin.joints().len());
    let outcome = match *op {
        WeightOp::Normalise => ops::normalise(&edit)?,
        WeightOp::Prune { least } => ops::prune(&edit, least)?,
        WeightOp::Limit { most } => ops::limit(&edit, most, LimitBy::Size)?,
        WeightOp::Smooth { iterations, step, most } => {
            ops::smooth(&edit, &SmoothOptions { iterations, step, most })?
        }
        WeightOp::Sharpen { power } => ops::sharpen(&edit, power)?,
        WeightOp::Mirror { from_negative } => {
            let from = if from_negative { Side::Negative } else { Side::Positive };
            let options = MirrorOptions { from, ..MirrorOptions::default() };
            ops::mirror(&edit, &subject.mirror(document, &options), &options)?.outcome
        }
    };
    let mesh = subject.instance.mesh;
    replace(document, mesh, outcome.weights)
}

fn check_vertices(
    subject: &Subject<'_>,
    mut vertices: impl Iterator<Item = u32>,
) -> Result<(), CommandError> {
    let count = subject.mesh.vertex_count();
    vertices.try_for_each(|vertex| check::within("vertex", vertex as usize, count))
}

fn replace(document: &mut Document, mesh: usize, weights: Weights) -> Result<Vec<Piece>, CommandError> {
    let made = document.character().meshes()[mesh].precomputed().clone();
    // Centres and direct mush were found for the weights that were there.
    let made = Precomputed { centers: None, direct_mush: None, ..made };
    let (weights, precomputed) = document.swap_weights(mesh, Arc::new(weights), made)?;
    Ok(vec![Piece::Weights { mesh, weights, precomputed: Box::new(precomputed) }])
}
