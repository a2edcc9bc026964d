//! Maps of the deformed surface and their legends.

use super::look::ViewportLook;
use sinew::{
    Character, DeformError, Frame, JointId,
    measure::{Gauge, distances, influence_counts},
};
use sinew_view::{
    legend::Legend,
    palette::Ramp,
    stage::{Field, SkinLook},
};
use std::sync::Arc;

/// The rest shape that maps measure against, computed for the first map.
#[derive(Default)]
pub(super) struct Maps {
    gauge: Option<(Arc<Character>, Gauge)>,
}

/// The frame to color, and the frame that a difference map compares to.
pub(super) struct MapFrames<'a> {
    pub(super) frame: &'a Frame,
    pub(super) other: Option<&'a Frame>,
}

impl Maps {
    /// The coloring of the skin.
    pub(super) fn skin(
        &mut self,
        look: ViewportLook,
        joint: Option<JointId>,
        character: &Arc<Character>,
        MapFrames { frame, other }: MapFrames<'_>,
    ) -> Result<SkinLook, DeformError> {
        let ratios = |values| field(values, 0.5, 1.5, Ramp::Balance);
        Ok(match look {
            ViewportLook::Material => SkinLook::Material,
            ViewportLook::Clay => SkinLook::Clay,
            ViewportLook::Heat => joint.map_or(SkinLook::Clay, SkinLook::Heat),
            ViewportLook::Influences => SkinLook::Influences,
            ViewportLook::JointColors => SkinLook::JointColors,
            ViewportLook::Normals => SkinLook::Normals,
            ViewportLook::Hidden => SkinLook::Hidden,
            ViewportLook::Counts => field(influence_counts(character), 1.0, 8.0, Ramp::Heat),
            ViewportLook::Volume => ratios(self.gauge(character)?.radius_field(frame)),
            ViewportLook::Stretch => ratios(self.gauge(character)?.stretch_field(frame)),
            ViewportLook::CandyWrap => {
                let kept = self.gauge(character)?.collapse_field(frame);
                let lost = kept.into_iter().map(|mesh| mesh.into_iter().map(|kept| 1.0 - kept).collect());
                field(lost.collect(), 0.0, 1.0, Ramp::Ember)
            }
            ViewportLook::Difference => {
                let values = distances(frame, other.unwrap_or(frame));
                let max = values.iter().flatten().copied().fold(0.0, f32::max);
                field(values, 0.0, max.max(1e-5), Ramp::Ember)
            }
        })
    }

    fn gauge(&mut self, character: &Arc<Character>) -> Result<&Gauge, DeformError> {
        let cached = self.gauge.take().filter(|(of, _)| Arc::ptr_eq(of, character));
        let cached = match cached {
            Some(cached) => cached,
            None => (Arc::clone(character), Gauge::new(character)?),
        };
        Ok(&self.gauge.insert(cached).1)
    }
}

fn field(values: Vec<Vec<f32>>, low: f32, high: f32, ramp: Ramp) -> SkinLook {
    SkinLook::Field(Field { values: values.into_iter().map(Into::into).collect(), low, high, ramp })
}

/// The legend of `skin`; `None` for colors without a scale.
pub(super) fn legend(look: ViewportLook, skin: &SkinLook, joint: Option<&str>) -> Option<Legend> {
    let scale = |label: &str, factor: f32| match skin {
        SkinLook::Field(Field { low, high, ramp, .. }) => {
            Some(Legend::Scale { ramp: *ramp, low: low * factor, high: high * factor, label: label.into() })
        }
        _ => None,
    };
    match look {
        ViewportLook::Heat => joint.map(|name| Legend::Scale {
            ramp: Ramp::Heat,
            low: 0.0,
            high: 1.0,
            label: format!("weight of {name}"),
        }),
        ViewportLook::Counts => scale("influences per vertex", 1.0),
        ViewportLook::Volume => scale("thickness relative to rest", 1.0),
        ViewportLook::Stretch => scale("edge length relative to rest", 1.0),
        ViewportLook::CandyWrap => scale("thickness lost to twist", 1.0),
        ViewportLook::Difference => scale("difference in mm", 1e3),
        ViewportLook::Material
        | ViewportLook::Clay
        | ViewportLook::Influences
        | ViewportLook::JointColors
        | ViewportLook::Normals
        | ViewportLook::Hidden => None,
    }
}
