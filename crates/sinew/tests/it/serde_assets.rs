//! Assets come back from JSON equal, and malformed ones are errors with the constructor's message.

mod everything;

use everything::everything;
use serde::{
    Deserialize, Serialize,
    de::{
        DeserializeOwned,
        value::{Error as ValueError, MapDeserializer},
    },
};
use serde_json::{Value, json};
use sinew::{
    BlendMap, CentersOfRotation, Character, Clip, Curve, Influence, Mesh, MorphTargets, Skeleton, Skin,
    Weights, constrain::DriverCurve,
};
use std::fmt::Debug;

fn read_back<T: Serialize + DeserializeOwned>(asset: &T) -> T {
    serde_json::from_str(&serde_json::to_string(asset).unwrap()).unwrap()
}

/// Equal by value and, since the sign of a zero does not count there, by text.
#[track_caller]
fn assert_round_trip(character: &Character) {
    let again = read_back(character);
    assert!(again == *character, "{} changed", character.name());
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(character).unwrap());
}

/// The error of reading `asset` after `damage` to its JSON.
fn error_of<T: Serialize + DeserializeOwned + Debug>(asset: &T, damage: impl Fn(&mut Value)) -> String {
    let mut json = serde_json::to_value(asset).unwrap();
    damage(&mut json);
    serde_json::from_value::<T>(json).unwrap_err().to_string()
}

fn tube_skin() -> Skin {
    Skin::clone(&sinew_samples::tube().skins()[0])
}

fn tube_weights() -> Weights {
    Weights::clone(sinew_samples::tube().meshes()[0].weights().unwrap())
}

#[test]
fn built_in_characters_come_back_equal() {
    assert_round_trip(&sinew_samples::figure());
    assert_round_trip(&sinew_samples::arm());
    assert_round_trip(&sinew_samples::rigid_arm());
    assert_round_trip(&sinew_samples::tube());
    assert_round_trip(&sinew_samples::tube_with_rolls(4).0);
}

#[test]
fn a_character_with_every_kind_of_part_comes_back_equal() {
    assert_round_trip(&everything());
    assert_round_trip(&everything().with_helpers_off());
}

#[test]
fn weights_and_muscle_weights_come_back_to_the_bit() {
    let bits = |list: &[f32]| list.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
    let thirds = |v: u16| (0..5).map(move |s| Influence { slot: s, weight: 1.0 / f32::from(s + v + 3) });
    let (weights, _) = Weights::new_with_muscles(5, (0..40).map(thirds), |slot| slot == 3).unwrap();
    for weights in [weights.strongest(), weights, tube_weights(), tube_weights().strongest()] {
        let again = read_back(&weights);
        assert_eq!(again, weights);
        for vertex in 0..weights.vertex_count() {
            let (was, is) = (weights.of(vertex), again.of(vertex));
            assert_eq!((was.0, bits(was.1)), (is.0, bits(is.1)));
            let (was, is) = (weights.muscle_of(vertex), again.muscle_of(vertex));
            assert_eq!((was.0, bits(was.1)), (is.0, bits(is.1)));
        }
    }
}

#[test]
fn muscle_weights_that_cancel_out_are_dropped_and_come_back_equal() {
    let influence = |slot, weight| Influence { slot, weight };
    let vertex = [influence(0, 1.0), influence(1, 0.5), influence(2, 0.25), influence(1, -0.5)];
    let (weights, _) = Weights::new_with_muscles(3, [vertex], |slot| slot > 0).unwrap();
    assert_eq!(weights.muscle_of(0), (&[2][..], &[0.25][..]));
    assert_eq!(read_back(&weights), weights);
}

#[test]
fn a_skin_that_refers_to_a_missing_joint_is_an_error() {
    let tube = sinew_samples::tube();
    let damage = |json: &mut Value| json["skins"][0]["joints"][0] = json!(99);
    let text = error_of(&tube, damage);
    let wanted = format!(
        "skin {:?} refers to joint 99, but there are {}",
        tube.skins()[0].name(),
        tube.skeleton().len()
    );
    assert!(text.contains(&wanted), "{text}");
    let damage = |json: &mut Value| json["skins"][0]["root"] = json!(98);
    assert!(error_of(&tube, damage).contains("refers to joint 98"));
}

