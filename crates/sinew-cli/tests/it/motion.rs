//! Blends, graphs, IK, and the positions of joints.

use super::{corpus, fail, floats, succeed, succeed_json, text};
use serde_json::Value;
use std::{fs, path::Path};
use tempfile::TempDir;

#[test]
fn joints_of_bvh_files_are_where_independent_programs_put_them() {
    let Some(corpus) = corpus() else { return };
    let folder = TempDir::new().unwrap();
    let prefix = folder.path().join("joints");
    for (name, positions) in [("zombieWalk1", "replace"), ("zombieWalk1", "add"), ("mh_tpose", "add")] {
        let file = corpus.join(format!("bvh/{name}.bvh"));
        let out =
            ["-o", text(&prefix), "--format", "raw", "--joints", "--positions", positions, "-q", "--force"];
        succeed(&[&["bake", text(&file)][..], &out[..]].concat());
        let got = floats(&prefix.with_extension("f32"));
        let want = floats(&corpus.join(format!("expected/bvh_{name}.{positions}.f32")));
        let extent = want.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
        assert_eq!(got.len(), want.len(), "{name} {positions}");
        let off = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-5 * extent, "{name} {positions}: off by {off} of {extent}");
        let json: Value =
            serde_json::from_str(&fs::read_to_string(prefix.with_extension("json")).unwrap()).unwrap();
        let (times, joints) = (json["times"].as_array().unwrap(), json["joints"].as_array().unwrap());
        assert_eq!(times.len() * joints.len() * 3, got.len());
    }
}

#[test]
fn blends_graphs_and_ik_are_drawn() {
    let folder = TempDir::new().unwrap();
    let graph = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/figure.graph.ron");
    let draw = |name: &str, motion: &[&str]| {
        let out = folder.path().join(name);
        let always = ["render", "builtin:figure", "-o", text(&out), "--size", "60x80", "--time", "0.4", "-q"];
        succeed(&[&always[..], motion].concat());
        fs::read(out).unwrap()
    };
    let rest = draw("rest.png", &[]);
    let walk = draw("walk.png", &["--clip", "walk"]);
    let jog = draw("jog.png", &["--blend", "walk:0.5,run:0.5"]);
    let moves = draw("moves.png", &["--graph", text(&graph), "--set", "speed=3", "--seconds", "1"]);
    let reach = draw("reach.png", &["--clip", "walk", "--ik", "hand.L=0.3,1.4,0.3"]);
    let all = [&rest, &walk, &jog, &moves, &reach];
    for (nth, picture) in all.iter().enumerate() {
        assert!(all[..nth].iter().all(|other| other != picture), "picture {nth} is like one before it");
    }
}

#[test]
fn an_invalid_motion_is_named() {
    let folder = TempDir::new().unwrap();
    let (out, graph) = (folder.path().join("out.png"), folder.path().join("graph.ron"));
    let command = ["render", "builtin:figure", "-o", text(&out)];
    let try_it = |motion: &[&str]| fail(&[&command, motion].concat(), 2);
    let unreadable = |motion: &[&str]| fail(&[&command, motion].concat(), 3);
    assert!(try_it(&["--blend", "walk:half"]).contains("walk:half"));
    assert!(try_it(&["--blend", "fly:1"]).contains("fly"));
    assert!(try_it(&["--ik", "tail=0,1,2"]).contains("tail"));
    assert!(try_it(&["--ik", "hand.L=near"]).contains("near"));
    fs::write(&graph, "(nodes: {\"a\": Clip(clip: \"fly\")}, output: \"a\")").unwrap();
    let error = unreadable(&["--graph", text(&graph)]);
    assert!(error.contains("\"a\"") && error.contains("clip") && error.contains("fly"), "{error}");
    fs::write(&graph, "(nodes: {").unwrap();
    assert!(unreadable(&["--graph", text(&graph)]).contains("line 1"));
}

#[test]
fn bounds_of_clips_are_tight_and_only_computed_on_request() {
    let json = succeed_json(&["inspect", "builtin:figure", "--bounds", "--json"]);
    let clips = json["clips"].as_array().unwrap();
    assert!(clips.len() > 3);
    for clip in clips {
        let ratio = clip["bounds"]["diagonal_ratio"].as_f64().unwrap();
        assert!((1.0..1.1).contains(&ratio), "{}: {ratio}", clip["name"]);
    }
    assert!(!succeed(&["inspect", "builtin:figure", "--json"]).contains("diagonal_ratio"));
}
