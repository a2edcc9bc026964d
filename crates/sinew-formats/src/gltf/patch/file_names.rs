//! The names of the files that a text names, each of them once.

use crate::gltf::resources::{percent_decode, plain_path};
use std::collections::{BTreeMap, BTreeSet};

/// The names that are taken in the folder of a document, and those that files from outside of it got.
#[derive(Debug, Default)]
pub(super) struct FileNames {
    taken: BTreeSet<String>,
    /// The new name of each file outside of the folder, by its path.
    brought: BTreeMap<String, String>,
}

impl FileNames {
    /// Takes the name of a file that stays, given by its URI. Data URIs have none.
    pub(super) fn keep(&mut self, uri: &str) {
        if !uri.starts_with("data:") {
            self.taken.insert(folded(&plain_path(&percent_decode(uri))));
        }
    }

    /// A name for a new file: `stem` with the extension, or with a number between them if it is taken.
    pub(super) fn new_file(&mut self, stem: &str, extension: &str) -> String {
        let mut name = format!("{stem}{extension}");
        for number in 1_usize.. {
            if self.taken.insert(folded(&name)) {
                break;
            }
            name = format!("{stem}_{number}{extension}");
        }
        name
    }

    /// A name for a file from outside of the folder; the same one for the same path.
    pub(super) fn brought(&mut self, path: &str) -> String {
        let path = plain_path(path);
        if let Some(known) = self.brought.get(&path) {
            return known.clone();
        }
        let file = path.rsplit(['/', '\\']).next().filter(|file| !file.is_empty()).unwrap_or("file");
        let (stem, extension) = file.rfind('.').map_or((file, ""), |dot| file.split_at(dot));
        let name = self.new_file(stem, extension);
        self.brought.insert(path, name.clone());
        name
    }
}

/// Names that differ in case alone are one file on many systems.
fn folded(name: &str) -> String {
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let mut names = FileNames::default();
        names.keep("data:;base64,");
        names.keep("./Arm.bin");
        names.keep("a%20b.bin");
        assert_eq!(names.new_file("arm", ".bin"), "arm_1.bin");
        assert_eq!(names.new_file("arm", ".bin"), "arm_2.bin");
        assert_eq!(names.new_file("a b", ".bin"), "a b_1.bin");
        assert_eq!(names.new_file("leg", ".bin"), "leg.bin");
    }

    #[test]
    fn files_from_other_folders_keep_apart_and_one_file_has_one_name() {
        let mut names = FileNames::default();
        names.keep("skin.png");
        assert_eq!(names.brought("../a/skin.png"), "skin_1.png");
        assert_eq!(names.brought("../b/skin.png"), "skin_2.png");
        assert_eq!(names.brought("../b/./skin.png"), "skin_2.png");
        assert_eq!(names.brought("../b/plain"), "plain");
    }
}
