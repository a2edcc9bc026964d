//! Connectivity stored as an edgebreaker walk.
//!
//! The symbols come in the reverse order of the encoder's walk: each face joins the surface across the active edge,
//! the one that faces the corner on top of a stack. At every moment the surfaces under construction have borders, and
//! the first corner of a vertex on the border is the leftmost of its fan.

use std::collections::HashMap;

use super::DracoError;
use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::corners::{CornerTable, NONE, next, previous};
use super::rans::AnsBits;
use super::split_events::{self, SplitEvent};
use super::traversal::{Symbol, SymbolSource};

/// A decoded surface, before its attributes cut it into points.
#[derive(Debug)]
pub(super) struct Walked<'a> {
    pub(super) table: CornerTable,
    /// For each set of attribute connectivity, whether the edges of the surface are seams.
    pub(super) seam_bits: Vec<AnsBits<'a>>,
}

#[derive(Debug)]
struct Counts {
    faces: u32,
    symbols: u32,
    /// The largest number of vertices, those that later merge included.
    vertices: usize,
    attribute_data: u8,
}

impl Counts {
    /// Reads the numbers and refuses those that no walk can have.
    fn read(bytes: &mut Bytes<'_>) -> Result<Self, DracoError> {
        let vertices = bytes.varint_u32()?;
        let faces = bytes.varint_u32()?;
        let attribute_data = bytes.u8()?;
        let symbols = bytes.varint_u32()?;
        let split_symbols = bytes.varint_u32()?;
        at_most("triangle count", faces, u32::MAX / 3)?;
        at_most("vertex count", vertices, faces.saturating_mul(3))?;
        at_most("number of edgebreaker symbols", symbols, faces)?;
        at_most("number of split symbols", split_symbols, symbols)?;
        // A face without a symbol joins at least three faces that have one.
        let most_faces = u64::from(symbols) + u64::from(symbols) / 3;
        if u64::from(faces) > most_faces {
            return Err(DracoError::Count { what: "triangle count", value: faces.into(), limit: most_faces });
        }
        Ok(Self { faces, symbols, vertices: vertices as usize + split_symbols as usize, attribute_data })
    }
}

fn at_most(what: &'static str, value: u32, limit: u32) -> Result<(), DracoError> {
    if value <= limit {
        return Ok(());
    }
    Err(DracoError::Count { what, value: value.into(), limit: limit.into() })
}

/// Reads the walk and rebuilds the surface.
pub(super) fn read<'a>(bytes: &mut Bytes<'a>, budget: &mut DracoBudget) -> Result<Walked<'a>, DracoError> {
    let traversal = bytes.u8()?;
    let counts = Counts::read(bytes)?;
    let splits = split_events::read(bytes, counts.symbols, budget)?;
    let standard = match traversal {
        0 => Some(SymbolSource::read_standard(bytes)?),
        2 => None,
        other => {
            return Err(DracoError::Unsupported { what: "edgebreaker traversal", value: other.into() });
        }
    };
    let start_faces = AnsBits::read(bytes)?;
    let seam_bits: Vec<_> =
        (0..counts.attribute_data).map(|_| AnsBits::read(bytes)).collect::<Result<_, _>>()?;
    let symbols = match standard {
        Some(standard) => standard,
        None => SymbolSource::read_valence(bytes, counts.vertices, counts.symbols, budget)?,
    };
    let mut walk = EdgebreakerWalk::new(&counts, splits, budget)?;
    walk.join_faces(symbols, counts.symbols)?;
    walk.join_start_faces(start_faces)?;
    // With seams the points are numbered later, and gaps between the vertices do no harm.
    let table = walk.into_table(seam_bits.is_empty())?;
    Ok(Walked { table, seam_bits })
}

/// The surface under construction.
struct EdgebreakerWalk {
    opposites: Vec<u32>,
    vertices: Vec<u32>,
    first_corners: Vec<u32>,
    /// What each vertex was merged into, itself if it still stands. Rewriting the corners at each merge instead takes
    /// quadratic time on the chain of merges in the tests: seventeen seconds for 30 kB in a decoder that does so.
    merged_into: Vec<u32>,
    max_vertices: usize,
    /// Merged vertices in the order of their merging.
    gone: Vec<u32>,
    stack: Vec<u32>,
    splits: Vec<SplitEvent>,
    /// The corners that wait for a split, by the symbol of that split.
    split_corners: HashMap<u32, u32>,
    faces: u32,
}

impl EdgebreakerWalk {
    fn new(counts: &Counts, splits: Vec<SplitEvent>, budget: &mut DracoBudget) -> Result<Self, DracoError> {
        let corners = counts.faces as usize * 3;
        // An entry of the map takes nine bytes, twice that at a low load, and half as much again while it grows.
        budget.charge(splits.len(), 32)?;
        Ok(Self {
            opposites: budget.filled(corners, NONE)?,
            vertices: budget.filled(corners, NONE)?,
            first_corners: budget.room(counts.vertices)?,
            merged_into: budget.room(counts.vertices)?,
            max_vertices: counts.vertices,
            gone: budget.room(counts.vertices)?,
            stack: budget.room(counts.symbols as usize)?,
            split_corners: HashMap::new(),
            splits,
            faces: 0,
        })
    }

