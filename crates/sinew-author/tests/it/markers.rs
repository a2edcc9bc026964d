//! Joint angles from markers: made from real captures, with noise, drop-outs and swapped labels.

mod synthetic;

use sinew::{JointId, MarkerCapture, Wrap, constrain::Limit, glam::Vec3, sample_clip};
use sinew_author::{
    markers::{
        CalibrateOptions, GuessedBy, MarkerAttachments, MarkerSmoothing, MarkerSolveError,
        MarkerSolveOptions, MarkerSolveReport, calibrate_markers, guess_attachments, record_markers,
        skin_markers, solve_markers,
    },
    uninterrupted,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use synthetic::{Trial, angle_error, everything, joint_errors, noise, position_error_mm, shaken, trial};

/// The motions next to the checkout, or `None` after printing one line. In CI they must exist.
fn motions() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/bvh");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", path.display());
    println!("skipped: there is no corpus at {}", path.display());
    None
}

/// A run, a pirouette and boxing.
const SUBJECTS: [&str; 3] = ["cmu_143_01.bvh", "pirouette.bvh", "Boxing_Toes.bvh"];

fn solved(
    trial: &Trial,
    attachments: &MarkerAttachments,
    options: &MarkerSolveOptions,
) -> (sinew::Clip, MarkerSolveReport) {
    solve_markers(&trial.character, &trial.capture, attachments, "solved", options, &mut uninterrupted)
        .unwrap()
}

#[test]
fn angles_come_back_within_a_degree_at_2_mm_of_noise() {
    let Some(folder) = motions() else { return };
    for (seed, file) in (1..).zip(SUBJECTS) {
        let trial = trial(&folder.join(file), 1, 100, 0, noise(seed));
        let off = MarkerSolveOptions::default().with_smoothing(MarkerSmoothing::Off);
        let raw_clip = solved(&trial, &trial.attachments, &off).0;
        let (clip, report) = solved(&trial, &trial.attachments, &MarkerSolveOptions::default());
        let (raw, smooth) = (angle_error(&trial, &raw_clip), angle_error(&trial, &clip));
        println!("{file}: raw {raw:?}, smooth {smooth:?}, residual {:?}", report.residual);
        assert!(smooth.rms_degrees < 1.0 && smooth.rms_degrees < 0.7 * raw.rms_degrees, "{file}: {smooth:?}");
        assert!(raw.joints > 12 && (report.noise_mm - 2.0).abs() < 0.1, "{file}: {}", report.noise_mm);
        let places = [&raw_clip, &clip].map(|clip| position_error_mm(&trial, clip));
        assert!(places[1] < places[0], "{file}: markers are nearer than before smoothing: {places:?}");
        assert!(report.residual.rms_mm < 3.5, "{file}: {:?}", report.residual);
        assert!(report.gaps.is_empty() && report.unattached.is_empty() && report.unseen.is_empty());
    }
}

#[test]
fn frames_that_are_solved_alone_reach_the_bound_of_cramer_and_rao() {
    let Some(folder) = motions() else { return };
    let trial = trial(&folder.join(SUBJECTS[1]), 1, 200, 0, noise(5));
    let off = MarkerSolveOptions::default().with_smoothing(MarkerSmoothing::Off);
    let (clip, report) = solved(&trial, &trial.attachments, &off);
    let errors = joint_errors(&trial, &clip);
    assert_eq!(errors.len(), report.joints.len());
    for (joint, reported) in errors.iter().zip(&report.joints) {
        let squares = joint.degrees.iter().map(|d| d * d).sum::<f32>() / joint.degrees.len() as f32;
        let ratio = squares.sqrt() / reported.frame_bound_degrees;
        assert!((0.8..1.2).contains(&ratio), "{} {reported:?}", squares.sqrt());
    }
}

#[test]
fn smoothing_keeps_fast_motion() {
    let Some(folder) = motions() else { return };
    let trial = trial(&folder.join(SUBJECTS[2]), 1, 400, 0, noise(6));
    let off = MarkerSolveOptions::default().with_smoothing(MarkerSmoothing::Off);
    let clips = [off, MarkerSolveOptions::default()].map(|o| solved(&trial, &trial.attachments, &o).0);
    let [raw, smooth] = clips.map(|clip| {
        let mut fast = Vec::new();
        for joint in joint_errors(&trial, &clip) {
            let both = joint.degrees.iter().zip(&joint.step_degrees);
            let is_fast = |step: f32| step * trial.capture.rate_hz() > 200.0;
            fast.extend(both.filter(|(_, step)| is_fast(**step)).map(|(degrees, _)| *degrees));
        }
        (fast.iter().map(|d| d * d).sum::<f32>() / fast.len() as f32).sqrt()
    });
    assert!(smooth < 0.9 * raw, "faster than 200° per second: {raw}° one by one, {smooth}° smoothed");
}

