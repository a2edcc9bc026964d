//! Writes a [`Bvh`] as text.

use super::Bvh;
use sinew::glam::DVec3;
use std::fmt::Write as _;

/// The maximum indentation: a chain of thousands of joints would be mostly tabs.
const DEEPEST_INDENT: usize = 32;

impl Bvh {
    /// The text of a BVH file. Numbers have enough digits to read back bit-identical.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::from("HIERARCHY\n");
        let mut path: Vec<usize> = Vec::new();
        for (index, joint) in self.joints().iter().enumerate() {
            while path.last().copied() != joint.parent && !path.is_empty() {
                path.pop();
                line(&mut out, path.len(), "}");
            }
            let keyword = if joint.parent.is_some() { "JOINT" } else { "ROOT" };
            line(&mut out, path.len(), &format!("{keyword} {}", joint.name));
            line(&mut out, path.len(), "{");
            path.push(index);
            line(&mut out, path.len(), &format!("OFFSET {}", vector(joint.offset)));
            let names = joint.channels.iter().map(|c| c.name()).collect::<Vec<_>>().join(" ");
            line(&mut out, path.len(), format!("CHANNELS {} {names}", joint.channels.len()).trim_end());
            for &end in &joint.end_sites {
                line(&mut out, path.len(), "End Site");
                line(&mut out, path.len(), "{");
                line(&mut out, path.len() + 1, &format!("OFFSET {}", vector(end)));
                line(&mut out, path.len(), "}");
            }
        }
        for depth in (0..path.len()).rev() {
            line(&mut out, depth, "}");
        }
        self.write_motion(&mut out);
        out
    }

    fn write_motion(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "MOTION\nFrames: {}", self.frame_count());
        let _ = writeln!(out, "Frame Time: {}", number(self.frame_secs()));
        for frame in 0..self.frame_count() {
            for (at, &value) in self.frame(frame).iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                out.push_str(&number(value));
            }
            out.push('\n');
        }
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    out.extend(std::iter::repeat_n('\t', depth.min(DEEPEST_INDENT)));
    out.push_str(text);
    out.push('\n');
}

fn vector(v: DVec3) -> String {
    format!("{} {} {}", number(v.x), number(v.y), number(v.z))
}

/// The shortest text that reads back as the same number, with an exponent only for long ones.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-9..1e16).contains(&size) { format!("{value:e}") } else { format!("{value}") }
}
