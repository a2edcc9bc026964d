//! Normals as slopes of the plane perpendicular to them.
//!
//! A matrix takes a normal to the cross product of where it takes two directions across that normal. Where the k-th number
//! of the normal is not small, `e_i + a e_k` and `e_j + c e_k` are such directions, with `a = −n_i / n_k`,
//! `c = −n_j / n_k` and i, j, k in cyclic order. They go to `m_i + a m_k` and `m_j + c m_k`, columns of the matrix: with the
//! cross product that is 12 multiplications, where the cofactors take 21. What comes out points along `n / n_k`.
//!
//! One k must do for a whole block. Nearly every block has one, since packing groups vertices whose normals share
//! a dominant axis; the others keep their normals.

use super::{WIDTH, lanes::Lanes};
use glam::Vec3;

/// The smallest size of a normal's k-th number. The digits lost are one over twice this number: three bits.
const MIN_COMPONENT: f32 = 1.0 / 16.0;

/// The axis along which no normal of a block is small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DominantNormalAxis {
    /// The axes i, j and k.
    pub(crate) columns: [u32; 3],
    /// True where the block has slopes, false where it has its normals.
    pub(crate) has_slopes: bool,
}

impl DominantNormalAxis {
    const NONE: Self = Self { columns: [0, 1, 2], has_slopes: false };
    const ALONG: [Self; 3] = [
        Self { columns: [1, 2, 0], has_slopes: true },
        Self { columns: [2, 0, 1], has_slopes: true },
        Self { columns: [0, 1, 2], has_slopes: true },
    ];

    /// The best axis for a block with these unit normals.
    fn of(normals: &[Lanes; 3]) -> Self {
        let smallest = normals.each_ref().map(|n| n.0.iter().fold(f32::INFINITY, |min, n| min.min(n.abs())));
        let best = (0..3).fold(0, |best, k| if smallest[k] > smallest[best] { k } else { best });
        if smallest[best] >= MIN_COMPONENT { Self::ALONG[best] } else { Self::NONE }
    }

    /// The slopes a and c of these normals and the sign of their k-th number, or the normals where there are none.
    fn slopes(self, normals: &[Lanes; 3]) -> [Lanes; 3] {
        if !self.has_slopes {
            return *normals;
        }
        let [i, j, k] = self.columns.map(|c| &normals[c as usize].0);
        let lanes = |number: &dyn Fn(usize) -> f32| Lanes(std::array::from_fn::<f32, WIDTH, _>(number));
        [lanes(&|l| -i[l] / k[l]), lanes(&|l| -j[l] / k[l]), lanes(&|l| 1.0_f32.copysign(k[l]))]
    }
}

/// Finds the dominant axes and slopes of the blocks with these unit normals.
pub(super) fn fill(
    normals: &[[Lanes; 3]],
    dominant_axes: &mut [DominantNormalAxis],
    slopes: &mut [[Lanes; 3]],
) {
    for ((normals, dominant), slopes) in normals.iter().zip(dominant_axes).zip(slopes) {
        *dominant = DominantNormalAxis::of(normals);
        *slopes = dominant.slopes(normals);
    }
}

/// A number that is near for normals that share an axis along which none of them is small.
///
/// From normals along x by those between x and y, along y, and between y and z to those along z.
pub(super) fn order_of(normal: Vec3) -> u8 {
    let [x, y, z] = normal.abs().to_array();
    let way = if x >= y.max(z) {
        y / x
    } else if y >= z {
        2.0 + (z - x) / y
    } else {
        4.0 - y / z
    };
    // A zero normal has the order zero, as has NaN.
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
            let dominant = DominantNormalAxis::of(&normals);
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
        assert_eq!(DominantNormalAxis::of(&normals), DominantNormalAxis::NONE);
        assert_eq!(DominantNormalAxis::NONE.slopes(&normals), normals);
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
        let with_axis =
            normals.chunks_exact(WIDTH).filter(|c| DominantNormalAxis::of(&block(|lane| c[lane])).has_slopes);
        assert_eq!(with_axis.count(), 30);
        assert_eq!(order_of(Vec3::ZERO), 0);
    }
}
