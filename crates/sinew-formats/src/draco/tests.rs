//! Whole streams: what Google's decoder makes of them, and what damage does.

use std::path::Path;

use super::{DataType, DracoError, DracoMesh, decode};

const MAX_BYTES: usize = 1 << 26;

/// A stream, and the mesh that Google's decoder makes of it.
struct DracoVector {
    name: &'static str,
    stream: &'static [u8],
    vertices: usize,
    triangles: usize,
    attributes: usize,
    /// [`checksum`] of that mesh.
    checksum: u64,
}

macro_rules! vector {
    ($name:literal, $vertices:literal, $triangles:literal, $attributes:literal, $checksum:literal) => {
        DracoVector {
            name: $name,
            stream: include_bytes!(concat!("../../tests/draco/", $name, ".drc")),
            vertices: $vertices,
            triangles: $triangles,
            attributes: $attributes,
            checksum: $checksum,
        }
    };
}

/// `tests/draco/README.md` says how each stream was made.
const VECTORS: &[DracoVector] = &[
    vector!("compressed_indices", 5, 3, 1, 0x64b6_8424_9ee7_08e9),
    vector!("floats", 3, 1, 5, 0xee12_74f1_ac7f_411a),
    vector!("handle", 108, 216, 3, 0xef3d_0958_abb3_0c26),
    vector!("holes", 287, 476, 3, 0x7a6a_7dc4_9b0b_a972),
    vector!("integers", 48, 70, 7, 0x9b4d_b361_a7e2_25b9),
    vector!("metadata", 180, 252, 2, 0x47fb_5d33_b438_540c),
    vector!("parts", 119, 186, 2, 0xa3fb_738b_d1bc_b138),
    vector!("seams", 351, 264, 3, 0xe194_9955_a15d_0409),
    vector!("sequential", 48, 70, 6, 0x95ac_4b67_2bd1_101e),
    vector!("skin", 48, 70, 6, 0x766b_df8d_e7dd_f1a1),
    vector!("soup", 130, 52, 3, 0xab42_ee2c_8226_7fa5),
    vector!("uncompressed", 5, 3, 1, 0x4316_4d3b_6a5d_0445),
    vector!("valence", 532, 1062, 3, 0xbf5a_2230_497e_53dc),
];

/// FNV-1a over points, triangles and attributes, all numbers as little-endian `u32`.
fn checksum(mesh: &DracoMesh) -> u64 {
    let mut bytes = Vec::new();
    let mut put = |number: usize| bytes.extend_from_slice(&(number as u32).to_le_bytes());
    put(mesh.vertex_count);
    put(mesh.indices.len() / 3);
    mesh.indices.iter().for_each(|&index| put(index as usize));
    put(mesh.attributes.len());
    for attribute in &mesh.attributes {
        let header = [
            attribute.unique_id as usize,
            attribute.components.into(),
            attribute.data_type as usize,
            attribute.normalized.into(),
            attribute.bytes.len(),
        ];
        for number in header {
            bytes.extend_from_slice(&(number as u32).to_le_bytes());
        }
        bytes.extend_from_slice(&attribute.bytes);
    }
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn assert_is_consistent(mesh: &DracoMesh, name: &str) {
    assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.vertex_count), "{name}");
    for attribute in &mesh.attributes {
        let stride = attribute.data_type.byte_length() * usize::from(attribute.components);
        assert_eq!(attribute.bytes.len(), mesh.vertex_count * stride, "{name}");
    }
}

#[test]
fn every_stream_decodes_as_with_googles_decoder() {
    for vector in VECTORS {
        let mesh = decode(vector.stream, MAX_BYTES).expect(vector.name);
        assert_is_consistent(&mesh, vector.name);
        assert_eq!(mesh.vertex_count, vector.vertices, "{}", vector.name);
        assert_eq!(mesh.indices.len() / 3, vector.triangles, "{}", vector.name);
        assert_eq!(mesh.attributes.len(), vector.attributes, "{}", vector.name);
        assert_eq!(checksum(&mesh), vector.checksum, "{}", vector.name);
    }
}

