//! Writes every Rust block of the book's pages and of the READMEs as a documentation test.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let root = folder("CARGO_MANIFEST_DIR").join("../..");
    let mut out = String::new();
    for page in pages(&root)? {
        println!("cargo::rerun-if-changed={}", page.display());
        let text = fs::read_to_string(&page)?;
        let name = page.strip_prefix(&root).unwrap_or(&page).to_string_lossy();
        write_page(&mut out, &name, &text);
    }
    fs::write(folder("OUT_DIR").join("snippets.rs"), out)
}

/// All pages that may show code: READMEs and everything below `docs`.
fn pages(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut pages = vec![root.join("README.md")];
    for entry in fs::read_dir(root.join("crates"))? {
        pages.push(entry?.path().join("README.md"));
    }
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        // A page that is added or removed changes its folder.
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { pages.push(path) }
        }
    }
    pages.retain(|page| page.extension().is_some_and(|e| e == "md") && page.exists());
    pages.sort();
    Ok(pages)
}

/// One module for the page and one item for each of its blocks.
fn write_page(out: &mut String, name: &str, text: &str) {
    let blocks = blocks(text);
    if blocks.is_empty() {
        return;
    }
    let module = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    // Writing to a string cannot fail.
    _ = writeln!(out, "mod {module} {{");
    for (line, block) in blocks {
        _ = writeln!(out, "#[doc = {block:?}]\nstruct line_{line};");
    }
    _ = writeln!(out, "}}");
}

/// The Rust blocks of a page with their fences, and the line of each.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start_matches("> ");
        if !is_open && line.trim_start().starts_with("```rust") {
            is_open = true;
            blocks.push((at + 1, String::new()));
        } else if !is_open {
            continue;
        }
        if let Some((first, block)) = blocks.last_mut() {
            *block += line;
            block.push('\n');
            is_open = *first == at + 1 || line.trim() != "```";
        }
    }
    blocks
}
