//! The motion of one corrective joint: a polynomial that is fitted by Gauss–Newton steps.

use super::{
    pairs::JointPair,
    points::{BoneWeights, FitSkin},
};
use faer::{Mat, Side, linalg::solvers::Solve};
use rayon::prelude::*;
use sinew::{
    JointId, Transform,
    constrain::{CORRECTIVE_TERMS, Corrective, CorrectiveRow, corrective_terms},
    glam::{DAffine3, DMat3, DQuat, DVec3, Quat},
};

/// Translation, rotation vector and scale.
const PARTS: usize = 9;
const UNKNOWNS: usize = PARTS * CORRECTIVE_TERMS;

/// How strongly coefficients are held back, relative to what they change.
const RIDGE: f64 = 1e-4;

/// A step that raises the error is shortened.
const STEP_FACTORS: [f64; 5] = [1.0, 0.5, 0.25, 0.125, 0.0625];

/// A corrective joint while it is fitted.
#[derive(Clone, Debug)]
pub(super) struct CorrectiveFit {
    pub(super) base: u16,
    pub(super) source: u16,
    /// The joint at rest, in the space of the base.
    pub(super) rest: Transform,
    base_from_source: Quat,
    /// The largest angle between the two joints in any pose; rotation vectors are divided by it.
    max_radians: f64,
    terms: Vec<[f64; CORRECTIVE_TERMS]>,
    /// For each term the change of the nine parts.
    rows: Vec<f64>,
    scales: bool,
    joint_from_mesh: DAffine3,
    model_from_base: Vec<DAffine3>,
}

impl CorrectiveFit {
    /// A joint that turns half as far as the source and swells as the blend of the two shrinks.
    pub(super) fn between(skin: &FitSkin, pair: JointPair, scales: bool) -> Self {
        let JointPair { base, source } = pair;
        let base_from_mesh = skin.joint_from_mesh(base);
        let base_from_source = base_from_mesh * skin.joint_from_mesh(source).inverse();
        let (_, turn, place) = base_from_source.to_scale_rotation_translation();
        let rest = Transform::from_rotation_translation(turn.as_quat(), place.as_vec3());
        let vectors = skin.rotation_vectors(base, source, turn.as_quat());
        let max_radians = vectors.iter().map(|v| v.length()).fold(0.05, f64::max).min(std::f64::consts::PI);
        let terms = vectors.iter().map(|v| corrective_terms((*v / max_radians).as_vec3()).map(f64::from));
        let mut rows = vec![0.0; UNKNOWNS];
        for axis in 0..3 {
            rows[axis * PARTS + 3 + axis] = 0.5 * max_radians;
            // Halfway, linear blend skinning shrinks by 1 − cos(θ/2) ≈ θ²/8 across the axis.
            for across in (0..3).filter(|&across| scales && across != axis) {
                rows[(3 + axis) * PARTS + 6 + across] = max_radians * max_radians / 8.0;
            }
        }
        let base_from_joint = DAffine3::from_rotation_translation(turn, place);
        let mesh_from_base = base_from_mesh.inverse();
        let model_from_base = skin.motions[usize::from(base)].iter().map(|k| *k * mesh_from_base).collect();
        Self {
            base,
            source,
            rest,
            base_from_source: turn.as_quat(),
            max_radians,
            terms: terms.collect(),
            rows,
            scales,
            joint_from_mesh: base_from_joint.inverse() * base_from_mesh,
            model_from_base,
        }
    }

    /// The skinning matrices in every pose.
    pub(super) fn motions(&self) -> Vec<DAffine3> {
        let of_pose = |pose: usize| {
            self.model_from_base[pose] * self.local(&self.parts(&self.rows, pose)).0 * self.joint_from_mesh
        };
        (0..self.terms.len()).map(of_pose).collect()
    }

    /// Fits the motion to what the other bones leave of the points that follow bone `bone`. `weights` gives those of a point.
    pub(super) fn improve<'a>(
        &mut self,
        skin: &FitSkin,
        bone: u16,
        points: impl Iterator<Item = (usize, &'a BoneWeights)>,
    ) {
        let sums = PoseSums::new(self, skin, bone, points);
        for _ in 0..2 {
            let Some(step) = self.step(&sums) else { return };
            let before = self.energy(&sums, &self.rows);
            let stepped = STEP_FACTORS
                .iter()
                .map(|factor| self.rows.iter().zip(&step).map(|(a, b)| a + b * factor).collect::<Vec<f64>>());
            let Some(better) = stepped.into_iter().find(|rows| self.energy(&sums, rows) < before) else {
                return;
            };
            self.rows = better;
        }
    }

