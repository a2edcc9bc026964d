//! The figure with hair and a tail that swing.

use super::{
    figure::figure,
    tint::{linear_from_srgb, opaque},
};
use glam::{Quat, Vec3, Vec4};
use sinew::{
    Character, CharacterParts, Influence, Joint, JointId, Mesh, MeshInstance, MeshParts, ModelPose,
    Primitive, Skeleton, Skin, Topology, Transform, Weights,
    constrain::{ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts},
};
use std::{
    f32::consts::TAU,
    sync::{Arc, OnceLock},
};

/// The number of edges around a strand.
const SIDES: usize = 12;
/// The number of rings from one joint to the next.
const RINGS: usize = 4;

/// A chain of joints with the surface around it.
struct Strand {
    name: &'static str,
    parent: &'static str,
    /// The joints from the root to the tip in model axes, relative to the parent joint, in meters.
    points: &'static [[f32; 3]],
    /// The radius at each joint in meters.
    radii: &'static [f32],
    color: u32,
    stiffness: f32,
    gravity: f32,
}

const PONYTAIL: Strand = Strand {
    name: "ponytail",
    parent: "head",
    points: &[
        [0.0, 0.125, -0.075],
        [0.0, 0.12, -0.13],
        [0.0, 0.055, -0.17],
        [0.0, -0.025, -0.185],
        [0.0, -0.105, -0.185],
        [0.0, -0.18, -0.175],
    ],
    radii: &[0.016, 0.032, 0.036, 0.031, 0.022, 0.004],
    color: 0x3b2a20,
    stiffness: 0.55,
    gravity: 0.35,
};

const TAIL: Strand = Strand {
    name: "tail",
    parent: "hips",
    points: &[
        [0.0, 0.0, -0.09],
        [0.0, -0.05, -0.18],
        [0.0, -0.12, -0.28],
        [0.0, -0.16, -0.39],
        [0.0, -0.14, -0.50],
        [0.0, -0.06, -0.58],
        [0.0, 0.04, -0.62],
    ],
    radii: &[0.03, 0.03, 0.029, 0.028, 0.027, 0.024, 0.006],
    color: 0x8a5a34,
    stiffness: 1.6,
    gravity: 0.05,
};

/// The [`figure`] with a ponytail and a tail on springs: joints `ponytail_0` and so on below `head`, `tail_0` and so on below
/// `hips`. The head keeps the hair outside.
///
/// It is built once and shared. The figure's joints, skin and clips keep their numbers.
pub fn figure_with_springs() -> Character {
    static SPRUNG: OnceLock<Character> = OnceLock::new();
    SPRUNG.get_or_init(build).clone()
}

fn build() -> Character {
    let mut parts = figure().into_parts();
    let old = Arc::clone(&parts.skeleton);
    let mut model = ModelPose::new(&old);
    model.update(&old, &old.rest_pose());
    let head = old.find("head").expect("the figure has a head");
    let mut surface = StrandSurface::default();
    let (mut joints, mut chains) = (Vec::new(), Vec::new());
    for strand in [PONYTAIL, TAIL] {
        let parent = old.find(strand.parent).expect("the figure has this joint");
        let first = (old.len() + joints.len()) as u16;
        let (_, turn, origin) = model.joint(parent).to_scale_rotation_translation();
        joints.extend(strand.joints(parent, first, turn));
        chains.push(strand.chain(first));
        surface.add(&strand, origin, joints.len() - strand.points.len());
    }
    let copied =
        old.joints().map(|j| Joint { name: old.name(j).into(), parent: old.parent(j), rest: old.rest(j) });
    let new = (old.len()..old.len() + joints.len()).map(|j| JointId(j as u16)).collect::<Vec<_>>();
    let skeleton = Arc::new(Skeleton::new(copied.chain(joints)).expect("parents come first"));
    let skin = Skin::bound_at_rest("springs", &skeleton, new.clone()).expect("every joint is there");
    let instance = MeshInstance {
        mesh: parts.meshes.len(),
        skin: Some(parts.skins.len()),
        ..parts.instances[0].clone()
    };
    parts.meshes.push(Arc::new(surface.mesh(new.len())));
    parts.skins.push(Arc::new(skin));
    parts.instances.push(instance);
    let skull = ColliderShape::Sphere { center: Vec3::new(0.0, 0.1, 0.01), radius: 0.1, is_inside: false };
    parts.springs = SpringParts {
        chains,
        colliders: vec![SpringCollider { joint: head, shape: skull }],
        collider_groups: vec![SpringColliderGroup { name: "head".into(), colliders: vec![0] }],
    };
    Character::new(CharacterParts { name: "figure with springs".into(), skeleton, ..parts })
        .expect("mesh, skin and springs are made for this skeleton")
}

impl Strand {
    fn point(&self, at: usize) -> Vec3 {
        Vec3::from(self.points[at.min(self.points.len() - 1)])
    }

    fn joints(&self, parent: JointId, first: u16, model_from_parent: Quat) -> impl Iterator<Item = Joint> {
        (0..self.points.len()).map(move |at| {
            // The first joint turns back to the axes of the model; the others keep them.
            let rest = match at {
                0 => Transform::from_rotation_translation(
                    model_from_parent.conjugate(),
                    model_from_parent.conjugate() * self.point(0),
                ),
                _ => Transform::from_translation(self.point(at) - self.point(at - 1)),
            };
            let parent = if at == 0 { parent } else { JointId(first + at as u16 - 1) };
            Joint { name: format!("{}_{at}", self.name), parent: Some(parent), rest }
        })
    }

