//! Wavefront OBJ: vertices, texture coordinates and faces.

use crate::{Limits, ReadError, budget::Budget};
use sinew::{
    Character, CharacterParts, Joint, JointId, Mesh, MeshInstance, MeshParts, Primitive, Skeleton, Topology,
    Transform,
    glam::{Vec2, Vec3},
};
use std::{collections::HashMap, sync::Arc};

/// A mesh whose vertices are the distinct pairs of a position and a texture coordinate that faces use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjMesh {
    /// The positions of the file, in its unit.
    pub positions: Vec<Vec3>,
    /// The position of each vertex.
    pub position_of: Vec<u32>,
    /// The texture coordinate of each vertex, with the origin at the top; empty if no face has any.
    pub uvs: Vec<Vec2>,
    /// The corners of each triangle; polygons are cut into fans.
    pub triangles: Vec<[u32; 3]>,
}

pub(super) fn is_obj(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let is_vertex = |line: &[u8]| line.trim_ascii_start().starts_with(b"v ") || line.starts_with(b"v\t");
    !head.contains(&0) && head.split(|&b| b == b'\n').any(is_vertex)
}

/// Reads an OBJ file: all objects and groups as one mesh. Normals, materials, lines and curves are left out.
///
/// # Errors
/// When a vertex has fewer than three numbers, a face fewer than three corners, or an index names nothing.
pub fn read_obj(bytes: &[u8]) -> Result<ObjMesh, ReadError> {
    let budget = Budget::new(&Limits::default(), bytes.len())?;
    budget.charge("the file", bytes.len(), 8)?;
    let text = String::from_utf8_lossy(bytes).replace("\\\r\n", " ").replace("\\\n", " ");
    let mut reader = ObjReader::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let done = match words.next() {
            Some("v") => reader.position(words),
            Some("vt") => reader.uv(words),
            Some("f") => reader.face(words),
            _ => Ok(()),
        };
        done.map_err(|what| ReadError::invalid(format!("line {}", number + 1), what))?;
    }
    reader.finish()
}

impl ObjMesh {
    /// The position of every vertex.
    #[must_use]
    pub fn vertices(&self) -> Vec<Vec3> {
        self.position_of.iter().map(|&p| self.positions[p as usize]).collect()
    }

    /// The vertices in another file of the sequence, whose positions are in the same order; `None` if it has another number.
    #[must_use]
    pub fn vertices_from(&self, positions: &[Vec3]) -> Option<Vec<Vec3>> {
        let fits = positions.len() == self.positions.len();
        fits.then(|| self.position_of.iter().map(|&p| positions[p as usize]).collect())
    }

    /// A character of one mesh without a skin.
    ///
    /// # Errors
    /// When the mesh has no triangles.
    pub fn to_character(&self, name: &str) -> Result<Character, ReadError> {
        if self.triangles.is_empty() {
            return Err(ReadError::invalid("faces", "the file has no faces"));
        }
        let positions = self.vertices();
        let indices: Vec<u32> = self.triangles.iter().flatten().copied().collect();
        let primitive = Primitive {
            vertices: 0..positions.len() as u32,
            indices: 0..indices.len() as u32,
            topology: Topology::Triangles,
            material: None,
        };
        let uv_sets = if self.uvs.is_empty() { vec![] } else { vec![self.uvs.clone()] };
        let normals = self.smooth_normals();
        let primitives = vec![primitive];
        let parts = MeshParts {
            name: name.into(),
            positions,
            normals,
            uv_sets,
            indices,
            primitives,
            ..MeshParts::default()
        };
        let invalid = |error: &dyn std::fmt::Display| ReadError::invalid("mesh", error);
        let mesh = Mesh::new(parts).map_err(|e| invalid(&e))?;
        let joint = Joint { name: name.into(), parent: None, rest: Transform::IDENTITY };
        let skeleton = Skeleton::new([joint]).map_err(|e| invalid(&e))?;
        let mut parts = CharacterParts::new(name, Arc::new(skeleton));
        parts.meshes = vec![Arc::new(mesh)];
        parts.instances =
            vec![MeshInstance { joint: JointId(0), mesh: 0, skin: None, morph_weights: vec![] }];
        Character::new(parts).map_err(|e| invalid(&e))
    }

    /// Normals weighted by area, smooth over texture seams.
    fn smooth_normals(&self) -> Vec<Vec3> {
        let mut sums = vec![Vec3::ZERO; self.positions.len()];
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|v| self.position_of[v as usize] as usize);
            let area = (self.positions[b] - self.positions[a]).cross(self.positions[c] - self.positions[a]);
            [a, b, c].into_iter().for_each(|p| sums[p] += area);
        }
        self.position_of.iter().map(|&p| sums[p as usize].normalize_or_zero()).collect()
    }
}

/// A corner of a face: a position and perhaps a texture coordinate.
type Corner = (u32, Option<u32>);

#[derive(Default)]
struct ObjReader {
    positions: Vec<Vec3>,
    uvs: Vec<Vec2>,
    vertices: HashMap<Corner, u32>,
    corners: Vec<Corner>,
    triangles: Vec<[u32; 3]>,
}

