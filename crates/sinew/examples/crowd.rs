//! Updates a crowd and writes all palettes into one buffer: `cargo run -p sinew --release --example crowd`.

use sinew::glam::Vec3;
use sinew::instance::{Archetype, InstanceScratch, UpdateRate, update_all};
use sinew::{PaletteLayout, Wrap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Shared by all: skeleton, skins, clips in compact form.
    let archetype = Archetype::compact(sinew_samples::figure(), &Default::default())?;
    let walk = archetype.find_motion("walk").ok_or("no clip called walk")?;

    let mut crowd = Vec::new();
    for n in 0..500_u16 {
        let mut one = archetype.new_instance();
        one.play(&archetype, walk, Wrap::Loop)?;
        one.seek(f64::from(n) * 0.137); // out of step with each other
        // Instances far away are evaluated 15 times per second, a quarter of them in each frame.
        if n >= 100 {
            one.set_update_rate(UpdateRate::held(15.0), UpdateRate::phase_of(n.into()));
        }
        crowd.push(one);
    }

    // One buffer for the GPU: the matrices of all instances, one after the other, as rows of four numbers.
    let layout = PaletteLayout::Rows3x4;
    let each = archetype.character().skins()[0].joints().len() * layout.floats_per_joint();
    let mut palettes = vec![0.0_f32; each * crowd.len()];

    let mut scratch = InstanceScratch::new(&archetype); // one per thread
    let (mut footfalls, mut written) = (0, 0);
    for _ in 0..60 {
        update_all(&archetype, &mut crowd, 1.0 / 60.0, &mut scratch, |_, _| footfalls += 1);
        for (one, out) in crowd.iter().zip(palettes.chunks_mut(each)) {
            // A pose that is held needs no new matrices and no upload.
            if one.latest_update().pose_changed {
                one.posed(&archetype, &mut scratch).write_palette_as(0, layout, out);
                written += 1;
            }
        }
    }
    let farthest = crowd.iter().map(|one| one.world_from_model().translation).fold(Vec3::ZERO, Vec3::max);
    println!("{} instances, {footfalls} footfalls in one second", crowd.len());
    println!("{written} of {} palettes were written", crowd.len() * 60);
    println!("root motion moved them by up to {:.2} m", farthest.length());
    Ok(())
}
