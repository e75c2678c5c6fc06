//! Types and signatures as gram text, in a `const` as well as at run time.
//!
//! One writer makes the `SIGNATURE` and `GRAM` constants of `#[tool]`, the texts in compile errors, and
//! the output at run time, so these cannot differ.

use crate::constraints::{Bound, Constraint, Constraints};
use crate::keyword::{FIELD, Keyword, PARAMS, RESULT};
use crate::signature::{Returns, Signature};
use crate::types::{Field, Kind, Shape, Type, fields_of, types_of};
use agent_gram::print::writer::{MAX_COLUMNS, Writer, to_string};
use agent_gram::value::Nest;
use std::fmt;

/// The canonical text of a signature: one line.
pub fn signature_text(signature: &Signature) -> String {
    to_string(|writer| {
        write_signature(writer, signature);
    })
}

/// Writes a tool in the canonical layout, without a final line end. `properties` have the keys and the values that follow the
/// description.
pub const fn write_tool(
    writer: &mut Writer<'_>,
    name: &str,
    description: &str,
    properties: &[(&str, &str)],
    signature: &Signature,
) {
    let mut measure = Writer::new(&mut []);
    write_tool_head(&mut measure, name, description, properties, false);
    let fits = measure.columns() <= MAX_COLUMNS && !measure.wants_fence();
    write_tool_head(writer, name, description, properties, !fits);
    writer.line(2);
    write_signature_line(writer, signature, 2, 0);
    writer.line(0);
    writer.byte(b']');
}

/// Writes a tool up to its bar, with the record on one line or a property a line.
pub const fn write_tool_head(
    writer: &mut Writer<'_>,
    name: &str,
    description: &str,
    properties: &[(&str, &str)],
    lines: bool,
) {
    writer.byte(b'[');
    writer.identity(name);
    writer.text(":Tool");
    let mut entries = Entries::after_head(if lines {
        Layout::Lines(0)
    } else {
        Layout::Inline
    });
    entries.text(writer, Keyword::Description, description);
    let mut at = 0;
    while at < properties.len() {
        entries.separate(writer);
        writer.texts(&[properties[at].0, ": ", properties[at].1]);
        at += 1;
    }
    entries.close(writer);
    writer.text(" |");
}

/// Writes a signature on one line.
pub const fn write_signature(writer: &mut Writer<'_>, signature: &Signature) {
    write_in_layout(writer, signature, Layout::Inline);
}

const fn write_in_layout(writer: &mut Writer<'_>, signature: &Signature, layout: Layout) {
    let params = signature.params();
    writer.enter(PARAMS);
    if params.is_empty() {
        writer.text("()");
    }
    let mut at = 0;
    while at < params.len() {
        if at > 0 {
            writer.text("==>");
        }
        writer.enter(FIELD + at as u16);
        write_param(writer, &params[at], layout);
        writer.leave();
        at += 1;
    }
    writer.leave();
    writer.text("==>");
    writer.enter(RESULT);
    write_returns(writer, signature.returns(), layout);
    writer.leave();
}

/// Writes a signature as the line of an element at `indent`, followed by `tail` more columns: on
/// one line when it fits, else every record on lines of its own.
pub const fn write_signature_line(
    writer: &mut Writer<'_>,
    signature: &Signature,
    indent: usize,
    tail: usize,
) {
    let mut measure = Writer::new(&mut []);
    write_signature(&mut measure, signature);
    if indent + measure.columns() + tail <= MAX_COLUMNS && !measure.wants_fence() {
        write_signature(writer, signature);
    } else {
        write_in_layout(writer, signature, Layout::Lines(indent));
    }
}

const fn write_param(writer: &mut Writer<'_>, param: &Field, layout: Layout) {
    writer.byte(b'(');
    writer.enter(Keyword::Name.step());
    writer.identity(param.name());
    writer.leave();
    writer.text("::");
    write_label(writer, param.ty().label());
    let mut entries = Entries::after_head(layout);
    entries.field(writer, param);
    entries.close(writer);
    writer.byte(b')');
}

