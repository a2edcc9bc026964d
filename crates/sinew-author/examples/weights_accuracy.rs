//! Automatic weights against the artists' weights: `weights_accuracy FILE_OR_FOLDER... [--joints] [--method NAME]...` prints a table.
//!
//! L1 is the sum of the absolute differences of a vertex's weights, averaged over the vertices of all skinned meshes. RMS is the
//! distance between the two deformed meshes over poses in which every joint is rotated by up to 30 degrees about a random axis,
//! in percent of the character's height.
#![allow(clippy::unwrap_used, reason = "an example that meets the unexpected stops")]

use sinew::{
    Character, Mesh, ModelPose, Palette, Skin, Weights,
    glam::{Quat, Vec3, Vec3A},
};
use sinew_author::{
    uninterrupted,
    weights::{
        BoneSet,
        auto::{AutoMethod, AutoOptions, auto_weights_together},
    },
};
use std::{path::PathBuf, sync::Arc};

const POSES: usize = 24;
const MAX_DEGREES: f32 = 30.0;

fn main() {
    let mut paths: Vec<PathBuf> = Vec::new();
    let (mut methods, mut with_joints) = (Vec::new(), false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--method" => methods.push(arguments.next().unwrap().parse::<AutoMethod>().unwrap()),
            "--joints" => with_joints = true,
            path => paths.extend(files(path.into())),
        }
    }
    if methods.is_empty() {
        methods = AutoMethod::ALL.to_vec();
    }
    let names: Vec<String> = methods.iter().map(|m| format!("{m}: L1 | RMS % | s")).collect();
    println!("| character | vertices | {} |", names.join(" | "));
    println!("| --- | --- |{}", " --- | --- | --- |".repeat(methods.len()));
    let mut sums = vec![[0.0; 3]; methods.len()];
    let mut count = 0.0;
    for path in &paths {
        let case = Case::new(path);
        if case.meshes.is_empty() {
            continue;
        }
        print!("| {} | {} |", case.name, case.vertex_count());
        count += 1.0;
        for (method, sums) in methods.iter().zip(&mut sums) {
            let figures = case.figures(*method, with_joints);
            print!(" {:.3} | {:.2} | {:.2} |", figures[0], figures[1], figures[2]);
            sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        }
        println!();
    }
    print!("| mean | |");
    sums.iter().for_each(|s| print!(" {:.3} | {:.2} | {:.2} |", s[0] / count, s[1] / count, s[2] / count));
    println!();
}

/// The CPU time of this process so far, of all its threads, which other programs on the machine do not affect; 0 where it is
/// not known.
fn cpu_secs() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let own = text.split(' ').next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0);
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse().ok())
        .collect();
    fields.iter().sum::<f64>().max(0.0) / 100.0 + own * 0.0
}

fn files(path: PathBuf) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path];
    }
    let mut out: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    out.retain(|path| path.extension().is_some_and(|e| e == "glb" || e == "gltf"));
    out.sort();
    out
}

/// A character with its artist's weights.
struct Case {
    name: String,
    character: Character,
    /// Each skinned mesh once, with its skin.
    meshes: Vec<(usize, usize)>,
    /// The palettes of each skin, pose by pose.
    palettes: Vec<Vec<Palette>>,
    height: f64,
}

impl Case {
    fn new(path: &PathBuf) -> Self {
        let character = sinew_formats::read_file(path).unwrap().character;
        let mut meshes: Vec<(usize, usize)> = Vec::new();
        for instance in character.instances() {
            if let Some(skin) = instance.skin
                && character.meshes()[instance.mesh].weights().is_some()
                && meshes.iter().all(|m| m.0 != instance.mesh)
            {
                meshes.push((instance.mesh, skin));
            }
        }
        let palettes = palettes(&character);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut out = Self { name, character, meshes, palettes, height: 0.0 };
        out.height = out.model_height();
        out
    }

    fn vertex_count(&self) -> usize {
        self.meshes.iter().map(|m| self.character.meshes()[m.0].vertex_count()).sum()
    }

    /// The height of the character at rest.
    fn model_height(&self) -> f64 {
        let (mut low, mut high) = (f32::MAX, f32::MIN);
        for &(mesh, skin) in &self.meshes {
            let mesh = &self.character.meshes()[mesh];
            let rest = self.palettes[skin].last().unwrap();
            for vertex in 0..mesh.vertex_count() {
                let y = posed(mesh, mesh.weights().unwrap(), rest, vertex).y;
                (low, high) = (low.min(y), high.max(y));
            }
        }
        f64::from(high - low)
    }

    fn computed(&self, method: AutoMethod, with_joints: bool) -> Vec<Arc<Weights>> {
        let options = AutoOptions { method, ..AutoOptions::default() };
        let mut made = vec![None; self.meshes.len()];
        for skin in 0..self.character.skins().len() {
            let bones = BoneSet::of_character(&self.character, skin);
            let members: Vec<usize> = (0..self.meshes.len()).filter(|&m| self.meshes[m].1 == skin).collect();
            let meshes: Vec<&Mesh> =
                members.iter().map(|&m| &*self.character.meshes()[self.meshes[m].0]).collect();
            let solved = auto_weights_together(&meshes, &bones, &options, &mut uninterrupted).unwrap();
            if with_joints && let Some(first) = solved.first() {
                for candidate in &first.report.candidates {
                    let q = candidate.quality;
                    println!(
                        "  Q {} {} {:.5} {:.5} {:.5}",
                        self.name, candidate.method, q.strain, q.distance, q.leaks
                    );
                }
            }
            members.iter().zip(solved).for_each(|(&m, solved)| made[m] = Some(Arc::new(solved.weights)));
        }
        made.into_iter().flatten().collect()
    }

