use super::*;
use crate::motion::{additive_from, resampled};
use sinew::{Character, Curve, Interpolation, JointId, sample_clip};

/// The error at many times that are unrelated to keys.
fn dense_error(figure: &Character, a: &Clip, b: &Clip, distance: f32) -> f32 {
    let mut deviation = Deviation::new(figure.skeleton(), distance);
    let (mut want, mut got) = (figure.rest_pose(), figure.rest_pose());
    let mut worst = 0.0_f32;
    for step in 0..5003_u16 {
        let time = a.duration_secs() * f32::from(step) / 5002.0;
        sample_clip(a, time, Wrap::Clamp, &mut want);
        sample_clip(b, time, Wrap::Clamp, &mut got);
        worst = worst.max(deviation.between(&want, &got));
    }
    worst
}

#[test]
fn the_reported_error_holds_at_every_moment() {
    let figure = sinew_samples::figure();
    for clip in figure.clips() {
        for tolerance in [1e-4, 1e-3, 1e-2] {
            let options = ReduceOptions {
                tolerance_meters: Some(tolerance),
                vertex_distance_meters: Some(0.05),
                ..ReduceOptions::default()
            };
            let (small, report) = reduced(clip, figure.skeleton(), &options).unwrap();
            let dense = dense_error(&figure, clip, &small, 0.05);
            println!("{} {tolerance}: {report:?}, dense {dense}", clip.name());
            assert!(
                dense <= report.error_meters + 1e-6,
                "{} {tolerance}: {dense} of {report:?}",
                clip.name()
            );
            assert!(report.error_meters <= tolerance);
            assert_eq!(small.duration_secs(), clip.duration_secs());
        }
    }
}

#[test]
fn a_looser_bound_keeps_fewer_keys() {
    let figure = sinew_samples::figure();
    let walk = figure.find_clip("walk").unwrap();
    let keys = [1e-4, 1e-3, 1e-2].map(|tolerance| {
        let options = ReduceOptions { tolerance_meters: Some(tolerance), ..ReduceOptions::default() };
        reduced(walk, figure.skeleton(), &options).unwrap().1.keys_after
    });
    assert!(keys[0] > keys[1] && keys[1] > keys[2], "{keys:?}");
    assert!(keys[2] * 3 < key_count(walk), "{keys:?} of {}", key_count(walk));
}

#[test]
fn redundant_keys_are_all_removed() {
    let figure = sinew_samples::figure();
    let turn = vec![Quat::IDENTITY, Quat::from_rotation_x(0.5)];
    let curve = Curve::new(vec![0.0, 1.0], turn, Interpolation::Linear).unwrap();
    let clip = Clip::new("c", vec![Channel::Rotation { joint: JointId(3), curve }], vec![]).unwrap();
    let fine = resampled(&clip, 60.0).unwrap();
    let (again, report) = reduced(&fine, figure.skeleton(), &ReduceOptions::default()).unwrap();
    assert_eq!((report.keys_before, report.keys_after), (61, 2), "{report:?}");
    assert_eq!(again.duration_secs(), 1.0);
}

#[test]
fn additive_clips_are_measured_on_top_of_the_rest_pose() {
    let figure = sinew_samples::figure();
    let run = figure.find_clip("run").unwrap();
    let additive = additive_from(run, &figure.rest_pose()).unwrap();
    let (small, report) = reduced(&additive, figure.skeleton(), &ReduceOptions::default()).unwrap();
    assert_eq!(small.kind(), ClipKind::Additive);
    assert!(report.keys_after < report.keys_before && report.error_meters <= report.tolerance_meters);
}

#[test]
fn rejects_invalid_bounds_and_clips_of_other_skeletons() {
    let figure = sinew_samples::figure();
    let walk = figure.find_clip("walk").unwrap();
    for bad in [0.0, -1.0, f32::NAN] {
        let options = ReduceOptions { tolerance_meters: Some(bad), ..ReduceOptions::default() };
        assert!(matches!(reduced(walk, figure.skeleton(), &options), Err(MotionError::BadOption { .. })));
    }
    let none = Skeleton::new([]).unwrap();
    assert!(matches!(reduced(walk, &none, &ReduceOptions::default()), Err(MotionError::WrongSize { .. })));
}
