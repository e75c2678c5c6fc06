//! What is said of what documents declare: tools, agents, parameters.

use super::Hover;
use crate::language::analysis::Analysis;
use crate::language::cursor_context::touches;
use crate::language::markdown::{block, code, plain};
use crate::language::occurrences::{Occurrence, Role};
use agent_gram::Span;
use agent_spec::check::outline::{ElementOutline, Mention, ToolOutline};
use agent_spec::check::{Options, Outline, ToolNode, check};
use agent_spec::duration::duration_text;
use agent_spec::{Field, Kind, Schema, Shape, ToolSpec};
use std::fmt::Write as _;
use std::sync::Arc;

/// What is said of a tool where it is named.
pub(super) fn of_tool(
    source: &str,
    outline: &Outline,
    occurrence: Occurrence<'_>,
    known: &[ToolSpec],
    origin: &dyn Fn(&str) -> String,
) -> Option<String> {
    let name = occurrence.name;
    if let Some(node) = own_tool(source, outline, occurrence) {
        return Some(tool_markdown(&node.spec, None));
    }
    if outline.definitions(name).next().is_some() {
        return Some(format!(
            "**{}**\n\nIts definition has errors; more is said here when they are gone.\n",
            code(name)
        ));
    }
    let spec = known.iter().find(|spec| spec.name() == name)?;
    Some(tool_markdown(spec, Some(&origin(name))))
}

/// The tool of the document that is meant: where it is defined, this definition.
fn own_tool(source: &str, outline: &Outline, occurrence: Occurrence<'_>) -> Option<Arc<ToolNode>> {
    let is_meant = |tool: &&ToolOutline| match occurrence.role {
        Role::Definition => {
            let name = tool.name.as_ref();
            name.is_some_and(|name| name.span == occurrence.span)
        }
        Role::Property => touches(tool.whole, occurrence.span.start),
        Role::Reference | Role::Choice => true,
    };
    let mut meant = outline.definitions(occurrence.name).filter(is_meant);
    meant.find_map(|tool| checked_alone(source, tool))
}

/// A tool, if it is free of errors. Its places count from its beginning: only its own text is checked,
/// since nothing else changes what it is, and a document may be long.
fn checked_alone(source: &str, tool: &ToolOutline) -> Option<Arc<ToolNode>> {
    let checked = check(tool.whole.text(source), Options::default());
    checked.tools.into_iter().next()
}

/// A tool: name, description, signature, schemas.
fn tool_markdown(spec: &ToolSpec, origin: Option<&str>) -> String {
    let mut out = format!("**{}**", code(spec.name()));
    if let Some(origin) = origin {
        let _ = write!(out, " ({origin})");
    }
    let signature = spec.signature();
    let _ = write!(
        out,
        "\n\n{}\n\n{}",
        plain(spec.description()),
        block("gram", &signature.to_string())
    );
    if let Some(timeout) = spec.timeout() {
        let _ = write!(out, "\nA call may take {}.\n", duration_text(timeout));
    }
    if spec.requires_approval() {
        out.push_str("\nA person must approve each call.\n");
    }
    let _ = write!(out, "\nParameters:\n\n{}", json(&signature.schema()));
    // A label alone is said by the signature.
    let result = signature.return_schema();
    if result.members().len() > 1 {
        let _ = write!(out, "\nResult:\n\n{}", json(&result));
    }
    out
}

fn json(schema: &Schema) -> String {
    let text = serde_json::to_string_pretty(schema).unwrap_or_else(|_| schema.to_string());
    block("json", &text)
}

/// What is said of an agent at its name.
pub(super) fn of_agent(analysis: &Analysis, mention: &Mention) -> String {
    let mut out = format!("**{}**", code(&mention.name));
    let agents = &analysis.checked().agents;
    if let Some(node) = agents.iter().find(|node| node.name == mention.span) {
        let agent = &node.agent;
        let _ = writeln!(out, " on {}", code(&agent.model().to_string()));
        if let Some(description) = agent.description() {
            let _ = write!(out, "\n{}\n", plain(description));
        }
        if !agent.tools().is_empty() {
            out.push_str("\nTools:\n\n");
        }
        for tool in agent.tools() {
            let _ = writeln!(
                out,
                "- {}: {}",
                code(tool.name()),
                first_line(tool.description())
            );
        }
        return out;
    }
    out.push_str("\n\nThe agent has errors; more is said here when they are gone.\n");
    let outline = analysis.outline();
    let mut agents = outline.agents.iter();
    let elements = agents
        .find(|agent| agent.name.as_ref() == Some(mention))
        .map_or(&[][..], |agent| &agent.elements);
    let tools: Vec<String> = elements
        .iter()
        .filter_map(|element| match element {
            ElementOutline::Tool(at) => outline.tools.get(*at)?.name.as_ref(),
            ElementOutline::Reference(mention) => Some(mention),
            _ => None,
        })
        .map(|mention| code(&mention.name))
        .collect();
    if !tools.is_empty() {
        let _ = write!(out, "\nTools: {}\n", tools.join(", "));
    }
    out
}

/// What is said of a parameter at its name.
pub(super) fn of_parameter(source: &str, outline: &Outline, offset: usize) -> Option<Hover> {
    let has_parameter = |tool: &&ToolOutline| {
        let mut params = tool.params.iter();
        params.any(|param| touches(param.whole, offset))
    };
    let tool = outline.tools.iter().find(has_parameter)?;
    let node = checked_alone(source, tool)?;
    let start = tool.whole.start;
    let offset = offset - start;
    let params = node.spec.signature().params().iter();
    let mut params = params.zip(&node.places.signature.params);
    let (param, places) = params.find(|(_, places)| {
        let is_named = places.name != places.whole;
        is_named && touches(places.name, offset)
    })?;
    Some(Hover {
        span: Span::new(start + places.name.start, start + places.name.end),
        markdown: field_markdown(param),
    })
}

/// What is said of a field at its name: of a map in a list of fields, else of an entry from name to
/// type. It is checked in a tool of its own, so that errors elsewhere do not matter.
pub(super) fn of_field(written: &str, listed: bool) -> Option<String> {
    let fields = if listed {
        format!("[{written}]")
    } else {
        format!("{{{written}}}")
    };
    let tool = format!(
        "[tool:Tool {{description: \"d\"}} | (record::Object {{fields: {fields}}})==>(::Null)]"
    );
    let checked = check(&tool, Options::default());
    let param = checked.tools.first()?.spec.signature().params().first()?;
    let Kind::Object(Shape::Fields(fields)) = param.ty().kind() else {
        return None;
    };
    fields.first().map(field_markdown)
}

/// A parameter or a field: name, type, description, schema.
fn field_markdown(field: &Field) -> String {
    let mut out = format!("**{}**: `{}`", code(field.name()), field.ty().label());
    if field.is_optional() {
        out.push_str(", may be left out");
    }
    out.push('\n');
    if let Some(description) = field.description() {
        let _ = write!(out, "\n{}\n", plain(description));
    }
    let _ = write!(out, "\n{}", json(&field.ty().schema()));
    out
}

fn first_line(text: &str) -> String {
    plain(text.trim().lines().next().unwrap_or_default())
}
