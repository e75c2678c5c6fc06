//! The command line of this example.

/// The options of the command line.
pub(crate) struct Options {
    pub(crate) message: String,
    /// A model in place of the offline one.
    pub(crate) model: Option<String>,
    pub(crate) base_url: Option<String>,
}

const USAGE: &str = "\
usage: hello-world [--model PROVIDER/MODEL] [--base-url URL] MESSAGE

Without --model the offline model answers: no key, no network.";

/// Reads the command line. An error is followed by the usage.
pub(crate) fn read_options(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut words: Vec<String> = Vec::new();
    let (mut model, mut base_url) = (None, None);
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        let target = match argument.as_str() {
            "--model" => &mut model,
            "--base-url" => &mut base_url,
            "-h" | "--help" => return Err(USAGE.to_owned()),
            other if other.starts_with("--") => {
                return Err(format!("there is no option `{other}`\n\n{USAGE}"));
            }
            _ => {
                words.push(argument);
                continue;
            }
        };
        let value = arguments.next();
        *target = Some(value.ok_or_else(|| format!("`{argument}` needs a value\n\n{USAGE}"))?);
    }
    if words.is_empty() {
        return Err(format!("a message is missing\n\n{USAGE}"));
    }
    if model.is_none() && base_url.is_some() {
        return Err(format!("`--base-url` goes with `--model`\n\n{USAGE}"));
    }
    Ok(Options {
        message: words.join(" "),
        model,
        base_url,
    })
}
