//! Edits of bytes and of the numbers in them.

use crate::random::Random;

/// `input` with one edit.
pub(super) fn changed(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = input.to_vec();
    if out.is_empty() {
        return other.to_vec();
    }
    match random.below(8) {
        0 => out.truncate(random.below(out.len())),
        1 => flip(&mut out, random),
        2 => copy_within(&mut out, random),
        3 => splice(&mut out, other, random),
        4 => drop(remove(&mut out, random)),
        // Most fields of headers are in the first bytes.
        5 => {
            let at = random.below(out.len().min(64));
            put_field(&mut out, at, random);
        }
        _ => {
            let at = random.below(out.len());
            put_field(&mut out, at / 4 * 4, random);
        }
    }
    out
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

fn copy_within(bytes: &mut [u8], random: &mut Random) {
    let length = 1 + random.below(bytes.len().min(64));
    let room = bytes.len() - length + 1;
    let (from, to) = (random.below(room), random.below(room));
    bytes.copy_within(from..from + length, to);
}

fn splice(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let from = random.below(other.len());
    let length = random.below(other.len() - from + 1).min(1024);
    let at = random.below(bytes.len());
    let end = if random.one_in(2) { (at + length).min(bytes.len()) } else { at };
    bytes.splice(at..end, other[from..from + length].iter().copied());
}

fn remove(bytes: &mut Vec<u8>, random: &mut Random) -> usize {
    let at = random.below(bytes.len());
    let length = 1 + random.below((bytes.len() - at).min(256));
    bytes.drain(at..at + length).count()
}

/// A number of one to eight bytes at the ends of its range, or a float that is out of every range.
fn put_field(bytes: &mut [u8], at: usize, random: &mut Random) {
    let numbers = [
        0,
        1,
        u64::MAX,
        1 << 63,
        0x7FFF_FFFF,
        0x8000_0000,
        0xFFFF,
        0x1_0000,
        u64::from(f32::NAN.to_bits()),
        u64::from(f32::MAX.to_bits()),
        u64::from(f32::NEG_INFINITY.to_bits()),
        f64::NEG_INFINITY.to_bits(),
        f64::MAX.to_bits(),
        f64::NAN.to_bits(),
        bytes.len() as u64,
    ];
    let number = random.pick(&numbers).unwrap_or_default().to_le_bytes();
    let number = if random.one_in(4) { random.next().to_le_bytes() } else { number };
    let width = random.pick(&[1, 2, 4, 8]).unwrap_or(4).min(bytes.len() - at.min(bytes.len()));
    bytes[at..at + width].copy_from_slice(&number[..width]);
}
