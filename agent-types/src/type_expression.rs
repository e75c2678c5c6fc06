//! Types in one text: `T = Label | [T] | Maybe T | Map T | {name: T, …} | (T)`, the mapping of the
//! tool contract.

use crate::foreign_words::{Foreign, label_help};
use crate::names::nearest;
use crate::types::{Field, Kind, MOST_ALTERNATIVES, Shape, TYPE_LABELS, Type};
use agent_gram::value::Nest;
use std::borrow::Cow;
use std::collections::HashSet;

/// A mistake in a type expression.
#[derive(Debug)]
pub struct TypeExpressionError {
    /// The mistake.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
}

/// The maximum nesting of expressions, as in gram, so that no document of somebody else exhausts the stack.
const MAX_DEPTH: usize = agent_gram::MAX_DEPTH;

/// Reads a type expression.
pub fn parse_type(text: &str) -> Result<Type, TypeExpressionError> {
    let mut parser = Parser::new(text);
    let ty = parser.ty()?;
    match parser.peek() {
        None => Ok(ty),
        Some(_) => Err(parser.expected("the end of the type")),
    }
}

/// A type that a text probably means.
pub struct MeantType {
    /// The type.
    pub ty: Type,
    /// The number of bytes that were read.
    pub length: usize,
    /// The mistakes in the text, each in one phrase; empty if the text only has the notation of another
    /// language.
    pub mistakes: Vec<String>,
}

/// Reads the type that the beginning of a text probably means, with misspelt words and the notations of
/// other languages: `Optional Text`, `List<Text>`, `Text[]`, `Text?`, `Text or Int`.
pub fn meant_type_prefix(text: &str) -> Option<MeantType> {
    let mut parser = Parser::new(text);
    if let Ok(ty) = parser.ty()
        && matches!(parser.peek(), None | Some(')' | '{'))
    {
        return Some(MeantType {
            ty,
            length: parser.at,
            mistakes: Vec::new(),
        });
    }
    let mut parser = Parser::new(text);
    parser.mistakes = Some(Vec::new());
    let ty = parser.ty().ok()?;
    Some(MeantType {
        ty,
        length: parser.at,
        mistakes: parser.mistakes.unwrap_or_default(),
    })
}

