//! A Delaunay triangulation of a few points.

use glam::DVec2;
use std::collections::HashMap;

/// Corners of triangles, counterclockwise, and the edges of the hull around them, counterclockwise in turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Triangulation {
    pub(super) triangles: Vec<[usize; 3]>,
    /// Without triangles: the chain from one end of the points' common line to the other.
    pub(super) edges: Vec<[usize; 2]>,
}

/// Twice the area of a triangle, positive where it runs counterclockwise.
pub(super) fn area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

impl Triangulation {
    /// Triangles over all of `points`, which differ from each other.
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

    /// A chain on one line and a point beside it.
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

    /// Joins a point that lies to the right of all before it to every edge of the hull that it sees.
    fn add(&mut self, point: usize, turn: &impl Fn(usize, usize, usize) -> f64) {
        let sees = |edge: &[usize; 2]| turn(edge[0], edge[1], point) < 0.0;
        let seen: Vec<[usize; 2]> = self.edges.iter().copied().filter(sees).collect();
        self.triangles.extend(seen.iter().map(|&[a, b]| [b, a, point]));
        self.edges.retain(|edge| !sees(edge));
        // The ends of what was seen are where the hull is open now.
        for &[a, b] in &seen {
            if !seen.iter().any(|edge| edge[1] == a) {
                self.edges.push([a, point]);
            }
            if !seen.iter().any(|edge| edge[0] == b) {
                self.edges.push([point, b]);
            }
        }
    }

    /// Turns the diagonals of quadrilaterals until no triangle's circle holds a point.
    fn improve(&mut self, points: &[DVec2]) {
        // Every pass mends something; a bound keeps rounding from making a circle of it.
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

/// True if `point` lies clearly inside the circle through an counterclockwise triangle.
fn is_inside_circle(triangle: [DVec2; 3], point: DVec2) -> bool {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let lift = |v: DVec2| v.length_squared();
    let parts = [lift(a) * b.perp_dot(c), lift(b) * c.perp_dot(a), lift(c) * a.perp_dot(b)];
    let size = parts.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
    // Four points on one circle, as in every grid, may be joined either way.
    parts.iter().sum::<f64>() > size * 1e-12
}
