//! Making the client: proxies, encryption, and what is never followed.

use crate::env::Environment;
use crate::error::Error;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy, Url, redirect};
use std::time::Duration;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Proxies come from the runtime's environment, not from the process's, so that a test or a host
/// that gives an environment of its own is not disturbed.
pub(crate) fn client(environment: &Environment) -> Result<Client, Error> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(super::tls::config(environment)?)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT)
        // A part of a streamed answer must not wait for the next one to fill a packet.
        .tcp_nodelay(true)
        .user_agent(concat!("agent-runtime/", env!("CARGO_PKG_VERSION")));
    let setting = |names: &[&'static str]| {
        let mut names = names.iter();
        let found = names.find_map(|name| match environment.read(name) {
            Ok(value) => Some(Ok((*name, value?))),
            Err(error) => Some(Err(error)),
        });
        found.transpose()
    };
    let direct = setting(&["no_proxy", "NO_PROXY"])?.map(|(_, list)| list);
    let direct = direct.unwrap_or_default();
    // For reqwest a star stands for names, and not for addresses.
    if direct.split(',').any(|host| host.trim() == "*") {
        return build(builder);
    }
    let direct = NoProxy::from_string(&direct);
    let https = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    if let Some((name, address)) = setting(&https)? {
        let proxy = Proxy::https(proxy_url(name, &address)?).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct.clone()));
    }
    // `HTTP_PROXY` in capitals is what a CGI script gets from a request's `Proxy` header.
    if let Some((name, address)) = setting(&["http_proxy", "all_proxy", "ALL_PROXY"])? {
        let proxy = Proxy::http(proxy_url(name, &address)?).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct));
    }
    build(builder)
}

fn build(builder: ClientBuilder) -> Result<Client, Error> {
    builder
        .build()
        .map_err(|error| Error::configuration("cannot set up HTTP").with_source(error))
}

/// The address of a proxy. For reqwest one with a scheme that it does not know is none, so that
/// requests would go past the proxy without a word.
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

/// Names the variable, but neither its value nor the cause, which quotes it: a proxy's address may
/// hold a password.
fn bad_proxy(variable: &str) -> Error {
    Error::configuration(format!(
        "the variable `{variable}` does not hold the address of a proxy that can be used; write one \
         that begins with `http://` or `https://`, such as `http://proxy.example:3128`"
    ))
}
