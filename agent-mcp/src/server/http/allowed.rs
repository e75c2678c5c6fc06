//! The hosts and origins whose requests are served, so that no web page reaches the server with a host name of its own.

use hyper::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, StatusCode, Uri};

/// The hosts and origins that are allowed.
pub(super) struct Allowed {
    hosts: Vec<Site>,
    origins: Vec<Origin>,
}

/// The status and the text for a request that is refused.
type Refusal = (StatusCode, &'static str);

const BAD: StatusCode = StatusCode::BAD_REQUEST;
const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;

/// A host with a port, if the port matters.
#[derive(Debug)]
struct Site {
    host: String,
    port: Option<u16>,
}

/// The origin of a web page.
#[derive(Debug)]
enum Origin {
    /// The origin `null`, of pages without an origin, such as files.
    Null,
    At {
        scheme: String,
        site: Site,
    },
}

impl Allowed {
    /// Reads the lists of allowed hosts and origins. A host or an origin without a port is allowed at each
    /// port.
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Self {
        let origins = origins.iter().filter_map(|origin| {
            // `:*` says explicitly that each port is allowed.
            Origin::parse(origin.strip_suffix(":*").unwrap_or(origin))
        });
        Self {
            hosts: hosts.iter().map(|host| Site::allowed(host)).collect(),
            origins: origins.collect(),
        }
    }

    /// Checks the host that a request is for, and the web page that it comes from, if it comes from one.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = single(headers, HOST, (BAD, "Bad Request: two headers `Host`\n"))?;
        let host = host.ok_or((BAD, "Bad Request: the header `Host` is missing\n"))?;
        let host =
            Site::parse(host).ok_or((BAD, "Bad Request: the header `Host` is not valid\n"))?;
        let of_uri = uri.authority().map(Site::of);
        let is_allowed = |host: &Site| self.hosts.iter().any(|allowed| allowed.allows(host, None));
        if !std::iter::once(host)
            .chain(of_uri)
            .all(|host| is_allowed(&host))
        {
            return Err((
                FORBIDDEN,
                "Forbidden: the host is not allowed; the server can allow it with `allow_host`\n",
            ));
        }
        let origin = single(
            headers,
            ORIGIN,
            (BAD, "Bad Request: two headers `Origin`\n"),
        )?;
        let Some(origin) = origin else {
            return Ok(());
        };
        let origin = origin.to_str().ok().and_then(Origin::parse);
        let origin = origin.ok_or((FORBIDDEN, "Forbidden: the header `Origin` is not valid\n"))?;
        match self.origins.iter().any(|allowed| allowed.allows(&origin)) {
            true => Ok(()),
            false => Err((
                FORBIDDEN,
                "Forbidden: the origin is not allowed; the server can allow it with `allow_origin`\n",
            )),
        }
    }
}

/// Returns the value of a header. Several values are refused, because a proxy may have checked another value
/// than this server.
fn single(
    headers: &HeaderMap,
    name: HeaderName,
    several: Refusal,
) -> Result<Option<&HeaderValue>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    match values.next() {
        None => Ok(value),
        Some(_) => Err(several),
    }
}

impl Site {
    fn of(authority: &Authority) -> Self {
        Self {
            host: normal(authority.host()),
            port: authority.port_u16(),
        }
    }

    fn parse(value: &HeaderValue) -> Option<Self> {
        let text = value.to_str().ok()?;
        let authority = Authority::try_from(text).ok()?;
        (!text.contains('@')).then(|| Self::of(&authority))
    }

    fn allowed(text: &str) -> Self {
        let text = text.trim();
        match Authority::try_from(text) {
            Ok(authority) => Self::of(&authority),
            // An address such as `::1`, which has brackets in headers only.
            Err(_) => Self {
                host: normal(text),
                port: None,
            },
        }
    }

    /// Whether a list with this entry allows a site. `default` is the port of a site that names no port.
    fn allows(&self, site: &Self, default: Option<u16>) -> bool {
        let is_port = |port| site.port.or(default) == Some(port);
        self.host == site.host && self.port.is_none_or(is_port)
    }
}

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("null") {
            return Some(Self::Null);
        }
        let uri = Uri::try_from(text).ok()?;
        Some(Self::At {
            scheme: uri.scheme_str()?.to_ascii_lowercase(),
            site: Site::of(uri.authority()?),
        })
    }

    fn allows(&self, origin: &Self) -> bool {
        match (self, origin) {
            (Self::Null, Self::Null) => true,
            (
                Self::At { scheme, site },
                Self::At {
                    scheme: of,
                    site: at,
                },
            ) => {
                let default = match scheme.as_str() {
                    "http" => Some(80),
                    "https" => Some(443),
                    _ => None,
                };
                scheme == of && site.allows(at, default)
            }
            _ => false,
        }
    }
}

/// Returns a host in one form, because hosts are written in any case, and IPv6 addresses with brackets.
fn normal(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.to_ascii_lowercase()
}
