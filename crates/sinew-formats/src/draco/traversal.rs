//! The symbols of the edgebreaker walk, stored as bits or predicted from vertex valences.

use super::DracoError;
use super::bits::Bits;
use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::symbols;

/// How the next face joins the surface decoded so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    /// It closes the fan around a vertex.
    Center,
    /// It joins two borders.
    Split,
    /// It adds a vertex on the left.
    Left,
    /// It adds a vertex on the right.
    Right,
    /// It starts a new surface.
    End,
}

/// Smallest and largest valence that has its own context.
const VALENCES: std::ops::RangeInclusive<u32> = 2..=7;
const CONTEXTS: usize = 6;

/// Where the symbols come from.
#[derive(Debug)]
pub(super) enum SymbolSource<'a> {
    /// Bit patterns of one or three bits.
    Standard(Bits<'a>),
    /// One list for each valence of the active vertex.
    Valence(ValenceContexts),
}

/// Symbols grouped by the valence that the active vertex has when they are due.
#[derive(Debug)]
pub(super) struct ValenceContexts {
    /// Symbols of each context, the next one last.
    symbols: [Vec<u32>; CONTEXTS],
    valences: Vec<u32>,
    active: Option<usize>,
}

impl<'a> SymbolSource<'a> {
    /// The source of the standard walk: one sized block of bits.
    pub(super) fn read_standard(bytes: &mut Bytes<'a>) -> Result<Self, DracoError> {
        Ok(Self::Standard(Bits::new(bytes.sized_block()?)))
    }

    /// The source of the valence walk, for at most `max_vertices` vertices and `max_symbols` symbols.
    pub(super) fn read_valence(
        bytes: &mut Bytes<'_>,
        max_vertices: usize,
        max_symbols: u32,
        budget: &mut DracoBudget,
    ) -> Result<Self, DracoError> {
        let mut symbols: [Vec<u32>; CONTEXTS] = Default::default();
        for context in &mut symbols {
            let count = bytes.varint_u32()?;
            if count > max_symbols {
                return Err(DracoError::Count {
                    what: "number of symbols of one valence",
                    value: count.into(),
                    limit: max_symbols.into(),
                });
            }
            *context = symbols::read(bytes, count as usize, 1, budget)?;
        }
        Ok(Self::Valence(ValenceContexts {
            symbols,
            valences: budget.filled(max_vertices, 0)?,
            active: None,
        }))
    }

    /// The symbol of face `index`.
    pub(super) fn next_symbol(&mut self, index: usize) -> Result<Symbol, DracoError> {
        match self {
            Self::Standard(bits) => {
                if bits.take(1)? == 0 {
                    return Ok(Symbol::Center);
                }
                Ok(match bits.take(2)? {
                    0 => Symbol::Split,
                    1 => Symbol::Left,
                    2 => Symbol::Right,
                    _ => Symbol::End,
                })
            }
            Self::Valence(contexts) => contexts.next_symbol(index),
        }
    }

    /// Tells the source that two vertices became one.
    pub(super) fn vertices_merged(&mut self, kept: u32, gone: u32) {
        if let Self::Valence(contexts) = self {
            let gone = contexts.valences[gone as usize];
            let kept = &mut contexts.valences[kept as usize];
            *kept = kept.saturating_add(gone);
        }
    }

    /// Tells the source that a face with the vertices `tip`, `next`, `previous` has joined.
    pub(super) fn face_added(&mut self, symbol: Symbol, [tip, next, previous]: [u32; 3]) {
        if let Self::Valence(contexts) = self {
            let [tip_by, next_by, previous_by] = match symbol {
                Symbol::Center | Symbol::Split => [0, 1, 1],
                Symbol::Right => [1, 1, 2],
                Symbol::Left => [1, 2, 1],
                Symbol::End => [2, 2, 2],
            };
            contexts.grow(tip, tip_by);
            contexts.grow(next, next_by);
            contexts.grow(previous, previous_by);
            let valence = contexts.valences[next as usize];
            let clamped = valence.clamp(*VALENCES.start(), *VALENCES.end());
            contexts.active = Some((clamped - VALENCES.start()) as usize);
        }
    }
}

impl ValenceContexts {
    fn next_symbol(&mut self, index: usize) -> Result<Symbol, DracoError> {
        let Some(active) = self.active else {
            return Ok(Symbol::End);
        };
        match self.symbols[active].pop() {
            Some(0) => Ok(Symbol::Center),
            Some(1) => Ok(Symbol::Split),
            Some(2) => Ok(Symbol::Left),
            Some(3) => Ok(Symbol::Right),
            Some(4) => Ok(Symbol::End),
            Some(_) => Err(DracoError::Malformed { what: "an unknown edgebreaker symbol", index }),
            None => Err(DracoError::Malformed { what: "a valence context runs out of symbols", index }),
        }
    }

    fn grow(&mut self, vertex: u32, by: u32) {
        let valence = &mut self.valences[vertex as usize];
        *valence = valence.saturating_add(by);
    }
}
