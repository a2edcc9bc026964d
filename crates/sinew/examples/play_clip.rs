//! Plays a clip and gets deformed vertices: `cargo run -p sinew --example play_clip`.

use sinew::{Frame, Method, Wrap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // With a file: let figure = sinew_formats::read_file("character.glb")?.character;
    let figure = sinew_samples::figure();
    let walk = figure.find_clip("walk").ok_or("no clip called walk")?.clone();

    // All buffers are allocated here; nothing in the loop allocates.
    let mut frame = Frame::new(figure);
    for tick in 0..=4 {
        let time_secs = tick as f32 * 0.25;
        frame.sample(&*walk, time_secs, Wrap::Loop); // clip, time → local pose
        frame.deform(Method::Linear)?; // local pose → model pose → palettes → vertices

        let bounds = frame.bounds();
        let vertices = &frame.deformed()[0].positions; // model space, meters
        println!("{time_secs:.2} s: {} vertices, {:.2} m tall", vertices.len(), bounds.size().y);
    }
    Ok(())
}
