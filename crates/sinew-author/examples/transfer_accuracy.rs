//! Weights transferred to clothes whose own weights are known: `transfer_accuracy BODY PARTS` takes the weights of BODY to each
//! loose part of PARTS, bound as BODY is and bound in another pose, and prints the L1 distance per vertex.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "an example that meets the unexpected stops, and tests use more of what it shares"
)]

#[path = "../tests/it/weights/clothes.rs"]
mod clothes;

use clothes::{loose_parts, mean_l1, part_of, unweighted};
use sinew::{Character, Mesh, Weights};
use sinew_author::weights::{
    Edit,
    ops::{SkinAndSkeleton, SlotMap, TransferOptions, transfer},
};

/// Smaller parts are buttons.
const MIN_POINTS: usize = 100;

fn main() {
    let mut files = std::env::args().skip(1);
    let mut read = || -> Character { sinew_formats::read_file(files.next().unwrap()).unwrap().character };
    let (body, parts) = (read(), read());
    let (mesh, from) =
        (&body.meshes()[0], SkinAndSkeleton { skeleton: body.skeleton(), skin: &body.skins()[0] });
    let to = SkinAndSkeleton { skeleton: parts.skeleton(), skin: &parts.skins()[0] };
    let slots = SlotMap::by_name(from, to);
    let weights = mesh.weights().unwrap();
    println!(
        "| part | from height | to height | nearest surface | transfer | matched | inpainted | nearest |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let all = &parts.meshes()[0];
    for (index, points) in loose_parts(all).iter().enumerate().filter(|(_, p)| p.len() >= MIN_POINTS) {
        let part = part_of(all, points);
        let truth = part.weights().unwrap();
        let bare = unweighted(&part, slots.slot_count());
        let run = |options: &TransferOptions| {
            transfer(&Edit::new(&bare).unwrap(), mesh, weights, &slots, options).unwrap()
        };
        let everything =
            TransferOptions { distance: Some(f32::MAX), angle_radians: 4.0, ..TransferOptions::default() };
        let (near, made) = (run(&everything), run(&TransferOptions::default()));
        let l1 = |made: &Weights| mean_l1(truth, made);
        let (low, high) = heights(&part);
        println!(
            "| {index}: {} points | {low:.2} | {high:.2} | {:.3} | {:.3} | {} | {} | {} |",
            points.len(),
            l1(&near.outcome.weights),
            l1(&made.outcome.weights),
            made.matched,
            made.filled,
            made.by_nearest
        );
    }
}

fn heights(mesh: &Mesh) -> (f32, f32) {
    let heights = mesh.positions().iter().map(|p| p.y);
    (heights.clone().fold(f32::MAX, f32::min), heights.fold(f32::MIN, f32::max))
}
