//! The integration tests of this crate, as one program, because linking takes most of the time of a small
//! test program.

mod attach;
mod attempts;
mod builtin_tools;
mod chat_pipe;
mod chat_prompt;
mod check;
mod debug;
mod diff;
mod explain;
mod findings_format;
mod fmt;
mod fmt_style;
mod gram_agent;
mod graph;
mod hostile_text;
mod input;
mod keys;
mod nested_agents;
mod new_tools;
mod otel;
mod parse_and_schema;
mod project_file;
mod provider;
mod providers_page;
mod redaction;
mod retention;
mod run;
mod run_arguments;
mod run_batch;
mod run_conversation;
mod run_history;
mod run_unfinished;
mod run_usage;
mod runs;
mod support;
