//! The difference between two deformed surfaces.

use sinew::{Aabb, Streams};

/// Positions of `got` against those of `want`, relative to the extent of `want`; normals and tangents as they are.
///
/// Vertex `i` of `got` is vertex `vertex_of_output[i]` of `want`. Streams that `got` does not have are left out. NaN
/// wherever `got` has one, as it does where nothing was written.
pub(crate) fn worst(got: &Streams, want: &Streams, vertex_of_output: &[u32]) -> f32 {
    let extent = Aabb::of_points(&want.positions).diagonal();
    let pairs = || vertex_of_output.iter().map(|&v| v as usize).enumerate();
    let positions = pairs().map(|(i, v)| got.positions[i].distance(want.positions[v]) / extent);
    let normals = got.normals.iter().zip(pairs()).map(|(n, (_, v))| n.distance(want.normals[v]));
    let tangents = got.tangents.iter().zip(pairs()).map(|(t, (_, v))| t.distance(want.tangents[v]));
    positions.chain(normals).chain(tangents).fold(0.0, worse)
}

/// The larger one, or NaN where either is.
pub(crate) fn worse(a: f32, b: f32) -> f32 {
    if a.is_nan() || a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::{Vec3, Vec4};

    fn streams() -> Streams {
        Streams {
            positions: vec![Vec3::ZERO, Vec3::new(3.0, 4.0, 0.0)],
            normals: vec![Vec3::X, Vec3::Y],
            tangents: vec![Vec4::new(0.0, 1.0, 0.0, 1.0); 2],
        }
    }

    #[test]
    fn a_fault_in_any_stream_is_seen() {
        let want = streams();
        assert_eq!(worst(&want, &want, &[0, 1]), 0.0);
        let mut got = want.clone();
        got.positions[1].x += 0.5;
        assert!((worst(&got, &want, &[0, 1]) - 0.1).abs() < 1e-6);
        got = want.clone();
        got.normals[0] = Vec3::NEG_X;
        assert_eq!(worst(&got, &want, &[0, 1]), 2.0);
        got = want.clone();
        got.tangents[1].w = -1.0;
        assert_eq!(worst(&got, &want, &[0, 1]), 2.0);
    }

    #[test]
    fn what_was_not_written_is_seen_wherever_it_is() {
        for vertex in 0..2 {
            let mut got = streams();
            got.normals[vertex].z = f32::NAN;
            assert!(worst(&got, &streams(), &[0, 1]).is_nan());
        }
    }
}
