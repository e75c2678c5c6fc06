//! Type expressions in place of a label, such as `(name::Maybe Text)`: a node has one label, and a type
//! expression is allowed in texts only. For the parser each is several syntax errors. Here it becomes one
//! error, which shows the right form.

use crate::diagnostic::{Code, Diagnostic};
use crate::signature::{Returns, Signature};
use crate::type_expression::parse_type_prefix;
use crate::types::{Field, Type};
use agent_gram::{Span, SyntaxError};

/// A document without the type expressions in place of labels.
pub(super) struct WrittenTypes {
    /// The document with a label in place of each type expression, of the same length.
    pub(super) text: String,
    /// One error for each of them.
    pub(super) found: Vec<Diagnostic>,
}

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
    let mut at = 0;
    while let Some(start) = source[at..].find('(').map(|found| at + found) {
        at = start + 1;
        let Some(node) = read_node(source, start) else {
            continue;
        };
        // Without a syntax error, the text is part of a string or of a comment.
        let explains = |error: &SyntaxError| (start..=node.end).contains(&error.span().start);
        if !errors.iter().any(explains) {
            continue;
        }
        let (expression, label) = (node.expression, node.ty.label());
        let blanks = expression.end - expression.start - label.len();
        let label = format!("{label}{}", " ".repeat(blanks));
        read.text
            .replace_range(expression.start..expression.end, &label);
        read.found.push(node.error(source));
        at = node.end;
    }
    (!read.found.is_empty()).then_some(read)
}

/// A node with a type expression in place of its label.
struct TypedNode<'t> {
    name: &'t str,
    ty: Type,
    expression: Span,
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
    let (ty, length) = parse_type_prefix(&source[from..])?;
    let expression = source[from..from + length].trim_end();
    let is_label = expression
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_label || expression.len() < ty.label().len() {
        return None;
    }
    let mut end = blanks_end(from + length);
    let mut record = "";
    if source[end..].starts_with('{') {
        let close = record_end(&source[end..])?;
        record = source[end + 1..end + close].trim();
        end = blanks_end(end + close + 1);
    }
    source[end..].starts_with(')').then_some(TypedNode {
        name,
        ty,
        expression: Span::new(from, from + expression.len()),
        record,
        end,
    })
}

/// Returns the position of the brace that closes the record at the beginning of a text.
fn record_end(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            (None, _) => {}
        }
    }
    None
}

impl TypedNode<'_> {
    fn error(&self, source: &str) -> Diagnostic {
        let message = format!(
            "`{}` is a type expression, and a node has one label",
            self.expression.text(source)
        );
        Diagnostic::new(Code::MisplacedType, self.expression, message)
            .with_help(format!("write `{}`", self.right_form()))
    }

    /// Returns the node with a label and properties.
    fn right_form(&self) -> String {
        // The name stands in for an anonymous node.
        let field = Field::new("x".to_owned(), self.ty.clone());
        let signature = Signature::new(vec![field], Returns::new(Type::ANY.clone()));
        let text = signature.to_string();
        let node = text.rsplit_once("==>").map_or("", |(node, _)| node);
        let node = node
            .strip_prefix("(x")
            .and_then(|node| node.strip_suffix(')'));
        let node = node.unwrap_or_default();
        let name = self.name;
        match (node.strip_suffix('}'), self.record) {
            (_, "") => format!("({name}{node})"),
            (Some(open), record) => format!("({name}{open}, {record}}})"),
            (None, record) => format!("({name}{node} {{{record}}})"),
        }
    }
}
