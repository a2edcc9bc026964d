//! `sinew rig`: helpers added, listed and removed.

use super::{fail, succeed, succeed_json, text};
use serde_json::Value;
use tempfile::TempDir;

fn inspected(file: &str) -> Value {
    succeed_json(&["inspect", file, "--json"])
}

#[test]
fn helpers_are_added_listed_applied_and_removed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (rolled, both, without) = (path("rolled.glb"), path("both.glb"), path("without.glb"));
    succeed(&["rig", "rolls", "builtin:tube", "--from", "base", "--to", "middle", "-o", &rolled]);
    succeed(&["rig", "muscle", &rolled, "--bone", "base", "--bends", "middle", "--side", "-90", "-o", &both]);
    let page = inspected(&both);
    assert_eq!(page["helpers"][0]["kind"], "twist");
    assert_eq!(page["helpers"][0]["driven_joints"].as_array().unwrap().len(), 3);
    assert_eq!(page["helpers"][1]["name"], "base.muscle.1");
    assert!(page["findings"].as_array().unwrap().is_empty(), "{}", page["findings"]);
    let listed = succeed(&["inspect", &both]);
    assert!(listed.contains("Helpers: 2") && listed.contains("base.roll.3"), "{listed}");

    let baked = |file: &str, name: &str| {
        let out = path(name);
        succeed(&["bake", file, "--clip", "twist_90", "--times", "0", "--format", "obj", "-o", &out]);
        let written = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut written = written.filter(|p| p.extension().is_some_and(|e| e == "obj"));
        let own = written.find(|p| p.file_name().unwrap().to_string_lossy().starts_with(name)).unwrap();
        std::fs::read_to_string(own).unwrap()
    };
    assert_ne!(baked("builtin:tube", "plain"), baked(&rolled, "driven"), "the bake ignores helper joints");

    succeed(&["rig", "remove", &both, "--helper", "base twist", "-o", &without]);
    assert_eq!(inspected(&without)["helpers"].as_array().unwrap().len(), 1);
    assert!(
        fail(&["rig", "remove", &without, "--helper", "base twist", "-o", &both], 2)
            .contains("base.muscle.1")
    );
    let backwards = ["rig", "rolls", "builtin:tube", "--from", "middle", "--to", "base", "-o", &rolled];
    assert!(fail(&backwards, 2).contains("is not a descendant of"));
}

#[test]
fn scale_inheritance_is_set_shown_and_baked_for_other_programs() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (local, plain) = (path("local.glb"), path("plain.glb"));
    succeed(&["rig", "scale", "builtin:arm", "--joint", "lower", "--inherit", "compensated", "-o", &local]);
    let page = inspected(&local);
    assert_eq!(page["joints"][1]["scale_inheritance"], "compensated");
    assert!(succeed(&["inspect", &local]).contains("scale compensated"));
    succeed(&["convert", &local, &plain, "--bake-scale"]);
    assert_eq!(inspected(&plain)["joints"][1]["scale_inheritance"], "full");
    fail(&["rig", "scale", "builtin:arm", "--joint", "lower", "--inherit", "some", "-o", &local], 2);
    fail(&["rig", "scale", "builtin:arm", "--joint", "nobody", "--inherit", "full", "-o", &local], 2);
}

#[test]
fn meta_joints_are_set_listed_and_removed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (shoulder, without) = (path("shoulder.glb"), path("without.glb"));
    let set = |part: &str| {
        ["rig", "axes", "builtin:figure", "--name", "shoulder.L", "--part", part].map(String::from)
    };
    let run = |part: &str| {
        let arguments = set(part);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["--part", "clavicle.L:y", "-o", &shoulder]);
        succeed(&arguments);
    };
    run("upper_arm.L:xz=-60..120,-45..90");
    let page = inspected(&shoulder);
    assert_eq!(page["meta_joints"][0]["parts"][0]["axes"], "xz");
    let listed = succeed(&["inspect", &shoulder]);
    assert!(listed.contains("Meta-joints: 1") && listed.contains("-60° to 120°, -45° to 90°"), "{listed}");
    succeed(&["rig", "axes", &shoulder, "--name", "shoulder.L", "--remove", "-o", &without]);
    assert!(inspected(&without)["meta_joints"].as_array().unwrap().is_empty());
    for (part, wanted) in [
        ("upper_arm.L", "JOINT:AXES"),
        ("upper_arm.L:xx", "no letter twice"),
        ("upper_arm.L:xz=-60..120", "ranges"),
        ("upper_arm.L:x=-60", "MIN..MAX"),
        ("upper_arm.L:x=-600..0", "range must be ordered"),
    ] {
        let arguments = set(part);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["-o", &shoulder]);
        let error = fail(&arguments, 2);
        assert!(error.contains(wanted), "{part}: {error}");
    }
}

