//! The input and the outcome of an operation on weights.

use super::{
    Effect, EffectPoses, Locks, VertexSelection, WeightError, WeightTable, effect::BoundVertices,
    muscle_slots::muscle_influences, table::SlotWeights,
};
use sinew::{Influence, Mesh, Weights, WeldedPoints};

/// The weights of a mesh, with what may be changed and the poses over which the change is measured.
#[derive(Clone, Debug)]
pub struct Edit<'a> {
    mesh: &'a Mesh,
    weights: &'a Weights,
    selection: VertexSelection,
    locks: Locks,
    poses: Option<&'a EffectPoses>,
    slot_count: usize,
}

/// Changed weights, and the measured effect of the change.
#[derive(Clone, Debug, PartialEq)]
pub struct EditOutcome {
    /// The weights after the operation.
    pub weights: Weights,
    /// The number of vertices whose weights changed.
    pub changed: usize,
    /// How far the change moves vertices; all zero if no poses were given.
    pub effect: Effect,
}

impl<'a> Edit<'a> {
    /// Selects all vertices of `mesh`, locks nothing and measures nothing.
    ///
    /// # Errors
    /// If the mesh has no weights.
    pub fn new(mesh: &'a Mesh) -> Result<Self, WeightError> {
        let no_weights = || WeightError::NoWeights { mesh: mesh.name().into() };
        let weights: &Weights = mesh.weights().ok_or_else(no_weights)?;
        Self::with_weights(mesh, weights)
    }

    /// As [`Edit::new`], with `weights` in place of the mesh's own.
    ///
    /// # Errors
    /// If the number of vertices differs.
    pub fn with_weights(mesh: &'a Mesh, weights: &'a Weights) -> Result<Self, WeightError> {
        super::error::check_count("vertices with weights", weights.vertex_count(), mesh.vertex_count())?;
        let (selection, locks) = (VertexSelection::All, Locks::default());
        Ok(Self { mesh, weights, selection, locks, poses: None, slot_count: weights.slot_count() })
    }

    /// Limits the change to a selection.
    #[must_use]
    pub fn select(mut self, selection: VertexSelection) -> Self {
        self.selection = selection;
        self
    }

    /// Keeps the weights of locked joints bit-identical.
    #[must_use]
    pub fn lock(mut self, locks: Locks) -> Self {
        self.locks = locks;
        self
    }

    /// Measures the effect over `poses`.
    #[must_use]
    pub fn over(mut self, poses: &'a EffectPoses) -> Self {
        self.poses = Some(poses);
        self
    }

    /// Allows weight on every joint of a skin of `slot_count` joints, including those without weight now.
    #[must_use]
    pub fn in_skin_of(mut self, slot_count: usize) -> Self {
        self.slot_count = self.slot_count.max(slot_count);
        self
    }

