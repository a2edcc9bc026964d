//! A character: everything in a file, with all references checked.

mod check;
mod parts;
mod rig;

pub use check::CharacterError;
pub use parts::{CharacterGraph, CharacterParts, CharacterScene, MeshInstance};

use super::{
    clip::{Clip, HomeSkeleton},
    extras::Extras,
    humanoid::Humanoid,
    material::{Image, Material},
    mesh::Mesh,
    skeleton::{JointId, Skeleton, missing_joint},
    skin::Skin,
    source::CharacterSource,
};
use crate::{
    constrain::{HelperJoint, HelperJoints, NodeConstraint, NodeConstraints, Springs},
    deform::Method,
    pose::LocalPose,
};
use check::{check, visible_joints};
use std::{ops::Range, sync::Arc};

/// A skeleton with its meshes, skins, materials and clips. All references between the parts are valid.
#[doc(alias = "rig")]
#[doc(alias = "avatar")]
#[doc(alias = "armature")]
#[doc(alias = "model")]
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    parts: CharacterParts,
    /// The morph slots of each mesh instance in a pose.
    morph_slots: Vec<Range<usize>>,
    rest_morphs: Vec<f32>,
    visible: Vec<bool>,
    helpers: HelperJoints,
    node_constraints: NodeConstraints,
    springs: Arc<Springs>,
}

impl Character {
    /// Checks `parts` and builds a character from them.
    ///
    /// # Errors
    /// If a part refers to a joint, mesh, skin, material, image, scene or morph slot that does not exist, a mesh does
    /// not fit its skin, or a helper joint, a node constraint, the spring bones or the humanoid do not fit the skeleton.
    pub fn new(mut parts: CharacterParts) -> Result<Self, CharacterError> {
        let rest_morphs = check(&parts)?;
        let morph_slots = parts.morph_slots();
        let visible = visible_joints(&parts);
        let helpers = HelperJoints::new(&parts.skeleton, &parts.helpers)?;
        let node_constraints = NodeConstraints::new(&parts.skeleton, &parts.node_constraints)?;
        let springs = Arc::new(Springs::new(&parts.skeleton, &parts.springs)?);
        adopt_clips(&mut parts);
        Ok(Self { parts, morph_slots, rest_morphs, visible, helpers, node_constraints, springs })
    }

    /// The character's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Author and license, possibly empty.
    pub fn copyright(&self) -> &str {
        &self.parts.copyright
    }

