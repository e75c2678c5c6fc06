//! What the command line says.

use std::path::PathBuf;

/// What the command line says.
pub(crate) struct Arguments {
    pub(crate) html: Option<PathBuf>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) trials: usize,
}

impl Arguments {
    /// Reads the words after the program's name.
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self {
            html: None,
            json: None,
            trials: 3,
        };
        while let Some(word) = words.next() {
            let mut value = || {
                let missing = || format!("`{word}` wants a value after it");
                words.next().ok_or_else(missing)
            };
            match word.as_str() {
                "--html" => arguments.html = Some(value()?.into()),
                "--json" => arguments.json = Some(value()?.into()),
                "--trials" => {
                    let text = value()?;
                    let wrong = |_| format!("`--trials` wants a whole number, not `{text}`");
                    arguments.trials = text.parse().map_err(wrong)?;
                }
                _ => {
                    return Err(format!(
                        "unknown argument `{word}`; there are `--html FILE`, `--json FILE` and `--trials N`"
                    ));
                }
            }
        }
        Ok(arguments)
    }
}
