//! Optimized centers of rotation: for each vertex, the mean of the surface with similar weights.
//!
//! Binh Huy Le and Jessica K. Hodgins, 2016, "Real-time Skeletal Skinning with Optimized Centers of Rotation".

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

/// How centers of rotation are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorOptions {
    /// The width σ of the similarity kernel, above 0: how similar weights must be to count.
    pub sigma: f64,
    /// Triangles are subdivided until the weights at the ends of each edge differ by at most this distance, above 0.
    pub refine_to: f32,
    /// Subdivision stops at this many pieces. It bounds memory, at some 60 bytes per piece.
    pub max_samples: usize,
}

impl Default for CorOptions {
    fn default() -> Self {
        Self { sigma: 0.1, refine_to: 0.1, max_samples: 2_000_000 }
    }
}

/// Figures about computed centers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorReport {
    /// The number of points (vertices without their copies) with a center.
    pub with_center: usize,
    /// The number of points with a single influence, which need no center.
    pub single_joint: usize,
    /// The number of points without a triangle of similar weights; they use linear blend skinning.
    pub isolated: usize,
    /// The number of distinct weights among the points with a center.
    pub distinct: usize,
    /// The number of triangles of the mesh.
    pub triangles: usize,
    /// The number of pieces after subdivision.
    pub samples: usize,
    /// True if subdivision stopped at [`CorOptions::max_samples`].
    pub is_capped: bool,
    /// The number of distinct joint sets among the pieces.
    pub groups: usize,
    /// The number of similarities that were computed.
    pub similarities: u64,
    /// The largest distance of a vertex from its center, in meters.
    pub furthest: f32,
}

/// The number of distinct weights that are processed between two calls of the progress function.
const BATCH: usize = 256;

/// Computes one center of rotation for each vertex of `mesh`.
///
/// The center of a vertex is the mean of the surface, weighted by area and by the similarity of its skin weights to those of the
/// vertex. A vertex with a single influence has its own position as center. All copies of a point get the same center. Runs on
/// rayon's current pool; the result does not depend on the number of threads.
///
/// # Errors
/// If the mesh has no weights, an option is out of range, or `progress` stops the work.
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
            let (slots, weights) = topology.weights_of(point as usize);
            groups.center(&samples, slots, weights, options.sigma)
        };
        let results: Vec<(Option<DVec3>, u64)> = batch.par_iter().map(center).collect();
        report.similarities += results.iter().map(|r| r.1).sum::<u64>();
        found.extend(results.iter().map(|r| r.0));
    }
    tell(progress, 1, 1)?;
    let centers = jobs.spread(&topology, &found, &mut report);
    Ok((CentersOfRotation::new(topology.to_vertices(&centers))?, report))
}

/// The distinct weights of a mesh, each of which is processed once.
struct CenterJobs {
    /// A representative point for each job.
    points: Vec<u32>,
    /// The job of each point; `None` for a point with a single influence.
    of_point: Vec<Option<u32>>,
}

impl CenterJobs {
    fn new(topology: &WeldedTopology<'_>) -> Self {
        let mut seen: HashMap<(&[u16], Vec<u32>), u32> = HashMap::new();
        let mut out = Self { points: Vec::new(), of_point: Vec::with_capacity(topology.len()) };
        for point in 0..topology.len() {
            let (slots, weights) = topology.weights_of(point);
            let job = (slots.len() > 1).then(|| {
                let bits = weights.iter().map(|s| s.to_bits()).collect();
                *seen.entry((slots, bits)).or_insert_with(|| {
                    out.points.push(point as u32);
                    out.points.len() as u32 - 1
                })
            });
            out.of_point.push(job);
        }
        out
    }

    /// One center per point; the point itself if none was found.
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
