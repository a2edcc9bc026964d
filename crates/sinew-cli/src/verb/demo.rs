//! `sinew demo`: the built-in characters in pictures and tables, on one page.

mod arm;
mod corrective;
mod crossfade;
mod crowd;
mod figure;
mod frozen;
mod hard_weights;
mod helper_joints;
mod joints;
mod key_frame;
mod limbs;
mod markers;
mod methods;
mod morphs;
mod motion;
mod muscle_weights;
mod rigid;
mod springs;
mod tube;
mod variants;
mod vat;

use crate::{
    failure::Failure,
    input, output,
    page::{self, Page, Section},
    progress,
};
use clap::{ValueHint, builder::PossibleValuesParser};
use indicatif::ProgressBar;
use sinew::Character;
use std::path::PathBuf;

/// Draw the built-in characters in every way, and put the pictures and tables on one page.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  sinew demo -o pictures && open pictures/index.html\n  sinew demo --only crowd,springs -o pictures"
)]
pub(crate) struct DemoArgs {
    /// The folder to write to; it is created if it is missing.
    #[arg(short, long, default_value = "demo", value_hint = ValueHint::DirPath)]
    output: PathBuf,

    /// A .bvh file, or another file with a motion, to retarget to the figure on the page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    capture: Option<String>,

    /// Draw only these sections of the page, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "SECTION",
        value_parser = PossibleValuesParser::new(SECTIONS.map(|(name, _)| name)))]
    only: Vec<String>,
}

/// Draws the sections of one name.
type Draw = fn(&ProgressBar, Option<&(&str, Character)>) -> Result<Vec<Section>, Failure>;

/// The sections of the page, in its order.
const SECTIONS: [(&str, Draw); 19] = [
    ("arm", |bar, _| Ok(vec![arm::section(bar)?])),
    ("rigid", |bar, _| Ok(vec![rigid::section(bar)?])),
    ("tube", |bar, _| tube::sections(bar)),
    ("methods", |bar, _| methods::sections(bar)),
    ("limbs", |bar, _| Ok(vec![limbs::section(bar)?])),
    ("variants", |bar, _| variants::sections(bar)),
    ("hard-weights", |bar, _| Ok(vec![hard_weights::section(bar)?])),
    ("helper-joints", |bar, _| helper_joints::sections(bar)),
    ("corrective-joints", |bar, _| Ok(vec![corrective::section(bar)?])),
    ("joints", |bar, _| joints::sections(bar)),
    ("muscle-weights", |bar, _| Ok(vec![muscle_weights::section(bar)?])),
    ("morphs", |bar, _| Ok(vec![morphs::section(bar)?])),
    ("motion", |bar, capture| Ok(vec![motion::section(bar, capture)?])),
    ("crossfade", |bar, _| Ok(vec![crossfade::section(bar)?])),
    ("springs", |bar, _| Ok(vec![springs::section(bar)?])),
    ("crowd", |bar, _| Ok(vec![crowd::section(bar)?, vat::section(bar)?])),
    ("key-frame", |bar, _| Ok(vec![key_frame::section(bar)?])),
    ("markers", |bar, _| Ok(vec![markers::section(bar)?])),
    ("figure", |bar, _| figure::sections(bar)),
];

/// The number of pictures, for the progress bar.
const EXHIBITS: u64 = 131;

pub(crate) fn run(args: &DemoArgs, quiet: bool) -> Result<(), Failure> {
    // Read before anything is drawn, so that a wrong name fails at once.
    let capture = match args.capture.as_deref() {
        Some(file) => Some((file, input::open(file)?.character)),
        None => None,
    };
    output::create_folder(&args.output)?;
    let bar = progress::bar(EXHIBITS, "drawing", quiet);
    let mut sections = Vec::new();
    for (name, draw) in SECTIONS {
        if args.only.is_empty() || args.only.iter().any(|only| only == name) {
            sections.extend(draw(&bar, capture.as_ref())?);
        }
    }
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
