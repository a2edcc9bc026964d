//! `sinew inspect`.

mod summary;
mod table;
mod text;

use crate::{args::InspectArgs, failure::Failure, input, output::print};
use summary::Summary;

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let import = input::open(&args.file)?;
    let mut summary = Summary::of(&args.file, &import);
    if args.bounds {
        summary.add_clip_bounds(&import.character)?;
    }
    if args.json {
        let json = serde_json::to_string_pretty(&summary).map_err(|e| Failure::Print(e.into()))?;
        return print(json + "\n");
    }
    print(text::page(&summary))
}