#[test]
fn a_muscle_lies_on_the_side_to_which_the_arm_bends() {
    let folder = TempDir::new().unwrap();
    let out = text(&folder.path().join("arm.glb")).to_owned();
    let muscle = |extra: &[&str]| {
        let base =
            ["rig", "muscle", "builtin:arm", "--bone", "upper", "--bends", "lower", "-o", &out, "--json"];
        succeed_json(&[&base[..], extra, &["--force"]].concat())
    };
    let found = muscle(&[]);
    assert_eq!(found["side_from"], "clips");
    // The arm points to +x and bends up; angles are counted from the front.
    let degrees = found["side_degrees"].as_f64().unwrap();
    assert!((degrees.abs() - 90.0).abs() < 1.0, "{degrees}");
    let pushed = |file: &str| {
        let baked = text(&folder.path().join("baked")).to_owned();
        succeed(&[
            "bake", file, "--clip", "bend_120", "--times", "0", "--format", "obj", "-o", &baked, "--force",
        ]);
        let written = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut written = written.filter(|p| p.extension().is_some_and(|e| e == "obj"));
        let page = std::fs::read_to_string(written.next().unwrap()).unwrap();
        let vertices = page.lines().filter_map(|line| line.strip_prefix("v "));
        let number = |word: &str| word.parse::<f64>().unwrap();
        vertices.map(|line| line.split(' ').map(number).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let mean = |file: &str, axis: usize| {
        let vertices = pushed(file);
        vertices.iter().map(|v| v[axis]).sum::<f64>() / vertices.len() as f64
    };
    let (up, ahead) = (mean(&out, 1) - mean("builtin:arm", 1), mean(&out, 2) - mean("builtin:arm", 2));
    assert!(up > 1e-4 && ahead.abs() < up * 0.1, "the skin swells up, not sideways: {up} {ahead}");

    let given = muscle(&["--side", "-30"]);
    assert_eq!((given["side_from"].as_str(), given["side_degrees"].as_f64()), (Some("option"), Some(-30.0)));
}

#[test]
fn every_job_on_weights_supports_muscles() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (strong, out, page, again) =
        (path("strong.glb"), path("out.glb"), path("weights.txt"), path("again.glb"));
    let muscle = "upper_arm.L.muscle.1";
    succeed(&[
        "rig",
        "muscle",
        "builtin:figure",
        "--bone",
        "upper_arm.L",
        "--bends",
        "forearm.L",
        "-o",
        &strong,
    ]);
    let joint = |file: &str| {
        let joints = inspected(file)["joints"].as_array().unwrap().clone();
        joints.into_iter().find(|joint| joint["name"] == muscle).unwrap()
    };
    let count = joint(&strong)["muscle_vertex_count"].as_u64().unwrap();
    assert!(count > 50 && joint(&strong)["weighted_vertex_count"] == 0);
    let listed = succeed(&["inspect", &strong]);
    assert!(listed.contains(&format!("{muscle}  · muscle of {count} vertices")), "{listed}");
    assert!(listed.contains("muscle weights"), "{listed}");
    assert_eq!(inspected(&strong)["skins"][0]["unused_joint_count"], 1, "the root alone");

    let jobs: [&[&str]; 10] = [
        &["auto", "--method", "heat"],
        &["auto", "--method", "voxel", "--resolution", "40"],
        &["auto", "--method", "biharmonic", "--resolution", "40"],
        &["smooth"],
        &["sharpen"],
        &["limit", "2"],
        &["prune", "--below", "0.05"],
        &["normalize"],
        &["mirror"],
        &["quantize", "--bits", "8"],
    ];
    for job in jobs {
        succeed(&[&["weights"], job, &[&strong, "-o", &out, "--force"]].concat());
        let after = joint(&out);
        assert_eq!(after["muscle_vertex_count"].as_u64(), Some(count), "{job:?}");
        assert_eq!(after["weighted_vertex_count"], 0, "{job:?} makes the muscle carry skin");
    }
    let auto = succeed_json(&["weights", "auto", &strong, "--method", "heat", "--json"]);
    let plain = succeed_json(&["weights", "auto", "builtin:figure", "--method", "heat", "--json"]);
    let moved =
        |page: &Value| page["meshes"][0]["displacement"]["range_of_motion"]["max_mm"].as_f64().unwrap();
    assert!((moved(&auto) - moved(&plain)).abs() < 5.0, "{} and {}", moved(&auto), moved(&plain));

    succeed(&["weights", "export", &strong, "-o", &page]);
    succeed(&["weights", "auto", &strong, "--method", "heat", "-o", &out, "--force"]);
    succeed(&["weights", "import", &out, &page, "-o", &again]);
    let same = succeed_json(&["weights", "diff", &strong, &again, "--json"]);
    assert_eq!(same["meshes"][0]["changed_vertex_count"], 0);
    let gone = std::fs::read_to_string(&page).unwrap();
    let gone: Vec<&str> = gone.lines().map(|line| line.split(" | ").next().unwrap()).collect();
    std::fs::write(&page, gone.join("\n")).unwrap();
    succeed(&["weights", "import", &strong, &page, "-o", &again, "--force"]);
    let differs = succeed_json(&["weights", "diff", &strong, &again, "--json"]);
    let diff = &differs["meshes"][0];
    assert_eq!(
        (diff["changed_vertex_count"].as_u64(), diff["joints"].as_array().unwrap().len()),
        (Some(count), 1)
    );
    assert_eq!(
        (&diff["joints"][0]["is_muscle"], &diff["joints"][0]["joint"]),
        (&true.into(), &muscle.into())
    );
    assert!(diff["displacement"]["clips"]["max_mm"].as_f64().unwrap() > 1.0, "{diff}");
    assert!(succeed(&["weights", "diff", &strong, &again]).contains(&format!("{muscle} (muscle)")));
    // A body that has the joint of the muscle takes its weights; one that lacks it stays without.
    assert_eq!(joint(&again)["muscle_vertex_count"], 0);
    succeed(&["weights", "transfer", &strong, &again, "-o", &out, "--force"]);
    let after = joint(&out);
    assert_eq!(after["muscle_vertex_count"].as_u64(), Some(count), "the transfer brings the muscle");
    assert_eq!(after["weighted_vertex_count"], 0, "the transfer makes the muscle carry skin");
    succeed(&["weights", "transfer", &strong, "builtin:figure", "-o", &out, "--force"]);
    assert!(inspected(&out)["joints"].as_array().unwrap().iter().all(|j| j["muscle_vertex_count"] == 0));
    assert!(
        succeed(&["check", &strong]).lines().all(|line| !line.contains(muscle)),
        "the doctor supports muscles"
    );
}
