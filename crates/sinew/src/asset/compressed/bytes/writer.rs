//! Writes numbers, texts and bytes in a row, counts in as few bytes as they need.

/// The bytes that were written so far.
#[derive(Debug, Default)]
pub(super) struct VarintWriter(Vec<u8>);

impl VarintWriter {
    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn word(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn float(&mut self, value: f32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn double(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A whole number, seven bits a byte, the lowest first; the top bit says that more follow.
    pub(super) fn count(&mut self, value: usize) {
        let mut left = value as u64;
        while left >= 0x80 {
            self.0.push(left as u8 | 0x80);
            left >>= 7;
        }
        self.0.push(left as u8);
    }

    /// A small number of either sign: 0, −1, 1, −2, 2 are 0, 1, 2, 3, 4.
    pub(super) fn difference(&mut self, value: i64) {
        self.count(((value << 1) ^ (value >> 63)).cast_unsigned() as usize);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}
