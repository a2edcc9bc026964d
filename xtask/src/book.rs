//! The book in `docs`: its links are checked, and mdBook makes pages of it.

use crate::{
    Outcome,
    pages::{Page, pages},
    shell::{command, output, root, run as run_command, works},
};
use std::{collections::BTreeSet, path::Path};

const SUMMARY: &str = "docs/SUMMARY.md";
const PICTURES: &str = "docs/images";

/// `cargo xtask book`: checks the links and makes the book in `target/book`.
pub(crate) fn run(_: &[String]) -> Outcome {
    check()?;
    if !works("mdbook --version") {
        return Err("mdBook is not installed; `cargo install mdbook --locked` takes some minutes".into());
    }
    run_command(&mut command("mdbook build docs"))
}

/// Fails on a page that the summary does not name, a link to nothing, a block of code without a language and a picture
/// that no page shows.
pub(crate) fn check() -> Outcome {
    let pages = pages()?;
    let mut faults = unnamed_pages(&pages);
    faults.extend(pages.iter().flat_map(|page| broken_links(page, &pages)));
    faults.extend(pages.iter().flat_map(|page| {
        page.bare_fences()
            .map(|line| format!("{}:{line}: the block names no language; `text` is one", page.path))
    }));
    faults.extend(unshown_pictures(&pages)?);
    if !faults.is_empty() {
        return Err(format!("{} faults in the documentation:\n  {}", faults.len(), faults.join("\n  ")));
    }
    println!("{} pages link to what is there", pages.len());
    Ok(())
}

/// One line for every page below `docs` that is not in the summary.
fn unnamed_pages(pages: &[Page]) -> Vec<String> {
    let Some(summary) = pages.iter().find(|page| page.path == SUMMARY) else {
        return vec![format!("{SUMMARY} is missing")];
    };
    let named: BTreeSet<String> =
        summary.links().filter_map(|link| summary.target_of(&link.target)).collect();
    let in_book = pages.iter().filter(|page| page.path.starts_with("docs/") && page.path != SUMMARY);
    let unnamed = in_book.filter(|page| !named.contains(&page.path));
    unnamed.map(|page| format!("{} is not in {SUMMARY}", page.path)).collect()
}

/// One line for every picture that no page shows.
fn unshown_pictures(pages: &[Page]) -> Result<Vec<String>, String> {
    let targets = |page: &Page| -> Vec<String> {
        page.links().filter_map(|link| page.target_of(&link.target)).collect()
    };
    let shown: BTreeSet<String> = pages.iter().flat_map(targets).collect();
    let pictures = output(&mut command(&format!("git ls-files -- {PICTURES}")))?;
    let unshown =
        pictures.lines().filter(|picture| root().join(picture).exists() && !shown.contains(*picture));
    Ok(unshown.map(|picture| format!("{picture}: no page shows it")).collect())
}

/// One line for every relative link of `page` that leads to no file or to no heading.
fn broken_links(page: &Page, pages: &[Page]) -> Vec<String> {
    let broken = page.links().filter(|link| !leads_somewhere(page, &link.target, pages));
    broken
        .map(|link| format!("{}:{}: the link {} leads nowhere", page.path, link.line, link.target))
        .collect()
}

fn leads_somewhere(page: &Page, target: &str, pages: &[Page]) -> bool {
    let Some(path) = page.target_of(target) else { return true };
    let Some((_, anchor)) = target.split_once('#') else { return exists(&path) };
    match pages.iter().find(|page| page.path == path) {
        Some(page) => page.anchors().any(|a| a == anchor),
        None => exists(&path),
    }
}

fn exists(path: &str) -> bool {
    root().join(Path::new(path)).exists()
}
