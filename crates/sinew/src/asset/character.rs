//! A character: everything in a file, with all references checked.

mod rig;

use super::{
    clip::Clip,
    extras::Extras,
    material::{Image, Material},
    mesh::Mesh,
    skeleton::{JointId, Skeleton, missing_joint},
    skin::Skin,
};
use crate::{
    constrain::{HelperError, HelperJoint, HelperJoints},
    pose::LocalPose,
};
use std::{ops::Range, sync::Arc};
use thiserror::Error;

/// A mesh attached to a joint and optionally deformed by a skin.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshInstance {
    /// The joint that carries the mesh. A skinned mesh follows the joints of its skin and ignores this transform.
    pub joint: JointId,
    /// Index in the character's mesh list.
    pub mesh: usize,
    /// Index in the character's skin list.
    pub skin: Option<usize>,
    /// Rest weights of the morph targets for this instance; empty for the weights of the mesh.
    pub morph_weights: Vec<f32>,
}

/// A set of root joints that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterScene {
    /// Name in the file, possibly empty.
    pub name: String,
    /// The root joints of the scene.
    pub roots: Vec<JointId>,
}

/// The parts of a character, the input of [`Character::new`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterParts {
    /// The character's name, possibly empty.
    pub name: String,
    /// Author and license, possibly empty.
    pub copyright: String,
    /// The joint hierarchy: every node of the file.
    pub skeleton: Arc<Skeleton>,
    /// Every mesh; instances refer to them by index.
    pub meshes: Vec<Arc<Mesh>>,
    /// Every skin; instances refer to them by index.
    pub skins: Vec<Arc<Skin>>,
    /// The meshes with the joints that carry them.
    pub instances: Vec<MeshInstance>,
    /// The materials that primitives refer to.
    pub materials: Vec<Material>,
    /// The images that materials refer to.
    pub images: Vec<Image>,
    /// The clips, in file order.
    pub clips: Vec<Arc<Clip>>,
    /// The scenes; if empty, every root is shown.
    pub scenes: Vec<CharacterScene>,
    /// Index of the scene that is shown.
    pub default_scene: usize,
    /// Helper joints, in the order in which they are driven.
    pub helpers: Vec<HelperJoint>,
    /// Application data that is read and written back unchanged.
    #[cfg_attr(feature = "serde", serde(with = "super::serde_form::extras"))]
    pub extras: Extras,
}

impl CharacterParts {
    /// Parts with a skeleton alone.
    pub fn new(name: impl Into<String>, skeleton: Arc<Skeleton>) -> Self {
        Self {
            name: name.into(),
            copyright: String::new(),
            skeleton,
            meshes: Vec::new(),
            skins: Vec::new(),
            instances: Vec::new(),
            materials: Vec::new(),
            images: Vec::new(),
            clips: Vec::new(),
            scenes: Vec::new(),
            default_scene: 0,
            helpers: Vec::new(),
            extras: Extras::default(),
        }
    }

    /// For each instance, the range of its morph weights in a pose. An instance whose mesh does not exist has none.
    #[must_use]
    pub fn morph_slots(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let count =
            |instance: &MeshInstance| self.meshes.get(instance.mesh).map_or(0, |mesh| mesh.morphs().len());
        let slots = self.instances.iter().map(|instance| {
            let start = end;
            end += count(instance);
            start..end
        });
        slots.collect()
    }
}

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
}

/// Why parts do not form a character.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CharacterError {
    /// A part refers to another that does not exist.
    #[error("{from} refers to {kind} {index}, but there are {count}")]
    Missing {
        /// The part that refers to it.
        from: String,
        /// The kind of part that it refers to.
        kind: &'static str,
        /// The index that it refers to.
        index: usize,
        /// How many parts of that kind exist.
        count: usize,
    },
    /// A mesh's weights use more joints than the skin has.
    #[error("instance {instance}: mesh {mesh:?} uses {needed} joint slots, skin {skin:?} has {joints}")]
    SkinTooSmall {
        /// Index of the mesh instance.
        instance: usize,
        /// Name of the mesh.
        mesh: String,
        /// Name of the skin.
        skin: String,
        /// How many joint slots the weights use.
        needed: usize,
        /// How many joints the skin has.
        joints: usize,
    },
    /// Rest weights must be finite, one for each morph target.
    #[error("instance {instance}: {count} morph weights for {targets} targets, or one is not finite")]
    BadMorphWeights {
        /// Index of the mesh instance.
        instance: usize,
        /// How many were given.
        count: usize,
        /// How many targets the mesh has.
        targets: usize,
    },
    /// A helper joint does not fit the skeleton.
    #[error(transparent)]
    Helper(#[from] HelperError),
}

