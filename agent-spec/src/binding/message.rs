//! The message about a mismatch, in a `const` as well as at run time: a sentence, then both signatures with a mark
//! under the part that differs.

use super::marked_lines::{write_marked, write_marked_text};
use super::{Comparison, Mismatch, Side, nearest_param, param_trail};
use crate::vocabulary::Keyword;
use agent_gram::Value;
use agent_gram::print::writer::{Trail, Writer, to_string};
use agent_types::__private::{Difference, DifferenceKind, FIELD, PARAMS, find_field, result_label};
use agent_types::names::nearness;
use agent_types::types::types_of;
use agent_types::{Field, Kind, Shape, Signature, Type};

/// A spec and the tool that does not match it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The spec's description and signature.
    pub spec: (&'a str, &'a Signature),
    /// The tool's description and signature.
    pub tool: (&'a str, &'a Signature),
    /// The mismatch.
    pub mismatch: Mismatch,
}

impl Message<'_> {
    /// The first line of the message.
    #[must_use]
    pub fn summary(&self) -> String {
        to_string(|writer| self.write_summary(writer, Comparison::Compatible))
    }

    /// The message: one line, then both sides with the differing part marked.
    #[must_use]
    pub fn text(&self) -> String {
        to_string(|writer| {
            self.write_summary(writer, Comparison::Compatible);
            self.write_sides(writer, Comparison::Compatible);
        })
    }

    /// Writes the first line: what was found, and what would be right.
    pub(super) const fn write_summary(&self, writer: &mut Writer<'_>, by: Comparison) {
        let is_call = by.is_call();
        writer.texts(&[if is_call { "agent `" } else { "tool `" }, self.name, "`: "]);
        match &self.mismatch {
            Mismatch::Description if is_call && self.spec.0.is_empty() => writer.text(
                "the function has a description, and the agent has none; add `description: \"…\"`",
            ),
            Mismatch::Description => writer.text("the description differs from the function's"),
            Mismatch::UnknownParam { spec, meant } => {
                self.write_unknown_param(writer, *spec, *meant, is_call);
            }
            Mismatch::MissingParam { tool } if is_call => {
                let name = self.tool.1.params()[*tool].name();
                writer.texts(&[
                    "the agent has no parameter `",
                    name,
                    "`, which the function passes",
                ]);
                if let Some(meant) = nearest_param(self.spec.1, self.tool.1, name) {
                    let meant = self.spec.1.params()[meant].name();
                    writer.texts(&["; did you mean `", meant, "`?"]);
                }
            }
            Mismatch::MissingParam { tool } => {
                write_missing_params(writer, self.spec, self.tool, *tool)
            }
            Mismatch::Param { difference, .. } => {
                let verb = if is_call { "passes " } else { "takes " };
                self.write_difference(writer, by, difference, verb);
            }
            Mismatch::Returns { difference } => {
                self.write_difference(writer, by, difference, "returns ");
            }
        }
    }

    /// Writes both sides, a line each, with the differing part marked.
    pub(super) const fn write_sides(&self, writer: &mut Writer<'_>, by: Comparison) {
        let (spec, tool) = self.trails(by);
        let is_description = matches!(self.mismatch, Mismatch::Description);
        writer.text("\n  the agent says:    ");
        if is_description {
            write_marked_text(writer, self.spec.0, self.tool.0);
        } else {
            write_marked(writer, self.spec.1, spec);
        }
        writer.text("\n  the function says: ");
        if is_description {
            write_marked_text(writer, self.tool.0, self.spec.0);
        } else {
            write_marked(writer, self.tool.1, tool);
        }
    }

    /// Returns the trails to the part that differs: in the spec and in the tool.
    pub(super) const fn trails(&self, by: Comparison) -> (Trail, Trail) {
        let params = Trail::EMPTY.then(PARAMS);
        match &self.mismatch {
            Mismatch::Description => (Trail::EMPTY, Trail::EMPTY),
            Mismatch::UnknownParam { spec, meant } => {
                let name = param_trail(*spec).then(Keyword::Name.step());
                match meant {
                    Some(meant) => (name, param_trail(*meant).then(Keyword::Name.step())),
                    None => (name, params),
                }
            }
            Mismatch::MissingParam { tool } => {
                let name = self.tool.1.params()[*tool].name();
                let step = Keyword::Name.step();
                match nearest_param(self.spec.1, self.tool.1, name) {
                    Some(meant) if by.is_call() => {
                        (param_trail(meant).then(step), param_trail(*tool).then(step))
                    }
                    _ => (params, param_trail(*tool)),
                }
            }
            Mismatch::Param { difference, .. } | Mismatch::Returns { difference } => {
                if self.is_given_by_function(by) {
                    (difference.outer, difference.inner)
                } else {
                    (difference.inner, difference.outer)
                }
            }
        }
    }

    /// Whether the function gives the differing value to the agent, as a result or as the argument of a call.
    const fn is_given_by_function(&self, by: Comparison) -> bool {
        matches!(self.mismatch, Mismatch::Returns { .. }) != by.is_call()
    }

    const fn write_unknown_param(
        &self,
        writer: &mut Writer<'_>,
        spec: usize,
        meant: Option<usize>,
        is_call: bool,
    ) {
        let found = self.spec.1.params()[spec].name();
        writer.text(if is_call {
            "the function does not pass the required parameter `"
        } else {
            "the function has no parameter `"
        });
        writer.text(found);
        match meant {
            Some(meant) => {
                let known = self.tool.1.params()[meant].name();
                if nearness(found, known).is_some() {
                    writer.texts(&["`; did you mean `", known, "`?"]);
                } else {
                    writer.texts(&["`; it has `", known, "`, which the agent does not have"]);
                }
            }
            None if is_call => {
                writer.text("`; add it to the function, or make it `optional` here");
            }
            None => writer.text("`; remove it"),
        }
    }

    /// Writes the part in which the types differ, and how they differ. `verb` is what the function does with the
    /// value.
    const fn write_difference(
        &self,
        writer: &mut Writer<'_>,
        by: Comparison,
        difference: &Difference,
        verb: &str,
    ) {
        let is_given = self.is_given_by_function(by);
        let (spec, tool) = self.trails(by);
        // A field that one side lacks is named by the side that has it.
        let is_named_by_function = match difference.how {
            DifferenceKind::Missing => !is_given,
            DifferenceKind::Unknown | DifferenceKind::Misspelled => is_given,
            _ => false,
        };
        let silent = &mut Writer::new(&mut []);
        let (ours, theirs) = if is_named_by_function {
            let ours = write_part(silent, self.spec.1, &spec);
            (ours, write_part(writer, self.tool.1, &tool))
        } else {
            let ours = write_part(writer, self.spec.1, &spec);
            (ours, write_part(silent, self.tool.1, &tool))
        };
        write_how(writer, difference, (&ours, &theirs), is_given, verb);
        if let (DifferenceKind::Unknown, true, false) = (difference.how, by.is_call(), is_given) {
            writer.text(", whose type denies unknown fields");
        }
    }
}

