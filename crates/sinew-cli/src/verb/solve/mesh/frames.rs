//! The mesh that moves, from vertex caches or from a character.

use super::super::args::MeshArgs;
use crate::{
    failure::{Attempt, Failure},
    input, prepare,
};
use sinew::{Character, Frame, Mesh, Method, Wrap, glam::Vec3};
use sinew_author::decompose::MeshSequence;
use sinew_formats::vertex_cache::{
    ObjMesh, VertexCacheFormat, read_obj, read_vertex_cache, read_vertex_file,
};
use sinew_view::film::times_at_rate;
use std::path::{Path, PathBuf};

/// A mesh with the places of its vertices in every frame.
pub(super) struct MovingMesh {
    /// The character with the meshes; its instances are in the order of the vertices.
    pub(super) topology: Character,
    pub(super) sequence: MeshSequence,
}

/// A mesh without motion, and which positions of an OBJ file its vertices are.
struct RestMesh {
    character: Character,
    obj: Option<ObjMesh>,
}

impl MovingMesh {
    pub(super) fn read(args: &MeshArgs, quiet: bool) -> Result<Self, Failure> {
        let files = expand(&args.inputs)?;
        let (rest, frames) = match files.first().and_then(VertexCacheFormat::of_path) {
            Some(VertexCacheFormat::Obj) => Self::of_objs(args, &files, quiet)?,
            Some(_) => Self::of_cache(args, &files, quiet)?,
            None => Self::of_character(args, quiet)?,
        };
        let mut shape = match args.onto {
            Some(_) => bound_positions(&rest.character),
            None => rest_positions(&rest.character).attempt(|| "deform the mesh at rest")?,
        };
        if let Some(frame) = args.rest {
            let count = frames.len();
            let chosen = frames.get(frame).cloned();
            shape =
                chosen.ok_or_else(|| Failure::usage(format!("--rest {frame}: there are {count} frames")))?;
        }
        let sequence = MeshSequence::new(shape, frames, triangles(&rest.character))
            .attempt(|| format!("use {}", args.inputs.join(" ")))?;
        Ok(Self { topology: rest.character, sequence })
    }

    fn of_objs(
        args: &MeshArgs,
        files: &[PathBuf],
        quiet: bool,
    ) -> Result<(RestMesh, Vec<Vec<Vec3>>), Failure> {
        let rest = match rest_mesh(args, quiet)? {
            Some(rest) => rest,
            None => RestMesh::of_obj(&files[0])?,
        };
        let frames: Result<_, Failure> = files
            .iter()
            .map(|file| {
                let frame = read_vertex_file(file, read_obj)?;
                let vertices = match &rest.obj {
                    Some(mesh) => mesh.vertices_from(&frame.positions),
                    None => Some(frame.vertices()),
                };
                let got = frame.positions.len();
                vertices.ok_or_else(|| {
                    Failure::usage(format!(
                        "{} has {got} positions, the mesh has another number",
                        file.display()
                    ))
                })
            })
            .collect();
        Ok((rest, frames?))
    }

    fn of_cache(
        args: &MeshArgs,
        files: &[PathBuf],
        quiet: bool,
    ) -> Result<(RestMesh, Vec<Vec<Vec3>>), Failure> {
        let Some(rest) = rest_mesh(args, quiet)? else {
            return Err(Failure::usage(
                "a .pc2 or .npy file has no triangles: name the mesh with --mesh or --onto",
            ));
        };
        if files.len() > 1 {
            return Err(Failure::usage(format!(
                "one .pc2 or .npy file holds all frames, got {} files",
                files.len()
            )));
        }
        let cache = read_vertex_file(&files[0], read_vertex_cache)?;
        let frames = match &rest.obj {
            // The cache has the positions of the file, not the vertices that texture seams make of them.
            Some(mesh) => {
                cache.frames.iter().map(|f| mesh.vertices_from(f).unwrap_or_else(|| f.clone())).collect()
            }
            None => cache.frames,
        };
        Ok((rest, frames))
    }

    fn of_character(args: &MeshArgs, quiet: bool) -> Result<(RestMesh, Vec<Vec<Vec3>>), Failure> {
        let [file] = &args.inputs[..] else {
            return Err(Failure::usage(format!(
                "one character can be solved at a time, got {}; a sequence of files is of {}",
                args.inputs.join(" "),
                VertexCacheFormat::list("or")
            )));
        };
        let character = visible(input::open_reporting(file, quiet)?.character)?;
        let method = character.method_or_recommended(args.method);
        let clip = match args.clip.choose(&character)? {
            Some(clip) => clip,
            None => character
                .clips()
                .first()
                .cloned()
                .ok_or_else(|| Failure::usage(format!("{file} has no clip")))?,
        };
        let prepared = prepare::prepared(&character, file, &[method], quiet)?;
        let mut frame = Frame::new(&prepared);
        let mut frames = Vec::new();
        for time in times_at_rate(clip.duration_secs(), args.fps)? {
            frame.sample(&*clip, time, Wrap::Clamp);
            frame.deform(method).attempt(|| format!("deform {file}"))?;
            frames.push(positions(&frame));
        }
        let rest = rest_mesh(args, quiet)?.unwrap_or(RestMesh { character, obj: None });
        Ok((rest, frames))
    }
}

