//! Writes a capture as C3D: floats of Intel machines, in millimeters.

use super::{BLOCK, KEY};
use crate::WriteError;
use sinew::{MarkerCapture, UpAxis};

const MM_PER_METER: f32 = 1000.0;
/// The largest number of labels, and of bytes of labels, in one parameter.
const MAX_LABELS: usize = 255;
const MAX_LABEL_BYTES: usize = 30_000;
const POINT_GROUP: i8 = 1;
const TRIAL_GROUP: i8 = 2;

/// The bytes of a C3D file with the points of `capture`, in millimeters and in its own axes; `up` is stated as the vertical
/// axis. A position reads back within 1e-7 of its size.
///
/// # Errors
/// When there are more than 65,535 markers, a label has more than 127 bytes, or all labels take more than 120 KB.
pub fn to_c3d(capture: &MarkerCapture, up: Option<UpAxis>) -> Result<Vec<u8>, WriteError> {
    let points = u16::try_from(capture.labels().len()).map_err(|_| {
        unfit("points", format!("at most 65,535 markers fit, got {}", capture.labels().len()))
    })?;
    let frames = u32::try_from(capture.frame_count())
        .map_err(|_| unfit("frames", format!("at most 4294967295 fit, got {}", capture.frame_count())))?;
    let parameters = parameters(capture, points, frames, up)?;
    let blocks = u8::try_from(parameters.len() / BLOCK)
        .map_err(|_| unfit("labels", "all labels together must take less than 120 KB".into()))?;
    let mut out = header(capture, points, frames, blocks);
    out.extend(parameters);
    out[BLOCK + 2] = blocks;
    for frame in capture.frames() {
        for point in frame {
            let [x, y, z] = point.map_or([0.0; 3], |p| (p * MM_PER_METER).to_array());
            let residual = if point.is_some() { 0.0 } else { -1.0 };
            out.extend([x, y, z, residual].iter().flat_map(|v: &f32| v.to_le_bytes()));
        }
    }
    out.resize(out.len().next_multiple_of(BLOCK), 0);
    Ok(out)
}

fn unfit(place: &str, what: String) -> WriteError {
    WriteError::Unrepresentable { place: place.into(), what }
}

/// The first block of the file.
fn header(capture: &MarkerCapture, points: u16, frames: u32, parameter_blocks: u8) -> Vec<u8> {
    let last = u16::try_from(frames).unwrap_or(u16::MAX);
    let words: [u16; 6] = [u16::from_le_bytes([2, KEY]), points, 0, 1, last, 0];
    let mut out: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    out.extend((-1.0_f32).to_le_bytes());
    out.extend((2 + u16::from(parameter_blocks)).to_le_bytes());
    out.extend(0_u16.to_le_bytes());
    out.extend(capture.rate_hz().to_le_bytes());
    out.resize(BLOCK, 0);
    out
}

/// The parameter section, in whole blocks; the caller sets the number of blocks.
fn parameters(
    capture: &MarkerCapture,
    points: u16,
    frames: u32,
    up: Option<UpAxis>,
) -> Result<Vec<u8>, WriteError> {
    let mut out = vec![1, KEY, 0, 84];
    group(&mut out, POINT_GROUP, "POINT");
    group(&mut out, TRIAL_GROUP, "TRIAL");
    let word = |out: &mut Vec<u8>, name: &str, value: u16| {
        record(out, POINT_GROUP, name, [2, 0].into_iter().chain(value.to_le_bytes()));
    };
    let float = |out: &mut Vec<u8>, name: &str, value: f32| {
        record(out, POINT_GROUP, name, [4, 0].into_iter().chain(value.to_le_bytes()));
    };
    // The first parameter, so that its value is at a known place.
    word(&mut out, "DATA_START", 0);
    let data_start_at = out.len() - 3;
    word(&mut out, "USED", points);
    word(&mut out, "FRAMES", u16::try_from(frames).unwrap_or(u16::MAX));
    float(&mut out, "SCALE", -1.0);
    float(&mut out, "RATE", capture.rate_hz());
    texts(&mut out, "UNITS", &["mm"]);
    if let Some(up) = up {
        let screen = match up {
            UpAxis::X => ["+Y", "+X"],
            UpAxis::Y => ["+X", "+Y"],
            UpAxis::Z => ["+X", "+Z"],
        };
        texts(&mut out, "X_SCREEN", &[screen[0]]);
        texts(&mut out, "Y_SCREEN", &[screen[1]]);
    }
    labels(&mut out, capture.labels())?;
    for (name, value) in [("ACTUAL_START_FIELD", u32::from(frames > 0)), ("ACTUAL_END_FIELD", frames)] {
        record(&mut out, TRIAL_GROUP, name, [2, 1, 2].into_iter().chain(value.to_le_bytes()));
    }
    out.extend([0, 0]);
    out.resize(out.len().next_multiple_of(BLOCK), 0);
    let data_start = (2 + out.len() / BLOCK) as u16;
    out[data_start_at..data_start_at + 2].copy_from_slice(&data_start.to_le_bytes());
    Ok(out)
}

/// As many parameters LABELS, LABELS2, … as the labels need.
fn labels(out: &mut Vec<u8>, labels: &[String]) -> Result<(), WriteError> {
    if let Some(long) = labels.iter().find(|label| label.len() > 127) {
        return Err(unfit("labels", format!("a label must have at most 127 bytes, got {long:?}")));
    }
    let width = labels.iter().map(String::len).max().unwrap_or(1).max(1);
    let per_parameter = (MAX_LABEL_BYTES / width).min(MAX_LABELS);
    for (index, some) in labels.chunks(per_parameter).enumerate() {
        let name = if index == 0 { "LABELS".to_owned() } else { format!("LABELS{}", index + 1) };
        texts(out, &name, some);
    }
    Ok(())
}

/// A parameter of texts, padded with spaces to the same length.
fn texts(out: &mut Vec<u8>, name: &str, texts: &[impl AsRef<str>]) {
    let width = texts.iter().map(|t| t.as_ref().len()).max().unwrap_or(0);
    let padded = texts.iter().flat_map(|text| {
        let bytes = text.as_ref().bytes();
        bytes.chain(std::iter::repeat(b' ')).take(width)
    });
    // A text has at most 127 bytes and a parameter at most 255 texts.
    let head = [(-1_i8).cast_unsigned(), 2, width as u8, texts.len() as u8];
    record(out, POINT_GROUP, name, head.into_iter().chain(padded));
}

fn group(out: &mut Vec<u8>, id: i8, name: &str) {
    record(out, -id, name, []);
}

/// A group or a parameter with its content and no description.
fn record(out: &mut Vec<u8>, id: i8, name: &str, content: impl IntoIterator<Item = u8>) {
    let content: Vec<u8> = content.into_iter().collect();
    out.push(name.len() as u8);
    out.push(id.cast_unsigned());
    out.extend(name.bytes());
    // From the pointer to the next record: the pointer, the content and the length of the description.
    out.extend((content.len() as u16 + 3).to_le_bytes());
    out.extend(content);
    out.push(0);
}
