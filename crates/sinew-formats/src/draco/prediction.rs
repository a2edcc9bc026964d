//! Predictions: each value is guessed from those before it, and the stream holds only the corrections.

mod geometric_normal;
mod parallelogram;
mod tex_coord;

use super::DracoError;
use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::corners::CornerSurface;
use super::integers::Correction;
use super::seams::CutMesh;
use super::sequence::Sequence;

/// How a value is guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Not at all.
    None,
    /// As the value before.
    Difference,
    /// From the triangle next to it.
    Parallelogram,
    /// From up to four triangles next to it.
    MultiParallelogram,
    /// From the shape of the triangle in space.
    TexCoord,
    /// From the directions of the triangles around.
    GeometricNormal,
}

impl Scheme {
    pub(super) fn from_number(number: i8) -> Result<Self, DracoError> {
        match number {
            -2 => Ok(Self::None),
            0 => Ok(Self::Difference),
            1 => Ok(Self::Parallelogram),
            4 => Ok(Self::MultiParallelogram),
            5 => Ok(Self::TexCoord),
            6 => Ok(Self::GeometricNormal),
            other => Err(DracoError::Unsupported { what: "prediction scheme", value: other.into() }),
        }
    }
}

/// The quantised positions, from which other attributes are guessed.
#[derive(Debug)]
pub(super) struct PredictedPositions {
    values: Vec<i32>,
    entries_of_points: Vec<u32>,
}

/// The surface that an attribute lies on, and what is known there.
pub(super) struct MeshContext<'a> {
    pub(super) mesh: &'a CutMesh,
    pub(super) surface: &'a dyn CornerSurface,
    pub(super) sequence: &'a Sequence,
    pub(super) entries_of_points: &'a [u32],
    pub(super) positions: &'a mut Option<PredictedPositions>,
}

impl MeshContext<'_> {
    /// Keeps the first three-dimensional positions for the attributes that follow.
    pub(super) fn keep_positions(
        &mut self,
        values: &[i32],
        components: u8,
        budget: &mut DracoBudget,
    ) -> Result<(), DracoError> {
        if self.positions.is_some() || components != 3 {
            return Ok(());
        }
        budget.charge(values.len() + self.entries_of_points.len(), 4)?;
        *self.positions = Some(PredictedPositions {
            values: values.to_vec(),
            entries_of_points: self.entries_of_points.to_vec(),
        });
        Ok(())
    }

    /// The positions on this mesh, if the stream has stored them by now.
    fn positions(&self) -> Result<PositionsOnMesh<'_>, DracoError> {
        match &*self.positions {
            Some(positions) => Ok(PositionsOnMesh { mesh: self.mesh, positions }),
            None => Err(DracoError::Malformed {
                what: "a prediction needs positions that the stream has not given yet",
                index: 0,
            }),
        }
    }

    /// The entry of the vertex at `corner`.
    fn entry(&self, corner: u32) -> usize {
        self.sequence.entries[self.surface.vertex(corner) as usize] as usize
    }
}

/// Positions by corner.
struct PositionsOnMesh<'a> {
    mesh: &'a CutMesh,
    positions: &'a PredictedPositions,
}

impl PositionsOnMesh<'_> {
    fn at(&self, corner: u32) -> [i64; 3] {
        let point = self.mesh.point(corner) as usize;
        let start = self.positions.entries_of_points[point] as usize * 3;
        let values = &self.positions.values[start..start + 3];
        [values[0].into(), values[1].into(), values[2].into()]
    }
}

fn difference(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// What a prediction works on.
pub(super) struct PredictionStage<'a> {
    pub(super) components: usize,
    /// The number of the transform that turns predictions and corrections into values.
    pub(super) transform: i8,
    pub(super) context: Option<&'a MeshContext<'a>>,
}

impl<'a> PredictionStage<'a> {
    fn mesh(&self) -> Result<&'a MeshContext<'a>, DracoError> {
        self.context.ok_or(DracoError::Malformed {
            what: "a prediction needs a surface, but the mesh is stored without",
            index: 0,
        })
    }

    fn refuse_components(&self) -> DracoError {
        DracoError::Malformed {
            what: "a prediction does not fit the number of components",
            index: self.components,
        }
    }
}

/// Reads what the scheme needs and turns the corrections in `values` into values.
pub(super) fn restore(
    bytes: &mut Bytes<'_>,
    scheme: Scheme,
    stage: &PredictionStage<'_>,
    values: &mut [i32],
    budget: &mut DracoBudget,
) -> Result<(), DracoError> {
    match scheme {
        Scheme::None => Ok(()),
        Scheme::Difference => {
            let correction = Correction::read(bytes, stage.transform)?;
            restore_differences(&correction, stage.components, values);
            Ok(())
        }
        Scheme::Parallelogram => {
            let correction = Correction::read(bytes, stage.transform)?;
            parallelogram::restore(stage.mesh()?, &correction, stage.components, values)
        }
        Scheme::MultiParallelogram => {
            let mut creases = parallelogram::Creases::read(bytes)?;
            let correction = Correction::read(bytes, stage.transform)?;
            let layout = (stage.components, &mut creases);
            parallelogram::restore_multi(stage.mesh()?, &correction, layout, values)
        }
        Scheme::TexCoord => {
            if stage.components != 2 {
                return Err(stage.refuse_components());
            }
            let turns = tex_coord::read_turns(bytes, values.len() / 2, budget)?;
            let correction = Correction::read(bytes, stage.transform)?;
            tex_coord::restore(stage.mesh()?, &correction, turns, values)
        }
        Scheme::GeometricNormal => match Correction::read(bytes, stage.transform)? {
            Correction::Octahedron(octahedron) => {
                geometric_normal::restore(bytes, stage.mesh()?, octahedron, values)
            }
            Correction::Wrap(_) => Err(stage.refuse_components()),
        },
    }
}

fn restore_differences(correction: &Correction, components: usize, values: &mut [i32]) {
    let mut before = vec![0; components];
    for value in values.chunks_exact_mut(components) {
        correction.apply(&before, value);
        before.copy_from_slice(value);
    }
}
