//! Spellings of addresses, and URLs that are not `http` or `https`.

use super::Expect::{Authorization, Validation};
use super::{Expect, try_to};
use crate::web::calls::granting;
use crate::web::server::Server;
use serde_json::json;

const NOT_PUBLIC: Expect = Authorization("an address that is not public");
const NOT_OF_THE_WEB: Expect = Validation("is not an `http` or `https` URL");
const NO_URI: Expect = Validation("expected a URI");

/// URLs that are refused although every public host is granted. `PORT` is that of the canary.
const SPELLINGS: &[(&str, Expect)] = &[
    ("http://127.0.0.1:PORT/", NOT_PUBLIC),
    ("HTTP://127.0.0.1:PORT/", NOT_PUBLIC),
    ("https://127.0.0.1:PORT/", NOT_PUBLIC),
    ("http://localhost:PORT/", NOT_PUBLIC),
    ("http://LocalHost:PORT/", NOT_PUBLIC),
    ("http://2130706433:PORT/", NOT_PUBLIC),
    ("http://0x7f000001:PORT/", NOT_PUBLIC),
    ("http://0x7f.0.0.1:PORT/", NOT_PUBLIC),
    ("http://0x7F.0x0.0x0.0x1:PORT/", NOT_PUBLIC),
    ("http://0x7f.1:PORT/", NOT_PUBLIC),
    ("http://127.0.0.0x1:PORT/", NOT_PUBLIC),
    ("http://0177.0.0.1:PORT/", NOT_PUBLIC),
    ("http://017700000001:PORT/", NOT_PUBLIC),
    ("http://0000000177.0.0.01:PORT/", NOT_PUBLIC),
    ("http://127.1:PORT/", NOT_PUBLIC),
    ("http://127.0.1:PORT/", NOT_PUBLIC),
    ("http://127.0.0.1.:PORT/", NOT_PUBLIC),
    ("http://127.127.127.127:PORT/", NOT_PUBLIC),
    ("http://0:PORT/", NOT_PUBLIC),
    ("http://0.0.0.0:PORT/", NOT_PUBLIC),
    ("http://0x0:PORT/", NOT_PUBLIC),
    ("http://[::1]:PORT/", NOT_PUBLIC),
    ("http://[::]:PORT/", NOT_PUBLIC),
    (
        "http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/",
        NOT_PUBLIC,
    ),
    ("http://[::ffff:127.0.0.1]:PORT/", NOT_PUBLIC),
    ("http://[::ffff:7f00:1]:PORT/", NOT_PUBLIC),
    ("http://[0:0:0:0:0:ffff:7f00:0001]:PORT/", NOT_PUBLIC),
    ("http://[::127.0.0.1]:PORT/", NOT_PUBLIC),
    ("http://[::ffff:0:127.0.0.1]:PORT/", NOT_PUBLIC),
    ("http://[64:ff9b::127.0.0.1]:PORT/", NOT_PUBLIC),
    ("http://[2002:7f00:1::]:PORT/", NOT_PUBLIC),
    ("http://[2001:0:53aa:64c:0:5efe:7f00:1]:PORT/", NOT_PUBLIC),
    ("http://[fe80::1]:PORT/", NOT_PUBLIC),
    ("http://[fc00::1]:PORT/", NOT_PUBLIC),
    ("http://[fec0::1]:PORT/", NOT_PUBLIC),
    ("http://[ff02::1]:PORT/", NOT_PUBLIC),
    ("http://[fd00:ec2::254]/latest/meta-data/", NOT_PUBLIC),
    ("http://169.254.169.254/latest/meta-data/", NOT_PUBLIC),
    ("http://169.254.169.254.:80/latest/meta-data/", NOT_PUBLIC),
    ("http://0xa9fea9fe/", NOT_PUBLIC),
    ("http://2852039166/", NOT_PUBLIC),
    ("http://0251.0376.0251.0376/", NOT_PUBLIC),
    ("http://169.254.43518/", NOT_PUBLIC),
    ("http://[::ffff:169.254.169.254]/", NOT_PUBLIC),
    ("http://[64:ff9b::a9fe:a9fe]/", NOT_PUBLIC),
    ("http://100.100.100.200/latest/meta-data/", NOT_PUBLIC),
    ("http://168.63.129.16/machine", NOT_PUBLIC),
    ("http://192.0.0.192/opc/v2/", NOT_PUBLIC),
    ("http://10.0.0.1/", NOT_PUBLIC),
    ("http://172.16.0.1/", NOT_PUBLIC),
    ("http://172.31.255.255/", NOT_PUBLIC),
    ("http://192.168.0.1/", NOT_PUBLIC),
    ("http://100.64.0.1/", NOT_PUBLIC),
    ("http://198.18.0.1/", NOT_PUBLIC),
    ("http://224.0.0.1/", NOT_PUBLIC),
    ("http://240.0.0.1/", NOT_PUBLIC),
    ("http://255.255.255.255/", NOT_PUBLIC),
    // Percent encoding in a host is decoded before the host is parsed.
    ("http://%31%32%37.0.0.1:PORT/", NOT_PUBLIC),
    ("http://%6cocalhost:PORT/", NOT_PUBLIC),
    ("http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1:PORT/", NOT_PUBLIC),
    ("http://127%E3%80%820%E3%80%820%E3%80%821:PORT/", NOT_PUBLIC),
    ("http://127.0.0.1:PORT#@example.org/", NOT_PUBLIC),
    ("http://127.0.0.1:PORT?@example.org/", NOT_PUBLIC),
    ("http:127.0.0.1:PORT/", NOT_PUBLIC),
    ("http:/127.0.0.1:PORT/", NOT_PUBLIC),
    ("http:///127.0.0.1:PORT/", NOT_PUBLIC),
    ("http://127.0.0.1:0PORT/", NOT_PUBLIC),
    // Texts that are not URIs.
    ("http://１２７.０.０.１:PORT/", NO_URI),
    ("http://①②⑦.⓪.⓪.①:PORT/", NO_URI),
    ("http://127。0。0。1:PORT/", NO_URI),
    ("http://ⓛocalhost:PORT/", NO_URI),
    ("http://127.0.0.1:PORT\\@example.org/", NO_URI),
    ("http://127.0.\t0.1:PORT/", NO_URI),
    ("http://127.0.0.1:PORT/\r\nHost: example.org", NO_URI),
    ("http://127.0.0.1:PORT/\0", NO_URI),
    (" http://127.0.0.1:PORT/", NO_URI),
    ("http://[::1%25lo]:PORT/", NO_URI),
    ("http://[::1:PORT/", NO_URI),
    ("//127.0.0.1:PORT/", NO_URI),
    ("127.0.0.1:PORT/", NO_URI),
    ("", NO_URI),
    // URIs that are not URLs.
    ("http://", Validation("is no URL")),
    ("http://4294967296/", Validation("is no URL")),
    ("http://1.1.1.1.1/", Validation("is no URL")),
    ("http://0x7f.0.0.0.1:PORT/", Validation("is no URL")),
    ("http://127.0.0.256:PORT/", Validation("is no URL")),
    ("http://127.0.0.1:99999/", Validation("is no URL")),
    ("http://127.0.0.1:0/", Validation("has no host")),
    // Other schemes.
    ("ftp://127.0.0.1:PORT/", NOT_OF_THE_WEB),
    ("file:///etc/passwd", NOT_OF_THE_WEB),
    ("file://127.0.0.1/etc/passwd", NOT_OF_THE_WEB),
    ("gopher://127.0.0.1:PORT/_GET%20/", NOT_OF_THE_WEB),
    ("dict://127.0.0.1:PORT/d:a", NOT_OF_THE_WEB),
    ("ldap://127.0.0.1:PORT/", NOT_OF_THE_WEB),
    ("ws://127.0.0.1:PORT/", NOT_OF_THE_WEB),
    ("data:text/html,canary", NOT_OF_THE_WEB),
    ("javascript:alert(1)", NOT_OF_THE_WEB),
    ("unix:/var/run/docker.sock", NOT_OF_THE_WEB),
    ("http+unix://%2Fvar%2Frun%2Fdocker.sock/", NOT_OF_THE_WEB),
    ("jar:http://127.0.0.1:PORT/!/", NOT_OF_THE_WEB),
    ("view-source:http://127.0.0.1:PORT/", NOT_OF_THE_WEB),
    // A user name can make a URL look like another.
    (
        "http://example.org@127.0.0.1:PORT/",
        Validation("contains a user name or a password"),
    ),
    (
        "http://user:secret@127.0.0.1:PORT/",
        Validation("contains a user name or a password"),
    ),
    (
        "http://:secret@127.0.0.1:PORT/",
        Validation("contains a user name or a password"),
    ),
];

