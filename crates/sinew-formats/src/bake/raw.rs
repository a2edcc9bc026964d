//! Little-endian floats and a JSON description.
//!
//! Three files share a prefix. The document holds `times` in seconds; `verts`, the number of vertices per time; `prims`,
//! each with its `node`, `mesh` and `prim` and the `first` and `count` of its vertices; and `nodes`. Positions are
//! `[times][verts][3]`, node matrices `[times][nodes][16]` in column-major order.

use super::{Bake, BakePart, write_floats};
use serde::Serialize;
use sinew::glam::{Mat4, Vec3};
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RawDocument<'a> {
    generator: &'static str,
    method: &'a str,
    clip: Option<&'a str>,
    /// −1 for a clip that is not in the character's list.
    clip_index: i64,
    duration: f32,
    times: &'a [f32],
    verts: usize,
    prims: Vec<Prim<'a>>,
    nodes: &'a [usize],
}

#[derive(Serialize)]
struct Prim<'a> {
    node: usize,
    mesh: usize,
    prim: usize,
    name: &'a str,
    skinned: bool,
    first: usize,
    count: usize,
}

impl<'a> From<&'a BakePart> for Prim<'a> {
    fn from(part: &'a BakePart) -> Self {
        let BakePart { node, mesh, primitive: prim, ref name, skinned, first, count } = *part;
        Self { node, mesh, prim, name, skinned, first, count }
    }
}

/// Writes the document: `PREFIX.json`.
///
/// # Errors
/// When the bake's lengths do not match or writing to `out` fails.
pub fn write_json(bake: &Bake, out: &mut impl Write) -> io::Result<()> {
    bake.check()?;
    let index = bake.clip.as_ref().and_then(|c| c.index).and_then(|i| i64::try_from(i).ok());
    let document = RawDocument {
        generator: concat!("sinew ", env!("CARGO_PKG_VERSION")),
        method: &bake.method,
        clip: bake.clip.as_ref().map(|c| c.name.as_str()),
        clip_index: index.unwrap_or(-1),
        duration: bake.clip.as_ref().map_or(0.0, |c| c.duration_secs),
        times: &bake.times_secs,
        verts: bake.vertex_count,
        prims: bake.parts.iter().map(Prim::from).collect(),
        nodes: &bake.nodes,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Writes the positions: `PREFIX.f32`.
///
/// # Errors
/// As [`write_json`].
pub fn write_positions(bake: &Bake, out: &mut impl Write) -> io::Result<()> {
    bake.check()?;
    write_floats(bake.positions.iter().flat_map(Vec3::to_array), out)
}

/// Writes the node matrices: `PREFIX.nodes.f32`.
///
/// # Errors
/// As [`write_json`].
pub fn write_nodes(bake: &Bake, out: &mut impl Write) -> io::Result<()> {
    bake.check()?;
    write_floats(bake.node_matrices.iter().flat_map(|&m| Mat4::from(m).to_cols_array()), out)
}