impl ObjReader {
    fn position<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let [x, y, z] = numbers(words)?;
        let place = Vec3::new(x, y, z);
        if place.abs().max_element() > sinew::MAX_VALUE {
            return Err(format!("must be up to 1e12, got {place}"));
        }
        self.positions.push(place);
        Ok(())
    }

    fn uv<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        // A texture may have one axis only.
        let [u, v] = numbers(words.chain(["0"]))?;
        self.uvs.push(Vec2::new(u, 1.0 - v));
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let mut face = Vec::new();
        for word in words {
            let mut parts = word.split('/');
            let position = index(parts.next().unwrap_or_default(), self.positions.len())?;
            let uv = match parts.next() {
                None | Some("") => None,
                Some(text) => Some(index(text, self.uvs.len())?),
            };
            face.push(self.vertex((position, uv)));
        }
        if face.len() < 3 {
            return Err(format!("a face has at least three corners, got {}", face.len()));
        }
        self.triangles.extend((1..face.len() - 1).map(|k| [face[0], face[k], face[k + 1]]));
        Ok(())
    }

    fn vertex(&mut self, corner: Corner) -> u32 {
        *self.vertices.entry(corner).or_insert_with(|| {
            self.corners.push(corner);
            (self.corners.len() - 1) as u32
        })
    }

    /// Vertices in the order of the positions, so that files without texture seams keep the order of their lines.
    fn finish(self) -> Result<ObjMesh, ReadError> {
        if self.positions.is_empty() {
            return Err(ReadError::invalid("vertices", "the file has none"));
        }
        if self.corners.is_empty() {
            let position_of = (0..self.positions.len() as u32).collect();
            return Ok(ObjMesh { positions: self.positions, position_of, ..ObjMesh::default() });
        }
        let mut order: Vec<u32> = (0..self.corners.len() as u32).collect();
        order.sort_by_key(|&vertex| self.corners[vertex as usize]);
        let mut new_of = vec![0_u32; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| new_of[old as usize] = new as u32);
        let has_uvs = self.corners.iter().any(|c| c.1.is_some());
        let uv = |&old: &u32| self.corners[old as usize].1.map_or(Vec2::ZERO, |uv| self.uvs[uv as usize]);
        Ok(ObjMesh {
            position_of: order.iter().map(|&old| self.corners[old as usize].0).collect(),
            uvs: if has_uvs { order.iter().map(uv).collect() } else { vec![] },
            triangles: self.triangles.iter().map(|t| t.map(|v| new_of[v as usize])).collect(),
            positions: self.positions,
        })
    }
}

/// The first N words as finite numbers.
fn numbers<'a, const N: usize>(words: impl Iterator<Item = &'a str>) -> Result<[f32; N], String> {
    let mut found = [0.0; N];
    let mut count = 0;
    for (to, word) in found.iter_mut().zip(words) {
        *to = word
            .parse()
            .ok()
            .filter(|n: &f32| n.is_finite())
            .ok_or_else(|| format!("{word:?} is not a number"))?;
        count += 1;
    }
    if count == N { Ok(found) } else { Err(format!("needs {N} numbers, got {count}")) }
}

/// An index from 1, or from the end if negative.
fn index(text: &str, count: usize) -> Result<u32, String> {
    let number: i64 = text.parse().map_err(|_| format!("{text:?} is not an index"))?;
    let distance = usize::try_from(number.unsigned_abs()).ok().filter(|&distance| distance > 0);
    let from_start = distance.and_then(|d| if number < 0 { count.checked_sub(d) } else { Some(d - 1) });
    let known = from_start.filter(|&index| index < count).and_then(|index| u32::try_from(index).ok());
    known.ok_or_else(|| format!("index {number} names nothing: there are {count}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUAD: &str = "# a quad, cut at a texture seam\r\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\n\
        vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt .5 .5\no thing\nf 1/1 2/2 3/3 4/4\nf -4/5/1 -3/2/1 \\\n -2/3/1\n";

    #[test]
    fn polygons_negative_indices_and_texture_seams_are_read() {
        let mesh = read_obj(QUAD.as_bytes()).unwrap();
        assert_eq!(mesh.triangles.len(), 3);
        // The first position has two texture coordinates, so it is two vertices.
        assert_eq!(mesh.position_of, [0, 0, 1, 2, 3]);
        assert_eq!(mesh.uvs[1], Vec2::new(0.5, 0.5));
        let character = mesh.to_character("quad").unwrap();
        assert!(character.meshes()[0].normals().iter().all(|n| *n == Vec3::Z));
    }

    #[test]
    fn another_frame_has_the_same_vertices_at_other_places() {
        let mesh = read_obj(QUAD.as_bytes()).unwrap();
        let moved: Vec<Vec3> = mesh.positions.iter().map(|p| *p + Vec3::Z).collect();
        assert_eq!(mesh.vertices_from(&moved).unwrap()[1], Vec3::Z);
        assert_eq!(mesh.vertices_from(&moved[1..]), None);
    }

    #[test]
    fn faults_name_the_line() {
        for (text, fault) in [
            ("v 0 0\n", "line 1: needs 3 numbers, got 2"),
            ("v 0 0 0\n\nf 1 1 2\n", "line 3: index 2 names nothing: there are 1"),
            ("v 0 0 x\n", "line 1: \"x\" is not a number"),
            ("v 0 0 nan\n", "line 1: \"nan\" is not a number"),
            ("v 0 0 0\nf 1 1\n", "line 2: a face has at least three corners, got 2"),
            ("v 0 0 0\nf 0 1 1\n", "line 2: index 0 names nothing: there are 1"),
            ("vt 0\n", "vertices: the file has none"),
        ] {
            assert_eq!(read_obj(text.as_bytes()).unwrap_err().to_string(), fault);
        }
    }
}
