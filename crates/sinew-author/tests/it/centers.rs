//! Centers of rotation, compared with their definition as a plain double loop.

use sinew::{Mesh, glam::DVec3};
use sinew_author::{AuthorError, CorOptions, centers_of_rotation, uninterrupted};
use std::ops::ControlFlow;

/// The area, centroid and weights by slot of a triangle.
type Piece = (f64, DVec3, Vec<f64>);

fn dense(mesh: &Mesh, vertex: u32, slots: usize) -> Vec<f64> {
    let mut out = vec![0.0; slots];
    let weights = mesh.weights().unwrap();
    weights.influences(vertex as usize).for_each(|i| out[usize::from(i.slot)] = f64::from(i.weight));
    out
}

/// The triangles of a mesh, each cut into `cuts`² congruent ones.
fn pieces(mesh: &Mesh, cuts: u32) -> Vec<Piece> {
    let slots = mesh.weights().unwrap().slot_count();
    let mut out = vec![];
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|v| mesh.positions()[v as usize].as_dvec3());
        let w = t.map(|v| dense(mesh, v, slots));
        let area = (b - a).cross(c - a).length() / 2.0 / f64::from(cuts * cuts);
        for i in 0..cuts {
            for j in 0..cuts - i {
                let n = f64::from(cuts);
                let corner = [(f64::from(i) + 1.0 / 3.0) / n, (f64::from(j) + 1.0 / 3.0) / n];
                let other = [(f64::from(i) + 2.0 / 3.0) / n, (f64::from(j) + 2.0 / 3.0) / n];
                let here = if i + j + 1 < cuts { vec![corner, other] } else { vec![corner] };
                for [u, v] in here {
                    let mix = |x: f64, y: f64, z: f64| x * (1.0 - u - v) + y * u + z * v;
                    let place = a * (1.0 - u - v) + b * u + c * v;
                    out.push((area, place, (0..slots).map(|s| mix(w[0][s], w[1][s], w[2][s])).collect()));
                }
            }
        }
    }
    out
}

fn brute_force(pieces: &[Piece], w: &[f64], sigma: f64) -> Option<DVec3> {
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    let own: Vec<usize> = (0..w.len()).filter(|&j| w[j] > 0.0).collect();
    for (area, place, b) in pieces {
        let mut s = 0.0;
        for &j in &own {
            for &k in own.iter().filter(|&&k| k != j) {
                let off = w[j] * b[k] - w[k] * b[j];
                s += w[j] * w[k] * b[j] * b[k] * (-off * off / (sigma * sigma)).exp();
            }
        }
        sum += *place * area * s;
        total += area * s;
    }
    (total > 0.0).then(|| sum / total)
}

#[test]
fn centers_are_the_mean_of_the_surface_with_similar_weights() {
    let figure = sinew_samples::figure();
    let arm = sinew_samples::arm();
    for character in [&figure, &arm] {
        let mesh = character.meshes().iter().find(|m| m.weights().is_some()).unwrap();
        let options = CorOptions { refine_to: 0.02, ..CorOptions::default() };
        let (centers, report) = centers_of_rotation(mesh, &options, &mut uninterrupted).unwrap();
        let fine = pieces(mesh, 4);
        let slots = mesh.weights().unwrap().slot_count();
        let mut compared = 0;
        for v in (0..mesh.vertex_count()).step_by(mesh.vertex_count() / 40) {
            let w = dense(mesh, v as u32, slots);
            let rest = mesh.positions()[v];
            let want = brute_force(&fine, &w, 0.1).map_or(rest, DVec3::as_vec3);
            let got = centers.positions()[v];
            // Both are sums over finite pieces, subdivided differently.
            assert!(got.distance(want) < 2e-3, "vertex {v} at {rest}: {got} instead of {want}");
            compared += usize::from(got != rest);
        }
        assert!(compared >= 5, "only {compared} of {report:?}");
    }
}

#[test]
fn centers_of_a_tube_lie_on_its_axis() {
    let tube = sinew_samples::tube();
    let mesh = &tube.meshes()[0];
    let (centers, report) = centers_of_rotation(mesh, &CorOptions::default(), &mut uninterrupted).unwrap();
    for (center, rest) in centers.positions().iter().zip(mesh.positions()) {
        let is_blended = (rest.y - 5.0).abs() < 1.45;
        if is_blended {
            assert!(center.x.hypot(center.z) < 1e-5, "{center} is off the axis");
            // If most of the surface is on one side, the mean lies slightly towards it.
            assert!((center.y - rest.y).abs() < 0.5, "{center} for {rest}");
        } else if (rest.y - 5.0).abs() > 1.5 {
            assert_eq!(center, rest);
        }
    }
    assert_eq!(report.isolated, 0);
    assert!(report.with_center + report.single_joint == mesh.points().len() && !report.is_capped);
}

#[test]
fn the_result_is_the_same_on_any_number_of_threads() {
    let arm = sinew_samples::arm();
    let mesh = &arm.meshes()[0];
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| centers_of_rotation(mesh, &CorOptions::default(), &mut uninterrupted).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn the_caller_sees_progress_and_can_stop() {
    let arm = sinew_samples::arm();
    let mesh = &arm.meshes()[0];
    let mut seen = vec![];
    let mut watch = |fraction: f32| {
        seen.push(fraction);
        ControlFlow::Continue(())
    };
    centers_of_rotation(mesh, &CorOptions::default(), &mut watch).unwrap();
    assert!(seen.len() >= 3 && seen.is_sorted() && seen.last() == Some(&1.0), "{seen:?}");
    let mut left = 2;
    let mut stop = |_: f32| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = centers_of_rotation(mesh, &CorOptions::default(), &mut stop);
    assert_eq!(stopped.unwrap_err(), AuthorError::Stopped);
}

#[test]
fn rejects_options_out_of_range_and_meshes_without_weights() {
    let arm = sinew_samples::arm();
    let mesh = &arm.meshes()[0];
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = CorOptions { sigma: bad, ..CorOptions::default() };
        let result = centers_of_rotation(mesh, &options, &mut uninterrupted);
        assert!(matches!(result, Err(AuthorError::BadOption { option: "sigma", .. })), "{bad}");
    }
    let mut parts = Mesh::clone(mesh).into_parts();
    parts.weights = None;
    let bare = Mesh::new(parts).unwrap();
    let result = centers_of_rotation(&bare, &CorOptions::default(), &mut uninterrupted);
    assert!(matches!(result, Err(AuthorError::NoWeights { .. })));
}
