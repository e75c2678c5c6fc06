//! Proxies, from the variables that other programs read.

use crate::host::is_this_machine;
use ipnet::IpNet;
use reqwest::{ClientBuilder, Proxy, Url};
use std::net::IpAddr;
use std::sync::Arc;

/// Sets the proxies that the usual variables name: `https_proxy`, `all_proxy` and `no_proxy`, in upper or
/// lower case, and `http_proxy`. `read` reads a variable, and `fail` makes an error of a text.
///
/// # Errors
/// When a variable cannot be read or holds no proxy's address. The text never quotes the address, which may
/// hold a password.
pub fn with_proxies<E>(
    mut builder: ClientBuilder,
    read: impl Fn(&str) -> Result<Option<String>, E>,
    fail: impl Fn(String) -> E,
) -> Result<ClientBuilder, E> {
    let first_of = |names: &[&'static str]| {
        let mut names = names.iter();
        let found = names.find_map(|name| match read(name) {
            Ok(value) => Some(Ok((*name, value?))),
            Err(error) => Some(Err(error)),
        });
        found.transpose()
    };
    let direct = first_of(&["no_proxy", "NO_PROXY"])?.map(|(_, hosts)| hosts);
    let direct = DirectHosts::read(&direct.unwrap_or_default());
    // `*` also disables a proxy whose address is invalid, because no request is sent to a proxy.
    if direct
        .0
        .iter()
        .any(|entry| matches!(entry, (Hosts::All, None)))
    {
        return Ok(builder);
    }
    let direct = Arc::new(direct);
    let https = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    // Not `HTTP_PROXY`, which a web server sets for CGI programs from the `Proxy` header of a request.
    let http = ["http_proxy", "all_proxy", "ALL_PROXY"];
    for (names, scheme) in [(&https[..], "https"), (&http[..], "http")] {
        if let Some((name, address)) = first_of(names)? {
            let proxy = proxy_url(&address).ok_or_else(|| fail(bad_proxy(name)))?;
            let direct = Arc::clone(&direct);
            // reqwest's own list of direct hosts has no ports.
            builder = builder.proxy(Proxy::custom(move |url| {
                let is_proxied = url.scheme() == scheme && !direct.contains(url);
                is_proxied.then(|| proxy.clone())
            }));
        }
    }
    Ok(builder)
}

/// The hosts that are reached without a proxy: this machine, and the entries of `no_proxy`.
struct DirectHosts(Vec<(Hosts, Option<u16>)>);

/// The hosts of an entry of `no_proxy`, in lower case.
enum Hosts {
    /// `*`
    All,
    /// The addresses of a network, or one address.
    Network(IpNet),
    /// `example.org` or `.example.org`: this host and all below it.
    Domain(String),
    /// `*.example.org`: all hosts below it.
    Below(String),
}

impl DirectHosts {
    /// Reads a list. Other programs separate entries by commas, or by blanks.
    fn read(list: &str) -> Self {
        let list = list.to_ascii_lowercase();
        let entries = list.split(|c: char| c == ',' || c.is_whitespace());
        let entries = entries.filter(|entry| !entry.is_empty());
        Self(entries.map(entry).collect())
    }

    fn contains(&self, url: &Url) -> bool {
        // A proxy on another machine would connect to itself in place of this machine, and would see a
        // request that was meant to stay here.
        if is_this_machine(url) {
            return true;
        }
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).trim_end_matches('.');
        let (address, port) = (host.parse::<IpAddr>().ok(), url.port_or_known_default());
        self.0.iter().any(|(hosts, own_port)| {
            let is_host = match hosts {
                Hosts::All => true,
                Hosts::Network(network) => {
                    address.is_some_and(|address| network.contains(&address))
                }
                Hosts::Domain(name) => host == name || is_below(host, name),
                Hosts::Below(name) => is_below(host, name),
            };
            is_host && (own_port.is_none() || *own_port == port)
        })
    }
}

/// Parses an entry: its hosts, and its port if it has one.
fn entry(text: &str) -> (Hosts, Option<u16>) {
    // Networks are parsed first, because the last part of an IPv6 address looks like a port.
    if let Some(network) = network(text) {
        return (Hosts::Network(network), None);
    }
    let with_port = text.rsplit_once(':');
    let with_port = with_port.and_then(|(host, port)| Some((host, port.parse().ok()?)));
    let (host, port) = match with_port {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let host = host.trim_matches(['[', ']']);
    let hosts = match (host, network(host)) {
        ("*", _) => Hosts::All,
        (_, Some(network)) => Hosts::Network(network),
        (name, None) => match name.strip_prefix("*.") {
            Some(name) => Hosts::Below(name.trim_end_matches('.').to_owned()),
            None => Hosts::Domain(name.trim_matches('.').to_owned()),
        },
    };
    (hosts, port)
}

fn network(text: &str) -> Option<IpNet> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address.ok().or_else(|| text.parse().ok())
}

