//! The command line of this example.

use crate::Language;

/// The options of the command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) text: String,
    pub(crate) language: Language,
    pub(crate) base_url: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            text: "Schönen Feierabend!".to_owned(),
            language: Language::French,
            base_url: None,
        }
    }
}

const USAGE: &str = "\
usage: typed-agent [--base-url URL] [english|french|german TEXT]

Without OPENAI_API_KEY and --base-url a script answers for the text of the example: no key, no network.";

/// Reads the command line. An error is followed by the usage.
pub(crate) fn read_options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let wrong = |problem: &str| Err(format!("{problem}\n\n{USAGE}"));
    let mut options = Options::default();
    let mut words = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-h" | "--help" => return Err(USAGE.to_owned()),
            "--base-url" => match arguments.next() {
                Some(url) => options.base_url = Some(url),
                None => return wrong("`--base-url` needs a value"),
            },
            other if other.starts_with('-') => {
                return wrong(&format!("there is no option `{other}`"));
            }
            _ => words.push(argument),
        }
    }
    match words.as_slice() {
        [] => Ok(options),
        [language, text] => {
            options.language = match language.as_str() {
                "english" => Language::English,
                "french" => Language::French,
                "german" => Language::German,
                other => return wrong(&format!("there is no language `{other}`")),
            };
            options.text = text.clone();
            Ok(options)
        }
        _ => wrong("give a language and one TEXT"),
    }
}
