//! Lets a ponytail swing behind a walking figure: `cargo run -p sinew --example springs`.

use sinew::constrain::{
    ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts, SpringStep,
};
use sinew::glam::Vec3;
use sinew::{Character, CharacterParts, Frame, Joint, JointId, Method, Skeleton, Transform, Wrap};
use std::{error::Error, sync::Arc};

const DT_SECS: f32 = 1.0 / 60.0;

/// The figure with four more joints behind its head. A VRM file brings its own springs: this part is not needed then.
fn with_ponytail() -> Result<Character, Box<dyn Error>> {
    let parts = sinew_samples::figure().into_parts();
    let old = &parts.skeleton;
    let head = old.find("head").ok_or("no joint called head")?;
    let copied =
        old.joints().map(|j| Joint { name: old.name(j).into(), parent: old.parent(j), rest: old.rest(j) });
    let first = old.len() as u16;
    let hair = (0..4).map(|at| Joint {
        name: format!("ponytail_{at}"),
        parent: Some(if at == 0 { head } else { JointId(first + at - 1) }),
        rest: Transform::from_translation(if at == 0 {
            Vec3::new(0.0, 0.1, -0.1)
        } else {
            Vec3::new(0.0, -0.08, -0.02)
        }),
    });
    let skeleton = Arc::new(Skeleton::new(copied.chain(hair))?);

    // Stiffness returns the hair to its rest pose, gravity pulls it down, the head keeps it outside.
    let joint = |at| SpringJoint {
        stiffness: 0.6,
        gravity_power: 0.3,
        radius: 0.02,
        ..SpringJoint::new(JointId(first + at))
    };
    let chain = SpringChain { collider_groups: vec![0], ..SpringChain::new("ponytail", (0..4).map(joint)) };
    let shape = ColliderShape::Sphere { center: Vec3::Y * 0.08, radius: 0.09, is_inside: false };
    let springs = SpringParts {
        chains: vec![chain],
        colliders: vec![SpringCollider { joint: head, shape }],
        collider_groups: vec![SpringColliderGroup { name: "head".into(), colliders: vec![0] }],
    };
    // Clips name joints by number; the figure's keep theirs, since the new joints come last.
    Ok(Character::new(CharacterParts { skeleton, springs, ..parts })?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let character = Arc::new(with_ponytail()?);
    let walk = character.find_clip("walk").ok_or("no clip called walk")?.clone();
    let root = character.skeleton().find("root").ok_or("no joint called root")?;
    let end = character.skeleton().find("ponytail_3").ok_or("no joint called ponytail_3")?;

    let mut springs = character.springs().new_state(); // one per instance
    let mut frame = Frame::new(Arc::clone(&character));
    for tick in 0..120_u16 {
        let secs = f32::from(tick) * DT_SECS;
        // The clip walks forward and begins again; here it walks on the spot, and the placement moves.
        frame.sample(&walk, secs.min(1.0), Wrap::Loop);
        frame.local_mut().joints[root.index()].translation.z = 0.0;
        // After a second the figure stops: the hair swings on.
        let place = Transform::from_translation(Vec3::Z * 1.4 * secs.min(1.0));
        if tick == 90 {
            springs.reset(); // a cut to another scene
        }
        frame.step_springs(&mut springs, SpringStep { dt_secs: DT_SECS, world_from_model: place });
        frame.deform(Method::Linear)?;
        if tick % 15 == 0 {
            let at = frame.model().joint(end).translation;
            println!("{secs:.2} s: the ponytail ends at {:.3}, {:.3}, {:.3} m", at.x, at.y, at.z);
        }
    }
    Ok(())
}
