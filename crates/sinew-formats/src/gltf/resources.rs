//! Loads the resources of a document: its binary chunk, data URIs and other files.

use super::json::{Buffer, Root};
use crate::{
    Fetch, ReadError, ReadOptions,
    budget::Budget,
    shared_bytes::{SharedBytes, SourceBytes},
};
use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig},
};
use std::{cell::RefCell, collections::HashMap, io, sync::Arc};

/// The files that a document names. One that is named many times is read once, and its bytes are shared.
pub(crate) struct Library<'a> {
    fetch: &'a Fetch<'a>,
    budget: &'a Budget,
    /// True to pass absolute paths on, which `fetch` may refuse.
    allows_absolute: bool,
    loaded: RefCell<HashMap<String, Arc<[u8]>>>,
}

impl<'a> Library<'a> {
    pub(crate) fn new(fetch: &'a Fetch<'a>, budget: &'a Budget, options: &ReadOptions) -> Self {
        Self { fetch, budget, allows_absolute: options.allow_outside, loaded: RefCell::default() }
    }

    /// Loads a data URI or a relative URI.
    pub(crate) fn load(&self, place: &str, uri: &str) -> Result<Resource, ReadError> {
        if let Some(data) = uri.strip_prefix("data:") {
            self.budget.check_time(place)?;
            return decode_data_uri(data).map_err(|what| ReadError::invalid(place, what));
        }
        let path = percent_decode(uri);
        let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
        let is_absolute = path.starts_with('/') && !self.allows_absolute;
        if has_scheme || is_absolute || path.starts_with('\\') || path.contains('\0') {
            let hint = if is_absolute { "; --allow-outside reads it" } else { "" };
            return Err(ReadError::invalid(
                place,
                format!("the URI {:?} is not a relative path{hint}", shorten(uri)),
            ));
        }
        Ok(Resource { bytes: self.fetch(place, uri, &path)?, mime_type: None })
    }

    fn fetch(&self, place: &str, uri: &str, path: &str) -> Result<Arc<[u8]>, ReadError> {
        let path = plain_path(path);
        if let Some(loaded) = self.loaded.borrow().get(&path) {
            return Ok(loaded.clone());
        }
        let fail = |source: io::Error| match source.kind() {
            io::ErrorKind::FileTooLarge => self.budget.too_much_to_read(place),
            _ => ReadError::Resource { place: place.into(), uri: shorten(uri), source },
        };
        let bytes: Arc<[u8]> = (self.fetch)(&path).map_err(fail)?.into();
        self.budget.charge_read(place, bytes.len())?;
        self.loaded.borrow_mut().insert(path, bytes.clone());
        Ok(bytes)
    }
}

/// A path without `.` and without `..` after a name, so that one file has one name.
pub(super) fn plain_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("." | "", Some(_)) => {}
            ("..", Some(&last)) if !matches!(last, ".." | "" | ".") => {
                parts.pop();
            }
            (".", None) => {}
            (part, _) => parts.push(part),
        }
    }
    parts.join("/")
}

/// Every buffer of the document; `None` for the placeholder of compressed data.
pub(crate) fn load_buffers<'a>(
    root: &Root,
    bin: Option<&SourceBytes<'a>>,
    library: &Library<'_>,
) -> Result<Vec<Option<SourceBytes<'a>>>, ReadError> {
    root.buffers.iter().enumerate().map(|(index, buffer)| load_buffer(index, buffer, bin, library)).collect()
}

fn load_buffer<'a>(
    index: usize,
    buffer: &Buffer,
    bin: Option<&SourceBytes<'a>>,
    library: &Library<'_>,
) -> Result<Option<SourceBytes<'a>>, ReadError> {
    let place = format!("buffers[{index}]");
    let bytes = match (&buffer.uri, bin) {
        (Some(uri), _) => SourceBytes::Shared(SharedBytes::from(library.load(&place, uri)?.bytes)),
        (None, Some(bin)) if index == 0 => bin.clone(),
        // Compressed files declare buffers without data as fallbacks.
        (None, _) => return Ok(None),
    };
    if bytes.len() < buffer.byte_length {
        let what = format!("has {} bytes where {} are declared", bytes.len(), buffer.byte_length);
        return Err(ReadError::invalid(place, what));
    }
    Ok(Some(bytes.part(0, buffer.byte_length)))
}

