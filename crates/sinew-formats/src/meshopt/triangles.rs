//! Mode TRIANGLES: a triangle list in about a byte per triangle.
//!
//! A stream is a header byte, a code byte per triangle, extra data for the triangles whose code asks
//! for it, and a table of 16 common codes. Most triangles share an edge with one of the last 15 and
//! add a vertex that is new or was seen lately, so a code is two positions in short histories.

use super::stream::{StreamCursor, allocate, unzigzag, version};
use super::{MeshoptError, MeshoptMode};

const TABLE_LEN: usize = 16;

/// Unpacks `count` indices, whole triangles, of `stride` bytes, 2 or 4; two bytes keep the low half.
pub(super) fn decode(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptError> {
    let version = version(data, MeshoptMode::Triangles)?;
    let triangles = count / 3;
    let mut out = allocate(data, triangles.saturating_add(1 + TABLE_LEN), count, stride)?;

    let end = data.len() - TABLE_LEN;
    let (body, table) = data.split_at(end);
    let extra = StreamCursor::new(body, 1 + triangles);
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
    extra: StreamCursor<'a>,
    /// Codes below this name a vertex of the history; version 0 has no codes for neighbors of `last`.
    history_codes: u8,
    edges: EdgeHistory<[u32; 2]>,
    vertices: EdgeHistory<u32>,
    /// The lowest index that no triangle used yet.
    next: u32,
    /// The last index that was stored as a difference.
    last: u32,
}

impl<'a> Decoder<'a> {
    fn new(version: u8, table: &'a [u8], extra: StreamCursor<'a>) -> Result<Self, MeshoptError> {
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
            edges: EdgeHistory::default(),
            vertices: EdgeHistory::default(),
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

    // The triangle is written where it is known: returned by value it went through memory, and waiting
    // for it to come back took more than half of the time.
    fn triangle<const WIDTH: usize>(&mut self, code: u8, out: &mut [[u8; WIDTH]; 3]) -> Result<(), Fault> {
        match code {
            0..0xf0 => self.on_edge(code >> 4, code & 15, out),
            0xf0..0xfe => {
                let corners = self.table[usize::from(code & 15)];
                self.on_corners(CornerCode::New, corners, out)
            }
            _ => {
                let corners = self.extra.byte()?;
                // A code that the table could have held restarts the numbering: streams can be joined.
                if corners == 0 {
                    self.next = 0;
                }
                let first = if code == 0xfe { CornerCode::New } else { CornerCode::Stored };
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
        let c = match corner {
            0 => self.new_index(),
            _ if corner < self.history_codes => self.vertices.get(corner)?,
            13 => self.stored_neighbor(self.last.wrapping_sub(1)),
            14 => self.stored_neighbor(self.last.wrapping_add(1)),
            _ => self.stored_index()?,
        };
        if !(1..self.history_codes).contains(&corner) {
            self.vertices.push(c);
        }
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        *out = [a, b, c].map(low_bytes);
        Ok(())
    }

    /// A triangle with three corners of its own, two of them named by the halves of a byte.
    fn on_corners<const WIDTH: usize>(
        &mut self,
        first: CornerCode,
        others: u8,
        out: &mut [[u8; WIDTH]; 3],
    ) -> Result<(), Fault> {
        let corners = [first, CornerCode::new(others >> 4), CornerCode::new(others & 15)];
        let mut indices = [0; 3];
        for (index, corner) in indices.iter_mut().zip(corners) {
            *index = match corner {
                CornerCode::New => self.new_index(),
                CornerCode::Recent(back) => self.vertices.get(back)?,
                CornerCode::Stored => self.stored_index()?,
            };
        }
        // The history grows only now: the three corners were named before any of them was in it.
        for (index, corner) in indices.iter().zip(corners) {
            if !matches!(corner, CornerCode::Recent(_)) {
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

    fn stored_neighbor(&mut self, index: u32) -> u32 {
        self.last = index;
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
enum CornerCode {
    New,
    /// So many vertices back in the history, 0 for the last.
    Recent(u8),
    Stored,
}

impl CornerCode {
    /// The corner that half a byte names.
    fn new(code: u8) -> Self {
        match code {
            0 => Self::New,
            15 => Self::Stored,
            _ => Self::Recent(code - 1),
        }
    }
}

/// The last 16 values of a sequence.
#[derive(Default)]
struct EdgeHistory<T> {
    ring: [T; 16],
    /// How many were pushed so far; the next goes to this place, modulo the ring.
    seen: usize,
}

impl<T: Copy> EdgeHistory<T> {
    fn push(&mut self, value: T) {
        self.ring[self.seen & 15] = value;
        self.seen += 1;
    }

    /// The value `back` before the last, at most 15.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream of these codes, this extra data and a table of zeros.
    fn stream(codes: &[u8], extra: &[u8]) -> Vec<u8> {
        [&[0xe1], codes, extra, &[0; TABLE_LEN]].concat()
    }

    fn indices(codes: &[u8], extra: &[u8]) -> Result<Vec<u32>, MeshoptError> {
        let bytes = decode(&stream(codes, extra), 3 * codes.len(), 4)?;
        Ok(bytes.as_chunks().0.iter().map(|index| u32::from_le_bytes(*index)).collect())
    }

    #[test]
    fn new_triangles_then_shared_edges_count_up() {
        // The edge stored last is (0, 2), the one before (2, 1).
        assert_eq!(indices(&[0xf0, 0x00, 0x30], &[]), Ok(vec![0, 1, 2, 0, 2, 3, 2, 1, 4]));
    }

    #[test]
    fn neighbors_of_the_last_stored_index_need_no_data() {
        // 0xff stores 10 as its first corner and names vertex 2 for the others; 0x0d is one less than
        // the last stored, 0x0e one more than that.
        let got = indices(&[0xf0, 0xff, 0x0d, 0x0e], &[0x11, 20]);
        assert_eq!(got, Ok(vec![0, 1, 2, 10, 2, 2, 10, 2, 9, 10, 9, 10]));
    }

    #[test]
    fn a_zero_byte_of_corners_restarts_the_count() {
        assert_eq!(indices(&[0xf0, 0xfe], &[0]), Ok(vec![0, 1, 2, 0, 1, 2]));
        assert_eq!(indices(&[0xf0, 0xf0], &[]), Ok(vec![0, 1, 2, 3, 4, 5]));
    }

    #[test]
    fn looking_back_before_the_first_edge_or_vertex_is_refused() {
        let refused = |codes: &[u8], extra: &[u8]| indices(codes, extra).unwrap_err();
        let want = MeshoptError::BackBeforeFirst { triangle: 0, back: 0, seen: 0 };
        assert_eq!(refused(&[0x00], &[]), want);
        assert_eq!(refused(&[0xfe], &[0x11]), want);
        let want = MeshoptError::BackBeforeFirst { triangle: 1, back: 3, seen: 3 };
        assert_eq!(refused(&[0xf0, 0x30], &[]), want);
        assert_eq!(refused(&[0xf0, 0x03], &[]), want);
    }

    #[test]
    fn table_entries_that_no_encoder_writes_are_refused() {
        for (entry, found) in [(0, 0xf0), (13, 0x0f), (14, 1), (15, 0x10)] {
            let mut stream = stream(&[0xf0], &[]);
            stream[2 + entry] = found;
            assert_eq!(decode(&stream, 3, 4), Err(MeshoptError::BadCodeTable { entry, found }));
        }
    }

    #[test]
    fn data_that_no_triangle_asks_for_is_refused() {
        assert_eq!(indices(&[0xf0], &[5]), Err(MeshoptError::Trailing { at: 2, unread: 1 }));
        let want = MeshoptError::Truncated { at: 2, want: 1, left: 0 };
        assert_eq!(indices(&[0xfe], &[]), Err(want));
    }
}