#[test]
fn missing_and_swapped_markers_cost_little() {
    let Some(folder) = motions() else { return };
    for (seed, file) in (11..).zip(SUBJECTS) {
        let trial = trial(&folder.join(file), 1, 100, 0, everything(seed));
        let (clip, report) = solved(&trial, &trial.attachments, &MarkerSolveOptions::default());
        let error = angle_error(&trial, &clip);
        println!("{file}: {error:?}, {} gaps", report.gaps.len());
        let missing: usize = report.markers.iter().map(|m| m.missing_frames).sum();
        let outliers: usize = report.markers.iter().map(|m| m.outlier_frames).sum();
        assert!(missing > 0 && outliers > 0, "{file}: {missing} missing, {outliers} outliers");
        assert!(error.rms_degrees < 1.0, "{file}: {error:?}");
    }
}

#[test]
fn a_wrong_guess_is_calibrated_with_a_stand_in_the_rest_pose() {
    let Some(folder) = motions() else { return };
    let trial = trial(&folder.join(SUBJECTS[1]), 1, 150, 40, everything(21));
    let (options, guess) = (MarkerSolveOptions::default(), shaken(&trial, 0.02, 5));
    let known = angle_error(&trial, &solved(&trial, &trial.attachments, &options).0);
    let before = angle_error(&trial, &solved(&trial, &guess, &options).0);
    let calibrate = CalibrateOptions::default().with_rest_frames(0..40);
    let (found, report) =
        calibrate_markers(&trial.character, &trial.capture, &guess, &options, &calibrate, &mut uninterrupted)
            .unwrap();
    let after = angle_error(&trial, &solved(&trial, &found, &options).0);
    println!("known {known:?}\nbefore {before:?}\nafter {after:?}\n{report:?}");
    assert!(after.rms_degrees < 1.4 && before.rms_degrees > 3.0 * after.rms_degrees, "{before:?} {after:?}");
    assert!(report.after.rms_mm < 0.5 * report.before.rms_mm, "{report:?}");
}

/// The figure, markers on its skin, and a second of its walk.
fn walk() -> (sinew::Character, MarkerAttachments, MarkerCapture) {
    let figure = sinew_samples::figure();
    let attachments = skin_markers(&figure, 3, 0.1).unwrap();
    let capture = record_markers(&figure, figure.find_clip("walk").unwrap(), &attachments, 60.0).unwrap();
    (figure, attachments, capture)
}

/// The same capture with every position changed by its frame and marker.
fn changed(
    capture: &MarkerCapture,
    mut change: impl FnMut(usize, usize, Vec3) -> Option<Vec3>,
) -> MarkerCapture {
    let mut positions = Vec::new();
    for (frame, row) in capture.frames().enumerate() {
        positions.extend(row.iter().enumerate().map(|(marker, p)| p.and_then(|p| change(frame, marker, p))));
    }
    MarkerCapture::new(capture.labels().to_vec(), capture.rate_hz(), positions).unwrap()
}

/// The angle by which a joint of the solved clip is off the walk, in degrees, in every frame.
fn off(figure: &sinew::Character, capture: &MarkerCapture, clip: &sinew::Clip, joint: JointId) -> Vec<f32> {
    let walk = figure.find_clip("walk").unwrap();
    let rotation = |clip: &sinew::Clip, frame: usize| {
        let mut pose = figure.rest_pose();
        sample_clip(clip, capture.time_secs(frame), Wrap::Clamp, &mut pose);
        pose.joints[joint.index()].rotation
    };
    let angle = |frame| rotation(clip, frame).angle_between(rotation(walk, frame)).to_degrees();
    (0..capture.frame_count()).map(angle).collect()
}

#[test]
fn a_short_gap_of_a_joint_is_interpolated_and_a_long_one_held() {
    let (figure, attachments, capture) = walk();
    let shin = figure.skeleton().find("shin.L").unwrap();
    let (first, count) = (24, 8);
    let dropped = changed(&capture, |frame, marker, position| {
        let is_shin = capture.labels()[marker].starts_with("shin.L");
        let is_foot =
            capture.labels()[marker].starts_with("foot.L") || capture.labels()[marker].starts_with("toe");
        (!((is_shin || is_foot) && (first..first + count).contains(&frame))).then_some(position)
    });
    let solve = |max_gap: f32| {
        let options = MarkerSolveOptions::default().with_max_gap_secs(max_gap);
        solve_markers(&figure, &dropped, &attachments, "w", &options, &mut uninterrupted).unwrap()
    };
    let (filled, report) = solve(0.5);
    let gap = report.gaps.iter().find(|gap| gap.joint == "shin.L").unwrap();
    assert_eq!((gap.first_frame, gap.frames, gap.is_filled), (first, count, true));
    let (held, report) = solve(0.05);
    assert!(report.gaps.iter().all(|gap| !gap.is_filled));
    let worst = |clip| off(&figure, &capture, clip, shin).into_iter().fold(0.0, f32::max);
    assert!(
        worst(&filled) < 6.0 && worst(&held) > 2.0 * worst(&filled),
        "{} {}",
        worst(&filled),
        worst(&held)
    );
}

