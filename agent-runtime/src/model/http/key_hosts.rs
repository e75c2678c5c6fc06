//! Which hosts get the key of a provider.

use super::base_url::{QUOTED, is_loopback};
use agent_tool::__private::shortened;
use agent_tool::Error;
use reqwest::Url;

/// Whether the key is sent to an address: to the vendor's own hosts, to an address that the host program or the environment
/// names, and to the hosts that the host program allows. A document alone does not send the key anywhere.
pub(super) fn gets_key(
    url: &Url,
    is_vendor: bool,
    is_configured: bool,
    key_hosts: &[String],
) -> bool {
    is_vendor || is_configured || allows(key_hosts, url)
}

/// Whether an address that only an agent document names may get the key. `key_hosts` are those that the host program allows:
/// `host` for the default port, or `host:port`.
fn allows(key_hosts: &[String], url: &Url) -> bool {
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return false;
    };
    // Over plain `http` everybody on the way could read the key.
    if url.scheme() != "https" && !is_loopback(host) {
        return false;
    }
    // Another port may belong to another program, so it must be named.
    let is_default_port = url.port().is_none();
    let with_port = format!("{host}:{port}");
    key_hosts.iter().any(|allowed| {
        let allowed = allowed.trim().to_ascii_lowercase();
        allowed == with_port || (is_default_port && allowed == host)
    })
}

/// Checks a host that may get the key: `HOST` or `HOST:PORT`, and neither a URL nor a pattern for several
/// hosts.
///
/// # Errors
/// Configuration, with a suggestion.
pub(crate) fn check_key_host(text: &str) -> Result<(), Error> {
    let found = text.trim();
    if is_host(found) {
        return Ok(());
    }
    let quoted = shortened(found, QUOTED);
    let meant = Url::parse(found).ok().filter(Url::has_host);
    let meant = meant.or_else(|| Url::parse(&format!("https://{found}")).ok());
    let suggestion = match meant
        .and_then(|url| key_host(&url))
        .filter(|meant| is_host(meant))
    {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "such as `models.example` or `127.0.0.1:8080`".to_owned(),
    };
    Err(Error::configuration(format!(
        "`{}` is not a host for `--allow-key-host` (in code, `RuntimeBuilder::allow_key_host`); write \
         HOST or HOST:PORT, {suggestion}",
        quoted.escape_debug()
    )))
}

/// Returns the host of a URL in the form in which the host program names it.
pub(super) fn key_host(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// Whether a text is a host, or host and port, in the form that parsed URLs have.
fn is_host(text: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::check_key_host;

    #[test]
    fn accepts_hosts_with_and_without_a_port() {
        for good in [
            "models.example",
            "Models.Example:443",
            "127.0.0.1:8080",
            "localhost",
            "[::1]:8080",
            " my_host ",
        ] {
            check_key_host(good).expect(good);
        }
    }

    #[test]
    fn rejects_other_texts_as_hosts_and_suggests_a_fix() {
        for (bad, words) in [
            ("http://127.0.0.1:9400", "did you mean `127.0.0.1:9400`?"),
            (
                "https://models.example/v1",
                "did you mean `models.example`?",
            ),
            ("127.0.0.1:9400/", "did you mean `127.0.0.1:9400`?"),
            ("user@models.example", "did you mean `models.example`?"),
            ("127.1", "did you mean `127.0.0.1`?"),
            ("*", "write HOST or HOST:PORT, such as `models.example`"),
            ("*.example", "such as"),
            ("ex ample", "`ex ample` is not a host"),
            ("models.example:", "did you mean `models.example`?"),
            ("models.example:port", "such as"),
            ("", "such as"),
        ] {
            let error = check_key_host(bad).expect_err(bad);
            assert!(error.is_configuration(), "{error:?}");
            assert!(error.to_string().contains(words), "{bad}: {error}");
        }
    }
}
