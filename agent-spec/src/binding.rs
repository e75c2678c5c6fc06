//! When a tool's implementation fits its spec: the rule that `agent!` applies at compile time and
//! the runtime at run time.
//!
//! All of it is `const fn`, so there is one rule and not two that agree.

mod compare;
mod compile_time;
mod message;
mod tool;

pub use agent_gram::print::writer::Writer as MessageWriter;
pub use compare::{same_field, same_type, same_value};
pub use compile_time::{
    Aspect, BROKEN_TOOL, FilePlace, check_aspect, check_default, check_in_file, check_known,
    check_own_default, check_unique, find_tool, spec_of,
};
pub use message::Message;
pub use tool::{
    Mismatch, Policy, description_matches, first_mismatch, mismatches, missing_param,
    param_mismatch, return_mismatch, unmatched_param,
};

pub(crate) use compare::same_text;
