use super::*;

fn rotation(keys: Vec<Quat>) -> Channel {
    let times = (0..keys.len()).map(|k| k as f32).collect();
    Channel::Rotation { joint: JointId(4), curve: Curve::new(times, keys, Interpolation::Linear).unwrap() }
}

#[test]
fn lasts_until_the_last_key_or_event() {
    let channel = rotation(vec![Quat::IDENTITY; 3]);
    let event = |t| ClipEvent { time_secs: t, name: "e".into(), payload: None };
    let clip = Clip::new("c", vec![channel.clone()], vec![]).unwrap();
    assert_eq!((clip.duration_secs(), clip.joint_count()), (2.0, 5));
    let clip = Clip::new("c", vec![channel], vec![event(3.0), event(1.0)]).unwrap();
    assert_eq!(clip.duration_secs(), 3.0);
    assert_eq!(clip.events()[0].time_secs, 1.0);
}

#[test]
fn rejects_morph_slots_that_cannot_be_numbered() {
    let curve = Curve::with_width(2, vec![0.0], vec![0.0; 2], Interpolation::Step).unwrap();
    let of_slot = |first_slot| vec![Channel::Morphs { first_slot, curve: curve.clone() }];
    assert!(Clip::new("c", of_slot(7), vec![]).is_ok());
    for slot in [usize::MAX, usize::MAX - 1, u32::MAX as usize] {
        let error = Clip::new("c", of_slot(slot), vec![]).unwrap_err();
        assert!(matches!(error, ClipError::SlotOutOfRange { width: 2, .. }), "{slot}");
    }
}

#[test]
fn rejects_a_rotation_that_is_not_of_unit_length() {
    let channel = rotation(vec![Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.0, 1.1)]);
    let error = Clip::new("c", vec![channel], vec![]).unwrap_err();
    assert!(matches!(error, ClipError::NonUnitRotation { channel: 0, key: 1, .. }));
}

#[test]
fn meta_channels_are_found_by_name_and_lengthen_the_clip() {
    let curve = Curve::new(vec![0.0, 5.0], vec![0.0, 1.0], Interpolation::Linear).unwrap();
    let meta = MetaChannel { name: "glow".into(), curve: MetaCurve::Scalar(curve) };
    let clip = Clip::new("c", vec![rotation(vec![Quat::IDENTITY; 3])], vec![]).unwrap();
    let clip = clip.with_metas(vec![meta.clone()]).unwrap();
    assert_eq!(clip.duration_secs(), 5.0);
    assert_eq!(clip.find_meta("glow"), Some(&meta));
    assert_eq!(clip.find_meta("gleam"), None);
    assert_eq!(Clip::from_parts(clip.clone().into_parts()).unwrap(), clip);
}

#[test]
fn rejects_meta_channels_that_share_a_name_or_hold_no_values() {
    let meta = |value: f32| MetaChannel {
        name: "m".into(),
        curve: MetaCurve::Scalar(Curve::new(vec![0.0], vec![value], Interpolation::Step).unwrap()),
    };
    let fault = |metas| match Clip::new("c", vec![], vec![]).unwrap().with_metas(metas) {
        Err(ClipError::BadMeta { fault, .. }) => Some(fault),
        _ => None,
    };
    assert_eq!(fault(vec![meta(1.0)]), None);
    assert_eq!(fault(vec![meta(1.0), meta(2.0)]), Some(MetaFault::Repeated));
    assert_eq!(fault(vec![meta(f32::NAN)]), Some(MetaFault::NotFinite { element: 0 }));
    let wide = Curve::with_width(2, vec![0.0], vec![Vec3::ONE; 2], Interpolation::Step).unwrap();
    let wide = MetaChannel { name: "m".into(), curve: MetaCurve::Vector(wide) };
    assert_eq!(fault(vec![wide]), Some(MetaFault::WrongWidth { width: 2 }));
    let long = Curve::new(vec![0.0], vec![Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)], Interpolation::Step);
    let long = MetaChannel { name: "m".into(), curve: MetaCurve::Rotation(long.unwrap()) };
    assert!(matches!(fault(vec![long]), Some(MetaFault::NonUnitRotation { key: 0, .. })));
}

#[test]
fn rejects_values_and_event_times_that_are_not_finite() {
    let channel = rotation(vec![Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)]);
    assert!(matches!(Clip::new("c", vec![channel], vec![]), Err(ClipError::OutOfRange { .. })));
    let event = ClipEvent { time_secs: f32::NAN, name: "e".into(), payload: None };
    assert!(matches!(Clip::new("c", vec![], vec![event]), Err(ClipError::BadEventTime { .. })));
}

#[test]
fn a_stated_duration_outlasts_the_keys_and_never_cuts_them() {
    let clip = Clip::empty("c", 2.0).unwrap();
    assert_eq!((clip.duration_secs(), clip.last_key_secs(), clip.joint_count()), (2.0, 0.0, 0));
    let keyed = |duration_secs| {
        let channels = vec![rotation(vec![Quat::IDENTITY; 3])];
        Clip::from_parts(ClipParts { channels, duration_secs, ..ClipParts::default() }).unwrap()
    };
    assert_eq!((keyed(Some(5.0)).duration_secs(), keyed(Some(5.0)).last_key_secs()), (5.0, 2.0));
    assert_eq!((keyed(Some(1.0)).duration_secs(), keyed(None).duration_secs()), (2.0, 2.0));
    assert_eq!(keyed(Some(1.0)).parts().duration_secs, Some(2.0), "the parts say what the clip does");
    let clip = keyed(Some(5.0));
    assert_eq!(Clip::from_parts(clip.clone().into_parts()).unwrap(), clip);
    assert_eq!(clip.with_duration(None).unwrap().duration_secs(), 2.0);
}

#[test]
fn rejects_durations_that_are_negative_or_not_finite() {
    for duration in [-0.5, f32::NAN, f32::INFINITY] {
        let error = Clip::empty("c", duration).unwrap_err();
        assert!(matches!(error, ClipError::BadDuration { .. }), "{duration}");
    }
    let error = Clip::empty("c", -0.5).unwrap_err();
    assert_eq!(error.to_string(), "clip \"c\": the duration must be finite and not negative, got -0.5 s");
}
