//! What clips do to the body: candy-wrapper collapse and volume loss.

use super::{
    CheckOptions, Finding, FindingCode,
    bound::{BoundMesh, bound_meshes},
    clip_work::{ClipWork, size_of},
    keys::clip_place,
};
use sinew::{
    Character, Clip, ClipKind, Frame, Method, Wrap,
    measure::{Gauge, Twist},
};
use std::collections::BTreeMap;

/// At most this many moments of a clip are measured.
const MAX_MOMENTS: usize = 90;
/// At min_count this fraction of the vertices must have collapsed.
const MIN_COLLAPSED_FRACTION: f64 = 0.002;
const MIN_VERTICES: usize = 6;
/// A vertex that twists less about its bone has not collapsed by twist.
const MIN_TWIST_RADIANS: f32 = 1.7;

pub(super) fn findings(
    character: &Character,
    options: &CheckOptions,
    work: &ClipWork,
    out: &mut Vec<Finding>,
) {
    let Ok(gauge) = Gauge::new(character) else { return };
    let mut meter = ShapeMeter::new(character, &gauge, options);
    let size = size_of(character);
    let total = character.meshes().iter().map(|m| m.vertex_count()).sum::<usize>();
    for (index, clip) in character.clips().iter().enumerate().filter(|(_, c)| c.kind() == ClipKind::Absolute)
    {
        // A clip that moves nothing keeps the shape of the rest pose.
        if clip.channels().is_empty() || !work.allows(index, meter.steps(clip) + 1, size) {
            continue;
        }
        let Some(worst) = meter.worst(clip) else { continue };
        let place = |time, collapsed: &Collapsed| {
            let mut place = clip_place(clip, index, None, Some(time));
            place.instance = Some(collapsed.instance);
            place.vertices = collapsed.vertices.clone();
            place
        };
        let collapsed = &worst.collapsed;
        let min_count = MIN_VERTICES.max((MIN_COLLAPSED_FRACTION * total as f64) as usize);
        if collapsed.vertices.len() >= min_count {
            let message = format!(
                "{} collapse to less than {:.0} % of their distance from the bone, down to {:.0} %",
                super::counted::vertices(collapsed.vertices.len()),
                options.min_radius_ratio * 100.0,
                collapsed.radius * 100.0
            );
            let finding =
                Finding::new(FindingCode::CandyWrap, place(collapsed.time_secs, collapsed), message);
            out.push(finding.with("radius_ratio", collapsed.radius));
        }
        if gauge.is_closed() && worst.volume < options.min_volume_ratio {
            let message = format!("the body keeps {:.0} % of its volume", worst.volume * 100.0);
            let none = Collapsed { vertices: Vec::new(), ..collapsed.clone() };
            let finding = Finding::new(FindingCode::VolumeLoss, place(worst.volume_secs, &none), message);
            out.push(finding.with("volume_ratio", worst.volume));
        }
    }
}

struct WorstMoments {
    volume: f64,
    volume_secs: f32,
    collapsed: Collapsed,
}

/// Vertices that are too close to their bone.
#[derive(Clone, Default)]
struct Collapsed {
    time_secs: f32,
    instance: usize,
    vertices: Vec<u32>,
    radius: f64,
}

/// Measures clips, with what is the same for all of them.
struct ShapeMeter<'a> {
    gauge: &'a Gauge,
    options: &'a CheckOptions,
    frame: Frame,
    bound: Vec<BoundMesh<'a>>,
    /// Of each skin that deforms a mesh.
    twists: BTreeMap<usize, Twist>,
    /// For each mesh instance, its place in `bound`.
    bound_of_instance: Vec<Option<usize>>,
}

impl<'a> ShapeMeter<'a> {
    fn new(character: &'a Character, gauge: &'a Gauge, options: &'a CheckOptions) -> Self {
        let bound = bound_meshes(character);
        let mut twists = BTreeMap::new();
        for bound in &bound {
            let new = || Twist::new(bound.skeleton(), bound.skin);
            twists.entry(bound.skin_index).or_insert_with(new);
        }
        let mut bound_of_instance = vec![None; character.instances().len()];
        for (place, bound) in bound.iter().enumerate() {
            bound_of_instance[bound.instance] = Some(place);
        }
        Self { gauge, options, frame: Frame::new(character), bound, twists, bound_of_instance }
    }

    /// The number of steps between the moments of a clip.
    fn steps(&self, clip: &Clip) -> usize {
        (clip.duration_secs() * self.options.rate_hz).ceil().clamp(0.0, MAX_MOMENTS as f32) as usize
    }

    fn worst(&mut self, clip: &Clip) -> Option<WorstMoments> {
        let mut out = WorstMoments { volume: 1.0, volume_secs: 0.0, collapsed: Collapsed::default() };
        let steps = self.steps(clip);
        for step in 0..=steps {
            let time = clip.duration_secs() * (step as f32 / steps.max(1) as f32);
            self.frame.reset();
            self.frame.sample(clip, time, Wrap::Clamp);
            self.frame.deform(Method::Linear).ok()?;
            let volume = self.gauge.volume_ratio(&self.frame);
            if volume < out.volume {
                (out.volume, out.volume_secs) = (volume, time);
            }
            self.collapse(time, &mut out.collapsed);
        }
        Some(out)
    }

    /// Keeps the instance with the most vertices that are too close to their bone at this moment.
    fn collapse(&self, time_secs: f32, worst: &mut Collapsed) {
        for (instance, radii) in self.gauge.radius_field(&self.frame).iter().enumerate() {
            let Some(at) = self.bound_of_instance.get(instance).copied().flatten() else { continue };
            let is_thin = |(_, r): &(usize, &f32)| f64::from(**r) < self.options.min_radius_ratio;
            if !radii.iter().enumerate().any(|one| is_thin(&one)) {
                continue;
            }
            let bound = &self.bound[at];
            let palette = &self.frame.palettes()[bound.skin_index];
            let twisted = self.twists[&bound.skin_index].radians(bound.weights, palette);
            let is_wrung = |(v, _): &(usize, &f32)| twisted[*v] > MIN_TWIST_RADIANS;
            let thin = radii.iter().enumerate().filter(is_thin).filter(is_wrung);
            let thin: Vec<u32> = thin.map(|(v, _)| v as u32).collect();
            if thin.len() > worst.vertices.len() {
                let radius = f64::from(radii.iter().copied().fold(f32::INFINITY, f32::min));
                *worst = Collapsed { time_secs, instance, vertices: thin, radius };
            }
        }
    }
}
