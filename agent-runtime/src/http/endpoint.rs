//! Where a request goes, and whether a key goes with it.
//!
//! An agent file is not trusted with keys: it may come from anywhere, and a `baseUrl` in it would
//! otherwise carry the caller's key to whoever wrote it.

use super::secret::Secret;
use crate::env::Environment;
use crate::error::Error;
use reqwest::Url;
use std::net::IpAddr;

/// What is known of a vendor before anything is configured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vendor {
    /// The provider, as agents name it.
    pub(crate) provider: &'static str,
    /// The vendor's own address.
    pub(crate) base_url: &'static str,
    /// The vendor's own hosts, reached with `https` only.
    pub(crate) hosts: &'static [&'static str],
    /// The variable of the key.
    pub(crate) key_variable: &'static str,
    /// The variable in which a caller may give another address.
    pub(crate) base_url_variable: &'static str,
}

/// What the caller (not the agent file) says about addresses and keys.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) environment: Environment,
    pub(crate) base_url: Option<String>,
    pub(crate) key: Option<Secret>,
    /// Hosts that may get a key although only an agent file names them: `host`, which means the
    /// usual port, or `host:port`. Plain `http` gets it only on this machine.
    pub(crate) key_hosts: Vec<String>,
}

/// Where requests go, and the key that goes with them.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) url: Url,
    pub(crate) key: Option<Secret>,
    /// Whether this is the vendor's own host.
    pub(crate) is_vendor: bool,
}

impl Endpoint {
    /// The endpoint of a provider: the caller's address, else the agent's, else the vendor's own.
    ///
    /// The key goes to the vendor's own hosts, to an address that the caller gave, and to hosts
    /// that the caller allows. Only the vendor insists on one.
    pub(crate) fn resolve(
        vendor: &Vendor,
        caller: &Caller,
        agent_base_url: Option<&str>,
    ) -> Result<Self, Error> {
        let variable = || caller.environment.get(vendor.base_url_variable);
        let by_caller = caller.base_url.clone().or_else(variable);
        let given_by_caller = by_caller.is_some();
        let text = match (&by_caller, agent_base_url) {
            (Some(url), _) => url,
            (None, Some(url)) => url,
            (None, None) => vendor.base_url,
        };
        let url = parse(text)?;
        let is_vendor = url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| vendor.hosts.contains(&host));
        let may_have_key = is_vendor || given_by_caller || caller.allows(&url);
        let key = if may_have_key {
            let variable = || caller.environment.get(vendor.key_variable).map(Secret::new);
            caller.key.clone().or_else(variable)
        } else {
            None
        };
        if is_vendor && key.is_none() {
            return Err(Error::configuration(format!(
                "{} needs a key: set the environment variable {}, or use `--offline` (in code, \
                 `Runtime::offline()`) to run without a model provider",
                vendor.provider, vendor.key_variable
            )));
        }
        Ok(Self {
            url,
            key,
            is_vendor,
        })
    }

    /// The address of a resource below this one. A query of the base address is kept.
    pub(crate) fn join(&self, path: &[&str]) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }
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
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Checks an address that the caller gave.
pub(crate) fn check_base_url(text: &str) -> Result<(), Error> {
    parse(text).map(drop)
}

fn parse(text: &str) -> Result<Url, Error> {
    let url = Url::parse(text.trim())
        .map_err(|error| Error::configuration("a base URL is not a URL").with_source(error))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(Error::configuration(
            "a base URL starts with `http://` or `https://` and names a host",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::configuration(format!(
            "the base URL for `{}` must not hold a user name or password",
            url.host_str().unwrap_or_default()
        )));
    }
    Ok(url)
}