const fn write_label(writer: &mut Writer<'_>, label: &str) {
    writer.enter(Keyword::Type.step());
    writer.text(label);
    writer.leave();
}

/// Returns the label of a type in the place of a result.
#[must_use]
pub const fn result_label(ty: &Type) -> &str {
    match ty.kind() {
        Kind::Text => "String",
        _ => ty.label(),
    }
}

const fn write_returns(writer: &mut Writer<'_>, returns: &Returns, layout: Layout) {
    writer.text("(::");
    write_label(writer, result_label(returns.ty()));
    let mut entries = Entries::after_head(layout);
    if returns.ty().is_optional() {
        entries.optional(writer);
    }
    if let Some(description) = returns.description() {
        entries.text(writer, Keyword::Description, description);
    }
    entries.details(writer, returns.ty());
    entries.close(writer);
    writer.byte(b')');
}

/// The layout of a record.
#[derive(Clone, Copy)]
enum Layout {
    /// On one line.
    Inline,
    /// A property a line, the closing brace at this indent.
    Lines(usize),
}

/// A record that is being written: tracks the opening brace and the separators.
struct Entries {
    open: bool,
    after_head: bool,
    layout: Layout,
}

impl Entries {
    /// Creates a record without a name or label before it.
    const fn new(layout: Layout) -> Self {
        Self {
            open: false,
            after_head: false,
            layout,
        }
    }

    /// A record after a name or label, with a blank between.
    const fn after_head(layout: Layout) -> Self {
        Self {
            open: false,
            after_head: true,
            layout,
        }
    }

    /// Starts the entry of a keyword. The caller writes the value, then calls [`Writer::leave`].
    const fn key(&mut self, writer: &mut Writer<'_>, keyword: Keyword) {
        self.separate(writer);
        if keyword.starts_after_key() {
            writer.name(keyword.name());
            writer.text(": ");
            writer.enter(keyword.step());
        } else {
            writer.enter(keyword.step());
            writer.name(keyword.name());
            writer.text(": ");
        }
    }

    /// Writes the brace or the comma before an entry.
    const fn separate(&mut self, writer: &mut Writer<'_>) {
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
    }

    /// Writes `optional: true`.
    const fn optional(&mut self, writer: &mut Writer<'_>) {
        self.key(writer, Keyword::Optional);
        writer.text("true");
        writer.leave();
    }

    const fn text(&mut self, writer: &mut Writer<'_>, keyword: Keyword, text: &str) {
        self.key(writer, keyword);
        match self.layout {
            Layout::Inline => writer.quoted(text, b'"'),
            Layout::Lines(_) => writer.text_in_lines(text),
        }
        writer.leave();
    }

    const fn default(&mut self, writer: &mut Writer<'_>, value: &agent_gram::Value) {
        self.key(writer, Keyword::Default);
        match self.layout {
            Layout::Inline => writer.value(value),
            Layout::Lines(indent) => {
                let column = indent + 4 + Keyword::Default.name().len();
                writer.value_in_lines(value, indent + 2, column, 1);
            }
        }
        writer.leave();
    }

    /// Ends the record. A record without entries is not written at all.
    const fn close(&self, writer: &mut Writer<'_>) {
        if !self.open {
            return;
        }
        if let Layout::Lines(indent) = self.layout {
            writer.line(indent);
        }
        writer.byte(b'}');
    }

    /// Writes the properties of a field besides its name and label.
    const fn field(&mut self, writer: &mut Writer<'_>, field: &Field) {
        if let Some(default) = field.default() {
            self.default(writer, default);
        } else if field.ty().is_optional() {
            self.optional(writer);
        }
        if let Some(description) = field.description() {
            self.text(writer, Keyword::Description, description);
        }
        if let Some(remote) = field.remote() {
            self.text(writer, Keyword::Remote, remote);
        }
        self.details(writer, field.ty());
    }