/// Writes how two parts differ, the agent's and the function's.
const fn write_how(
    writer: &mut Writer<'_>,
    difference: &Difference,
    (ours, theirs): (&MarkedPart<'_>, &MarkedPart<'_>),
    is_given_by_function: bool,
    verb: &str,
) {
    let (giver, taker, given) = if is_given_by_function {
        ("function", "agent", theirs)
    } else {
        ("agent", "function", ours)
    };
    match difference.how {
        DifferenceKind::Label => {
            let (ours, theirs) = (ours.label(), theirs.label());
            writer.texts(&[" is `", ours, "` in the agent, but the function ", verb]);
            writer.texts(&["`", theirs, "`"]);
        }
        DifferenceKind::Shape => {
            let (ours, theirs) = (shape_in_words(ours.ty), shape_in_words(theirs.ty));
            writer.texts(&[
                " is ",
                ours,
                " in the agent, but the function ",
                verb,
                theirs,
            ]);
        }
        DifferenceKind::Alternative => {
            writer.texts(&[" can be `", given.label(), "` in the ", giver]);
            writer.texts(&[", but the ", taker, " takes no such value"]);
        }
        DifferenceKind::Unknown => writer.texts(&[" is unknown to the ", taker]),
        DifferenceKind::Misspelled => {
            let meant = match ours.field {
                Some(field) => field.name(),
                None => "",
            };
            let refused = " would be refused as a misspelling of `";
            writer.texts(&[refused, meant, "`, which the agent declares"]);
        }
        DifferenceKind::Missing => {
            writer.texts(&[
                " is missing in the ",
                giver,
                ", and the ",
                taker,
                " requires it",
            ]);
        }
        DifferenceKind::Optional => writer.text(if ours.is_optional() {
            " is optional in the agent, but required in the function"
        } else {
            " is required in the agent, but optional in the function"
        }),
        DifferenceKind::Wider => {
            let keyword = difference.keyword();
            if given.ty.constraints().get(keyword).is_none() {
                writer.texts(&[" has no `", keyword.name(), "` in the ", giver]);
                writer.texts(&[", but one in the ", taker]);
            } else {
                writer.texts(&[" has another `", keyword.name(), "` in the function"]);
            }
            writer.texts(&[
                "; the ",
                giver,
                " must be at least as strict, keyword by keyword",
            ]);
        }
        DifferenceKind::Unequal if difference.keyword().is(Keyword::Default) => {
            write_defaults(writer, ours.default(), theirs.default());
        }
        DifferenceKind::Unequal => {
            let keyword = difference.keyword().name();
            writer.texts(&[" has another `", keyword, "` in the function"]);
        }
        DifferenceKind::Range(&(lowest, highest)) => {
            writer.texts(&[" has a number in `", difference.keyword().name()]);
            writer.text("` beyond the Rust type of the function, which holds ");
            writer.integer(lowest);
            writer.text(" to ");
            writer.integer(highest);
            writer.text("; write a number in this range, or give the function a wider type");
        }
    }
}