    /// The nine parts in a pose.
    fn parts(&self, rows: &[f64], pose: usize) -> [f64; PARTS] {
        let mut parts = [0.0; PARTS];
        for (row, term) in rows.chunks_exact(PARTS).zip(self.terms[pose]) {
            parts.iter_mut().zip(row).for_each(|(part, c)| *part += c * term);
        }
        parts
    }

    /// The joint in the space of its base, its rotation and its scale factors.
    fn local(&self, parts: &[f64; PARTS]) -> (DAffine3, DMat3, DVec3) {
        let [translation, vector, scale] = [0, 3, 6].map(|at| DVec3::from_slice(&parts[at..]));
        let turn = self.rest.rotation.as_dquat() * DQuat::from_scaled_axis(vector);
        let (turn, scale) = (
            DMat3::from_quat(turn.normalize()),
            (DVec3::ONE + scale).clamp(DVec3::splat(0.1), DVec3::splat(10.0)),
        );
        let matrix3 = turn * DMat3::from_diagonal(scale);
        let place = self.rest.translation.as_dvec3() + translation;
        (DAffine3 { matrix3, translation: place }, turn, scale)
    }

    /// The derivatives of the local matrix by the nine parts, as four columns each.
    fn derivatives(&self, parts: &[f64; PARTS]) -> [[DVec3; 4]; PARTS] {
        const STEP: f64 = 1e-5;
        let (_, turn, _) = self.local(parts);
        std::array::from_fn(|part| {
            let mut columns = [DVec3::ZERO; 4];
            match part {
                0..3 => columns[3] = DVec3::AXES[part],
                3..6 => {
                    let [less, more] = [-STEP, STEP].map(|by| {
                        let mut moved = *parts;
                        moved[part] += by;
                        self.local(&moved).0.matrix3
                    });
                    let slope = (more - less) * (0.5 / STEP);
                    columns[..3].copy_from_slice(&[slope.x_axis, slope.y_axis, slope.z_axis]);
                }
                _ if self.scales => columns[part - 6] = turn.col(part - 6),
                _ => {}
            }
            columns
        })
    }

    fn energy(&self, sums: &PoseSums, rows: &[f64]) -> f64 {
        let of_pose = |pose: usize| {
            let (local, ..) = self.local(&self.parts(rows, pose));
            sums.energy(pose, &columns(&local))
        };
        (0..self.terms.len()).map(of_pose).sum()
    }

    /// The Gauss–Newton step of all coefficients; `None` if the points leave it open.
    fn step(&self, sums: &PoseSums) -> Option<Vec<f64>> {
        let mut matrix = vec![0.0; UNKNOWNS * UNKNOWNS];
        let mut slope = vec![0.0; UNKNOWNS];
        for (pose, terms) in self.terms.iter().enumerate() {
            let parts = self.parts(&self.rows, pose);
            let (local, ..) = self.local(&parts);
            let derivatives = self.derivatives(&parts);
            let down = sums.slope(pose, &columns(&local));
            let moved: [[DVec3; 4]; PARTS] = derivatives.map(|d| sums.metric(pose, &d));
            let products: [[f64; PARTS]; PARTS] =
                std::array::from_fn(|i| std::array::from_fn(|j| dot(&derivatives[i], &moved[j])));
            let slopes: [f64; PARTS] = std::array::from_fn(|i| dot(&derivatives[i], &down));
            for (a, &a_term) in terms.iter().enumerate() {
                let own = &mut slope[a * PARTS..(a + 1) * PARTS];
                own.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope * a_term);
                for (b, &b_term) in terms.iter().enumerate().take(a + 1) {
                    let both = a_term * b_term;
                    for (i, products) in products.iter().enumerate() {
                        let row = &mut matrix[(a * PARTS + i) * UNKNOWNS + b * PARTS..][..PARTS];
                        row.iter_mut().zip(products).for_each(|(sum, product)| *sum += product * both);
                    }
                }
            }
        }
        // Each kind of part is held back on its own scale.
        let mean = |from: usize| {
            let diagonal = (0..UNKNOWNS).filter(|n| n % PARTS / 3 == from).map(|n| matrix[n * UNKNOWNS + n]);
            diagonal.sum::<f64>() / (3 * CORRECTIVE_TERMS) as f64
        };
        let means = [mean(0), mean(1), mean(2)];
        if means[0] <= 0.0 {
            return None;
        }
        for n in 0..UNKNOWNS {
            let hold = means[n % PARTS / 3].max(means[0] * 1e-9) * RIDGE;
            matrix[n * UNKNOWNS + n] += hold;
            slope[n] -= hold * self.rows[n];
        }
        let lower = Mat::from_fn(UNKNOWNS, UNKNOWNS, |i, j| matrix[i.max(j) * UNKNOWNS + i.min(j)]);
        let mut solution = Mat::from_fn(UNKNOWNS, 1, |i, _| slope[i]);
        lower.llt(Side::Lower).ok()?.solve_in_place(&mut solution);
        let step: Vec<f64> = (0..UNKNOWNS).map(|i| solution[(i, 0)]).collect();
        step.iter().all(|x| x.is_finite()).then_some(step)
    }

    /// The joint for the character, numbered after the joints of the skeleton.
    pub(super) fn corrective(&self, skin: &FitSkin) -> Corrective {
        let row = |(row, degree): (&[f64], i32)| {
            let [translation, rotation, scale] =
                [0, 3, 6].map(|at| (DVec3::from_slice(&row[at..]) / self.max_radians.powi(degree)).as_vec3());
            CorrectiveRow { translation, rotation, scale }
        };
        let degrees = (0..CORRECTIVE_TERMS).map(|term| {
            if term < 3 {
                1
            } else if term < 9 {
                2
            } else {
                3
            }
        });
        Corrective {
            joint: JointId(skin.skeleton.len() as u16),
            base: skin.joint(self.base),
            source: skin.joint(self.source),
            base_from_source: self.base_from_source,
            max_radians: (self.max_radians as f32).min(std::f32::consts::PI),
            rows: self.rows.chunks_exact(PARTS).zip(degrees).map(row).collect(),
        }
    }
}

