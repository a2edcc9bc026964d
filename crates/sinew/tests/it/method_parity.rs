//! Random joints and vertices: every method that rotates, against the oracle.

use crate::{
    method_oracle::{self as oracle, OracleJoints, OracleOutput},
    subjects::{self, PosedMesh},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use sinew::{
    Aabb, DirectMushData, Influence, Method, MushDetail, Precomputed, Streams, Transform, Weights,
    deform::reference::{self, BoneSegment},
    glam::{Affine3A, Quat, Vec3},
};
use std::sync::Arc;

/// Positions may be off by this fraction of the extent of everything they are summed from.
const POSITION_TOLERANCE: f64 = 1e-6;
/// Directions may be off by this much.
const DIRECTION_TOLERANCE: f64 = 1e-5;

fn vector(reach: f32) -> impl Strategy<Value = Vec3> {
    [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from)
}

fn direction() -> impl Strategy<Value = Vec3> {
    vector(1.0).prop_map(|v| v.try_normalize().unwrap_or(Vec3::Y))
}

fn rotation() -> impl Strategy<Value = Quat> {
    (direction(), -3.1_f32..3.1).prop_map(|(axis, angle)| Quat::from_axis_angle(axis, angle))
}

/// A skinning matrix and the joint's bind position: rigid, uniformly scaled, stretched, sheared or mirrored.
fn joint() -> impl Strategy<Value = (Affine3A, Vec3)> {
    let stretched = [0.5_f32..1.8, 0.5_f32..1.8, 0.5_f32..1.8].prop_map(Vec3::from);
    let scale = prop_oneof![
        4 => Just(Vec3::ONE),
        3 => stretched.clone(),
        1 => stretched.prop_map(|s| s * Vec3::new(-1.0, 1.0, 1.0)),
    ];
    (vector(1.0), rotation(), scale, rotation(), vector(1.0)).prop_map(
        |(translation, r, scale, axes, pivot)| {
            let turned = Transform { translation, rotation: r, scale }.to_affine();
            (turned * Affine3A::from_quat(axes), pivot)
        },
    )
}

/// The same for a whole character: all rigid, all scaled, or arbitrary.
fn joints() -> impl Strategy<Value = Vec<(Affine3A, Vec3)>> {
    let rigid = |(matrix, pivot): (Affine3A, Vec3)| {
        let (t, _) = Transform::from_affine(&matrix);
        (Transform { scale: Vec3::ONE, ..t }.to_affine(), pivot)
    };
    let any = || prop::collection::vec(joint(), 1..7);
    prop_oneof![
        3 => any(),
        2 => any().prop_map(move |all| all.into_iter().map(rigid).collect()),
        1 => any().prop_map(move |all| {
            all.into_iter().map(rigid).map(|(m, p)| (Affine3A::from_scale(Vec3::splat(3.0)) * m, p)).collect()
        }),
    ]
}

#[derive(Clone, Debug)]
struct Vertex {
    position: Vec3,
    normal: Vec3,
    tangent: Vec3,
    influences: Vec<(u16, f32)>,
}

fn vertex() -> impl Strategy<Value = Vertex> {
    let influences = prop::collection::vec((any::<u16>(), 0.05_f32..1.0), 1..6);
    (vector(1.0), direction(), direction(), influences)
        .prop_map(|(position, normal, tangent, influences)| Vertex { position, normal, tangent, influences })
}

struct Subject {
    streams: Streams,
    weights: Weights,
    posed: PosedMesh,
    joints: OracleJoints,
    bones: Vec<BoneSegment>,
}

impl Subject {
    fn new(joints: &[(Affine3A, Vec3)], vertices: &[Vertex]) -> Self {
        let count = joints.len() as u16;
        let influences = |v: &Vertex| {
            v.influences
                .iter()
                .map(|&(pick, weight)| Influence { slot: pick % count, weight })
                .collect::<Vec<_>>()
        };
        let (matrices, pivots): (Vec<Affine3A>, Vec<Vec3>) = joints.iter().copied().unzip();
        let bone = |(j, &head): (usize, &Vec3)| BoneSegment {
            head,
            tail: head + Vec3::new(0.3, 0.2 * j as f32, -0.4),
        };
        Self {
            streams: Streams {
                positions: vertices.iter().map(|v| v.position).collect(),
                normals: vertices.iter().map(|v| v.normal).collect(),
                tangents: vertices.iter().map(|v| v.tangent.extend(1.0)).collect(),
            },
            weights: Weights::new(joints.len(), vertices.iter().map(influences)).unwrap().0,
            posed: PosedMesh::about(&matrices, &pivots),
            joints: OracleJoints::new(&matrices, &pivots),
            bones: pivots.iter().enumerate().map(bone).collect(),
        }
    }

    fn run(&self, method: Method, precomputed: &Precomputed) -> Streams {
        let mut out = self.streams.clone();
        let surface = self.streams.as_surface();
        self.posed.deform(method, surface, &self.weights, precomputed, out.as_surface_mut()).unwrap();
        out
    }

    /// The largest magnitude of the terms that positions are summed from.
    fn extent(&self, out: &Streams) -> f64 {
        let moved = self.joints.matrices.iter().map(|m| m.translation.as_vec3()).collect::<Vec<_>>();
        let heads = self.bones.iter().map(|b| b.head).collect::<Vec<_>>();
        let all = moved.iter().chain(&heads).chain(&self.streams.positions).chain(&out.positions);
        f64::from(Aabb::of_points(all.chain([&Vec3::ZERO])).diagonal())
    }

    /// False if a joint's rotation is on the hemisphere boundary of another's.
    fn is_decided(&self, direct: &DirectMushData, v: usize) -> bool {
        let rotation = |slot: u16| self.posed.dual_quats.rigid()[usize::from(slot)].real;
        let parts: Vec<_> = direct.of(v).collect();
        let margin =
            parts.iter().map(|m| rotation(m.slot).dot(rotation(parts[0].slot)).abs()).fold(1.0, f32::min);
        margin > 1e-4 && parts.get(1).is_none_or(|second| parts[0].weight - second.weight > 1e-5)
    }

    fn check(&self, out: &Streams, v: usize, want: &OracleOutput) -> Result<(), TestCaseError> {
        let allowed = POSITION_TOLERANCE * self.extent(out) * want.growth.max(1.0);
        let off = (out.positions[v].as_dvec3() - want.position).length();
        prop_assert!(off <= allowed, "vertex {v}: position off by {off:e}, allowed {allowed:e}");
        let (rest_normal, rest_tangent) =
            (self.streams.normals[v].as_dvec3(), self.streams.tangents[v].truncate().as_dvec3());
        let normal = want.linear.inverse().transpose() * rest_normal;
        let tangent = want.linear * rest_tangent;
        let size = want.linear.to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        let determinant = want.linear.determinant();
        // A blend of stretches may be nearly singular; directions then lose precision in proportion.
        let flat =
            (size * size / (normal.length() * determinant.abs())).max(size / tangent.length()).max(1.0);
        let allowed = DIRECTION_TOLERANCE * want.growth.max(1.0) * flat;
        let off = (out.normals[v].as_dvec3() - normal.normalize_or_zero()).length();
        prop_assert!(off <= allowed, "vertex {v}: normal off by {off:e}, allowed {allowed:e}");
        let off = (out.tangents[v].truncate().as_dvec3() - tangent.normalize_or_zero()).length();
        prop_assert!(off <= allowed, "vertex {v}: tangent off by {off:e}, allowed {allowed:e}");
        if determinant.abs() > 1e-4 * size.powi(3) {
            prop_assert_eq!(f64::from(out.tangents[v].w), determinant.signum(), "vertex {}: handedness", v);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(Config {
        cases: 300,
        rng_seed: RngSeed::Fixed(0x51_4e_45_57),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn rotations_blend_as_the_oracle_says(joints in joints(), vertices in prop::collection::vec(vertex(), 1..12)) {
        let subject = Subject::new(&joints, &vertices);
        let centers = subjects::centers(&subject.streams.positions);
        let contact = subjects::contact(&subject.weights);
        let precomputed = Precomputed {
            centers: Some(Arc::new(centers.clone())),
            contact: Some(Arc::new(contact.clone())),
            ..Precomputed::NONE
        };
        let by = |method| subject.run(method, &precomputed);
        let (dual, slerp, cor) = (by(Method::DualQuat), by(Method::Slerp), by(Method::Cor));
        let folded = by(Method::Contact);
        let mut flat = subject.streams.clone();
        reference::dual_quat_bulge_free(
            subject.streams.as_surface(), &subject.weights, &subject.posed.dual_quats, &subject.bones, flat.as_surface_mut(),
        ).unwrap();
        for v in 0..vertices.len() {
            if oracle::min_hemisphere_cosine(&subject.joints, &subject.weights, v) < 1e-4 {
                continue;
            }
            let rest = subject.streams.positions[v];
            let want = oracle::dual_quat(&subject.joints, &subject.weights, v, rest);
            subject.check(&dual, v, &want)?;
            subject.check(&slerp, v, &oracle::slerp(&subject.joints, &subject.weights, v, rest))?;
            let center = centers.positions()[v];
            subject.check(&cor, v, &oracle::cor(&subject.joints, &subject.weights, v, center, rest))?;
            let (weights, bones) = (&subject.weights, &subject.bones);
            let position = oracle::without_bulge(&subject.joints, weights, v, bones, rest, want.position);
            if oracle::is_settled(&subject.joints, &contact, v) {
                let position = oracle::contact(&subject.joints, &contact, v, rest, want.position);
                // Directions are differences too.
                subject.check(&folded, v, &OracleOutput { position, growth: 20.0 * want.growth, ..want })?;
            }
            // The pull has the direction of a difference, which may be short.
            subject.check(&flat, v, &OracleOutput { position, growth: 10.0 * want.growth, ..want })?;
        }
    }

    #[test]
    fn mush_is_smoothed_and_framed_as_the_oracle_says(
        joints in joints(), vertices in prop::collection::vec(vertex(), 4..12),
    ) {
        let subject = Subject::new(&joints, &vertices);
        let mush = subjects::mush(&subject.streams.positions);
        let want = oracle::delta_mush(&subject.joints, &subject.weights, &mush, &subject.streams.positions);
        let precomputed = Precomputed { mush: Some(Arc::new(mush)), ..Precomputed::NONE };
        let got = subject.run(Method::DeltaMush, &precomputed);
        for (v, want) in want.iter().enumerate().filter(|(_, want)| want.growth < 50.0) {
            subject.check(&got, v, want)?;
        }
    }

    #[test]
    fn direct_mush_finds_the_rotation_of_the_neighborhood(
        joints in joints(), vertices in prop::collection::vec(vertex(), 6..12),
    ) {
        let subject = Subject::new(&joints, &vertices);
        let positions = &subject.streams.positions;
        for detail in MushDetail::ALL {
            let direct = subjects::direct_mush(positions, &subject.weights, detail);
            let precomputed = Precomputed { direct_mush: Some(Arc::new(direct.clone())), ..Precomputed::NONE };
            let got = subject.run(Method::Ddm, &precomputed);
            for v in 0..vertices.len() {
                let near = subjects::neighborhood(v, vertices.len());
                let pivot = direct.parts().pivots[v];
                let want = oracle::direct_mush(
                    &subject.joints,
                    &subject.weights,
                    positions,
                    &near,
                    v,
                    pivot,
                    detail,
                );
                // The order of two equal weights and the hemisphere of a rotation are arbitrary.
                if want.growth < 50.0 && subject.is_decided(&direct, v) {
                    subject.check(&got, v, &want)?;
                }
            }
        }
    }
}
