//! Skin weights, distributed down the joint hierarchy.
//!
//! All weight starts on one joint. At each joint further down, a gate (a plane with a soft band) passes a fraction of the
//! parent's weight to the child. Overlapping pieces (a cuff over a wrist, a hem over a thigh) use the same gates, so they
//! move together.

use super::profile::smoothstep;
use super::sheet::SheetRow;
use super::skeleton::{
    FOOT, FOREARM, FigureBones, HALF, HAND, HEAD, HIPS, NECK, SHIN, SPINE_LOWER, SPINE_MIDDLE, SPINE_UPPER,
    THIGH, TOE, UPPER_ARM,
};
use glam::Vec3;

/// A plane between a joint and its parent, with a soft transition.
struct Gate {
    parent: usize,
    child: usize,
    at: Vec3,
    normal: Vec3,
    /// Half the width in meters of the band in which both joints have weight.
    band: f32,
}

impl Gate {
    fn passed_fraction(&self, p: Vec3) -> f32 {
        smoothstep(-self.band, self.band, (p - self.at).dot(self.normal))
    }
}

/// A row with all weight on `joint`.
pub(super) fn rigid(joint: usize) -> SheetRow {
    let mut row = [0.0; HALF];
    row[joint] = 1.0;
    row
}

/// The gates of the left half.
pub(super) struct Gates {
    trunk: Vec<Gate>,
    neck: Vec<Gate>,
    arm: Vec<Gate>,
    leg: Vec<Gate>,
}

impl Gates {
    pub(super) fn new(bones: &FigureBones) -> Self {
        let level = |parent, child, y: f32, band| Gate {
            parent,
            child,
            at: Vec3::new(0.0, y, 0.0),
            normal: Vec3::Y,
            band,
        };
        // The plane of a hinge halves the angle between the bones that meet there.
        let hinge = |parent: usize, child: usize, band| {
            let along = |j: usize| (bones.rest(j).tail - bones.rest(j).position).normalize();
            let normal = (along(parent) + along(child)).normalize();
            Gate { parent, child, at: bones.position(child), normal, band }
        };
        let ankle = Gate {
            parent: SHIN,
            child: FOOT,
            at: bones.position(FOOT) + Vec3::new(0.0, 0.012, 0.0),
            normal: Vec3::NEG_Y,
            band: 0.022,
        };
        let ball = Gate { parent: FOOT, child: TOE, at: bones.position(TOE), normal: Vec3::Z, band: 0.030 };
        let crease = Gate {
            parent: HIPS,
            child: THIGH,
            at: Vec3::new(0.088, 0.868, 0.0),
            normal: Vec3::new(0.36, -0.93, 0.12).normalize(),
            band: 0.075,
        };
        let jaw = Gate {
            parent: NECK,
            child: HEAD,
            at: Vec3::new(0.0, 1.525, 0.0),
            normal: Vec3::new(0.0, 0.86, 0.5).normalize(),
            band: 0.035,
        };
        Self {
            trunk: vec![
                level(HIPS, SPINE_LOWER, 1.01, 0.065),
                level(SPINE_LOWER, SPINE_MIDDLE, 1.125, 0.068),
                level(SPINE_MIDDLE, SPINE_UPPER, 1.245, 0.068),
            ],
            neck: vec![level(SPINE_UPPER, NECK, 1.472, 0.040), jaw],
            arm: vec![hinge(UPPER_ARM, FOREARM, 0.056), hinge(FOREARM, HAND, 0.032)],
            leg: vec![crease, hinge(THIGH, SHIN, 0.074), ankle, ball],
        }
    }

    /// Weights from the hips to the collar, including the influence of the thighs on overlapping cloth.
    pub(super) fn trunk(&self, p: Vec3) -> SheetRow {
        let mut row = flow(rigid(HIPS), p, &self.trunk);
        row = flow(row, p, &self.leg[..1]);
        flow(row, p, &self.neck[..1])
    }

    /// Weights of the neck and the head.
    pub(super) fn neck(&self, p: Vec3) -> SheetRow {
        flow(rigid(SPINE_UPPER), p, &self.neck)
    }

    /// Weights from the shoulder to the wrist.
    pub(super) fn arm(&self, p: Vec3) -> SheetRow {
        flow(rigid(UPPER_ARM), p, &self.arm)
    }

    /// Weights of the hand without its fingers.
    pub(super) fn hand(&self, p: Vec3) -> SheetRow {
        flow(rigid(FOREARM), p, &self.arm[1..])
    }

    /// Weights from the hips to the ankle.
    pub(super) fn leg(&self, p: Vec3) -> SheetRow {
        flow(rigid(HIPS), p, &self.leg[..3])
    }

    /// Weights of the shoe.
    pub(super) fn shoe(&self, p: Vec3) -> SheetRow {
        flow(rigid(FOOT), p, &self.leg[3..])
    }
}

fn flow(mut row: SheetRow, p: Vec3, gates: &[Gate]) -> SheetRow {
    for gate in gates {
        let passed = row[gate.parent] * gate.passed_fraction(p);
        row[gate.parent] -= passed;
        row[gate.child] += passed;
    }
    row
}
