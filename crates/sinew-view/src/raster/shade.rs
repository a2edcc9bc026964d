//! Lighting of surface points in linear light.

use crate::camera::Camera;
use crate::glam::Vec3;
use crate::light::{LightSpace, Lights};

/// A surface point to be lit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    /// Base color in linear light.
    pub(super) albedo: Vec3,
    /// Unit normal on the visible side.
    pub(super) normal: Vec3,
    /// Unit vector towards the viewer.
    pub(super) viewer: Vec3,
    /// Strength of highlights from 0 to 1.
    pub(super) gloss: f32,
    /// Fraction of the first light that reaches the point.
    pub(super) key_light: f32,
}

/// The scene's lights in world space.
#[derive(Debug)]
pub(super) struct Lamps {
    lamps: Vec<ShadedLamp>,
    sky: Vec3,
    bounce: Vec3,
    rim: Vec3,
    shadow: f32,
}

#[derive(Clone, Copy, Debug)]
struct ShadedLamp {
    towards: Vec3,
    color: Vec3,
    wrap: f32,
    highlight: f32,
}

impl Lamps {
    pub(super) fn new(lights: &Lights, camera: &Camera) -> Self {
        let world_from_view = camera.axes();
        let lamps = lights
            .distant
            .iter()
            .map(|light| ShadedLamp {
                towards: match light.space {
                    LightSpace::World => light.towards,
                    LightSpace::View => world_from_view * light.towards,
                }
                .normalize_or(Vec3::Y),
                color: light.color.rgb(),
                wrap: light.wrap.clamp(0.0, 1.0),
                highlight: light.highlight.max(0.0),
            })
            .collect();
        Self {
            lamps,
            sky: lights.sky.rgb(),
            bounce: lights.bounce.rgb(),
            rim: lights.rim.rgb(),
            shadow: lights.shadow.clamp(0.0, 1.0),
        }
    }

    /// Whether meshes cast shadows on each other.
    pub(super) fn has_shadow(&self) -> bool {
        self.shadow > 0.0
    }

    /// The unit direction towards the light that casts the shadow.
    pub(super) fn key(&self) -> Option<Vec3> {
        self.lamps.first().map(|lamp| lamp.towards)
    }

    /// The fraction of the first light that reaches a surface, for the shadow map's value `lit`.
    ///
    /// The map is ignored on surfaces that face away from the light: smooth shading and flat triangles
    /// disagree there, and shading removes the light anyway.
    pub(super) fn key_light(&self, normal: Vec3, lit: impl FnOnce() -> f32) -> f32 {
        let Some(key) = self.lamps.first() else { return 1.0 };
        let trust = ((normal.dot(key.towards) - 0.02) * 4.0).clamp(0.0, 1.0) * self.shadow;
        if trust > 0.0 { 1.0 - trust * (1.0 - lit()) } else { 1.0 }
    }

    /// Light reflected towards the viewer, before tone mapping.
    pub(super) fn reflect(&self, facet: &Facet) -> Vec3 {
        let Facet { albedo, normal, viewer, gloss, key_light } = *facet;
        let facing = normal.dot(viewer).clamp(0.0, 1.0);
        let away = 1.0 - facing;
        // Schlick's approximation of the Fresnel term.
        let grazing = away * away * away * away * away;
        let up = 0.5 + 0.5 * normal.y;
        let mut diffuse = self.bounce.lerp(self.sky, up);
        let mut shine = Vec3::ZERO;
        for (index, lamp) in self.lamps.iter().enumerate() {
            let cosine = normal.dot(lamp.towards);
            let light = if index == 0 { lamp.color * key_light } else { lamp.color };
            diffuse += light * ((cosine + lamp.wrap) / (1.0 + lamp.wrap)).max(0.0);
            let half = (lamp.towards + viewer).normalize_or(normal);
            let lobe = highlight(normal.dot(half)) * (cosine * 4.0).clamp(0.0, 1.0);
            shine += light * (lobe * lamp.highlight * (0.12 + 0.6 * grazing));
        }
        let rim = self.rim * (away * away * away * (0.35 + 0.65 * up));
        albedo * diffuse + shine * gloss + rim * (0.4 + albedo)
    }
}

/// The shape of a highlight: a broad lobe with a brighter core, by multiplication only so that every machine
/// gets the same bits.
fn highlight(cosine: f32) -> f32 {
    let c2 = cosine.max(0.0) * cosine.max(0.0);
    let c4 = c2 * c2;
    let c16 = c4 * c4 * c4 * c4;
    let c64 = c16 * c16 * c16 * c16;
    0.35 * c16 + 1.3 * c64
}

/// Keeps light below the knee and compresses brighter light towards white, so that data colors
/// stay exact and highlights keep their shape.
///
/// The strongest channel determines the scale of all three, which keeps the hue; the excess shifts slightly towards
/// white, as film does.
pub(super) fn tone_map(light: Vec3) -> Vec3 {
    const KNEE: f32 = 0.70;
    let light = light.max(Vec3::ZERO);
    let peak = light.max_element();
    if peak <= KNEE {
        return light;
    }
    let over = (peak - KNEE) / (1.0 - KNEE);
    let bent = KNEE + (1.0 - KNEE) * over / (1.0 + over);
    let kept = light * (bent / peak);
    kept.lerp(Vec3::splat(bent), (1.0 - bent / peak) * 0.25)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tone_mapping_is_smooth_rising_and_below_one() {
        let mut last = -1.0;
        for step in 0..2000 {
            let mapped = tone_map(Vec3::splat(step as f32 * 0.005)).x;
            assert!(mapped > last - 1e-6 && mapped < 1.0 && mapped - last < 1.01);
            last = mapped;
        }
        assert!((tone_map(Vec3::splat(0.5)).x - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_face_towards_the_key_light_is_brighter_than_one_facing_away() {
        let camera = Camera::default();
        let lamps = Lamps::new(&Lights::studio(), &camera);
        let lit = |normal: Vec3| {
            let viewer = camera.axes().z_axis;
            let facet = Facet { albedo: Vec3::splat(0.5), normal, viewer, gloss: 0.3, key_light: 1.0 };
            lamps.reflect(&facet).element_sum()
        };
        let key = lamps.key().unwrap();
        assert!(lit(key) > 2.5 * lit(-key));
    }
}
