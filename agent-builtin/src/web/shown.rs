//! URLs as messages show them.

use crate::web::excerpt::excerpt;
use reqwest::Url;
use std::fmt;

/// How much of a path is shown, in bytes.
const LONGEST: usize = 200;

/// A URL without what may be secret: user, password, query and fragment.
pub(super) struct Shown<'a>(pub(super) &'a Url);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(url) = self;
        // Other schemes keep their secrets elsewhere: all of `data:` is one.
        let Some(host) = url.host_str() else {
            return write!(out, "{}:", url.scheme());
        };
        write!(out, "{}://{host}", url.scheme())?;
        if let Some(port) = url.port() {
            write!(out, ":{port}")?;
        }
        out.write_str(&excerpt(url.path(), LONGEST))
    }
}
