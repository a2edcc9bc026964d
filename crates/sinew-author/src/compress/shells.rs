//! The radii of shells around joints, from the vertices that follow them.

use sinew::{Character, MeshInstance, Skin, Weights, glam::Vec3};

/// Vertices count for a joint from this weight on.
const MIN_WEIGHT: f32 = 0.1;
/// The part of the vertices that lie within the shell.
const WITHIN: f64 = 0.95;

/// The radius of every joint's shell in meters, for
/// [`CompressOptions::joint_shells_meters`](super::CompressOptions::joint_shells_meters): 95 % of the vertices that a joint
/// moves are within it. Joints that move no vertex have `otherwise_meters`.
#[must_use]
pub fn skin_shells(character: &Character, otherwise_meters: f64) -> Vec<f64> {
    let mut distances = vec![Vec::new(); character.skeleton().len()];
    for instance in character.instances() {
        let MeshInstance { mesh, skin: Some(skin), .. } = instance else { continue };
        let mesh = &character.meshes()[*mesh];
        if let Some(weights) = mesh.weights() {
            add(&character.skins()[*skin], weights, mesh.positions(), &mut distances);
        }
    }
    distances.into_iter().map(|of_joint| radius(of_joint).unwrap_or(otherwise_meters)).collect()
}

fn add(skin: &Skin, weights: &Weights, positions: &[Vec3], distances: &mut [Vec<f32>]) {
    for (vertex, position) in positions.iter().enumerate().take(weights.vertex_count()) {
        for influence in weights.influences(vertex).filter(|one| one.weight >= MIN_WEIGHT) {
            let slot = usize::from(influence.slot);
            let place = skin.joint_from_mesh()[slot].transform_point3(*position);
            distances[skin.joints()[slot].index()].push(place.length());
        }
    }
}

fn radius(mut distances: Vec<f32>) -> Option<f64> {
    let nth = ((distances.len() as f64 * WITHIN) as usize).min(distances.len().checked_sub(1)?);
    let radius = *distances.select_nth_unstable_by(nth, f32::total_cmp).1;
    Some(f64::from(radius)).filter(|radius| *radius > 0.0 && radius.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_reach_the_skin() {
        let figure = sinew_samples::figure();
        let shells = skin_shells(&figure, 0.03);
        let radius = |name: &str| shells[figure.skeleton().find(name).unwrap().index()];
        assert_eq!(shells.len(), figure.skeleton().len());
        assert!(radius("upper_arm.L") > 0.03 && radius("upper_arm.L") < 0.5, "{}", radius("upper_arm.L"));
        assert!(shells.iter().all(|radius| *radius > 0.0));
    }

    #[test]
    fn the_vertices_are_within_the_radius() {
        assert_eq!(radius((1..=100).map(|n| n as f32).collect()), Some(96.0));
        assert_eq!(radius(vec![]), None);
        assert_eq!(radius(vec![0.0]), None);
    }
}
