//! The whole product at work, as its users meet it: agents that the compiler checked, tools that
//! are plain functions, models behind real sockets, and the real `cargo`.

mod ab_test;
mod agent_and_pattern;
mod data_model_agent;
mod dropped_run;
mod forced_choice;
mod hello_world;
mod model_mistakes;
mod nested_runs;
mod one_wrong_type;
mod retry_flow;
pub(crate) mod support;
mod toolbox_package;
