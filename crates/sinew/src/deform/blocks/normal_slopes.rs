//! Normals as slopes of the plane perpendicular to them.
//!
//! The transformed normal is the cross product of two transformed directions perpendicular to the normal. If component k
//! of the normal is not small, `e_i + a e_k` and `e_j + c e_k` are such directions, with `a = −n_i / n_k`,
//! `c = −n_j / n_k` and i, j, k in cyclic order. A matrix with columns `m` transforms them to `m_i + a m_k` and
//! `m_j + c m_k`. With the cross product that takes 12 multiplications, while the cofactors take 21. The result points
//! along the transformed `n / n_k`.
//!
//! All normals of a block use the same k. Nearly every block has one, since packing groups vertices whose normals share a
//! dominant axis; the other blocks keep their normals. The axis is chosen once, when the mesh is packed, because it decides
//! in which order the columns of a matrix are added up. Where morphed normals leave the axis, the block stores normals.

use super::{WIDTH, lanes::Lanes};
use glam::Vec3;

/// The minimum magnitude of a normal's component k. The relative error grows by one over twice this value: three bits.
const MIN_COMPONENT: f32 = 1.0 / 16.0;

/// The axis along which no normal of a block has a small component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DominantNormalAxis {
    /// The axes i, j and k.
    pub(crate) columns: [u32; 3],
    /// True if the block stores slopes, false if it stores normals.
    pub(crate) has_slopes: bool,
}

impl DominantNormalAxis {
    /// The columns for each axis k.
    const COLUMNS: [[u32; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];

    /// The axis `k` for a block with these unit normals.
    fn along(k: u8, normals: &[Lanes; 3]) -> Self {
        let k = usize::from(k % 3);
        let smallest = normals[k].0.iter().fold(f32::INFINITY, |min, n| min.min(n.abs()));
        Self { columns: Self::COLUMNS[k], has_slopes: smallest >= MIN_COMPONENT }
    }

    /// The axis `k` of a stored block.
    pub(super) fn stored(k: u8, has_slopes: bool) -> Self {
        Self { columns: Self::COLUMNS[usize::from(k % 3)], has_slopes }
    }

    /// The slopes a and c of these normals and the sign of component k; or the components i, j and k of the normals if
    /// there are no slopes.
    fn slopes(self, normals: &[Lanes; 3]) -> [Lanes; 3] {
        let [i, j, k] = self.columns.map(|c| &normals[c as usize]);
        if !self.has_slopes {
            return [*i, *j, *k];
        }
        let lanes = |number: &dyn Fn(usize) -> f32| Lanes(std::array::from_fn::<f32, WIDTH, _>(number));
        [lanes(&|l| -i.0[l] / k.0[l]), lanes(&|l| -j.0[l] / k.0[l]), lanes(&|l| 1.0_f32.copysign(k.0[l]))]
    }
}

/// For each axis, the smallest component of the normals of these vertices along it; large where there are no normals.
fn smallest_components(normals: &[Vec3], vertices: &[u32]) -> [f32; 3] {
    let smallest = |min: Vec3, &vertex: &u32| {
        normals.get(vertex as usize).map_or(min, |normal| min.min(normal.normalize_or_zero().abs()))
    };
    vertices.iter().fold(Vec3::ONE, smallest).to_array()
}

/// The best axis for a block of these vertices.
pub(super) fn best_axis(normals: &[Vec3], vertices: &[u32]) -> u8 {
    let smallest = smallest_components(normals, vertices);
    (0..3).fold(0, |best, k| if smallest[usize::from(k)] > smallest[usize::from(best)] { k } else { best })
}

/// The axes along which a block of these vertices can store slopes; all if it can along none.
pub(super) fn axes_of(normals: &[Vec3], vertices: &[u32]) -> Vec<u8> {
    let smallest = smallest_components(normals, vertices);
    let axes: Vec<u8> = (0..3).filter(|&k| smallest[usize::from(k)] > MIN_COMPONENT).collect();
    if axes.is_empty() { vec![0, 1, 2] } else { axes }
}

/// Finds the slopes of the blocks with these unit normals, along the axis of each block.
pub(super) fn fill(
    normals: &[[Lanes; 3]],
    axes: &[u8],
    dominant_axes: &mut [DominantNormalAxis],
    slopes: &mut [[Lanes; 3]],
) {
    for (((normals, &axis), dominant), slopes) in normals.iter().zip(axes).zip(dominant_axes).zip(slopes) {
        *dominant = DominantNormalAxis::along(axis, normals);
        *slopes = dominant.slopes(normals);
    }
}

/// A sort key that is close for normals that share an axis along which none of them is small.
///
/// It increases from normals along x over those between x and y, along y, and between y and z to those along z.
pub(super) fn order_of(normal: Vec3) -> u8 {
    let [x, y, z] = normal.abs().to_array();
    let way = if x >= y.max(z) {
        y / x
    } else if y >= z {
        2.0 + (z - x) / y
    } else {
        4.0 - y / z
    };
    // The key of a zero normal or NaN is zero.
    (way * 8.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(normals: impl Fn(usize) -> Vec3) -> [Lanes; 3] {
        let of = |n: usize| Lanes(std::array::from_fn(|lane| normals(lane).normalize()[n]));
        [of(0), of(1), of(2)]
    }

    #[test]
    fn slopes_span_the_plane_across_the_normal() {
        for axis in 0..3 {
            let normals = block(|lane| {
                let mut n = Vec3::new(0.3 - lane as f32 * 0.02, 0.01 * lane as f32, -0.2);
                n[axis] = if lane % 2 == 0 { 0.8 } else { -0.9 };
                n
            });
            let dominant = DominantNormalAxis::along(axis as u8, &normals);
            assert!(dominant.has_slopes && dominant.columns[2] as usize == axis, "{axis}: {dominant:?}");
            let [i, j, k] = dominant.columns.map(|c| Vec3::AXES[c as usize]);
            let [a, c, sign] = dominant.slopes(&normals);
            for lane in 0..WIDTH {
                let across = (i + k * a.0[lane]).cross(j + k * c.0[lane]).normalize() * sign.0[lane];
                let normal = Vec3::new(normals[0].0[lane], normals[1].0[lane], normals[2].0[lane]);
                assert!(across.distance(normal) < 1e-6, "{axis} {lane}: {across} {normal}");
            }
        }
    }

    #[test]
    fn normals_along_three_axes_have_no_dominant_axis() {
        let normals = block(|lane| Vec3::AXES[lane % 3]);
        for axis in 0..3 {
            let dominant = DominantNormalAxis::along(axis, &normals);
            assert!(!dominant.has_slopes);
            assert_eq!(dominant.slopes(&normals), dominant.columns.map(|c| normals[c as usize]));
        }
    }

    #[test]
    fn normals_in_order_share_an_axis_with_their_neighbors() {
        let mut normals: Vec<Vec3> = (0..480)
            .map(|n| {
                let n = n as f32;
                Vec3::new((n * 0.7).sin(), (n * 1.3).cos(), (n * 2.1).sin()).normalize_or(Vec3::X)
            })
            .collect();
        normals.sort_by_key(|&n| order_of(n));
        let vertices: Vec<u32> = (0..480).collect();
        let with_axis = vertices.chunks_exact(WIDTH).filter(|vertices| {
            let axis = best_axis(&normals, vertices);
            DominantNormalAxis::along(axis, &block(|lane| normals[vertices[lane] as usize])).has_slopes
        });
        assert_eq!(with_axis.count(), 30);
        assert_eq!(order_of(Vec3::ZERO), 0);
    }
}
