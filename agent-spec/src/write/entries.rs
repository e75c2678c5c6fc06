//! The entries of a type's record, such as `{default: 1, minimum: 0}`.

use super::step::{FIELD, starts_after_key, step_of};
use crate::Nest;
use crate::types::{Bound, Constraints, Field, Kind, Shape, Type, fields_of};
use agent_gram::print::layout::MAX_COLUMNS;
use agent_gram::print::writer::{Writer, to_string};

/// How a record is laid out.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    /// On one line.
    Inline,
    /// A property a line, the closing brace at this indent.
    Lines(usize),
}

/// A record being written: knows whether the brace is open and how to separate.
pub(super) struct Entries {
    open: bool,
    after_head: bool,
    layout: Layout,
}

impl Entries {
    /// A record that stands by itself.
    pub(super) const fn new(layout: Layout) -> Self {
        Self {
            open: false,
            after_head: false,
            layout,
        }
    }

    /// A record after a name or label, with a blank between.
    pub(super) const fn after_head(layout: Layout) -> Self {
        Self {
            open: false,
            after_head: true,
            layout,
        }
    }

    /// Starts an entry; its value comes next, then [`Writer::leave`].
    pub(super) const fn key(&mut self, writer: &mut Writer<'_>, key: &str) {
        if self.after_head && !self.open {
            writer.byte(b' ');
        }
        writer.byte(if self.open { b',' } else { b'{' });
        match self.layout {
            Layout::Inline if self.open => writer.byte(b' '),
            Layout::Inline => {}
            Layout::Lines(indent) => writer.line(indent + 2),
        }
        self.open = true;
        // Nobody needs the number of a part that is not looked for.
        let step = if writer.is_following() {
            step_of(key)
        } else {
            0
        };
        if !starts_after_key(step) {
            writer.enter(step);
        }
        writer.name(key);
        writer.text(": ");
        if starts_after_key(step) {
            writer.enter(step);
        }
    }

    /// Writes an entry that says yes.
    pub(super) const fn yes(&mut self, writer: &mut Writer<'_>, key: &str) {
        self.key(writer, key);
        writer.text("true");
        writer.leave();
    }

    pub(super) const fn text(&mut self, writer: &mut Writer<'_>, key: &str, text: &str) {
        self.key(writer, key);
        match self.layout {
            Layout::Inline => writer.quoted(text, b'"'),
            Layout::Lines(_) => writer.text_in_lines(text),
        }
        writer.leave();
    }

    pub(super) const fn value(
        &mut self,
        writer: &mut Writer<'_>,
        key: &str,
        value: &agent_gram::Value,
    ) {
        self.key(writer, key);
        match self.layout {
            Layout::Inline => writer.value(value),
            Layout::Lines(indent) => {
                writer.value_in_lines(value, indent + 2, indent + 4 + key.len(), 1);
            }
        }
        writer.leave();
    }

    const fn integer(&mut self, writer: &mut Writer<'_>, key: &str, value: &Option<u64>) {
        if let Some(value) = value {
            self.key(writer, key);
            writer.integer(*value as i128);
            writer.leave();
        }
    }

    const fn bound(&mut self, writer: &mut Writer<'_>, key: &str, bound: &Option<Bound>) {
        match bound {
            Some(Bound::Int(value)) => {
                self.key(writer, key);
                writer.integer(*value);
                writer.leave();
            }
            Some(Bound::Double(value)) => {
                self.key(writer, key);
                writer.text(value.text());
                writer.leave();
            }
            None => {}
        }
    }

    /// Ends the record. One without entries is not written at all.
    pub(super) const fn close(&self, writer: &mut Writer<'_>) {
        if !self.open {
            return;
        }
        if let Layout::Lines(indent) = self.layout {
            writer.line(indent);
        }
        writer.byte(b'}');
    }

