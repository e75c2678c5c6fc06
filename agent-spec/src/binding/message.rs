//! The messages about mismatches, in a `const` as well as at run time.

use crate::binding::{Mismatch, default_beyond, nearest_param};
use crate::vocabulary::Keyword;
use agent_gram::Value;
use agent_gram::print::writer::{Trail, Writer, to_string};
use agent_types::__private::{
    Difference, DifferenceKind, FIELD, IntRange, Rule, SignaturePart, defaults_agree, difference,
    difference_with_null, find_field, first_beyond, write_signature,
};
use agent_types::names::nearness;
use agent_types::types::{Bound, Constraint, types_of};
use agent_types::{Constraints, Field, Kind, Param, Shape, Signature, Type};

const AGENT_SAYS: &str = "\n  the agent says:    ";
const FUNCTION_SAYS: &str = "\n  the function says: ";

/// The columns before a printed signature or description.
const INDENT: usize = 21;

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
    const fn disagreement(&self) -> Disagreement<'_> {
        Disagreement {
            name: self.name,
            spec: self.spec,
            tool: self.tool,
            mismatch: self.mismatch,
            caller: Caller::Agent,
        }
    }

    /// The first line of the message.
    #[must_use]
    pub fn summary(&self) -> String {
        to_string(|writer| self.disagreement().write_summary(writer))
    }

    /// The message: one line, then both sides with the differing part marked.
    #[must_use]
    pub fn text(&self) -> String {
        to_string(|writer| self.disagreement().write(writer))
    }
}

/// The side that calls the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The agent calls a tool, which is a function.
    Agent,
    /// A function calls the agent.
    Function,
}

impl Caller {
    const fn is_function(self) -> bool {
        matches!(self, Self::Function)
    }
}

/// An agent and a function that do not match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disagreement<'a> {
    /// The name of the tool or of the agent.
    pub(crate) name: &'a str,
    /// The description and the signature that the agent states: of its tool, or its own.
    pub(crate) spec: (&'a str, &'a Signature),
    /// The description and the signature of the function.
    pub(crate) tool: (&'a str, &'a Signature),
    pub(crate) mismatch: Mismatch,
    pub(crate) caller: Caller,
}

