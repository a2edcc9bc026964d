//! A Delaunay triangulation of a few points.

use glam::DVec2;
use std::collections::HashMap;

/// Triangles with counterclockwise corners, and the counterclockwise edges of their hull.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Triangulation {
    pub(super) triangles: Vec<[usize; 3]>,
    /// Edges of the hull. For collinear points, the chain from one end of their line to the other.
    pub(super) edges: Vec<[usize; 2]>,
}

/// Twice the signed area of a triangle; positive if it is counterclockwise.
pub(super) fn area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

impl Triangulation {
    /// Triangulates `points`, which must be distinct.
    pub(super) fn new(points: &[DVec2]) -> Self {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| points[a].x.total_cmp(&points[b].x).then(points[a].y.total_cmp(&points[b].y)));
        let turn = |a: usize, b: usize, c: usize| area(points[a], points[b], points[c]);
        let bend = order.iter().position(|&p| order.len() > 2 && turn(order[0], order[1], p) != 0.0);
        let Some(bend) = bend else {
            return Self { triangles: vec![], edges: order.windows(2).map(|w| [w[0], w[1]]).collect() };
        };
        let mut out = Self::fan(&order[..bend], order[bend], turn(order[0], order[1], order[bend]) > 0.0);
        for &point in &order[bend + 1..] {
            out.add(point, &turn);
        }
        out.improve(points);
        out
    }

    /// Joins a chain of collinear points with a point off their line.
    fn fan(chain: &[usize], tip: usize, is_left: bool) -> Self {
        let mut hull: Vec<usize> = chain.to_vec();
        if !is_left {
            hull.reverse();
        }
        let triangles = hull.windows(2).map(|w| [w[0], w[1], tip]).collect();
        hull.push(tip);
        let edges = (0..hull.len()).map(|k| [hull[k], hull[(k + 1) % hull.len()]]).collect();
        Self { triangles, edges }
    }

    /// Joins a point to the right of all earlier points with every hull edge that is visible from it.
    fn add(&mut self, point: usize, turn: &impl Fn(usize, usize, usize) -> f64) {
        let sees = |edge: &[usize; 2]| turn(edge[0], edge[1], point) < 0.0;
        let seen: Vec<[usize; 2]> = self.edges.iter().copied().filter(sees).collect();
        self.triangles.extend(seen.iter().map(|&[a, b]| [b, a, point]));
        self.edges.retain(|edge| !sees(edge));
        // The hull is now open at the ends of the visible edges.
        for &[a, b] in &seen {
            if !seen.iter().any(|edge| edge[1] == a) {
                self.edges.push([a, point]);
            }
            if !seen.iter().any(|edge| edge[0] == b) {
                self.edges.push([point, b]);
            }
        }
    }

    /// Flips edges until no circumcircle of a triangle contains a point.
    fn improve(&mut self, points: &[DVec2]) {
        // Every pass flips an edge. The bound prevents an endless loop caused by rounding.
        for _ in 0..points.len() * 4 {
            if !self.improve_once(points) {
                return;
            }
        }
    }

    fn improve_once(&mut self, points: &[DVec2]) -> bool {
        let mut sides: HashMap<[usize; 2], usize> = HashMap::new();
        for (index, &[a, b, c]) in self.triangles.iter().enumerate() {
            sides.extend([([a, b], index), ([b, c], index), ([c, a], index)]);
        }
        let mut is_done = vec![false; self.triangles.len()];
        for index in 0..self.triangles.len() {
            for turn in 0..3 {
                let triangle = self.triangles[index];
                let [a, b, c] = [0, 1, 2].map(|k| triangle[(turn + k) % 3]);
                let Some(&other) = sides.get(&[b, a]) else { continue };
                if is_done[index] || is_done[other] {
                    continue;
                }
                let Some(&d) = self.triangles[other].iter().find(|&&p| p != a && p != b) else { continue };
                if is_inside_circle([a, b, c].map(|k| points[k]), points[d])
                    && area(points[c], points[a], points[d]) > 0.0
                    && area(points[d], points[b], points[c]) > 0.0
                {
                    (self.triangles[index], self.triangles[other]) = ([c, a, d], [d, b, c]);
                    (is_done[index], is_done[other]) = (true, true);
                }
            }
        }
        is_done.contains(&true)
    }
}

/// True if `point` lies clearly inside the circumcircle of a counterclockwise triangle.
fn is_inside_circle(triangle: [DVec2; 3], point: DVec2) -> bool {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let lift = |v: DVec2| v.length_squared();
    let parts = [lift(a) * b.perp_dot(c), lift(b) * c.perp_dot(a), lift(c) * a.perp_dot(b)];
    let size = parts.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
    // Four cocircular points, as in a grid, may be joined either way.
    parts.iter().sum::<f64>() > size * 1e-12
}
