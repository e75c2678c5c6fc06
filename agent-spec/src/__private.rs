//! The names that generated code and `agent-runtime` need besides the public ones. Do not use them by
//! hand, because they change without notice.

pub use crate::agent::{AgentFunction, Reference};
pub use crate::binding::agent_function::{
    call_agrees, check_call, check_call_in_file, check_filled, check_host_fills, check_one_runtime,
};
pub use crate::binding::compile_time::{
    FilePlace, agrees, check_default, check_effects, check_in_file, check_part, spec_of, specs_of,
};
pub use crate::binding::listed_tools::{
    ListedIn, MethodNames, WrittenList, check_dynamic, check_known, check_shared_name,
    check_tagged, check_unique, stop_at_unknown_method,
};
pub use crate::misfit::{Judged, Misfit, RequestForm};
pub use crate::tool_set::{
    BROKEN_TOOL, FUNCTION_WITHOUT_TOOL, ListedTool, PRIVATE_FUNCTION, find_tool, has_mistakes,
    list_tools, name_hash,
};
pub use crate::write::{
    AgentText, agent_bytes, agent_len, gram_bytes, gram_len, signature_bytes, signature_len,
    text_of, tools_bytes, tools_len,
};
pub use agent_gram::print::writer::Trail;
pub use agent_types::__private::*;
pub use agent_types::doc_comment::{check_described, description_bytes, description_len};
