//! The arguments of `sinew-torture`.

use sinew_torture::campaign::{Batch, Campaign, CaseLimits, Cases, Group};
use std::{error::Error, path::PathBuf, slice::Iter, time::Duration};

pub(crate) const USAGE: &str = "\
sinew-torture formats [--cases N] [OPTION]...    mutates every format and drives every stage and writer (10000 cases)
sinew-torture targets [--seconds N] [OPTION]...  mutates the corpus of every fuzz target, N seconds each (2)
sinew-torture corpus FOLDER                      writes the corpus of the fuzz targets
sinew-torture case GROUP [--seed N] NUMBER       runs one case of `formats` or `targets` in this process
sinew-torture input GROUP SUBJECT FILE           runs one subject on a file in this process

  --seed N     the campaign; the same number gives the same cases (1)
  --jobs N     processes at a time (1)
  --timeout N  seconds of CPU time that a case may take (10)
  --memory N   MiB that Rust code may allocate for a case (1024)
  --address N  MiB of address space of a process; 0 for no limit (4096)
  --only NAME  one subject instead of all
  --corpus DIR inputs to begin with, in a folder per subject; those made by code without it
  --kept DIR   where the inputs of failures are kept (target/torture)";

/// What the program was asked to do.
#[derive(Debug)]
pub(crate) enum Request {
    Formats { cases: u64, campaign: CampaignArguments },
    Targets { time: Duration, campaign: CampaignArguments },
    Corpus { folder: PathBuf },
    Case { cases: Cases, number: u64 },
    Input { group: Group, subject: String, file: PathBuf },
    Child { cases: Cases, batch: Batch },
}

/// What both kinds of campaigns take.
#[derive(Debug)]
pub(crate) struct CampaignArguments {
    cases: u64,
    seconds: u64,
    seed: u64,
    jobs: usize,
    limits: CaseLimits,
    only: Option<String>,
    corpus: Option<PathBuf>,
    kept: PathBuf,
    words: Vec<String>,
}

impl CampaignArguments {
    /// The campaign over the subjects of `group`.
    pub(crate) fn start(self, group: Group) -> Result<Campaign, Box<dyn Error>> {
        let cases = Cases::new(group, self.seed, self.corpus)?;
        Ok(Campaign { cases, limits: self.limits, jobs: self.jobs, kept: self.kept })
    }

    /// The distance of the cases that are wanted, and the first of them: every case, or those of one subject.
    pub(crate) fn wanted(&self, group: Group) -> Result<(u64, u64), String> {
        let Some(name) = &self.only else { return Ok((1, 0)) };
        let at = group.subjects().iter().position(|subject| subject.name == name);
        let at = at.ok_or_else(|| format!("there is no subject {name:?} in {}", group.name()))?;
        Ok((group.subjects().len() as u64, at as u64))
    }

    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut out = Self {
            cases: 10_000,
            seconds: 2,
            seed: 1,
            jobs: 1,
            limits: CaseLimits::default(),
            only: None,
            corpus: None,
            kept: PathBuf::from("target/torture"),
            words: Vec::new(),
        };
        let mut left = arguments.iter();
        while let Some(word) = left.next() {
            match word.as_str() {
                "--cases" => out.cases = number(word, &mut left)?,
                "--seconds" => out.seconds = number(word, &mut left)?,
                "--seed" => out.seed = number(word, &mut left)?,
                "--jobs" => out.jobs = number(word, &mut left)? as usize,
                "--timeout" => out.limits.time = Duration::from_secs(number(word, &mut left)?),
                "--memory" => out.limits.memory_bytes = number(word, &mut left)? << 20,
                "--address" => out.limits.address_bytes = number(word, &mut left)? << 20,
                "--only" => out.only = Some(value(word, &mut left)?.clone()),
                "--corpus" => out.corpus = Some(value(word, &mut left)?.into()),
                "--kept" => out.kept = value(word, &mut left)?.into(),
                option if option.starts_with('-') => return Err(format!("there is no option {option}")),
                _ => out.words.push(word.clone()),
            }
        }
        Ok(out)
    }
}

fn value<'a>(option: &str, left: &mut Iter<'a, String>) -> Result<&'a String, String> {
    left.next().ok_or_else(|| format!("{option} needs a value"))
}

fn number(option: &str, left: &mut Iter<'_, String>) -> Result<u64, String> {
    let text = value(option, left)?;
    text.parse().map_err(|_| format!("{option} needs a whole number, got {text:?}"))
}

impl Request {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let (first, rest) = arguments.split_first().ok_or("what is to be done?")?;
        if first == "child" {
            return child(rest).ok_or_else(|| "child is for the program itself".into());
        }
        let parsed = CampaignArguments::parse(rest)?;
        let words: Vec<&str> = parsed.words.iter().map(String::as_str).collect();
        match (first.as_str(), &words[..]) {
            ("formats", []) => Ok(Self::Formats { cases: parsed.cases, campaign: parsed }),
            ("targets", []) => {
                Ok(Self::Targets { time: Duration::from_secs(parsed.seconds), campaign: parsed })
            }
            ("corpus", [folder]) => Ok(Self::Corpus { folder: folder.into() }),
            ("case", [of, number]) => {
                let number = number.parse().map_err(|_| format!("{number:?} is not the number of a case"))?;
                let cases =
                    Cases::new(group(of)?, parsed.seed, parsed.corpus.clone()).map_err(|e| e.to_string())?;
                Ok(Self::Case { cases, number })
            }
            ("input", [of, subject, file]) => {
                Ok(Self::Input { group: group(of)?, subject: (*subject).into(), file: file.into() })
            }
            _ => Err(format!("{:?} cannot be done", arguments.join(" "))),
        }
    }
}

fn group(name: &str) -> Result<Group, String> {
    Group::find(name).ok_or_else(|| format!("there is no group {name:?}, only formats and targets"))
}

/// What [`Campaign`] gives to its children: group, seed, batch, and perhaps a corpus.
fn child(arguments: &[String]) -> Option<Request> {
    let (head, rest) = arguments.split_at_checked(2)?;
    let (batch, corpus) = rest.split_at_checked(4)?;
    let (group, seed) = (Group::find(&head[0])?, head[1].parse().ok()?);
    let cases = Cases::new(group, seed, corpus.first().map(PathBuf::from)).ok()?;
    Some(Request::Child { cases, batch: Batch::from_arguments(batch)? })
}
