//! The command line of `sinew render`.

use crate::{
    batch::BatchArgs,
    input,
    method::{NormalArgs, method_parser},
    motion::MotionArgs,
};
use clap::{ValueEnum, ValueHint};
use sinew::Method;
use sinew_view::camera::Orbit;
use std::{path::PathBuf, str::FromStr};

/// Draw a character: one picture, a contact sheet, or an animation.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
The ending of OUT selects the output: .png is a picture (or, with --sheet, a contact sheet), .gif and
.apng are animations of the clip.

A pose is a list of JOINT:CHANNEL=VALUE, separated by commas, or by lines in a file: rx, ry, rz in
degrees about the joint's own axes, in the given order; tx, ty, tz in meters along the axes of its
parent; sx, sy, sz or s as factors; w for the morph target of that name. It is applied on top of the
clip's pose at each time, before --ik.

Examples:
  sinew render fox.glb -o fox.png                          the rest pose
  sinew render fox.glb --clip Run --time 0.3 --bones -o fox.png
  sinew render fox.glb --clip Run --sheet 8 -o sheet.png   eight frames of the clip
  sinew render fox.glb --clip Run -o fox.gif               the whole clip
  sinew render characters/ --out-dir pictures              every file, several at once
  sinew render builtin:figure --pose forearm.L:rz=-120 --zoom forearm.L -o elbow.png
  sinew render builtin:figure --blend walk:0.5,run:0.5 --follow -o jog.gif
  sinew render builtin:figure --graph moves.ron --set speed=3@1.5 --seconds 4 -o moves.gif
  sinew render builtin:figure --clip walk --ik hand.L=0.3,1.3,0.3 -o reach.gif
  sinew render builtin:figure --pose spine_upper:ry=30,forearm.L:rz=-90 -o pose.png
  sinew render builtin:figure --clip walk --pose look_left.pose -o walk.gif
  sinew render builtin:figure --layer heat --joint upper_arm.L -o heat.png
  sinew render builtin:figure --layer heat --joint upper_arm.L,forearm.L -o two.png
  sinew render builtin:figure --clip walk --layer bone-boxes -o boxes.gif
  sinew render builtin:arm --clip bend_120 --method rigid --layer wireframe -o arm.png")]
pub(crate) struct RenderArgs {
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath, help = input::files_help())]
    pub(super) files: Vec<String>,

    /// The picture to write: .png, .gif or .apng, or - for standard output as .png.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// The format of pictures in --out-dir: png, gif or apng.
    #[arg(long, value_name = "FORMAT", default_value = "png", requires = "out_dir",
        value_parser = ["png", "gif", "apng"])]
    pub(super) to: String,

    #[command(flatten)]
    pub(super) batch: BatchArgs,

    /// The file that is read.
    #[arg(skip)]
    pub(super) file: String,

    /// The picture that is written.
    #[arg(skip)]
    pub(super) target: PathBuf,

    #[command(flatten)]
    pub(super) motion: MotionArgs,

    /// The time to draw, in seconds.
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    pub(super) time: f32,

    /// The deformation method that moves the skin; without it the one that the file recommends, or linear.
    #[arg(long, value_name = "METHOD", value_parser = method_parser())]
    pub(super) method: Option<Method>,

    #[command(flatten)]
    pub(super) normals: NormalArgs,

    /// How the mesh is drawn.
    #[arg(long, value_enum, default_value_t = LayerArg::Shaded)]
    pub(super) layer: LayerArg,

    /// The joint whose weights the heat map shows and whose bone is highlighted. Several joints, separated by commas, are
    /// shown in one color each: the darker, the less.
    #[arg(long, value_name = "NAME|NUMBER,…", value_delimiter = ',')]
    pub(super) joint: Vec<String>,

    /// Draw the bones, visible through the mesh.
    #[arg(long)]
    pub(super) bones: bool,

    /// Draw the axes of every joint.
    #[arg(long)]
    pub(super) axes: bool,

    /// The view: front, back, left, right, top, three-quarter, or YAW,PITCH in degrees.
    #[arg(long, default_value = "three-quarter", value_name = "VIEW", allow_hyphen_values = true)]
    pub(super) view: ViewArg,

    /// Width and height of the picture, or of one picture of a sheet, in pixels.
    #[arg(long, default_value = "800x800", value_name = "WxH", value_parser = parse_size)]
    pub(super) size: (u32, u32),

    /// Draw this many frames of the clip side by side.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=400))]
    pub(super) sheet: Option<u32>,

    /// The frame rate of an animation, in frames per second.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(super) fps: u32,

    /// Show the surroundings of this joint instead of the whole character.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) zoom: Option<String>,

    /// Use the dark theme.
    #[arg(long)]
    pub(super) dark: bool,

    /// Do not draw the ground and its grid.
    #[arg(long)]
    pub(super) no_ground: bool,

    /// Follow the character with the camera as it travels.
    #[arg(long)]
    pub(super) follow: bool,

    /// Draw on the GPU, with four samples per pixel.
    #[arg(long)]
    pub(super) gpu: bool,
}

/// How the mesh is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LayerArg {
    /// Materials, textures and vertex colors in studio light.
    Shaded,
    /// Triangle edges over the shaded mesh.
    Wireframe,
    /// The weight of --joint, from blue (none) to red (all).
    Heat,
    /// Triangles of one joint in its color, blended ones dark.
    Influence,
    /// Every vertex in the blended colors of its joints.
    Joints,
    /// Normals, as colors and as lines.
    Normals,
    /// The box of each bone, around the vertices that follow it most; with --joint, of that bone.
    BoneBoxes,
    /// The mesh in one neutral color.
    Clay,
    /// No mesh, only bones.
    None,
}

/// The direction that a picture is taken from.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewArg(pub(super) Orbit);

impl FromStr for ViewArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let degrees = match text {
            "front" => (0.0, 0.0),
            "back" => (180.0, 0.0),
            "left" => (90.0, 0.0),
            "right" => (-90.0, 0.0),
            "top" => (0.0, 89.0),
            "three-quarter" => return Ok(Self(Orbit::THREE_QUARTER)),
            _ => {
                let fail = || {
                    format!(
                        "{text:?} is neither front, back, left, right, top, three-quarter nor YAW,PITCH in degrees"
                    )
                };
                let (yaw, pitch) = text.split_once(',').ok_or_else(fail)?;
                let number = |t: &str| t.trim().parse().ok().filter(|n: &f32| n.is_finite()).ok_or_else(fail);
                (number(yaw)?, number(pitch)?.clamp(-89.0, 89.0))
            }
        };
        Ok(Self(Orbit::degrees(degrees.0, degrees.1)))
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let fail = || format!("{text:?} is not WIDTHxHEIGHT, for instance 800x600");
    let (width, height) = text.split_once('x').ok_or_else(fail)?;
    let size = (width.parse().map_err(|_| fail())?, height.parse().map_err(|_| fail())?);
    match size {
        (1..=8192, 1..=8192) => Ok(size),
        _ => Err(format!("{text} is outside 1x1 to 8192x8192")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_have_names_and_angles() {
        assert!("front".parse::<ViewArg>().is_ok());
        let ViewArg(orbit) = "-30,20".parse().unwrap();
        assert!((orbit.yaw_radians + 30.0_f32.to_radians()).abs() < 1e-6);
        for bad in ["", "sideways", "1", "a,b", "nan,0"] {
            assert!(bad.parse::<ViewArg>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_parsed_and_bounded() {
        assert_eq!(parse_size("640x480"), Ok((640, 480)));
        for bad in ["640", "x", "0x10", "10x9000", "-1x5", "ax5"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
