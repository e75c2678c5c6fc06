//! Hover: the documentation of the name, key, label or value at an offset, in Markdown.

use super::analysis::Analysis;
use super::cursor_context::{CursorContext, cursor_context, project_context, touches};
use super::markdown::{code_block, code_span, escape};
use super::occurrences::{Occurrence, Role, occurrence_at};
use super::type_words::{text_span, word_at};
use super::vocabulary::{
    KeyDoc, catalog_word_markdown, label_markdown, provider_markdown, style_markdown, word_markdown,
};
use agent_gram::Span;
use agent_gram::syntax::{Value, ValueKind};
use agent_spec::audit::audit;
use agent_spec::check::outline::{ElementOutline, Mention, ToolOutline};
use agent_spec::check::{Options, Outline, ToolNode, check};
use agent_spec::duration::duration_text;
use agent_spec::effects::audit::AgentAudit;
use agent_spec::effects::bounds::{MissingSetting, count_text};
use agent_spec::vocabulary::RecordKind;
use agent_spec::{Field, Kind, Model, Schema, Shape, ToolSpec, Type};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// The documentation of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hover {
    /// The span of the part.
    pub(crate) span: Span,
    /// The documentation, in Markdown.
    pub(crate) markdown: String,
}

/// Returns the documentation of the part at an offset.
///
/// `known` are the tools that a document may name without defining them, and `origin` returns where such
/// a tool is from.
pub(crate) fn hover(
    source: &str,
    analysis: &Analysis,
    offset: usize,
    known: &[ToolSpec],
    origin: &dyn Fn(&str) -> String,
) -> Option<Hover> {
    hover_name(source, analysis, offset, known, origin).or_else(|| hover_syntax(source, offset))
}

/// Returns the documentation of the part of a project file at an offset.
pub(crate) fn hover_project(source: &str, offset: usize) -> Option<Hover> {
    let parsed = agent_gram::parse(source);
    hover_context(source, offset, project_context(&parsed.document, offset)?)
}

/// Returns the documentation of the name of a tool, an agent or a parameter.
fn hover_name(
    source: &str,
    analysis: &Analysis,
    offset: usize,
    known: &[ToolSpec],
    origin: &dyn Fn(&str) -> String,
) -> Option<Hover> {
    let outline = analysis.outline();
    if let Some(occurrence) = occurrence_at(outline, offset) {
        let markdown = match own_agent(outline, occurrence) {
            Some(mention) => agent_markdown(analysis, mention),
            None => tool_name_markdown(source, outline, occurrence, known, origin)?,
        };
        let span = occurrence.span;
        return Some(Hover { span, markdown });
    }
    hover_parameter(source, outline, offset).or_else(|| hover_agent_parameter(analysis, offset))
}

/// Returns the documentation of a key, a label or a value.
fn hover_syntax(source: &str, offset: usize) -> Option<Hover> {
    let parsed = agent_gram::parse(source);
    hover_context(source, offset, cursor_context(&parsed.document, offset)?)
}

fn hover_context(source: &str, offset: usize, context: CursorContext<'_>) -> Option<Hover> {
    match context {
        CursorContext::Key { record, name, .. } => Some(Hover {
            span: name.span(),
            markdown: KeyDoc::find(record.kind, name.text())?.markdown(),
        }),
        CursorContext::Label { name, .. } => Some(Hover {
            span: name.span(),
            markdown: label_markdown(name.text())?,
        }),
        CursorContext::Type { value } => hover_type(source, value, offset),
        CursorContext::Value { record, key, value } => hover_value(record.kind, key, value),
        CursorContext::Field {
            name,
            field,
            is_list_item,
        } => Some(Hover {
            span: name,
            markdown: field_text_markdown(field.text(source), is_list_item)?,
        }),
        CursorContext::Element { .. } => None,
    }
}