    /// The joint hierarchy: every node of the file.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.parts.skeleton
    }

    /// Every mesh; instances refer to them by index.
    pub fn meshes(&self) -> &[Arc<Mesh>] {
        &self.parts.meshes
    }

    /// Every skin; instances refer to them by index.
    pub fn skins(&self) -> &[Arc<Skin>] {
        &self.parts.skins
    }

    /// The meshes with the joints that carry them.
    pub fn instances(&self) -> &[MeshInstance] {
        &self.parts.instances
    }

    /// The materials that primitives refer to.
    pub fn materials(&self) -> &[Material] {
        &self.parts.materials
    }

    /// The images that materials refer to.
    pub fn images(&self) -> &[Image] {
        &self.parts.images
    }

    /// The clips, in file order.
    pub fn clips(&self) -> &[Arc<Clip>] {
        &self.parts.clips
    }

    /// The blend graphs that come with the character.
    pub fn graphs(&self) -> &[CharacterGraph] {
        &self.parts.graphs
    }

    /// The graph called `name`.
    pub fn find_graph(&self, name: &str) -> Option<&CharacterGraph> {
        self.parts.graphs.iter().find(|graph| graph.name == name)
    }

    /// The scenes of the file.
    pub fn scenes(&self) -> &[CharacterScene] {
        &self.parts.scenes
    }

    /// Index of the scene that is shown.
    pub fn default_scene(&self) -> usize {
        self.parts.default_scene
    }

    /// The helper joints as plain data.
    pub fn helpers(&self) -> &[HelperJoint] {
        &self.parts.helpers
    }

    /// The node constraints as plain data.
    pub fn node_constraints(&self) -> &[NodeConstraint] {
        &self.parts.node_constraints
    }

    /// The spring bones, ready to be stepped; [`CharacterParts::springs`] is their plain data. A character that is posed
    /// does not swing by itself: see [`Frame::step_springs`](crate::Frame::step_springs).
    pub fn springs(&self) -> &Arc<Springs> {
        &self.springs
    }

    /// Drives the helper joints of `pose` from the joints that they follow, and then those with node constraints. Call it
    /// once, after sampling and before the hierarchy; [`Frame::update`](crate::Frame::update) does it.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn apply_helpers(&self, pose: &mut LocalPose) {
        self.helpers.apply(pose);
        self.node_constraints.apply(pose);
    }

    /// The same character with every helper joint disabled. Node constraints stay.
    #[must_use]
    pub fn with_helpers_off(&self) -> Self {
        let mut off = self.clone();
        off.parts.helpers.iter_mut().for_each(|helper| helper.is_enabled = false);
        off.helpers = HelperJoints::default();
        off
    }

    /// True if no helper joint is enabled and there are no node constraints.
    pub fn is_without_helpers(&self) -> bool {
        self.helpers.is_empty() && self.node_constraints.is_empty()
    }

    /// Which joints are bones of a human body; `None` if the file does not say.
    pub fn humanoid(&self) -> Option<&Humanoid> {
        self.parts.humanoid.as_ref()
    }

    /// The deformation method that the character was made for; `None` if nobody said so.
    pub fn recommended_method(&self) -> Option<Method> {
        self.parts.recommended_method
    }

    /// The method that deforms the character: `chosen`, else the recommended one, else linear blend skinning.
    pub fn method_or_recommended(&self, chosen: Option<Method>) -> Method {
        chosen.or(self.parts.recommended_method).unwrap_or_default()
    }

    /// Application data that is read and written back unchanged.
    pub fn extras(&self) -> &Extras {
        &self.parts.extras
    }

    /// The file that the character was read from. Saving as the same format changes what was edited and carries
    /// everything else.
    pub fn source(&self) -> &CharacterSource {
        &self.parts.source
    }

    /// The same character with the file that it was read from.
    #[must_use]
    pub fn with_source(mut self, source: CharacterSource) -> Self {
        self.parts.source = source;
        self
    }

    /// The same character without the file that it was read from, which frees its memory.
    #[must_use]
    pub fn without_source(mut self) -> Self {
        self.parts.source = CharacterSource::default();
        self
    }

    /// The mesh of a mesh instance.
    pub fn mesh_of(&self, instance: &MeshInstance) -> &Mesh {
        let (mesh, meshes) = (instance.mesh, &self.parts.meshes);
        assert!(
            mesh < meshes.len(),
            "mesh {mesh} does not exist: {:?} has {} meshes",
            self.name(),
            meshes.len()
        );
        &meshes[mesh]
    }

    /// The skin that deforms a mesh instance; `None` if it has no skin or its mesh has no weights.
    pub fn skin_of(&self, instance: &MeshInstance) -> Option<&Skin> {
        self.mesh_of(instance).weights()?;
        let skins = &self.parts.skins;
        instance.skin.map(|skin| {
            assert!(
                skin < skins.len(),
                "skin {skin} does not exist: {:?} has {} skins",
                self.name(),
                skins.len()
            );
            &*skins[skin]
        })
    }

    /// The first clip called `name`.
    pub fn find_clip(&self, name: &str) -> Option<&Arc<Clip>> {
        self.parts.clips.iter().find(|c| c.name() == name)
    }

    /// True if the default scene shows what is attached to `joint`.
    pub fn is_visible(&self, joint: JointId) -> bool {
        self.visible.get(joint.index()).copied().unwrap_or_else(|| missing_joint(joint, self.visible.len()))
    }

    /// Indices of the mesh instances that the default scene shows.
    pub fn visible_instances(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.instances.len()).filter(|&i| self.is_visible(self.parts.instances[i].joint))
    }

    /// The morph slots of the mesh instance `index` in a pose.
    pub fn morph_slots(&self, index: usize) -> Range<usize> {
        let instances = self.morph_slots.len();
        assert!(index < instances, "mesh instance {index} does not exist: {:?} has {instances}", self.name());
        self.morph_slots[index].clone()
    }

    /// How many morph slots a pose of this character has.
    pub fn morph_slot_count(&self) -> usize {
        self.rest_morphs.len()
    }

    /// A pose with every joint and every morph weight at rest.
    pub fn rest_pose(&self) -> LocalPose {
        LocalPose { joints: self.parts.skeleton.rest_transforms().to_vec(), morphs: self.rest_morphs.clone() }
    }

    /// The parts, to build a changed character from.
    pub fn into_parts(self) -> CharacterParts {
        self.parts
    }

    /// The parts, to inspect or clone.
    pub fn parts(&self) -> &CharacterParts {
        &self.parts
    }
}

