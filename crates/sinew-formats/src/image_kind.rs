//! The kinds of images that characters carry, by their first bytes.

/// The media type that the first bytes of an image stand for; `None` if it is not an image that glTF files carry.
///
/// Besides PNG and JPEG these are the formats of `EXT_texture_webp`, `KHR_texture_basisu`, `EXT_texture_avif` and
/// `MSFT_texture_dds`.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    /// Where the bytes that mark a kind begin, these bytes, and the media type.
    const KINDS: [(usize, &[u8], &str); 7] = [
        (0, b"\x89PNG\r\n\x1A\n", "image/png"),
        (0, b"\xFF\xD8\xFF", "image/jpeg"),
        (8, b"WEBP", "image/webp"),
        (0, b"\xABKTX 20\xBB\r\n\x1A\n", "image/ktx2"),
        (4, b"ftypavif", "image/avif"),
        (4, b"ftypavis", "image/avif"),
        (0, b"DDS \x7C\0\0\0", "image/vnd-ms.dds"),
    ];
    let is = |(at, magic, media_type): &(usize, &[u8], &str)| {
        let starts = bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic));
        starts && (*media_type != "image/webp" || bytes.starts_with(b"RIFF"))
    };
    KINDS.iter().find(|kind| is(kind)).map(|kind| kind.2)
}

/// The kinds of images for messages.
pub(crate) const LIST: &str = "PNG, JPEG, WebP, KTX2, AVIF or DDS";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_recognized_and_other_files_are_not() {
        let cases: [(&[u8], Option<&str>); 10] = [
            (b"\x89PNG\r\n\x1A\n....", Some("image/png")),
            (b"\xFF\xD8\xFF\xE0", Some("image/jpeg")),
            (b"RIFF....WEBPVP8 ", Some("image/webp")),
            (b"\xABKTX 20\xBB\r\n\x1A\n", Some("image/ktx2")),
            (b"....ftypavif", Some("image/avif")),
            (b"DDS \x7C\0\0\0", Some("image/vnd-ms.dds")),
            (b"RIFF....WAVE", None),
            (b"....ftypmp42", None),
            (b"root:x:0:0", None),
            (b"", None),
        ];
        for (bytes, media_type) in cases {
            assert_eq!(self::media_type(bytes), media_type, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
