//! The head of an HTTP request, read within a deadline and a size.

use super::time_left;
use std::{
    io::{self, Read as _},
    net::TcpStream,
    time::Instant,
};

/// The maximum size of the head of a request; browsers send far less.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// What a browser asks for.
#[derive(Debug, PartialEq)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) target: String,
    /// The `Host` header: name and port of the server, in lower case; empty if the request has none.
    pub(super) host: String,
    pub(super) takes_gzip: bool,
}

/// Why a request gets no file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RequestError {
    NotHttp,
    TooLong,
}

/// Reads a request up to the empty line after its head.
///
/// # Errors
/// When the connection fails or the deadline passes.
pub(super) fn read_request(
    mut stream: &TcpStream,
    until: Instant,
) -> io::Result<Result<HttpRequest, RequestError>> {
    let mut head = Vec::new();
    let mut chunk = [0; 4096];
    let mut searched = 0;
    loop {
        // A head that comes byte by byte is searched once.
        if let Some(end) = end_of_head(&head[searched..]) {
            return Ok(parse(&head[..searched + end]).ok_or(RequestError::NotHttp));
        }
        searched = head.len().saturating_sub(END_OF_HEAD.len() - 1);
        if head.len() >= MAX_HEAD_BYTES {
            return Ok(Err(RequestError::TooLong));
        }
        stream.set_read_timeout(Some(time_left(until)?))?;
        match stream.read(&mut chunk)? {
            0 => return Ok(Err(RequestError::NotHttp)),
            count => head.extend_from_slice(&chunk[..count]),
        }
    }
}

/// The end of the last header and the empty line after it.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(END_OF_HEAD.len()).position(|window| window == END_OF_HEAD)
}

fn parse(head: &[u8]) -> Option<HttpRequest> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if !version.starts_with("HTTP/1.") || words.next().is_some() {
        return None;
    }
    let mut request =
        HttpRequest { method: method.into(), target: target.into(), host: String::new(), takes_gzip: false };
    let mut hosts = 0;
    for line in lines {
        // A name with a space, as in `Host : a`, is read differently by different programs.
        let (name, value) = line.split_once(':').filter(|(name, _)| is_token(name))?;
        let value = value.trim().to_ascii_lowercase();
        match name.to_ascii_lowercase().as_str() {
            "host" => {
                hosts += 1;
                request.host = value;
            }
            "accept-encoding" => request.takes_gzip |= value.contains("gzip"),
            _ => {}
        }
    }
    (hosts <= 1).then_some(request)
}

/// True for what may be the name of a header.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_headers_have_any_case_and_a_second_host_is_refused() {
        let request = parse(b"GET /a HTTP/1.1\r\nhOsT:  LocalHost:80\r\nACCEPT-encoding: br, GZIP").unwrap();
        assert_eq!((request.host.as_str(), request.takes_gzip), ("localhost:80", true));
        for bad in [
            "GET /",
            "GET / a HTTP/1.1",
            "GET / FTP/1",
            "GET / HTTP/1.1\r\nno colon",
            "GET / HTTP/1.1\r\nHost : a",
            "GET / HTTP/1.1\r\n Host: a",
            "\u{1}",
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad:?}");
        }
        assert_eq!(parse(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b"), None);
    }
}