fn vector(name: &str) -> &'static [u8] {
    VECTORS.iter().find(|vector| vector.name == name).unwrap().stream
}

#[test]
fn hand_made_indices_and_integers_come_out_as_written() {
    let mesh = decode(vector("compressed_indices"), MAX_BYTES).unwrap();
    assert_eq!(mesh.indices, [0, 1, 2, 2, 1, 3, 3, 1, 4]);
    let attribute = &mesh.attributes[0];
    assert_eq!((attribute.components, attribute.data_type), (3, DataType::Uint32));
    let want: Vec<u8> = (0..15_u32).flat_map(|i| (i * 500).to_le_bytes()).collect();
    assert_eq!(attribute.bytes, want);
}

#[test]
fn every_truncation_is_refused() {
    for vector in VECTORS {
        for length in 0..vector.stream.len() {
            let result = decode(&vector.stream[..length], MAX_BYTES);
            assert!(result.is_err(), "{} cut to {length} bytes", vector.name);
        }
    }
}

/// Pseudo-random numbers (xorshift), the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn damage(&mut self, stream: &mut Vec<u8>) {
        let at = self.below(stream.len());
        match self.below(5) {
            0 => stream[at] ^= 1 << self.below(8),
            1 => stream[at] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
            2 => drop(stream.drain(at..(at + self.below(16)).min(stream.len()))),
            // The bytes after the header decide most about the decode.
            3 => stream[11 + at.min(40) % 24] = self.below(256) as u8,
            _ => {
                for _ in 0..=self.below(8) {
                    let at = self.below(stream.len());
                    stream[at] = self.below(256) as u8;
                }
            }
        }
    }
}

#[test]
fn a_damaged_stream_gives_a_consistent_mesh_or_an_error() {
    let mut numbers = Numbers(0x5eed);
    let mut refused = 0;
    for vector in VECTORS {
        for _ in 0..400 {
            let mut stream = vector.stream.to_vec();
            numbers.damage(&mut stream);
            match decode(&stream, MAX_BYTES) {
                Ok(mesh) => assert_is_consistent(&mesh, vector.name),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 1000, "only {refused} were refused: the damage does not reach the decoder");
}

#[test]
fn a_limit_that_is_too_low_is_reported_and_a_sufficient_one_suffices() {
    for vector in VECTORS {
        let mut max_bytes = 16;
        while let Err(error) = decode(vector.stream, max_bytes) {
            assert_eq!(error, DracoError::TooLarge { max_bytes }, "{}", vector.name);
            max_bytes *= 2;
        }
        assert!(max_bytes <= MAX_BYTES, "{} needs {max_bytes} bytes", vector.name);
    }
}

#[test]
fn a_short_stream_that_announces_a_huge_mesh_is_refused() {
    // 2^28 triangles. All indices are the one symbol of a table, so they take no bits at all.
    let mut stream = b"DRACO\x02\x02\x01\x00\x00\x00".to_vec();
    stream.extend([0x80, 0x80, 0x80, 0x80, 0x01, 5, 0]);
    stream.extend([1, 1, 1, 0x01, 0x40, 1, 0]);
    assert!(matches!(decode(&stream, MAX_BYTES), Err(DracoError::Malformed(_))));
}

/// An edgebreaker stream that starts `surfaces` triangles and then merges them one by one, always at the newest vertex.
fn chain_of_merges(surfaces: usize) -> Vec<u8> {
    const START: &[bool] = &[true, true, true];
    const MERGE_AND_CLOSE_TWO: &[bool] = &[true, false, false, false, false];
    let mut bits = START.repeat(surfaces);
    bits.extend(MERGE_AND_CLOSE_TWO.repeat(surfaces - 1));
    let packed: Vec<u8> = bits
        .chunks(8)
        .map(|bits| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit)))
        .collect();
    let two_bytes = |number: usize| [number as u8 | 0x80, (number >> 7) as u8];
    let faces = 4 * surfaces - 3;
    let mut stream = b"DRACO\x02\x02\x01\x01\x00\x00\x00".to_vec();
    stream.extend([two_bytes(2 * surfaces + 1), two_bytes(faces)].concat());
    stream.push(0);
    stream.extend([two_bytes(faces), two_bytes(surfaces - 1)].concat());
    stream.push(0);
    stream.extend(two_bytes(packed.len()));
    stream.extend(packed);
    // No triangle closes the surface; there are no attributes.
    stream.extend([255, 1, 1, 0]);
    stream
}

