//! The silhouette of a mesh as lines: the outline of a layer or of a selection.

use std::collections::HashMap;
use std::sync::Arc;

use sinew_view::glam::{Vec3, Vec4};
use sinew_view::layer::{LineStroke, MeshLayer};

use super::layer_buffers::{LineSlot, LineVertex};
use super::stream::Gpu;
use super::view_uniform::ViewUniform;
use crate::GpuError;

/// A line's width is at most this fraction of the square root of its part's area on the screen.
const MAX_WIDTH_RATIO: f32 = 0.13;

/// The edges of a mesh, found once, and the lines of the last frame.
#[derive(Debug)]
pub(super) struct OutlinePass {
    triangles: Option<Arc<[[u32; 3]]>>,
    ids: Option<Arc<[u32]>>,
    /// Part, ends and triangle of every edge of every triangle, equal edges together.
    edges: Vec<OutlineEdge>,
    fronts: Vec<bool>,
    clips: Vec<Vec4>,
    areas: HashMap<u32, f32>,
    pub(super) lines: LineSlot,
}

type OutlineEdge = (u32, [u32; 2], u32);

impl OutlinePass {
    pub(super) fn new() -> Self {
        Self {
            triangles: None,
            ids: None,
            edges: Vec::new(),
            fronts: Vec::new(),
            clips: Vec::new(),
            areas: HashMap::new(),
            lines: LineSlot::new(),
        }
    }

    /// Computes the silhouette from `view` and uploads it.
    pub(super) fn follow(
        &mut self,
        gpu: Gpu<'_>,
        view: &ViewUniform,
        mesh: &MeshLayer,
        stroke: LineStroke,
        scratch: &mut Vec<LineVertex>,
    ) -> Result<(), GpuError> {
        scratch.clear();
        if stroke.width_px.is_finite() && stroke.width_px > 0.0 {
            self.find_edges(mesh);
            self.look(view, mesh);
            self.collect(mesh, stroke, scratch);
        }
        self.lines.write(gpu, scratch)
    }

    fn find_edges(&mut self, mesh: &MeshLayer) {
        let triangles = mesh.geometry().triangles();
        let same_ids = match (&self.ids, mesh.face_ids()) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        if same_ids && self.triangles.as_ref().is_some_and(|known| Arc::ptr_eq(known, triangles)) {
            return;
        }
        let same = welded(mesh.geometry().positions());
        self.edges.clear();
        for (number, face) in (0u32..).zip(triangles.iter()) {
            let [a, b, c] = face.map(|vertex| same[vertex as usize]);
            // Degenerate triangles, as at the poles of a sphere, have no facing.
            if a != b && b != c && c != a {
                let id = mesh.face_id(number as usize).unwrap_or(0);
                self.edges.extend([[a, b], [b, c], [c, a]].map(|[x, y]| (id, [x.min(y), x.max(y)], number)));
            }
        }
        self.edges.sort_unstable();
        self.triangles = Some(Arc::clone(triangles));
        self.ids = mesh.face_ids().cloned();
    }

    /// Finds front-facing triangles and the screen area of each part.
    fn look(&mut self, view: &ViewUniform, mesh: &MeshLayer) {
        let positions = mesh.geometry().positions();
        self.clips.clear();
        self.clips.extend(positions.iter().map(|position| view.clip_from_world * position.extend(1.0)));
        self.fronts.clear();
        self.areas.clear();
        for (number, face) in mesh.geometry().triangles().iter().enumerate() {
            let [a, b, c] = face.map(|vertex| positions[vertex as usize]);
            self.fronts.push((b - a).cross(c - a).dot(view.towards_viewer(a)) > 0.0);
            let clips = face.map(|vertex| self.clips[vertex as usize]);
            if clips.iter().all(|clip| clip.is_finite() && clip.w >= view.line.x) {
                let [a, b, c] = clips.map(|clip| view.pixel(clip));
                // Front and back both count, so the sum is twice the area; the cross product is twice too.
                *self.areas.entry(mesh.face_id(number).unwrap_or(0)).or_insert(0.0) +=
                    (b - a).perp_dot(c - a).abs() * 0.25;
            }
        }
    }

    fn collect(&self, mesh: &MeshLayer, stroke: LineStroke, out: &mut Vec<LineVertex>) {
        let positions = mesh.geometry().positions();
        let color = stroke.color.rgb().to_array();
        for group in self.edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (id, ends, first) = group[0];
            let front = self.fronts[first as usize];
            if group.len() > 1 && group.iter().all(|edge| self.fronts[edge.2 as usize] == front) {
                continue;
            }
            let [start, end] = ends.map(|vertex| positions[vertex as usize]);
            if start.is_finite() && end.is_finite() {
                let room = self.areas.get(&id).map_or(f32::INFINITY, |area| area.sqrt() * MAX_WIDTH_RATIO);
                out.push(LineVertex {
                    start: start.to_array(),
                    width_px: stroke.width_px.min(room),
                    end: end.to_array(),
                    nearer: 0.0,
                    start_color: color,
                    end_color: color,
                });
            }
        }
    }
}

/// For each vertex the first one at the same position: seams split vertices, not silhouettes.
fn welded(positions: &[Vec3]) -> Vec<u32> {
    let mut first = HashMap::with_capacity(positions.len());
    (0u32..)
        .zip(positions)
        .map(|(vertex, position)| *first.entry(position.to_array().map(f32::to_bits)).or_insert(vertex))
        .collect()
}
