//! Types in one text: `T = Label | [T] | Maybe T | Map T | {name: T, …} | (T)`, the mapping of the
//! tool contract.

mod write;

pub(crate) use write::{Unsayable, field_expression, type_expression};

use crate::Nest;
use crate::names::nearest;
use crate::types::{Field, Kind, Shape, TYPE_LABELS, Type};
use std::borrow::Cow;
use std::collections::HashSet;

/// What is wrong with a type expression.
#[derive(Debug)]
pub(crate) struct TypeExpressionError {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// How deep expressions may nest: as deep as gram itself.
const MAX_DEPTH: usize = agent_gram::MAX_DEPTH;

/// Reads a type expression.
pub(crate) fn parse_type(text: &str) -> Result<Type, TypeExpressionError> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
    };
    let ty = parser.ty()?;
    match parser.peek() {
        None => Ok(ty),
        Some(_) => Err(parser.expected("the end of the type")),
    }
}

impl Type {
    /// Reads a type expression, such as `{id: Text, tags: [Text], age: Maybe Int}`.
    ///
    /// # Errors
    /// What is wrong with the text, and what would be right.
    ///
    /// ```
    /// let ty = agent_spec::Type::from_expression("Maybe Int").expect("it is a type");
    /// assert!(ty.is_optional());
    /// let error = agent_spec::Type::from_expression("Txt").expect_err("it is no type");
    /// assert_eq!(error, "`Txt` is not a type; did you mean `Text`?");
    /// ```
    pub fn from_expression(text: &str) -> Result<Self, String> {
        parse_type(text).map_err(|error| match error.help {
            Some(help) => format!("{}; {help}", error.message),
            None => format!(
                "{}; a type is a label, `[T]`, `Maybe T`, `Map T`, `{{name: T, …}}` or `(T)`",
                error.message
            ),
        })
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn ty(&mut self) -> Result<Type, TypeExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TypeExpressionError {
                message: format!("the type nests more than {MAX_DEPTH} deep"),
                help: None,
            });
        }
        let ty = self.ty_at_depth();
        self.depth -= 1;
        ty
    }

    fn ty_at_depth(&mut self) -> Result<Type, TypeExpressionError> {
        match self.peek() {
            Some('[') => {
                self.advance();
                let element = self.ty()?;
                self.close(']')?;
                Ok(Type::new(Kind::Array(Nest::new(element))))
            }
            Some('(') => {
                self.advance();
                let ty = self.ty()?;
                self.close(')')?;
                Ok(ty)
            }
            Some('{') => {
                self.advance();
                let fields = self.fields()?;
                Ok(Type::new(Kind::Object(Shape::Fields(Cow::Owned(fields)))))
            }
            _ => match self.word() {
                Some("Maybe") => Ok(self.ty()?.with_optional(true)),
                Some("Map") => Ok(Type::new(Kind::Object(Shape::Map(Nest::new(self.ty()?))))),
                Some(label) => label_type(label),
                None => Err(self.expected("a type")),
            },
        }
    }

    fn fields(&mut self) -> Result<Vec<Field>, TypeExpressionError> {
        let mut fields: Vec<Field> = Vec::new();
        // A record may have thousands of fields, so their names are indexed.
        if self.peek() == Some('}') {
            self.advance();
            return Ok(fields);
        }
        let mut names = HashSet::new();
        loop {
            let Some(name) = self.word().map(str::to_owned) else {
                return Err(self.expected("the name of a field"));
            };
            if !names.insert(name.clone()) {
                let message = format!("the field `{name}` is there twice");
                return Err(TypeExpressionError {
                    message,
                    help: None,
                });
            }
            self.close(':')?;
            fields.push(Field::new(name, self.ty()?));
            match self.peek() {
                Some(',') => self.advance(),
                Some('}') => {
                    self.advance();
                    return Ok(fields);
                }
                _ => return Err(self.expected("`,` or `}`")),
            }
        }
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
        let message = format!(
            "in the type `{}`: found {found} at column {column}, expected {wanted}",
            self.text
        );
        TypeExpressionError {
            message,
            help: None,
        }
    }
}

fn label_type(label: &str) -> Result<Type, TypeExpressionError> {
    if label == "Null" {
        return Err(TypeExpressionError {
            message: "`Null` can only be returned".to_owned(),
            help: Some("write `Maybe T` for a value that may be missing".to_owned()),
        });
    }
    if let Some(kind) = Kind::from_label(label) {
        return Ok(Type::new(kind));
    }
    let known = TYPE_LABELS.into_iter().chain(["Maybe", "Map"]);
    Err(TypeExpressionError {
        message: format!("`{label}` is not a type"),
        help: nearest(label, known).map(|meant| format!("did you mean `{meant}`?")),
    })
}

#[cfg(test)]
mod tests {
    use super::parse_type;

    #[test]
    fn expressions_are_schemas() {
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
    fn a_record_may_have_very_many_fields() {
        let fields: Vec<String> = (0..50_000).map(|at| format!("f{at}: Int")).collect();
        let wide = fields.join(", ");
        parse_type(&format!("{{{wide}}}")).expect("the names differ");
        let error = parse_type(&format!("{{{wide}, f7: Int}}")).expect_err("one is there twice");
        assert_eq!(error.message, "the field `f7` is there twice");
    }

    #[test]
    fn what_is_no_expression_says_what_is_expected() {
        let deep = "[".repeat(1_000_000);
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
    fn a_name_given_twice_is_found_among_many() {
        let fields = |last: &str| {
            let names: Vec<_> = (0..50_000).map(|at| format!("f{at}: Int")).collect();
            format!("{{{}, {last}: Int}}", names.join(", "))
        };
        assert!(parse_type(&fields("other")).is_ok());
        let error = parse_type(&fields("f7")).expect_err("given twice");
        assert_eq!(error.message, "the field `f7` is there twice");
    }
}
