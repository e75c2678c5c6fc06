//! Bodies with unusual compression, and bodies that are not text.

use super::Expect::{Execution, Text};
use super::{Expect, Respond, Row, try_all};
use crate::web::server::{answer, page};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const TOO_LONG: Expect = Execution("the response has more than 4194304 bytes");

fn says(bytes: impl Into<Vec<u8>>) -> Respond {
    let bytes = bytes.into();
    Box::new(move |stream| stream.write_all(&bytes))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn encoded(encoding: &str, body: impl AsRef<[u8]>) -> Respond {
    let headers = format!("content-type: text/plain\r\ncontent-encoding: {encoding}\r\n");
    says(answer(200, &headers, body))
}

fn typed(content_type: &str, body: impl AsRef<[u8]>) -> Respond {
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
    let no_gzip = Execution("the response is not valid gzip");
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
            Execution("is not text"),
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
        (
            "trailing at length",
            encoded("gzip", [&small[..], &b"more text".repeat(9)].concat()),
            None,
            no_gzip,
        ),
        ("an empty encoding", encoded("", "text"), None, Text("text")),
        (
            "an empty encoding in a list",
            encoded(", gzip,identity", &small),
            None,
            Text("text"),
        ),
        ("plain", encoded("gzip", "text"), None, no_gzip),
        (
            "brotli",
            encoded("br", "text"),
            None,
            Execution("the response is encoded as `br`, and only gzip was offered"),
        ),
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

fn no_text() -> Vec<Row> {
    let no_text = Execution("which is not text");
    let with_nul = Execution("it contains NUL characters");
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
            Execution("which has no elements to select"),
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
async fn limits_the_size_of_compressed_responses() {
    assert_eq!(try_all(compressed()).await, 23);
}

#[tokio::test]
async fn accepts_only_text() {
    assert_eq!(try_all(no_text()).await, 26);
}