fn columns(affine: &DAffine3) -> [DVec3; 4] {
    [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis, affine.translation]
}

fn dot(a: &[DVec3; 4], b: &[DVec3; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// A point that follows the joint.
struct Follower {
    point: usize,
    weight: f64,
    /// The place at rest in the space of the joint, and a one.
    place: [f64; 4],
    /// The weights of its other bones.
    others: BoneWeights,
}

/// Everything about the points that the error depends on: it is quadratic in the local matrix of each pose.
struct PoseSums {
    /// `Σ w² y yᵀ` for the points y in the space of the joint, with 1 as last entry.
    second: [[f64; 4]; 4],
    /// For each pose `Aᵀ A` and `Aᵀ Σ w r yᵀ` for the matrix A of the base and what the other bones leave, r.
    poses: Vec<(DMat3, [DVec3; 4])>,
}

impl PoseSums {
    fn new<'a>(
        fit: &CorrectiveFit,
        skin: &FitSkin,
        bone: u16,
        points: impl Iterator<Item = (usize, &'a BoneWeights)>,
    ) -> Self {
        let followers: Vec<Follower> = points
            .filter_map(|(point, weights)| {
                let weight = weights.iter().find(|w| w.0 == bone)?.1;
                let DVec3 { x, y, z } = fit.joint_from_mesh.transform_point3(skin.rest[point]);
                let others = weights.iter().copied().filter(|w| w.0 != bone).collect();
                Some(Follower { point, weight, place: [x, y, z, 1.0], others })
            })
            .collect();
        let mut second = [[0.0; 4]; 4];
        for Follower { weight, place: y, .. } in &followers {
            for (row, a) in second.iter_mut().zip(y) {
                row.iter_mut().zip(y).for_each(|(sum, b)| *sum += weight * weight * a * b);
            }
        }
        let of_pose = |pose: usize| {
            let base = &fit.model_from_base[pose];
            let mut left = [DVec3::ZERO; 4];
            for Follower { point, weight, place: y, others } in &followers {
                let moved = |&(other, weight): &(u16, f64)| {
                    skin.motions[usize::from(other)][pose].transform_point3(skin.rest[*point]) * weight
                };
                let shown: DVec3 = others.iter().map(moved).sum();
                let rest = skin.target(*point, pose) - shown - base.translation * *weight;
                left.iter_mut().zip(y).for_each(|(sum, y)| *sum += rest * (weight * y));
            }
            let back = base.matrix3.transpose();
            (back * base.matrix3, left.map(|column| back * column))
        };
        Self { second, poses: (0..skin.poses).into_par_iter().map(of_pose).collect() }
    }

    /// `Aᵀ A L Σ` for the columns of L.
    fn metric(&self, pose: usize, local: &[DVec3; 4]) -> [DVec3; 4] {
        let (metric, _) = &self.poses[pose];
        let column = |k: usize| *metric * (0..4).map(|i| local[i] * self.second[i][k]).sum::<DVec3>();
        std::array::from_fn(column)
    }

    /// The part of the squared error that depends on the local matrix.
    fn energy(&self, pose: usize, local: &[DVec3; 4]) -> f64 {
        dot(local, &self.metric(pose, local)) - 2.0 * dot(local, &self.poses[pose].1)
    }

    /// Half the direction in which the error falls.
    fn slope(&self, pose: usize, local: &[DVec3; 4]) -> [DVec3; 4] {
        let up = self.metric(pose, local);
        std::array::from_fn(|k| self.poses[pose].1[k] - up[k])
    }
}
