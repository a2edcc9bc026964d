//! Events, meta-channels, the duration and the kind of a clip survive glTF.

use serde_json::{Value, json};
use sinew::glam::{Quat, Vec3};
use sinew::{Character, Clip, ClipEvent, ClipKind, Curve, Interpolation, MetaChannel, MetaCurve};
use sinew_formats::{FindingCode, Import, read_bytes, to_glb, to_gltf};
use std::sync::Arc;

fn meta(name: &str, curve: MetaCurve) -> MetaChannel {
    MetaChannel { name: name.into(), curve }
}

/// One meta-channel of every kind and every interpolation, with values that have no short decimals.
fn metas() -> Vec<MetaChannel> {
    let third = 1.0_f32 / 3.0;
    let scalar = Curve::new(vec![0.0, 0.1, 1.7], vec![60.0, third, -1e-20], Interpolation::Linear).unwrap();
    let vector = Curve::new(vec![-0.5, 0.5], vec![Vec3::X * third, Vec3::Z], Interpolation::Step).unwrap();
    let turn = Quat::from_rotation_y(third);
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let spline = vec![zero, Quat::IDENTITY, turn, turn, turn, zero];
    let rotation = Curve::new(vec![0.25, 2.25], spline, Interpolation::Cubic).unwrap();
    vec![
        meta("fov", MetaCurve::Scalar(scalar)),
        meta("light color", MetaCurve::Vector(vector)),
        meta("camera", MetaCurve::Rotation(rotation)),
    ]
}

fn with_clips(clips: Vec<Clip>) -> Character {
    let mut parts = sinew_samples::arm().into_parts();
    parts.clips = clips.into_iter().map(Arc::new).collect();
    Character::new(parts).unwrap()
}

#[test]
fn events_meta_channels_and_kind_survive_bit_identical() {
    let swing = (*sinew_samples::arm().clips()[0]).clone();
    let event = ClipEvent { time_secs: 0.3, name: "snap".into(), payload: Some("loud".into()) };
    let bare = Clip::new("only events", vec![], vec![event]).unwrap();
    let clips = vec![
        swing.clone().with_metas(metas()).unwrap(),
        swing.with_kind(ClipKind::Additive),
        bare.clone().with_metas(metas()).unwrap(),
        Clip::new("only metas", vec![], vec![]).unwrap().with_metas(metas()).unwrap(),
        bare,
    ];
    let character = with_clips(clips);
    let import = read_bytes(&to_glb(&character).unwrap(), "arm").unwrap();
    assert_eq!(import.report.repair_count(), 0, "{:#?}", import.report);
    assert_eq!(import.character.clips().len(), 5);
    for (got, want) in import.character.clips().iter().zip(character.clips()) {
        assert_eq!(got, want, "{}", want.name());
    }
    assert_eq!(import.character.clips()[3].duration_secs(), 2.25);
}

#[test]
fn a_stated_duration_survives_and_shows_in_the_keys() {
    let swing = (*sinew_samples::arm().clips()[0]).clone();
    let end = swing.duration_secs();
    let event = ClipEvent { time_secs: 3.0, name: "late".into(), payload: None };
    let character = with_clips(vec![
        Clip::empty("empty", 2.0).unwrap(),
        swing.clone().with_duration(Some(5.5)).unwrap(),
        swing.clone().with_duration(Some(end)).unwrap(),
        swing.with_kind(ClipKind::Additive).with_duration(Some(4.0)).unwrap(),
        Clip::new("events", vec![], vec![event]).unwrap().with_duration(Some(3.5)).unwrap(),
    ]);
    let files = to_gltf(&character, "arm.bin").unwrap();
    let json: Value = serde_json::from_slice(&files.json).unwrap();
    for (animation, want) in json["animations"].as_array().unwrap().iter().zip([2.0, 5.5, end, 4.0, 3.5]) {
        // Other programs take the duration from the last key of a channel with a node.
        let last = |channel: &Value| {
            assert!(channel["target"]["node"].is_number());
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            json["accessors"][sampler["input"].as_u64().unwrap() as usize]["max"][0].as_f64().unwrap()
        };
        let seen = animation["channels"].as_array().unwrap().iter().map(last).fold(0.0, f64::max);
        assert_eq!(seen as f32, want, "{animation}");
    }
    let import = read_bytes(&to_glb(&character).unwrap(), "arm").unwrap();
    assert_eq!(import.report.repair_count(), 0, "{:#?}", import.report);
    for (got, want) in import.character.clips().iter().zip(character.clips()) {
        assert_eq!(got, want, "{}", want.name());
    }
    assert_eq!(import.character.clips().len(), 5);
}

