//! Answers that are too long, too slow, broken, or no text.

use super::Expect::{Execution, Text, Timeout};
use super::{Deed, Expect, Row, try_all};
use crate::server::{answer, page};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

const TOO_LONG: Expect = Execution("the answer has more than 4194304 bytes");
const NOT_REACHED: Expect = Execution("cannot be reached");
const BROKE_OFF: Expect = Execution("the answer broke off");
const HEAD: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n";

fn says(bytes: impl Into<Vec<u8>>) -> Deed {
    let bytes = bytes.into();
    Box::new(move |stream| stream.write_all(&bytes))
}

/// Says the first part, and the second again and again.
fn goes_on(first: impl Into<Vec<u8>>, then: impl Into<Vec<u8>>, pause: u64) -> Deed {
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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn encoded(encoding: &str, body: impl AsRef<[u8]>) -> Deed {
    let headers = format!("content-type: text/plain\r\ncontent-encoding: {encoding}\r\n");
    says(answer(200, &headers, body))
}

fn typed(content_type: &str, body: impl AsRef<[u8]>) -> Deed {
    says(page(content_type, body))
}

fn compressed() -> Vec<Row> {
    let bomb = gzip(&vec![b'a'; 6 << 20]);
    let small = gzip(b"text");
    let broken_sum = {
        let mut bytes = small.clone();
        let at = bytes.len() - 6;
        bytes[at] ^= 1;
        bytes
    };
    let members: Vec<u8> = [gzip(b"te"), gzip(b"xt")].concat();
    let only_gzip = Execution("only gzip was offered");
    let no_gzip = Execution("the answer is no gzip");
    vec![
        ("gzip", encoded("gzip", &small), None, Text("text")),
        ("x-gzip", encoded("X-GZIP", &small), None, Text("text")),
        ("identity", encoded("identity", "text"), None, Text("text")),
        ("members", encoded("gzip", members), None, Text("text")),
        ("nothing", encoded("gzip", ""), None, Text("")),
        ("a bomb", encoded("gzip", &bomb), None, TOO_LONG),
        (
            "a bomb of members",
            encoded("gzip", gzip(&vec![b'a'; 3 << 20]).repeat(2)),
            None,
            TOO_LONG,
        ),
        (
            "a bomb in a bomb",
            encoded("gzip", gzip(&bomb)),
            None,
            Execution("is no text"),
        ),
        (
            "twice",
            encoded("gzip, gzip", gzip(&small)),
            None,
            only_gzip,
        ),
        (
            "twice in two headers",
            says(answer(
                200,
                "content-type: text/plain\r\ncontent-encoding: gzip\r\ncontent-encoding: gzip\r\n",
                gzip(&small),
            )),
            None,
            only_gzip,
        ),
        (
            "cut",
            encoded("gzip", &small[..small.len() - 9]),
            None,
            no_gzip,
        ),
        (
            "cut in its sum",
            encoded("gzip", &small[..small.len() - 2]),
            None,
            no_gzip,
        ),
        (
            "cut in its head",
            encoded("gzip", &small[..5]),
            None,
            no_gzip,
        ),
        ("broken", encoded("gzip", broken_sum), None, no_gzip),
        (
            "trailing",
            encoded("gzip", [&small[..], b"more text"].concat()),
            None,
            no_gzip,
        ),
        ("plain", encoded("gzip", "text"), None, no_gzip),
        ("brotli", encoded("br", "text"), None, only_gzip),
        ("deflate", encoded("deflate", "text"), None, only_gzip),
        ("zstd", encoded("zstd", "text"), None, only_gzip),
        (
            "unheard of",
            encoded(&"x".repeat(2000), "text"),
            None,
            only_gzip,
        ),
    ]
}

fn long_or_slow() -> Vec<Row> {
    let piece = vec![b'a'; 64 << 10];
    let chunk = [&b"10000\r\n"[..], &piece, b"\r\n"].concat();
    let chunked = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
    vec![
        (
            "too long",
            typed("text/plain", vec![b'a'; (4 << 20) + 1]),
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
            Execution("the page is `image/png`, which is no text"),
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
            Expect::Timeout,
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
            Execution("status 429: it was asked too often"),
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

fn no_text() -> Vec<Row> {
    let no_text = Execution("which is no text");
    let with_nul = Execution("it holds NUL characters");
    let unsafe_encoding = Execution("not safe to read");
    let mut rows = vec![
        ("NUL", typed("text/plain", "te\0xt"), None, with_nul),
        (
            "NUL in HTML",
            typed("text/html", "<p>te\0xt"),
            None,
            with_nul,
        ),
        (
            "NUL in JSON",
            typed("application/json", "\0"),
            None,
            with_nul,
        ),
        (
            "a picture that is said to be text",
            typed("text/html", b"\x89PNG\r\n\x1a\n\0\0"),
            None,
            with_nul,
        ),
        (
            "a picture without type",
            says(answer(200, "", b"GIF89a\0\x01")),
            None,
            with_nul,
        ),
        (
            "ISO-2022-KR",
            typed("text/html; charset=iso-2022-kr", "a"),
            None,
            unsafe_encoding,
        ),
        (
            "HZ",
            typed("text/html; charset=hz-gb-2312", "a"),
            None,
            unsafe_encoding,
        ),
        (
            "HZ in a page",
            typed("text/html", "<meta charset=hz-gb-2312>a"),
            None,
            unsafe_encoding,
        ),
        (
            "UTF-7 is plain",
            typed("text/html; charset=utf-7", "+ADw-b+AD4-"),
            None,
            Text("+ADw-b+AD4-"),
        ),
        (
            "no UTF-8",
            typed("text/plain; charset=utf-8", b"a\xff\xc3"),
            None,
            Text("a\u{fffd}\u{fffd}"),
        ),
        (
            "overlong",
            typed("text/html; charset=utf-8", b"\xc0\xbcb\xc0\xbe"),
            None,
            Text("\u{fffd}\u{fffd}b\u{fffd}\u{fffd}"),
        ),
        (
            "half of UTF-16",
            typed("text/plain", b"\xff\xfea\0b"),
            None,
            Text("a\u{fffd}"),
        ),
        (
            "half a pair",
            typed("text/plain; charset=utf-16le", b"\x3d\xd8a\0"),
            None,
            Text("\u{fffd}a"),
        ),
        (
            "an unheard-of encoding",
            typed("text/plain; charset=x-y-z", "é"),
            None,
            Text("é"),
        ),
        (
            "a selector on JSON",
            typed("application/json", "{}"),
            Some("p".into()),
            Execution("in which selectors select nothing"),
        ),
    ];
    for content_type in [
        "image/png",
        "image/svg+xml",
        "application/octet-stream",
        "application/pdf",
        "application/zip",
        "application/javascript",
        "video/mp4",
        "multipart/mixed; boundary=text/html",
        "html",
        ";charset=utf-8",
        "x/text/html",
    ] {
        rows.push(("a type", typed(content_type, "text"), None, no_text));
    }
    rows
}

#[tokio::test]
async fn compressed_answers_have_bounds() {
    assert_eq!(try_all(compressed()).await, 20);
}

#[tokio::test]
async fn long_and_slow_answers_end() {
    assert_eq!(try_all(long_or_slow()).await, 15);
}

#[tokio::test]
async fn broken_answers_are_errors() {
    assert_eq!(try_all(broken()).await, 21);
}

#[tokio::test]
async fn only_text_is_text() {
    assert_eq!(try_all(no_text()).await, 26);
}