/// URLs that are tried with one host and one port granted.
const NEIGHBOURS: &[&str] = &[
    "http://example.org/",
    "http://example.org:8443/",
    "https://www.example.org/",
    "https://xexample.org/",
    "https://example.org.example.com/",
    "https://example.com/example.org",
    "https://example.com?example.org",
    "https://example.com#example.org",
    "https://example.orgx/",
    "https://ex%61mple.com/",
    "https://xn--exmple-cua.org/",
    "https://93.184.216.34/",
];

#[tokio::test]
async fn refuses_every_spelling_of_an_address_that_is_not_granted() {
    let canary = Server::canary();
    let port = canary.port().to_string();
    let every_public_host = granting(&["*"]);
    let mut failures = Vec::new();
    for (url, expect) in SPELLINGS {
        let url = url.replace("PORT", &port);
        failures.extend(try_to(&url, json!({"url": url}), &every_public_host, *expect).await);
    }
    let one_host = granting(&["example.org:443"]);
    for url in NEIGHBOURS {
        let expect = Authorization("granted for the network: `example.org:443`");
        failures.extend(try_to(url, json!({"url": url}), &one_host, expect).await);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(canary.connections(), 0);
    assert!(SPELLINGS.len() + NEIGHBOURS.len() >= 100);
}
