//! The measurements of a whole character.

use super::{BoneSegments, Distortion, RestShape, Thickness, Twist, open_edges, volume};
use crate::{
    asset::character::Character,
    deform::{DeformError, Method},
    frame::Frame,
};
use glam::Vec3;
use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

/// Measurements of a character at rest, to compare its deformed frames with.
#[derive(Clone, Debug)]
pub struct Gauge {
    parts: Vec<MeasuredPart>,
}

/// One visible instance at rest.
#[derive(Clone, Debug)]
struct MeasuredPart {
    instance: usize,
    /// The positions at rest, and what is measured on them when it is first needed: edges are found in seconds on millions
    /// of vertices.
    rest: Vec<Vec3>,
    shape: OnceLock<RestShape>,
    /// `None` for a mesh without a skin.
    thickness: Option<Thickness>,
    twist: Option<Arc<Twist>>,
    volume: f64,
    closed: bool,
}

impl MeasuredPart {
    /// Edges and areas at rest. `frame` is one of the same character.
    fn shape(&self, frame: &Frame) -> &RestShape {
        let character = frame.character();
        let mesh = character.mesh_of(&character.instances()[self.instance]);
        self.shape.get_or_init(|| RestShape::new(&self.rest, mesh.points(), mesh.triangles()))
    }
}

/// Measurements of a deformed frame relative to the character at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeMeasures {
    /// The volume of all skinned meshes relative to rest; exact if [`Gauge::is_closed`], otherwise an estimate.
    pub volume: f64,
    /// The smallest distance of a vertex from its bones, relative to rest.
    pub min_radius: f64,
    /// The largest distance of a vertex from its bones, relative to rest.
    pub max_radius: f64,
    /// Edges, area and normals, over all visible meshes.
    pub distortion: Distortion,
}

impl Gauge {
    /// Measures `character` at rest, deformed by linear blend skinning.
    ///
    /// # Errors
    /// Never for a valid character; the deformer's error otherwise.
    pub fn new(character: &Character) -> Result<Self, DeformError> {
        let mut frame = Frame::new(character);
        frame.deform(Method::Linear)?;
        // Thousands of meshes may share a skin of thousands of joints.
        let mut of_skins: BTreeMap<Option<usize>, (Arc<BoneSegments>, Arc<Twist>)> = BTreeMap::new();
        let part = |instance: usize| {
            let it = &character.instances()[instance];
            let mesh = character.mesh_of(it);
            let positions = &frame.deformed()[instance].positions;
            let bound = character.skin_of(it).zip(mesh.weights());
            let shared = bound.map(|(skin, weights)| {
                let new = || {
                    let bones = Arc::new(BoneSegments::new(character.skeleton(), skin));
                    let twist = Arc::new(Twist::of_bones(skin, &bones));
                    (bones, twist)
                };
                let (bones, twist) = of_skins.entry(it.skin).or_insert_with(new).clone();
                (Thickness::of_bones(bones, skin, weights, frame.model(), positions), twist)
            });
            let (thickness, twist) = shared.unzip();
            MeasuredPart {
                instance,
                rest: positions.clone(),
                shape: OnceLock::new(),
                thickness,
                twist,
                volume: volume(positions, mesh.triangles()),
                closed: open_edges(mesh.points(), mesh.triangles()) == 0,
            }
        };
        Ok(Self { parts: character.visible_instances().map(part).collect() })
    }

    /// True if every skinned mesh is closed, so that its volume is exact.
    pub fn is_closed(&self) -> bool {
        self.skinned().all(|p| p.closed)
    }

    fn skinned(&self) -> impl Iterator<Item = &MeasuredPart> {
        self.parts.iter().filter(|p| p.thickness.is_some())
    }

    /// Measures a deformed frame of the same character.
    ///
    /// # Panics
    /// If `frame` belongs to another character.
    pub fn measure(&self, frame: &Frame) -> ShapeMeasures {
        let radii = self.radius_field(frame);
        let extreme = |f: fn(f32, f32) -> f32| radii.iter().flatten().copied().fold(1.0, f);
        ShapeMeasures {
            volume: self.volume_ratio(frame),
            min_radius: f64::from(extreme(f32::min)),
            max_radius: f64::from(extreme(f32::max)),
            distortion: self.distortion(frame),
        }
    }

    /// The volume of all skinned meshes relative to rest, as in [`ShapeMeasures::volume`].
    ///
    /// # Panics
    /// If `frame` belongs to another character.
    pub fn volume_ratio(&self, frame: &Frame) -> f64 {
        let rest: f64 = self.skinned().map(|p| p.volume).sum();
        let now: f64 = self.skinned().map(|p| deformed_volume(frame, p.instance)).sum();
        if rest == 0.0 { 1.0 } else { now / rest }
    }

    fn distortion(&self, frame: &Frame) -> Distortion {
        let none = Distortion {
            min_stretch: 1.0,
            max_stretch: 1.0,
            rms_stretch: 0.0,
            area: 1.0,
            normal_radians: 0.0,
        };
        let parts = self.skinned().map(|p| {
            let streams = &frame.deformed()[p.instance];
            p.shape(frame).distortion(&streams.positions, &streams.normals)
        });
        parts.fold(none, |a, b| Distortion {
            min_stretch: a.min_stretch.min(b.min_stretch),
            max_stretch: a.max_stretch.max(b.max_stretch),
            rms_stretch: a.rms_stretch.max(b.rms_stretch),
            area: if (b.area - 1.0).abs() > (a.area - 1.0).abs() { b.area } else { a.area },
            normal_radians: a.normal_radians.max(b.normal_radians),
        })
    }

