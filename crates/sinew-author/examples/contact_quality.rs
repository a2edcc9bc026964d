//! Contact skinning against the other methods: `contact_quality [FILE_OR_FOLDER...] [--half first|second] [--poses]` prints tables;
//! `contact_quality --cost FILE...` prints what methods and normals of the surface cost and how well normals fit;
//! `contact_quality --obj FOLDER FILE...` writes bent limbs by every method, to look at.
//!
//! The tube is bent and twisted. Then every limb joint of every character that is found is bent: elbows, knees and fingers to a
//! total angle between the bones, shoulders and hips about three axes. An edge counts as new if it passes through a triangle in the pose and
//! not at rest.
#![allow(clippy::unwrap_used, reason = "an example that meets the unexpected stops")]

#[path = "contact_quality/cost.rs"]
mod cost;
#[path = "contact_quality/joints.rs"]
mod joints;
#[path = "contact_quality/shapes.rs"]
mod shapes;
#[path = "contact_quality/tube.rs"]
mod tube;

use joints::{LimbJoint, LimbKind, limb_joints};
use sinew::{Character, Frame, JointId, LocalPose, MeshInstance, Method, glam::Vec3};
use sinew_author::{PrepareOptions, SelfIntersections, prepare_character, uninterrupted};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

const METHODS: [Method; 4] = [Method::Linear, Method::DualQuat, Method::Cor, Method::Contact];
/// Total angles between two bones, in degrees.
const BENDS_DEGREES: [f32; 3] = [80.0, 110.0, 140.0];
/// Rotations of shoulders and hips about each of three axes, in degrees.
const SWINGS_DEGREES: [f32; 2] = [-60.0, 60.0];

/// New edges by method: at the joint, and in all of the skin.
type Counts = [[usize; METHODS.len()]; 2];
type Totals = BTreeMap<LimbKind, Counts>;

fn main() {
    let (mut paths, mut half): (Vec<PathBuf>, Option<usize>) = (Vec::new(), None);
    let (mut poses, mut costs, mut folder): (_, _, Option<PathBuf>) = (false, false, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--half" => half = Some(usize::from(arguments.next().as_deref() == Some("second"))),
            "--poses" => poses = true,
            "--cost" => costs = true,
            "--obj" => folder = arguments.next().map(Into::into),
            path => paths.push(path.into()),
        }
    }
    if costs {
        return paths.iter().for_each(|file| cost::print(&name_of(file), &prepared(file)));
    }
    if let Some(folder) = folder {
        return paths.iter().for_each(|file| shapes::write(&folder, &name_of(file), &prepared(file)));
    }
    tube::print();
    let mut files: Vec<PathBuf> = paths.iter().flat_map(files_of).collect();
    files.sort();
    let mut totals = Totals::new();
    let names = METHODS.map(Method::name).join(" | ");
    println!("\nNew edges at the joint (the skin on its two bones), then in all of the skin:\n");
    println!("| character | joints | {names} | {names} |");
    println!("| --- | --- {}|", "| --- ".repeat(2 * METHODS.len()));
    for (nth, file) in files.iter().enumerate() {
        if half.is_none_or(|half| nth % 2 == half) {
            print_character(file, poses, &mut totals);
        }
    }
    println!("\n| joints | {names} | {names} |");
    println!("| --- {}|", "| --- ".repeat(2 * METHODS.len()));
    for (kind, counts) in &totals {
        println!("| {kind:?} | {} |", row(*counts));
    }
}

fn name_of(file: &Path) -> String {
    file.file_stem().unwrap().to_string_lossy().into_owned()
}

fn prepared(file: &Path) -> Character {
    let import = sinew_formats::read_file(file).unwrap();
    let options = PrepareOptions::for_methods(&METHODS);
    prepare_character(&import.character, &options, &mut uninterrupted).unwrap().0
}

fn files_of(path: &PathBuf) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.clone()];
    }
    let files = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|e| e == "glb")).collect()
}

