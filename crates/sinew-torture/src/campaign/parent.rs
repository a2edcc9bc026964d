//! The parent: hands out batches, watches children, and keeps the inputs of failures.

use super::{
    Batch, CaseReport, Cases, Failure, Group, Tally,
    cpu_time::{cpu_time, is_waiting},
};
use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::PathBuf,
    process::{Child, ChildStderr, ChildStdout, Command, Stdio},
    sync::{
        Mutex,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// What one case may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseLimits {
    /// The bytes that Rust code may allocate at a time.
    pub memory_bytes: u64,
    /// The address space of a child, which also bounds C code; zero for no limit. Only where there is a Unix shell.
    pub address_bytes: u64,
    /// The CPU time of a case, and the time that it may wait for something else.
    pub time: Duration,
}

impl Default for CaseLimits {
    fn default() -> Self {
        Self { memory_bytes: 1 << 30, address_bytes: 4 << 30, time: Duration::from_secs(10) }
    }
}

/// Cases to run in children.
#[derive(Debug)]
pub struct Campaign {
    /// The cases that the batches number.
    pub cases: Cases,
    /// What one case may take.
    pub limits: CaseLimits,
    /// The number of children at a time.
    pub jobs: usize,
    /// The folder that keeps the inputs of failures.
    pub kept: PathBuf,
}

impl Campaign {
    /// Runs every batch and counts what happened.
    ///
    /// # Errors
    /// If a child cannot be started or an input cannot be kept.
    pub fn run(&self, batches: impl IntoIterator<Item = Batch, IntoIter: Send>) -> io::Result<Tally> {
        let tally = Mutex::new(Tally::new(self.cases.group));
        let batches = Mutex::new(batches.into_iter());
        let next = || batches.lock().ok()?.next();
        let work = || -> io::Result<()> {
            while let Some(batch) = next() {
                self.run_batch(batch, &tally)?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(work)).collect();
            let ended = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| Err(io::Error::other("a worker panicked"))));
            ended.collect::<io::Result<Vec<()>>>()
        })?;
        tally.into_inner().map_err(|_| io::Error::other("a worker panicked"))
    }

    /// Runs one batch in as many children as it takes.
    fn run_batch(&self, mut batch: Batch, tally: &Mutex<Tally>) -> io::Result<()> {
        while !batch.is_empty() {
            let start = Instant::now();
            let Some(number) = self.run_child(batch, tally)? else { break };
            batch = batch.after(number, start.elapsed());
        }
        Ok(())
    }

    /// Runs one child. Returns the number of the case that ended it early.
    fn run_child(&self, batch: Batch, tally: &Mutex<Tally>) -> io::Result<Option<u64>> {
        let child = RunningChild::start(self, batch)?;
        let mut current = None;
        let failed = loop {
            match child.next(self.limits.time) {
                Ok(CaseReport::Begins { number }) => current = Some(number),
                Ok(CaseReport::Finished) => break None,
                Ok(ended) => {
                    let is_failure = tally.lock().is_ok_and(|mut tally| tally.ended(&ended, &self.limits));
                    if let Some(number) = current.take().filter(|_| is_failure) {
                        self.keep(number)?;
                    }
                }
                Err(reason) => break Some(reason),
            }
        };
        let words = child.end()?;
        let (Some(reason), Some(number)) = (failed, current) else {
            // Between two cases there is nothing that could go wrong but the program itself.
            return failed.map_or(Ok(None), |_| Err(io::Error::other(format!("a child died: {words}"))));
        };
        if let Ok(mut tally) = tally.lock() {
            match reason {
                RecvTimeoutError::Timeout => tally.over_time(number, self.limits.time),
                RecvTimeoutError::Disconnected => tally.died(number, &words),
            }
        }
        self.keep(number)?;
        Ok(Some(number))
    }

    /// Keeps the input of a failure.
    fn keep(&self, number: u64) -> io::Result<()> {
        fs::create_dir_all(&self.kept)?;
        let case = self.cases.get(number);
        let subject = self.cases.group.subjects()[case.subject].name.replace(' ', "-");
        fs::write(self.kept.join(format!("{subject}-{}-{number}", self.cases.seed)), case.input)
    }

    /// The failures of `tally` as an error; `Ok` if there are none.
    ///
    /// # Errors
    /// If there are failures.
    pub fn verdict(&self, tally: &Tally) -> Result<(), String> {
        match tally.failures() {
            [] => Ok(()),
            [Failure { .. }, ..] => Err(format!(
                "{} of {} cases failed; their inputs are in {}",
                tally.failures().len(),
                tally.cases(),
                self.kept.display()
            )),
        }
    }

    fn command(&self, batch: Batch) -> io::Result<Command> {
        let program = std::env::current_exe()?;
        let mut command = if cfg!(unix) && self.limits.address_bytes > 0 {
            let mut shell = Command::new("sh");
            let kib = self.limits.address_bytes >> 10;
            shell.arg("-c").arg(format!("ulimit -c 0; ulimit -v {kib}; exec \"$0\" \"$@\"")).arg(program);
            shell
        } else {
            Command::new(program)
        };
        command
            .arg("child")
            .arg(self.cases.group.name())
            .arg(self.cases.seed.to_string())
            .args(batch.to_arguments());
        command.args(&self.cases.corpus);
        // One thread per child, so that times are those of one core; one heap, so that peaks are not spread.
        command.env("RAYON_NUM_THREADS", "1").env("MALLOC_ARENA_MAX", "1");
        Ok(command)
    }
}

