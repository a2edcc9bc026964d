//! Delta mush data, compared with plain formulations: dense matrices for the implicit kind, loops for the other.

use sinew::{
    Character, Frame, Mesh, MeshParts, Method, MushDetail, Primitive, Topology, Weights,
    glam::{DMat3, DVec3, Vec3},
};
use sinew_author::{
    DirectMushOptions, LaplacianKind, MushOptions, PrepareOptions, delta_mush, direct_mush,
    prepare_character, uninterrupted,
};
use std::sync::Arc;

const SIDE: usize = 6;

/// A bumpy sheet of `SIDE`² points with a seam down its middle, weighted to three joints from left to right.
fn sheet() -> Mesh {
    let place = |i: usize, j: usize| {
        let (x, y) = (i as f32 / 5.0, j as f32 / 5.0);
        Vec3::new(x, y, 0.1 * (7.0 * x).sin() * (5.0 * y).cos())
    };
    let columns = [0, 1, 2, 3, 3, 4, 5];
    let mut positions = vec![];
    let mut influences = vec![];
    for &i in &columns {
        for j in 0..SIDE {
            positions.push(place(i, j));
            let x = i as f32 / 5.0;
            let fraction = |slot: u16, weight: f32| sinew::Influence { slot, weight };
            influences.push(vec![
                fraction(0, (1.0 - 2.0 * x).max(0.0)),
                fraction(1, 1.0 - (2.0 * x - 1.0).abs()),
                fraction(2, (2.0 * x - 1.0).max(0.0)),
            ]);
        }
    }
    let mut indices = vec![];
    for c in (0..columns.len() - 1).filter(|c| *c != 3) {
        for j in 0..SIDE - 1 {
            let v = |c: usize, j: usize| (c * SIDE + j) as u32;
            indices.extend([v(c, j), v(c + 1, j), v(c, j + 1), v(c, j + 1), v(c + 1, j), v(c + 1, j + 1)]);
        }
    }
    let count = positions.len() as u32;
    Mesh::new(MeshParts {
        normals: vec![Vec3::Z; positions.len()],
        positions,
        primitives: vec![Primitive {
            vertices: 0..count,
            indices: 0..indices.len() as u32,
            topology: Topology::Triangles,
            material: None,
        }],
        indices,
        weights: Some(Arc::new(Weights::new(3, influences).unwrap().0)),
        ..MeshParts::default()
    })
    .unwrap()
}

/// Solves `a x = b` by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// `I + λ D⁻¹L` of the uniform Laplacian over points: not symmetric, so a plain elimination solves it.
fn system(mesh: &Mesh, smoothness: f64) -> Vec<Vec<f64>> {
    let n = mesh.points().len();
    let mut linked = vec![vec![false; n]; n];
    for t in mesh.triangles() {
        let p = t.map(|v| mesh.points().of_vertex()[v as usize] as usize);
        for (a, b) in [(p[0], p[1]), (p[1], p[2]), (p[2], p[0])] {
            (linked[a][b], linked[b][a]) = (true, true);
        }
    }
    let row = |i: usize| {
        let degree = linked[i].iter().filter(|l| **l).count() as f64;
        let entry = |j: usize| {
            let off = if linked[i][j] { -smoothness / degree } else { 0.0 };
            if i == j { 1.0 + smoothness } else { off }
        };
        (0..n).map(entry).collect()
    };
    (0..n).map(row).collect()
}

