//! Serves the studio's page to browsers on this machine only.
//!
//! Whatever connects, the server stays up: connections are counted, a request and its reply have a deadline, files are
//! sent in pieces. Pages of other sites can neither read the page nor reach it under another host name.

mod request;

use request::{HttpRequest, RequestError, read_request};
use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How many browsers may be connected at the same time; a page needs six connections.
const MAX_CONNECTIONS: usize = 64;
/// How long a request may take to arrive, and a reply to be taken.
const DEADLINE: Duration = Duration::from_secs(30);
/// The bytes of a file that a connection holds in memory.
const CHUNK_BYTES: usize = 64 * 1024;

/// What browsers enforce for the page: its own scripts and WebAssembly, no other site, and no site around it.
const SECURITY_HEADERS: &str = "\
Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; \
connect-src 'self' blob:; img-src 'self' data: blob:; style-src 'unsafe-inline'; font-src 'self' data:; \
base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Embedder-Policy: require-corp\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Referrer-Policy: no-referrer\r\n\
X-Content-Type-Options: nosniff\r\n\
Cache-Control: no-store\r\n\
Connection: close\r\n";

/// A server of the files in one folder.
#[derive(Debug)]
pub(super) struct Server {
    listener: TcpListener,
    site: Arc<Site>,
}

/// What every connection needs.
#[derive(Debug)]
struct Site {
    folder: PathBuf,
    port: u16,
    deadline: Duration,
    connections: AtomicUsize,
}

impl Server {
    /// Listens on `port`, or on a free port if it is 0.
    pub(super) fn bind(port: u16, folder: PathBuf) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let site = Site { folder, port, deadline: DEADLINE, connections: AtomicUsize::new(0) };
        Ok(Self { listener, site: Arc::new(site) })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until the process ends.
    pub(super) fn run(self) {
        const PAUSE: Duration = Duration::from_millis(50);
        for stream in self.listener.incoming() {
            // Out of file handles: connections that end free some.
            let Ok(stream) = stream else {
                thread::sleep(PAUSE);
                continue;
            };
            let Some(place) = ConnectionPlace::take(&self.site) else {
                refuse_crowd(&stream);
                continue;
            };
            // A browser that closes the connection early needs no answer. Without a thread the connection is closed.
            let _ = thread::Builder::new().spawn(move || answer(&stream, &place.site));
        }
    }
}

/// One of the connections that may exist at the same time, given back when it ends, also by a panic.
struct ConnectionPlace {
    site: Arc<Site>,
}

