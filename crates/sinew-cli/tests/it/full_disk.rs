//! Disks that are full: limits of the system on the size of a file, and small file systems.

use super::{TestFolder, files_below, succeed, text};
use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Every verb that saves, with one file and with several that belong together.
const VERBS: [&str; 12] = [
    "convert arm.glb new.glb",
    "clips rename arm.glb --clip 0 --name new -o arm.glb",
    "convert arm.glb arm.gltf",
    "check arm.glb --fix -o new.glb",
    "weights smooth arm.glb -o arm.glb",
    "weights export arm.glb -o weights.txt",
    "clips export arm.glb -o clips.txt",
    "bake arm.glb --clip 0 --format raw -o raw",
    "bake arm.glb --clip 0 --format npy -o npy",
    "render arm.glb -o picture.png",
    "rig rolls arm.glb --from upper --to lower -o new.glb",
    "merge arm.glb arm.glb -o new.glb",
];

/// Runs a verb in `folder` on a disk that takes `blocks` blocks of 512 bytes a file, and returns whether it succeeded.
fn run_on_a_full_disk(folder: &Path, blocks: u32, arguments: &str) -> bool {
    // With the signal ignored, a write beyond the limit fails like one on a full disk.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {arguments} -q --force");
    let program = env!("CARGO_BIN_EXE_sinew");
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &script, program]).current_dir(folder).output().unwrap();
    assert_ne!(output.status.code(), None, "{arguments}: killed");
    output.status.success()
}

/// A character, an older document with its buffer, and an older bake.
fn write_inputs(folder: &Path) {
    succeed(&["convert", "builtin:arm", text(&folder.join("arm.glb")), "--force", "-q"]);
    for (name, content) in [("arm.gltf", "{}"), ("arm.bin", "old"), ("raw.json", "old")] {
        fs::write(folder.join(name), content).unwrap();
    }
}

#[test]
fn on_a_full_disk_every_saving_verb_leaves_all_files_as_they_were() {
    for verb in VERBS {
        let folder = TestFolder::new();
        write_inputs(folder.0.path());
        let before = files_below(folder.0.path());
        let mut refused = 0;
        for blocks in [0, 1, 2, 4, 8, 16, 64, 256, 1024, 100_000] {
            if run_on_a_full_disk(folder.0.path(), blocks, verb) {
                break;
            }
            refused += 1;
            assert!(files_below(folder.0.path()) == before, "{verb} with {blocks} blocks changed a file");
        }
        assert!((1..10).contains(&refused), "{verb} failed {refused} times");
    }
}

/// The folder of a small file system, for the child of the test below.
const CHILD_FOLDER: &str = "SINEW_TEST_FULL_DISK";

/// Runs a shell script with a file system of 8 MiB mounted at `folder`, or returns `None` where that is not allowed.
fn on_a_small_disk(folder: &Path, script: &str) -> Option<Output> {
    let run = |script: &str| {
        let mut shell = Command::new("unshare");
        let mount = format!("mount -t tmpfs -o size=8m tmpfs \"$0\" && {script}");
        shell.args(["-r", "-m", "sh", "-c", &mount]).arg(folder).arg(std::env::current_exe().unwrap());
        shell.env(CHILD_FOLDER, folder).output()
    };
    run("true").ok().filter(|probe| probe.status.success())?;
    run(script).ok()
}

/// Fills the disk of a folder, until `free_bytes` are left.
fn fill(folder: &Path, free_bytes: u64) {
    let mut filler = File::create(folder.join("filler")).unwrap();
    while filler.write_all(&[7; 4096]).is_ok() {}
    let length = filler.metadata().unwrap().len();
    filler.set_len(length.saturating_sub(free_bytes)).unwrap();
}

/// The child of the test below; without the variable it does nothing.
#[test]
fn child_on_a_full_disk() {
    let Some(disk) = std::env::var_os(CHILD_FOLDER).map(PathBuf::from) else { return };
    for verb in VERBS {
        write_inputs(&disk);
        let mut refused = 0;
        for free_pages in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256] {
            fill(&disk, free_pages * 4096);
            let before = files_below(&disk);
            if run_on_a_full_disk(&disk, 100_000, verb) {
                break;
            }
            refused += 1;
            assert!(files_below(&disk) == before, "{verb} with {free_pages} free pages changed a file");
        }
        assert!(refused > 0, "{verb} never failed");
        fs::remove_file(disk.join("filler")).unwrap();
        assert!(run_on_a_full_disk(&disk, 100_000, verb), "{verb} fails on a disk with room");
        files_below(&disk).into_keys().for_each(|path| fs::remove_file(path).unwrap());
    }
}

#[test]
fn on_a_disk_without_room_every_saving_verb_leaves_all_files_as_they_were() {
    let folder = TestFolder::new();
    let script = "exec \"$1\" --exact full_disk::child_on_a_full_disk";
    let Some(output) = on_a_small_disk(folder.0.path(), script) else {
        println!("skipped: file systems cannot be mounted here");
        return;
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{output:?}");
}
