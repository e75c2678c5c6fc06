//! Responses that are too long, too slow, or broken.

use super::Expect::{Execution, Text, Timeout};
use super::{Expect, Respond, Row, try_all};
use crate::web::server::{answer, page};
use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

const TOO_LONG: Expect = Execution("the response has more than 4194304 bytes");
const NOT_REACHED: Expect = Execution("cannot be reached");
const BROKE_OFF: Expect = Execution("the response is incomplete");
const HEAD: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n";

fn says(bytes: impl Into<Vec<u8>>) -> Respond {
    let bytes = bytes.into();
    Box::new(move |stream| stream.write_all(&bytes))
}

/// Sends the first part once, and the second repeatedly.
fn goes_on(first: impl Into<Vec<u8>>, then: impl Into<Vec<u8>>, pause: u64) -> Respond {
    let (first, then) = (first.into(), then.into());
    Box::new(move |stream| {
        stream.set_nodelay(true)?;
        stream.write_all(&first)?;
        loop {
            stream.write_all(&then)?;
            sleep(Duration::from_millis(pause));
        }
    })
}

fn long_or_slow() -> Vec<Row> {
    let piece = vec![b'a'; 64 << 10];
    let chunk = [&b"10000\r\n"[..], &piece, b"\r\n"].concat();
    let chunked = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
    vec![
        (
            "too long",
            says(page("text/plain", vec![b'a'; (4 << 20) + 1])),
            None,
            TOO_LONG,
        ),
        (
            "says it is too long",
            goes_on(format!("{HEAD}content-length: 10000000000\r\n\r\n"), "", 50),
            None,
            TOO_LONG,
        ),
        (
            "endless",
            goes_on(format!("{HEAD}\r\n"), piece.clone(), 0),
            None,
            TOO_LONG,
        ),
        (
            "endless chunks",
            goes_on(chunked.clone(), chunk, 0),
            None,
            TOO_LONG,
        ),
        (
            "an endless picture",
            goes_on(
                "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n",
                piece,
                0,
            ),
            None,
            Execution("the page is `image/png`, which is not text"),
        ),
        (
            "endless headers",
            goes_on(HEAD, "a: b\r\n", 0),
            None,
            NOT_REACHED,
        ),
        (
            "an endless header",
            goes_on(format!("{HEAD}a: "), vec![b'a'; 1000], 0),
            None,
            NOT_REACHED,
        ),
        (
            "an endless status",
            goes_on("HTTP/1.1 200 ", vec![b'a'; 1000], 0),
            None,
            NOT_REACHED,
        ),
        (
            "many headers",
            says(format!("{HEAD}{}\r\n", "a: b\r\n".repeat(200))),
            None,
            NOT_REACHED,
        ),
        (
            "an endless promise",
            goes_on("", "HTTP/1.1 100 Continue\r\n\r\n", 20),
            None,
            Timeout,
        ),
        ("silence", goes_on("", "", 20), None, Timeout),
        (
            "a slow head",
            goes_on("HTTP/1.1 200 OK\r\na: ", "a", 20),
            None,
            Timeout,
        ),
        (
            "a slow body",
            goes_on(format!("{HEAD}\r\n"), "a", 20),
            None,
            Timeout,
        ),
        (
            "slow chunks",
            goes_on(chunked.clone(), "1\r\na\r\n", 20),
            None,
            Timeout,
        ),
        (
            "a slow chunk size",
            goes_on(chunked, "0", 20),
            None,
            Timeout,
        ),
    ]
}

fn broken() -> Vec<Row> {
    let chunked = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
    vec![
        ("nothing at all", says(""), None, NOT_REACHED),
        (
            "another protocol",
            says("SSH-2.0-OpenSSH_9.6\r\n"),
            None,
            NOT_REACHED,
        ),
        ("no head", says("text"), None, NOT_REACHED),
        (
            "a broken status",
            says("HTTP/1.1 abc OK\r\n\r\n"),
            None,
            NOT_REACHED,
        ),
        (
            "NUL in a header",
            says(format!("{HEAD}a: \0\r\n\r\n")),
            None,
            NOT_REACHED,
        ),
        (
            "shorter than said",
            says(format!("{HEAD}content-length: 9\r\n\r\ntext")),
            None,
            BROKE_OFF,
        ),
        (
            "two lengths",
            says(format!(
                "{HEAD}content-length: 4\r\ncontent-length: 9\r\n\r\ntext"
            )),
            None,
            NOT_REACHED,
        ),
        (
            "a length below 0",
            says(format!("{HEAD}content-length: -1\r\n\r\ntext")),
            None,
            NOT_REACHED,
        ),
        (
            "a length beyond 64 bits",
            says(format!(
                "{HEAD}content-length: 99999999999999999999\r\n\r\ntext"
            )),
            None,
            NOT_REACHED,
        ),
        (
            "longer than said",
            says(format!("{HEAD}content-length: 4\r\n\r\ntext more")),
            None,
            Text("text"),
        ),
        (
            "no end of chunks",
            says(format!("{chunked}4\r\ntext\r\n")),
            None,
            BROKE_OFF,
        ),
        (
            "no size of a chunk",
            says(format!("{chunked}x\r\ntext\r\n0\r\n\r\n")),
            None,
            BROKE_OFF,
        ),
        (
            "a chunk beyond 64 bits",
            says(format!("{chunked}fffffffffffffffff\r\ntext")),
            None,
            BROKE_OFF,
        ),
        (
            "401",
            says(answer(401, "", "text")),
            None,
            Execution("status 401"),
        ),
        (
            "403",
            says(answer(403, "", "text")),
            None,
            Execution("status 403"),
        ),
        (
            "404",
            says(answer(404, "", "text")),
            None,
            Execution("status 404: there is no such page"),
        ),
        (
            "418",
            says(answer(418, "", "text")),
            None,
            Execution("status 418"),
        ),
        (
            "429",
            says(answer(429, "", "text")),
            None,
            Execution("status 429: too many requests"),
        ),
        (
            "500",
            says(answer(500, "", "text")),
            None,
            Execution("status 500"),
        ),
        (
            "999",
            says(answer(999, "", "text")),
            None,
            Execution("status 999"),
        ),
        (
            "an endless error",
            goes_on("HTTP/1.1 500 OK\r\n\r\n", vec![b'a'; 1000], 0),
            None,
            Execution("status 500"),
        ),
    ]
}

#[tokio::test]
async fn stops_at_long_and_slow_responses() {
    assert_eq!(try_all(long_or_slow()).await, 15);
}

#[tokio::test]
async fn reports_broken_responses() {
    assert_eq!(try_all(broken()).await, 21);
}
