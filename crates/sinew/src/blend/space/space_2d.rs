//! Blend spaces over two parameters, by Delaunay triangulation (Delaunay 1934, "Sur la sphère vide").

use super::{
    BlendWeights, SpaceError, check_count,
    triangulation::{Triangulation, area},
};
use glam::{DVec2, Vec2};

/// A blend space over two parameters, for instance forward and sideways speed.
#[doc(alias = "blend tree 2D")]
///
/// The points are triangulated once. Inside a triangle its corners are blended by barycentric weights; outside, the nearest
/// point of the convex hull is used. Collinear points blend along their line, and a single point has weight 1.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace2d {
    /// Each axis is divided by a power of two near its extent, so that units do not matter.
    points: Vec<DVec2>,
    scale: DVec2,
    joined: Triangulation,
}

impl BlendSpace2d {
    /// A space of points in any order.
    ///
    /// # Errors
    /// If there is no point or too many, one is not finite, or two are equal.
    pub fn new(points: &[Vec2]) -> Result<Self, SpaceError> {
        check_count(points.len())?;
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(SpaceError::NotFinite { point });
        }
        for (second, point) in points.iter().enumerate() {
            if let Some(first) = points[..second].iter().position(|p| p == point) {
                return Err(SpaceError::Repeated { first, second });
            }
        }
        let wide: Vec<DVec2> = points.iter().map(|p| p.as_dvec2()).collect();
        let min = wide.iter().copied().fold(wide[0], DVec2::min);
        let extent = wide.iter().copied().fold(wide[0], DVec2::max) - min;
        let power = |extent: f64| if extent > 0.0 { extent.log2().floor().exp2() } else { 1.0 };
        let scale = DVec2::new(power(extent.x), power(extent.y));
        let points: Vec<DVec2> = wide.into_iter().map(|p| p / scale).collect();
        let joined = Triangulation::new(&points);
        Ok(Self { points, scale, joined })
    }

    /// Number of triangles; 0 if all points are collinear.
    pub fn triangle_count(&self) -> usize {
        self.joined.triangles.len()
    }

    /// Point indices of every triangle.
    pub fn triangles(&self) -> &[[usize; 3]] {
        &self.joined.triangles
    }

    /// The weights at `at`. A coordinate that is not finite is 0.
    pub fn weights(&self, at: Vec2) -> BlendWeights {
        let finite = |number: f32| if number.is_finite() { f64::from(number) } else { 0.0 };
        let at = DVec2::new(finite(at.x), finite(at.y)) / self.scale;
        self.inside(at).unwrap_or_else(|| self.on_hull(at))
    }

    fn inside(&self, at: DVec2) -> Option<BlendWeights> {
        self.joined.triangles.iter().find_map(|&[a, b, c]| {
            let [p, q, r] = [a, b, c].map(|k| self.points[k]);
            let whole = area(p, q, r);
            let (to_b, to_c) = (area(p, at, r) / whole, area(p, q, at) / whole);
            let to_a = 1.0 - to_b - to_c;
            // An edge belongs to both of its triangles, so there are no gaps.
            let is_in = to_a >= 0.0 && to_b >= 0.0 && to_c >= 0.0;
            is_in.then(|| {
                let (to_b, to_c) = (to_b as f32, to_c as f32);
                BlendWeights::of([(a, (1.0 - to_b - to_c).max(0.0)), (b, to_b), (c, to_c)])
            })
        })
    }

    /// The nearest point of the hull, or of the line of collinear points.
    fn on_hull(&self, at: DVec2) -> BlendWeights {
        let nearest = self.joined.edges.iter().map(|&[a, b]| {
            let (from, way) = (self.points[a], self.points[b] - self.points[a]);
            let fraction = ((at - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
            (a, b, fraction, (from + way * fraction).distance_squared(at))
        });
        let nearest = nearest.min_by(|a, b| a.3.total_cmp(&b.3));
        nearest.map_or(BlendWeights::one(0), |(a, b, fraction, _)| BlendWeights::two(a, b, fraction as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn v(x: f32, y: f32) -> Vec2 {
        Vec2::new(x, y)
    }

    /// The weighted mean of the points.
    fn mixed(points: &[Vec2], weights: &BlendWeights) -> Vec2 {
        weights.iter().map(|(place, weight)| points[place] * weight).sum()
    }

    fn sum(weights: &BlendWeights) -> f32 {
        weights.iter().map(|(_, weight)| weight).sum()
    }

    #[test]
    fn positions_in_a_grid_blend_the_points_around_them() {
        let points: Vec<Vec2> = (0..9_u8).map(|k| v(f32::from(k % 3), f32::from(k / 3))).collect();
        let plane = BlendSpace2d::new(&points).unwrap();
        assert_eq!(plane.triangle_count(), 8);
        for (place, &point) in points.iter().enumerate() {
            assert_eq!(plane.weights(point).iter().collect::<Vec<_>>(), [(place, 1.0)]);
        }
        let far = plane.weights(v(50.0, 1.25));
        assert_eq!(far.iter().collect::<Vec<_>>(), [(5, 0.75), (8, 0.25)]);
        let corner = plane.weights(v(-9.0, 80.0));
        assert_eq!(corner.iter().collect::<Vec<_>>(), [(6, 1.0)]);
    }

    #[test]
    fn collinear_points_blend_along_their_line() {
        let points = [v(2.0, 2.0), v(0.0, 0.0), v(1.0, 1.0)];
        let plane = BlendSpace2d::new(&points).unwrap();
        assert_eq!(plane.triangle_count(), 0);
        assert_eq!(plane.weights(v(0.5, 0.5)).iter().collect::<Vec<_>>(), [(1, 0.5), (2, 0.5)]);
        assert_eq!(plane.weights(v(0.0, 1.0)).iter().collect::<Vec<_>>(), [(1, 0.5), (2, 0.5)]);
        assert_eq!(plane.weights(v(9.0, 9.0)).iter().collect::<Vec<_>>(), [(0, 1.0)]);
        let one = BlendSpace2d::new(&[v(3.0, 4.0)]).unwrap();
        assert_eq!(one.weights(v(0.0, f32::NAN)).iter().collect::<Vec<_>>(), [(0, 1.0)]);
    }

    #[test]
    fn invalid_points_in_a_plane_are_rejected() {
        assert_eq!(BlendSpace2d::new(&[]), Err(SpaceError::Empty));
        assert_eq!(BlendSpace2d::new(&[v(0.0, f32::INFINITY)]), Err(SpaceError::NotFinite { point: 0 }));
        let twice = [v(1.0, 0.0), v(0.0, 0.0), v(1.0, 0.0)];
        assert_eq!(BlendSpace2d::new(&twice), Err(SpaceError::Repeated { first: 0, second: 2 }));
    }

    /// Points on a coarse grid, so that many lie on common lines and circles.
    fn some_points() -> impl Strategy<Value = Vec<Vec2>> {
        prop::collection::btree_set((-6_i8..6, -6_i8..6), 1..24).prop_map(|set| {
            set.into_iter().map(|(x, y)| v(f32::from(x) * 0.5, f32::from(y) * 40.0)).collect()
        })
    }

    proptest! {
        #[test]
        fn triangles_cover_the_hull_without_overlap(points in some_points()) {
            let plane = BlendSpace2d::new(&points).unwrap();
            let areas: Vec<f64> = plane.triangles().iter().map(|t| {
                let [a, b, c] = t.map(|k| plane.points[k]);
                area(a, b, c)
            }).collect();
            prop_assert!(areas.iter().all(|a| *a > 0.0));
            let around: f64 = plane.joined.edges.iter().map(|&[a, b]| plane.points[a].perp_dot(plane.points[b])).sum();
            if plane.triangle_count() > 0 {
                prop_assert!((areas.iter().sum::<f64>() - around).abs() < 1e-9 * (1.0 + around.abs()), "{:?}", plane);
                // Euler's formula: two triangles per point, minus the hull.
                prop_assert_eq!(plane.triangle_count(), 2 * points.len() - 2 - plane.joined.edges.len());
            }
        }

        #[test]
        fn no_circumcircle_contains_a_point(points in some_points()) {
            let plane = BlendSpace2d::new(&points).unwrap();
            for t in plane.triangles() {
                let [a, b, c] = t.map(|k| plane.points[k]);
                let (p, q) = (b - a, c - a);
                let d = 2.0 * p.perp_dot(q);
                let center = DVec2::new(
                    q.y * p.length_squared() - p.y * q.length_squared(),
                    p.x * q.length_squared() - q.x * p.length_squared(),
                ) / d;
                let radius = center.length();
                for (k, other) in plane.points.iter().enumerate() {
                    prop_assert!(t.contains(&k) || (*other - a - center).length() > radius * (1.0 - 1e-9));
                }
            }
        }

        #[test]
        fn inside_the_hull_the_weighted_mean_of_the_points_is_the_parameter(
            points in some_points(), picks in prop::collection::vec((0_usize..24, 0.0_f32..1.0), 3),
        ) {
            let plane = BlendSpace2d::new(&points).unwrap();
            let total: f32 = picks.iter().map(|(_, w)| w + 0.01).sum();
            let at: Vec2 = picks.iter().map(|&(k, w)| points[k % points.len()] * ((w + 0.01) / total)).sum();
            let weights = plane.weights(at);
            prop_assert!((sum(&weights) - 1.0).abs() < 1e-6);
            let off = (mixed(&points, &weights) - at) / v(0.5, 40.0);
            prop_assert!(off.length() < 1e-3, "{:?} for {}", weights, at);
        }

        #[test]
        fn weights_sum_to_one_and_change_smoothly_everywhere(
            points in some_points(), x in -9.0_f32..9.0, y in -600.0_f32..600.0,
        ) {
            let plane = BlendSpace2d::new(&points).unwrap();
            let (here, there) = (plane.weights(v(x, y)), plane.weights(v(x + 1e-4, y + 1e-2)));
            prop_assert!((sum(&here) - 1.0).abs() < 1e-6);
            let way = (mixed(&points, &here) - mixed(&points, &there)) / v(0.5, 40.0);
            prop_assert!(way.length() < 1e-2, "{:?} {:?}", here, there);
        }
    }
}
