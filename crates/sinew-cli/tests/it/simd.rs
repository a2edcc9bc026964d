//! `--simd` selects the level of kernels, so that levels can be compared from outside.

use super::{TestFolder, fail, floats, succeed, succeed_json, text};
use sinew::simd;

/// The vertices of the figure in a pose, deformed at `level`.
fn baked(folder: &TestFolder, method: &str, level: &str) -> Vec<f32> {
    let prefix = folder.path(&format!("{method}-{}", level.replace('.', "_")));
    let arguments = ["bake", "builtin:figure", "--clip", "walk", "--times", "0.3", "--method", method];
    succeed(&[&arguments[..], &["--simd", level, "-o", text(&prefix), "-q"]].concat());
    floats(&prefix.with_extension("f32"))
}

#[test]
fn levels_bake_the_same_vertices_within_rounding() {
    let folder = TestFolder::new();
    for method in ["linear", "dual-quat", "cor"] {
        let scalar = baked(&folder, method, "scalar");
        for level in simd::available().map(simd::Level::name) {
            let other = baked(&folder, method, level);
            let far = scalar.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            // The figure is 1.8 m high.
            assert!(scalar.len() == other.len() && far < 1.8e-5, "{method} at {level} is off by {far}");
            assert!(level != "sse4.2" || scalar == other, "{method} at {level} is off by {far}");
        }
    }
}

#[test]
fn edits_of_weights_report_the_same_effect_at_every_level() {
    let report = |level| succeed_json(&["weights", "smooth", "builtin:arm", "--json", "--simd", level]);
    let scalar = report("scalar");
    for level in simd::available().map(simd::Level::name) {
        assert_eq!(report(level), scalar, "{level}");
    }
}

#[test]
fn bench_measures_one_level() {
    let line = ["bench", "--small", "--seconds", "0.01", "--only", "deform/linear", "--simd", "scalar"];
    let table = succeed(&line);
    assert!(table.contains("/figure/scalar") && !table.contains("/figure/avx2"), "{table}");
}

#[test]
fn an_unknown_level_is_refused_with_those_of_the_machine() {
    let error = fail(&["bake", "builtin:arm", "--simd", "mmx", "-o", "x"], 2);
    assert!(error.contains("mmx") && error.contains("scalar"), "{error}");
}
