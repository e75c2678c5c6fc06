//! The URLs that a part of media can have.

/// Checks that a URL has a scheme that some provider or the runtime fetches, and a host.
///
/// # Errors
/// The problem, as the rest of a sentence about the URL.
pub fn check_url(url: &str) -> Result<(), &'static str> {
    const SCHEMES: [&str; 3] = ["https", "http", "gs"];
    let scheme = url.split_once("://");
    let is_known = |found: &str| {
        SCHEMES
            .iter()
            .any(|known| known.eq_ignore_ascii_case(found))
    };
    let Some((_, rest)) = scheme.filter(|(found, _)| is_known(found)) else {
        return Err(
            "a URL of media begins with `https://` or `http://`; give the bytes of a file in place of its URL",
        );
    };
    if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("it has a blank or a control character; write `%20` for a blank");
    }
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.is_empty() || host.starts_with(':') {
        true => Err("it has no host"),
        false => Ok(()),
    }
}

/// Whether a URL names a file of Google Cloud Storage, which Google alone reads.
pub fn is_of_google_storage(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("gs"))
}

#[cfg(test)]
mod tests {
    use super::check_url;

    #[test]
    fn a_url_has_a_known_scheme_and_a_host() {
        for url in [
            "https://example.com/a.png",
            "HTTP://EXAMPLE.com",
            "https://[::1]:8080/a",
            "https://a:b@example.com?x",
            "gs://bucket/a.png",
        ] {
            assert_eq!(check_url(url), Ok(()), "{url}");
        }
        for (url, words) in [
            ("", "begins with"),
            ("nonsense", "begins with"),
            ("file:///etc/passwd", "begins with"),
            ("data:image/png;base64,AAAA", "begins with"),
            ("https:/example.com", "begins with"),
            ("https:///x.png", "no host"),
            ("https://:80/x.png", "no host"),
            ("https://user@/x.png", "no host"),
            ("https://example.com/a b.png", "a blank"),
        ] {
            let problem = check_url(url).expect_err(words);
            assert!(problem.contains(words), "{url}: {problem}");
        }
    }
}
