//! Many instances in one call.

use super::{Archetype, Instance, InstanceEvent, InstanceScratch};

/// Advances all `instances` of one archetype; events come with the index of their instance. Returns how many poses changed;
/// [`Instance::latest_update`] says which.
///
/// To use several threads, split the slice and give each thread its own [`InstanceScratch`]: the result has the
/// same bits.
///
/// # Panics
/// If an instance was made by another archetype.
pub fn update_all(
    archetype: &Archetype,
    instances: &mut [Instance],
    dt_secs: f32,
    scratch: &mut InstanceScratch,
    mut on_event: impl FnMut(usize, InstanceEvent<'_>),
) -> usize {
    let mut changed = 0;
    for (index, instance) in instances.iter_mut().enumerate() {
        let update = instance.update(archetype, dt_secs, scratch, |event| on_event(index, event));
        changed += usize::from(update.pose_changed);
    }
    changed
}

/// [`update_all`] on the threads of rayon's current pool, in as many parts as there are `scratches`.
///
/// The events of one instance come in order; those of different instances come in any order.
///
/// # Panics
/// As [`update_all`], and if there is no scratch.
#[cfg(feature = "rayon")]
pub fn update_all_parallel(
    archetype: &Archetype,
    instances: &mut [Instance],
    dt_secs: f32,
    scratches: &mut [InstanceScratch],
    on_event: impl Fn(usize, InstanceEvent<'_>) + Sync,
) {
    assert!(
        !scratches.is_empty(),
        "updating {} instances needs at least one scratch, got none",
        instances.len()
    );
    let each = instances.len().div_ceil(scratches.len()).max(1);
    let on_event = &on_event;
    rayon::scope(|scope| {
        let parts = instances.chunks_mut(each).zip(scratches).enumerate();
        for (nth, (part, scratch)) in parts {
            scope.spawn(move |_| {
                let on_event = |index, event: InstanceEvent<'_>| on_event(nth * each + index, event);
                update_all(archetype, part, dt_secs, scratch, on_event);
            });
        }
    });
}
