//! NumPy's array file: floats of shape (frames, vertices, 3) or (vertices, 3).

use super::{VertexCache, VertexCacheFormat, frames_of};
use crate::{Limits, ReadError, budget::Budget};
use sinew::glam::{DVec3, Vec3};

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a `.npy` file of 32-bit or 64-bit floats, little-endian and in C order.
///
/// # Errors
/// When the header is malformed, the array has another shape or kind of number, the file is shorter than its shape says, or a number
/// is not finite.
pub fn read_npy(bytes: &[u8]) -> Result<VertexCache, ReadError> {
    let (header, data) =
        split(bytes).ok_or_else(|| ReadError::invalid("header", "is cut or of an unknown version"))?;
    let element_bytes = match value(header, "descr").map(|v| v.trim_matches(['\'', '"'])) {
        Some("<f4") => 4,
        Some("<f8") => 8,
        other => {
            let what = format!("descr must be <f4 or <f8, got {}", other.unwrap_or("none"));
            return Err(ReadError::invalid("header", what));
        }
    };
    if value(header, "fortran_order") != Some("False") {
        return Err(ReadError::invalid(
            "header",
            "the array must be in C order: np.ascontiguousarray(array)",
        ));
    }
    let (frames, vertices) = shape(header)?;
    let count = frames.checked_mul(vertices).and_then(|n| n.checked_mul(3 * element_bytes));
    if count.is_none_or(|needed| needed > data.len()) {
        let what = format!("shape ({frames}, {vertices}, 3) does not fit into {} bytes", data.len());
        return Err(ReadError::invalid("data", what));
    }
    let budget = Budget::new(&Limits::default(), bytes.len())?;
    budget.charge("data", frames, size_of::<Vec<Vec3>>())?;
    budget.charge("data", frames * vertices, size_of::<Vec3>())?;
    let mut elements = data.chunks_exact(element_bytes).map(|e| match *e {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    });
    let mut number = || elements.next().unwrap_or(f64::NAN);
    let frames = frames_of(|| DVec3::new(number(), number(), number()).as_vec3(), frames, vertices)?;
    Ok(VertexCache { format: VertexCacheFormat::Npy, frames })
}

/// The dictionary of the header as text, and the data.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let version = *bytes.strip_prefix(MAGIC)?.first()?;
    let length_bytes = match version {
        1 => 2,
        2 | 3 => 4,
        _ => return None,
    };
    let length = bytes.get(8..8 + length_bytes)?;
    let length = length.iter().rev().fold(0_usize, |n, &byte| n << 8 | usize::from(byte));
    let rest = &bytes[8 + length_bytes..];
    let header = std::str::from_utf8(rest.get(..length)?).ok()?;
    Some((header, &rest[length..]))
}

/// The text of one entry of the dictionary.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}':"), format!("\"{key}\":")];
    let after = quoted.iter().find_map(|key| header.split_once(key.as_str()))?.1.trim_start();
    let end = if after.starts_with('(') { after.find(')')? + 1 } else { after.find([',', '}'])? };
    Some(after[..end].trim())
}

/// The number of frames and vertices.
fn shape(header: &str) -> Result<(usize, usize), ReadError> {
    let text = value(header, "shape").unwrap_or_default();
    let sizes: Option<Vec<usize>> = text
        .trim_matches(['(', ')'])
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().ok())
        .collect();
    match sizes.as_deref() {
        Some(&[vertices, 3]) => Ok((1, vertices)),
        Some(&[frames, vertices, 3]) => Ok((frames, vertices)),
        _ => Err(ReadError::invalid("header", format!("shape must be (frames, vertices, 3), got {text}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\0".to_vec();
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(data);
        file
    }

    #[test]
    fn single_and_double_precision_of_two_and_three_axes_are_read() {
        let doubles: Vec<u8> = (0..12).flat_map(|i| f64::from(i).to_le_bytes()).collect();
        let cache =
            read_npy(&file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 3), }", &doubles))
                .unwrap();
        assert_eq!(cache.frames[1][0], Vec3::new(6.0, 7.0, 8.0));
        let singles: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
        let cache =
            read_npy(&file("{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}", &singles)).unwrap();
        assert_eq!(cache.frames, [[Vec3::new(0.0, 1.0, 2.0), Vec3::new(3.0, 4.0, 5.0)]]);
    }

    #[test]
    fn other_arrays_and_cut_files_are_refused_with_what_is_wrong() {
        let refusal = |header: &str| read_npy(&file(header, &[0; 24])).unwrap_err().to_string();
        let order = refusal("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }");
        assert!(order.contains("C order"), "{order}");
        assert!(refusal("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }").contains("<i4"));
        assert!(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }").contains("(2, 4)"));
        assert!(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }").contains("24 bytes"));
        let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 2, 3), }";
        assert!(read_npy(&file(huge, &[])).is_err());
        assert!(read_npy(b"\x93NUMPY\x01\0\xff\xff{").is_err());
    }
}
