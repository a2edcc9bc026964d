//! `sinew demo`: the built-in characters in pictures and tables, on one page.

mod arm;
mod figure;
mod frozen;
mod hard_weights;
mod helper_joints;
mod joints;
mod key_frame;
mod markers;
mod methods;
mod morphs;
mod motion;
mod muscle_weights;
mod rigid;
mod tube;
mod variants;

use crate::{
    failure::Failure,
    input, output,
    page::{self, Page},
    progress,
};
use clap::ValueHint;
use std::path::PathBuf;

/// Draw the built-in characters in every way, and put the pictures and tables on one page.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sinew demo -o pictures && open pictures/index.html")]
pub(crate) struct DemoArgs {
    /// The folder to write to; it is created if it is missing.
    #[arg(short, long, default_value = "demo", value_hint = ValueHint::DirPath)]
    output: PathBuf,

    /// A .bvh file, or another file with a motion, to retarget to the figure on the page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    capture: Option<String>,
}

/// The number of pictures, for the progress bar.
const EXHIBITS: u64 = 85;

pub(crate) fn run(args: &DemoArgs, quiet: bool) -> Result<(), Failure> {
    // Read before anything is drawn, so that a wrong name fails at once.
    let capture = match args.capture.as_deref() {
        Some(file) => Some((file, input::open(file)?.character)),
        None => None,
    };
    output::create_folder(&args.output)?;
    let bar = progress::bar(EXHIBITS, "drawing", quiet);
    let mut sections = vec![arm::section(&bar)?, rigid::section(&bar)?];
    sections.extend(tube::sections(&bar)?);
    sections.extend(methods::sections(&bar)?);
    sections.extend(variants::sections(&bar)?);
    sections.push(hard_weights::section(&bar)?);
    sections.extend(helper_joints::sections(&bar)?);
    sections.extend(joints::sections(&bar)?);
    sections.push(muscle_weights::section(&bar)?);
    sections.push(morphs::section(&bar)?);
    sections.push(motion::section(&bar, capture.as_ref())?);
    sections.push(key_frame::section(&bar)?);
    sections.push(markers::section(&bar)?);
    sections.extend(figure::sections(&bar)?);
    bar.finish_and_clear();
    let page = Page {
        title: "Sinew".into(),
        text: format!(
            "Skeletal animation and skinning. Everything on this page was made by code and drawn by Sinew {} itself, \
             without a GPU.",
            env!("CARGO_PKG_VERSION")
        ),
        sections,
    };
    let path = page::write(&args.output, &page)?;
    if !quiet {
        let pictures = page.exhibits().count();
        tell!("{pictures} pictures are in {}; open {}", args.output.display(), path.display());
    }
    Ok(())
}

/// What failed if the page cannot be composed: its inputs are built in, so this is a bug.
fn compose_demo() -> &'static str {
    "compose the demo"
}
