//! `sinew bake`.

use crate::{
    args::{BakeArgs, BakeFormat, PositionsArg},
    failure::Failure,
    film::{moments, spread},
    input, output, progress,
};
use sinew::{Clip, Frame, Wrap};
use sinew_formats::{
    Import,
    bake::{
        Bake, BakeTake,
        joints::{self, JointTracks},
        npy, obj, pc2, raw, static_character,
    },
    bvh::PositionChannels,
    to_glb,
};
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

pub(crate) fn run(args: &BakeArgs, quiet: bool) -> Result<(), Failure> {
    if args.joints && args.format != BakeFormat::Raw {
        return Err(Failure::usage("--joints are written as --format raw"));
    }
    let written = match args.joints {
        true => joints(args)?,
        false => vertices(args, quiet)?,
    };
    if !quiet {
        for path in written {
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(())
}

/// Where joints are.
fn joints(args: &BakeArgs) -> Result<Vec<PathBuf>, Failure> {
    let tracks = match input::open_bvh(&args.file)? {
        // Every frame as it stands in the file, unless moments or a clip are asked for.
        Some(bvh) if args.times.is_empty() && args.clip.clip.is_none() => {
            let positions = match args.positions {
                PositionsArg::Replace => PositionChannels::Replace,
                PositionsArg::Add => PositionChannels::Add,
            };
            JointTracks::of_bvh(&bvh, positions)
        }
        _ => {
            let import = input::open(&args.file)?;
            let clip = args.clip.choose(&import.character)?;
            JointTracks::of_clip(&import.character, clip.as_deref(), &times(args, clip.as_deref())?)
        }
    };
    let (json, floats) = (with_ending(&args.output, "json"), with_ending(&args.output, "f32"));
    let mut bytes = (Vec::new(), Vec::new());
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |source| Failure::Output { path, source }
    };
    joints::write_json(&tracks, &mut bytes.0).map_err(fail(&json))?;
    joints::write_positions(&tracks, &mut bytes.1).map_err(fail(&floats))?;
    output::write(&json, bytes.0)?;
    output::write(&floats, bytes.1)?;
    Ok(vec![json, floats])
}

fn vertices(args: &BakeArgs, quiet: bool) -> Result<Vec<PathBuf>, Failure> {
    let import = input::open(&args.file)?;
    let clip = args.clip.choose(&import.character)?;
    let times = times(args, clip.as_deref())?;
    match args.format {
        BakeFormat::Glb => still(args, &import, clip.as_deref(), &times),
        _ => moving(args, &import, clip.as_deref(), &times, quiet),
    }
}

/// The moments that are asked for: named ones, or the clip's length in even steps, its end among them.
fn times(args: &BakeArgs, clip: Option<&Clip>) -> Result<Vec<f32>, Failure> {
    if let Some(bad) = args.times.iter().find(|t| !t.is_finite()) {
        return Err(Failure::usage(format!("--times: {bad} is not a time")));
    }
    if !args.times.is_empty() {
        return Ok(args.times.clone());
    }
    if !args.fps.is_finite() || !(0.01..=1000.0).contains(&args.fps) {
        return Err(Failure::usage(format!("--fps: {} is outside 0.01 to 1000", args.fps)));
    }
    Ok(match clip {
        Some(clip) if args.format != BakeFormat::Glb => {
            let steps = moments(clip.duration_secs(), args.fps)?.len();
            spread(clip.duration_secs(), steps + 1)
        }
        _ => vec![0.0],
    })
}

/// One pose as a static mesh.
fn still(
    args: &BakeArgs,
    import: &Import,
    clip: Option<&Clip>,
    times: &[f32],
) -> Result<Vec<PathBuf>, Failure> {
    let [time] = times else {
        let what = format!("--format glb writes one pose, --times has {}", times.len());
        return Err(Failure::usage(what));
    };
    let character = &import.character;
    let mut frame = Frame::new(character);
    if let Some(clip) = clip {
        frame.sample(clip, *time, Wrap::Clamp);
    }
    frame.deform(args.method).map_err(|e| Failure::Draw(e.to_string()))?;
    let path = with_ending(&args.output, "glb");
    output::write(&path, to_glb(&static_character(character, &frame)?)?)?;
    Ok(vec![path])
}

/// Every moment of a clip.
fn moving(
    args: &BakeArgs,
    import: &Import,
    clip: Option<&Clip>,
    times: &[f32],
    quiet: bool,
) -> Result<Vec<PathBuf>, Failure> {
    let bar = progress::bar(times.len() as u64, "deforming", quiet);
    let normals = args.format == BakeFormat::Obj;
    let take = BakeTake { clip, times_secs: times, method: args.method, normals };
    let bake = Bake::record(&import.character, &import.node_of_joint, &take, &mut |_| bar.inc(1))
        .map_err(|e| Failure::Draw(e.to_string()))?;
    bar.finish_and_clear();
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut file = |path: PathBuf, write: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| {
        let mut bytes = Vec::new();
        write(&mut bytes).map_err(|source| Failure::Output { path: path.clone(), source })?;
        files.push((path, bytes));
        Ok::<(), Failure>(())
    };
    let prefix = &args.output;
    match args.format {
        BakeFormat::Raw => {
            file(with_ending(prefix, "json"), &|out| raw::write_json(&bake, out))?;
            file(with_ending(prefix, "f32"), &|out| raw::write_positions(&bake, out))?;
            file(with_ending(prefix, "nodes.f32"), &|out| raw::write_nodes(&bake, out))?;
        }
        BakeFormat::Npy => file(with_ending(prefix, "npy"), &|out| npy::write(&bake, out))?,
        BakeFormat::Pc2 => {
            let timeline = pc2::Pc2Times { start_frame: 0.0, frames_per_sample: 1.0 };
            file(with_ending(prefix, "pc2"), &|out| pc2::write(&bake, timeline, out))?;
        }
        BakeFormat::Obj => {
            for time in 0..times.len() {
                let path = numbered(prefix, time);
                file(path, &|out| obj::write(&bake, time, out))?;
            }
        }
        BakeFormat::Glb => {}
    }
    files.into_iter().map(|(path, bytes)| output::write(&path, bytes).map(|()| path)).collect()
}

/// `PREFIX.ending`; the prefix may have dots of its own.
fn with_ending(prefix: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = prefix.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// `PREFIX_0000.obj` and so on.
fn numbered(prefix: &Path, number: usize) -> PathBuf {
    let mut name: OsString = prefix.as_os_str().to_owned();
    name.push(format!("_{number:04}.obj"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_keeps_its_own_dots() {
        assert_eq!(with_ending(Path::new("out/run.v2"), "f32"), Path::new("out/run.v2.f32"));
        assert_eq!(numbered(Path::new("run"), 7), Path::new("run_0007.obj"));
    }
}
