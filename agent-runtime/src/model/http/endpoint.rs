//! The endpoint of a provider: the address of its requests, and whether the key is sent there.
//!
//! An agent document is not trusted with keys. It may come from anywhere, and its `baseUrl` could send
//! the key of the host program to a stranger.

#[cfg(test)]
mod tests;

use super::base_url::{BaseUrl, UrlSource, is_loopback};
use super::key_hosts::{gets_key, key_host};
use agent_tool::redact::Redactor;
use agent_tool::{Environment, Error};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::fmt;

/// The vendor of a wire format: its own hosts, and the variables that configure it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vendor {
    /// The name of the provider in models.
    pub(crate) provider: &'static str,
    /// The default base URL.
    pub(crate) base_url: &'static str,
    /// The vendor's own hosts. They require a key, and are trusted with it over `https` only.
    pub(crate) hosts: &'static [&'static str],
    /// The variables that may hold the key. The first one that is set is used.
    pub(crate) keys: &'static [KeyVariable],
    /// The variable that may hold another base URL.
    pub(crate) base_url_variable: &'static str,
    /// Converts the value of that variable to a URL.
    pub(crate) read_base_url: fn(&str) -> String,
    /// The headers of every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Headers that are only sent where the key is sent, and the variables that hold their values.
    pub(crate) header_variables: &'static [(&'static str, &'static str)],
}

/// A variable that may hold a key, and the form in which that key is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyVariable {
    pub(crate) name: &'static str,
    pub(crate) form: KeyForm,
}

/// The header that carries a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyForm {
    /// `Authorization: Bearer …`
    Bearer,
    /// A header of this name, with the key as its value.
    Header(&'static str),
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
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

/// The configuration of an endpoint by the host program or the command line, as opposed to the agent
/// document.
#[derive(Clone, Debug)]
pub(crate) struct EndpointConfig {
    /// The name of the provider, if it is not the vendor but another server with the vendor's format.
    pub(crate) provider: Option<String>,
    pub(crate) environment: Environment,
    /// The name in traces, in place of that of the format.
    pub(crate) trace_name: Option<&'static str>,
    /// The address in place of the vendor's, which only a document names.
    pub(crate) default_base_url: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) key: Option<Secret>,
    /// The header that carries the key, in place of the vendor's.
    pub(crate) key_header: Option<String>,
    /// Further headers, which are only sent where the key is sent.
    pub(crate) headers: Vec<(String, Secret)>,
    /// Hosts that may get the key although only an agent document names them: `host` for the default
    /// port, or `host:port`. Over plain `http` only this machine gets the key.
    pub(crate) key_hosts: Vec<String>,
    /// Learns the keys that are sent.
    pub(crate) redactor: Redactor,
}

impl EndpointConfig {
    /// Returns the configured key, or that of the first variable that is set, and its form.
    fn key(&self, vendor: &Vendor) -> Result<Option<(KeyForm, Secret)>, Error> {
        if let (Some(variable), Some(key)) = (vendor.keys.first(), &self.key) {
            return Ok(Some((variable.form, key.clone())));
        }
        for variable in vendor.keys {
            if let Some(key) = self.environment.read_key(variable.name)?.map(Secret::new) {
                return Ok(Some((variable.form, key)));
            }
        }
        Ok(None)
    }

    /// Explains why an address that only the agent document names gets no key, if a key is set.
    fn withheld(&self, vendor: &Vendor, url: &Url) -> Option<String> {
        let mut variables = vendor.keys.iter().map(|variable| variable.name);
        let key = match &self.key {
            Some(_) => "a key".to_owned(),
            None => format!(
                "`{}`",
                variables.find(|name| self.environment.get(name).is_some())?
            ),
        };
        let is_safe = url.scheme() == "https" || url.host_str().is_some_and(is_loopback);
        let remedy = match key_host(url).filter(|_| is_safe) {
            Some(host) => format!(
                "to send the key there, use `--allow-key-host {host}` (in code, \
                 `RuntimeBuilder::allow_key_host`)"
            ),
            None => "over plain `http` it can only be sent to this machine".to_owned(),
        };
        Some(format!(
            "{key} is set, but only the document names this address; {remedy}"
        ))
    }
}

/// The address and the headers of requests to a provider.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) provider: String,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// Keeps the keys that are sent out of messages.
    pub(crate) redactor: Redactor,
    pub(crate) has_key: bool,
    /// Explains why no key is sent although one is set, and how to send it.
    pub(super) withheld: Option<String>,
    /// Whether this is the vendor's own host.
    pub(crate) is_vendor: bool,
}

