//! The cases of a campaign: each follows from the campaign's seed and its own number.

use crate::{
    mutate::mutated,
    random::Random,
    subject::{FORMATS, Subject, TARGETS, Verdict},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A list of subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Every format, through every stage and writer.
    Formats,
    /// Every target that libFuzzer can run, and the studio.
    Targets,
}

impl Group {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Formats => "formats",
            Self::Targets => "targets",
        }
    }

    /// The group called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        [Self::Formats, Self::Targets].into_iter().find(|group| group.name() == name)
    }

    /// What is tortured, in the order of the table.
    #[must_use]
    pub const fn subjects(self) -> &'static [Subject] {
        match self {
            Self::Formats => FORMATS,
            Self::Targets => TARGETS,
        }
    }
}

/// One input and what is done to it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The index of its subject in the group.
    pub subject: usize,
    /// The bytes after their mutation.
    pub input: Vec<u8>,
    run: fn(&[u8], &mut Random) -> Verdict,
    random: Random,
}

impl Case {
    /// Reads and uses the input.
    pub fn run(&mut self) -> Verdict {
        (self.run)(&self.input, &mut self.random)
    }
}

/// Every case of a campaign.
#[derive(Clone, Debug)]
pub struct Cases {
    /// The subjects, which take turns.
    pub group: Group,
    /// The number that all cases follow from.
    pub seed: u64,
    /// The folder with a folder of inputs for every subject, in place of those made by code.
    pub corpus: Option<PathBuf>,
    seeds: Vec<Vec<Vec<u8>>>,
}

impl Cases {
    /// The cases of `seed`, which begin with the inputs in `corpus` or with those made by code.
    ///
    /// # Errors
    /// If a file of the corpus cannot be read, or a subject has none.
    pub fn new(group: Group, seed: u64, corpus: Option<PathBuf>) -> io::Result<Self> {
        let inputs = |subject: &Subject| match &corpus {
            Some(folder) => files(&folder.join(subject.name)),
            None => Ok((subject.seeds)()),
        };
        let seeds = group.subjects().iter().map(inputs).collect::<io::Result<_>>()?;
        Ok(Self { group, seed, corpus, seeds })
    }

    /// The case with this number, the same in every process.
    #[must_use]
    pub fn get(&self, number: u64) -> Case {
        let subjects = self.group.subjects();
        let at = (number % subjects.len() as u64) as usize;
        let (subject, seeds) = (&subjects[at], &self.seeds[at]);
        let mut random = Random::of_case(self.seed, number);
        let (seed, other) = (random.below(seeds.len()), random.below(seeds.len()));
        let input = mutated(&seeds[seed], &seeds[other], subject.shape, &mut random);
        Case { subject: at, input, run: subject.run, random }
    }
}

/// The content of every file in `folder`, in the order of their names.
fn files(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let in_folder = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(in_folder)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    if paths.is_empty() {
        return Err(in_folder(io::Error::other("no input to begin with")));
    }
    paths.into_iter().map(fs::read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_corpus_begins_with_inputs_for_every_target() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus-min");
        let cases = Cases::new(Group::Targets, 1, Some(folder)).unwrap();
        for number in 0..TARGETS.len() as u64 {
            assert_eq!(cases.get(number).input, cases.get(number).input);
        }
    }

    #[test]
    fn a_missing_corpus_is_an_error_that_names_its_folder() {
        let error = Cases::new(Group::Targets, 1, Some("no/such".into())).unwrap_err();
        assert!(error.to_string().contains("no/such"), "{error}");
    }
}
