//! The macros of agent-runtime: [`macro@tool`], `#[agent_fn]`, `agent!`, `gram!`, `tools!` and `tool_set!`.
//!
//! Use them through `gramwork-runtime`, which re-exports them, because their expansions name that
//! crate. This file only converts types; the work is in modules over `proc_macro2`, which unit
//! tests call.
//!
//! Each macro has the same phases: parse into a tree of its own, check across the parts, expand.
//! Expanding cannot fail: after an error it emits a skeleton, so that one mistake gives one message
//! and no further errors about missing items.

mod agent;
mod agent_fn;
mod constraints;
mod crate_path;
mod default;
mod doc;
mod export;
mod gram;
mod gram_type;
mod import;
mod locked_tool;
mod report;
mod settings;
mod source_file;
mod tokens;
mod tool;
mod tool_list;
mod tool_set;
mod toolbox;

use proc_macro::TokenStream;

#[doc = include_str!("docs/tool.md")]
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand_tool(arguments.into(), item.into()).into()
}

#[doc = include_str!("docs/agent_fn.md")]
#[proc_macro_attribute]
pub fn agent_fn(arguments: TokenStream, item: TokenStream) -> TokenStream {
    agent_fn::expand_agent_fn(arguments.into(), item.into()).into()
}

/// Returns the items in its arguments in place of the item it is applied to. A tool beside its
/// function is one item this way, so that rustc rejects it once where no type is allowed.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn module_items(items: TokenStream, _: TokenStream) -> TokenStream {
    items
}

#[doc = include_str!("docs/toolbox.md")]
#[proc_macro_attribute]
pub fn toolbox(arguments: TokenStream, item: TokenStream) -> TokenStream {
    toolbox::expand_toolbox(arguments.into(), item.into()).into()
}

#[doc = include_str!("docs/gram_type.md")]
#[proc_macro_derive(GramType, attributes(gram, serde))]
pub fn gram_type(item: TokenStream) -> TokenStream {
    gram_type::expand_gram_type(item.into()).into()
}

/// The implementation of `agent!`, with the path of agent-runtime first.
#[doc(hidden)]
#[proc_macro]
pub fn agent_with_path(input: TokenStream) -> TokenStream {
    agent::expand_agent(input.into()).into()
}

/// The implementation of `tools!`, with the path of agent-runtime first.
#[doc(hidden)]
#[proc_macro]
pub fn tools_with_path(input: TokenStream) -> TokenStream {
    tool_list::expand_tools(input.into()).into()
}

/// The implementation of `tool_set!`, with the path of agent-runtime first.
#[doc(hidden)]
#[proc_macro]
pub fn tool_set_with_path(input: TokenStream) -> TokenStream {
    tool_set::expand_tool_set(input.into()).into()
}

/// The implementation of `gram!`, with the path of agent-runtime first.
#[doc(hidden)]
#[proc_macro]
pub fn gram_with_path(input: TokenStream) -> TokenStream {
    gram::expand_gram(input.into()).into()
}