    /// What a field says beside its name and label.
    pub(super) const fn field(&mut self, writer: &mut Writer<'_>, field: &Field) {
        if let Some(default) = field.default() {
            self.value(writer, "default", default);
        } else if field.ty().is_optional() {
            self.yes(writer, "optional");
        }
        if let Some(description) = field.description() {
            self.text(writer, "description", description);
        }
        self.details(writer, field.ty());
    }

    /// What a type says beside its label and whether it is optional.
    pub(super) const fn details(&mut self, writer: &mut Writer<'_>, ty: &Type) {
        match ty.kind() {
            Kind::Array(element) if !is_plain_any(element.get()) => {
                self.nested(writer, "elementType", element);
            }
            Kind::Object(Shape::Map(value)) => self.nested(writer, "valueType", value),
            Kind::Object(Shape::Fields(fields)) => self.fields(writer, fields_of(fields)),
            _ => {}
        }
        self.constraints(writer, ty.constraints());
    }

    const fn constraints(&mut self, writer: &mut Writer<'_>, constraints: &Constraints) {
        let enumeration = constraints.enumeration();
        if !enumeration.is_empty() {
            self.key(writer, "enum");
            let lines = match self.layout {
                Layout::Lines(indent) if !enumeration_fits(enumeration, indent + 10) => {
                    Some(indent + 2)
                }
                _ => None,
            };
            writer.byte(b'[');
            let mut at = 0;
            while at < enumeration.len() {
                match lines {
                    Some(indent) => {
                        writer.line(indent + 2);
                        writer.value_in_lines(&enumeration[at], indent + 2, indent + 2, 1);
                    }
                    None => writer.value(&enumeration[at]),
                }
                at += 1;
                if at < enumeration.len() {
                    writer.text(if lines.is_some() { "," } else { ", " });
                }
            }
            if let Some(indent) = lines {
                writer.line(indent);
            }
            writer.byte(b']');
            writer.leave();
        }
        if let Some(format) = &constraints.format {
            self.text(writer, "format", format.as_str());
        }
        self.bound(writer, "minimum", &constraints.minimum);
        self.bound(writer, "maximum", &constraints.maximum);
        self.integer(writer, "minLength", &constraints.min_length);
        self.integer(writer, "maxLength", &constraints.max_length);
        if let Some(pattern) = &constraints.pattern {
            self.text(writer, "pattern", pattern.as_str());
        }
        self.integer(writer, "minItems", &constraints.min_items);
        self.integer(writer, "maxItems", &constraints.max_items);
    }

    /// The type of elements or values: its label alone when that says all.
    const fn nested(&mut self, writer: &mut Writer<'_>, key: &str, ty: &Nest<Type>) {
        self.key(writer, key);
        match self.layout {
            Layout::Inline => write_type(writer, ty.get(), Layout::Inline),
            Layout::Lines(indent) => {
                let column = indent + 4 + key.len();
                write_type(writer, ty.get(), type_layout(ty.get(), column, indent + 2));
            }
        }
        writer.leave();
    }

    const fn fields(&mut self, writer: &mut Writer<'_>, fields: &[Field]) {
        self.key(writer, "fields");
        let lines = match self.layout {
            // `fields: ` is 8 columns.
            Layout::Lines(indent) if !fields_fit(fields, indent + 2 + 8) => Some(indent + 2),
            _ => None,
        };
        write_fields(writer, fields, lines);
        writer.leave();
    }
}

/// A list of fields, on one line or a field a line at this indent.
const fn write_fields(writer: &mut Writer<'_>, fields: &[Field], lines: Option<usize>) {
    writer.byte(b'[');
    let mut at = 0;
    while at < fields.len() {
        match lines {
            Some(indent) => {
                writer.line(indent + 2);
                let mut measure = Writer::new(&mut []);
                write_field(&mut measure, &fields[at], Layout::Inline);
                let fits = indent + 2 + measure.columns() < MAX_COLUMNS && !measure.wants_fence();
                let layout = if fits {
                    Layout::Inline
                } else {
                    Layout::Lines(indent + 2)
                };
                write_field(writer, &fields[at], layout);
            }
            None => {
                writer.enter(FIELD + at as u16);
                write_field(writer, &fields[at], Layout::Inline);
                writer.leave();
            }
        }
        at += 1;
        if at < fields.len() {
            writer.text(if lines.is_some() { "," } else { ", " });
        }
    }
    if let Some(indent) = lines
        && !fields.is_empty()
    {
        writer.line(indent);
    }
    writer.byte(b']');
}

