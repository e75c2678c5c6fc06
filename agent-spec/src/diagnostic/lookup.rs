//! Codes as people write them.

use super::Code;
use crate::names::nearest;
use std::fmt;
use std::str::FromStr;

/// A text that should be the code of a finding and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode {
    given: String,
    nearest: Option<Code>,
}

impl UnknownCode {
    /// The code that was probably meant, when there is one near enough.
    #[must_use]
    pub fn nearest(&self) -> Option<Code> {
        self.nearest
    }
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} is not the code of a finding", self.given)?;
        match self.nearest {
            Some(code) => write!(out, "; did you mean `{code}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownCode {}

/// Reads a code in full, such as `agent::unknown-type`, or its name alone, `unknown-type`. A name
/// that stands for two codes is taken for the one about agents.
///
/// # Errors
/// When there is no such code; the error knows the nearest one.
impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let (space, name) = match text.split_once("::") {
            Some((space, name)) => (Some(space), name),
            None => (None, text),
        };
        // Those of the likelier space come first, and of equally good ones the first is taken.
        let likelier = space.unwrap_or("agent");
        let (mut known, others): (Vec<_>, Vec<_>) =
            Code::ALL.iter().partition(|code| code.space() == likelier);
        known.extend(others);
        let is_meant =
            |code: &&Code| code.name() == name && space.is_none_or(|space| space == code.space());
        if let Some(code) = known.iter().find(is_meant) {
            return Ok(*code);
        }
        let nearest = nearest(name, known.iter().map(|code| code.name()));
        Err(UnknownCode {
            given: text.to_owned(),
            nearest: known.into_iter().find(|code| Some(code.name()) == nearest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_read_in_full() {
        for code in Code::ALL {
            assert_eq!(code.as_str().parse(), Ok(*code));
            let named: Code = code.name().parse().unwrap();
            assert_eq!(named.name(), code.name());
        }
        assert_eq!("duplicate-key".parse(), Ok(Code::DuplicateKey));
        assert_eq!("bad-arrow".parse(), Ok(Code::GramBadArrow));
    }

    #[test]
    fn what_is_no_code_gets_the_nearest_one() {
        for (text, expected) in [
            ("unknwon-type", Some(Code::UnknownType)),
            ("agent::unknown_type", Some(Code::UnknownType)),
            ("UnknownType", Some(Code::UnknownType)),
            ("agent::bad-arrow", Some(Code::GramBadArrow)),
            ("gram::duplicat-key", Some(Code::GramDuplicateKey)),
            ("duplicat-key", Some(Code::DuplicateKey)),
            ("banana", None),
            ("", None),
            ("::", None),
        ] {
            let error = text.parse::<Code>().unwrap_err();
            assert_eq!(error.nearest(), expected, "{text}");
        }
        assert_eq!(
            "unknwon-type".parse::<Code>().unwrap_err().to_string(),
            "\"unknwon-type\" is not the code of a finding; did you mean `agent::unknown-type`?"
        );
    }
}
