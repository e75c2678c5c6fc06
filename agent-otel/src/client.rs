//! The HTTP client that sends to a collector.

use agent_http::{CERTIFICATE_FILE, rejecting_tls_config, tls_config, with_proxies};
use agent_tool::{Environment, Error};
use reqwest::{Client, Url, redirect};
use std::time::Duration;

/// The longest time that connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Creates the client for a URL. Proxies come from `environment` and not from the process's environment, so
/// that a test or a host with an environment of its own is not disturbed.
///
/// # Errors
/// Configuration for a variable that holds no proxy's address, and for an https URL when there are no
/// certificates to check the server's with.
pub(crate) fn client(environment: &Environment, url: &Url) -> Result<Client, Error> {
    let file = environment.read(CERTIFICATE_FILE)?;
    let tls = match tls_config(file.as_deref()) {
        // A collector without TLS is reached without certificates, which small containers lack.
        Err(reason) if url.scheme() == "http" => rejecting_tls_config(reason),
        tls => tls,
    };
    let tls = tls.map_err(|reason| Error::configuration(format!("cannot set up TLS: {reason}")))?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("agent-otel/", env!("CARGO_PKG_VERSION")));
    let client =
        with_proxies(builder, |name| environment.read(name), Error::configuration)?.build();
    client.map_err(|error| Error::configuration("cannot set up HTTP").with_source(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn refuses_proxies_that_reqwest_would_ignore_without_quoting_them() {
        for name in ["https_proxy", "http_proxy", "ALL_PROXY"] {
            let environment = Environment::from_pairs([(name, "socks5://me:hush@proxy.example")]);
            let error = client(&environment, &url("http://otel.example")).expect_err(name);
            let text = error.to_string();
            assert!(error.is_configuration() && text.contains(name), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
        let without_scheme = Environment::from_pairs([("http_proxy", "proxy.example:3128")]);
        client(&without_scheme, &url("http://otel.example")).expect("a proxy");
    }

    #[test]
    fn needs_certificates_for_https_only() {
        let environment = Environment::from_pairs([("SSL_CERT_FILE", "no/such/file.pem")]);
        client(&environment, &url("http://otel.example")).expect("a client");
        let error =
            client(&environment, &url("https://otel.example")).expect_err("no certificates");
        assert!(error.to_string().contains("`no/such/file.pem`"), "{error}");
    }
}
