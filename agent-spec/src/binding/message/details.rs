//! What is said of types that have one label and differ below it.

use super::super::compare::same_text;
use super::super::difference::{Difference, How};
use crate::types::{Constraints, Field, Kind, Shape, Type, fields_of};
use crate::write::step::{ELEMENT, FIELD, VALUE, key_of};
use agent_gram::Value;
use agent_gram::print::writer::{Trail, Writer};

/// The two types, and what they are the type of: a parameter of this name, or the result.
pub(super) struct Sides<'a> {
    pub(super) root: Option<&'a str>,
    /// What the agent says.
    pub(super) ours: &'a Type,
    /// What the function says.
    pub(super) theirs: &'a Type,
}

/// Says where the types differ and how. The `inner` side of the difference is the agent's.
pub(super) const fn write_details(
    writer: &mut Writer<'_>,
    sides: &Sides<'_>,
    difference: &Difference,
) {
    let returned = sides.root.is_none();
    let (ours, theirs) = (
        part_of(sides.ours, &difference.inner),
        part_of(sides.theirs, &difference.outer),
    );
    // A field that one side lacks is named by the side that has it.
    let by_function = match difference.how {
        How::Missing => !returned,
        How::Unknown => returned,
        _ => false,
    };
    let plural = if by_function {
        write_where(writer, sides.root, sides.theirs, &difference.outer)
    } else {
        write_where(writer, sides.root, sides.ours, &difference.inner)
    };
    match difference.how {
        How::Label => {
            let labels = (ours.ty.label(), theirs.ty.label());
            write_words(
                writer,
                plural,
                ("`", labels.0, "`"),
                ("`", labels.1, "`"),
                returned,
            );
        }
        How::Shape => {
            let shapes = (shape_in_words(ours.ty), shape_in_words(theirs.ty));
            write_words(
                writer,
                plural,
                ("", shapes.0, ""),
                ("", shapes.1, ""),
                returned,
            );
        }
        How::Unknown if returned => {
            writer.text(" is returned by the function, but unknown to the agent")
        }
        How::Unknown => writer.text(" is unknown to the function"),
        How::Missing if returned => writer.text(" is not returned by the function"),
        How::Missing => writer.text(" is missing in the agent, and the function requires it"),
        How::Optional => {
            let optional = match ours.field {
                Some(field) => field.is_optional(),
                None => ours.ty.is_optional(),
            };
            write_is(writer, plural);
            writer.text(match (optional, returned) {
                (true, false) if plural => "optional in the agent, but the function requires them",
                (true, false) => "optional in the agent, but the function requires it",
                (true, true) => "optional in the agent, but always there in the function",
                (false, false) => "required in the agent, but optional in the function",
                (false, true) => "always there in the agent, but optional in the function",
            });
        }
        How::Default => write_defaults(writer, default_of(ours.field), default_of(theirs.field)),
        How::Description => {
            write_is(writer, plural);
            writer.text("described differently in the function");
        }
        How::Keyword | How::NarrowerKeyword => {
            let key = last_key(difference);
            let (wider, other) = if returned {
                (theirs.ty, ("function", "agent"))
            } else {
                (ours.ty, ("agent", "function"))
            };
            let is_certain = !may_be_implied(wider.constraints(), key);
            writer.text(if plural { " have" } else { " has" });
            if matches!(difference.how, How::Keyword)
                && lacks(wider.constraints(), key)
                && !is_certain
            {
                writer.text(" no `");
                writer.text(key);
                writer.text("` in the ");
                writer.text(other.0);
                writer.text(", but one in the ");
                writer.text(other.1);
                writer.text(": keywords are compared one by one");
                return;
            }
            writer.text(" another `");
            writer.text(key);
            writer.text("` in the function");
            writer.text(match (difference.how, is_certain, returned) {
                (How::NarrowerKeyword, _, _) => "",
                (_, false, _) => ": what is written is compared, keyword by keyword",
                (_, true, true) => ", which may return what the agent does not allow",
                (_, true, false) => ": the agent allows values that the function does not take",
            });
        }
    }
}

/// The keyword that a difference is in.
const fn last_key(difference: &Difference) -> &'static str {
    match difference.inner.steps() {
        [.., last] => match key_of(*last) {
            Some(key) => key,
            None => "type",
        },
        [] => "type",
    }
}

/// Whether other keywords may allow no more than this one would, so that nothing can be said of values: a
/// list of values may lie within bounds, and a pattern or a format may have a length.
const fn may_be_implied(by: &Constraints, key: &str) -> bool {
    if same_text(key, "enum") {
        by.enumeration().is_empty() && !by.is_none()
    } else {
        !by.enumeration().is_empty() || by.pattern.is_some() || by.format.is_some()
    }
}

/// Whether this keyword is not among the constraints.
const fn lacks(constraints: &Constraints, key: &str) -> bool {
    match key.as_bytes() {
        b"enum" => constraints.enumeration().is_empty(),
        b"format" => constraints.format.is_none(),
        b"minimum" => constraints.minimum.is_none(),
        b"maximum" => constraints.maximum.is_none(),
        b"minLength" => constraints.min_length.is_none(),
        b"maxLength" => constraints.max_length.is_none(),
        b"pattern" => constraints.pattern.is_none(),
        b"minItems" => constraints.min_items.is_none(),
        b"maxItems" => constraints.max_items.is_none(),
        _ => false,
    }
}

