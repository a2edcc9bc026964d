//! PointCache 2: samples of a fixed number of vertices, as floats.

use super::{VertexCache, VertexCacheFormat, frames_of};
use crate::{Limits, ReadError, budget::Budget};
use sinew::glam::Vec3;

pub(super) const MAGIC: &[u8] = b"POINTCACHE2\0";
/// Magic, version, vertices, first frame, frames a sample, samples.
const HEADER_BYTES: usize = 32;

/// Reads a PC2 file. Samples are taken as frames, whatever the rate in the header is.
///
/// # Errors
/// When the header is malformed, the file is shorter than its counts say, or a number is not finite.
pub fn read_pc2(bytes: &[u8]) -> Result<VertexCache, ReadError> {
    let header = bytes.get(..HEADER_BYTES).filter(|header| header.starts_with(MAGIC));
    let header = header.ok_or_else(|| ReadError::invalid("header", "must be the 32 bytes of a PC2 file"))?;
    let number = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    if number(12) != 1 {
        return Err(ReadError::invalid("header", format!("version {} is not read, only 1", number(12))));
    }
    let [vertices, samples] = [16, 28].map(number);
    let (Ok(vertices), Ok(samples)) = (usize::try_from(vertices), usize::try_from(samples)) else {
        return Err(ReadError::invalid("header", format!("{vertices} vertices in {samples} samples")));
    };
    let data = &bytes[HEADER_BYTES..];
    let needed = samples.checked_mul(vertices).and_then(|n| n.checked_mul(12));
    if needed.is_none_or(|needed| needed > data.len()) {
        let what = format!("{samples} samples of {vertices} vertices do not fit into {} bytes", data.len());
        return Err(ReadError::invalid("samples", what));
    }
    let budget = Budget::new(&Limits::default(), bytes.len())?;
    budget.charge("samples", samples, size_of::<Vec<Vec3>>())?;
    budget.charge("samples", samples * vertices, size_of::<Vec3>())?;
    let mut floats = data.chunks_exact(4).map(|f| f32::from_le_bytes([f[0], f[1], f[2], f[3]]));
    let mut float = || floats.next().unwrap_or(f32::NAN);
    let frames = frames_of(|| Vec3::new(float(), float(), float()), samples, vertices)?;
    Ok(VertexCache { format: VertexCacheFormat::Pc2, frames })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::{Bake, BakeMotion, BakeTake, pc2};
    use sinew::Method;

    fn file() -> (Bake, Vec<u8>) {
        let arm = sinew_samples::arm();
        let take = BakeTake::new(BakeMotion::Clip(&arm.clips()[0]), &[0.0, 0.5], Method::Linear);
        let bake = Bake::record(&arm, &[], &take, &mut |_| {}).unwrap();
        let mut file = Vec::new();
        let timeline = pc2::Pc2Times { start_frame: 1.0, frames_per_sample: 1.0 };
        pc2::write(&bake, timeline, &mut file).unwrap();
        (bake, file)
    }

    #[test]
    fn what_a_bake_writes_is_read_bit_for_bit() {
        let (bake, file) = file();
        let cache = read_pc2(&file).unwrap();
        assert_eq!(cache.frames.concat(), bake.positions);
    }

    #[test]
    fn cut_and_changed_files_are_refused() {
        let (_, file) = file();
        for length in [0, 12, 31, 32, file.len() - 1] {
            assert!(read_pc2(&file[..length]).is_err(), "{length}");
        }
        for (at, value) in [(12, 2_i32), (16, -1), (28, i32::MAX), (32, f32::NAN.to_bits().cast_signed())] {
            let mut bad = file.clone();
            bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
            assert!(read_pc2(&bad).is_err(), "{at}");
        }
    }
}
