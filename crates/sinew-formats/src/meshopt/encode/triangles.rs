//! Mode TRIANGLES: each triangle by an edge or by vertices that were seen lately.

use super::super::MeshoptMode;
use super::{put_integer, zigzag};

/// The entries of the tail's table. Only the first [`TABLE_USED`] can be named.
const TABLE_LEN: usize = 16;
const TABLE_USED: usize = 14;

/// The half of a byte that stands for an index in the extra data.
const STORED: u8 = 15;

/// The two corners of a triangle whose second and third vertex are new.
const BOTH_NEW: u8 = 0;

/// Packs a triangle list. A triangle may begin with another of its corners; its winding stays.
pub(super) fn encode(indices: &[u32]) -> Vec<u8> {
    let mut encoder = Encoder::default();
    for &triangle in indices.as_chunks::<3>().0 {
        encoder.triangle(triangle);
    }
    encoder.finish()
}

/// How one triangle is stored, before the table is known.
enum TriangleCode {
    /// A triangle on a recent edge: its code byte.
    OnEdge(u8),
    /// A triangle whose first vertex is new, by the sources of the others.
    New(u8),
    /// As `New`, after numbering begins at zero again.
    Restart,
    /// A triangle whose first vertex is stored, by the sources of the others.
    Stored(u8),
}

/// The state that the decoder has as well, and what was packed so far.
#[derive(Default)]
struct Encoder {
    codes: Vec<TriangleCode>,
    /// For each triangle, its indices in the extra data as a range of `extra`.
    extra: Vec<u8>,
    extra_ends: Vec<usize>,
    edges: EncoderHistory<[u32; 2]>,
    vertices: EncoderHistory<u32>,
    next: u32,
    last: u32,
}

impl Encoder {
    fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        let found = (0..STORED).find_map(|back| {
            let edge = self.edges.get(back)?;
            let turn = turns.iter().find(|turn| [turn[0], turn[1]] == edge)?;
            Some((back, *turn))
        });
        match found {
            Some((back, turn)) => self.on_edge(back, turn),
            None => self.on_corners(turns),
        }
        self.extra_ends.push(self.extra.len());
    }

    fn on_edge(&mut self, back: u8, [a, b, c]: [u32; 3]) {
        let recent = self.vertices.find(c).filter(|back| (1..13).contains(back));
        let corner = match recent {
            _ if c == self.next => 0,
            Some(recent) => recent,
            None if c == self.last.wrapping_sub(1) => 13,
            None if c == self.last.wrapping_add(1) => 14,
            None => STORED,
        };
        match corner {
            0 => self.next = self.next.wrapping_add(1),
            13 | 14 => self.last = c,
            STORED => self.store(c),
            _ => {}
        }
        if !(1..13).contains(&corner) {
            self.vertices.push(c);
        }
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        self.codes.push(TriangleCode::OnEdge(back << 4 | corner));
    }

    fn on_corners(&mut self, turns: [[u32; 3]; 3]) {
        // Lists of several meshes in one stream begin at zero again.
        let first = turns.into_iter().find(|turn| *turn == [0, 1, 2]).filter(|_| self.next > 0);
        if first.is_some() {
            self.next = 0;
        }
        let new = first.or_else(|| turns.into_iter().find(|turn| turn[0] == self.next));
        let [a, b, c] = new.unwrap_or(turns[0]);
        let mut corners = [STORED; 3];
        for (corner, index) in corners.iter_mut().zip([a, b, c]) {
            // Were the first vertex stored, no other would be new: the triangle would have been turned.
            if index == self.next {
                self.next = self.next.wrapping_add(1);
                *corner = 0;
            }
        }
        for (corner, index) in corners.iter_mut().zip([a, b, c]).skip(1).filter(|(corner, _)| **corner > 0) {
            *corner = self.vertices.find(index).filter(|&back| back < 14).map_or(STORED, |back| back + 1);
        }
        for (corner, index) in corners.into_iter().zip([a, b, c]) {
            if corner == STORED {
                self.store(index);
            }
        }
        for (corner, index) in corners.into_iter().zip([a, b, c]) {
            if corner == 0 || corner == STORED {
                self.vertices.push(index);
            }
        }
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        let others = corners[1] << 4 | corners[2];
        self.codes.push(match (first, corners[0]) {
            (Some(_), _) => TriangleCode::Restart,
            (None, 0) => TriangleCode::New(others),
            (None, _) => TriangleCode::Stored(others),
        });
    }

    fn store(&mut self, index: u32) {
        put_integer(&mut self.extra, zigzag(index.wrapping_sub(self.last)));
        self.last = index;
    }

    /// The corners that most triangles without a shared edge have. A pair of new vertices is always among them, since
    /// elsewhere it would restart the numbering.
    fn table(&self) -> Vec<u8> {
        let mut uses = [0_usize; 256];
        for code in &self.codes {
            if let TriangleCode::New(others) = code {
                uses[usize::from(*others)] += 1;
            }
        }
        let mut common: Vec<u8> = (1..=u8::MAX)
            .filter(|&others| uses[usize::from(others)] > 0 && others >> 4 != STORED && others & 15 != STORED)
            .collect();
        common.sort_by_key(|&others| std::cmp::Reverse(uses[usize::from(others)]));
        common.insert(0, BOTH_NEW);
        common.truncate(TABLE_USED);
        common
    }

    fn finish(self) -> Vec<u8> {
        let table = self.table();
        let mut codes = vec![MeshoptMode::Triangles.header() | 1];
        let mut data = Vec::with_capacity(self.extra.len());
        let mut start = 0;
        for (code, &end) in self.codes.iter().zip(&self.extra_ends) {
            let (code, corners) = match *code {
                TriangleCode::OnEdge(code) => (code, None),
                TriangleCode::Restart => (0xfe, Some(BOTH_NEW)),
                TriangleCode::Stored(others) => (0xff, Some(others)),
                TriangleCode::New(others) => match table.iter().position(|&entry| entry == others) {
                    Some(entry) => (0xf0 | entry as u8, None),
                    None => (0xfe, Some(others)),
                },
            };
            codes.push(code);
            data.extend(corners);
            data.extend_from_slice(&self.extra[start..end]);
            start = end;
        }
        codes.append(&mut data);
        codes.extend_from_slice(&table);
        codes.resize(codes.len() + TABLE_LEN - table.len(), 0);
        codes
    }
}

/// The last 16 values of a sequence, which the decoder has as well.
#[derive(Default)]
struct EncoderHistory<T> {
    ring: [T; 16],
    seen: usize,
}

impl<T: Copy + PartialEq> EncoderHistory<T> {
    fn push(&mut self, value: T) {
        self.ring[self.seen & 15] = value;
        self.seen += 1;
    }

    /// The value `back` before the last, if there were so many.
    fn get(&self, back: u8) -> Option<T> {
        let back = usize::from(back);
        (back < self.seen.min(16)).then(|| self.ring[(self.seen - 1 - back) & 15])
    }

    /// How far back a value is.
    fn find(&self, value: T) -> Option<u8> {
        (0..16).find(|&back| self.get(back) == Some(value))
    }
}