#[test]
fn lists_of_a_skin_must_fit_each_other() {
    let damage = |json: &mut Value| json["joints"] = json!([]);
    assert!(error_of(&tube_skin(), damage).contains("must have at least one joint"));
    let damage = |json: &mut Value| drop(json["joint_from_mesh"].as_array_mut().unwrap().pop());
    assert!(error_of(&tube_skin(), damage).contains("inverse binds"));
    let damage = |json: &mut Value| json["joint_from_mesh"][1][0] = json!(1e39);
    assert!(error_of(&tube_skin(), damage).contains("the inverse bind of slot 1 is not finite"));
}

#[test]
fn malformed_weights_are_errors() {
    let cases: [(fn(&mut Value), &str); 8] = [
        (|json| drop(json["weights"].as_array_mut().unwrap().pop()), "entries, got"),
        (|json| json["first"][1] = json!(u32::MAX), "weight ranges: range 1 does not follow"),
        (|json| json["first"] = json!([]), "weight ranges: range 0"),
        (|json| json["slots"][0] = json!(500), "joint slot 500 has weight"),
        (|json| json["slot_count"] = json!(u64::MAX), "at most 65536 joint slots"),
        (|json| json["weights"][0] = json!(1e39), "vertex 0: weight inf of joint slot"),
        (|json| json["weights"][0] = json!(-1.0), "1 weights are negative"),
        (
            |json| json["muscles"] = json!({"first": [0], "slots": [], "weights": []}),
            "muscle weight ranges must have",
        ),
    ];
    for (damage, wanted) in cases {
        let text = error_of(&tube_weights(), damage);
        assert!(text.contains(wanted), "{text:?} lacks {wanted:?}");
    }
}

#[test]
fn weights_of_another_vertex_count_are_an_error_of_the_mesh() {
    let mesh = Mesh::clone(&sinew_samples::tube().meshes()[0]);
    let (one, _) = Weights::new(1, [[Influence { slot: 0, weight: 1.0 }]]).unwrap();
    let one = serde_json::to_value(one).unwrap();
    let text = error_of(&mesh, |json| json["weights"] = one.clone());
    assert!(text.contains(&format!("weights has 1 entries for {} vertices", mesh.vertex_count())), "{text}");
}

#[test]
fn a_parent_after_its_child_is_an_error() {
    let skeleton = Skeleton::clone(sinew_samples::tube().skeleton());
    let text = error_of(&skeleton, |json| json[0]["parent"] = json!(1));
    assert!(text.starts_with("joint 0 (") && text.contains("parent 1 must come before it"), "{text}");
}

#[test]
fn numbers_that_are_not_finite_are_errors() {
    let nan = [("weights", vec![0.5, f32::NAN])];
    let text = BlendMap::deserialize(MapDeserializer::<_, ValueError>::new(nan.into_iter())).unwrap_err();
    assert_eq!(text.to_string(), "blend map: entry 1 must be between 0 and 1, got NaN");
    let nan = [("positions", vec![vec![0.0, f32::NAN, 0.0]])];
    let text = CentersOfRotation::deserialize(MapDeserializer::<_, ValueError>::new(nan.into_iter()));
    assert_eq!(text.unwrap_err().to_string(), "centers of rotation: entry 1 must be finite, got NaN");
    // JSON has no NaN: serde_json writes null. A number beyond the range of f32 is read as infinite.
    let tube = sinew_samples::tube();
    assert!(error_of(&tube, |json| json["meshes"][0]["positions"][3][0] = json!(null)).contains("null"));
    let text = error_of(&tube, |json| json["meshes"][0]["positions"][3][0] = json!(1e39));
    assert!(text.contains("position of vertex 3 is not finite"), "{text}");
    let text = error_of(&tube, |json| json["skeleton"][1]["rest"]["scale"][0] = json!(1e39));
    assert!(text.contains("must have a finite rest transform"), "{text}");
}

