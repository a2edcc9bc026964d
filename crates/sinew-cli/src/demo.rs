//! `sinew demo`: the built-in characters in pictures and figures, on one page.

mod arm;
mod figure;
mod page;
mod tube;

use crate::{args::DemoArgs, failure::Failure, output, progress};
use indicatif::ProgressBar;
use sinew_view::{
    encode::{Animation, encode_gif, encode_png},
    picture::Picture,
};
use std::{path::Path, time::Duration};

/// A part of the page.
pub(crate) struct Section {
    title: &'static str,
    /// What to see, in plain text.
    text: String,
    rows: Vec<Vec<Exhibit>>,
    table: Option<Table>,
}

/// A picture with what it shows.
pub(crate) struct Exhibit {
    file: String,
    caption: String,
    bytes: Vec<u8>,
}

/// Figures in rows.
pub(crate) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// Where exhibits are made.
pub(crate) struct Workshop {
    bar: ProgressBar,
}

impl Workshop {
    /// A still picture.
    fn still(&self, file: &str, caption: impl Into<String>, picture: &Picture) -> Result<Exhibit, Failure> {
        self.bar.inc(1);
        let bytes = encode_png(picture).map_err(|e| Failure::Draw(e.to_string()))?;
        Ok(Exhibit { file: format!("{file}.png"), caption: caption.into(), bytes })
    }

    /// A moving picture.
    fn moving(
        &self,
        file: &str,
        caption: impl Into<String>,
        frames: &[Picture],
        fps: f64,
    ) -> Result<Exhibit, Failure> {
        self.bar.inc(1);
        let animation = Animation { frames, frame_time: Duration::from_secs_f64(1.0 / fps) };
        let bytes = encode_gif(animation).map_err(|e| Failure::Draw(e.to_string()))?;
        Ok(Exhibit { file: format!("{file}.gif"), caption: caption.into(), bytes })
    }
}

/// How many exhibits there are, for the progress bar.
const EXHIBITS: u64 = 26;

pub(crate) fn run(args: &DemoArgs, quiet: bool) -> Result<(), Failure> {
    output::make_folder(&args.output)?;
    let workshop = Workshop { bar: progress::bar(EXHIBITS, "drawing", quiet) };
    let mut sections = vec![arm::section(&workshop)?];
    sections.extend(tube::sections(&workshop)?);
    sections.extend(figure::sections(&workshop)?);
    workshop.bar.finish_and_clear();
    for exhibit in sections.iter().flat_map(|s| s.rows.iter().flatten()) {
        output::write(&args.output.join(&exhibit.file), &exhibit.bytes)?;
    }
    let page = args.output.join("index.html");
    output::write(&page, page::html(&sections))?;
    if !quiet {
        summary(&args.output, &page, &sections);
    }
    Ok(())
}

fn summary(folder: &Path, page: &Path, sections: &[Section]) {
    let pictures = sections.iter().flat_map(|s| &s.rows).map(Vec::len).sum::<usize>();
    eprintln!("{pictures} pictures are in {}; open {}", folder.display(), page.display());
}
