//! The bytes that a document refers to: its own chunk, data URIs and files beside it.

use super::json::{Buffer, Root};
use crate::ReadError;
use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig},
};
use std::{borrow::Cow, io};

/// Finds a file that a document names by a relative URI, already percent-decoded.
pub type Fetch<'a> = dyn Fn(&str) -> io::Result<Vec<u8>> + 'a;

/// Every buffer of the document; `None` for one that only stands in for compressed data.
pub(crate) fn load_buffers<'a>(
    root: &Root,
    bin: Option<&'a [u8]>,
    fetch: &Fetch<'_>,
) -> Result<Vec<Option<Cow<'a, [u8]>>>, ReadError> {
    root.buffers.iter().enumerate().map(|(index, buffer)| load_buffer(index, buffer, bin, fetch)).collect()
}

fn load_buffer<'a>(
    index: usize,
    buffer: &Buffer,
    bin: Option<&'a [u8]>,
    fetch: &Fetch<'_>,
) -> Result<Option<Cow<'a, [u8]>>, ReadError> {
    let place = format!("buffers[{index}]");
    let bytes = match (&buffer.uri, bin) {
        (Some(uri), _) => Cow::Owned(load_uri(&place, uri, fetch)?.bytes),
        (None, Some(bin)) if index == 0 => Cow::Borrowed(bin),
        // Compressed files declare buffers without data, for readers that cannot decompress.
        (None, _) => return Ok(None),
    };
    if bytes.len() < buffer.byte_length {
        let what = format!("has {} bytes where {} are declared", bytes.len(), buffer.byte_length);
        return Err(ReadError::invalid(place, what));
    }
    Ok(Some(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..buffer.byte_length]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(buffer.byte_length);
            Cow::Owned(bytes)
        }
    }))
}

/// What a URI leads to.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) bytes: Vec<u8>,
    /// From a data URI; `None` for a file.
    pub(crate) mime_type: Option<String>,
}

/// The bytes behind a data URI or a relative URI.
pub(crate) fn load_uri(place: &str, uri: &str, fetch: &Fetch<'_>) -> Result<Resource, ReadError> {
    if let Some(data) = uri.strip_prefix("data:") {
        return decode_data_uri(data).map_err(|what| ReadError::invalid(place, what));
    }
    let path = percent_decode(uri);
    let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    if has_scheme || path.starts_with(['/', '\\']) || path.contains('\0') {
        return Err(ReadError::invalid(place, format!("the URI {:?} is not a relative path", shorten(uri))));
    }
    let fail = |source| ReadError::Resource { place: place.into(), uri: shorten(uri), source };
    Ok(Resource { bytes: fetch(&path).map_err(fail)?, mime_type: None })
}

/// Enough of a text for a message.
fn shorten(text: &str) -> String {
    text.chars().take(80).collect()
}

fn decode_data_uri(data: &str) -> Result<Resource, String> {
    let (header, payload) = data.split_once(',').ok_or("the data URI has no comma")?;
    let mime_type = header.split(';').next().filter(|m| !m.is_empty()).map(str::to_owned);
    if !header.ends_with(";base64") {
        return Ok(Resource { bytes: percent_decode_bytes(payload), mime_type });
    }
    // Files in the wild leave the padding off.
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let decoded = GeneralPurpose::new(&STANDARD, config).decode(payload.trim_ascii());
    let bytes = decoded.map_err(|e| format!("the data URI is not base64: {e}"))?;
    Ok(Resource { bytes, mime_type })
}

fn percent_decode(text: &str) -> String {
    String::from_utf8_lossy(&percent_decode_bytes(text)).into_owned()
}

fn percent_decode_bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = |b: u8| char::from(b).to_digit(16);
        match (byte, tail) {
            (b'%', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                out.push((hex(*high).unwrap_or(0) * 16 + hex(*low).unwrap_or(0)) as u8);
                rest = after;
            }
            _ => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::from(io::ErrorKind::NotFound))
    }

    #[test]
    fn data_uris_decode_with_and_without_padding() {
        for uri in ["data:application/octet-stream;base64,aGk=", "data:;base64,aGk", "data:text/plain,h%69"] {
            assert_eq!(load_uri("b", uri, &nothing).unwrap().bytes, b"hi", "{uri}");
        }
        assert!(load_uri("b", "data:;base64,*", &nothing).is_err());
        assert!(load_uri("b", "data:nothing", &nothing).is_err());
    }

    #[test]
    fn relative_paths_are_fetched_decoded_and_others_are_refused() {
        let fetch = |path: &str| Ok(path.as_bytes().to_vec());
        assert_eq!(load_uri("b", "my%20file%2.bin", &fetch).unwrap().bytes, b"my file%2.bin");
        for bad in ["/etc/x", "file:///etc/x", "http://host/x", "C:\\x", "\\\\server\\x", "%2Fetc"] {
            assert!(load_uri("b", bad, &fetch).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = load_uri("buffers[0]", "a.bin", &nothing).unwrap_err().to_string();
        assert!(message.contains("buffers[0]") && message.contains("a.bin"), "{message}");
    }
}
