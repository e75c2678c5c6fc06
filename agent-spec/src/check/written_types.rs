//! Type expressions in place of a label, such as `(name::Maybe Text)`: a node has one label, and a type
//! expression is allowed in texts only. The parser reports each such expression as several syntax errors.
//! This module reports one error, which shows the right form. The same applies to an expression in quotes,
//! with a misspelt word, or in the notation of another language, such as `List<Text>`.

use crate::diagnostic::{Code, Diagnostic};
use agent_gram::{Span, SyntaxError};
use agent_types::__private::{MeantType, meant_type_prefix};
use agent_types::{Field, Kind, Returns, Signature, Type};

/// A document without the type expressions in place of labels.
pub(super) struct WrittenTypes {
    /// The document with a label in place of each type expression, of the same length.
    pub(super) text: String,
    /// One error for each expression.
    pub(super) found: Vec<Diagnostic>,
}

/// The maximum number of times that a document is parsed again. The parser skips a part of the text after
/// an error, so an expression may be found only when the ones before it are gone. Without the limit, a document with
/// thousands of such expressions is parsed thousands of times, and an editor waits for each check.
const MOST_PASSES: usize = 64;

/// Finds the type expressions in place of labels that explain syntax errors of a document. `None` if there
/// are none.
pub(super) fn read_written_types(source: &str, errors: &[SyntaxError]) -> Option<WrittenTypes> {
    if errors.is_empty() {
        return None;
    }
    let mut read = WrittenTypes {
        text: source.to_owned(),
        found: Vec::new(),
    };
    let mut found = read.pass(source, errors);
    for _ in 1..MOST_PASSES {
        if !found {
            break;
        }
        let errors = agent_gram::parse(&read.text).errors;
        found = read.pass(source, &errors);
    }
    (!read.found.is_empty()).then_some(read)
}

impl WrittenTypes {
    /// Replaces the expressions that explain these errors. Returns whether there are any.
    fn pass(&mut self, source: &str, errors: &[SyntaxError]) -> bool {
        let before = self.found.len();
        // A node needs a parenthesis.
        let mut at = 0;
        while let Some(start) = source[at..].find('(').map(|found| at + found) {
            at = start + 1;
            // Errors come in source order. An expression that was replaced explains no further errors.
            let next = errors.partition_point(|error| error.span().start < start);
            if next == errors.len() {
                break;
            }
            let Some(node) = read_node(source, start) else {
                continue;
            };
            // Without a syntax error, the text is part of a string or of a comment.
            let is_new = |found: &Diagnostic| found.span() != node.expression;
            if errors[next].span().start > node.end || !self.found.iter().all(is_new) {
                continue;
            }
            let (expression, label) = (node.expression, node.ty.label());
            let blanks = expression.end - expression.start - label.len();
            let label = format!("{label}{}", " ".repeat(blanks));
            self.text
                .replace_range(expression.start..expression.end, &label);
            self.found.push(node.error(source));
            at = node.end;
        }
        self.found.len() > before
    }
}

/// A node with a type expression in place of its label.
struct TypedNode<'t> {
    name: &'t str,
    ty: Type,
    mistakes: Vec<String>,
    expression: Span,
    /// The default after the expression, `Text = "x"`.
    default: Option<&'t str>,
    /// The text inside the braces after the expression.
    record: &'t str,
    end: usize,
}

