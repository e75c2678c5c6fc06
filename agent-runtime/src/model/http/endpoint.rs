//! Where a request goes, and whether a key goes with it.
//!
//! An agent file is not trusted with keys: it may come from anywhere, and a `baseUrl` in it would
//! otherwise carry the caller's key to whoever wrote it.

#[cfg(test)]
mod tests;

use super::base_url::{BaseUrl, Place};
use crate::env::Environment;
use crate::error::Error;
use crate::redact::Redactor;
use crate::tool::shortened;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::fmt;
use std::net::IpAddr;
use std::sync::OnceLock;

/// What is known of a vendor before anything is configured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vendor {
    /// The provider, as agents name it.
    pub(crate) provider: &'static str,
    /// Where it is reached when nobody says otherwise.
    pub(crate) base_url: &'static str,
    /// The vendor's own hosts, reached with `https` only. They insist on a key.
    pub(crate) hosts: &'static [&'static str],
    /// The variables that may hold the key; the first that does counts.
    pub(crate) keys: &'static [KeyVariable],
    /// The variable in which a caller may give another address.
    pub(crate) base_url_variable: &'static str,
    /// How the address in that variable is read.
    pub(crate) read_base_url: fn(&str) -> String,
    /// Headers of every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Headers that go where the key goes, and the variables that hold their values.
    pub(crate) header_variables: &'static [(&'static str, &'static str)],
}

/// A variable that may hold a key, and the form in which that key is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyVariable {
    pub(crate) name: &'static str,
    pub(crate) form: KeyForm,
}

/// How a key is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyForm {
    /// `Authorization: Bearer …`
    Bearer,
    /// A header that holds nothing else.
    Header(&'static str),
}

/// What the caller (not the agent file) says about addresses and keys.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// What the provider is called, when it is another one that speaks as the vendor does.
    pub(crate) provider: Option<String>,
    pub(crate) environment: Environment,
    pub(crate) base_url: Option<String>,
    pub(crate) key: Option<Secret>,
    /// The header that holds the key, when it is not the vendor's.
    pub(crate) key_header: Option<String>,
    /// Further headers, which go where the key goes.
    pub(crate) headers: Vec<(String, Secret)>,
    /// Hosts that may get a key although only an agent file names them: `host`, which means the
    /// usual port, or `host:port`. Plain `http` gets it only on this machine.
    pub(crate) key_hosts: Vec<String>,
    /// Learns the keys that are sent.
    pub(crate) redactor: Redactor,
}

/// Where requests go, and what goes with them.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) provider: String,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// Keeps the keys that are sent out of messages.
    pub(crate) redactor: Redactor,
    pub(crate) has_key: bool,
    /// Why there is no key though one is set, and what to do.
    pub(super) withheld: Option<String>,
    /// Whether this is the vendor's own host.
    pub(crate) is_vendor: bool,
    /// The resource that was asked for first, with its address: most providers have only one.
    resource: OnceLock<(Path, Url)>,
}

/// The path of a resource that is always the same.
pub(crate) type Path = &'static [&'static str];

