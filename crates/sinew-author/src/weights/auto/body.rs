//! The weights of one body: of the meshes that are solved together.

use super::{
    AutoCandidate, AutoMethod, AutoOptions, AutoReport, AutoWeights, biharmonic, finish, geodesic, heat,
    heat_sources::HeatSources,
    quality::QualityMeter,
    solved_weights::{SolvedWeights, SparseWeights},
    voxels::Voxels,
};
use crate::{
    AuthorError, Progress,
    progress::tell,
    weights::{BoneSet, surface::WeldedSurface},
};
use sinew::Mesh;

/// The joints for which a body is solved.
#[derive(Clone, Copy)]
pub(super) struct BodyJoints<'a> {
    pub(super) bones: &'a BoneSet,
    /// Slots that must have weight, because an attempt without this demand left them without any.
    pub(super) demanded: &'a [u16],
}

/// Computes the weights of `meshes`, in their order.
pub(super) fn solve(
    meshes: &[&Mesh],
    joints: BodyJoints<'_>,
    options: &AutoOptions,
    progress: Progress<'_>,
) -> Result<Vec<AutoWeights>, AuthorError> {
    let BodyJoints { bones, demanded } = joints;
    let surface = WeldedSurface::of_meshes(meshes);
    let voxels = Voxels::within_budget(&surface, resolution(options));
    let sources = HeatSources::new(&surface, bones, &voxels, options.gap, demanded);
    let mut report = AutoReport {
        method: options.method,
        points: surface.len(),
        parts: surface.components().1,
        bones: sources.bones.len(),
        guessed_tails: bones.guessed_tails(),
        outside: sources.outside.clone(),
        ..AutoReport::default()
    };
    let body = Body { surface: &surface, sources: &sources, voxels: &voxels, joints, options };
    let weights = body.weights(&mut report, &mut |done| progress(0.05 + 0.85 * done))?;
    tell(progress, 95, 100)?;
    let mut first = 0;
    let mut made = Vec::with_capacity(meshes.len());
    for mesh in meshes {
        let points = &surface.of_vertex[first..first + mesh.vertex_count()];
        first += mesh.vertex_count();
        made.push(of_mesh(mesh, &body, points, &weights, bones.slot_count(), &report)?);
    }
    tell(progress, 1, 1)?;
    Ok(made)
}

/// Bone heat only needs to know whether bones lie inside, for which coarse cells are enough.
fn resolution(options: &AutoOptions) -> u32 {
    if options.method == AutoMethod::Heat { options.resolution.min(64) } else { options.resolution }
}

/// The weights and the report of one mesh, whose vertices are copies of `points`.
fn of_mesh(
    mesh: &Mesh,
    body: &Body<'_>,
    points: &[u32],
    weights: &[SparseWeights],
    slot_count: usize,
    report: &AutoReport,
) -> Result<AutoWeights, AuthorError> {
    let mut weights = finish::to_weights(points, body.sources, slot_count, weights)?;
    if let Some(existing) = mesh.weights() {
        weights = weights.with_muscles_of(existing);
    }
    let max_influences = weights.max_influences();
    let unused = finish::unused_slots(&weights, slot_count);
    Ok(AutoWeights { weights, report: AutoReport { max_influences, unused, ..report.clone() } })
}

/// What all methods read.
struct Body<'a> {
    surface: &'a WeldedSurface,
    sources: &'a HeatSources,
    voxels: &'a Voxels,
    joints: BodyJoints<'a>,
    options: &'a AutoOptions,
}

impl Body<'_> {
    /// The finished weights of every point.
    fn weights(
        &self,
        report: &mut AutoReport,
        progress: Progress<'_>,
    ) -> Result<Vec<SparseWeights>, AuthorError> {
        let mut weights = match self.options.method {
            AutoMethod::Auto => self.best(report, progress)?,
            AutoMethod::Mixed => {
                let heat = self.blended(AutoMethod::Heat, report, &mut |done| progress(0.3 * done))?;
                let later = &mut |done: f32| progress(0.3 + 0.7 * done);
                self.mixed(&heat, &self.blended(AutoMethod::Biharmonic, report, later)?)
            }
            method @ (AutoMethod::Heat | AutoMethod::VoxelGeodesic | AutoMethod::Biharmonic) => {
                self.blended(method, report, progress)?
            }
        };
        finish::grant(self.surface, self.sources, self.joints.demanded, &mut weights);
        finish::limit(&mut weights, self.options.influences, report);
        Ok(weights)
    }

    fn mixed(&self, heat: &[SparseWeights], biharmonic: &[SparseWeights]) -> Vec<SparseWeights> {
        finish::mixture(&[(heat, 0.5), (biharmonic, 0.5)], self.sources)
    }

    /// The best of heat, biharmonic and the mixture of both, or geodesic voxels if there are too many joints for the others.
    fn best(
        &self,
        report: &mut AutoReport,
        progress: Progress<'_>,
    ) -> Result<Vec<SparseWeights>, AuthorError> {
        let heat = unless_too_many(self.blended(AutoMethod::Heat, report, &mut |done| progress(0.3 * done)))?;
        let later = &mut |done: f32| progress(0.3 + 0.6 * done);
        let biharmonic = unless_too_many(self.blended(AutoMethod::Biharmonic, report, later))?;
        let mixed = heat.as_ref().zip(biharmonic.as_ref()).map(|(heat, other)| self.mixed(heat, other));
        let candidates =
            [(AutoMethod::Mixed, mixed), (AutoMethod::Heat, heat), (AutoMethod::Biharmonic, biharmonic)];
        let meter = QualityMeter::new(self.surface, self.joints.bones, self.sources);
        let mut best: Option<(f64, Vec<SparseWeights>)> = None;
        for (method, weights) in candidates {
            let Some(weights) = weights else { continue };
            let quality = meter.measure(&weights);
            report.candidates.push(AutoCandidate { method, quality });
            if best.as_ref().is_none_or(|best| quality.score() < best.0) {
                report.method = method;
                best = Some((quality.score(), weights));
            }
        }
        if let Some((_, weights)) = best {
            return Ok(weights);
        }
        report.method = AutoMethod::VoxelGeodesic;
        self.blended(AutoMethod::VoxelGeodesic, report, &mut |done| progress(0.9 + 0.1 * done))
    }

    /// The weights by one method, normalized, sharpened and smoothed.
    fn blended(
        &self,
        method: AutoMethod,
        report: &mut AutoReport,
        progress: Progress<'_>,
    ) -> Result<Vec<SparseWeights>, AuthorError> {
        let found = match method {
            AutoMethod::Heat => heat::heat(self.surface, self.sources, progress)?,
            AutoMethod::VoxelGeodesic => {
                geodesic::geodesic(self.surface, self.sources, self.voxels, progress)?
            }
            AutoMethod::Auto | AutoMethod::Mixed | AutoMethod::Biharmonic => {
                biharmonic::biharmonic(self.surface, self.sources, self.voxels, progress)?
            }
        };
        let SolvedWeights { weights, parts_without_source, cells } = found;
        report.parts_without_source = report.parts_without_source.max(parts_without_source);
        report.cells = report.cells.max(cells);
        Ok(finish::finish(self.surface, self.sources, weights, self.options, report))
    }
}

/// `None` for a method that does not solve for that many joints.
fn unless_too_many<T>(made: Result<T, AuthorError>) -> Result<Option<T>, AuthorError> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(AuthorError::TooManyJoints { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}
