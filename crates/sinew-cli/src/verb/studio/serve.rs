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
mod tests {
    use super::*;

    /// Serves a small page from a folder that has a secret file next to it.
    fn served() -> (tempfile::TempDir, SocketAddr) {
        let dir = tempfile::tempdir().unwrap();
        let page = dir.path().join("page");
        fs::create_dir(&page).unwrap();
        fs::write(dir.path().join("secret.txt"), "secret").unwrap();
        fs::write(page.join("index.html"), "<html>").unwrap();
        fs::write(page.join("studio.wasm"), "raw").unwrap();
        fs::write(page.join("studio.wasm.gz"), "packed").unwrap();
        fs::write(page.join(".hidden"), "secret").unwrap();
        let address = start(page, DEADLINE);
        (dir, address)
    }

    fn start(page: PathBuf, deadline: Duration) -> SocketAddr {
        let mut server = Server::bind(0, page).unwrap();
        Arc::get_mut(&mut server.site).unwrap().deadline = deadline;
        let address = server.address().unwrap();
        thread::spawn(move || server.run());
        address
    }

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        String::from_utf8_lossy(&reply).into_owned()
    }

    fn get(address: SocketAddr, target: &str) -> String {
        ask(address, &format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
    }

    #[test]
    fn the_page_is_at_the_root_and_queries_do_not_change_that() {
        let (_dir, address) = served();
        assert!(address.ip().is_loopback());
        for target in ["/", "/index.html", "/?open=arm&renderer=webgl"] {
            let reply = get(address, target);
            assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{target}: {reply}");
            assert!(reply.contains("Content-Type: text/html; charset=utf-8\r\n"), "{reply}");
            assert!(reply.ends_with("\r\n\r\n<html>"), "{reply}");
        }
    }

    #[test]
    fn compressed_files_go_to_browsers_that_accept_them() {
        let (_dir, address) = served();
        let raw = get(address, "/studio.wasm");
        assert!(raw.contains("Content-Type: application/wasm\r\n") && raw.ends_with("\r\n\r\nraw"), "{raw}");
        let request =
            format!("GET /studio.wasm HTTP/1.1\r\nAccept-Encoding: br, gzip\r\nHost: {address}\r\n\r\n");
        let packed = ask(address, &request);
        assert!(packed.contains("Content-Encoding: gzip\r\n"), "{packed}");
        assert!(packed.contains("Content-Type: application/wasm\r\n") && packed.ends_with("packed"));
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let (_dir, address) = served();
        let targets = [
            "/missing.js",
            "/../secret.txt",
            "/x/../../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/..\\secret.txt",
            "//secret.txt",
            "/.hidden",
            "/C:/secret.txt",
            "secret.txt",
        ];
        for target in targets {
            let reply = get(address, target);
            assert!(reply.starts_with("HTTP/1.1 404 Not Found\r\n"), "{target}: {reply}");
            assert!(!reply.contains("secret"), "{target}: {reply}");
        }
    }

    #[test]
    fn requests_other_than_get_and_head_are_refused() {
        let (_dir, address) = served();
        assert!(ask(address, "POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
        assert!(ask(address, "hello\r\n\r\n").starts_with("HTTP/1.1 400 "));
        let head = ask(address, &format!("HEAD / HTTP/1.1\r\nhost: {address}\r\n\r\n"));
        assert!(head.contains("Content-Length: 6\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn another_host_name_is_refused() {
        let (_dir, address) = served();
        let port = address.port();
        for host in ["evil.example", "evil.example:80", "localhost", "127.0.0.1:1", "localhost.evil:80", ""] {
            let reply = ask(address, &format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert!(reply.starts_with("HTTP/1.1 421 "), "{host}: {reply}");
        }
        let twice = format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\nHost: evil.example\r\n\r\n");
        assert!(ask(address, &twice).starts_with("HTTP/1.1 400 "));
        assert!(ask(address, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 421 "));
        let own = ask(address, &format!("GET / HTTP/1.1\r\nHost: LOCALHOST:{port}\r\n\r\n"));
        assert!(own.starts_with("HTTP/1.1 200 OK"), "{own}");
    }

    #[test]
    fn every_reply_isolates_the_page_and_is_not_cached() {
        let (_dir, address) = served();
        for reply in [get(address, "/"), get(address, "/missing")] {
            for header in [
                "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval';",
                "Cross-Origin-Opener-Policy: same-origin\r\n",
                "Cross-Origin-Embedder-Policy: require-corp\r\n",
                "Cross-Origin-Resource-Policy: same-origin\r\n",
                "X-Content-Type-Options: nosniff\r\n",
                "Cache-Control: no-store\r\n",
            ] {
                assert!(reply.contains(header), "{header}: {reply}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_not_served() {
        let (dir, address) = served();
        let page = dir.path().join("page");
        std::os::unix::fs::symlink("../secret.txt", page.join("link.txt")).unwrap();
        std::os::unix::fs::symlink("..", page.join("folder")).unwrap();
        std::os::unix::fs::symlink("../secret.txt", page.join("index.html.gz")).unwrap();
        assert!(get(address, "/link.txt").starts_with("HTTP/1.1 404 "));
        assert!(get(address, "/folder/secret.txt").starts_with("HTTP/1.1 404 "));
        let request = format!("GET / HTTP/1.1\r\nAccept-Encoding: gzip\r\nHost: {address}\r\n\r\n");
        assert!(ask(address, &request).ends_with("\r\n\r\n<html>"));
        let made = std::process::Command::new("mkfifo").arg(page.join("pipe")).status().unwrap();
        assert!(made.success());
        assert!(get(address, "/pipe").starts_with("HTTP/1.1 404 "));
    }

    #[test]
    fn connections_that_send_nothing_keep_out_no_more_than_until_their_deadline() {
        let (dir, _) = served();
        let address = start(dir.path().join("page"), Duration::from_millis(400));
        let silent: Vec<_> = (0..MAX_CONNECTIONS).map(|_| TcpStream::connect(address).unwrap()).collect();
        let answered = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(20));
            let mut stream = TcpStream::connect(address).unwrap();
            let _ = stream.write_all(format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
            let mut reply = Vec::new();
            let _ = stream.read_to_end(&mut reply);
            reply.starts_with(b"HTTP/1.1 200")
        });
        assert!(answered, "the server answers again");
        drop(silent);
    }

    #[test]
    fn a_request_that_trickles_in_ends_at_its_deadline() {
        let (dir, _) = served();
        let address = start(dir.path().join("page"), Duration::from_millis(200));
        let mut stream = TcpStream::connect(address).unwrap();
        let closed = (0..500).any(|_| {
            thread::sleep(Duration::from_millis(10));
            stream.write_all(b"G").is_err()
        });
        assert!(closed, "each byte alone would be in time");
    }

    #[test]
    fn an_endless_head_is_refused() {
        let (_dir, address) = served();
        let mut stream = TcpStream::connect(address).unwrap();
        // The server stops reading long before this ends, so that writing or reading may fail.
        let _ = stream.write_all(&vec![b'x'; 1 << 20]);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        assert!(reply.is_empty() || reply.starts_with(b"HTTP/1.1 431 "));
        assert!(get(address, "/").starts_with("HTTP/1.1 200 "));
    }
}
