//! Wavefront OBJ: one file per time.

use super::{Bake, BakePart};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Writes the mesh at the time of index `time`: positions, texture coordinates and normals if there are any, and
/// triangles, one group per primitive.
///
/// The origin of texture coordinates is at the bottom in OBJ, so v is flipped.
///
/// # Errors
/// When the bake has no such time, its lengths do not match, or writing to `out` fails.
pub fn write(bake: &Bake, time: usize, out: &mut impl Write) -> io::Result<()> {
    bake.check()?;
    if time >= bake.times_secs.len() {
        let what = format!("the time index must be below {}, got {time}", bake.times_secs.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let text = text(bake, time).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

fn text(bake: &Bake, time: usize) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "# sinew {}, {} s", env!("CARGO_PKG_VERSION"), bake.times_secs[time])?;
    for p in bake.positions_at(time) {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z)?;
    }
    for uv in &bake.uvs {
        writeln!(text, "vt {} {}", uv.x, 1.0 - uv.y)?;
    }
    let normals = bake.normals_at(time);
    for n in normals {
        writeln!(text, "vn {} {} {}", n.x, n.y, n.z)?;
    }
    let corner = |text: &mut String, vertex: u32| {
        let number = u64::from(vertex) + 1;
        match (bake.uvs.is_empty(), normals.is_empty()) {
            (true, true) => write!(text, " {number}"),
            (false, true) => write!(text, " {number}/{number}"),
            (true, false) => write!(text, " {number}//{number}"),
            (false, false) => write!(text, " {number}/{number}/{number}"),
        }
    };
    let mut current = None;
    for triangle in &bake.triangles {
        // The primitive that holds the triangle's vertices.
        let part = bake.parts.partition_point(|p| p.first <= triangle[0] as usize).checked_sub(1);
        if let Some(part) = part.filter(|_| part != current) {
            writeln!(text, "g {}", group_name(&bake.parts[part]))?;
        }
        current = part;
        text.push('f');
        triangle.iter().try_for_each(|&v| corner(&mut text, v))?;
        text.push('\n');
    }
    Ok(text)
}

/// A group name without spaces, which separate names. The numbers tell primitives of the same name apart.
fn group_name(part: &BakePart) -> String {
    let word = |c: char| if c.is_whitespace() || c.is_control() { '_' } else { c };
    let name: String = part.name.chars().map(word).collect();
    format!("{name}.{}.{}", part.node, part.primitive)
}
