//! Everything a file holds, checked against itself.

mod rig;

use super::{
    clip::Clip,
    extras::Extras,
    material::{Image, Material},
    mesh::Mesh,
    skeleton::{JointId, Skeleton},
    skin::Skin,
};
use crate::{
    constrain::{HelperError, HelperJoint, HelperJoints},
    pose::LocalPose,
};
use std::{ops::Range, sync::Arc};
use thiserror::Error;

/// A mesh at its place: on a joint, and perhaps deformed by a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshInstance {
    /// The joint that carries it. A skinned mesh follows its skin's joints and ignores this joint's transform.
    pub joint: JointId,
    /// The place in the character's mesh list.
    pub mesh: usize,
    /// The place in the character's skin list.
    pub skin: Option<usize>,
    /// Rest weights of the mesh's morph targets here; empty to take the mesh's own.
    pub morph_weights: Vec<f32>,
}

/// A set of roots that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterScene {
    /// What the file calls it, possibly empty.
    pub name: String,
    /// The joints at the top of it.
    pub roots: Vec<JointId>,
}

/// What a character is made of, the input of [`Character::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterParts {
    /// The character's name.
    pub name: String,
    /// Who made it and under which terms, possibly empty.
    pub copyright: String,
    /// Every node of the file.
    pub skeleton: Arc<Skeleton>,
    /// The meshes.
    pub meshes: Vec<Arc<Mesh>>,
    /// The skins.
    pub skins: Vec<Arc<Skin>>,
    /// Which mesh hangs where.
    pub instances: Vec<MeshInstance>,
    /// The materials that primitives name.
    pub materials: Vec<Material>,
    /// The pictures that materials name.
    pub images: Vec<Image>,
    /// The motions.
    pub clips: Vec<Arc<Clip>>,
    /// The scenes; empty means that every root is shown.
    pub scenes: Vec<CharacterScene>,
    /// The place of the scene that is shown.
    pub default_scene: usize,
    /// Joints that follow from others, in the order in which they are moved.
    pub helpers: Vec<HelperJoint>,
    /// Application data that travels along.
    pub extras: Extras,
}

impl CharacterParts {
    /// Parts with a skeleton and nothing else.
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

/// A skeleton with what hangs on it and what moves it; all references between its parts hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    parts: CharacterParts,
    /// The pose's morph slots of each instance.
    morph_slots: Vec<Range<usize>>,
    rest_morphs: Vec<f32>,
    visible: Vec<bool>,
    helpers: HelperJoints,
}