/// A child, its reports, and what it says on its error output.
struct RunningChild {
    child: Child,
    reports: Receiver<CaseReport>,
    words: JoinHandle<String>,
}

impl RunningChild {
    fn start(campaign: &Campaign, batch: Batch) -> io::Result<Self> {
        let mut command = campaign.command(batch)?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let lost = || io::Error::other("the output of a child is lost");
        let (out, err) = (child.stdout.take().ok_or_else(lost)?, child.stderr.take().ok_or_else(lost)?);
        Ok(Self { child, reports: reports(out), words: thread::spawn(move || last_words(err)) })
    }

    /// The next report, unless the child uses more CPU time than `limit`, or waits for something else for as long.
    ///
    /// The clock alone would blame a case for what other programs on the machine do.
    fn next(&self, limit: Duration) -> Result<CaseReport, RecvTimeoutError> {
        let tick = Duration::from_secs(1).min(limit);
        let (mut waited, busy) = (Duration::ZERO, cpu_time(self.child.id()));
        loop {
            match self.reports.recv_timeout(tick) {
                Err(RecvTimeoutError::Timeout) => {}
                other => return other,
            }
            let used = cpu_time(self.child.id()).zip(busy).map(|(now, then)| now.saturating_sub(then));
            if used.is_none() || is_waiting(self.child.id()) {
                waited += tick;
            }
            if used.is_some_and(|used| used >= limit) || waited >= limit {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// Ends the child if it has not ended, and returns its last words.
    fn end(mut self) -> io::Result<String> {
        // It may have ended by itself.
        _ = self.child.kill();
        let status = self.child.wait()?;
        let words = self.words.join().unwrap_or_default();
        Ok(if words.trim().is_empty() { status.to_string() } else { words })
    }
}

fn reports(out: ChildStdout) -> Receiver<CaseReport> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let lines = BufReader::new(out).lines().map_while(Result::ok);
        for report in lines.filter_map(|line| CaseReport::parse(&line)) {
            if sender.send(report).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The end of what a child says.
fn last_words(mut err: ChildStderr) -> String {
    const KEPT: usize = 4096;
    let (mut kept, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(count @ 1..) = err.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        kept.drain(..kept.len().saturating_sub(KEPT));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

impl Group {
    /// One batch of `time` for every subject.
    #[must_use]
    pub fn batches_of(self, time: Duration) -> Vec<Batch> {
        let step = self.subjects().len() as u64;
        (0..step).map(|first| Batch { first, step, count: u64::MAX / step - 1, time: Some(time) }).collect()
    }
}
