//! Many instances in one call.

use super::{Archetype, Instance, InstanceEvent, InstanceScratch};

/// Lets time pass for all `instances` of one kind; events come with the place of whom they happened to.
///
/// To use several threads, cut the slice and give each its own [`InstanceScratch`]: the result is the same to the bit.
///
/// # Panics
/// Where an instance is of another kind.
pub fn update_all(
    kind: &Archetype,
    instances: &mut [Instance],
    dt_secs: f32,
    scratch: &mut InstanceScratch,
    mut on_event: impl FnMut(usize, InstanceEvent<'_>),
) {
    for (place, instance) in instances.iter_mut().enumerate() {
        instance.update(kind, dt_secs, scratch, |event| on_event(place, event));
    }
}

/// [`update_all`] on the threads of rayon's current pool, in as many pieces as there are `scratches`.
///
/// The events of one instance come in their order; those of different instances in any.
///
/// # Panics
/// As [`update_all`], and where there is no scratch.
#[cfg(feature = "rayon")]
pub fn update_all_parallel(
    kind: &Archetype,
    instances: &mut [Instance],
    dt_secs: f32,
    scratches: &mut [InstanceScratch],
    on_event: impl Fn(usize, InstanceEvent<'_>) + Sync,
) {
    assert!(!scratches.is_empty(), "there is no scratch to work with");
    let each = instances.len().div_ceil(scratches.len()).max(1);
    let on_event = &on_event;
    rayon::scope(|scope| {
        let pieces = instances.chunks_mut(each).zip(scratches).enumerate();
        for (nth, (piece, scratch)) in pieces {
            scope.spawn(move |_| {
                update_all(kind, piece, dt_secs, scratch, |place, event| on_event(nth * each + place, event));
            });
        }
    });
}
