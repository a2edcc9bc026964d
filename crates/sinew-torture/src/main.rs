//! `sinew-torture`: mutated files for every format and every fuzz target.
#![forbid(unsafe_code)]

mod arguments;

use arguments::{Request, USAGE};
use peak_alloc::PeakAlloc;
use sinew_torture::campaign::{Batch, Campaign, Cases, Group, run_batch};
use std::{error::Error, fs, io, path::Path, process::ExitCode, thread};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The cases of one child, unless it dies.
const BATCH: u64 = 500;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match Request::parse(&arguments) {
        Ok(request) => run(request),
        Err(reason) => Err(format!("{reason}\n\n{USAGE}").into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("sinew-torture: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(request: Request) -> Result<(), Box<dyn Error>> {
    match request {
        Request::Formats { cases, campaign } => {
            let (step, first) = campaign.wanted(Group::Formats)?;
            let starts = (0..cases).step_by(BATCH as usize);
            let batch = move |start| Batch {
                first: first + start * step,
                step,
                count: BATCH.min(cases - start),
                time: None,
            };
            report(&campaign.start(Group::Formats)?, starts.map(batch))
        }
        Request::Targets { time, campaign } => {
            let (step, first) = campaign.wanted(Group::Targets)?;
            let batches = Group::Targets.batches_of(time).into_iter();
            report(&campaign.start(Group::Targets)?, batches.filter(move |b| step == 1 || b.first == first))
        }
        Request::Corpus { folder } => Ok(write_corpus(&folder)?),
        Request::Case { cases, number } => {
            let mut case = cases.get(number);
            let subject = cases.group.subjects()[case.subject].name;
            println!("case {number} of {subject}: {} bytes", case.input.len());
            println!("{:?}", case.run());
            Ok(())
        }
        Request::Input { group, subject, file } => {
            let subjects = group.subjects().iter();
            let subject = subjects.clone().find(|s| s.name == subject);
            let subject = subject.ok_or("there is no such subject")?;
            let mut random = sinew_torture::random::Random::of_case(0, 0);
            println!("{:?}", (subject.run)(&fs::read(file)?, &mut random));
            Ok(())
        }
        Request::Child { cases, batch } => child(&cases, batch),
    }
}

/// Runs a campaign and prints its table.
fn report(
    campaign: &Campaign,
    batches: impl IntoIterator<Item = Batch, IntoIter: Send>,
) -> Result<(), Box<dyn Error>> {
    let tally = campaign.run(batches)?;
    print!("{}", tally.table(&campaign.cases));
    Ok(campaign.verdict(&tally)?)
}

/// Runs a batch on a thread with the stack of any other thread, which is smaller than that of the first.
fn child(cases: &Cases, batch: Batch) -> Result<(), Box<dyn Error>> {
    let ended = thread::scope(|scope| scope.spawn(|| run_batch(cases, batch, &mut io::stdout())).join());
    Ok(ended.map_err(|_| "the child itself panicked")??)
}

/// Writes the inputs that every fuzz target begins with.
fn write_corpus(folder: &Path) -> io::Result<()> {
    for target in Group::Targets.subjects() {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed{number}")), seed)?;
        }
    }
    Ok(())
}