    /// The mesh that is edited.
    #[must_use]
    pub fn mesh(&self) -> &'a Mesh {
        self.mesh
    }

    /// The weights before the operation.
    #[must_use]
    pub fn weights(&self) -> &'a Weights {
        self.weights
    }

    /// The joints whose weights must not change.
    #[must_use]
    pub fn locks(&self) -> &Locks {
        &self.locks
    }

    /// The poses to measure over, if any.
    #[must_use]
    pub fn poses(&self) -> Option<&'a EffectPoses> {
        self.poses
    }

    /// The number of joints that may have weight.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    pub(super) fn points(&self) -> &'a WeldedPoints {
        self.mesh.points()
    }

    /// The first vertex of `point`, which represents its copies.
    pub(super) fn vertex(&self, point: usize) -> usize {
        self.points().first_vertex()[point] as usize
    }

    pub(super) fn table(&self) -> WeightTable {
        WeightTable::new(self.weights, self.slot_count)
    }

    /// For each point, whether it may change: any of its vertices is selected.
    pub(super) fn selected_points(&self) -> Vec<bool> {
        let mut is_selected = vec![matches!(self.selection, VertexSelection::All); self.points().len()];
        if let VertexSelection::Vertices(vertices) = &self.selection {
            for &vertex in vertices {
                if let Some(&point) = self.points().of_vertex().get(vertex as usize) {
                    is_selected[point as usize] = true;
                }
            }
        }
        is_selected
    }

    /// The selected vertices of the mesh, in ascending order.
    pub(super) fn selected_vertices(&self) -> Vec<u32> {
        let count = self.mesh.vertex_count() as u32;
        match &self.selection {
            VertexSelection::All => (0..count).collect(),
            VertexSelection::Vertices(vertices) => vertices.iter().copied().filter(|v| *v < count).collect(),
        }
    }

    /// Changes every selected point: `change` gets its weights and returns the wanted ones, or `None` to leave them.
    pub(super) fn for_each_point(
        &self,
        mut change: impl FnMut(usize, &[(u16, f64)]) -> Option<SlotWeights>,
    ) -> Result<EditOutcome, WeightError> {
        let mut table = self.table();
        let is_selected = self.selected_points();
        for point in (0..is_selected.len()).filter(|&p| is_selected[p]) {
            let vertex = self.vertex(point);
            let slot_weights: SlotWeights = table.slot_weights(vertex).collect();
            if let Some(wanted) = change(point, &slot_weights) {
                table.set(vertex, &wanted, &self.locks);
            }
        }
        self.join_copies(&mut table, &is_selected);
        self.outcome(&table)
    }

    /// Copies the weights of the first vertex of every selected point to its other vertices.
    pub(super) fn join_copies(&self, table: &mut WeightTable, is_selected: &[bool]) {
        for (vertex, &point) in self.points().of_vertex().iter().enumerate() {
            let first = self.vertex(point as usize);
            if !is_selected[point as usize] || first == vertex {
                continue;
            }
            if self.locks.is_empty() {
                table.copy_vertex(first, vertex);
            } else {
                let slot_weights: SlotWeights = table.slot_weights(first).collect();
                table.set(vertex, &slot_weights, &self.locks);
            }
        }
    }

    /// `weights` with other muscle weights for the selected points: `change` returns the wanted ones, or `None` to leave
    /// them. Locked joints keep theirs.
    pub(super) fn with_muscles(
        &self,
        weights: Weights,
        mut change: impl FnMut(usize) -> Option<SlotWeights>,
    ) -> Result<Weights, WeightError> {
        let points = self.selected_points().into_iter().enumerate();
        let wanted = points.map(|(point, is_selected)| change(point).filter(|_| is_selected));
        let wanted: Vec<Option<SlotWeights>> = wanted.collect();
        if wanted.iter().all(Option::is_none) {
            return Ok(weights);
        }
        let of_vertex = |(vertex, &point): (usize, &u32)| {
            let own = self.weights.muscle_influences(vertex);
            let Some(wanted) = &wanted[point as usize] else { return own.collect::<Vec<Influence>>() };
            let open = muscle_influences(wanted).into_iter().filter(|i| !self.locks.holds(i.slot));
            own.filter(|i| self.locks.holds(i.slot)).chain(open).collect()
        };
        let vertices = self.points().of_vertex().iter().enumerate().map(of_vertex);
        Ok(weights.with_muscle_weights(self.slot_count, vertices)?)
    }

    pub(super) fn outcome(&self, table: &WeightTable) -> Result<EditOutcome, WeightError> {
        Ok(self.outcome_of(table.to_weights()?))
    }

    /// Compares `weights` with the weights before the operation.
    pub(super) fn outcome_of(&self, weights: Weights) -> EditOutcome {
        let vertices = 0..weights.vertex_count().min(self.weights.vertex_count());
        let is_changed = |&v: &usize| {
            weights.of(v) != self.weights.of(v) || weights.muscle_of(v) != self.weights.muscle_of(v)
        };
        let changed = vertices.filter(is_changed).count();
        let effect = self.poses.map_or_else(Effect::default, |poses| {
            let bound = |weights| BoundVertices { positions: self.mesh.positions(), weights, poses };
            Effect::between(&bound(self.weights), &bound(&weights))
        });
        EditOutcome { weights, changed, effect }
    }
}
