//! Connections that want to keep the page from others.

use super::{
    tests::{ask, get, served, start},
    *,
};
use std::net::Shutdown;

/// Waits until all connections have ended, much longer than their deadline.
fn all_ended(site: &Site) -> bool {
    (0..500).any(|_| {
        thread::sleep(Duration::from_millis(20));
        site.connections.load(Ordering::Acquire) == 0
    })
}

#[test]
fn of_two_hundred_connections_sixty_four_are_held_and_the_others_closed() {
    let (dir, _) = served();
    let (address, site) = start(dir.path().join("page"), DEADLINE);
    let connections: Vec<_> = (0..200).map(|_| TcpStream::connect(address).unwrap()).collect();
    let mut refused = 0;
    for mut stream in &connections {
        // Those that are held get no byte within the time.
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let mut reply = [0; 64];
        if let Ok(count) = stream.read(&mut reply) {
            assert!(reply[..count].starts_with(b"HTTP/1.1 503 Service Unavailable\r\n"));
            refused += 1;
        }
    }
    assert_eq!((refused, site.connections.load(Ordering::Acquire)), (200 - MAX_CONNECTIONS, MAX_CONNECTIONS));
    drop(connections);
    assert!(all_ended(&site));
    assert!(get(address, "/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_browser_that_takes_no_reply_is_let_go_at_its_deadline() {
    let (dir, _) = served();
    let page = dir.path().join("page");
    // More than the system buffers, and no disk space.
    File::create(page.join("large.png")).unwrap().set_len(256 << 20).unwrap();
    let (address, site) = start(page, Duration::from_millis(300));
    let request = format!("GET /large.png HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let streams: Vec<_> = (0..8).map(|_| TcpStream::connect(address).unwrap()).collect();
    streams.iter().for_each(|mut stream| stream.write_all(request.as_bytes()).unwrap());
    assert!(all_ended(&site));
    assert!(get(address, "/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn half_a_request_ends_with_the_connection() {
    let (dir, _) = served();
    let (address, site) = start(dir.path().join("page"), DEADLINE);
    let mut half_open = TcpStream::connect(address).unwrap();
    half_open.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap();
    half_open.shutdown(Shutdown::Write).unwrap();
    let mut reply = String::new();
    half_open.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 400 "), "{reply}");
    let mut gone = TcpStream::connect(address).unwrap();
    gone.write_all(b"GET / HTT").unwrap();
    drop(gone);
    assert!(all_ended(&site));
}

#[test]
fn of_several_requests_at_once_the_first_is_answered() {
    let (_dir, address) = served();
    let one = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let reply = ask(address, &one.repeat(3));
    assert!(reply.starts_with("HTTP/1.1 200 ") && reply.matches("HTTP/1.1").count() == 1, "{reply}");
}

#[test]
fn a_connection_that_panics_gives_its_place_back_and_ends_alone() {
    let (dir, _) = served();
    let (address, site) = start(dir.path().join("page"), DEADLINE);
    for _ in 0..2 * MAX_CONNECTIONS {
        let place = ConnectionPlace::take(&site).unwrap();
        let answered = thread::spawn(move || assert!(place.site.port == 0, "a fault of the server"));
        assert!(answered.join().is_err());
    }
    assert_eq!(site.connections.load(Ordering::Acquire), 0);
    assert!(get(address, "/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn connections_that_send_nothing_keep_out_no_more_than_until_their_deadline() {
    let (dir, _) = served();
    let (address, _) = start(dir.path().join("page"), Duration::from_millis(400));
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
    let (address, _) = start(dir.path().join("page"), Duration::from_millis(200));
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