/// Notes in every clip which skeleton its joint numbers refer to. A clip that is shared with a character of another
/// skeleton is copied.
fn adopt_clips(parts: &mut CharacterParts) {
    for clip in &mut parts.clips {
        let home = HomeSkeleton::of(&parts.skeleton, clip.joint_count());
        if !clip.home().is(home) {
            Arc::make_mut(clip).adopt(&parts.skeleton);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Influence, Joint, MeshParts, Primitive, Topology, Transform, Weights};
    use glam::Vec3;

    fn parts() -> CharacterParts {
        let joint = |parent| Joint { name: "j".into(), parent, rest: Transform::IDENTITY };
        let skeleton = Arc::new(Skeleton::new([joint(None), joint(Some(JointId(0))), joint(None)]).unwrap());
        let vertex = [Influence { slot: 1, weight: 1.0 }];
        let mesh = Mesh::new(MeshParts {
            positions: vec![Vec3::ZERO],
            indices: vec![0],
            primitives: vec![Primitive {
                vertices: 0..1,
                indices: 0..1,
                topology: Topology::Points,
                material: None,
            }],
            weights: Some(Arc::new(Weights::new(2, [vertex]).unwrap().0)),
            ..MeshParts::default()
        })
        .unwrap();
        let skin = Skin::bound_at_rest("s", &skeleton, vec![JointId(0), JointId(1)]).unwrap();
        CharacterParts {
            meshes: vec![Arc::new(mesh)],
            skins: vec![Arc::new(skin)],
            instances: vec![MeshInstance {
                joint: JointId(2),
                mesh: 0,
                skin: Some(0),
                morph_weights: vec![],
            }],
            ..CharacterParts::new("c", skeleton)
        }
    }

    #[test]
    fn rejects_a_mesh_that_needs_more_joints_than_its_skin_has() {
        let mut parts = parts();
        parts.skins = vec![Arc::new(Skin::bound_at_rest("s", &parts.skeleton, vec![JointId(0)]).unwrap())];
        assert!(matches!(
            Character::new(parts),
            Err(CharacterError::SkinTooSmall { needed: 2, joints: 1, .. })
        ));
    }

    #[test]
    fn rejects_every_reference_to_a_missing_part() {
        let breaks: [fn(&mut CharacterParts); 5] = [
            |p| p.instances[0].joint = JointId(9),
            |p| p.instances[0].mesh = 1,
            |p| p.instances[0].skin = Some(1),
            |p| p.scenes = vec![CharacterScene { name: String::new(), roots: vec![JointId(9)] }],
            |p| (p.scenes, p.default_scene) = (vec![CharacterScene::default()], 1),
        ];
        assert!(Character::new(parts()).is_ok());
        for (index, make_bad) in breaks.iter().enumerate() {
            let mut parts = parts();
            make_bad(&mut parts);
            assert!(matches!(Character::new(parts), Err(CharacterError::Missing { .. })), "break {index}");
        }
    }

    #[test]
    fn rejects_a_humanoid_of_a_larger_skeleton() {
        let joint = |n: usize| Joint {
            name: "j".into(),
            parent: n.checked_sub(1).map(|p| JointId(p as u16)),
            rest: Transform::IDENTITY,
        };
        let larger = Skeleton::new((0..9).map(joint)).unwrap();
        let humanoid = |joint| Humanoid::new(&larger, [(crate::HumanBone::Hips, JointId(joint))]).unwrap();
        let with = |joint| Character::new(CharacterParts { humanoid: Some(humanoid(joint)), ..parts() });
        assert!(with(2).is_ok());
        assert!(matches!(with(3), Err(CharacterError::Humanoid(_))));
    }

    #[test]
    fn only_what_stands_under_the_default_scene_is_visible() {
        let mut parts = parts();
        parts.scenes = vec![CharacterScene { name: String::new(), roots: vec![JointId(0)] }];
        let character = Character::new(parts).unwrap();
        assert!(character.is_visible(JointId(1)) && !character.is_visible(JointId(2)));
        assert_eq!(character.visible_instances().count(), 0);
    }
}
