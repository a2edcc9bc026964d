use super::*;
use crate::encode::{Animation, encode_gif};
use crate::stage::{StageOptions, StageTextures};
use sinew::Clip;
use std::time::Duration;

fn film(character: &Arc<Character>) -> Film {
    let stage = Stage::new(character, &StageTextures::none(), StageOptions::default());
    Film::new(Arc::clone(character), stage)
}

fn clip<'a>(character: &'a Character, name: &str) -> &'a Clip {
    character.find_clip(name).unwrap()
}

/// The horizontal extent of the character in the picture, from -1 to 1, at each pose.
fn extents(film: &mut Film, camera: Camera, poses: &[LocalPose]) -> Vec<[f32; 2]> {
    let extent = |pose: &LocalPose| {
        film.pose(pose).unwrap();
        let camera = film.scene(camera).unwrap().camera;
        let places = film.frame().deformed()[0].positions.iter().map(|p| camera.place(*p, 1.0).unwrap().x);
        places.fold([f32::MAX, f32::MIN], |[low, high], x| [low.min(x), high.max(x)])
    };
    poses.iter().map(extent).collect()
}

#[test]
fn a_camera_that_follows_keeps_a_runner_large_and_in_the_picture() {
    let figure = Arc::new(sinew_samples::figure());
    let run = clip(&figure, "run");
    let poses = clip_poses(&figure, run, &times_at_rate(run.duration_secs(), 6.0).unwrap());
    let widest = |film: &mut Film| {
        let camera = film.camera(&poses, Orbit::SIDE, CameraLens::default()).unwrap();
        let extents = extents(film, camera, &poses);
        assert!(extents.iter().flatten().all(|x| x.abs() < 1.0), "{extents:?}");
        extents.iter().map(|[low, high]| high - low).fold(0.0, f32::max)
    };
    let still = widest(&mut film(&figure));
    let followed = widest(&mut film(&figure).with_follow(CameraFollow::of_clips(&figure, [run])));
    assert!(followed > 1.3 * still, "{followed} against {still}");
}

#[test]
fn the_ground_moves_with_a_camera_that_follows() {
    let figure = Arc::new(sinew_samples::figure());
    let run = clip(&figure, "run");
    let poses = clip_poses(&figure, run, &[0.0, 0.5]);
    let mut film = film(&figure).with_follow(CameraFollow::of_clips(&figure, [run]));
    let camera = film.camera(&poses, Orbit::SIDE, CameraLens::default()).unwrap();
    let mut center_and_travel = |pose| {
        film.pose(pose).unwrap();
        (film.scene(camera).unwrap().ground.unwrap().center, film.travel().xz())
    };
    let (first, second) = (center_and_travel(&poses[0]), center_and_travel(&poses[1]));
    assert!((second.0 - first.0).distance(second.1 - first.1) < 1e-4);
    assert!(second.1.length() > 0.5);
}

#[test]
fn a_recorder_makes_the_same_file_as_drawing_and_encoding_at_once() {
    let arm = Arc::new(sinew_samples::arm());
    let poses = vec![arm.rest_pose(), sinew_samples::arm_pose(0.8)];
    let (options, frame_time) = (RenderOptions::new(32, 24), Duration::from_millis(50));
    let mut film = film(&arm);
    let lens = CameraLens { aspect: options.aspect(), ..CameraLens::default() };
    let camera = film.camera(&poses, Orbit::FRONT, lens).unwrap();
    let mut recorder =
        GifRecorder::new(film.clone(), FilmTake { poses: poses.clone(), frame_time, camera, options });
    let mut progress = Vec::new();
    while let FilmProgress::Working(done) = recorder.step().unwrap() {
        progress.push(done);
    }
    assert!(progress.len() == 4 && progress.is_sorted(), "{progress:?}");
    let frames: Vec<Picture> = poses
        .iter()
        .map(|pose| {
            film.pose(pose).unwrap();
            film.shoot(camera, &options).unwrap()
        })
        .collect();
    let want = encode_gif(Animation { frames: &frames, frame_time }).unwrap();
    assert_eq!(recorder.finish().unwrap(), want);
}

#[test]
fn an_unfinished_recording_has_no_file() {
    let arm = Arc::new(sinew_samples::arm());
    let take = FilmTake {
        poses: vec![arm.rest_pose()],
        frame_time: Duration::from_millis(50),
        camera: Camera::default(),
        options: RenderOptions::new(8, 8),
    };
    let mut recorder = GifRecorder::new(film(&arm), take);
    recorder.step().unwrap();
    assert!(matches!(recorder.finish(), Err(FilmError::Encode(EncodeError::NoFrames))));
}

#[test]
fn limits_hold_for_a_long_clip_in_a_large_view() {
    let limits = FilmLimits { max_width: 480, max_frames: 150, max_fps: 20.0 };
    assert_eq!((limits.frame_count(1.0), limits.frame_count(60.0), limits.frame_count(0.0)), (20, 150, 1));
    let options = limits.render_options(1920, 1080);
    assert_eq!((options.width, options.height), (480, 270));
    assert_eq!(limits.frame_time(60.0, 150), Duration::from_secs_f32(0.4));
}