impl Disagreement<'_> {
    /// Writes the message: one line, then both sides with the differing part marked.
    pub(crate) const fn write(&self, writer: &mut Writer<'_>) {
        self.write_summary(writer);
        self.write_sides(writer);
    }

    /// Writes both sides, a line each, with the differing part marked.
    pub(super) const fn write_sides(&self, writer: &mut Writer<'_>) {
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
    pub(super) const fn write_summary(&self, writer: &mut Writer<'_>) {
        let calls_agent = self.caller.is_function();
        writer.text(if calls_agent { "agent `" } else { "tool `" });
        writer.text(self.name);
        writer.text("`: ");
        match self.mismatch {
            Mismatch::Description if calls_agent && self.spec.0.is_empty() => {
                writer.text(
                    "the function has a description, and the agent has none; add `description: \"…\"`",
                );
            }
            Mismatch::Description => {
                writer.text("the description differs from the function's");
            }
            Mismatch::UnknownParam { spec, meant } => {
                writer.text(if calls_agent {
                    "the function does not pass the required parameter `"
                } else {
                    "the function has no parameter `"
                });
                writer.text(self.spec.1.params()[spec].name());
                writer.text("`");
                match meant {
                    Some(at) => {
                        let found = self.spec.1.params()[spec].name();
                        let known = self.tool.1.params()[at].name();
                        if nearness(found, known).is_some() {
                            writer.text(if calls_agent {
                                "; is it the parameter that is called `"
                            } else {
                                "; did you mean `"
                            });
                            writer.text(known);
                            writer.text(if calls_agent {
                                "` in the function?"
                            } else {
                                "`?"
                            });
                        } else {
                            writer.text("; it has `");
                            writer.text(known);
                            writer.text(if calls_agent {
                                "`, which the agent does not have"
                            } else {
                                "`, which the agent does not name"
                            });
                        }
                    }
                    None if calls_agent => {
                        writer.text("; add it to the function, or make it `optional` here");
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
                writer.text(if calls_agent {
                    "` in the agent, but the function passes `"
                } else {
                    "` in the agent, but the function takes `"
                });
                writer.text(self.tool.1.params()[tool].ty().label());
                writer.text("`");
            }
            Mismatch::ParamDetails { spec, tool } => {
                let (ours, theirs) = (&self.spec.1.params()[spec], &self.tool.1.params()[tool]);
                let sides = Sides {
                    root: Some(ours.name()),
                    ours: ours.ty(),
                    theirs: theirs.ty(),
                    flow: match self.caller {
                        Caller::Agent => Flow::TakenByTool,
                        Caller::Function => Flow::PassedToAgent,
                    },
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
                let (ours, theirs) = (&self.spec.1.params()[spec], &self.tool.1.params()[tool]);
                match default_beyond(ours, theirs) {
                    Some((value, range)) if defaults_agree(ours, theirs) => {
                        writer.text(" has the default ");
                        write_beyond(writer, value, range);
                    }
                    _ => write_defaults(writer, ours.default(), theirs.default()),
                }
            }
            Mismatch::ParamDescription { spec, .. } => {
                self.write_param(writer, spec);
                writer.text(" is described differently in the function");
            }
            Mismatch::MissingParam { tool } if calls_agent => {
                writer.text("the agent has no parameter `");
                let name = self.tool.1.params()[tool].name();
                writer.text(name);
                writer.text("`, which the function passes");
                if let Some(meant) = nearest_param(self.spec.1, self.tool.1, name) {
                    writer.text("; did you mean `");
                    writer.text(self.spec.1.params()[meant].name());
                    writer.text("`?");
                }
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
            flow: match self.caller {
                Caller::Agent => Flow::ReturnedByTool,
                Caller::Function => Flow::AnsweredByAgent,
            },
        };
        match self.difference() {
            Some(difference) => write_details(writer, &sides, &difference),
            None => {
                writer.text("the agent declares the result `");
                write_return(writer, sides.ours);
                writer.text("`, but the function returns `");
                write_return(writer, sides.theirs);
                writer.text("`");
            }
        }
    }

    /// Returns the parts in which the types differ below their labels: on the agent's side and on the
    /// function's side.
    const fn difference(&self) -> Option<Difference> {
        match self.mismatch {
            Mismatch::ParamDetails { spec, tool } if self.caller.is_function() => {
                let ours = self.spec.1.params()[spec].ty();
                let theirs = self.tool.1.params()[tool].ty();
                swapped(difference(theirs, ours, Rule::Passed))
            }
            Mismatch::Returns if self.caller.is_function() => {
                let (ours, theirs) = (self.spec.1.returns().ty(), self.tool.1.returns().ty());
                match difference_with_null(ours, theirs, Rule::Answered) {
                    Some(found) if !is_whole(&found) => Some(found),
                    _ => None,
                }
            }
            Mismatch::ParamDetails { spec, tool } => {
                let ours = self.spec.1.params()[spec].ty();
                let theirs = self.tool.1.params()[tool].ty();
                match difference(ours, theirs, Rule::Argument) {
                    None => difference(ours, theirs, Rule::Equal),
                    found => found,
                }
            }
            Mismatch::Returns => {
                let (ours, theirs) = (self.spec.1.returns().ty(), self.tool.1.returns().ty());
                let found = match difference_with_null(theirs, ours, Rule::Result) {
                    None => difference_with_null(theirs, ours, Rule::Equal),
                    found => found,
                };
                match found {
                    Some(found) if !is_whole(&found) => swapped(Some(found)),
                    _ => None,
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

    const fn parts(&self) -> (SignaturePart, SignaturePart) {
        match self.mismatch {
            Mismatch::Description => (SignaturePart::Nothing, SignaturePart::Nothing),
            Mismatch::UnknownParam {
                spec,
                meant: Some(meant),
            } => (
                SignaturePart::ParamName(spec),
                SignaturePart::ParamName(meant),
            ),
            Mismatch::UnknownParam { spec, meant: None } => {
                (SignaturePart::ParamName(spec), SignaturePart::Params)
            }
            Mismatch::ParamType { spec, tool } => (
                SignaturePart::ParamType(spec),
                SignaturePart::ParamType(tool),
            ),
            Mismatch::ParamDetails { spec, tool } => match self.difference() {
                Some(Difference { inner, outer, .. }) => (
                    SignaturePart::ParamDetail(spec, inner),
                    SignaturePart::ParamDetail(tool, outer),
                ),
                None => (SignaturePart::Param(spec), SignaturePart::Param(tool)),
            },
            Mismatch::ParamOptional { spec, tool } => (
                SignaturePart::ParamDetail(spec, makes_optional(&self.spec.1.params()[spec])),
                SignaturePart::ParamDetail(tool, makes_optional(&self.tool.1.params()[tool])),
            ),
            Mismatch::ParamDescription { spec, tool } => {
                let trail = Trail::EMPTY.then(Keyword::Description.step());
                (
                    SignaturePart::ParamDetail(spec, trail),
                    SignaturePart::ParamDetail(tool, trail),
                )
            }
            Mismatch::ParamDefault { spec, tool } => {
                let trail = Trail::EMPTY.then(Keyword::Default.step());
                (
                    SignaturePart::ParamDetail(spec, trail),
                    SignaturePart::ParamDetail(tool, trail),
                )
            }
            // The agent has nothing in the place of a parameter that the function passes in addition.
            Mismatch::MissingParam { tool } if self.caller.is_function() => {
                let name = self.tool.1.params()[tool].name();
                match nearest_param(self.spec.1, self.tool.1, name) {
                    Some(meant) => (
                        SignaturePart::ParamName(meant),
                        SignaturePart::ParamName(tool),
                    ),
                    None => (SignaturePart::Nothing, SignaturePart::Param(tool)),
                }
            }
            Mismatch::MissingParam { tool } => (SignaturePart::Params, SignaturePart::Param(tool)),
            Mismatch::Returns => match self.difference() {
                Some(Difference { inner, outer, .. }) => (
                    SignaturePart::ReturnDetail(inner),
                    SignaturePart::ReturnDetail(outer),
                ),
                None if same_label(self.spec.1.returns().ty(), self.tool.1.returns().ty()) => {
                    let trail = Trail::EMPTY.then(Keyword::Optional.step());
                    (
                        SignaturePart::ReturnDetail(trail),
                        SignaturePart::ReturnDetail(trail),
                    )
                }
                None => (SignaturePart::ReturnType, SignaturePart::ReturnType),
            },
        }
    }
}

/// Returns a difference whose sides are the other way round.
const fn swapped(found: Option<Difference>) -> Option<Difference> {
    match found {
        Some(found) => Some(Difference {
            inner: found.outer,
            outer: found.inner,
            ..found
        }),
        None => None,
    }
}

/// Whether two results differ as a whole: in the label, or in being optional.
const fn is_whole(difference: &Difference) -> bool {
    matches!(
        difference.how,
        DifferenceKind::Label | DifferenceKind::Optional
    ) && difference.inner.steps().len() == 1
}

const fn same_label(left: &Type, right: &Type) -> bool {
    agent_types::__private::same_text(left.label(), right.label())
}

/// Writes the name of the missing parameter, and of the further required ones.
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

/// Returns the trail to the property that makes a parameter optional.
const fn makes_optional(param: &Param) -> Trail {
    match param.default() {
        Some(_) => Trail::EMPTY.then(Keyword::Default.step()),
        None => Trail::EMPTY.then(Keyword::Optional.step()),
    }
}

const fn write_return(writer: &mut Writer<'_>, ty: &Type) {
    writer.text(match ty.kind() {
        agent_types::Kind::Text => "String",
        _ => ty.label(),
    });
    if ty.is_optional() {
        writer.text(" {optional: true}");
    }
}

/// The two types, and what they are the type of: a parameter of this name, or the result.
struct Sides<'a> {
    root: Option<&'a str>,
    /// The type on the agent's side.
    ours: &'a Type,
    /// The type on the function's side.
    theirs: &'a Type,
    flow: Flow,
}

/// The way of a value between an agent and a function.
#[derive(Clone, Copy)]
enum Flow {
    /// A function takes it from an agent, as the tool of the agent.
    TakenByTool,
    /// A function returns it to an agent, as the tool of the agent.
    ReturnedByTool,
    /// A function passes it to an agent that it calls.
    PassedToAgent,
    /// A function gets it from an agent that it called.
    AnsweredByAgent,
}

impl Flow {
    /// Whether the function gives the value to the agent.
    const fn is_of_function(self) -> bool {
        matches!(self, Self::ReturnedByTool | Self::PassedToAgent)
    }

    const fn is_passed(self) -> bool {
        matches!(self, Self::PassedToAgent)
    }

    const fn is_answered(self) -> bool {
        matches!(self, Self::AnsweredByAgent)
    }

    const fn verb(self) -> &'static str {
        match self {
            Self::TakenByTool => "takes ",
            Self::ReturnedByTool | Self::AnsweredByAgent => "returns ",
            Self::PassedToAgent => "passes ",
        }
    }
}

/// Writes the part in which the types differ and the kind of difference. The `inner` side of the
/// difference is the agent's.
const fn write_details(writer: &mut Writer<'_>, sides: &Sides<'_>, difference: &Difference) {
    let flow = sides.flow;
    let returned = flow.is_of_function();
    let (ours, theirs) = (
        part_of(sides.ours, &difference.inner),
        part_of(sides.theirs, &difference.outer),
    );
    // A field that one side lacks is named by the side that has it.
    let by_function = match difference.how {
        DifferenceKind::Missing => !returned,
        DifferenceKind::Unknown | DifferenceKind::Misspelled => returned,
        _ => false,
    };
    let plural = if by_function {
        write_where(writer, sides.root, sides.theirs, &difference.outer)
    } else {
        write_where(writer, sides.root, sides.ours, &difference.inner)
    };
    match difference.how {
        DifferenceKind::Label => {
            let labels = (ours.ty.label(), theirs.ty.label());
            write_words(
                writer,
                plural,
                ("`", labels.0, "`"),
                ("`", labels.1, "`"),
                flow,
            );
        }
        DifferenceKind::Shape => {
            let shapes = (shape_in_words(ours.ty), shape_in_words(theirs.ty));
            write_words(writer, plural, ("", shapes.0, ""), ("", shapes.1, ""), flow);
        }
        DifferenceKind::Length => {
            writer.text(" has ");
            write_length(writer, ours.ty);
            writer.text(" in the agent, but ");
            write_length(writer, theirs.ty);
            writer.text(" in the function");
        }
        DifferenceKind::Alternative => {
            let (ty, side) = if returned {
                (
                    theirs.ty,
                    "` in the function, but the agent allows no such value",
                )
            } else {
                (
                    ours.ty,
                    "` in the agent, but the function takes no such value",
                )
            };
            writer.text(" can be `");
            writer.text(ty.label());
            writer.text(side);
        }
        DifferenceKind::Types => {
            writer.text(if plural { " have" } else { " has" });
            writer.text(" other types, or another order of them, in the function");
        }
        DifferenceKind::Unknown if flow.is_passed() => {
            writer.text(" is passed by the function, but unknown to the agent")
        }
        DifferenceKind::Unknown if returned => {
            writer.text(" is returned by the function, but unknown to the agent")
        }
        DifferenceKind::Unknown if flow.is_answered() => {
            writer.text(" is unknown to the function, whose type denies unknown fields")
        }
        DifferenceKind::Unknown => writer.text(" is unknown to the function"),
        DifferenceKind::Misspelled => {
            writer.text(
                " is returned by the function, and a result with it would be refused as a \
                         misspelling of `",
            );
            writer.text(match ours.field {
                Some(field) => field.name(),
                None => "",
            });
            writer.text("`, which the agent declares");
        }
        DifferenceKind::Missing if flow.is_passed() => {
            writer.text(" is not passed by the function, and the agent requires it")
        }
        DifferenceKind::Missing if returned => writer.text(" is not returned by the function"),
        DifferenceKind::Missing => {
            writer.text(" is missing in the agent, and the function requires it")
        }
        DifferenceKind::Optional => {
            let optional = match ours.field {
                Some(field) => field.is_optional(),
                None => ours.ty.is_optional(),
            };
            write_is(writer, plural);
            writer.text(match (optional, returned) {
                (true, false) if plural => "optional in the agent, but the function requires them",
                (true, false) => "optional in the agent, but the function requires it",
                (true, true) => "optional in the agent, but always there in the function",
                (false, _) if flow.is_passed() => {
                    "required in the agent, but optional in the function"
                }
                (false, false) => "required in the agent, but optional in the function",
                (false, true) => "always there in the agent, but optional in the function",
            });
        }
        DifferenceKind::Default => {
            write_defaults(writer, default_of(ours.field), default_of(theirs.field))
        }
        DifferenceKind::Range => {
            writer.text(if plural { " have" } else { " has" });
            write_range(writer, last_keyword(difference), &ours, theirs.ty);
        }
        DifferenceKind::Description => {
            write_is(writer, plural);
            writer.text("described differently in the function");
        }
        DifferenceKind::Keyword | DifferenceKind::NarrowerKeyword => {
            let keyword = last_keyword(difference);
            let key = keyword.name();
            let (wider, other) = if returned {
                (theirs.ty, ("function", "agent"))
            } else {
                (ours.ty, ("agent", "function"))
            };
            let is_certain = !may_be_implied(wider.constraints(), keyword)
                || (returned && is_decided_by_values(wider.constraints(), keyword));
            writer.text(if plural { " have" } else { " has" });
            if matches!(difference.how, DifferenceKind::Keyword)
                && wider.constraints().get(keyword).is_none()
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
                (DifferenceKind::NarrowerKeyword, _, _) => "",
                (_, false, _) => ": what is written is compared, keyword by keyword",
                (_, true, true) if flow.is_passed() => {
                    ", which may pass what the agent does not allow"
                }
                (_, true, true) => ", which may return what the agent does not allow",
                (_, true, false) => ": the agent allows values that the function does not take",
            });
        }
    }
}

/// Writes the number of a keyword that the Rust type of the function cannot hold, and what would be right.
const fn write_range(writer: &mut Writer<'_>, keyword: Keyword, ours: &Target<'_>, rust: &Type) {
    let constraints = ours.ty.constraints();
    match (constraints.get(keyword), rust.host_range()) {
        (Some(Constraint::Number(bound)), Some(range)) => {
            writer.text(" the `");
            writer.text(keyword.name());
            writer.text("` ");
            write_bound(writer, bound);
            write_held(writer, range);
        }
        (Some(Constraint::Values(values)), _) => {
            let mut at = 0;
            while at < values.len() {
                if let Some((value, range)) = first_beyond(&values[at], rust) {
                    writer.text(" the value ");
                    write_beyond(writer, value, range);
                    return;
                }
                at += 1;
            }
        }
        _ => {
            if let Some(default) = default_of(ours.field)
                && let Some((value, range)) = first_beyond(default, rust)
            {
                writer.text(" the default ");
                write_beyond(writer, value, range);
            }
        }
    }
}

/// Writes, for example, "`300` in the agent, but the Rust type of the function holds 0 to 255; …".
const fn write_beyond(writer: &mut Writer<'_>, value: &Value, range: &IntRange) {
    writer.byte(b'`');
    writer.value(value);
    writer.byte(b'`');
    write_held(writer, range);
}

const fn write_held(writer: &mut Writer<'_>, range: &IntRange) {
    writer.text(" in the agent, but the Rust type of the function holds ");
    writer.integer(range.0);
    writer.text(" to ");
    writer.integer(range.1);
    writer.text("; write a number in this range, or give the function a wider type");
}

const fn write_bound(writer: &mut Writer<'_>, bound: &Bound) {
    match bound {
        Bound::Int(value) => writer.integer(*value),
        Bound::Double(value) => writer.text(value.text()),
    }
}

/// The keyword that a difference is in.
const fn last_keyword(difference: &Difference) -> Keyword {
    match difference.inner.steps() {
        [.., last] => match Keyword::of_step(*last) {
            Some(keyword) => keyword,
            None => Keyword::Type,
        },
        [] => Keyword::Type,
    }
}

/// Whether other keywords may allow as little as this keyword, so that the message makes no statement
/// about values: a list of values may be within bounds, and a pattern or a format may imply a length.
const fn may_be_implied(by: &Constraints, keyword: Keyword) -> bool {
    if keyword.is(Keyword::Enum) {
        by.enumeration().is_empty() && !by.is_none()
    } else {
        !by.enumeration().is_empty() || by.pattern.is_some() || by.format.is_some()
    }
}

/// Whether the allowed values of a result were compared with a keyword, each of them.
const fn is_decided_by_values(by: &Constraints, keyword: Keyword) -> bool {
    !by.enumeration().is_empty() && !matches!(keyword, Keyword::Pattern | Keyword::Format)
}

/// Writes, for example, "is `Int` in the agent, but the function takes `Text`".
const fn write_words(
    writer: &mut Writer<'_>,
    plural: bool,
    ours: (&str, &str, &str),
    theirs: (&str, &str, &str),
    flow: Flow,
) {
    write_is(writer, plural);
    writer.text(ours.0);
    writer.text(ours.1);
    writer.text(ours.2);
    writer.text(" in the agent, but the function ");
    writer.text(flow.verb());
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

const fn shape_in_words(ty: &Type) -> &'static str {
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

/// Writes the number of elements of a tuple.
const fn write_length(writer: &mut Writer<'_>, ty: &Type) {
    if let Kind::Tuple(items) = ty.kind() {
        let count = types_of(items).len();
        writer.integer(count as i128);
        writer.text(if count == 1 { " element" } else { " elements" });
    }
}

/// The target of a trail: a type, the field whose type it is, and its role in the type around it.
struct Target<'a> {
    ty: &'a Type,
    field: Option<&'a Field>,
    role: Role,
}

/// The role of a type in the type around it.
#[derive(Clone, Copy)]
enum Role {
    /// The type around all others.
    Whole,
    /// The type of the elements of a list.
    Elements,
    /// The type of the values of an object.
    Values,
    /// The type of the field of an object.
    Field,
    /// The type of the element of a tuple at this place.
    Item(usize),
    /// One of the types of a union, which has no name of its own.
    Alternative,
}

const fn part_of<'a>(root: &'a Type, trail: &Trail) -> Target<'a> {
    let steps = trail.steps();
    let mut reached = Target {
        ty: root,
        field: None,
        role: Role::Whole,
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

/// Returns the target of one step inward, unless the step stays at the same type.
const fn step_into(ty: &Type, step: u16) -> Option<Target<'_>> {
    let place = step.saturating_sub(FIELD) as usize;
    match ty.kind() {
        Kind::Array(inner) if step == Keyword::ElementType.step() => Some(Target {
            ty: inner.get(),
            field: None,
            role: Role::Elements,
        }),
        Kind::Object(shape) if step == Keyword::ValueType.step() => match shape.values() {
            Some(values) => Some(Target {
                ty: values,
                field: None,
                role: Role::Values,
            }),
            None => None,
        },
        Kind::Object(shape) if step >= FIELD && place < shape.fields().len() => {
            let field = &shape.fields()[place];
            Some(Target {
                ty: field.ty(),
                field: Some(field),
                role: Role::Field,
            })
        }
        Kind::Tuple(items) if step >= FIELD && place < types_of(items).len() => Some(Target {
            ty: &types_of(items)[place],
            field: None,
            role: Role::Item(place),
        }),
        Kind::Union(types) if step >= FIELD && place < types_of(types).len() => Some(Target {
            ty: &types_of(types)[place],
            field: None,
            role: Role::Alternative,
        }),
        _ => None,
    }
}

/// Writes the name of a trail's target, such as "the field `user.address.zip`" or "the elements of
/// parameter `numbers`". Returns whether the name is a plural.
const fn write_where(
    writer: &mut Writer<'_>,
    root: Option<&str>,
    ty: &Type,
    trail: &Trail,
) -> bool {
    let steps = trail.steps();
    let (mut depth, mut last, mut last_at) = (0, Role::Whole, 0);
    let mut here = ty;
    let mut at = 0;
    while at < steps.len() {
        if let Some(next) = step_into(here, steps[at]) {
            here = next.ty;
            if !matches!(next.role, Role::Alternative) {
                depth += 1;
                (last, last_at) = (next.role, at);
            }
        }
        at += 1;
    }
    let (lead, is_named) = match last {
        Role::Whole | Role::Alternative => ("", false),
        Role::Elements => ("the elements of ", false),
        Role::Values => ("the values of ", false),
        Role::Field => ("the field ", true),
        Role::Item(_) => ("the element ", true),
    };
    writer.text(lead);
    // The type of elements is named by its owner.
    let end = if is_named { last_at + 1 } else { last_at };
    match root {
        Some(name) => {
            if depth == 0 || (depth == 1 && !is_named) {
                writer.text("parameter ");
            }
            writer.byte(b'`');
            writer.text(name);
            write_path(writer, ty, steps.split_at(end).0, false);
            writer.byte(b'`');
        }
        None if depth == 0 || (depth == 1 && !is_named) => writer.text("the result"),
        None => {
            writer.byte(b'`');
            write_path(writer, ty, steps.split_at(end).0, true);
            writer.text("` of the result");
        }
    }
    depth > 0 && !is_named
}

const fn write_path(writer: &mut Writer<'_>, root: &Type, steps: &[u16], is_first: bool) {
    let mut is_first = is_first;
    let mut ty = root;
    let mut at = 0;
    while at < steps.len() {
        if let Some(next) = step_into(ty, steps[at]) {
            match next.role {
                Role::Field => {
                    if !is_first {
                        writer.byte(b'.');
                    }
                    if let Some(field) = next.field {
                        writer.text(field.name());
                    }
                }
                Role::Item(place) => {
                    writer.byte(b'[');
                    writer.integer(place as i128);
                    writer.byte(b']');
                }
                Role::Elements => writer.text("[]"),
                Role::Values => writer.text(".*"),
                Role::Whole | Role::Alternative => {}
            }
            is_first &= matches!(next.role, Role::Alternative);
            ty = next.ty;
        }
        at += 1;
    }
}

/// The maximum number of columns of a printed signature or text. A longer one is cut around the marked
/// part.
const WIDTH: usize = 90;

/// Writes a signature, and under it a line that marks a part. `indent` is the column at which the
/// signature starts.
const fn write_marked(
    writer: &mut Writer<'_>,
    signature: &Signature,
    part: SignaturePart,
    indent: usize,
) {
    let mut measure = Writer::new(&mut []);
    let marked = write_signature(&mut measure, signature, part);
    let shown = Excerpt::new(measure.columns(), marked);
    shown.begin(writer);
    write_signature(writer, signature, SignaturePart::Nothing);
    shown.end(writer, indent);
}

/// Writes a text in quotes, and under it a line that marks from where it differs from another one.
const fn write_marked_text(writer: &mut Writer<'_>, text: &str, other: &str, indent: usize) {
    let mut measure = Writer::new(&mut []);
    measure.quoted(text, b'"');
    let all = measure.columns();
    let (before, after) = common(text, other);
    let mut measure = Writer::new(&mut []);
    measure.quoted(before, b'"');
    // Without the quote that ends it.
    let start = measure.columns() - 1;
    let mut measure = Writer::new(&mut []);
    measure.quoted(after, b'"');
    let end = all + 1 - measure.columns();
    // A missing part has no text to mark, so its position is marked.
    let end = if end > start { end } else { start + 1 };
    let shown = Excerpt::new(all, (start, end));
    shown.begin(writer);
    writer.quoted(text, b'"');
    shown.end(writer, indent);
}

/// The whole words that two texts have in common at the start and at the end.
const fn common<'t>(text: &'t str, other: &str) -> (&'t str, &'t str) {
    let (ours, theirs) = (text.as_bytes(), other.as_bytes());
    let least = if ours.len() < theirs.len() {
        ours.len()
    } else {
        theirs.len()
    };
    let mut before = 0;
    let mut at = 0;
    while at < least && ours[at] == theirs[at] {
        at += 1;
        if ours[at - 1] == b' ' {
            before = at;
        }
    }
    if at == ours.len() {
        before = at;
    }
    let mut after = 0;
    let mut back = 0;
    while back < least - before && ours[ours.len() - 1 - back] == theirs[theirs.len() - 1 - back] {
        back += 1;
        if ours[ours.len() - back] == b' ' {
            after = back;
        }
    }
    (text.split_at(before).0, text.split_at(ours.len() - after).1)
}

/// The printed range of a line, and the marked part, in columns from the start of the line.
struct Excerpt {
    all: usize,
    from: usize,
    to: usize,
    marked: (usize, usize),
}

impl Excerpt {
    /// All of a line that is not too long, else what is around the mark.
    const fn new(all: usize, marked: (usize, usize)) -> Self {
        if all <= WIDTH {
            return Self {
                all,
                from: 0,
                to: all,
                marked,
            };
        }
        let long = if marked.1 - marked.0 > WIDTH {
            WIDTH
        } else {
            marked.1 - marked.0
        };
        // As much before the mark as after it.
        let from = marked.0.saturating_sub((WIDTH - long) / 2);
        let from = if from + WIDTH > all {
            all - WIDTH
        } else {
            from
        };
        let to = from + WIDTH;
        let end = if marked.1 > to { to } else { marked.1 };
        Self {
            all,
            from,
            to,
            marked: (marked.0, end),
        }
    }

    const fn begin(&self, writer: &mut Writer<'_>) {
        if self.from > 0 {
            writer.text("…");
        }
        let start = writer.columns();
        writer.show_only(Some((start + self.from, start + self.to)));
    }

    const fn end(&self, writer: &mut Writer<'_>, indent: usize) {
        writer.show_only(None);
        if self.to < self.all {
            writer.text("…");
        }
        let (start, end) = self.marked;
        if end > start {
            let cut = if self.from > 0 { 1 } else { 0 };
            writer.line(indent + cut + start - self.from);
            let mut left = end - start;
            while left > 0 {
                writer.byte(b'^');
                left -= 1;
            }
        }
    }
}

#[cfg(test)]
mod common_words {
    use super::common;

    #[test]
    fn finds_the_words_common_to_start_and_end() {
        for (text, other, before, after) in [
            ("one two three", "one 2 three", "one ", " three"),
            (
                "one two three four",
                "one 2 three four",
                "one ",
                " three four",
            ),
            ("one two", "one two three", "one two", ""),
            ("two three", "one two three", "", " three"),
            ("one", "two", "", ""),
            ("same end", "sane end", "", " end"),
            ("a b a", "a b b a", "a b ", ""),
            ("", "one", "", ""),
        ] {
            assert_eq!(
                common(text, other),
                (before, after),
                "{text:?} and {other:?}"
            );
        }
    }
}
