//! The documentation's pictures, drawn anew by the program itself.

use crate::{
    Outcome,
    pages::{Page, pages},
    shell::{command, root, run as run_command},
};
use std::{collections::BTreeSet, fs};

/// What a machine measured: `sinew bench --small --chart` draws it, and the README says on which machine.
const MEASURED: &str = "bench_chart.png";

/// Runs the demo and the studio's tests, and copies every picture that a page refers to into `docs/images`.
pub(crate) fn run(_: &[String]) -> Outcome {
    let drawn = root().join("target/pictures");
    run_command(command("cargo run --release --quiet -- demo --output").arg(&drawn))?;
    run_command(&mut command("cargo test --package sinew-studio --test window -- readme"))?;
    // The window's tests leave their pictures here.
    let folders = [drawn, root().join("target/tmp/studio")];
    let images = root().join("docs/images");
    fs::create_dir_all(&images).map_err(|e| format!("{}: {e}", images.display()))?;
    let mut wanted = referred_pictures()?;
    wanted.remove(MEASURED);
    for name in &wanted {
        let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
        let found = found.ok_or_else(|| format!("no demo and no test draws {name}, which a page shows"))?;
        fs::copy(found, images.join(name)).map_err(|e| format!("{name}: {e}"))?;
    }
    println!("{} pictures are in docs/images; look at them before you commit them", wanted.len());
    Ok(())
}

/// The names of all pictures in `docs/images` that a page shows.
fn referred_pictures() -> Result<BTreeSet<String>, String> {
    let links = |page: &Page| page.links().map(|link| link.target).collect::<Vec<_>>();
    let targets = pages()?.iter().flat_map(links).collect::<Vec<_>>();
    let names = targets.iter().filter_map(|target| target.rsplit_once("images/"));
    Ok(names.map(|(_, name)| name.to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_that_a_page_shows_is_there() {
        for name in referred_pictures().unwrap() {
            assert!(
                root().join("docs/images").join(&name).exists(),
                "{name} is missing: run `cargo xtask pictures`"
            );
        }
    }
}