    /// The vertex that now stands at `corner`.
    fn vertex(&mut self, corner: u32) -> u32 {
        let mut vertex = self.vertices[corner as usize];
        loop {
            let parent = self.merged_into[vertex as usize];
            if parent == vertex {
                self.vertices[corner as usize] = vertex;
                return vertex;
            }
            // Halving the path keeps long chains of merges short.
            let grandparent = self.merged_into[parent as usize];
            self.merged_into[vertex as usize] = grandparent;
            vertex = grandparent;
        }
    }

    fn add_vertex(&mut self, corner: u32, symbol: usize) -> Result<u32, DracoError> {
        let vertex = self.first_corners.len();
        if vertex >= self.max_vertices {
            return Err(DracoError::Malformed {
                what: "the walk has more vertices than announced",
                index: symbol,
            });
        }
        self.first_corners.push(corner);
        self.merged_into.push(vertex as u32);
        self.vertices[corner as usize] = vertex as u32;
        Ok(vertex as u32)
    }

    /// Joins two edges that are both still open.
    fn join(&mut self, a: u32, b: u32) -> Result<(), DracoError> {
        if a == b || self.opposites[a as usize] != NONE || self.opposites[b as usize] != NONE {
            return Err(DracoError::Malformed {
                what: "an edge would join more than two triangles",
                index: a as usize,
            });
        }
        self.opposites[a as usize] = b;
        self.opposites[b as usize] = a;
        Ok(())
    }

    /// The corner that faces the border edge which ends at `vertex` on the left of its fan.
    fn border_corner(&self, vertex: u32) -> u32 {
        next(self.first_corners[vertex as usize])
    }

    fn join_faces(&mut self, mut source: SymbolSource<'_>, symbol_count: u32) -> Result<(), DracoError> {
        for index in 0..symbol_count {
            let corner = 3 * index;
            let symbol = source.next_symbol(index as usize)?;
            match symbol {
                Symbol::Center => self.join_center(corner)?,
                Symbol::Split => self.join_split(corner, &mut source)?,
                Symbol::Left | Symbol::Right => self.join_side(corner, symbol)?,
                Symbol::End => self.start_surface(corner)?,
            }
            self.faces = index + 1;
            let face = [self.vertex(corner), self.vertex(corner + 1), self.vertex(corner + 2)];
            source.face_added(symbol, face);
            if matches!(symbol, Symbol::Left | Symbol::Right | Symbol::End) {
                self.keep_split_corners(index, symbol_count)?;
            }
        }
        Ok(())
    }

    fn top(&self, corner: u32) -> Result<u32, DracoError> {
        self.stack.last().copied().ok_or(DracoError::Malformed {
            what: "a triangle has no open edge to join",
            index: corner as usize / 3,
        })
    }

    fn replace_top(&mut self, corner: u32) {
        self.stack.pop();
        self.stack.push(corner);
    }

    /// The face fills the gap between the active edge and its neighbour on the border.
    fn join_center(&mut self, corner: u32) -> Result<(), DracoError> {
        let a = self.top(corner)?;
        let closed = self.vertex(next(a));
        let b = self.border_corner(closed);
        let before_a = self.vertex(previous(a));
        let after_b = self.vertex(next(b));
        if closed == before_a || closed == after_b {
            return Err(DracoError::Malformed {
                what: "a triangle would have the same vertex twice",
                index: corner as usize / 3,
            });
        }
        self.join(a, corner + 1)?;
        self.join(b, corner + 2)?;
        self.vertices[corner as usize] = closed;
        self.vertices[corner as usize + 1] = after_b;
        self.vertices[corner as usize + 2] = before_a;
        self.first_corners[before_a as usize] = corner + 2;
        self.replace_top(corner);
        Ok(())
    }

    /// The face joins two active edges, whose nearest vertices become one.
    fn join_split(&mut self, corner: u32, source: &mut SymbolSource<'_>) -> Result<(), DracoError> {
        let b = self.top(corner)?;
        self.stack.pop();
        if let Some(&waiting) = self.split_corners.get(&(corner / 3)) {
            self.stack.push(waiting);
        }
        let a = self.top(corner)?;
        if a == b {
            return Err(DracoError::Malformed {
                what: "a triangle would split a border at one edge",
                index: corner as usize / 3,
            });
        }
        let kept = self.vertex(previous(a));
        let after_a = self.vertex(next(a));
        let before_b = self.vertex(previous(b));
        let gone = self.vertex(next(b));
        if kept == gone {
            return Err(DracoError::Malformed {
                what: "a split would merge a vertex with itself",
                index: corner as usize / 3,
            });
        }
        self.join(a, corner + 2)?;
        self.join(b, corner + 1)?;
        self.vertices[corner as usize] = kept;
        self.vertices[corner as usize + 1] = after_a;
        self.vertices[corner as usize + 2] = before_b;
        self.first_corners[before_b as usize] = corner + 2;
        source.vertices_merged(kept, gone);
        self.first_corners[kept as usize] = self.first_corners[gone as usize];
        self.first_corners[gone as usize] = NONE;
        self.merged_into[gone as usize] = kept;
        self.gone.push(gone);
        self.replace_top(corner);
        Ok(())
    }

