//! The hosts that may get a key although only an agent file names them.

use super::endpoint::is_loopback;
use crate::error::Error;
use crate::tool::shortened;
use reqwest::Url;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_allowed_with_or_without_a_port() {
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
    fn what_is_no_host_is_refused_with_what_would_be_right() {
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
            ("ex ample", "`ex ample` is no host"),
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