#[test]
fn malformed_curves_and_clips_are_errors() {
    let curve = Curve::new(vec![0.0, 1.0], vec![0.0_f32, 2.0], Default::default()).unwrap();
    let text = error_of(&curve, |json| json["times_secs"] = json!([1.0, 0.0]));
    assert!(text.contains("key 1 must be finite and not before the key at 1 s"), "{text}");
    let text = error_of(&curve, |json| json["width"] = json!(u64::MAX));
    assert!(text.contains("2 Linear keys of"), "{text}");
    let clip = Clip::clone(&everything().clips()[0]);
    let text = error_of(&clip, |json| json["channels"][0]["Rotation"]["curve"]["values"][0][3] = json!(3.0));
    assert!(text.contains("rotation key 0 must have length 1"), "{text}");
    let text = error_of(&clip, |json| json["events"][0]["time_secs"] = json!(-1.0));
    assert!(text.contains("must be finite and not negative, got -1 s"), "{text}");
    let slot = |slot: u64| {
        error_of(&everything(), |json| json["clips"][0]["channels"][1]["Morphs"]["first_slot"] = json!(slot))
    };
    assert!(slot(u64::from(u16::MAX)).contains("refers to morph slot"));
    assert!(slot(u64::MAX).contains("are beyond 4294967295"));
    let text = error_of(&DriverCurve::linear([[0.0, 1.0]]).unwrap(), |json| json["points"] = json!([]));
    assert!(text.contains("a curve has no points"), "{text}");
}

#[test]
fn morph_targets_must_fit_their_mesh() {
    let mesh = Mesh::clone(&everything().meshes()[0]);
    let count = mesh.vertex_count();
    let text = error_of(&mesh, |json| json["morphs"]["targets"][0]["vertices"][1] = json!(count));
    assert!(text.contains(&format!("vertex {count} is out of order or not below {count}")), "{text}");
    let text = error_of(mesh.morphs(), |json| json["rest_weights"] = json!([0.0, 0.0]));
    assert!(text.contains("1 morph targets but 2 weights"), "{text}");
    assert_eq!(read_back::<MorphTargets>(mesh.morphs()), *mesh.morphs());
}

#[test]
fn parts_of_a_character_must_fit_each_other() {
    let cases: [(fn(&mut Value), &str); 8] = [
        (|json| json["instances"][0]["mesh"] = json!(7), "instance 0 refers to mesh 7, but there are 1"),
        (|json| json["images"] = json!([]), "refers to image 0, but there are 0"),
        (|json| json["default_scene"] = json!(5), "the character refers to scene 5"),
        (|json| json["helpers"][0]["kind"]["Twist"]["source"] = json!(77), "joint 77"),
        (|json| json["helpers"][1]["kind"]["Drive"][0]["target"] = json!(78), "joint 78 is not one of"),
        (|json| json["springs"]["chains"][0]["joints"][0]["joint"] = json!(79), "spring chain 0: joint 79"),
        (|json| json["node_constraints"][0]["weight"] = json!(2.0), "weight must be from 0 to 1, got 2"),
        (|json| json["extras"] = json!([["Asset", "1"], ["Asset", "2"]]), "Asset has extras twice"),
    ];
    for (damage, wanted) in cases {
        let text = error_of(&everything(), damage);
        assert!(text.contains(wanted), "{text:?} lacks {wanted:?}");
    }
}

#[test]
fn a_humanoid_is_a_map_by_bone_name() {
    let json = serde_json::to_value(everything()).unwrap();
    assert_eq!(json["humanoid"], json!({ "leftUpperArm": 1 }));
    let error = |humanoid: Value| error_of(&everything(), |json| json["humanoid"] = humanoid.clone());
    assert!(error(json!({ "leftUpperArm": 999 })).contains("leftUpperArm: there is no joint 999"));
    assert!(error(json!({ "hips": 1, "jaw": 1 })).contains("joint 1 is two human bones"));
    assert!(error(json!({ "tail": 1 })).contains("tail"));
}