/// "is `Int` in the agent, but the function takes `Text`".
const fn write_words(
    writer: &mut Writer<'_>,
    plural: bool,
    ours: (&str, &str, &str),
    theirs: (&str, &str, &str),
    returned: bool,
) {
    write_is(writer, plural);
    writer.text(ours.0);
    writer.text(ours.1);
    writer.text(ours.2);
    writer.text(if returned {
        " in the agent, but the function returns "
    } else {
        " in the agent, but the function takes "
    });
    writer.text(theirs.0);
    writer.text(theirs.1);
    writer.text(theirs.2);
}

const fn write_is(writer: &mut Writer<'_>, plural: bool) {
    writer.text(if plural { " are " } else { " is " });
}

const fn default_of(field: Option<&Field>) -> Option<&Value> {
    match field {
        Some(field) => field.default(),
        None => None,
    }
}

/// " has the default `1` in the agent, but `2` in the function".
pub(super) const fn write_defaults(
    writer: &mut Writer<'_>,
    ours: Option<&Value>,
    theirs: Option<&Value>,
) {
    match ours {
        Some(default) => {
            writer.text(" has the default `");
            writer.value(default);
            writer.text("` in the agent, but ");
        }
        None => writer.text(" has no default in the agent, but "),
    }
    match theirs {
        Some(default) => {
            writer.byte(b'`');
            writer.value(default);
            writer.text("` in the function");
        }
        None => writer.text("none in the function"),
    }
}

const fn shape_in_words(ty: &Type) -> &'static str {
    match ty.kind() {
        Kind::Object(Shape::Open) => "any object",
        Kind::Object(Shape::Map(_)) => "a map",
        Kind::Object(Shape::Fields(_)) => "an object with fields",
        _ => ty.label(),
    }
}

/// What a trail leads to: a type, and the field that it is the type of.
struct Reached<'a> {
    ty: &'a Type,
    field: Option<&'a Field>,
}

const fn part_of<'a>(root: &'a Type, trail: &Trail) -> Reached<'a> {
    let steps = trail.steps();
    let mut reached = Reached {
        ty: root,
        field: None,
    };
    let mut at = 0;
    while at < steps.len() {
        reached = match step_into(reached.ty, steps[at]) {
            Some(next) => next,
            None => reached,
        };
        at += 1;
    }
    reached
}

/// Where one step inward leads, unless it stays at the same type.
const fn step_into(ty: &Type, step: u16) -> Option<Reached<'_>> {
    match ty.kind() {
        Kind::Array(inner) if step == ELEMENT => Some(Reached {
            ty: inner.get(),
            field: None,
        }),
        Kind::Object(Shape::Map(inner)) if step == VALUE => Some(Reached {
            ty: inner.get(),
            field: None,
        }),
        Kind::Object(Shape::Fields(fields)) if step >= FIELD => {
            let fields = fields_of(fields);
            let at = (step - FIELD) as usize;
            if at < fields.len() {
                Some(Reached {
                    ty: fields[at].ty(),
                    field: Some(&fields[at]),
                })
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Names what a trail leads to, such as "the field `user.address.zip`" or "the elements of
/// parameter `numbers`", and says whether that is a plural.
const fn write_where(
    writer: &mut Writer<'_>,
    root: Option<&str>,
    ty: &Type,
    trail: &Trail,
) -> bool {
    let steps = trail.steps();
    let (mut depth, mut last, mut last_at) = (0, 0, 0);
    let mut here = ty;
    let mut at = 0;
    while at < steps.len() {
        if let Some(next) = step_into(here, steps[at]) {
            here = next.ty;
            depth += 1;
            (last, last_at) = (steps[at], at);
        }
        at += 1;
    }
    let lead = match (depth, last) {
        (0, _) => "",
        (_, ELEMENT) => "the elements of ",
        (_, VALUE) => "the values of ",
        _ => "the field ",
    };
    writer.text(lead);
    // What the elements are of is named, and not they themselves.
    let is_field = depth > 0 && last >= FIELD;
    let end = if is_field { last_at + 1 } else { last_at };
    match root {
        Some(name) => {
            if depth == 0 || (depth == 1 && !is_field) {
                writer.text("parameter ");
            }
            writer.byte(b'`');
            writer.text(name);
            write_path(writer, ty, steps.split_at(end).0, false);
            writer.byte(b'`');
        }
        None if depth == 0 || (depth == 1 && !is_field) => writer.text("the result"),
        None => {
            writer.byte(b'`');
            write_path(writer, ty, steps.split_at(end).0, true);
            writer.text("` of the result");
        }
    }
    depth > 0 && !is_field
}

const fn write_path(writer: &mut Writer<'_>, root: &Type, steps: &[u16], is_first: bool) {
    let mut is_first = is_first;
    let mut ty = root;
    let mut at = 0;
    while at < steps.len() {
        if let Some(next) = step_into(ty, steps[at]) {
            match next.field {
                Some(field) => {
                    if !is_first {
                        writer.byte(b'.');
                    }
                    writer.text(field.name());
                }
                None => writer.text(if steps[at] == ELEMENT { "[]" } else { ".*" }),
            }
            is_first = false;
            ty = next.ty;
        }
        at += 1;
    }
}