impl Character {
    /// Checks `parts` and builds a character from them.
    ///
    /// # Errors
    /// If a part refers to a joint, mesh, skin, material, image, scene or morph slot that does not exist, a mesh does
    /// not fit its skin, or a helper joint does not fit the skeleton.
    pub fn new(parts: CharacterParts) -> Result<Self, CharacterError> {
        let mut rest_morphs = Vec::new();
        for index in 0..parts.instances.len() {
            rest_morphs.extend_from_slice(check_instance(&parts, index)?);
        }
        let morph_slots = parts.morph_slots();
        check_materials(&parts)?;
        check_clips(&parts, rest_morphs.len())?;
        check_scenes(&parts)?;
        for skin in &parts.skins {
            let from = || format!("skin {:?}", skin.name());
            for joint in skin.joints().iter().chain(&skin.root()) {
                within(from, "joint", joint.index(), parts.skeleton.len())?;
            }
        }
        let visible = visible_joints(&parts);
        let helpers = HelperJoints::new(&parts.skeleton, &parts.helpers)?;
        Ok(Self { parts, morph_slots, rest_morphs, visible, helpers })
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

    /// Drives the helper joints of `pose` from the joints that they follow. Call it once, after sampling and before the
    /// hierarchy; [`Frame::update`](crate::Frame::update) does it.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn apply_helpers(&self, pose: &mut LocalPose) {
        self.helpers.apply(pose);
    }

    /// The same character with every helper joint disabled.
    #[must_use]
    pub fn with_helpers_off(&self) -> Self {
        let mut off = self.clone();
        off.parts.helpers.iter_mut().for_each(|helper| helper.is_enabled = false);
        off.helpers = HelperJoints::default();
        off
    }

    /// True if no helper joint is enabled.
    pub fn is_without_helpers(&self) -> bool {
        self.helpers.is_empty()
    }

    /// Application data that is read and written back unchanged.
    pub fn extras(&self) -> &Extras {
        &self.parts.extras
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

fn within(
    from: impl Fn() -> String,
    kind: &'static str,
    index: usize,
    count: usize,
) -> Result<(), CharacterError> {
    if index < count { Ok(()) } else { Err(CharacterError::Missing { from: from(), kind, index, count }) }
}

/// Checks what a mesh instance refers to, and returns its rest morph weights.
fn check_instance(parts: &CharacterParts, index: usize) -> Result<&[f32], CharacterError> {
    let instance = &parts.instances[index];
    let from = || format!("instance {index}");
    within(from, "joint", instance.joint.index(), parts.skeleton.len())?;
    within(from, "mesh", instance.mesh, parts.meshes.len())?;
    let mesh = &parts.meshes[instance.mesh];
    if let Some(skin) = instance.skin {
        within(from, "skin", skin, parts.skins.len())?;
        let skin = &parts.skins[skin];
        let needed = mesh.weights().map_or(0, |w| w.slot_count());
        if needed > skin.joints().len() {
            return Err(CharacterError::SkinTooSmall {
                instance: index,
                mesh: mesh.name().into(),
                skin: skin.name().into(),
                needed,
                joints: skin.joints().len(),
            });
        }
    }
    let (weights, targets) = (&instance.morph_weights, mesh.morphs().len());
    if weights.is_empty() {
        return Ok(mesh.morphs().rest_weights());
    }
    if weights.len() != targets || weights.iter().any(|w| !w.is_finite()) {
        return Err(CharacterError::BadMorphWeights { instance: index, count: weights.len(), targets });
    }
    Ok(weights)
}

fn check_materials(parts: &CharacterParts) -> Result<(), CharacterError> {
    for mesh in &parts.meshes {
        for material in mesh.primitives().iter().filter_map(|p| p.material) {
            let from = || format!("mesh {:?}", mesh.name());
            within(from, "material", usize::from(material), parts.materials.len())?;
        }
    }
    for material in &parts.materials {
        for texture in material.textures() {
            let from = || format!("material {:?}", material.name);
            within(from, "image", usize::from(texture.image), parts.images.len())?;
        }
    }
    Ok(())
}

fn check_clips(parts: &CharacterParts, morph_slots: usize) -> Result<(), CharacterError> {
    for clip in &parts.clips {
        let from = || format!("clip {:?}", clip.name());
        if let Some(last) = clip.joint_count().checked_sub(1) {
            within(from, "joint", last, parts.skeleton.len())?;
        }
        if let Some(last) = clip.morph_slot_count().checked_sub(1) {
            within(from, "morph slot", last, morph_slots)?;
        }
    }
    Ok(())
}

fn check_scenes(parts: &CharacterParts) -> Result<(), CharacterError> {
    for (index, scene) in parts.scenes.iter().enumerate() {
        for root in &scene.roots {
            within(|| format!("scene {index}"), "joint", root.index(), parts.skeleton.len())?;
        }
    }
    if parts.scenes.is_empty() {
        return Ok(());
    }
    within(|| "the character".into(), "scene", parts.default_scene, parts.scenes.len())
}

fn visible_joints(parts: &CharacterParts) -> Vec<bool> {
    let Some(scene) = parts.scenes.get(parts.default_scene) else {
        return vec![true; parts.skeleton.len()];
    };
    let mut visible = vec![false; parts.skeleton.len()];
    for root in &scene.roots {
        visible[root.index()] = true;
    }
    for joint in parts.skeleton.joints() {
        if parts.skeleton.parent(joint).is_some_and(|p| visible[p.index()]) {
            visible[joint.index()] = true;
        }
    }
    visible
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
    fn only_what_stands_under_the_default_scene_is_visible() {
        let mut parts = parts();
        parts.scenes = vec![CharacterScene { name: String::new(), roots: vec![JointId(0)] }];
        let character = Character::new(parts).unwrap();
        assert!(character.is_visible(JointId(1)) && !character.is_visible(JointId(2)));
        assert_eq!(character.visible_instances().count(), 0);
    }
}