/// The content of a URI.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) bytes: Arc<[u8]>,
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
        return Ok(Resource { bytes: percent_decode_bytes(payload).into(), mime_type });
    }
    // Some files omit the padding.
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let decoded = GeneralPurpose::new(&STANDARD, config).decode(payload.trim_ascii());
    let bytes = decoded.map_err(|e| format!("the data URI is not base64: {e}"))?;
    Ok(Resource { bytes: bytes.into(), mime_type })
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
    use crate::Limits;
    use std::cell::Cell;

    fn nothing(_: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::from(io::ErrorKind::NotFound))
    }

    /// Loads a URI of a document of no size.
    fn load(fetch: &Fetch<'_>, uri: &str, options: &ReadOptions) -> Result<Arc<[u8]>, ReadError> {
        let budget = Budget::new(&options.limits, 0).unwrap();
        Library::new(fetch, &budget, options).load("buffers[0]", uri).map(|resource| resource.bytes)
    }

    #[test]
    fn data_uris_decode_with_and_without_padding() {
        let options = ReadOptions::default();
        for uri in ["data:application/octet-stream;base64,aGk=", "data:;base64,aGk", "data:text/plain,h%69"] {
            assert_eq!(*load(&nothing, uri, &options).unwrap(), *b"hi", "{uri}");
        }
        assert!(load(&nothing, "data:;base64,*", &options).is_err());
        assert!(load(&nothing, "data:nothing", &options).is_err());
    }

    #[test]
    fn relative_paths_are_decoded_and_fetched_and_others_are_refused() {
        let fetch = |path: &str| Ok(path.as_bytes().to_vec());
        let options = ReadOptions::default();
        assert_eq!(*load(&fetch, "my%20file%2.bin", &options).unwrap(), *b"my file%2.bin");
        for bad in ["/etc/x", "file:///etc/x", "http://host/x", "C:\\x", "\\\\server\\x", "%2Fetc"] {
            assert!(load(&fetch, bad, &options).is_err(), "{bad}");
        }
        assert!(load(&fetch, "/etc/x", &options).unwrap_err().to_string().contains("--allow-outside"));
        assert!(load(&fetch, "/etc/x", &options.with_allow_outside(true)).is_ok());
    }

    #[test]
    fn the_error_for_a_missing_file_names_it() {
        let message = load(&nothing, "a.bin", &ReadOptions::default()).unwrap_err().to_string();
        assert!(message.contains("buffers[0]") && message.contains("a.bin"), "{message}");
    }

    #[test]
    fn a_file_that_is_named_many_times_is_read_and_charged_once() {
        let reads = Cell::new(0);
        let fetch = |path: &str| {
            assert_eq!(path, "textures/a.bin");
            reads.set(reads.get() + 1);
            Ok(vec![0; 1000])
        };
        let budget = Budget::new(&Limits::default().with_max_read_bytes(1500), 500).unwrap();
        let library = Library::new(&fetch, &budget, &ReadOptions::default());
        let names = ["textures/a.bin", "./textures/a.bin", "textures/x/../a.bin", "textures//./%61.bin"];
        let loaded = names.map(|name| library.load("buffers[0]", name).unwrap().bytes);
        assert!(loaded.iter().all(|bytes| Arc::ptr_eq(bytes, &loaded[0])));
        assert_eq!(reads.get(), 1);
    }

    #[test]
    fn many_files_exhaust_the_limit_together() {
        let fetch = |_: &str| Ok(vec![0; 100]);
        let budget = Budget::new(&Limits::default().with_max_read_bytes(1000), 50).unwrap();
        let library = Library::new(&fetch, &budget, &ReadOptions::default());
        let loaded = (0..20).filter(|k| library.load("buffers[0]", &format!("{k}.bin")).is_ok()).count();
        assert_eq!(loaded, 9);
        let error = library.load("buffers[7]", "last.bin").unwrap_err();
        assert!(matches!(&error, ReadError::TooMuchToRead { place, limit: 1000 } if place == "buffers[7]"));
    }

    #[test]
    fn paths_lose_what_does_not_change_them() {
        for (path, expected) in [
            ("a/b", "a/b"),
            ("./a", "a"),
            ("a/../../b", "../b"),
            ("../../b", "../../b"),
            ("/a//b", "/a/b"),
            ("..a/..", ""),
        ] {
            assert_eq!(plain_path(path), expected, "{path}");
        }
    }
}