/// Reads a type expression, with the error in one text.
///
/// # Errors
/// Returns the mistake and advice.
pub(crate) fn type_from_expression(text: &str) -> Result<Type, String> {
    parse_type(text).map_err(|error| match error.help {
        Some(help) => format!("{}; {help}", error.message),
        None => format!(
            "{}; a type is a label, `[T]`, `Maybe T`, `Map T`, `{{name: T, …}}`, `(T, U)` or `T | U`",
            error.message
        ),
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// The mistakes that were passed over; `None` if no mistake is accepted.
    mistakes: Option<Vec<String>>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            mistakes: None,
        }
    }

    fn ty(&mut self) -> Result<Type, TypeExpressionError> {
        self.deeper(Self::union)
    }

    /// Parses one level deeper.
    fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, TypeExpressionError>,
    ) -> Result<T, TypeExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(mistake(format!(
                "the type nests more than {MAX_DEPTH} deep"
            )));
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// `T`, or `T | U`.
    fn union(&mut self) -> Result<Type, TypeExpressionError> {
        let first = self.single()?;
        if !self.alternative() {
            return refuse_null(first);
        }
        let mut types = vec![first];
        loop {
            types.push(self.single()?);
            if types.len() > MOST_ALTERNATIVES || !self.alternative() {
                break;
            }
        }
        let joined = Type::any_of(types).ok_or_else(|| {
            mistake(format!(
                "a type is one of at most {MOST_ALTERNATIVES} types"
            ))
        })?;
        refuse_null(joined)
    }

    /// Passes over `|`, and over the word `or` where mistakes are accepted.
    fn alternative(&mut self) -> bool {
        if self.peek() == Some('|') {
            self.advance();
            return true;
        }
        let is_or = self.mistakes.is_some()
            && self.text[self.at..]
                .strip_prefix("or")
                .is_some_and(|rest| rest.starts_with([' ', '(', '[', '{']));
        if is_or {
            self.at += "or".len();
        }
        is_or
    }

    /// The type after `Maybe` or `Map`.
    fn operand(&mut self) -> Result<Type, TypeExpressionError> {
        refuse_null(self.deeper(Self::single)?)
    }

    /// A type without `|` outside of brackets.
    fn single(&mut self) -> Result<Type, TypeExpressionError> {
        let mut ty = self.plain()?;
        while self.mistakes.is_some() {
            match self.peek() {
                Some('?') => {
                    self.advance();
                    ty = ty.with_optional(true);
                }
                Some('[') if self.text[self.at..].starts_with("[]") => {
                    self.at += "[]".len();
                    ty = Type::new(Kind::Array(Nest::new(ty)));
                }
                _ => break,
            }
        }
        Ok(ty)
    }

    /// A type without `|` outside of brackets, and without a suffix of another language after it.
    fn plain(&mut self) -> Result<Type, TypeExpressionError> {
        match self.peek() {
            Some('[') => {
                self.advance();
                let element = self.ty()?;
                self.close(']')?;
                Ok(Type::new(Kind::Array(Nest::new(element))))
            }
            Some('(') => {
                self.advance();
                self.parentheses()
            }
            Some('{') => {
                self.advance();
                Ok(Type::new(Kind::Object(self.record()?)))
            }
            _ if self.mistakes.is_some() => {
                let Some(word) = self.word().map(str::to_owned) else {
                    return Err(self.expected("a type"));
                };
                self.meant(&word)
            }
            _ => match self.word() {
                Some("Maybe") => Ok(self.operand()?.with_optional(true)),
                Some("Map") => {
                    let values = self.operand()?;
                    Ok(Type::new(Kind::Object(Shape::Map(Nest::new(values)))))
                }
                Some(label) => label_type(label),
                None => Err(self.expected("a type")),
            },
        }
    }

    /// The type that a word begins, which may be misspelt or foreign.
    fn meant(&mut self, word: &str) -> Result<Type, TypeExpressionError> {
        let meaning = match word {
            "Array" => Some(Foreign::List),
            "Maybe" => Some(Foreign::Optional),
            "Map" => Some(Foreign::Map),
            _ => match Kind::from_label(word) {
                Some(kind) => return Ok(Type::new(kind)),
                None => Foreign::of_type(word),
            },
        };
        match meaning {
            Some(Foreign::List) => {
                let element = self.meant_operand(&['['])?;
                let element = element.unwrap_or_else(|| Type::ANY.clone());
                Ok(Type::new(Kind::Array(Nest::new(element))))
            }
            Some(Foreign::Optional) => {
                let Some(ty) = self.meant_operand(&['[', '{'])? else {
                    self.pass_over(format!("`{word}` needs a type after it"));
                    return Ok(Type::ANY.clone().with_optional(true));
                };
                Ok(ty.with_optional(true))
            }
            Some(Foreign::Map) => {
                let values = self.meant_operand(&['[', '{'])?;
                if values.is_none() {
                    self.pass_over(format!("`{word}` needs a type after it"));
                }
                let values = values.unwrap_or_else(|| Type::ANY.clone());
                Ok(Type::new(Kind::Object(Shape::Map(Nest::new(values)))))
            }
            Some(Foreign::Label(label)) => {
                self.pass_over(format!("`{word}` is not a type"));
                label_type(label)
            }
            Some(Foreign::Form(..)) => label_type(word),
            None => {
                let known = TYPE_LABELS.into_iter().chain(["Maybe", "Map"]);
                let Some(meant) = nearest(word, known) else {
                    return label_type(word);
                };
                self.pass_over(format!("`{word}` is not a type"));
                self.meant(meant)
            }
        }
    }

    /// The type after a word, if there is one: `T`, or `<T>`. Of several types in `<…>`, the last one
    /// counts.
    fn meant_operand(&mut self, open: &[char]) -> Result<Option<Type>, TypeExpressionError> {
        match self.peek() {
            Some('<') => {
                self.advance();
                let mut ty = self.ty()?;
                while self.peek() == Some(',') {
                    self.advance();
                    ty = self.ty()?;
                }
                self.close('>')?;
                Ok(Some(ty))
            }
            Some('[') if self.text[self.at..].starts_with("[]") => Ok(None),
            // The word is an alternative itself.
            Some('o') if self.text[self.at..].starts_with("or ") => Ok(None),
            Some(c) if c.is_ascii_alphanumeric() || c == '(' || open.contains(&c) => {
                self.operand().map(Some)
            }
            _ => Ok(None),
        }
    }

    fn pass_over(&mut self, mistake: String) {
        if let Some(mistakes) = &mut self.mistakes
            && !mistakes.contains(&mistake)
        {
            mistakes.push(mistake);
        }
    }

    /// `T)`, or the types of a tuple: `T, U)`, `T,)`.
    fn parentheses(&mut self) -> Result<Type, TypeExpressionError> {
        let first = self.ty()?;
        if self.peek() != Some(',') {
            self.close(')')?;
            return Ok(first);
        }
        let mut items = vec![first];
        while self.peek() == Some(',') {
            self.advance();
            if self.peek() == Some(')') {
                break;
            }
            items.push(self.ty()?);
        }
        if self.peek() != Some(')') {
            return Err(self.expected("`,` or `)`"));
        }
        self.advance();
        Ok(Type::new(Kind::Tuple(Cow::Owned(items))))
    }

    /// The fields of a record, and `*` for its further keys.
    fn record(&mut self) -> Result<Shape, TypeExpressionError> {
        let mut fields: Vec<Field> = Vec::new();
        let mut values = None;
        // A record may have thousands of fields, so their names are indexed.
        let mut names = HashSet::new();
        while self.peek() != Some('}') {
            if self.peek() == Some('*') {
                self.advance();
                self.close(':')?;
                if values.replace(self.ty()?).is_some() {
                    return Err(mistake("the type of further keys, `*`, is there twice"));
                }
            } else {
                let Some(name) = self.word().map(str::to_owned) else {
                    return Err(self.expected("the name of a field"));
                };
                if !names.insert(name.clone()) {
                    return Err(mistake(format!("the field `{name}` is there twice")));
                }
                self.close(':')?;
                fields.push(Field::new(name, self.ty()?));
            }
            match self.peek() {
                Some(',') => self.advance(),
                Some('}') => {}
                _ => return Err(self.expected("`,` or `}`")),
            }
        }
        self.advance();
        Ok(match values {
            None => Shape::Fields(Cow::Owned(fields)),
            Some(values) if fields.is_empty() => Shape::Map(Nest::new(values)),
            Some(values) => Shape::Extended(Cow::Owned(fields), Nest::new(values)),
        })
    }

    fn close(&mut self, wanted: char) -> Result<(), TypeExpressionError> {
        if self.peek() == Some(wanted) {
            self.advance();
            return Ok(());
        }
        Err(self.expected(&format!("`{wanted}`")))
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn advance(&mut self) {
        self.at += self.text[self.at..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
    }

    fn word(&mut self) -> Option<&str> {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }

    fn expected(&mut self, wanted: &str) -> TypeExpressionError {
        let found = match self.peek() {
            Some(c) => format!("`{c}`"),
            None => "the end".to_owned(),
        };
        let column = self.text[..self.at].chars().count() + 1;
        mistake(format!(
            "in the type `{}`: found {found} at column {column}, expected {wanted}",
            self.text
        ))
    }
}

/// Creates an error without advice.
fn mistake(message: impl Into<String>) -> TypeExpressionError {
    TypeExpressionError {
        message: message.into(),
        help: None,
    }
}

/// Refuses `Null`, except among the types of a union, where it makes the union optional.
fn refuse_null(ty: Type) -> Result<Type, TypeExpressionError> {
    if matches!(ty.kind(), Kind::Null) {
        return Err(TypeExpressionError {
            message: "`Null` can only be returned".to_owned(),
            help: Some("write `Maybe T` for a value that may be missing".to_owned()),
        });
    }
    Ok(ty)
}

fn label_type(label: &str) -> Result<Type, TypeExpressionError> {
    match Kind::from_label(label) {
        Some(Kind::Media(media)) => {
            return Err(TypeExpressionError {
                message: media.misplaced(),
                help: Some(media.misplaced_help()),
            });
        }
        Some(kind) => return Ok(Type::new(kind)),
        None => {}
    }
    let known = TYPE_LABELS.into_iter().chain(["Maybe", "Map"]);
    let help = match Foreign::of_type(label) {
        Some(foreign) => Some(foreign.expression_help()),
        None => nearest(label, known).map(label_help),
    };
    Err(TypeExpressionError {
        message: format!("`{label}` is not a type"),
        help,
    })
}

#[cfg(test)]
mod tests {
    use super::parse_type;

    #[test]
    fn expressions_have_schemas() {
        for (expression, schema) in [
            ("Text", r#"{"type":"string"}"#),
            ("[Int]", r#"{"type":"array","items":{"type":"integer"}}"#),
            (
                " [ [ Bool ] ] ",
                r#"{"type":"array","items":{"type":"array","items":{"type":"boolean"}}}"#,
            ),
            (
                "Map Double",
                r#"{"type":"object","additionalProperties":{"type":"number"}}"#,
            ),
            ("(Text)", r#"{"type":"string"}"#),
            (
                "[Maybe Text]",
                r#"{"type":"array","items":{"type":["string","null"]}}"#,
            ),
            ("{}", r#"{"type":"object","properties":{},"required":[]}"#),
            (
                "Text | [Int]",
                r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}"#,
            ),
            (
                "[Text | Null | Int]",
                r#"{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}}"#,
            ),
            (
                "(Double, Text,)",
                r#"{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}],"items":false,"minItems":2,"maxItems":2}"#,
            ),
            (
                "{a: Text, *: Int}",
                r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":{"type":"integer"}}"#,
            ),
            (
                "{a: Text, b: Maybe [Int]}",
                r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"integer"}}},"required":["a"]}"#,
            ),
        ] {
            let ty =
                parse_type(expression).unwrap_or_else(|error| panic!("{expression}: {error:?}"));
            assert_eq!(ty.schema().to_string(), schema, "{expression}");
        }
    }

    #[test]
    fn parses_records_with_many_fields() {
        let fields: Vec<String> = (0..50_000).map(|at| format!("f{at}: Int")).collect();
        let wide = fields.join(", ");
        parse_type(&format!("{{{wide}}}")).expect("the names differ");
        let error = parse_type(&format!("{{{wide}, f7: Int}}")).expect_err("one is there twice");
        assert_eq!(error.message, "the field `f7` is there twice");
    }

    #[test]
    fn errors_of_expressions_name_the_expected_text() {
        let deep = "[".repeat(1_000_000);
        let many: Vec<String> = (0..65).map(|at| format!("{{f{at}: Int}}")).collect();
        let many = many.join(" | ");
        for (expression, message) in [
            ("[Text", "expected `]`"),
            ("Txt]", "`Txt` is not a type"),
            ("{a Text}", "expected `:`"),
            ("{a: Text b: Int}", "expected `,` or `}`"),
            ("{a: Text, a: Int}", "there twice"),
            ("Text Text", "expected the end"),
            ("Maybe", "expected a type"),
            ("[é]", "found `é` at column 2"),
            ("Map Null", "only be returned"),
            ("[Null]", "only be returned"),
            ("Null | Null", "only be returned"),
            ("Text |", "expected a type"),
            ("Text | | Int", "expected a type"),
            ("(Text, Int", "expected `,` or `)`"),
            ("(,)", "expected a type"),
            ("{*: Int, *: Text}", "there twice"),
            ("{* Int}", "expected `:`"),
            (&many, "at most 64 types"),
            (&deep, "deep"),
        ] {
            let error = parse_type(expression).expect_err(expression);
            assert!(
                error.message.contains(message),
                "{expression}: {}",
                error.message
            );
        }
    }

    #[test]
    fn finds_a_duplicate_name_among_many() {
        let fields = |last: &str| {
            let names: Vec<_> = (0..50_000).map(|at| format!("f{at}: Int")).collect();
            format!("{{{}, {last}: Int}}", names.join(", "))
        };
        assert!(parse_type(&fields("other")).is_ok());
        let error = parse_type(&fields("f7")).expect_err("given twice");
        assert_eq!(error.message, "the field `f7` is there twice");
    }
}
