//! The whole product at work, as its users meet it: agents that the compiler checked, tools that
//! are plain functions, and models behind real sockets.

mod ab_test;
mod agent_and_pattern;
mod data_model_agent;
mod dropped_run;
mod forced_choice;
mod hello_world;
mod model_mistakes;
mod nested_runs;
mod retry_flow;
pub(crate) mod support;
mod toolbox_package;