impl ConnectionPlace {
    fn take(site: &Arc<Site>) -> Option<Self> {
        let more = |count| (count < MAX_CONNECTIONS).then_some(count + 1);
        let taken = site.connections.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        taken.is_ok().then(|| Self { site: Arc::clone(site) })
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.site.connections.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tells one browser too many to try again, without waiting for it.
fn refuse_crowd(mut stream: &TcpStream) {
    let head = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let _ = stream.set_nonblocking(true).and_then(|()| stream.write_all(head.as_bytes()));
}

/// A response to a browser.
#[derive(Debug)]
struct HttpReply {
    status: &'static str,
    mime_type: &'static str,
    is_gzip: bool,
    body: ReplyBody,
}

#[derive(Debug)]
enum ReplyBody {
    Text(&'static str),
    File { file: File, bytes: u64 },
}

fn answer(stream: &TcpStream, site: &Site) -> io::Result<()> {
    let until = Instant::now() + site.deadline;
    let (reply, with_body) = match read_request(stream, until)? {
        Ok(request) => (reply_to(&request, site), request.method != "HEAD"),
        Err(RequestError::NotHttp) => (refusal("400 Bad Request", "not an HTTP request"), true),
        Err(RequestError::TooLong) => {
            (refusal("431 Request Header Fields Too Large", "the request is too long"), true)
        }
    };
    send(stream, reply, with_body, Instant::now() + site.deadline)
}

fn reply_to(request: &HttpRequest, site: &Site) -> HttpReply {
    if !["GET", "HEAD"].contains(&request.method.as_str()) {
        return refusal("405 Method Not Allowed", "only GET and HEAD are supported");
    }
    // A page of another site may have its own name lead to this machine.
    if !is_own_host(&request.host, site.port) {
        return refusal("421 Misdirected Request", "this server is only known as localhost");
    }
    let missing = || refusal("404 Not Found", "no such file");
    let Some(path) = path_below(&site.folder, &request.target) else { return missing() };
    let mime_type = mime_type(&path);
    let mut packed = path.clone().into_os_string();
    packed.push(".gz");
    let packed = if request.takes_gzip { open_regular(&site.folder, Path::new(&packed)) } else { None };
    let is_gzip = packed.is_some();
    match packed.or_else(|| open_regular(&site.folder, &path)) {
        Some((file, bytes)) => {
            HttpReply { status: "200 OK", mime_type, is_gzip, body: ReplyBody::File { file, bytes } }
        }
        None => missing(),
    }
}

fn refusal(status: &'static str, text: &'static str) -> HttpReply {
    HttpReply { status, mime_type: "text/plain; charset=utf-8", is_gzip: false, body: ReplyBody::Text(text) }
}

/// True for the names of this machine with this port.
fn is_own_host(host: &str, port: u16) -> bool {
    ["localhost", "127.0.0.1"].iter().any(|name| {
        host.strip_prefix(name)
            .is_some_and(|rest| rest == format!(":{port}") || (rest.is_empty() && port == 80))
    })
}

/// The file that a target names, or `None` if it could lead out of the folder. The page's own names need no escapes.
fn path_below(folder: &Path, target: &str) -> Option<PathBuf> {
    let name = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let name = if name.is_empty() { "index.html" } else { name };
    let is_plain = |part: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.starts_with('.') && !part.is_empty() && part.chars().all(is_letter)
    };
    let parts: Vec<&str> = name.split('/').collect();
    parts.iter().all(|part| is_plain(part)).then(|| parts.iter().fold(folder.to_path_buf(), |p, n| p.join(n)))
}

/// Opens a regular file that no link leads to, with its size in bytes.
fn open_regular(folder: &Path, path: &Path) -> Option<(File, u64)> {
    let below = path.strip_prefix(folder).ok()?;
    let mut place = folder.to_path_buf();
    for part in below.components() {
        place.push(part);
        if fs::symlink_metadata(&place).ok()?.is_symlink() {
            return None;
        }
    }
    // Opening a pipe would wait for somebody to write to it.
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let file = File::open(path).ok()?;
    let found = file.metadata().ok().filter(fs::Metadata::is_file)?;
    Some((file, found.len()))
}

/// The MIME type; browsers compile WebAssembly while it loads only if it has its own.
fn mime_type(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

fn send(stream: &TcpStream, reply: HttpReply, with_body: bool, until: Instant) -> io::Result<()> {
    let bytes = match &reply.body {
        ReplyBody::Text(text) => text.len() as u64,
        ReplyBody::File { bytes, .. } => *bytes,
    };
    let encoding = if reply.is_gzip { "Content-Encoding: gzip\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {bytes}\r\n{encoding}Vary: Accept-Encoding\r\n\
         {SECURITY_HEADERS}\r\n",
        reply.status, reply.mime_type,
    );
    write_until(stream, head.as_bytes(), until)?;
    match reply.body {
        _ if !with_body => Ok(()),
        ReplyBody::Text(text) => write_until(stream, text.as_bytes(), until),
        ReplyBody::File { file, bytes } => send_file(stream, file.take(bytes), until),
    }
}

fn send_file(stream: &TcpStream, mut file: io::Take<File>, until: Instant) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(()),
            count => write_until(stream, &chunk[..count], until)?,
        }
    }
}

/// Writes all bytes, or fails when the deadline has passed.
fn write_until(mut stream: &TcpStream, mut bytes: &[u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(time_left(until)?))?;
        let count = stream.write(bytes)?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[count..];
    }
    Ok(())
}

/// The time until a deadline; an error when it has passed.
fn time_left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod tests;
