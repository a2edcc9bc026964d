//! The retarget report, as JSON.

use super::{super::ConvertArgs, side};
use serde::Serialize;
use sinew_author::retarget::{
    ContactPart, ContactReport, GroundFigures, LimitReport, MapConfidence, PairConfidence, RegionConfidence,
    RetargetReport,
};

/// Everything that `--json` prints.
#[derive(Debug, Serialize)]
pub(in super::super) struct RetargetJson {
    file: String,
    onto: Option<String>,
    output: String,
    frame_count: usize,
    dropped_rest_frame: bool,
    root_scale: f32,
    height_meters: f32,
    ground_meters: f32,
    map_confidence: MapJson,
    joint_map: Vec<PairJson>,
    unmapped_source_joints: Vec<String>,
    unmapped_target_joints: Vec<String>,
    feet: Vec<ContactJson>,
    hands: Vec<ContactJson>,
    body_penetration: LengthJson,
    max_sink: LengthJson,
    limits: Vec<LimitJson>,
}

#[derive(Debug, Serialize)]
struct MapJson {
    overall: f32,
    verdict: &'static str,
    regions: Vec<RegionJson>,
}

#[derive(Debug, Serialize)]
struct RegionJson {
    region: &'static str,
    confidence: f32,
}

#[derive(Debug, Serialize)]
struct PairJson {
    source: String,
    target: String,
    confidence: f32,
    /// What speaks against the pair most.
    doubt: Option<String>,
}

#[derive(Debug, Serialize)]
struct ContactJson {
    side: &'static str,
    vertex_count: usize,
    contact_count: usize,
    contact_secs: f32,
    before: GroundJson,
    /// `None` if contacts were not pinned.
    after: Option<GroundJson>,
    mean_reach_error: LengthJson,
    max_reach_error: LengthJson,
    overbend_degrees: f32,
    overbend: LengthJson,
}

#[derive(Debug, Serialize)]
struct GroundJson {
    mean_meters_per_sec: f32,
    max_meters_per_sec: f32,
    max_drift: LengthJson,
    max_penetration: LengthJson,
    max_hover: LengthJson,
}

#[derive(Debug, Serialize)]
struct LimitJson {
    joint_name: String,
    max_degrees: f32,
    max_displacement: LengthJson,
    frame_count: usize,
}

/// A length in meters and in percent of the height of the character.
#[derive(Debug, Serialize)]
struct LengthJson {
    meters: f32,
    percent: f32,
}

/// Converts lengths for a character of some height.
#[derive(Clone, Copy)]
struct Scale {
    height_meters: f32,
}

impl Scale {
    fn length(self, meters: f32) -> LengthJson {
        LengthJson { meters, percent: 100.0 * meters / self.height_meters.max(f32::MIN_POSITIVE) }
    }

    fn ground(self, figures: &GroundFigures) -> GroundJson {
        GroundJson {
            mean_meters_per_sec: figures.slide.mean_meters_per_sec,
            max_meters_per_sec: figures.slide.worst_meters_per_sec,
            max_drift: self.length(figures.slide.worst_drift_meters),
            max_penetration: self.length(figures.penetration_meters),
            max_hover: self.length(figures.hover_meters),
        }
    }

    fn contact(self, contact: &ContactReport) -> ContactJson {
        ContactJson {
            side: side(contact.side),
            vertex_count: contact.vertices,
            contact_count: contact.contacts,
            contact_secs: contact.contact_secs,
            before: self.ground(&contact.before),
            after: contact.after.as_ref().map(|after| self.ground(after)),
            mean_reach_error: self.length(contact.mean_reach_error_meters),
            max_reach_error: self.length(contact.worst_reach_error_meters),
            overbend_degrees: contact.overbend_degrees,
            overbend: self.length(contact.overbend_meters),
        }
    }

    fn limit(self, limit: &LimitReport) -> LimitJson {
        LimitJson {
            joint_name: limit.joint.clone(),
            max_degrees: limit.worst_degrees,
            max_displacement: self.length(limit.worst_meters),
            frame_count: limit.frames,
        }
    }
}

pub(in super::super) fn json(args: &ConvertArgs, report: &RetargetReport) -> RetargetJson {
    let scale = Scale { height_meters: report.height_meters };
    let contacts = |part: ContactPart| {
        report.contacts.iter().filter(|c| c.part == part).map(|c| scale.contact(c)).collect()
    };
    RetargetJson {
        file: args.input.clone(),
        onto: args.onto.clone(),
        output: args.output.display().to_string(),
        frame_count: report.frames,
        dropped_rest_frame: report.dropped_rest_frame,
        root_scale: report.root_scale,
        height_meters: report.height_meters,
        ground_meters: report.ground_meters,
        map_confidence: map_json(&report.confidence),
        joint_map: report.confidence.pairs.iter().map(pair_json).collect(),
        unmapped_source_joints: report.unmapped_source.clone(),
        unmapped_target_joints: report.unmapped_target.clone(),
        feet: contacts(ContactPart::Foot),
        hands: contacts(ContactPart::Hand),
        body_penetration: scale.length(report.body_penetration_meters),
        max_sink: scale.length(report.worst_sink_meters),
        limits: report.limits.iter().map(|l| scale.limit(l)).collect(),
    }
}

fn map_json(map: &MapConfidence) -> MapJson {
    let region = |r: &RegionConfidence| RegionJson { region: r.region.name(), confidence: r.confidence };
    MapJson {
        overall: map.overall,
        verdict: map.verdict().name(),
        regions: map.regions.iter().map(region).collect(),
    }
}

fn pair_json(pair: &PairConfidence) -> PairJson {
    let [source, target] = pair.names.clone();
    PairJson { source, target, confidence: pair.confidence, doubt: pair.doubt() }
}
