//! Proof that a frame allocates nothing: a counting allocator under the whole process, in a test binary of its own.
#![allow(
    unsafe_code,
    reason = "a global allocator cannot be written without it; only this test binary has one"
)]

#[path = "it/subjects.rs"]
#[allow(dead_code, reason = "the other test binary uses the rest")]
mod subjects;

use sinew::{Character, Frame, Method, NormalSource, RotationHistory, Transform, Wrap, blend, glam::Vec3};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    /// Allocations of this thread only, since the test harness has its own threads.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

impl Counting {
    fn count() {
        // A thread that is shutting down has no counter any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: the caller upholds the contract of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        Self::count();
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_during(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// Plays every clip of `character` with every method and counts the allocations after construction.
fn allocations_of_frames(character: &Character) -> usize {
    let mut frame = Frame::new(character).with_normals(NormalSource::Surface);
    let mut histories = vec![RotationHistory::default(); character.skins().len()];
    // The first call of a history keeps the rotations.
    frame.follow_rotations(&mut histories);
    allocations_during(|| {
        for clip in character.clips() {
            for method in Method::ALL {
                for step in 0..4_u8 {
                    frame.sample(clip, f32::from(step) * 0.31, Wrap::Loop);
                    if step > 1 {
                        frame.follow_rotations(&mut histories);
                    }
                    frame.deform(method).expect("the frame is of this character");
                    assert!(!frame.bounds().is_empty());
                }
            }
        }
        frame.reset();
    })
}

#[test]
fn the_counter_counts() {
    let count = allocations_during(|| drop(std::hint::black_box(vec![1_u8; 64])));
    assert_eq!(count, 1);
}

#[test]
fn frames_of_the_builtins_allocate_nothing() {
    for name in sinew_samples::NAMES {
        let character =
            subjects::prepared(&sinew_samples::find(name).expect("every listed name is built in"));
        assert!(!character.clips().is_empty());
        assert_eq!(allocations_of_frames(&character), 0, "{name}");
    }
}

/// A character of a spine, a head and a chain of hair with a collider, and a clip-like motion made by code.
fn with_hair() -> Character {
    use sinew::constrain::{
        ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts,
    };
    let mut parts = sinew_samples::figure().into_parts();
    let find = |name: &str| parts.skeleton.find(name).expect("the figure has this joint");
    let arm = ["upper_arm.L", "forearm.L", "hand.L"]
        .map(|name| SpringJoint { radius: 0.02, ..SpringJoint::new(find(name)) });
    let shape = ColliderShape::Sphere { center: Vec3::ZERO, radius: 0.3, is_inside: false };
    let chain =
        SpringChain { collider_groups: vec![0], center: Some(find("hips")), ..SpringChain::new("arm", arm) };
    parts.springs = SpringParts {
        chains: vec![chain],
        colliders: vec![SpringCollider { joint: find("hips"), shape }],
        collider_groups: vec![SpringColliderGroup { name: String::new(), colliders: vec![0] }],
    };
    Character::new(parts).expect("the springs fit the figure")
}

#[test]
fn stepping_springs_allocates_nothing() {
    let character = with_hair();
    let walk = character.find_clip("walk").expect("the figure walks").clone();
    let mut frame = Frame::new(&character);
    let mut springs = character.springs().new_state();
    let count = allocations_during(|| {
        for step in 0..200_u16 {
            frame.sample(&walk, f32::from(step) / 50.0, Wrap::Loop);
            frame.step_springs(&mut springs, if step == 70 { 2.0 } else { 1.0 / 50.0 });
            if step == 120 {
                springs.teleport(character.springs(), &Transform::from_translation(Vec3::X));
                springs.reset();
            }
            frame.deform(Method::Linear).expect("the frame is of this character");
        }
    });
    assert_eq!(count, 0);
}

/// The example graph of the project: every kind of transition, a sync group, a layer and an inner graph.
const GRAPH: &str = include_str!("../../../examples/figure.graph.ron");

#[test]
fn a_graph_allocates_nothing_in_any_state_or_transition() {
    let figure = sinew_samples::figure();
    let def = sinew_formats::graph::parse(GRAPH).expect("the example reads");
    let graph = blend::Graph::of_character(&def, &figure).expect("the example is made for the figure");
    let find = |name| graph.find_parameter(name).expect("the example has this parameter");
    let (speed, wave, stretch) = (find("speed"), find("wave"), find("stretch"));
    let (mut state, mut workspace) = (graph.new_state(), blend::GraphScratch::new(&graph));
    let mut events = 0;
    let count = allocations_during(|| {
        for step in 0..3000_u16 {
            let secs = f32::from(step) / 60.0;
            state.set(speed, (4.0 * (secs * 0.9).sin()).max(0.0));
            state.set(wave, (secs * 0.7).sin().max(0.0));
            if step % 431 == 200 {
                state.fire(stretch);
            }
            let now = graph.evaluate(&mut state, &mut workspace, 1.0 / 60.0);
            events += now.events().count() + now.metas().count();
        }
    });
    assert!(events > 10, "only {events} events: the graph did not run");
    assert_eq!(count, 0);
}

/// An instance that plays clips and a graph, with transitions, a montage, edits, limited rates and palettes.
#[test]
fn instances_allocate_nothing_in_any_update() {
    use sinew::instance::{Archetype, InstanceScratch, Montage, PlayOptions, PlayTransition, UpdateRate};
    let figure = sinew_samples::figure();
    let mut archetype =
        Archetype::compact(figure, &Default::default()).expect("the options are the defaults");
    let def = sinew_formats::graph::parse(GRAPH).expect("the example reads");
    let graph = archetype.add_graph(&def).expect("the example is made for the figure");
    let [walk, run, wave] =
        ["walk", "run", "wave"].map(|name| archetype.find_motion(name).expect("built in"));
    let mut scratch = InstanceScratch::new(&archetype);
    let floats = archetype.character().skins()[0].joints().len() * 12;
    let mut out = vec![0.0_f32; floats];
    let rates = [UpdateRate::default(), UpdateRate::held(15.0), UpdateRate::interpolated(15.0)];
    for rate in rates {
        let mut one = archetype.new_instance();
        one.set_update_rate(rate, 0.3);
        for phase in 0..6 {
            match phase {
                0 => one.play_with(&archetype, walk, PlayOptions::LOOP).expect("a clip of the figure"),
                1 => one.play_with(&archetype, run, PlayOptions::LOOP.crossfade(0.3)).expect("as above"),
                2 => one.play_with(&archetype, walk, PlayOptions::LOOP.crossfade(0.3)).expect("as above"),
                3 => one.play_with(&archetype, run, PlayOptions::LOOP.inertial(0.3)).expect("as above"),
                4 => one.play_montage(&archetype, 0, &Montage::new(wave)).expect("as above"),
                _ => one
                    .play_graph_with(&archetype, graph, PlayTransition::inertial(0.3))
                    .expect("a duration that is not negative"),
            }
            let mut footfalls = 0;
            let count = allocations_during(|| {
                for _ in 0..15 {
                    let mut sampled = one.sample(&archetype, 1.0 / 60.0, &mut scratch, |_| footfalls += 1);
                    if sampled.is_evaluated() {
                        sampled.pose_mut().joints[3].translation.y += 0.01;
                    }
                    if sampled.finish().pose_changed {
                        let posed = one.posed(&archetype, &mut scratch);
                        posed.write_palette_as(0, sinew::PaletteLayout::Rows3x4, &mut out);
                    }
                    let _ = one.meta(&archetype, "root.translation");
                }
            });
            assert_eq!(count, 0, "{rate:?}, phase {phase}");
        }
    }
}

#[test]
fn retargeting_a_pose_allocates_nothing() {
    use sinew::retarget::{HumanoidRetarget, RetargetScratch};
    let (figure, map) = (sinew_samples::figure(), sinew_samples::figure_humanoid());
    let skeleton = figure.skeleton();
    let retarget = HumanoidRetarget::new(skeleton, &map, skeleton, &map).expect("the figure is a humanoid");
    let mut scratch = RetargetScratch::new(&retarget);
    let (mut source, mut pose) = (figure.rest_pose(), figure.rest_pose());
    let walk = figure.find_clip("walk").expect("built in");
    let mut cursor = sinew::ClipCursor::default();
    sinew::sample_clip_from(walk, 0.0, Wrap::Loop, &mut cursor, &mut source);
    let count = allocations_during(|| {
        for tick in 0..30_u8 {
            let time_secs = f32::from(tick) / 60.0;
            sinew::sample_clip_from(walk, time_secs, Wrap::Loop, &mut cursor, &mut source);
            retarget.apply(&source, &mut scratch, &mut pose);
        }
    });
    assert_eq!(count, 0);
    assert_ne!(pose, figure.rest_pose());
}
