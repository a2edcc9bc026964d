//! Key-frames a clip from nothing, by poses as text: `cargo run -p sinew --example key_frame`.

use sinew::{Clip, Frame, Method, TimeRange, Wrap};
use sinew_author::motion::{keyed, retimed, shifted, trimmed, unkeyed, with_added_clip};
use sinew_formats::clip_text::{ClipTextOptions, to_text};
use sinew_formats::pose_text::PoseOffsets;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arm = sinew_samples::arm();

    // Two seconds without a key; then a pose at any time. Angles are degrees about the joint's own axes.
    let mut wave = Clip::empty("wave", 2.0)?;
    for (time_secs, text) in [(0.0, "lower:rz=20"), (0.5, "lower:rz=100,ry=15"), (1.0, "lower:rz=20")] {
        let mut pose = arm.rest_pose();
        PoseOffsets::parse(text, &arm)?.apply(&mut pose);
        wave = keyed(&wave, arm.skeleton(), &pose, time_secs)?;
    }
    println!("{} s, the last key at {} s", wave.duration_secs(), wave.last_key_secs());

    // A key beyond the end makes the clip longer; removing it leaves the length.
    let longer = keyed(&wave, arm.skeleton(), &arm.rest_pose(), 3.0)?;
    let again = unkeyed(&longer, None, 3.0)?;
    println!("{} s, then {} keys less and still {} s", longer.duration_secs(), 3, again.duration_secs());

    // Every edit returns a new clip.
    let once = trimmed(&wave, TimeRange::new(0.0, 1.0)?)?;
    let slow = retimed(&once, 4.0)?;
    let late = shifted(&slow, 0.5)?;
    println!(
        "once {} s, slow {} s, late {} s",
        once.duration_secs(),
        slow.duration_secs(),
        late.duration_secs()
    );

    // What is wrong is said with its place and what exists.
    if let Err(error) = PoseOffsets::parse("elbow:rz=90", &arm) {
        println!("{error}");
    }

    // The keys as text, for people; `sinew_formats::clip_text::parse` reads them.
    print!("{}", to_text(&[once], &arm, &ClipTextOptions::default().with_degrees(true)));

    let waving = with_added_clip(&arm, wave)?;
    let clip = waving.find_clip("wave").ok_or("no clip called wave")?.clone();
    let mut frame = Frame::new(waving);
    frame.sample(&*clip, 0.5, Wrap::Loop);
    frame.deform(Method::Linear)?;
    println!("bent, the arm is {:.2} m tall", frame.bounds().size().y);
    Ok(())
}
