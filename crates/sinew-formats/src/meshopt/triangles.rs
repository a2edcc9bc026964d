//! Mode TRIANGLES: a triangle list in about a byte per triangle.
//!
//! A stream is a header byte, a code byte per triangle, extra data for the triangles whose code asks
//! for it, and a table of 16 common codes. Most triangles share an edge with one of the last 15 and
//! add a vertex that is new or was seen lately, so a code is two positions in short histories.

use super::stream::{Cursor, allocate, unzigzag, version};
use super::{MeshoptError, Mode};

const TABLE_LEN: usize = 16;

/// Unpacks `count` indices, whole triangles, of `stride` bytes, 2 or 4; two bytes keep the low half.
pub(super) fn decode(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptError> {
    let version = version(data, Mode::Triangles)?;
    let triangles = count / 3;
    let mut out = allocate(data, triangles.saturating_add(1 + TABLE_LEN), count, stride)?;

    let end = data.len() - TABLE_LEN;
    let (body, table) = data.split_at(end);
    let extra = Cursor::new(body, 1 + triangles);
    let mut decoder = Decoder::new(version, table, extra)?;
    let codes = &body[1..=triangles];
    match stride {
        2 => decoder.fill::<2>(codes, &mut out)?,
        _ => decoder.fill::<4>(codes, &mut out)?,
    }
    decoder.extra.finish(end)?;
    Ok(out)
}

/// The state that carries from triangle to triangle.
struct Decoder<'a> {
    table: &'a [u8],
    extra: Cursor<'a>,
    /// Codes below this name a vertex of the history; version 0 has no codes for neighbours of `last`.
    history_codes: u8,
    edges: History<[u32; 2]>,
    vertices: History<u32>,
    /// The lowest index that no triangle used yet.
    next: u32,
    /// The last index that was stored as a difference.
    last: u32,
}

impl<'a> Decoder<'a> {
    fn new(version: u8, table: &'a [u8], extra: Cursor<'a>) -> Result<Self, MeshoptError> {
        for (entry, &found) in table.iter().enumerate() {
            let allowed = if entry < 14 { found >> 4 != 15 && found & 15 != 15 } else { found == 0 };
            if !allowed {
                return Err(MeshoptError::BadCodeTable { entry, found });
            }
        }
        Ok(Self {
            table,
            extra,
            history_codes: if version == 0 { 15 } else { 13 },
            edges: History::default(),
            vertices: History::default(),
            next: 0,
            last: 0,
        })
    }

    fn fill<const WIDTH: usize>(&mut self, codes: &[u8], out: &mut [u8]) -> Result<(), MeshoptError> {
        let triangles = out.as_chunks_mut::<WIDTH>().0.as_chunks_mut::<3>().0;
        for (number, (triangle, &code)) in triangles.iter_mut().zip(codes).enumerate() {
            self.triangle(code, triangle).map_err(|fault| fault.at(number))?;
        }
        Ok(())
    }

    // The triangle is written where it is known: returned by value it goes through memory, and reading
    // it back took half of the time.
    fn triangle<const WIDTH: usize>(&mut self, code: u8, out: &mut [[u8; WIDTH]; 3]) -> Result<(), Fault> {
        match code {
            0..0xf0 => self.on_edge(code >> 4, code & 15, out),
            0xf0..0xfe => {
                let corners = self.table[usize::from(code & 15)];
                self.on_corners(Corner::New, corners, out)
            }
            _ => {
                let corners = self.extra.byte()?;
                // A code that the table could have held restarts the numbering: streams can be joined.
                if corners == 0 {
                    self.next = 0;
                }
                let first = if code == 0xfe { Corner::New } else { Corner::Stored };
                self.on_corners(first, corners, out)
            }
        }
    }

