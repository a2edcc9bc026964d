//! What clips do to the body: collapse by twist, and loss of volume.

use super::{CheckOptions, Finding, FindingCode, bound::bound_meshes, keys::clip_place};
use sinew::{
    Character, Clip, ClipKind, Frame, Method, Wrap,
    measure::{Gauge, Twist},
};

/// The most moments of a clip that are measured.
const MOST_MOMENTS: usize = 90;
/// So many of the vertices must have collapsed.
const LEAST_PART: f64 = 0.002;
const LEAST_VERTICES: usize = 6;
/// What turns less about the bone has not collapsed by twist.
const LEAST_TWIST_RADIANS: f32 = 1.7;

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
        let least = LEAST_VERTICES.max((LEAST_PART * total as f64) as usize);
        if collapsed.vertices.len() >= least {
            let message = format!(
                "{} collapse to less than {:.0} % of their distance from the bone, down to {:.0} %",
                super::counted::vertices(collapsed.vertices.len()),
                options.least_radius * 100.0,
                collapsed.radius * 100.0
            );
            let finding =
                Finding::new(FindingCode::CandyWrap, place(collapsed.time_secs, collapsed), message);
            out.push(finding.with("radius_ratio", collapsed.radius));
        }
        if gauge.is_closed() && worst.volume < options.least_volume {
            let message = format!("the body keeps {:.0} % of its volume", worst.volume * 100.0);
            let none = Collapsed { vertices: Vec::new(), ..collapsed.clone() };
            let finding = Finding::new(FindingCode::VolumeLoss, place(worst.volume_secs, &none), message);
            out.push(finding.with("volume_ratio", worst.volume));
        }
    }
}

struct Worst {
    volume: f64,
    volume_secs: f32,
    collapsed: Collapsed,
}

/// Vertices that are too near to their bone.
#[derive(Clone, Default)]
struct Collapsed {
    time_secs: f32,
    instance: usize,
    vertices: Vec<u32>,
    radius: f64,
}

fn worst(character: &Character, gauge: &Gauge, clip: &Clip, options: &CheckOptions) -> Option<Worst> {
    let mut frame = Frame::new(character);
    let bound = bound_meshes(character);
    let twists: Vec<Twist> = bound.iter().map(|b| Twist::new(b.skeleton(), b.skin)).collect();
    let mut out = Worst { volume: 1.0, volume_secs: 0.0, collapsed: Collapsed::default() };
    let steps = (clip.duration_secs() * options.rate_hz).ceil().clamp(0.0, MOST_MOMENTS as f32) as usize;
    for step in 0..=steps {
        let time = clip.duration_secs() * (step as f32 / steps.max(1) as f32);
        frame.reset();
        frame.sample(clip, time, Wrap::Clamp);
        frame.deform(Method::Linear).ok()?;
        let volume = gauge.measure(&frame).volume;
        if volume < out.volume {
            (out.volume, out.volume_secs) = (volume, time);
        }
        for (instance, radii) in gauge.radius_field(&frame).iter().enumerate() {
            let Some(at) = bound.iter().position(|b| b.instance == instance) else { continue };
            let is_thin = |(_, r): &(usize, &f32)| f64::from(**r) < options.least_radius;
            if !radii.iter().enumerate().any(|one| is_thin(&one)) {
                continue;
            }
            let palette = &frame.palettes()[bound[at].skin_index];
            let twisted = twists[at].radians(bound[at].weights, palette);
            let is_wrung = |(v, _): &(usize, &f32)| twisted[*v] > LEAST_TWIST_RADIANS;
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