    /// Writes the properties of a type besides its label and `optional`.
    const fn details(&mut self, writer: &mut Writer<'_>, ty: &Type) {
        match ty.kind() {
            Kind::Array(element) if !element.get().is_plain_any() => {
                self.nested(writer, Keyword::ElementType, element);
            }
            Kind::Object(Shape::Map(value)) => self.nested(writer, Keyword::ValueType, value),
            Kind::Object(Shape::Fields(fields)) => {
                self.list(writer, Keyword::Fields, List::Fields(fields_of(fields)));
            }
            Kind::Object(Shape::Extended(fields, values)) => {
                self.list(writer, Keyword::Fields, List::Fields(fields_of(fields)));
                self.nested(writer, Keyword::ValueType, values);
            }
            Kind::Tuple(items) => self.list(writer, Keyword::Items, List::Types(types_of(items))),
            Kind::Union(types) => self.list(writer, Keyword::AnyOf, List::Types(types_of(types))),
            _ => {}
        }
        self.constraints(writer, ty.constraints());
    }

    const fn constraints(&mut self, writer: &mut Writer<'_>, constraints: &Constraints) {
        let mut at = 0;
        while at < Keyword::CONSTRAINTS.len() {
            let keyword = Keyword::CONSTRAINTS[at];
            match constraints.get(keyword) {
                None => {}
                Some(Constraint::Text(text)) => self.text(writer, keyword, text),
                Some(Constraint::Values(values)) => {
                    self.list(writer, keyword, List::Values(values));
                }
                Some(constraint) => {
                    self.key(writer, keyword);
                    write_constraint(writer, constraint);
                    writer.leave();
                }
            }
            at += 1;
        }
    }

    /// Writes the type of elements or values: the label alone when it describes the whole type.
    const fn nested(&mut self, writer: &mut Writer<'_>, keyword: Keyword, ty: &Nest<Type>) {
        self.key(writer, keyword);
        let layout = match self.layout {
            Layout::Inline => Layout::Inline,
            Layout::Lines(indent) => {
                let mut measure = Writer::new(&mut []);
                write_type(&mut measure, ty.get(), Layout::Inline);
                layout_of(&measure, indent + 4 + keyword.name().len(), indent + 2)
            }
        };
        write_type(writer, ty.get(), layout);
        writer.leave();
    }

    const fn list(&mut self, writer: &mut Writer<'_>, keyword: Keyword, list: List<'_>) {
        self.key(writer, keyword);
        let layout = match self.layout {
            Layout::Inline => Layout::Inline,
            Layout::Lines(indent) => {
                let mut measure = Writer::new(&mut []);
                list.write(&mut measure, Layout::Inline);
                layout_of(&measure, indent + 4 + keyword.name().len(), indent + 2)
            }
        };
        list.write(writer, layout);
        writer.leave();
    }
}

/// Returns the layout for text that was measured on one line: that line if it fits from this column on.
const fn layout_of(measure: &Writer<'_>, column: usize, indent: usize) -> Layout {
    if column + measure.columns() < MAX_COLUMNS && !measure.wants_fence() {
        Layout::Inline
    } else {
        Layout::Lines(indent)
    }
}

/// Writes the value of a keyword on one line.
pub(crate) const fn write_constraint(writer: &mut Writer<'_>, constraint: Constraint<'_>) {
    match constraint {
        Constraint::Values(values) => List::Values(values).write(writer, Layout::Inline),
        Constraint::Text(text) => writer.text(text),
        Constraint::Number(Bound::Int(value)) => writer.integer(*value),
        Constraint::Number(Bound::Double(value)) => writer.text(value.text()),
        Constraint::Count(count) => writer.integer(count as i128),
    }
}

