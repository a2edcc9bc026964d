//! From the window's points to the scene and back.

use sinew::{JointId, glam::Vec2, glam::Vec3};
use sinew_view::{
    camera::{Camera, Ray},
    gizmo::GizmoView,
    layer::SceneLayer,
    pick::{Hit, pick},
    scene::Scene,
    stage::Stage,
};

/// A camera behind a rectangle of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewportCamera {
    pub(super) camera: Camera,
    pub(super) rect: egui::Rect,
}

/// A vertex of an instance under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct VertexHit {
    pub(super) instance: usize,
    pub(super) vertex: u32,
    /// Where the surface was met, in model space.
    pub(super) position: Vec3,
}

impl ViewportCamera {
    pub(super) fn aspect(&self) -> f32 {
        self.rect.width() / self.rect.height().max(1.0)
    }

    /// A place of the picture, from (-1, -1) lower left to (1, 1) upper right.
    pub(super) fn spot(&self, at: egui::Pos2) -> Vec2 {
        let offset = (at - self.rect.center()) / (self.rect.size() * 0.5).max(egui::Vec2::splat(1.0));
        Vec2::new(offset.x, -offset.y)
    }

    pub(super) fn ray(&self, at: egui::Pos2) -> Ray {
        self.camera.ray(self.spot(at), self.aspect())
    }

    /// The camera and the shape of its picture.
    pub(super) fn seen(&self) -> GizmoView {
        GizmoView { camera: self.camera, aspect: self.aspect() }
    }

    /// Where a point is seen; `None` behind the camera.
    pub(super) fn place(&self, point: Vec3) -> Option<egui::Pos2> {
        let place = self.camera.place(point, self.aspect())?;
        let half = self.rect.size() * 0.5;
        Some(self.rect.center() + egui::vec2(place.x * half.x, -place.y * half.y))
    }

    /// The joint whose bone is seen at `at`.
    pub(super) fn joint_at(&self, scene: &Scene, stage: &Stage, at: egui::Pos2) -> Option<JointId> {
        let hit = pick(scene, self.ray(at))?;
        let is_bone = stage.source_of(hit.layer).is_none();
        let id = hit.id.filter(|_| is_bone)?;
        u16::try_from(id).ok().map(JointId)
    }

    /// The vertex nearest to where the skin is seen at `at`, through bones.
    pub(super) fn vertex_at(&self, scene: &Scene, stage: &Stage, at: egui::Pos2) -> Option<VertexHit> {
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
