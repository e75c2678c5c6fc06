//! The error of a call.

use crate::redact::Redactor;
use std::fmt;

/// The error of a call. The model reads the text, so it should name what would succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// The tool ran and failed, or there is no tool of that name.
    Execution(String),
    /// The call exceeded its timeout and was stopped.
    Timeout,
    /// The tool asks the model to call it again with other arguments. It uses up one of the tool's attempts,
    /// as invalid arguments do. Unlike a failure, it does not end the attempts of a tool that is not retryable.
    Retry(String),
    /// The arguments do not satisfy the tool's signature, or the result does not satisfy its
    /// output schema.
    Validation(String),
    /// The agent may not make this call: it does not declare the tool, or a person denied the call.
    Authorization(String),
}

impl ToolError {
    /// Creates the error of a failed tool, with the text of the error's alternate form `{:#}`.
    ///
    /// For most errors this equals the plain form. An error of `anyhow` adds its causes. The causes of other
    /// errors are left out, so the text itself must contain everything that the model should know.
    #[must_use]
    pub fn execution(error: impl fmt::Display) -> Self {
        Self::Execution(format!("{error:#}"))
    }

    /// Asks the model for other arguments. The text should name arguments that would succeed.
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
    #[doc(hidden)]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Execution(_) => "execution",
            Self::Retry(_) => "retry",
            Self::Timeout => "timeout",
            Self::Validation(_) => "validation",
            Self::Authorization(_) => "authorization",
        }
    }

    /// Returns the error of a kind's word: the reverse of [`word`](Self::word).
    #[doc(hidden)]
    pub fn from_word(word: &str, text: String) -> Option<Self> {
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

    /// The text without the words that `Display` adds.
    #[doc(hidden)]
    pub fn text(&self) -> &str {
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

/// Cuts a text at a number of bytes, on a character boundary. A text that was cut ends with `…`.
pub fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)])
}

/// Returns an error with its causes on one line. A cause whose text the error has already is left out.
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_cuts_on_a_character_boundary() {
        assert_eq!(shortened("short", 10), "short");
        assert_eq!(shortened("aé", 2), "a…");
        assert_eq!(shortened("ééé", 4), "éé…");
    }

    #[test]
    fn execution_keeps_the_causes_of_the_alternate_form() {
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
    fn words_round_trip() {
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
