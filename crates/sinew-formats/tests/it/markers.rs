//! Marker captures: round trips, the variants of C3D and TRC, and malformed files.

use crate::hostile::random::HostileRandom;
use sinew::{MarkerCapture, UpAxis, glam::Vec3};
use sinew_formats::markers::{MarkerFormat, MarkerImport, read_c3d, read_markers, read_trc, to_c3d, to_trc};

/// A capture of `markers` in which every seventh position is missing.
fn capture(markers: usize, frames: usize) -> MarkerCapture {
    let labels = (0..markers).map(|k| format!("marker{k}")).collect();
    let mut random = HostileRandom::new(7);
    let mut coordinate = || random.below(4000) as f32 / 1000.0 - 1.9996;
    let positions = (0..markers * frames)
        .map(|k| (k % 7 != 3).then(|| Vec3::new(coordinate(), coordinate(), coordinate())))
        .collect();
    MarkerCapture::new(labels, 119.88, positions).unwrap()
}

fn assert_close(got: &MarkerCapture, want: &MarkerCapture, tolerance_meters: f32) {
    assert_eq!(got.labels(), want.labels());
    assert_eq!((got.rate_hz(), got.frame_count()), (want.rate_hz(), want.frame_count()));
    for (got, want) in got.frames().flatten().zip(want.frames().flatten()) {
        assert_eq!(got.is_some(), want.is_some());
        let apart = got.zip(*want).map_or(0.0, |(g, w)| g.distance(w));
        assert!(apart <= tolerance_meters, "{got:?} is not {want:?}");
    }
}

#[test]
fn a_capture_survives_both_formats() {
    // 600 labels need LABELS2 and LABELS3; 70,000 frames do not fit the header.
    for (markers, frames) in [(2, 5), (600, 3), (1, 70_000), (3, 0)] {
        let capture = capture(markers, frames);
        let c3d = read_markers(&to_c3d(&capture, Some(UpAxis::Z)).unwrap()).unwrap();
        assert_close(&c3d.capture, &capture, 1e-6);
        assert_eq!((c3d.format, c3d.up, c3d.notes), (MarkerFormat::C3d, Some(UpAxis::Z), vec![]));
        let trc = read_markers(to_trc(&capture).unwrap().as_bytes()).unwrap();
        assert_close(&trc.capture, &capture, 0.0);
        assert_eq!((trc.format, trc.up, trc.notes), (MarkerFormat::Trc, None, vec![]));
    }
}

#[test]
fn labels_that_a_format_cannot_hold_are_refused() {
    let named = |label: &str| MarkerCapture::new(vec![label.into()], 1.0, vec![]).unwrap();
    assert!(to_c3d(&named(&"x".repeat(128)), None).is_err());
    assert!(to_trc(&named("a\tb")).is_err());
    let many = MarkerCapture::new((0..65_536).map(|k| k.to_string()).collect(), 1.0, vec![]).unwrap();
    assert!(to_c3d(&many, None).unwrap_err().to_string().contains("65536"));
}

/// How a machine writes its numbers, and the byte that says so.
#[derive(Clone, Copy, Debug)]
enum Machine {
    Intel = 84,
    Dec = 85,
    Mips = 86,
}

impl Machine {
    fn word(self, value: i16) -> [u8; 2] {
        match self {
            Self::Intel | Self::Dec => value.to_le_bytes(),
            Self::Mips => value.to_be_bytes(),
        }
    }

    fn float(self, value: f32) -> [u8; 4] {
        match self {
            Self::Intel => value.to_le_bytes(),
            Self::Mips => value.to_be_bytes(),
            Self::Dec => {
                let [a, b, c, d] = (value * 4.0).to_le_bytes();
                [c, d, a, b]
            }
        }
    }

