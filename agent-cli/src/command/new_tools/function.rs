//! The function of a tool.

use super::attribute::Settings;
use super::describe::{comment, doc_lines};
use super::identifier::Scope;
use super::literal::Literal;
use super::module::NOT_WRITTEN;
use super::parameter::{Parameter, gives_back};
use super::type_name::Place;
use super::types::Types;
use super::width::{LINE, width_of};
use agent_spec::ToolSpec;

/// The widest tuple that stands on one line.
const WIDEST_TUPLE: usize = 60;

/// More parameters than these clippy asks about.
const MANY: usize = 7;

/// The function of a tool, with its attributes.
pub(super) fn function(types: &mut Types, names: &mut Scope, tool: &ToolSpec) -> String {
    let ident = names.snake(tool.name(), "tool");
    let mut settings = Settings::default();
    if !gives_back(&ident, tool.name()) {
        settings.add("name", Literal::text(tool.name()));
    }
    let mut docs = match doc_lines(tool.description(), 0, true) {
        Some(lines) => lines,
        None => {
            settings.add("description", Literal::text(tool.description()));
            Vec::new()
        }
    };
    let returns = tool.signature().returns();
    if let Some(lines) = returns
        .description()
        .and_then(|text| doc_lines(text, 0, true))
    {
        if !docs.is_empty() {
            docs.push(String::new());
        }
        // The description of a tool ends at a heading.
        docs.extend(["# Returns".to_owned(), String::new()]);
        docs.extend(lines);
    }
    let mut scope = Scope::with(&[NOT_WRITTEN]);
    let mut parameters: Vec<Parameter> = tool
        .signature()
        .params()
        .iter()
        .map(|param| Parameter::new(types, &mut scope, tool.name(), param))
        .collect();
    let place = Place::result(tool.name());
    let result = types.of_result(returns.ty(), &place);
    let mut lines: Vec<String> = comment(&docs).collect();
    match settings.is_empty() {
        true => lines.push("#[tool]".to_owned()),
        false => lines.extend(settings.lines("tool", 0)),
    }
    if parameters.len() > MANY {
        lines.push("#[allow(clippy::too_many_arguments)]".to_owned());
    }
    lines.extend(match parameters.is_empty() {
        true => short_head(types, &ident, &result, &place),
        false => head(types, &ident, &mut parameters, &result),
    });
    lines.extend(body(tool.name(), &parameters));
    lines.push("}".to_owned());
    lines.join("\n")
}

/// From `pub fn` to `{`, without parameters. There is nothing to break but the result, which gets a
/// name instead.
fn short_head(types: &mut Types, ident: &str, result: &str, place: &Place) -> Vec<String> {
    let line = |result: &str| format!("pub fn {ident}() -> Result<{result}, ToolError>");
    let mut whole = line(result);
    if width_of(&whole) > LINE {
        whole = line(&types.alias(result, place));
    }
    match width_of(&whole) + " {".len() <= LINE {
        true => vec![format!("{whole} {{")],
        false => vec![whole, "{".to_owned()],
    }
}

/// From `pub fn` to `{`.
fn head(types: &mut Types, ident: &str, parameters: &mut [Parameter], result: &str) -> Vec<String> {
    let short: Option<Vec<String>> = parameters.iter().map(Parameter::short).collect();
    let mut just_fits = false;
    if let Some(list) = short {
        let line = format!(
            "pub fn {ident}({}) -> Result<{result}, ToolError> {{",
            list.join(", ")
        );
        just_fits = width_of(&line) <= LINE;
        if line.len() <= LINE {
            return vec![line];
        }
    }
    let mut lines = vec![format!("pub fn {ident}(")];
    for parameter in parameters {
        lines.extend(parameter.lines(types));
    }
    if just_fits {
        // rustfmt breaks lines by their bytes, but sets the last comma by their columns.
        lines.last_mut().map(String::pop);
    }
    lines.push(format!(") -> Result<{result}, ToolError> {{"));
    lines
}

/// What the function does until it is written: it takes note of its arguments, so that rustc has
/// nothing to say of them, and gives an error.
fn body(tool: &str, parameters: &[Parameter]) -> Vec<String> {
    let idents: Vec<&str> = parameters.iter().map(|p| p.ident.as_str()).collect();
    let mut lines = match idents.as_slice() {
        [] => Vec::new(),
        [only] => vec![format!("    let _ = {only};")],
        several => {
            let list = several.join(", ");
            if width_of(&list) <= WIDEST_TUPLE {
                vec![format!("    let _ = ({list});")]
            } else {
                let mut lines = vec!["    let _ = (".to_owned()];
                lines.extend(several.iter().map(|ident| format!("        {ident},")));
                lines.push("    );".to_owned());
                lines
            }
        }
    };
    lines.push(format!("    {NOT_WRITTEN}({tool:?})"));
    lines
}