    fn figures(&self, method: AutoMethod, with_joints: bool) -> [f64; 3] {
        let started = cpu_secs();
        let made = self.computed(method, with_joints);
        let secs = cpu_secs() - started;
        let (mut l1, mut squares) = (0.0, 0.0);
        for (&(mesh, skin), made) in self.meshes.iter().zip(&made) {
            let mesh = &*self.character.meshes()[mesh];
            l1 += (0..mesh.vertex_count()).map(|v| difference(mesh, made, v)).sum::<f64>();
            squares += self.palettes[skin][..POSES].iter().map(|pose| squared(mesh, made, pose)).sum::<f64>();
        }
        if with_joints {
            self.print_joints(&made);
        }
        let count = self.vertex_count() as f64;
        [l1 / count, (squares / count / POSES as f64).sqrt() / self.height * 100.0, secs]
    }

    /// Prints the fraction of the skin that each joint carries, of the artist and automatically, and its part of L1.
    fn print_joints(&self, made: &[Arc<Weights>]) {
        println!();
        for (index, skin) in self.character.skins().iter().enumerate() {
            let rows = self.joint_rows(index, skin, made);
            for (joint, row) in skin.joints().iter().zip(rows) {
                let name = self.character.skeleton().name(*joint);
                println!("  {name:24} artist {:.3} automatic {:.3} difference {:.3}", row[0], row[1], row[2]);
            }
        }
    }

    fn joint_rows(&self, index: usize, skin: &Skin, made: &[Arc<Weights>]) -> Vec<[f64; 3]> {
        let mut rows = vec![[0.0; 3]; skin.joint_count()];
        let count = self.vertex_count() as f64;
        for (&(mesh, of), made) in self.meshes.iter().zip(made).filter(|m| m.0.1 == index) {
            let mesh = &self.character.meshes()[mesh];
            debug_assert_eq!(of, index);
            for vertex in 0..mesh.vertex_count() {
                for (slot, row) in rows.iter_mut().enumerate() {
                    let artist = f64::from(mesh.weights().unwrap().weight_of(vertex, slot as u16));
                    let auto = f64::from(made.weight_of(vertex, slot as u16));
                    let parts = [artist, auto, (artist - auto).abs()];
                    row.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part / count);
                }
            }
        }
        rows
    }
}

fn difference(mesh: &Mesh, made: &Weights, vertex: usize) -> f64 {
    let artist = mesh.weights().unwrap();
    let (slots, weights) = artist.of(vertex);
    let own = slots.iter().zip(weights).map(|(&slot, w)| f64::from((w - made.weight_of(vertex, slot)).abs()));
    let (slots, weights) = made.of(vertex);
    let new = slots.iter().zip(weights).filter(|(slot, _)| artist.weight_of(vertex, **slot) == 0.0);
    own.sum::<f64>() + new.map(|(_, &w)| f64::from(w)).sum::<f64>()
}

fn squared(mesh: &Mesh, made: &Weights, pose: &Palette) -> f64 {
    let artist = mesh.weights().unwrap();
    let one = |v| f64::from(posed(mesh, artist, pose, v).distance_squared(posed(mesh, made, pose, v)));
    (0..mesh.vertex_count()).map(one).sum()
}

fn posed(mesh: &Mesh, weights: &Weights, pose: &Palette, vertex: usize) -> Vec3A {
    let place = Vec3A::from(mesh.positions()[vertex]);
    let (slots, weights) = weights.of(vertex);
    let moved = |(&slot, &w): (&u16, &f32)| pose.matrices()[usize::from(slot)].transform_point3a(place) * w;
    slots.iter().zip(weights).map(moved).sum()
}

/// For each skin, [`POSES`] random poses and the rest pose.
fn palettes(character: &Character) -> Vec<Vec<Palette>> {
    let skeleton = character.skeleton();
    let mut random = Random(7);
    let mut out: Vec<Vec<Palette>> = vec![Vec::new(); character.skins().len()];
    for pose in 0..=POSES {
        let mut local = character.rest_pose();
        for joint in local.joints.iter_mut().filter(|_| pose < POSES) {
            let axis = Vec3::new(random.signed(), random.signed(), random.signed());
            let angle = random.signed() * MAX_DEGREES.to_radians();
            joint.rotation *= Quat::from_axis_angle(axis.try_normalize().unwrap_or(Vec3::X), angle);
        }
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &local);
        for (skin, out) in character.skins().iter().zip(&mut out) {
            let mut palette = Palette::new(skin);
            palette.update(skin, &model);
            out.push(palette);
        }
    }
    out
}

/// A linear congruential generator (Knuth, 1998, "The Art of Computer Programming", volume 2).
struct Random(u64);

impl Random {
    fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) as f32 / (1_u64 << 23) as f32) - 1.0
    }
}
