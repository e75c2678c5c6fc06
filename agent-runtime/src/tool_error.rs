//! Why a call failed.

use crate::redact::Redactor;
use std::fmt;

/// Why a call failed. The model reads the text, so it should say what would work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// The tool ran and failed, or there is no tool of that name.
    Execution(String),
    /// The call took longer than it may, and was stopped.
    Timeout,
    /// The tool asks the model to try again with other arguments, and says which. It uses up one of
    /// the tool's attempts, as arguments that do not satisfy the signature do; unlike a failure it
    /// is not final for a tool that is not retryable.
    Retry(String),
    /// The arguments do not satisfy the tool's signature, or the result does not satisfy its
    /// output schema.
    Validation(String),
    /// The agent may not make this call: the tool is not declared by it, or a person said no.
    Authorization(String),
}

impl ToolError {
    /// A failure of the tool itself, told as the error's alternate form `{:#}` has it.
    ///
    /// For most errors that is what they display. Those of `anyhow` add their causes to it; the
    /// causes of other errors are not told, so what the model should know of them belongs into the
    /// text.
    #[must_use]
    pub fn execution(error: impl fmt::Display) -> Self {
        Self::Execution(format!("{error:#}"))
    }

    /// A request to the model for other arguments; the text says what would work.
    ///
    /// ```
    /// use agent_runtime::{tool, ToolError};
    ///
    /// /// The opening hours of a town's office
    /// #[tool]
    /// fn opening_hours(town: &str) -> Result<String, ToolError> {
    ///     match town {
    ///         "Ulm" => Ok("8 to 12".into()),
    ///         _ => Err(ToolError::retry("there are offices in Ulm only; give `Ulm`")),
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn retry(text: impl fmt::Display) -> Self {
        Self::Retry(text.to_string())
    }

    /// The word for the kind, in traces and saved runs.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Execution(_) => "execution",
            Self::Retry(_) => "retry",
            Self::Timeout => "timeout",
            Self::Validation(_) => "validation",
            Self::Authorization(_) => "authorization",
        }
    }

    /// The error of a word and a text; the reverse of [`word`](Self::word).
    pub(crate) fn from_word(word: &str, text: String) -> Option<Self> {
        Some(match word {
            "execution" => Self::Execution(text),
            "retry" => Self::Retry(text),
            "timeout" => Self::Timeout,
            "validation" => Self::Validation(text),
            "authorization" => Self::Authorization(text),
            _ => return None,
        })
    }

    /// Returns the error with the secrets in its text replaced.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let text = || redactor.text(self.text());
        match self {
            Self::Execution(_) => Self::Execution(text()),
            Self::Retry(_) => Self::Retry(text()),
            Self::Validation(_) => Self::Validation(text()),
            Self::Authorization(_) => Self::Authorization(text()),
            Self::Timeout => Self::Timeout,
        }
    }

    /// The text inside, without what `Display` adds.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Execution(text)
            | Self::Retry(text)
            | Self::Validation(text)
            | Self::Authorization(text) => text,
            Self::Timeout => "",
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Execution(text) | Self::Retry(text) => out.write_str(text),
            Self::Timeout => out.write_str("the call took too long and was stopped"),
            Self::Validation(text) => out.write_str(text),
            Self::Authorization(text) => write!(out, "not allowed: {text}"),
        }
    }
}

impl std::error::Error for ToolError {}

/// A text cut at a number of bytes, on a character boundary, with a sign that it was cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_ends_on_a_character() {
        assert_eq!(shortened("short", 10), "short");
        assert_eq!(shortened("aé", 2), "a…");
        assert_eq!(shortened("ééé", 4), "éé…");
    }

    #[test]
    fn an_error_that_can_tell_its_causes_does() {
        /// Displays its cause in the alternate form only, as the errors of `anyhow` do.
        struct Chain;
        impl fmt::Display for Chain {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                let cause = if out.alternate() {
                    ": no such file"
                } else {
                    ""
                };
                write!(out, "cannot read{cause}")
            }
        }
        let expected = ToolError::Execution("cannot read: no such file".into());
        assert_eq!(ToolError::execution(Chain), expected);
        let returned = crate::__private::Returned(Err::<(), _>(Chain)).into_result();
        assert_eq!(crate::__private::outcome(returned), Err(expected));
    }

    #[test]
    fn words_lead_back_to_the_error() {
        for error in [
            ToolError::Execution("a".into()),
            ToolError::Retry("d".into()),
            ToolError::Timeout,
            ToolError::Validation("b".into()),
            ToolError::Authorization("c".into()),
        ] {
            assert_eq!(
                ToolError::from_word(error.word(), error.text().to_owned()),
                Some(error)
            );
        }
    }
}