impl Endpoint {
    /// Resolves the endpoint of a provider: the configured base URL, else the agent's, else the vendor's.
    ///
    /// The key and the configured headers are sent to the vendor's own hosts, to a configured base URL, and
    /// to allowed hosts. Only the vendor requires a key.
    ///
    /// # Errors
    /// Configuration when the base URL or a header cannot be used, or the vendor's key is missing.
    pub(crate) fn resolve(
        vendor: &Vendor,
        config: &EndpointConfig,
        agent_base_url: Option<&str>,
    ) -> Result<Self, Error> {
        let variable = config.environment.read(vendor.base_url_variable)?;
        let variable = variable.map(|text| ((vendor.read_base_url)(&text), text));
        let base_url = |text, written, source| BaseUrl {
            text,
            written,
            source,
            example: vendor.base_url,
        };
        let base_url = match (&config.base_url, &variable, agent_base_url) {
            (Some(url), _, _) => base_url(url.as_str(), url, UrlSource::Caller),
            (None, Some((url, written)), _) => {
                base_url(url, written, UrlSource::Variable(vendor.base_url_variable))
            }
            (None, None, url) => {
                let default = config.default_base_url.as_deref();
                let url = url.or(default).unwrap_or(vendor.base_url);
                base_url(url, url, UrlSource::Agent)
            }
        };
        let is_configured = !matches!(base_url.source, UrlSource::Agent);
        let url = base_url.parse()?;
        let is_vendor = config.provider.is_none()
            && url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| vendor.hosts.contains(&host));
        let provider = config.provider.as_deref().unwrap_or(vendor.provider);
        let mut endpoint = Self {
            provider: provider.to_owned(),
            url,
            headers: HeaderMap::new(),
            redactor: config.redactor.clone(),
            has_key: false,
            withheld: None,
            is_vendor,
        };
        for (name, value) in vendor.headers {
            let value = HeaderValue::from_static(value);
            endpoint
                .headers
                .insert(HeaderName::from_static(name), value);
        }
        if gets_key(&endpoint.url, is_vendor, is_configured, &config.key_hosts) {
            endpoint.add_secrets(vendor, config)?;
        } else {
            endpoint.withheld = config.withheld(vendor, &endpoint.url);
        }
        if is_vendor && !endpoint.has_key {
            let names: Vec<&str> = vendor.keys.iter().map(|key| key.name).collect();
            return Err(missing_key(vendor.provider, &names));
        }
        // Last, because no configured header replaces it.
        let json = HeaderValue::from_static("application/json");
        endpoint.headers.insert(CONTENT_TYPE, json);
        Ok(endpoint)
    }

    fn add_secrets(&mut self, vendor: &Vendor, config: &EndpointConfig) -> Result<(), Error> {
        if let Some((form, key)) = config.key(vendor)? {
            let key = key.expose();
            match (&config.key_header, form) {
                (Some(name), _) => self.add_secret(name, key)?,
                (None, KeyForm::Header(name)) => self.add_secret(name, key)?,
                (None, KeyForm::Bearer) => {
                    self.add_secret("authorization", &format!("Bearer {key}"))?;
                }
            }
            self.redactor.add(key);
            self.has_key = true;
        }
        for (name, variable) in vendor.header_variables {
            if let Some(value) = config.environment.read_key(variable)? {
                self.add_secret(name, &value)?;
            }
        }
        for (name, value) in &config.headers {
            self.add_secret(name, value.expose())?;
            self.redactor.add_header(value.expose());
            // A configured header may be the one that carries the key.
            self.has_key = true;
        }
        Ok(())
    }

    fn add_secret(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let header = HeaderName::try_from(name).ok();
        let value = HeaderValue::from_str(value).ok();
        let (Some(header), Some(mut value)) = (header, value) else {
            // Without the value, which is a secret.
            return Err(Error::configuration(format!(
                "the key or header `{name}` for {} holds characters that a header cannot",
                self.provider
            )));
        };
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(())
    }

    /// Whether the base URL ends with a version, such as `v1` or `v1beta`. Some vendors do not count the
    /// version as part of the base URL, but users write it there.
    pub(crate) fn has_version(&self) -> bool {
        let path = self.url.path().trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default();
        let version = last.strip_prefix('v').unwrap_or_default();
        version.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Returns the URL of a resource below the base URL, whose query is kept.
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

/// The error of a provider that requires a key, when none of the variables that may hold it is set.
pub(crate) fn missing_key(provider: &str, variables: &[&str]) -> Error {
    Error::configuration(format!(
        "{provider} needs a key: set the environment variable {}, or use `--offline` (in code, \
         `Runtime::offline()`) to run without a model provider",
        variables.join(" or ")
    ))
}

/// Checks that a header can be sent: its name, and its value if one is given.
///
/// # Errors
/// Configuration, with the name but not the value, which may be a secret.
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
