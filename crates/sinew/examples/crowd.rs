//! Updates a crowd and writes all palettes into one buffer: `cargo run -p sinew --release --example crowd`.

use sinew::Wrap;
use sinew::glam::{Affine3A, Vec3};
use sinew::instance::{Archetype, BetweenUpdates, InstanceScratch, UpdateRate, update_all};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Shared by all: skeleton, skins, clips in compact form.
    let archetype = Archetype::compact(sinew_samples::figure(), &Default::default())?;
    let walk = archetype.find_motion("walk").ok_or("no clip called walk")?;

    let mut crowd = Vec::new();
    for n in 0..500_u16 {
        let mut one = archetype.new_instance();
        one.play(&archetype, walk, Wrap::Loop)?;
        one.seek(f64::from(n) * 0.137); // out of step with each other
        // Instances far away are evaluated 15 times per second and interpolated.
        if n >= 100 {
            let rate = UpdateRate { rate_hz: Some(15.0), between: BetweenUpdates::Interpolate };
            one.set_update_rate(rate, f32::from(n) / 500.0);
        }
        crowd.push(one);
    }

    let mut scratch = InstanceScratch::new(&archetype); // one per thread
    let mut footfalls = 0;
    for _ in 0..60 {
        update_all(&archetype, &mut crowd, 1.0 / 60.0, &mut scratch, |_, _| footfalls += 1);
    }

    // One buffer for the GPU: the matrices of all instances, one after the other.
    let joints = archetype.character().skins()[0].joints().len();
    let mut matrices = vec![Affine3A::IDENTITY; joints * crowd.len()];
    for (one, out) in crowd.iter().zip(matrices.chunks_mut(joints)) {
        one.write_palette(&archetype, 0, &mut scratch, out);
    }
    let farthest = crowd.iter().map(|one| one.world_from_model().translation).fold(Vec3::ZERO, Vec3::max);
    println!("{} instances, {} matrices, {footfalls} footfalls in one second", crowd.len(), matrices.len());
    println!("root motion moved them by up to {:.2} m", farthest.length());
    Ok(())
}
