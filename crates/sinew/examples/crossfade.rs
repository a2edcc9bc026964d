//! Crossfades from a walk to a run and adds a wave on top: `cargo run -p sinew --example crossfade`.

use sinew::blend::{Crossfade, Easing, Mask, add, difference};
use sinew::{Frame, Method, Wrap, sample_clip};

const DT_SECS: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = sinew_samples::figure();
    let clip = |name: &str| figure.find_clip(name).cloned().ok_or(format!("no clip called {name}"));
    let (walk, run, wave) = (clip("walk")?, clip("run")?, clip("wave")?);
    let rest = figure.rest_pose();

    // The wave moves only the left arm, as a difference from the rest pose.
    let arm = figure.skeleton().find("upper_arm.L").ok_or("no left arm")?;
    let hand = figure.skeleton().find("hand.L").ok_or("no left hand")?;
    let mask = Mask::below(figure.skeleton(), arm);

    let (mut from, mut to, mut waving, mut delta) = (rest.clone(), rest.clone(), rest.clone(), rest.clone());
    let mut fade = Crossfade::new(0.5, Easing::Smooth);
    let mut frame = Frame::new(figure);
    for tick in 0..60 {
        let time_secs = tick as f32 * DT_SECS;
        for (clip, pose) in [(&walk, &mut from), (&run, &mut to), (&wave, &mut waving)] {
            pose.copy_from(&rest);
            sample_clip(clip, time_secs, Wrap::Loop, pose);
        }
        fade.advance(DT_SECS);
        fade.blend(&from, &to, &rest, frame.local_mut());
        difference(&waving, &rest, &mut delta);
        add(frame.local_mut(), &delta, 1.0, Some(&mask));
        frame.deform(Method::Linear)?;
        if tick % 15 == 0 {
            let height = frame.model().joint(hand).translation.y;
            println!("{time_secs:.2} s: {:3.0} % run, left hand at {height:.2} m", fade.weight() * 100.0);
        }
    }
    assert!(fade.is_over());
    Ok(())
}
