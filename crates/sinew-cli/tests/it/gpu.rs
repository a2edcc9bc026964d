//! `sinew render --gpu` draws what the CPU draws.

use super::{fail, succeed, text};
use tempfile::TempDir;

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_gpu_support_says_how_to_get_one() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("arm.png");
    for verb in [&["render", "builtin:arm", "--gpu", "-o", text(&file)][..], &["bench", "--gpu"]] {
        let error = fail(verb, 2);
        assert!(error.contains("--gpu: this sinew was built without GPU support"), "{verb:?}: {error}");
        assert!(error.contains("`cargo build --release --features gpu`"), "{verb:?}: {error}");
        assert!(error.contains("`cargo install sinew-cli --features gpu`"), "{verb:?}: {error}");
    }
    assert!(!file.exists());
    succeed(&["render", "builtin:arm", "--size", "20x20", "-o", text(&file)]);
}

#[cfg(feature = "gpu")]
mod with_gpu {
    use super::*;
    use crate::sinew;
    use image::RgbaImage;

    /// Whether this machine has a GPU; if `SINEW_REQUIRE_GPU` is set, it must.
    fn has_gpu(output: &std::process::Output) -> bool {
        let error = String::from_utf8_lossy(&output.stderr);
        if error.contains("no graphics adapter") && std::env::var_os("SINEW_REQUIRE_GPU").is_none() {
            println!("skipped: {error}");
            return false;
        }
        assert!(output.status.success(), "{error}");
        true
    }

    fn open(path: &std::path::Path) -> RgbaImage {
        image::open(path).unwrap().to_rgba8()
    }

    #[test]
    fn the_gpu_draws_the_same_picture_as_the_cpu() {
        let folder = TempDir::new().unwrap();
        let [cpu, gpu] = ["cpu.png", "gpu.png"].map(|name| folder.path().join(name));
        let base = [
            "render",
            "builtin:figure",
            "--clip",
            "0",
            "--time",
            "0.3",
            "--bones",
            "--size",
            "160x200",
            "-o",
        ];
        succeed(&[&base[..], &[text(&cpu)]].concat());
        let output = sinew(&[&base[..], &[text(&gpu), "--gpu"]].concat());
        if !has_gpu(&output) {
            return;
        }
        assert!(String::from_utf8_lossy(&output.stderr).contains("drawn by "), "the GPU has no name");
        let (a, b) = (open(&cpu), open(&gpu));
        assert_eq!(a.dimensions(), b.dimensions());
        let steps = |(a, b): (&u8, &u8)| u64::from(a.abs_diff(*b));
        let mean = a.iter().zip(b.iter()).map(steps).sum::<u64>() as f64 / a.len() as f64;
        // The CPU takes eight samples per pixel, the GPU four: edges differ a little.
        assert!(mean < 1.5, "{mean}");
    }

    #[test]
    fn the_gpu_draws_animations_and_sheets() {
        let folder = TempDir::new().unwrap();
        let base =
            ["render", "builtin:figure", "--clip", "0", "--size", "60x80", "--fps", "4", "--gpu", "-o"];
        for (name, more) in
            [("walk.gif", &[][..]), ("walk.apng", &["--quiet"]), ("sheet.png", &["--sheet", "3"])]
        {
            let file = folder.path().join(name);
            let output = sinew(&[&base[..], &[text(&file)], more].concat());
            if !has_gpu(&output) {
                return;
            }
            assert!(std::fs::metadata(&file).unwrap().len() > 500, "{name}");
        }
    }

    #[test]
    fn without_any_adapter_the_command_fails_in_one_line() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("arm.png");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(["render", "builtin:arm", "--gpu", "-o", text(&file)])
            // No driver can be loaded through this backend.
            .env("WGPU_BACKEND", "metal")
            .output()
            .unwrap();
        if cfg!(target_os = "macos") {
            return;
        }
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("no graphics adapter"));
        assert!(!file.exists());
        let _ = fail(&["render", "builtin:arm", "--gpu", "-o", "x.bmp"], 2);
    }
}
