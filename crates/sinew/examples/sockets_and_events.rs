//! Attaches a sword to a hand and plays sounds at footfalls: `cargo run -p sinew --example sockets_and_events`.

use sinew::constrain::Attachment;
use sinew::glam::{Affine3A, Quat, Vec3};
use sinew::{Frame, Playback, Wrap};

const DT_SECS: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = sinew_samples::figure();
    let run = figure.find_clip("run").ok_or("no clip called run")?.clone();
    let hand = figure.skeleton().find("hand.R").ok_or("no right hand")?;

    // A socket: a joint and an offset from it. It is checked against the skeleton once.
    let hand_from_sword = Affine3A::from_rotation_translation(Quat::from_rotation_x(1.2), Vec3::Y * 0.08);
    let sword = Attachment::new(figure.skeleton(), hand, hand_from_sword)?;

    let mut playback = Playback::of(&run).with_wrap(Wrap::Loop);
    let mut frame = Frame::new(figure);
    let mut sounds = Vec::new();
    for tick in 0..120 {
        // The step from one time to the next: every event in it fires once, also across the loop's seam.
        let step = playback.advance(DT_SECS);
        for fired in step.events(run.events()) {
            sounds.push(format!("{:.2} s: {}", tick as f32 * DT_SECS, fired.event.name));
        }
        frame.sample(&*run, playback.clip_time_secs(), Wrap::Clamp);
        frame.update();
        let model_from_sword = sword.model_from_attachment(frame.model());
        if tick % 40 == 0 {
            let tip = model_from_sword.transform_point3(Vec3::Y * 0.9);
            println!("the tip of the sword is at {tip:.2}");
        }
    }
    sounds.iter().for_each(|sound| println!("{sound}"));
    assert!(!sounds.is_empty());
    Ok(())
}
