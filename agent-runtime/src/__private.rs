//! What the code that the macros make names. Not for use by hand: it changes without notice.

mod arguments;
mod call;
mod export;
mod parameter;
mod result;

pub use crate::tool::generated::{
    Before, FallbackBefore, FallbackListed, First, Later, Listed, Lists, PartNames, Shareable,
    ToolboxPart, ToolboxParts, check_name,
};
pub use crate::tool::generated::{Described, gram_text, gram_text_of_set, signature_text};
pub use crate::tool::generated::{
    FallbackMethod, Method, MethodCall, MethodOf, TakeSelf, check_method,
};
pub use crate::tool::generated::{
    Slot, SlotKind, argument_type, arguments_of, check_argument_described, check_unnamed,
    descriptor, param, slot, type_or_any, unless_empty, with_type,
};
pub use arguments::{Arguments, DecodeError};
pub use call::{Calls, FallbackCalls, call_async, call_blocking, call_inline};
pub use export::{export_agent, export_gram, export_toolbox, export_tools};
pub use parameter::{
    BorrowedParameter, FallbackBorrowed, FallbackOwned, Givable, NoSchema, OwnedParameter,
    StatedFor, Take, TakeReference, ToolParameter, ToolReference, stated,
};
pub use result::{Returned, ReturnedPlain, ToolFailure, outcome};

/// The traits in which rustc finds what a type does not have itself, by no name.
pub mod fallback {
    pub use super::{
        AnyReturn as _, FallbackBefore as _, FallbackBorrowed as _, FallbackCalls as _,
        FallbackListed as _, FallbackOwned as _, ReturnedPlain as _,
    };
}

pub use crate::context::ToolContext;
pub use crate::library::{IntoTool, IntoTools, ToolLibrary};
pub use crate::tool::{MethodTool, StaticTool, StaticTools, Tool, ToolFuture, Toolbox};
pub use agent_gram::Value;
pub use agent_gram::value::{
    Array, Decimal, Measurement, Nest, Number, Range, Record, Symbol, Tagged, Text,
};
pub use agent_macros::{
    agent_with_path, gram_with_path, module_items, tool_set_with_path, tools_with_path,
};
pub use agent_spec::__private::{
    AnyReturn, Aspect, BROKEN_TOOL, FilePlace, ListedTool, Opaque, Part, Parts, RequiredOpaque,
    ReturnType, Trail, UnitEnum, WrittenList, agrees, check_aspect, check_beside_tag, check_choice,
    check_default, check_described, check_field_default, check_flattened, check_flattened_names,
    check_in_content, check_in_file, check_keyword, check_known, check_may_be_missing,
    check_not_optional, check_own_default, check_unique, check_variant_record, choice,
    content_type, description_bytes, description_len, find_tool, has_doubles, json_bytes, json_len,
    list_tools, merged, record, spec_of, text_of, texts, word_of,
};
pub use agent_spec::binding::Policy;
pub use agent_spec::settings::SettingValue;
pub use agent_spec::types::{Bound, Constraint};
pub use agent_spec::vocabulary::{Keyword, Setting};
pub use agent_spec::{
    Agent, Constraints, Field, GramType, Grants, Kind, Model, Param, ReasoningEffort, Returns,
    Settings, Shape, Signature, ToolChoice, ToolDescriptor, ToolSet, ToolSettings, ToolSpec, Type,
};
pub use std::borrow::Cow;
pub use std::boxed::Box;
pub use std::clone::Clone;
pub use std::default::Default;
pub use std::fmt::Debug;
pub use std::marker::{Copy, Send, Sync};
pub use std::option::Option::{self, None, Some};
pub use std::prelude::v1::test;
pub use std::primitive::{str, u8, usize};
pub use std::result::Result::Ok;
pub use std::sync::Arc;
pub use std::time::Duration;
pub use std::vec::Vec;
pub use std::{env, include_bytes};

use crate::tool::ToolError;

/// What stands for an agent with mistakes, so that a mistake is reported once.
pub const BROKEN_AGENT: Agent = Agent::from_static(
    "",
    None,
    "",
    Model::from_static("Offline", "rules"),
    Settings::NONE,
    &[],
    Record::new(),
);

/// The call of a tool with mistakes. Nothing that holds one compiles.
#[must_use]
pub fn broken_call<'a>() -> ToolFuture<'a> {
    Box::pin(std::future::ready(Err(ToolError::Execution(
        "the tool did not compile".to_owned(),
    ))))
}

/// Adds a tool to the library that `tools!` makes.
///
/// # Panics
/// When there is a tool of its name, or no provider takes the name.
#[track_caller]
pub fn add_tool(library: &mut ToolLibrary, tool: impl IntoTool) {
    add_tools(library, [tool]);
}

/// Adds several tools to the library that `tools!` makes.
///
/// # Panics
/// When there is a tool of the name of one of them, or no provider takes a name.
#[track_caller]
pub fn add_tools(library: &mut ToolLibrary, tools: impl IntoTools) {
    if let Err(error) = library.register_all(tools) {
        panic!("tools!: {error}");
    }
}

/// A tool that `tools!` names, shared.
#[must_use]
pub fn instance<T: StaticTool>(tool: T) -> Arc<dyn Tool> {
    Arc::new(tool)
}

/// The tools that `tool_set!` names, in a list.
#[must_use]
pub fn list_of<const N: usize>(tools: [Arc<dyn Tool>; N]) -> Vec<Arc<dyn Tool>> {
    tools.into()
}
