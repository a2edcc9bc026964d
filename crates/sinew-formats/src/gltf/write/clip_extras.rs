//! Writes the parts of a clip that glTF has no place for to the animation's `extras`.

use serde_json::{Map, Value};
use sinew::{
    Clip, ClipEvent, ClipKind, Interpolation, MetaChannel, MetaCurve,
    glam::{Quat, Vec3},
};

/// Events, meta-channels, kind and duration of a clip; `None` if it has none, is absolute and ends with its last key.
///
/// `hold` is the index of the channel that only shows the duration to other programs.
pub(in crate::gltf) fn clip_value(clip: &Clip, hold: Option<usize>) -> Option<Value> {
    let mut object = Map::new();
    if !clip.events().is_empty() {
        object.insert("events".into(), clip.events().iter().map(event).collect());
    }
    if !clip.metas().is_empty() {
        object.insert("metas".into(), clip.metas().iter().map(meta).collect());
    }
    if clip.kind() == ClipKind::Additive {
        object.insert("kind".into(), "additive".into());
    }
    if let Some(duration) = clip.parts().duration_secs {
        object.insert("duration".into(), duration.into());
    }
    if let Some(channel) = hold {
        object.insert("hold".into(), channel.into());
    }
    (!object.is_empty()).then_some(Value::Object(object))
}

fn event(event: &ClipEvent) -> Value {
    let mut object = Map::new();
    object.insert("time".into(), Value::from(event.time_secs));
    object.insert("name".into(), Value::from(event.name.as_str()));
    if let Some(payload) = &event.payload {
        object.insert("payload".into(), Value::from(payload.as_str()));
    }
    Value::Object(object)
}

fn meta(meta: &MetaChannel) -> Value {
    let interpolation = match meta.curve.interpolation() {
        Interpolation::Step => "STEP",
        Interpolation::Linear => "LINEAR",
        Interpolation::Cubic => "CUBICSPLINE",
    };
    let values: Vec<f32> = match &meta.curve {
        MetaCurve::Scalar(curve) => curve.elements().to_vec(),
        MetaCurve::Vector(curve) => curve.elements().iter().flat_map(Vec3::to_array).collect(),
        MetaCurve::Rotation(curve) => curve.elements().iter().flat_map(Quat::to_array).collect(),
    };
    let mut object = Map::new();
    object.insert("name".into(), meta.name.as_str().into());
    object.insert("kind".into(), meta.curve.kind().into());
    object.insert("interpolation".into(), interpolation.into());
    object.insert("times".into(), meta.curve.times_secs().into());
    object.insert("values".into(), values.into());
    Value::Object(object)
}
