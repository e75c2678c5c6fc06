//! The endpoint of a provider: the address of its requests, and whether the key is sent there.
//!
//! A document is not trusted with keys and conversations. It may come from anywhere, and its `baseUrl` could send
//! the key of the host program, or what the tools read, to a stranger.

#[cfg(test)]
mod tests;

use super::allowed_hosts::{BASE_URL_HOST, KEY_HOST, allows, is_private, may_get_key};
use super::base_url::{BaseUrl, UrlSource, display_url, is_version};
use agent_http::{host_of, is_this_machine};
use agent_tool::__private::Cause;
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
    /// The end of the addresses of requests.
    pub(crate) endpoint: &'static str,
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
    /// The address in the catalogue of models, in place of the vendor's.
    pub(crate) row_url: Option<RowUrl>,
    pub(crate) base_url: Option<String>,
    /// The variable that `base_url` is from, if it is from one.
    pub(crate) base_url_variable: Option<String>,
    pub(crate) key: Option<Secret>,
    /// The header that carries the key, in place of the vendor's.
    pub(crate) key_header: Option<String>,
    /// Further headers, which are only sent where the key is sent.
    pub(crate) headers: Vec<(String, Secret)>,
    /// Hosts that may get requests although only a document names them: `host` for the default port, or
    /// `host:port`.
    pub(crate) url_hosts: Vec<String>,
    /// Hosts that may get requests and the key. Over plain `http` only this machine gets the key.
    pub(crate) key_hosts: Vec<String>,
    /// Whether only a document names the key for the provider, so that only `key_hosts` get it.
    pub(crate) withholds_key: bool,
    /// The redactor that gets the keys that are sent.
    pub(crate) redactor: Redactor,
}

/// The address of a provider in the catalogue of models.
#[derive(Clone, Debug)]
pub(crate) struct RowUrl {
    pub(crate) url: String,
    /// Whether the address is that of the built-in catalogue.
    pub(crate) is_builtin: bool,
    /// The variables of the key.
    pub(crate) keys: Vec<String>,
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
        let why = match self.withholds_key {
            true => "only a document names this key for the provider",
            false => "only the document names this address",
        };
        let remedy = match host_of(url).filter(|_| is_private(url)) {
            Some(host) => format!("to send the key there, {}", KEY_HOST.advice(&host)),
            None => "over plain `http` it can only be sent to this machine".to_owned(),
        };
        Some(format!("{key} is set, but {why}; {remedy}"))
    }
}

/// The address and the headers of requests to a provider.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) provider: String,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// Redacts the keys that are sent, so that no message contains them.
    pub(crate) redactor: Redactor,
    pub(crate) has_key: bool,
    /// Explains why no key is sent although one is set, and how to send it.
    pub(super) withheld: Option<String>,
    /// Whether this is the vendor's own host.
    pub(crate) is_vendor: bool,
}

impl Endpoint {
    /// Resolves the endpoint of a provider: the configured base URL, else the agent's, else that of the catalogue
    /// or the vendor.
    ///
    /// An address that only a document names is contacted if it is the vendor's, this machine's, or allowed. The key
    /// and the configured headers are sent to the vendor's own hosts, to a configured base URL, and to hosts that are
    /// allowed to get them. Only the vendor requires a key.
    ///
    /// # Errors
    /// Configuration when the base URL or a header cannot be used, when the address is not allowed, or when the
    /// vendor's key is missing.
    pub(crate) fn resolve(
        vendor: &Vendor,
        config: &EndpointConfig,
        agent_base_url: Option<&str>,
    ) -> Result<Self, Error> {
        let provider = config.provider.as_deref().unwrap_or(vendor.provider);
        let variable = config.environment.read(vendor.base_url_variable)?;
        let variable = variable.map(|text| ((vendor.read_base_url)(&text), text));
        let row = config.row_url.as_ref();
        let (text, written, source) = match (&config.base_url, &variable, agent_base_url) {
            (Some(url), _, _) => {
                let source = match &config.base_url_variable {
                    Some(name) => UrlSource::Variable(name),
                    None => UrlSource::Caller,
                };
                (url.as_str(), url.as_str(), source)
            }
            (None, Some((url, written)), _) => {
                let source = UrlSource::Variable(vendor.base_url_variable);
                (url.as_str(), written.as_str(), source)
            }
            (None, None, Some(url)) => (url, url, UrlSource::Agent),
            (None, None, None) => {
                let url = row.map_or(vendor.base_url, |row| &row.url);
                (url, url, UrlSource::Catalog(provider))
            }
        };
        let base_url = BaseUrl {
            text,
            written,
            source,
            example: vendor.base_url,
            format: Some(vendor.provider),
            endpoint: Some(vendor.endpoint),
        };
        let url = base_url.parse()?;
        let host = url.host_str().unwrap_or_default();
        let is_of_vendor =
            url.scheme() == "https" && url.port().is_none() && vendor.hosts.contains(&host);
        let is_vendor = config.provider.is_none() && is_of_vendor;
        let row = row.filter(|row| {
            let is_there = Url::parse(&row.url).is_ok_and(|row| row.origin() == url.origin());
            row.is_builtin && is_there
        });
        let is_own = is_vendor || row.is_some();
        let is_allowed = allows(&config.url_hosts, &url) || allows(&config.key_hosts, &url);
        let is_known = is_of_vendor || is_own || is_this_machine(&url);
        if !(source.is_program() || is_known || is_allowed) {
            return Err(not_allowed(source, &url));
        }
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
        let is_trusted = (is_own || source.is_program()) && !config.withholds_key;
        if is_trusted || may_get_key(&config.key_hosts, &endpoint.url) {
            endpoint.add_secrets(vendor, config)?;
        } else {
            endpoint.withheld = config.withheld(vendor, &endpoint.url);
        }
        // Servers on this machine require no key.
        if is_own && is_trusted && !endpoint.has_key && endpoint.url.scheme() == "https" {
            let names: Vec<&str> = match row {
                Some(row) => row.keys.iter().map(String::as_str).collect(),
                None => vendor.keys.iter().map(|key| key.name).collect(),
            };
            if !names.is_empty() {
                return Err(missing_key(provider, &names));
            }
        }
        // Inserted last, so that no configured header replaces it.
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
            // The error leaves out the value, because it is a secret.
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
        is_version(path.rsplit('/').next().unwrap_or_default())
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

/// The error of an address that only a document names, when the host program does not allow requests to it.
fn not_allowed(source: UrlSource<'_>, url: &Url) -> Error {
    let advice = BASE_URL_HOST.advice(&host_of(url).unwrap_or_default());
    Error::configuration(format!(
        "{source} is `{}`, which is neither the provider's own address nor this machine's; a server there reads the \
         messages and what tools return, so if you trust it, {advice}",
        display_url(url)
    ))
    .with_cause(Cause::AddressNotAllowed)
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