const fn write_field(writer: &mut Writer<'_>, field: &Field, layout: Layout) {
    let mut entries = Entries::new(layout);
    entries.text(writer, "name", field.name());
    entries.text(writer, "type", field.ty().label());
    entries.field(writer, field);
    entries.close(writer);
}

/// A type where a value stands: a label in quotes, or a map.
const fn write_type(writer: &mut Writer<'_>, ty: &Type, layout: Layout) {
    if is_label_only(ty) {
        writer.quoted(ty.label(), b'"');
        return;
    }
    let mut entries = Entries::new(layout);
    entries.text(writer, "type", ty.label());
    if ty.is_optional() {
        entries.yes(writer, "optional");
    }
    entries.details(writer, ty);
    entries.close(writer);
}

/// A type where a value stands, on one line: a label in quotes, or a map.
pub(crate) fn type_text(ty: &Type) -> String {
    to_string(|writer| write_type(writer, ty, Layout::Inline))
}

/// Fields as a list of maps, on one line.
pub(crate) fn fields_text(fields: &[Field]) -> String {
    to_string(|writer| write_fields(writer, fields, None))
}

/// Fields as a map from name to type expression, on one line.
pub(crate) fn portable_fields_text(fields: &[(&str, String)]) -> String {
    if fields.is_empty() {
        return "{}".to_owned();
    }
    to_string(|writer| {
        let mut entries = Entries::new(Layout::Inline);
        for (name, expression) in fields {
            entries.text(writer, name, expression);
        }
        entries.close(writer);
    })
}

/// A type as a map on one line: an expression, and what narrows it.
pub(crate) fn narrowed_text(expression: &str, ty: &Type) -> String {
    to_string(|writer| {
        let mut entries = Entries::new(Layout::Inline);
        entries.text(writer, "type", expression);
        if ty.is_optional() {
            entries.yes(writer, "optional");
        }
        entries.constraints(writer, ty.constraints());
        entries.close(writer);
    })
}

/// Whether the label alone says all of a type.
pub(crate) const fn is_label_only(ty: &Type) -> bool {
    let plain_kind = match ty.kind() {
        Kind::Array(element) => is_plain_any(element.get()),
        Kind::Object(shape) => matches!(shape, Shape::Open),
        _ => true,
    };
    plain_kind && !ty.is_optional() && ty.constraints().is_none()
}

/// Whether nothing is said of a value.
pub(crate) const fn is_plain_any(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Any) && !ty.is_optional() && ty.constraints().is_none()
}

const fn type_layout(ty: &Type, column: usize, indent: usize) -> Layout {
    let mut measure = Writer::new(&mut []);
    write_type(&mut measure, ty, Layout::Inline);
    if column + measure.columns() < MAX_COLUMNS && !measure.wants_fence() {
        Layout::Inline
    } else {
        Layout::Lines(indent)
    }
}

const fn fields_fit(fields: &[Field], column: usize) -> bool {
    let mut measure = Writer::new(&mut []);
    write_fields(&mut measure, fields, None);
    column + measure.columns() < MAX_COLUMNS && !measure.wants_fence()
}

const fn enumeration_fits(values: &[agent_gram::Value], column: usize) -> bool {
    let mut measure = Writer::new(&mut []);
    let mut at = 0;
    while at < values.len() {
        measure.value(&values[at]);
        measure.text(", ");
        at += 1;
    }
    // The brackets take the room of the last separator.
    column + measure.columns() < MAX_COLUMNS && !measure.wants_fence()
}
