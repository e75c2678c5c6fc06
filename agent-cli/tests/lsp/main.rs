//! `agent lsp`, driven on standard input and output as editors drive it.

#![allow(unreachable_pub, reason = "a test program has no public interface")]

mod language;
mod lifecycle;
mod session;
