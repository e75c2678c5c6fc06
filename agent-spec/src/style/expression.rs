//! Types as expressions in text, which [`crate::type_expression`] reads.

use crate::types::{Field, Kind, Shape, Type, fields_of, types_of};
use crate::vocabulary::Keyword;
use agent_gram::MAX_DEPTH;
use std::fmt;

/// The reason why an expression cannot contain a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsayable {
    /// The way to the part that it is about: `user.tags[].name`; empty for the type itself.
    path: String,
    reason: Reason,
}

/// The part of a type that an expression cannot contain.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Narrowed(Keyword),
    Default,
    Description,
    Name,
    Null,
    TooDeep,
}

impl Unsayable {
    /// The way to the part that it is about, when that is not the type itself.
    pub(crate) fn path(&self) -> Option<&str> {
        let path = self.path.strip_prefix('.').unwrap_or(&self.path);
        (!path.is_empty()).then_some(path)
    }

    /// Creates the reason for a name that cannot be the name of a field.
    pub(crate) fn name_of(field: &Field) -> Self {
        named(field, Reason::Name.into())
    }

    fn within(mut self, step: impl fmt::Display) -> Self {
        self.path = format!("{step}{}", self.path);
        self
    }
}

impl From<Reason> for Unsayable {
    fn from(reason: Reason) -> Self {
        Self {
            path: String::new(),
            reason,
        }
    }
}

/// Writes the reason, in words that follow the name of the part.
impl fmt::Display for Unsayable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Narrowed(keyword) => write!(out, "is narrowed by `{}`", keyword.name()),
            Reason::Default => out.write_str("has a default"),
            Reason::Description => out.write_str("has a description"),
            Reason::Name => out.write_str("has a name of other characters than letters and digits"),
            Reason::Null => out.write_str("is `Null`"),
            Reason::TooDeep => out.write_str("nests too deep"),
        }
    }
}

/// Writes a type as an expression. [`super::parse_type`] reads an equal type from it.
///
/// # Errors
/// The first part that an expression has no words for.
pub(crate) fn type_expression(ty: &Type) -> Result<String, Unsayable> {
    let mut out = String::new();
    write(&mut out, ty, 1)?;
    Ok(out)
}

/// Writes the type of a field as an expression.
///
/// # Errors
/// Returns the first part that an expression cannot contain, also when the field has more than a type;
/// the path begins at the field.
pub(crate) fn field_expression(field: &Field) -> Result<String, Unsayable> {
    let mut out = String::new();
    write_field_type(&mut out, field, 1)?;
    Ok(out)
}

/// `depth` is the depth of the parser at this type.
fn write(out: &mut String, ty: &Type, depth: usize) -> Result<(), Unsayable> {
    if depth > MAX_DEPTH {
        return Err(Reason::TooDeep.into());
    }
    if let Some((keyword, _)) = ty.constraints().iter().next() {
        return Err(Reason::Narrowed(keyword).into());
    }
    if !ty.is_optional() {
        return write_required(out, ty, depth);
    }
    out.push_str("Maybe ");
    if is_several_words(ty) {
        out.push('(');
        write_required(out, ty, depth + 2)?;
        out.push(')');
        return Ok(());
    }
    write_required(out, ty, depth + 1)
}

fn write_required(out: &mut String, ty: &Type, depth: usize) -> Result<(), Unsayable> {
    if depth > MAX_DEPTH {
        return Err(Reason::TooDeep.into());
    }
    match ty.kind() {
        Kind::Null => return Err(Reason::Null.into()),
        Kind::Array(element) if !element.get().is_plain_any() => {
            out.push('[');
            write(out, element.get(), depth + 1).map_err(|error| error.within("[]"))?;
            out.push(']');
        }
        Kind::Object(Shape::Map(value)) => {
            out.push_str("Map ");
            let value = value.get();
            let written = if value.is_optional() || is_several_words(value) {
                out.push('(');
                let written = write(out, value, depth + 2);
                out.push(')');
                written
            } else {
                write(out, value, depth + 1)
            };
            written.map_err(|error| error.within("{}"))?;
        }
        Kind::Object(Shape::Fields(fields)) => {
            out.push('{');
            write_fields(out, fields_of(fields), depth)?;
            out.push('}');
        }
        Kind::Object(Shape::Extended(fields, values)) => {
            out.push('{');
            write_fields(out, fields_of(fields), depth)?;
            out.push_str(", *: ");
            write(out, values.get(), depth + 1).map_err(|error| error.within("{}"))?;
            out.push('}');
        }
        Kind::Tuple(items) => {
            let items = types_of(items);
            out.push('(');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                let written = write(out, item, depth + 1);
                written.map_err(|error| error.within(format_args!("[{at}]")))?;
            }
            out.push_str(if items.len() == 1 { ",)" } else { ")" });
        }
        Kind::Union(types) => {
            for (at, ty) in types_of(types).iter().enumerate() {
                if at > 0 {
                    out.push_str(" | ");
                }
                let written = write(out, ty, depth);
                written.map_err(|error| error.within(format_args!("|{}", at + 1)))?;
            }
        }
        _ => out.push_str(ty.label()),
    }
    Ok(())
}

/// Whether a type after `Maybe` or `Map` gets parentheses: a union needs them, and `Maybe Map Int` is hard
/// to read without.
fn is_several_words(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Object(Shape::Map(_)) | Kind::Union(_))
}

fn write_fields(out: &mut String, fields: &[Field], depth: usize) -> Result<(), Unsayable> {
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        if !is_word(field.name()) {
            return Err(Unsayable::name_of(field));
        }
        out.push_str(field.name());
        out.push_str(": ");
        write_field_type(out, field, depth + 1)?;
    }
    Ok(())
}

fn write_field_type(out: &mut String, field: &Field, depth: usize) -> Result<(), Unsayable> {
    let more = match (field.default(), field.description()) {
        (Some(_), _) => Some(Reason::Default),
        (None, Some(_)) => Some(Reason::Description),
        (None, None) => None,
    };
    let written = match more {
        Some(reason) => Err(reason.into()),
        None => write(out, field.ty(), depth),
    };
    written.map_err(|error| named(field, error))
}

fn named(field: &Field, error: Unsayable) -> Unsayable {
    error.within(format_args!(".{}", field.name()))
}

/// Whether the parser reads a name as one word.
fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
