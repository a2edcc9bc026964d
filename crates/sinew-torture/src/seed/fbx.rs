//! FBX files: text, and the same as binary nodes with and without compressed arrays.

use crate::fbx_document::{Up, tube};
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write as _;

/// Text and binary files of a tube that bends.
#[must_use]
pub fn fbx() -> Vec<Vec<u8>> {
    let text = tube(Up::Y);
    vec![text.clone().into_bytes(), binary(&text, false), binary(&text, true), tube(Up::Z).into_bytes()]
}

/// A node of the tree that both forms of FBX describe.
#[derive(Debug, Default)]
struct Node {
    name: String,
    values: Vec<FbxValue>,
    children: Vec<Node>,
}

#[derive(Debug)]
enum FbxValue {
    Integer(i64),
    Float(f64),
    Text(Vec<u8>),
    List(Vec<f64>),
}

/// The words of a text, with its strings in one piece.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        Words(self.0).next()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0 = self.0.trim_start_matches([' ', '\n', ',']);
        let end = match self.0.chars().next()? {
            '"' => self.0[1..].find('"').map_or(self.0.len(), |end| end + 2),
            '{' | '}' => 1,
            _ => self.0.find([' ', '\n', ',']).unwrap_or(self.0.len()),
        };
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(word)
    }
}

/// The nodes up to the next closing brace.
fn nodes(words: &mut Words<'_>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "}" => break,
            "{" => {
                if let Some(node) = out.last_mut() {
                    node.children = nodes(words);
                }
            }
            name if name.ends_with(':') => {
                out.push(Node { name: name.trim_end_matches(':').into(), ..Node::default() });
            }
            value => {
                let read = if value.starts_with('*') { list(words) } else { scalar(value) };
                if let Some(node) = out.last_mut() {
                    node.values.push(read);
                }
            }
        }
    }
    out
}

/// The numbers in `{ a: 1,2,3 }`.
fn list(words: &mut Words<'_>) -> FbxValue {
    let _opening = (words.next(), words.next());
    let mut numbers = Vec::new();
    while let Some(word) = words.peek() {
        let _same = words.next();
        if word == "}" {
            break;
        }
        numbers.extend(word.parse::<f64>());
    }
    FbxValue::List(numbers)
}

fn scalar(word: &str) -> FbxValue {
    if let Some(text) = word.strip_prefix('"') {
        let text = text.trim_end_matches('"');
        // The binary form has the class behind the name.
        return FbxValue::Text(match text.split_once("::") {
            Some((class, name)) => [name.as_bytes(), &[0, 1], class.as_bytes()].concat(),
            None => text.into(),
        });
    }
    word.parse().map_or_else(|_| FbxValue::Float(word.parse().unwrap_or_default()), FbxValue::Integer)
}

/// The binary form of version 7.4.
fn binary(text: &str, compressed: bool) -> Vec<u8> {
    let text: String =
        text.lines().filter(|line| !line.starts_with(';')).flat_map(|line| [line, "\n"]).collect();
    let mut out = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    out.extend(7400_u32.to_le_bytes());
    for node in nodes(&mut Words(&text)) {
        write(&node, compressed, &mut out);
    }
    out.extend([0; 13]);
    out
}

fn write(node: &Node, compressed: bool, out: &mut Vec<u8>) {
    let start = out.len();
    let mut values = Vec::new();
    node.values.iter().for_each(|value| write_value(value, compressed, &mut values));
    out.extend([0; 4]);
    out.extend((node.values.len() as u32).to_le_bytes());
    out.extend((values.len() as u32).to_le_bytes());
    out.push(node.name.len() as u8);
    out.extend(node.name.as_bytes());
    out.extend(values);
    if !node.children.is_empty() {
        node.children.iter().for_each(|child| write(child, compressed, out));
        out.extend([0; 13]);
    }
    let end = (out.len() as u32).to_le_bytes();
    out[start..start + 4].copy_from_slice(&end);
}

fn write_value(value: &FbxValue, compressed: bool, out: &mut Vec<u8>) {
    match value {
        FbxValue::Integer(number) => {
            out.push(b'L');
            out.extend(number.to_le_bytes());
        }
        FbxValue::Float(number) => {
            out.push(b'D');
            out.extend(number.to_le_bytes());
        }
        FbxValue::Text(text) => {
            out.push(b'S');
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text);
        }
        FbxValue::List(numbers) => write_list(numbers, compressed, out),
    }
}

fn write_list(numbers: &[f64], compressed: bool, out: &mut Vec<u8>) {
    let is_whole = numbers.iter().all(|n| n.fract() == 0.0);
    let is_short = numbers.iter().all(|n| n.abs() < f64::from(i32::MAX));
    let (kind, bytes): (u8, Vec<u8>) = match (is_whole, is_short) {
        (true, true) => (b'i', numbers.iter().flat_map(|n| (*n as i32).to_le_bytes()).collect()),
        (true, false) => (b'l', numbers.iter().flat_map(|n| (*n as i64).to_le_bytes()).collect()),
        (false, _) => (b'd', numbers.iter().flat_map(|n| n.to_le_bytes()).collect()),
    };
    let packed = if compressed { deflated(&bytes) } else { bytes };
    out.push(kind);
    out.extend((numbers.len() as u32).to_le_bytes());
    out.extend(u32::from(compressed).to_le_bytes());
    out.extend((packed.len() as u32).to_le_bytes());
    out.extend(packed);
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes every byte")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_formats::{ReadOptions, fbx::read_fbx};

    #[test]
    fn the_binary_forms_read_as_the_text() {
        let text = tube(Up::Y);
        let read = |bytes: &[u8]| read_fbx(bytes, "tube", &ReadOptions::default()).unwrap().character;
        let want = read(text.as_bytes());
        assert_eq!(want.clips().len(), 1);
        for compressed in [false, true] {
            assert_eq!(read(&binary(&text, compressed)), want, "compressed: {compressed}");
        }
    }
}
