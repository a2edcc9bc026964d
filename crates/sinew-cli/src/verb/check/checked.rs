//! A file with its findings, before and after fixing.

use super::args::CheckArgs;
use crate::{
    failure::{Attempt, Failure},
    input, limits,
};
use sinew::{Character, WeightsError};
use sinew_author::check::{CheckOptions, Finding, FindingCode, FindingPlace, Fix, Severity, check, fix};
use sinew_formats::{ReadError, ReadFileError, WriteOptions, WriteReport, read_file_with};
use std::path::Path;

/// A file with its findings.
pub(super) struct CheckedFile {
    pub(super) file: String,
    /// `None` if the file is too broken to hold a character.
    pub(super) character: Option<Character>,
    pub(super) findings: Vec<Finding>,
    pub(super) fixed: Option<FixedFile>,
}

/// The file that `--fix` wrote.
pub(super) struct FixedFile {
    pub(super) file: String,
    pub(super) fixes: Vec<Fix>,
    /// The findings of the written file, read again.
    pub(super) remaining: Vec<Finding>,
    /// What happened to the content of the file.
    pub(super) write: WriteReport,
}

impl CheckedFile {
    pub(super) fn open(file: &str, args: &CheckArgs) -> Result<Self, Failure> {
        let options = options(args);
        match input::open(file) {
            Ok(import) => {
                let findings = check(&import.character, import.report.findings(), &options);
                Ok(Self { file: file.into(), character: Some(import.character), findings, fixed: None })
            }
            Err(failure) => match broken(&failure) {
                Some(fact) => {
                    let findings = check(&empty_character()?, &[fact], &options);
                    Ok(Self { file: file.into(), character: None, findings, fixed: None })
                }
                None => Err(failure),
            },
        }
    }

    /// Fixes what can be fixed, writes the result, and checks the written file again.
    pub(super) fn fix(&mut self, args: &CheckArgs, path: &Path, quiet: bool) -> Result<(), Failure> {
        let options = options(args);
        let attempt = || format!("fix {}", self.file);
        let Some(character) = &self.character else {
            return Err(Failure::work(attempt(), "it is too broken to hold a character"));
        };
        let fixed = fix(character, &self.findings, &options).attempt(attempt)?;
        let options = WriteOptions::default().with_repairs(true);
        let write = args.write.write_with(path, &fixed.character, &options, quiet)?;
        let options = self::options(args);
        let import = read_file_with(path, &limits::read_options())?;
        let remaining = check(&import.character, import.report.findings(), &options);
        let file = path.display().to_string();
        self.fixed = Some(FixedFile { file, fixes: fixed.fixes, remaining, write });
        Ok(())
    }

    /// True if nothing worse than a note was found, or remains after fixing.
    pub(super) fn is_clean(&self) -> bool {
        !self.has(Severity::Warning)
    }

    /// True if a finding is at least as severe, or one that remains after fixing.
    pub(super) fn has(&self, severity: Severity) -> bool {
        let remaining = self.fixed.as_ref().map_or(&self.findings, |fixed| &fixed.remaining);
        remaining.iter().any(|f| f.severity() >= severity)
    }
}

fn options(args: &CheckArgs) -> CheckOptions {
    CheckOptions { target: args.target, warning_percent: args.warn_from, ..CheckOptions::default() }
}

/// An empty character, which has no findings but those of the file itself.
fn empty_character() -> Result<Character, Failure> {
    let attempt = || "build an empty character";
    let skeleton = sinew::Skeleton::new([]).attempt(attempt)?;
    Character::new(sinew::CharacterParts::new("", skeleton.into())).attempt(attempt)
}

/// The reader refuses weight on a joint that does not exist; that is a finding about the skin, not an unreadable file.
fn broken(failure: &Failure) -> Option<Finding> {
    let Failure::Read(ReadFileError::Content { source: ReadError::Weights { place, source }, .. }) = failure
    else {
        return None;
    };
    matches!(source, WeightsError::SlotOutOfRange { .. })
        .then(|| Finding::new(FindingCode::JointOutOfRange, FindingPlace::named(place), source.to_string()))
}
