//! What is said of a mismatch, in a `const` as well as at run time.

use super::compare::{field_fits, find_field, same_text};
use super::tool::Mismatch;
use crate::signature::Signature;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use crate::write::{Part, write_signature};
use agent_gram::print::writer::{Writer, to_string};

/// A spec and the tool that does not match it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// What the spec says: description and signature.
    pub spec: (&'a str, &'a Signature),
    /// What the tool says: description and signature.
    pub tool: (&'a str, &'a Signature),
    /// How they differ.
    pub mismatch: Mismatch,
}

impl Message<'_> {
    /// Writes the message: one line, then both sides with the differing part marked.
    pub const fn write(&self, writer: &mut Writer<'_>) {
        self.write_summary(writer);
        self.write_sides(writer);
    }

    /// Writes both sides, a line each, with the differing part marked.
    pub const fn write_sides(&self, writer: &mut Writer<'_>) {
        if let Mismatch::Description = self.mismatch {
            writer.text("\n  the agent says:    ");
            writer.quoted(self.spec.0, b'"');
            writer.text("\n  the function says: ");
            writer.quoted(self.tool.0, b'"');
            return;
        }
        let (spec, tool) = self.parts();
        writer.text("\n  the agent says:    ");
        write_marked(writer, self.spec.1, spec, 21);
        writer.text("\n  the function says: ");
        write_marked(writer, self.tool.1, tool, 21);
    }

    /// Writes the first line: what was found, and what would be right.
    pub const fn write_summary(&self, writer: &mut Writer<'_>) {
        writer.text("tool `");
        writer.text(self.name);
        writer.text("`: ");
        match self.mismatch {
            Mismatch::Description => {
                writer.text("the description differs from the function's");
            }
            Mismatch::UnknownParam { spec, meant } => {
                writer.text("the function has no parameter `");
                writer.text(self.spec.1.params()[spec].name());
                writer.text("`");
                match meant {
                    Some(at) => {
                        writer.text("; did you mean `");
                        writer.text(self.tool.1.params()[at].name());
                        writer.text("`?");
                    }
                    None if self.tool.1.params().is_empty() => {
                        writer.text("; it takes no parameters");
                    }
                    None => writer.text("; remove it"),
                }
            }
            Mismatch::ParamType { spec, tool } => {
                self.write_param(writer, spec);
                writer.text(" is `");
                writer.text(self.spec.1.params()[spec].ty().label());
                writer.text("` in the agent, but the function takes `");
                writer.text(self.tool.1.params()[tool].ty().label());
                writer.text("`");
            }
            Mismatch::ParamDetails { spec, tool } => {
                let (ours, theirs) = (&self.spec.1.params()[spec], &self.tool.1.params()[tool]);
                write_details(writer, ours.name(), ours.ty(), theirs.ty());
            }
            Mismatch::ParamOptional { spec, tool } => {
                self.write_param(writer, spec);
                if self.tool.1.params()[tool].is_optional() {
                    writer.text(" is required in the agent, but optional in the function");
                } else {
                    writer.text(" is optional in the agent, but the function requires it");
                }
            }
            Mismatch::ParamDefault { spec, tool } => {
                self.write_param(writer, spec);
                write_default(writer, " has the default ", self.spec.1, spec);
                write_default(writer, " in the agent, but ", self.tool.1, tool);
                writer.text(" in the function");
            }
            Mismatch::ParamDescription { spec, .. } => {
                self.write_param(writer, spec);
                writer.text(" is described differently in the function");
            }
            Mismatch::MissingParam { tool } => {
                writer.text("the agent leaves out ");
                write_missing(writer, self.spec.1, self.tool.1, tool);
            }
            Mismatch::Returns => {
                writer.text("the agent says it returns `");
                write_return(writer, self.spec.1);
                writer.text("`, but the function returns `");
                write_return(writer, self.tool.1);
                writer.text("`");
            }
        }
    }

    const fn write_param(&self, writer: &mut Writer<'_>, at: usize) {
        writer.text("parameter `");
        writer.text(self.spec.1.params()[at].name());
        writer.text("`");
    }

    const fn parts(&self) -> (Part, Part) {
        match self.mismatch {
            Mismatch::Description => (Part::Nothing, Part::Nothing),
            Mismatch::UnknownParam {
                spec,
                meant: Some(meant),
            } => (Part::ParamName(spec), Part::ParamName(meant)),
            Mismatch::UnknownParam { spec, meant: None } => (Part::ParamName(spec), Part::Params),
            Mismatch::ParamType { spec, tool } => (Part::ParamType(spec), Part::ParamType(tool)),
            Mismatch::ParamDetails { spec, tool }
            | Mismatch::ParamOptional { spec, tool }
            | Mismatch::ParamDescription { spec, tool }
            | Mismatch::ParamDefault { spec, tool } => (Part::Param(spec), Part::Param(tool)),
            Mismatch::MissingParam { tool } => (Part::Params, Part::Param(tool)),
            Mismatch::Returns => (Part::ReturnType, Part::ReturnType),
        }
    }

    /// The message as text.
    #[must_use]
    pub fn text(&self) -> String {
        to_string(|writer| self.write(writer))
    }
}

