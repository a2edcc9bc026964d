//! Serves the studio's page to browsers on this machine only.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// The maximum size of the head of a request; browsers send far less.
const MAX_REQUEST_BYTES: u64 = 64 * 1024;
/// How long a connection may stay silent.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A server of the files in one folder.
#[derive(Debug)]
pub(super) struct Server {
    listener: TcpListener,
    folder: PathBuf,
}

impl Server {
    /// Listens on `port`, or on a free port if it is 0.
    pub(super) fn bind(port: u16, folder: PathBuf) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind((Ipv4Addr::LOCALHOST, port))?, folder })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until the process ends.
    pub(super) fn run(self) {
        for stream in self.listener.incoming().flatten() {
            let folder = self.folder.clone();
            // A browser that closes the connection early needs no answer.
            thread::spawn(move || answer(&stream, &folder).is_ok());
        }
    }
}

/// A response to a browser.
#[derive(Debug, Default)]
struct HttpReply {
    status: &'static str,
    mime_type: &'static str,
    is_gzip: bool,
    body: Vec<u8>,
}

fn answer(stream: &TcpStream, folder: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = read_request(stream)?;
    let (reply, with_body) = match &request {
        Some(request) => (reply_to(request, folder), request.method != "HEAD"),
        None => (refusal("400 Bad Request", "not an HTTP request"), true),
    };
    send(stream, &reply, with_body)
}

#[derive(Debug, PartialEq)]
struct HttpRequest {
    method: String,
    target: String,
    takes_gzip: bool,
}

fn read_request(stream: &TcpStream) -> io::Result<Option<HttpRequest>> {
    let mut lines = BufReader::new(stream.take(MAX_REQUEST_BYTES)).lines();
    let Some(first) = lines.next().transpose()? else { return Ok(None) };
    let mut takes_gzip = false;
    for line in lines {
        let line = line?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        takes_gzip |= line.strip_prefix("accept-encoding:").is_some_and(|kinds| kinds.contains("gzip"));
    }
    let mut words = first.split(' ');
    Ok(match (words.next(), words.next(), words.next()) {
        (Some(method), Some(target), Some(version)) if version.starts_with("HTTP/1.") => {
            Some(HttpRequest { method: method.into(), target: target.into(), takes_gzip })
        }
        _ => None,
    })
}

fn reply_to(request: &HttpRequest, folder: &Path) -> HttpReply {
    if !["GET", "HEAD"].contains(&request.method.as_str()) {
        return refusal("405 Method Not Allowed", "only GET and HEAD are supported");
    }
    let missing = || refusal("404 Not Found", "no such file");
    let Some(path) = path_below(folder, &request.target) else { return missing() };
    let mime_type = mime_type(&path);
    let mut packed = path.clone().into_os_string();
    packed.push(".gz");
    if let (true, Ok(body)) = (request.takes_gzip, fs::read(packed)) {
        return HttpReply { status: "200 OK", mime_type, is_gzip: true, body };
    }
    match fs::read(&path) {
        Ok(body) => HttpReply { status: "200 OK", mime_type, is_gzip: false, body },
        Err(_) => missing(),
    }
}

fn refusal(status: &'static str, text: &str) -> HttpReply {
    HttpReply { status, mime_type: "text/plain; charset=utf-8", is_gzip: false, body: text.into() }
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

fn send(mut stream: &TcpStream, reply: &HttpReply, with_body: bool) -> io::Result<()> {
    let encoding = if reply.is_gzip { "Content-Encoding: gzip\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{encoding}Vary: Accept-Encoding\r\n\
         Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        reply.status,
        reply.mime_type,
        reply.body.len()
    );
    stream.write_all(head.as_bytes())?;
    if with_body {
        stream.write_all(&reply.body)?;
    }
    stream.flush()
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
        let server = Server::bind(0, page).unwrap();
        let address = server.address().unwrap();
        thread::spawn(move || server.run());
        (dir, address)
    }

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        String::from_utf8_lossy(&reply).into_owned()
    }

    fn get(address: SocketAddr, target: &str) -> String {
        ask(address, &format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n"))
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
        let packed =
            ask(address, "GET /studio.wasm HTTP/1.1\r\nAccept-Encoding: br, gzip\r\nHost: x\r\n\r\n");
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
        let head = ask(address, "HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.contains("Content-Length: 6\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    }
}
