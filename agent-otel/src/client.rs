//! The HTTP client that sends to a collector.

use crate::tls;
use agent_runtime::{Environment, Error};
use reqwest::{Client, ClientBuilder, NoProxy, Proxy, Url, redirect};
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
    let tls = match tls::config(environment) {
        Ok(tls) => tls,
        // A collector without TLS is reached without certificates, which small containers lack.
        Err(_) if url.scheme() == "http" => {
            tls::trusting_nobody().map_err(|reason| set_up_failed(&reason))?
        }
        Err(reason) => return Err(set_up_failed(&reason)),
    };
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("agent-otel/", env!("CARGO_PKG_VERSION")));
    let client = with_proxies(builder, environment)?.build();
    client.map_err(|error| Error::configuration("cannot set up HTTP").with_source(error))
}

fn set_up_failed(reason: &str) -> Error {
    Error::configuration(format!("cannot set up TLS: {reason}"))
}

fn with_proxies(
    mut builder: ClientBuilder,
    environment: &Environment,
) -> Result<ClientBuilder, Error> {
    let direct = first_of(environment, &["no_proxy", "NO_PROXY"])?;
    let direct = direct.map(|(_, hosts)| hosts).unwrap_or_default();
    // reqwest takes `*` for all names, but not for addresses.
    if direct.split(',').any(|host| host.trim() == "*") {
        return Ok(builder);
    }
    let direct = NoProxy::from_string(&direct);
    let https = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    if let Some((name, address)) = first_of(environment, &https)? {
        let proxy = Proxy::https(proxy_url(name, &address)?).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct.clone()));
    }
    // Not `HTTP_PROXY`, which in a CGI script is the `Proxy` header of a request.
    let http = ["http_proxy", "all_proxy", "ALL_PROXY"];
    if let Some((name, address)) = first_of(environment, &http)? {
        let proxy = Proxy::http(proxy_url(name, &address)?).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct));
    }
    Ok(builder)
}

/// Reads the first of these variables that is set, with its name.
fn first_of(
    environment: &Environment,
    names: &[&'static str],
) -> Result<Option<(&'static str, String)>, Error> {
    for name in names {
        if let Some(value) = environment.read(name)? {
            return Ok(Some((name, value)));
        }
    }
    Ok(None)
}

/// Parses the address of a proxy. Other schemes than http and https are refused here, because reqwest would
/// ignore such a proxy and connect directly.
fn proxy_url(variable: &str, address: &str) -> Result<Url, Error> {
    let url = match address.contains("://") {
        true => Url::parse(address),
        false => Url::parse(&format!("http://{address}")),
    };
    let url = url.map_err(|_| bad_proxy(variable))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err(bad_proxy(variable)),
    }
}

/// Returns the error of a variable that holds no proxy's address. It names neither the value nor its cause,
/// because a proxy's address may hold a password.
fn bad_proxy(variable: &str) -> Error {
    Error::configuration(format!(
        "the variable `{variable}` does not hold the address of a proxy that can be used; write one \
         that begins with `http://` or `https://`, such as `http://proxy.example:3128`"
    ))
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