/// Returns the documentation of the word at an offset in a type, and of the whole type if it is more than
/// this word.
fn hover_type(source: &str, value: Value<'_>, offset: usize) -> Option<Hover> {
    if let ValueKind::Map(_) = value.kind() {
        return hover_type_record(source, value);
    }
    let expression_span = text_span(source, value)?;
    let expression = expression_span.text(source);
    let word = word_at(source, expression_span, offset);
    let word = word.and_then(|span| Some((span, word_markdown(span.text(source))?)));
    let is_single_word = word
        .as_ref()
        .is_some_and(|(span, _)| *span == expression_span);
    let (span, mut markdown) = word.unwrap_or((value.span(), String::new()));
    if !is_single_word {
        let schema = Type::from_expression(expression).ok()?.schema();
        let _ = write!(
            markdown,
            "\n{} as JSON Schema:\n\n{}",
            code_span(expression),
            code_block("json", &schema.to_string())
        );
    }
    Some(Hover { span, markdown })
}

/// Returns the JSON Schema of a type that is a record, `{type: …, …}`.
fn hover_type_record(source: &str, value: Value<'_>) -> Option<Hover> {
    let entry = format!("it: {}", value.span().text(source));
    let field = field_of_text(&entry, false)?;
    let schema = schema_markdown(&field.ty().schema());
    Some(Hover {
        span: value.span(),
        markdown: format!("The type as JSON Schema:\n\n{schema}"),
    })
}

fn hover_value(kind: RecordKind, key: &str, value: Value<'_>) -> Option<Hover> {
    let ValueKind::String { text, .. } = value.kind() else {
        return None;
    };
    let markdown = match (kind, key) {
        (RecordKind::Agent, "model" | "fallback") => {
            let model = Model::parse(text).ok()?;
            let (id, provider) = (code_span(model.id()), code_span(model.provider()));
            let documentation = provider_documentation(model.provider());
            format!("**{id}** of {provider}\n\n{documentation}\n")
        }
        (RecordKind::Project, "style") => style_markdown(text.parse().ok()?)?,
        (RecordKind::Project, "providers") => {
            format!(
                "**{}**\n\n{}\n",
                code_span(text),
                provider_documentation(text)
            )
        }
        _ => catalog_word_markdown(kind, key, text)?,
    };
    Some(Hover {
        span: value.span(),
        markdown,
    })
}

fn provider_documentation(provider: &str) -> String {
    provider_markdown(provider).unwrap_or_else(|| {
        "A provider that whoever runs the agent must know, with `--provider`.".to_owned()
    })
}

fn tool_name_markdown(
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
            code_span(name)
        ));
    }
    let spec = known.iter().find(|spec| spec.name() == name)?;
    Some(tool_markdown(spec, Some(&origin(name))))
}

/// Returns the tool of the document that an occurrence means, if a definition has no errors. If the
/// occurrence is part of a definition, the tool is that of this definition.
fn own_tool(source: &str, outline: &Outline, occurrence: Occurrence<'_>) -> Option<Arc<ToolNode>> {
    let definitions = outline.definitions(occurrence.name);
    let mut meant = definitions.filter(|tool| is_meant(occurrence, tool.name.as_ref(), tool.whole));
    meant.find_map(|tool| check_alone(source, tool))
}

/// Returns the name of the agent that an occurrence means in its document.
fn own_agent<'a>(outline: &'a Outline, occurrence: Occurrence<'_>) -> Option<&'a Mention> {
    let mut agents = outline.agents_named(occurrence.name);
    let meant = agents.find(|agent| is_meant(occurrence, agent.name.as_ref(), agent.whole));
    meant?.name.as_ref()
}

/// Whether an occurrence means a declaration of its name, which has this name and this span.
fn is_meant(occurrence: Occurrence<'_>, name: Option<&Mention>, whole: Span) -> bool {
    match occurrence.role {
        Role::Definition => name.is_some_and(|name| name.span == occurrence.span),
        Role::NameProperty => touches(whole, occurrence.span.start),
        Role::Reference | Role::ToolChoice => true,
    }
}

