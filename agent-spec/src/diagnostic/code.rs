//! The catalogue: every finding there is, with its stable code.

use agent_gram::SyntaxErrorKind;
use agent_types::names::nearest;
use std::fmt;
use std::str::FromStr;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The document can be used without a change.
    Warning,
    /// The document cannot be used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

macro_rules! catalogue {
    ($($name:ident $severity:ident $code:literal $meaning:literal;)+) => {
        /// The code of a diagnostic. Codes are stable, so that scripts can depend on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $name,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            /// Returns the printed code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)+ }
            }

            /// Returns the meaning in one sentence.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$name => $meaning,)+ }
            }

            /// Returns the severity.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)+ }
            }
        }
    };
}

catalogue! {
    GramUnexpected Error "gram::unexpected" "A token is in a place where the notation does not allow it.";
    GramUnclosed Error "gram::unclosed" "A bracket, brace or parenthesis is never closed.";
    GramUnterminated Error "gram::unterminated" "A string, fence or comment has no end.";
    GramBadEscape Error "gram::bad-escape" "A backslash is before a character that cannot be escaped.";
    GramBadNumber Error "gram::bad-number" "Digits form no number, or one too large.";
    GramBadArrow Error "gram::bad-arrow" "An arrow has a form that does not exist.";
    GramBadCharacter Error "gram::bad-character" "A character has no use in the notation.";
    GramTooDeep Error "gram::too-deep" "Brackets are nested deeper than the bound.";
    GramTooLong Error "gram::too-long" "The text is longer than the bound.";
    GramDuplicateKey Warning "gram::duplicate-key" "A record gives a key twice; the last value wins.";
    NothingDeclared Error "agent::nothing-declared" "The document declares no agent and no tool.";
    MissingLabel Error "agent::missing-label" "A pattern lacks the label that makes it an agent or a tool.";
    MissingName Error "agent::missing-name" "An agent or a tool has no name.";
    BadName Error "agent::bad-name" "A name is not one that every provider takes, or two names of one thing differ.";
    BadParameterName Error "agent::bad-parameter-name" "A parameter's name is empty, or not one that every provider takes.";
    MissingInstruction Error "agent::missing-instruction" "An agent has no instruction, or an empty one.";
    BadVariable Error "agent::bad-variable" "A template has double braces that are no variable, or a variable that cannot have its value.";
    UnfilledVariable Error "agent::unfilled-variable" "An instruction has a variable that nobody fills.";
    MissingModel Error "agent::missing-model" "An agent has no model.";
    BadModel Error "agent::bad-model" "A model is not of the form `Provider/model-id`.";
    UnknownProvider Error "agent::unknown-provider" "A model names a provider that nobody knows.";
    MissingDescription Error "agent::missing-description" "A tool, or an agent that another agent calls, has no description.";
    MissingSignature Error "agent::missing-signature" "A tool does not have exactly one signature.";
    UnknownProperty Error "agent::unknown-property" "A property is not known here, or nearly spells one that is.";
    DuplicateKey Error "agent::duplicate-key" "A record gives a key twice.";
    BadValue Error "agent::bad-value" "A property has a value of the wrong kind.";
    NotATool Error "agent::not-a-tool" "An element of an agent is no signature, tool or agent, and no reference to one.";
    UnknownTool Error "agent::unknown-tool" "A reference names a tool or agent that nobody defines.";
    DuplicateTool Error "agent::duplicate-tool" "An agent has two tools of one name.";
    BadToolChoice Error "agent::bad-tool-choice" "A tool choice is no known word and no tool of the agent, or there is no tool to choose.";
    ReservedExtra Error "agent::reserved-extra" "`extra` has a member that the run itself sends.";
    ConflictingTools Error "agent::conflicting-tools" "A document defines one tool in two ways.";
    DuplicateAgent Error "agent::duplicate-agent" "A document defines two agents of one name, or an agent and a tool.";
    SeveralSignatures Error "agent::several-signatures" "An agent has more than one signature.";
    UnusedParameter Warning "agent::unused-parameter" "Neither a template of an agent nor its message has a parameter or variable.";
    MoreGrants Warning "agent::more-grants" "An agent asks for grants that an agent which calls it does not have.";
    RefusedSetting Error "agent::refused-setting" "A model refuses a setting of its agent.";
    RefusedMedia Error "agent::refused-media" "A model takes no media of a kind that its agent has.";
    IgnoredSetting Warning "agent::ignored-setting" "A setting changes nothing with the agent's model.";
    RetiredModel Error "agent::retired-model" "A model was switched off.";
    RetiringModel Warning "agent::retiring-model" "A model will be switched off soon.";
    UnknownModel Warning "agent::unknown-model" "The list of its vendor does not have a model.";
    BadCatalog Error "agent::bad-catalog" "A catalogue of models has a pattern that is no row, or a row that cannot be used.";
    NotASignature Error "agent::not-a-signature" "What should be a signature has another form.";
    BadDirection Error "agent::bad-direction" "The arrows of a signature do not all point one way.";
    MissingType Error "agent::missing-type" "A parameter, field or result has no type.";
    SeveralTypes Error "agent::several-types" "A parameter or result has more than one type label.";
    UnknownType Error "agent::unknown-type" "A type label is not known.";
    MisplacedType Error "agent::misplaced-type" "A type is not allowed in this place.";
    DuplicateParameter Error "agent::duplicate-parameter" "A signature has two parameters, or a record two fields, of one name.";
    MisplacedKeyword Error "agent::misplaced-keyword" "A property does not apply to its type.";
    BadDefault Error "agent::bad-default" "A default or an allowed value does not fit the type.";
    DifferingParameter Warning "agent::differing-parameter" "A parameter name has different types in two tools.";
    BadServer Error "agent::bad-server" "An MCP server cannot be reached as it is written, or has something that is no tool of its own.";
    LooserTool Warning "agent::looser-tool" "A definition of a server's tool is looser than the server's document, which holds.";
    KeyInDocument Warning "agent::key-in-document" "A document holds what looks like the key of a provider.";
    BadProjectFile Error "agent::bad-project-file" "A project file has no settings, or patterns besides them.";
    NotPortable Warning "agent::not-portable" "A part cannot be written in the style that was asked for.";
    CommentInType Warning "agent::comment-in-type" "A comment is inside a type that would have to be rewritten.";
}

