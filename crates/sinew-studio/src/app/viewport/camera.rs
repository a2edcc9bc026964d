//! The camera of a rectangle of the window: projection, rays and picking.

use sinew::{JointId, glam::Vec2, glam::Vec3};
use sinew_view::{
    camera::{Camera, Ray},
    gizmo::GizmoView,
    layer::SceneLayer,
    pick::{Hit, pick},
    scene::Scene,
    stage::Stage,
};

/// A camera and the rectangle of the window that it fills.
#[derive(Clone, Copy, Debug)]
pub(in crate::app) struct ViewportCamera {
    pub(in crate::app) camera: Camera,
    pub(in crate::app) rect: egui::Rect,
}

/// A vertex of an instance under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) struct VertexHit {
    pub(in crate::app) instance: usize,
    pub(in crate::app) vertex: u32,
    /// The hit point on the surface, in model space, in meters.
    pub(in crate::app) position: Vec3,
}

impl ViewportCamera {
    pub(in crate::app) fn aspect(&self) -> f32 {
        self.rect.width() / self.rect.height().max(1.0)
    }

    /// A point of the window in normalized device coordinates: (-1, -1) lower left, (1, 1) upper right.
    pub(in crate::app) fn ndc(&self, at: egui::Pos2) -> Vec2 {
        let offset = (at - self.rect.center()) / (self.rect.size() * 0.5).max(egui::Vec2::splat(1.0));
        Vec2::new(offset.x, -offset.y)
    }

    pub(in crate::app) fn ray(&self, at: egui::Pos2) -> Ray {
        self.camera.ray(self.ndc(at), self.aspect())
    }

    /// The projection that picks gizmo handles.
    pub(in crate::app) fn projection(&self) -> GizmoView {
        GizmoView { camera: self.camera, aspect: self.aspect() }
    }

    /// A point of model space in points of the window; `None` behind the camera.
    pub(in crate::app) fn project(&self, point: Vec3) -> Option<egui::Pos2> {
        let ndc = self.camera.place(point, self.aspect())?;
        let half = self.rect.size() * 0.5;
        Some(self.rect.center() + egui::vec2(ndc.x * half.x, -ndc.y * half.y))
    }

    /// The joint whose bone is drawn at `at`.
    pub(in crate::app) fn joint_at(&self, scene: &Scene, stage: &Stage, at: egui::Pos2) -> Option<JointId> {
        let hit = pick(scene, self.ray(at))?;
        let is_bone = stage.source_of(hit.layer).is_none();
        let id = hit.id.filter(|_| is_bone)?;
        u16::try_from(id).ok().map(JointId)
    }

    /// The vertex nearest to the skin at `at`; bones are ignored.
    pub(in crate::app) fn vertex_at(
        &self,
        scene: &Scene,
        stage: &Stage,
        at: egui::Pos2,
    ) -> Option<VertexHit> {
        let mut skins = scene.clone();
        for (number, layer) in skins.layers.iter_mut().enumerate() {
            if let SceneLayer::Mesh(mesh) = layer {
                mesh.pickable &= stage.source_of(number).is_some();
            }
        }
        let hit = pick(&skins, self.ray(at))?;
        let (instance, first) = stage.source_of(hit.layer)?;
        let SceneLayer::Mesh(mesh) = &skins.layers[hit.layer] else { return None };
        let vertex = first + mesh.geometry().triangles().get(hit.face)?[nearest_corner(&hit)];
        Some(VertexHit { instance, vertex, position: hit.position })
    }
}

fn nearest_corner(hit: &Hit) -> usize {
    let weights = hit.weights.to_array();
    (0..3).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or(0)
}
