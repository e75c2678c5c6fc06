//! `SqliteStore`, in one program and between several.

#[path = "../../../agent-runtime/tests/support/any_conversation.rs"]
mod any_conversation;
mod file;
mod journal;
mod processes;
