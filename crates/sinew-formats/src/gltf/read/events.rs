//! Sinew's data in the `extras` of an animation, under `sinew`: events, meta-channels, its duration, and whether it is
//! additive.
//!
//! ```json
//! "extras": { "sinew": { "events": [ { "time": 0.55, "name": "footfall.left", "payload": "heel" } ] } }
//! ```

use super::GltfReader;
use crate::{gltf::json::extras::SINEW, report::FindingCode};
use serde::Deserialize;
use serde_json::Value;
use sinew::{ClipEvent, ClipKind, MetaChannel};

/// The parts of a clip that glTF has no place for.
#[derive(Debug, Default)]
pub(super) struct ClipExtras {
    pub(super) events: Vec<ClipEvent>,
    pub(super) metas: Vec<MetaChannel>,
    pub(super) kind: ClipKind,
    /// How long the clip lasts in seconds.
    pub(super) duration: Option<f32>,
    /// The index of the channel that only shows the duration to other programs.
    pub(super) hold: Option<usize>,
}

/// The JSON form of [`ClipExtras`]. Each list is parsed separately, so that a malformed one does not affect the others.
#[derive(Debug, Deserialize)]
struct ClipExtrasJson {
    #[serde(default)]
    events: Value,
    #[serde(default)]
    metas: Value,
    #[serde(default)]
    kind: Value,
    #[serde(default)]
    duration: Value,
    #[serde(default)]
    hold: Value,
}

#[derive(Debug, Deserialize)]
struct EventJson {
    time: f32,
    name: String,
    #[serde(default)]
    payload: Option<String>,
}

impl GltfReader<'_> {
    /// Sinew's data of an animation, and its other extras.
    pub(super) fn clip_extras(&mut self, place: &str, extras: Option<&Value>) -> (ClipExtras, Option<Value>) {
        let mut extras = extras.cloned();
        let own = extras.as_mut().and_then(|e| e.as_object_mut()).and_then(|e| e.remove(SINEW));
        let Some(own) = own else { return (ClipExtras::default(), extras) };
        let place = format!("{place}.extras.{SINEW}");
        let own = match serde_json::from_value::<ClipExtrasJson>(own) {
            Ok(own) => own,
            Err(error) => {
                self.report.add(FindingCode::EventsIgnored, place, error.to_string());
                return (ClipExtras::default(), extras);
            }
        };
        let kind = match own.kind {
            Value::Null => ClipKind::Absolute,
            kind if kind == "absolute" => ClipKind::Absolute,
            kind if kind == "additive" => ClipKind::Additive,
            other => {
                let detail = format!("must be \"absolute\" or \"additive\", got {other}; absolute is used");
                self.report.add(FindingCode::EventsIgnored, format!("{place}.kind"), detail);
                ClipKind::Absolute
            }
        };
        let (events, metas) = (self.events(&place, own.events), self.metas(&place, own.metas));
        let duration = self.duration(&place, &own.duration);
        let hold = own.hold.as_u64().and_then(|index| usize::try_from(index).ok());
        (ClipExtras { events, metas, kind, duration, hold }, extras)
    }

    fn duration(&mut self, place: &str, value: &Value) -> Option<f32> {
        if value.is_null() {
            return None;
        }
        let secs = value.as_f64().map(|secs| secs as f32).filter(|secs| secs.is_finite() && *secs >= 0.0);
        if secs.is_none() {
            let detail = format!("must be a number of seconds, got {value}; the last key ends the clip");
            self.report.add(FindingCode::EventsIgnored, format!("{place}.duration"), detail);
        }
        secs
    }

    fn events(&mut self, place: &str, list: Value) -> Vec<ClipEvent> {
        let events = match serde_json::from_value::<Option<Vec<EventJson>>>(list) {
            Ok(events) => events.unwrap_or_default(),
            Err(error) => {
                self.report.add(FindingCode::EventsIgnored, format!("{place}.events"), error.to_string());
                return Vec::new();
            }
        };
        let usable = |e: &EventJson| e.time.is_finite() && e.time >= 0.0;
        let unusable = events.iter().filter(|e| !usable(e)).count();
        if unusable > 0 {
            let detail = format!("{unusable} events at negative or non-finite times");
            self.report.add(FindingCode::EventsIgnored, format!("{place}.events"), detail);
        }
        let event = |e: EventJson| ClipEvent { time_secs: e.time, name: e.name, payload: e.payload };
        events.into_iter().filter(usable).map(event).collect()
    }
}