    /// A file of two points and two analog samples in each of three frames; the second point is missing in the second.
    fn file(self, is_float: bool) -> Vec<u8> {
        let scale = if is_float { -0.1 } else { 0.1 };
        let mut out: Vec<u8> = vec![2, 0x50];
        for word in [2, 2, 1, 3, 0] {
            out.extend(self.word(word));
        }
        out.extend(self.float(scale));
        out.extend(self.word(3));
        out.extend(self.word(1));
        out.extend(self.float(50.0));
        out.resize(512, 0);
        out.extend([1, 0x50, 1, self as u8]);
        self.record(&mut out, -3, "point", &[]);
        let text =
            |width: u8, text: &str| [&[0xFF, 2, width, text.len() as u8 / width], text.as_bytes()].concat();
        self.record(&mut out, 3, "LABELS", &text(4, "LKNELANK"));
        self.record(&mut out, 3, "units", &text(2, "cm"));
        self.record(&mut out, 3, "Y_SCREEN", &text(2, "+Z"));
        self.record(&mut out, 3, "SCALE", &[&[4, 0][..], &self.float(scale)].concat());
        out.extend([0, 0]);
        out.resize(1024, 0);
        for frame in 0..3 {
            for point in 0..2 {
                let is_missing = frame == 1 && point == 1;
                let values = [10 * frame, 20, -30 - point, if is_missing { -1 } else { 7 }];
                for value in values {
                    self.value(&mut out, is_float, value);
                }
            }
            [1, 2].iter().for_each(|&sample| self.value(&mut out, is_float, sample));
        }
        out
    }

    fn value(self, out: &mut Vec<u8>, is_float: bool, value: i16) {
        if is_float {
            out.extend(self.float(f32::from(value)));
        } else {
            out.extend(self.word(value));
        }
    }

    fn record(self, out: &mut Vec<u8>, id: i8, name: &str, content: &[u8]) {
        // A locked parameter has a negative length.
        out.extend([(-(name.len() as i8)).cast_unsigned(), id.cast_unsigned()]);
        out.extend(name.bytes());
        out.extend(self.word(i16::try_from(content.len()).unwrap() + 7));
        out.extend(content);
        out.extend(*b"\x04text");
    }
}

#[test]
fn every_number_format_of_c3d_reads_alike() {
    for machine in [Machine::Intel, Machine::Dec, Machine::Mips] {
        for is_float in [false, true] {
            let MarkerImport { capture, up, notes, omissions, .. } =
                read_c3d(&machine.file(is_float)).unwrap();
            assert_eq!(notes, omissions, "{machine:?}");
            let [analog, residuals] = &omissions[..] else { panic!("{omissions:?}") };
            assert!(
                analog.starts_with("2 analog samples") && residuals.contains("residuals"),
                "{omissions:?}"
            );
            assert_eq!((capture.labels(), up), (&["LKNE".into(), "LANK".into()][..], Some(UpAxis::Z)));
            assert_eq!((capture.rate_hz(), capture.frame_count()), (50.0, 3));
            // Integers are in steps of 0.1 cm, floats in cm.
            let step = if is_float { 0.01 } else { 0.001 };
            let want = Vec3::new(20.0, 20.0, -31.0) * step;
            assert!(capture.frame(2)[1].unwrap().distance(want) < 1e-6, "{machine:?} {is_float}");
            assert!(capture.gaps(1).into_iter().eq(std::iter::once(1..2)), "{machine:?} {is_float}");
        }
    }
}

#[test]
fn a_truncated_c3d_keeps_its_whole_frames_and_says_so() {
    let file = Machine::Intel.file(true);
    let short = read_c3d(&file[..file.len() - 1]).unwrap();
    assert_eq!(short.capture.frame_count(), 2);
    assert_eq!(short.notes[0], "the file ends after 2 of 3 frames");
}

const TRC: &str = "PathFileType\t4\t(X/Y/Z)\ta.trc\r\n\
    DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\r\n\
    50\t50\t3\t2\tcm\r\n\
    Frame#\tTime\tLKNE\t\t\tLANK\t\t\t\r\n\
    \t\tX1\tY1\tZ1\tX2\tY2\tZ2\r\n\
    \r\n\
    1\t0\t1\t2\t3\t4\t5\t6\r\n\
    2\t0.02\t1\t2\t3\t\t\t\r\n\
    3\t0.04\t0\t0\t0\tNaN\t5\t6\r\n";

