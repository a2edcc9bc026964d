//! Mode INDICES: differences from the nearer of two running values.

use super::super::{MeshoptError, MeshoptMode};
use super::{put_integer, zigzag};

/// The bytes after the last index, all of them zero.
const TAIL: [u8; 4] = [0; 4];

/// Packs indices in their order.
///
/// # Errors
/// When a difference needs more than 31 bits.
pub(super) fn encode(indices: &[u32]) -> Result<Vec<u8>, MeshoptError> {
    let mut out = Vec::with_capacity(indices.len() * 2 + 5);
    out.push(MeshoptMode::Indices.header() | 1);
    let mut running = [0_u32; 2];
    for &index in indices {
        let codes = running.map(|value| zigzag(index.wrapping_sub(value)));
        let nearer = usize::from(codes[1] < codes[0]);
        if codes[nearer] > u32::MAX >> 1 {
            return Err(MeshoptError::FarIndex { index });
        }
        put_integer(&mut out, codes[nearer] << 1 | nearer as u32);
        running[nearer] = index;
    }
    out.extend(TAIL);
    Ok(out)
}