fn print_character(file: &Path, poses: bool, totals: &mut Totals) {
    let (name, character) = (name_of(file), prepared(file));
    let whole = CharacterMeter::new(&character);
    let mut sums: BTreeMap<LimbKind, (usize, Counts)> = BTreeMap::new();
    for joint in limb_joints(&character) {
        let at_joint = CharacterMeter::at(&character, joint.joint);
        let sum = sums.entry(joint.kind).or_default();
        sum.0 += 1;
        for (label, pose) in poses_of(&character, &joint) {
            let counts = counted(&character, &pose, [&at_joint, &whole]);
            add(&mut sum.1, counts);
            if poses {
                println!("| {name} {} {label} | | {} |", character.skeleton().name(joint.joint), row(counts));
            }
        }
    }
    for (kind, (joints, counts)) in sums {
        println!("| {name} | {joints} {kind:?} | {} |", row(counts));
        add(totals.entry(kind).or_default(), counts);
    }
}

/// New edges at the joint and in all of the skin, by method.
fn counted(character: &Character, pose: &LocalPose, meters: [&CharacterMeter<'_>; 2]) -> Counts {
    let mut frame = Frame::new(character);
    let mut out = Counts::default();
    for (at, method) in METHODS.into_iter().enumerate() {
        frame.local_mut().copy_from(pose);
        frame.deform(method).unwrap();
        for (counts, meter) in out.iter_mut().zip(meters) {
            counts[at] = meter.new_edges(&frame);
        }
    }
    out
}

fn add(sum: &mut Counts, counts: Counts) {
    for (sum, count) in sum.as_flattened_mut().iter_mut().zip(counts.as_flattened()) {
        *sum += count;
    }
}

fn row(counts: Counts) -> String {
    counts.as_flattened().iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")
}

fn poses_of(character: &Character, joint: &LimbJoint) -> Vec<(String, LocalPose)> {
    let label = |angle: f32| format!("{angle:.0}°");
    match joint.kind {
        LimbKind::Elbow | LimbKind::Knee | LimbKind::Finger => {
            let bends = BENDS_DEGREES.into_iter().filter(|bend| *bend > joint.rest_degrees);
            bends.map(|bend| (label(bend), joint.bent(character, bend))).collect()
        }
        LimbKind::Shoulder | LimbKind::Hip => {
            let axes = [Vec3::X, Vec3::Y, Vec3::Z];
            let swings = axes.into_iter().flat_map(|axis| SWINGS_DEGREES.map(|angle| (axis, angle)));
            swings
                .map(|(axis, angle)| (format!("{axis} {angle}°"), joint.turned(character, axis, angle)))
                .collect()
        }
    }
}

/// What is counted in a pose: all meshes, or the skin on the two bones of a joint.
struct CharacterMeter<'a> {
    character: &'a Character,
    /// By instance, for skinned instances.
    meshes: Vec<Option<(SelfIntersections, Vec<u32>)>>,
}

impl<'a> CharacterMeter<'a> {
    /// Counts in all of the skin.
    fn new(character: &'a Character) -> Self {
        Self::of_part(character, |_, _| true)
    }

    /// Counts in the skin on the two bones that meet at `joint`.
    fn at(character: &'a Character, joint: JointId) -> Self {
        let before = character.skeleton().parent(joint);
        Self::of_part(character, |instance, vertex| {
            let (Some(skin), mesh) = (character.skin_of(instance), character.mesh_of(instance)) else {
                return false;
            };
            let contact = mesh.precomputed().contact.as_ref();
            let bone = contact.map(|data| skin.joints()[usize::from(data.parts().vertices[vertex].bone)]);
            bone.is_some_and(|bone| bone == joint || Some(bone) == before)
        })
    }

    fn of_part(character: &'a Character, is_part: impl Fn(&MeshInstance, usize) -> bool) -> Self {
        let meshes = character.instances().iter().map(|instance| {
            let mesh = character.mesh_of(instance);
            instance.skin.filter(|_| mesh.weights().is_some()).map(|_| {
                let intersections = SelfIntersections::of_part(mesh, |vertex| is_part(instance, vertex));
                let rest = intersections.edges(mesh.positions());
                (intersections, rest)
            })
        });
        Self { character, meshes: meshes.collect() }
    }

    fn new_edges(&self, frame: &Frame) -> usize {
        let of_mesh = |(at, mesh): (usize, &Option<(SelfIntersections, Vec<u32>)>)| {
            mesh.as_ref().map_or(0, |(intersections, rest)| {
                let now = intersections.edges(&frame.deformed()[at].positions);
                now.iter().filter(|edge| rest.binary_search(edge).is_err()).count()
            })
        };
        debug_assert_eq!(self.meshes.len(), self.character.instances().len());
        self.meshes.iter().enumerate().map(of_mesh).sum()
    }
}
