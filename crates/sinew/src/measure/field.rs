//! Per-vertex values that need no measurement at rest.

use crate::{asset::character::Character, frame::Frame};

/// The distance of every vertex of one frame from the same vertex of another, in meters; one list per instance.
///
/// Instances or vertices that exist in only one of them are left out.
pub fn distances(one: &Frame, other: &Frame) -> Vec<Vec<f32>> {
    let instances = one.deformed().iter().zip(other.deformed());
    let apart = instances.map(|(a, b)| a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)));
    apart.map(Iterator::collect).collect()
}

/// The number of influences of every vertex; one list per instance, 1 for meshes without a skin.
pub fn influence_counts(character: &Character) -> Vec<Vec<f32>> {
    let counts = character.instances().iter().map(|instance| {
        let mesh = character.mesh_of(instance);
        match mesh.weights().filter(|_| character.skin_of(instance).is_some()) {
            Some(weights) => (0..weights.vertex_count()).map(|v| weights.of(v).0.len() as f32).collect(),
            None => vec![1.0; mesh.vertex_count()],
        }
    });
    counts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use crate::sinew_samples;

    #[test]
    fn a_frame_equals_itself_and_methods_differ_in_a_bend() {
        let tube = sinew_samples::tube();
        let bent = |method| {
            let mut frame = Frame::new(&tube);
            frame.local_mut().copy_from(&sinew_samples::tube_pose(1.5, 0.0));
            frame.deform(method).unwrap();
            frame
        };
        let (linear, dual) = (bent(Method::Linear), bent(Method::DualQuat));
        assert!(distances(&linear, &linear)[0].iter().all(|d| *d == 0.0));
        assert!(distances(&linear, &dual)[0].iter().any(|d| *d > 0.001));
    }

    #[test]
    fn counts_are_those_of_the_weights() {
        let tube = sinew_samples::tube();
        let weights = tube.meshes()[0].weights().unwrap();
        let counts = influence_counts(&tube);
        assert_eq!(counts[0].len(), weights.vertex_count());
        assert_eq!(counts[0].iter().copied().fold(0.0, f32::max), weights.max_influences() as f32);
    }
}