    fn chain(&self, first: u16) -> SpringChain {
        let joint = |at: usize| SpringJoint {
            stiffness: self.stiffness,
            gravity_power: self.gravity,
            drag: 0.4,
            radius: self.radii[at],
            ..SpringJoint::new(JointId(first + at as u16))
        };
        let chain = SpringChain::new(self.name, (0..self.points.len()).map(joint));
        SpringChain { collider_groups: if self.parent == "head" { vec![0] } else { vec![] }, ..chain }
    }

    /// The point `along` the strand, counted in joints, on a smooth curve through them.
    fn curve(&self, along: f32) -> Vec3 {
        let at = (along as usize).min(self.points.len() - 2);
        let t = along - at as f32;
        let [a, b, c, d] = [at.saturating_sub(1), at, at + 1, at + 2].map(|at| self.point(at));
        // A Catmull-Rom spline.
        b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
    }

    fn radius(&self, along: f32) -> f32 {
        let at = (along as usize).min(self.radii.len() - 2);
        let t = along - at as f32;
        self.radii[at] + (self.radii[at + 1] - self.radii[at]) * (t * t * (3.0 - 2.0 * t))
    }
}

/// The vertices of all strands.
#[derive(Default)]
struct StrandSurface {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    colors: Vec<Vec4>,
    influences: Vec<Vec<Influence>>,
    indices: Vec<u32>,
}

impl StrandSurface {
    /// Adds a strand whose parent is at `origin` and whose first joint is `slot` of the skin.
    fn add(&mut self, strand: &Strand, origin: Vec3, slot: usize) {
        let rings = (strand.points.len() - 1) * RINGS;
        let color = linear_from_srgb(strand.color);
        for ring in 0..=rings {
            let along = ring as f32 / RINGS as f32;
            let ahead =
                strand.curve(along + 0.01) - strand.curve(along - 0.01 * f32::from(u8::from(ring > 0)));
            let (side, radius) = (Vec3::X, strand.radius(along));
            let up = ahead.normalize().cross(side);
            let first = self.positions.len() as u32;
            for corner in 0..SIDES {
                let angle = TAU * corner as f32 / SIDES as f32;
                let normal = side * angle.cos() + up * angle.sin();
                self.positions.push(origin + strand.curve(along) + normal * radius);
                self.normals.push(normal);
                // Strips of a darker color show how the strand turns.
                self.colors.push(opaque(color * if corner % 4 < 2 { 1.0 } else { 0.82 }));
                self.influences.push(influences(along, slot, strand.points.len()));
                if ring > 0 {
                    let next = first + ((corner + 1) % SIDES) as u32;
                    let (a, b, below) = (first + corner as u32, next, SIDES as u32);
                    self.indices.extend([a - below, b - below, b, a - below, b, a]);
                }
            }
        }
    }

    fn mesh(self, slots: usize) -> Mesh {
        let (vertices, indices) = (self.positions.len() as u32, self.indices.len() as u32);
        let (weights, _) = Weights::new(slots, self.influences).expect("rows are finite and within the skin");
        Mesh::new(MeshParts {
            name: "springs".into(),
            positions: self.positions,
            normals: self.normals,
            colors: self.colors,
            indices: self.indices,
            primitives: vec![Primitive {
                vertices: 0..vertices,
                indices: 0..indices,
                topology: Topology::Triangles,
                material: Some(0),
            }],
            weights: Some(Arc::new(weights)),
            ..MeshParts::default()
        })
        .expect("streams are made together and are equally long")
    }
}

/// Half of each joint where two bones meet, all of one in the middle of its bone.
fn influences(along: f32, slot: usize, joints: usize) -> Vec<Influence> {
    let bone = (along as usize).min(joints - 2);
    let t = along - bone as f32;
    let other = if t < 0.5 { bone.saturating_sub(1) } else { bone + 1 };
    let weight = (t - 0.5).abs();
    let influence = |bone: usize, weight| Influence { slot: (slot + bone) as u16, weight };
    if other == bone {
        vec![influence(bone, 1.0)]
    } else {
        vec![influence(bone, 1.0 - weight), influence(other, weight)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Frame, Method, Wrap};

    #[test]
    fn hair_and_tail_swing_and_stay_outside_the_head() {
        let sprung = figure_with_springs();
        let run = Arc::clone(sprung.find_clip("run").unwrap());
        let skeleton = Arc::clone(sprung.skeleton());
        let [tip, head] = ["ponytail_5", "head"].map(|name| skeleton.find(name).unwrap());
        let mut springs = sprung.springs().new_state();
        let mut frame = Frame::new(sprung);
        let mut places = Vec::new();
        for tick in 0..90_u8 {
            frame.sample(&run, f32::from(tick) / 60.0, Wrap::Loop);
            frame.step_springs(&mut springs, 1.0 / 60.0);
            frame.deform(Method::Linear).unwrap();
            let from_head = frame.model().joint_from_joint(head, tip).unwrap().translation;
            places.push(from_head);
        }
        let swing = places.iter().map(|place| place.distance(places[0])).fold(0.0, f32::max);
        assert!(swing > 0.03, "the ponytail moves by {swing} m");
    }

    #[test]
    fn the_joints_of_the_figure_keep_their_numbers() {
        let (plain, sprung) = (figure(), figure_with_springs());
        for joint in plain.skeleton().joints() {
            assert_eq!(plain.skeleton().name(joint), sprung.skeleton().name(joint));
        }
        assert_eq!(sprung.clips().len(), plain.clips().len());
        assert!(!sprung.springs().is_empty());
    }
}
