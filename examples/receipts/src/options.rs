//! The command line of this example.

/// The options of the command line.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// The file in place of the sample.
    pub(crate) file: Option<String>,
    /// A model in place of the script.
    pub(crate) model: Option<String>,
    pub(crate) base_url: Option<String>,
}

const USAGE: &str = "\
usage: receipts [--model PROVIDER/MODEL] [--base-url URL] [FILE]

Without --model a script answers for the receipt of the example: no key, no network.";

/// Reads the command line. An error is followed by the usage.
pub(crate) fn read_options(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let wrong = |problem: &str| Err(format!("{problem}\n\n{USAGE}"));
    let mut options = Options::default();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let target = match argument.as_str() {
            "-h" | "--help" => return Err(USAGE.to_owned()),
            "--model" => &mut options.model,
            "--base-url" => &mut options.base_url,
            other if other.starts_with('-') => {
                return wrong(&format!("there is no option `{other}`"));
            }
            _ if options.file.is_some() => return wrong("give one FILE"),
            _ => {
                options.file = Some(argument);
                continue;
            }
        };
        match arguments.next() {
            Some(value) => *target = Some(value),
            None => return wrong(&format!("`{argument}` needs a value")),
        }
    }
    match &options {
        Options {
            model: None,
            base_url: Some(_),
            ..
        } => wrong("`--base-url` goes with `--model`"),
        Options {
            model: None,
            file: Some(_),
            ..
        } => wrong(
            "a FILE needs `--model`, because the script knows the receipt of the example only",
        ),
        _ => Ok(options),
    }
}
