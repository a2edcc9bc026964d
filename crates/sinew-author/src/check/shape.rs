//! What clips do to the body: candy-wrapper collapse and volume loss.

mod rings;

use super::{
    CheckOptions, Finding, FindingCode,
    bound::{BoundMesh, bound_meshes},
    clip_work::{ClipWork, size_of},
    effect::EffectMeter,
    keys::clip_place,
};
use rings::CollapsedRings;
use sinew::{
    Character, Clip, ClipKind, Frame, Method, Wrap,
    finding::FindingEffect,
    glam::Vec3,
    measure::{Gauge, Twist, volume},
};
use std::collections::BTreeMap;

/// At most this many moments of a clip are measured.
const MAX_MOMENTS: usize = 90;
/// A vertex that twists less about its bone has not collapsed by twist.
const MIN_TWIST_RADIANS: f32 = 1.7;

pub(super) fn findings(
    effects: &EffectMeter<'_>,
    options: &CheckOptions,
    work: &ClipWork,
    out: &mut Vec<Finding>,
) {
    let character = effects.character();
    let Ok(gauge) = Gauge::new(character) else { return };
    let mut meter = ShapeMeter::new(character, &gauge, options);
    let size = size_of(character);
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
        if !collapsed.vertices.is_empty() {
            let effect = collapse_effect(effects, clip, collapsed);
            let message = format!(
                "{} collapse to less than {:.0} % of their distance from the bone, down to {:.0} %",
                super::counted::vertices(collapsed.vertices.len()),
                options.min_radius_ratio * 100.0,
                collapsed.radius * 100.0
            );
            let finding =
                Finding::new(FindingCode::CandyWrap, place(collapsed.time_secs, collapsed), message);
            out.push(finding.with("radius_ratio", collapsed.radius).with_effect(effect));
        }
        if gauge.is_closed() && worst.volume < options.min_volume_ratio {
            let message = format!("the body keeps {:.0} % of its volume", worst.volume * 100.0);
            let none = Collapsed { vertices: Vec::new(), ..collapsed.clone() };
            let finding = Finding::new(FindingCode::VolumeLoss, place(worst.volume_secs, &none), message);
            let effect = effects.of_meters(lost_depth(character, 1.0 - worst.volume));
            out.push(finding.with("volume_ratio", worst.volume).with_effect(effect));
        }
    }
}

/// How far the collapsed skin is from where dual quaternion skinning, which keeps its distance from the bone, would put it.
fn collapse_effect(effects: &EffectMeter<'_>, clip: &Clip, collapsed: &Collapsed) -> FindingEffect {
    let mut frame = Frame::new(effects.character());
    let mut posed = |method: Method| -> Option<Vec<Vec3>> {
        frame.sample(clip, collapsed.time_secs, Wrap::Clamp);
        frame.deform(method).ok()?;
        let positions = &frame.deformed()[collapsed.instance].positions;
        Some(collapsed.vertices.iter().map(|&v| positions[v as usize]).collect())
    };
    let (linear, kept) = (posed(Method::Linear), posed(Method::DualQuat));
    let pairs = linear.iter().flatten().zip(kept.iter().flatten());
    effects.of_meters(pairs.map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max))
}

/// How deep the skin sinks in, on average, if a part of the volume at rest is lost.
fn lost_depth(character: &Character, lost: f64) -> f64 {
    let mut frame = Frame::new(character);
    if frame.deform(Method::Linear).is_err() {
        return 0.0;
    }
    let skinned =
        character.visible_instances().filter(|&i| character.skin_of(&character.instances()[i]).is_some());
    let (mut whole, mut area) = (0.0, 0.0);
    for index in skinned {
        let mesh = character.mesh_of(&character.instances()[index]);
        let positions = &frame.deformed()[index].positions;
        whole += volume(positions, mesh.triangles());
        let corner = |v: u32| positions[v as usize].as_dvec3();
        let of = |[a, b, c]: [u32; 3]| (corner(b) - corner(a)).cross(corner(c) - corner(a)).length() / 2.0;
        area += mesh.triangles().map(of).sum::<f64>();
    }
    if area > 0.0 { lost * whole.abs() / area } else { 0.0 }
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
    rings: BTreeMap<usize, CollapsedRings>,
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
        let (frame, rings) = (Frame::new(character), BTreeMap::new());
        Self { gauge, options, frame, bound, twists, bound_of_instance, rings }
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
    fn collapse(&mut self, time_secs: f32, worst: &mut Collapsed) {
        let fields = self.gauge.radius_field(&self.frame);
        for (instance, radii) in fields.iter().enumerate() {
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
            if thin.len() <= worst.vertices.len() {
                continue;
            }
            let rings = self.rings.entry(at).or_insert_with(|| CollapsedRings::new(bound));
            let thin = rings.around_bones(bound, &thin);
            if thin.len() > worst.vertices.len() {
                let radius = thin.iter().map(|&v| radii[v as usize]).fold(f32::INFINITY, f32::min);
                let radius = f64::from(radius);
                *worst = Collapsed { time_secs, instance, vertices: thin, radius };
            }
        }
    }
}
