//! `SqliteStore`, in one program and between several.

#[path = "../../../agent-core/src/conversation/any_conversation.rs"]
mod any_conversation;
#[path = "../support/any_journal.rs"]
mod any_journal;
mod file;
mod journal;
#[path = "../support/killed.rs"]
mod killed;
mod processes;
#[path = "../../../agent-runtime/tests/journal/scenarios/mod.rs"]
mod scenarios;
#[path = "../../../agent-runtime/tests/support/mod.rs"]
mod support;
