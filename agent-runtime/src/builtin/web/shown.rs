//! URLs as messages show them.

use reqwest::Url;
use std::fmt;

/// A URL without what may be secret: user, password, query and fragment.
pub(super) struct Shown<'a>(pub(super) &'a Url);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(url) = self;
        write!(out, "{}://", url.scheme())?;
        if let Some(host) = url.host_str() {
            out.write_str(host)?;
        }
        if let Some(port) = url.port() {
            write!(out, ":{port}")?;
        }
        out.write_str(url.path())
    }
}
