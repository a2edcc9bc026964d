//! Whatever is encoded is decoded to the same elements.

use super::*;
use crate::meshopt::decode;
use proptest::{collection::vec, prelude::*};
use sinew::glam::{Quat, Vec3};

/// A grid of quads as triangles, row by row, with vertices in the order of their first use.
fn grid(width: u32, height: u32) -> Vec<u32> {
    let quad = |x: u32, y: u32| {
        let corner = y * (width + 1) + x;
        let above = corner + width + 1;
        [corner, corner + 1, above, above, corner + 1, above + 1]
    };
    let mut numbers = std::collections::HashMap::new();
    let mut number = |vertex: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(vertex).or_insert(next)
    };
    let quads = (0..height).flat_map(|y| (0..width).flat_map(move |x| quad(x, y)));
    quads.map(&mut number).collect()
}

fn bytes_of(indices: &[u32]) -> Vec<u8> {
    indices.iter().flat_map(|index| index.to_le_bytes()).collect()
}

/// Each triangle from its lowest corner on.
fn turned(indices: &[u32]) -> Vec<[u32; 3]> {
    let turn = |&[a, b, c]: &[u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap();
    indices.as_chunks::<3>().0.iter().map(turn).collect()
}

fn round_trip(elements: &[u8], mode: MeshoptMode, stride: usize) -> (Vec<u8>, usize) {
    let stream = encode(elements, mode, Filter::None, stride).unwrap();
    let count = elements.len() / stride;
    (decode(&stream, mode, Filter::None, count, stride).unwrap(), stream.len())
}

#[test]
fn slow_changes_take_less_than_a_quarter_of_their_bytes() {
    let rows = (0..1000_u32).flat_map(|k| [(k * 3) as u16, (40_000 - k * 2) as u16, 7, 0]);
    let rows: Vec<u8> = rows.flat_map(u16::to_le_bytes).collect();
    let (back, length) = round_trip(&rows, MeshoptMode::Attributes, 8);
    assert_eq!(back, rows);
    assert!(length * 4 < rows.len(), "{length} of {}", rows.len());
}

#[test]
fn a_grid_takes_little_more_than_a_byte_per_triangle() {
    let indices = grid(40, 30);
    for (offset, tenths) in [(0, 14), (5000, 21)] {
        let moved: Vec<u32> = indices.iter().map(|index| index + offset).collect();
        let (back, length) = round_trip(&bytes_of(&moved), MeshoptMode::Triangles, 4);
        let back: Vec<u32> = back.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        assert_eq!(turned(&back), turned(&moved));
        assert!(
            length * 10 < indices.len() / 3 * tenths,
            "{length} bytes for {} triangles",
            indices.len() / 3
        );
    }
}

#[test]
fn meshes_in_one_stream_begin_at_zero_again() {
    let one = grid(8, 8);
    let both = [&one[..], &one[..]].concat();
    let (back, length) = round_trip(&bytes_of(&both), MeshoptMode::Triangles, 4);
    let back: Vec<u32> = back.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    assert_eq!(turned(&back), turned(&both));
    let (_, alone) = round_trip(&bytes_of(&one), MeshoptMode::Triangles, 4);
    assert!(length < alone * 2, "{length} for two, {alone} for one");
}

#[test]
fn no_elements_are_a_stream_of_a_header_and_a_tail() {
    for (mode, stride) in
        [(MeshoptMode::Attributes, 12), (MeshoptMode::Triangles, 2), (MeshoptMode::Indices, 4)]
    {
        assert_eq!(round_trip(&[], mode, stride).0, Vec::<u8>::new(), "{mode}");
    }
}

#[test]
fn layouts_that_the_extension_forbids_are_refused() {
    let refused = |mode, filter, stride| encode(&[0; 24], mode, filter, stride).is_err();
    assert!(refused(MeshoptMode::Attributes, Filter::None, 0));
    assert!(refused(MeshoptMode::Attributes, Filter::None, 6));
    assert!(refused(MeshoptMode::Attributes, Filter::Quaternion, 4));
    assert!(refused(MeshoptMode::Triangles, Filter::Exponential, 4));
    let far = bytes_of(&[0, 1 << 31]);
    let error = encode(&far, MeshoptMode::Indices, Filter::None, 4).unwrap_err();
    assert_eq!(error, MeshoptError::FarIndex { index: 1 << 31 });
}

#[test]
fn filters_keep_directions_rotations_and_lengths_within_their_bits() {
    let mut random = random_fractions(7);
    for _ in 0..2000 {
        let v: [f32; 4] = std::array::from_fn(|_| random() * 2.0 - 1.0);
        let length = v[..3].iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
        let unit = [v[0] / length, v[1] / length, v[2] / length];
        let [x, y, one] = octahedral_of(unit, 8);
        let lanes = [x, y, one, 127].map(|lane| (lane as i8).cast_unsigned());
        let stream = encode(&lanes, MeshoptMode::Attributes, Filter::Octahedral, 4).unwrap();
        let back = decode(&stream, MeshoptMode::Attributes, Filter::Octahedral, 1, 4).unwrap();
        let found = Vec3::from_array(std::array::from_fn(|k| f32::from(back[k].cast_signed())));
        assert!(found.angle_between(unit.into()) < 0.02, "{unit:?} becomes {found}");

        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
        let unit = v.map(|x| x / length);
        let lanes: Vec<u8> = quaternion_of(unit, 14).iter().flat_map(|lane| lane.to_le_bytes()).collect();
        let stream = encode(&lanes, MeshoptMode::Attributes, Filter::Quaternion, 8).unwrap();
        let back = decode(&stream, MeshoptMode::Attributes, Filter::Quaternion, 1, 8).unwrap();
        let lanes = back.as_chunks().0;
        let found =
            Quat::from_array(std::array::from_fn(|k| f32::from(i16::from_le_bytes(lanes[k])))).normalize();
        assert!(found.dot(Quat::from_array(unit)).abs() > 0.999_999, "{unit:?} becomes {found}");

        let packed = exponential_of(v[0] * 100.0, -10).to_le_bytes();
        let stream = encode(&packed, MeshoptMode::Attributes, Filter::Exponential, 4).unwrap();
        let back = decode(&stream, MeshoptMode::Attributes, Filter::Exponential, 1, 4).unwrap();
        let back = f32::from_le_bytes([back[0], back[1], back[2], back[3]]);
        assert!((back - v[0] * 100.0).abs() <= 0.000_49, "{} becomes {back}", v[0] * 100.0);
    }
}

/// Numbers from zero to one by a linear congruential generator.
fn random_fractions(mut state: u64) -> impl FnMut() -> f32 {
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32
    }
}

