//! Optimised centres of rotation: for each vertex the middle of the surface that is weighted like it.

mod groups;
mod samples;

use crate::{AuthorError, Progress, progress::tell, topology::WeldedTopology};
use groups::SimilarityGroups;
use rayon::prelude::*;
use samples::SurfaceSamples;
use sinew::{
    CentersOfRotation, Mesh,
    glam::{DVec3, Vec3},
};
use std::collections::HashMap;

/// How centres of rotation are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorOptions {
    /// How alike weights must be to count as alike: σ of the similarity, above 0.
    pub sigma: f64,
    /// Triangles are cut until the weights at the two ends of no edge are further apart than this, above 0.
    pub refine_to: f32,
    /// Triangles are no longer cut once there are this many pieces: the bound on memory, some 60 bytes a piece.
    pub most_samples: usize,
}

impl Default for CorOptions {
    fn default() -> Self {
        Self { sigma: 0.1, refine_to: 0.1, most_samples: 2_000_000 }
    }
}

/// What was measured while centres were found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorReport {
    /// Points (vertices without their copies) that have a centre.
    pub with_center: usize,
    /// Points that one joint alone moves: they need none.
    pub single_joint: usize,
    /// Points with several joints, of no triangle that is weighted like them: linear blend there.
    pub isolated: usize,
    /// Different weights among the points that have a centre.
    pub distinct: usize,
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Pieces of triangles after refining.
    pub samples: usize,
    /// True where refining stopped at [`CorOptions::most_samples`].
    pub is_capped: bool,
    /// Different sets of joints among the pieces.
    pub groups: usize,
    /// How many similarities were computed.
    pub similarities: u64,
    /// The greatest distance of a vertex from its centre, in metres.
    pub furthest: f32,
}

/// How many weights are worked on between two calls of the progress function.
const BATCH: usize = 256;

/// Finds one centre of rotation for each vertex of `mesh` (Le and Hodgins 2016).
///
/// The centre of a vertex is the mean of the surface, weighed by area and by how similar its skinning weights are to the
/// vertex's. A vertex that one joint moves has its own position. All vertices at one place get one centre. Runs on
/// rayon's current pool; the result does not depend on the number of threads.
///
/// # Errors
/// Where the mesh has no weights, an option is out of range, or `progress` says to stop.
pub fn centers_of_rotation(
    mesh: &Mesh,
    options: &CorOptions,
    progress: Progress<'_>,
) -> Result<(CentersOfRotation, CorReport), AuthorError> {
    let above_zero = |option, value: f64| {
        let bad = AuthorError::BadOption { option, value, wanted: "above 0" };
        if value > 0.0 && value.is_finite() { Ok(()) } else { Err(bad) }
    };
    above_zero("sigma", options.sigma)?;
    above_zero("refine_to", f64::from(options.refine_to))?;
    let topology = WeldedTopology::new(mesh)?;
    tell(progress, 0, 1)?;
    let samples = SurfaceSamples::refine(&topology, options);
    let groups = SimilarityGroups::new(&samples);
    let jobs = CenterJobs::new(&topology);
    let mut report = CorReport {
        triangles: topology.triangles.len(),
        samples: samples.len(),
        is_capped: samples.is_capped(),
        groups: groups.len(),
        ..CorReport::default()
    };
    let mut found: Vec<Option<DVec3>> = Vec::with_capacity(jobs.points.len());
    for batch in jobs.points.chunks(BATCH) {
        tell(progress, found.len(), jobs.points.len())?;
        let center = |&point: &u32| {
            let (slots, shares) = topology.weights_of(point as usize);
            groups.center(&samples, slots, shares, options.sigma)
        };
        let results: Vec<(Option<DVec3>, u64)> = batch.par_iter().map(center).collect();
        report.similarities += results.iter().map(|r| r.1).sum::<u64>();
        found.extend(results.iter().map(|r| r.0));
    }
    tell(progress, 1, 1)?;
    let centers = jobs.spread(&topology, &found, &mut report);
    Ok((CentersOfRotation::new(topology.to_vertices(&centers))?, report))
}

/// The different weights of a mesh, each of which is worked on once.
struct CenterJobs {
    /// A point for each job.
    points: Vec<u32>,
    /// The job of each point, `None` where one joint alone moves it.
    of_point: Vec<Option<u32>>,
}

impl CenterJobs {
    fn new(topology: &WeldedTopology<'_>) -> Self {
        let mut seen: HashMap<(&[u16], Vec<u32>), u32> = HashMap::new();
        let mut out = Self { points: Vec::new(), of_point: Vec::with_capacity(topology.len()) };
        for point in 0..topology.len() {
            let (slots, shares) = topology.weights_of(point);
            let job = (slots.len() > 1).then(|| {
                let bits = shares.iter().map(|s| s.to_bits()).collect();
                *seen.entry((slots, bits)).or_insert_with(|| {
                    out.points.push(point as u32);
                    out.points.len() as u32 - 1
                })
            });
            out.of_point.push(job);
        }
        out
    }

    /// One centre a point; the point itself where none was found.
    fn spread(
        &self,
        topology: &WeldedTopology<'_>,
        found: &[Option<DVec3>],
        report: &mut CorReport,
    ) -> Vec<Vec3> {
        let mut centers = Vec::with_capacity(self.of_point.len());
        for (job, position) in self.of_point.iter().zip(&topology.positions) {
            let center = match job {
                Some(job) => found[*job as usize],
                None => {
                    report.single_joint += 1;
                    None
                }
            };
            report.with_center += usize::from(center.is_some());
            report.isolated += usize::from(job.is_some() && center.is_none());
            let center = center.unwrap_or(*position);
            report.furthest = report.furthest.max(center.distance(*position) as f32);
            centers.push(center.as_vec3());
        }
        report.distinct = found.iter().flatten().count();
        centers
    }
}