impl Endpoint {
    /// The endpoint of a provider: the caller's address, else the agent's, else the vendor's own.
    ///
    /// The key goes to the vendor's own hosts, to an address that the caller gave, and to hosts
    /// that the caller allows, and so do headers that the caller gives. Only the vendor insists on
    /// a key.
    pub(crate) fn resolve(
        vendor: &Vendor,
        caller: &Caller,
        agent_base_url: Option<&str>,
    ) -> Result<Self, Error> {
        let variable = caller.environment.read(vendor.base_url_variable)?;
        let variable = variable.map(|text| ((vendor.read_base_url)(&text), text));
        let given_by_caller = caller.base_url.is_some() || variable.is_some();
        let (place, text) = match (&caller.base_url, &variable, agent_base_url) {
            (Some(url), _, _) => (Place::Caller, url.as_str()),
            (None, Some((url, _)), _) => (Place::Variable(vendor.base_url_variable), url.as_str()),
            (None, None, Some(url)) => (Place::Agent, url),
            (None, None, None) => (Place::Agent, vendor.base_url),
        };
        let base_url = BaseUrl {
            text,
            written: match (place, &variable) {
                (Place::Variable(_), Some((_, written))) => written,
                _ => text,
            },
            place,
            example: vendor.base_url,
        };
        let url = base_url.parse()?;
        let is_vendor = caller.provider.is_none()
            && url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| vendor.hosts.contains(&host));
        let mut endpoint = Self {
            provider: caller
                .provider
                .clone()
                .unwrap_or_else(|| vendor.provider.to_owned()),
            url,
            headers: HeaderMap::new(),
            redactor: caller.redactor.clone(),
            has_key: false,
            withheld: None,
            is_vendor,
            resource: OnceLock::new(),
        };
        for (name, value) in vendor.headers {
            let value = HeaderValue::from_static(value);
            endpoint
                .headers
                .insert(HeaderName::from_static(name), value);
        }
        if is_vendor || given_by_caller || caller.allows(&endpoint.url) {
            endpoint.add_secrets(vendor, caller)?;
        } else {
            endpoint.withheld = withheld(vendor, caller, &endpoint.url);
        }
        if is_vendor && !endpoint.has_key {
            let names: Vec<&str> = vendor.keys.iter().map(|key| key.name).collect();
            return Err(missing_key(vendor.provider, &names));
        }
        Ok(endpoint)
    }

    fn add_secrets(&mut self, vendor: &Vendor, caller: &Caller) -> Result<(), Error> {
        if let Some((form, key)) = key(vendor, caller)? {
            let (name, value) = match (&caller.key_header, form) {
                (Some(name), _) => (name.as_str(), key.clone()),
                (None, KeyForm::Header(name)) => (name, key.clone()),
                (None, KeyForm::Bearer) => ("authorization", key.with_prefix("Bearer ")),
            };
            self.add_secret(name, &value)?;
            self.redactor.add(key.expose());
            self.has_key = true;
        }
        for (name, variable) in vendor.header_variables {
            if let Some(value) = caller.environment.read_key(variable)?.map(Secret::new) {
                self.add_secret(name, &value)?;
            }
        }
        for (name, value) in &caller.headers {
            self.add_secret(name, value)?;
            self.redactor.add_header(value.expose());
            // Whoever gives headers knows what the server wants instead of a key.
            self.has_key = true;
        }
        Ok(())
    }

    fn add_secret(&mut self, name: &str, value: &Secret) -> Result<(), Error> {
        let header = HeaderName::try_from(name).ok();
        let value = HeaderValue::from_str(value.expose()).ok();
        let (Some(header), Some(mut value)) = (header, value) else {
            return Err(bad_header(&self.provider, name));
        };
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(())
    }

    /// Whether the address ends in a version of the interface, such as `v1` or `v1beta`. For some
    /// vendors that is not part of the address, and some people give it nevertheless.
    pub(crate) fn names_version(&self) -> bool {
        let path = self.url.path().trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default();
        let version = last.strip_prefix('v').unwrap_or_default();
        version.starts_with(|c: char| c.is_ascii_digit())
    }

    /// The address of a resource that is always the same.
    pub(crate) fn resource(&self, path: Path) -> Url {
        let (known, url) = self.resource.get_or_init(|| (path, self.join(path, &[])));
        match *known == path {
            true => url.clone(),
            false => self.join(path, &[]),
        }
    }

    /// The address of a resource below this one. A query of the base address is kept.
    pub(crate) fn join(&self, path: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }
}

/// The key, as the caller gives it or in the first variable that has one, and how it is sent.
fn key(vendor: &Vendor, caller: &Caller) -> Result<Option<(KeyForm, Secret)>, Error> {
    if let (Some(source), Some(key)) = (vendor.keys.first(), &caller.key) {
        return Ok(Some((source.form, key.clone())));
    }
    for source in vendor.keys {
        if let Some(key) = caller.environment.read_key(source.name)?.map(Secret::new) {
            return Ok(Some((source.form, key)));
        }
    }
    Ok(None)
}

/// Why an address that only the agent file names gets no key, when there is one.
fn withheld(vendor: &Vendor, caller: &Caller, url: &Url) -> Option<String> {
    let mut variables = vendor.keys.iter().map(|source| source.name);
    let key = match &caller.key {
        Some(_) => "a key".to_owned(),
        None => format!(
            "`{}`",
            variables.find(|name| caller.environment.get(name).is_some())?
        ),
    };
    let right = match allowing(url) {
        Some(host) => format!(
            "to let it have the key, use `--allow-key-host {host}` (in code, \
             `RuntimeBuilder::allow_key_host`)"
        ),
        None => "over plain `http` only this machine can be let have it".to_owned(),
    };
    Some(format!(
        "{key} is set, but only the document names this address; {right}"
    ))
}

