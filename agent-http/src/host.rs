//! The hosts of addresses: how they are named, and which of them are this machine.

use reqwest::Url;
use std::net::IpAddr;

/// Returns the host of an address, with its port if that is not the default port of the scheme: `models.example`,
/// `127.0.0.1:8080` or `[::1]:8080`. The host is in lower case, without user info and without the dot that may end a name.
#[must_use]
pub fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let host = host.strip_suffix('.').unwrap_or(host);
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// Whether `host` names the host of an address. Without a port, it names the default port of the address's scheme, because
/// another port may belong to another program.
#[must_use]
pub fn is_at(url: &Url, host: &str) -> bool {
    let named = Url::parse(&format!("{}://{}", url.scheme(), host.trim()));
    let named = named.ok().and_then(|named| host_of(&named));
    named.is_some() && named == host_of(url)
}

/// Whether an address is of this machine, so that no request to it crosses a network: `localhost`, a loopback address, or
/// `0.0.0.0` and `[::]`, with which systems connect to themselves.
#[must_use]
pub fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_suffix('.').unwrap_or(host);
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let address = address.map(|address| address.to_canonical());
    host == "localhost"
        || address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect(text)
    }

    #[test]
    fn a_host_has_one_form_and_its_port_unless_that_is_the_default() {
        for (text, host) in [
            ("https://models.example/v1?a=b#c", "models.example"),
            ("https://Models.EXAMPLE", "models.example"),
            ("https://models.example.", "models.example"),
            ("https://models.example.:8443", "models.example:8443"),
            ("https://models.example:443", "models.example"),
            ("http://models.example:443", "models.example:443"),
            ("http://models.example:80", "models.example"),
            ("https://user:secret@models.example", "models.example"),
            ("https://models.example@evil.example", "evil.example"),
            ("https://bücher.example", "xn--bcher-kva.example"),
            ("http://127.1:8080", "127.0.0.1:8080"),
            ("http://0x7f.1", "127.0.0.1"),
            ("http://127.0.0.1.", "127.0.0.1"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("http://[0:0:0:0:0:0:0:1]", "[::1]"),
            ("http://[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
        ] {
            assert_eq!(host_of(&url(text)).as_deref(), Some(host), "{text}");
        }
        assert_eq!(host_of(&url("data:text/plain,a")), None);
        // `Url::parse` rejects an IPv6 address with a zone, so that zones are never compared.
        assert!(Url::parse("http://[fe80::1%25eth0]").is_err());
    }

    #[test]
    fn a_host_is_named_with_its_port_unless_that_is_the_default() {
        for (text, named, others) in [
            (
                "https://models.example/v1",
                &[
                    "models.example",
                    " MODELS.example ",
                    "models.example:443",
                    "models.example.",
                ][..],
                &[
                    "models.example:80",
                    "models.example:8443",
                    "example",
                    "a.models.example",
                    "*",
                    "",
                ][..],
            ),
            (
                "https://models.example:8443",
                &["models.example:8443"],
                &["models.example", "models.example:443"],
            ),
            (
                "http://127.0.0.1",
                &["127.0.0.1", "127.0.0.1:80", "127.1"],
                &["127.0.0.1:443", "localhost"],
            ),
            (
                "http://[::1]:8080",
                &["[::1]:8080", "[0::1]:8080"],
                &["[::1]", "::1", "::1:8080"],
            ),
            (
                "https://models.example.evil.example",
                &["models.example.evil.example"],
                &["models.example", "evil.example"],
            ),
        ] {
            for host in named {
                assert!(is_at(&url(text), host), "{text} {host}");
            }
            for host in others {
                assert!(!is_at(&url(text), host), "{text} {host}");
            }
        }
    }

    #[test]
    fn this_machine_has_several_names_and_addresses() {
        for text in [
            "http://localhost",
            "https://LOCALHOST:8443/v1",
            "http://localhost.:1",
            "http://user@localhost",
            "http://127.0.0.1:8080",
            "http://127.0.0.1.",
            "http://127.255.255.254",
            "http://127.1",
            "http://2130706433",
            "http://0.0.0.0:11434",
            "http://0",
            "http://[::1]",
            "http://[0:0::1]:1",
            "http://[::]",
            "http://[::ffff:127.0.0.1]",
            "http://[::ffff:0.0.0.0]",
        ] {
            assert!(is_this_machine(&url(text)), "{text}");
        }
        for text in [
            "http://models.example",
            "http://localhost.models.example",
            "http://notlocalhost",
            "http://models.localhost",
            "http://localhost@models.example",
            "http://127.0.0.1.models.example",
            "http://128.0.0.1",
            "http://0.0.0.1",
            "http://10.0.0.1",
            "http://169.254.169.254",
            "http://[::2]",
            "http://[fe80::1]",
            "http://[::ffff:10.0.0.1]",
            // This old form is sent to the network.
            "http://[::127.0.0.1]",
        ] {
            assert!(!is_this_machine(&url(text)), "{text}");
        }
    }
}
