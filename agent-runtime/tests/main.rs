//! The integration tests of this crate. They are one program, because linking is most of the cost of a
//! small one. `trace` is a program of its own.

mod agent_arguments;
mod agent_function;
#[cfg(feature = "json-schema")]
mod agreement;
mod approver;
mod called_agents;
mod compaction;
mod create_tool;
mod effects;
mod events;
mod execute;
mod export;
mod hooks;
mod http;
mod journal;
#[cfg(feature = "schemars")]
mod json_types;
mod library;
mod many_runs;
mod media_results;
mod nested_runs;
mod offline;
mod own_contract;
mod part_schemas;
mod permissions;
mod providers;
mod references;
mod run_rules;
mod save;
mod schema_tools;
mod steering;
mod support;
mod testing;
mod time_limits;
mod tool_choice;
mod tool_search;
mod toolbox;
mod trouble;
mod typed;
