//! A file with what is wrong with it.

use crate::{args::CheckArgs, failure::Failure, input};
use sinew::{Character, WeightsError};
use sinew_author::check::{CheckOptions, Finding, FindingCode, FindingPlace, Fix, Severity, check, fix};
use sinew_formats::{ReadError, ReadFileError, read_file, write_file};
use std::path::Path;

/// A file with what is wrong with it.
pub(super) struct Examined {
    pub(super) file: String,
    /// None where the file breaks a rule so badly that it gives no character.
    pub(super) character: Option<Character>,
    pub(super) findings: Vec<Finding>,
    pub(super) mended: Option<Mended>,
}

/// What was mended, and what is still wrong in the file that was written.
pub(super) struct Mended {
    pub(super) file: String,
    pub(super) fixes: Vec<Fix>,
    pub(super) left: Vec<Finding>,
}

impl Examined {
    pub(super) fn open(file: &str, args: &CheckArgs) -> Result<Self, Failure> {
        let options = options(args);
        match input::open(file) {
            Ok(import) => {
                let findings = check(&import.character, import.report.findings(), &options);
                Ok(Self { file: file.into(), character: Some(import.character), findings, mended: None })
            }
            Err(failure) => match broken(&failure) {
                Some(fact) => {
                    let findings = check(&nothing()?, &[fact], &options);
                    Ok(Self { file: file.into(), character: None, findings, mended: None })
                }
                None => Err(failure),
            },
        }
    }

    /// Mends what can be mended, writes it, and reads it again to see what is left.
    pub(super) fn mend(&mut self, args: &CheckArgs, path: &Path) -> Result<(), Failure> {
        let options = options(args);
        let Some(character) = &self.character else {
            return Err(Failure::Draw(format!("{}: it gives no character that could be mended", self.file)));
        };
        let fixed = fix(character, &self.findings, &options).map_err(|e| Failure::Draw(e.to_string()))?;
        write_file(path, &fixed.character)?;
        let import = read_file(path)?;
        let left = check(&import.character, import.report.findings(), &options);
        self.mended = Some(Mended { file: path.display().to_string(), fixes: fixed.fixes, left });
        Ok(())
    }

    /// True where nothing worse than a note was found, or is left.
    pub(super) fn is_clean(&self) -> bool {
        let left = self.mended.as_ref().map_or(&self.findings, |m| &m.left);
        left.iter().all(|f| f.severity() == Severity::Note)
    }
}

fn options(args: &CheckArgs) -> CheckOptions {
    CheckOptions { target: args.target, ..CheckOptions::default() }
}

/// A character without anything, to which only the file's own faults belong.
fn nothing() -> Result<Character, Failure> {
    let none = |e: &dyn std::fmt::Display| Failure::Draw(e.to_string());
    let skeleton = sinew::Skeleton::new([]).map_err(|e| none(&e))?;
    Character::new(sinew::CharacterParts::new("", skeleton.into())).map_err(|e| none(&e))
}

/// The reader stops at weight on a joint that is not there; that is a fault of the skin, not of the file as such.
fn broken(failure: &Failure) -> Option<Finding> {
    let Failure::Read(ReadFileError::Content { source: ReadError::Weights { place, source }, .. }) = failure
    else {
        return None;
    };
    matches!(source, WeightsError::SlotOutOfRange { .. })
        .then(|| Finding::new(FindingCode::JointOutOfRange, FindingPlace::named(place), source.to_string()))
}
