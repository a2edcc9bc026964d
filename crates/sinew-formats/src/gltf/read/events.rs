//! Events, kept in an animation's `extras` under `sinew`.
//!
//! ```json
//! "extras": { "sinew": { "events": [ { "time": 0.55, "name": "footfall.left", "payload": "heel" } ] } }
//! ```

use super::Reader;
use crate::{gltf::json::extras::SINEW, report::Code};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinew::ClipEvent;

/// What Sinew keeps with an animation.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct ClipExtras {
    pub(crate) events: Vec<EventJson>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct EventJson {
    pub(crate) time: f32,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) payload: Option<String>,
}

impl Reader<'_> {
    /// The events of an animation, and its other extras.
    pub(super) fn events(&mut self, place: &str, extras: Option<&Value>) -> (Vec<ClipEvent>, Option<Value>) {
        let mut extras = extras.cloned();
        let own = extras.as_mut().and_then(|e| e.as_object_mut()).and_then(|e| e.remove(SINEW));
        let Some(own) = own else { return (Vec::new(), extras) };
        let place = format!("{place}.extras.{SINEW}");
        let events = match serde_json::from_value::<ClipExtras>(own) {
            Ok(own) => own.events,
            Err(error) => {
                self.report.add(Code::EventsIgnored, place, error.to_string());
                return (Vec::new(), extras);
            }
        };
        let usable = |e: &EventJson| e.time.is_finite() && e.time >= 0.0;
        let unusable = events.iter().filter(|e| !usable(e)).count();
        if unusable > 0 {
            self.report.add(Code::EventsIgnored, place, format!("{unusable} at times that are no times"));
        }
        let event = |e: EventJson| ClipEvent { time_secs: e.time, name: e.name, payload: e.payload };
        (events.into_iter().filter(usable).map(event).collect(), extras)
    }
}
