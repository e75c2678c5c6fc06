//! When a tool's implementation fits its spec: the rule that `agent!` applies at compile time and
//! the runtime at run time.
//!
//! All of it is `const fn`, so there is one rule and not two that agree.

mod compare;
mod compile_time;
mod difference;
mod known;
mod literal;
mod message;
mod method;
mod own;
mod own_mistake;
mod stop;
mod tool;
mod tool_set;

pub use agent_gram::print::writer::{Trail, Writer as MessageWriter};
pub use compare::{same_field, same_text, same_type, same_value};
pub use compile_time::{
    Aspect, BROKEN_TOOL, FilePlace, agrees, check_aspect, check_default, check_in_file, spec_of,
};
pub use known::{WrittenList, check_known, check_unique};
pub use message::Message;
pub use method::{MethodNames, stop_at_unknown_method};
pub use own::{
    check_choice, check_field_default, check_flattened, check_flattened_names, check_keyword,
    check_may_be_missing, check_not_optional, check_own_default, check_variant_record,
};
pub use tool::{
    Mismatch, Policy, description_matches, first_mismatch, mismatches, missing_param,
    param_mismatch, return_mismatch, unmatched_param,
};
pub use tool_set::{ListedTool, ToolSet, find_tool, has_doubles, list_tools, name_hash};

pub(crate) use compare::{find_field, same_required};
pub(crate) use own::stop_at;
pub(crate) use own_mistake::OwnMistake;