/// Checks the text of one tool and returns the tool if it has no errors. Spans in the result count from
/// the beginning of the tool.
///
/// The rest of the document is not checked, because it does not change the tool and may be long.
fn check_alone(source: &str, tool: &ToolOutline) -> Option<Arc<ToolNode>> {
    let checked = check(tool.whole.text(source), Options::default());
    checked.tools.into_iter().next()
}

/// Returns name, description, signature and schemas of a tool.
fn tool_markdown(spec: &ToolSpec, origin: Option<&str>) -> String {
    let mut out = format!("**{}**", code_span(spec.name()));
    if let Some(origin) = origin {
        let _ = write!(out, " ({origin})");
    }
    let signature = spec.signature();
    let _ = write!(
        out,
        "\n\n{}\n\n{}",
        escape(spec.description()),
        code_block("gram", &signature.to_string())
    );
    out.push_str(&calls_markdown(spec.timeout(), spec.requires_approval()));
    let effects = spec.effects().sentence();
    if !effects.is_empty() {
        let _ = writeln!(out, "\n{effects}");
    }
    let _ = write!(
        out,
        "\nParameters:\n\n{}",
        schema_markdown(&signature.schema())
    );
    // The signature shows a result that has only a label. The label of media has a hover of its own.
    let result = signature.return_schema();
    let is_media = matches!(signature.returns().ty().kind(), Kind::Media(_));
    if result.members().len() > 1 && !is_media {
        let _ = write!(out, "\nResult:\n\n{}", schema_markdown(&result));
    }
    out
}

/// Returns the rules for calls of a tool or an agent; empty if there are no rules.
fn calls_markdown(timeout: Option<Duration>, requires_approval: bool) -> String {
    let mut out = String::new();
    if let Some(timeout) = timeout {
        let _ = write!(out, "\nA call may take {}.\n", duration_text(timeout));
    }
    if requires_approval {
        out.push_str("\nA person must approve each call.\n");
    }
    out
}

fn schema_markdown(schema: &Schema) -> String {
    let text = serde_json::to_string_pretty(schema).unwrap_or_else(|_| schema.to_string());
    code_block("json", &text)
}

fn agent_markdown(analysis: &Analysis, mention: &Mention) -> String {
    let mut out = format!("**{}**", code_span(&mention.name));
    let agents = &analysis.checked().agents;
    if let Some(node) = agents.iter().find(|node| node.name == mention.span) {
        let agent = &node.agent;
        let _ = writeln!(out, " on {}", code_span(&agent.model().to_string()));
        if let Some(description) = agent.description() {
            let _ = write!(out, "\n{}\n", escape(description));
        }
        if agent.has_own_signature() {
            let signature = agent.signature().to_string();
            let _ = write!(out, "\n{}", code_block("gram", &signature));
        }
        out.push_str(&calls_markdown(agent.timeout(), agent.requires_approval()));
        if !agent.tools().is_empty() {
            out.push_str("\nTools:\n\n");
        }
        for tool in agent.tools() {
            let _ = writeln!(
                out,
                "- {}: {}",
                code_span(tool.name()),
                first_line(tool.description())
            );
        }
        let mut audits = audit(agents, None).into_iter().zip(agents);
        if let Some((found, _)) = audits.find(|(_, other)| other.name == node.name) {
            out.push_str(&audit_markdown(&found));
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
            ElementOutline::Agent(at) => outline.agents.get(*at)?.name.as_ref(),
            ElementOutline::Reference(mention) => Some(mention),
            _ => None,
        })
        .map(|mention| code_span(&mention.name))
        .collect();
    if !tools.is_empty() {
        let _ = write!(out, "\nTools: {}\n", tools.join(", "));
    }
    out
}

