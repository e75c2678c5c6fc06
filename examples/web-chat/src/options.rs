//! The options of the command line.

/// The options of the command line.
pub(crate) struct Options {
    pub(crate) port: u16,
    /// The file, or the URL, of the journal.
    pub(crate) journal: String,
    pub(crate) offline: bool,
}

const USAGE: &str = "usage: web-chat [--offline] [--port N] [--journal FILE|postgres://…]";

impl Options {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            port: 8700,
            journal: "web-chat.db".to_owned(),
            offline: false,
        };
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| format!("`{word}` needs a value\n{USAGE}"))
            };
            match word.as_str() {
                "--offline" => options.offline = true,
                "--journal" => options.journal = value()?,
                "--port" => {
                    let port = value()?;
                    let wrong = |_| format!("`{port}` is no port, which is a number up to 65535");
                    options.port = port.parse().map_err(wrong)?;
                }
                _ => return Err(format!("`{word}` is no option\n{USAGE}")),
            }
        }
        Ok(options)
    }
}
