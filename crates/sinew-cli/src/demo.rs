//! `sinew demo`: the built-in characters in pictures and figures, on one page.

mod arm;
mod figure;
mod joints;
mod mend;
mod methods;
mod motion;
mod parts;
mod shapes;
mod still;
mod tube;
mod variants;

use crate::{
    args::DemoArgs,
    failure::Failure,
    input, output,
    page::{self, Page},
    progress,
};

/// How many exhibits there are, for the progress bar.
const EXHIBITS: u64 = 70;

pub(crate) fn run(args: &DemoArgs, quiet: bool) -> Result<(), Failure> {
    // Read before anything is drawn: a wrong name should not take the whole page to be found.
    let capture = match args.capture.as_deref() {
        Some(file) => Some((file, input::open(file)?.character)),
        None => None,
    };
    output::make_folder(&args.output)?;
    let bar = progress::bar(EXHIBITS, "drawing", quiet);
    let mut sections = vec![arm::section(&bar)?, parts::section(&bar)?];
    sections.extend(tube::sections(&bar)?);
    sections.extend(methods::sections(&bar)?);
    sections.extend(variants::sections(&bar)?);
    sections.push(mend::section(&bar)?);
    sections.extend(joints::sections(&bar)?);
    sections.push(shapes::section(&bar)?);
    sections.push(motion::section(&bar, capture.as_ref())?);
    sections.extend(figure::sections(&bar)?);
    bar.finish_and_clear();
    let page = Page {
        title: "Sinew".into(),
        text: format!(
            "Skeletal animation and skinning. Everything on this page was made by code and drawn by Sinew {} itself, \
             without a graphics card.",
            env!("CARGO_PKG_VERSION")
        ),
        sections,
    };
    for exhibit in page.exhibits() {
        output::write(&args.output.join(&exhibit.file), &exhibit.bytes)?;
    }
    let path = args.output.join("index.html");
    output::write(&path, page::html(&page))?;
    if !quiet {
        let pictures = page.exhibits().count();
        eprintln!("{pictures} pictures are in {}; open {}", args.output.display(), path.display());
    }
    Ok(())
}