#[test]
fn limits_hold_and_other_joints_give_way() {
    let (figure, attachments, capture) = walk();
    let shin = figure.skeleton().find("shin.L").unwrap();
    let limit = Limit::cone(figure.skeleton(), shin, Vec3::Y, 0.3, 0.1).unwrap();
    let options = MarkerSolveOptions::default().with_limits(BTreeMap::from([(shin, limit)]));
    let (clip, report) =
        solve_markers(&figure, &capture, &attachments, "w", &options, &mut uninterrupted).unwrap();
    for frame in 0..capture.frame_count() {
        let mut pose = figure.rest_pose();
        sample_clip(&clip, capture.time_secs(frame), Wrap::Clamp, &mut pose);
        let [swing, twist] = limit.excess_radians(pose.joints[shin.index()].rotation);
        assert!(swing < 1e-3 && twist < 1e-3, "frame {frame}: {swing} {twist}");
    }
    assert!(report.residual.max_mm > 10.0, "the walk bends the knee further: {:?}", report.residual);
}

#[test]
fn attachments_are_guessed_by_label_and_by_distance_wherever_the_subject_stands() {
    let figure = sinew_samples::figure();
    let attachments = skin_markers(&figure, 3, 0.1).unwrap();
    let still = sinew::Clip::new("still", vec![], vec![]).unwrap();
    let capture = record_markers(&figure, &still, &attachments, 60.0).unwrap();
    let placed =
        capture.mapped(|p| sinew::glam::Quat::from_rotation_y(2.0) * p + Vec3::new(3.0, 0.02, -1.0)).unwrap();
    let (found, guesses) = guess_attachments(&figure, &placed, 0).unwrap();
    assert!(guesses.iter().all(|guess| guess.by == GuessedBy::Label));
    for (found, truth) in found.list().iter().zip(attachments.list()) {
        assert_eq!(found.joint, truth.joint, "{}", truth.label);
        assert!(
            found.offset.distance(truth.offset) < 0.05,
            "{}: {} {}",
            truth.label,
            found.offset,
            truth.offset
        );
    }
    let unlabeled = (0..capture.labels().len()).map(|k| format!("*{k}")).collect();
    let rows = placed.frames().flatten().copied().collect();
    let unlabeled = MarkerCapture::new(unlabeled, 60.0, rows).unwrap();
    let (found, guesses) = guess_attachments(&figure, &unlabeled, 0).unwrap();
    assert!(guesses.iter().all(|guess| guess.by == GuessedBy::Distance));
    let right = found.list().iter().zip(attachments.list()).filter(|(a, b)| a.joint == b.joint).count();
    println!("{right} of {} by distance", attachments.list().len());
    assert!(right * 10 > attachments.list().len() * 8, "{right} of {}", attachments.list().len());
}

#[test]
fn the_size_of_the_subject_is_found() {
    let (figure, attachments, capture) = walk();
    let large = capture.mapped(|p| p * 1.12).unwrap();
    let calibrate = CalibrateOptions::default().with_fit_scale(true);
    let options = MarkerSolveOptions::default();
    let (_, report) =
        calibrate_markers(&figure, &large, &attachments, &options, &calibrate, &mut uninterrupted).unwrap();
    assert!((report.scale - 1.12).abs() < 0.01, "{report:?}");
    assert!(report.after.rms_mm < 3.0, "{report:?}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (figure, attachments, capture) = walk();
    let noisy = changed(&capture, |frame, marker, p| {
        let wave = |k: usize| ((frame * 31 + marker * 17 + k * 7) as f32).sin() * 0.003;
        Some(p + Vec3::new(wave(0), wave(1), wave(2)))
    });
    let solve = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = MarkerSolveOptions::default();
        pool.install(|| {
            solve_markers(&figure, &noisy, &attachments, "w", &options, &mut uninterrupted).unwrap()
        })
    };
    assert_eq!(solve(1), solve(3));
}

#[test]
fn what_cannot_be_solved_is_an_error_with_its_value() {
    let (figure, attachments, capture) = walk();
    let solve = |capture: &MarkerCapture, attachments: &MarkerAttachments, options: MarkerSolveOptions| {
        solve_markers(&figure, capture, attachments, "w", &options, &mut uninterrupted).unwrap_err()
    };
    let options = MarkerSolveOptions::default();
    let empty = MarkerAttachments::default();
    assert_eq!(solve(&capture, &empty, options.clone()), MarkerSolveError::NothingAttached);
    let none = MarkerCapture::new(capture.labels().to_vec(), 60.0, vec![]).unwrap();
    assert_eq!(solve(&none, &attachments, options.clone()), MarkerSolveError::FrameCount { frames: 0 });
    let error = solve(&capture, &attachments, options.clone().with_max_gap_secs(-1.0)).to_string();
    assert_eq!(error, "max_gap_secs must be not negative, got -1");
    let stopped = solve_markers(&figure, &capture, &attachments, "w", &options, &mut |_| {
        std::ops::ControlFlow::Break(())
    });
    assert_eq!(stopped.unwrap_err(), MarkerSolveError::Stopped);
    let unseen = changed(&capture, |_, _, _| None);
    let report = solve_markers(&figure, &unseen, &attachments, "w", &options, &mut uninterrupted).unwrap().1;
    assert_eq!(report.unseen.len(), attachments.list().len(), "a capture without a marker is a rest pose");
}
