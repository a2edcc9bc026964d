//! The curves of a take: when they jump or bend, and where they stand still.

use crate::{ReadError, budget::Budget};
use std::collections::HashMap;

/// Keys that are closer than this, in seconds, are one moment. Exporters write a jump as two keys one tick apart, and
/// the ticks of FBX are 2e-11 s.
const SAME_SECS: f64 = 1e-8;

/// The range of a take, in seconds of the file's timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TakeRange {
    pub(super) begin: f64,
    pub(super) end: f64,
}

impl TakeRange {
    /// The range that a take states. A take that states only its end begins at zero, and one that states nothing lasts
    /// from its first to its last key.
    pub(super) fn of(
        place: &str,
        stack: &ufbx::AnimStack,
        curves: &TakeCurves<'_>,
    ) -> Result<Self, ReadError> {
        let ticks = stack.element.scene.metadata.ktime_second as f64;
        let stated = |name: &str| stack.element.props.find_prop(name).map(|p| p.value_int as f64 / ticks);
        let begin = stated("LocalStart").or_else(|| stated("ReferenceStart"));
        let end = stated("LocalStop").or_else(|| stated("ReferenceStop"));
        let (begin, end) = match (begin, end) {
            (Some(_), Some(_)) => (stack.time_begin, stack.time_end),
            (begin, Some(end)) => (begin.unwrap_or(0.0), end),
            (begin, None) => {
                let (first, last) = curves.key_range().unwrap_or((0.0, 0.0));
                (begin.unwrap_or(first), last)
            }
        };
        if !begin.is_finite() || !end.is_finite() {
            let what = format!("the range must be finite, got {begin} s to {end} s");
            return Err(ReadError::invalid(place, what));
        }
        Ok(Self { begin, end: end.max(begin) })
    }

    pub(super) fn duration_secs(self) -> f64 {
        self.end - self.begin
    }
}

/// A moment at which a curve may jump or change its direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurveBreak {
    /// The first key of the moment, in seconds of the file's timeline.
    pub(super) first: f64,
    /// The last key of the moment.
    pub(super) last: f64,
    /// True if the values before, at and after the moment may differ.
    pub(super) may_jump: bool,
}

impl CurveBreak {
    pub(super) fn bend(time: f64) -> Self {
        Self { first: time, last: time, may_jump: false }
    }

    /// Shortly before the moment.
    pub(super) fn before(&self) -> f64 {
        self.first - margin(self.first)
    }

    /// Shortly after the moment.
    pub(super) fn after(&self) -> f64 {
        self.last + margin(self.last)
    }
}

fn margin(time: f64) -> f64 {
    SAME_SECS + time.abs() * 1e-12
}

/// Refuses keys with times, values or tangents that are not finite, before anything is evaluated.
pub(super) fn check_keys(scene: &ufbx::Scene) -> Result<(), ReadError> {
    let refuse = |curve: &ufbx::AnimCurve, key: usize, what: &str, value: f64| {
        let place = format!("{}, key {key}", place_of(scene, curve));
        Err(ReadError::invalid(place, format!("its {what} must be finite, got {value}")))
    };
    for curve in &scene.anim_curves {
        let keys = || curve.keyframes.iter().enumerate();
        if let Some((index, key)) = keys().find(|(_, key)| !key.time.is_finite()) {
            return refuse(curve, index, "time", key.time);
        }
        if let Some((index, key)) = keys().find(|(_, key)| !key.value.is_finite()) {
            return refuse(curve, index, "value", key.value);
        }
        let tangents = |key: &ufbx::Keyframe| [key.left.dx, key.left.dy, key.right.dx, key.right.dy];
        let bad = |key: &ufbx::Keyframe| tangents(key).into_iter().find(|t| !t.is_finite());
        if let Some((index, tangent)) = keys().find_map(|(index, key)| Some((index, bad(key)?))) {
            return refuse(curve, index, "tangent", f64::from(tangent));
        }
    }
    Ok(())
}

/// The property that a curve animates, for messages.
fn place_of(scene: &ufbx::Scene, curve: &ufbx::AnimCurve) -> String {
    let id = curve.element.element_id;
    let has = |value: &ufbx::AnimValue| value.curves.iter().flatten().any(|c| c.element.element_id == id);
    let props = scene.anim_layers.as_ref().iter().flat_map(|layer| layer.anim_props.iter());
    match props.into_iter().find(|prop| has(&prop.anim_value)) {
        Some(prop) => {
            format!("curve {} ({} of {:?})", curve.element.typed_id, &*prop.prop_name, &*prop.element.name)
        }
        None => format!("curve {}", curve.element.typed_id),
    }
}

