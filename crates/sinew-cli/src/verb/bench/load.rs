//! Loading: a character as GLB against the same one cooked, both from bytes in memory.

use super::{cases::BenchCase, subject::label};
use crate::{
    failure::{Attempt, Failure},
    input::{self, BUILTIN},
    limits,
    verb::cook::cooked,
};
use sinew::{Character, CompactOptions, deform::blocks::VertexOrder, instance::Archetype};
use sinew_author::compress::CompressOptions;
use sinew_formats::{
    FileFormat, ReadError, ReadOptions,
    cooked::{CookedOptions, read_cooked, to_cooked},
    read_bytes_with, read_regular_file, to_glb,
};
use std::{hint::black_box, path::Path};

/// A character as two files.
pub(super) struct LoadSubject {
    label: String,
    glb: Vec<u8>,
    cooked: Vec<u8>,
}

impl LoadSubject {
    pub(super) fn new(name: &str, quiet: bool) -> Result<Self, Failure> {
        let character = input::open(name)?.character;
        let attempt = || format!("write {name} to memory");
        let is_gltf = !name.starts_with(BUILTIN) && FileFormat::of_path(name) == Some(FileFormat::Gltf);
        let glb = match is_gltf {
            true => read_regular_file(Path::new(name), limits::read_options().limits.max_read_bytes)
                .attempt(attempt)?,
            false => to_glb(&character)?,
        };
        let (character, _) = cooked(&character, name, &CompressOptions::default(), quiet)?;
        let cooked = to_cooked(&character, &CookedOptions::default())?;
        Ok(Self { label: label(name), glb, cooked })
    }

    /// The file as it is, the file with what a game makes of it, and the cooked file.
    pub(super) fn cases(&self) -> Vec<BenchCase<'_>> {
        vec![
            self.case("glb", None, || drop(black_box(self.read()))),
            self.case("glb-compact-packed", Some("glb"), || drop(black_box(self.read().map(ready)))),
            self.case("sinew", Some("glb"), || drop(black_box(read_cooked(&self.cooked)))),
            self.case("sinew-archetype", Some("glb-compact-packed"), || {
                drop(black_box(read_cooked(&self.cooked).map(Archetype::new)));
            }),
        ]
    }

    fn read(&self) -> Result<Character, ReadError> {
        let options = ReadOptions::default().with_forget_source(true);
        Ok(read_bytes_with(&self.glb, &self.label, &options)?.character)
    }

    /// One item is a file.
    fn case<'a>(&self, what: &str, plain: Option<&str>, run: impl FnMut() + 'a) -> BenchCase<'a> {
        BenchCase {
            name: format!("load/{what}/{}", self.label),
            items: 1,
            bytes: None,
            copy: None,
            plain: plain.map(|plain| format!("load/{plain}/{}", self.label)),
            run: Box::new(run),
        }
    }
}

/// What a game makes of a file that is not cooked: compact clips and packed skins.
fn ready(character: Character) -> Option<Archetype> {
    for mesh in character.meshes() {
        // A mesh without weights has no packed form.
        let _ = mesh.packed(VertexOrder::File);
    }
    Archetype::compact(character, &CompactOptions::default()).ok()
}