impl Code {
    /// Returns the namespace of the code: `agent`, or `gram` for mistakes of the notation.
    #[must_use]
    pub fn space(self) -> &'static str {
        self.parts().0
    }

    /// Returns the code without its namespace: `unknown-type` for `agent::unknown-type`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.parts().1
    }

    fn parts(self) -> (&'static str, &'static str) {
        let code = self.as_str();
        code.split_once("::").unwrap_or(("", code))
    }

    /// The code of a syntax error.
    #[must_use]
    pub fn of_syntax(kind: SyntaxErrorKind) -> Self {
        match kind {
            SyntaxErrorKind::Unclosed => Code::GramUnclosed,
            SyntaxErrorKind::Unterminated => Code::GramUnterminated,
            SyntaxErrorKind::BadEscape => Code::GramBadEscape,
            SyntaxErrorKind::BadNumber => Code::GramBadNumber,
            SyntaxErrorKind::BadArrow => Code::GramBadArrow,
            SyntaxErrorKind::BadCharacter => Code::GramBadCharacter,
            SyntaxErrorKind::TooDeep => Code::GramTooDeep,
            SyntaxErrorKind::TooLong => Code::GramTooLong,
            _ => Code::GramUnexpected,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A text is not the code of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode {
    given: String,
    nearest: Option<Code>,
}

impl UnknownCode {
    /// Returns the code that was probably meant, when one is near enough.
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

/// Parses a code in full, such as `agent::unknown-type`, or its name alone, `unknown-type`. A name with
/// two codes means the code in the namespace `agent`.
///
/// # Errors
/// Returns an error with the nearest code when no code has this name.
impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let (space, name) = match text.split_once("::") {
            Some((space, name)) => (Some(space), name),
            None => (None, text),
        };
        // The codes of the likelier namespace come first, because the first of equally near codes is
        // chosen.
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
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique_and_well_formed() {
        let all: HashSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(all.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(matches!(code.space(), "gram" | "agent"), "{code}");
            assert!(
                !code.name().is_empty()
                    && code
                        .name()
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c == '-'),
                "{code}"
            );
        }
    }

    #[test]
    fn parses_every_code() {
        for code in Code::ALL {
            assert_eq!(code.as_str().parse(), Ok(*code));
            let named: Code = code.name().parse().unwrap();
            assert_eq!(named.name(), code.name());
        }
        assert_eq!("duplicate-key".parse(), Ok(Code::DuplicateKey));
        assert_eq!("bad-arrow".parse(), Ok(Code::GramBadArrow));
    }

    #[test]
    fn suggests_the_nearest_code() {
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