    /// The face joins one active edge and brings a new vertex.
    fn join_side(&mut self, corner: u32, symbol: Symbol) -> Result<(), DracoError> {
        let a = self.top(corner)?;
        let (added, left, right) = if symbol == Symbol::Right {
            (corner + 2, corner + 1, corner)
        } else {
            (corner + 1, corner, corner + 2)
        };
        let before_a = self.vertex(previous(a));
        let after_a = self.vertex(next(a));
        self.join(a, added)?;
        self.add_vertex(added, corner as usize / 3)?;
        self.vertices[right as usize] = before_a;
        self.first_corners[before_a as usize] = right;
        self.vertices[left as usize] = after_a;
        self.replace_top(corner);
        Ok(())
    }

    /// The face starts a surface of its own.
    fn start_surface(&mut self, corner: u32) -> Result<(), DracoError> {
        for corner in corner..corner + 3 {
            self.add_vertex(corner, corner as usize / 3)?;
        }
        self.stack.push(corner);
        Ok(())
    }

    /// Remembers the edges of the newest face at which a later split will join.
    fn keep_split_corners(&mut self, symbol: u32, symbol_count: u32) -> Result<(), DracoError> {
        // The encoder counted its symbols from the other end.
        let encoder_symbol = symbol_count - symbol - 1;
        while let Some(&event) = self.splits.last() {
            if event.source_symbol > encoder_symbol {
                return Err(DracoError::Malformed {
                    what: "a topology split names a triangle that cannot be split",
                    index: symbol as usize,
                });
            }
            if event.source_symbol != encoder_symbol {
                break;
            }
            self.splits.pop();
            let top = self.top(3 * symbol)?;
            let corner = if event.on_right_edge { next(top) } else { previous(top) };
            // The split symbol is at most the source symbol, which is below the count.
            let split = symbol_count - event.split_symbol - 1;
            self.split_corners.insert(split, corner);
        }
        Ok(())
    }

    /// Closes each surface that the encoder entered through a face inside it, with that face.
    fn join_start_faces(&mut self, mut is_inside: AnsBits<'_>) -> Result<(), DracoError> {
        while let Some(a) = self.stack.pop() {
            if !is_inside.next_bit() {
                continue;
            }
            let corner = 3 * self.faces;
            if corner as usize >= self.vertices.len() {
                return Err(DracoError::Malformed {
                    what: "the walk has more triangles than announced",
                    index: self.faces as usize,
                });
            }
            let after_a = self.vertex(next(a));
            let b = self.border_corner(after_a);
            let after_b = self.vertex(next(b));
            let c = self.border_corner(after_b);
            let after_c = self.vertex(next(c));
            self.join(corner, a)?;
            self.join(corner + 1, b)?;
            self.join(corner + 2, c)?;
            self.vertices[corner as usize] = after_b;
            self.vertices[corner as usize + 1] = after_c;
            self.vertices[corner as usize + 2] = after_a;
            self.faces += 1;
        }
        Ok(())
    }

    /// The finished surface. `compact` moves the last vertices into the places of those that were merged away.
    fn into_table(mut self, compact: bool) -> Result<CornerTable, DracoError> {
        if self.faces as usize * 3 != self.vertices.len() {
            return Err(DracoError::Malformed {
                what: "the walk has fewer triangles than announced",
                index: self.faces as usize,
            });
        }
        for corner in 0..self.vertices.len() {
            self.vertex(corner as u32);
        }
        if compact {
            self.fill_gaps();
        }
        CornerTable::new(self.opposites, self.vertices, self.first_corners)
    }

    fn fill_gaps(&mut self) {
        for gap in std::mem::take(&mut self.gone) {
            self.drop_trailing_gaps();
            let last = self.first_corners.len().saturating_sub(1);
            if last > gap as usize
                && let Some(corner) = self.first_corners.pop()
            {
                self.first_corners[gap as usize] = corner;
                // All corners name standing vertices by now, so the merge links can carry the moves as well.
                self.merged_into[last] = gap;
                self.merged_into[gap as usize] = gap;
            }
        }
        self.drop_trailing_gaps();
        for corner in 0..self.vertices.len() {
            self.vertex(corner as u32);
        }
    }

    fn drop_trailing_gaps(&mut self) {
        while self.first_corners.last() == Some(&NONE) {
            self.first_corners.pop();
        }
    }
}
