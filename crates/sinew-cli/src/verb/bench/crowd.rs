//! Crowds of instances: the cost of an update and of palettes, at full and at limited rates.

use super::cases::BenchCase;
use sinew::Wrap;
use sinew::blend::Mask;
use sinew::glam::Affine3A;
use sinew::instance::{Archetype, DetailId, GraphId, Instance, InstanceScratch, UpdateRate, update_all};
use std::hint::black_box;

/// The sizes of the crowds.
const SIZES: [(&str, usize); 3] = [("1k", 1000), ("5k", 5000), ("20k", 20_000)];

/// How often the instances are evaluated.
const RATES: [(&str, UpdateRate); 5] = [
    ("full", UpdateRate { rate_hz: None, between: sinew::instance::BetweenUpdates::Hold }),
    ("15hz", UpdateRate::held(15.0)),
    ("10hz", UpdateRate::held(10.0)),
    ("15hz-interpolated", UpdateRate::interpolated(15.0)),
    ("10hz-interpolated", UpdateRate::interpolated(10.0)),
];

/// What the instances play.
#[derive(Clone, Copy)]
enum Played {
    Clip,
    Graph(GraphId),
}

/// Crowds that play a clip and a graph, each as an update alone and with the palettes of changed poses. One item is one
/// instance, and the plain loop that they are compared with is the same crowd at full rate.
pub(super) fn all(archetype: &Archetype) -> Vec<BenchCase<'_>> {
    let graph = archetype.graphs().len().checked_sub(1).and_then(|last| archetype.graph_id(last));
    let mut kinds = vec![("clip", Played::Clip)];
    kinds.extend(graph.map(|graph| ("graph", Played::Graph(graph))));
    let mut cases = Vec::new();
    for (size, count) in SIZES {
        for &(kind, played) in &kinds {
            for (rate, update_rate) in RATES {
                let name = |step: &str, rate: &str| format!("crowd/{step}/{kind}/{size}/{rate}");
                for step in ["update", "palettes"] {
                    let writes_palettes = step == "palettes";
                    let wanted =
                        Wanted { count, played, update_rate, writes_palettes, uses_shared_poses: false };
                    let plain = Some(name(step, "full"));
                    cases.push(BenchCase { plain, ..case(archetype, wanted, None, name(step, rate)) });
                }
            }
        }
    }
    cases
}

/// Crowds that play a compressed clip, compared with the same crowd at full rate.
pub(super) fn compressed(archetype: &Archetype) -> impl Iterator<Item = BenchCase<'_>> {
    let name = |rate: &str| format!("crowd/update/compressed-clip/5k/{rate}");
    RATES.into_iter().map(move |(rate, update_rate)| {
        let (count, played) = (5000, Played::Clip);
        let wanted = Wanted { count, played, update_rate, writes_palettes: false, uses_shared_poses: false };
        BenchCase { plain: Some(name("full")), ..case(archetype, wanted, None, name(rate)) }
    })
}

/// A clip at full rate with and without the joints of the hands, the toes and the head.
pub(super) fn detail<'a>(kind: &str, archetype: &'a Archetype, reduced: DetailId) -> Vec<BenchCase<'a>> {
    let mut cases = Vec::new();
    for step in ["update", "palettes"] {
        let full = format!("crowd/{step}/{kind}/5k/all-joints");
        let few = format!("crowd/{step}/{kind}/5k/few-joints");
        for (name, detail) in [(full.clone(), None), (few, Some(reduced))] {
            let (played, update_rate) = (Played::Clip, UpdateRate::default());
            let writes_palettes = step == "palettes";
            let wanted =
                Wanted { count: 5000, played, update_rate, writes_palettes, uses_shared_poses: false };
            cases.push(BenchCase { plain: Some(full.clone()), ..case(archetype, wanted, detail, name) });
        }
    }
    cases
}

/// Crowds whose instances share 30 poses per second of the clip, compared with the same crowd of instances that do not.
pub(super) fn shared(archetype: &Archetype) -> Vec<BenchCase<'_>> {
    let mut cases = Vec::new();
    for (size, count) in SIZES {
        for step in ["update", "palettes"] {
            let own = format!("crowd/{step}/own-poses/{size}/full");
            let shared = format!("crowd/{step}/shared-poses/{size}/full");
            for (name, uses_shared_poses) in [(own.clone(), false), (shared, true)] {
                let (played, update_rate) = (Played::Clip, UpdateRate::default());
                let writes_palettes = step == "palettes";
                let wanted = Wanted { count, played, update_rate, writes_palettes, uses_shared_poses };
                cases.push(BenchCase { plain: Some(own.clone()), ..case(archetype, wanted, None, name) });
            }
        }
    }
    cases
}

/// The joints that are seen from afar: all but hands with their fingers, toes, and what is on the head.
pub(super) fn seen_from_afar(archetype: &Archetype) -> Mask {
    let skeleton = archetype.character().skeleton();
    let ends = ["hand.L", "hand.R", "toe.L", "toe.R", "head"];
    let small = ends.iter().filter_map(|name| skeleton.find(name));
    let small = small.fold(Mask::none(skeleton.len()), |all, top| all.or(&Mask::below(skeleton, top)));
    small.inverted().with_morph_weight(0.0)
}

/// A crowd to make and what to do with it.
#[derive(Clone, Copy)]
struct Wanted {
    count: usize,
    played: Played,
    update_rate: UpdateRate,
    writes_palettes: bool,
    uses_shared_poses: bool,
}

fn crowd(archetype: &Archetype, wanted: Wanted, detail: Option<DetailId>) -> Vec<Instance> {
    let one = |nth: usize| {
        let mut one = archetype.new_instance();
        one.seek(nth as f64 * 0.137);
        match (wanted.played, archetype.find_motion("walk")) {
            // The figure has a walk that plays alone; a crowd at rest would show as an absurd time.
            (Played::Clip, Some(walk)) => drop(one.play(archetype, walk, Wrap::Loop)),
            (Played::Graph(graph), _) => one.play_graph(archetype, graph),
            (Played::Clip, None) => {}
        }
        one.set_update_rate(wanted.update_rate, UpdateRate::phase_of(nth));
        one.set_detail(archetype, detail);
        one.set_uses_shared_poses(wanted.uses_shared_poses);
        one
    };
    (0..wanted.count).map(one).collect()
}

/// The crowd is made when the case first runs, so that cases that are not wanted cost no memory.
fn case(archetype: &Archetype, wanted: Wanted, detail: Option<DetailId>, name: String) -> BenchCase<'_> {
    let mut scratch = InstanceScratch::new(archetype);
    let joints = archetype.character().skins().first().map_or(0, |skin| skin.joints().len());
    let each = if wanted.writes_palettes { joints } else { 0 };
    let (mut instances, mut matrices) = (Vec::new(), Vec::new());
    let run = move || {
        if instances.is_empty() {
            instances = crowd(archetype, wanted, detail);
            matrices = vec![Affine3A::IDENTITY; each * wanted.count];
        }
        update_all(archetype, &mut instances, 1.0 / 60.0, &mut scratch, |_, _| {});
        for (one, out) in instances.iter().zip(matrices.chunks_mut(each.max(1))) {
            if one.latest_update().pose_changed {
                one.write_palette(archetype, 0, &mut scratch, out);
            }
        }
        black_box((&mut instances, &mut matrices));
    };
    BenchCase { name, items: wanted.count, bytes: None, copy: None, plain: None, run: Box::new(run) }
}
