//! Fills the buffers for skinning in your own vertex shader: `cargo run -p sinew --example gpu_skinning`.
//!
//! Sinew computes the palette, your shader blends it. The last part runs the shader's formula on the CPU and compares.

use sinew::glam::{Mat4, Vec3};
use sinew::{Frame, Method, Weights, Wrap};

/// Four influences of a vertex, as a vertex buffer stores them.
#[derive(Clone, Copy)]
struct VertexInfluences {
    joints: [u16; 4],
    weights: [f32; 4],
}

/// The vertex buffer, filled once per mesh.
fn vertex_buffer(weights: &Weights) -> Vec<VertexInfluences> {
    let vertex = |v: usize| {
        let mut out = VertexInfluences { joints: [0; 4], weights: [0.0; 4] };
        for (place, influence) in weights.influences(v).take(4).enumerate() {
            out.joints[place] = influence.slot;
            out.weights[place] = influence.weight;
        }
        out
    };
    (0..weights.vertex_count()).map(vertex).collect()
}

/// What the vertex shader does: blend four matrices, transform the position.
fn vertex_shader(palette: &[Mat4], influences: &VertexInfluences, position: Vec3) -> Vec3 {
    let blended = (0..4)
        .map(|i| palette[usize::from(influences.joints[i])] * influences.weights[i])
        .fold(Mat4::ZERO, |sum, matrix| sum + matrix);
    blended.transform_point3(position)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = sinew_samples::figure();
    let run = figure.find_clip("run").ok_or("no clip called run")?.clone();
    let mesh = figure.meshes()[0].clone();
    let weights = mesh.weights().ok_or("the mesh is not skinned")?;
    assert!(weights.max_influences() <= 4, "limit the influences to four first: sinew weights limit 4");
    let influences = vertex_buffer(weights); // upload once

    let mut frame = Frame::new(figure);
    let mut uniform = Vec::new();
    for tick in 0..10 {
        frame.sample(&*run, tick as f32 / 30.0, Wrap::Loop);
        frame.update();
        // Upload every frame: one matrix per joint of the skin, as columns.
        uniform.clear();
        uniform.extend(frame.palettes()[0].matrices().iter().map(|matrix| Mat4::from(*matrix)));
    }

    frame.deform(Method::Linear)?;
    let cpu = &frame.deformed()[0].positions;
    let rest = mesh.positions();
    let farthest = (0..rest.len())
        .map(|v| vertex_shader(&uniform, &influences[v], rest[v]).distance(cpu[v]))
        .fold(0.0, f32::max);
    println!("{} joints per palette; the shader and Sinew differ by at most {farthest:.1e} m", uniform.len());
    assert!(farthest < 1e-5);
    Ok(())
}
