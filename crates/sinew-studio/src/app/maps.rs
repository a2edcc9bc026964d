//! Maps of the deformed surface, with the colours' meaning.

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

/// What maps are measured against; made when the first of them is looked at.
#[derive(Default)]
pub(super) struct Maps {
    gauge: Option<(Arc<Character>, Gauge)>,
}

impl Maps {
    /// The look of the skin at `frame`; `other` is the frame that a difference is measured from.
    pub(super) fn skin(
        &mut self,
        look: ViewportLook,
        joint: Option<JointId>,
        character: &Arc<Character>,
        (frame, other): (&Frame, Option<&Frame>),
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
                let lost = kept.into_iter().map(|all| all.into_iter().map(|kept| 1.0 - kept).collect());
                field(lost.collect(), 0.0, 1.0, Ramp::Ember)
            }
            ViewportLook::Difference => {
                let values = distances(frame, other.unwrap_or(frame));
                let most = values.iter().flatten().copied().fold(0.0, f32::max);
                field(values, 0.0, most.max(1e-5), Ramp::Ember)
            }
        })
    }

    fn gauge(&mut self, character: &Arc<Character>) -> Result<&Gauge, DeformError> {
        let kept = self.gauge.take().filter(|(of, _)| Arc::ptr_eq(of, character));
        let kept = match kept {
            Some(kept) => kept,
            None => (Arc::clone(character), Gauge::new(character)?),
        };
        Ok(&self.gauge.insert(kept).1)
    }
}

fn field(values: Vec<Vec<f32>>, low: f32, high: f32, ramp: Ramp) -> SkinLook {
    SkinLook::Field(Field { values: values.into_iter().map(Into::into).collect(), low, high, ramp })
}

/// What the colours of `skin` mean; `None` where they are the file's own.
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
        ViewportLook::Counts => scale("joints a vertex", 1.0),
        ViewportLook::Volume => scale("thickness, of rest", 1.0),
        ViewportLook::Stretch => scale("length of edges, of rest", 1.0),
        ViewportLook::CandyWrap => scale("thickness lost by twist", 1.0),
        ViewportLook::Difference => scale("millimetres apart", 1e3),
        _ => None,
    }
}
