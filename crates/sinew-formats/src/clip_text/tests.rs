use super::*;
use sinew::{
    Channel, Character, Clip, ClipEvent, ClipKind, ClipParts, Curve, Interpolation, JointId, MetaChannel,
    MetaCurve, Wrap,
    glam::{Quat, Vec3},
    sample_clip,
};

fn error(text: &str, character: &Character) -> String {
    parse(text, character).unwrap_err().to_string()
}

/// A clip with one of everything.
fn everything() -> Clip {
    let third = 1.0_f32 / 3.0;
    let turn = Quat::from_rotation_y(third);
    let cubic = vec![Vec3::X * third, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::NEG_X, Vec3::ZERO];
    let scalar = |width| {
        let values = (0..2 * width).map(|k| k as f32 * third).collect();
        Curve::with_width(width, vec![0.0, 0.5], values, Interpolation::Step).unwrap()
    };
    let turns = Curve::new(vec![0.1, 0.7], vec![turn, Quat::IDENTITY], Interpolation::Linear).unwrap();
    let cubic = Curve::new(vec![0.0, 1.25], cubic, Interpolation::Cubic).unwrap();
    let meta = |name: &str, curve| MetaChannel { name: name.into(), curve };
    let event = |payload: Option<&str>| ClipEvent {
        time_secs: 0.3,
        name: "a \"b\" # c".into(),
        payload: payload.map(Into::into),
    };
    Clip::from_parts(ClipParts {
        name: "every\nthing".into(),
        channels: vec![
            Channel::Rotation { joint: JointId(1), curve: turns.clone() },
            Channel::Translation { joint: JointId(0), curve: cubic.clone() },
            Channel::Scale { joint: JointId(2), curve: cubic.clone() },
            Channel::Morphs { first_slot: 2, curve: scalar(3) },
        ],
        events: vec![event(None), event(Some("loud"))],
        metas: vec![
            meta("fov", MetaCurve::Scalar(scalar(1))),
            meta("color", MetaCurve::Vector(cubic)),
            meta("view", MetaCurve::Rotation(turns)),
        ],
        kind: ClipKind::Additive,
        duration_secs: Some(4.5),
    })
    .unwrap()
}

#[test]
fn clips_read_back_to_the_bit() {
    let figure = sinew_samples::figure();
    let mut clips: Vec<Clip> = figure.clips().iter().map(|clip| (**clip).clone()).collect();
    clips.extend([everything(), Clip::empty("", 2.0).unwrap(), Clip::new("none", vec![], vec![]).unwrap()]);
    let text = to_text(&clips, &figure, &ClipTextOptions::default());
    assert_eq!(parse(&text, &figure).unwrap(), clips);
    assert_eq!(parse(HEADER, &figure).unwrap(), []);
}

#[test]
fn degrees_are_measured_from_rest() {
    let figure = sinew_samples::figure();
    let walk = figure.find_clip("walk").unwrap();
    let text = to_text(std::slice::from_ref(walk), &figure, &ClipTextOptions::default().with_degrees(true));
    assert!(text.contains(" degrees linear\n") && !text.contains(" rotation "), "{text}");
    let again = &parse(&text, &figure).unwrap()[0];
    let (mut a, mut b) = (figure.rest_pose(), figure.rest_pose());
    for step in 0..10_u8 {
        let time = f32::from(step) * 0.1;
        sample_clip(walk, time, Wrap::Clamp, &mut a);
        sample_clip(again, time, Wrap::Clamp, &mut b);
        for (a, b) in a.joints.iter().zip(&b.joints) {
            assert!(a.rotation.angle_between(b.rotation) < 1e-3);
        }
    }
    let arm = sinew_samples::arm();
    let clips = parse("sinew-clips 1\nclip \"c\"\njoint \"lower\" degrees step\n0 0 0 90", &arm).unwrap();
    let mut pose = arm.rest_pose();
    sample_clip(&clips[0], 0.0, Wrap::Clamp, &mut pose);
    let want = sinew_samples::arm_pose(90.0_f32.to_radians());
    assert!(pose.joints[1].rotation.angle_between(want.joints[1].rotation) < 1e-3);
}

#[test]
fn errors_name_the_line_and_what_is_allowed() {
    let arm = sinew_samples::arm();
    let say = |lines: &str| error(&format!("sinew-clips 1\n{lines}"), &arm);
    assert_eq!(error("", &arm), "line 1: the first line must be \"sinew-clips 1\", got \"\"");
    assert_eq!(say("duration 2"), "line 2: a line \"clip NAME\" must come first");
    assert_eq!(say("clip wave"), "line 2: the line must be clip \"NAME\"");
    assert_eq!(
        say("clip \"c\"\nwobble"),
        "line 3: \"wobble \" is neither clip, duration, additive, joint, slots, meta, event nor a key"
    );
    assert_eq!(say("clip \"c\"\n0 1"), "line 3: a key must follow a line that starts a channel");
    let elbow = say("clip \"c\"\njoint \"elbow\" scale linear");
    assert_eq!(elbow, "line 3: there is no joint \"elbow\"; there are upper, lower, tip");
    assert!(say("clip \"c\"\njoint \"lower\" spin linear").contains("a property must be translation"));
    assert!(say("clip \"c\"\njoint \"lower\" degrees cubic").contains("degrees with step or linear"));
    assert!(say("clip \"c\"\njoint \"lower\" scale soft").contains("step, linear or cubic, got \"soft\""));
    let key = |key: &str| say(&format!("clip \"c\"\njoint \"lower\" degrees linear\n{key}"));
    assert_eq!(key("0 1 2"), "line 4: a key of this channel must have a time and 3 numbers, got 2");
    assert_eq!(key("0 1 2 x"), "line 4: \"x\" is not a number");
    assert_eq!(key("0 1 2 nan"), "line 4: \"nan\" is not a number");
    assert_eq!(key("# nothing"), "line 3: the channel has no key");
    assert!(key("1 0 0 0\n0 0 0 0").starts_with("line 3: key 1 must be finite and not before"));
    assert!(say("clip \"c\"\nduration -1").contains("line 2: clip \"c\": the duration must be"));
    assert!(say("clip \"c\"\nslots 0 0 linear").contains("slots FIRST COUNT"));
    assert!(say("clip \"c\"\nevent 1 name").contains("event TIME"));
}

#[test]
fn truncated_and_mutated_texts_are_refused_or_read() {
    let arm = sinew_samples::arm();
    let text = to_text(&[everything()], &arm, &ClipTextOptions::default());
    let mut bytes = text.clone().into_bytes();
    let mut seed = 11_u32;
    for round in 0..3 * text.len() {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let place = (seed >> 8) as usize % bytes.len();
        let before = std::mem::replace(&mut bytes[place], b"\"# -9e\nj\x80."[(seed >> 4) as usize % 10]);
        let mutated = String::from_utf8_lossy(&bytes).into_owned();
        let cut = text.get(..round % text.len()).unwrap_or_default();
        for text in [cut, &mutated] {
            if let Ok(clips) = parse(text, &arm) {
                let again = parse(&to_text(&clips, &arm, &ClipTextOptions::default()), &arm);
                assert_eq!(again.unwrap(), clips, "{text}");
            }
        }
        bytes[place] = before;
    }
}
