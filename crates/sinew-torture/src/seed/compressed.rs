//! Streams of the compressions that glTF allows.

/// The compression modes of meshopt.
pub const MODES: [&str; 3] = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
/// The filters of meshopt.
pub const FILTERS: [&str; 5] = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"];

/// The streams that the tests of the Draco reader use: one per feature of the format.
#[must_use]
pub fn draco_streams() -> Vec<Vec<u8>> {
    let streams: [&[u8]; 6] = [
        include_bytes!("../../../sinew-formats/tests/draco/integers.drc"),
        include_bytes!("../../../sinew-formats/tests/draco/valence.drc"),
        include_bytes!("../../../sinew-formats/tests/draco/floats.drc"),
        include_bytes!("../../../sinew-formats/tests/draco/handle.drc"),
        include_bytes!("../../../sinew-formats/tests/draco/seams.drc"),
        include_bytes!("../../../sinew-formats/tests/draco/skin.drc"),
    ];
    streams.map(<[u8]>::to_vec).to_vec()
}

/// Mode and filter, stride, and count of a meshopt stream, then the stream: attributes and indices.
#[must_use]
pub fn meshopt_streams() -> Vec<Vec<u8>> {
    let (count, stride) = (4_u8, 4_usize);
    // Version 0; for every byte of an element one group of sixteen deltas as they are.
    let mut attributes = vec![0, (stride / 4 - 1) as u8, count, 0, 0xA0];
    for byte in 0..stride as u8 {
        attributes.push(0b11);
        attributes.extend((0..16).map(|k| if k < count { k * 2 + byte } else { 0 }));
    }
    attributes.extend([0; 32]);
    // Version 1; each index as twice the zigzag of its distance from the one before.
    let mut indices = vec![2, 0, 6, 0, 0xD1];
    indices.extend([0, 4, 4, 2, 4, 4]);
    indices.extend([0; 4]);
    vec![attributes, indices]
}