proptest! {
    #[test]
    fn any_elements_come_back_to_the_byte(
        stride in (1..=64_usize).prop_map(|words| words * 4),
        count in 0..700_usize,
        seed in any::<u64>(),
        spread in prop_oneof![Just(1.0_f32), Just(5.0), Just(40.0), Just(256.0)],
    ) {
        let mut random = random_fractions(seed);
        let elements: Vec<u8> = (0..stride * count).map(|_| (random() * spread) as u8).collect();
        prop_assert_eq!(round_trip(&elements, MeshoptMode::Attributes, stride).0, elements);
    }

    #[test]
    fn any_triangles_come_back_with_their_order_and_winding(
        indices in vec(prop_oneof![0..20_u32, 0..2000_u32, any::<u32>()], 0..300),
        is_wide in any::<bool>(),
    ) {
        let whole = &indices[..indices.len() / 3 * 3];
        let (bytes, stride) = if is_wide {
            (bytes_of(whole), 4)
        } else {
            (whole.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect(), 2)
        };
        let (back, _) = round_trip(&bytes, MeshoptMode::Triangles, stride);
        let whole = super::indices(&bytes, stride);
        prop_assert_eq!(turned(&super::indices(&back, stride)), turned(&whole));
    }

    #[test]
    fn any_indices_come_back_in_their_order(indices in vec(0..1_u32 << 30, 0..300)) {
        let bytes = bytes_of(&indices);
        prop_assert_eq!(round_trip(&bytes, MeshoptMode::Indices, 4).0, bytes);
    }
}
