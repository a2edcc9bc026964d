//! An HTML page of pictures and tables: one file that needs no other.

use crate::{
    failure::{Attempt, Failure},
    output, overwrite,
};
use sinew_view::{
    encode::{Animation, encode_gif, encode_png},
    picture::Picture,
};
use std::{
    fmt::Write,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) struct Page {
    pub(crate) title: String,
    /// An introduction in plain text.
    pub(crate) text: String,
    pub(crate) sections: Vec<Section>,
}

/// A heading with text, rows of pictures and a table.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    /// What the pictures show, in plain text.
    pub(crate) text: String,
    pub(crate) rows: Vec<Vec<Exhibit>>,
    pub(crate) table: Option<HtmlTable>,
}

/// A picture with its caption.
pub(crate) struct Exhibit {
    /// The name of its own file, in the folder of the page.
    pub(crate) file: String,
    pub(crate) caption: String,
    pub(crate) bytes: Vec<u8>,
}

/// A table with a header.
pub(crate) struct HtmlTable {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl HtmlTable {
    pub(crate) fn new<const N: usize>(head: [&str; N], rows: Vec<Vec<String>>) -> Self {
        Self { head: head.map(str::to_owned).to_vec(), rows }
    }
}

impl Exhibit {
    /// A picture, encoded as PNG.
    pub(crate) fn still(file: &str, caption: impl Into<String>, picture: &Picture) -> Result<Self, Failure> {
        let bytes = encode_png(picture).attempt(|| format!("encode {file}.png"))?;
        Ok(Self { file: format!("{file}.png"), caption: caption.into(), bytes })
    }

    /// An animation, encoded as GIF.
    pub(crate) fn moving(
        file: &str,
        caption: impl Into<String>,
        frames: &[Picture],
        fps: f64,
    ) -> Result<Self, Failure> {
        let animation = Animation { frames, frame_time: Duration::from_secs_f64(1.0 / fps) };
        let bytes = encode_gif(animation).attempt(|| format!("encode {file}.gif"))?;
        Ok(Self { file: format!("{file}.gif"), caption: caption.into(), bytes })
    }
}

impl Page {
    /// Every picture on the page.
    pub(crate) fn exhibits(&self) -> impl Iterator<Item = &Exhibit> {
        self.sections.iter().flat_map(|s| s.rows.iter().flatten())
    }
}

const STYLE: &str = include_str!("page.css");

/// Writes the page and each of its pictures into `folder`, and returns the path of the page.
pub(crate) fn write(folder: &Path, page: &Page) -> Result<PathBuf, Failure> {
    let path = folder.join("index.html");
    let is_own = is_page(&path);
    let pictures = page.exhibits().map(|e| (folder.join(&e.file), e.bytes.clone()));
    let files: Vec<_> = pictures.chain([(path.clone(), html(page).into_bytes())]).collect();
    if is_own {
        files.iter().for_each(|(path, _)| overwrite::own(path));
    }
    output::write_together(&files)?;
    Ok(path)
}

/// The line by which a page is recognized that Sinew wrote, and may write again.
const GENERATOR: &str = "<meta name=\"generator\" content=\"sinew\">";

/// True if the file at `path` is a page that Sinew wrote.
pub(crate) fn is_page(path: &Path) -> bool {
    const HEAD_BYTES: u64 = 1024;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(GENERATOR)
}

/// The page as HTML with its pictures embedded.
pub(crate) fn html(page: &Page) -> String {
    let mut out = String::new();
    let (title, text) = (escape(&page.title), escape(&page.text));
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
         <p>{text}</p>\n</header>\n<main>\n"
    );
    page.sections.iter().for_each(|s| section(&mut out, s));
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn section(out: &mut String, section: &Section) {
    let _ = writeln!(out, "<section>\n<h2>{}</h2>\n<p>{}</p>", escape(&section.title), escape(&section.text));
    for row in &section.rows {
        let _ = writeln!(out, "<div class=\"row\" style=\"--columns:{}\">", row.len().min(4));
        row.iter().for_each(|e| exhibit(out, e));
        out.push_str("</div>\n");
    }
    if let Some(table) = &section.table {
        html_table(out, table);
    }
    out.push_str("</section>\n");
}

fn exhibit(out: &mut String, exhibit: &Exhibit) {
    let kind = if exhibit.file.ends_with(".gif") { "gif" } else { "png" };
    let caption = escape(&exhibit.caption);
    let data = base64(&exhibit.bytes);
    let _ = writeln!(
        out,
        "<figure><img alt=\"{caption}\" src=\"data:image/{kind};base64,{data}\">\
         <figcaption>{caption}</figcaption></figure>"
    );
}

fn html_table(out: &mut String, table: &HtmlTable) {
    let cells = |tag: &str, cells: &mut dyn Iterator<Item = String>| -> String {
        cells.map(|c| format!("<{tag}>{}</{tag}>", escape(&c))).collect()
    };
    let head = cells("th", &mut table.head.iter().cloned());
    let _ = writeln!(out, "<table>\n<thead><tr>{head}</tr></thead>\n<tbody>");
    for row in &table.rows {
        let _ = writeln!(out, "<tr>{}</tr>", cells("td", &mut row.iter().cloned()));
    }
    out.push_str("</tbody>\n</table>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn base64(bytes: &[u8]) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_embeds_its_pictures_and_escapes_its_text() {
        let exhibit = Exhibit { file: "a.png".into(), caption: "1 < 2".into(), bytes: vec![1, 2, 3] };
        let table = HtmlTable { head: vec!["n".into()], rows: vec![vec!["7".into()]] };
        let section = Section {
            title: "T".into(),
            text: "a & b".into(),
            rows: vec![vec![exhibit]],
            table: Some(table),
        };
        let page = html(&Page { title: "P".into(), text: String::new(), sections: vec![section] });
        for part in ["a &amp; b", "1 &lt; 2", "data:image/png;base64,AQID", "<td>7</td>"] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("src=\"http") && !page.contains("href="));
    }
}
