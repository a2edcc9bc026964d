//! The order in which the values of an attribute are stored: that of a walk over its surface.

use super::DracoError;
use super::budget::DracoBudget;
use super::corners::{CornerSurface, NONE, next, previous};

/// The order of an attribute's entries.
#[derive(Debug)]
pub(super) struct Sequence {
    /// A corner at the vertex of each entry.
    pub(super) corners: Vec<u32>,
    /// The entry of each vertex, [`NONE`] where no face reaches it.
    pub(super) entries: Vec<u32>,
}

/// Walks depth first, to the right before to the left.
pub(super) fn depth_first(
    surface: &dyn CornerSurface,
    faces: usize,
    budget: &mut DracoBudget,
) -> Result<Sequence, DracoError> {
    let mut visits = Visits::new(surface, faces, budget)?;
    let mut stack: Vec<u32> = budget.room(faces + 1)?;
    for face in 0..faces as u32 {
        let start = 3 * face;
        if visits.is_face_done(start) {
            continue;
        }
        visits.vertex(next(start));
        visits.vertex(previous(start));
        stack.push(start);
        while let Some(corner) = stack.pop() {
            if !visits.is_face_done(corner) {
                visits.walk_right(corner, &mut stack)?;
            }
        }
    }
    Ok(visits.sequence)
}

/// Walks where most neighbours are already known, so that predictions have the most to go on.
pub(super) fn by_prediction_degree(
    surface: &dyn CornerSurface,
    faces: usize,
    budget: &mut DracoBudget,
) -> Result<Sequence, DracoError> {
    let mut visits = Visits::new(surface, faces, budget)?;
    // Every face offers at most two neighbours, in stacks that double as they grow.
    budget.charge(faces, 6 * size_of::<u32>())?;
    let mut queue = DegreeQueue {
        stacks: Default::default(),
        best: 0,
        degrees: budget.filled(surface.vertex_count(), 0)?,
    };
    for face in 0..faces as u32 {
        let start = 3 * face;
        if visits.is_face_done(start) {
            continue;
        }
        queue.best = 0;
        visits.vertex(next(start));
        visits.vertex(previous(start));
        visits.vertex(start);
        let mut at = Some(start);
        while let Some(corner) = at {
            if !visits.is_face_done(corner) {
                queue.walk(&mut visits, corner);
            }
            at = queue.pop();
        }
    }
    Ok(visits.sequence)
}

/// What the walk has seen so far.
struct Visits<'a> {
    surface: &'a dyn CornerSurface,
    faces_done: Vec<bool>,
    sequence: Sequence,
}

impl<'a> Visits<'a> {
    fn new(
        surface: &'a dyn CornerSurface,
        faces: usize,
        budget: &mut DracoBudget,
    ) -> Result<Self, DracoError> {
        Ok(Self {
            surface,
            faces_done: budget.filled(faces, false)?,
            sequence: Sequence {
                corners: budget.room(surface.vertex_count())?,
                entries: budget.filled(surface.vertex_count(), NONE)?,
            },
        })
    }

    fn is_face_done(&self, corner: u32) -> bool {
        self.faces_done[corner as usize / 3]
    }

    /// Gives the vertex at `corner` the next entry, unless it has one.
    fn vertex(&mut self, corner: u32) -> bool {
        let entry = &mut self.sequence.entries[self.surface.vertex(corner) as usize];
        if *entry != NONE {
            return false;
        }
        *entry = self.sequence.corners.len() as u32;
        self.sequence.corners.push(corner);
        true
    }

    /// The corner, unless there is none or its face is done.
    fn open(&self, corner: Option<u32>) -> Option<u32> {
        corner.filter(|&corner| !self.is_face_done(corner))
    }

    /// Goes on from face to face until both neighbours are done, or leaves both on the stack.
    fn walk_right(&mut self, mut corner: u32, stack: &mut Vec<u32>) -> Result<(), DracoError> {
        loop {
            self.faces_done[corner as usize / 3] = true;
            let right = self.surface.right(corner);
            if self.vertex(corner) && !self.surface.is_on_border(self.surface.vertex(corner)) {
                corner = right.ok_or(DracoError::Malformed {
                    what: "a vertex inside the surface has an open edge",
                    index: corner as usize,
                })?;
                continue;
            }
            let left = self.open(self.surface.left(corner));
            corner = match (self.open(right), left) {
                (None, None) => return Ok(()),
                (Some(right), None) => right,
                (None, Some(left)) => left,
                (Some(right), Some(left)) => {
                    stack.push(left);
                    stack.push(right);
                    return Ok(());
                }
            };
        }
    }
}

/// Corners to go on from, by how well their tips can be predicted.
struct DegreeQueue {
    stacks: [Vec<u32>; 3],
    best: usize,
    degrees: Vec<u32>,
}

impl DegreeQueue {
    fn pop(&mut self) -> Option<u32> {
        for (priority, stack) in self.stacks.iter_mut().enumerate().skip(self.best) {
            if let Some(corner) = stack.pop() {
                self.best = priority;
                return Some(corner);
            }
        }
        None
    }

    fn push(&mut self, corner: u32, priority: usize) {
        self.stacks[priority].push(corner);
        self.best = self.best.min(priority);
    }

    fn priority(&mut self, visits: &Visits<'_>, corner: u32) -> usize {
        let tip = visits.surface.vertex(corner) as usize;
        if visits.sequence.entries[tip] != NONE {
            return 0;
        }
        self.degrees[tip] += 1;
        if self.degrees[tip] > 1 { 1 } else { 2 }
    }

    fn walk(&mut self, visits: &mut Visits<'_>, mut corner: u32) {
        loop {
            visits.faces_done[corner as usize / 3] = true;
            visits.vertex(corner);
            let right = visits.open(visits.surface.right(corner));
            let left = visits.open(visits.surface.left(corner));
            if let Some(left) = left {
                let priority = self.priority(visits, left);
                if right.is_none() && priority <= self.best {
                    corner = left;
                    continue;
                }
                self.push(left, priority);
            }
            if let Some(right) = right {
                let priority = self.priority(visits, right);
                if priority <= self.best {
                    corner = right;
                    continue;
                }
                self.push(right, priority);
            }
            return;
        }
    }
}