/// Why parts make no character.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CharacterError {
    /// A part names another that does not exist.
    #[error("{from} names {kind} {index}, there are {count}")]
    Missing {
        /// The part that refers.
        from: String,
        /// What kind of part it names.
        kind: &'static str,
        /// The place it names.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A mesh's weights use more joints than the skin has.
    #[error("instance {instance}: mesh {mesh:?} uses {needed} joint slots, skin {skin:?} has {joints}")]
    SkinTooSmall {
        /// The instance's place.
        instance: usize,
        /// The mesh's name.
        mesh: String,
        /// The skin's name.
        skin: String,
        /// How many slots the weights use.
        needed: usize,
        /// How many joints the skin has.
        joints: usize,
    },
    /// Rest weights must be finite, one a target.
    #[error("instance {instance}: {count} morph weights for {targets} targets, or one is not finite")]
    BadMorphWeights {
        /// The instance's place.
        instance: usize,
        /// How many were given.
        count: usize,
        /// How many targets the mesh has.
        targets: usize,
    },
    /// A helper does not fit the skeleton.
    #[error(transparent)]
    Helper(#[from] HelperError),
}

impl Character {
    /// A character of `parts`.
    ///
    /// # Errors
    /// Where a part names a joint, mesh, skin, material, image, scene or morph slot that is not there, or a mesh does
    /// not fit its skin, or a helper not the skeleton.
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

    /// Who made it and under which terms, possibly empty.
    pub fn copyright(&self) -> &str {
        &self.parts.copyright
    }

    /// Every node of the file.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.parts.skeleton
    }

    /// The meshes.
    pub fn meshes(&self) -> &[Arc<Mesh>] {
        &self.parts.meshes
    }

    /// The skins.
    pub fn skins(&self) -> &[Arc<Skin>] {
        &self.parts.skins
    }

    /// Which mesh hangs where.
    pub fn instances(&self) -> &[MeshInstance] {
        &self.parts.instances
    }

    /// The materials that primitives name.
    pub fn materials(&self) -> &[Material] {
        &self.parts.materials
    }

    /// The pictures that materials name.
    pub fn images(&self) -> &[Image] {
        &self.parts.images
    }

    /// The motions.
    pub fn clips(&self) -> &[Arc<Clip>] {
        &self.parts.clips
    }

    /// The scenes of the file.
    pub fn scenes(&self) -> &[CharacterScene] {
        &self.parts.scenes
    }

    /// The place of the scene that is shown.
    pub fn default_scene(&self) -> usize {
        self.parts.default_scene
    }

    /// Joints that follow from others, as they can be looked at and changed.
    pub fn helpers(&self) -> &[HelperJoint] {
        &self.parts.helpers
    }

    /// Puts the helper joints of `pose` where the joints that they follow want them: once, after sampling and before the
    /// hierarchy. [`Frame::update`](crate::Frame::update) does it by itself.
    ///
    /// # Panics
    /// Where the pose has fewer joints than the skeleton.
    pub fn apply_helpers(&self, pose: &mut LocalPose) {
        self.helpers.apply(pose);
    }

    /// The same character with every helper off: what its skin would be without them.
    #[must_use]
    pub fn with_helpers_off(&self) -> Self {
        let mut off = self.clone();
        off.parts.helpers.iter_mut().for_each(|helper| helper.is_enabled = false);
        off.helpers = HelperJoints::default();
        off
    }

    /// True where no helper does anything.
    pub fn is_without_helpers(&self) -> bool {
        self.helpers.is_empty()
    }

    /// Application data that travels along.
    pub fn extras(&self) -> &Extras {
        &self.parts.extras
    }

    /// The mesh of an instance.
    pub fn mesh_of(&self, instance: &MeshInstance) -> &Mesh {
        &self.parts.meshes[instance.mesh]
    }

    /// The skin that deforms an instance: none where it has no skin or its mesh no weights.
    pub fn skin_of(&self, instance: &MeshInstance) -> Option<&Skin> {
        self.mesh_of(instance).weights()?;
        instance.skin.map(|skin| &*self.parts.skins[skin])
    }

    /// The first clip called `name`.
    pub fn find_clip(&self, name: &str) -> Option<&Arc<Clip>> {
        self.parts.clips.iter().find(|c| c.name() == name)
    }

    /// True where the default scene shows what hangs on `joint`.
    pub fn is_visible(&self, joint: JointId) -> bool {
        self.visible[joint.index()]
    }

    /// The places of the instances that the default scene shows.
    pub fn visible_instances(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.instances.len()).filter(|&i| self.is_visible(self.parts.instances[i].joint))
    }

    /// The pose's morph slots of the instance at `index`.
    pub fn morph_slots(&self, index: usize) -> Range<usize> {
        self.morph_slots[index].clone()
    }

    /// A pose with every joint and every morph weight at rest.
    pub fn rest_pose(&self) -> LocalPose {
        LocalPose { joints: self.parts.skeleton.rest_transforms().to_vec(), morphs: self.rest_morphs.clone() }
    }

    /// The parts again, to make a changed character from.
    pub fn into_parts(self) -> CharacterParts {
        self.parts
    }

    /// The parts, to look at or clone from.
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

/// Checks what an instance names, and gives its rest morph weights.
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