/// A list in the record of a type.
#[derive(Clone, Copy)]
enum List<'a> {
    Values(&'a [agent_gram::Value]),
    Fields(&'a [Field]),
    Types(&'a [Type]),
}

impl List<'_> {
    const fn len(self) -> usize {
        match self {
            List::Values(values) => values.len(),
            List::Fields(fields) => fields.len(),
            List::Types(types) => types.len(),
        }
    }

    const fn write(self, writer: &mut Writer<'_>, layout: Layout) {
        writer.byte(b'[');
        let mut at = 0;
        while at < self.len() {
            match layout {
                Layout::Inline if at > 0 => writer.text(", "),
                Layout::Inline => {}
                Layout::Lines(indent) => {
                    if at > 0 {
                        writer.byte(b',');
                    }
                    writer.line(indent + 2);
                }
            }
            self.write_item(writer, at, layout);
            at += 1;
        }
        if let Layout::Lines(indent) = layout
            && self.len() > 0
        {
            writer.line(indent);
        }
        writer.byte(b']');
    }

    const fn write_item(self, writer: &mut Writer<'_>, at: usize, layout: Layout) {
        let layout = match layout {
            Layout::Inline => Layout::Inline,
            Layout::Lines(indent) => {
                let mut measure = Writer::new(&mut []);
                self.write_item(&mut measure, at, Layout::Inline);
                layout_of(&measure, indent + 2, indent + 2)
            }
        };
        match (self, layout) {
            (List::Values(values), Layout::Inline) => writer.value(&values[at]),
            (List::Values(values), Layout::Lines(indent)) => {
                writer.value_in_lines(&values[at], indent, indent, 1);
            }
            (List::Fields(fields), _) => {
                writer.enter(FIELD + at as u16);
                write_field(writer, &fields[at], layout);
                writer.leave();
            }
            (List::Types(types), _) => {
                writer.enter(FIELD + at as u16);
                write_type(writer, &types[at], layout);
                writer.leave();
            }
        }
    }
}

const fn write_field(writer: &mut Writer<'_>, field: &Field, layout: Layout) {
    let mut entries = Entries::new(layout);
    entries.text(writer, Keyword::Name, field.name());
    entries.text(writer, Keyword::Type, field.ty().label());
    entries.field(writer, field);
    entries.close(writer);
}

/// Writes a type as a value: a label in quotes, or a map.
const fn write_type(writer: &mut Writer<'_>, ty: &Type, layout: Layout) {
    if ty.is_label_only() {
        writer.quoted(ty.label(), b'"');
        return;
    }
    let mut entries = Entries::new(layout);
    entries.text(writer, Keyword::Type, ty.label());
    if ty.is_optional() {
        entries.optional(writer);
    }
    entries.details(writer, ty);
    entries.close(writer);
}

/// Returns a type as a value, on one line: a label in quotes, or a map.
pub fn type_text(ty: &Type) -> String {
    to_string(|writer| write_type(writer, ty, Layout::Inline))
}

/// Types as a list, on one line.
pub fn types_text(types: &[Type]) -> String {
    to_string(|writer| List::Types(types).write(writer, Layout::Inline))
}

/// Types as a list of type expressions, on one line.
pub fn portable_types_text(expressions: &[String]) -> String {
    to_string(|writer| {
        writer.byte(b'[');
        for (at, expression) in expressions.iter().enumerate() {
            if at > 0 {
                writer.text(", ");
            }
            writer.quoted(expression, b'"');
        }
        writer.byte(b']');
    })
}

/// Fields as a list of maps, on one line.
pub fn fields_text(fields: &[Field]) -> String {
    to_string(|writer| List::Fields(fields).write(writer, Layout::Inline))
}

/// Fields as a map from name to type expression, on one line.
pub fn portable_fields_text(fields: &[(&str, String)]) -> String {
    if fields.is_empty() {
        return "{}".to_owned();
    }
    to_string(|writer| {
        let mut entries = Entries::new(Layout::Inline);
        for (name, expression) in fields {
            entries.separate(writer);
            writer.name(name);
            writer.text(": ");
            writer.quoted(expression, b'"');
        }
        entries.close(writer);
    })
}

/// A type as a map on one line: an expression, and the constraints of the type.
pub fn narrowed_text(expression: &str, ty: &Type) -> String {
    to_string(|writer| {
        let mut entries = Entries::new(Layout::Inline);
        entries.text(writer, Keyword::Type, expression);
        if ty.is_optional() {
            entries.optional(writer);
        }
        entries.constraints(writer, ty.constraints());
        entries.close(writer);
    })
}

/// The canonical text: one line, parameter names as node identifiers.
impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&signature_text(self))
    }
}