/// A provider that insists on a key has none; the variables are those that may hold it.
pub(crate) fn missing_key(provider: &str, variables: &[&str]) -> Error {
    Error::configuration(format!(
        "{provider} needs a key: set the environment variable {}, or use `--offline` (in code, \
         `Runtime::offline()`) to run without a model provider",
        variables.join(" or ")
    ))
}

/// Says the header's name only: its value is a secret.
fn bad_header(provider: &str, name: &str) -> Error {
    Error::configuration(format!(
        "the key or header `{name}` for {provider} holds characters that a header cannot"
    ))
}

/// Checks that a header can be sent: its name, and its value if one is given.
///
/// # Errors
/// Configuration, naming the header and not its value, which may be a secret.
pub(crate) fn check_header(name: &str, value: Option<&str>) -> Result<(), Error> {
    let value = value.is_none_or(|value| HeaderValue::from_str(value).is_ok());
    if value && HeaderName::try_from(name).is_ok() {
        return Ok(());
    }
    Err(Error::configuration(format!(
        "the header `{}` cannot be sent: a name is made of letters, digits and `-`, and a value \
         holds no line end",
        name.escape_debug()
    )))
}

impl Caller {
    /// Whether the caller lets this address have the key.
    fn allows(&self, url: &Url) -> bool {
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return false;
        };
        // Over a network anybody on the way could read the key.
        if url.scheme() != "https" && !is_loopback(host) {
            return false;
        }
        // Another port may be another program's, so it must have been named.
        let is_usual_port = url.port().is_none();
        let with_port = format!("{host}:{port}");
        self.key_hosts.iter().any(|allowed| {
            let allowed = allowed.trim().to_ascii_lowercase();
            allowed == with_port || (is_usual_port && allowed == host)
        })
    }
}

/// Whether a host is this machine by its very name, so that nothing sent to it leaves it.
pub(super) fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// An address for people: without the query, which may hold what is nobody's business.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// How much of what was written is quoted, in bytes.
const QUOTED: usize = 200;

/// Checks a host that the caller allows: nothing that can be written here may mean no host at all,
/// or more of them than one.
pub(crate) fn check_key_host(text: &str) -> Result<(), Error> {
    let found = text.trim();
    if is_place(found) {
        return Ok(());
    }
    let quoted = shortened(found, QUOTED);
    let meant = Url::parse(found).ok().filter(Url::has_host);
    let meant = meant.or_else(|| Url::parse(&format!("https://{found}")).ok());
    let right = match meant
        .and_then(|url| key_host(&url))
        .filter(|meant| is_place(meant))
    {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "such as `models.example` or `127.0.0.1:8080`".to_owned(),
    };
    Err(Error::configuration(format!(
        "`{}` is no host that can be let have the key, with `--allow-key-host` (in code, \
         `RuntimeBuilder::allow_key_host`); write HOST or HOST:PORT, {right}",
        quoted.escape_debug()
    )))
}

/// What is to be allowed so that an address gets the key; nothing when it gets none over plain `http`.
pub(super) fn allowing(url: &Url) -> Option<String> {
    let is_safe = url.scheme() == "https" || url.host_str().is_some_and(is_loopback);
    key_host(url).filter(|_| is_safe)
}

fn key_host(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// Whether this is a host, or host and port, as addresses have them once they are read.
fn is_place(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let Ok(url) = Url::parse(&format!("https://{text}")) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let rest = text.strip_prefix(host);
    let is_port = rest.is_some_and(|rest| match rest.strip_prefix(':') {
        Some(port) => port.parse::<u16>().is_ok_and(|port| port > 0),
        None => rest.is_empty(),
    });
    is_port && !host.is_empty() && !host.contains('*')
}

/// A key or a secret header. `Debug` does not show it, and there is no `Display`.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the key itself, for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the key with a prefix, such as `Bearer `.
    pub(super) fn with_prefix(&self, prefix: &str) -> Self {
        Self(format!("{prefix}{}", self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}
