//! The method that deforms a character best, by measured qualities.

use super::{FrameMeasures, MethodComparison, MethodFrames};
use crate::SelfIntersections;
use sinew::{Character, Frame, Method, Streams};

/// Where the skins of a character pass through themselves at rest, by instance; `None` for instances without a skin.
pub(super) struct RestIntersections(Vec<Option<(SelfIntersections, Vec<u32>)>>);

impl RestIntersections {
    pub(super) fn new(character: &Character) -> Self {
        let of_instances = character.instances().iter().map(|instance| {
            let mesh = character.mesh_of(instance);
            instance.skin.filter(|_| mesh.weights().is_some()).map(|_| {
                let found = SelfIntersections::new(mesh);
                let at_rest = found.edges(mesh.positions());
                (found, at_rest)
            })
        });
        Self(of_instances.collect())
    }

    /// The number of edges that pass through their own skin in `frame`, but not at rest.
    pub(super) fn new_in(&self, frame: &Frame) -> usize {
        let count = |(found, at_rest): &(SelfIntersections, Vec<u32>), streams: &Streams| {
            let now = found.edges(&streams.positions);
            now.iter().filter(|edge| at_rest.binary_search(edge).is_err()).count()
        };
        let skins = self.0.iter().zip(frame.deformed());
        skins.filter_map(|(found, streams)| found.as_ref().map(|found| count(found, streams))).sum()
    }
}

/// A fault of a method over all frames; 0 is none.
type Fault = fn(&MethodFrames) -> f64;

/// The faults by which methods are ranked: volume, distance from the bones, stretched edges, self-intersections.
const FAULTS: [Fault; 4] = [
    |method| worst(method, |frame| (frame.shape.volume - 1.0).abs()),
    |method| worst(method, |frame| (1.0 - frame.shape.min_radius).max(frame.shape.max_radius - 1.0)),
    |method| worst(method, |frame| frame.shape.distortion.rms_stretch),
    |method| method.new_self_intersections as f64,
];

/// Faults that differ by less than this part of the larger one are equal.
const ALIKE: f64 = 0.02;

/// So are those that differ by less than this. A skin that keeps its distance from two bones loses volume where it folds: 0.9 % of
/// a tube that is bent by 90°.
const UNSEEN: f64 = 0.01;

fn worst(method: &MethodFrames, fault: fn(&FrameMeasures) -> f64) -> f64 {
    method.frames.iter().map(fault).fold(0.0, f64::max)
}

impl MethodComparison {
    /// The method with the best mean rank in loss of volume, change of distance from the bones, stretch and
    /// self-intersections; the one that was named first of several. Rigid skinning, which is for rigid parts, is left
    /// out. `None` if nothing else was compared.
    pub fn recommended(&self) -> Option<Method> {
        let candidates = || self.methods.iter().filter(|method| method.method != Method::Rigid);
        let rank = |method: &MethodFrames| -> usize {
            let better = |fault: &Fault| {
                let own = fault(method);
                candidates().filter(|other| fault(other) < (own * (1.0 - ALIKE)).min(own - UNSEEN)).count()
            };
            FAULTS.iter().map(better).sum()
        };
        candidates().min_by_key(|method| rank(method)).map(|method| method.method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PrepareOptions, prepare_character, uninterrupted};
    use sinew::NormalSource;

    #[test]
    fn a_method_that_keeps_the_radius_is_recommended_where_a_limb_bends() {
        let methods = [Method::Rigid, Method::Linear, Method::DualQuat, Method::Cor, Method::Contact];
        let options = PrepareOptions::for_methods(&methods);
        let (tube, _) = prepare_character(&sinew_samples::tube(), &options, &mut uninterrupted).unwrap();
        let bend = tube.find_clip("bend_90").unwrap();
        let (normals, times) = (NormalSource::Joints, [bend.duration_secs()]);
        let compared =
            MethodComparison::new(&tube, Some(bend), &times, &methods, normals, &mut uninterrupted).unwrap();
        assert!(matches!(compared.recommended(), Some(Method::DualQuat | Method::Contact)));
        let edges = |of: Method| {
            let method = compared.methods.iter().find(|method| method.method == of);
            method.unwrap().new_self_intersections
        };
        assert!(edges(Method::Contact) <= edges(Method::DualQuat));
    }

    #[test]
    fn rigid_skinning_is_never_recommended() {
        let tube = sinew_samples::tube();
        let (methods, normals) = ([Method::Rigid], NormalSource::Joints);
        let compared =
            MethodComparison::new(&tube, None, &[0.0], &methods, normals, &mut uninterrupted).unwrap();
        assert_eq!(compared.recommended(), None);
    }
}
