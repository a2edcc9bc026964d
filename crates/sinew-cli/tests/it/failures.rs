//! Every failure names what was attempted, on which file, and the cause.

use super::{TestFolder, fail};

#[test]
fn a_bake_that_cannot_be_written_names_the_file() {
    let folder = TestFolder::new();
    let out = folder.name("no such folder/arm");
    let error = fail(&["bake", "builtin:arm", "-o", &out], 1);
    assert!(error.starts_with("sinew: cannot write ") && error.contains("no such folder"), "{error}");
    assert!(!error.contains("draw"), "{error}");
}

#[test]
fn a_bad_option_names_the_edit_and_the_file() {
    let error = fail(&["weights", "sharpen", "builtin:arm", "--power", "1000"], 2);
    assert!(error.starts_with("sinew: cannot sharpen the weights of builtin:arm: "), "{error}");
}

#[test]
fn a_number_that_must_be_positive_is_reported_with_its_value() {
    let render = ["render", "builtin:figure", "--blend", "walk:1", "--seconds=-1", "-o", "x.gif"];
    assert_eq!(fail(&render, 2), "sinew: --seconds must be positive, got -1\n");
    assert_eq!(fail(&["bench", "--seconds", "-1"], 2), "sinew: --seconds must be positive, got -1\n");
    let retime = ["clips", "retime", "builtin:figure", "--clip", "walk", "--seconds", "-2", "-o", "x.glb"];
    assert_eq!(fail(&retime, 2), "sinew: --seconds must be positive, got -2\n");
    let rolls =
        ["rig", "rolls", "builtin:tube", "--from", "base", "--to", "middle", "--count", "-1", "-o", "x.glb"];
    assert!(fail(&rolls, 2).contains("must be a whole number of at least 1, got -1"));
}

#[test]
fn an_unreadable_file_and_an_unwritable_one_say_so() {
    let error = fail(&["inspect", "no/such/file.glb"], 3);
    assert!(error.starts_with("sinew: cannot read no/such/file.glb: "), "{error}");
    let error = fail(&["convert", "builtin:arm", "no/such/folder/x.glb"], 1);
    assert!(error.starts_with("sinew: cannot write no/such/folder/x.glb: "), "{error}");
}
