//! Complete streams of the reference encoder, intact and damaged.

mod corpus;
mod vectors;

use super::{Filter, MeshoptError, MeshoptMode, decode};
use vectors::{MeshoptVector, THREE_BLOCKS, VECTORS};

impl MeshoptVector {
    fn decode(&self, stream: &[u8]) -> Result<Vec<u8>, MeshoptError> {
        decode(stream, self.mode, self.filter, self.count, self.stride)
    }

    /// The components that the filter's tolerance is counted in.
    fn components(&self, bytes: &[u8]) -> Vec<i32> {
        let wide = bytes.as_chunks().0;
        match (self.filter, self.stride) {
            (Filter::Octahedral, 4) => bytes.iter().map(|v| i32::from(v.cast_signed())).collect(),
            (Filter::Octahedral | Filter::Quaternion, _) => {
                wide.iter().map(|v| i32::from(i16::from_le_bytes(*v))).collect()
            }
            (Filter::Color, 8) => wide.iter().map(|v| i32::from(u16::from_le_bytes(*v))).collect(),
            _ => bytes.iter().map(|v| i32::from(*v)).collect(),
        }
    }

    /// The extension allows the lossy filters one unit; all else is exact.
    fn tolerance(&self) -> i32 {
        match self.filter {
            Filter::None | Filter::Exponential => 0,
            Filter::Octahedral | Filter::Quaternion | Filter::Color => 1,
        }
    }
}

#[test]
fn every_vector_decodes_as_with_the_reference() {
    for vector in VECTORS {
        let got = vector.decode(vector.stream).expect(vector.name);
        assert_eq!(got.len(), vector.want.len(), "{}", vector.name);
        let pairs = vector.components(&got).into_iter().zip(vector.components(vector.want));
        for (at, (got, want)) in pairs.enumerate() {
            assert!(
                (got - want).abs() <= vector.tolerance(),
                "{}, component {at}: got {got}, want {want}",
                vector.name
            );
        }
    }
}

#[test]
fn a_block_continues_from_the_last_element_of_the_block_before() {
    let want: Vec<u8> = (0..600_u32).flat_map(|i| (i / 100 * 0x0001_0203).to_le_bytes()).collect();
    for stream in THREE_BLOCKS {
        assert_eq!(decode(stream, MeshoptMode::Attributes, Filter::None, 600, 4), Ok(want.clone()));
    }
}

#[test]
fn every_truncation_of_a_stream_is_an_error() {
    for vector in VECTORS {
        for len in 0..vector.stream.len() {
            let got = vector.decode(&vector.stream[..len]);
            assert!(got.is_err(), "{} cut to {len} bytes decodes", vector.name);
        }
    }
}

#[test]
fn a_byte_too_many_is_an_error() {
    for vector in VECTORS {
        for at in [1, vector.stream.len()] {
            let mut longer = vector.stream.to_vec();
            longer.insert(at, 0);
            assert!(vector.decode(&longer).is_err(), "{} with a zero at {at} decodes", vector.name);
        }
    }
}

// The other modes cannot tell: more attributes may be groups of zeros, more triangles may find their codes
// in the extra data.
#[test]
fn one_index_more_or_less_is_an_error() {
    for vector in VECTORS.iter().filter(|vector| vector.mode == MeshoptMode::Indices) {
        for count in [vector.count - 1, vector.count + 1] {
            let got = decode(vector.stream, vector.mode, vector.filter, count, vector.stride);
            assert!(got.is_err(), "{} as {count} indices decodes", vector.name);
        }
    }
}

#[test]
fn damaged_streams_give_an_error_or_the_whole_length() {
    let mut random = Lcg(1);
    for vector in VECTORS {
        let mut accepted = 0;
        for _ in 0..2000 {
            let mut damaged = vector.stream.to_vec();
            for _ in 0..=random.below(3) {
                let at = random.below(damaged.len());
                match random.below(4) {
                    0 => damaged[at] ^= 1 << random.below(8),
                    1 => damaged[at] = random.below(256) as u8,
                    2 => drop(damaged.remove(at)),
                    _ => damaged.insert(at, random.below(256) as u8),
                }
            }
            if let Ok(bytes) = vector.decode(&damaged) {
                assert_eq!(bytes.len(), vector.count * vector.stride, "{}", vector.name);
                accepted += 1;
            }
        }
        // Were every stream refused for its header, the damage would have tested nothing.
        assert!(accepted > 20, "{}: only {accepted} damaged streams were read to the end", vector.name);
    }
}