#[test]
fn a_chain_of_merges_ends_in_one_surface() {
    let surfaces = 1000;
    let mesh = decode(&chain_of_merges(surfaces), MAX_BYTES).unwrap();
    assert_eq!(mesh.indices.len() / 3, 4 * surfaces - 3);
    assert_eq!(mesh.vertex_count, 2 * surfaces + 1);
    let in_merges = mesh.indices.iter().filter(|&&index| index == mesh.indices[3 * surfaces]).count();
    assert!(in_merges > surfaces, "the vertex of the merges is in {in_merges} triangles");
}

#[test]
fn refuses_all_but_meshes_of_bitstream_2_2() {
    let stream = vector("floats");
    let with = |at: usize, value: u8| {
        let mut stream = stream.to_vec();
        stream[at] = value;
        decode(&stream, MAX_BYTES)
    };
    assert_eq!(with(0, b'd'), Err(DracoError::NotDraco));
    assert_eq!(with(6, 1), Err(DracoError::Version { major: 2, minor: 1 }));
    assert_eq!(with(7, 0), Err(DracoError::PointCloud));
    assert!(matches!(with(8, 2), Err(DracoError::Malformed(_))));
    assert_eq!(decode(b"", MAX_BYTES), Err(DracoError::NotDraco));
}

/// The Draco stream in the binary chunk of a glTF file.
fn stream_of_glb(glb: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + word(12)]).unwrap();
    let primitive = &json["meshes"][0]["primitives"][0];
    let compression = &primitive["extensions"]["KHR_draco_mesh_compression"];
    let view = &json["bufferViews"][compression["bufferView"].as_u64().unwrap() as usize];
    let start = 28 + word(12) + view["byteOffset"].as_u64().unwrap() as usize;
    glb[start..start + view["byteLength"].as_u64().unwrap() as usize].to_vec()
}

#[test]
fn the_fox_of_the_corpus_decodes_as_with_googles_decoder() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fox_draco.glb");
    let Ok(glb) = std::fs::read(path) else {
        println!("skipped: the corpus is missing");
        return;
    };
    let mesh = decode(&stream_of_glb(&glb), MAX_BYTES).unwrap();
    assert_eq!((mesh.vertex_count, mesh.indices.len()), (434, 3 * 576));
    assert_eq!(checksum(&mesh), 0x3d57_408c_c6de_0e63);
    let joints = &mesh.attributes[2];
    assert_eq!((joints.unique_id, joints.data_type), (2, DataType::Uint16));
    let joints = joints.bytes.as_chunks().0;
    assert!(joints.iter().all(|joint| u16::from_le_bytes(*joint) < 24));
    let weights: Vec<f32> =
        mesh.attributes[3].bytes.as_chunks().0.iter().map(|weight| f32::from_le_bytes(*weight)).collect();
    for of_vertex in weights.chunks_exact(4) {
        // Each weight is stored in 8 bits, so four of them can miss one by two steps.
        assert!((of_vertex.iter().sum::<f32>() - 1.0).abs() <= 2.0 / 255.0, "{of_vertex:?}");
    }
}