/// Says where two types of one label differ: in the type of their elements or values, in a field,
/// or in what narrows them.
const fn write_details(writer: &mut Writer<'_>, name: &str, spec: &Type, tool: &Type) {
    match (spec.kind(), tool.kind()) {
        (Kind::Array(ours), Kind::Array(theirs)) if !same_label(ours.get(), theirs.get()) => {
            write_part(
                writer,
                "the elements of parameter `",
                name,
                ours.get(),
                theirs.get(),
            );
        }
        (Kind::Object(Shape::Map(ours)), Kind::Object(Shape::Map(theirs)))
            if !same_label(ours.get(), theirs.get()) =>
        {
            write_part(
                writer,
                "the values of parameter `",
                name,
                ours.get(),
                theirs.get(),
            );
        }
        (Kind::Object(Shape::Fields(ours)), Kind::Object(Shape::Fields(theirs))) => {
            write_fields(writer, name, fields_of(ours), fields_of(theirs));
        }
        _ => write_wider(writer, name),
    }
}

const fn write_wider(writer: &mut Writer<'_>, name: &str) {
    writer.text("parameter `");
    writer.text(name);
    writer.text("` allows values that the function does not take");
}

const fn write_part(writer: &mut Writer<'_>, lead: &str, name: &str, spec: &Type, tool: &Type) {
    writer.text(lead);
    writer.text(name);
    writer.text("` are `");
    writer.text(spec.label());
    writer.text("` in the agent, but the function takes `");
    writer.text(tool.label());
    writer.text("`");
}

/// Says which field differs first.
const fn write_fields(writer: &mut Writer<'_>, name: &str, ours: &[Field], theirs: &[Field]) {
    let mut at = 0;
    while at < ours.len() {
        match find_field(theirs, ours[at].name()) {
            None => {
                write_field(writer, name, ours[at].name());
                writer.text(" is unknown to the function");
                return;
            }
            Some(other) if !field_fits(&ours[at], &theirs[other]) => {
                write_field(writer, name, ours[at].name());
                if same_label(ours[at].ty(), theirs[other].ty()) {
                    writer.text(" allows values that the function does not take");
                } else {
                    writer.text(" is `");
                    writer.text(ours[at].ty().label());
                    writer.text("` in the agent, but the function takes `");
                    writer.text(theirs[other].ty().label());
                    writer.text("`");
                }
                return;
            }
            Some(_) => at += 1,
        }
    }
    at = 0;
    while at < theirs.len() {
        if !theirs[at].is_optional() && find_field(ours, theirs[at].name()).is_none() {
            write_field(writer, name, theirs[at].name());
            writer.text(" is missing, and the function requires it");
            return;
        }
        at += 1;
    }
    write_wider(writer, name);
}

const fn write_field(writer: &mut Writer<'_>, name: &str, field: &str) {
    writer.text("the field `");
    writer.text(field);
    writer.text("` of parameter `");
    writer.text(name);
    writer.text("`");
}

const fn same_label(left: &Type, right: &Type) -> bool {
    same_text(left.label(), right.label())
}

/// Names the parameter that is left out, and the further required ones.
const fn write_missing(writer: &mut Writer<'_>, spec: &Signature, tool: &Signature, first: usize) {
    let params = tool.params();
    let required = !params[first].is_optional();
    writer.text(if required {
        "the required parameter `"
    } else {
        "the parameter `"
    });
    let mut at = first;
    while at < params.len() {
        let is_missing = at == first
            || (required
                && !params[at].is_optional()
                && find_field(spec.params(), params[at].name()).is_none());
        if is_missing {
            if at > first {
                writer.text("` and `");
            }
            writer.text(params[at].name());
            writer.text("::");
            writer.text(params[at].ty().label());
        }
        at += 1;
    }
    writer.text("`");
}

const fn write_default(writer: &mut Writer<'_>, lead: &str, signature: &Signature, at: usize) {
    writer.text(lead);
    match signature.params()[at].default() {
        Some(default) => {
            writer.byte(b'`');
            writer.value(default);
            writer.byte(b'`');
        }
        None => writer.text("none"),
    }
}

const fn write_return(writer: &mut Writer<'_>, signature: &Signature) {
    let ty = signature.returns().ty();
    writer.text(match ty.kind() {
        crate::types::Kind::Text => "String",
        _ => ty.label(),
    });
    if ty.is_optional() {
        writer.text(" {optional: true}");
    }
}

/// Writes a signature, and under it a line that marks a part. `indent` is the column at which the
/// signature starts.
const fn write_marked(writer: &mut Writer<'_>, signature: &Signature, part: Part, indent: usize) {
    let (start, end) = write_signature(writer, signature, part);
    if end > start {
        writer.line(indent + start);
        let mut left = end - start;
        while left > 0 {
            writer.byte(b'^');
            left -= 1;
        }
    }
}