impl RestMesh {
    fn of_obj(path: &Path) -> Result<Self, Failure> {
        let obj = read_vertex_file(path, read_obj)?;
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let character = obj.to_character(&name).attempt(|| format!("use {}", path.display()))?;
        Ok(Self { character, obj: Some(obj) })
    }
}

/// The mesh of --mesh or --onto.
fn rest_mesh(args: &MeshArgs, quiet: bool) -> Result<Option<RestMesh>, Failure> {
    let Some(name) = args.mesh.as_ref().or(args.onto.as_ref()) else { return Ok(None) };
    if VertexCacheFormat::of_path(name) == Some(VertexCacheFormat::Obj) {
        return RestMesh::of_obj(Path::new(name)).map(Some);
    }
    let character = visible(input::open_reporting(name, quiet)?.character)?;
    Ok(Some(RestMesh { character, obj: None }))
}

/// The character with its visible instances alone.
fn visible(character: Character) -> Result<Character, Failure> {
    let shown: Vec<usize> = character.visible_instances().collect();
    if shown.len() == character.instances().len() {
        return Ok(character);
    }
    let mut parts = character.into_parts();
    parts.instances = shown.into_iter().map(|index| parts.instances[index].clone()).collect();
    Character::new(parts).attempt(|| "leave out hidden meshes")
}

/// The files in their order; a folder stands for its .obj files, numbers in names by their values.
fn expand(inputs: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for input in inputs {
        let path = PathBuf::from(input);
        if !path.is_dir() {
            files.push(path);
            continue;
        }
        let failed = |source| Failure::Output { path: path.clone(), source };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if VertexCacheFormat::of_path(&file) == Some(VertexCacheFormat::Obj) {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(Failure::usage(format!("{} holds no .obj files", path.display())));
        }
        found.sort_by_cached_key(|file| natural_order(&file.to_string_lossy()));
        files.extend(found);
    }
    Ok(files)
}

/// Text and numbers of a name in turns, so that frame9 comes before frame10.
fn natural_order(name: &str) -> Vec<(String, u64)> {
    let mut order = vec![(String::new(), 0_u64)];
    let mut after_digit = false;
    for c in name.chars() {
        let digit = c.to_digit(10);
        if after_digit && digit.is_none() {
            order.push((String::new(), 0));
        }
        if let Some(last) = order.last_mut() {
            match digit {
                Some(digit) => last.1 = last.1.saturating_mul(10).saturating_add(digit.into()),
                None => last.0.push(c),
            }
        }
        after_digit = digit.is_some();
    }
    order
}

/// All vertices of the last deformation, one instance after the other.
fn positions(frame: &Frame) -> Vec<Vec3> {
    frame.deformed().iter().flat_map(|streams| streams.positions.iter().copied()).collect()
}

/// All vertices at rest in model space.
fn rest_positions(character: &Character) -> Result<Vec<Vec3>, sinew::DeformError> {
    let mut frame = Frame::new(character);
    frame.deform(Method::Linear)?;
    Ok(positions(&frame))
}

/// All vertices in the space in which they were bound.
fn bound_positions(character: &Character) -> Vec<Vec3> {
    character.instances().iter().flat_map(|i| character.mesh_of(i).positions().iter().copied()).collect()
}

/// The triangles of all instances, of the vertices one after the other.
fn triangles(character: &Character) -> Vec<[u32; 3]> {
    let mut first = 0;
    let mut of_mesh = |mesh: &Mesh| {
        let start = first;
        first += mesh.vertex_count() as u32;
        mesh.triangles().map(|t| t.map(|v| v + start)).collect::<Vec<_>>()
    };
    character.instances().iter().flat_map(|instance| of_mesh(character.mesh_of(instance))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_by_value() {
        let mut names = vec!["f10.obj", "f9.obj", "f1.obj", "g1.obj", "f010b.obj"];
        names.sort_by_cached_key(|name| natural_order(name));
        assert_eq!(names, ["f1.obj", "f9.obj", "f10.obj", "f010b.obj", "g1.obj"]);
    }
}