const fn write_defaults(writer: &mut Writer<'_>, ours: Option<&Value>, theirs: Option<&Value>) {
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

/// Writes the parameters that the spec lacks: the first, and further ones that the tool requires.
const fn write_missing_params(
    writer: &mut Writer<'_>,
    (_, spec): Side<'_>,
    (_, tool): Side<'_>,
    first: usize,
) {
    let params = tool.params();
    let is_required = !params[first].may_be_missing();
    writer.text(if is_required {
        "the agent leaves out the required parameter `"
    } else {
        "the agent leaves out the parameter `"
    });
    let mut at = first;
    while at < params.len() {
        let param = &params[at];
        let is_further = is_required
            && !param.may_be_missing()
            && find_field(spec.params(), param.name()).is_none();
        if at == first || is_further {
            writer.text(if at == first { "" } else { "`, and `" });
            writer.texts(&[param.name(), "::", param.ty().label()]);
        }
        at += 1;
    }
    writer.byte(b'`');
}

const fn shape_in_words(ty: &Type) -> &str {
    match ty.kind() {
        Kind::Object(Shape::Open) => "any object",
        Kind::Object(Shape::Map(_)) => "a map",
        Kind::Object(Shape::Fields(_)) => "an object with fields",
        Kind::Object(Shape::Extended(..)) => "an object with fields and further keys",
        Kind::Array(_) => "a list",
        Kind::Tuple(_) => "a list of a fixed length",
        Kind::Any => "any value",
        Kind::Union(_) => "one of several types",
        _ => ty.label(),
    }
}

/// A part of a signature.
struct MarkedPart<'s> {
    ty: &'s Type,
    /// The parameter or field whose type is `ty`.
    field: Option<&'s Field>,
    is_result: bool,
}

impl MarkedPart<'_> {
    const fn is_optional(&self) -> bool {
        match self.field {
            Some(field) => field.is_optional(),
            None => self.ty.is_optional(),
        }
    }

    const fn default(&self) -> Option<&Value> {
        match self.field {
            Some(field) => field.default(),
            None => None,
        }
    }

    const fn label(&self) -> &str {
        if self.is_result {
            result_label(self.ty)
        } else {
            self.ty.label()
        }
    }
}

/// Writes the name of the part of a signature that a trail leads to, such as "parameter `user.addresses[].zip`",
/// "the field `zip` of the result" or "the part `[]` of the result", and returns the part.
const fn write_part<'s>(
    writer: &mut Writer<'_>,
    signature: &'s Signature,
    trail: &Trail,
) -> MarkedPart<'s> {
    let returns = signature.returns().ty();
    let (mut ty, mut field, steps) = match trail.steps() {
        [PARAMS, param, inside @ ..] => {
            let param = &signature.params()[(*param - FIELD) as usize];
            writer.texts(&["parameter `", param.name()]);
            (param.ty(), Some(param), inside)
        }
        [_, inside @ ..] => (returns, None, inside),
        [] => (returns, None, trail.steps()),
    };
    let is_param = field.is_some();
    let mut is_named = is_param;
    let mut at = 0;
    while at < steps.len() {
        let step = steps[at];
        let place = step.saturating_sub(FIELD) as usize;
        at += 1;
        match ty.kind() {
            Kind::Array(element) if step == Keyword::ElementType.step() => {
                is_named = write_separator(writer, is_named, "", "the part `");
                writer.text("[]");
                (ty, field) = (element.get(), None);
            }
            Kind::Tuple(types) if step >= FIELD => {
                is_named = write_separator(writer, is_named, "", "the part `");
                writer.byte(b'[');
                writer.integer(place as i128);
                writer.byte(b']');
                (ty, field) = (&types_of(types)[place], None);
            }
            Kind::Object(shape) if step >= FIELD => {
                is_named = write_separator(writer, is_named, ".", "the field `");
                let inner = &shape.fields()[place];
                writer.text(inner.name());
                (ty, field) = (inner.ty(), Some(inner));
            }
            Kind::Object(shape) if step == Keyword::ValueType.step() => {
                is_named = write_separator(writer, is_named, ".", "the part `");
                writer.byte(b'*');
                if let Some(values) = shape.values() {
                    (ty, field) = (values, None);
                }
            }
            // An alternative of a union has no name.
            Kind::Union(types) if step >= FIELD => (ty, field) = (&types_of(types)[place], None),
            // The step leads to a keyword of this type.
            _ => {}
        }
    }
    writer.text(match (is_param, is_named) {
        (true, _) => "`",
        (false, true) => "` of the result",
        (false, false) => "the result",
    });
    MarkedPart {
        ty,
        field,
        is_result: !is_named,
    }
}

/// Writes the text before a step of a path: `start` before the first step. Returns `true`, because the part
/// then has a name.
const fn write_separator(
    writer: &mut Writer<'_>,
    is_named: bool,
    separator: &str,
    start: &str,
) -> bool {
    writer.text(if is_named { separator } else { start });
    true
}
