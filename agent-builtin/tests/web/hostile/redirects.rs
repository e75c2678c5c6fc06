//! The permitted targets of redirects.

use super::Expect::{Authorization, Execution, Text, Validation};
use super::{Expect, Respond, Row, try_all};
use crate::web::server::{Server, answer, page, redirect};
use std::io::Write;

const REFUSED: Expect = Authorization("contacting `");

fn says(bytes: Vec<u8>) -> Respond {
    Box::new(move |stream| stream.write_all(&bytes))
}

#[tokio::test]
async fn refuses_redirects_to_other_hosts() {
    let canary = Server::canary();
    let port = canary.port();
    let mut rows: Vec<Row> = Vec::new();
    let to = [
        (format!("http://127.0.0.1:{port}/"), REFUSED),
        (format!("//127.0.0.1:{port}/"), REFUSED),
        (format!("https://127.0.0.1:{port}/"), REFUSED),
        (format!("http://localhost:{port}/"), REFUSED),
        (format!("http://[::1]:{port}/"), REFUSED),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), REFUSED),
        (format!("http://2130706433:{port}/"), REFUSED),
        (format!("http://0x7f.1:{port}/"), REFUSED),
        (format!("\\\\127.0.0.1:{port}\\"), REFUSED),
        (format!("http:\t//127.0.0.1:{port}/"), REFUSED),
        ("http://169.254.169.254/latest/meta-data/".into(), REFUSED),
        ("http://example.org/".into(), REFUSED),
        ("http://10.0.0.1/".into(), REFUSED),
        (
            "file:///etc/passwd".into(),
            Validation("is not an `http` or `https` URL"),
        ),
        (
            "ftp://example.org/".into(),
            Validation("is not an `http` or `https` URL"),
        ),
        (
            "gopher://example.org/".into(),
            Validation("is not an `http` or `https` URL"),
        ),
        (
            format!("http://{}/", "a".repeat(50_000)),
            Validation("has a host of more than 253 bytes"),
        ),
        (
            "javascript:alert(1)".into(),
            Validation("is not an `http` or `https` URL"),
        ),
        (
            "data:text/html,canary".into(),
            Validation("is not an `http` or `https` URL"),
        ),
        (
            "view-source:http://example.org".into(),
            Validation("is not an `http` or `https` URL"),
        ),
        (
            format!("http://user@127.0.0.1:{port}/"),
            Validation("contains a user name or a password"),
        ),
        ("http://[".into(), Execution("redirects to an invalid URL")),
        (
            "http://1.2.3.4.5/".into(),
            Execution("redirects to an invalid URL"),
        ),
        (
            "http://a b/".into(),
            Execution("redirects to an invalid URL"),
        ),
        (
            format!("http://127.0.0.1:{port}/{}", "a".repeat(100_000)),
            REFUSED,
        ),
    ];
    for (location, expect) in to {
        rows.push(("a redirect", says(redirect(&location)), None, expect));
    }
    let bytes = b"HTTP/1.1 302 Told\r\nlocation: http://\xff\xfe/\r\ncontent-length: 0\r\n\r\n";
    rows.extend([
        ("no text", says(bytes.to_vec()), None, Execution("redirects to an invalid URL")),
        ("no location", says(answer(302, "", "")), None, Execution("status 302")),
        (
            "no redirect",
            says(answer(300, &format!("location: http://127.0.0.1:{port}/\r\n"), "")),
            None,
            Execution("status 300"),
        ),
        (
            "a page that redirects by itself",
            says(page(
                "text/html",
                format!(
                    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:{port}/'>\
                     <base href='http://127.0.0.1:{port}/'><link rel=stylesheet href=a>\
                     <script src=a></script><img src=a><iframe src=a></iframe>text"
                ),
            )),
            None,
            Text("text"),
        ),
        (
            "a header that redirects by itself",
            says(answer(
                200,
                &format!(
                    "content-type: text/plain\r\nrefresh: 0;url=http://127.0.0.1:{port}/\r\n\
                     content-location: http://127.0.0.1:{port}/\r\nlocation: http://127.0.0.1:{port}/\r\n"
                ),
                "text",
            )),
            None,
            Text("text"),
        ),
    ]);
    assert!(try_all(rows).await >= 29);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn limits_the_number_of_redirects() {
    let itself: Vec<Row> = vec![(
        "to itself",
        says(redirect("")),
        None,
        Execution("redirects more than 5 times"),
    )];
    try_all(itself).await;
    let pair: Vec<Row> = vec![
        (
            "there",
            says(redirect("/1")),
            None,
            Execution("redirects more than 5 times"),
        ),
        (
            "and back",
            says(redirect("/0")),
            None,
            Execution("redirects more than 5 times"),
        ),
    ];
    try_all(pair).await;
    let mut chain: Vec<Row> = Vec::new();
    for at in 0..6 {
        let expect = match at {
            0 => Execution("redirects more than 5 times"),
            _ => Text("there"),
        };
        chain.push((
            "a chain",
            says(redirect(&format!("/{}", at + 1))),
            None,
            expect,
        ));
    }
    chain.push((
        "its end",
        says(page("text/plain", "there")),
        None,
        Text("there"),
    ));
    try_all(chain).await;
}
