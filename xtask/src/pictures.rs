//! The documentation's pictures, drawn anew by the program itself.

use crate::{
    Outcome,
    shell::{command, root, run as run_command},
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Runs the demo and the studio's tests, and copies every picture that a page refers to into `docs/images`.
pub(crate) fn run(_: &[String]) -> Outcome {
    let drawn = root().join("target/pictures");
    run_command(command("cargo run --release --quiet -- demo --output").arg(&drawn))?;
    run_command(&mut command("cargo test --package sinew-studio --test window -- readme"))?;
    // The window's tests leave their pictures here.
    let folders = [drawn, root().join("target/tmp/studio")];
    let images = root().join("docs/images");
    fs::create_dir_all(&images).map_err(|e| format!("{}: {e}", images.display()))?;
    let wanted = referred_pictures()?;
    for name in &wanted {
        let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
        let found = found.ok_or_else(|| format!("no demo and no test draws {name}, which a page shows"))?;
        fs::copy(found, images.join(name)).map_err(|e| format!("{name}: {e}"))?;
    }
    println!("{} pictures are in docs/images; look at them before you commit them", wanted.len());
    Ok(())
}

/// The names of all pictures in `docs/images` that README or a page of docs shows.
fn referred_pictures() -> Result<BTreeSet<String>, String> {
    let mut pages = vec![root().join("README.md")];
    pages.extend(pages_below(&root().join("docs"))?);
    let mut names = BTreeSet::new();
    for page in pages {
        let text = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
        names.extend(pictures_in(&text));
    }
    Ok(names)
}

fn pages_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            pages.extend(pages_below(&path)?);
        } else if path.extension().is_some_and(|e| e == "md") {
            pages.push(path);
        }
    }
    Ok(pages)
}

/// What stands behind `images/` in a page's pictures.
fn pictures_in(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split("](").skip(1).filter_map(|part| part.split(')').next());
    parts.filter_map(|target| target.rsplit_once("images/").map(|(_, name)| name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_found_wherever_the_page_is() {
        let text = "![a](docs/images/a.png) [text](docs/b.md) | ![c](../images/c.gif) |";
        assert_eq!(pictures_in(text).collect::<Vec<_>>(), ["a.png", "c.gif"]);
    }

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