#[test]
fn a_hold_that_moves_something_is_kept_and_an_invalid_duration_is_reported() {
    let swing = (*sinew_samples::arm().clips()[0]).clone().with_duration(Some(5.5)).unwrap();
    let files = to_gltf(&with_clips(vec![swing.clone()]), "arm.bin").unwrap();
    let read = |own: Value| {
        let mut json: Value = serde_json::from_slice(&files.json).unwrap();
        json["animations"][0]["extras"]["sinew"] = own;
        let fetch = |_: &str| Ok(files.buffer.clone());
        sinew_formats::read_gltf(json.to_string().as_bytes(), "arm", &fetch, &Default::default()).unwrap()
    };
    let count = |own: Value| read(own).character.clips()[0].channels().len();
    let channels = swing.channels().len();
    assert_eq!(count(json!({ "duration": 5.5, "hold": channels })), channels);
    for own in [
        json!({ "duration": 5.5, "hold": 0 }),
        json!({ "duration": 5.5, "hold": 99 }),
        json!({ "duration": 5.5 }),
        json!({ "duration": 5.0, "hold": channels }),
        json!({ "hold": channels }),
    ] {
        assert_eq!(count(own.clone()), channels + 1, "{own}");
    }
    for bad in [json!(-1), json!("long"), json!(1e39), json!([2])] {
        let import = read(json!({ "duration": bad }));
        let places: Vec<_> =
            import.report.of(FindingCode::EventsIgnored).map(|f| f.place.text.clone()).collect();
        assert_eq!(places, ["animations[0].extras.sinew.duration"], "{bad}");
    }
}

/// An arm whose first animation has these `extras.sinew`.
fn imported(own: Value) -> Import {
    let clip = Clip::new("c", vec![], vec![]).unwrap().with_metas(metas()).unwrap();
    let files = to_gltf(&with_clips(vec![clip]), "arm.bin").unwrap();
    let mut json: Value = serde_json::from_slice(&files.json).unwrap();
    json["animations"][0]["extras"]["sinew"] = own;
    let fetch = |_: &str| Ok(files.buffer.clone());
    sinew_formats::read_gltf(json.to_string().as_bytes(), "arm", &fetch, &Default::default()).unwrap()
}

#[test]
fn invalid_entries_are_reported_and_do_not_affect_others() {
    let good = json!({ "name": "good", "kind": "scalar", "times": [0, 1], "values": [2, 3] });
    let event = json!({ "time": 0.5, "name": "step" });
    let changed = |key: &str, value: Value| {
        let mut bad = json!({ "name": "bad", "kind": "scalar", "times": [0, 1], "values": [2, 3] });
        bad[key] = value;
        bad
    };
    let cases = [
        (changed("kind", json!("matrix")), "the kind \"matrix\" is unsupported"),
        (changed("interpolation", json!("BEZIER")), "interpolation \"BEZIER\" is unsupported"),
        (changed("values", json!([1])), "need 2 values, got 1"),
        (changed("kind", json!("vector")), "2 values are left over after groups of 3"),
        (changed("times", json!([1, 0])), "before the key"),
        (changed("times", json!([])), "at least one key"),
        (changed("values", json!([1, "x"])), "invalid type"),
        (changed("values", json!([1, 1e39])), "not finite"),
        (changed("name", json!("good")), "\"good\" is duplicate"),
        (json!(7), "invalid type"),
    ];
    for (bad, says) in cases {
        let import = imported(json!({ "events": [event], "metas": [good, bad] }));
        let clip = &import.character.clips()[0];
        assert_eq!((clip.metas().len(), clip.events().len()), (1, 1), "{bad}");
        let finding = import
            .report
            .of(FindingCode::EventsIgnored)
            .next()
            .unwrap_or_else(|| panic!("nothing about {bad}"));
        assert_eq!(finding.place.text, "animations[0].extras.sinew.metas[1]", "{finding}");
        assert!(finding.message.contains(says), "{finding} does not say {says:?}");
    }
    for (own, place) in [
        (json!({ "events": 5, "metas": [good] }), "animations[0].extras.sinew.events"),
        (json!({ "metas": 5, "events": [event] }), "animations[0].extras.sinew.metas"),
        (json!({ "kind": "odd", "events": [event] }), "animations[0].extras.sinew.kind"),
    ] {
        let import = imported(own);
        let clip = &import.character.clips()[0];
        assert_eq!(clip.metas().len() + clip.events().len(), 1, "{place}");
        assert!(import.report.of(FindingCode::EventsIgnored).any(|f| f.place.text == place), "{place}");
    }
}
