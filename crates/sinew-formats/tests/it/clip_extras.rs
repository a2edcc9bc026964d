//! Events, meta-channels and the kind of a clip survive glTF.

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
