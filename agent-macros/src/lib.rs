//! The macros of agent-runtime: [`macro@tool`], `agent!`, `gram!`, `tools!` and `tool_set!`.
//!
//! Use them through `agent-runtime`, which re-exports them; what they expand to names that crate.
//! This file only converts types: the work is in modules over `proc_macro2`, which unit tests call.
//!
//! Each macro goes through the same phases: parse into a tree of its own, check across the parts,
//! expand. Expanding cannot fail: after a mistake it still gives a skeleton, so that one mistake
//! gives one message and not a trail of things that are suddenly missing.

mod agent;
mod constraints;
mod default;
mod doc;
mod gram;
mod gram_type;
mod report;
mod runtime_path;
mod settings;
mod tokens;
mod tool;
mod tool_list;
mod tool_set;
mod toolbox;

#[doc = include_str!("docs/tool.md")]
#[proc_macro_attribute]
pub fn tool(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    tool::expand_tool(arguments.into(), item.into()).into()
}

/// Gives back the items that it is written with, in place of the one it stands on: a tool beside its
/// function is one item by this, which rustc refuses once where it cannot stand.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn module_items(
    items: proc_macro::TokenStream,
    _: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    items
}

#[doc = include_str!("docs/toolbox.md")]
#[proc_macro_attribute]
pub fn toolbox(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    toolbox::expand_toolbox(arguments.into(), item.into()).into()
}

#[doc = include_str!("docs/gram_type.md")]
#[proc_macro_derive(GramType, attributes(gram, serde))]
pub fn gram_type(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    gram_type::expand_gram_type(item.into()).into()
}

/// What `agent!` of agent-runtime calls, with the path of that crate first.
#[doc(hidden)]
#[proc_macro]
pub fn agent_with_path(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    agent::expand_agent(input.into()).into()
}

/// What `tools!` of agent-runtime calls, with the path of that crate first.
#[doc(hidden)]
#[proc_macro]
pub fn tools_with_path(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    tool_list::expand_tools(input.into()).into()
}

/// What `tool_set!` of agent-runtime calls, with the path of that crate first.
#[doc(hidden)]
#[proc_macro]
pub fn tool_set_with_path(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    tool_set::expand_tool_set(input.into()).into()
}

/// What `gram!` of agent-runtime calls, with the path of that crate first.
#[doc(hidden)]
#[proc_macro]
pub fn gram_with_path(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    gram::expand_gram(input.into()).into()
}
