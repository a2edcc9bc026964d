//! The weights of a character's meshes.

use crate::random::Random;
use sinew::Character;
use sinew_author::{
    uninterrupted,
    weights::{
        BoneSet, Edit, EffectPoses, PoseOptions,
        auto::{AutoMethod, AutoOptions, auto_weights},
        ops::{self, LimitBy, SmoothOptions, Unorm},
        text,
    },
};

/// Automatic weights of the first skinned mesh.
pub(super) fn auto(character: &Character, random: &mut Random) {
    let skinned = character.instances().iter().find_map(|i| Some((character.mesh_of(i), i.skin?)));
    let Some((mesh, skin)) = skinned else { return };
    let method = random.pick(&AutoMethod::ALL).unwrap_or_default();
    let options = AutoOptions { method, resolution: 24, ..AutoOptions::default() };
    if let Ok(weighted) =
        auto_weights(mesh, &BoneSet::of_character(character, skin), &options, &mut uninterrupted)
    {
        assert_eq!(weighted.weights.vertex_count(), mesh.vertex_count());
    }
}

/// Every edit of weights without further input, with its effect on poses.
pub(super) fn edit(character: &Character) {
    for instance in character.instances().iter().take(2) {
        let (mesh, Some(index)) = (character.mesh_of(instance), instance.skin) else { continue };
        let poses = EffectPoses::of_character(
            character,
            index,
            &PoseOptions { per_clip: 2, ..PoseOptions::default() },
        );
        let Ok(edit) = Edit::new(mesh) else { continue };
        let edit = edit.over(&poses);
        let smooth = SmoothOptions { iterations: 2, ..SmoothOptions::default() };
        let outcomes = [
            ops::limit(&edit, 2, LimitBy::Refit),
            ops::prune(&edit, 0.1),
            ops::normalize(&edit),
            ops::sharpen(&edit, 2.0),
            ops::smooth(&edit, &smooth),
            ops::quantize(&edit, Unorm::Eight).map(|quantized| quantized.outcome),
        ];
        for outcome in outcomes.iter().flatten() {
            assert_eq!(outcome.weights.vertex_count(), mesh.vertex_count());
        }
        let (Some(weights), skin) = (mesh.weights(), &character.skins()[index]) else { continue };
        let written = text::to_text(mesh.name(), weights, character.skeleton(), skin);
        _ = text::from_text(&written, character.skeleton(), skin, None);
    }
}