fn is_below(host: &str, name: &str) -> bool {
    let rest = host.strip_suffix(name);
    rest.is_some_and(|rest| rest.ends_with('.'))
}

/// Parses the address of a proxy. Other schemes than http and https are refused, because reqwest would
/// silently send requests without the proxy.
fn proxy_url(address: &str) -> Option<Url> {
    let url = match address.contains("://") {
        true => Url::parse(address),
        false => Url::parse(&format!("http://{address}")),
    };
    url.ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
}

fn bad_proxy(variable: &str) -> String {
    format!(
        "the variable `{variable}` does not hold the address of a proxy that can be used; write one \
         that begins with `http://` or `https://`, such as `http://proxy.example:3128`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_no_proxy_names_hosts_and_maybe_a_port() {
        for (list, direct, proxied) in [
            ("", &[][..], &["http://a.example"][..]),
            (" , ,", &[], &["http://a.example"]),
            (
                "a.example",
                &[
                    "http://localhost:8000",
                    "https://127.0.0.2",
                    "http://[::1]:1",
                    "http://[::ffff:127.0.0.1]:1",
                    "http://0.0.0.0:8000",
                ],
                &["http://localhost.example", "http://10.0.0.1"],
            ),
            (
                "*",
                &["http://a.example", "https://[::1]:1", "http://10.0.0.1"],
                &[],
            ),
            (
                "a.example",
                &[
                    "http://a.example",
                    "https://A.Example:8443",
                    "http://b.a.example",
                    "http://a.example.",
                ],
                &[
                    "http://ba.example",
                    "http://example",
                    "http://a.example.org",
                ],
            ),
            (
                ".a.example",
                &["http://a.example", "http://b.a.example"],
                &["http://ba.example"],
            ),
            (
                "*.a.example",
                &["http://b.a.example", "https://c.b.A.example:1"],
                &[
                    "http://a.example",
                    "http://ba.example",
                    "http://b.a.example.org",
                ],
            ),
            (
                "a.example:8080",
                &["http://a.example:8080", "https://b.a.example:8080"],
                &[
                    "http://a.example",
                    "http://a.example:80",
                    "https://a.example:8081",
                ],
            ),
            (
                "a.example:443",
                &["https://a.example", "http://a.example:443"],
                &["http://a.example"],
            ),
            (
                "*.a.example:80",
                &["http://b.a.example"],
                &["https://b.a.example", "http://a.example"],
            ),
            (
                "*:8080",
                &["http://a.example:8080", "http://[2001:db8::1]:8080"],
                &["http://a.example"],
            ),
            (
                "intranet:8000",
                &["http://intranet:8000"],
                &["http://intranet:8001", "http://10.0.0.1:8000"],
            ),
            (
                "10.0.0.1",
                &["http://10.0.0.1:9"],
                &["http://10.0.0.2", "http://intranet"],
            ),
            ("10.0.0.1:9", &["http://10.0.0.1:9"], &["http://10.0.0.1"]),
            (
                "10.0.0.0/8",
                &["http://10.1.2.3:4"],
                &["http://11.0.0.1", "http://10.example"],
            ),
            (
                "2001:db8::1",
                &["http://[2001:db8::1]:7"],
                &["http://[2001:db8::2]:1"],
            ),
            (
                "[2001:db8::1]",
                &["http://[2001:db8::1]:7"],
                &["http://[2001:db8::2]"],
            ),
            (
                "[2001:db8::1]:7",
                &["http://[2001:db8::1]:7"],
                &["http://[2001:db8::1]:8"],
            ),
            ("fd00::/8", &["http://[fd12::1]"], &["http://[fe80::1]"]),
            (
                "x.example, 10.0.0.1\tB.example:81",
                &["http://b.example:81", "http://10.0.0.1"],
                &["http://b.example"],
            ),
            // Entries of these forms match no host of a request, and none of them means all hosts.
            (":80", &[], &["http://a.example"]),
            (
                "a.example:port,.,:,*.",
                &[],
                &["http://a.example:80", "http://10.0.0.1"],
            ),
        ] {
            let hosts = DirectHosts::read(list);
            let contains = |url: &&str| hosts.contains(&Url::parse(url).expect(url));
            assert!(direct.iter().all(contains), "{list}");
            assert!(!proxied.iter().any(contains), "{list}");
        }
    }
}