#[test]
fn direct_moments_match_the_densely_smoothed_neighborhood() {
    let mesh = sheet();
    let options =
        DirectMushOptions { iterations: 3, smoothness: 0.8, min_weight: 0.0, ..DirectMushOptions::default() };
    let (direct, report) = direct_mush(&mesh, &options, &mut uninterrupted).unwrap();
    assert!(report.residual < 1e-12 && report.columns == 30, "{report:?}");
    let a = system(&mesh, 0.8);
    let points = mesh.points();
    let smooth = |mut f: Vec<f64>| {
        for _ in 0..3 {
            f = solve(a.clone(), f);
        }
        f
    };
    let at = |p: usize| mesh.positions()[points.first_vertex()[p] as usize].as_dvec3();
    let weight = |p: usize, slot: u16| {
        f64::from(mesh.weights().unwrap().weight_of(points.first_vertex()[p] as usize, slot))
    };
    let pivots: Vec<DVec3> = {
        let axis = |pick: fn(DVec3) -> f64| smooth((0..points.len()).map(|p| pick(at(p))).collect());
        let (x, y, z) = (axis(|p| p.x), axis(|p| p.y), axis(|p| p.z));
        (0..points.len()).map(|p| DVec3::new(x[p], y[p], z[p])).collect()
    };
    for slot in 0..3_u16 {
        for i in (0..points.len()).step_by(5) {
            // The row of the smoothing operator: what each point contributes to point i.
            let value = |f: &dyn Fn(usize) -> f64| smooth((0..points.len()).map(f).collect())[i];
            let d = |k: usize| at(k) - pivots[i];
            let fraction = value(&|k| weight(k, slot));
            let first = DVec3::new(
                value(&|k| weight(k, slot) * d(k).x),
                value(&|k| weight(k, slot) * d(k).y),
                value(&|k| weight(k, slot) * d(k).z),
            );
            let second = value(&|k| weight(k, slot) * d(k).x * d(k).z);
            let vertex = points.first_vertex()[i] as usize;
            let got = direct.of(vertex).find(|m| m.slot == slot).expect("nothing was dropped");
            assert!((f64::from(got.weight) - fraction).abs() < 1e-6, "{} instead of {fraction}", got.weight);
            assert!((got.first.as_dvec3() - first).length() < 1e-6, "{} instead of {first}", got.first);
            assert!((f64::from(got.second.x_axis.z) - second).abs() < 1e-6);
            assert!(direct.parts().pivots[vertex].as_dvec3().distance(pivots[i]) < 1e-6);
        }
    }
}

#[test]
fn weights_sum_to_one_and_first_moments_to_zero_whatever_is_dropped() {
    let mesh = sheet();
    for (max_influences, min_weight) in [(16, 0.0), (2, 0.0), (16, 0.1), (1, 0.1)] {
        let options = DirectMushOptions { max_influences, min_weight, ..DirectMushOptions::default() };
        let (direct, report) = direct_mush(&mesh, &options, &mut uninterrupted).unwrap();
        assert!(report.max_influences <= max_influences);
        for v in 0..mesh.vertex_count() {
            let fraction: f32 = direct.of(v).map(|m| m.weight).sum();
            let first: Vec3 = direct.of(v).map(|m| m.first).sum();
            assert!(
                (fraction - 1.0).abs() < 1e-6 && first.length() < 1e-6,
                "vertex {v}: {fraction}, {first}"
            );
            let second = direct.of(v).fold(DMat3::ZERO, |sum, m| sum + m.second.as_dmat3());
            assert!(second.determinant() > -1e-12 && second.x_axis.x > 0.0);
        }
    }
}

#[test]
fn smoothed_points_and_frames_match_plain_averaging() {
    let mesh = sheet();
    let options = MushOptions { iterations: 3, step: 0.4 };
    let (mush, report) = delta_mush(&mesh, &options, &mut uninterrupted).unwrap();
    let parts = mush.parts();
    let mut want: Vec<DVec3> = parts.rest.iter().map(|p| p.as_dvec3()).collect();
    for _ in 0..3 {
        let mean =
            |p: usize| mush.ring(p).map(|(n, _)| want[n as usize]).sum::<DVec3>() / mush.ring(p).len() as f64;
        want = (0..want.len()).map(|p| want[p].lerp(mean(p), f64::from(0.4_f32))).collect();
    }
    for (p, want) in want.iter().enumerate() {
        assert!(parts.smoothed[p].as_dvec3().distance(*want) < 1e-6);
        let [a, b] = parts.rest_tangents[p];
        // Nearly perpendicular unit vectors by construction; the bend of the ring adds a little.
        assert!(a.cross(b).length() > 0.8 && a.length() < 1.6 && b.length() < 1.6, "point {p}: {a} {b}");
    }
    assert_eq!((report.loose, report.points), (0, SIDE * SIDE));
    assert_eq!(mush.ring(SIDE * 3 + 2).len(), 6, "the seam has neighbors on both sides");
}

