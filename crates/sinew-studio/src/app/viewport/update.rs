//! Updating the scenes of the viewport from the document and the player.

use super::{
    Viewport, ViewportSources,
    follow::FollowedPose,
    look::{Compared, DeformDevice, LookOptions, ViewportLook},
    scene::{SceneError, SceneRequest, ViewportScene},
};
use crate::{app::tool::ToolSubject, export::travel};
use sinew::Character;
use std::sync::{Arc, PoisonError};

impl Viewport {
    /// Moves the camera with the character, and updates the scenes.
    pub(super) fn update(&mut self, sources: ViewportSources<'_>) -> Result<(), String> {
        self.follow_character(sources);
        self.update_scenes(sources).map_err(|error| error.to_string())
    }

    fn follow_character(&mut self, ViewportSources { session, player, .. }: ViewportSources<'_>) {
        let (document, preview) = (session.document(), player.preview());
        let is_previewed = preview.is_some();
        let pose = preview.map_or(document.pose(), |preview| preview.pose);
        let traveled = travel(document, pose);
        let now = FollowedPose { traveled, time_secs: document.playhead().time_secs, is_previewed };
        self.follow.follow(&mut self.camera, now, player.is_playing(), self.look.follow);
    }

    fn update_scenes(&mut self, sources: ViewportSources<'_>) -> Result<(), SceneError> {
        self.update_without_helpers(sources.session.document().character());
        let on_gpu = self.look.device == DeformDevice::Gpu && !self.needs_vertices(sources);
        let is_reduced = self.is_reduced();
        let (session, document) = (sources.session, sources.session.document());
        let Self { look, camera, .. } = self;
        let request = |method, character| SceneRequest {
            session,
            character,
            method,
            preview: sources.player.preview(),
            camera: *camera,
            options: *look,
            on_gpu,
            is_reduced,
        };
        let first = request(document.method(), None);
        self.scene.pose(&first)?;
        let Some(compared) = look.compared else {
            self.compared = None;
            return self.scene.paint(&first, None);
        };
        let second = match compared {
            Compared::Method(method) => request(method, None),
            Compared::OpenedWeights => request(document.method(), Some(document.opened_character())),
            Compared::WithoutHelpers => {
                request(document.method(), self.without_helpers.as_ref().map(|[_, without]| without))
            }
        };
        let other = self.compared.get_or_insert_with(|| ViewportScene::new(session));
        other.pose(&second)?;
        self.scene.paint(&first, Some(other))?;
        other.paint(&second, Some(&self.scene))
    }

    /// Keeps a copy of the character with its helpers off while the two are compared, built once per character.
    fn update_without_helpers(&mut self, character: &Arc<Character>) {
        if self.look.compared != Some(Compared::WithoutHelpers) {
            self.without_helpers = None;
        } else if !self.without_helpers.as_ref().is_some_and(|[of, _]| Arc::ptr_eq(of, character)) {
            self.without_helpers = Some([Arc::clone(character), Arc::new(character.with_helpers_off())]);
        }
    }

    /// True if something reads vertex positions, so that the CPU has to deform them too.
    fn needs_vertices(&self, ViewportSources { session, diagnosis, .. }: ViewportSources<'_>) -> bool {
        let LookOptions { look, wire, normals, bounds, compared, .. } = self.look;
        let document = session.document();
        look.follows_pose()
            || look == ViewportLook::Influences
            || wire
            || normals
            || bounds
            || compared.is_some()
            || self.toolbox.subject() == ToolSubject::Weights
            || self.is_pointer_down
            || document.selection().vertex_count() > 0
            || diagnosis.marked(document).next().is_some()
    }

    /// The captions of both halves during a comparison; the second one tells the largest distance between them.
    pub(super) fn captions(&self) -> Option<[String; 2]> {
        let (compared, other) = (self.look.compared?, self.compared.as_ref()?);
        let [first, second] = match compared {
            Compared::Method(_) => [self.scene.method().name(), other.method().name()],
            Compared::OpenedWeights => ["edited weights", compared.name()],
            Compared::WithoutHelpers => ["with helpers", compared.name()],
        };
        let distance_mm = other.distance_from(&self.scene) * 1e3;
        Some([first.into(), format!("{second}: up to {distance_mm:.2} mm from {first}")])
    }

    /// Takes what the GPU reported since the last frame. If it cannot deform the character, the CPU takes over.
    pub(super) fn read_gpu_status(&mut self) -> Vec<String> {
        let mut status = self.gpu_status.lock().unwrap_or_else(PoisonError::into_inner);
        let mut failures: Vec<String> = status.draw_error.take().into_iter().collect();
        if let Some(reason) = status.unsupported.take() {
            self.look.device = DeformDevice::Cpu;
            failures.push(format!("{reason}; falling back to the CPU"));
        }
        if let Some(deform_ms) = status.deform_ms {
            self.gpu_ms = deform_ms;
        }
        failures
    }
}
