//! The command line of this example.

/// The options of the command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) message: String,
    /// A model in place of the script.
    pub(crate) model: Option<String>,
    pub(crate) base_url: Option<String>,
    /// Whether refunds are approved; `None` to save the run instead.
    pub(crate) decision: Option<bool>,
    /// The file of a run that waits.
    pub(crate) save: String,
    /// The file of a saved run that is continued.
    pub(crate) resume: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            message: "Please answer ticket 17.".to_owned(),
            model: None,
            base_url: None,
            decision: None,
            save: "support-desk.json".to_owned(),
            resume: None,
        }
    }
}

const USAGE: &str = "\
usage: support-desk [--approve | --deny] [--save FILE] [--resume FILE]
                    [--model PROVIDER/MODEL] [--base-url URL] [MESSAGE]

Without --model a script answers: no key, no network. Without --approve and --deny a run that waits for an approval is
saved in support-desk.json, or in the FILE of --save; --resume FILE goes on with it.";

/// Reads the command line. An error is followed by the usage.
pub(crate) fn read_options(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let wrong = |problem: &str| Err(format!("{problem}\n\n{USAGE}"));
    let mut options = Options::default();
    let mut message = None;
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let mut value = || match arguments.next() {
            Some(value) => Ok(value),
            None => Err(format!("`{argument}` needs a value\n\n{USAGE}")),
        };
        match argument.as_str() {
            "-h" | "--help" => return Err(USAGE.to_owned()),
            "--approve" | "--deny" if options.decision.is_some() => {
                return wrong("give one of `--approve` and `--deny`");
            }
            "--approve" => options.decision = Some(true),
            "--deny" => options.decision = Some(false),
            "--model" => options.model = Some(value()?),
            "--base-url" => options.base_url = Some(value()?),
            "--save" => options.save = value()?,
            "--resume" => options.resume = Some(value()?),
            other if other.starts_with('-') => {
                return wrong(&format!("there is no option `{other}`"));
            }
            _ if message.is_some() => return wrong("give one MESSAGE, in quotes"),
            _ => message = Some(argument),
        }
    }
    match (&options, &message) {
        (
            Options {
                model: None,
                base_url: Some(_),
                ..
            },
            _,
        ) => wrong("`--base-url` goes with `--model`"),
        (
            Options {
                resume: Some(_), ..
            },
            Some(_),
        ) => wrong("a saved run has its MESSAGE already; leave it out with `--resume`"),
        (Options { model: None, .. }, Some(_)) => wrong(
            "a MESSAGE needs `--model`, because the script knows the question of the example only",
        ),
        _ => {
            options.message = message.unwrap_or(options.message);
            Ok(options)
        }
    }
}