#[test]
fn layouts_that_break_a_rule_are_refused() {
    let refused = |mode, filter, count, stride| decode(&[0; 64], mode, filter, count, stride).unwrap_err();
    for stride in [0, 2, 6, 260] {
        let want = MeshoptError::BadStride { mode: MeshoptMode::Attributes, stride };
        assert_eq!(refused(MeshoptMode::Attributes, Filter::None, 1, stride), want);
    }
    for mode in [MeshoptMode::Triangles, MeshoptMode::Indices] {
        assert_eq!(refused(mode, Filter::None, 3, 8), MeshoptError::BadStride { mode, stride: 8 });
        let filter = Filter::Exponential;
        assert_eq!(refused(mode, filter, 3, 4), MeshoptError::FilteredIndices { mode, filter });
    }
    for (filter, stride) in [(Filter::Octahedral, 12), (Filter::Quaternion, 4), (Filter::Color, 16)] {
        let want = MeshoptError::BadFilterStride { filter, stride };
        assert_eq!(refused(MeshoptMode::Attributes, filter, 1, stride), want);
    }
    let want = MeshoptError::PartialTriangle { count: 4 };
    assert_eq!(refused(MeshoptMode::Triangles, Filter::None, 4, 4), want);
}

#[test]
fn headers_of_another_mode_or_version_are_refused() {
    for vector in VECTORS {
        for found in (0..=u8::MAX).filter(|byte| byte & 0xfe != vector.stream[0] & 0xfe) {
            let mut stream = vector.stream.to_vec();
            stream[0] = found;
            assert_eq!(vector.decode(&stream), Err(MeshoptError::BadHeader { mode: vector.mode, found }));
        }
    }
}

#[test]
fn counts_that_the_stream_cannot_hold_are_refused_before_allocation() {
    for vector in VECTORS {
        let count = usize::MAX / vector.stride / 3 * 3;
        let got = decode(vector.stream, vector.mode, vector.filter, count, vector.stride);
        assert!(matches!(got, Err(MeshoptError::TooShort { .. })), "{}: {got:?}", vector.name);

        let count = usize::MAX / 3 * 3;
        let got = decode(vector.stream, vector.mode, vector.filter, count, vector.stride);
        assert_eq!(got, Err(MeshoptError::TooManyElements { count, stride: vector.stride }));
    }
}

#[test]
fn the_shortest_stream_decodes_and_holds_no_further_element() {
    // Header, one block of zero columns, tail of 24 bytes: 256 elements. One more needs a second block.
    let mut version_1 = vec![0xa1, 0xaa];
    version_1.resize(26, 0);
    assert_eq!(decode(&version_1, MeshoptMode::Attributes, Filter::None, 256, 4), Ok(vec![0; 1024]));
    let want = MeshoptError::TooShort { len: 26, min_len: 27, count: 257, stride: 4 };
    assert_eq!(decode(&version_1, MeshoptMode::Attributes, Filter::None, 257, 4), Err(want));

    // Version 0 spends a byte on 64 elements of each of the four columns.
    let mut version_0 = vec![0xa0];
    version_0.resize(1 + 4 * 2 + 32, 0);
    assert_eq!(decode(&version_0, MeshoptMode::Attributes, Filter::None, 128, 4), Ok(vec![0; 512]));
    let want = MeshoptError::TooShort { len: 41, min_len: 45, count: 129, stride: 4 };
    assert_eq!(decode(&version_0, MeshoptMode::Attributes, Filter::None, 129, 4), Err(want));
}

#[test]
fn undefined_channel_modes_are_refused() {
    let mut stream = vec![0xa1, 0xaa];
    stream.resize(26, 0);
    for found in [3, 15, 0x10, 0x21] {
        stream[25] = found;
        let want = MeshoptError::BadChannel { channel: 0, found };
        assert_eq!(decode(&stream, MeshoptMode::Attributes, Filter::None, 1, 4), Err(want));
    }
}

/// Knuth's 64-bit linear congruential generator.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