/// Reads the node at a parenthesis, if its label is a type expression.
fn read_node(source: &str, start: usize) -> Option<TypedNode<'_>> {
    let blanks_end = |at: usize| source.len() - source[at..].trim_start().len();
    let name_start = blanks_end(start + 1);
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@');
    let rest = &source[name_start..];
    let name = &rest[..rest.find(|c| !in_name(c)).unwrap_or(rest.len())];
    let colon = blanks_end(name_start + name.len());
    let after = source[colon..].strip_prefix(':')?;
    let after = after.strip_prefix(':').unwrap_or(after);
    let from = blanks_end(source.len() - after.len());
    let (meant, length) = match source[from..].chars().next()? {
        quote @ ('"' | '\'' | '`') => {
            let text = &source[from + 1..];
            let text = &text[..text.find(quote)?];
            (meant_type(text)?, text.len() + 2)
        }
        _ => {
            let meant = meant_type_prefix(&source[from..])?;
            let length = meant.length;
            (meant, length)
        }
    };
    let MeantType { ty, mistakes, .. } = meant;
    let mut expression = source[from..from + length].trim_end();
    let mut end = blanks_end(from + length);
    let mut default = None;
    if let Some(rest) = source[end..].strip_prefix('=') {
        let value = rest[..value_end(rest)?].trim();
        if value.is_empty() || value.starts_with(['=', '>']) {
            return None;
        }
        default = Some(value);
        end = source.len() - rest.len() + value_end(rest)?;
        expression = source[from..end].trim_end();
        end = blanks_end(end);
    }
    if is_word(expression) || expression.len() < ty.label().len() {
        return None;
    }
    let mut record = "";
    if source[end..].starts_with('{') {
        let close = record_end(&source[end..])?;
        record = source[end + 1..end + close].trim();
        end = blanks_end(end + close + 1);
    }
    source[end..].starts_with(')').then_some(TypedNode {
        name,
        ty,
        mistakes,
        default,
        expression: Span::new(from, from + expression.len()),
        record,
        end,
    })
}

/// Whether a text is a label and no expression.
pub(crate) fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Reads the type that a whole text probably means, if it is no single word.
pub(super) fn meant_type(text: &str) -> Option<MeantType> {
    let meant = meant_type_prefix(text)?;
    (meant.length == text.len() && !is_word(text)).then_some(meant)
}

/// Returns the end of the value of a default: where the record or the end of the node begins.
fn value_end(text: &str) -> Option<usize> {
    match outside_strings(text).find(|(_, c)| matches!(c, '(' | ')' | '{' | '\n'))? {
        (at, ')' | '{') => Some(at),
        _ => None,
    }
}

/// Returns the position of the brace that closes the record at the beginning of a text.
fn record_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in outside_strings(text) {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the characters of a text that are outside of strings, with their positions.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let (mut quote, mut escaped) = (None, false);
    text.char_indices().filter(move |(_, c)| {
        match (quote, *c) {
            (None, '"' | '\'' | '`') => quote = Some(*c),
            (None, _) => return true,
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
        }
        false
    })
}

impl TypedNode<'_> {
    fn error(&self, source: &str) -> Diagnostic {
        let properties = match self.default {
            Some(value) => {
                let is_bare_text = matches!(self.ty.kind(), Kind::Text)
                    && !value.starts_with(['"', '\'', '`', '[', '{']);
                match is_bare_text {
                    true => format!("default: {value:?}"),
                    false => format!("default: {value}"),
                }
            }
            None => String::new(),
        };
        let properties = match (properties.as_str(), self.record) {
            (_, "") => properties,
            ("", record) => record.to_owned(),
            (default, record) => format!("{default}, {record}"),
        };
        let node = right_node(self.name, &self.ty, &properties);
        misplaced(self.expression, source, &self.mistakes, &node)
    }
}

/// Returns the error about a type expression in place of a label.
pub(super) fn misplaced(span: Span, source: &str, mistakes: &[String], node: &str) -> Diagnostic {
    let mut message = format!(
        "`{}` is a type expression, and a node has one label",
        span.text(source).trim_matches('`')
    );
    for mistake in mistakes {
        message.push_str("; ");
        message.push_str(mistake);
    }
    Diagnostic::new(Code::MisplacedType, span, message).with_help(format!("write `{node}`"))
}

/// Returns a node with this type as label and properties, and these further properties.
pub(super) fn right_node(name: &str, ty: &Type, properties: &str) -> String {
    // The name stands in for an anonymous node.
    let field = Field::new("x".to_owned(), ty.clone());
    let signature = Signature::new(vec![field], Returns::new(Type::ANY.clone()));
    let text = signature.to_string();
    let node = text.rsplit_once("==>").map_or("", |(node, _)| node);
    let node = node
        .strip_prefix("(x")
        .and_then(|node| node.strip_suffix(')'));
    let node = node.unwrap_or_default();
    match (node.strip_suffix('}'), properties) {
        (_, "") => format!("({name}{node})"),
        (Some(open), properties) => format!("({name}{open}, {properties}}})"),
        (None, properties) => format!("({name}{node} {{{properties}}})"),
    }
}