    /// Every vertex's distance from its bones relative to rest, one list per instance of the character; 1 for vertices that
    /// cannot be measured.
    ///
    /// # Panics
    /// If `frame` belongs to another character.
    pub fn radius_field(&self, frame: &Frame) -> Vec<Vec<f32>> {
        let character = frame.character();
        let mut out = ones(frame);
        for part in &self.parts {
            let instance = &character.instances()[part.instance];
            let bound = character.skin_of(instance).zip(character.mesh_of(instance).weights());
            if let (Some(thickness), Some((skin, weights))) = (&part.thickness, bound) {
                let positions = &frame.deformed()[part.instance].positions;
                out[part.instance] = thickness.ratios(skin, weights, frame.model(), positions);
            }
        }
        out
    }

    /// Every vertex's most stretched edge relative to rest, one list per instance of the character.
    ///
    /// # Panics
    /// If `frame` belongs to another character.
    pub fn stretch_field(&self, frame: &Frame) -> Vec<Vec<f32>> {
        let mut out = ones(frame);
        for part in &self.parts {
            out[part.instance] = part.shape(frame).vertex_stretch(&frame.deformed()[part.instance].positions);
        }
        out
    }

    /// The thickness of twisted skin relative to rest: 1 without twist, below 1 for a candy-wrapper collapse. Thickness counts
    /// fully from a twist of [`Gauge::FULL_TWIST_RADIANS`].
    pub fn collapse_field(&self, frame: &Frame) -> Vec<Vec<f32>> {
        let character = frame.character();
        let mut out = self.radius_field(frame);
        for part in &self.parts {
            let instance = &character.instances()[part.instance];
            let (Some(twist), Some(skin), Some(weights)) =
                (&part.twist, instance.skin, character.mesh_of(instance).weights())
            else {
                continue;
            };
            let radians = twist.radians(weights, &frame.palettes()[skin]);
            for (thickness, radians) in out[part.instance].iter_mut().zip(radians) {
                let fraction = (radians / Self::FULL_TWIST_RADIANS).min(1.0);
                *thickness = 1.0 + (thickness.min(1.0) - 1.0) * fraction;
            }
        }
        out
    }

    /// The twist in radians from which a loss of thickness is attributed to the twist alone: a right angle.
    pub const FULL_TWIST_RADIANS: f32 = std::f32::consts::FRAC_PI_2;
}

fn ones(frame: &Frame) -> Vec<Vec<f32>> {
    frame.deformed().iter().map(|s| vec![1.0; s.positions.len()]).collect()
}

fn deformed_volume(frame: &Frame, instance: usize) -> f64 {
    let character = frame.character();
    let mesh = character.mesh_of(&character.instances()[instance]);
    volume(&frame.deformed()[instance].positions, mesh.triangles())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;

    #[test]
    fn at_rest_every_figure_is_one() {
        for name in sinew_samples::NAMES {
            let character = sinew_samples::find(name).unwrap();
            let gauge = Gauge::new(&character).unwrap();
            let mut frame = Frame::new(&character);
            frame.deform(Method::Linear).unwrap();
            let figures = gauge.measure(&frame);
            assert!(gauge.is_closed(), "{name} is open");
            let radii = [figures.min_radius, figures.max_radius];
            let stretch = [figures.distortion.min_stretch, figures.distortion.max_stretch];
            for figure in [[figures.volume, figures.distortion.area], radii, stretch].concat() {
                assert!((figure - 1.0).abs() < 1e-4, "{name}: {figures:?}");
            }
        }
    }

    #[test]
    fn only_a_twist_shows_as_collapse() {
        let tube = sinew_samples::tube();
        let gauge = Gauge::new(&tube).unwrap();
        let mut frame = Frame::new(&tube);
        let mut min_ratio = |bend: f32, twist: f32| {
            frame.local_mut().copy_from(&sinew_samples::tube_pose(bend, twist));
            frame.deform(Method::Linear).unwrap();
            gauge.collapse_field(&frame)[0].iter().copied().fold(f32::INFINITY, f32::min)
        };
        assert!(min_ratio(1.5, 0.0) > 0.999);
        assert!(min_ratio(0.0, 3.0) < 0.1);
    }

    #[test]
    fn a_bent_tube_measures_as_linear_blend_skinning_bends_it() {
        let tube = sinew_samples::tube();
        let gauge = Gauge::new(&tube).unwrap();
        let mut frame = Frame::new(&tube);
        frame.local_mut().copy_from(&sinew_samples::tube_pose(std::f32::consts::FRAC_PI_2, 0.0));
        frame.deform(Method::Linear).unwrap();
        let figures = gauge.measure(&frame);
        assert!((figures.volume - 0.961).abs() < 0.002, "{figures:?}");
        assert!(figures.distortion.min_stretch < 0.5, "the inside of the bend is not squeezed: {figures:?}");
        assert!(gauge.stretch_field(&frame)[0].iter().any(|s| *s < 0.5));
    }
}
