//! Contact data that is valid rather than good: a chain of bones that folds at every joint.

use sinew::{ContactBone, ContactData, ContactParts, ContactVertex, PrecomputedError, Weights, glam::Vec3};

pub(crate) fn contact(weights: &Weights) -> Result<ContactData, PrecomputedError> {
    let count = weights.slot_count() as u16;
    let place = |slot: u16| {
        let turn = 0.7 * f32::from(slot);
        Vec3::new(turn.cos(), 2.0 + turn.sin(), 0.2 * (3.0 * turn).sin()) * 0.5
    };
    let bone = |slot: u16| ContactBone {
        head: place(slot),
        tail: place(slot + 1),
        before: slot.checked_sub(1).unwrap_or(ContactBone::NONE),
        after: if slot + 1 < count { slot + 1 } else { ContactBone::NONE },
        gates: [1.0, 0.7],
    };
    let vertex = |vertex: usize| {
        let (slots, slot_weights) = weights.of(vertex);
        let beyond = slot_weights.get(1).copied().unwrap_or(0.0);
        let number = |step: usize| ContactVertex::stored((1 + vertex * step % 7) as f32 / 7.0);
        ContactVertex {
            bone: slots[0],
            mask: number(3),
            radius: number(5),
            beyond: [0, ContactVertex::stored(beyond)],
        }
    };
    let bones = (0..count).map(bone).collect();
    let vertices = (0..weights.vertex_count()).map(vertex).collect();
    ContactData::new(ContactParts { bones, vertices })
}
