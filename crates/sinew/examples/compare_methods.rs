//! Compares deformation methods in numbers on a twisted tube: `cargo run -p sinew --example compare_methods`.

use sinew::measure::Gauge;
use sinew::{Frame, Method};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tube = sinew_samples::tube();
    let gauge = Gauge::new(&tube)?;
    let mut frame = Frame::new(tube);
    println!("{:<12}{:>10}{:>12}{:>12}", "method", "volume", "min radius", "max radius");
    for method in [Method::Rigid, Method::Linear, Method::Slerp, Method::DualQuat] {
        // Bent by 60° and twisted by 90°.
        frame.local_mut().copy_from(&sinew_samples::tube_pose(1.05, 1.57));
        let path = frame.deform(method)?;
        let shape = gauge.measure(&frame);
        println!(
            "{:<12}{:>10.3}{:>12.3}{:>12.3}  ({path})",
            method.name(),
            shape.volume,
            shape.min_radius,
            shape.max_radius
        );
    }
    Ok(())
}
