//! `agent lsp`, driven on standard input and output as editors drive it.

#![allow(unreachable_pub, reason = "a test program has no public interface")]

mod agreement;
mod exchange;
mod language;
mod library;
mod lifecycle;
mod load;
mod project_file;
mod session;
mod settings;
mod tool_files;
mod unexpected;
mod workspace;
