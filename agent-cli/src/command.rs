//! The commands, a module each.

pub(crate) mod audit;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod conversations;
pub(crate) mod dev;
pub(crate) mod diff;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod help;
pub(crate) mod init;
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod new;
pub(crate) mod new_tools;
pub(crate) mod parse;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod tools;
