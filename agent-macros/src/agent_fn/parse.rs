//! Parses the function of an agent.

use super::settings::{AgentSettings, read_agent_settings};
use crate::doc::DocComment;
use crate::report::Report;
use crate::tool::{
    Function, ParsedParameter, ToolAttribute, is_tool, read_parameters, strip_attributes,
};
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::spanned::Spanned as _;

/// The form of an agent function, for messages.
const EXAMPLE: &str = "`#[agent_fn]` goes on a function without a body: `async fn translate(runtime: &Runtime, \
                       text: &str) -> Result<String, Error>;`";

/// A function without a body, with the settings of its agent.
pub(super) struct ParsedAgentFn {
    /// The function, without our attributes.
    pub(super) function: Function,
    pub(super) settings: AgentSettings,
    pub(super) parameters: Vec<ParsedParameter>,
    pub(super) doc: DocComment,
}

/// Whether an item is a function, judged by its keyword.
pub(super) fn is_function(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter();
    tokens.any(|token| matches!(&token, TokenTree::Ident(word) if word == "fn"))
}

/// Parses the function and all settings. Returns `None` if the item is no function without a body.
pub(super) fn parse_agent_fn(
    report: &Report,
    arguments: TokenStream,
    item: TokenStream,
) -> Option<ParsedAgentFn> {
    let mut function = match Function::parse_declaration.parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            match is_function(&item) {
                true => report.syn(&error),
                false => report.error(error.span(), EXAMPLE),
            }
            return None;
        }
    };
    let settings = read_agent_settings(report, arguments);
    refuse_tool_settings(report, &mut function);
    let parameters = read_parameters(report, &function, ToolAttribute::AgentFn);
    let doc = DocComment::of(&function.attributes);
    strip_attributes(&mut function, ToolAttribute::AgentFn);
    Some(ParsedAgentFn {
        function,
        settings,
        parameters,
        doc,
    })
}

/// Reports and removes `#[tool(…)]` of the parameters, because rustc would only report that `tool` is a
/// macro.
fn refuse_tool_settings(report: &Report, function: &mut Function) {
    for parameter in function.parameters_mut() {
        parameter.attrs.retain(|attribute| {
            let is_tool = is_tool(attribute);
            if is_tool {
                let settings = match attribute.meta.require_list() {
                    Ok(list) => list.tokens.to_string(),
                    Err(_) => "description = \"…\"".to_owned(),
                };
                report.error(
                    attribute.path().span(),
                    format!(
                        "`#[tool]` is for the parameters of a tool; in an agent function write \
                         `#[agent_fn({settings})]`"
                    ),
                );
            }
            !is_tool
        });
    }
}
