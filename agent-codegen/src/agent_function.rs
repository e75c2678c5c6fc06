//! Functions with `#[agent_fn]`, for the agents of a document that have a signature.

use crate::doc_comment::{comment, doc_lines};
use crate::identifier::{Scope, derives_name};
use crate::line_width::{LINE, width_of};
use crate::type_name::TypePath;
use crate::types::Types;
use agent_spec::{Agent, Field, Param};

/// An agent, and the settings of its function.
#[derive(Clone, Copy, Debug)]
pub struct AgentFunction<'a> {
    /// The agent, which has a signature of its own.
    pub agent: &'a Agent,
    /// The path of the document.
    pub file: &'a str,
    /// Whether the document has no other agent.
    pub is_only: bool,
}

/// The names that the functions of agents use, in addition to the names that the functions of tools use.
pub(crate) const TYPES: [&str; 2] = ["Error", "Runtime"];

/// The name of the parameter that is the runtime.
const RUNTIME: &str = "runtime";

impl AgentFunction<'_> {
    /// Writes the function. `tools` are the functions of its tools in the module.
    pub(crate) fn write(&self, types: &mut Types, ident: &str, tools: &[&str]) -> String {
        let agent = self.agent;
        let mut scope = Scope::with(&[RUNTIME]);
        let mut parameters = vec![format!("{RUNTIME}: &Runtime")];
        for param in agent.signature().params() {
            parameters.push(parameter(types, &mut scope, agent, param));
        }
        let path = TypePath::result(agent.name());
        let result = types.of_result(agent.signature().returns().ty(), &path);
        // A description that no comment can express is left out, which the check allows.
        let docs = agent
            .description()
            .and_then(|text| doc_lines(text, 0, true));
        let mut lines: Vec<String> = docs.iter().flat_map(|docs| comment(docs)).collect();
        lines.extend(self.attribute(ident, tools));
        lines.extend(head(ident, &parameters, &result));
        lines.join("\n")
    }

    fn attribute(&self, ident: &str, tools: &[&str]) -> Vec<String> {
        let mut settings = vec![format!("file = {:?}", self.file)];
        if !self.is_only && !derives_name(ident, self.agent.name()) {
            settings.push(format!("agent = {:?}", self.agent.name()));
        }
        if !tools.is_empty() {
            settings.push(format!("tools = [{}]", tools.join(", ")));
        }
        let line = format!("#[agent_fn({})]", settings.join(", "));
        if width_of(&line) <= LINE {
            return vec![line];
        }
        let mut lines = vec!["#[agent_fn(".to_owned()];
        let last = settings.len() - 1;
        for (at, setting) in settings.into_iter().enumerate() {
            let comma = if at == last { "" } else { "," };
            lines.push(format!("    {setting}{comma}"));
        }
        lines.push(")]".to_owned());
        lines
    }
}

/// Writes a parameter. Its limits are those of the document, which are checked at each call.
fn parameter(types: &mut Types, scope: &mut Scope, agent: &Agent, param: &Param) -> String {
    let ident = scope.snake(param.name(), "param");
    let path = TypePath::arguments(agent.name()).field(param.name());
    let required = param.ty().clone().with_optional(false);
    let field = Field::new(param.name().to_owned(), required);
    let (ty, limits) = types.of_field(&field, &path, false);
    if !param.ty().constraints().enumeration().is_empty() && !limits.is_empty() {
        types.warnings.push(format!(
            "the agent `{}` lists values of its parameter `{}` that its Rust type `{ty}` does not; write a type that \
             has these values only",
            agent.name(),
            param.name()
        ));
    }
    let ty = match ty.as_str() {
        "String" => "&str".to_owned(),
        _ => ty,
    };
    let ty = match param.is_optional() {
        true => format!("Option<{ty}>"),
        false => ty,
    };
    match derives_name(&ident, param.name()) {
        true => format!("{ident}: {ty}"),
        false => format!("#[agent_fn(name = {:?})] {ident}: {ty}", param.name()),
    }
}

fn head(ident: &str, parameters: &[String], result: &str) -> Vec<String> {
    let line = format!(
        "pub async fn {ident}({}) -> Result<{result}, Error>;",
        parameters.join(", ")
    );
    if width_of(&line) <= LINE {
        return vec![line];
    }
    let mut lines = vec![format!("pub async fn {ident}(")];
    lines.extend(
        parameters
            .iter()
            .map(|parameter| format!("    {parameter},")),
    );
    lines.push(format!(") -> Result<{result}, Error>;"));
    lines
}
