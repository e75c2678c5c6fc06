//! Proxies, from the variables that other programs read.

use reqwest::{ClientBuilder, NoProxy, Proxy, Url};

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
    let direct = direct.unwrap_or_default();
    // For reqwest `*` matches host names, but not addresses.
    if direct.split(',').any(|host| host.trim() == "*") {
        return Ok(builder);
    }
    let direct = NoProxy::from_string(&direct);
    let https = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    // Not `HTTP_PROXY`, which a web server sets for CGI programs from the `Proxy` header of a request.
    let http = ["http_proxy", "all_proxy", "ALL_PROXY"];
    for (names, proxy) in [
        (&https[..], Proxy::https::<Url> as fn(Url) -> _),
        (&http[..], Proxy::http::<Url>),
    ] {
        if let Some((name, address)) = first_of(names)? {
            let proxy = proxy_url(&address).and_then(|url| proxy(url).ok());
            let proxy = proxy.ok_or_else(|| fail(bad_proxy(name)))?;
            builder = builder.proxy(proxy.no_proxy(direct.clone()));
        }
    }
    Ok(builder)
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
