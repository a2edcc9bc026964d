//! The page arrives, and nothing else does.

use super::*;

/// Serves a small page from a folder that has a secret file next to it.
pub(super) fn served() -> (tempfile::TempDir, SocketAddr) {
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("page");
    fs::create_dir(&page).unwrap();
    fs::write(dir.path().join("secret.txt"), "secret").unwrap();
    fs::write(page.join("index.html"), "<html>").unwrap();
    fs::write(page.join("studio.wasm"), "raw").unwrap();
    fs::write(page.join("studio.wasm.gz"), "packed").unwrap();
    fs::write(page.join(".hidden"), "secret").unwrap();
    let (address, _) = start(page, DEADLINE);
    (dir, address)
}

/// A server with its own deadline, and what its connections share.
pub(super) fn start(page: PathBuf, deadline: Duration) -> (SocketAddr, Arc<Site>) {
    let mut server = Server::bind(0, page).unwrap();
    Arc::get_mut(&mut server.site).unwrap().deadline = deadline;
    let (address, site) = (server.address().unwrap(), Arc::clone(&server.site));
    thread::spawn(move || server.run());
    (address, site)
}

pub(super) fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    String::from_utf8_lossy(&reply).into_owned()
}

pub(super) fn get(address: SocketAddr, target: &str) -> String {
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
        "http://evil.example/secret.txt",
        "/../page/../secret.txt",
        "/%00",
        "/index.html/",
        "/./index.html",
        "*",
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
    let malformed = [
        "hello\r\n\r\n",
        "\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / HTTP/1.1\r\n folded\r\n\r\n",
        "\0\u{7f}\r\n\r\n",
    ];
    for request in malformed {
        assert!(ask(address, request).starts_with("HTTP/1.1 400 "), "{request:?}");
    }
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
