//! Wrap modes in files.

use crate::sample::Wrap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Wrap")]
enum WrapName {
    Clamp,
    Loop,
    PingPong,
}

pub(super) fn serialize<S: Serializer>(wrap: &Wrap, serializer: S) -> Result<S::Ok, S::Error> {
    WrapName::serialize(wrap, serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Wrap, D::Error> {
    WrapName::deserialize(deserializer)
}