/// An address for people: without the query, which may hold what is nobody's business.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VENDOR: Vendor = Vendor {
        provider: "OpenAI",
        base_url: "https://api.openai.com/v1",
        hosts: &["api.openai.com"],
        key_variable: "OPENAI_API_KEY",
        base_url_variable: "OPENAI_BASE_URL",
    };

    fn caller(pairs: &[(&str, &str)]) -> Caller {
        Caller {
            environment: Environment::from_pairs(pairs.iter().copied()),
            base_url: None,
            key: None,
            key_hosts: Vec::new(),
        }
    }

    const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-1");

    #[test]
    fn a_key_goes_to_the_vendor_and_where_the_caller_says() {
        let has_key = |caller: &Caller, agent: Option<&str>| {
            let endpoint = Endpoint::resolve(&VENDOR, caller, agent).expect("an endpoint");
            endpoint.key.is_some()
        };
        assert!(has_key(&caller(&[KEY]), None));
        let base = ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
        assert!(has_key(&caller(&[KEY, base]), None));
        assert!(has_key(
            &caller(&[KEY, base]),
            Some("https://evil.example/v1")
        ));
        for agent in [
            "https://evil.example/v1",
            "https://api.openai.com.evil.example/v1",
            "https://api.openai.com:8443/v1",
            "https://api.openai.com./v1",
            "http://api.openai.com/v1",
            "https://evil.example/api.openai.com",
        ] {
            assert!(!has_key(&caller(&[KEY]), Some(agent)), "{agent}");
        }
        assert!(has_key(&caller(&[KEY]), Some("https://API.openai.com/v1")));
    }

    #[test]
    fn an_allowed_host_is_allowed_on_its_port_and_not_in_the_clear() {
        let mut allowing = caller(&[KEY]);
        allowing.key_hosts = [
            "proxy.example",
            "Other.example:8443",
            "plain.example:80",
            "localhost",
            "127.0.0.1:8080",
            "[::1]:8080",
        ]
        .map(str::to_owned)
        .to_vec();
        for (url, expected) in [
            ("https://proxy.example/v1", true),
            ("https://proxy.example:443/v1", true),
            ("https://proxy.example:8443/v1", false),
            ("http://proxy.example/v1", false),
            ("http://proxy.example:443/v1", false),
            ("https://other.example:8443/v1", true),
            ("https://other.example/v1", false),
            ("http://other.example:8443/v1", false),
            ("http://plain.example/v1", false),
            ("http://localhost/v1", true),
            ("http://localhost:8080/v1", false),
            ("http://localhost.evil.example/v1", false),
            ("http://127.0.0.1:8080/v1", true),
            ("http://127.0.0.1/v1", false),
            ("http://[::1]:8080/v1", true),
        ] {
            let endpoint = Endpoint::resolve(&VENDOR, &allowing, Some(url)).expect(url);
            assert_eq!(endpoint.key.is_some(), expected, "{url}");
        }
    }

    #[test]
    fn a_missing_key_is_an_error_only_at_the_vendor() {
        let error = Endpoint::resolve(&VENDOR, &caller(&[]), None).expect_err("no key");
        assert!(error.is_configuration());
        let text = error.to_string();
        assert!(
            text.contains("OPENAI_API_KEY") && text.contains("--offline"),
            "{text}"
        );
        let local = Some("http://localhost:8080/v1");
        assert!(Endpoint::resolve(&VENDOR, &caller(&[]), local).is_ok());
    }

    #[test]
    fn addresses_are_joined_and_bad_ones_refused() {
        let join = |base: &str| {
            let caller = caller(&[]);
            let endpoint = Endpoint::resolve(&VENDOR, &caller, Some(base)).expect("an endpoint");
            endpoint.join(&["chat", "completions"]).to_string()
        };
        assert_eq!(join("http://h/v1"), "http://h/v1/chat/completions");
        assert_eq!(join("http://h/v1/"), "http://h/v1/chat/completions");
        assert_eq!(join("http://h"), "http://h/chat/completions");
        assert_eq!(join("http://h/a?v=1"), "http://h/a/chat/completions?v=1");
        for bad in ["", "h/v1", "file:///etc/passwd", "http://u:secret@h/v1"] {
            let error = Endpoint::resolve(&VENDOR, &caller(&[]), Some(bad)).expect_err(bad);
            assert!(error.is_configuration() && !format!("{error:?}").contains("secret"));
        }
    }
}