#[test]
fn empty_zero_and_nan_columns_of_a_trc_are_missing() {
    let import = read_trc(TRC.as_bytes()).unwrap();
    assert_eq!(import.notes, [] as [&str; 0]);
    assert_eq!(import.capture.frame(0), [Vec3::new(0.01, 0.02, 0.03), Vec3::new(0.04, 0.05, 0.06)].map(Some));
    for (marker, gap) in [2..3, 1..3].into_iter().enumerate() {
        assert!(import.capture.gaps(marker).into_iter().eq(std::iter::once(gap)), "marker {marker}");
    }
}

#[test]
fn what_a_trc_does_not_say_is_noted() {
    let text = TRC.replace("50\t50\t3\t2\tcm", "0\t0\t9\t2\tparsec").replace("LANK", "LKNE");
    let import = read_trc(text.as_bytes()).unwrap();
    assert_eq!(
        (import.capture.rate_hz(), import.capture.labels()),
        (50.0, &["LKNE".into(), "LKNE_2".into()][..])
    );
    assert_eq!(import.notes.len(), 4, "{:?}", import.notes);
    let spaced = "PathFileType 4 x y\nDataRate Units\n25 m\nFrame# Time a b\n X1 Y1 Z1\n1 0 1 2 3 4 5 6\n";
    assert_eq!(read_trc(spaced.as_bytes()).unwrap().capture.frame(0)[1], Some(Vec3::new(4.0, 5.0, 6.0)));
    let error = read_trc(TRC.replace("0.04\t0", "0.04\tx").as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "line 9, column 3: \"x\" is not a number");
}

#[test]
fn a_small_trc_cannot_ask_for_much_memory() {
    let wide = "a\t\t\t".repeat(20_000);
    let rows = "1\t0\n".repeat(20_000);
    let text = format!("PathFileType\t4\nDataRate\tUnits\n1\tm\nFrame#\tTime\t{wide}\n\t\n{rows}");
    let error = read_trc(text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("unpacking needs more than"), "{error}");
}

/// Reads `bytes`, and uses the capture if there is one.
fn exercise(bytes: &[u8]) -> bool {
    let Ok(import) = read_markers(bytes) else { return false };
    let _ = import.up_or_guess();
    for marker in 0..import.capture.labels().len().min(9) {
        let _ = import.capture.gaps(marker);
    }
    if let Ok(file) = to_c3d(&import.capture, import.up) {
        assert_eq!(read_c3d(&file).unwrap().capture.frame_count(), import.capture.frame_count());
    }
    if let Ok(text) = to_trc(&import.capture) {
        assert_eq!(read_trc(text.as_bytes()).unwrap().capture.frame_count(), import.capture.frame_count());
    }
    true
}

fn originals() -> Vec<Vec<u8>> {
    let float = Machine::Dec.file(true);
    vec![Machine::Intel.file(false), Machine::Mips.file(true), float, TRC.as_bytes().to_vec()]
}

#[test]
fn no_truncation_causes_a_panic() {
    for file in originals() {
        let read = (0..=file.len()).filter(|&length| exercise(&file[..length])).count();
        assert!(read > 10, "only {read} truncations were read");
    }
}

#[test]
fn no_mutant_causes_a_panic() {
    let originals = originals();
    let mut read = 0;
    for number in 0..8_000 {
        let mut random = HostileRandom::new(number);
        let mut mutant = originals[random.below(originals.len())].clone();
        for _ in 0..=random.below(3) {
            // The header and the parameters decide more than the points.
            let at = random.below(mutant.len().min(700));
            match random.below(4) {
                0 => mutant[at] ^= 1 << random.below(8),
                1 => mutant[at] = [0, 1, 2, 127, 128, 255][random.below(6)],
                2 => mutant[at] = random.next() as u8,
                _ => drop(mutant.drain(at..(at + random.below(8)).min(mutant.len()))),
            }
        }
        read += usize::from(exercise(&mutant));
    }
    println!("{read} of 8000 mutants were read");
    assert!(read > 1000, "only {read} mutants were read: the test reaches little");
}
