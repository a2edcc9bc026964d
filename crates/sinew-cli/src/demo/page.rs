//! The demo's page: one file that needs no other.

use super::{Exhibit, Section, Table};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// The whole page, pictures included.
pub(super) fn html(sections: &[Section]) -> String {
    let mut out = String::new();
    let version = env!("CARGO_PKG_VERSION");
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Sinew demo</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>Sinew</h1>\n\
         <p>Skeletal animation and skinning. Everything on this page was made by code and drawn by Sinew {version} \
         itself, without a graphics card.</p>\n</header>\n<main>\n"
    );
    sections.iter().for_each(|s| section(&mut out, s));
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn section(out: &mut String, section: &Section) {
    let _ = writeln!(out, "<section>\n<h2>{}</h2>\n<p>{}</p>", escape(section.title), escape(&section.text));
    for row in &section.rows {
        let _ = writeln!(out, "<div class=\"row\" style=\"--columns:{}\">", row.len());
        row.iter().for_each(|e| exhibit(out, e));
        out.push_str("</div>\n");
    }
    if let Some(table) = &section.table {
        figures(out, table);
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

fn figures(out: &mut String, table: &Table) {
    let cells = |tag: &str, cells: &mut dyn Iterator<Item = String>| -> String {
        cells.map(|c| format!("<{tag}>{}</{tag}>", escape(&c))).collect()
    };
    let head = cells("th", &mut table.head.iter().map(|&h| h.to_owned()));
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
    fn the_page_holds_its_pictures_and_escapes_its_text() {
        let exhibit = Exhibit { file: "a.png".into(), caption: "1 < 2".into(), bytes: vec![1, 2, 3] };
        let table = Table { head: vec!["n"], rows: vec![vec!["7".into()]] };
        let section =
            Section { title: "T", text: "a & b".into(), rows: vec![vec![exhibit]], table: Some(table) };
        let page = html(&[section]);
        for part in ["a &amp; b", "1 &lt; 2", "data:image/png;base64,AQID", "<td>7</td>"] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("src=\"http") && !page.contains("href="));
    }
}
