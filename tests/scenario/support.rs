//! The parts that the scenarios share.

pub(crate) mod hello;
pub(crate) mod openai;
pub(crate) mod recorder;
pub(crate) mod server;
