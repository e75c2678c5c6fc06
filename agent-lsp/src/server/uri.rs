//! Conversion between addresses and files.

use gen_lsp_types::Uri;
use std::path::{Path, PathBuf};
use url::Url;

/// Returns the file of an address. A text that was never saved has an address without a file.
pub(super) fn file_of(uri: &Uri) -> Option<PathBuf> {
    let url = Url::parse(uri.as_ref()).ok()?;
    (url.scheme() == "file")
        .then(|| url.to_file_path().ok())
        .flatten()
}

/// Returns the address of a file.
pub(super) fn uri_of(file: &Path) -> Option<Uri> {
    let absolute = std::path::absolute(file).ok()?;
    Some(Uri::from(String::from(Url::from_file_path(absolute).ok()?)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn converts_only_file_addresses() {
        for (uri, path) in [
            ("file:///a/b.gram", Some("/a/b.gram")),
            ("file:///a%20b/%C3%A9%23.gram", Some("/a b/é#.gram")),
            ("file://localhost/a", Some("/a")),
            ("untitled:Untitled-1", None),
            ("git:/a/b.gram?ref=main", None),
            ("/a/b.gram", None),
            ("", None),
        ] {
            let found = file_of(&Uri::from(uri));
            assert_eq!(found, path.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn a_file_has_the_same_path_after_conversion() {
        let path = Path::new("/a b/é#.gram");
        let uri = uri_of(path).expect("the path is absolute");
        assert_eq!(uri.as_ref(), "file:///a%20b/%C3%A9%23.gram");
        assert_eq!(file_of(&uri).as_deref(), Some(path));
    }
}
