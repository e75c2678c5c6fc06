//! What is said of what stands at an offset, in Markdown.

mod declared;

use super::analysis::Analysis;
use super::cursor_context::{Site, site, touches};
use super::keys::{self, Key};
use super::markdown::{block, code};
use super::providers::provider;
use super::{occurrences as names, type_words as types};
use agent_gram::Span;
use agent_gram::syntax::{Name, Value, ValueKind};
use agent_spec::check::Place;
use agent_spec::{Model, ToolSpec, Type};
use std::fmt::Write as _;

/// What is said of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hover {
    /// What it is said of.
    pub(crate) span: Span,
    /// What is said, in Markdown.
    pub(crate) markdown: String,
}

/// What is said of what stands at an offset. `known` are the tools that a document may name without
/// defining them, and `origin` says where such a tool comes from.
pub(crate) fn hover(
    source: &str,
    analysis: &Analysis,
    offset: usize,
    known: &[ToolSpec],
    origin: &dyn Fn(&str) -> String,
) -> Option<Hover> {
    of_name(source, analysis, offset, known, origin).or_else(|| of_part(source, offset))
}

/// Of the name of a tool, an agent or a parameter.
fn of_name(
    source: &str,
    analysis: &Analysis,
    offset: usize,
    known: &[ToolSpec],
    origin: &dyn Fn(&str) -> String,
) -> Option<Hover> {
    let outline = analysis.outline();
    if let Some(occurrence) = names::at(outline, offset) {
        let markdown = declared::of_tool(source, outline, occurrence, known, origin)?;
        let span = occurrence.span;
        return Some(Hover { span, markdown });
    }
    let agents = outline.agents.iter();
    let mut agent_names = agents.filter_map(|agent| agent.name.as_ref());
    if let Some(mention) = agent_names.find(|mention| touches(mention.span, offset)) {
        let markdown = declared::of_agent(analysis, mention);
        let span = mention.span;
        return Some(Hover { span, markdown });
    }
    declared::of_parameter(source, outline, offset)
}

/// Of a key, a label or a value.
fn of_part(source: &str, offset: usize) -> Option<Hover> {
    let parsed = agent_gram::parse(source);
    match site(&parsed.document, offset)? {
        Site::Key { of, name, .. } => of_key(of.place, name),
        Site::Label { name, .. } => Some(Hover {
            span: name.span(),
            markdown: of_label(name.text())?,
        }),
        Site::Type { value } => of_type(source, value, offset),
        Site::Value { of, key, value } => of_value(of.place, key, value),
        Site::Field {
            name,
            whole,
            listed,
        } => Some(Hover {
            span: name,
            markdown: declared::of_field(whole.text(source), listed)?,
        }),
        Site::Element { .. } => None,
    }
}

fn of_key(place: Place, name: Name<'_>) -> Option<Hover> {
    Some(Hover {
        span: name.span(),
        markdown: key_markdown(keys::key(place, name.text())?),
    })
}

/// What a key means, with its type and an example.
pub(super) fn key_markdown(key: &Key) -> String {
    format!(
        "**`{}`**: {}\n\n{}\n\n```gram\n{}\n```\n",
        key.name, key.value, key.meaning, key.example
    )
}

fn of_label(label: &str) -> Option<String> {
    match label {
        "Agent" => Some(
            "**`Agent`**\n\nAn agent: which model, told what, with which tools. Its elements, after \
             the `|`, are tools or names of tools.\n\n```gram\n[hello:Agent {instruction: \"Greet the \
             user.\", model: \"OpenAI/gpt-4o-mini\"} | sayHello]\n```\n"
                .to_owned(),
        ),
        "Tool" | "ToolSpecification" => Some(format!(
            "**`{label}`**\n\nA tool: its name, what it does, and its signature: parameters, then the \
             result. `Tool` and `ToolSpecification` mean the same.\n\n```gram\n[sayHello:Tool \
             {{description: \"Says hello\"}} | (personName::Text)==>(::String)]\n```\n"
        )),
        label => word_markdown(label),
    }
}

/// What a word of types means; of a label with its schema.
pub(super) fn word_markdown(word: &str) -> Option<String> {
    let meaning = types::meaning(word)?.meaning;
    let mut markdown = format!("**`{word}`**\n\n{meaning}\n");
    if let Some(schema) = types::schema_of_label(word) {
        let _ = write!(markdown, "\n```json\n{schema}\n```\n");
    }
    Some(markdown)
}

fn of_type(source: &str, value: Value<'_>, offset: usize) -> Option<Hover> {
    let text_span = types::text_span(source, value)?;
    let expression = text_span.text(source);
    let word = types::word_at(source, text_span, offset);
    let meaning = word.and_then(|span| Some((span, word_markdown(span.text(source))?)));
    let is_word = meaning.as_ref().is_some_and(|(span, _)| *span == text_span);
    let (span, mut markdown) = meaning.unwrap_or((value.span(), String::new()));
    // Of a word alone the schema was shown.
    if !is_word {
        let schema = Type::from_expression(expression).ok()?.schema();
        let _ = write!(
            markdown,
            "\n{} as JSON Schema:\n\n{}",
            code(expression),
            block("json", &schema.to_string())
        );
    }
    Some(Hover { span, markdown })
}

fn of_value(place: Place, key: &str, value: Value<'_>) -> Option<Hover> {
    let ValueKind::String { text, .. } = value.kind() else {
        return None;
    };
    let is_model = place == Place::Agent && matches!(key, "model" | "fallback");
    let model = Model::parse(text).ok().filter(|_| is_model)?;
    let meaning = match provider(model.provider()) {
        Some(provider) => provider.meaning,
        None => "A provider that whoever runs the agent must know, with `--provider`.",
    };
    Some(Hover {
        span: value.span(),
        markdown: format!(
            "**{}** of {}\n\n{meaning}\n",
            code(model.id()),
            code(model.provider())
        ),
    })
}
