//! Signatures.

use super::entries::{Entries, Layout};
use crate::signature::{Returns, Signature};
use crate::types::{Field, Kind};
use agent_gram::print::layout::MAX_COLUMNS;
use agent_gram::print::writer::{Trail, Writer};

/// A part of a signature, for messages that point at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// No part.
    Nothing,
    /// The whole node of a parameter, by its place.
    Param(usize),
    /// A parameter's name.
    ParamName(usize),
    /// A parameter's type label.
    ParamType(usize),
    /// A part of what a parameter says beside its name and label.
    ParamPart(usize, Trail),
    /// All parameters, up to the last arrow.
    Params,
    /// The whole node of the result.
    Returns,
    /// The result's type label.
    ReturnType,
    /// A part of what the result says beside its label.
    ReturnPart(Trail),
}

/// Writes a signature on one line and returns the columns from and to which the part stands,
/// counted from where the signature starts.
pub const fn write_signature(
    writer: &mut Writer<'_>,
    signature: &Signature,
    part: Part,
) -> (usize, usize) {
    let start = writer.columns();
    let params = signature.params();
    let mut marked = (0, 0);
    if params.is_empty() {
        writer.text("()");
    }
    let mut at = 0;
    while at < params.len() {
        if at > 0 {
            writer.text("==>");
        }
        if let Part::ParamPart(index, trail) = part
            && index == at
        {
            writer.follow(trail);
        }
        let (node, name, label) = write_param(writer, &params[at], Layout::Inline);
        match part {
            Part::Param(index) if index == at => marked = node,
            Part::ParamName(index) if index == at => marked = name,
            Part::ParamType(index) if index == at => marked = label,
            Part::ParamPart(index, _) if index == at => {
                marked = match writer.followed() {
                    Some(found) => found,
                    None => node,
                };
            }
            _ => {}
        }
        at += 1;
    }
    if matches!(part, Part::Params) {
        marked = (start, writer.columns());
    }
    writer.text("==>");
    if let Part::ReturnPart(trail) = part {
        writer.follow(trail);
    }
    let (node, label) = write_returns(writer, signature.returns(), Layout::Inline);
    match part {
        Part::ReturnPart(_) => {
            marked = match writer.followed() {
                Some(found) => found,
                None => node,
            };
        }
        Part::Returns => marked = node,
        Part::ReturnType => marked = label,
        _ => {}
    }
    if marked.1 == 0 {
        (0, 0)
    } else {
        (marked.0 - start, marked.1 - start)
    }
}

/// Writes a signature as the line of an element at `indent`, followed by `tail` more columns: on
/// one line when it fits, else every record on lines of its own.
pub(super) const fn write_signature_line(
    writer: &mut Writer<'_>,
    signature: &Signature,
    indent: usize,
    tail: usize,
) {
    let mut measure = Writer::new(&mut []);
    write_signature(&mut measure, signature, Part::Nothing);
    if indent + measure.columns() + tail <= MAX_COLUMNS && !measure.wants_fence() {
        write_signature(writer, signature, Part::Nothing);
        return;
    }
    let params = signature.params();
    if params.is_empty() {
        writer.text("()");
    }
    let mut at = 0;
    while at < params.len() {
        if at > 0 {
            writer.text("==>");
        }
        write_param(writer, &params[at], Layout::Lines(indent));
        at += 1;
    }
    writer.text("==>");
    write_returns(writer, signature.returns(), Layout::Lines(indent));
}

type Columns = (usize, usize);

const fn write_param(
    writer: &mut Writer<'_>,
    param: &Field,
    layout: Layout,
) -> (Columns, Columns, Columns) {
    let start = writer.columns();
    writer.byte(b'(');
    let name = writer.columns();
    writer.identity(param.name());
    let name = (name, writer.columns());
    writer.text("::");
    let label = writer.columns();
    writer.text(param.ty().label());
    let label = (label, writer.columns());
    let mut entries = Entries::after_head(layout);
    entries.field(writer, param);
    entries.close(writer);
    writer.byte(b')');
    ((start, writer.columns()), name, label)
}

const fn write_returns(
    writer: &mut Writer<'_>,
    returns: &Returns,
    layout: Layout,
) -> (Columns, Columns) {
    let start = writer.columns();
    writer.text("(::");
    let label = writer.columns();
    writer.text(match returns.ty().kind() {
        Kind::Text => "String",
        _ => returns.ty().label(),
    });
    let label = (label, writer.columns());
    let mut entries = Entries::after_head(layout);
    if returns.ty().is_optional() {
        entries.yes(writer, "optional");
    }
    if let Some(description) = returns.description() {
        entries.text(writer, "description", description);
    }
    entries.details(writer, returns.ty());
    entries.close(writer);
    writer.byte(b')');
    ((start, writer.columns()), label)
}
