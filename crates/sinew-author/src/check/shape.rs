//! What clips do to the body: candy-wrapper collapse and volume loss.

use super::{CheckOptions, Finding, FindingCode, bound::bound_meshes, keys::clip_place};
use sinew::{
    Character, Clip, ClipKind, Frame, Method, Wrap,
    measure::{Gauge, Twist},
};

/// At most this many moments of a clip are measured.
const MAX_MOMENTS: usize = 90;
/// At min_count this fraction of the vertices must have collapsed.
const MIN_COLLAPSED_FRACTION: f64 = 0.002;
const MIN_VERTICES: usize = 6;
/// A vertex that twists less about its bone has not collapsed by twist.
const MIN_TWIST_RADIANS: f32 = 1.7;

pub(super) fn findings(character: &Character, options: &CheckOptions, out: &mut Vec<Finding>) {
    let Ok(gauge) = Gauge::new(character) else { return };
    for (index, clip) in character.clips().iter().enumerate().filter(|(_, c)| c.kind() == ClipKind::Absolute)
    {
        let Some(worst) = worst(character, &gauge, clip, options) else { continue };
        let place = |time, collapsed: &Collapsed| {
            let mut place = clip_place(clip, index, None, Some(time));
            place.instance = Some(collapsed.instance);
            place.vertices = collapsed.vertices.clone();
            place
        };
        let collapsed = &worst.collapsed;
        let total = character.meshes().iter().map(|m| m.vertex_count()).sum::<usize>();
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

fn worst(character: &Character, gauge: &Gauge, clip: &Clip, options: &CheckOptions) -> Option<WorstMoments> {
    let mut frame = Frame::new(character);
    let bound = bound_meshes(character);
    let twists: Vec<Twist> = bound.iter().map(|b| Twist::new(b.skeleton(), b.skin)).collect();
    let mut out = WorstMoments { volume: 1.0, volume_secs: 0.0, collapsed: Collapsed::default() };
    let steps = (clip.duration_secs() * options.rate_hz).ceil().clamp(0.0, MAX_MOMENTS as f32) as usize;
    for step in 0..=steps {
        let time = clip.duration_secs() * (step as f32 / steps.max(1) as f32);
        frame.reset();
        frame.sample(clip, time, Wrap::Clamp);
        frame.deform(Method::Linear).ok()?;
        let volume = gauge.volume_ratio(&frame);
        if volume < out.volume {
            (out.volume, out.volume_secs) = (volume, time);
        }
        for (instance, radii) in gauge.radius_field(&frame).iter().enumerate() {
            let Some(at) = bound.iter().position(|b| b.instance == instance) else { continue };
            let is_thin = |(_, r): &(usize, &f32)| f64::from(**r) < options.min_radius_ratio;
            if !radii.iter().enumerate().any(|one| is_thin(&one)) {
                continue;
            }
            let palette = &frame.palettes()[bound[at].skin_index];
            let twisted = twists[at].radians(bound[at].weights, palette);
            let is_wrung = |(v, _): &(usize, &f32)| twisted[*v] > MIN_TWIST_RADIANS;
            let thin = radii.iter().enumerate().filter(is_thin).filter(is_wrung);
            let thin: Vec<u32> = thin.map(|(v, _)| v as u32).collect();
            if thin.len() > out.collapsed.vertices.len() {
                let radius = f64::from(radii.iter().copied().fold(f32::INFINITY, f32::min));
                out.collapsed = Collapsed { time_secs: time, instance, vertices: thin, radius };
            }
        }
    }
    Some(out)
}
