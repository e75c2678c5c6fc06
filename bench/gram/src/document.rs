//! The agents as texts: gram that every reader of the notation takes, and JSON as people write it.

use crate::data::{Agent, Detail, Param, Tool};
use std::fmt::Write;

/// Appends an agent as gram, with single colons and without anything wider than the official
/// grammar.
pub(crate) fn write_gram(out: &mut String, agent: &Agent) {
    push(
        out,
        format_args!(
            "[{}:Agent {{\n  description: \"{}\",\n  instruction: \"{}\",\n  model: \"{}\",\n  \
             temperature: 0.{}\n}} |\n",
            agent.name, agent.description, agent.instruction, agent.model, agent.temperature,
        ),
    );
    for (index, tool) in agent.tools.iter().enumerate() {
        out.push_str(if index == 0 { "  " } else { ",\n  " });
        tool_as_gram(out, tool);
    }
    out.push_str("\n]\n");
}

fn tool_as_gram(out: &mut String, tool: &Tool) {
    push(
        out,
        format_args!(
            "[{}:Tool {{description: \"{}\"}} |\n    ",
            tool.name, tool.description
        ),
    );
    for param in &tool.params {
        param_as_gram(out, param);
        out.push_str("==>");
    }
    push(out, format_args!("(:{})\n  ]", tool.returns));
}

/// `(name:Label {detail, default: …, description: "…"})`
fn param_as_gram(out: &mut String, param: &Param) {
    push(out, format_args!("({}:{}", param.name, param.label));
    let mut separator = " {";
    let mut item = |out: &mut String, text: std::fmt::Arguments<'_>| {
        out.push_str(separator);
        separator = ", ";
        push(out, text);
    };
    match param.detail {
        Detail::Nothing => {}
        Detail::Fields(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, ty)| format!("{name}: \"{ty}\""))
                .collect();
            item(out, format_args!("fields: {{{}}}", fields.join(", ")));
        }
        Detail::ElementType(ty) => item(out, format_args!("elementType: \"{ty}\"")),
        Detail::OneOf(texts) => item(out, format_args!("enum: [{}]", texts.join(", "))),
    }
    if let Some(default) = param.default {
        item(out, format_args!("default: {default}"));
    }
    if let Some(description) = param.description {
        item(out, format_args!("description: \"{description}\""));
    }
    out.push_str(if separator == " {" { ")" } else { "})" });
}

/// Appends an agent as one JSON object, without white space.
pub(crate) fn write_json(out: &mut String, agent: &Agent) {
    push(
        out,
        format_args!(
            "{{\"name\":\"{}\",\"description\":\"{}\",\"instruction\":\"{}\",\"model\":\"{}\",\
             \"temperature\":0.{},\"tools\":[",
            agent.name, agent.description, agent.instruction, agent.model, agent.temperature,
        ),
    );
    for (index, tool) in agent.tools.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        tool_as_json(out, tool);
    }
    out.push_str("]}");
}

fn tool_as_json(out: &mut String, tool: &Tool) {
    push(
        out,
        format_args!(
            "{{\"name\":\"{}\",\"description\":\"{}\",\"parameters\":[",
            tool.name, tool.description
        ),
    );
    for (index, param) in tool.params.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        param_as_json(out, param);
    }
    push(
        out,
        format_args!("],\"returns\":{{\"type\":\"{}\"}}}}", tool.returns),
    );
}

fn param_as_json(out: &mut String, param: &Param) {
    push(
        out,
        format_args!("{{\"name\":\"{}\",\"type\":\"{}\"", param.name, param.label),
    );
    match param.detail {
        Detail::Nothing => {}
        Detail::Fields(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, ty)| format!("\"{name}\":\"{ty}\""))
                .collect();
            push(out, format_args!(",\"fields\":{{{}}}", fields.join(",")));
        }
        Detail::ElementType(ty) => push(out, format_args!(",\"elementType\":\"{ty}\"")),
        Detail::OneOf(texts) => push(out, format_args!(",\"enum\":[{}]", texts.join(","))),
    }
    if let Some(default) = param.default {
        push(out, format_args!(",\"default\":{default}"));
    }
    if let Some(description) = param.description {
        push(out, format_args!(",\"description\":\"{description}\""));
    }
    out.push('}');
}

/// Writing into a `String` cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
