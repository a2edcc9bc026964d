//! Transitions of an instance: the path of a hand through a change of clips.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::glam::{Vec2, Vec3};
use sinew::instance::{Archetype, InstanceScratch, PlayOptions};
use sinew_view::plot::Plot;

const DT_SECS: f32 = 1.0 / 120.0;
const CHANGE_SECS: f32 = 0.5;
const FADE_SECS: f32 = 0.4;
const TICKS: u16 = 180;

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let archetype = Archetype::new(sinew_samples::figure());
    let kinds = [
        ("cut", PlayOptions::LOOP),
        ("crossfade", PlayOptions::LOOP.crossfade(FADE_SECS)),
        ("inertialized", PlayOptions::LOOP.inertial(FADE_SECS)),
    ];
    let mut plot = Plot::new("The left hand from a walk to a run", "seconds", "meters ahead of the hips");
    let mut rows = Vec::new();
    for (name, options) in kinds {
        let path = hand_path(&archetype, options)?;
        let step = path.windows(2).map(|pair| (pair[1].y - pair[0].y).abs()).fold(0.0, f32::max);
        rows.push(vec![name.to_owned(), format!("{:.0} mm", step * 1000.0)]);
        plot = plot.with(name, path);
    }
    (plot.width, plot.height) = (1000, 420);
    bar.inc(1);
    let caption = format!("The clip changes at {CHANGE_SECS} s, with transitions of {FADE_SECS} s");
    Ok(Section {
        title: "A change of clips without a jump".into(),
        text: "A crossfade plays both clips while one fades into the other. An inertialized transition evaluates only the \
               new clip: the difference to the old one and its velocity decay."
            .into(),
        rows: vec![vec![Exhibit::still("crossfade_path", caption, &plot.draw())?]],
        table: Some(HtmlTable::new(["transition", "largest step in 1/120 s"], rows)),
    })
}

/// How far the hand is ahead of the hips, over time.
fn hand_path(archetype: &Archetype, options: PlayOptions) -> Result<Vec<Vec2>, Failure> {
    let motion = |name: &str| {
        archetype.find_motion(name).ok_or_else(|| Failure::work(compose_demo(), format!("no clip {name}")))
    };
    let (walk, run) = (motion("walk")?, motion("run")?);
    let skeleton = archetype.character().skeleton();
    let joints = [skeleton.find("hand.L"), skeleton.find("hips")];
    let (mut one, mut scratch) = (archetype.new_instance(), InstanceScratch::new(archetype));
    one.play_with(archetype, walk, PlayOptions::LOOP).attempt(compose_demo)?;
    let mut path = Vec::new();
    for tick in 0..TICKS {
        let secs = f32::from(tick) * DT_SECS;
        if (secs - CHANGE_SECS).abs() < DT_SECS / 2.0 {
            one.play_with(archetype, run, options.from_secs(0.1)).attempt(compose_demo)?;
        }
        one.update(archetype, DT_SECS, &mut scratch, |_| {});
        let posed = one.posed(archetype, &mut scratch);
        let [hand, hips] =
            joints.map(|joint| joint.map_or(Vec3::ZERO, |j| posed.model_from_joint(j).translation.into()));
        path.push(Vec2::new(secs, hand.z - hips.z));
    }
    Ok(path)
}