/// The curves of a take by the element that they animate.
pub(super) struct TakeCurves<'a> {
    of_element: HashMap<u32, Vec<&'a ufbx::AnimCurve>>,
    /// Curves of layer weights, which act on every element of their layer.
    layer_weights: Vec<&'a ufbx::AnimCurve>,
}

impl<'a> TakeCurves<'a> {
    pub(super) fn of(anim: &'a ufbx::Anim) -> Self {
        let mut out = Self { of_element: HashMap::new(), layer_weights: Vec::new() };
        for layer in &anim.layers {
            for prop in &layer.anim_props {
                let curves = prop.anim_value.curves.iter().flatten().map(|curve| &**curve);
                if prop.element.element_id == layer.element.element_id {
                    out.layer_weights.extend(curves);
                } else {
                    out.of_element.entry(prop.element.element_id).or_default().extend(curves);
                }
            }
        }
        out
    }

    /// The times of the first and the last key.
    fn key_range(&self) -> Option<(f64, f64)> {
        let curves = self.of_element.values().flatten().filter(|curve| !curve.keyframes.is_empty());
        curves.map(|curve| (curve.min_time, curve.max_time)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// The curves that act on any of `elements`; `None` if the take animates none of them.
    pub(super) fn on(&self, elements: &[u32]) -> Option<Vec<&'a ufbx::AnimCurve>> {
        let lists = elements.iter().filter_map(|id| self.of_element.get(id));
        let mut curves: Vec<_> = lists.flatten().copied().collect();
        if curves.is_empty() && !elements.iter().any(|id| self.of_element.contains_key(id)) {
            return None;
        }
        curves.extend(&self.layer_weights);
        Some(curves)
    }
}

/// Adds the elements to whose properties those of `element` are connected.
pub(super) fn add_connected(element: &ufbx::Element, out: &mut Vec<u32>) {
    /// A file can connect properties in circles.
    const MAX_ELEMENTS: usize = 64;
    for link in &element.connections_dst {
        let id = link.src.element_id;
        let is_new = !link.src_prop.is_empty() && !link.dst_prop.is_empty() && !out.contains(&id);
        if is_new && out.len() < MAX_ELEMENTS {
            out.push(id);
            add_connected(&link.src, out);
        }
    }
}

/// The moments of `curves` within a take, in order. The first is its begin, the last its end.
pub(super) fn breaks(
    place: &str,
    curves: &[&ufbx::AnimCurve],
    range: TakeRange,
    budget: &Budget,
) -> Result<Vec<CurveBreak>, ReadError> {
    let mut out = vec![CurveBreak::bend(range.begin), CurveBreak::bend(range.end)];
    for curve in curves {
        key_breaks(place, curve, range, budget, &mut out)?;
        for side in [CurveSide::Before, CurveSide::After] {
            cycle_breaks(place, curve, side, range, budget, &mut out)?;
        }
    }
    Ok(merged(out))
}

/// Sorts moments and joins those at the same time.
pub(super) fn merged(mut breaks: Vec<CurveBreak>) -> Vec<CurveBreak> {
    breaks.sort_by(|a, b| a.first.total_cmp(&b.first));
    breaks.dedup_by(|next, kept| {
        let is_same = next.first - kept.last <= margin(kept.last);
        if is_same {
            // Two keys at different ticks of one moment are a jump.
            kept.may_jump |= next.may_jump || next.last - kept.first > kept.last.abs() * 1e-15 + 1e-12;
            kept.last = kept.last.max(next.last);
        }
        is_same
    });
    breaks
}

fn key_breaks(
    place: &str,
    curve: &ufbx::AnimCurve,
    range: TakeRange,
    budget: &Budget,
    out: &mut Vec<CurveBreak>,
) -> Result<(), ReadError> {
    let keys: &[ufbx::Keyframe] = &curve.keyframes;
    let is_in = |key: &ufbx::Keyframe| key.time >= range.begin && key.time <= range.end;
    budget.charge(place, keys.len(), size_of::<CurveBreak>())?;
    for (index, key) in keys.iter().enumerate().filter(|(_, key)| is_in(key)) {
        out.push(CurveBreak { may_jump: may_jump(curve, index), ..CurveBreak::bend(key.time) });
    }
    Ok(())
}

/// True if the values of a curve may differ before, at and after one of its keys.
fn may_jump(curve: &ufbx::AnimCurve, index: usize) -> bool {
    let keys: &[ufbx::Keyframe] = &curve.keyframes;
    let holds = |key: &ufbx::Keyframe| match key.interpolation {
        ufbx::Interpolation::ConstantPrev | ufbx::Interpolation::ConstantNext => true,
        ufbx::Interpolation::Linear | ufbx::Interpolation::Cubic => false,
    };
    let before = index.checked_sub(1).map(|k| &keys[k]);
    let starts_over = (index == 0 && repeats(&curve.pre_extrapolation))
        || (index + 1 == keys.len() && repeats(&curve.post_extrapolation));
    starts_over || holds(&keys[index]) || before.is_some_and(holds)
}

fn repeats(extrapolation: &ufbx::Extrapolation) -> bool {
    match extrapolation.mode {
        ufbx::ExtrapolationMode::Constant | ufbx::ExtrapolationMode::Slope => false,
        ufbx::ExtrapolationMode::Repeat
        | ufbx::ExtrapolationMode::Mirror
        | ufbx::ExtrapolationMode::RepeatRelative => extrapolation.repeat_count != 0,
    }
}

/// The side of a curve on which it is extrapolated.
#[derive(Clone, Copy, PartialEq)]
enum CurveSide {
    Before,
    After,
}

/// The keys of the cycles in which a curve repeats outside its own keys.
fn cycle_breaks(
    place: &str,
    curve: &ufbx::AnimCurve,
    side: CurveSide,
    range: TakeRange,
    budget: &Budget,
    out: &mut Vec<CurveBreak>,
) -> Result<(), ReadError> {
    let keys: &[ufbx::Keyframe] = &curve.keyframes;
    let extrapolation = match side {
        CurveSide::Before => &curve.pre_extrapolation,
        CurveSide::After => &curve.post_extrapolation,
    };
    let (min, max) = (curve.min_time, curve.max_time);
    let length = max - min;
    if keys.len() < 2 || !repeats(extrapolation) || length < 1e-11 {
        return Ok(());
    }
    // Away from the keys, from the nearer to the further end of the range.
    let (near, far) = match side {
        CurveSide::Before => (min - range.end, min - range.begin),
        CurveSide::After => (range.begin - max, range.end - max),
    };
    let mut cycle = (near / length).floor().max(0.0);
    let count = f64::from(extrapolation.repeat_count);
    while cycle * length <= far && (count < 0.0 || cycle < count) {
        budget.charge(place, keys.len(), size_of::<CurveBreak>())?;
        let is_mirrored = extrapolation.mode == ufbx::ExtrapolationMode::Mirror && cycle % 2.0 == 0.0;
        for (index, key) in keys.iter().enumerate() {
            let from_near = match (side == CurveSide::Before) == is_mirrored {
                true => key.time - min,
                false => max - key.time,
            };
            let away = cycle * length + from_near;
            let time = if side == CurveSide::Before { min - away } else { max + away };
            let is_end = index == 0 || index + 1 == keys.len();
            if time >= range.begin && time <= range.end {
                let may_jump = is_end || may_jump(curve, index);
                out.push(CurveBreak { may_jump, ..CurveBreak::bend(time) });
            }
        }
        cycle += 1.0;
    }
    Ok(())
}

/// True if a curve keeps its value around `time`, which must lie between two of its moments.
pub(super) fn is_still(curve: &ufbx::AnimCurve, time: f64) -> bool {
    let keys: &[ufbx::Keyframe] = &curve.keyframes;
    let next = keys.partition_point(|key| key.time <= time);
    let (Some(from), Some(to)) = (next.checked_sub(1).and_then(|k| keys.get(k)), keys.get(next)) else {
        let (extrapolation, key) = match next {
            0 => (&curve.pre_extrapolation, keys.first()),
            _ => (&curve.post_extrapolation, keys.last()),
        };
        let is_slope = extrapolation.mode == ufbx::ExtrapolationMode::Slope;
        let is_flat = key.is_none_or(|key| key.left.dy == 0.0 && key.right.dy == 0.0);
        return keys.len() < 2 || (!repeats(extrapolation) && (!is_slope || is_flat));
    };
    match from.interpolation {
        ufbx::Interpolation::ConstantPrev | ufbx::Interpolation::ConstantNext => true,
        ufbx::Interpolation::Linear => from.value == to.value,
        ufbx::Interpolation::Cubic => from.value == to.value && from.right.dy == 0.0 && to.left.dy == 0.0,
    }
}
