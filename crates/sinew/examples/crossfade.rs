//! Crossfades from a walk to a run, waves meanwhile and looks aside: `cargo run -p sinew --example crossfade`.

use sinew::blend::Mask;
use sinew::constrain::Attachment;
use sinew::glam::{Affine3A, Quat, Vec3};
use sinew::instance::{Archetype, InstanceScratch, Montage, PlayOptions};

const DT_SECS: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let archetype = Archetype::compact(sinew_samples::figure(), &Default::default())?;
    let motion = |name: &str| archetype.find_motion(name).ok_or(format!("no clip called {name}"));
    let (walk, run, wave) = (motion("walk")?, motion("run")?, motion("wave")?);
    let skeleton = archetype.character().skeleton();
    let joint = |name: &str| skeleton.find(name).ok_or(format!("no joint called {name}"));
    let (arm, hand, head) = (joint("upper_arm.L")?, joint("hand.L")?, joint("head")?);
    let lamp = Attachment::new(skeleton, hand, Affine3A::from_translation(Vec3::Y * 0.1))?;

    let (mut one, mut scratch) = (archetype.new_instance(), InstanceScratch::new(&archetype));
    one.play_with(&archetype, walk, PlayOptions::LOOP)?;
    // The wave moves the left arm only, once, and fades in and out.
    let mask = Mask::below(skeleton, arm);
    one.play_montage(&archetype, 0, &Montage::new(wave).masked(mask).with_fades(0.3, 0.3))?;
    for tick in 0..120 {
        if tick == 40 {
            // Replace this by inertial(0.5) to evaluate only the run while the difference decays.
            one.play_with(&archetype, run, PlayOptions::LOOP.crossfade(0.5))?;
        }
        let mut sampled = one.sample(&archetype, DT_SECS, &mut scratch, |fired| {
            println!("{:.2} s: {} ({:.0} %)", tick as f32 * DT_SECS, fired.event.name, fired.weight * 100.0);
        });
        if sampled.is_evaluated() {
            sampled.pose_mut().joints[head.index()].rotation *= Quat::from_rotation_y(0.4);
        }
        let update = sampled.finish();
        // Skip this, and the upload, if the pose is the same.
        if update.pose_changed && tick % 30 == 0 {
            let posed = one.posed(&archetype, &mut scratch);
            let height = posed.world_from_attachment(&lamp).translation.y;
            println!("{:.2} s: the lamp is at {height:.2} m", tick as f32 * DT_SECS);
        }
    }
    assert!(!one.is_in_transition());
    Ok(())
}