/// Returns the audit of an agent in a few lines.
fn audit_markdown(audit: &AgentAudit) -> String {
    let names =
        |names: &[String]| -> Vec<String> { names.iter().map(|name| code_span(name)).collect() };
    let (requests, calls) = (
        count_text(audit.bound.requests),
        count_text(audit.bound.calls),
    );
    let mut lines = vec![match audit.bound.missing {
        None => format!("A message causes at most {requests} requests and {calls} calls."),
        Some(missing) => {
            let setting = match missing {
                MissingSetting::Iterations(_) => "maxIterations",
                MissingSetting::Depth(_) => "maxDepth",
            };
            format!(
                "A message is not bounded without `{setting}` of this agent or of one that it calls; with the default, it \
                 causes at most {requests} requests and {calls} calls."
            )
        }
    }];
    if let Some(found) = &audit.leak {
        let state = match found.leak.is_open() {
            true => "**Leak**".to_owned(),
            false => format!(
                "Leak that `whenTainted: \"{}\"` closes",
                audit.when_tainted.as_str()
            ),
        };
        lines.push(format!(
            "{state}: private data by {} and words of strangers by {} meet {}, which sends.",
            names(&found.private).join(" → "),
            names(&found.words).join(" → "),
            code_span(&found.way_out)
        ));
    }
    let destructive: Vec<String> = audit
        .destructive
        .iter()
        .map(|(tool, _)| tool.clone())
        .collect();
    for (tools, text) in [
        (
            destructive,
            "can be destructive, and nobody must approve that.",
        ),
        (
            audit.unknown.clone(),
            "without labels, so that all effects count.",
        ),
    ] {
        if !tools.is_empty() {
            lines.push(format!("{}: {text}", names(&tools).join(", ")));
        }
    }
    lines.iter().map(|line| format!("\n{line}\n")).collect()
}

/// Returns the documentation of a parameter at its name.
fn hover_parameter(source: &str, outline: &Outline, offset: usize) -> Option<Hover> {
    let has_parameter = |tool: &&ToolOutline| {
        let mut params = tool.params.iter();
        params.any(|param| touches(param.whole, offset))
    };
    let tool = outline.tools.iter().find(has_parameter)?;
    let node = check_alone(source, tool)?;
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

/// Returns the hover at the name of a parameter of an agent.
fn hover_agent_parameter(analysis: &Analysis, offset: usize) -> Option<Hover> {
    let nodes = analysis.checked().agents.iter();
    let mut params = nodes.flat_map(|node| {
        let places = node.signature.iter().flat_map(|places| &places.params);
        node.agent.signature().params().iter().zip(places)
    });
    let (param, places) =
        params.find(|(_, places)| places.name != places.whole && touches(places.name, offset))?;
    Some(Hover {
        span: places.name,
        markdown: field_markdown(param),
    })
}

fn field_text_markdown(text: &str, is_list_item: bool) -> Option<String> {
    field_of_text(text, is_list_item)
        .as_ref()
        .map(field_markdown)
}

/// Returns a field from its text: a map in a list of fields if `is_list_item`, or else an entry of a map
/// from name to type.
///
/// The field is checked in a tool of its own, so that errors in other parts of the document do not matter.
fn field_of_text(text: &str, is_list_item: bool) -> Option<Field> {
    let fields = if is_list_item {
        format!("[{text}]")
    } else {
        format!("{{{text}}}")
    };
    let tool = format!(
        "[tool:Tool {{description: \"d\"}} | (record::Object {{fields: {fields}}})==>(::Null)]"
    );
    let checked = check(&tool, Options::default());
    let param = checked.tools.first()?.spec.signature().params().first()?;
    let Kind::Object(Shape::Fields(fields)) = param.ty().kind() else {
        return None;
    };
    fields.first().cloned()
}

/// Returns name, type, description and schema of a parameter or a field.
fn field_markdown(field: &Field) -> String {
    let mut out = format!("**{}**: `{}`", code_span(field.name()), field.ty().label());
    if field.is_optional() {
        out.push_str(", may be left out");
    }
    out.push('\n');
    if let Some(description) = field.description() {
        let _ = write!(out, "\n{}\n", escape(description));
    }
    let _ = write!(out, "\n{}", schema_markdown(&field.ty().schema()));
    out
}

fn first_line(text: &str) -> String {
    escape(text.trim().lines().next().unwrap_or_default())
}