    /// A triangle on a recent edge, and a third corner named by the low half of its code.
    fn on_edge<const WIDTH: usize>(
        &mut self,
        edge: u8,
        corner: u8,
        out: &mut [[u8; WIDTH]; 3],
    ) -> Result<(), Fault> {
        let [a, b] = self.edges.get(edge)?;
        let c = if corner < self.history_codes {
            // The code is as often new as known, in no order that a branch could learn: both are
            // computed, one is picked, and the push happens in place.
            let is_new = corner == 0;
            let known = self.vertices.get(corner)?;
            let c = if is_new { self.next } else { known };
            self.next = self.next.wrapping_add(u32::from(is_new));
            self.vertices.push_if(is_new, c);
            c
        } else {
            let c = match corner {
                13 => self.last.wrapping_sub(1),
                14 => self.last.wrapping_add(1),
                _ => self.stored_index()?,
            };
            self.last = c;
            self.vertices.push(c);
            c
        };
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        *out = [a, b, c].map(low_bytes);
        Ok(())
    }

    /// A triangle with three corners of its own, two of them named by the halves of a byte.
    fn on_corners<const WIDTH: usize>(
        &mut self,
        first: Corner,
        others: u8,
        out: &mut [[u8; WIDTH]; 3],
    ) -> Result<(), Fault> {
        let corners = [first, Corner::new(others >> 4), Corner::new(others & 15)];
        let mut indices = [0; 3];
        for (index, corner) in indices.iter_mut().zip(corners) {
            *index = match corner {
                Corner::New => self.new_index(),
                Corner::Recent(back) => self.vertices.get(back)?,
                Corner::Stored => self.stored_index()?,
            };
        }
        // The history grows only now: the three corners were named before any of them was in it.
        for (index, corner) in indices.iter().zip(corners) {
            if !matches!(corner, Corner::Recent(_)) {
                self.vertices.push(*index);
            }
        }
        let [a, b, c] = indices;
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        *out = indices.map(low_bytes);
        Ok(())
    }

    fn new_index(&mut self) -> u32 {
        let index = self.next;
        self.next = self.next.wrapping_add(1);
        index
    }

    fn stored_index(&mut self) -> Result<u32, Fault> {
        self.last = self.last.wrapping_add(unzigzag(self.extra.integer()?));
        Ok(self.last)
    }
}

/// The low `WIDTH` bytes of an index, at most 4.
fn low_bytes<const WIDTH: usize>(index: u32) -> [u8; WIDTH] {
    let mut low = [0; WIDTH];
    low.copy_from_slice(&index.to_le_bytes()[..WIDTH]);
    low
}

/// Where a corner of a triangle without a shared edge comes from.
#[derive(Clone, Copy)]
enum Corner {
    New,
    /// So many vertices back in the history, 0 for the last.
    Recent(u8),
    Stored,
}

impl Corner {
    /// The corner that half a byte names.
    fn new(code: u8) -> Self {
        match code {
            0 => Self::New,
            15 => Self::Stored,
            _ => Self::Recent(code - 1),
        }
    }
}

/// The last 15 values of a sequence.
#[derive(Default)]
struct History<T> {
    /// A ring; `push_if` scribbles over the oldest entry, so one of the 16 is always lost.
    ring: [T; 16],
    /// How many were pushed so far; the next goes to this place, modulo the ring.
    seen: usize,
}

impl<T: Copy> History<T> {
    fn push(&mut self, value: T) {
        self.push_if(true, value);
    }

    /// Pushes the value, or leaves the history as it was, without a branch.
    fn push_if(&mut self, pushed: bool, value: T) {
        self.ring[self.seen & 15] = value;
        self.seen += usize::from(pushed);
    }

    /// The value `back` before the last, at most 14.
    fn get(&self, back: u8) -> Result<T, Fault> {
        let back = usize::from(back);
        if back >= self.seen {
            return Err(Fault::BackBeforeFirst { back, seen: self.seen });
        }
        Ok(self.ring[(self.seen - 1 - back) & 15])
    }
}

/// What is wrong with a triangle, before its number is known.
enum Fault {
    BackBeforeFirst { back: usize, seen: usize },
    Stream(MeshoptError),
}

impl Fault {
    #[cold]
    fn at(self, triangle: usize) -> MeshoptError {
        match self {
            Self::BackBeforeFirst { back, seen } => MeshoptError::BackBeforeFirst { triangle, back, seen },
            Self::Stream(error) => error,
        }
    }
}

impl From<MeshoptError> for Fault {
    fn from(error: MeshoptError) -> Self {
        Self::Stream(error)
    }
}
