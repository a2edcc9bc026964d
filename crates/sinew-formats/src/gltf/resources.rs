//! Loads the resources of a document: its binary chunk, data URIs and other files.

use super::json::{Buffer, Root};
use crate::{Fetch, ReadError, budget::Budget};
use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig},
};
use std::{borrow::Cow, cell::Cell};

/// The files that a document names, with a bound on their total size.
///
/// A document can name the same file, even itself, any number of times. The limit for all of them together is that for
/// unpacking a document of its own size plus that of the largest file.
pub(crate) struct Library<'a> {
    fetch: &'a Fetch<'a>,
    document_bytes: usize,
    fetched: Cell<usize>,
    largest: Cell<usize>,
}

impl<'a> Library<'a> {
    pub(crate) fn new(fetch: &'a Fetch<'a>, document_bytes: usize) -> Self {
        Self { fetch, document_bytes, fetched: Cell::new(0), largest: Cell::new(0) }
    }

    /// The size of the document plus that of the largest file, in bytes.
    pub(crate) fn base_bytes(&self) -> usize {
        self.document_bytes.saturating_add(self.largest.get())
    }

    /// Loads a data URI or a relative URI.
    pub(crate) fn load(&self, place: &str, uri: &str) -> Result<Resource, ReadError> {
        if let Some(data) = uri.strip_prefix("data:") {
            return decode_data_uri(data).map_err(|what| ReadError::invalid(place, what));
        }
        let path = percent_decode(uri);
        let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
        if has_scheme || path.starts_with(['/', '\\']) || path.contains('\0') {
            return Err(ReadError::invalid(
                place,
                format!("the URI {:?} is not a relative path", shorten(uri)),
            ));
        }
        Ok(Resource { bytes: self.fetch(place, uri, &path)?, mime_type: None })
    }

    fn fetch(&self, place: &str, uri: &str, path: &str) -> Result<Vec<u8>, ReadError> {
        let fail = |source| ReadError::Resource { place: place.into(), uri: shorten(uri), source };
        let bytes = (self.fetch)(path).map_err(fail)?;
        self.largest.set(self.largest.get().max(bytes.len()));
        self.fetched.set(self.fetched.get().saturating_add(bytes.len()));
        let limit = Budget::default_limit(self.base_bytes());
        if self.fetched.get() > limit {
            return Err(ReadError::TooLarge { place: place.into(), limit });
        }
        Ok(bytes)
    }
}

/// Every buffer of the document; `None` for the placeholder of compressed data.
pub(crate) fn load_buffers<'a>(
    root: &Root,
    bin: Option<&'a [u8]>,
    library: &Library<'_>,
) -> Result<Vec<Option<Cow<'a, [u8]>>>, ReadError> {
    root.buffers.iter().enumerate().map(|(index, buffer)| load_buffer(index, buffer, bin, library)).collect()
}

fn load_buffer<'a>(
    index: usize,
    buffer: &Buffer,
    bin: Option<&'a [u8]>,
    library: &Library<'_>,
) -> Result<Option<Cow<'a, [u8]>>, ReadError> {
    let place = format!("buffers[{index}]");
    let bytes = match (&buffer.uri, bin) {
        (Some(uri), _) => Cow::Owned(library.load(&place, uri)?.bytes),
        (None, Some(bin)) if index == 0 => Cow::Borrowed(bin),
        // Compressed files declare buffers without data as fallbacks.
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
            bytes.shrink_to_fit();
            Cow::Owned(bytes)
        }
    }))
}

/// The content of a URI.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) bytes: Vec<u8>,
    /// The media type of a data URI; `None` for a file.
    pub(crate) mime_type: Option<String>,
}

/// The start of a text, for messages.
fn shorten(text: &str) -> String {
    text.chars().take(80).collect()
}

fn decode_data_uri(data: &str) -> Result<Resource, String> {
    let (header, payload) = data.split_once(',').ok_or("the data URI has no comma")?;
    let mime_type = header.split(';').next().filter(|m| !m.is_empty()).map(str::to_owned);
    if !header.ends_with(";base64") {
        return Ok(Resource { bytes: percent_decode_bytes(payload), mime_type });
    }
    // Some files omit the padding.
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let decoded = GeneralPurpose::new(&STANDARD, config).decode(payload.trim_ascii());
    let bytes = decoded.map_err(|e| format!("the data URI is not base64: {e}"))?;
    Ok(Resource { bytes, mime_type })
}

/// A file name as a relative URI.
pub(crate) fn uri_of_name(name: &str) -> String {
    let mut uri = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

pub(super) fn percent_decode(text: &str) -> String {
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
    use std::io;

    fn nothing(_: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::from(io::ErrorKind::NotFound))
    }

    #[test]
    fn data_uris_decode_with_and_without_padding() {
        for uri in ["data:application/octet-stream;base64,aGk=", "data:;base64,aGk", "data:text/plain,h%69"] {
            assert_eq!(Library::new(&nothing, 0).load("b", uri).unwrap().bytes, b"hi", "{uri}");
        }
        assert!(Library::new(&nothing, 0).load("b", "data:;base64,*").is_err());
        assert!(Library::new(&nothing, 0).load("b", "data:nothing").is_err());
    }

    #[test]
    fn relative_paths_are_decoded_and_fetched_and_others_are_refused() {
        let fetch = |path: &str| Ok(path.as_bytes().to_vec());
        assert_eq!(Library::new(&fetch, 0).load("b", "my%20file%2.bin").unwrap().bytes, b"my file%2.bin");
        for bad in ["/etc/x", "file:///etc/x", "http://host/x", "C:\\x", "\\\\server\\x", "%2Fetc"] {
            assert!(Library::new(&fetch, 0).load("b", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_error_for_a_missing_file_names_it() {
        let message = Library::new(&nothing, 0).load("buffers[0]", "a.bin").unwrap_err().to_string();
        assert!(message.contains("buffers[0]") && message.contains("a.bin"), "{message}");
    }

    #[test]
    fn naming_one_file_many_times_exhausts_the_limit() {
        let fetch = |_: &str| Ok(vec![0; 8 << 20]);
        let library = Library::new(&fetch, 100);
        let loaded = (0..1000).filter(|_| library.load("buffers[0]", "a.bin").is_ok()).count();
        assert_eq!(loaded, 256 + 8);
        let message = library.load("buffers[0]", "a.bin").unwrap_err().to_string();
        assert!(message.contains("buffers[0]"), "{message}");
    }
}
