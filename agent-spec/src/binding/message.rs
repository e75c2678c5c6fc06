//! What is said of a mismatch, in a `const` as well as at run time.

mod details;
mod marked;

use super::compare::find_field;
use super::difference::{Difference, difference};
use super::tool::Mismatch;
use crate::signature::Signature;
use crate::types::{Param, Type};
use crate::write::Part;
use crate::write::step::{DEFAULT, DESCRIPTION, OPTIONAL};
use agent_gram::print::writer::{Trail, Writer, to_string};
use details::{Sides, write_defaults, write_details};
use marked::{write_marked, write_marked_text};

const AGENT_SAYS: &str = "\n  the agent says:    ";
const FUNCTION_SAYS: &str = "\n  the function says: ";

/// The columns before what one of them says.
const INDENT: usize = 21;

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
            writer.text(AGENT_SAYS);
            write_marked_text(writer, self.spec.0, self.tool.0, INDENT);
            writer.text(FUNCTION_SAYS);
            write_marked_text(writer, self.tool.0, self.spec.0, INDENT);
            return;
        }
        let (spec, tool) = self.parts();
        writer.text(AGENT_SAYS);
        write_marked(writer, self.spec.1, spec, INDENT);
        writer.text(FUNCTION_SAYS);
        write_marked(writer, self.tool.1, tool, INDENT);
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
                let sides = Sides {
                    root: Some(ours.name()),
                    ours: ours.ty(),
                    theirs: theirs.ty(),
                };
                match self.difference() {
                    Some(difference) => write_details(writer, &sides, &difference),
                    None => {
                        self.write_param(writer, spec);
                        writer.text(" has another type in the function");
                    }
                }
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
                let ours = self.spec.1.params()[spec].default();
                let theirs = self.tool.1.params()[tool].default();
                write_defaults(writer, ours, theirs);
            }
            Mismatch::ParamDescription { spec, .. } => {
                self.write_param(writer, spec);
                writer.text(" is described differently in the function");
            }
            Mismatch::MissingParam { tool } => {
                writer.text("the agent leaves out ");
                write_missing(writer, self.spec.1, self.tool.1, tool);
            }
            Mismatch::Returns => self.write_returns(writer),
        }
    }

    const fn write_returns(&self, writer: &mut Writer<'_>) {
        let sides = Sides {
            root: None,
            ours: self.spec.1.returns().ty(),
            theirs: self.tool.1.returns().ty(),
        };
        match self.difference() {
            Some(difference) => write_details(writer, &sides, &difference),
            None => {
                writer.text("the agent says it returns `");
                write_return(writer, sides.ours);
                writer.text("`, but the function returns `");
                write_return(writer, sides.theirs);
                writer.text("`");
            }
        }
    }

    /// Where the types differ below their labels; on the agent's side and on the function's.
    const fn difference(&self) -> Option<Difference> {
        match self.mismatch {
            Mismatch::ParamDetails { spec, tool } => {
                let ours = self.spec.1.params()[spec].ty();
                let theirs = self.tool.1.params()[tool].ty();
                first_difference(ours, theirs)
            }
            Mismatch::Returns => {
                let (ours, theirs) = (self.spec.1.returns().ty(), self.tool.1.returns().ty());
                if !same_label(ours, theirs) || ours.is_optional() != theirs.is_optional() {
                    return None;
                }
                // What the function gives must be allowed by the agent.
                match first_difference(theirs, ours) {
                    Some(found) => Some(Difference {
                        inner: found.outer,
                        outer: found.inner,
                        ..found
                    }),
                    None => None,
                }
            }
            _ => None,
        }
    }

    /// The way to what differs in the agent's type; empty when it is all of it.
    pub(super) const fn trail(&self) -> Trail {
        match self.difference() {
            Some(difference) => difference.inner,
            None => Trail::EMPTY,
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
            Mismatch::ParamDetails { spec, tool } => match self.difference() {
                Some(Difference { inner, outer, .. }) => {
                    (Part::ParamPart(spec, inner), Part::ParamPart(tool, outer))
                }
                None => (Part::Param(spec), Part::Param(tool)),
            },
            Mismatch::ParamOptional { spec, tool } => (
                Part::ParamPart(spec, makes_optional(&self.spec.1.params()[spec])),
                Part::ParamPart(tool, makes_optional(&self.tool.1.params()[tool])),
            ),
            Mismatch::ParamDescription { spec, tool } => {
                let trail = Trail::EMPTY.then(DESCRIPTION);
                (Part::ParamPart(spec, trail), Part::ParamPart(tool, trail))
            }
            Mismatch::ParamDefault { spec, tool } => {
                let trail = Trail::EMPTY.then(DEFAULT);
                (Part::ParamPart(spec, trail), Part::ParamPart(tool, trail))
            }
            Mismatch::MissingParam { tool } => (Part::Params, Part::Param(tool)),
            Mismatch::Returns => match self.difference() {
                Some(Difference { inner, outer, .. }) => {
                    (Part::ReturnPart(inner), Part::ReturnPart(outer))
                }
                None if same_label(self.spec.1.returns().ty(), self.tool.1.returns().ty()) => {
                    let trail = Trail::EMPTY.then(OPTIONAL);
                    (Part::ReturnPart(trail), Part::ReturnPart(trail))
                }
                None => (Part::ReturnType, Part::ReturnType),
            },
        }
    }

    /// The message as text.
    #[must_use]
    pub fn text(&self) -> String {
        to_string(|writer| self.write(writer))
    }
}

/// The first difference that makes the types not fit, else one of those that keep them from being
/// equal.
const fn first_difference(inner: &Type, outer: &Type) -> Option<Difference> {
    match difference(inner, outer, false) {
        None => difference(inner, outer, true),
        found => found,
    }
}

const fn same_label(left: &Type, right: &Type) -> bool {
    super::compare::same_text(left.label(), right.label())
}

/// Names the parameter that is left out, and the further required ones.
const fn write_missing(writer: &mut Writer<'_>, spec: &Signature, tool: &Signature, first: usize) {
    let params = tool.params();
    let required = !params[first].is_optional();
    let mut missing = 0;
    let mut at = 0;
    while at < params.len() {
        if !params[at].is_optional() && find_field(spec.params(), params[at].name()).is_none() {
            missing += 1;
        }
        at += 1;
    }
    writer.text(match (required, missing) {
        (false, _) => "the parameter `",
        (true, 1) => "the required parameter `",
        (true, _) => "the required parameters `",
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

/// The way to what makes a parameter optional.
const fn makes_optional(param: &Param) -> Trail {
    match param.default() {
        Some(_) => Trail::EMPTY.then(DEFAULT),
        None => Trail::EMPTY.then(OPTIONAL),
    }
}

const fn write_return(writer: &mut Writer<'_>, ty: &Type) {
    writer.text(match ty.kind() {
        crate::types::Kind::Text => "String",
        _ => ty.label(),
    });
    if ty.is_optional() {
        writer.text(" {optional: true}");
    }
}
