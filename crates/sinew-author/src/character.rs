//! Precomputes all deformer data of a mesh or a character.

use crate::{
    AuthorError, ContactDataReport, ContactOptions, CorOptions, CorReport, DirectMushOptions,
    DirectMushReport, MushOptions, MushReport, Progress, centers_of_rotation, contact_data, delta_mush,
    direct_mush,
};
use sinew::{Character, Mesh, Method, Precomputed, Skeleton, Skin};
use std::{ops::ControlFlow, sync::Arc};

/// What to precompute and how; `None` leaves what the mesh has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PrepareOptions {
    /// Options for centers of rotation.
    pub centers: Option<CorOptions>,
    /// Options for contact skinning.
    pub contact: Option<ContactOptions>,
    /// Options for delta mush.
    pub mush: Option<MushOptions>,
    /// Options for direct delta mush.
    pub direct_mush: Option<DirectMushOptions>,
}

impl PrepareOptions {
    /// Everything that `methods` need, with default options.
    #[must_use]
    pub fn for_methods(methods: &[Method]) -> Self {
        Self {
            centers: methods.contains(&Method::Cor).then(CorOptions::default),
            contact: methods.contains(&Method::Contact).then(ContactOptions::default),
            mush: methods.contains(&Method::DeltaMush).then(MushOptions::default),
            direct_mush: methods.contains(&Method::Ddm).then(DirectMushOptions::default),
        }
    }

    /// The same without what `precomputed` already has.
    #[must_use]
    pub fn missing_from(self, precomputed: &Precomputed) -> Self {
        Self {
            centers: self.centers.filter(|_| precomputed.centers.is_none()),
            contact: self.contact.filter(|_| precomputed.contact.is_none()),
            mush: self.mush.filter(|_| precomputed.mush.is_none()),
            direct_mush: self.direct_mush.filter(|_| precomputed.direct_mush.is_none()),
        }
    }

    fn count(&self) -> usize {
        usize::from(self.centers.is_some())
            + usize::from(self.contact.is_some())
            + usize::from(self.mush.is_some())
            + usize::from(self.direct_mush.is_some())
    }
}

/// The reports of what was precomputed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PrepareReport {
    /// The report about centers of rotation, if they were computed.
    pub centers: Option<CorReport>,
    /// The report about contact skinning, if its data was computed.
    pub contact: Option<ContactDataReport>,
    /// The report about delta mush, if it was computed.
    pub mush: Option<MushReport>,
    /// The report about direct delta mush, if it was computed.
    pub direct_mush: Option<DirectMushReport>,
}

/// Precomputes what `options` ask for and returns the mesh with it. Other precomputed data of the mesh stays.
///
/// `rig` is the skeleton and the skin that move the mesh; contact data is computed only with one.
///
/// # Errors
/// As [`centers_of_rotation`](crate::centers_of_rotation), [`contact_data`](crate::contact_data), [`delta_mush`](crate::delta_mush()) and
/// [`direct_mush`](crate::direct_mush()).
pub fn prepare_mesh(
    mesh: &Mesh,
    rig: Option<(&Skeleton, &Skin)>,
    options: &PrepareOptions,
    progress: Progress<'_>,
) -> Result<(Mesh, PrepareReport), AuthorError> {
    let (steps, mut done) = (options.count().max(1) as f32, 0.0);
    let mut report = PrepareReport::default();
    let mut precomputed = mesh.precomputed().clone();
    if let Some(options) = &options.centers {
        let (made, about) =
            centers_of_rotation(mesh, options, &mut |fraction| progress((done + fraction) / steps))?;
        (precomputed.centers, report.centers) = (Some(Arc::new(made)), Some(about));
        done += 1.0;
    }
    if let (Some(options), Some((skeleton, skin))) = (&options.contact, rig) {
        let (made, about) =
            contact_data(mesh, skeleton, skin, options, &mut |fraction| progress((done + fraction) / steps))?;
        (precomputed.contact, report.contact) = (Some(Arc::new(made)), Some(about));
        done += 1.0;
    }
    if let Some(options) = &options.mush {
        let (made, about) = delta_mush(mesh, options, &mut |fraction| progress((done + fraction) / steps))?;
        (precomputed.mush, report.mush) = (Some(Arc::new(made)), Some(about));
        done += 1.0;
    }
    if let Some(options) = &options.direct_mush {
        let (made, about) = direct_mush(mesh, options, &mut |fraction| progress((done + fraction) / steps))?;
        (precomputed.direct_mush, report.direct_mush) = (Some(Arc::new(made)), Some(about));
    }
    Ok((mesh.clone().with_precomputed(precomputed)?, report))
}

/// Precomputes what the skinned meshes of `character` do not have yet. There is one report per mesh.
///
/// # Errors
/// As [`prepare_mesh`].
pub fn prepare_character(
    character: &Character,
    options: &PrepareOptions,
    progress: Progress<'_>,
) -> Result<(Character, Vec<PrepareReport>), AuthorError> {
    let mut parts = character.parts().clone();
    let (count, mut reports) =
        (parts.meshes.len() as f32, vec![PrepareReport::default(); parts.meshes.len()]);
    for (index, mesh) in parts.meshes.iter_mut().enumerate() {
        let wanted = options.missing_from(mesh.precomputed());
        if mesh.weights().is_none() || wanted.count() == 0 {
            continue;
        }
        let mut fraction = |done: f32| -> ControlFlow<()> { progress((index as f32 + done) / count) };
        let instance = character.instances().iter().find(|i| i.mesh == index && i.skin.is_some());
        let skin = instance.and_then(|instance| character.skin_of(instance));
        let rig = skin.map(|skin| (&**character.skeleton(), skin));
        let (made, report) = prepare_mesh(mesh, rig, &wanted, &mut fraction)?;
        *mesh = Arc::new(made);
        reports[index] = report;
    }
    Ok((Character::new(parts)?, reports))
}