#[test]
fn seams_stay_closed_and_the_bind_pose_is_unchanged() {
    let options = PrepareOptions::for_methods(&Method::ALL);
    for name in sinew_samples::NAMES {
        let character = sinew_samples::find(name).unwrap();
        let (prepared, _) = prepare_character(&character, &options, &mut uninterrupted).unwrap();
        for method in [Method::Cor, Method::DeltaMush, Method::Ddm] {
            bind_pose_is_kept(&prepared, method);
            seams_are_closed(&prepared, method);
        }
    }
}

fn bind_pose_is_kept(character: &Character, method: Method) {
    let mut frame = Frame::new(character);
    frame.local_mut().morphs.fill(0.0);
    frame.deform(method).unwrap();
    let size = frame.bounds().diagonal();
    for (instance, out) in character.instances().iter().zip(frame.deformed()) {
        let mesh = character.mesh_of(instance);
        if character.skin_of(instance).is_some() {
            let off =
                out.positions.iter().zip(mesh.positions()).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(off < 1e-6 * size, "{} {method}: off by {off}", character.name());
            let off = out.normals.iter().zip(mesh.normals()).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(off < 1e-4, "{} {method}: normals off by {off}", character.name());
        }
    }
}

fn seams_are_closed(character: &Character, method: Method) {
    let mut frame = Frame::new(character);
    let clip = &character.clips()[0];
    frame.sample(clip, 0.4 * clip.duration_secs(), sinew::Wrap::Clamp);
    frame.deform(method).unwrap();
    for (instance, out) in character.instances().iter().zip(frame.deformed()) {
        let mesh = character.mesh_of(instance);
        if character.skin_of(instance).is_some() && mesh.morphs().is_empty() {
            for (v, &p) in mesh.points().of_vertex().iter().enumerate() {
                let first = mesh.points().first_vertex()[p as usize] as usize;
                assert!(
                    out.positions[v].distance(out.positions[first]) < 1e-6,
                    "{method}: vertex {v} came off"
                );
            }
        }
    }
}

#[test]
fn a_cotangent_laplacian_smooths_too_and_supports_every_detail() {
    let mesh = sheet();
    for detail in MushDetail::ALL {
        let options =
            DirectMushOptions { laplacian: LaplacianKind::Cotangent, detail, ..DirectMushOptions::default() };
        let (direct, report) = direct_mush(&mesh, &options, &mut uninterrupted).unwrap();
        assert!(report.residual < 1e-12, "{report:?}");
        assert_eq!(direct.parts().detail, detail);
        assert!(direct.parts().pivots.iter().zip(mesh.positions()).any(|(a, b)| a.distance(*b) > 1e-3));
    }
}

#[test]
fn loose_points_are_supported_and_follow_their_joints() {
    let mut parts = sheet().into_parts();
    parts.primitives[0].topology = Topology::Points;
    let mesh = Mesh::new(parts).unwrap();
    let (mush, report) = delta_mush(&mesh, &MushOptions::default(), &mut uninterrupted).unwrap();
    assert_eq!(report.loose, mush.point_count());
    assert_eq!(mush.parts().smoothed, mush.parts().rest);
    for laplacian in [LaplacianKind::Uniform, LaplacianKind::Cotangent] {
        let options = DirectMushOptions { laplacian, ..DirectMushOptions::default() };
        let (direct, _) = direct_mush(&mesh, &options, &mut uninterrupted).unwrap();
        assert!(direct.parts().pivots.iter().zip(mesh.positions()).all(|(a, b)| a.distance(*b) < 1e-5));
    }
}
